"""Features in 8 bits: per channel a lowest value and a step; what lies between is off by at most half a step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.models.features.base import Features, Progress, pieces

MOST = 255
SAMPLE = 24  # panoramas, spread over all, whose values say what a channel's range is
SPARE = 1.1  # how much further than theirs a range goes
LEAST = 1e-6  # a step, of a channel that is always the same


@dataclass(frozen=True, eq=False)
class Scale:
    """What the bytes 0 and 1 mean in every channel: `low` and `low + step`."""

    low: Tensor  # (channels,) single precision
    step: Tensor

    @classmethod
    def between(cls, low: Tensor, high: Tensor) -> Scale:
        """For values from low to high, and a little beyond; zero stays zero where nothing is below it."""
        low, high = low.float(), high.float()
        spare = (high - low) * (SPARE - 1.0)
        under = torch.where(low >= 0.0, torch.zeros_like(low), low - spare)
        return cls(under, ((high + spare - under) / MOST).clamp_min(LEAST))

    @classmethod
    def read(cls, rows: npt.NDArray[np.float32]) -> Scale:
        """As `rows` says it."""
        low, step = torch.from_numpy(rows.astype(np.float32))
        return cls(low, step)

    @property
    def rows(self) -> npt.NDArray[np.float32]:
        """Low and step: (2, channels)."""
        rows: npt.NDArray[np.float32] = torch.stack([self.low, self.step]).cpu().numpy()
        return rows

    def to(self, device: torch.device) -> Scale:
        return Scale(self.low.to(device), self.step.to(device))

    def pack(self, values: Tensor) -> Tensor:
        """Bytes of values whose last dimension is channels."""
        return ((values.float() - self.low) / self.step).round_().clamp_(0, MOST).to(torch.uint8)

    def unpack(self, packed: Tensor, kind: torch.dtype) -> Tensor:
        """The values that bytes stand for."""
        return torch.addcmul(self.low.to(kind), packed.to(kind), self.step.to(kind))


def scale_of(source: Features, numbers: npt.NDArray[np.int64], tell: Progress | None = None) -> Scale:
    """A scale for features of panoramas (numbers), from some spread over all of them."""
    count = len(numbers)
    some = torch.from_numpy(numbers[np.linspace(0, count - 1, min(count, SAMPLE)).astype(np.int64)])
    low = torch.full((source.channels,), float("inf"), device=source.device)
    high = -low
    for begin, end in pieces(len(some), 2):
        if tell:
            tell("measuring ranges", begin, len(some))
        seen = source(some[begin:end].to(source.device)).permute(0, 2, 3, 1).flatten(0, 2).float()
        low, high = torch.minimum(low, seen.amin(0)), torch.maximum(high, seen.amax(0))
    return Scale.between(low, high)
