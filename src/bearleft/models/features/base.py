"""The interface of feature sources: indices of panoramas go in, feature maps come out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError, format_value
from bearleft.models.examples import Examples, Panorama
from bearleft.world.slices import Slicing


class Features(Protocol):
    """Feature maps of panoramas."""

    slicing: Slicing
    channels: int
    panoramas: tuple[Panorama, ...]
    device: torch.device

    def __call__(self, indices: Tensor) -> Tensor:
        """Return feature maps (b, channels, rows, columns) of the panoramas with indices (b,).

        They are on the device, with channels last in memory.
        """

    def index(self, panorama: Panorama) -> int:
        """Return the index of a panorama."""

    def indices(self, examples: Examples) -> npt.NDArray[np.int64]:
        """Return the index of each example's panorama: (n,)."""


class IndexedPanoramas:
    """Panoramas by index."""

    panoramas: tuple[Panorama, ...]

    @cached_property
    def _index(self) -> dict[Panorama, int]:
        return {panorama: k for k, panorama in enumerate(self.panoramas)}

    def index(self, panorama: Panorama) -> int:
        """Return the index of a panorama."""
        if panorama not in self._index:
            raise self.missing(panorama)
        return self._index[panorama]

    def indices(self, examples: Examples) -> npt.NDArray[np.int64]:
        """Return the index of each example's panorama: (n,)."""
        used = np.unique(examples.panorama_indices)
        indices = np.zeros(len(examples.panoramas), np.int64)
        indices[used] = [self.index(examples.panoramas[k]) for k in used]
        return indices[examples.panorama_indices]

    def missing(self, panorama: Panorama) -> InputError:
        """Return the error for a panorama without features."""
        return InputError(f"features of {describe_panorama(panorama)}", f"{len(self.panoramas):,} other panoramas")


def describe_panorama(panorama: Panorama) -> str:
    """Return a panorama's description for error messages."""
    return f"{format_value(panorama.place)} of {panorama.world}, heading {panorama.yaw:g}"


def panoramas_of(source: Examples | Iterable[Examples | Panorama]) -> tuple[Panorama, ...]:
    """Return the panoramas of examples, of several sets of examples, or of an iterable: each once, in order."""
    if isinstance(source, Examples):
        return tuple(source.panoramas[k] for k in dict.fromkeys(source.panorama_indices.tolist()))
    groups = (panoramas_of(item) if isinstance(item, Examples) else (item,) for item in source)
    return tuple(dict.fromkeys(panorama for group in groups for panorama in group))


def map_shape(features: Features) -> tuple[int, int, int]:
    """Return rows, columns and channels of a feature map, in the order in which they lie in memory."""
    return features.slicing.rows, features.slicing.columns, features.channels


def chunks(count: int, size: int) -> Sequence[tuple[int, int]]:
    """Return the begin and end of consecutive chunks of at most `size` items."""
    return [(begin, min(begin + size, count)) for begin in range(0, count, size)]
