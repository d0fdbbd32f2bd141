"""The interface of pointing networks: a batch goes in, a score for every cell of the feature map comes out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bearleft.world.slices import PAPER

CHANNELS = 128
ASPECT = PAPER.height / PAPER.width


@dataclass(frozen=True)
class Batch:
    """Examples of one batch, on one device."""

    features: Tensor  # (b, channels, rows, columns), channels last in memory: the backbone's feature maps
    words: Tensor  # (b, max length) int64, 0 behind the end
    lengths: Tensor  # (b,) int64: words of each text, at least 1

    @property
    def mask(self) -> Tensor:
        """Return (b, max length): True where there is a word."""
        return torch.arange(self.words.shape[1], device=self.words.device) < self.lengths[:, None]


@dataclass(frozen=True)
class Shape:
    """Sizes of a network's inputs: the vocabulary and the feature map."""

    vocabulary_size: int
    rows: int = 100
    columns: int = 464
    channels: int = CHANNELS
    aspect: float = ASPECT  # a slice's height divided by its width


class PointNetwork(nn.Module, ABC):
    """A network that scores every cell; the softmax over the map is the distribution of the target's position."""

    shape: Shape

    @abstractmethod
    def forward(self, batch: Batch) -> Tensor:
        """Return scores (b, rows, columns)."""
