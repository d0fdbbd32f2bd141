"""Benchmark of rendering on a CUDA GPU: frames per second, and agreement with the CPU.

With a data folder, the city on Touchdown's real streets is built and rendered from every place.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.bench.harness import BenchResult, check_parts, describe_machine
from bearleft.bench.render.blocks import blocks, viewpoints
from bearleft.bench.render.scene import SMALL, cameras, city
from bearleft.types import DataFolder
from bearleft.world.city.city import open_city
from bearleft.world.render import cpu, gpu
from bearleft.world.render.camera import Floats32, Lens, panorama, view
from bearleft.world.render.scene import Scene
from bearleft.world.visibility.table import visibility_table

log = logging.getLogger(__name__)
PARTS = BLOCKS, CITY, STREETS = ("blocks", "city", "touchdown")
VIEW, PANORAMA = view(224, 224), panorama(1024)
WARM_UP_ROUNDS = 2
Row = dict[str, Any]


def time_rounds(work: Callable[[], None], rounds: int) -> list[float]:
    """Return the seconds of each round, after rounds to warm up."""
    import torch

    seconds = []
    for _ in range(rounds + WARM_UP_ROUNDS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        work()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    return seconds[WARM_UP_ROUNDS:]


def speed(name: str, renderer: gpu.Renderer, poses: Floats32, lens: Lens, rounds: int) -> Row:
    """Return pictures per second: the median of all rounds, and the slowest and fastest of them."""
    out = renderer.empty(len(poses), lens)
    seconds = time_rounds(lambda: renderer.into(out, poses, lens), rounds)
    instances = out.instance[:64].cpu().numpy()  # type: ignore[attr-defined]
    return {
        "row": name,
        "pictures": len(poses),
        "size": f"{lens.width} x {lens.height}",
        "per_second": round(len(poses) / float(np.median(seconds))),
        "slowest": round(len(poses) / max(seconds)),
        "fastest": round(len(poses) / min(seconds)),
        "median_instances": float(np.median([len(np.unique(image)) for image in instances])),
    }


def agreement(name: str, scene: Scene, renderer: gpu.Renderer, poses: Floats32, lens: Lens) -> Row:
    """Return the shares of pixels that are the same on the GPU and the CPU."""
    on_gpu, on_cpu = renderer.render(poses, lens), cpu.render(scene, poses, lens)
    same_depth = np.isclose(on_gpu.depth, on_cpu.depth, rtol=1e-4, atol=1e-3) | (on_gpu.depth == on_cpu.depth)
    rgb_difference = np.abs(on_gpu.rgb.astype(int) - on_cpu.rgb)
    return {
        "row": name,
        "pictures": len(poses),
        "size": f"{lens.width} x {lens.height}",
        "same_instance": float((on_gpu.instance == on_cpu.instance).mean()),
        "same_part": float((on_gpu.part == on_cpu.part).mean()),
        "same_class": float((on_gpu.kind == on_cpu.kind).mean()),
        "same_depth": float(same_depth.mean()),
        "same_rgb_within_2": float((rgb_difference <= 2).all(axis=-1).mean()),
    }


def torch_memory(renderer: gpu.Renderer, poses: Floats32, lens: Lens) -> Row:
    """Return whether torch sees what the kernel wrote without a copy."""
    out = renderer.empty(len(poses), lens)
    before = out.rgb.data_ptr()  # type: ignore[attr-defined]
    renderer.into(out, poses, lens)
    rendered = renderer.render(poses, lens)
    same = bool((out.rgb.cpu().numpy() == rendered.rgb).all())  # type: ignore[attr-defined]
    return {"row": "torch without a copy", "same_memory": before == out.rgb.data_ptr(), "same_bytes": same}  # type: ignore[attr-defined]


def every_place(
    name: str, renderer: gpu.Renderer, poses: Floats32, lens: Lens, rounds: int, batch_size: int = 1024
) -> Row:
    """Time a picture of every place of a world, in batches that reuse their memory."""
    out = renderer.empty(min(batch_size, len(poses)), lens)

    def work() -> None:
        for begin in range(0, len(poses), batch_size):
            batch = poses[begin : begin + batch_size]
            renderer.into(renderer.part(out, len(batch)), batch, lens)

    seconds = time_rounds(work, rounds)
    return {
        "row": name,
        "pictures": len(poses),
        "size": f"{lens.width} x {lens.height}",
        "seconds": round(float(np.median(seconds)), 2),
        "per_second": round(len(poses) / float(np.median(seconds))),
    }


def render_gpu(rounds: int = 9, data: DataFolder = None, only: Sequence[str] = ()) -> BenchResult:
    """Run `bearleft bench render --device cuda`; Touchdown's streets only with a data folder."""
    parts = check_parts(only, PARTS)
    result = BenchResult(remarks=[f"Machine: {describe_machine()}."])

    def add(row: Row) -> None:
        log.info("%s", row)
        result.rows.append(row)

    if BLOCKS in parts:
        _time_blocks(add, rounds)
    if CITY in parts:
        _time_city(add, rounds)
    if STREETS in parts and data is not None:
        _time_streets(add, rounds, data)
    return result


def _seconds_since(begin: float) -> float:
    return round(time.perf_counter() - begin, 1)


def _time_blocks(add: Callable[[Row], None], rounds: int) -> None:
    scene = blocks()
    begin = time.perf_counter()
    renderer = gpu.Renderer(scene)
    renderer.render(viewpoints(1), view(16, 16))
    add({"row": "compile for the GPU", "seconds": _seconds_since(begin)})
    add(speed("blocks, view 224", renderer, viewpoints(2048), VIEW, rounds))
    add(speed("blocks, panorama 1024", renderer, viewpoints(256), PANORAMA, rounds))
    add(agreement("blocks, GPU against CPU", scene, renderer, viewpoints(16), VIEW))


def _time_city(add: Callable[[Row], None], rounds: int) -> None:
    begin = time.perf_counter()
    world = city(SMALL)
    renderer = gpu.Renderer(world.scene)
    add({"row": "benchmark city planned and built", "seconds": _seconds_since(begin)})
    poses = cameras(world)
    add(speed("benchmark city, view 224", renderer, np.tile(poses, (64, 1)), VIEW, rounds))
    add(speed("benchmark city, panorama 1024", renderer, np.tile(poses, (8, 1)), PANORAMA, rounds))
    add(torch_memory(renderer, poses, VIEW))
    add(agreement("benchmark city, GPU against CPU", world.scene, renderer, poses, VIEW))
    add(agreement("benchmark city, panoramas, GPU against CPU", world.scene, renderer, poses[:4], PANORAMA))


def _time_streets(add: Callable[[Row], None], rounds: int, data: DataFolder) -> None:
    begin = time.perf_counter()
    world = open_city("touchdown", 0, data)
    add({"row": "real streets planned", "seconds": _seconds_since(begin)})
    begin = time.perf_counter()
    renderer = gpu.Renderer(world.scene)
    add({"row": "real streets built", "seconds": _seconds_since(begin), "solids": len(world.scene.solids)})
    poses = world.poses(np.arange(len(world.graph)), world.graph.yaw)
    add(every_place("every real place, panorama 1024", renderer, poses, PANORAMA, rounds))
    add(every_place("every real place, view 224", renderer, poses, VIEW, rounds, 8192))
    add(agreement("real streets, GPU against CPU", world.scene, renderer, poses[::2000], VIEW))
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        visibility_table(world, folder, device="cuda")
        seconds = _seconds_since(begin)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*"))
    add({"row": "what is visible from every real place", "seconds": seconds, "megabytes": size >> 20})
