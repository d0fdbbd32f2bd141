"""papers/touchdown.md says what the answers kept beside it say."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

pytest.importorskip("torch")

from bearleft.experiments.systems.markdown import read_rows
from bearleft.experiments.touchdown.markdown import markdown
from bearleft.experiments.touchdown.predictions import SavedPredictions, read_folder
from bearleft.experiments.touchdown.train import PAIRS, SHUFFLED_SPLITS, SPLITS, system_runs

PAPERS = Path(__file__).parents[3] / "papers"


@pytest.fixture(scope="module")
def saved_predictions() -> list[SavedPredictions]:
    return read_folder(PAPERS / "answers")


def test_tables_of_the_page_equal_the_rows() -> None:
    page = (PAPERS / "touchdown.md").read_text(encoding="utf-8")
    assert markdown(read_rows(PAPERS / "answers" / "rows.json")).strip() in page


def test_every_row_covers_all_episodes(saved_predictions: list[SavedPredictions]) -> None:
    episodes = {(name, "own") for name in (*SPLITS, *PAIRS)} | {
        (name, "shuffled") for name in SHUFFLED_SPLITS if name in SPLITS
    }
    have = {(prediction.system, prediction.seed): set[tuple[str, str]]() for prediction in saved_predictions}
    for prediction in saved_predictions:
        have[prediction.system, prediction.seed].add((prediction.dataset, prediction.texts))
    assert have == {(row.system, row.seed): episodes for row in system_runs()}


def test_all_systems_share_training_and_evaluation_data(saved_predictions: list[SavedPredictions]) -> None:
    assert (
        len(
            {
                tuple(prediction.metadata[key] for key in ("updates", "batch", "examples", "backbone"))
                for prediction in saved_predictions
            }
        )
        == 1
    )
    for _, answers in groupby(
        sorted(saved_predictions, key=lambda prediction: prediction.dataset), key=lambda prediction: prediction.dataset
    ):
        assert len({answer.ids for answer in answers}) == 1


def test_rows_count_predictions(saved_predictions: list[SavedPredictions]) -> None:
    page_text = {
        (row["split"], row["system"]): (row["seeds"], row["n"])
        for row in read_rows(PAPERS / "answers" / "rows.json")
        if row["kind"] == "score" and row["metric"] == "A@80px"
    }
    for prediction in saved_predictions:
        if prediction.dataset in SPLITS:
            seeds = len({other.seed for other in saved_predictions if other.system == prediction.system})
            assert page_text[prediction.dataset, prediction.system] == (seeds, len(prediction.ids))
