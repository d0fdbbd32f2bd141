from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from bearleft.bench.arramon import gpu
from bearleft.bench.harness import Benchmark, BenchResult
from bearleft.envs.arramon.pictures import ArraMonPictures
from bearleft.world.render import cpu
from bearleft.world.render.cpu import Pictures
from bearleft.world.render.light import Light


def test_vector_and_single_environments_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one process, since each contender's own would plan the sections again."""
    module: Any = import_module("bearleft.bench.arramon.bench")
    for ours, peer, pictures in (
        (module.vector_env, module.single_envs, 0),
        (module.vector_env_pictures, module.single_envs_pictures, 1),
    ):
        monkeypatch.setattr(module, "IMAGE_SIZE", 16)
        inputs = module.make_inputs(6, 12, 3)
        assert (inputs["actions"] == 3).any()
        results = [finish(work()) for work, finish in (ours(inputs), peer(inputs))]
        np.testing.assert_allclose(*results)
        assert results[0].shape == (6, 6 + pictures)
        assert len(np.unique(results[0][:, 1])) > 3

    def times(benchmark: Benchmark, _: int) -> BenchResult:
        row = {"name": benchmark.name, "ours": 0.5, "peer": 2.0, "peer_name": benchmark.peers[0].name, "ratio": 4.0}
        return BenchResult([row], [benchmark.name, "agree", "machine"])

    monkeypatch.setattr(module, "run", times)
    monkeypatch.setattr(module, "TASKS", 3)
    result = module.arramon(1)
    assert [row["name"] for row in result.rows] == ["4,096 environments", "8 environments, 16 x 16"]
    assert result.rows[0]["steps_per_second"] == 4096 * 9 / 0.5 == 4 * result.rows[0]["single_steps_per_second"]
    json.dumps(result.rows)


class OnCpu:
    """A renderer that leaves its pictures in tensors of the CPU."""

    def __init__(self, scene: Any) -> None:
        self.scene, self.calls = scene, 0

    def empty(self, count: int, lens: Any) -> Pictures:
        torch = pytest.importorskip("torch")
        shape, kinds = (count, lens.height, lens.width), (torch.float32, torch.int32, torch.int32, torch.uint8)
        colours = torch.zeros((*shape, 3), dtype=torch.uint8)
        depth, instance, part, kind = (torch.zeros(shape, dtype=kind) for kind in kinds)
        return Pictures(colours, depth, instance, part, kind, lens)

    def into(
        self, out: Any, poses: Any, lens: Any, light: Light, samples: int, shadows: bool, dynamic_objects: Any
    ) -> None:
        torch = pytest.importorskip("torch")
        self.calls += 1
        rendered = cpu.render(self.scene, poses, lens, light, samples, shadows, dynamic_objects)
        for name in ("rgb", "depth", "instance", "part", "kind"):
            getattr(out, name).copy_(torch.from_numpy(getattr(rendered, name)))


def test_gpu_benchmark_with_a_cpu_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")

    def on_gpu(eyes: Any) -> tuple[OnCpu, ...]:
        eyes._renderers = eyes._renderers or tuple(map(OnCpu, eyes.scenes))
        renderers: tuple[OnCpu, ...] = eyes._renderers
        return renderers

    monkeypatch.setattr(ArraMonPictures, "_on_gpu", on_gpu)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(gpu, "STEPS_PER_ROUND", 1)
    rows = gpu.arramon_gpu(2, count=12, image_size=12, tasks=3, only=gpu.PARTS[:-1]).rows
    assert [row["row"] for row in rows][2:] == [
        "12 environments, no pictures",
        "12 environments, 12 x 12",
        "pictures of 6 walking",
        "pictures of 6 in the room",
        "GPU against CPU",
    ]
    assert 0 < rows[3]["in_the_room"] < 1 and rows[3]["steps_per_second"] > 0
    same = {name: value for name, value in rows[-1].items() if name.startswith("same")}
    assert len(same) == 4 and set(same.values()) == {1.0}
    json.dumps(rows)
