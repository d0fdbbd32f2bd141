"""Views out of panoramas on a GPU: grid_sample there against the CPU's, and how many a second.

    python -m bearleft.bench.views.gpu [--json FILE]

Needs torch with CUDA; nothing else that a CPU would not need.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.geometry import from_equirectangular, vector
from bearleft.world.album import torch_views as grid
from bearleft.world.render.camera import Lens, view

ROUNDS = 7
PANORAMA = (1024, 2048)
# Panoramas, views of each, and the view.
BATCHES = ((1, 64, view(640, 480)), (16, 16, view(640, 480)), (64, 16, view(224, 224)))


def picture(seed: int, height: int, width: int) -> Any:
    """A panorama that is smooth on the sphere: waves in its directions, other ones for every seed."""
    y, x = np.mgrid[0:height, 0:width] + 0.5
    directions = vector(*from_equirectangular(x, y, width, height))
    waves = np.random.default_rng(seed).normal(size=(3, 3)) * 9.0
    return np.rint(127.5 + 127.0 * np.sin(directions @ waves)).astype(np.uint8)


def poses(count: int, each: int) -> tuple[Any, Any, Any]:
    """Headings, pitches and rolls (count, each), the poles and the seam among them."""
    rng = np.random.default_rng(0)
    headings, pitches = rng.uniform(-360, 720, (count, each)), rng.uniform(-90, 90, (count, each))
    rolls = rng.uniform(-30, 30, (count, each))
    headings[0, 0], pitches[0, : min(each, 2)] = 180.0, [90.0, -90.0][: min(each, 2)]
    return headings, pitches, rolls


def agreement(lens: Lens, device: str = "cuda") -> dict[str, Any]:
    """How far views on the GPU lie from the CPU's, and from OpenCV's where that is installed."""
    pictures = np.stack([picture(k, *PANORAMA) for k in range(2)])
    looks, yaws = poses(2, 6), np.array([33.0, -100.0])
    there = grid.views(grid.to_tensor(pictures, device), *looks[:2], lens, yaws, looks[2]).cpu().numpy()
    here = grid.views(grid.to_tensor(pictures), *looks[:2], lens, yaws, looks[2]).numpy()
    off = np.abs(there.astype(int) - here)
    found = {"name": "gpu - cpu", "largest": int(off.max()), "share_beyond_1": float((off > 1).mean())}
    try:
        import cv2  # noqa: F401
    except ImportError:
        return found
    from bearleft.world.album.views import Sphere

    ours = [Sphere(p, yaw).views(h, q, lens, r) for p, yaw, h, q, r in zip(pictures, yaws, *looks, strict=True)]
    off = np.abs(there.astype(int) - np.moveaxis(np.stack(ours), -1, 2))
    return found | {"opencv_largest": int(off.max()), "opencv_share_beyond_2": float((off > 2).mean())}


def speed(count: int, each: int, lens: Lens, device: str = "cuda", rounds: int = ROUNDS) -> dict[str, Any]:
    """Views a second out of panoramas that lie on the GPU, in medians."""
    import torch

    wait: Any = torch.cuda.synchronize if device == "cuda" else lambda: None
    pictures = grid.to_tensor(np.stack([picture(k % 4, *PANORAMA) for k in range(count)]), device)
    looks = [torch.as_tensor(x, device=device) for x in poses(count, each)]
    seconds = []
    for _ in range(rounds + 1):
        wait()
        begin = time.perf_counter()
        grid.views(pictures, looks[0], looks[1], lens, 0.0, looks[2])
        wait()
        seconds.append(time.perf_counter() - begin)
    middle = statistics.median(seconds[1:])
    name = f"{count} panoramas of 2048 x 1024, {each} views of {lens.width} x {lens.height} each"
    return {"name": name, "views_per_second": round(count * each / middle), "seconds": middle, "rounds": rounds}


def main() -> None:
    """Prints a line for each figure; with --json FILE they go there too."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--device", default="cuda")
    asked = parser.parse_args()
    if asked.device == "cuda" and not torch.cuda.is_available():
        sys.exit("bearleft: no CUDA GPU; --device cpu tries the same there")
    rows: list[dict[str, Any]] = [agreement(view(640, 480, 75.0), asked.device)]
    rows += [speed(*batch, asked.device) for batch in BATCHES]
    for row in rows:
        print(json.dumps(row), flush=True)
    if asked.json:
        Path(asked.json).write_text(json.dumps(rows, indent=1))
    if rows[0]["largest"] > 2 or rows[0].get("opencv_share_beyond_2", 0.0) > 0.001:
        sys.exit("bearleft: the GPU's views are not the CPU's")


if __name__ == "__main__":
    main()
