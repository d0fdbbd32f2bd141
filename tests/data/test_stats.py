from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bearleft.data import stats
from bearleft.data.stats import EPISODES, PAPER, PAPER_NOTES
from tests.data.sample_files import NAMES


def figures(made: Path, name: str) -> dict[str, Any]:
    rows = stats(made, [name])
    assert all(set(row) == {"dataset", "statistic", "value", "paper"} and row["dataset"] == name for row in rows)
    return {row["statistic"]: row["value"] for row in rows}


def test_texts_are_counted(made: Path) -> None:
    found = figures(made, "map2seq/made")
    assert (found["episodes"], found["legs"], found["left out"], found["texts"]) == (2, 2, 0, 2)
    # walk past 0 lights , then stop .
    assert found["tokens per text, mean"] == found["tokens per text, max"] == 8
    assert found["vocabulary"] == 9 and found["sentences per text, mean"] == 1


def test_routes_are_counted(made: Path) -> None:
    found = figures(made, "r2r/made")
    assert (found["episodes"], found["routes"], found["distinct routes"]) == (10, 4, 4)
    assert found["places per route, mean"] == 2.5
    step = (2**2 + 0.5**2) ** 0.5
    assert found["metres per route, mean"] == pytest.approx(1.5 * step, abs=1e-4)
    joined = figures(made, "r4r/made")
    assert (joined["routes"], joined["distinct routes"], joined["episodes"]) == (7, 7, 41)


def test_a_description_is_counted_once(made: Path) -> None:
    found = figures(made, "sdr/made")
    assert (found["episodes"], found["texts"], found["left out"]) == (10, 4, 2)


def test_the_complete_task_is_one_text(made: Path) -> None:
    assert figures(made, "touchdown-complete/made")["texts"] == 4


def test_pictures_are_counted(made: Path) -> None:
    found = figures(made, "refer360/made")
    assert (found["pictures"], found["episodes per picture, mean"], found["sentences per text, mean"]) == (2, 2, 2)


def test_arramon_sums_both_turns(made: Path) -> None:
    found = figures(made, "arramon/made")
    assert found["navigation, moves, both turns, max"] == 6
    assert found["navigation, actions, both turns, max"] == 13
    assert found["assembly, moves, both turns, mean"] == 4
    assert found["assembly, actions, each turn, mean"] == 6
    assert found["assembly, words, both turns, mean"] == 12


def test_the_papers_figures_stand_beside(made: Path) -> None:
    rows = {row["statistic"]: row["paper"] for row in stats(made, ["arramon/made"])}
    assert {name: rows[name] for name in PAPER["arramon"]} == PAPER["arramon"]
    assert rows["legs"] is None
    for kind, expected in PAPER.items():
        assert set(expected) <= set(figures(made, NAMES[kind])), f"a figure of {kind} that we do not give"
        assert PAPER_NOTES[kind]
    assert all(name.partition("/")[0] in NAMES for name in EPISODES)


def test_all_that_are_there(made: Path) -> None:
    assert {row["dataset"] for row in stats(made)} == set(NAMES.values())


def test_generated_episodes_have_figures_too(made: Path) -> None:
    assert figures(made, "town/dev")["routes"] == 100
