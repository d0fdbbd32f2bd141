"""`score` computes milestone metrics for datasets with recorded views."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bearleft import evaluate, load, score
from bearleft.data import follower_traces, open_dataset
from bearleft.geometry import angle_between
from bearleft.records import Direction, LegTrace, Point, Trace, to_json_line
from tests.data.sample_files import refer360_items


def values_counts_and_notes(path: Path, data: Path | None = None) -> tuple[dict[str, float], dict[str, int], list[str]]:
    scores = score(path, data=data)
    return (
        {row["metric"]: row["value"] for row in scores.rows},
        {r["metric"]: r["n"] for r in scores.rows},
        scores.notes,
    )


def write_traces(path: Path, traces: list[Trace]) -> Path:
    path.write_text("".join(to_json_line(trace) + "\n" for trace in traces))
    return path


def test_milestones_of_gold_are_perfect_and_others_equal_plain_means(tmp_path: Path) -> None:
    evaluate("gold", "town/look", tmp_path / "gold.jsonl")
    metrics, counts, _ = values_counts_and_notes(tmp_path / "gold.jsonl")
    assert metrics["Milestone@11deg"] == 100 and metrics["Milestone-deg"] == pytest.approx(0, abs=1e-6)
    traces = evaluate("stop", "town/look", tmp_path / "stop.jsonl")
    goals = [episode.legs[0].goal for episode in load("town/look")]
    shares, means = [], []
    for trace, goal in zip(traces, goals, strict=True):
        assert isinstance(goal, Point)
        distances = [angle_between(a, b) for a, b in zip(trace.legs[0].looks, goal.views, strict=True)]
        shares.append(100 * sum(distance < 11 for distance in distances) / len(distances))
        means.append(sum(distances) / len(distances))
    metrics, counts, _ = values_counts_and_notes(tmp_path / "stop.jsonl")
    assert metrics["Milestone@11deg"] == pytest.approx(sum(shares) / len(shares))
    assert metrics["Milestone-deg"] == pytest.approx(sum(means) / len(means)) and counts["Milestone-deg"] == len(goals)


def test_unreached_sentence_is_a_miss_without_a_distance(tmp_path: Path) -> None:
    episode = load("town/look")[0]
    goal = episode.legs[0].goal
    assert isinstance(goal, Point) and len(goal.views) == 3
    leg = LegTrace(("look", "next", "left"), (), (goal.views[0],), Direction(goal.views[1].heading + 60, 0))
    trace = Trace(episode.id, episode.dataset, "late", (leg,))
    metrics, _, _ = values_counts_and_notes(write_traces(tmp_path / "late.jsonl", [trace]))
    assert metrics["Milestone@11deg"] == pytest.approx(100 / 3)
    assert isinstance(leg.answer, Direction)
    assert metrics["Milestone-deg"] == pytest.approx(angle_between(leg.answer, goal.views[1]) / 2)


def test_trace_without_actions_is_named_and_not_scored(tmp_path: Path) -> None:
    traces = evaluate("gold", "town/look")
    without_actions = replace(
        traces[0], legs=(LegTrace(looks=traces[0].legs[0].looks, answer=traces[0].legs[0].answer),)
    )
    metrics, counts, notes = values_counts_and_notes(
        write_traces(tmp_path / "some.jsonl", [without_actions, *traces[1:]])
    )
    assert metrics["Milestone@11deg"] == 100 and counts["Milestone@11deg"] == len(traces) - 1
    assert any("1 sequence" in note and traces[0].episode in note for note in notes)
    metrics, _, notes = values_counts_and_notes(write_traces(tmp_path / "none.jsonl", [without_actions]))
    assert "Milestone@11deg" not in metrics and any(traces[0].episode in note for note in notes)


def test_datasets_without_views_have_no_milestones(tmp_path: Path) -> None:
    evaluate("gold", "town/point", tmp_path / "gold.jsonl")
    metrics, _, notes = values_counts_and_notes(tmp_path / "gold.jsonl")
    assert "Milestone-deg" not in metrics and not any("sentence" in note for note in notes)


def test_followers_of_generated_files_score_perfectly_against_themselves(tmp_path: Path) -> None:
    (tmp_path / "refer360").mkdir()
    (tmp_path / "refer360" / "made.json").write_text(json.dumps(refer360_items()))
    dataset = open_dataset("refer360/made", tmp_path)
    metrics, counts, notes = values_counts_and_notes(
        write_traces(tmp_path / "people.jsonl", list(follower_traces(dataset))), tmp_path
    )
    assert metrics["Milestone@11deg"] == 100 and metrics["Milestone-deg"] == 0 and counts["Milestone-deg"] == 2
    assert any("no recorded views" in note and "42" in note for note in notes)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("split", "views"), [("seen", 892), ("unseen", 977)])
def test_real_followers_score_perfectly_against_themselves(
    real_data: Path, tmp_path: Path, split: str, views: int
) -> None:
    if not (real_data / "refer360" / f"validation.{split}.json").exists():
        pytest.skip(f"needs Refer360's validation.{split}.json")
    dataset = open_dataset(f"refer360/validation.{split}", real_data)
    metrics, counts, _ = values_counts_and_notes(
        write_traces(tmp_path / "people.jsonl", list(follower_traces(dataset))), real_data
    )
    assert metrics["Milestone@11deg"] == 100 and metrics["Milestone-deg"] == pytest.approx(0, abs=1e-6)
    assert counts["Milestone-deg"] == views
