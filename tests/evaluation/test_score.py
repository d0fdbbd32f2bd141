from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.data import load, write
from bearleft.envs.legs import EnvOptions
from bearleft.envs.reach import actions_along
from bearleft.errors import InputError
from bearleft.evaluation import columns
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import Scores, score
from bearleft.metrics import METRICS, conventions, ndtw
from bearleft.metrics.conventions import CONVENTIONS
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, Point, Pose, Reach
from bearleft.world.worlds import open_world


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("traces")
    paths = {}
    for agent, dataset in (
        ("gold", "town/dev"),
        ("random", "town/dev"),
        ("stop", "town/dev"),
        ("uniform", "town/point"),
        ("gold", "town/look"),
    ):
        path = folder / f"{agent}-{dataset.replace('/', '-')}.jsonl"
        evaluate(agent, dataset, path, seed=2)
        paths[f"{agent} {dataset}"] = path
    return paths


def by_metric(scores: Scores) -> dict[str, Any]:
    return {row["metric"]: row["value"] for row in scores.rows}


def edited_copy(path: Path, tmp_path: Path, change: Any) -> Path:
    """Write a copy of the file with changed rows."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    out = tmp_path / path.name
    out.write_text("".join(json.dumps(row) + "\n" for row in change(rows)))
    return out


def test_gold_scores_are_perfect(traces: dict[str, Path]) -> None:
    rows = score(traces["gold town/dev"]).rows
    assert all(set(row) == {"metric", "value", "low", "high", "unit", "n", "convention", "horizon"} for row in rows)
    assert {row["horizon"] for row in rows} == {200}
    assert {row["convention"] for row in rows} == {"paper"} and {row["n"] for row in rows} == {100}
    values = {row["metric"]: (row["value"], row["low"], row["high"]) for row in rows}
    for name, best in {"TC": 100, "SPD": 0, "SED": 1, "nDTW": 1, "SDTW": 1, "CLS": 1}.items():
        low = 100 * 0.025 ** (1 / 100) if name == "TC" else best  # all of 100 succeed: the exact interval
        assert values[name] == pytest.approx((best, low, best))


def test_scores_equal_plain_computations(traces: dict[str, Path]) -> None:
    graph = open_world("town/0")
    hops = graph.hops.matrix()
    final_hops = []
    for episode, line in zip(load("town/dev"), traces["random town/dev"].read_text().splitlines(), strict=True):
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach)
        final_hops.append(
            hops[graph.place_index(json.loads(line)["legs"][0]["path"][-1]), graph.place_index(goal.route[-1])]
        )
    values = by_metric(score(traces["random town/dev"]))
    assert values["SPD"] == pytest.approx(np.mean(final_hops))
    assert values["TC"] == pytest.approx(100 * np.mean(np.array(final_hops) <= 1))


def test_scores_of_pointing_and_looking(traces: dict[str, Path]) -> None:
    values = by_metric(score(traces["gold town/look"]))
    assert values["Acc@11deg"] == 100 and values["Dist-deg"] == pytest.approx(0, abs=1e-6) and values["A@40px"] == 100
    uniform = by_metric(score(traces["uniform town/point"]))
    assert uniform["A@40px"] <= uniform["A@80px"] <= uniform["A@120px"] < 20
    assert uniform["C@120px"] <= uniform["A@120px"] + 20 and 600 < uniform["Dist"] < 1800


def test_no_answer_is_a_miss_but_has_no_distance(traces: dict[str, Path], tmp_path: Path) -> None:
    def drop_half(rows: list[Any]) -> list[Any]:
        for row in rows[::2]:
            row["legs"][0] = {"actions": [], "path": []}
        return rows

    rows = {row["metric"]: row for row in score(edited_copy(traces["gold town/look"], tmp_path, drop_half)).rows}
    assert rows["Acc@11deg"]["value"] == 50 and rows["Acc@11deg"]["n"] == 100
    assert rows["Dist-deg"]["n"] == 50 and rows["Dist-deg"]["value"] == pytest.approx(0, abs=1e-6)


def test_missing_unknown_and_repeated_episodes_are_named(traces: dict[str, Path], tmp_path: Path) -> None:
    def change(rows: list[Any]) -> list[Any]:
        return [*rows[3:], rows[5], {**rows[0], "episode": "stranger"}]

    scores = score(edited_copy(traces["gold town/dev"], tmp_path, change))
    assert {row["n"] for row in scores.rows} == {98}
    notes = " | ".join(scores.notes)
    assert "3 episodes missing, not scored: 0, 1, 2" in notes
    assert "1 episodes unknown, not scored: stranger" in notes
    assert "1 traces repeat an episode and seed" in notes


def test_several_files_are_compared_on_the_same_episodes(traces: dict[str, Path]) -> None:
    scores = score(traces["gold town/dev"], traces["random town/dev"], traces["gold town/look"])
    assert {row["file"] for row in scores.rows} == {
        str(traces[k]) for k in ("gold town/dev", "random town/dev", "gold town/look")
    }
    pairs = {pair["metric"]: pair for pair in scores.comparisons}
    assert pairs["SPD"]["difference"] < 0 and pairs["SPD"]["below"] == 100 and pairs["SPD"]["p_sign"] < 1e-20
    assert pairs["nDTW"]["low"] > 0 and pairs["nDTW"]["n"] == 100 and pairs["nDTW"]["p_permutation"] < 1e-3
    assert any("different datasets" in note for note in scores.notes)


def test_seed_determines_the_intervals(traces: dict[str, Path]) -> None:
    first_rows = score(traces["random town/dev"], seed=1).rows
    assert score(traces["random town/dev"], seed=1).rows == first_rows
    assert score(traces["random town/dev"], seed=2).rows != first_rows


def test_interval_does_not_depend_on_other_files_or_metrics(traces: dict[str, Path]) -> None:
    random_file, gold_file = traces["random town/dev"], traces["gold town/dev"]
    alone = {row["metric"]: (row["low"], row["high"]) for row in score(random_file, resamples=100).rows}
    with_other = {
        row["metric"]: (row["low"], row["high"])
        for row in score(gold_file, random_file, resamples=100).rows
        if row["file"] == str(random_file)
    }
    (chosen,) = score(random_file, metrics=["SPD"], resamples=100).rows
    assert alone == with_other and alone["SPD"] == (chosen["low"], chosen["high"])
    p_values = {row["metric"]: row["p_permutation"] for row in score(random_file, gold_file, resamples=100).comparisons}
    (pair,) = score(random_file, gold_file, metrics=["SPD"], resamples=100).comparisons
    assert pair["p_permutation"] == p_values["SPD"]


@pytest.mark.slow
def test_every_convention_scores_gold_as_perfect(traces: dict[str, Path]) -> None:
    scores = score(traces["random town/dev"], convention="all", resamples=10)
    assert {row["convention"] for row in scores.rows} == set(CONVENTIONS)
    ndtw = {row["convention"]: row["value"] for row in scores.rows if row["metric"] == "nDTW"}
    assert len(set(ndtw.values())) == len(ndtw) - 1  # R4R's is the nDTW paper's
    for name in CONVENTIONS:
        gold = by_metric(score(traces["gold town/dev"], convention=name, resamples=10))
        assert gold.get("nDTW", 1.0) == 1.0 and gold.get("TC", gold.get("SR")) == 100


def test_points_are_scored_in_cells(traces: dict[str, Path]) -> None:
    path = traces["uniform town/point"]
    plain, cells = score(path, resamples=10), score(path, convention="cells", resamples=10)
    convention_by_metric = {row["metric"]: row["convention"] for row in cells.rows}
    assert {name for name, convention in convention_by_metric.items() if convention == "cells"} == {
        "A@40px",
        "A@80px",
        "A@120px",
        "C@40px",
        "C@80px",
        "C@120px",
        "Dist",
    }
    assert convention_by_metric["Acc@11deg"] == convention_by_metric["Dist-deg"] == "paper"
    assert by_metric(cells)["Dist"] != by_metric(plain)["Dist"]
    assert by_metric(cells)["Dist"] == pytest.approx(by_metric(plain)["Dist"], abs=12)
    all_rows = score(path, convention="all", resamples=10).rows
    assert all_rows == plain.rows + [row for row in cells.rows if row["convention"] == "cells"]
    with pytest.raises(InputError, match="convention"):
        score(traces["gold town/dev"], convention="cells")


def test_large_worlds_give_the_same_scores(traces: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """In large worlds distances in metres are computed path by path; the scores are the same."""
    small = score(traces["random town/dev"], convention="all", resamples=10).rows
    monkeypatch.setattr(conventions, "MAX_PLACES_IN_MEMORY", 10)
    large = score(traces["random town/dev"], convention="all", resamples=10).rows
    assert [row["metric"] for row in large] == [row["metric"] for row in small]
    assert [row["value"] for row in large] == pytest.approx([row["value"] for row in small])


def test_metrics_can_be_chosen_under_all_conventions(traces: dict[str, Path]) -> None:
    rows = score(traces["random town/dev"], convention="all", metrics=["SED"], resamples=10).rows
    assert {row["metric"] for row in rows} == {"SED"}
    assert {row["convention"] for row in rows} == {"paper", "ndtw-paper", "ciff", "valan", "vln-transformer"}
    with pytest.raises(InputError, match="the name of a metric"):
        score(traces["random town/dev"], convention="all", metrics=["SDE"], resamples=10)


def test_metrics_can_be_chosen(traces: dict[str, Path]) -> None:
    assert [row["metric"] for row in score(traces["gold town/dev"], metrics=["SPD", "TC"]).rows] == ["SPD", "TC"]
    with pytest.raises(InputError, match=r"Did you mean nDTW\?"):
        score(traces["gold town/dev"], metrics=["ndtv"])
    with pytest.raises(InputError, match="Available: TC"):
        score(traces["gold town/dev"], metrics=["PTC"])
    with pytest.raises(InputError, match=r"Did you mean valan\?"):
        score(traces["gold town/dev"], convention="valen")
    with pytest.raises(InputError, match="from 1 to 1,000,000 resamples"):
        score(traces["gold town/dev"], resamples=10**11)


def test_registered_metrics_can_be_named(traces: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = traces["random town/dev"]
    doubled = replace(ndtw, name="2nDTW", formula=lambda measured: 2 * ndtw.formula(measured))
    monkeypatch.setitem(METRICS, "2nDTW", doubled)
    values = by_metric(score(path, metrics=["nDTW", "2nDTW"]))
    assert values["2nDTW"] == pytest.approx(2 * values["nDTW"])
    assert "2nDTW" not in by_metric(score(path))
    rows = score(path, metrics=["2nDTW", "DTW"], convention="all", resamples=10).rows
    assert {row["convention"] for row in rows} == {"paper", "ndtw-paper", "r4r"}
    with pytest.raises(InputError, match="Available: TC"):
        score(path, metrics=["2nDTW"], convention="valan")


@pytest.mark.slow
def test_fastdtw_is_computed_only_when_named(traces: dict[str, Path]) -> None:
    path = traces["random town/dev"]
    assert not {row["metric"] for row in score(path, convention="all").rows} & {"nDTW-fast", "SDTW-fast"}
    names = ["nDTW", "SDTW", "nDTW-fast", "SDTW-fast"]
    values = by_metric(score(path, metrics=names))
    assert list(values) == names
    assert values["nDTW-fast"] <= values["nDTW"] and values["SDTW-fast"] <= values["SDTW"]
    rows = score(path, metrics=["nDTW-fast"], convention="all").rows
    assert {row["convention"] for row in rows} == {"paper", "ndtw-paper", "valan", "vln-transformer", "r4r", "vln-ce"}


@pytest.mark.slow
def test_chunk_size_does_not_change_scores(traces: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = traces["random town/dev"]
    expected = score(path, resamples=100).rows
    for chunk_bytes in (997, 20_000):
        monkeypatch.setattr(columns, "CHUNK_BYTES", chunk_bytes)
        monkeypatch.setenv("BEARLEFT_THREADS", "1")
        assert score(path, resamples=100).rows == expected
    monkeypatch.setenv("BEARLEFT_THREADS", "2")
    reports: list[int] = []
    assert score(path, resamples=100, progress=lambda _, done, __: reports.append(done)).rows == expected
    assert reports == list(range(1, len(reports) + 1)) and len(reports) > 2


def test_predictions_of_other_programs_are_scored(tmp_path: Path) -> None:
    episodes = load("town/dev")
    rows = {}
    for episode in episodes[:90]:
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach)
        rows[episode.id] = list(goal.route)
    path = tmp_path / "paths.json"
    path.write_text(json.dumps(rows))
    scores = score(path, dataset="town/dev")
    assert by_metric(scores)["TC"] == 100 and "10 episodes missing" in scores.notes[0]
    with pytest.raises(InputError, match=r"Add --dataset"):
        score(path)
    path.write_text(json.dumps(rows | {"0": ["nowhere"]}))
    with pytest.raises(InputError, match=r"episode 0, field legs\[0\].path: expected a place of the episode's world"):
        score(path, dataset="town/dev")


def test_points_refuse_conventions_of_navigation(traces: dict[str, Path]) -> None:
    for convention in ("valan", "strict"):
        with pytest.raises(InputError, match=r"a convention for such legs.*Known: paper, cells\."):
            score(traces["uniform town/point"], convention=convention)


def test_dataset_must_match_the_traces(traces: dict[str, Path]) -> None:
    assert score(traces["gold town/dev"], dataset="town/dev").rows
    with pytest.raises(InputError, match="expected traces of town/look, got traces of town/dev"):
        score(traces["gold town/dev"], dataset="town/look")


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("resamples", [1, 1000])
def test_value_lies_in_its_interval(traces: dict[str, Path], resamples: int) -> None:
    for path in traces.values():
        for row in score(path, resamples=resamples).rows:
            assert row["low"] <= row["value"] <= row["high"], row


def test_large_seeds_are_distinguished(traces: dict[str, Path], tmp_path: Path) -> None:
    def change(rows: list[Any]) -> list[Any]:
        return [*rows, *({**row, "seed": 2**63 - 1} for row in rows)]

    scores = score(edited_copy(traces["gold town/dev"], tmp_path, change), resamples=10)
    assert {row["n"] for row in scores.rows} == {200} and not scores.notes


def test_ciff_error_counts_from_the_final_heading(tmp_path: Path) -> None:
    """One action before the goal and facing it, one action is left; after one more turn, two are left."""
    episode = load("town/dev")[0]
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    plan = actions_along(open_world("town/0"), episode.start, goal.route)
    for extra, actions_left in (([], 1), (["left"], 2)):
        out = tmp_path / f"{actions_left}.jsonl"

        class Short:
            def begin(self, episode: Any, rng: Any) -> None:
                self.plan = [*plan[:-2], *extra, "stop"]  # noqa: B023  (used within the loop)

            def act(self, observation: Any) -> str:
                return self.plan.pop(0)

        evaluate(Short(), "town/dev", out, limit=1)
        assert by_metric(score(out, convention="ciff", resamples=10))["NE"] == actions_left
    path = tmp_path / "others.json"
    path.write_text(json.dumps({episode.id: list(goal.route[:-1])}))
    scores = score(path, dataset="town/dev", convention="ciff", resamples=10)
    assert "NE" not in by_metric(scores) and any("NE of ciff is omitted" in note for note in scores.notes)


def test_arramon_predictions_are_scored(tmp_path: Path) -> None:
    """One object is never placed, and one path ends in the wrong place."""
    legs = (Leg("", Collect(((0, 0, 0), (1, 0, 0)), "Mug", (1, 2, 0))), Leg("", Assemble((3, 1, 2)))) * 2
    start = Pose(Direction(0), None, (0, 0, 0))
    write("jsonl", [Episode("7", "mine", "arramon/7", start, legs)], tmp_path / "mine.jsonl")
    prediction = {"path_gen": [[[0, 0, 0], [1, 0, 0]]] * 2, "placement": [[3, 1, 2], [100, 100, 100]], "ctc0": [1, 0]}
    path = tmp_path / "done.json"
    path.write_text(json.dumps({"7": prediction}))
    rows = score(path, dataset=str(tmp_path / "mine.jsonl"), convention="all", resamples=10).rows
    values = {(row["convention"], row["metric"]): row["value"] for row in rows}
    assert values["paper", "nDTW"] == 1 and values["paper", "CTC-0"] == 0.5 and values["paper", "CTC-3"] == 1
    assert values["paper", "PTC"] == values["strict", "PTC"] == values["paper", "rPOD"] == 0.5
    assert len(rows) == len(values)
    fast = score(path, dataset=str(tmp_path / "mine.jsonl"), metrics=["nDTW-fast"], resamples=10).rows
    assert [row["value"] for row in fast] == [1.0]
    path.write_text(json.dumps({"7": {key: value for key, value in prediction.items() if key != "ctc0"}}))
    with pytest.raises(InputError, match="a field ctc0"):
        score(path, dataset=str(tmp_path / "mine.jsonl"))


def test_x_of_one_is_the_right_edge_of_the_panorama(tmp_path: Path) -> None:
    episodes = load("town/point")
    goal = episodes[0].legs[0].goal
    assert isinstance(goal, Point)
    edge = replace(goal, direction=Direction(goal.yaw + 179.9))
    write("jsonl", [replace(episodes[0], legs=(Leg("at the edge", edge),))], tmp_path / "edge.jsonl")
    (tmp_path / "points.jsonl").write_text('{"id": "0", "x": 1.0, "y": 0.5}\n')
    assert by_metric(score(tmp_path / "points.jsonl", dataset=str(tmp_path / "edge.jsonl"), resamples=10))["Dist"] < 5


def test_pointing_from_another_place_is_a_miss(tmp_path: Path, traces: dict[str, Path]) -> None:
    def move_elsewhere(rows: list[Any]) -> list[Any]:
        for row in rows:
            row["legs"][0]["path"] = ["elsewhere"]
        return rows

    scores = score(edited_copy(traces["uniform town/point"], tmp_path, move_elsewhere))
    values = by_metric(scores)
    assert values["A@120px"] == 0 and "Dist" not in values
    assert any("Dist has no value" in note for note in scores.notes)
    assert any("100 points were not answered" in note for note in scores.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: [{**rows[0], "sha256": "0" * 64}], "has changed since the traces were made"),
        (
            lambda rows: [rows[0], {**rows[1], "dataset": "town/look"}],
            r":2, field dataset: expected traces of town/dev",
        ),
        (lambda rows: [rows[0], {**rows[1], "seed": "x"}], r":2, field seed: expected a whole number"),
        (lambda rows: [rows[0], {**rows[1], "legs": [{"actions": [], "path": []}]}], "an empty path"),
        (
            lambda rows: [rows[0], {**rows[1], "legs": [{"actions": [], "path": ["x"]}]}],
            "a place of the episode's world",
        ),
        (lambda rows: [rows[0], {**rows[1], "legs": [{"actions": [], "path": [3]}]}], "a place of the episode's world"),
        (lambda rows: [rows[0], {**rows[1], "legs": [{}]}], r":2, field legs\[0\]\.path: expected a field path"),
        (lambda rows: [rows[0], {**rows[1], "legs": 3}], r":2, field legs: expected a list, got 3"),
        (lambda rows: [rows[0], {**rows[1], "legs": rows[1]["legs"] * 2}], "at most 1 legs"),
        (lambda rows: [rows[0], {"format": 1}], r":2, field episode: expected a field episode"),
        (lambda rows: [rows[0], {**rows[1], "format": 2}], r":2, field format: expected format 1, got format 2"),
        (lambda rows: [rows[0], []], r":2: expected an object"),
        (lambda rows: [{**rows[0], "episode": "stranger"}], r"none of its 100 \(but stranger\)"),
    ],
)
def test_broken_traces_are_refused(traces: dict[str, Path], tmp_path: Path, change: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        score(edited_copy(traces["gold town/dev"], tmp_path, change))


def test_broken_files_are_refused(traces: dict[str, Path], tmp_path: Path) -> None:
    broken = tmp_path / "half.jsonl"
    text = traces["gold town/dev"].read_text()
    broken.write_text(text[: len(text) // 2])
    with pytest.raises(InputError, match=r"half.jsonl:\d+: expected a trace in JSON.*ends within a line"):
        score(broken)
    broken.write_text("")
    with pytest.raises(InputError, match="an empty file"):
        score(broken)
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="a file of traces or predictions"):
            score(path)
    with pytest.raises(InputError, match="at least one file"):
        score()


@pytest.mark.slow
def test_gold_is_perfect_on_real_datasets(real_data: Path, tmp_path: Path) -> None:
    for dataset in ("touchdown/unseen_dev", "map2seq/unseen_dev", "r2r/val_unseen"):
        out = tmp_path / f"{dataset.replace('/', '-')}.jsonl"
        evaluate("gold", dataset, out, data=real_data, options=EnvOptions(horizon=200))
        values = by_metric(score(out, data=real_data, resamples=10))
        assert (values["TC"], values["SPD"], values["SED"], values["nDTW"], values["SDTW"]) == (100, 0, 1, 1, 1)
    evaluate("stop", "touchdown/unseen_dev", tmp_path / "stop.jsonl", data=real_data)
    values = by_metric(score(tmp_path / "stop.jsonl", data=real_data, resamples=10))
    assert values["SPD"] == pytest.approx(23.07, abs=0.005) and values["TC"] == 0.5
