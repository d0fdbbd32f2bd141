"""Rendering whole worlds as albums, in several processes, resumable after interruption.

Files are written atomically, and not again while they are complete. Their contents depend on `album.json` and the
place alone, so they are the same however often the work was interrupted and whatever the number of processes.
"""

from __future__ import annotations

import os
import re
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.runtime.compiled import num_threads
from bearleft.runtime.json_fields import is_integer
from bearleft.runtime.processes import process_pool
from bearleft.runtime.store import atomic_write, existing_file
from bearleft.types import Progress
from bearleft.world.album.files import check_quality, encode_channel, is_complete
from bearleft.world.album.layout import (
    CHANNELS,
    PLACES_FILE,
    RGB,
    AlbumInfo,
    Entry,
    claim_folder,
    exclusive_writer,
    file_name,
    present_files,
    read_places,
    write_places,
)
from bearleft.world.channel_images import class_name
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import City, open_city
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.camera import Lens, panorama
from bearleft.world.render.cpu import Pictures, check_samples
from bearleft.world.render.devices import Render, check_device, renderer
from bearleft.world.render.light import Light

PICTURE_FORMATS = ("jpg", "png")
CPU_BATCH_PIXELS = 1 << 21  # rendered at once
GPU_BATCH_PIXELS = 1 << 25


@dataclass(frozen=True)
class AlbumConfig:
    """What the pictures of an album are like, besides their world.

    `yaw` is the heading in the middle of all pictures; by default each place has its own, along its street.
    """

    size: tuple[int, int] = (2048, 1024)
    channels: tuple[str, ...] = (RGB,)
    light: Light = field(default_factory=Light)
    samples: int = 2
    shadows: bool = True
    picture: str = "jpg"
    quality: int = 92
    device: str = "cpu"
    yaw: float | None = None

    def __post_init__(self) -> None:
        for channel in self.channels:
            if channel not in CHANNELS:
                raise unknown_name("channel", channel, CHANNELS)
        if not self.channels or len(set(self.channels)) != len(self.channels):
            raise InputError("channels, each once", format_value(",".join(self.channels)), "what")
        if self.picture not in PICTURE_FORMATS:
            raise unknown_name("format", self.picture, PICTURE_FORMATS)
        check_quality(self.quality)
        if self.size[0] != 2 * self.size[1]:
            raise InputError("a size twice as wide as high", f"{self.size[0]} x {self.size[1]}", "size")
        check_samples(self.samples)
        check_device(self.device)
        self.lens()

    def lens(self) -> Lens:
        """Return size and projection of the panoramas."""
        return panorama(*self.size)

    @property
    def batch_size(self) -> int:
        """Return how many places are rendered at once."""
        pixels = GPU_BATCH_PIXELS if self.device == "cuda" else CPU_BATCH_PIXELS
        return max(1, pixels // (self.size[0] * self.size[1]))

    def about(self, city: City) -> AlbumInfo:
        """Return the contents of album.json for a city."""
        names = tuple(class_name(k) for k in range(CLASS_BASE + len(CLASSES))) if "classes" in self.channels else ()
        quality = self.quality if RGB in self.channels and self.picture == "jpg" else None
        return AlbumInfo(
            city.graph.name,
            self.channels,
            self.size,
            self.picture,
            quality,
            city.plan.seed,
            city.plan.hash,
            asdict(self.light),
            self.samples,
            self.shadows,
            self.device,
            names,
            yaw=self.yaw,
        )

    def yaws(self, graph: Graph, numbers: Sequence[int]) -> npt.NDArray[np.float64]:
        """Return the headings in the middle of the pictures of places."""
        own = graph.yaw[np.asarray(numbers, np.int64)]
        return np.asarray(own if self.yaw is None else np.full(len(own), self.yaw), np.float64)


@dataclass(frozen=True)
class AlbumResult:
    """Numbers of places requested, of files written and already present, and of places in the album."""

    places: int
    written: int
    present: int
    total: int
    seconds: float


def write_album(
    folder: str | os.PathLike[str],
    world: str = "city/0",
    config: AlbumConfig | None = None,
    city: int | None = None,
    places: str | Sequence[str] | None = None,
    processes: int = 1,
    data: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> AlbumResult:
    """Render the panoramas of a world's places, all or some, resuming an interrupted run.

    One process renders with all cores; several use one core each, and each builds the world.

    Args:
        folder: the album's folder.
        world: the world.
        config: what the pictures are like.
        city: the seed of the city to build on a street graph that has none.
        places: see `choose_places` (default: all).
        processes: how many processes render.
        data: the folder of datasets.
        progress: called with a label, the work done, and all of it.
    """
    config, folder, began = config or AlbumConfig(), Path(folder), time.perf_counter()
    if not is_integer(processes) or processes < 1:
        raise InputError("at least one process", format_value(processes), "processes")
    if processes > 1 and config.device != "cpu":
        raise InputError("one process for a GPU", str(processes), "processes")
    built_city = open_city(world, city, data, progress)
    numbers = choose_places(built_city.graph, places)
    if config.device != "cpu":
        renderer(built_city.scene, config.device)  # raises an error before anything is written if there is none
    with exclusive_writer(folder):
        claim_folder(folder, config.about(built_city))
        entries = album_entries(built_city, config, numbers)
        total = _add_places(folder, built_city.graph, entries)
        missing = missing_files(folder, config, zip(numbers, entries, strict=True))
        files = sum(len(channels) for _, _, channels in missing)
        present = len(entries) * len(config.channels) - files
        jobs = [tuple(missing[k : k + config.batch_size]) for k in range(0, len(missing), config.batch_size)]
        done = len(entries) - len(missing)
        if progress:
            progress("places", done, len(entries))
        for channel in config.channels:
            (folder / channel).mkdir(exist_ok=True)
        counts: Iterable[int] = ()
        if jobs and processes == 1:
            counts = _write_in_process(AlbumWriter(folder, built_city, config), jobs)
        elif jobs:
            counts = _write_in_pool(processes, jobs, folder, world, city, data, config)
        for count in counts:
            done += count
            if progress:
                progress("places", done, len(entries))
    return AlbumResult(len(entries), files, present, total, time.perf_counter() - began)


MissingFiles = tuple[int, Entry, tuple[str, ...]]  # a place's number, its entry, and the missing channels
Job = tuple[MissingFiles, ...]


def choose_places(graph: Graph, places: str | Sequence[str] | None = None) -> list[int]:
    """Return places by number: all; "N..M", from N to M inclusive; listed in a file, one id per line; or by ids."""
    if places is None:
        return list(range(len(graph)))
    if not isinstance(places, str):
        return sorted({graph.place_index(place) for place in places})
    if match := re.fullmatch(r"([0-9]{1,9})\.\.([0-9]{1,9})", places):
        first, last = (int(part) for part in match.groups())
        if not first <= last < len(graph):
            raise InputError(f"places N..M from 0 to {len(graph) - 1}", format_value(places), "places")
        return list(range(first, last + 1))
    path = existing_file(places, "places as N..M, or a file of their ids")
    try:
        ids = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except UnicodeDecodeError as error:
        raise InputError("text in UTF-8", format_value(error.reason), file=str(path)) from None
    try:
        numbers = {graph.place_index(place) for place in ids if place}
    except InputError as error:
        raise error.at(file=str(path)) from None
    if not numbers:
        raise InputError("ids of places, a line each", "none", file=str(path))
    return sorted(numbers)


def album_entries(city: City, config: AlbumConfig, numbers: Sequence[int]) -> list[Entry]:
    """Return the entries of places in places.jsonl."""
    graph, entries = city.graph, []
    for k, yaw in zip(numbers, config.yaws(graph, numbers), strict=True):
        east, north, up = (round(float(x), 3) for x in graph.positions[k] + [0, 0, city.plan.eye / 1000.0])
        file = f"{RGB}/{file_name(graph.ids[k])}.{config.picture}"
        entries.append(Entry(graph.ids[k], file, east, north, up, round(float(yaw), 6)))
    return entries


def _add_places(folder: Path, graph: Graph, entries: list[Entry]) -> int:
    """Add places to places.jsonl, in the world's order; return how many it has."""
    stored = read_places(folder) if (folder / PLACES_FILE).exists() else ()
    merged = {entry.id: entry for entry in (*stored, *entries)}
    if len(merged) > len(stored) or not stored:
        write_places(folder, sorted(merged.values(), key=lambda entry: graph.place_index(entry.id)))
    return len(merged)


def missing_files(folder: Path, config: AlbumConfig, requested: Iterable[tuple[int, Entry]]) -> list[MissingFiles]:
    """Return the places of which a picture is missing or incomplete, with the channels."""
    existing = present_files(folder, config.channels)
    missing = []
    for number, entry in requested:
        paths = {channel: entry.path(folder, channel) for channel in config.channels}
        missing_channels = tuple(
            channel for channel, path in paths.items() if path.name not in existing[channel] or not is_complete(path)
        )
        if missing_channels:
            missing.append((number, entry, missing_channels))
    return missing


class AlbumWriter:
    """Renders and writes pictures of one city into one album."""

    def __init__(self, folder: Path, city: City, config: AlbumConfig) -> None:
        self.folder, self.city, self.config = folder, city, config
        self.render: Render = renderer(city.scene, config.device)

    def write(self, job: Job) -> None:
        """Render and write the missing files of some places."""
        pictures = self.render_job(job)
        for k, (_, entry, channels) in enumerate(job):
            self.save(pictures, k, entry, channels)

    def render_job(self, job: Job) -> Pictures:
        """Return the panoramas of a job's places."""
        config, numbers = self.config, [number for number, _, _ in job]
        poses = self.city.poses(numbers, config.yaws(self.city.graph, numbers))
        return self.render(poses, config.lens(), config.light, config.samples, config.shadows)

    def save(self, pictures: Pictures, k: int, entry: Entry, channels: tuple[str, ...]) -> None:
        """Write the files of one place."""
        for channel in channels:
            with atomic_write(entry.path(self.folder, channel), "wb") as stream:
                stream.write(encode_channel(pictures, k, channel, self.config.picture, self.config.quality))


def _write_in_process(writer: AlbumWriter, jobs: list[Job]) -> Iterator[int]:
    """Write in one process: pictures are compressed and written while the next ones are rendered."""
    with ThreadPoolExecutor(num_threads()) as pool:
        pending: deque[tuple[int, list[Future[None]]]] = deque()
        for job in jobs:
            pictures = writer.render_job(job)
            pending.append((len(job), [pool.submit(writer.save, pictures, k, *item[1:]) for k, item in enumerate(job)]))
            while len(pending) > 2:
                yield _wait(*pending.popleft())
        while pending:
            yield _wait(*pending.popleft())


def _wait(count: int, saved: list[Future[None]]) -> int:
    for future in saved:
        future.result()
    return count


def _write_in_pool(processes: int, jobs: list[Job], *worker_arguments: Any) -> Iterator[int]:
    """Write in several processes, each with its own city; yield the number of finished places after each job."""
    pool = process_pool(min(processes, len(jobs)), _start_worker, *worker_arguments)
    pending: deque[Future[int]] = deque()
    try:
        for job in jobs:
            pending.append(pool.submit(_run_job, job))
            while len(pending) > 3 * processes:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    except BrokenProcessPool as error:
        raise RuntimeError("a process was killed; run the same command again to go on") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_writer: AlbumWriter  # only in worker processes


def _start_worker(
    folder: Path, world: str, city: int | None, data: str | os.PathLike[str] | None, config: AlbumConfig
) -> None:
    global _writer
    _writer = AlbumWriter(folder, open_city(world, city, data), config)


def _run_job(job: Job) -> int:
    _writer.write(job)
    return len(job)
