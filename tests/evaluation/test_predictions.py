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

WALKS, POINTS = load("town/dev")[:3], load("town/point")[:3]


def read(tmp_path: Path, text: Any, episodes: list[Episode] = WALKS, name: str = "p.json") -> list[Any]:
    path = tmp_path / name
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return list(read_predictions(path, episodes[0].dataset, episodes))


def route(episode: Episode) -> list[str]:
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    return list(goal.route)


def lines(rows: list[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_our_own_traces(tmp_path: Path) -> None:
    traces = evaluate("random", "town/dev", limit=3)
    assert read(tmp_path, "".join(to_json_line(trace) + "\n" for trace in traces)) == traces


@pytest.mark.parametrize("form", ["lines", "list", "object", "one line"])
def test_lists_of_places(tmp_path: Path, form: str) -> None:
    rows = [{"id": episode.id, "path": route(episode)} for episode in WALKS]
    if form == "one line":
        rows = rows[:1]
    written = {
        "lines": lines(rows),
        "list": rows,
        "object": {row["id"]: row["path"] for row in rows},
        "one line": lines(rows),
    }[form]
    found = read(tmp_path, written, name="mine.json")
    assert [(t.episode, list(t.legs[0].path)) for t in found] == [(row["id"], row["path"]) for row in rows]
    assert {t.agent for t in found} == {"mine"} and {t.legs[0].actions for t in found} == {("stop",)}


def test_r2r_submissions(tmp_path: Path) -> None:
    rows = [
        {"instr_id": "4332_0", "trajectory": [["a", 0.1, 0.0], ["b", 0.2, 0.0]]},
        {"instr_id": 7, "trajectory": ["a", "c"]},
    ]
    found = read(tmp_path, rows)
    assert [(t.episode, t.legs[0].path) for t in found] == [("4332_0", ("a", "b")), ("7", ("a", "c"))]


def test_velma_outputs_are_matched_by_their_route(tmp_path: Path) -> None:
    first = {"gold_pano_path": route(WALKS[1]), "agent_pano_path": ["x", "y"], "agent_actions": ["forward", "stop"]}
    found = read(tmp_path, {"opts": {}, "instances": {"0": {"idx": 0, **first}}})
    assert found[0].episode == WALKS[1].id
    assert found[0].legs[0].path == ("x", "y") and found[0].legs[0].actions == ("forward", "stop")


def test_velma_outputs_of_one_route_are_dealt_out(tmp_path: Path) -> None:
    """Two episodes share a route; an id that is one of them is believed, the other gets the one that is left."""
    twins = [WALKS[0], replace(WALKS[0], id="twin"), WALKS[1]]
    one = {"gold_pano_path": route(WALKS[0]), "agent_pano_path": ["x"], "agent_actions": ["stop"]}
    found = read(tmp_path, {"instances": {"5": one, "twin": one, "6": one}}, twins)
    assert [trace.episode for trace in found] == [WALKS[0].id, "twin", "6 (of another route)"]


def test_points_in_degrees_or_shares(tmp_path: Path) -> None:
    rows = [{"id": int(POINTS[0].id), "heading": 370, "pitch": 3}, {"id": POINTS[1].id, "x": 0.5, "y": 0.25}]
    found = read(tmp_path, lines(rows), POINTS)
    assert found[0].legs[0].answer == Direction(10, 3)
    assert found[1].legs[0].answer == Direction(POINTS[1].legs[0].goal.yaw, 45)  # type: ignore[union-attr]


def test_arramons_outputs(tmp_path: Path) -> None:
    legs = (Leg("", Collect(((0, 0, 0),), "Mug", (1, 2, 0))), Leg("", Assemble((3, 1, 2)))) * 2
    episode = Episode("60324", "arramon/val", "arramon/60324", Pose(Direction(0), None, (0, 0, 0)), legs)
    row = {
        "path_gen": [[[1, 0.5, 2]], [[3, 0.5, 4], [5, 0.5, 6]]],
        "placement": [[3.0, 1.0, 2.0], [100.0, 100.0, 100.0]],
        "ctc0": [1.0, 0.0],
        "ptc": [1, 0],
    }
    (found,) = read(tmp_path, {"60324": row}, [episode])
    collect, placed, other, nowhere = found.legs
    assert collect.path == ((1, 2, 0.5),) and collect.answer == "Mug"
    assert placed.answer == (3, 1, 2)
    assert other.answer is None and nowhere.answer is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("{", "in JSON"),
        ("[{]", r"item 1|JSON"),
        ('[{"instr_id": "1", "trajectory": []}]', "trajectory: expected a list that is not empty"),
        ('{"id": "1", "path": []}\n', "path: expected a list that is not empty"),
        ('{"id": "1", "path": ["a", 3]}\n', r"path\[1\]: expected a text, got 3"),
        ('{"id": "1"}\n{"id": "2"}\n', "expected a field x"),
        ('{"id": "1", "x": 2, "y": 0}\n', "a number from 0 to 1"),
        ('{"id": "1", "heading": NaN, "pitch": 0}\n{}\n', "NaN"),
        ('{"1": [3]}', r"1\[0\]: expected a text"),
        ("[3]", "an object"),
        ('{"format": 9}\n{"format": 9}\n', "format 1"),
    ],
)
def test_files_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, text)
    assert caught.value.file.endswith("p.json")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="a file of predictions"):
            list(read_predictions(path, "town/dev", WALKS))
