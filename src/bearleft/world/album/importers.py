"""Import of photographed panoramas: folders of SUN360, StreetLearn, or any other pictures.

SUN360 has files such as `indoor/restaurant/pano_apqqbmmivfquan.jpg`; Refer360 names that place `apqqbmmivfquan`.
StreetLearn names pictures by panorama ids of 22 letters, with `nodes.txt` (panoid, yaw, lat, lng) beside them.
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

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.geometry import from_lat_lng
from bearleft.runtime.compiled import num_threads
from bearleft.runtime.store import atomic_write, existing_file, sha256
from bearleft.types import Progress
from bearleft.world.album.files import READABLE_SUFFIXES, check_quality, encode_colours, read_picture
from bearleft.world.album.layout import (
    INFO_FILE,
    PLACES_FILE,
    RGB,
    AlbumInfo,
    Entry,
    claim_folder,
    exclusive_writer,
    file_name,
    read_info,
    read_places,
    write_places,
)
from bearleft.world.graphs.touchdown import LINKS_FILE, NODES_FILE, read_nodes
from bearleft.world.render.camera import panorama
from bearleft.world.worlds import open_world, world_kind

LAYOUTS = ("plain", "sun360", "streetlearn")
SUN360_PREFIX, REFER360 = "pano_", "refer360"
PANOID = re.compile(r"[A-Za-z0-9_-]{22}")
IMPORT_MODES = ("link", "copy")
SKIP_HINT = "`bearleft album import --skip-bad` leaves bad pictures out."
KEEP_FIRST_HINT = "`bearleft album import --skip-bad` keeps the first."
SAVE_EVERY = 200  # pictures between two writes of places.jsonl


@dataclass(frozen=True)
class FolderPictures:
    """The pictures of a folder as places; `others` counts files that are no pictures by name."""

    layout: str
    world: str | None
    entries: tuple[Entry, ...]
    others: int
    bad: tuple[dict[str, str], ...] = ()  # files that cannot be places


@dataclass(frozen=True)
class ImportResult:
    """What became of each picture, with rows for skipped and for converted ones.

    `changed` are files that were imported before and have other contents now; they are among the written.
    """

    places: int
    written: int
    present: int
    changed: tuple[str, ...]
    left_out: tuple[dict[str, str], ...]
    noted: tuple[dict[str, str], ...]
    others: int
    without: int  # places of the world without a picture


def find_pictures_in(
    folder: str | os.PathLike[str], layout: str | None = None, skip_bad: bool = False
) -> FolderPictures:
    """Find the pictures in a folder and its subfolders, in a given layout or the one it seems to have.

    A second picture of a place and a name that is not UTF-8 raise InputError, or are skipped with `skip_bad`.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("a folder of panoramas", "a file" if folder.exists() else "nothing there", file=str(folder))
    if layout is not None and layout not in LAYOUTS:
        raise unknown_name("layout", layout, LAYOUTS)
    files, others = _files(folder)
    bad = []
    for file in [file for file in files if printable(file) != file]:
        if not skip_bad:
            raise InputError(
                "a name in UTF-8", "another", file=printable(folder / file), hint=f"Rename it. {SKIP_HINT}"
            )
        files.remove(file)
        bad.append({"id": "", "file": printable(file), "problem": "has a name that is not UTF-8"})
    if not files:
        endings = ", ".join(sorted(READABLE_SUFFIXES))
        raise InputError(f"a folder with pictures ({endings})", f"{others + len(bad)} other files", file=str(folder))
    stems = [PurePosixPath(file).stem for file in files]
    if layout is None:
        layout = "plain"
        if all(stem.startswith(SUN360_PREFIX) for stem in stems):
            layout = "sun360"
        elif (folder / NODES_FILE).is_file() or all(PANOID.fullmatch(stem) for stem in stems):
            layout = "streetlearn"
    entries: dict[str, Entry] = {}
    for file in files:
        entry = _entry(file, layout)
        if entry.id not in entries:
            entries[entry.id] = entry
        elif skip_bad:
            bad.append(_row(entry, f"is another picture of {format_value(entry.id)} beside {entries[entry.id].file}"))
        else:
            got, hint = f"{entries[entry.id].file} and {file}", f"Rename or remove one of them. {KEEP_FIRST_HINT}"
            raise InputError(f"one picture of {format_value(entry.id)}", got, file=str(folder), hint=hint)
    if layout == "streetlearn" and (folder / NODES_FILE).is_file():
        entries = _with_positions(entries, folder / NODES_FILE)
    world = REFER360 if layout == "sun360" else None
    return FolderPictures(layout, world, tuple(entries.values()), others, tuple(bad))


def printable(path: str | os.PathLike[str]) -> str:
    """Return a path with bytes that are not UTF-8 escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _files(folder: Path) -> tuple[list[str], int]:
    """Return picture paths within the folder, sorted, and the number of other files; hidden files are skipped."""
    pictures, others = [], 0
    for top, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in names:
            if name.startswith(".") or name in (NODES_FILE, LINKS_FILE):
                continue
            if Path(name).suffix.lower() in READABLE_SUFFIXES:
                pictures.append((Path(top) / name).relative_to(folder).as_posix())
            else:
                others += 1
    return sorted(pictures), others


def _entry(file: str, layout: str) -> Entry:
    path = PurePosixPath(file)
    if layout == "plain":
        return Entry(str(path.with_suffix("")), file)
    above = None if path.parent == PurePosixPath(".") else str(path.parent)
    return Entry(path.stem.removeprefix(SUN360_PREFIX) if layout == "sun360" else path.stem, file, category=above)


def _with_positions(entries: dict[str, Entry], nodes: Path) -> dict[str, Entry]:
    """Add position and yaw to the entries that a nodes.txt lists."""
    index, yaw, latitude, longitude = read_nodes(nodes)
    origin = round(float(np.mean(latitude)), 6), round(float(np.mean(longitude)), 6)
    positions = from_lat_lng(latitude, longitude, origin)
    return {
        place: _with_pose(entry, positions[index[place]], yaw[index[place]]) if place in index else entry
        for place, entry in entries.items()
    }


def _with_pose(entry: Entry, position: np.ndarray[tuple[int, ...], np.dtype[np.float64]], yaw: float) -> Entry:
    east, north, up = (round(float(x), 3) for x in position)
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
) -> ImportResult:
    """Make an album from a folder of pictures: links, copies, or resized copies.

    Every picture is read completely first.

    Args:
        folder: the pictures.
        output: the album's folder.
        how: "link" or "copy".
        size: width and height of resized copies.
        quality: JPEG quality of resized copies.
        layout: one of LAYOUTS (default: detected).
        world: gives positions and yaws; pictures of other places are bad.
        skip_bad: skip and count bad pictures instead of raising InputError.
        data: the folder of datasets.
        progress: called with a label, the work done, and all of it.
    """
    source, target = Path(folder), Path(output)
    if how not in IMPORT_MODES:
        raise unknown_name("way to import", how, IMPORT_MODES)
    check_quality(quality)
    if size is not None and panorama(*size).width != 2 * size[1]:
        raise InputError("a size twice as wide as high", f"{size[0]} x {size[1]}", "size")
    if (source / INFO_FILE).exists():
        raise InputError("a folder of pictures", "an album", file=str(folder), hint="Open it as it is.")
    if Path(os.path.realpath(target)).is_relative_to(os.path.realpath(source)):
        raise InputError("an album outside the folder of pictures", "one inside", file=str(target))
    pictures = find_pictures_in(source, layout, skip_bad)
    graph = None if world is None or not world_kind(world).has_graph else open_world(world, data)
    entries, rows = list(pictures.entries), list(pictures.bad)
    if graph is not None:
        unknown_places = [
            _row(entry, f"is no place of {graph.name}") for entry in entries if entry.id not in graph.index_by_id
        ]
        if unknown_places and not skip_bad:
            file = str(source / unknown_places[0]["file"])
            raise InputError(
                f"pictures of places of {graph.name}", format_value(unknown_places[0]["id"]), file=file, hint=SKIP_HINT
            )
        rows += unknown_places
        placed = [(entry, graph.index_by_id[entry.id]) for entry in entries if entry.id in graph.index_by_id]
        entries = [_with_pose(entry, graph.positions[k], graph.yaw[k]) for entry, k in placed]
    origin = printable(source.resolve())
    about = AlbumInfo(
        world or pictures.world, size=size, quality=quality if size else None, source=pictures.layout, folder=origin
    )
    with exclusive_writer(target):
        before = _imported_before(target, about)
        (target / RGB).mkdir(exist_ok=True)
        importer = _Importer(source, target, how, size, quality, before)
        imported: dict[str, Entry] = {}
        written, changed = 0, []
        try:
            for k, result in enumerate(importer.import_all(entries)):
                if result.problem is not None and not skip_bad:
                    raise replace(result.problem, hint=f"{result.problem.hint} {SKIP_HINT}".strip())
                if result.problem is not None:
                    rows.append(_row(entries[k], str(replace(result.problem, file=""))))
                else:
                    imported[result.entry.id] = result.entry
                    written += result.new
                    changed += [entries[k].file] if result.changed else []
                if k % SAVE_EVERY == SAVE_EVERY - 1:
                    write_places(target, list((before | imported).values()))
                if progress:
                    progress("pictures", k + 1, len(entries))
        except BaseException:
            write_places(target, list((before | imported).values()))
            raise
        write_places(target, list(imported.values()))
    noted = tuple(
        _row(replace(entry, file=entry.origin or entry.file), note)
        for entry in imported.values()
        for note in entry.notes
    )
    without = 0 if graph is None else len(graph) - len(imported)
    return ImportResult(
        len(imported), written, len(imported) - written, tuple(changed), tuple(rows), noted, pictures.others, without
    )


def _imported_before(target: Path, about: AlbumInfo) -> dict[str, Entry]:
    """Return the entries of an earlier import from the same folder, or raise InputError for another's."""
    if (target / INFO_FILE).exists() and (stored_folder := read_info(target).folder) not in (None, about.folder):
        hint = "Name another folder for the album of these."
        raise InputError(
            f"pictures from {stored_folder}, with which the album was begun",
            f"those of {about.folder}",
            file=str(target),
            hint=hint,
        )
    claim_folder(target, about)
    return {entry.id: entry for entry in read_places(target)} if (target / PLACES_FILE).exists() else {}


def _row(entry: Entry, problem: str) -> dict[str, str]:
    return {"id": entry.id, "file": entry.file, "problem": problem}


@dataclass(frozen=True)
class _Result:
    """An entry as it is in the album, its picture's problem, whether it was written, and whether it had changed."""

    entry: Entry
    problem: InputError | None = None
    new: bool = False
    changed: bool = False


@dataclass(frozen=True)
class _Importer:
    source: Path
    target: Path
    how: str
    size: tuple[int, int] | None
    quality: int
    before: dict[str, Entry]

    def import_all(self, entries: list[Entry]) -> Iterator[_Result]:
        with ThreadPoolExecutor(num_threads()) as pool:
            try:
                yield from pool.map(self.import_one, entries)
            finally:
                pool.shutdown(cancel_futures=True)

    def import_one(self, entry: Entry) -> _Result:
        """Import one picture, unless it is present and unchanged."""
        path, previous = self.source / entry.file, self.before.get(entry.id)
        try:
            file_hash = sha256(existing_file(path, "a picture"))
            unchanged = previous is not None and (previous.origin, previous.sha256) == (entry.file, file_hash)
            if previous is not None and unchanged and self._is_there(self.target / previous.file):
                return _Result(
                    replace(entry, file=previous.file, origin=previous.origin, sha256=file_hash, notes=previous.notes)
                )
            picture = read_picture(path)
        except InputError as error:
            return _Result(entry, error)
        name = f"{file_name(entry.id)}.{'jpg' if self.size else picture.suffix}"
        target_path = self.target / RGB / name
        if self.size is not None:
            self._write(target_path, encode_colours(resize(picture.rgb, self.size), "jpg", self.quality))
        elif self.how == "copy":
            self._write(target_path, path.read_bytes())
        else:
            draft = target_path.with_name(f".{name}.{secrets.token_hex(4)}.part")
            draft.symlink_to(path.resolve())
            draft.replace(target_path)
        if previous is not None and previous.file != f"{RGB}/{name}":
            (self.target / previous.file).unlink(missing_ok=True)
        new = replace(entry, file=f"{RGB}/{name}", origin=entry.file, sha256=file_hash, notes=picture.notes)
        return _Result(new, None, True, previous is not None and not unchanged)

    def _is_there(self, path: Path) -> bool:
        """Return whether a picture of the album exists, and is no link where a copy is required."""
        return path.is_file() and path.stat().st_size > 0 and not (self.how == "copy" and path.is_symlink())

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        with atomic_write(path, "wb") as stream:
            stream.write(content)


def resize(
    rgb: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], size: tuple[int, int]
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return a panorama in another size, averaging pixels where it shrinks."""
    import cv2

    smaller = size[0] < rgb.shape[1]
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR), np.uint8)
