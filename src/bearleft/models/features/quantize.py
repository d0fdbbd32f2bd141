"""Quantization of features to 8 bits: a lowest value and a step per channel; the error is at most half a step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.models.features.base import Features, chunks
from bearleft.types import Progress

MAX_CODE = 255
SAMPLED_PANORAMAS = 24  # spread over all, from which the range of each channel is measured
MARGIN = 1.1  # factor by which the range exceeds the measured one
MIN_STEP = 1e-6  # for a channel that is constant


@dataclass(frozen=True, eq=False)
class Quantizer:
    """The values of the codes 0 and 1 in every channel: `low` and `low + step`."""

    low: Tensor  # (channels,) single precision
    step: Tensor

    @classmethod
    def from_range(cls, low: Tensor, high: Tensor) -> Quantizer:
        """Return the quantizer of values from low to high with a margin; 0 stays 0 where nothing is below it."""
        low, high = low.float(), high.float()
        margin = (high - low) * (MARGIN - 1.0)
        lowest = torch.where(low >= 0.0, torch.zeros_like(low), low - margin)
        return cls(lowest, ((high + margin - lowest) / MAX_CODE).clamp_min(MIN_STEP))

    @classmethod
    def from_array(cls, array: npt.NDArray[np.float32]) -> Quantizer:
        """Return the quantizer of an array that `to_array` returned."""
        low, step = torch.from_numpy(array.astype(np.float32))
        return cls(low, step)

    def to_array(self) -> npt.NDArray[np.float32]:
        """Return low and step: (2, channels)."""
        array: npt.NDArray[np.float32] = torch.stack([self.low, self.step]).cpu().numpy()
        return array

    def to(self, device: torch.device) -> Quantizer:
        """Return the quantizer on a device."""
        return Quantizer(self.low.to(device), self.step.to(device))

    def quantize(self, values: Tensor) -> Tensor:
        """Return the codes, as bytes, of values whose last dimension is channels."""
        return ((values.float() - self.low) / self.step).round_().clamp_(0, MAX_CODE).to(torch.uint8)

    def dequantize(self, codes: Tensor, dtype: torch.dtype) -> Tensor:
        """Return the values of codes."""
        return torch.addcmul(self.low.to(dtype), codes.to(dtype), self.step.to(dtype))


def measure_quantizer(source: Features, indices: npt.NDArray[np.int64], progress: Progress | None = None) -> Quantizer:
    """Return a quantizer for the features of panoramas, measured on some that are spread over all of them."""
    count = len(indices)
    sample = torch.from_numpy(indices[np.linspace(0, count - 1, min(count, SAMPLED_PANORAMAS)).astype(np.int64)])
    low = torch.full((source.channels,), float("inf"), device=source.device)
    high = -low
    for begin, end in chunks(len(sample), 2):
        if progress:
            progress("measuring ranges", begin, len(sample))
        values = source(sample[begin:end].to(source.device)).permute(0, 2, 3, 1).flatten(0, 2).float()
        low, high = torch.minimum(low, values.amin(0)), torch.maximum(high, values.amax(0))
    return Quantizer.from_range(low, high)
