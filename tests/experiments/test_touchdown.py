"""Touchdown's tables: the rows of pointers are what `eval` and `score` say of the same agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from bearleft import load, run, score
from bearleft.agents.pointers import Average, Center
from bearleft.experiments.touchdown import COLUMNS_4, mean_point_scores


@pytest.mark.parametrize("name", ["average", "center"])
def test_pointers_are_scored_as_score_does(name: str, tmp_path: Path) -> None:
    episodes = load("town/point")
    agent = Average(episodes) if name == "average" else Center()
    ours = mean_point_scores(agent, episodes, repeats=1)
    run(name, "town/point", tmp_path / "it.jsonl")
    theirs = {row["metric"]: row["value"] for row in score(tmp_path / "it.jsonl").rows}
    assert {column: ours[column] for column in COLUMNS_4} == {
        column: pytest.approx(theirs[column], abs=1e-9) for column in COLUMNS_4
    }
