"""Features in a folder: made once, read by the page as they are needed, in 8 bits or half precision.

`cells.u8` (or `cells.f16`) holds panoramas one after another, each rows x columns x channels; `panoramas.jsonl` says of
what, line by line; `scales.npy` what bytes mean; `about.json` which trunk and slices, and how many panoramas are whole.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError, shown
from bearleft.models.examples import Panorama
from bearleft.models.features.base import Numbered, told
from bearleft.models.features.quantize import Scale
from bearleft.runtime.store import existing_file, write_text
from bearleft.world.slices import SLICINGS, Slicing

VERSION = 1
ABOUT, PANORAMAS, SCALES = "about.json", "panoramas.jsonl", "scales.npy"
FORMS = {"u8": np.uint8, "f16": np.float16}


@dataclass(frozen=True)
class About:
    """What a store's about.json says."""

    trunk: str
    trunk_hash: str
    slicing: Slicing
    channels: int
    form: str  # of FORMS
    count: int = 0  # panoramas that are whole
    seen: Mapping[str, str] = field(default_factory=dict)  # how pictures of each world came about

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of one panorama."""
        return self.slicing.rows, self.slicing.columns, self.channels

    @property
    def bytes(self) -> int:
        """Of one panorama."""
        rows, columns, channels = self.shape
        return rows * columns * channels * np.dtype(FORMS[self.form]).itemsize

    def cells(self, folder: Path) -> Path:
        """The file that holds them."""
        return folder / f"cells.{self.form}"

    def write(self, folder: Path) -> None:
        """From now on `count` panoramas are there."""
        slicing = asdict(self.slicing)
        said = {"version": VERSION, "trunk": self.trunk, "trunk_hash": self.trunk_hash, "slicing": slicing}
        said |= {"channels": self.channels, "form": self.form, "count": self.count, "seen": dict(self.seen)}
        write_text(folder / ABOUT, json.dumps(said, indent=1) + "\n")


def read_about(folder: Path) -> About:
    """What a store says of itself; an error where there is none, or another version's."""
    hint = f"Make one: bearleft features DATASET -o {folder}"
    path = folder / ABOUT
    if not path.exists():
        raise InputError("a store of features", "no about.json there", file=str(folder), hint=hint)
    try:
        said: dict[str, Any] = json.loads(existing_file(path).read_text("utf-8"))
        if said["version"] != VERSION:
            raise InputError(f"a store of version {VERSION}", shown(said["version"]), file=str(path), hint=hint)
        size = said["slicing"]
        slicing = Slicing(int(size["width"]), int(size["height"]), bool(size.get("released", False)))
        about = About(
            str(said["trunk"]),
            str(said["trunk_hash"]),
            slicing,
            int(said["channels"]),
            str(said["form"]),
            int(said["count"]),
            {str(world): str(how) for world, how in said["seen"].items()},
        )
        if about.form not in FORMS or about.count < 0 or about.channels < 1:
            raise ValueError("numbers that cannot be")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError("what a store says of itself", shown(str(error)), file=str(path)) from error
    return about


def read_panoramas(folder: Path, count: int) -> tuple[Panorama, ...]:
    """The first so many panoramas of a store."""
    path = existing_file(folder / PANORAMAS) if count else folder / PANORAMAS
    lines = path.read_text("utf-8").splitlines()[:count] if count else []
    try:
        found = tuple(
            Panorama(str(one["world"]), str(one["place"]), float(one["yaw"])) for one in map(json.loads, lines)
        )
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("panoramas, one a line", shown(str(error)), file=str(path)) from error
    if len(set(found)) != count:
        raise InputError(f"{count:,} panoramas", f"{len(set(found)):,}", file=str(path))
    return found


def check_same(about: About, asked: About, folder: Path, reading: bool = False) -> None:
    """An error where a store holds features of another trunk, or of other slices, than those asked for."""
    hint = "Name another folder, or delete this one. To go on with it: "
    hint += f"bearleft features DATASET -o {folder}{typed(about)}"
    if reading:
        hint = f"Name another store, or make one: bearleft features DATASET -o DIR{typed(asked)}"
    if about.trunk_hash != asked.trunk_hash:
        expected = f"features of the trunk {shown(asked.trunk)} ({asked.trunk_hash[:8]})"
        got = f"those of {shown(about.trunk)} ({about.trunk_hash[:8]})"
        raise InputError(expected, got, file=str(folder), hint=hint)
    if replace(about.slicing, released=False) != replace(asked.slicing, released=False):
        expected, got = (f"{one.slicing.width} x {one.slicing.height}" for one in (asked, about))
        raise InputError(f"features of slices of {expected} pixels", got, file=str(folder), hint=hint)
    if about.form != asked.form:
        expected, got = (f"cells.{one.form}" for one in (asked, about))
        raise InputError(expected, got, file=str(folder), hint=hint)
    for world, how in asked.seen.items():
        if (was := about.seen.get(world, how)) != how:
            raise InputError(f"features of {how} pictures of {world}", f"of {was} ones", file=str(folder), hint=hint)


def typed(about: About) -> str:
    """What `bearleft features` is told to make such features, beside datasets and folder."""
    said = "" if about.trunk == "city" else f" --trunk {about.trunk}"
    size = about.slicing.width, about.slicing.height
    named = next((name for name, one in SLICINGS.items() if (one.width, one.height) == size), None)
    return said + (f" --slices {named}" if named else f" --size {size[0]}x{size[1]}")


class Stored(Numbered):
    """A store opened for reading; what is asked for is read from the disk and put on the device."""

    def __init__(self, path: str | os.PathLike[str], device: str | torch.device = "cpu") -> None:
        self.folder, self.device = Path(path), torch.device(device)
        self.about = read_about(self.folder)
        self.slicing, self.channels = self.about.slicing, self.about.channels
        self.panoramas = read_panoramas(self.folder, self.about.count)
        self.scale: Scale | None = None
        if self.about.form == "u8":
            self.scale = Scale.read(read_scales(self.folder, self.channels)).to(self.device)
        self.rows = self._open()  # (n, rows, columns, channels)
        self.dtype = torch.float32 if self.device.type == "cpu" else torch.bfloat16

    def _open(self) -> npt.NDArray[Any]:
        kind, shape = FORMS[self.about.form], (self.about.count, *self.about.shape)
        if not self.about.count:
            return np.empty(shape, kind)
        path = existing_file(self.about.cells(self.folder))
        if (there := path.stat().st_size) < self.about.count * self.about.bytes:
            expected = f"{self.about.count * self.about.bytes:,} bytes of {self.about.count:,} panoramas"
            hint = "Delete the folder and make it again: bearleft features"
            raise InputError(expected, f"{there:,}", file=str(path), hint=hint)
        return np.memmap(path, kind, "r", shape=shape)

    def __call__(self, pictures: Tensor) -> Tensor:
        read = torch.from_numpy(np.asarray(self.rows[pictures.cpu().numpy()])).to(self.device)
        values = read.to(self.dtype) if self.scale is None else self.scale.unpack(read, self.dtype)
        return values.permute(0, 3, 1, 2)

    def missing(self, panorama: Panorama) -> InputError:
        half = " --half" if self.about.form == "f16" else ""
        hint = f"Add it: bearleft features DATASET -o {self.folder}{typed(self.about)}{half}"
        got = f"a store of {len(self.panoramas):,} other panoramas"
        return InputError(f"features of {told(panorama)}", got, file=str(self.folder), hint=hint)


def read_scales(folder: Path, channels: int) -> npt.NDArray[np.float32]:
    """Low and step of each channel: (2, channels)."""
    path = existing_file(folder / SCALES)
    try:
        rows = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise InputError("an array", shown(str(error)), file=str(path)) from error
    if rows.shape != (2, channels) or not np.isfinite(rows).all():
        raise InputError(f"2 x {channels} finite numbers", f"shape {rows.shape}", file=str(path))
    return np.asarray(rows, np.float32)
