"""`score` measures intermediate steps wherever a dataset has recorded views."""

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


def values(path: Path, data: Path | None = None) -> tuple[dict[str, float], dict[str, int], list[str]]:
    found = score(path, data=data)
    return {row["metric"]: row["value"] for row in found.rows}, {r["metric"]: r["n"] for r in found.rows}, found.notes


def write(path: Path, traces: list[Trace]) -> Path:
    path.write_text("".join(to_json_line(trace) + "\n" for trace in traces))
    return path


def test_gold_and_a_slow_mean(tmp_path: Path) -> None:
    evaluate("gold", "town/look", tmp_path / "gold.jsonl")
    found, count, _ = values(tmp_path / "gold.jsonl")
    assert found["Milestone@11deg"] == 100 and found["Milestone-deg"] == pytest.approx(0, abs=1e-6)
    traces = evaluate("stop", "town/look", tmp_path / "stop.jsonl")
    goals = [episode.legs[0].goal for episode in load("town/look")]
    shares, means = [], []
    for trace, goal in zip(traces, goals, strict=True):
        assert isinstance(goal, Point)
        away = [angle_between(a, b) for a, b in zip(trace.legs[0].looks, goal.views, strict=True)]
        shares.append(100 * sum(one < 11 for one in away) / len(away))
        means.append(sum(away) / len(away))
    found, count, _ = values(tmp_path / "stop.jsonl")
    assert found["Milestone@11deg"] == pytest.approx(sum(shares) / len(shares))
    assert found["Milestone-deg"] == pytest.approx(sum(means) / len(means)) and count["Milestone-deg"] == len(goals)


def test_a_sentence_never_reached_is_missed_without_a_distance(tmp_path: Path) -> None:
    episode = load("town/look")[0]
    goal = episode.legs[0].goal
    assert isinstance(goal, Point) and len(goal.views) == 3
    leg = LegTrace(("look", "next", "left"), (), (goal.views[0],), Direction(goal.views[1].heading + 60, 0))
    trace = Trace(episode.id, episode.dataset, "late", (leg,))
    found, _, _ = values(write(tmp_path / "late.jsonl", [trace]))
    assert found["Milestone@11deg"] == pytest.approx(100 / 3)
    assert isinstance(leg.answer, Direction)
    assert found["Milestone-deg"] == pytest.approx(angle_between(leg.answer, goal.views[1]) / 2)


def test_a_trace_that_does_not_say_is_named_and_not_scored(tmp_path: Path) -> None:
    traces = evaluate("gold", "town/look")
    silent = replace(traces[0], legs=(LegTrace(looks=traces[0].legs[0].looks, answer=traces[0].legs[0].answer),))
    found, count, notes = values(write(tmp_path / "some.jsonl", [silent, *traces[1:]]))
    assert found["Milestone@11deg"] == 100 and count["Milestone@11deg"] == len(traces) - 1
    assert any("1 sequence" in note and traces[0].episode in note for note in notes)
    found, _, notes = values(write(tmp_path / "none.jsonl", [silent]))
    assert "Milestone@11deg" not in found and any(traces[0].episode in note for note in notes)


def test_datasets_without_views_have_no_milestones(tmp_path: Path) -> None:
    evaluate("gold", "town/point", tmp_path / "it.jsonl")
    found, _, notes = values(tmp_path / "it.jsonl")
    assert "Milestone-deg" not in found and not any("sentence" in note for note in notes)


def test_followers_of_made_files_follow_themselves(tmp_path: Path) -> None:
    (tmp_path / "refer360").mkdir()
    (tmp_path / "refer360" / "made.json").write_text(json.dumps(refer360_items()))
    dataset = open_dataset("refer360/made", tmp_path)
    found, count, notes = values(write(tmp_path / "people.jsonl", list(follower_traces(dataset))), tmp_path)
    assert found["Milestone@11deg"] == 100 and found["Milestone-deg"] == 0 and count["Milestone-deg"] == 2
    assert any("no recorded views" in note and "42" in note for note in notes)


@pytest.mark.parametrize(("split", "views"), [("seen", 892), ("unseen", 977)])
def test_real_followers_follow_themselves(real_data: Path, tmp_path: Path, split: str, views: int) -> None:
    if not (real_data / "refer360" / f"validation.{split}.json").exists():
        pytest.skip(f"needs Refer360's validation.{split}.json")
    dataset = open_dataset(f"refer360/validation.{split}", real_data)
    found, count, _ = values(write(tmp_path / "people.jsonl", list(follower_traces(dataset))), real_data)
    assert found["Milestone@11deg"] == 100 and found["Milestone-deg"] == pytest.approx(0, abs=1e-6)
    assert count["Milestone-deg"] == views
