"""Scores of minimal pairs: a pair counts only if both of its texts are answered correctly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.data import load, write
from bearleft.envs.game import Action, Observation
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.records import Direction, Episode, Leg, Point, Pose

ANSWERS = Direction(30.0, 0.0), Direction(-30.0, 0.0)


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    """Return a dataset of four pairs of Point episodes and one episode without a pair."""
    episodes = []
    for number in range(9):
        extra = {} if number == 8 else {"pair": number // 2, "changed": bool(number % 2)}
        leg = Leg(f"text {number}", Point(ANSWERS[number % 2]))
        episodes.append(Episode(str(number), "own", "town/0", Pose(Direction(0.0, 0.0), "0"), (leg,), extra))
    write("jsonl", episodes, tmp_path / "own.jsonl")
    return str(tmp_path / "own.jsonl")


class FixedAnswers:
    """An agent with a fixed answer for each text."""

    def __init__(self, answers: dict[str, Direction]) -> None:
        self.answers = answers

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: Observation) -> Action:
        return self.answers[observation["text"]]


def score_answers(pairs: str, tmp_path: Path, answers: list[int], limit: int | None = None) -> Any:
    by_text = {f"text {number}": ANSWERS[answer] for number, answer in enumerate(answers)}
    evaluate(FixedAnswers(by_text), pairs, tmp_path / "traces.jsonl", limit=limit)
    return score(tmp_path / "traces.jsonl", resamples=10)


def test_both_texts_must_be_right(pairs: str, tmp_path: Path) -> None:
    rows = {row["metric"]: row for row in score_answers(pairs, tmp_path, [0, 1, 0, 0, 1, 1, 1, 0, 0]).rows}
    assert (rows["Pairs"]["value"], rows["Pairs"]["n"]) == (25, 4)
    assert (rows["Changed"]["value"], rows["Changed"]["n"]) == (50, 4)
    assert rows["A@40px"]["n"] == 9


def test_same_answer_to_both_texts_gets_no_pair_right(pairs: str, tmp_path: Path) -> None:
    rows = {row["metric"]: row["value"] for row in score_answers(pairs, tmp_path, [1] * 9).rows}
    assert rows["Pairs"] == 0 and rows["Changed"] == 100


def test_incomplete_pair_is_not_counted(pairs: str, tmp_path: Path) -> None:
    scores = score_answers(pairs, tmp_path, [0, 1] * 4 + [0], limit=5)
    rows = {row["metric"]: row for row in scores.rows}
    assert rows["Pairs"]["n"] == 2 and any("1 minimal pairs lack one" in note for note in scores.notes)


def test_episodes_without_pairs_have_no_pair_scores(tmp_path: Path) -> None:
    evaluate("gold", "town/dev", tmp_path / "gold.jsonl")
    assert "pair" not in load("town/dev")[0].extra
    assert "Pairs" not in {row["metric"] for row in score(tmp_path / "gold.jsonl", resamples=10).rows}
