"""Rendering speed per core-second against a software rasteriser, and its growth with the size of the city."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.bench.harness import Benchmark, BenchResult, Contender, Inputs, peers_python, run
from bearleft.bench.render.scene import CAMERAS, LARGE, SMALL, Size, cameras, city, peer_inputs
from bearleft.errors import InputError
from bearleft.world.city.city import City
from bearleft.world.render.camera import Lens, panorama, view
from bearleft.world.render.cpu import Pictures, render

RASTERISER = Path(__file__).with_name("rasteriser.py")
REQUIREMENTS = ("moderngl>=5.12", "numpy>=2.0")
VIEW, PANORAMA = view(224, 224), panorama(1024)
CENTRAL_PLACES = 512  # places around the middle, for growth
MIN_INSTANCES = 40  # instances in the median view
AGREEMENT = 0.02  # of the share of sky and of nearness, both from 0 to 1
Workload = tuple[Callable[[], Pictures], Callable[[Pictures], Any]]


def render_bench(rounds: int = 9, small: Size = SMALL, large: Size = LARGE) -> BenchResult:
    """Run `bearleft bench render` on the CPU."""
    renderer = check_peer()
    small_city = city(small)
    plan = small_city.plan
    poses = cameras(small_city)
    seen = median_instances(render(small_city.scene, poses, VIEW))
    if seen < MIN_INSTANCES:
        raise RuntimeError(
            f"the benchmark scene shows {seen:g} instances in the median view, fewer than {MIN_INSTANCES}"
        )
    inputs = peer_inputs(small_city.scene, poses) | {"size": np.array(small)}
    result = BenchResult()
    for name, work, every in (("view 224", "view", 1), ("panorama 1024", "panorama", 4)):
        chosen = poses[::every]
        timed = run(_benchmark(name, work, inputs | {"poses": chosen}), rounds)
        result.rows += [_per_core_second(row, len(chosen)) | {"instances": seen} for row in timed.rows]
    result.rows += growth(rounds, small, large)
    result.remarks = [
        f"Medians of {rounds} alternating rounds, in seconds that the process was running; a round draws all cameras.",
        f"Scene: {len(plan.buildings):,} buildings, {len(plan.things):,} things, "
        f"{len(small_city.scene.solids):,} solids; the median view shows {seen:g} instances.",
        "Ours: RGB, depth, instance, part and class, with shadows.",
        f"Peer: moderngl on {renderer}, {len(inputs['triangles']):,} triangles; RGB, depth and instance, no shadows.",
        *timed.remarks[1:],
    ]
    return result


def _benchmark(name: str, work: str, inputs: Inputs) -> Benchmark:
    """Return the benchmark of our pictures against the rasteriser's."""
    peer = Contender(
        "moderngl", f"{RASTERISER}:{work}", in_peer_environment=True, note="software rasteriser, no shadows"
    )
    ours = Contender("bearleft", f"{__name__}:our_{work}")
    return Benchmark(name, lambda: inputs, ours, (peer,), REQUIREMENTS, "float32", AGREEMENT, core_seconds=True)


def growth(rounds: int, small: Size, large: Size) -> list[dict[str, Any]]:
    """Return our cost per view in the middle of a large city against a small one."""
    benchmark = Benchmark(
        "growth 500 -> 25,000 buildings",
        lambda: {"small": np.array(small), "large": np.array(large)},
        Contender("small", f"{__name__}:in_small_city"),
        (Contender("bearleft in the large city", f"{__name__}:in_large_city", comparable=False),),
        precision="float32",
        core_seconds=True,
    )
    per_view = {"unit": "core-seconds per view"}
    return [
        row | per_view | {"ours": row["ours"] / CAMERAS, "peer": row["peer"] / CAMERAS}
        for row in run(benchmark, rounds).rows
    ]


def _per_core_second(row: dict[str, Any], frames: int) -> dict[str, Any]:
    """Convert core-seconds per call to frames per core-second; the ratio stays, since more is now better."""
    rates = {"ours": frames / row["ours"], "peer": frames / row["peer"], "unit": "frames per core-second"}
    return row | rates


def median_instances(pictures: Pictures) -> float:
    """Return the number of instances in the median picture, without sky and ground."""
    return float(np.median([np.count_nonzero(np.unique(image) > 0) for image in pictures.instance]))


def our_view(inputs: Inputs) -> Workload:
    """Render views of 224 x 224 pixels and 90 degrees with shadows."""
    return _render_workload(inputs, VIEW)


def our_panorama(inputs: Inputs) -> Workload:
    """Render panoramas of 1024 x 512 pixels with shadows."""
    return _render_workload(inputs, PANORAMA)


def _render_workload(inputs: Inputs, lens: Lens) -> Workload:
    scene, poses = _city(inputs["size"]).scene, inputs["poses"]
    return lambda: render(scene, poses, lens), summary


def in_small_city(inputs: Inputs) -> Workload:
    """Render views in the middle of the small city."""
    return _central_views(inputs["small"])


def in_large_city(inputs: Inputs) -> Workload:
    """Render views in the middle of the large city."""
    return _central_views(inputs["large"])


def _city(size: Any) -> City:
    avenues, streets = (int(x) for x in size)
    return city((avenues, streets))


def _central_views(size: Any) -> Workload:
    of_size = _city(size)
    poses, scene = cameras(of_size, within=CENTRAL_PLACES), of_size.scene
    return lambda: render(scene, poses, VIEW), summary


def summary(pictures: Pictures) -> Any:
    """Return, for every picture, the share that is not sky and the mean nearness, as the peer does."""
    solid = pictures.instance >= 0
    return np.stack([solid.mean(axis=(1, 2)), (1 / (1 + pictures.depth)).mean(axis=(1, 2))], axis=1)


def check_peer() -> str:
    """Return the name of the peer's rasteriser; raise InputError where something is missing."""
    python = peers_python(REQUIREMENTS)
    process = subprocess.run([python, str(RASTERISER)], capture_output=True, text=True, check=False)
    if process.returncode:
        errors = process.stderr.strip().splitlines() or [f"exit code {process.returncode}"]
        raise InputError(
            "moderngl and Mesa's software rasteriser in the peers' environment",
            errors[-1],
            hint="Type: make bench; where EGL is missing: apt install libegl1 libgl1-mesa-dri",
        )
    return process.stdout.strip()
