from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from bearleft.bench import harness as rounds
from bearleft.envs.arramon.pictures import ArraMonEyes
from bearleft.world.render import cpu
from bearleft.world.render.cpu import Pictures
from bearleft.world.render.light import Light


def test_many_and_single_environments_agree_and_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one process, since each contender's own would plan the sections again."""
    module: Any = import_module("bearleft.bench.arramon.bench")
    for ours, peer, pictures in ((module.many, module.alone, 0), (module.many_seeing, module.alone_seeing, 1)):
        monkeypatch.setattr(module, "SIDE", 16)
        given = module.inputs(6, 12, 3)
        assert (given["actions"] == 3).any()
        results = [finish(work()) for work, finish in (ours(given), peer(given))]
        np.testing.assert_allclose(*results)
        assert results[0].shape == (6, 6 + pictures)
        assert len(np.unique(results[0][:, 1])) > 3

    def times(benchmark: rounds.Benchmark, _: int) -> rounds.Result:
        row = {"name": benchmark.name, "ours": 0.5, "peer": 2.0, "peer_name": benchmark.peers[0].name, "ratio": 4.0}
        return rounds.Result([row], [benchmark.name, "agree", "machine"])

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

    def into(self, out: Any, poses: Any, lens: Any, light: Light, samples: int, shadows: bool, guests: Any) -> None:
        torch = pytest.importorskip("torch")
        self.calls += 1
        seen = cpu.render(self.scene, poses, lens, light, samples, shadows, guests)
        for name in ("rgb", "depth", "instance", "part", "kind"):
            getattr(out, name).copy_(torch.from_numpy(getattr(seen, name)))


def test_the_gpus_figures_with_a_cpu_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    module: Any = import_module("bearleft.bench.arramon.gpu")

    def on_gpu(eyes: Any) -> tuple[OnCpu, ...]:
        eyes._renderers = eyes._renderers or tuple(map(OnCpu, eyes.scenes))
        found: tuple[OnCpu, ...] = eyes._renderers
        return found

    monkeypatch.setattr(ArraMonEyes, "_on_gpu", on_gpu)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    for name, value in (("ROUNDS", 2), ("STEPS", 1)):
        monkeypatch.setattr(module, name, value)
    rows = module.measure(12, 12, 3)
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
