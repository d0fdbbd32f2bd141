"""Benchmark of perspective views from a stored panorama, against py360convert and OpenCV."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.bench.harness import Benchmark, BenchResult, Contender, Inputs, run
from bearleft.bench.views.peers import FOV, HEIGHT, STEP, WIDTH, single_threaded_cv2, thumbnails
from bearleft.geometry import View, to_equirectangular
from bearleft.records import Direction
from bearleft.world.album.album import Album
from bearleft.world.album.views import Sphere
from bearleft.world.album.write import AlbumConfig, write_album
from bearleft.world.render.camera import view

PEERS = Path(__file__).with_name("peers.py")
REQUIREMENTS = ("opencv-python-headless>=4.10", "py360convert>=1.0")
PANORAMA_WIDTH = 2048  # pixels of the panorama
MANY_POSES, FEW_POSES = 24, 6  # poses; py360convert keeps what it computed for the last eight
GOLDEN_ANGLE = 137.50776405003785  # degrees: headings never repeat
TOLERANCE = 3.0  # of 255, of blocks of 16 x 16 pixels
Workload = tuple[Callable[[], Any], Callable[[Any], Any]]


def views(rounds: int = 9, width: int = PANORAMA_WIDTH) -> BenchResult:
    """Run `bearleft bench views` on the CPU."""
    picture = stored_panorama(width)
    remap = (
        Contender("cv2.remap, float maps made before", f"{PEERS}:remap", in_peer_environment=True),
        Contender("cv2.remap, fixed-point maps made before", f"{PEERS}:remap_fixed", in_peer_environment=True),
    )
    cases: tuple[tuple[str, int, str, tuple[Contender, ...]], ...] = (
        ("24 poses again and again", MANY_POSES, "ours", (_py360(""), *remap)),
        ("6 poses again and again", FEW_POSES, "ours", (_py360(""), *remap)),
        ("poses never seen before", MANY_POSES, "ours_new_poses", (_py360("_new_poses"), *remap)),
    )
    result = BenchResult()
    for name, count, function, peers in cases:
        ours, inputs = Contender("bearleft", f"{__name__}:{function}"), partial(make_inputs, picture, count)
        benchmark = Benchmark(name, inputs, ours, peers, REQUIREMENTS, "bytes", TOLERANCE, core_seconds=True)
        timed = run(benchmark, rounds)
        per_view = {"unit": f"core-seconds per view of {WIDTH} x {HEIGHT}"}
        result.rows += [
            row | per_view | {"ours": row["ours"] / count, "peer": row["peer"] / count} for row in timed.rows
        ]
        result.remarks = [f"Panorama of {width} x {width // 2} from a file; it is read before.", *timed.remarks[1:]]
    return result


def _py360(suffix: str) -> Contender:
    return Contender("py360convert", f"{PEERS}:py360convert{suffix}", in_peer_environment=True, note="with OpenCV")


def stored_panorama(width: int = PANORAMA_WIDTH) -> Any:
    """Return a panorama of a city that was written to a file and read back."""
    with tempfile.TemporaryDirectory(prefix="bearleft-bench-") as folder:
        write_album(folder, "city/1/4x5", AlbumConfig((width, width // 2)), places="40..40")
        return Album.open(folder).rgb(0)


def make_inputs(picture: Any, count: int) -> Inputs:
    """Return the panorama, poses (heading, pitch), and the positions of their pixels in it, as OpenCV counts."""
    numbers = np.arange(count)
    poses = np.column_stack([(numbers * GOLDEN_ANGLE + 180.0) % 360.0 - 180.0, numbers * 17 % 61 - 30.0])
    height, columns_of_panorama = picture.shape[:2]
    x, y = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    columns, rows = [], []
    for heading, pitch in poses.tolist():
        directions = View(Direction(heading, pitch), WIDTH, HEIGHT, FOV).direction(x, y)
        column, row = to_equirectangular(*directions, columns_of_panorama, height)
        columns.append(np.maximum(column - 0.5, 0.0).astype(np.float32))
        rows.append((row - 0.5).astype(np.float32))
    return {"panorama": picture, "poses": poses, "columns": np.stack(columns), "rows": np.stack(rows)}


def ours(inputs: Inputs) -> Workload:
    """Cut views as environments do."""
    single_threaded_cv2()
    sphere, lens, poses = Sphere(inputs["panorama"]), view(WIDTH, HEIGHT, FOV), inputs["poses"].tolist()
    return lambda: [sphere.view(heading, pitch, lens) for heading, pitch in poses], thumbnails


def ours_new_poses(inputs: Inputs) -> Workload:
    """Cut views with poses that are new in every call."""
    single_threaded_cv2()
    sphere, lens, poses, calls = Sphere(inputs["panorama"]), view(WIDTH, HEIGHT, FOV), inputs["poses"], [0]

    def work() -> Any:
        shifted = (poses + STEP * calls[0]).tolist()
        calls[0] += 1
        return [sphere.view(heading, pitch, lens) for heading, pitch in shifted]

    return work, thumbnails
