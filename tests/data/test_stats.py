from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bearleft.data import stats
from bearleft.data.stats import EPISODES, PAPER, PAPER_NOTES
from tests.data.sample_files import NAMES


def figures(sample_data: Path, name: str) -> dict[str, Any]:
    rows = stats(sample_data, [name])
    assert all(set(row) == {"dataset", "statistic", "value", "paper"} and row["dataset"] == name for row in rows)
    return {row["statistic"]: row["value"] for row in rows}


def test_text_statistics(sample_data: Path) -> None:
    values = figures(sample_data, "map2seq/made")
    assert (values["episodes"], values["legs"], values["skipped"], values["texts"]) == (2, 2, 0, 2)
    # walk past 0 lights , then stop .
    assert values["tokens per text, mean"] == values["tokens per text, max"] == 8
    assert values["vocabulary"] == 9 and values["sentences per text, mean"] == 1


def test_route_statistics(sample_data: Path) -> None:
    values = figures(sample_data, "r2r/made")
    assert (values["episodes"], values["routes"], values["distinct routes"]) == (10, 4, 4)
    assert values["places per route, mean"] == 2.5
    step = (2**2 + 0.5**2) ** 0.5
    assert values["metres per route, mean"] == pytest.approx(1.5 * step, abs=1e-4)
    joined = figures(sample_data, "r4r/made")
    assert (joined["routes"], joined["distinct routes"], joined["episodes"]) == (7, 7, 41)


def test_each_description_counts_once(sample_data: Path) -> None:
    values = figures(sample_data, "sdr/made")
    assert (values["episodes"], values["texts"], values["skipped"]) == (10, 4, 2)


def test_complete_task_is_one_text(sample_data: Path) -> None:
    assert figures(sample_data, "touchdown-complete/made")["texts"] == 4


def test_picture_statistics(sample_data: Path) -> None:
    values = figures(sample_data, "refer360/made")
    assert (values["pictures"], values["episodes per picture, mean"], values["sentences per text, mean"]) == (2, 2, 2)


def test_arramon_sums_both_turns(sample_data: Path) -> None:
    values = figures(sample_data, "arramon/made")
    assert values["navigation, moves, both turns, max"] == 6
    assert values["navigation, actions, both turns, max"] == 13
    assert values["assembly, moves, both turns, mean"] == 4
    assert values["assembly, actions, each turn, mean"] == 6
    assert values["assembly, words, both turns, mean"] == 12


def test_rows_hold_the_figures_of_the_papers(sample_data: Path) -> None:
    rows = {row["statistic"]: row["paper"] for row in stats(sample_data, ["arramon/made"])}
    assert {name: rows[name] for name in PAPER["arramon"]} == PAPER["arramon"]
    assert rows["legs"] is None
    for kind, expected in PAPER.items():
        assert set(expected) <= set(figures(sample_data, NAMES[kind])), f"a figure of {kind} that we do not give"
        assert PAPER_NOTES[kind]
    assert all(name.partition("/")[0] in NAMES for name in EPISODES)


def test_all_available_datasets(sample_data: Path) -> None:
    assert {row["dataset"] for row in stats(sample_data)} == set(NAMES.values())


def test_generated_dataset(sample_data: Path) -> None:
    assert figures(sample_data, "town/dev")["routes"] == 100
