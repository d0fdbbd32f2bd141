"""Compare the rendering speed of two versions of bearleft, on a fixed scene and on the newer version's city.

    git worktree add ../before REVISION
    python benchmarks/compare_renderers.py ../before [--rounds 7] [--device cuda]

The older version builds the scene of `bearleft bench render` and saves it as arrays. Both versions render it from the
same cameras in alternating rounds, each in its own process with one thread. The newer version also renders its own
city from the same number of cameras. Times are processor seconds (on a GPU: wall-clock seconds).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
GPU_PICTURES = 4096  # pictures per round on a GPU


def main() -> None:
    """Run each version in its own process and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", help="a checkout of the older version")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--scene", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.task:
        print(json.dumps(TASKS[args.task](args.scene, args.device)))
        return
    before = Path(args.before)
    with tempfile.TemporaryDirectory() as folder:
        scene = str(Path(folder) / "scene.npz")
        run(before, "save", scene, args.device)
        times: dict[str, list[dict[str, float]]] = {"before": [], "now": [], "own": []}
        for _ in range(args.rounds):
            times["before"].append(run(before, "time", scene, args.device))
            times["now"].append(run(ROOT, "time", scene, args.device))
            times["own"].append(run(ROOT, "own", scene, args.device))
    for name in ("view 224", "panorama 1024"):
        medians = {version: statistics.median(row[name] for row in rounds) for version, rounds in times.items()}
        print(f"{name}, fixed scene: before {medians['before']:.4g} s, now {medians['now']:.4g} s, ", end="")
        print(f"speed now / before {medians['before'] / medians['now']:.3f}")
        print(f"{name}, own city now: {medians['own']:.4g} s, speed / before {medians['before'] / medians['own']:.3f}")


def run(checkout: Path, task: str, scene: str, device: str) -> dict[str, float]:
    """Run a task with the bearleft of a checkout, in a new process, and return its results."""
    path = os.fspath(checkout / "src")
    environment = os.environ | {"PYTHONPATH": path, "BEARLEFT_THREADS": "1"}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, __file__, path, "--task", task, "--scene", scene, "--device", device]
    printed = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    results: dict[str, float] = json.loads(printed.splitlines()[-1])
    return results


def save_scene(file: str, _: str) -> dict[str, float]:
    """Save the benchmark's scene and cameras."""
    from bearleft.bench.render.scene import SMALL, cameras, city

    benchmark_city = city(SMALL)
    arrays = {f"arrays_{name}": array for name, array in benchmark_city.scene.arrays._asdict().items()}
    np.savez(file, solids=benchmark_city.scene.solids, poses=cameras(benchmark_city), **arrays)
    return {}


def time_saved_scene(file: str, device: str) -> dict[str, float]:
    """Return the seconds per picture of the saved scene."""
    from bearleft.world.render.scene import Arrays, Scene

    saved = np.load(file)
    fields = [name for name in Arrays._fields if f"arrays_{name}" in saved]  # newer fields have defaults
    arrays = Arrays(**{name: saved[f"arrays_{name}"] for name in fields})
    return time_scene(Scene(arrays, saved["solids"]), saved["poses"], device)


def time_own_city(_: str, device: str) -> dict[str, float]:
    """Return the seconds per picture of this version's city, with as many cameras."""
    from bearleft.bench.render.scene import SMALL, cameras, city

    benchmark_city = city(SMALL)
    return time_scene(benchmark_city.scene, cameras(benchmark_city), device)


def time_scene(scene: Any, poses: Any, device: str) -> dict[str, float]:
    """Return the seconds per view and per panorama."""
    from bearleft.world.render.camera import panorama, view

    times = {}
    for name, lens, stride in (("view 224", view(224, 224), 1), ("panorama 1024", panorama(1024), 4)):
        if device == "cpu":
            from bearleft.world.render.cpu import render

            selected = poses[::stride]
            render(scene, selected[:1], lens)  # compiles
            begin = time.process_time()
            render(scene, selected, lens)
            times[name] = (time.process_time() - begin) / len(selected)
        else:
            times[name] = time_on_gpu(scene, poses, lens, GPU_PICTURES // stride // stride)
    return times


def time_on_gpu(scene: Any, poses: Any, lens: Any, count: int) -> float:
    """Return the seconds per picture on a GPU, for many pictures per call."""
    import torch

    from bearleft.world.render.gpu import Renderer

    renderer = Renderer(scene)
    batch = np.resize(poses, (count, poses.shape[1]))
    renderer.tensors(batch, lens)
    times = []
    for _ in range(5):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        renderer.tensors(batch, lens)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) / count


TASKS = {"save": save_scene, "time": time_saved_scene, "own": time_own_city}

if __name__ == "__main__":
    main()
