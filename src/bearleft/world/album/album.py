"""An album opened: a sequence of panoramas, by number or by the place's id."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, nearest, shown
from bearleft.runtime.json_fields import is_whole
from bearleft.world.album.files import read_channel
from bearleft.world.album.importers import found_in
from bearleft.world.album.layout import ABOUT, RGB, About, Entry, read_about, read_places
from bearleft.world.album.views import Sphere
from bearleft.world.rooms.shell import DEFAULT_ROOMS

Array = npt.NDArray[Any]
DEFAULT_ROOMS_WORLD = re.compile(rf"^(rooms/[0-9]+)/{DEFAULT_ROOMS}$")


class Album(Sequence[dict[str, Any]]):
    """Panoramas of places. `album[k]` and `album[id]` are an item: id, position, yaw, an array for each channel read.

    Items hold arrays, numbers and texts alone, so a torch DataLoader takes an album as it is; files are read when they
    are asked for. A slice is an album of fewer places.
    """

    def __init__(self, folder: Path, about: About, places: Sequence[Entry], read: Sequence[str] = (RGB,)) -> None:
        self.folder, self.about, self.places, self.read = folder, about, tuple(places), tuple(read)
        for channel in self.read:
            self._check(channel)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], read: Sequence[str] | None = None) -> Album:
        """The album in a folder, or the pictures of a folder that is none yet (as `foreign.found_in` finds them).

        `read` are the channels that items have; colours where the album has them.
        """
        folder = Path(folder)
        if not folder.is_dir():
            got = "a file" if folder.exists() else "nothing there"
            raise InputError("a folder of panoramas", got, file=str(folder))
        if (folder / ABOUT).exists():
            about, places = read_about(folder), read_places(folder)
        else:
            found = found_in(folder)
            about, places = About(found.world, source=found.layout), found.entries
        usual = (RGB,) if RGB in about.channels else about.channels[:1]
        return cls(folder, about, places, usual if read is None else read)

    def __len__(self) -> int:
        return len(self.places)

    def __repr__(self) -> str:
        return (
            f"Album({str(self.folder)!r}, {len(self):,} places of {self.about.world}, {', '.join(self.about.channels)})"
        )

    @property
    def world(self) -> str | None:
        """The world whose places these are; None for pictures that do not say."""
        return self.about.world

    @property
    def ids(self) -> tuple[str, ...]:
        """The places' ids, in order."""
        return tuple(entry.id for entry in self.places)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each place."""
        return {entry.id: k for k, entry in enumerate(self.places)}

    def __contains__(self, place: object) -> bool:
        return place in self.numbers

    def entry(self, place: int | str) -> Entry:
        """What places.jsonl says of a place, by number or id."""
        if isinstance(place, str):
            if place not in self.numbers:
                raise InputError("a place of the album", shown(place), file=str(self.folder), hint=self._near(place))
            return self.places[self.numbers[place]]
        if not is_whole(place):
            raise InputError("a place by its number or id", shown(place))
        return self.places[place]

    def _near(self, place: str) -> str:
        return f"It has {len(self):,} places. {nearest(place, self.ids[:2000])}".strip()

    @overload
    def __getitem__(self, place: int | str) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> Album: ...
    def __getitem__(self, place: int | str | slice) -> dict[str, Any] | Album:
        if isinstance(place, slice):
            return Album(self.folder, self.about, self.places[place], self.read)
        entry = self.entry(place)
        where = [np.nan if x is None else x for x in (entry.east, entry.north, entry.up)]
        item: dict[str, Any] = {"id": entry.id, "position": np.array(where), "yaw": entry.yaw}
        return item | {channel: self.channel(place, channel) for channel in self.read}

    def channel(self, place: int | str, channel: str) -> Array:
        """One channel of a place's panorama; an error where its file is missing or cannot be read."""
        self._check(channel)
        return read_channel(self.entry(place).path(self.folder, channel), channel)

    def _check(self, channel: str) -> None:
        if channel not in self.about.channels:
            got = f"one with {', '.join(self.about.channels)}"
            raise InputError(f"an album with the channel {shown(channel)}", got, file=str(self.folder))

    def rgb(self, place: int | str) -> npt.NDArray[np.uint8]:
        """Colours (height, width, 3)."""
        return self.channel(place, "rgb")

    def depth(self, place: int | str) -> npt.NDArray[np.float32]:
        """Metres along the ray, to the centimetre; infinite for sky."""
        return self.channel(place, "depth")

    def instances(self, place: int | str) -> npt.NDArray[np.int32]:
        """-1 for sky, 0 for the ground, else a thing's number plus 1."""
        return self.channel(place, "instances")

    def classes(self, place: int | str) -> npt.NDArray[np.uint8]:
        """Numbers into `about.classes`."""
        return self.channel(place, "classes")

    def parts(self, place: int | str) -> npt.NDArray[np.int32]:
        """A part's number, a window's column (from 1) in the next 8 bits, its floor (from 1) in the 8 above."""
        return self.channel(place, "parts")

    def sphere(self, place: int | str, channel: str = RGB) -> Sphere:
        """A place's panorama to cut views from."""
        return Sphere(self.channel(place, channel), self.entry(place).yaw, smooth=channel == RGB)

    def fits(self, world: str) -> bool:
        """Whether this is an album of a world, or of as many of its rooms as there are."""
        return self.world is not None and _alike(self.world) == _alike(world)

    def of(self, world: str) -> Album:
        """This album for a world; an error where it is another's.

        Worlds of rooms of one seed have the same rooms, however many. They lie elsewhere and their things have other
        numbers, so of an album of another number of rooms only the colours are taken.
        """
        if self.world is not None and not self.fits(world):
            got = f"one of {self.world}"
            raise InputError(f"an album of the world {world}", got, file=str(self.folder))
        if self.world is None or DEFAULT_ROOMS_WORLD.sub(r"\1", self.world) == DEFAULT_ROOMS_WORLD.sub(r"\1", world):
            return Album(self.folder, replace(self.about, world=world), self.places, self.read)
        self._check(RGB)
        places = [replace(entry, east=None, north=None, up=None) for entry in self.places]
        return Album(self.folder, replace(self.about, world=world, channels=(RGB,), classes=()), places)


def _alike(world: str) -> str:
    """A world's name, of rooms without their number."""
    return re.sub(r"^(rooms/[0-9]+)/[0-9]+$", r"\1", world)


def album_of(world: str, albums: Sequence[Album]) -> Album | None:
    """The album of a world among several, else the one that does not say whose it is; None without either."""
    found = [album for album in albums if album.fits(world)] or [album for album in albums if album.world is None]
    if len(found) > 1:
        raise InputError(f"one album of the world {world}", f"{len(found)}", "pictures")
    return found[0] if found else None
