"""Compare the speed of two checkouts: rendering, DTW, stepping and dataset generation, in alternating rounds.

    python tools/compare_speed.py OLD NEW --rounds 3

Each round runs the benchmarks' own workloads of both checkouts, one after the other, in new processes with one thread
(generation: one process per core). A table shows medians and their ratio. Module names of both layouts are known, so a
checkout from before the renaming can be compared with one from after it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

REPEATS = 7  # calls of a workload in a round, of which the fastest counts


def import_first(*names: str) -> Any:
    """Return the first module that exists."""
    for name in names:
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not error.name.startswith("bearleft"):
                raise
    raise ModuleNotFoundError(f"none of {', '.join(names)}")


def time_calls(work: Callable[[], Any]) -> float:
    """Return the seconds of the fastest call; the first call, which compiles, is not timed."""
    work()
    seconds = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def measure(with_generation: bool) -> dict[str, float]:
    """Measure the bearleft that is imported; return seconds by workload."""
    scene = import_first("bearleft.bench.render.scene", "bearleft.bench.render_scene")
    rendering = import_first("bearleft.bench.render.bench", "bearleft.bench.render")
    dtw, stepping = import_module("bearleft.bench.metrics"), import_module("bearleft.bench.stepping")
    poses = scene.cameras(scene.city(scene.SMALL))[::4]
    inputs = {"size": scene.SMALL, "poses": poses}
    seconds = {}
    for name in ("view", "panorama"):
        work, _ = getattr(rendering, f"our_{name}")(inputs)
        seconds[f"render, 8 {name}s"] = time_calls(work)
    for name, module in (("DTW, 2,025 pairs", dtw), ("stepping, 8 steps of 4,096 walkers", stepping)):
        made = module.ours((getattr(module, "make_inputs", None) or module.inputs)())
        seconds[name] = time_calls(made[0] if isinstance(made, tuple) else made)
    if with_generation:
        generation = import_first("bearleft.bench.generation", "bearleft.bench.asking")
        bench = getattr(generation, "generation", None) or generation.asking
        os.environ.pop("BEARLEFT_THREADS")  # a process per core
        seconds |= {f"generation, {row['name']}": 1 / row["per_second"] for row in bench(2).rows}
    return seconds


def main() -> None:
    """Run the rounds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", nargs="+", type=Path, help="OLD and NEW")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-generation", action="store_true")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure(not options.no_generation)))
        return
    results: list[list[dict[str, float]]] = [[], []]
    for _ in range(options.rounds):
        for checkout, rounds in zip(options.checkouts, results, strict=True):
            command = [
                sys.executable,
                __file__,
                str(checkout),
                "--worker",
                *["--no-generation"] * options.no_generation,
            ]
            environment = os.environ | {"PYTHONPATH": str(checkout.resolve() / "src"), "BEARLEFT_THREADS": "1"}
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
            rounds.append(json.loads(done.stdout.splitlines()[-1]))
    print(f"medians of {options.rounds} rounds, in milliseconds")
    for name in results[0][0]:
        old, new = (1000 * median(each[name] for each in rounds) for rounds in results)
        spread = max(max(each[name] for each in rounds) / min(each[name] for each in rounds) for rounds in results)
        print(f"{name:42} old {old:10.3f}  new {new:10.3f}  ratio {new / old:5.3f}  spread of rounds {spread:5.3f}")


if __name__ == "__main__":
    main()
