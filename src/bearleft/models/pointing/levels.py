"""What a network learns to answer, at one of Refer360's three levels.

REGION: a Gaussian around the target, as in Touchdown. PIXEL: the one cell that holds the target. OBJECT: the cells
that show the thing the target lies on, or the nearest one, all alike; which one that is, `things` says, as it does
where answers are measured. A thing too small for any cell's middle is the cell that holds the target.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

from bearleft.errors import InputError, unknown
from bearleft.models.examples import Examples
from bearleft.models.pointing.objects import OURS, instances, next_to
from bearleft.models.pointing.target_maps import SIGMA, gaussian
from bearleft.world.slices import Slicing

REGION, PIXEL, OBJECT = LEVELS = ("region", "pixel", "object")


def check_level(level: str, worlds: Iterable[str] = ()) -> str:
    """A level that there is in all worlds, or an error: things are known in our own alone."""
    if level not in LEVELS:
        raise unknown("level", level, LEVELS)
    if level == OBJECT and (other := sorted({world for world in worlds if not world.startswith(OURS)})):
        hint = "Real pictures do not say what their things are; the levels region and pixel are there."
        raise InputError("worlds whose things are known: city/..., rooms/...", ", ".join(other), "level", hint=hint)
    return level


class Wanted:
    """Of rows (b,) of examples, what their answers should be: (b, rows, columns) distributions over cells.

    `targets` (n, 2) are the examples' cells, with fractions. All else lies where they do, and asking waits for nothing.
    """

    def __init__(self, level: str, examples: Examples, targets: Tensor, slicing: Slicing, sigma: float = SIGMA) -> None:
        used, pictures = np.unique(examples.pictures, return_inverse=True)
        panoramas = [examples.panoramas[k] for k in used]
        self.level = check_level(level, (one.world for one in panoramas))
        self.targets, self.sigma, self.shape = targets, sigma, (slicing.rows, slicing.columns)
        self.remarks: list[str] = []
        if level == OBJECT:
            maps, thing = instances(panoramas, slicing), next_to(examples, examples.directions(examples.targets))[:, 0]
            hidden = sum(not (maps[k] == one).any() for k, one in zip(pictures, thing, strict=True))
            if hidden:
                told = f"{hidden:,} of {len(examples):,} training examples ask for the target's own cell"
                self.remarks.append(f"{told}: the thing next to it fills the middle of none")
            self.maps, self.pictures, self.thing = (
                torch.from_numpy(one).to(targets.device) for one in (maps, pictures, thing)
            )

    def __call__(self, rows: Tensor) -> Tensor:
        at = self.targets[rows]
        if self.level == REGION:
            return gaussian(at, *self.shape, self.sigma)
        spot = one_cell(at, *self.shape)
        if self.level == PIXEL:
            return spot
        shows = (self.maps[self.pictures[rows]] == self.thing[rows][:, None, None]).float()
        many = shows.sum((1, 2), keepdim=True)
        return torch.where(many > 0, shows / many.clamp(min=1.0), spot)


def one_cell(targets: Tensor, rows: int, columns: int) -> Tensor:
    """(b, rows, columns): 1 in the cell that holds the target, 0 elsewhere."""
    row, column = targets.floor().long().unbind(1)
    at = row.clamp(0, rows - 1) * columns + column.clamp(0, columns - 1)
    empty = torch.zeros(len(targets), rows * columns, device=targets.device)
    return empty.scatter(1, at[:, None], 1.0).view(-1, rows, columns)
