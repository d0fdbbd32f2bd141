"""Linear heads on a backbone's feature maps, their losses and accuracies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, smooth_l1_loss

from bearleft.training.backbone.labels import CLASS_OF_FINE, FINE_CLASSES, IGNORE, PARTS, CellLabels
from bearleft.world.city.palette import COLOUR_NAMES
from bearleft.world.city.scene_builder import CLASS_BASE

SAMPLED_CELLS, PART_CELLS = 49152, 16384  # cells of a step that losses are computed on, and those with a part loss
LOSS_WEIGHTS = (1.0, 1.0, 0.5, 0.3, 0.5, 1.0, 1.0)  # of the seven losses
SMALL_CLASSES = 40  # small classes that are measured
SMALL_BOX_CELLS = 36.0  # largest mean box of a small class, in cells


class Heads(nn.Module):
    """One linear layer on a cell's channels for each label."""

    def __init__(self, channels: int, seed: int) -> None:
        super().__init__()
        self.centre, self.rarest = nn.Linear(channels, FINE_CLASSES), nn.Linear(channels, FINE_CLASSES)
        self.colour, self.part = nn.Linear(channels, len(COLOUR_NAMES)), nn.Linear(channels, PARTS)
        self.shape = nn.Linear(channels, 8)  # depth (1), box (4), mean colour (3)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for layer in self.layers:
                layer.weight.copy_(torch.randn(layer.weight.shape, generator=generator) * 0.02)
                layer.bias.zero_()

    @property
    def layers(self) -> tuple[nn.Linear, ...]:
        """Return all heads."""
        return self.centre, self.rarest, self.colour, self.part, self.shape


@dataclass(frozen=True)
class Frequencies:
    """Weights and ranks of fine classes by their frequency at the centres of cells: rare ones weigh more."""

    weight: Tensor
    rank: Tensor

    @classmethod
    def from_counts(cls, counts: Tensor) -> Frequencies:
        """Return the frequencies of fine classes, given how often each occurs."""
        share = (counts.double() + 1.0) / (counts.sum() + len(counts))
        weight = share.rsqrt()
        weight = (weight / (weight * share).sum()).clamp(max=20.0)  # the mean weight of a cell is 1
        return cls(weight.float(), share.argsort(descending=True).argsort().float())


def flatten_cells(maps: Tensor) -> Tensor:
    """Reshape (n, channels, rows, columns) to (cells, channels); a view if channels are last in memory."""
    return maps.permute(0, 2, 3, 1).reshape(-1, maps.shape[1])


def losses(
    maps: Tensor, heads: Heads, labels: CellLabels, frequencies: Frequencies, generator: torch.Generator
) -> Tensor:
    """Return the losses (7,) of centre, rarest, colour, part, depth, box and mean colour.

    Cells are drawn in proportion to their class's weight: neighbours are alike, so a sample teaches as much as all.
    """
    weights = frequencies.weight[labels.rarest].flatten()
    sample = torch.multinomial(weights, min(SAMPLED_CELLS, len(weights)), replacement=True, generator=generator)
    cells = flatten_cells(maps)[sample]
    part_sample = sample[:PART_CELLS]
    is_object = labels.is_object.flatten()[sample]
    shape = heads.shape(cells).float()
    depth, box, mean_colour = shape[:, 0], shape[:, 1:5], shape[:, 5:]
    box_losses = smooth_l1_loss(box, labels.box.reshape(-1, 4)[sample], reduction="none", beta=0.2).mean(1)
    parts = [
        cross_entropy(heads.centre(cells).float(), labels.centre.flatten()[sample]),
        cross_entropy(heads.rarest(cells).float(), labels.rarest.flatten()[sample]),
        _masked_cross_entropy(heads.colour(cells), labels.colour.flatten()[sample]),
        _masked_cross_entropy(heads.part(cells[:PART_CELLS]), labels.part.flatten()[part_sample]),
        smooth_l1_loss(depth, labels.depth.flatten()[sample], beta=0.2),
        (box_losses * is_object).sum() / is_object.sum().clamp(min=1),
        smooth_l1_loss(mean_colour, flatten_cells(labels.mean_colour)[sample], beta=0.05),
    ]
    return torch.stack(parts)


def _masked_cross_entropy(scores: Tensor, expected: Tensor) -> Tensor:
    """Return the mean cross-entropy of labelled rows, 0 if there are none."""
    losses = cross_entropy(scores.float(), expected, ignore_index=IGNORE, reduction="none")
    return losses.sum() / (expected != IGNORE).sum().clamp(min=1)


def accuracies(
    centre: Any,
    rarest: Any,
    colour: Any,
    centre_expected: Any,
    rarest_expected: Any,
    colour_expected: Any,
    depth_error: Any,
    box_size: Any,
) -> dict[str, float]:
    """Return accuracies of cells; small classes count alike, however many cells show them."""
    predicted, expected = CLASS_OF_FINE[rarest], CLASS_OF_FINE[rarest_expected]
    counts = np.bincount(expected, minlength=256)
    right = np.bincount(expected, predicted == expected, 256) / np.maximum(counts, 1)
    mean_box = np.bincount(expected, box_size, 256) / np.maximum(counts, 1)
    by_count = np.argsort(-counts, kind="stable")
    small = [k for k in by_count if k >= CLASS_BASE and counts[k] and mean_box[k] < SMALL_BOX_CELLS]
    has_colour = colour_expected >= 0
    return {
        "class of the middle": float((CLASS_OF_FINE[centre] == CLASS_OF_FINE[centre_expected]).mean()),
        "class of the rarest": float((predicted == expected).mean()),
        "class and variant": float((rarest == rarest_expected).mean()),
        "mean of small classes": float(right[small[:SMALL_CLASSES]].mean()) if small else 0.0,
        "colour": float((colour == colour_expected)[has_colour].mean()) if has_colour.any() else 0.0,
        "error of log depth": float(depth_error.mean()),
        "small classes": float(len(small[:SMALL_CLASSES])),
    }
