"""papers/touchdown.md says what the answers kept beside it say."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

pytest.importorskip("torch")

from bearleft.experiments.touchdown.markdown import markdown, read_rows
from bearleft.experiments.touchdown.predictions import SavedPredictions, read_folder
from bearleft.experiments.touchdown.train import PAIRS, SHUFFLED_SPLITS, SPLITS, system_runs

PAPERS = Path(__file__).parents[3] / "papers"


@pytest.fixture(scope="module")
def kept() -> list[SavedPredictions]:
    return read_folder(PAPERS / "answers")


def test_the_pages_tables_are_those_of_the_rows() -> None:
    page = (PAPERS / "touchdown.md").read_text(encoding="utf-8")
    assert markdown(read_rows(PAPERS / "answers" / "rows.json")).strip() in page


def test_every_row_has_answered_everything(kept: list[SavedPredictions]) -> None:
    asked = {(name, "own") for name in (*SPLITS, *PAIRS)} | {
        (name, "shuffled") for name in SHUFFLED_SPLITS if name in SPLITS
    }
    have = {(one.system, one.seed): set[tuple[str, str]]() for one in kept}
    for one in kept:
        have[one.system, one.seed].add((one.dataset, one.texts))
    assert have == {(row.system, row.seed): asked for row in system_runs()}


def test_all_learnt_the_same_and_were_asked_the_same(kept: list[SavedPredictions]) -> None:
    assert len({tuple(one.metadata[key] for key in ("updates", "batch", "examples", "backbone")) for one in kept}) == 1
    for _, answers in groupby(sorted(kept, key=lambda one: one.dataset), key=lambda one: one.dataset):
        assert len({one.ids for one in answers}) == 1


def test_rows_count_the_answers(kept: list[SavedPredictions]) -> None:
    told = {
        (row["split"], row["system"]): (row["seeds"], row["n"])
        for row in read_rows(PAPERS / "answers" / "rows.json")
        if row["kind"] == "score" and row["metric"] == "A@80px"
    }
    for one in kept:
        if one.dataset in SPLITS:
            seeds = len({other.seed for other in kept if other.system == one.system})
            assert told[one.dataset, one.system] == (seeds, len(one.ids))
