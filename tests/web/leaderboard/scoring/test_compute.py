"""Figures are those of `bearleft score`, and what cannot be scored is refused with a line and no label."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.metrics.registry import METRICS
from bearleft.records import Direction, Point, Reach, Trace, to_json_line
from bearleft.web.leaderboard.scoring.compute import (
    Answers,
    ScoredSubmission,
    load_everything,
    pack,
    score_files,
    unpack,
)
from bearleft.web.leaderboard.scoring.failures import TEXTS, ScoringFailure
from tests.web.leaderboard.scoring.entries import mixed, scores_of, traces, write_hidden, write_traces

MANY = 10**9


def figures(result: ScoredSubmission, seed: int | None) -> dict[tuple[str, str], tuple[float, float, float, int]]:
    return {(f.convention, f.metric): (f.value, f.low, f.high, f.count) for f in result.figures if f.seed == seed}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("dataset", "agent"),
    [
        ("city/touchdown/small", "random"),
        ("city/touchdown-complete/small", "random+center"),
        ("city/sdr/small", "center"),
        ("city/refer360/small", "random"),
        ("city/arramon/small", "random"),
    ],
)
def test_figures_equal_those_of_score_under_every_convention(tmp_path: Path, dataset: str, agent: str) -> None:
    file = write_traces(tmp_path / "traces.jsonl", traces(dataset, agent))
    result = score_files(Answers.open(dataset, hidden=False), [(7, file)], MANY)
    expected = scores_of(file)
    assert expected and figures(result, 7) == expected
    assert figures(result, None) == expected  # one seed is its own mean
    assert set(result.values) == set(expected)


def test_figures_of_hidden_episodes_equal_those_of_score(tmp_path: Path, hidden_data: Path) -> None:
    answers = hidden_data / "answers" / "city-touchdown-test.jsonl"
    file = write_traces(tmp_path / "t.jsonl", traces(hidden_data / "entrants" / "city-touchdown-test.jsonl"))
    result = score_files(Answers.open(str(answers), hidden=True), [(0, file)], MANY)
    assert figures(result, 0) == scores_of(file, str(answers))


def test_compressed_files_are_read_up_to_their_limit(tmp_path: Path, hidden_data: Path) -> None:
    answers = Answers.open(str(hidden_data / "answers" / "city-touchdown-test.jsonl"), hidden=True)
    plain = write_traces(tmp_path / "t.jsonl", traces(hidden_data / "entrants" / "city-touchdown-test.jsonl"))
    packed = tmp_path / "t.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    size = plain.stat().st_size
    assert score_files(answers, [(0, packed)], size) == score_files(answers, [(0, plain)], size)
    for file in (plain, packed):
        with pytest.raises(ScoringFailure) as caught:
            score_files(answers, [(0, file)], size - 1)
        assert caught.value.code == "unreadable"


def test_seeds_are_averaged_and_their_interval_is_that_of_episodes(tmp_path: Path) -> None:
    dataset = "city/touchdown/small"
    answers = Answers.open(dataset, hidden=False)
    files = [(seed, write_traces(tmp_path / f"{seed}.jsonl", traces(dataset, seed=seed))) for seed in (3, 5)]
    result = score_files(answers, files, MANY)
    single = {seed: scores_of(file) for seed, file in files}
    for key, (value, low, high, count) in figures(result, None).items():
        first, second = (single[seed][key] for seed in (3, 5))
        assert value == pytest.approx((first[0] + second[0]) / 2, abs=1e-12)
        assert low <= value <= high
        assert count == len(answers.dataset.episodes)
        assert unpack(result.values[key]).mean() * METRICS[key[1]].scale == pytest.approx(value)
    # Two runs that are the same add nothing: the interval stays that of one run.
    twice = score_files(answers, [files[0], (9, files[0][1])], MANY)
    for key, row in figures(twice, None).items():
        assert row == pytest.approx(single[3][key])


def change(number: int, edit: Callable[[Trace], Trace]) -> Callable[[list[Trace]], list[str]]:
    def apply(rows: list[Trace]) -> list[str]:
        rows[number - 1] = edit(rows[number - 1])
        return [to_json_line(row) for row in rows]

    return apply


def line(number: int, text: str) -> Callable[[list[Trace]], list[str]]:
    def apply(rows: list[Trace]) -> list[str]:
        lines = [to_json_line(row) for row in rows]
        return [*lines[: number - 1], text, *lines[number:]]

    return apply


def with_leg(**changes: Any) -> Callable[[Trace], Trace]:
    return lambda trace: replace(trace, legs=(replace(trace.legs[0], **changes),))


def jump(trace: Trace) -> Trace:
    path = trace.legs[0].path
    return with_leg(path=(*path[:-1], path[0] if path[-1] != path[0] else "0"))(trace)


WRONG: list[tuple[str, int, Callable[[list[Trace]], list[str]]]] = [
    ("unreadable", 2, line(2, "{")),
    ("unreadable", 1, line(1, "[]")),
    ("unreadable", 3, line(3, "[" * 100_000)),
    ("unreadable", 2, line(2, '{"legs": [], "episode": 1, "dataset": "x"}')),
    ("unreadable", 2, line(2, "\x00")),
    ("dataset", 2, change(2, lambda trace: replace(trace, dataset="town/dev"))),
    ("dataset", 1, change(1, lambda trace: replace(trace, sha256="0" * 64))),
    ("dataset", 1, change(1, lambda trace: replace(trace, sha256=""))),
    ("unknown", 3, change(3, lambda trace: replace(trace, episode="no such"))),
    ("incomplete", 1, change(1, lambda trace: replace(trace, legs=()))),
    ("incomplete", 1, change(1, lambda trace: replace(trace, legs=trace.legs * 2))),
    ("incomplete", 4, change(4, with_leg(path=(), actions=(), looks=()))),
    ("impossible", 2, change(2, jump)),
    ("impossible", 2, change(2, with_leg(actions=("stop",)))),
    ("impossible", 2, change(2, with_leg(looks=(Direction(1.25),)))),
    ("repeated", 2, lambda rows: [to_json_line(rows[0]), *(to_json_line(row) for row in rows)]),
    ("missing", 0, lambda rows: [to_json_line(row) for row in rows[1:]]),
    ("missing", 0, lambda _: []),
]


@pytest.mark.parametrize(("code", "number", "spoil"), WRONG)
def test_what_cannot_be_scored_is_refused_with_its_line(
    tmp_path: Path, hidden_data: Path, code: str, number: int, spoil: Callable[[list[Trace]], list[str]]
) -> None:
    name = "city-touchdown-test.jsonl"
    answers = Answers.open(str(hidden_data / "answers" / name), hidden=True)
    lines = spoil(traces(hidden_data / "entrants" / name))
    file = tmp_path / "t.jsonl"
    file.write_text("".join(f"{one}\n" for one in lines))
    with pytest.raises(ScoringFailure) as caught:
        score_files(answers, [(4, file)], MANY)
    failure = caught.value
    assert (failure.code, failure.numbers.get("line", 0), failure.numbers["seed"]) == (code, number, 4)
    labels = {leg.goal.route[-1] for e in answers.dataset.episodes for leg in e.legs if isinstance(leg.goal, Reach)}
    labels |= {episode.id for episode in answers.dataset.episodes}
    assert not any(label in failure.text for label in labels)
    if number:
        assert f"Line {number} of the file of seed 4" in failure.text


def test_public_traces_need_no_hash_and_impossible_walks_are_failures_as_in_score(tmp_path: Path) -> None:
    dataset = "city/touchdown/small"
    rows = [replace(trace, sha256="") for trace in traces(dataset)]
    jumping: Any = (rows[0].legs[0].path[0], rows[1].legs[0].path[0])
    rows[0] = replace(rows[0], legs=(replace(rows[0].legs[0], path=jumping),))
    file = write_traces(tmp_path / "t.jsonl", rows)
    result = score_files(Answers.open(dataset, hidden=False), [(0, file)], MANY)
    assert figures(result, 0) == scores_of(file)


def test_replays_are_made_without_goals(hidden_data: Path) -> None:
    answers = Answers.open(str(hidden_data / "answers" / "city-touchdown-test.jsonl"), hidden=True)
    assert all(episode.hidden and not episode.extra for episode in answers.replayed)
    assert [e.id for e in answers.replayed] == [e.id for e in answers.dataset.episodes]
    assert Answers.open("city/touchdown/small", hidden=False).replayed == []


@pytest.mark.parametrize("dataset", ["city/touchdown-complete", "city/sdr", "city/refer360"])
def test_hidden_points_are_scored_and_replayed(tmp_path: Path, dataset: str) -> None:
    made = write_hidden(tmp_path / "made", dataset, 4)
    name = f"{dataset.replace('/', '-')}-test.jsonl"
    answers = Answers.open(str(made / "answers" / name), hidden=True)
    load_everything(answers)  # of no consequence to what follows
    agent = "random+center" if "complete" in dataset else "random"
    rows = traces(made / "entrants" / name, agent)
    file = write_traces(tmp_path / "t.jsonl", rows)
    result = score_files(answers, [(0, file)], MANY)
    assert figures(result, 0) == scores_of(file, str(made / "answers" / name))
    leg = rows[2].legs[-1]
    rows[2] = replace(rows[2], legs=(*rows[2].legs[:-1], replace(leg, actions=(*leg.actions, "point"))))
    with pytest.raises(ScoringFailure) as caught:
        score_files(answers, [(0, write_traces(file, rows))], MANY)
    assert (caught.value.code, caught.value.numbers["line"]) == ("impossible", 3)


def test_samples_of_sentences_are_in_the_order_of_their_texts(tmp_path: Path) -> None:
    dataset = "city/sdr/small"
    answers = Answers.open(dataset, hidden=False)
    file = write_traces(tmp_path / "t.jsonl", traces(dataset, "center"))
    samples = unpack(score_files(answers, [(0, file)], MANY).values["paper", "C@120px"])
    texts = {leg.text for episode in answers.dataset.episodes for leg in episode.legs if isinstance(leg.goal, Point)}
    assert len(samples) == len(texts)


@given(st.lists(st.floats(width=64), max_size=50))
def test_packed_values_come_back(numbers: list[float]) -> None:
    assert np.array_equal(unpack(pack(np.array(numbers))), np.array(numbers), equal_nan=True)


def test_results_come_back_from_json_and_nothing_else_does(tmp_path: Path, hidden_data: Path) -> None:
    answers = Answers.open(str(hidden_data / "answers" / "city-touchdown-test.jsonl"), hidden=True)
    rows = mixed(hidden_data / "entrants" / "city-touchdown-test.jsonl", 1)
    result = score_files(answers, [(0, write_traces(tmp_path / "t.jsonl", rows))], MANY)
    content = json.loads(json.dumps(result.to_json()))
    assert ScoredSubmission.from_json(content) == result
    row = content["figures"][0]
    wrong: Any
    for wrong in (
        None,
        [],
        {"figures": [], "values": [["paper", "TC", "?"]]},
        {"figures": [], "values": [["paper", "TC", "AAAA"]]},
        {"figures": [{**row, "value": float("nan")}], "values": []},
        {"figures": [{**row, "metric": "x" * 65}], "values": []},
        {"figures": [{**row, "seed": "0"}], "values": []},
        {"figures": [{**row, "count": 1.5}], "values": []},
    ):
        with pytest.raises(InputError):
            ScoredSubmission.from_json(wrong)


@given(
    st.dictionaries(
        st.sampled_from(["code", "seed", "line", "count", "text"]),
        st.one_of(st.integers(), st.text("ab{}", max_size=3), st.none(), st.sampled_from(sorted(TEXTS))),
    )
)
def test_a_reported_failure_becomes_a_fixed_sentence_with_numbers(reported: dict[str, Any]) -> None:
    failure = ScoringFailure.from_json(reported)
    kept = {name: value for name, value in failure.numbers.items() if value == reported[name]}
    assert kept == failure.numbers
    assert failure.text == TEXTS[failure.code].format(**{"seed": 0, "line": 0, "count": 0} | failure.numbers)
    assert len(failure.text) <= 500  # the column holds no more
