"""What says of cells what they show: linear functions of a backbone's channels, their losses, and how right they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, smooth_l1_loss

from bearleft.training.backbone.labels import CLASS_OF_SORT, NONE, PARTS, SORTS, Goals
from bearleft.world.city.palette import COLOUR_NAMES
from bearleft.world.city.scene_builder import CLASS_BASE

SAMPLED, PARTED = 49152, 16384  # cells of a step that are asked, and those whose part is asked
WEIGHTS = (1.0, 1.0, 0.5, 0.3, 0.5, 1.0, 1.0)  # of the losses
SMALL, SMALLEST = 40, 36.0  # so many small classes are counted; cells of a small thing's box


class Heads(nn.Module):
    """One linear function of a cell's channels for each goal."""

    def __init__(self, channels: int, seed: int) -> None:
        super().__init__()
        self.centre, self.rarest = nn.Linear(channels, SORTS), nn.Linear(channels, SORTS)
        self.colour, self.part = nn.Linear(channels, len(COLOUR_NAMES)), nn.Linear(channels, PARTS)
        self.shape = nn.Linear(channels, 8)  # depth (1), box (4), light (3)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for layer in self.layers:
                layer.weight.copy_(torch.randn(layer.weight.shape, generator=generator) * 0.02)
                layer.bias.zero_()

    @property
    def layers(self) -> tuple[nn.Linear, ...]:
        return self.centre, self.rarest, self.colour, self.part, self.shape


@dataclass(frozen=True)
class Frequencies:
    """How often sorts are seen in the middle of cells: what is rare weighs more."""

    weight: Tensor
    rank: Tensor

    @classmethod
    def of(cls, counts: Tensor) -> Frequencies:
        share = (counts.double() + 1.0) / (counts.sum() + len(counts))
        weight = share.rsqrt()
        weight = (weight / (weight * share).sum()).clamp(max=20.0)  # a cell weighs 1 on the average
        return cls(weight.float(), share.argsort(descending=True).argsort().float())


def rows_of(cells: Tensor) -> Tensor:
    """(n, channels, rows, columns) as a row for each cell; a view where channels are last in memory."""
    return cells.permute(0, 2, 3, 1).reshape(-1, cells.shape[1])


def losses(cells: Tensor, heads: Heads, expected: Goals, often: Frequencies, generator: torch.Generator) -> Tensor:
    """(7,) of centre, rarest, colour, part, depth, box and light.

    Cells are drawn as often as what they show weighs: neighbours say much the same, so some teach as much as all.
    """
    chance = often.weight[expected.rarest].flatten()
    some = torch.multinomial(chance, min(SAMPLED, len(chance)), replacement=True, generator=generator)
    seen = rows_of(cells)[some]
    few = some[:PARTED]
    thing = expected.thing.flatten()[some]
    shape = heads.shape(seen).float()
    depth, box, light = shape[:, 0], shape[:, 1:5], shape[:, 5:]
    apart = smooth_l1_loss(box, expected.box.reshape(-1, 4)[some], reduction="none", beta=0.2).mean(1)
    told = [
        cross_entropy(heads.centre(seen).float(), expected.centre.flatten()[some]),
        cross_entropy(heads.rarest(seen).float(), expected.rarest.flatten()[some]),
        _told(heads.colour(seen), expected.colour.flatten()[some]),
        _told(heads.part(seen[:PARTED]), expected.part.flatten()[few]),
        smooth_l1_loss(depth, expected.depth.flatten()[some], beta=0.2),
        (apart * thing).sum() / thing.sum().clamp(min=1),
        smooth_l1_loss(light, rows_of(expected.light)[some], beta=0.05),
    ]
    return torch.stack(told)


def _told(scores: Tensor, expected: Tensor) -> Tensor:
    """Cross-entropy where there is something to be said, 0 where there is nothing at all."""
    every = cross_entropy(scores.float(), expected, ignore_index=NONE, reduction="none")
    return every.sum() / (expected != NONE).sum().clamp(min=1)


def figures(
    centre: Any,
    rarest: Any,
    colour: Any,
    centre_wanted: Any,
    rarest_wanted: Any,
    colour_wanted: Any,
    near: Any,
    size: Any,
) -> dict[str, float]:
    """How often cells are told rightly; small classes weigh alike, however many cells show them."""
    said, asked = CLASS_OF_SORT[rarest], CLASS_OF_SORT[rarest_wanted]
    counts = np.bincount(asked, minlength=256)
    right = np.bincount(asked, said == asked, 256) / np.maximum(counts, 1)
    large = np.bincount(asked, size, 256) / np.maximum(counts, 1)
    small = [k for k in np.argsort(-counts, kind="stable") if k >= CLASS_BASE and counts[k] and large[k] < SMALLEST]
    has = colour_wanted >= 0
    return {
        "class of the middle": float((CLASS_OF_SORT[centre] == CLASS_OF_SORT[centre_wanted]).mean()),
        "class of the rarest": float((said == asked).mean()),
        "class and variant": float((rarest == rarest_wanted).mean()),
        "mean of small classes": float(right[small[:SMALL]].mean()) if small else 0.0,
        "colour": float((colour == colour_wanted)[has].mean()) if has.any() else 0.0,
        "error of log depth": float(near.mean()),
        "small classes": float(len(small[:SMALL])),
    }
