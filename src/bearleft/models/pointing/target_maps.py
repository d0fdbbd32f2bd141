"""Target distributions over the feature map, and the direction that a cell stands for.

`TargetMaps` has Refer360's three levels. REGION: a Gaussian around the target, as in Touchdown. PIXEL: the one cell
that contains the target. OBJECT: a uniform distribution over the cells that show the object at the target, or the
nearest one; `objects.nearest_objects` selects it, as it does in evaluation. If the object covers no cell's centre, the
target's own cell is used instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from bearleft.models.examples import Examples
from bearleft.models.pointing.levels import OBJECT, PIXEL, REGION, check_level
from bearleft.models.pointing.objects import instance_maps, nearest_objects
from bearleft.world.slices import Slicing

if TYPE_CHECKING:
    from bearleft.types import Floats

SIGMA = 3.0  # cells; the paper does not say, one released copy takes 3


class TargetMaps:
    """Target distributions (b, rows, columns) of examples, given by their indices (b,).

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
        self.notes: list[str] = []
        if level == OBJECT:
            maps = instance_maps(panoramas, slicing)
            instance = nearest_objects(examples, examples.to_directions(examples.targets))[:, 0]
            invisible = sum(not (maps[k] == target).any() for k, target in zip(panorama_index, instance, strict=True))
            if invisible:
                replaced = f"{invisible:,} of {len(examples):,} training examples are trained on the target's own cell"
                self.notes.append(f"{replaced}: the object next to it covers no cell's centre")
            self.maps, self.panorama_index, self.instance = (
                torch.from_numpy(array).to(targets.device) for array in (maps, panorama_index, instance)
            )

    def __call__(self, indices: Tensor) -> Tensor:
        """Return the target distributions (b, rows, columns) of the examples at indices (b,)."""
        targets = self.targets[indices]
        if self.level == REGION:
            return gaussian(targets, *self.shape, self.sigma)
        pixel = one_hot_map(targets, *self.shape)
        if self.level == PIXEL:
            return pixel
        visible = (self.maps[self.panorama_index[indices]] == self.instance[indices][:, None, None]).float()
        count = visible.sum((1, 2), keepdim=True)
        return torch.where(count > 0, visible / count.clamp(min=1.0), pixel)


def one_hot_map(targets: Tensor, rows: int, columns: int) -> Tensor:
    """Return (b, rows, columns) with 1 in the cell that contains the target, 0 elsewhere."""
    row, column = targets.floor().long().unbind(1)
    index = row.clamp(0, rows - 1) * columns + column.clamp(0, columns - 1)
    zeros = torch.zeros(len(targets), rows * columns, device=targets.device)
    return zeros.scatter(1, index[:, None], 1.0).view(-1, rows, columns)


def gaussian(targets: Tensor, rows: int, columns: int, sigma: float = SIGMA) -> Tensor:
    """Return distributions (b, rows, columns) around targets (b, 2), given in cells with fractions.

    The peak is in the cell that contains the target.
    """
    row = torch.arange(rows, device=targets.device, dtype=torch.float32)
    column = torch.arange(columns, device=targets.device, dtype=torch.float32)
    cell = targets.float().floor()
    down = torch.exp(-((row[None] - cell[:, :1]) ** 2) / (2 * sigma**2))
    across = torch.exp(-((column[None] - cell[:, 1:]) ** 2) / (2 * sigma**2))
    down, across = down / down.sum(1, keepdim=True), across / across.sum(1, keepdim=True)
    return down[:, :, None] * across[:, None, :]


def argmax_cells(scores: Tensor) -> Tensor:
    """Return rows and columns (b, 2) of the highest scores."""
    best = scores.flatten(1).argmax(1)
    return torch.stack([best // scores.shape[2], best % scores.shape[2]], 1)


def cell_directions(cells: Tensor, slicing: Slicing) -> Floats:
    """Return headings relative to the yaw, and pitches, (n, 2), of the centres of cells (n, 2)."""
    row, column = cells.cpu().numpy().astype(np.float64).T
    return np.column_stack(slicing.to_directions(row + 0.5, column + 0.5))
