"""The benchmark of networks that point, at its tiny sizes."""

from __future__ import annotations

import json
import math
from importlib import import_module
from typing import Any

import pytest

from bearleft.bench import bench
from bearleft.errors import InputError

pytest.importorskip("torch")


@pytest.mark.slow
def test_every_network_is_timed_beside_the_released_form() -> None:
    from bearleft.bench.pointing.bench import PEER
    from bearleft.models.pointing.registry import NETWORKS

    result = bench("pointing", 1, device="cpu")
    names = [row["name"] for row in result.rows]
    assert names[: 1 + len(NETWORKS)] == [PEER, *NETWORKS]
    assert names[-1] == "chain: pictures and backbone" and names.count("chain: pictures, backbone, lingunet") == 2
    assert names[-5:-3] == ["pictures", "backbone: as a network"]
    assert {row["batch"] for row in result.rows if row["name"] == "lingunet"} == {2, 3}
    for row in result.rows:
        assert row["slowest"] <= row["examples_per_second"] <= row["fastest"] < math.inf
        assert row["tflops"] * 1e3 == pytest.approx(row["gflop_per_example"] * row["examples_per_second"])
    assert result.rows[0]["ratio"] == pytest.approx(1.0)
    assert result.remarks[0].startswith("Sizes on a CPU are tiny")
    json.dumps(result.rows)


@pytest.mark.slow
def test_evaluation_is_timed_beside_its_backbone(monkeypatch: pytest.MonkeyPatch) -> None:
    from bearleft.training.looking import LookTrainConfig

    evaluation = import_module("bearleft.bench.pointing.evaluation")
    tiny = LookTrainConfig(width=16, view_size=32, pool=1, columns=12)
    monkeypatch.setattr(evaluation, "LookTrainConfig", lambda **_: tiny)
    result = bench("pointing", 1, device="cpu", only=["evaluation"])
    assert [(row["name"], row["dataset"]) for row in result.rows] == [
        *((name, dataset) for dataset in ("sdr", "refer360") for name in ("lingunet", "bearing")),
        ("looking", "refer360"),
    ]
    for row in result.rows:
        assert row["examples_per_second"] > 0 and row["startup_seconds"] > 0
        if row["backbone_per_second"] is not None:
            assert row["ratio"] == pytest.approx(row["examples_per_second"] / row["backbone_per_second"])
    json.dumps(result.rows)
    with pytest.raises(InputError, match="evaluation alone"):
        bench("pointing", 1, device="cpu", only=["evaluation", "lingunet"])


def test_operations_are_those_of_the_layers() -> None:
    """Of the released form: each 5 x 5 map three times (once forward, twice back), but for the pictures' gradient."""
    torch = pytest.importorskip("torch")
    module: Any = import_module("bearleft.bench.pointing.bench")
    sizes = module.TINY
    pool = module.ExamplePool(sizes, torch.device("cpu"), channels_first=True)
    counted = module.TrainingSteps(module.build("unet", sizes), pool, 2, bfloat16=False).flops()
    cells, width = sizes.slicing.rows * sizes.slicing.columns, sizes.overrides["width"]
    first, second = 25 * 128 * width, 25 * width * width
    maps = 2 * first + 3 * (second + second + 2 * second)  # two convolutions, two deconvolutions; one reads two maps
    scored = 3 * (width * 128 + 128)
    assert counted == 2 * cells * (maps + scored)


def test_operations_of_the_backbone_are_the_papers() -> None:
    """Of eight slices of 16 x 24 pixels: 8 x 12 places behind the first layer, 4 x 6, then 2 x 3."""
    module: Any = import_module("bearleft.bench.pointing.pipeline")
    counted = module.backbone_flops(module.Slicing(16, 24))
    stem, first, second = 12 * 8 * 64 * 147, 6 * 4 * 4 * 64 * 64 * 9, 3 * 2 * 128 * (64 * 9 + 64 + 3 * 128 * 9)
    assert counted == 8 * 2 * (stem + first + second)


def test_graphed_steps_equal_eager_steps() -> None:
    torch = pytest.importorskip("torch")
    module: Any = import_module("bearleft.bench.pointing.bench")
    pool = module.ExamplePool(module.TINY, torch.device("cpu"), channels_first=False)
    weights = []
    for form in (module.EAGER, module.CUDA_GRAPH):
        torch.manual_seed(0)
        steps = module.TrainingSteps(module.build("unet", module.TINY), pool, 2, bfloat16=False, form=form)
        for _ in range(2):
            steps()
        weights.append(torch.cat([parameter.detach().flatten() for parameter in steps.network.parameters()]))
    fresh = torch.cat([parameter.detach().flatten() for parameter in module.build("unet", module.TINY).parameters()])
    assert torch.equal(*weights) and not torch.equal(weights[0], fresh)


@pytest.mark.slow
def test_parts_alone() -> None:
    module: Any = import_module("bearleft.bench.pointing.bench")
    result = module.pointing(1, "cpu", only=["backbone", "pictures"], world="rooms/0/1")
    assert [row["name"] for row in result.rows] == [module.PEER, "pictures", "backbone: as a network"]
    assert result.rows[1]["tflops"] == 0.0 and any("rooms/0/1" in remark for remark in result.remarks)


def test_a_peer_that_computes_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    module: Any = import_module("bearleft.bench.pointing.bench")
    true = module.with_weights_of

    def wrong(ours: Any) -> Any:
        network = true(ours)
        with torch.no_grad():
            network.kernels[0].bias.add_(0.1)
        return network

    module.agreement()
    monkeypatch.setattr(module, "with_weights_of", wrong)
    with pytest.raises(RuntimeError, match="do not agree"):
        module.agreement()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"rounds": 0}, "at least one round"),
        ({"device": "tpu"}, "device"),
        ({"only": ["lingnet"]}, "Did you mean lingunet"),
    ],
)
def test_mistakes_are_named(options: dict[str, Any], expected: str) -> None:
    module: Any = import_module("bearleft.bench.pointing.bench")
    with pytest.raises(InputError, match=expected):
        module.pointing(**options)


def test_devices_and_parts_of_other_benchmarks() -> None:
    with pytest.raises(InputError, match="cuda with arramon, render, views, pointing, walking or reinforce"):
        bench("metrics", device="cuda")
    with pytest.raises(InputError, match="cpu or cuda"):
        bench("metrics", device="tpu")
    with pytest.raises(InputError, match="parts of pointing, walking, reinforce, web or cluster"):
        bench("render", only=["blocks"])
