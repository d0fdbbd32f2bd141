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
from bearleft.experiments.touchdown.markdown import markdown, read_rows, write_rows
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
    score_rows,
)
from bearleft.experiments.touchdown.scoring import SplitScorer, cluster_key
from bearleft.models.examples import build_examples
from bearleft.records import Direction, Episode, Leg, Point, Pose

SDR, COLOUR, COUNT = "city/sdr/small", "city/pairs/colour", "city/pairs/count"


def predictions_of(
    system: str, name: str, right: Sequence[bool], seed: int = 0, texts: str = "own"
) -> SavedPredictions:
    """Predict the target where `right`, else the opposite direction."""
    inputs = build_examples(load(name))
    away = np.where(np.resize(np.asarray(right), len(inputs)), 0.0, 180.0)
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


def test_answers_come_back_from_their_file(tmp_path: Path) -> None:
    one = predictions_of("LINGUNET", SDR, [True, False], 3, "shuffled")
    back = read_predictions(save_predictions(tmp_path, one))
    assert (back.system, back.dataset, back.seed, back.ids, back.seconds, back.texts, back.metadata) == (
        "LINGUNET",
        SDR,
        3,
        one.ids,
        1.5,
        "shuffled",
        {"updates": 3},
    )
    np.testing.assert_allclose(back.directions, one.directions, atol=1e-4)
    save_predictions(tmp_path, predictions_of("LINGUNET", SDR, [True], 3))
    assert [held.texts for held in read_folder(tmp_path)] == ["own", "shuffled"]


def test_damaged_answers_are_named(tmp_path: Path) -> None:
    path = save_predictions(tmp_path, predictions_of("UNET", COLOUR, [True]))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InputError, match="a file of answers"):
        read_predictions(path)
    with pytest.raises(InputError, match="none there"):
        read_folder(tmp_path / "empty")
    with pytest.raises(InputError, match="a heading and a pitch for each id"):
        SavedPredictions("UNET", SDR, 0, ("a",), np.array([[np.nan, 0.0]]))


def test_a_table_needs_all_answers() -> None:
    one = predictions_of("UNET", COLOUR, [True])
    short = SavedPredictions("UNET", COLOUR, 0, one.ids[1:], one.directions[1:])
    with pytest.raises(InputError, match="1 missing"):
        ResultTable(SplitScorer(COLOUR, load(COLOUR)), [short])


def test_figures_are_those_of_bearleft_score(tmp_path: Path) -> None:
    out = tmp_path / "center.jsonl"
    evaluate("center", SDR, out)
    known = load(SDR)
    expected = {row["metric"]: row["value"] for row in score(out).rows}
    found = score_rows(ResultTable(SplitScorer(SDR, known), baselines(SDR, known, known)))
    for row in select(found, system="CENTER"):
        assert row["value"] == pytest.approx(expected[row["metric"]], abs=0.01)
    assert {row["seeds"] for row in select(found, system="RANDOM")} == {50}


def test_rows_stand_in_the_papers_order_beside_its_figures(rows: list[dict[str, Any]]) -> None:
    systems = list(dict.fromkeys(row["system"] for row in select(rows, kind="score")))
    assert systems == ["RANDOM", "CENTER", "AVERAGE", "UNET", "CONCAT", "LINGUNET", "BEARING"]
    [one] = select(rows, kind="score", system="LINGUNET", metric="A@80px")
    assert one["paper"] == 32.83 and one["seeds"] == 2 and one["spread"] == 0
    assert one["value"] == pytest.approx(50, abs=0.5) and one["low"] < one["value"] < one["high"]
    assert select(rows, kind="score", system="BEARING")[0]["paper"] is None
    assert published_number("city/sdr/test_unseen", "LINGUNET", "Dist") == 708
    assert published_number("city/sdr/test", "UNET", "Dist") is None


def test_errors_are_fewer_by_their_share(rows: list[dict[str, Any]]) -> None:
    [fewer] = select(rows, kind="fewer errors", metric="A@80px")
    ours, theirs = (select(rows, kind="score", system=s, metric="A@80px")[0]["value"] for s in ("BEARING", "LINGUNET"))
    assert fewer["value"] == pytest.approx(100 - 100 * (100 - ours) / (100 - theirs), abs=0.1)
    assert fewer["low"] < fewer["value"] < fewer["high"]
    [apart] = select(rows, kind="difference", system="BEARING", metric="A@80px")
    assert apart["value"] == pytest.approx(ours - theirs, abs=0.02) and apart["p"] < 0.01


def test_reversals_are_named(rows: list[dict[str, Any]]) -> None:
    turned = {(row["system"], row["against"]): row for row in select(rows, kind="reversal")}
    one = turned["CONCAT", "LINGUNET"]
    assert one["sure"] and one["paper"] == pytest.approx(17.85 - 32.83) and one["value"] > 20
    assert ("LINGUNET", "CONCAT") not in turned and not any("BEARING" in key for key in turned)
    known = load(SDR)
    table = ResultTable(
        SplitScorer(SDR, known), [predictions_of("UNET", SDR, [False]), predictions_of("LINGUNET", SDR, [True])]
    )
    assert reversal_rows(table) == []


def test_other_texts_are_compared_by_the_seeds_that_had_both(rows: list[dict[str, Any]]) -> None:
    [one] = select(rows, kind="texts", metric="A@80px")
    assert one["texts"] == "shuffled" and one["seeds"] == 1
    assert one["own value"] == pytest.approx(25, abs=1) and one["own low"] > 0
    assert not select(rows, kind="score", system="LINGUNET", metric="A@80px", seeds=3)


def test_by_phenomenon(rows: list[dict[str, Any]]) -> None:
    held = [one.extra["phenomena"]["td_location_text"] for one in load(SDR)]
    with_count = sum(any(mark[0] == "count" for mark in marks) for marks in held)
    [ours] = select(rows, kind="phenomenon", phenomenon="count", system="BEARING")
    assert ours["n"] == with_count
    [apart] = select(rows, kind="phenomenon difference", phenomenon="count")
    [theirs] = select(rows, kind="phenomenon", phenomenon="count", system="LINGUNET")
    assert apart["value"] == pytest.approx(ours["value"] - theirs["value"], abs=0.02)


def test_minimal_pairs(rows: list[dict[str, Any]]) -> None:
    for split in (COLOUR, "city/pairs/all"):
        found = {(row["system"], row["metric"]): row["value"] for row in select(rows, kind="pairs", split=split)}
        assert found["LINGUNET", "Pairs@80px"] == 0 and found["LINGUNET", "Changed@40px"] == 0
        assert found["BEARING", "Pairs@80px"] == 50 and found["BEARING", "Changed@40px"] == 50
        [left] = select(rows, kind="errors left", split=split, metric="Pairs@80px")
        assert left["value"] == 0.5 and 0 < left["low"] < 0.5 < left["high"] < 1
    assert select(rows, kind="pairs", split="city/pairs/all")[0]["n"] == 20


def test_what_nobody_was_asked_does_not_count() -> None:
    known = {name: load(name) for name in (COLOUR, COUNT)}
    given = [predictions_of("UNET", COUNT, [True])]
    for system, right in (("UNET", True), ("CONCAT", False)):
        one = predictions_of(system, COLOUR, [right])
        given.append(SavedPredictions(system, COLOUR, 0, one.ids[2:], one.directions[2:]))
    found = {(row["system"], row["split"]): row for row in select(pair_rows(known, given), metric="Pairs@80px")}
    assert (found["UNET", COLOUR]["n"], found["UNET", "city/pairs/all"]["n"]) == (9, 19)
    assert (found["UNET", COLOUR]["value"], found["CONCAT", COLOUR]["value"]) == (100, 0)
    with pytest.raises(InputError, match=r"UNET, seed 0.*2 missing"):  # another was asked them
        pair_rows(known, [*given[:2], predictions_of("CONCAT", COLOUR, [True])])


def test_answers_to_another_dataset_of_the_same_name_are_named() -> None:
    one = predictions_of("UNET", SDR, [True])
    odd = SavedPredictions("UNET", SDR, 0, (*one.ids[1:], "99999/main"), one.directions)
    with pytest.raises(InputError, match=r"99999/main.*--data"):
        results([odd])


def test_nobody_without_errors_is_divided_by() -> None:
    found = results([predictions_of(who, COLOUR, [True]) for who in ("LINGUNET", "BEARING")])
    [left] = select(found, kind="errors left", metric="Pairs@80px")
    assert left["value"] is None
    assert "errors of BEARING / LINGUNET" in markdown(found)


def test_only_systems_with_all_kinds_are_joined() -> None:
    given = [
        predictions_of("UNET", COLOUR, [True]),
        predictions_of("UNET", COUNT, [True]),
        predictions_of("CONCAT", COLOUR, [True]),
    ]
    assert [one.system for one in concatenate(given, [COLOUR, COUNT])] == ["UNET"]


def three(text: str, k: int) -> list[Episode]:
    goal = Point(Direction(10.0, 0.0), "p", 0.0)
    return [Episode(f"{k}/{name}", "x", "w", Pose(Direction(0.0), "p"), (Leg(text, goal),)) for name in ("a", "b", "c")]


def test_panoramas_of_one_text_do_not_count_as_three() -> None:
    # All three of a text are right or wrong together: the interval is that of a third as many.
    known = [one for k in range(60) for one in three(f"text {k}", k)]
    assert len({cluster_key(one) for one in known}) == 60
    right = np.repeat(np.arange(60) % 2 == 0, 3)
    table = SplitScorer("x", known)
    measured = table.metrics(np.where(right, 0.0, 1000.0))
    low, high = table.estimate(measured["A@80px"]).interval
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.25 / 60), rel=0.15)
    assert table.estimate(measured["C@80px"]).interval == (low, high)


def test_rows_are_kept_as_json_and_markdown(rows: list[dict[str, Any]], tmp_path: Path) -> None:
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
    for who in ("LINGUNET", "BEARING"):
        save_predictions(tmp_path / "answers", predictions_of(who, COLOUR, [True, False, True, True]))
    told = CliRunner().invoke(cli, ["paper", "touchdown", "--results", str(tmp_path / "answers"), "--json"])
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert select(found, kind="pairs", system="BEARING", metric="Pairs@80px")[0]["value"] == 50
    write_rows(tmp_path / "rows.json", found)
    shown = CliRunner().invoke(cli, ["paper", "touchdown", "--results", str(tmp_path / "rows.json")])
    assert "| colour | 10 | BEARING | 50.00 |" in shown.stdout


def test_pairs_are_asked_in_places_that_training_never_shows() -> None:
    pytest.importorskip("torch")
    from bearleft.experiments.touchdown.train import split_by_place

    pairs = load(COLOUR)
    places = list(dict.fromkeys(one.legs[0].goal.place for one in pairs if isinstance(one.legs[0].goal, Point)))
    shown = [one for one in pairs if one.legs[0].goal.place in places[:2]]  # type: ignore[union-attr]
    turned = [replace(one, legs=(replace(one.legs[0], goal=turned_by(one, 90.0)),)) for one in shown]
    known, new = split_by_place(
        build_examples(pairs), build_examples(turned)
    )  # another picture of the same place shows the same
    assert list(known.ids) == [one.id for one in shown]
    assert list(new.ids) == [one.id for one in pairs if one not in shown] and len(new)
    elsewhere = [replace(one, world="city/9") for one in shown]
    assert len(split_by_place(build_examples(pairs), build_examples(elsewhere))[1]) == len(pairs)


def turned_by(episode: Episode, degrees: float) -> Point:
    goal = episode.legs[0].goal
    assert isinstance(goal, Point)
    return replace(goal, yaw=goal.yaw + degrees)
