"""Perspective views out of a stored panorama beside py360convert's and OpenCV's own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.bench.harness import Benchmark, Contender, Inputs, Result, run
from bearleft.bench.views.peers import FOV, HEIGHT, STEP, WIDTH, one_thread, thumbnails
from bearleft.geometry import View, to_equirectangular
from bearleft.records import Direction
from bearleft.world.album.album import Album
from bearleft.world.album.views import Sphere
from bearleft.world.album.write import Order, write_album
from bearleft.world.render.camera import view

PEERS = Path(__file__).with_name("peers.py")
REQUIREMENTS = ("opencv-python-headless>=4.10", "py360convert>=1.0")
ACROSS = 2048  # pixels of the panorama
MANY, FEW = 24, 6  # poses; py360convert keeps what it computed for the last eight
GOLDEN = 137.50776405003785  # degrees: headings that never come again
AGREEMENT = 3.0  # of 255, of blocks of 16 x 16 pixels
Work = tuple[Callable[[], Any], Callable[[Any], Any]]


def views(rounds: int = 9, across: int = ACROSS) -> Result:
    """`bearleft bench views`."""
    picture = stored(across)
    remap = (
        Contender("cv2.remap, float maps made before", f"{PEERS}:remap", apart=True),
        Contender("cv2.remap, fixed-point maps made before", f"{PEERS}:remap_fixed", apart=True),
    )
    cases: tuple[tuple[str, int, str, tuple[Contender, ...]], ...] = (
        ("24 poses again and again", MANY, "ours", (_py360(""), *remap)),
        ("6 poses again and again", FEW, "ours", (_py360(""), *remap)),
        ("poses never seen before", MANY, "ours_anew", (_py360("_anew"), *remap)),
    )
    result = Result()
    for name, count, function, peers in cases:
        ours, given = Contender("bearleft", f"{__name__}:{function}"), partial(inputs, picture, count)
        benchmark = Benchmark(name, given, ours, peers, REQUIREMENTS, "bytes", AGREEMENT, core_seconds=True)
        found = run(benchmark, rounds)
        per_view = {"unit": f"core-seconds per view of {WIDTH} x {HEIGHT}"}
        result.rows += [
            row | per_view | {"ours": row["ours"] / count, "peer": row["peer"] / count} for row in found.rows
        ]
        result.remarks = [f"Panorama of {across} x {across // 2} from a file; it is read before.", *found.remarks[1:]]
    return result


def _py360(form: str) -> Contender:
    return Contender("py360convert", f"{PEERS}:py360convert{form}", apart=True, note="with OpenCV")


def stored(across: int = ACROSS) -> Any:
    """A panorama of a city that was written to a file and read back."""
    with tempfile.TemporaryDirectory(prefix="bearleft-bench-") as folder:
        write_album(folder, "city/1/4x5", Order((across, across // 2)), places="40..40")
        return Album.open(folder).rgb(0)


def inputs(picture: Any, count: int) -> Inputs:
    """The panorama, poses (heading, pitch), and where their pixels lie in it, as OpenCV counts."""
    numbers = np.arange(count)
    poses = np.column_stack([(numbers * GOLDEN + 180.0) % 360.0 - 180.0, numbers * 17 % 61 - 30.0])
    height, width = picture.shape[:2]
    x, y = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    columns, rows = [], []
    for heading, pitch in poses.tolist():
        seen = View(Direction(heading, pitch), WIDTH, HEIGHT, FOV).direction(x, y)
        column, row = to_equirectangular(*seen, width, height)
        columns.append(np.maximum(column - 0.5, 0.0).astype(np.float32))
        rows.append((row - 0.5).astype(np.float32))
    return {"panorama": picture, "poses": poses, "columns": np.stack(columns), "rows": np.stack(rows)}


def ours(given: Inputs) -> Work:
    """Views as environments cut them."""
    one_thread()
    sphere, lens, poses = Sphere(given["panorama"]), view(WIDTH, HEIGHT, FOV), given["poses"].tolist()
    return lambda: [sphere.view(heading, pitch, lens) for heading, pitch in poses], thumbnails


def ours_anew(given: Inputs) -> Work:
    """The same with poses that were never asked for before."""
    one_thread()
    sphere, lens, poses, calls = Sphere(given["panorama"]), view(WIDTH, HEIGHT, FOV), given["poses"], [0]

    def work() -> Any:
        shifted = (poses + STEP * calls[0]).tolist()
        calls[0] += 1
        return [sphere.view(heading, pitch, lens) for heading, pitch in shifted]

    return work, thumbnails
