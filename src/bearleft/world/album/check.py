"""Whether every picture of an album is there, whole, and as the album says."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from bearleft.errors import InputError
from bearleft.runtime.compiled import cores
from bearleft.types import Progress
from bearleft.world.album.album import Album
from bearleft.world.album.files import read_channel, read_picture
from bearleft.world.album.layout import ABOUT, RGB, Entry, present

MISSING = "is missing"
SIZES = 5  # named in a summary


@dataclass(frozen=True)
class Checked:
    """A row that counts, rows for what is missing or bad, and rows for what is converted whenever it is read."""

    summary: dict[str, Any]
    problems: tuple[dict[str, Any], ...]
    notes: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class _Seen:
    rows: list[dict[str, Any]]
    notes: list[dict[str, Any]]
    sizes: list[str]  # of each file that could be read
    files: int
    bytes: int


def check_album(folder: str | os.PathLike[str], progress: Progress | None = None) -> Checked:
    """Reads every file of an album whole."""
    album = Album.open(folder)
    seen: list[_Seen] = []
    with ThreadPoolExecutor(cores()) as pool:
        for one in pool.map(lambda entry: _look(album, entry), album.places):
            seen.append(one)
            if progress:
                progress("places", len(seen), len(album))
    problems = [row for one in seen for row in one.rows]
    sizes = Counter(size for one in seen for size in one.sizes).most_common()
    more = [f"{len(sizes) - SIZES} more sizes"] if len(sizes) > SIZES else []
    summary = {
        "world": album.world,
        "places": len(album),
        "channels": ",".join(album.about.channels),
        "files": sum(one.files for one in seen),
        "missing": sum(row["problem"] == MISSING for row in problems),
        "bad": sum(row["problem"] != MISSING for row in problems),
        "converted": sum(len(one.notes) for one in seen),
        "strangers": _strangers(album),
        "sizes": ", ".join([f"{size}: {count}" for size, count in sizes[:SIZES]] + more),
        "bytes": sum(one.bytes for one in seen),
    }
    return Checked(summary, tuple(problems), tuple(note for one in seen for note in one.notes))


def _look(album: Album, entry: Entry) -> _Seen:
    rows, notes, sizes, files, total = [], [], [], 0, 0
    for channel in album.about.channels:
        path = entry.path(album.folder, channel)
        row = {"id": entry.id, "channel": channel, "file": path.relative_to(album.folder).as_posix()}
        if not path.exists():
            rows.append(row | {"problem": "is a link to nothing" if path.is_symlink() else MISSING})
            continue
        files += 1
        total += path.stat().st_size
        try:
            if channel == RGB:
                read = read_picture(path)
                height, width = read.rgb.shape[:2]
                notes += [row | {"file": entry.origin or row["file"], "problem": note} for note in read.notes]
            else:
                height, width = read_channel(path, channel).shape[:2]
        except InputError as error:
            rows.append(row | {"problem": str(replace(error, file=""))})
            continue
        sizes.append(f"{width}x{height}")
        if (width, height) != (album.about.size or (width, height)):
            rows.append(row | {"problem": f"is {width} x {height}, not {album.about.size[0]} x {album.about.size[1]}"})  # type: ignore[index]
    return _Seen(rows, notes, sizes, files, total)


def _strangers(album: Album) -> int:
    """Files in the channels' folders that no place has."""
    if not (album.folder / ABOUT).exists():
        return 0
    there = present(album.folder, album.about.channels)
    known = {one: {entry.path(album.folder, one).name for entry in album.places} for one in there}
    return sum(len({name for name in there[one] - known[one] if not name.startswith(".")}) for one in there)
