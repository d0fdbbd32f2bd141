"""What every network that points has in common: a batch goes in, a score for every cell comes out."""

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
    """Examples side by side. Everything lies on one device; nothing is looped over."""

    cells: Tensor  # (b, channels, rows, columns), channels last in memory: pictures as a trunk saw them
    words: Tensor  # (b, longest) int64, 0 behind the end
    lengths: Tensor  # (b,) int64: words of each text, at least 1

    @property
    def mask(self) -> Tensor:
        """(b, longest): where there is a word."""
        return torch.arange(self.words.shape[1], device=self.words.device) < self.lengths[:, None]


@dataclass(frozen=True)
class Shape:
    """What a network is made for: a vocabulary and a map of cells."""

    words: int
    rows: int = 100
    columns: int = 464
    channels: int = CHANNELS
    aspect: float = ASPECT  # a slice's height divided by its width


class PointNetwork(nn.Module, ABC):
    """Scores cells; their softmax over the map is where the network believes the target to be."""

    shape: Shape

    @abstractmethod
    def forward(self, batch: Batch) -> Tensor:
        """(b, rows, columns) scores."""
