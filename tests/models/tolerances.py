"""Backbones for tests: one that is easy to verify, and one with non-trivial batch norms."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import avg_pool2d

from bearleft.models.backbones.registry import Backbone, ResNet18


class Means(Backbone):
    """Returns mean colours of 8 x 8 pixels, from -0.25 to 0.75."""

    channels = 3

    def __init__(self, name: str = "means") -> None:
        super().__init__((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
        self.unused = torch.nn.Parameter(torch.zeros(1), requires_grad=False)
        self.name = self.hash = name

    def encode(self, normalized: Any) -> Any:
        return avg_pool2d(normalized, 8, ceil_mode=True) - 0.25


def randomize_norms(backbone: ResNet18) -> ResNet18:
    """Give a backbone batch norms that change values; those of random backbones do not."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for module in backbone.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                assert module.running_mean is not None and module.running_var is not None
                module.weight.uniform_(0.4, 1.2, generator=generator)
                module.bias.normal_(0, 0.3, generator=generator)
                module.running_mean.normal_(0, 0.3, generator=generator)
                module.running_var.uniform_(0.5, 2.0, generator=generator)
    return backbone
