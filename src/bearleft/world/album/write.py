"""Whole worlds as albums: every place's panorama, by several processes, going on after a kill.

A file appears whole under its name or not at all, and is not written again while it is there whole. What it holds
follows from the album's `album.json` and the place alone, so the files are the same however often the work was stopped
and by however many processes it was done.
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

from bearleft.errors import InputError, shown, unknown
from bearleft.runtime.compiled import cores
from bearleft.runtime.json_fields import is_whole
from bearleft.runtime.processes import process_pool
from bearleft.runtime.store import atomic_write, existing_file
from bearleft.types import Progress
from bearleft.world.album.files import check_quality, encoded, ends_well
from bearleft.world.album.layout import (
    CHANNELS,
    PLACES,
    RGB,
    About,
    Entry,
    claim,
    file_name,
    only_writer,
    present,
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

PICTURES = ("jpg", "png")
AT_ONCE = 1 << 21  # pixels that are rendered together on the CPU; a GPU takes more
ON_GPU = 1 << 25


@dataclass(frozen=True)
class Order:
    """What the pictures of an album shall be, beside the world they are of."""

    size: tuple[int, int] = (2048, 1024)
    channels: tuple[str, ...] = (RGB,)
    light: Light = field(default_factory=Light)
    samples: int = 2
    shadows: bool = True
    picture: str = "jpg"
    quality: int = 92
    device: str = "cpu"

    def __post_init__(self) -> None:
        for one in self.channels:
            if one not in CHANNELS:
                raise unknown("channel", one, CHANNELS)
        if not self.channels or len(set(self.channels)) != len(self.channels):
            raise InputError("channels, each once", shown(",".join(self.channels)), "what")
        if self.picture not in PICTURES:
            raise unknown("format", self.picture, PICTURES)
        check_quality(self.quality)
        if self.size[0] != 2 * self.size[1]:
            raise InputError("a size twice as wide as high", f"{self.size[0]} x {self.size[1]}", "size")
        check_samples(self.samples)
        check_device(self.device)
        self.lens()

    def lens(self) -> Lens:
        """Size and projection of every panorama."""
        return panorama(*self.size)

    @property
    def together(self) -> int:
        """How many places are rendered at once."""
        pixels = ON_GPU if self.device == "cuda" else AT_ONCE
        return max(1, pixels // (self.size[0] * self.size[1]))

    def about(self, city: City) -> About:
        """What album.json says of this order in a city."""
        names = tuple(class_name(k) for k in range(CLASS_BASE + len(CLASSES))) if "classes" in self.channels else ()
        quality = self.quality if RGB in self.channels and self.picture == "jpg" else None
        return About(
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
        )


@dataclass(frozen=True)
class Written:
    """How many places were asked for, how many files were written and were there before, how many places it holds."""

    places: int
    written: int
    there: int
    held: int
    seconds: float


def write_album(
    folder: str | os.PathLike[str],
    world: str = "city/0",
    order: Order | None = None,
    city: int | None = None,
    places: str | None = None,
    processes: int = 1,
    data: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Written:
    """Writes the panoramas of a world's places, all or some (`choose`), and goes on where it was stopped.

    One process renders with all its cores; with several each has one, and plans the world for itself.
    """
    order, folder, begin = order or Order(), Path(folder), time.perf_counter()
    if not is_whole(processes) or processes < 1:
        raise InputError("at least one process", shown(processes), "processes")
    if processes > 1 and order.device != "cpu":
        raise InputError("one process for a GPU", str(processes), "processes")
    built = open_city(world, city, data, progress)
    numbers = choose(built.graph, places)
    if order.device != "cpu":
        renderer(built.scene, order.device)  # an error where there is none, before anything is written
    with only_writer(folder):
        claim(folder, order.about(built))
        entries = _entries(built, order, numbers)
        held = _keep(folder, built.graph, entries)
        todo = _missing(folder, order, zip(numbers, entries, strict=True))
        files = sum(len(channels) for _, _, channels in todo)
        there = len(entries) * len(order.channels) - files
        jobs = [tuple(todo[k : k + order.together]) for k in range(0, len(todo), order.together)]
        done = len(entries) - len(todo)
        if progress:
            progress("places", done, len(entries))
        for one in order.channels:
            (folder / one).mkdir(exist_ok=True)
        if processes == 1:
            counts = _alone(_Writer(folder, built, order), jobs)
        else:
            counts = _together(processes, jobs, folder, world, city, data, order)
        for count in counts if jobs else ():
            done += count
            if progress:
                progress("places", done, len(entries))
    return Written(len(entries), files, there, held, time.perf_counter() - begin)


Todo = tuple[int, Entry, tuple[str, ...]]  # a place's number, its files, and the channels that are missing
Job = tuple[Todo, ...]


def choose(graph: Graph, places: str | None = None) -> list[int]:
    """Places by number: all; "N..M", those from N up to and with M; or those whose ids a file names, a line each."""
    if places is None:
        return list(range(len(graph)))
    if said := re.fullmatch(r"([0-9]{1,9})\.\.([0-9]{1,9})", places):
        first, last = (int(part) for part in said.groups())
        if not first <= last < len(graph):
            raise InputError(f"places N..M from 0 to {len(graph) - 1}", shown(places), "places")
        return list(range(first, last + 1))
    path = existing_file(places, "places as N..M, or a file of their ids")
    try:
        ids = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except UnicodeDecodeError as error:
        raise InputError("text in UTF-8", shown(error.reason), file=str(path)) from None
    try:
        found = {graph.number(place) for place in ids if place}
    except InputError as error:
        raise error.at(file=str(path)) from None
    if not found:
        raise InputError("ids of places, a line each", "none", file=str(path))
    return sorted(found)


def _entries(city: City, order: Order, numbers: Sequence[int]) -> list[Entry]:
    graph, found = city.graph, []
    for k in numbers:
        east, north, up = (round(float(x), 3) for x in graph.positions[k] + [0, 0, city.plan.eye / 1000.0])
        file = f"{RGB}/{file_name(graph.ids[k])}.{order.picture}"
        found.append(Entry(graph.ids[k], file, east, north, up, round(float(graph.yaw[k]), 6)))
    return found


def _keep(folder: Path, graph: Graph, entries: list[Entry]) -> int:
    """Names the places in places.jsonl, beside those asked for before, in the world's order; says how many they are."""
    before = read_places(folder) if (folder / PLACES).exists() else ()
    both = {entry.id: entry for entry in (*before, *entries)}
    if len(both) > len(before) or not before:
        write_places(folder, sorted(both.values(), key=lambda entry: graph.number(entry.id)))
    return len(both)


def _missing(folder: Path, order: Order, asked: Iterable[tuple[int, Entry]]) -> list[Todo]:
    there = present(folder, order.channels)
    found = []
    for number, entry in asked:
        paths = {one: entry.path(folder, one) for one in order.channels}
        lacking = tuple(one for one, path in paths.items() if path.name not in there[one] or not ends_well(path))
        if lacking:
            found.append((number, entry, lacking))
    return found


class _Writer:
    """Renders and writes pictures of one city into one album."""

    def __init__(self, folder: Path, city: City, order: Order) -> None:
        self.folder, self.city, self.order = folder, city, order
        self.render: Render = renderer(city.scene, order.device)

    def rendered(self, job: Job) -> Pictures:
        """The panoramas of a job's places."""
        order, numbers = self.order, np.array([number for number, _, _ in job])
        poses = self.city.poses(numbers, self.city.graph.yaw[numbers])
        return self.render(poses, order.lens(), order.light, order.samples, order.shadows)

    def save(self, pictures: Pictures, k: int, entry: Entry, channels: tuple[str, ...]) -> None:
        """Writes the files of one place."""
        for channel in channels:
            with atomic_write(entry.path(self.folder, channel), "wb") as stream:
                stream.write(encoded(pictures, k, channel, self.order.picture, self.order.quality))


def _alone(writer: _Writer, jobs: list[Job]) -> Iterator[int]:
    """One process: while pictures are compressed and written, the next ones are rendered."""
    with ThreadPoolExecutor(cores()) as pool:
        waiting: deque[tuple[int, list[Future[None]]]] = deque()
        for job in jobs:
            pictures = writer.rendered(job)
            waiting.append((len(job), [pool.submit(writer.save, pictures, k, *one[1:]) for k, one in enumerate(job)]))
            while len(waiting) > 2:
                yield _finished(*waiting.popleft())
        while waiting:
            yield _finished(*waiting.popleft())


def _finished(count: int, saved: list[Future[None]]) -> int:
    for one in saved:
        one.result()
    return count


def _together(processes: int, jobs: list[Job], *begin: Any) -> Iterator[int]:
    """Several processes, each with a city of its own; says after each job how many places are finished."""
    pool = process_pool(min(processes, len(jobs)), _begin, *begin)
    waiting: deque[Future[int]] = deque()
    try:
        for job in jobs:
            waiting.append(pool.submit(_do, job))
            while len(waiting) > 3 * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise RuntimeError("a process was killed; run the same command again to go on") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_writer: _Writer  # in processes of a pool alone


def _begin(folder: Path, world: str, city: int | None, data: str | os.PathLike[str] | None, order: Order) -> None:
    global _writer
    _writer = _Writer(folder, open_city(world, city, data), order)


def _do(job: Job) -> int:
    pictures = _writer.rendered(job)
    for k, (_, entry, channels) in enumerate(job):
        _writer.save(pictures, k, entry, channels)
    return len(job)
