"""Layout of an album's folder: `album.json` describes the album, `places.jsonl` lists the panoramas.

album.json     world, plan, size, channels and their units, light
places.jsonl   one line per place: id, east, north, up (metres, of the camera), yaw (degrees), file
rgb/ID.jpg     colours (or .png)
depth/ID.png, instances/ID.png, classes/ID.png, parts/ID.png
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bearleft.errors import InputError, format_value
from bearleft.runtime import store
from bearleft.runtime.json_fields import Fields, Json, nonempty_text, number
from bearleft.runtime.store import atomic_write, existing_file, write_text
from bearleft.version import VERSION

FORMAT = 1
INFO_FILE, PLACES_FILE, RGB = "album.json", "places.jsonl", "rgb"
MAX_FILE_NAME = 180  # characters of a file name without its suffix
UNITS = {
    "rgb": "sRGB, 8 bits",
    "depth": "16 bits: centimetres along the ray, 0 for sky, 65535 for 655.35 m and more",
    "instances": "24 bits (65536 R + 256 G + B): 0 the ground, k + 1 thing k of the plan, 16777215 the sky",
    "classes": "8 bits: a number into `classes`",
    "parts": "24 bits: B the part's number, G a window's column from 1, R its floor from 1; 0 for none",
}
CHANNELS = tuple(UNITS)


@dataclass(frozen=True)
class AlbumInfo:
    """What an album holds. Photographs have no plan, light or samples; `size` is None where sizes differ."""

    world: str | None = None
    channels: tuple[str, ...] = (RGB,)
    size: tuple[int, int] | None = None
    picture: str = "jpg"
    quality: int | None = None
    seed: int | None = None
    plan: str | None = None
    light: dict[str, float] | None = None
    samples: int | None = None
    shadows: bool | None = None
    device: str | None = None
    classes: tuple[str, ...] = ()
    source: str | None = None  # "plain", "sun360", "streetlearn": the layout of imported pictures
    folder: str | None = None  # of imported pictures
    version: str = VERSION
    yaw: float | None = None  # heading in the middle of all pictures; None if each place has its own

    def to_json(self) -> dict[str, Json]:
        """Return the contents of album.json."""
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        units = {channel: UNITS[channel] for channel in self.channels}
        return (
            {"album": FORMAT} | {name: value for name, value in values.items() if value is not None} | {"units": units}
        )

    @classmethod
    def from_json(cls, value: Json) -> AlbumInfo:
        """Parse the contents of album.json."""
        row = Fields(value)
        if row.integer("album") != FORMAT:
            raise InputError(f"an album of format {FORMAT}", format_value(row["album"]), "album")
        values: dict[str, Any] = {field.name: value[field.name] for field in fields(cls) if field.name in value}
        channels = tuple(row.items("channels", nonempty=True))
        if unknown_channels := [channel for channel in channels if channel not in CHANNELS]:
            raise InputError(f"channels among {', '.join(CHANNELS)}", format_value(unknown_channels[0]), "channels")
        if "size" in values:
            width, height = (int(number(side, "size", 1)) for side in row.items("size", 2))
            values["size"] = width, height
        if "yaw" in values:
            values["yaw"] = row.number("yaw")
        for name in ("world", "folder"):
            if name in values:
                values[name] = row.nonempty_text(name)
        return cls(**values | {"channels": channels, "classes": tuple(values.get("classes", ()))})


@dataclass(frozen=True)
class Entry:
    """A place of an album: the camera's position, the heading at the picture's centre, and the file of colours.

    `file` is relative to the album's folder; other channels have files of the same name in their own folders. For an
    imported picture, `origin` is its path in the source folder, `sha256` its hash, and `notes` the conversions.
    """

    id: str
    file: str
    east: float | None = None
    north: float | None = None
    up: float | None = None
    yaw: float = 0.0
    category: str | None = None
    origin: str | None = None
    sha256: str | None = None
    notes: tuple[str, ...] = ()

    def path(self, folder: Path, channel: str = RGB) -> Path:
        """Return the file of a channel."""
        if channel == RGB:
            return folder / self.file
        return folder / channel / f"{Path(self.file).name.rpartition('.')[0]}.png"

    def to_json(self) -> dict[str, Json]:
        """Return a line of places.jsonl."""
        values: dict[str, Json] = {
            "id": self.id,
            "east": self.east,
            "north": self.north,
            "up": self.up,
            "yaw": self.yaw,
        }
        values |= {"file": self.file, "category": self.category, "origin": self.origin, "sha256": self.sha256}
        values["notes"] = list(self.notes) or None
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_json(cls, value: Json) -> Entry:
        """Parse a line of places.jsonl."""
        row = Fields(value)
        file = nonempty_text(row["file"], "file")
        if Path(file).is_absolute() or ".." in Path(file).parts:
            raise InputError("a file within the album", format_value(file), "file")
        east, north, up = (row.number(axis) if axis in row else None for axis in ("east", "north", "up"))
        category, origin, sha256 = (
            row.text(name) if name in row else None for name in ("category", "origin", "sha256")
        )
        notes = tuple(nonempty_text(note, "notes") for note in row.items("notes")) if "notes" in row else ()
        return cls(row.nonempty_text("id"), file, east, north, up, row.number("yaw"), category, origin, sha256, notes)


def file_name(place: str) -> str:
    """Return a place's id as a file name; different ids never share one.

    Letters, digits, "-", "_", "." and "~" stand for themselves, all else is percent-encoded.
    """
    name = quote(place, safe="")
    name = re.sub(r"^\.", "%2E", name) or "%"
    if len(name) > MAX_FILE_NAME:
        name = f"{name[: MAX_FILE_NAME - 20]}%{hashlib.sha256(place.encode()).hexdigest()[:16]}"
    return name


def read_info(folder: Path) -> AlbumInfo:
    """Read album.json of the album in a folder."""
    path = existing_file(folder / INFO_FILE, "an album's album.json")
    try:
        return AlbumInfo.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, RecursionError, TypeError, AttributeError) as error:
        raise InputError("an album's album.json", format_value(str(error)), file=str(path)) from None
    except InputError as error:
        raise error.at(file=str(path)) from None


def read_places(folder: Path) -> tuple[Entry, ...]:
    """Read the places of the album in a folder, in order."""
    path = existing_file(folder / PLACES_FILE, "an album's places.jsonl")
    entries: dict[str, Entry] = {}
    line = 0
    try:
        with open(path, encoding="utf-8") as stream:
            for row in stream:
                line += 1
                entry = Entry.from_json(json.loads(row))
                if entry.id in entries:
                    raise InputError("each place once", f"{format_value(entry.id)} again", "id")
                entries[entry.id] = entry
    except (ValueError, RecursionError) as error:
        raise InputError("a place as a JSON object", format_value(str(error)), file=str(path), line=line or 1) from None
    except InputError as error:
        raise error.at(file=str(path), line=line) from None
    return tuple(entries.values())


def write_places(folder: Path, entries: Sequence[Entry]) -> None:
    """Write places.jsonl atomically."""
    lines = [json.dumps(entry.to_json(), ensure_ascii=False) + "\n" for entry in entries]
    with atomic_write(folder / PLACES_FILE) as stream:
        stream.writelines(lines)


def claim_folder(folder: Path, about: AlbumInfo) -> None:
    """Start an album in a folder, or raise InputError if it holds another album or anything else."""
    if folder.exists() and not folder.is_dir():
        raise InputError("a folder for an album", "a file", file=str(folder))
    if not (folder / INFO_FILE).exists():
        if folder.is_dir() and any(not path.name.startswith(".") for path in folder.iterdir()):
            hint = "Name an empty folder, or one that does not exist."
            raise InputError("a folder for an album", "one with something else in it", file=str(folder), hint=hint)
        write_text(folder / INFO_FILE, json.dumps(about.to_json(), indent=1, ensure_ascii=False) + "\n")
        return
    stored, expected = read_info(folder).to_json(), json.loads(json.dumps(about.to_json()))
    for name in expected | stored:
        if stored.get(name) != expected.get(name):
            got = f"one whose {name} is {format_value(stored.get(name))}, not {format_value(expected.get(name))}"
            hint = "Name another folder, or ask for what this one holds."
            raise InputError("the album that was begun there", got, file=str(folder), hint=hint)


def exclusive_writer(folder: Path) -> AbstractContextManager[None]:
    """Raise InputError if another process writes this album; remove what a killed writer left unfinished."""
    for channel in CHANNELS:
        if (folder / channel).is_symlink():
            got, hint = "a link to another one", "Link to the whole album instead."
            raise InputError("a folder within the album", got, file=str(folder / channel), hint=hint)
    return store.exclusive_writer(folder, "an album", ("", *CHANNELS))


def present_files(folder: Path, channels: Sequence[str]) -> dict[str, set[str]]:
    """Return the names of existing files, by channel."""
    return {
        channel: set(os.listdir(folder / channel)) if (folder / channel).is_dir() else set() for channel in channels
    }
