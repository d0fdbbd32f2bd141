"""Albums opened for reading: panoramas by index or place id."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value, suggest_name
from bearleft.runtime.json_fields import is_integer
from bearleft.world.album.files import read_channel
from bearleft.world.album.importers import find_pictures_in
from bearleft.world.album.layout import INFO_FILE, RGB, AlbumInfo, Entry, read_info, read_places
from bearleft.world.album.views import Sphere
from bearleft.world.rooms.shell import DEFAULT_ROOMS

Array = npt.NDArray[Any]
DEFAULT_ROOMS_WORLD = re.compile(rf"^(rooms/[0-9]+)/{DEFAULT_ROOMS}$")


class Album(Sequence[dict[str, Any]]):
    """A sequence of panoramas. `album[k]` and `album[id]` are items: id, position, yaw, and an array for each channel.

    Items hold only arrays, numbers and texts, so a torch DataLoader accepts an album; files are read on access. A slice
    is an album of fewer places.
    """

    def __init__(self, folder: Path, about: AlbumInfo, places: Sequence[Entry], read: Sequence[str] = (RGB,)) -> None:
        self.folder, self.about, self.places, self.read = folder, about, tuple(places), tuple(read)
        for channel in self.read:
            self._check(channel)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], read: Sequence[str] | None = None) -> Album:
        """Open the album in a folder, or the pictures of a folder without album.json (see `find_pictures_in`).

        `read` are the channels of items; by default colours where available.
        """
        folder = Path(folder)
        if not folder.is_dir():
            got = "a file" if folder.exists() else "nothing there"
            raise InputError("a folder of panoramas", got, file=str(folder))
        if (folder / INFO_FILE).exists():
            about, places = read_info(folder), read_places(folder)
        else:
            pictures = find_pictures_in(folder)
            about, places = AlbumInfo(pictures.world, source=pictures.layout), pictures.entries
        default_channels = (RGB,) if RGB in about.channels else about.channels[:1]
        return cls(folder, about, places, default_channels if read is None else read)

    def __len__(self) -> int:
        return len(self.places)

    def __repr__(self) -> str:
        return (
            f"Album({str(self.folder)!r}, {len(self):,} places of {self.about.world}, {', '.join(self.about.channels)})"
        )

    @property
    def world(self) -> str | None:
        """Return the world of these places; None if unknown."""
        return self.about.world

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the places, in order."""
        return tuple(entry.id for entry in self.places)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Return the index of each place."""
        return {entry.id: k for k, entry in enumerate(self.places)}

    def __contains__(self, place: object) -> bool:
        return place in self.numbers

    def entry(self, place: int | str) -> Entry:
        """Return the entry of a place, by index or id."""
        if isinstance(place, str):
            if place not in self.numbers:
                raise InputError(
                    "a place of the album", format_value(place), file=str(self.folder), hint=self._nearest_hint(place)
                )
            return self.places[self.numbers[place]]
        if not is_integer(place):
            raise InputError("a place by its number or id", format_value(place))
        return self.places[place]

    def _nearest_hint(self, place: str) -> str:
        return f"It has {len(self):,} places. {suggest_name(place, self.ids[:2000])}".strip()

    @overload
    def __getitem__(self, place: int | str) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> Album: ...
    def __getitem__(self, place: int | str | slice) -> dict[str, Any] | Album:
        if isinstance(place, slice):
            return Album(self.folder, self.about, self.places[place], self.read)
        entry = self.entry(place)
        position = [np.nan if x is None else x for x in (entry.east, entry.north, entry.up)]
        item: dict[str, Any] = {"id": entry.id, "position": np.array(position), "yaw": entry.yaw}
        return item | {channel: self.channel(place, channel) for channel in self.read}

    def channel(self, place: int | str, channel: str) -> Array:
        """Return one channel of a place's panorama, or raise InputError if its file is missing or unreadable."""
        self._check(channel)
        return read_channel(self.entry(place).path(self.folder, channel), channel)

    def _check(self, channel: str) -> None:
        if channel not in self.about.channels:
            got = f"one with {', '.join(self.about.channels)}"
            raise InputError(f"an album with the channel {format_value(channel)}", got, file=str(self.folder))

    def rgb(self, place: int | str) -> npt.NDArray[np.uint8]:
        """Return colours (height, width, 3)."""
        return self.channel(place, "rgb")

    def depth(self, place: int | str) -> npt.NDArray[np.float32]:
        """Return metres along the ray, rounded to centimetres; infinite for sky."""
        return self.channel(place, "depth")

    def instances(self, place: int | str) -> npt.NDArray[np.int32]:
        """Return -1 for sky, 0 for the ground, else an object's number plus 1."""
        return self.channel(place, "instances")

    def classes(self, place: int | str) -> npt.NDArray[np.uint8]:
        """Return indices into `about.classes`."""
        return self.channel(place, "classes")

    def parts(self, place: int | str) -> npt.NDArray[np.int32]:
        """Return a part's number, a window's column (from 1) in the next 8 bits, its floor (from 1) in the 8 above."""
        return self.channel(place, "parts")

    def sphere(self, place: int | str, channel: str = RGB) -> Sphere:
        """Return a place's panorama to cut views from."""
        return Sphere(self.channel(place, channel), self.entry(place).yaw, smooth=channel == RGB)

    def fits(self, world: str) -> bool:
        """Return whether this is an album of a world, or of the same rooms in another number."""
        return self.world is not None and _without_room_count(self.world) == _without_room_count(world)

    def of(self, world: str) -> Album:
        """Return this album for a world, or raise InputError if it belongs to another.

        Worlds of rooms with one seed have the same rooms, whatever their number, at other positions and with other
        instance numbers; so from an album with another number of rooms only the colours are used.
        """
        if self.world is not None and not self.fits(world):
            got = f"one of {self.world}"
            raise InputError(f"an album of the world {world}", got, file=str(self.folder))
        if self.world is None or DEFAULT_ROOMS_WORLD.sub(r"\1", self.world) == DEFAULT_ROOMS_WORLD.sub(r"\1", world):
            return Album(self.folder, replace(self.about, world=world), self.places, self.read)
        self._check(RGB)
        places = [replace(entry, east=None, north=None, up=None) for entry in self.places]
        return Album(self.folder, replace(self.about, world=world, channels=(RGB,), classes=()), places)


def _without_room_count(world: str) -> str:
    """Return a world's name; for rooms, without their number."""
    return re.sub(r"^(rooms/[0-9]+)/[0-9]+$", r"\1", world)


def find_album(world: str, albums: Sequence[Album]) -> Album | None:
    """Return the album of a world among several, else one of unknown world; None without either."""
    matching = [album for album in albums if album.fits(world)] or [album for album in albums if album.world is None]
    if len(matching) > 1:
        hint = (
            "" if matching[0].world else f"Say which is: bearleft album import FOLDER -o ALBUM --world {quote(world)}"
        )
        raise InputError(f"one album of the world {world}", f"{len(matching)}", "pictures", hint=hint)
    return matching[0] if matching else None


def open_albums(folders: Iterable[str | os.PathLike[str]]) -> list[Album]:
    """Open the albums of folders; a folder that holds albums, as a generated dataset's does, stands for all of them."""
    albums = []
    for folder in folders:
        inner = [] if (Path(folder) / INFO_FILE).exists() else sorted(Path(folder).glob(f"*/{INFO_FILE}"))
        albums += [Album.open(path.parent) for path in inner] or [Album.open(folder)]
    return albums
