"""Benchmark of views cut from panoramas on a GPU: agreement of grid_sample with the CPU, and views per second."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from bearleft.bench.harness import BenchResult, check_parts, describe_machine
from bearleft.geometry import from_equirectangular, unit_vectors
from bearleft.world.album import torch_views
from bearleft.world.render.camera import Lens, view

PARTS = AGREEMENT, SPEED = ("agreement", "speed")
PANORAMA = (1024, 2048)
# Panoramas, views of each, and the view.
BATCHES = ((1, 64, view(640, 480)), (16, 16, view(640, 480)), (64, 16, view(224, 224)))


def smooth_panorama(seed: int, height: int, width: int) -> Any:
    """Return a panorama that is smooth on the sphere: waves over its directions, drawn by the seed."""
    y, x = np.mgrid[0:height, 0:width] + 0.5
    directions = unit_vectors(*from_equirectangular(x, y, width, height))
    waves = np.random.default_rng(seed).normal(size=(3, 3)) * 9.0
    return np.rint(127.5 + 127.0 * np.sin(directions @ waves)).astype(np.uint8)


def random_poses(count: int, per_panorama: int) -> tuple[Any, Any, Any]:
    """Return headings, pitches and rolls (count, per_panorama), the poles and the seam among them."""
    rng = np.random.default_rng(0)
    shape = (count, per_panorama)
    headings, pitches = rng.uniform(-360, 720, shape), rng.uniform(-90, 90, shape)
    rolls = rng.uniform(-30, 30, shape)
    headings[0, 0], pitches[0, : min(per_panorama, 2)] = 180.0, [90.0, -90.0][: min(per_panorama, 2)]
    return headings, pitches, rolls


def agreement(lens: Lens, device: str = "cuda") -> dict[str, Any]:
    """Return the differences of views on the GPU from the CPU's, and from OpenCV's where it is installed."""
    panoramas = np.stack([smooth_panorama(k, *PANORAMA) for k in range(2)])
    poses, yaws = random_poses(2, 6), np.array([33.0, -100.0])
    on_gpu = torch_views.views(torch_views.to_tensor(panoramas, device), *poses[:2], lens, yaws, poses[2]).cpu().numpy()
    on_cpu = torch_views.views(torch_views.to_tensor(panoramas), *poses[:2], lens, yaws, poses[2]).numpy()
    difference = np.abs(on_gpu.astype(int) - on_cpu)
    row = {
        "name": "gpu - cpu",
        "largest": int(difference.max()),
        "share_beyond_1": float((difference > 1).mean()),
    }
    try:
        import cv2  # noqa: F401
    except ImportError:
        return row
    from bearleft.world.album.views import Sphere

    by_opencv = [
        Sphere(panorama, yaw).views(heading, pitch, lens, roll)
        for panorama, yaw, heading, pitch, roll in zip(panoramas, yaws, *poses, strict=True)
    ]
    difference = np.abs(on_gpu.astype(int) - np.moveaxis(np.stack(by_opencv), -1, 2))
    return row | {"opencv_largest": int(difference.max()), "opencv_share_beyond_2": float((difference > 2).mean())}


def speed(count: int, per_panorama: int, lens: Lens, device: str = "cuda", rounds: int = 9) -> dict[str, Any]:
    """Return the median of views per second from panoramas on the device."""
    import torch

    synchronize: Any = torch.cuda.synchronize if device == "cuda" else lambda: None
    panoramas = torch_views.to_tensor(np.stack([smooth_panorama(k % 4, *PANORAMA) for k in range(count)]), device)
    headings, pitches, rolls = (torch.as_tensor(x, device=device) for x in random_poses(count, per_panorama))
    seconds = []
    for _ in range(rounds + 1):
        synchronize()
        begin = time.perf_counter()
        torch_views.views(panoramas, headings, pitches, lens, 0.0, rolls)
        synchronize()
        seconds.append(time.perf_counter() - begin)
    median = statistics.median(seconds[1:])
    name = f"{count} panoramas of 2048 x 1024, {per_panorama} views of {lens.width} x {lens.height} each"
    return {
        "name": name,
        "views_per_second": round(count * per_panorama / median),
        "seconds": median,
        "rounds": rounds,
    }


def views_gpu(rounds: int = 9, only: Sequence[str] = (), device: str = "cuda") -> BenchResult:
    """Run `bearleft bench views --device cuda`.

    Raises:
        RuntimeError: If views on the GPU are not those of the CPU.
    """
    parts = check_parts(only, PARTS)
    rows: list[dict[str, Any]] = []
    if AGREEMENT in parts:
        row = agreement(view(640, 480, 75.0), device)
        if row["largest"] > 2 or row.get("opencv_share_beyond_2", 0.0) > 0.001:
            raise RuntimeError(f"views on the GPU and the CPU do not agree: {row}")
        rows.append(row)
    if SPEED in parts:
        rows += [speed(*batch, device, rounds) for batch in BATCHES]
    return BenchResult(rows, [f"Machine: {describe_machine()}."])
