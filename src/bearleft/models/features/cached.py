"""Features cached whole on the device in 8 bits: a batch is a gather."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.examples import Panorama
from bearleft.models.features.base import Features, IndexedPanoramas, chunks, map_shape
from bearleft.models.features.quantize import Quantizer, measure_quantizer
from bearleft.models.features.store import FeatureStore
from bearleft.types import Progress
from bearleft.world.slices import Slicing

GPU_CHUNK, CPU_CHUNK = 64, 4  # panoramas between two progress reports


class CachedFeatures(IndexedPanoramas):
    """All features of some panoramas in memory."""

    def __init__(self, panoramas: tuple[Panorama, ...], slicing: Slicing, codes: Tensor, quantizer: Quantizer) -> None:
        self.panoramas, self.slicing, self.codes = panoramas, slicing, codes  # (n, rows, columns, channels) bytes
        self.device, self.channels = codes.device, codes.shape[3]
        self.quantizer = quantizer.to(codes.device)
        self.dtype = torch.float32 if self.device.type == "cpu" else torch.bfloat16

    @classmethod
    def from_source(
        cls, source: Features, panoramas: Iterable[Panorama] | None = None, progress: Progress | None = None
    ) -> CachedFeatures:
        """Cache the features of some panoramas of a source, or of all; a store's bytes are copied as they are."""
        selected = source.panoramas if panoramas is None else tuple(panoramas)
        indices = np.array([source.index(panorama) for panorama in selected], np.int64)
        codes = _allocate((len(selected), *map_shape(source)), source.device)
        store = source if isinstance(source, FeatureStore) and source.quantizer is not None else None
        if store is None or store.quantizer is None:
            quantizer = measure_quantizer(source, indices, progress)
        else:
            quantizer = store.quantizer
        for begin, end in chunks(len(selected), GPU_CHUNK if source.device.type == "cuda" else CPU_CHUNK):
            if store is not None:
                codes[begin:end] = torch.from_numpy(np.asarray(store.maps[indices[begin:end]]))
            else:
                maps = source(torch.from_numpy(indices[begin:end]).to(source.device)).permute(0, 2, 3, 1)
                for k in range(begin, end):  # one at a time, since each takes single precision for a moment
                    codes[k] = quantizer.quantize(maps[k - begin])
            if progress:
                progress("features", end, len(selected))
        return cls(selected, source.slicing, codes, quantizer)

    def __call__(self, indices: Tensor) -> Tensor:
        """Return feature maps (b, channels, rows, columns) of the panoramas with indices (b,)."""
        codes = self.codes.index_select(0, indices.to(self.device))
        return self.quantizer.dequantize(codes, self.dtype).permute(0, 3, 1, 2)


def cache_bytes(count: int, source: Features) -> int:
    """Return the size in bytes of the cached features of `count` panoramas."""
    rows, columns, channels = map_shape(source)
    return count * rows * columns * channels


def _allocate(shape: tuple[int, ...], device: torch.device) -> Tensor:
    try:
        return torch.empty(shape, dtype=torch.uint8, device=device)
    except (RuntimeError, MemoryError) as error:
        expected = f"{np.prod(shape) / 1e9:.1f} GB of memory for {shape[0]:,} panoramas"
        raise InputError(expected, "less", hint="Write a store: bearleft features DATASET -o STORE") from error
