"""Reinforcement learning follows texts: it finds goals by rewards alone, and not with the texts of other walks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from bearleft.training.reinforcement.train import train_panoramic  # noqa: E402
from tests.training.reinforcement.turns import turns, turns_config  # noqa: E402
from tests.training.walking.turn_task import misleading_seed  # noqa: E402

WAYS: dict[str, dict[str, Any]] = {
    "rewards alone": {"imitation": 0.0, "entropy_weight": 0.02},
    "half imitation": {"epochs": 2},
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_learns_what_texts_say(way: str, tmp_path: Path) -> None:
    result = train_panoramic(turns_config(**WAYS[way]), turns(), tmp_path)
    info = result.checkpoint.training_info
    assert result.finished and info["SR"] >= 95.0 and info["nDTW"] >= 0.95 and info["SDTW"] >= 0.95
    assert result.history[-1]["return"] > result.history[0]["return"]


@pytest.mark.slow
def test_a_goal_oriented_reward_leads_to_the_goal(tmp_path: Path) -> None:
    config = turns_config(**WAYS["rewards alone"], reward="goal", select="SDTW")
    assert train_panoramic(config, turns(), tmp_path).checkpoint.training_info["SR"] >= 95.0


@pytest.mark.slow
def test_texts_of_other_walks_teach_nothing(tmp_path: Path) -> None:
    """A walker who ignores the text reaches at most half of the goals."""
    config = turns_config(**WAYS["rewards alone"], seed=misleading_seed(), shuffle_texts=True)
    info = train_panoramic(config, turns(), tmp_path).checkpoint.training_info
    assert info["SR"] <= 60.0 and info["SDTW"] <= 0.6
