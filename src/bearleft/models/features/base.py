"""What every source of features has in common: panoramas by number go in, maps of cells come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError, shown
from bearleft.models.examples import Examples, Panorama
from bearleft.world.slices import Slicing

Progress = Callable[[str, int, int], None]


class Features(Protocol):
    """Pictures as a trunk saw them."""

    slicing: Slicing
    channels: int
    panoramas: tuple[Panorama, ...]
    device: torch.device

    def __call__(self, pictures: Tensor) -> Tensor:
        """Numbers (b,) of `panoramas` -> (b, channels, rows, columns), channels last in memory, on the device."""

    def number(self, panorama: Panorama) -> int:
        """What a panorama is called by."""

    def numbers(self, examples: Examples) -> npt.NDArray[np.int64]:
        """What the panorama of each example is called by: (n,)."""


class Numbered:
    """Panoramas by number."""

    panoramas: tuple[Panorama, ...]

    @cached_property
    def _known(self) -> dict[Panorama, int]:
        return {panorama: k for k, panorama in enumerate(self.panoramas)}

    def number(self, panorama: Panorama) -> int:
        """What a panorama is called by."""
        if panorama not in self._known:
            raise self.missing(panorama)
        return self._known[panorama]

    def numbers(self, examples: Examples) -> npt.NDArray[np.int64]:
        """What the panorama of each example is called by: (n,)."""
        used = np.unique(examples.pictures)
        found = np.zeros(len(examples.panoramas), np.int64)
        found[used] = [self.number(examples.panoramas[k]) for k in used]
        return found[examples.pictures]

    def missing(self, panorama: Panorama) -> InputError:
        """The error for a panorama that is not among them."""
        return InputError(f"features of {told(panorama)}", f"{len(self.panoramas):,} other panoramas")


def told(panorama: Panorama) -> str:
    """A panorama in an error message."""
    return f"{shown(panorama.place)} of {panorama.world}, heading {panorama.yaw:g}"


def panoramas_of(asked: Examples | Iterable[Examples | Panorama]) -> tuple[Panorama, ...]:
    """The panoramas of examples, of several, or as they are given: each once, in the order they come."""
    if isinstance(asked, Examples):
        return tuple(asked.panoramas[k] for k in dict.fromkeys(asked.pictures.tolist()))
    each = (panoramas_of(one) if isinstance(one, Examples) else (one,) for one in asked)
    return tuple(dict.fromkeys(panorama for some in each for panorama in some))


def shape_of(features: Features) -> tuple[int, int, int]:
    """Rows, columns and channels of a map, in the order in which they lie in memory."""
    return features.slicing.rows, features.slicing.columns, features.channels


def pieces(count: int, size: int) -> Sequence[tuple[int, int]]:
    """Begins and ends of pieces of at most so many."""
    return [(begin, min(begin + size, count)) for begin in range(0, count, size)]
