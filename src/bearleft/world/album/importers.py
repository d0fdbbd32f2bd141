"""Pictures that others' cameras took: folders of SUN360, of StreetLearn, or of anything, found and imported.

SUN360 keeps `indoor/restaurant/pano_apqqbmmivfquan.jpg`; Refer360 names that place `apqqbmmivfquan`. StreetLearn names
its pictures by the panorama's id of 22 letters, with `nodes.txt` (panoid, yaw, lat, lng) beside them.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import numpy as np

from bearleft.errors import InputError, shown, unknown
from bearleft.geometry import metres
from bearleft.runtime.compiled import cores
from bearleft.runtime.store import atomic_write, existing_file, sha256
from bearleft.types import Progress
from bearleft.world.album.files import READ, check_quality, compressed, read_picture
from bearleft.world.album.layout import (
    ABOUT,
    PLACES,
    RGB,
    About,
    Entry,
    claim,
    file_name,
    only_writer,
    read_about,
    read_places,
    write_places,
)
from bearleft.world.graphs.touchdown import LINKS_FILE, NODES_FILE, read_nodes
from bearleft.world.render.camera import panorama
from bearleft.world.worlds import open_world, world_kind

LAYOUTS = ("plain", "sun360", "streetlearn")
SUN360, REFER360 = "pano_", "refer360"
PANOID = re.compile(r"[A-Za-z0-9_-]{22}")
HOW = ("link", "copy")
SKIP = "`bearleft album import --skip-bad` leaves bad pictures out."
FIRST = "`bearleft album import --skip-bad` keeps the first."
OFTEN = 200  # pictures between two notes of how far an import has come


@dataclass(frozen=True)
class Found:
    """The pictures of a folder as places; `others` counts files that are no pictures by their names."""

    layout: str
    world: str | None
    entries: tuple[Entry, ...]
    others: int
    bad: tuple[dict[str, str], ...] = ()  # files that can be no places


@dataclass(frozen=True)
class Imported:
    """What became of each picture: rows for those that were left out and for those that needed something done.

    `changed` are files that were imported before and hold something else since; they are among the written.
    """

    places: int
    written: int
    there: int
    changed: tuple[str, ...]
    left_out: tuple[dict[str, str], ...]
    noted: tuple[dict[str, str], ...]
    others: int
    without: int  # places of the world that no picture shows


def found_in(folder: str | os.PathLike[str], layout: str | None = None, skip_bad: bool = False) -> Found:
    """The pictures of a folder and those inside it, in the layout named or the one it seems to have.

    A second picture of a place and a name that is not UTF-8 are errors, or with `skip_bad` left out.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("a folder of panoramas", "a file" if folder.exists() else "nothing there", file=str(folder))
    if layout is not None and layout not in LAYOUTS:
        raise unknown("layout", layout, LAYOUTS)
    files, others = _files(folder)
    bad = []
    for file in [file for file in files if printable(file) != file]:
        if not skip_bad:
            raise InputError("a name in UTF-8", "another", file=printable(folder / file), hint=f"Rename it. {SKIP}")
        files.remove(file)
        bad.append({"id": "", "file": printable(file), "problem": "has a name that is not UTF-8"})
    if not files:
        endings = ", ".join(sorted(READ))
        raise InputError(f"a folder with pictures ({endings})", f"{others + len(bad)} other files", file=str(folder))
    stems = [PurePosixPath(file).stem for file in files]
    if layout is None:
        layout = "plain"
        if all(stem.startswith(SUN360) for stem in stems):
            layout = "sun360"
        elif (folder / NODES_FILE).is_file() or all(PANOID.fullmatch(stem) for stem in stems):
            layout = "streetlearn"
    entries: dict[str, Entry] = {}
    for file in files:
        entry = _entry(file, layout)
        if entry.id not in entries:
            entries[entry.id] = entry
        elif skip_bad:
            bad.append(_row(entry, f"is another picture of {shown(entry.id)} beside {entries[entry.id].file}"))
        else:
            got, hint = f"{entries[entry.id].file} and {file}", f"Rename or remove one of them. {FIRST}"
            raise InputError(f"one picture of {shown(entry.id)}", got, file=str(folder), hint=hint)
    if layout == "streetlearn" and (folder / NODES_FILE).is_file():
        entries = _placed(entries, folder / NODES_FILE)
    world = REFER360 if layout == "sun360" else None
    return Found(layout, world, tuple(entries.values()), others, tuple(bad))


def printable(path: str | os.PathLike[str]) -> str:
    """A path with bytes that are no UTF-8 escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _files(folder: Path) -> tuple[list[str], int]:
    """Pictures by their paths within the folder, sorted, and how many other files there are; hidden ones are passed."""
    found, others = [], 0
    for top, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in names:
            if name.startswith(".") or name in (NODES_FILE, LINKS_FILE):
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
    check_quality(quality)
    if size is not None and panorama(*size).width != 2 * size[1]:
        raise InputError("a size twice as wide as high", f"{size[0]} x {size[1]}", "size")
    if (source / ABOUT).exists():
        raise InputError("a folder of pictures", "an album", file=str(folder), hint="Open it as it is.")
    if target.resolve().is_relative_to(source.resolve()):
        raise InputError("an album outside the folder of pictures", "one inside", file=str(target))
    found = found_in(source, layout, skip_bad)
    graph = None if world is None or not world_kind(world).has_graph else open_world(world, data)
    entries, rows = list(found.entries), list(found.bad)
    if graph is not None:
        strangers = [_row(entry, f"is no place of {graph.name}") for entry in entries if entry.id not in graph.index]
        if strangers and not skip_bad:
            file = str(source / strangers[0]["file"])
            raise InputError(f"pictures of places of {graph.name}", shown(strangers[0]["id"]), file=file, hint=SKIP)
        rows += strangers
        known = [(entry, graph.index[entry.id]) for entry in entries if entry.id in graph.index]
        entries = [_at(entry, graph.positions[k], graph.yaw[k]) for entry, k in known]
    origin = printable(source.resolve())
    about = About(
        world or found.world, size=size, quality=quality if size else None, source=found.layout, folder=origin
    )
    with only_writer(target):
        before = _before(target, about)
        (target / RGB).mkdir(exist_ok=True)
        work = _Import(source, target, how, size, quality, before)
        kept: dict[str, Entry] = {}
        written, changed = 0, []
        try:
            for k, done in enumerate(work.all(entries)):
                if done.problem is not None and not skip_bad:
                    raise replace(done.problem, hint=f"{done.problem.hint} {SKIP}".strip())
                if done.problem is not None:
                    rows.append(_row(entries[k], str(replace(done.problem, file=""))))
                else:
                    kept[done.entry.id] = done.entry
                    written += done.new
                    changed += [entries[k].file] if done.changed else []
                if k % OFTEN == OFTEN - 1:
                    write_places(target, list((before | kept).values()))
                if progress:
                    progress("pictures", k + 1, len(entries))
        except BaseException:
            write_places(target, list((before | kept).values()))
            raise
        write_places(target, list(kept.values()))
    noted = tuple(_row(replace(one, file=one.origin or one.file), note) for one in kept.values() for note in one.notes)
    without = 0 if graph is None else len(graph) - len(kept)
    return Imported(len(kept), written, len(kept) - written, tuple(changed), tuple(rows), noted, found.others, without)


def _before(target: Path, about: About) -> dict[str, Entry]:
    """What an album holds of the same folder's pictures; an error where it holds another's."""
    if (target / ABOUT).exists() and (there := read_about(target).folder) not in (None, about.folder):
        hint = "Name another folder for the album of these."
        raise InputError(
            f"pictures from {there}, with which the album was begun",
            f"those of {about.folder}",
            file=str(target),
            hint=hint,
        )
    claim(target, about)
    return {entry.id: entry for entry in read_places(target)} if (target / PLACES).exists() else {}


def _row(entry: Entry, problem: str) -> dict[str, str]:
    return {"id": entry.id, "file": entry.file, "problem": problem}


@dataclass(frozen=True)
class _Done:
    """An entry as it is in the album, what is wrong with the picture, if it was written, and if it had changed."""

    entry: Entry
    problem: InputError | None = None
    new: bool = False
    changed: bool = False


@dataclass(frozen=True)
class _Import:
    source: Path
    target: Path
    how: str
    size: tuple[int, int] | None
    quality: int
    before: dict[str, Entry]

    def all(self, entries: list[Entry]) -> Iterator[_Done]:
        with ThreadPoolExecutor(cores()) as pool:
            try:
                yield from pool.map(self.one, entries)
            finally:
                pool.shutdown(cancel_futures=True)

    def one(self, entry: Entry) -> _Done:
        """Brings a picture into the album, where it is not there yet as it is now."""
        path, old = self.source / entry.file, self.before.get(entry.id)
        try:
            hashed = sha256(existing_file(path, "a picture"))
            same = old is not None and (old.origin, old.sha256) == (entry.file, hashed)
            if old is not None and same and self._is_there(self.target / old.file):
                return _Done(replace(entry, file=old.file, origin=old.origin, sha256=hashed, notes=old.notes))
            read = read_picture(path)
        except InputError as error:
            return _Done(entry, error)
        name = f"{file_name(entry.id)}.{'jpg' if self.size else read.ending}"
        to = self.target / RGB / name
        if self.size is not None:
            self._write(to, compressed(resized(read.rgb, self.size), "jpg", self.quality))
        elif self.how == "copy":
            self._write(to, path.read_bytes())
        else:
            draft = to.with_name(f".{name}.{secrets.token_hex(4)}.part")
            draft.symlink_to(path.resolve())
            draft.replace(to)
        if old is not None and old.file != f"{RGB}/{name}":
            (self.target / old.file).unlink(missing_ok=True)
        new = replace(entry, file=f"{RGB}/{name}", origin=entry.file, sha256=hashed, notes=read.notes)
        return _Done(new, None, True, old is not None and not same)

    def _is_there(self, path: Path) -> bool:
        """Whether a picture of the album is there, and no link where a copy is wanted."""
        return path.is_file() and path.stat().st_size > 0 and not (self.how == "copy" and path.is_symlink())

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
