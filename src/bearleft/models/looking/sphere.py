"""Directions, views and what is remembered of them, in torch: all that `look` needs of geometry.

A view is a square picture, 90 degrees across; its plane's coordinates are x to the right and y down, from -1 to 1. What
one has seen lies on a map of the sphere between two latitudes, in cells of equal headings and pitches. Directions are
(..., 2): heading and pitch in degrees, as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d, grid_sample

FINER = 2  # spots a side at which a view is read for one cell of the sphere


@dataclass(frozen=True)
class Sphere:
    """A map of directions: `steepest` degrees up and down, all the way around; its middle column is ahead."""

    rows: int = 20
    columns: int = 60
    steepest: float = 60.0

    def directions(self, device: torch.device | str = "cpu", finer: int = 1) -> Tensor:
        """(rows, columns, 2): of the cells' middles, headings from -180 to 180; `finer`: of parts of cells."""
        rows, columns = self.rows * finer, self.columns * finer
        pitch = self.steepest - (torch.arange(rows, device=device) + 0.5) * (2 * self.steepest / rows)
        heading = (torch.arange(columns, device=device) + 0.5) * (360.0 / columns) - 180.0
        return torch.stack([heading.expand(rows, columns), pitch[:, None].expand(rows, columns)], -1)


@dataclass(frozen=True, eq=False)
class Memory:
    """What was seen: the mean of all views of a cell, and how many they were (0: nobody looked there)."""

    cells: Tensor  # (n, channels, rows, columns)
    seen: Tensor  # (n, 1, rows, columns)

    @classmethod
    def empty(cls, sphere: Sphere, count: int, channels: int, like: Tensor) -> Memory:
        """Of players who have seen nothing yet."""
        shape = sphere.rows, sphere.columns
        return cls(like.new_zeros(count, channels, *shape), like.new_zeros(count, 1, *shape))

    def some(self, which: Tensor) -> Memory:
        """That of some players."""
        return Memory(self.cells[which], self.seen[which])

    def put(self, which: Tensor, other: Memory) -> None:
        """Another memory for some players."""
        self.cells[which], self.seen[which] = other.cells, other.seen

    def and_view(self, sphere: Sphere, view: Tensor, look: Tensor) -> Memory:
        """With one more view (n, channels, side, side) in the direction `look` (n, 2) each."""
        value, weight = splat(sphere, view, look)
        total = self.seen + weight
        mean = (self.cells * self.seen + value * weight) / total.clamp(min=1e-6)
        return Memory(mean.to(self.cells.dtype), total.to(self.seen.dtype))

    def ahead(self, heading: Tensor) -> Memory:
        """Turned so that a heading (n,) is in the middle."""
        return Memory(rolled(self.cells, heading), rolled(self.seen, heading))


def vectors(direction: Tensor) -> Tensor:
    """(..., 3): of length 1, east, north and up."""
    heading, pitch = torch.deg2rad(direction.float()).unbind(-1)
    flat = pitch.cos()
    return torch.stack([heading.sin() * flat, heading.cos() * flat, pitch.sin()], -1)


def axes(look: Tensor) -> Tensor:
    """(n, 3, 3): the world's vectors to a view's right, down, and ahead, as rows."""
    ahead = vectors(look)
    heading = torch.deg2rad(look[..., 0].float())
    right = torch.stack([heading.cos(), -heading.sin(), torch.zeros_like(heading)], -1)
    return torch.stack([right, torch.linalg.cross(ahead, right), ahead], -2)


def _times(matrices: Tensor, rays: Tensor) -> Tensor:
    """Matrices (n, 3, 3) times vectors (n, ..., 3), in single precision whatever products are computed in."""
    flat = rays.reshape(len(rays), -1, 1, 3)
    return (matrices[:, None] * flat).sum(-1).reshape(rays.shape)


def in_view(look: Tensor, direction: Tensor) -> tuple[Tensor, Tensor]:
    """Where directions (n, ..., 2) lie in views (n, 2): x and y (n, ..., 2), and whether they are in them at all."""
    turned = _times(axes(look), vectors(direction))
    depth = turned[..., 2]
    spot = turned[..., :2] / torch.where(depth > 1e-4, depth, torch.ones_like(depth))[..., None]
    return spot, (depth > 1e-4) & (spot.abs() <= 1.0).all(-1)


def out_of_view(look: Tensor, spot: Tensor) -> Tensor:
    """Directions (n, ..., 2) of spots x, y (n, ..., 2) in views (n, 2)."""
    rays = torch.cat([spot.float(), torch.ones_like(spot[..., :1], dtype=torch.float32)], -1)
    east, north, up = _times(axes(look).transpose(1, 2), rays).unbind(-1)
    heading = torch.rad2deg(torch.atan2(east, north)) % 360.0
    return torch.stack([heading, torch.rad2deg(torch.atan2(up, torch.hypot(east, north)))], -1)


def spots(side: int, device: torch.device | str = "cpu") -> Tensor:
    """(side, side, 2): x and y of the middles of a view's cells."""
    middle = (torch.arange(side, device=device) + 0.5) * (2.0 / side) - 1.0
    return torch.stack([middle.expand(side, side), middle[:, None].expand(side, side)], -1)


def splat(sphere: Sphere, view: Tensor, look: Tensor) -> tuple[Tensor, Tensor]:
    """Views (n, channels, side, side) laid onto the sphere: values, and which share of each cell they show."""
    ways = sphere.directions(view.device, FINER)
    spot, inside = in_view(look, ways.expand(len(look), *ways.shape))
    weight = inside[:, None].float()
    fine = grid_sample(view.float(), spot, padding_mode="border", align_corners=False) * weight
    share = avg_pool2d(weight, FINER)
    return avg_pool2d(fine, FINER) / share.clamp(min=1e-3), share


def rolled(cells: Tensor, heading: Tensor) -> Tensor:
    """Maps (n, channels, rows, columns) of the world turned so that a heading (n,) is in the middle."""
    columns = cells.shape[3]
    shift = heading.float() * (columns / 360.0)
    whole = shift.floor()
    part = (shift - whole).to(cells.dtype)[:, None, None, None]
    at = (torch.arange(columns, device=cells.device) + whole.long()[:, None]) % columns
    first = cells.gather(3, at[:, None, None, :].expand(cells.shape))
    second = cells.gather(3, ((at + 1) % columns)[:, None, None, :].expand(cells.shape))
    return first * (1 - part) + second * part


def sampled(sphere: Sphere, cells: Tensor, direction: Tensor) -> Tensor:
    """Maps (n, channels, rows, columns) read in directions (n, a, b, 2) whose headings count from the middle."""
    around = torch.cat([cells[..., -1:], cells, cells[..., :1]], -1)
    column = ((direction[..., 0] + 180.0) % 360.0) * (sphere.columns / 360.0) + 1.0
    row = (sphere.steepest - direction[..., 1]) * (sphere.rows / (2 * sphere.steepest))
    grid = torch.stack([2 * column / (sphere.columns + 2) - 1, 2 * row / sphere.rows - 1], -1)
    return grid_sample(around.float(), grid.float(), padding_mode="border", align_corners=False)


def near(ways: Tensor, goal: Tensor, sigma: float) -> Tensor:
    """(n, a, b) distributions over directions (n or 1, a, b, 2) that fall off with degrees from a goal (n, 2)."""
    away = degrees(ways, goal[:, None, None])
    return torch.softmax((-(away**2) / (2 * sigma**2)).flatten(1), 1).reshape(away.shape)


def degrees(one: Tensor, other: Tensor) -> Tensor:
    """Between directions (..., 2) along the great circle."""
    return torch.rad2deg(2 * torch.asin(((vectors(one) - vectors(other)).norm(dim=-1) / 2).clamp(max=1.0)))
