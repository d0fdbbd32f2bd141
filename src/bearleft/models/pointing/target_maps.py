"""Target distributions over the feature map, the loss, and the direction that a cell stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from bearleft.world.slices import Slicing

if TYPE_CHECKING:
    from bearleft.types import Floats

SIGMA = 3.0  # cells; the paper does not say, one released copy takes 3


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


def kl_divergence(scores: Tensor, expected: Tensor) -> Tensor:
    """Return the KL divergence (b,) of the expected distributions from the softmax of scores, in single precision."""
    log_probabilities: Tensor = log_softmax(scores.flatten(1).float(), dim=1)
    target = expected.flatten(1)
    terms: Tensor = torch.special.xlogy(target, target) - target * log_probabilities
    return terms.sum(1)


def argmax_cells(scores: Tensor) -> Tensor:
    """Return rows and columns (b, 2) of the highest scores."""
    best = scores.flatten(1).argmax(1)
    return torch.stack([best // scores.shape[2], best % scores.shape[2]], 1)


def cell_directions(cells: Tensor, slicing: Slicing) -> Floats:
    """Return headings relative to the yaw, and pitches, (n, 2), of the centres of cells (n, 2)."""
    row, column = cells.cpu().numpy().astype(np.float64).T
    return np.column_stack(slicing.to_directions(row + 0.5, column + 0.5))
