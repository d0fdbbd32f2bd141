"""Feature store: a folder of features in 8 bits or half precision, memory-mapped for reading.

`features.u8` (or `features.f16`) contains the feature maps of panoramas one after another, each rows x columns x
channels; `panoramas.jsonl` names the panoramas, one per line; `scales.npy` contains the quantizer; `about.json` the
backbone, the slices, and how many panoramas are complete.
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

from bearleft.errors import InputError, format_value
from bearleft.models.examples import Panorama
from bearleft.models.features.base import IndexedPanoramas, describe_panorama
from bearleft.models.features.quantize import Quantizer
from bearleft.models.legacy import upgrade_store_info
from bearleft.runtime.store import existing_file, write_text
from bearleft.world.slices import SLICINGS, Slicing

VERSION = 2
INFO_FILE, PANORAMA_FILE, QUANTIZER_FILE = "about.json", "panoramas.jsonl", "scales.npy"
DTYPES = {"u8": np.uint8, "f16": np.float16}


@dataclass(frozen=True)
class StoreInfo:
    """The content of a store's about.json."""

    backbone: str
    backbone_hash: str
    slicing: Slicing
    channels: int
    dtype: str  # a key of DTYPES
    count: int = 0  # complete panoramas
    pictures: Mapping[str, str] = field(default_factory=dict)  # by world: "rendered", "stored", "rendered (city SEED)"

    @property
    def shape(self) -> tuple[int, int, int]:
        """Return rows, columns and channels of a feature map."""
        return self.slicing.rows, self.slicing.columns, self.channels

    @property
    def bytes(self) -> int:
        """Return the bytes of a feature map."""
        rows, columns, channels = self.shape
        return rows * columns * channels * np.dtype(DTYPES[self.dtype]).itemsize

    def map_file(self, folder: Path) -> Path:
        """Return the file of the feature maps."""
        old = folder / f"cells.{self.dtype}"  # of version 1
        return old if old.exists() else folder / f"features.{self.dtype}"

    def write(self, folder: Path) -> None:
        """Write about.json, which makes `count` panoramas valid."""
        slicing = asdict(self.slicing)
        info = {"version": VERSION, "backbone": self.backbone, "backbone_hash": self.backbone_hash, "slicing": slicing}
        info |= {"channels": self.channels, "dtype": self.dtype, "count": self.count, "pictures": dict(self.pictures)}
        write_text(folder / INFO_FILE, json.dumps(info, indent=1) + "\n")


def read_info(folder: Path) -> StoreInfo:
    """Read a store's about.json.

    Raises:
        InputError: There is no store in the folder, or it is of another version.
    """
    hint = f"Make one: bearleft features DATASET -o {folder}"
    path = folder / INFO_FILE
    if not path.exists():
        raise InputError("a store of features", "no about.json there", file=str(folder), hint=hint)
    try:
        values = json.loads(existing_file(path).read_text("utf-8"))
        if values["version"] == 1:
            values = upgrade_store_info(values)
        if values["version"] != VERSION:
            raise InputError(
                f"a store of version {VERSION}", format_value(values["version"]), file=str(path), hint=hint
            )
        size = values["slicing"]
        slicing = Slicing(int(size["width"]), int(size["height"]), bool(size.get("released", False)))
        info = StoreInfo(
            str(values["backbone"]),
            str(values["backbone_hash"]),
            slicing,
            int(values["channels"]),
            str(values["dtype"]),
            int(values["count"]),
            {str(world): str(origin) for world, origin in values["pictures"].items()},
        )
        if info.dtype not in DTYPES or info.count < 0 or info.channels < 1:
            raise ValueError("an unknown dtype, or a negative number")
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError("a store's about.json", format_value(str(error)), file=str(path)) from error
    return info


def read_panoramas(folder: Path, count: int) -> tuple[Panorama, ...]:
    """Return the first `count` panoramas of a store."""
    path = existing_file(folder / PANORAMA_FILE) if count else folder / PANORAMA_FILE
    try:
        lines = path.read_text("utf-8").splitlines()[:count] if count else []
        panoramas = tuple(
            Panorama(str(row["world"]), str(row["place"]), float(row["yaw"])) for row in map(json.loads, lines)
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise InputError("panoramas, one per line", format_value(str(error)), file=str(path)) from error
    if len(set(panoramas)) != count:
        raise InputError(f"{count:,} panoramas", f"{len(set(panoramas)):,}", file=str(path))
    return panoramas


def check_compatible(info: StoreInfo, requested: StoreInfo, folder: Path, reading: bool = False) -> None:
    """Raise InputError if a store holds features of another backbone, slicing or format than requested."""
    hint = "Name another folder, or delete this one. To add to it: "
    hint += f"bearleft features DATASET -o {folder}{command_options(info)}"
    if reading:
        hint = f"Name another store, or make one: bearleft features DATASET -o DIR{command_options(requested)}"
    if info.backbone_hash != requested.backbone_hash:
        expected = f"features of the backbone {format_value(requested.backbone)} ({requested.backbone_hash[:8]})"
        got = f"those of {format_value(info.backbone)} ({info.backbone_hash[:8]})"
        raise InputError(expected, got, file=str(folder), hint=hint)
    if replace(info.slicing, released=False) != replace(requested.slicing, released=False):
        expected, got = (f"{store.slicing.width} x {store.slicing.height}" for store in (requested, info))
        raise InputError(f"features of slices of {expected} pixels", got, file=str(folder), hint=hint)
    if info.dtype != requested.dtype:
        raise InputError(f"features in {requested.dtype}", info.dtype, file=str(folder), hint=hint)
    for world, origin in requested.pictures.items():
        if (other := info.pictures.get(world, origin)) != origin:
            expected, got = f"features of {origin} pictures of {world}", f"those of {other} pictures"
            raise InputError(expected, got, file=str(folder), hint=hint)


def command_options(info: StoreInfo) -> str:
    """Return the options of `bearleft features` that make such features, except datasets and folder."""
    backbone = "" if info.backbone == "city" else f" --backbone {info.backbone}"
    size = info.slicing.width, info.slicing.height
    name = next((name for name, slicing in SLICINGS.items() if (slicing.width, slicing.height) == size), None)
    return backbone + (f" --slices {name}" if name else f" --size {size[0]}x{size[1]}")


class FeatureStore(IndexedPanoramas):
    """A store opened for reading; requested maps are read from disk and copied to the device."""

    def __init__(self, path: str | os.PathLike[str], device: str | torch.device = "cpu") -> None:
        self.folder, self.device = Path(path), torch.device(device)
        self.info = read_info(self.folder)
        self.slicing, self.channels = self.info.slicing, self.info.channels
        self.panoramas = read_panoramas(self.folder, self.info.count)
        self.quantizer: Quantizer | None = None
        if self.info.dtype == "u8":
            self.quantizer = read_quantizer(self.folder, self.channels).to(self.device)
        self.maps = self._open()  # (n, rows, columns, channels)
        self.dtype = torch.float32 if self.device.type == "cpu" else torch.bfloat16

    def _open(self) -> npt.NDArray[Any]:
        dtype, shape = DTYPES[self.info.dtype], (self.info.count, *self.info.shape)
        if not self.info.count:
            return np.empty(shape, dtype)
        path = existing_file(self.info.map_file(self.folder))
        if (size := path.stat().st_size) < self.info.count * self.info.bytes:
            expected = f"{self.info.count * self.info.bytes:,} bytes of {self.info.count:,} panoramas"
            hint = "Delete the folder and make it again: bearleft features"
            raise InputError(expected, f"{size:,}", file=str(path), hint=hint)
        return np.memmap(path, dtype, "r", shape=shape)

    def __call__(self, indices: Tensor) -> Tensor:
        """Return feature maps (b, channels, rows, columns) of the panoramas with indices (b,)."""
        stored = torch.from_numpy(np.asarray(self.maps[indices.cpu().numpy()])).to(self.device)
        values = stored.to(self.dtype) if self.quantizer is None else self.quantizer.dequantize(stored, self.dtype)
        return values.permute(0, 3, 1, 2)

    def missing(self, panorama: Panorama) -> InputError:
        """Return the error for a panorama that the store does not have."""
        half = " --half" if self.info.dtype == "f16" else ""
        hint = f"Add it: bearleft features DATASET -o {self.folder}{command_options(self.info)}{half}"
        got = f"a store of {len(self.panoramas):,} other panoramas"
        return InputError(f"features of {describe_panorama(panorama)}", got, file=str(self.folder), hint=hint)


def read_quantizer(folder: Path, channels: int) -> Quantizer:
    """Read a store's quantizer."""
    path = existing_file(folder / QUANTIZER_FILE)
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError, MemoryError) as error:
        raise InputError("an array", format_value(str(error)), file=str(path)) from error
    if array.shape != (2, channels) or not np.isfinite(array).all():
        raise InputError(f"2 x {channels} finite numbers", f"shape {array.shape}", file=str(path))
    return Quantizer.from_array(np.asarray(array, np.float32))
