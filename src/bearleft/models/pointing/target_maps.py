"""From targets to maps and back: the Gaussian that is learnt, the loss, the cell that is answered."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from bearleft.models.examples import Floats
from bearleft.world.slices import Slicing

SIGMA = 3.0  # cells; the paper does not say, one released copy takes 3


def gaussian(targets: Tensor, rows: int, columns: int, sigma: float = SIGMA) -> Tensor:
    """(b, rows, columns) distributions around targets (b, 2) in cells with fractions; their sums are 1.

    The peak is in the cell that holds the target.
    """
    row = torch.arange(rows, device=targets.device, dtype=torch.float32)
    column = torch.arange(columns, device=targets.device, dtype=torch.float32)
    at = targets.float().floor()
    down = torch.exp(-((row[None] - at[:, :1]) ** 2) / (2 * sigma**2))
    across = torch.exp(-((column[None] - at[:, 1:]) ** 2) / (2 * sigma**2))
    down, across = down / down.sum(1, keepdim=True), across / across.sum(1, keepdim=True)
    return down[:, :, None] * across[:, None, :]


def divergence(scores: Tensor, expected: Tensor) -> Tensor:
    """(b,) KL divergence of what is wanted from the softmax of scores, in single precision."""
    told: Tensor = log_softmax(scores.flatten(1).float(), dim=1)
    goal = expected.flatten(1)
    apart: Tensor = torch.special.xlogy(goal, goal) - goal * told
    return apart.sum(1)


def modes(scores: Tensor) -> Tensor:
    """(b, 2) rows and columns of the highest scores."""
    best = scores.flatten(1).argmax(1)
    return torch.stack([best // scores.shape[2], best % scores.shape[2]], 1)


def answers(cells: Tensor, slicing: Slicing) -> Floats:
    """(n, 2) headings from the yaw and pitches of the middles of cells (n, 2)."""
    row, column = cells.cpu().numpy().astype(np.float64).T
    return np.column_stack(slicing.directions(row + 0.5, column + 0.5))
