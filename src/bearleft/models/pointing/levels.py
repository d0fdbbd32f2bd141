"""Training targets at Refer360's three levels.

REGION: a Gaussian around the target, as in Touchdown. PIXEL: the one cell that contains the target. OBJECT: a uniform
distribution over the cells that show the object at the target, or the nearest one; `objects.nearest_objects` decides
which one that is, as it does in evaluation. An object that covers no cell's centre is replaced by the target's own
cell.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

from bearleft.errors import InputError, unknown_name
from bearleft.models.examples import Examples
from bearleft.models.pointing.objects import instance_maps, nearest_objects
from bearleft.models.pointing.target_maps import SIGMA, gaussian
from bearleft.world.slices import Slicing
from bearleft.world.worlds import world_kind

REGION, PIXEL, OBJECT = LEVELS = ("region", "pixel", "object")


def check_level(level: str, worlds: Iterable[str] = ()) -> str:
    """Return a level that all worlds have.

    Raises:
        InputError: The level is unknown, or it is OBJECT and a world is not rendered, so its objects are unknown.
    """
    if level not in LEVELS:
        raise unknown_name("level", level, LEVELS)
    if level == OBJECT and (other := sorted({world for world in worlds if not world_kind(world).rendered_places})):
        hint = "Objects in real pictures are unknown; use the level region or pixel."
        raise InputError("worlds whose objects are known: city/..., rooms/...", ", ".join(other), "level", hint=hint)
    return level


class TargetMaps:
    """Target distributions (b, rows, columns) of rows (b,) of examples.

    Args:
        level: One of LEVELS.
        examples: The examples.
        targets: (n, 2) their cells, with fractions. All other tensors lie on the same device, so that a call
            synchronizes nothing.
        slicing: The slicing of the feature map.
        sigma: The Gaussian's width in cells.
    """

    def __init__(self, level: str, examples: Examples, targets: Tensor, slicing: Slicing, sigma: float = SIGMA) -> None:
        used, panorama_index = np.unique(examples.panorama_indices, return_inverse=True)
        panoramas = [examples.panoramas[k] for k in used]
        self.level = check_level(level, (panorama.world for panorama in panoramas))
        self.targets, self.sigma, self.shape = targets, sigma, (slicing.rows, slicing.columns)
        self.remarks: list[str] = []
        if level == OBJECT:
            maps = instance_maps(panoramas, slicing)
            instance = nearest_objects(examples, examples.to_directions(examples.targets))[:, 0]
            invisible = sum(not (maps[k] == target).any() for k, target in zip(panorama_index, instance, strict=True))
            if invisible:
                replaced = f"{invisible:,} of {len(examples):,} training examples are trained on the target's own cell"
                self.remarks.append(f"{replaced}: the object next to it covers no cell's centre")
            self.maps, self.panorama_index, self.instance = (
                torch.from_numpy(array).to(targets.device) for array in (maps, panorama_index, instance)
            )

    def __call__(self, rows: Tensor) -> Tensor:
        """Return the target distributions (b, rows, columns) of examples (b,)."""
        targets = self.targets[rows]
        if self.level == REGION:
            return gaussian(targets, *self.shape, self.sigma)
        pixel = one_hot_map(targets, *self.shape)
        if self.level == PIXEL:
            return pixel
        visible = (self.maps[self.panorama_index[rows]] == self.instance[rows][:, None, None]).float()
        count = visible.sum((1, 2), keepdim=True)
        return torch.where(count > 0, visible / count.clamp(min=1.0), pixel)


def one_hot_map(targets: Tensor, rows: int, columns: int) -> Tensor:
    """Return (b, rows, columns) with 1 in the cell that contains the target, 0 elsewhere."""
    row, column = targets.floor().long().unbind(1)
    index = row.clamp(0, rows - 1) * columns + column.clamp(0, columns - 1)
    zeros = torch.zeros(len(targets), rows * columns, device=targets.device)
    return zeros.scatter(1, index[:, None], 1.0).view(-1, rows, columns)
