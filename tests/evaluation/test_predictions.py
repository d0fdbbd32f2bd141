from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bearleft.data import load
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.predictions import read_predictions
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, Pose, Reach, to_json_line

REACH_EPISODES, POINT_EPISODES = load("town/dev")[:3], load("town/point")[:3]


def read_text(tmp_path: Path, text: Any, episodes: list[Episode] = REACH_EPISODES, name: str = "p.json") -> list[Any]:
    path = tmp_path / name
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return list(read_predictions(path, episodes[0].dataset, episodes))


def route(episode: Episode) -> list[str]:
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    return list(goal.route)


def lines(rows: list[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_traces_are_read(tmp_path: Path) -> None:
    traces = evaluate("random", "town/dev", limit=3)
    assert read_text(tmp_path, "".join(to_json_line(trace) + "\n" for trace in traces)) == traces


@pytest.mark.parametrize("layout", ["lines", "list", "object", "one line"])
def test_paths_are_read_in_every_layout(tmp_path: Path, layout: str) -> None:
    rows = [{"id": episode.id, "path": route(episode)} for episode in REACH_EPISODES]
    if layout == "one line":
        rows = rows[:1]
    content = {
        "lines": lines(rows),
        "list": rows,
        "object": {row["id"]: row["path"] for row in rows},
        "one line": lines(rows),
    }[layout]
    traces = read_text(tmp_path, content, name="mine.json")
    assert [(t.episode, list(t.legs[0].path)) for t in traces] == [(row["id"], row["path"]) for row in rows]
    assert {t.agent for t in traces} == {"mine"} and {t.legs[0].actions for t in traces} == {("stop",)}


def test_r2r_submissions_are_read(tmp_path: Path) -> None:
    rows = [
        {"instr_id": "4332_0", "trajectory": [["a", 0.1, 0.0], ["b", 0.2, 0.0]]},
        {"instr_id": 7, "trajectory": ["a", "c"]},
    ]
    traces = read_text(tmp_path, rows)
    assert [(t.episode, t.legs[0].path) for t in traces] == [("4332_0", ("a", "b")), ("7", ("a", "c"))]


def test_velma_outputs_are_matched_by_their_route(tmp_path: Path) -> None:
    output = {
        "gold_pano_path": route(REACH_EPISODES[1]),
        "agent_pano_path": ["x", "y"],
        "agent_actions": ["forward", "stop"],
    }
    traces = read_text(tmp_path, {"opts": {}, "instances": {"0": {"idx": 0, **output}}})
    assert traces[0].episode == REACH_EPISODES[1].id
    assert traces[0].legs[0].path == ("x", "y") and traces[0].legs[0].actions == ("forward", "stop")


def test_velma_outputs_of_the_same_route_get_different_episodes(tmp_path: Path) -> None:
    """Of two episodes with the same route, a known id is matched first, and the other output gets the other episode."""
    twins = [REACH_EPISODES[0], replace(REACH_EPISODES[0], id="twin"), REACH_EPISODES[1]]
    output = {"gold_pano_path": route(REACH_EPISODES[0]), "agent_pano_path": ["x"], "agent_actions": ["stop"]}
    traces = read_text(tmp_path, {"instances": {"5": output, "twin": output, "6": output}}, twins)
    assert [trace.episode for trace in traces] == [REACH_EPISODES[0].id, "twin", "6 (of another route)"]


def test_points_are_read_in_degrees_or_fractions(tmp_path: Path) -> None:
    rows = [
        {"id": int(POINT_EPISODES[0].id), "heading": 370, "pitch": 3},
        {"id": POINT_EPISODES[1].id, "x": 0.5, "y": 0.25},
    ]
    traces = read_text(tmp_path, lines(rows), POINT_EPISODES)
    assert traces[0].legs[0].answer == Direction(10, 3)
    assert traces[1].legs[0].answer == Direction(POINT_EPISODES[1].legs[0].goal.yaw, 45)  # type: ignore[union-attr]


def test_arramon_outputs_are_read(tmp_path: Path) -> None:
    legs = (Leg("", Collect(((0, 0, 0),), "Mug", (1, 2, 0))), Leg("", Assemble((3, 1, 2)))) * 2
    episode = Episode("60324", "arramon/val", "arramon/60324", Pose(Direction(0), None, (0, 0, 0)), legs)
    row = {
        "path_gen": [[[1, 0.5, 2]], [[3, 0.5, 4], [5, 0.5, 6]]],
        "placement": [[3.0, 1.0, 2.0], [100.0, 100.0, 100.0]],
        "ctc0": [1.0, 0.0],
        "ptc": [1, 0],
    }
    (trace,) = read_text(tmp_path, {"60324": row}, [episode])
    first_collect, first_placed, second_collect, second_placed = trace.legs
    assert first_collect.path == ((1, 2, 0.5),) and first_collect.answer == "Mug"
    assert first_placed.answer == (3, 1, 2)
    assert second_collect.answer is None and second_placed.answer is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("{", "in JSON"),
        ("[{]", r"item 1|JSON"),
        ('[{"instr_id": "1", "trajectory": []}]', "trajectory: expected a list that is not empty"),
        ('{"id": "1", "path": []}\n', "path: expected a list that is not empty"),
        ('{"id": "1", "path": ["a", 3]}\n', r"path\[1\]: expected a text, got 3"),
        ('{"id": "1"}\n{"id": "2"}\n', 'with "id" and "path"'),
        ('{"id": "1", "x": 2, "y": 0}\n', "a number from 0 to 1"),
        ('{"id": "1", "heading": NaN, "pitch": 0}\n{}\n', "NaN"),
        ('{"1": [3]}', r"1\[0\]: expected a text"),
        ("[3]", "an object"),
        ('{"format": 9}\n{"format": 9}\n', "format 1"),
    ],
)
def test_invalid_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_text(tmp_path, text)
    assert caught.value.file.endswith("p.json")


def test_missing_files_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="a file of predictions"):
            list(read_predictions(path, "town/dev", REACH_EPISODES))
