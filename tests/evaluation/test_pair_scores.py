"""Minimal pairs in files of traces: who reads the word that changed, and who guesses."""

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
    """Four pairs of points, and an episode that is of none."""
    made = []
    for number in range(9):
        extra = {} if number == 8 else {"pair": number // 2, "changed": bool(number % 2)}
        leg = Leg(f"text {number}", Point(ANSWERS[number % 2]))
        made.append(Episode(str(number), "own", "town/0", Pose(Direction(0.0, 0.0), "0"), (leg,), extra))
    write("jsonl", made, tmp_path / "own.jsonl")
    return str(tmp_path / "own.jsonl")


class Saying:
    """Answers each text as it is told to."""

    def __init__(self, answers: dict[str, Direction]) -> None:
        self.answers = answers

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: Observation) -> Action:
        return self.answers[observation["text"]]


def scored(pairs: str, tmp_path: Path, answers: list[int], limit: int | None = None) -> Any:
    said = {f"text {number}": ANSWERS[answer] for number, answer in enumerate(answers)}
    evaluate(Saying(said), pairs, tmp_path / "traces.jsonl", limit=limit)
    return score(tmp_path / "traces.jsonl", resamples=10)


def test_both_texts_must_be_right(pairs: str, tmp_path: Path) -> None:
    found = {row["metric"]: row for row in scored(pairs, tmp_path, [0, 1, 0, 0, 1, 1, 1, 0, 0]).rows}
    assert (found["Pairs"]["value"], found["Pairs"]["n"]) == (25, 4)
    assert (found["Changed"]["value"], found["Changed"]["n"]) == (50, 4)
    assert found["A@40px"]["n"] == 9


def test_who_answers_twice_the_same_has_no_pair_right(pairs: str, tmp_path: Path) -> None:
    found = {row["metric"]: row["value"] for row in scored(pairs, tmp_path, [1] * 9).rows}
    assert found["Pairs"] == 0 and found["Changed"] == 100


def test_half_a_pair_is_not_counted(pairs: str, tmp_path: Path) -> None:
    found = scored(pairs, tmp_path, [0, 1] * 4 + [0], limit=5)
    rows = {row["metric"]: row for row in found.rows}
    assert rows["Pairs"]["n"] == 2 and any("1 minimal pairs lack one" in note for note in found.notes)


def test_episodes_without_pairs_have_no_such_row(tmp_path: Path) -> None:
    evaluate("gold", "town/dev", tmp_path / "gold.jsonl")
    assert "pair" not in load("town/dev")[0].extra
    assert "Pairs" not in {row["metric"] for row in score(tmp_path / "gold.jsonl", resamples=10).rows}
