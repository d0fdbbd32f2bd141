"""Two versions of bearleft side by side: the same fixed scene, and each version's own city.

    git worktree add ../before REVISION
    python benchmarks/two_versions.py ../before [--rounds 7] [--device cuda]

The scene of `bearleft bench render` is built by the older version and kept as arrays; both versions draw it from the
same cameras in alternating rounds, each in a process of its own on one thread. Then the newer version draws its own
city from the same number of cameras. Seconds are those of the processor (on a GPU: of the clock).
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

HOME = Path(__file__).parents[1]
MANY = 4096  # pictures of a round on a GPU


def main() -> None:
    """Asks each version in a process of its own and prints a table."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("before", help="a checkout of the older version")
    ask.add_argument("--rounds", type=int, default=7)
    ask.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    ask.add_argument("--work", help=argparse.SUPPRESS)
    ask.add_argument("--scene", help=argparse.SUPPRESS)
    given = ask.parse_args()
    if given.work:
        print(json.dumps(WORK[given.work](given.scene, given.device)))
        return
    before = Path(given.before)
    with tempfile.TemporaryDirectory() as folder:
        scene = str(Path(folder) / "scene.npz")
        run(before, "keep", scene, given.device)
        found: dict[str, list[dict[str, float]]] = {"before": [], "now": [], "own": []}
        for _ in range(given.rounds):
            found["before"].append(run(before, "time", scene, given.device))
            found["now"].append(run(HOME, "time", scene, given.device))
            found["own"].append(run(HOME, "own", scene, given.device))
    for name in ("view 224", "panorama 1024"):
        middle = {who: statistics.median(one[name] for one in rounds) for who, rounds in found.items()}
        print(f"{name}, fixed scene: before {middle['before']:.4g} s, now {middle['now']:.4g} s, ", end="")
        print(f"speed now / before {middle['before'] / middle['now']:.3f}")
        print(f"{name}, own city now: {middle['own']:.4g} s, speed / before {middle['before'] / middle['own']:.3f}")


def run(checkout: Path, work: str, scene: str, device: str) -> dict[str, float]:
    """What a process with this checkout's bearleft says."""
    path = os.fspath(checkout / "src")
    environment = os.environ | {"PYTHONPATH": path, "BEARLEFT_THREADS": "1"}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, __file__, path, "--work", work, "--scene", scene, "--device", device]
    said = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(said.splitlines()[-1])
    return found


def keep(file: str, _: str) -> dict[str, float]:
    """Writes the benchmark's scene and cameras."""
    from bearleft.bench.render.scene import SMALL, cameras, city

    of = city(SMALL)
    arrays = {f"arrays_{name}": array for name, array in of.scene.arrays._asdict().items()}
    np.savez(file, solids=of.scene.solids, poses=cameras(of), **arrays)
    return {}


def timed(file: str, device: str) -> dict[str, float]:
    """Seconds for all cameras in the kept scene."""
    from bearleft.world.render.scene import Arrays, Scene

    kept = np.load(file)
    known = [name for name in Arrays._fields if f"arrays_{name}" in kept]  # what is newer has a default
    arrays = Arrays(**{name: kept[f"arrays_{name}"] for name in known})
    return seconds(Scene(arrays, kept["solids"]), kept["poses"], device)


def own(_: str, device: str) -> dict[str, float]:
    """Seconds for as many cameras in this version's city."""
    from bearleft.bench.render.scene import SMALL, cameras, city

    of = city(SMALL)
    return seconds(of.scene, cameras(of), device)


def seconds(scene: Any, poses: Any, device: str) -> dict[str, float]:
    """Seconds of one round of views and one of panoramas."""
    from bearleft.world.render.camera import panorama, view

    found = {}
    for name, lens, share in (("view 224", view(224, 224), 1), ("panorama 1024", panorama(1024), 4)):
        if device == "cpu":
            from bearleft.world.render.cpu import render

            some = poses[::share]
            render(scene, some[:1], lens)
            begin = time.process_time()
            render(scene, some, lens)
            found[name] = (time.process_time() - begin) / len(some)
        else:
            found[name] = on_gpu(scene, poses, lens, MANY // share // share)
    return found


def on_gpu(scene: Any, poses: Any, lens: Any, count: int) -> float:
    """Seconds for a picture on a GPU, of many in one call."""
    import torch

    from bearleft.world.render.gpu import Renderer

    renderer = Renderer(scene)
    many = np.resize(poses, (count, poses.shape[1]))
    renderer.tensors(many, lens)
    times = []
    for _ in range(5):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        renderer.tensors(many, lens)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) / count


WORK = {"keep": keep, "time": timed, "own": own}

if __name__ == "__main__":
    main()
