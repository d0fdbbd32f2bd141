"""Table 4 on a city, from saved answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from bearleft.cli import cli
from bearleft.data import load
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.experiments.systems.markdown import read_rows, write_rows
from bearleft.experiments.systems.table import score_rows
from bearleft.experiments.touchdown.markdown import markdown
from bearleft.experiments.touchdown.predictions import (
    SavedPredictions,
    baselines,
    read_folder,
    read_predictions,
    save_predictions,
)
from bearleft.experiments.touchdown.results import (
    ResultTable,
    concatenate,
    pair_rows,
    published_number,
    results,
    reversal_rows,
)
from bearleft.experiments.touchdown.scoring import SplitScorer, cluster_key
from bearleft.models.examples import build_examples
from bearleft.records import Direction, Episode, Leg, Point, Pose

SDR, COLOUR, COUNT = "city/sdr/small", "city/pairs/colour", "city/pairs/count"


def predictions_of(
    system: str, name: str, correct: Sequence[bool], seed: int = 0, texts: str = "own"
) -> SavedPredictions:
    """Predict the target where `right`, else the opposite direction."""
    inputs = build_examples(load(name))
    away = np.where(np.resize(np.asarray(correct), len(inputs)), 0.0, 180.0)
    answers = inputs.targets.copy()
    answers[:, 0] = (answers[:, 0] + away + 180.0) % 360.0 - 180.0
    return SavedPredictions(system, name, seed, inputs.ids, answers, 1.5, texts, {"updates": 3})


def select(rows: Sequence[dict[str, Any]], **expected: Any) -> list[dict[str, Any]]:
    return [row for row in rows if all(row.get(key) == value for key, value in expected.items())]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    answers = [predictions_of("UNET", SDR, [False]), predictions_of("CONCAT", SDR, [True, True, True, False])]
    answers += [predictions_of("LINGUNET", SDR, [True, False], seed) for seed in (0, 1)]
    answers += [predictions_of("BEARING", SDR, [True, True, True, True, False], seed) for seed in (0, 1)]
    answers += [predictions_of("LINGUNET", SDR, [True, False, False, False], 1, "shuffled")]
    for name in (COLOUR, COUNT):
        answers += [
            predictions_of("LINGUNET", name, [True, False]),
            predictions_of("BEARING", name, [True, True, True, False]),
        ]
    return results(answers)


def test_predictions_round_trip(tmp_path: Path) -> None:
    prediction = predictions_of("LINGUNET", SDR, [True, False], 3, "shuffled")
    back = read_predictions(save_predictions(tmp_path, prediction))
    assert (back.system, back.dataset, back.seed, back.ids, back.seconds, back.texts, back.metadata) == (
        "LINGUNET",
        SDR,
        3,
        prediction.ids,
        1.5,
        "shuffled",
        {"updates": 3},
    )
    np.testing.assert_allclose(back.directions, prediction.directions, atol=1e-4)
    save_predictions(tmp_path, predictions_of("LINGUNET", SDR, [True], 3))
    assert [stored.texts for stored in read_folder(tmp_path)] == ["own", "shuffled"]


def test_damaged_prediction_files_are_reported(tmp_path: Path) -> None:
    path = save_predictions(tmp_path, predictions_of("UNET", COLOUR, [True]))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InputError, match="a file of answers"):
        read_predictions(path)
    with pytest.raises(InputError, match="none there"):
        read_folder(tmp_path / "empty")
    with pytest.raises(InputError, match="a heading and a pitch for each id"):
        SavedPredictions("UNET", SDR, 0, ("a",), np.array([[np.nan, 0.0]]))


def test_table_requires_all_predictions() -> None:
    prediction = predictions_of("UNET", COLOUR, [True])
    short = SavedPredictions("UNET", COLOUR, 0, prediction.ids[1:], prediction.directions[1:])
    with pytest.raises(InputError, match="1 missing"):
        ResultTable(SplitScorer(COLOUR, load(COLOUR)), [short])


def test_values_equal_score(tmp_path: Path) -> None:
    out = tmp_path / "center.jsonl"
    evaluate("center", SDR, out)
    episodes = load(SDR)
    expected = {row["metric"]: row["value"] for row in score(out).rows}
    rows = score_rows(ResultTable(SplitScorer(SDR, episodes), baselines(SDR, episodes, episodes)))
    for row in select(rows, system="CENTER"):
        assert row["value"] == pytest.approx(expected[row["metric"]], abs=0.01)
    assert {row["seeds"] for row in select(rows, system="RANDOM")} == {50}


@pytest.mark.slow
def test_rows_follow_the_papers_order(rows: list[dict[str, Any]]) -> None:
    systems = list(dict.fromkeys(row["system"] for row in select(rows, kind="score")))
    assert systems == ["RANDOM", "CENTER", "AVERAGE", "UNET", "CONCAT", "LINGUNET", "BEARING"]
    [score] = select(rows, kind="score", system="LINGUNET", metric="A@80px")
    assert score["paper"] == 32.83 and score["seeds"] == 2 and score["spread"] == 0
    assert score["value"] == pytest.approx(50, abs=0.5) and score["low"] < score["value"] < score["high"]
    assert select(rows, kind="score", system="BEARING")[0]["paper"] is None
    assert published_number("city/sdr/test_unseen", "LINGUNET", "Dist") == 708
    assert published_number("city/sdr/test", "UNET", "Dist") is None


def test_fewer_errors_are_relative(rows: list[dict[str, Any]]) -> None:
    [fewer] = select(rows, kind="fewer errors", metric="A@80px")
    ours, theirs = (select(rows, kind="score", system=s, metric="A@80px")[0]["value"] for s in ("BEARING", "LINGUNET"))
    assert fewer["value"] == pytest.approx(100 - 100 * (100 - ours) / (100 - theirs), abs=0.1)
    assert fewer["low"] < fewer["value"] < fewer["high"]
    [difference] = select(rows, kind="difference", system="BEARING", metric="A@80px")
    assert difference["value"] == pytest.approx(ours - theirs, abs=0.02) and difference["p"] < 0.01


def test_reversals_are_listed(rows: list[dict[str, Any]]) -> None:
    turned = {(row["system"], row["against"]): row for row in select(rows, kind="reversal")}
    reversal = turned["CONCAT", "LINGUNET"]
    assert reversal["sure"] and reversal["paper"] == pytest.approx(17.85 - 32.83) and reversal["value"] > 20
    assert ("LINGUNET", "CONCAT") not in turned and not any("BEARING" in key for key in turned)
    episodes = load(SDR)
    table = ResultTable(
        SplitScorer(SDR, episodes), [predictions_of("UNET", SDR, [False]), predictions_of("LINGUNET", SDR, [True])]
    )
    assert reversal_rows(table) == []


def test_other_texts_are_compared_on_common_seeds(rows: list[dict[str, Any]]) -> None:
    [row] = select(rows, kind="texts", metric="A@80px")
    assert row["texts"] == "shuffled" and row["seeds"] == 1
    assert row["own value"] == pytest.approx(25, abs=1) and row["own low"] > 0
    assert not select(rows, kind="score", system="LINGUNET", metric="A@80px", seeds=3)


def test_rows_by_phenomenon(rows: list[dict[str, Any]]) -> None:
    stored = [episode.extra["phenomena"]["td_location_text"] for episode in load(SDR)]
    with_count = sum(any(mark[0] == "coreference" for mark in marks) for marks in stored)
    [ours] = select(rows, kind="phenomenon", phenomenon="coreference", system="BEARING")
    assert ours["n"] == with_count
    [difference] = select(rows, kind="phenomenon difference", phenomenon="coreference")
    [theirs] = select(rows, kind="phenomenon", phenomenon="coreference", system="LINGUNET")
    assert difference["value"] == pytest.approx(ours["value"] - theirs["value"], abs=0.02)


def test_minimal_pairs(rows: list[dict[str, Any]]) -> None:
    for split in (COLOUR, "city/pairs/all"):
        values = {(row["system"], row["metric"]): row["value"] for row in select(rows, kind="pairs", split=split)}
        assert values["LINGUNET", "Pairs@80px"] == 0 and values["LINGUNET", "Changed@40px"] == 0
        assert values["BEARING", "Pairs@80px"] == 50 and values["BEARING", "Changed@40px"] == 50
        [left] = select(rows, kind="errors left", split=split, metric="Pairs@80px")
        assert left["value"] == 0.5 and 0 < left["low"] < 0.5 < left["high"] < 1
    assert select(rows, kind="pairs", split="city/pairs/all")[0]["n"] == 20


def test_missing_texts_do_not_count() -> None:
    episodes = {name: load(name) for name in (COLOUR, COUNT)}
    predictions = [predictions_of("UNET", COUNT, [True])]
    for system, correct in (("UNET", True), ("CONCAT", False)):
        prediction = predictions_of(system, COLOUR, [correct])
        predictions.append(SavedPredictions(system, COLOUR, 0, prediction.ids[2:], prediction.directions[2:]))
    rows = {(row["system"], row["split"]): row for row in select(pair_rows(episodes, predictions), metric="Pairs@80px")}
    assert (rows["UNET", COLOUR]["n"], rows["UNET", "city/pairs/all"]["n"]) == (9, 19)
    assert (rows["UNET", COLOUR]["value"], rows["CONCAT", COLOUR]["value"]) == (100, 0)
    with pytest.raises(InputError, match=r"UNET, seed 0.*2 missing"):  # another was asked them
        pair_rows(episodes, [*predictions[:2], predictions_of("CONCAT", COLOUR, [True])])


def test_predictions_of_another_dataset_are_rejected() -> None:
    prediction = predictions_of("UNET", SDR, [True])
    odd = SavedPredictions("UNET", SDR, 0, (*prediction.ids[1:], "99999/main"), prediction.directions)
    with pytest.raises(InputError, match=r"99999/main.*--data"):
        results([odd])


def test_no_errors_cause_no_division_by_zero() -> None:
    rows = results([predictions_of(system, COLOUR, [True]) for system in ("LINGUNET", "BEARING")])
    [left] = select(rows, kind="errors left", metric="Pairs@80px")
    assert left["value"] is None
    assert "errors of BEARING / LINGUNET" in markdown(rows)


def test_only_systems_with_all_kinds_are_concatenated() -> None:
    predictions = [
        predictions_of("UNET", COLOUR, [True]),
        predictions_of("UNET", COUNT, [True]),
        predictions_of("CONCAT", COLOUR, [True]),
    ]
    assert [prediction.system for prediction in concatenate(predictions, [COLOUR, COUNT])] == ["UNET"]


def three(text: str, k: int) -> list[Episode]:
    goal = Point(Direction(10.0, 0.0), "p", 0.0)
    return [Episode(f"{k}/{name}", "x", "w", Pose(Direction(0.0), "p"), (Leg(text, goal),)) for name in ("a", "b", "c")]


def test_panoramas_of_one_text_form_a_cluster() -> None:
    # All three of a text are right or wrong together: the interval is that of a third as many.
    episodes = [episode for k in range(60) for episode in three(f"text {k}", k)]
    assert len({cluster_key(episode) for episode in episodes}) == 60
    correct = np.repeat(np.arange(60) % 2 == 0, 3)
    table = SplitScorer("x", episodes)
    measured = table.metrics(np.where(correct, 0.0, 1000.0))
    low, high = table.estimate(measured["A@80px"]).interval
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.25 / 60), rel=0.15)
    assert table.estimate(measured["C@80px"]).interval == (low, high)


def test_rows_round_trip_as_json_and_markdown(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.json", rows)
    assert read_rows(tmp_path / "rows.json") == rows
    text = markdown(rows)
    assert "| LINGUNET, paper | 24.81 / 7.73 | 32.83 / 13.00 | 36.44 / 15.01 | 729 |" in text
    for title in (SDR, "Fewer errors", "Other texts", "Order against", "By phenomenon", "Minimal pairs"):
        assert f"### {title}" in text
    widths = {len(line.split("|")) for line in text.split("### ")[1].splitlines()[1:] if line}
    assert len(widths) == 1
    (tmp_path / "odd.json").write_text(json.dumps([{"kind": "score"}]))
    with pytest.raises(InputError, match="rows of results"):
        read_rows(tmp_path / "odd.json")


def test_bearleft_paper_prints_folders_and_files(tmp_path: Path) -> None:
    for system in ("LINGUNET", "BEARING"):
        save_predictions(tmp_path / "answers", predictions_of(system, COLOUR, [True, False, True, True]))
    output = CliRunner().invoke(cli, ["paper", "touchdown", "--results", str(tmp_path / "answers"), "--json"])
    assert output.exit_code == 0, output.output
    rows = json.loads(output.stdout)
    assert select(rows, kind="pairs", system="BEARING", metric="Pairs@80px")[0]["value"] == 50
    write_rows(tmp_path / "rows.json", rows)
    shown = CliRunner().invoke(cli, ["paper", "touchdown", "--results", str(tmp_path / "rows.json")])
    assert "| colour | 10 | BEARING | 50.00 |" in shown.stdout


def test_pairs_are_evaluated_at_unseen_places() -> None:
    pytest.importorskip("torch")
    from bearleft.experiments.touchdown.train import split_by_place

    pairs = load(COLOUR)
    places = list(dict.fromkeys(pair.legs[0].goal.place for pair in pairs if isinstance(pair.legs[0].goal, Point)))
    shown = [pair for pair in pairs if pair.legs[0].goal.place in places[:2]]  # type: ignore[union-attr]
    turned = [replace(episode, legs=(replace(episode.legs[0], goal=turned_by(episode, 90.0)),)) for episode in shown]
    episodes, new = split_by_place(
        build_examples(pairs), build_examples(turned)
    )  # another picture of the same place shows the same
    assert list(episodes.ids) == [episode.id for episode in shown]
    assert list(new.ids) == [pair.id for pair in pairs if pair not in shown] and len(new)
    elsewhere = [replace(episode, world="city/9") for episode in shown]
    assert len(split_by_place(build_examples(pairs), build_examples(elsewhere))[1]) == len(pairs)


def turned_by(episode: Episode, degrees: float) -> Point:
    goal = episode.legs[0].goal
    assert isinstance(goal, Point)
    return replace(goal, yaw=goal.yaw + degrees)
