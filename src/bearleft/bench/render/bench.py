"""Pictures per core-second beside a software rasteriser's, and how their cost grows with the city."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.bench.harness import Benchmark, Contender, Inputs, Result, peers_python, run
from bearleft.bench.render.scene import CAMERAS, LARGE, SMALL, Size, cameras, city, peer_inputs
from bearleft.errors import InputError
from bearleft.world.city.city import City
from bearleft.world.render.camera import Lens, panorama, view
from bearleft.world.render.cpu import Pictures, render

RASTERISER = Path(__file__).with_name("rasteriser.py")
REQUIREMENTS = ("moderngl>=5.12", "numpy>=2.0")
VIEW, PANORAMA = view(224, 224), panorama(1024)
MIDDLE = 512  # places around the middle, for growth
LEAST = 40  # instances in the median view
AGREEMENT = 0.02  # of the share of sky and of nearness, both from 0 to 1
Work = tuple[Callable[[], Pictures], Callable[[Pictures], Any]]


def rendering(rounds: int = 9, small: Size = SMALL, large: Size = LARGE) -> Result:
    """`bearleft bench render`."""
    renderer = check_peer()
    of = city(small)
    given = cameras(of)
    seen = median_instances(render(of.scene, given, VIEW))
    if seen < LEAST:
        raise RuntimeError(f"the benchmark scene shows {seen:g} instances in the median view, fewer than {LEAST}")
    inputs = peer_inputs(of.scene, given) | {"size": np.array(small)}
    result = Result()
    for name, work, every in (("view 224", "view", 1), ("panorama 1024", "panorama", 4)):
        poses = given[::every]
        found = run(_beside(name, work, inputs | {"poses": poses}), rounds)
        result.rows += [_per_core_second(row, len(poses)) | {"instances": seen} for row in found.rows]
    result.rows += growth(rounds, small, large)
    result.remarks = [
        f"Medians of {rounds} alternating rounds, in seconds that the process was running; a round draws all cameras.",
        f"Scene: {len(of.plan.buildings):,} buildings, {len(of.plan.things):,} things, {len(of.scene.solids):,} "
        f"solids; the median view shows {seen:g} instances.",
        "Ours: RGB, depth, instance, part and class, with shadows.",
        f"Peer: moderngl on {renderer}, {len(inputs['triangles']):,} triangles; RGB, depth and instance, no shadows.",
        *found.remarks[1:],
    ]
    return result


def _beside(name: str, work: str, inputs: Inputs) -> Benchmark:
    """Our pictures beside the rasteriser's."""
    peer = Contender("moderngl", f"{RASTERISER}:{work}", apart=True, note="software rasteriser, no shadows")
    ours = Contender("bearleft", f"{__name__}:our_{work}")
    return Benchmark(name, lambda: inputs, ours, (peer,), REQUIREMENTS, "float32", AGREEMENT, core_seconds=True)


def growth(rounds: int, small: Size, large: Size) -> list[dict[str, Any]]:
    """Our cost per view in the middle of a large city beside a small one's."""
    benchmark = Benchmark(
        "growth 500 -> 25,000 buildings",
        lambda: {"small": np.array(small), "large": np.array(large)},
        Contender("small", f"{__name__}:in_small_city"),
        (Contender("bearleft in the large city", f"{__name__}:in_large_city", agrees=False),),
        precision="float32",
        core_seconds=True,
    )
    per_view = {"unit": "core-seconds per view"}
    return [
        row | per_view | {"ours": row["ours"] / CAMERAS, "peer": row["peer"] / CAMERAS}
        for row in run(benchmark, rounds).rows
    ]


def _per_core_second(row: dict[str, Any], frames: int) -> dict[str, Any]:
    """A row of core-seconds per call as frames per core-second; the ratio stays, since more is now better."""
    rates = {"ours": frames / row["ours"], "peer": frames / row["peer"], "unit": "frames per core-second"}
    return row | rates


def median_instances(pictures: Pictures) -> float:
    """How many instances the median picture shows, sky and ground not counted."""
    return float(np.median([np.count_nonzero(np.unique(one) > 0) for one in pictures.instance]))


def our_view(given: Inputs) -> Work:
    """Views of 224 x 224 pixels and 90 degrees with shadows."""
    return _pictures(given, VIEW)


def our_panorama(given: Inputs) -> Work:
    """Panoramas of 1024 x 512 pixels with shadows."""
    return _pictures(given, PANORAMA)


def _pictures(given: Inputs, lens: Lens) -> Work:
    scene, poses = _city(given["size"]).scene, given["poses"]
    return lambda: render(scene, poses, lens), summary


def in_small_city(given: Inputs) -> Work:
    """Views in the middle of the small city."""
    return _in_the_middle(given["small"])


def in_large_city(given: Inputs) -> Work:
    """Views in the middle of the large one."""
    return _in_the_middle(given["large"])


def _city(size: Any) -> City:
    avenues, streets = (int(x) for x in size)
    return city((avenues, streets))


def _in_the_middle(size: Any) -> Work:
    of = _city(size)
    poses, scene = cameras(of, within=MIDDLE), of.scene
    return lambda: render(scene, poses, VIEW), summary


def summary(pictures: Pictures) -> Any:
    """For every picture the share that is not sky, and how near things are, as the peer says it."""
    solid = pictures.instance >= 0
    return np.stack([solid.mean(axis=(1, 2)), (1 / (1 + pictures.depth)).mean(axis=(1, 2))], axis=1)


def check_peer() -> str:
    """The name of the peer's rasteriser, or an error that says what is missing."""
    python = peers_python(REQUIREMENTS)
    tried = subprocess.run([python, str(RASTERISER)], capture_output=True, text=True, check=False)
    if tried.returncode:
        said = tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"]
        raise InputError(
            "moderngl and Mesa's software rasteriser in the peers' environment",
            said[-1],
            hint="Type: make bench; where EGL is missing: apt install libegl1 libgl1-mesa-dri",
        )
    return tried.stdout.strip()
