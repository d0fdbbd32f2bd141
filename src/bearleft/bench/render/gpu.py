"""Frames a second on a CUDA GPU, and whether they are the CPU's: `python -m bearleft.bench.render.gpu`.

Needs numpy, numba and torch. With --data the city on Touchdown's real streets is planned and seen from every place.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.bench.render.blocks import blocks, viewpoints
from bearleft.bench.render.scene import SMALL, cameras, city
from bearleft.world.city.city import open_city
from bearleft.world.render import cpu, gpu
from bearleft.world.render.camera import Floats, Lens, panorama, view
from bearleft.world.render.scene import Scene
from bearleft.world.visibility.table import visibility_table

ROUNDS = 7
Row = dict[str, Any]


def _timed(work: Callable[[], None]) -> list[float]:
    """Seconds of each round, after two to warm up."""
    import torch

    seconds = []
    for _ in range(ROUNDS + 2):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        work()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    return seconds[2:]


def speed(name: str, renderer: gpu.Renderer, poses: Floats, lens: Lens) -> Row:
    """Pictures a second: the median of some rounds, and the slowest and fastest of them."""
    out = renderer.empty(len(poses), lens)
    seconds = _timed(lambda: renderer.into(out, poses, lens))
    seen = out.instance[:64].cpu().numpy()  # type: ignore[attr-defined]
    return {
        "row": name,
        "pictures": len(poses),
        "size": f"{lens.width} x {lens.height}",
        "per_second": round(len(poses) / float(np.median(seconds))),
        "slowest": round(len(poses) / max(seconds)),
        "fastest": round(len(poses) / min(seconds)),
        "median_instances": float(np.median([len(np.unique(one)) for one in seen])),
    }


def agreement(name: str, scene: Scene, renderer: gpu.Renderer, poses: Floats, lens: Lens) -> Row:
    """How many pixels of the GPU are the CPU's."""
    ours, theirs = renderer.render(poses, lens), cpu.render(scene, poses, lens)
    near = np.isclose(ours.depth, theirs.depth, rtol=1e-4, atol=1e-3) | (ours.depth == theirs.depth)
    apart = np.abs(ours.rgb.astype(int) - theirs.rgb)
    return {
        "row": name,
        "pictures": len(poses),
        "size": f"{lens.width} x {lens.height}",
        "same_instance": float((ours.instance == theirs.instance).mean()),
        "same_part": float((ours.part == theirs.part).mean()),
        "same_class": float((ours.kind == theirs.kind).mean()),
        "same_depth": float(near.mean()),
        "same_rgb_within_2": float((apart <= 2).all(axis=-1).mean()),
    }


def shared(renderer: gpu.Renderer, poses: Floats, lens: Lens) -> Row:
    """Whether torch sees what the kernel wrote without a copy: the tensor's memory is the memory rendered into."""
    out = renderer.empty(len(poses), lens)
    before = out.rgb.data_ptr()  # type: ignore[attr-defined]
    renderer.into(out, poses, lens)
    back = renderer.render(poses, lens)
    same = bool((out.rgb.cpu().numpy() == back.rgb).all())  # type: ignore[attr-defined]
    return {"row": "torch without a copy", "same_memory": before == out.rgb.data_ptr(), "same_bytes": same}  # type: ignore[attr-defined]


def every_place(name: str, renderer: gpu.Renderer, poses: Floats, lens: Lens, batch: int = 1024) -> Row:
    """A picture of every place of a world, in batches that reuse their memory."""
    out = renderer.empty(min(batch, len(poses)), lens)

    def work() -> None:
        for begin in range(0, len(poses), batch):
            some = poses[begin : begin + batch]
            renderer.into(renderer.part(out, len(some)), some, lens)

    seconds = _timed(work)
    return {
        "row": name,
        "pictures": len(poses),
        "size": f"{lens.width} x {lens.height}",
        "seconds": round(float(np.median(seconds)), 2),
        "per_second": round(len(poses) / float(np.median(seconds))),
    }


def measure(data: str | None = None) -> list[Row]:
    """All rows; those of the real streets only where their data is."""
    rows: list[Row] = []

    def done(row: Row) -> None:
        rows.append(row)
        print(json.dumps(row), flush=True)

    small, wide = view(224, 224), panorama(1024)
    sparse = blocks()
    begin = time.perf_counter()
    renderer = gpu.Renderer(sparse)
    renderer.render(viewpoints(1), view(16, 16))
    done({"row": "compile for the GPU", "seconds": round(time.perf_counter() - begin, 1)})
    done(speed("blocks, view 224", renderer, viewpoints(2048), small))
    done(speed("blocks, panorama 1024", renderer, viewpoints(256), wide))
    done(agreement("blocks, GPU against CPU", sparse, renderer, viewpoints(16), small))
    begin = time.perf_counter()
    own = city(SMALL)
    renderer = gpu.Renderer(own.scene)
    done({"row": "benchmark city planned and built", "seconds": round(time.perf_counter() - begin, 1)})
    few = cameras(own)
    done(speed("benchmark city, view 224", renderer, np.tile(few, (64, 1)), small))
    done(speed("benchmark city, panorama 1024", renderer, np.tile(few, (8, 1)), wide))
    done(shared(renderer, few, small))
    done(agreement("benchmark city, GPU against CPU", own.scene, renderer, few, small))
    done(agreement("benchmark city, panoramas, GPU against CPU", own.scene, renderer, few[:4], wide))
    if data is not None:
        begin = time.perf_counter()
        real = open_city("touchdown", 0, data)
        done({"row": "real streets planned", "seconds": round(time.perf_counter() - begin, 1)})
        begin = time.perf_counter()
        renderer = gpu.Renderer(real.scene)
        seconds = round(time.perf_counter() - begin, 1)
        done({"row": "real streets built", "seconds": seconds, "solids": len(real.scene.solids)})
        every = real.poses(np.arange(len(real.graph)), real.graph.yaw)
        done(every_place("every real place, panorama 1024", renderer, every, wide))
        done(every_place("every real place, view 224", renderer, every, small, 8192))
        done(agreement("real streets, GPU against CPU", real.scene, renderer, every[::2000], small))
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            visibility_table(real, folder, device="cuda")
            seconds = round(time.perf_counter() - begin, 1)
            size = sum(path.stat().st_size for path in Path(folder).rglob("*"))
        done({"row": "what is visible from every real place", "seconds": seconds, "megabytes": size >> 20})
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder of the real datasets")
    measure(parser.parse_args().data)
