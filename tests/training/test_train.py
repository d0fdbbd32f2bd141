"""`bearleft.train`, and `bearleft train look` and `bearleft train backbone`, from Python and the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed")

import bearleft
from bearleft.cli import main
from bearleft.errors import InputError
from bearleft.models.backbones.registry import load_backbone
from bearleft.training import LookTrainConfig, TrainInputs
from bearleft.training.backbone.train import BackboneTrainConfig
from bearleft.training.history import TrainProgress
from bearleft.world.slices import PAPER

TINY_LOOK = LookTrainConfig(epochs=1, batch_size=4, views_per_goal=1, width=16, view_size=32, pool=1, columns=12)


def run_command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run the command line; return its exit code, output and messages."""
    code = 0
    try:
        main([str(word) for word in arguments])
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.slow
def test_look_network_is_trained_from_python(tmp_path: Path) -> None:
    reports: list[TrainProgress] = []
    inputs = TrainInputs("city/refer360/small", limit=2, backbone="random:0")
    result = bearleft.train(TINY_LOOK, inputs, tmp_path, report=reports.append)
    assert result.finished and [row["epoch"] for row in result.history] == [1]  # type: ignore[union-attr]
    assert (tmp_path / "best.pt").exists() and any("2 episodes" in report.message for report in reports)
    assert any(report.update == report.updates > 0 and report.loss > 0 for report in reports), "the bar moves"


@pytest.mark.slow
def test_backbone_is_trained_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights = tmp_path / "backbone.pt"
    arguments = ("--world", "city/3/2x2", "--rooms", "rooms/0/42", "--steps", 2, "--batch-size", 2, "--size", "52x68")
    code, out, err = run_command(capsys, "train", "backbone", "-o", weights, *arguments, "--json")
    assert code == 0 and f"--backbone {weights}" in err
    card = {row["name"]: row["value"] for row in json.loads(out)}
    assert card["steps"] == 2 and card["hash"] == load_backbone(str(weights)).hash
    assert json.loads(weights.with_suffix(".json").read_text())["bytes"] == weights.stat().st_size


@pytest.mark.parametrize(
    ("config", "inputs", "expected"),
    [
        ("backbone", "city/sdr/small", "a backbone learns from rendered pictures"),
        (BackboneTrainConfig(), TrainInputs("city/sdr/small"), "a backbone learns from rendered pictures"),
        ("lingunet", None, "a dataset to train on"),
        ("look", None, "a dataset to train on"),
        ("lingnet", "city/sdr/small", "Did you mean lingunet?"),
        ("look", TrainInputs("city/refer360/small", features="store"), "a feature store or slices"),
        ("look", TrainInputs("city/refer360/small", slicing=PAPER), "a feature store or slices"),
    ],
)
def test_invalid_arguments_are_reported(config: Any, inputs: Any, expected: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=expected):
        bearleft.train(config, inputs, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("arguments", [("look", "--help"), ("backbone", "--help"), ("--help",)])
def test_every_training_command_has_help(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_command(capsys, "train", *arguments)
    assert code == 0 and "--learning-rate" in out and "--output" in out
