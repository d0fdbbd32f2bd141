"""Pictures that others' cameras took: folders of SUN360, of StreetLearn, or of anything, found and imported.

SUN360 keeps `indoor/restaurant/pano_apqqbmmivfquan.jpg`; Refer360 names that place `apqqbmmivfquan`. StreetLearn names
its pictures by the panorama's id of 22 letters, with `nodes.txt` (panoid, yaw, lat, lng) beside them.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import numpy as np

from bearleft.compiled import cores
from bearleft.errors import InputError, shown, unknown
from bearleft.geometry import metres
from bearleft.store import atomic_write
from bearleft.world.album.files import READ, check_size, compressed, read_picture
from bearleft.world.album.layout import (
    ABOUT,
    RGB,
    About,
    Entry,
    claim,
    file_name,
    only_writer,
    present,
    write_places,
)
from bearleft.world.street import LINKS, NODES, read_nodes
from bearleft.world.worlds import open_world

LAYOUTS = ("plain", "sun360", "streetlearn")
SUN360, REFER360 = "pano_", "refer360"
PANOID = re.compile(r"[A-Za-z0-9_-]{22}")
HOW = ("link", "copy")
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Found:
    """The pictures of a folder as places; `others` counts files that are no pictures by their names."""

    layout: str
    world: str | None
    entries: tuple[Entry, ...]
    others: int


@dataclass(frozen=True)
class Imported:
    """What became of each picture: rows for those that were left out and for those that needed something done."""

    places: int
    written: int
    there: int
    left_out: tuple[dict[str, str], ...]
    noted: tuple[dict[str, str], ...]
    others: int
    without: int  # places of the world that no picture shows


def found_in(folder: str | os.PathLike[str], layout: str | None = None) -> Found:
    """The pictures of a folder and those inside it, in the layout named or the one it seems to have."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("a folder of panoramas", "a file" if folder.exists() else "nothing there", file=str(folder))
    if layout is not None and layout not in LAYOUTS:
        raise unknown("layout", layout, LAYOUTS)
    files, others = _files(folder)
    if not files:
        endings = ", ".join(sorted(READ))
        raise InputError(f"a folder with pictures ({endings})", f"{others} other files", file=str(folder))
    stems = [PurePosixPath(file).stem for file in files]
    if layout is None:
        layout = "plain"
        if all(stem.startswith(SUN360) for stem in stems):
            layout = "sun360"
        elif (folder / NODES).is_file() or all(PANOID.fullmatch(stem) for stem in stems):
            layout = "streetlearn"
    entries: dict[str, Entry] = {}
    for file in files:
        entry = _entry(file, layout)
        if entry.id in entries:
            came = f"{entries[entry.id].file} and {file}"
            raise InputError(f"one picture of {shown(entry.id)}", came, file=str(folder))
        entries[entry.id] = entry
    if layout == "streetlearn" and (folder / NODES).is_file():
        entries = _placed(entries, folder / NODES)
    world = REFER360 if layout == "sun360" else None
    return Found(layout, world, tuple(entries.values()), others)


def _files(folder: Path) -> tuple[list[str], int]:
    """Pictures by their paths within the folder, sorted, and how many other files there are; hidden ones are passed."""
    found, others = [], 0
    for top, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in names:
            if name.startswith(".") or name in (NODES, LINKS):
                continue
            if Path(name).suffix.lower() in READ:
                found.append((Path(top) / name).relative_to(folder).as_posix())
            else:
                others += 1
    return sorted(found), others


def _entry(file: str, layout: str) -> Entry:
    path = PurePosixPath(file)
    if layout == "plain":
        return Entry(str(path.with_suffix("")), file)
    above = None if path.parent == PurePosixPath(".") else str(path.parent)
    return Entry(path.stem.removeprefix(SUN360) if layout == "sun360" else path.stem, file, category=above)


def _placed(entries: dict[str, Entry], nodes: Path) -> dict[str, Entry]:
    """Entries with position and yaw where a nodes.txt knows them."""
    index, yaw, latitude, longitude = read_nodes(nodes)
    origin = round(float(np.mean(latitude)), 6), round(float(np.mean(longitude)), 6)
    where = metres(latitude, longitude, origin)
    return {
        place: _at(entry, where[index[place]], yaw[index[place]]) if place in index else entry
        for place, entry in entries.items()
    }


def _at(entry: Entry, where: np.ndarray[tuple[int, ...], np.dtype[np.float64]], yaw: float) -> Entry:
    east, north, up = (round(float(x), 3) for x in where)
    return replace(entry, east=east, north=north, up=up, yaw=round(float(yaw) % 360.0, 6))


def import_album(
    folder: str | os.PathLike[str],
    output: str | os.PathLike[str],
    how: str = "link",
    size: tuple[int, int] | None = None,
    quality: int = 92,
    layout: str | None = None,
    world: str | None = None,
    skip_bad: bool = False,
    data: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Makes an album of a folder of pictures: links to them, copies, or with `size` smaller (or larger) copies.

    Every picture is read whole first. A bad one is an error that names its file, or with `skip_bad` left out and
    counted. `world` gives positions and yaws, and what is no place of it is bad.
    """
    source, target = Path(folder), Path(output)
    if how not in HOW:
        raise unknown("way to import", how, HOW)
    if size is not None:
        check_size(size, source)
    if (source / ABOUT).exists():
        raise InputError("a folder of pictures", "an album", file=str(folder), hint="Open it as it is.")
    if target.resolve().is_relative_to(source.resolve()):
        raise InputError("an album outside the folder of pictures", "one inside", file=str(target))
    found = found_in(source, layout)
    graph = None if world in (None, REFER360) else open_world(world, data)
    entries, strangers = list(found.entries), []
    if graph is not None:
        strangers = [_row(entry, f"is no place of {graph.name}") for entry in entries if entry.id not in graph.index]
        if strangers and not skip_bad:
            raise InputError(
                f"pictures of places of {graph.name}",
                shown(strangers[0]["id"]),
                file=str(source / strangers[0]["file"]),
            )
        known = [(entry, graph.index[entry.id]) for entry in entries if entry.id in graph.index]
        entries = [_at(entry, graph.positions[k], graph.yaw[k]) for entry, k in known]
    with only_writer(target):
        claim(target, About(world or found.world, size=size, quality=quality if size else None, source=found.layout))
        (target / RGB).mkdir(exist_ok=True)
        names = {Path(name).stem: name for name in present(target, (RGB,))[RGB]}
        work = _Import(source, target, how, size, quality, names)
        kept, rows, noted, written = [], list(strangers), [], 0
        for k, (entry, problem, notes, new) in enumerate(work.all(entries)):
            if problem is not None and not skip_bad:
                raise problem
            if problem is not None:
                rows.append(_row(entry, str(replace(problem, file=""))))
            else:
                kept.append(entry)
                noted += [_row(entry, note) for note in notes]
                written += new
            if progress:
                progress("pictures", k + 1, len(entries))
        write_places(target, kept)
    without = 0 if graph is None else len(graph) - len(kept)
    return Imported(len(kept), written, len(kept) - written, tuple(rows), tuple(noted), found.others, without)


def _row(entry: Entry, problem: str) -> dict[str, str]:
    return {"id": entry.id, "file": entry.file, "problem": problem}


@dataclass(frozen=True)
class _Import:
    source: Path
    target: Path
    how: str
    size: tuple[int, int] | None
    quality: int
    there: dict[str, str]

    def all(self, entries: list[Entry]) -> Iterator[tuple[Entry, InputError | None, tuple[str, ...], bool]]:
        with ThreadPoolExecutor(cores()) as pool:
            try:
                yield from pool.map(self.one, entries)
            finally:
                pool.shutdown(cancel_futures=True)

    def one(self, entry: Entry) -> tuple[Entry, InputError | None, tuple[str, ...], bool]:
        """The entry as it is in the album, what is wrong with the picture, what was done to it, and if it is new."""
        stem = file_name(entry.id)
        if stem in self.there:
            return replace(entry, file=f"{RGB}/{self.there[stem]}"), None, (), False
        path = self.source / entry.file
        try:
            read = read_picture(path)
        except InputError as error:
            return entry, error, (), False
        name = f"{stem}.{'jpg' if self.size else read.ending}"
        to = self.target / RGB / name
        if self.size is not None:
            self._write(to, compressed(resized(read.rgb, self.size), "jpg", self.quality))
        elif self.how == "copy":
            self._write(to, path.read_bytes())
        else:
            draft = to.with_name(f".{name}.{secrets.token_hex(4)}.part")
            draft.symlink_to(path.resolve())
            draft.replace(to)
        return replace(entry, file=f"{RGB}/{name}"), None, read.notes, True

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        with atomic_write(path, "wb") as stream:
            stream.write(content)


def resized(
    rgb: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], size: tuple[int, int]
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A panorama in another size, its pixels averaged where it becomes smaller."""
    import cv2

    smaller = size[0] < rgb.shape[1]
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR), np.uint8)
