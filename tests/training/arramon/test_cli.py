"""`bearleft train arramon-lo` and `bearleft paper arramon` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from bearleft.cli.train import ARRAMON_COMMANDS  # noqa: E402
from bearleft.data import write  # noqa: E402
from bearleft.models.arramon.registry import ARRAMON_NETWORKS  # noqa: E402
from tests.training.arramon.planted import planted_tasks  # noqa: E402
from tests.training.pointing.test_cli import run_train  # noqa: E402

SIZES = ("--set", "hidden_dim=8", "--set", "word_dim=4", "--set", "action_dim=4")


def test_a_network_is_trained_and_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks, runs = tmp_path / "tasks.jsonl", tmp_path / "runs"
    write("jsonl", planted_tasks(4), tasks)
    common = (tasks, "-o", runs, *SIZES, "--validation-share", 0.25)
    code, out, err = run_train(capsys, "arramon-lo", *common, "--epochs", 1, "--json")
    rows = json.loads(out)
    assert code == 0 and {"navigation loss", "assembly loss", "nDTW", "CTC-3", "rPOD", "PTC"} <= rows[0].keys()
    assert "3 tasks to train on, 1 to validate on" in err and "Epoch 1 is the best, nDTW " in err
    assert f"bearleft eval {runs}/best.pt DATASET/SPLIT" in err
    code, out, _ = run_train(capsys, "arramon-lo", *common, "--epochs", 2, "--json")
    assert code == 0 and [row["epoch"] for row in json.loads(out)] == [1, 2]
    code, _, err = run_train(capsys, "arramon-lo", *common, "--batch-size", 2)
    assert code == 2 and "as in this folder's training" in err
    code, _, err = run_train(capsys, "arramon-vl", tasks, "-o", tmp_path / "o", "--set", "hiden_dim=8")
    assert code == 2 and "hidden_dim" in err
    code, _, err = run_train(capsys, "arramon-lo", "town/dev", "-o", tmp_path / "o")
    assert code == 2 and "episodes of Collect, Assemble, Collect, Assemble" in err


def test_commands_are_the_networks() -> None:
    assert list(ARRAMON_COMMANDS) == list(ARRAMON_NETWORKS)
