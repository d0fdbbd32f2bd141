"""Geometry of looking in torch: directions, views, and the memory of features.

A view is a square picture, 90 degrees across; coordinates in its plane are x to the right and y down, from -1 to 1.
The memory is a grid over the sphere between two latitudes, with cells of equal extent in heading and pitch.
Directions are (..., 2): heading and pitch in degrees.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d, grid_sample

SUBSAMPLES = 2  # samples of a view per side of a cell of the sphere


@dataclass(frozen=True)
class SphereGrid:
    """A grid of directions, `max_pitch` degrees up and down and all headings; its middle column is straight ahead."""

    rows: int = 20
    columns: int = 60
    max_pitch: float = 60.0

    def directions(self, device: torch.device | str = "cpu", subsamples: int = 1) -> Tensor:
        """Return the directions of cell centres (rows, columns, 2), headings from -180 to 180.

        Each cell is divided into `subsamples` rows and as many columns.
        """
        rows, columns = self.rows * subsamples, self.columns * subsamples
        pitch = self.max_pitch - (torch.arange(rows, device=device) + 0.5) * (2 * self.max_pitch / rows)
        heading = (torch.arange(columns, device=device) + 0.5) * (360.0 / columns) - 180.0
        return torch.stack([heading.expand(rows, columns), pitch[:, None].expand(rows, columns)], -1)


@dataclass(frozen=True, eq=False)
class Memory:
    """Features seen so far by n players: the mean over all views of a cell, and the number of views."""

    features: Tensor  # (n, channels, rows, columns)
    view_count: Tensor  # (n, 1, rows, columns), 0 where nothing was seen

    @classmethod
    def empty(cls, grid: SphereGrid, count: int, channels: int, like: Tensor) -> Memory:
        """Return the memory of players that have seen nothing yet, with dtype and device of `like`."""
        shape = grid.rows, grid.columns
        return cls(like.new_zeros(count, channels, *shape), like.new_zeros(count, 1, *shape))

    def subset(self, indices: Tensor) -> Memory:
        """Return the memory of some players."""
        return Memory(self.features[indices], self.view_count[indices])

    def assign(self, indices: Tensor, other: Memory) -> None:
        """Replace the memory of some players."""
        self.features[indices], self.view_count[indices] = other.features, other.view_count

    def add_view(self, grid: SphereGrid, view: Tensor, look: Tensor) -> Memory:
        """Return the memory with one more view (n, channels, side, side) in direction `look` (n, 2) each."""
        value, weight = splat(grid, view, look)
        total = self.view_count + weight
        mean = (self.features * self.view_count + value * weight) / total.clamp(min=1e-6)
        return Memory(mean.to(self.features.dtype), total.to(self.view_count.dtype))

    def centred_on(self, heading: Tensor) -> Memory:
        """Return the memory rotated so that a heading (n,) is in the middle."""
        return Memory(centre_heading(self.features, heading), centre_heading(self.view_count, heading))


def unit_vectors(direction: Tensor) -> Tensor:
    """Return unit vectors (..., 3): east, north and up."""
    heading, pitch = torch.deg2rad(direction.float()).unbind(-1)
    horizontal = pitch.cos()
    return torch.stack([heading.sin() * horizontal, heading.cos() * horizontal, pitch.sin()], -1)


def view_axes(look: Tensor) -> Tensor:
    """Return the world's vectors to a view's right, down, and ahead, as rows: (n, 3, 3)."""
    ahead = unit_vectors(look)
    heading = torch.deg2rad(look[..., 0].float())
    right = torch.stack([heading.cos(), -heading.sin(), torch.zeros_like(heading)], -1)
    return torch.stack([right, torch.linalg.cross(ahead, right), ahead], -2)


def _apply(matrices: Tensor, rays: Tensor) -> Tensor:
    """Multiply matrices (n, 3, 3) with vectors (n, ..., 3), in single precision whatever autocast says."""
    flat = rays.reshape(len(rays), -1, 1, 3)
    return (matrices[:, None] * flat).sum(-1).reshape(rays.shape)


def project(look: Tensor, direction: Tensor) -> tuple[Tensor, Tensor]:
    """Return x and y (n, ..., 2) of directions (n, ..., 2) in views (n, 2), and whether they lie inside them."""
    rotated = _apply(view_axes(look), unit_vectors(direction))
    depth = rotated[..., 2]
    point = rotated[..., :2] / torch.where(depth > 1e-4, depth, torch.ones_like(depth))[..., None]
    return point, (depth > 1e-4) & (point.abs() <= 1.0).all(-1)


def unproject(look: Tensor, point: Tensor) -> Tensor:
    """Return directions (n, ..., 2) of points x, y (n, ..., 2) in views (n, 2)."""
    rays = torch.cat([point.float(), torch.ones_like(point[..., :1], dtype=torch.float32)], -1)
    east, north, up = _apply(view_axes(look).transpose(1, 2), rays).unbind(-1)
    heading = torch.rad2deg(torch.atan2(east, north)) % 360.0
    return torch.stack([heading, torch.rad2deg(torch.atan2(up, torch.hypot(east, north)))], -1)


def view_grid(side: int, device: torch.device | str = "cpu") -> Tensor:
    """Return x and y of the centres of a view's cells: (side, side, 2)."""
    centre = (torch.arange(side, device=device) + 0.5) * (2.0 / side) - 1.0
    return torch.stack([centre.expand(side, side), centre[:, None].expand(side, side)], -1)


def splat(grid: SphereGrid, view: Tensor, look: Tensor) -> tuple[Tensor, Tensor]:
    """Resample views (n, channels, side, side) onto the sphere: values, and the share of each cell that they cover."""
    directions = grid.directions(view.device, SUBSAMPLES)
    point, inside = project(look, directions.expand(len(look), *directions.shape))
    weight = inside[:, None].float()
    samples = grid_sample(view.float(), point, padding_mode="border", align_corners=False) * weight
    share = avg_pool2d(weight, SUBSAMPLES)
    return avg_pool2d(samples, SUBSAMPLES) / share.clamp(min=1e-3), share


def centre_heading(maps: Tensor, heading: Tensor) -> Tensor:
    """Rotate maps (n, channels, rows, columns) of the sphere so that a heading (n,) is in the middle."""
    columns = maps.shape[3]
    shift = heading.float() * (columns / 360.0)
    whole = shift.floor()
    fraction = (shift - whole).to(maps.dtype)[:, None, None, None]
    index = (torch.arange(columns, device=maps.device) + whole.long()[:, None]) % columns
    left = maps.gather(3, index[:, None, None, :].expand(maps.shape))
    right = maps.gather(3, ((index + 1) % columns)[:, None, None, :].expand(maps.shape))
    return left * (1 - fraction) + right * fraction


def sample_map(grid: SphereGrid, maps: Tensor, direction: Tensor) -> Tensor:
    """Sample maps (n, channels, rows, columns) in directions (n, a, b, 2) whose headings count from the middle."""
    wrapped = torch.cat([maps[..., -1:], maps, maps[..., :1]], -1)
    column = ((direction[..., 0] + 180.0) % 360.0) * (grid.columns / 360.0) + 1.0
    row = (grid.max_pitch - direction[..., 1]) * (grid.rows / (2 * grid.max_pitch))
    points = torch.stack([2 * column / (grid.columns + 2) - 1, 2 * row / grid.rows - 1], -1)
    return grid_sample(wrapped.float(), points.float(), padding_mode="border", align_corners=False)


def spherical_gaussian(directions: Tensor, goal: Tensor, sigma: float) -> Tensor:
    """Return distributions (n, a, b) over directions (n or 1, a, b, 2) around a goal (n, 2)."""
    distance = angular_distance(directions, goal[:, None, None])
    return torch.softmax((-(distance**2) / (2 * sigma**2)).flatten(1), 1).reshape(distance.shape)


def angular_distance(first: Tensor, second: Tensor) -> Tensor:
    """Return the degrees between directions (..., 2) along the great circle."""
    chord = (unit_vectors(first) - unit_vectors(second)).norm(dim=-1)
    return torch.rad2deg(2 * torch.asin((chord / 2).clamp(max=1.0)))
