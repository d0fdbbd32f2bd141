"""Check that every picture of an album is present, complete, and as the album says."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from bearleft.errors import InputError
from bearleft.runtime.compiled import num_threads
from bearleft.types import Progress
from bearleft.world.album.album import Album
from bearleft.world.album.files import read_channel, read_picture
from bearleft.world.album.layout import INFO_FILE, RGB, Entry, present_files

MISSING = "is missing"
MAX_SIZES_NAMED = 5  # in a summary


@dataclass(frozen=True)
class CheckResult:
    """A summary row, rows for missing or bad files, and rows for files that are converted when read."""

    summary: dict[str, Any]
    problems: tuple[dict[str, Any], ...]
    notes: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class _PlaceResult:
    rows: list[dict[str, Any]]
    notes: list[dict[str, Any]]
    sizes: list[str]  # of each file that could be read
    files: int
    bytes: int


def check_album(folder: str | os.PathLike[str], progress: Progress | None = None) -> CheckResult:
    """Read every file of an album completely."""
    album = Album.open(folder)
    results: list[_PlaceResult] = []
    with ThreadPoolExecutor(num_threads()) as pool:
        for result in pool.map(lambda entry: _check_place(album, entry), album.places):
            results.append(result)
            if progress:
                progress("places", len(results), len(album))
    problems = [row for result in results for row in result.rows]
    sizes = Counter(size for result in results for size in result.sizes).most_common()
    more = [f"{len(sizes) - MAX_SIZES_NAMED} more sizes"] if len(sizes) > MAX_SIZES_NAMED else []
    summary = {
        "world": album.world,
        "places": len(album),
        "channels": ",".join(album.about.channels),
        "files": sum(result.files for result in results),
        "missing": sum(row["problem"] == MISSING for row in problems),
        "bad": sum(row["problem"] != MISSING for row in problems),
        "converted": sum(len(result.notes) for result in results),
        "strangers": _count_unknown_files(album),
        "sizes": ", ".join([f"{size}: {count}" for size, count in sizes[:MAX_SIZES_NAMED]] + more),
        "bytes": sum(result.bytes for result in results),
    }
    return CheckResult(summary, tuple(problems), tuple(note for result in results for note in result.notes))


def _check_place(album: Album, entry: Entry) -> _PlaceResult:
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
                picture_read = read_picture(path)
                height, width = picture_read.rgb.shape[:2]
                notes += [row | {"file": entry.origin or row["file"], "problem": note} for note in picture_read.notes]
            else:
                height, width = read_channel(path, channel).shape[:2]
        except InputError as error:
            rows.append(row | {"problem": str(replace(error, file=""))})
            continue
        sizes.append(f"{width}x{height}")
        if (width, height) != (album.about.size or (width, height)):
            rows.append(row | {"problem": f"is {width} x {height}, not {album.about.size[0]} x {album.about.size[1]}"})  # type: ignore[index]
    return _PlaceResult(rows, notes, sizes, files, total)


def _count_unknown_files(album: Album) -> int:
    """Count files in the channels' folders that belong to no place."""
    if not (album.folder / INFO_FILE).exists():
        return 0
    existing = present_files(album.folder, album.about.channels)
    expected_files = {
        channel: {entry.path(album.folder, channel).name for entry in album.places} for channel in existing
    }
    return sum(
        len({name for name in existing[channel] - expected_files[channel] if not name.startswith(".")})
        for channel in existing
    )
