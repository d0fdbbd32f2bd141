"""Pictures of a report: views along walks and panoramas, within limits of time and size."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby

import numpy as np
import numpy.typing as npt
from PIL import Image

from bearleft.errors import InputError
from bearleft.records import Episode, Trace
from bearleft.reports.arramon_pictures import TaskPictures
from bearleft.reports.arramon_replay import replay
from bearleft.reports.html.quality import Limits, PictureRequest, QualityLevel, Size, choose_quality
from bearleft.reports.html.strips import (
    END,
    ON_THE_WAY,
    START,
    Stop,
    choose_stops,
    choose_task_stops,
    pointing_places,
    walked_legs,
)
from bearleft.types import DataFolder, Progress
from bearleft.world.album.album import Album, find_album, open_albums
from bearleft.world.city.city import City, open_city
from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.pictures import PictureSource, RenderedPictures, check_buildable, find_pictures
from bearleft.world.render.devices import check_device
from bearleft.world.worlds import open_world, world_kind

__all__ = ["Limits", "PictureSources", "ReportPictures", "ReportWorlds", "StripView", "make_pictures", "open_worlds"]

PictureSources = Callable[[str], PictureSource | None]
Picture = npt.NDArray[np.uint8]
FOV = 90.0  # degrees across a view, as agents see it
BATCH_PIXELS = 4 << 20  # rendered at once, 16 bytes each with depth and classes
ENCODERS = 2  # threads; encoding takes a tenth of the time of rendering
MAX_NAMED_WORLDS = 3  # in one note
WEBP_METHOD = 2  # a fifth smaller than 1, twice as fast as the default 4, which gains 3 percent


@dataclass(frozen=True)
class StripView:
    """A picture of a film strip; `step` is the index of the leg's state that it shows."""

    step: int
    picture: int
    caption: str


@dataclass(frozen=True)
class ReportPictures:
    """Pictures of a report as WebP files.

    `panoramas` maps world and place to a picture with north in the middle; `strips` maps the trace's index and the leg
    to views; `sizes` holds width and height of each picture.
    """

    pictures: list[bytes] = field(default_factory=list)
    panoramas: dict[tuple[str, str], int] = field(default_factory=dict)
    strips: dict[tuple[int, int], list[StripView]] = field(default_factory=dict)
    sizes: list[Size] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class ReportWorlds:
    """The worlds of a report, each opened once: picture sources (by calling), graphs, and plans for maps."""

    def __init__(
        self,
        albums: Sequence[Album],
        city: int | None,
        device: str,
        data: DataFolder,
        progress: Progress | None,
    ) -> None:
        self.albums, self.city_seed, self.device, self.data, self.progress = albums, city, device, data, progress
        self._sources: dict[str, PictureSource | None] = {}

    def __call__(self, world: str) -> PictureSource | None:
        """Return the picture source of a world: its album, else a renderer of its city, else None."""
        if world not in self._sources:
            self._sources[world] = self._open(world)
        return self._sources[world]

    def _open(self, world: str) -> PictureSource | None:
        if world_kind(world).name == "sections" and find_album(world, self.albums) is None:
            return TaskPictures(world, self.device)
        return find_pictures(world, self.albums, self.city_seed, self.device, self.data, self.progress)

    def command_options(self, world: str) -> list[str] | None:
        """Return the options of `bearleft render episode` that give the same world and pictures.

        None if the world cannot be filmed, because it has neither pictures nor a map.
        """
        kind = world_kind(world)
        tasks = kind.free_movement or kind.from_release  # films of ArraMon's tasks take no album
        album = None if tasks else find_album(world, self.albums)
        if not tasks and album is None and not kind.has_graph:
            return None
        return [
            *(["--data", str(self.data)] if self.data is not None else []),
            *(["--pictures", str(album.folder)] if album is not None else []),
            *(["--city", str(self.city_seed)] if self.city_seed is not None and world_kind(world).buildable else []),
        ]

    @property
    def notes(self) -> list[str]:
        """Return notes on worlds without pictures, one for all worlds that the same option would help."""
        without_pictures = [world for world, source in self._sources.items() if source is None]
        streets = [world for world in without_pictures if world_kind(world).buildable]
        others = [
            world for world in without_pictures if world_kind(world).photographed and not world_kind(world).buildable
        ]
        released = _list_worlds([world for world in without_pictures if world_kind(world).from_release])
        released_notes = (
            [f"There are no pictures of {released}: released files of ArraMon hold no city."] if released else []
        )
        option = ", or --city 0 for bearleft's city on its streets"
        return [*_missing_note(streets, option), *_missing_note(others, ""), *released_notes]

    def is_city(self, world: str) -> bool:
        """Return whether the world is a city or rooms that can be rendered."""
        return world_kind(world).rendered or (self.city_seed is not None and world_kind(world).buildable)

    def city(self, world: str) -> City:
        """Return the city of a world, or the one built on its streets."""
        return open_city(world, None if world_kind(world).rendered else self.city_seed, self.data, self.progress)

    def map_source(self, world: str) -> Graph | Plan | None:
        """Return the plan or graph that a map is drawn from; None for a world without places."""
        if self.is_city(world):
            return self.city(world).plan
        try:
            return open_world(world, self.data)
        except InputError:
            return None

    def graph(self, world: str) -> Graph | None:
        """Return the world's graph; None for a world without places."""
        map_source = self.map_source(world)
        return map_source.graph if isinstance(map_source, Plan) else map_source


def _missing_note(worlds: Sequence[str], option: str) -> list[str]:
    """Return a note on worlds without pictures, naming a few of them."""
    return [f"There are no pictures of {_list_worlds(worlds)}. Say --pictures FOLDER{option}."] if worlds else []


def _list_worlds(worlds: Sequence[str]) -> str:
    return ", ".join(worlds[:MAX_NAMED_WORLDS]) + (
        f" and {len(worlds) - MAX_NAMED_WORLDS} more" if len(worlds) > MAX_NAMED_WORLDS else ""
    )


def open_worlds(
    worlds: Iterable[str],
    pictures: Sequence[str | os.PathLike[str]] = (),
    city: int | None = None,
    device: str = "cpu",
    data: DataFolder = None,
    progress: Progress | None = None,
) -> ReportWorlds:
    """Open the picture sources of some worlds: albums where they fit, else the renderer.

    Args:
        worlds: names of worlds.
        pictures: folders of albums.
        city: the seed of the city to build on street graphs that have none.
        device: "cpu" or "cuda", for rendering.
        data: the folder of datasets.
        progress: called while a city is built.

    Raises:
        InputError: for an album of another world, or a city where there are no streets.
    """
    names = sorted(set(worlds))
    check_device(device)
    check_buildable(city, names)
    albums = []
    for folder in pictures:
        opened = open_albums([folder])
        if not any(album.world is None or album.fits(world) for album in opened for world in names):
            worlds_of_albums = ", ".join(str(album.world) for album in opened)
            raise InputError(
                f"an album of {', '.join(names[:3])}", f"one of {worlds_of_albums}", "pictures", file=str(folder)
            )
        albums += opened
    return ReportWorlds(albums, city, device, data, progress)


@dataclass
class _Requests:
    """Candidate pictures; turns and walked places are counted over walks."""

    points: dict[PictureRequest, None] = field(default_factory=dict)
    ends: dict[PictureRequest, None] = field(default_factory=dict)
    turns: Counter[PictureRequest] = field(default_factory=Counter)
    along: dict[PictureRequest, None] = field(default_factory=dict)
    walked: Counter[PictureRequest] = field(default_factory=Counter)
    strips: dict[tuple[int, int], list[tuple[int, PictureRequest, str]]] = field(default_factory=dict)

    def groups(self) -> list[list[PictureRequest]]:
        """Return the requests grouped by importance, without duplicates."""
        turns, walked = ([request for request, _ in counter.most_common()] for counter in (self.turns, self.walked))
        seen: set[PictureRequest] = set()
        groups = []
        for group in (self.points, self.ends, turns, self.along, walked):
            new = [request for request in group if request._replace(large=False) not in seen]
            seen.update(request._replace(large=False) for request in new)
            groups.append(new)
        return groups


def make_pictures(
    episodes: Sequence[Episode],
    traces: Sequence[Trace],
    sources: PictureSources,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> ReportPictures:
    """Make the pictures of episodes and traces within limits; the same arguments give the same bytes.

    Args:
        episodes: Shown episodes.
        traces: Shown traces of these episodes.
        sources: Function from a world's name to its picture source, or None.
        limits: Limits of time and size.
        progress: Called with a label, the pictures done, and their total.
    """
    limits = limits or Limits.default()
    requests = _collect_requests(episodes, traces, sources)
    groups = requests.groups()
    backends = {world: _backend(sources(world)) for world in {request.world for group in groups for request in group}}
    level, chosen = choose_quality(groups, limits, backends)
    files, failures = _encode_pictures(chosen, _with_samples(sources, level), level, limits, progress)
    numbers = {request: k for k, request in enumerate(files)}
    strips = {
        key: [StripView(step, numbers[request], caption) for step, request, caption in views if request in numbers]
        for key, views in requests.strips.items()
    }
    return ReportPictures(
        list(files.values()),
        {(request.world, request.place): k for request, k in numbers.items() if request.heading is None},
        {key: views for key, views in strips.items() if views},
        [level.size(request) for request in files],
        [*_failure_notes(failures), *_left_out_notes(groups, {*files, *failures})],
    )


def _collect_requests(episodes: Sequence[Episode], traces: Sequence[Trace], sources: PictureSources) -> _Requests:
    requests = _Requests()
    episodes_by_id = {
        (episode.dataset, episode.id): episode for episode in episodes if sources(episode.world) is not None
    }
    for episode in episodes_by_id.values():
        places = [place for _, place in pointing_places(episode)]
        requests.points.update((PictureRequest(episode.world, place, large=True), None) for place in places)
    for index, trace in enumerate(traces):
        if (trace.dataset, trace.episode) in episodes_by_id:
            _add_walks(requests, index, episodes_by_id[trace.dataset, trace.episode], trace, sources)
    return requests


def _add_walks(requests: _Requests, index: int, episode: Episode, trace: Trace, sources: PictureSources) -> None:
    source, world = sources(episode.world), episode.world
    if source is None or not world_kind(world).has_graph:
        return
    if isinstance(source, TaskPictures):
        for replayed in replay(episode, trace):
            stops = [replace(stop, place=source.add(replayed, stop.step)) for stop in choose_task_stops(replayed)]
            requests.strips[index, replayed.leg] = list(_add_strip(requests, world, stops, True))
        return
    for leg, states in walked_legs(episode, trace, source.graph):
        requests.strips[index, leg] = list(_add_strip(requests, world, choose_stops(states)))
        requests.walked.update({PictureRequest(world, place): 1 for place, _ in states})


def _add_strip(
    requests: _Requests, world: str, stops: Iterable[Stop], large: bool = False
) -> Iterator[tuple[int, PictureRequest, str]]:
    targets = {START: requests.ends, END: requests.ends, ON_THE_WAY: requests.along}
    for stop in stops:
        request = PictureRequest(world, stop.place, round(stop.heading) % 360, large)
        if stop.caption in targets:
            targets[stop.caption][request] = None
        else:
            requests.turns[request] += 1
        yield stop.step, request, stop.caption


def _backend(source: PictureSource | None) -> str:
    """Return how pictures are made: a key of `quality.SPEEDS`."""
    return source.device if isinstance(source, RenderedPictures | TaskPictures) else "album"


def _with_samples(sources: PictureSources, level: QualityLevel) -> PictureSources:
    """Return the same sources, rendering with the samples of a quality level."""

    @cache
    def with_samples(world: str) -> PictureSource | None:
        source = sources(world)
        if isinstance(source, TaskPictures):
            return source.with_samples(level.samples)
        return (
            RenderedPictures(source.city, source.device, source.light, level.samples)
            if isinstance(source, RenderedPictures)
            else source
        )

    return with_samples


def _encode_pictures(
    requests: Sequence[PictureRequest],
    sources: PictureSources,
    level: QualityLevel,
    limits: Limits,
    progress: Progress | None,
) -> tuple[dict[PictureRequest, bytes], dict[PictureRequest, InputError]]:
    """Return WebP files in the order requested, up to the limit of bytes, and the failures with their errors."""
    files: dict[PictureRequest, bytes] = {}
    failures: dict[PictureRequest, InputError] = {}
    pending: list[tuple[PictureRequest, Future[bytes]]] = []
    bytes_left, count = limits.bytes, 0
    with ThreadPoolExecutor(ENCODERS) as pool:
        for batch in [*_batches(requests, level), []]:
            # The previous batch is encoded while this one is rendered.
            submitted = [
                (request, pool.submit(encode_webp, picture, level.quality))
                for request, picture in _render_batch(sources, batch, level, failures)
            ]
            for request, future in pending:
                bytes_left -= len(future.result())
                if bytes_left >= 0:
                    files[request] = future.result()
            pending, count = submitted, count + len(batch)
            if progress and batch:
                progress("pictures", count, len(requests))
            if bytes_left < 0:
                break
    return files, failures


def _batches(requests: Sequence[PictureRequest], level: QualityLevel) -> Iterator[list[PictureRequest]]:
    """Yield runs of one world and one kind of picture, of bounded size."""
    for _, run in groupby(requests, lambda request: (request.world, request.heading is None, request.large)):
        same_kind = list(run)
        width, height = level.size(same_kind[0])
        max_pictures = max(BATCH_PIXELS // (width * height * level.samples**2), 1)
        yield from (same_kind[k : k + max_pictures] for k in range(0, len(same_kind), max_pictures))


def _render_batch(
    sources: PictureSources,
    batch: Sequence[PictureRequest],
    level: QualityLevel,
    failures: dict[PictureRequest, InputError],
) -> Iterator[tuple[PictureRequest, Picture]]:
    """Yield the pictures of a batch; after a failure, render its pictures one by one."""
    if not batch:
        return
    source = sources(batch[0].world)
    assert source is not None
    try:
        yield from zip(batch, _render(source, batch, level), strict=True)
        return
    except InputError as error:
        if len(batch) == 1:
            failures[batch[0]] = error
            return
    for request in batch:
        yield from _render_batch(sources, [request], level, failures)


def _render(source: PictureSource, batch: Sequence[PictureRequest], level: QualityLevel) -> Picture:
    places, size = [source.place_index(request.place) for request in batch], level.size(batch[0])
    if batch[0].heading is None:
        return source.panoramas(places, 0.0, size)
    return source.views(places, [float(request.heading or 0) for request in batch], 0.0, size, FOV)


def encode_webp(picture: Picture, quality: int) -> bytes:
    """Encode a picture as a WebP file."""
    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, "WEBP", quality=quality, method=WEBP_METHOD)
    return stream.getvalue()


def _failure_notes(failures: dict[PictureRequest, InputError]) -> list[str]:
    if not failures:
        return []
    count = f"{len(failures):,} pictures are" if len(failures) > 1 else "One picture is"
    return [f"{count} missing; the first: {next(iter(failures.values()))}"]


GROUP_NAMES = (
    "panoramas to point in",
    "views of starts and ends",
    "views before turns",
    "views on the way",
    "panoramas of places on the way",
)


def _left_out_notes(groups: Sequence[Sequence[PictureRequest]], included: set[PictureRequest]) -> list[str]:
    """Return a note on what the limits left out, and the option that keeps it."""
    parts = [
        f"{left_out:,} of {len(group):,} {kind}"
        for group, kind in zip(groups, GROUP_NAMES, strict=True)
        if (left_out := sum(request not in included for request in group))
    ]
    if not parts:
        return []
    return [f"Left out, to keep this file small and quick to make: {', '.join(parts)}. Say --full for all."]
