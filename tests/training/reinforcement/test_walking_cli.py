"""`bearleft train orar --reward --init` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from tests.training.pointing.test_cli import run_train  # noqa: E402

WALKS = ("town/dev", "--limit", 24, "--no-image", "--epochs", 1, "--batch-size", 8, "--horizon", 20)


def test_a_network_is_trained_on_by_rewards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "imitation", tmp_path / "rewards"
    code, _, _ = run_train(capsys, "orar", *WALKS, "-o", first, "--set", "hidden_dim=8", "--set", "word_dim=4")
    assert code == 0
    code, out, err = run_train(
        capsys, "orar", *WALKS, "-o", second, "--init", first, "--reward", "sdtw", "--discount", 0.9, "--json"
    )
    rows = json.loads(out)
    assert code == 0 and {"return", "entropy", "nDTW", "SDTW", "SPD", "TC"} <= rows[0].keys()
    assert "Epoch 1 is the best, SDTW " in err and "best.pt DATASET/SPLIT" in err
    code, _, err = run_train(capsys, "orar", *WALKS, "-o", second, "--init", first, "--reward", "goal")
    assert code == 2 and "as in this folder's training" in err
    code, _, err = run_train(capsys, "rconcat", *WALKS, "-o", tmp_path / "other", "--init", first)
    assert code == 2 and "a checkpoint of rconcat, got one of orar" in err


def test_options_of_rewards_need_a_reward(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run_train(capsys, "orar", *WALKS, "-o", tmp_path, "--discount", 0.9)
    assert code == 2 and "field discount: expected a reward to learn by, got none" in err
    code, _, err = run_train(capsys, "orar", *WALKS, "-o", tmp_path, "--reward", "fidelty")
    assert code == 2 and "fidelity" in err
    code, _, err = run_train(capsys, "compass", *WALKS, "-o", tmp_path, "--reward", "goal", "--forcing", "mixed")
    assert code == 2 and "Leave out --forcing" in err
