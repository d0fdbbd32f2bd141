"""Features kept whole on the device in 8 bits: a batch is a gather, however often a picture is asked for."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.examples import Panorama
from bearleft.models.features.base import Features, Numbered, Progress, pieces, shape_of
from bearleft.models.features.quantize import Scale, scale_of
from bearleft.models.features.store import Stored
from bearleft.world.slices import Slicing

PIECE, FEW = 64, 4  # panoramas between two notes of how far one has come, on a GPU and on a CPU


class Kept(Numbered):
    """All features of some panoramas."""

    def __init__(self, panoramas: tuple[Panorama, ...], slicing: Slicing, cells: Tensor, scale: Scale) -> None:
        self.panoramas, self.slicing, self.cells = panoramas, slicing, cells  # (n, rows, columns, channels) bytes
        self.device, self.channels = cells.device, cells.shape[3]
        self.scale = scale.to(cells.device)
        self.dtype = torch.float32 if self.device.type == "cpu" else torch.bfloat16

    @classmethod
    def of(cls, source: Features, panoramas: Iterable[Panorama] | None = None, tell: Progress | None = None) -> Kept:
        """What a source has of some panoramas, or of all; bytes of a store stay as they are."""
        expected = source.panoramas if panoramas is None else tuple(panoramas)
        numbers = np.array([source.number(panorama) for panorama in expected], np.int64)
        cells = _room((len(expected), *shape_of(source)), source.device)
        stored = source if isinstance(source, Stored) and source.scale is not None else None
        scale = scale_of(source, numbers, tell) if stored is None or stored.scale is None else stored.scale
        for begin, end in pieces(len(expected), PIECE if source.device.type == "cuda" else FEW):
            if stored is not None:
                cells[begin:end] = torch.from_numpy(np.asarray(stored.rows[numbers[begin:end]]))
            else:
                seen = source(torch.from_numpy(numbers[begin:end]).to(source.device)).permute(0, 2, 3, 1)
                for one in range(begin, end):  # one at a time: each is single precision for a moment
                    cells[one] = scale.pack(seen[one - begin])
            if tell:
                tell("features", end, len(expected))
        return cls(expected, source.slicing, cells, scale)

    def __call__(self, pictures: Tensor) -> Tensor:
        packed = self.cells.index_select(0, pictures.to(self.device))
        return self.scale.unpack(packed, self.dtype).permute(0, 3, 1, 2)


def needed(count: int, source: Features) -> int:
    """Bytes that so many panoramas take."""
    rows, columns, channels = shape_of(source)
    return count * rows * columns * channels


def _room(shape: tuple[int, ...], device: torch.device) -> Tensor:
    try:
        return torch.empty(shape, dtype=torch.uint8, device=device)
    except (RuntimeError, MemoryError) as error:
        expected = f"{np.prod(shape) / 1e9:.1f} GB of memory for {shape[0]:,} panoramas"
        raise InputError(expected, "less", hint="Write a store: bearleft features DATASET -o STORE") from error
