"""Perspective views out of panoramas with torch, on GPU or CPU: the batched counterpart of `views`.

torch is an optional dependency (extra `learn`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.world.render.camera import Lens

Tensor = Any


def views(
    panoramas: Tensor,
    headings: npt.ArrayLike,
    pitches: npt.ArrayLike,
    lens: Lens,
    yaws: npt.ArrayLike = 0.0,
    rolls: npt.ArrayLike = 0.0,
    smooth: bool = True,
) -> Tensor:
    """Return views (n, m, channels, height, width) out of panoramas (n, channels, height, width), m from each.

    Angles are (n, m), or broadcast to that; yaws are (n,) or one; arrays or tensors. Bytes stay bytes, other types are
    kept. `smooth` interpolates between four pixels, otherwise the nearest one is taken.
    """
    import torch

    if getattr(panoramas, "ndim", 0) != 4:
        got = f"shape {tuple(getattr(panoramas, 'shape', ()))}"
        raise InputError("panoramas as a tensor (n, channels, height, width)", got)
    count, channels, height, width = panoramas.shape
    device = panoramas.device
    heading_angles, pitch_angles, roll_angles = _angles(headings, pitches, rolls, count, device)
    yaw_angles = torch.as_tensor(yaws, dtype=torch.float64, device=device).reshape(-1, 1)
    sample_grid = grid(heading_angles - yaw_angles, pitch_angles, roll_angles, lens, width, height)
    views_each = sample_grid.shape[1]
    floats = panoramas if panoramas.is_floating_point() else panoramas.to(torch.float32)
    sampled = torch.nn.functional.grid_sample(
        _pad(floats),
        sample_grid.reshape(count, views_each * lens.height, lens.width, 2).to(floats.dtype),
        mode="bilinear" if smooth else "nearest",
        padding_mode="border",
        align_corners=False,
    )
    sampled = sampled.reshape(count, channels, views_each, lens.height, lens.width).transpose(1, 2)
    return sampled if panoramas.is_floating_point() else sampled.round().to(panoramas.dtype)


def _angles(headings: Any, pitches: Any, rolls: Any, count: int, device: Any) -> tuple[Tensor, ...]:
    import torch

    angles = [torch.as_tensor(x, dtype=torch.float64, device=device) for x in (headings, pitches, rolls)]
    count_each = max(x.shape[-1] if x.ndim else 1 for x in angles)
    return tuple(x.expand(count, count_each) for x in angles)


def grid(headings: Tensor, pitches: Tensor, rolls: Tensor, lens: Lens, width: int, height: int) -> Tensor:
    """Return where views' pixels lie in padded panoramas, in grid_sample's coordinates.

    The result is (n, m, height, width, 2), from -1 to 1. Headings count from the panorama's centre.
    """
    import torch

    if lens.fov is None:
        raise InputError("a lens with a field of view", "one for the whole sphere", "fov")
    device = headings.device
    x = torch.arange(lens.width, dtype=torch.float32, device=device) + (0.5 - lens.width / 2)
    y = torch.arange(lens.height, dtype=torch.float32, device=device)[:, None] + (0.5 - lens.height / 2)
    level, steep, c, s = (
        f(torch.deg2rad(angle)).to(torch.float32)[..., None, None]
        for angle in (pitches, rolls)
        for f in (torch.cos, torch.sin)
    )
    focal = 1.0 / lens.pixel
    right, down = c * x - s * y, s * x + c * y
    north = down * steep + focal * level
    above = focal * steep - down * level
    share = torch.remainder(headings / 360.0, 1.0).to(torch.float32)[..., None, None]
    # Columns from 0 to 1 of the panorama, then of the padded one; rows likewise.
    column = torch.remainder(torch.atan2(right, north) / (2 * math.pi) + (0.5 + share), 1.0)
    row = 0.5 - torch.atan2(above, torch.hypot(right, north)) / math.pi
    return torch.stack([(2 * column - 1) * (width / (width + 2)), (2 * row - 1) * (height / (height + 2))], dim=-1)


def _pad(panoramas: Tensor) -> Tensor:
    """Return panoramas with an extra column on either side and an extra row beyond either pole, as `views.pad`."""
    import torch

    half = panoramas.shape[-1] // 2
    top, bottom = (torch.roll(panoramas[:, :, row : row + 1], half, dims=-1) for row in (0, panoramas.shape[2] - 1))
    rows = torch.cat([top, panoramas, bottom], dim=2)
    return torch.cat([rows[..., -1:], rows, rows[..., :1]], dim=-1)


def to_tensor(pictures: npt.NDArray[np.uint8], device: str = "cpu") -> Tensor:
    """Return pictures (n, height, width, channels) as a tensor (n, channels, height, width)."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(pictures)).to(device).permute(0, 3, 1, 2).contiguous()
