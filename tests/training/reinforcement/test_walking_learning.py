"""Walking networks learn by rewards what texts say, also if their teacher was wrong, and not with other texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from bearleft.training.reinforcement.config import WalkReinforceConfig  # noqa: E402
from bearleft.training.walking.train import train_walker  # noqa: E402
from tests.training.walking.turn_task import HORIZON, SMALL, misleading_seed, turn_config, turn_task  # noqa: E402

REWARDS_ALONE: dict[str, Any] = {"imitation": 0.0, "entropy_weight": 0.02, "learning_rate": 0.01, "temperature": 1.0}
EPOCHS: dict[str, Any] = {"epochs": 2, "examples_per_epoch": 1000, "batch_size": 50, "horizon": HORIZON}


def reinforce(network: str, folder: Path, **options: Any) -> dict[str, Any]:
    """Train a small network by rewards, and return what is known of the best epoch."""
    config = WalkReinforceConfig(network, **{**EPOCHS, **REWARDS_ALONE, "overrides": SMALL[network], **options})
    result = train_walker(config, turn_task(), folder)
    assert result.finished
    return result.checkpoint.training_info


@pytest.mark.slow
def test_rewards_alone_teach_to_follow_texts(tmp_path: Path) -> None:
    info = reinforce("orar", tmp_path)
    assert info["TC"] >= 95.0 and info["SDTW"] >= 0.9


@pytest.mark.slow
def test_half_imitation_learns_faster(tmp_path: Path) -> None:
    info = reinforce("compass", tmp_path, imitation=0.5, temperature=0.25, epochs=1)
    assert info["TC"] >= 95.0 and info["SDTW"] >= 0.9


@pytest.mark.slow
def test_rewards_correct_a_wrong_teacher(tmp_path: Path) -> None:
    """The teacher reads the texts of other walks; a walker who ignores texts reaches half of the goals."""
    seed = misleading_seed()
    config = turn_config("orar", seed=seed, shuffle_texts=True)
    misled = train_walker(config, turn_task(), tmp_path / "misled").checkpoint.training_info
    options: dict[str, Any] = {
        "init": str(tmp_path / "misled"),
        "seed": seed,
        "examples_per_epoch": 800,
        "batch_size": 25,
    }
    options["learning_rate"] = 0.005
    own, others = (
        reinforce("orar", tmp_path / str(shuffled), shuffle_texts=shuffled, **options) for shuffled in (False, True)
    )
    assert misled["TC"] <= 60.0 and others["TC"] <= 60.0 and own["TC"] >= 95.0 and own["SDTW"] >= 0.9
