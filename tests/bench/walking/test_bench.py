"""The benchmark of walking networks, at its tiny sizes."""

from __future__ import annotations

import json
import math
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.bench import bench
from bearleft.errors import InputError
from tests.sizes import sized

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    module = import_module("bearleft.bench.walking.inputs")
    return module.BenchInputs(module.TINY, torch.device("cpu"), tmp_path_factory.mktemp("bench"))


@pytest.mark.slow
def test_every_network_is_timed_beside_its_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = import_module("bearleft.bench.walking.bench")
    monkeypatch.setattr(module, "WARMUP_CALLS", sized(1, module.WARMUP_CALLS))
    result = bench("walking", 1, device="cpu")
    training = [row for row in result.rows if row["form"] != module.EVALUATION]
    clients = [row for row in training if row["form"].startswith(module.CLIENTS)]
    assert clients and all(row["name"] == "rconcat" for row in clients)
    others = training[len(clients) :]
    assert [row["name"] for row in others] == [name for name in module.WALK_NETWORKS for _ in range(2)]
    assert [row["form"] for row in others[::2]] == [module.ONE_BY_ONE] * len(module.WALK_NETWORKS)
    for loop, batched in zip(others[::2], others[1::2], strict=True):
        assert batched["form"] == f"batches of {module.WALK_NETWORKS[batched['name']].batch_size}"
        assert batched["slowest"] <= batched["episodes_per_second"] <= batched["fastest"] < math.inf
        assert loop["x_loop"] == 1.0
        assert batched["x_loop"] == pytest.approx(batched["episodes_per_second"] / loop["episodes_per_second"])
    fastest = max(row["episodes_per_second"] for row in clients)
    assert others[1]["x_hogwild"] == pytest.approx(others[1]["episodes_per_second"] / fastest)
    assert others[3]["x_hogwild"] is None
    evaluated = result.rows[len(training) :]
    assert [row["name"] for row in evaluated] == list(module.EVALUATED)
    for row in evaluated:
        assert row["episodes"] == 2 and 0 < row["view_seconds"] < row["seconds"] and row["places"] > 1
    assert result.remarks[0].startswith("Sizes on a CPU are tiny")
    json.dumps(result.rows)


@pytest.mark.slow
def test_a_peer_that_computes_something_else_is_found(inputs: Any) -> None:
    module: Any = import_module("bearleft.bench.walking.bench")
    trainer = inputs.trainer("rconcat")
    loop = module.StepLoop(trainer)
    module.agreement(trainer, loop)
    with torch.no_grad():
        loop.network.output.bias.add_(torch.tensor([1.0, 0.0, 0.0, 0.0]))
    with pytest.raises(RuntimeError, match="rconcat: losses of the loop and of a batch differ"):
        module.agreement(trainer, loop)


def test_the_loop_and_the_batches_learn(inputs: Any) -> None:
    module: Any = import_module("bearleft.bench.walking.bench")
    trainer = inputs.trainer("rconcat")
    loop, batched = module.StepLoop(trainer), module.BatchedUpdates(trainer)
    before = float(loop.loss(0).detach())
    for _ in range(4 * len(loop.lengths)):
        loop()
    assert float(loop.loss(0).detach()) < before
    batched()
    first = float(trainer.losses[0])
    for _ in range(8):
        batched()
    assert float(trainer.losses[0]) < first


def test_places_that_walkers_can_come_to(inputs: Any) -> None:
    module: Any = import_module("bearleft.bench.walking.inputs")
    table, walks = inputs.table, inputs.walks
    starts = np.array([table.start_states[start] for start in walks.starts])
    passed = module.reachable_places(table, starts, walks.actions)
    expected = {table.places.number(walks.worlds[0], place) for route in walks.routes for place in route}
    assert set(passed.tolist()) <= expected and len(passed) > len(walks)
    own = table.place[torch.from_numpy(starts)].tolist()
    assert module.reachable_places(table, starts, 0).tolist() == sorted(set(own))
    after = table.place[table.next_state[torch.from_numpy(starts)]].flatten().tolist()
    assert module.reachable_places(table, starts, 1).tolist() == sorted({*own, *after})
    assert set(passed.tolist()) <= set(module.reachable_places(table, starts, walks.actions.shape[1]).tolist())


@pytest.mark.slow
def test_parts_alone() -> None:
    result = bench("walking", 1, device="cpu", only=["ga", "loop"])
    assert [(row["name"], row["x_hogwild"]) for row in result.rows] == [("ga", None), ("ga", None)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"rounds": 0}, "at least one round"),
        ({"device": "tpu"}, "device"),
        ({"only": ["rconcatt"]}, "Did you mean rconcat"),
    ],
)
def test_mistakes_are_named(options: dict[str, Any], expected: str) -> None:
    module: Any = import_module("bearleft.bench.walking.bench")
    with pytest.raises(InputError, match=expected):
        module.walking(**options)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_clients_read_views_of_a_gpu_on_the_cpu(tmp_path: Path) -> None:
    module: Any = import_module("bearleft.bench.walking.inputs")
    inputs = module.BenchInputs(module.TINY, torch.device("cuda"), tmp_path)
    for kind in ("mean map", "cells"):
        copied = module.on_cpu(inputs.views(kind))
        assert {value.device.type for value in vars(copied).values() if isinstance(value, torch.Tensor)} == {"cpu"}
        assert inputs.views(kind).device_row.is_cuda
