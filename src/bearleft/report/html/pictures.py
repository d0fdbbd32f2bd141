"""What a report shows of its worlds: views along walks, and panoramas, as many and as large as its limits allow."""

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
from bearleft.report.arramon_pictures import TaskEyes
from bearleft.report.arramon_replay import played
from bearleft.report.html.quality import Limits, Rung, Size, Want, fitting
from bearleft.report.html.strips import ALONG, END, START, Stop, looked_from, stops, task_stops, walks
from bearleft.world.album.album import Album, album_of
from bearleft.world.album.importers import REFER360
from bearleft.world.arramon.task_setup import RELEASED
from bearleft.world.city.city import City, open_city
from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.pictures import AlbumEyes, Eyes, Sees
from bearleft.world.render.devices import check_device
from bearleft.world.worlds import open_world

__all__ = ["Limits", "Looks", "Sights", "View", "Worlds", "open_eyes", "see"]

Progress = Callable[[str, int, int], None]
Looks = Callable[[str], Sees | None]
Picture = npt.NDArray[np.uint8]
FIELD = 90.0  # degrees across a view, as players see
BATCH = 4 << 20  # pixels rendered at once: 16 bytes each, with the depth and classes that come along
ENCODERS = 2  # threads; encoding takes a tenth of what rendering takes
NAMED = 3  # worlds that a note names
METHOD = 2  # of WebP: a fifth smaller than 1, and twice as fast as the usual 4, which gains 3 percent


@dataclass(frozen=True)
class View:
    """A picture of a film strip: `step` is the index of the leg's state that it shows."""

    step: int
    picture: int
    caption: str


@dataclass(frozen=True)
class Sights:
    """Pictures as WebP files, and what each is of.

    `panoramas` are by world and place, north in the middle; `strips` by the trace's index and the leg; `sizes` are
    pixels across and down, in the order of pictures.
    """

    pictures: list[bytes] = field(default_factory=list)
    panoramas: dict[tuple[str, str], int] = field(default_factory=dict)
    strips: dict[tuple[int, int], list[View]] = field(default_factory=dict)
    sizes: list[Size] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Worlds:
    """Worlds by name, each opened once: who looks at it (called), where one walks, and what a map is drawn from."""

    def __init__(
        self,
        albums: Sequence[Album],
        city: int | None,
        device: str,
        data: str | os.PathLike[str] | None,
        progress: Progress | None,
    ) -> None:
        self.albums, self.built, self.device, self.data, self.progress = albums, city, device, data, progress
        self._eyes: dict[str, Sees | None] = {}

    def __call__(self, world: str) -> Sees | None:
        """Who looks at a world: its album, else a renderer where there is a city; None without either."""
        if world not in self._eyes:
            self._eyes[world] = self._open(world)
        return self._eyes[world]

    def _open(self, world: str) -> Sees | None:
        if (album := album_of(world, self.albums)) is not None:
            return AlbumEyes(album, world, self.data)
        if world.startswith("sections/"):
            return TaskEyes(world, self.device)
        if self.is_city(world):
            return Eyes(self.city(world), self.device)
        return None

    def typed(self, world: str) -> list[str]:
        """The options of `bearleft render episode` with which it finds and sees what is found and seen here."""
        album = album_of(world, self.albums)
        return [
            *(["--data", str(self.data)] if self.data is not None else []),
            *(["--pictures", str(album.folder)] if album is not None else []),
            *(["--city", str(self.built)] if self.built is not None and has_streets(world) else []),
        ]

    @property
    def notes(self) -> list[str]:
        """Of which worlds there are no pictures: one note for all that the same would help."""
        dark = [world for world, eyes in self._eyes.items() if eyes is None]
        streets = [world for world in dark if has_streets(world)]
        others = [world for world in dark if world == REFER360 or world.startswith("matterport/")]
        released = _named([world for world in dark if world.startswith(RELEASED)])
        unknown = [f"There are no pictures of {released}: released files of ArraMon hold no city."] if released else []
        more = ", or --city 0 for bearleft's city on its streets"
        return [*_unpictured(streets, more), *_unpictured(others, ""), *unknown]

    def is_city(self, world: str) -> bool:
        """Whether a city or rooms stand there."""
        return is_ours(world) or (self.built is not None and has_streets(world))

    def city(self, world: str) -> City:
        """What stands in a world of ours, or on the streets of another."""
        return open_city(world, None if is_ours(world) else self.built, self.data, self.progress)

    def where(self, world: str) -> Graph | Plan | None:
        """What a map is drawn from: a plan, or places and links alone; None for a world without places."""
        if self.is_city(world):
            return self.city(world).plan
        try:
            return open_world(world, self.data)
        except InputError:
            return None

    def graph(self, world: str) -> Graph | None:
        """Where one walks; None for a world without places."""
        where = self.where(world)
        return where.graph if isinstance(where, Plan) else where


def _unpictured(worlds: Sequence[str], more: str) -> list[str]:
    """A note on worlds without pictures, which names a few of them."""
    return [f"There are no pictures of {_named(worlds)}. Say --pictures FOLDER{more}."] if worlds else []


def _named(worlds: Sequence[str]) -> str:
    return ", ".join(worlds[:NAMED]) + (f" and {len(worlds) - NAMED} more" if len(worlds) > NAMED else "")


def is_ours(world: str) -> bool:
    """Whether a world has a look of its own, of which there is one only."""
    return world.startswith(("city/", "rooms/", "sections/"))


def has_streets(world: str) -> bool:
    """Whether a city of any seed can be built on a world's streets."""
    return world == "touchdown" or world.startswith("town/")


def open_eyes(
    worlds: Iterable[str],
    pictures: Sequence[str | os.PathLike[str]] = (),
    city: int | None = None,
    device: str = "cpu",
    data: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Worlds:
    """Who looks at each of some worlds: albums where they fit, else the renderer.

    `city`: the seed of the one that is built on streets that have none of their own.
    """
    names = sorted(set(worlds))
    check_device(device)
    if city is not None and not any(has_streets(world) for world in names):
        raise InputError("a world of streets to build a city on", ", ".join(names[:3]) or "no world", "city")
    albums = [Album.open(folder) for folder in pictures]
    for album in albums:
        if album.world is not None and not any(album.fits(world) for world in names):
            raise InputError(
                f"an album of {', '.join(names[:3])}", f"one of {album.world}", "pictures", file=str(album.folder)
            )
    return Worlds(albums, city, device, data, progress)


@dataclass
class _Asked:
    """What could be shown; of turns and of walked places how many walks have them."""

    points: dict[Want, None] = field(default_factory=dict)
    ends: dict[Want, None] = field(default_factory=dict)
    turns: Counter[Want] = field(default_factory=Counter)
    along: dict[Want, None] = field(default_factory=dict)
    walked: Counter[Want] = field(default_factory=Counter)
    strips: dict[tuple[int, int], list[tuple[int, Want, str]]] = field(default_factory=dict)

    def groups(self) -> list[list[Want]]:
        """What matters most first, nothing twice."""
        turns, walked = ([want for want, _ in found.most_common()] for found in (self.turns, self.walked))
        seen: set[Want] = set()
        groups = []
        for group in (self.points, self.ends, turns, self.along, walked):
            fresh = [want for want in group if want not in seen]
            seen.update(fresh)
            groups.append(fresh)
        return groups


def see(
    episodes: Sequence[Episode],
    traces: Sequence[Trace],
    eyes: Looks,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Sights:
    """Pictures of what episodes ask and traces did, within limits; the same arguments give the same bytes."""
    limits = limits or Limits.usual()
    asked = _asked(episodes, traces, eyes)
    groups = asked.groups()
    made = {world: _made(eyes(world)) for world in {want.world for group in groups for want in group}}
    rung, expected = fitting(groups, limits, made)
    files, missing = _files(expected, _sharp(eyes, rung), rung, limits, progress)
    numbers = {want: k for k, want in enumerate(files)}
    strips = {
        key: [View(step, numbers[want], caption) for step, want, caption in views if want in numbers]
        for key, views in asked.strips.items()
    }
    return Sights(
        list(files.values()),
        {(want.world, want.place): k for want, k in numbers.items() if want.heading is None},
        {key: views for key, views in strips.items() if views},
        [rung.size(want) for want in files],
        [*_missing(missing), *_left_out(groups, {*files, *missing})],
    )


def _asked(episodes: Sequence[Episode], traces: Sequence[Trace], eyes: Looks) -> _Asked:
    asked = _Asked()
    known = {(episode.dataset, episode.id): episode for episode in episodes if eyes(episode.world) is not None}
    for episode in known.values():
        asked.points.update((Want(episode.world, place), None) for _, place in looked_from(episode))
    for index, trace in enumerate(traces):
        if (trace.dataset, trace.episode) in known:
            _add_walks(asked, index, known[trace.dataset, trace.episode], trace, eyes)
    return asked


def _add_walks(asked: _Asked, index: int, episode: Episode, trace: Trace, eyes: Looks) -> None:
    who, world = eyes(episode.world), episode.world
    if who is None or world == REFER360:
        return
    if isinstance(who, TaskEyes):
        for one in played(episode, trace):
            seen = [replace(stop, place=who.add(one, stop.step)) for stop in task_stops(one)]
            asked.strips[index, one.leg] = list(_strip(asked, world, seen))
        return
    for leg, states in walks(episode, trace, who.graph):
        asked.strips[index, leg] = list(_strip(asked, world, stops(states)))
        asked.walked.update({Want(world, place): 1 for place, _ in states})


def _strip(asked: _Asked, world: str, seen: Iterable[Stop]) -> Iterator[tuple[int, Want, str]]:
    of = {START: asked.ends, END: asked.ends, ALONG: asked.along}
    for stop in seen:
        want = Want(world, stop.place, round(stop.heading) % 360)
        if stop.caption in of:
            of[stop.caption][want] = None
        else:
            asked.turns[want] += 1
        yield stop.step, want, stop.caption


def _made(eyes: Sees | None) -> str:
    """How pictures are made, as `ladder.SPEEDS` calls it."""
    return eyes.device if isinstance(eyes, Eyes | TaskEyes) else "album"


def _sharp(eyes: Looks, rung: Rung) -> Looks:
    """The same eyes, rendering as a rung says."""

    @cache
    def sharp(world: str) -> Sees | None:
        who = eyes(world)
        if isinstance(who, TaskEyes):
            return who.sharp(rung.samples)
        return Eyes(who.city, who.device, who.light, rung.samples) if isinstance(who, Eyes) else who

    return sharp


def _files(
    expected: Sequence[Want], eyes: Looks, rung: Rung, limits: Limits, progress: Progress | None
) -> tuple[dict[Want, bytes], dict[Want, InputError]]:
    """WebP files in the order wanted, no more bytes than the limit; and what could not be had, with the reason."""
    files: dict[Want, bytes] = {}
    missing: dict[Want, InputError] = {}
    waiting: list[tuple[Want, Future[bytes]]] = []
    room, done = limits.bytes, 0
    with ThreadPoolExecutor(ENCODERS) as pool:
        for batch in [*_batches(expected, rung), []]:
            # The batch before is encoded while this one is rendered.
            coming = [
                (want, pool.submit(encoded, picture, rung.quality))
                for want, picture in _looked(eyes, batch, rung, missing)
            ]
            for want, future in waiting:
                room -= len(future.result())
                if room >= 0:
                    files[want] = future.result()
            waiting, done = coming, done + len(batch)
            if progress and batch:
                progress("pictures", done, len(expected))
            if room < 0:
                break
    return files, missing


def _batches(expected: Sequence[Want], rung: Rung) -> Iterator[list[Want]]:
    """Runs of one world and one kind of picture, of bounded size."""
    for _, run in groupby(expected, lambda want: (want.world, want.heading is None)):
        wants = list(run)
        width, height = rung.size(wants[0])
        most = max(BATCH // (width * height * rung.samples**2), 1)
        yield from (wants[k : k + most] for k in range(0, len(wants), most))


def _looked(
    eyes: Looks, batch: Sequence[Want], rung: Rung, missing: dict[Want, InputError]
) -> Iterator[tuple[Want, Picture]]:
    """The pictures of a batch; where one cannot be had the others are looked at one by one."""
    if not batch:
        return
    who = eyes(batch[0].world)
    assert who is not None
    try:
        yield from zip(batch, _look(who, batch, rung), strict=True)
        return
    except InputError as error:
        if len(batch) == 1:
            missing[batch[0]] = error
            return
    for want in batch:
        yield from _looked(eyes, [want], rung, missing)


def _look(eyes: Sees, batch: Sequence[Want], rung: Rung) -> Picture:
    places, size = [eyes.number(want.place) for want in batch], rung.size(batch[0])
    if batch[0].heading is None:
        return eyes.panoramas(places, 0.0, size)
    return eyes.views(places, [float(want.heading or 0) for want in batch], 0.0, size, FIELD)


def encoded(picture: Picture, quality: int) -> bytes:
    """A picture as a WebP file."""
    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, "WEBP", quality=quality, method=METHOD)
    return stream.getvalue()


def _missing(missing: dict[Want, InputError]) -> list[str]:
    if not missing:
        return []
    some = f"{len(missing):,} pictures are" if len(missing) > 1 else "One picture is"
    return [f"{some} missing; the first: {next(iter(missing.values()))}"]


KINDS = (
    "panoramas to point in",
    "views of starts and ends",
    "views before turns",
    "views on the way",
    "panoramas of places on the way",
)


def _left_out(groups: Sequence[Sequence[Want]], there: set[Want]) -> list[str]:
    """What the limits left out, and what to type."""
    parts = [
        f"{out:,} of {len(group):,} {kind}"
        for group, kind in zip(groups, KINDS, strict=True)
        if (out := sum(want not in there for want in group))
    ]
    if not parts:
        return []
    return [f"Left out, to keep this file small and quick to make: {', '.join(parts)}. Say --full for all."]
