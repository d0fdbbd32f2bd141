"""Heat maps: made from numbers, read from JSON, given with an answer, kept in a trace, and ignored by scores."""

from __future__ import annotations

import base64
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bearleft.agents.pipe import read_action
from bearleft.data import load
from bearleft.envs.game import Action, Observation, Prediction
from bearleft.envs.look import LookGame
from bearleft.envs.point import PointGame
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.geometry import to_equirectangular
from bearleft.heatmap import Heatmap, smooth
from bearleft.records import Direction, Episode, Leg, LegTrace, Point, Pose, Trace, to_json_line

MAP = Heatmap.from_array([[0, 1, 2], [3, 4, 5]])
START = Pose(Direction(0), "a")


@settings(deadline=None)
@given(
    arrays(float, st.tuples(st.integers(1, 128), st.integers(1, 256)), elements=st.floats(0, 1.7e308), fill=st.just(0))
)
@example(np.array([[5e-324, 0.0]]))
@example(np.array([[1.7e308, 0.0]]))
def test_the_largest_becomes_255(numbers: Any) -> None:
    heat = Heatmap.from_array(numbers)
    values = np.frombuffer(heat.values, np.uint8).reshape(heat.height, heat.width)
    assert values.max() == (255 if numbers.any() else 0)
    assert (values[numbers == 0] == 0).all()
    assert (values[numbers == numbers.max()] == values.max()).all()
    assert Heatmap.from_json(json.loads(json.dumps(heat.to_json()))) == heat


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([], "at most 128 rows of at most 256 numbers"),
        ([1, 2], "an array of shape"),
        (np.zeros((129, 1)), "at most 128 rows"),
        (np.zeros((1, 257)), "at most 256 numbers"),
        ([[1, 2], [3]], "rows of numbers"),
        ([["x"]], "rows of numbers"),
        ([[1, -1]], "not negative, got -1"),
        ([[1, float("nan")]], "finite numbers that are not negative, got nan"),
        ([[1, float("inf")]], "got inf"),
    ],
)
def test_what_is_no_map(numbers: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Heatmap.from_array(numbers)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"width": 0}, r"field legs\[0\]\.heat\.width: expected a number from 1 to 256"),
        ({"height": 2.0}, r"heat\.height: expected a whole number"),
        ({"width": 4}, r"heat\.values: expected 4 x 2 = 8 bytes, got 6"),
        ({"values": "§"}, r"heat\.values: expected bytes in base64"),
        ({"values": "AAAA AAAA"}, r"heat\.values: expected bytes in base64"),
        ({"values": 3}, r"heat\.values: expected a text"),
    ],
)
def test_a_wrong_map_in_a_trace_is_named(change: dict[str, Any], message: str) -> None:
    row = Trace("1", "toy/dev", "me", (LegTrace(("point",), ("a",), (), Direction(1), MAP),)).to_json()
    assert Trace.from_json(row).legs[0].heat == MAP
    row["legs"][0]["heat"] |= change
    with pytest.raises(InputError, match=message):
        Trace.from_json(row)


def test_a_trace_without_a_map_says_nothing_of_it() -> None:
    line = to_json_line(Trace("1", "toy/dev", "me", (LegTrace(("point",), ("a",), (), Direction(1)),)))
    assert "heat" not in line and Trace.from_json(json.loads(line)).legs[0].heat is None


def test_a_map_is_given_with_the_answer() -> None:
    game = PointGame(Leg("there", Point(Direction(5))), START)
    game.step(Prediction(Direction(7, 1), MAP))
    assert game.trace() == LegTrace(("point",), ("a",), (), Direction(7, 1), MAP)
    looking = LookGame(Leg("up down", Point(Direction(5)), ("up", "down")), START)
    for action in (
        Prediction(Direction(1), Heatmap.from_array([[1]])),
        "next",
        Prediction(Direction(2), MAP),
        "left",
        "next",
    ):
        looking.step(action)
    done = looking.trace()
    assert done.actions == ("look", "next", "look", "left", "next")
    assert (done.answer, done.heat) == (Direction(347), MAP)
    with pytest.raises(InputError, match=r"a Direction and a Heatmap, got .*Heatmap\.from_array"):
        Prediction(Direction(0), [[1]])  # type: ignore[arg-type]


def test_a_program_gives_a_map_too() -> None:
    answer = {"heading": 3, "pitch": 1, "heat": MAP.to_json()}
    assert read_action(json.dumps(answer).encode()) == Prediction(Direction(3, 1), MAP)
    answer["heat"] = {"width": 2, "height": 2, "values": base64.b64encode(b"abc").decode()}
    with pytest.raises(InputError, match=r"field heat.values: expected 2 x 2 = 4 bytes, got 3"):
        read_action(json.dumps(answer).encode())


class Warm:
    """Points ahead, with a map or without."""

    heat: Heatmap | None = MAP

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        pass

    def act(self, seen: Observation) -> Action:
        ahead = Direction(seen["yaw"])
        return ahead if self.heat is None else Prediction(ahead, self.heat)


class Cold(Warm):
    heat = None


def test_maps_are_kept_resumed_and_not_scored(tmp_path: Path) -> None:
    out = tmp_path / "warm.jsonl"
    whole = evaluate(Warm(), "town/point", out)
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:40]) + lines[40][:100])
    assert evaluate(Warm(), "town/point", out) == whole
    assert out.read_bytes() == b"".join(lines)
    assert all(trace.legs[0].heat == MAP for trace in whole)
    plain = evaluate(Cold(), "town/point", tmp_path / "cold.jsonl")
    assert [replace(trace.legs[0], heat=None) for trace in whole] == [trace.legs[0] for trace in plain]
    drop = {"agent", "file"}
    warm, cold = (
        [{k: v for k, v in row.items() if k not in drop} for row in score(tmp_path / f"{name}.jsonl").rows]
        for name in ("warm", "cold")
    )
    assert warm == cold


PROGRAM = """
import json, sys
for line in sys.stdin:
    if "observe" in json.loads(line):
        heat = {"width": 2, "height": 1, "values": "AP8="}
        print(json.dumps({"heading": 1, "pitch": 2, "heat": heat}), flush=True)
"""


def test_a_map_over_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "warm.py").write_text(PROGRAM)
    (trace,) = evaluate(f"pipe:{sys.executable} {tmp_path / 'warm.py'}", "town/point", limit=1)
    assert trace.legs[0].heat == Heatmap(2, 1, b"\x00\xff")


def test_the_average_shows_where_its_targets_lie() -> None:
    traces = evaluate("average", "town/point", limit=2)
    heat = traces[0].legs[0].heat
    assert heat is not None and heat == traces[1].legs[0].heat and (heat.width, heat.height) == (64, 32)
    values = np.frombuffer(heat.values, np.uint8).reshape(32, 64)
    for episode in load("town/point"):
        goal = episode.legs[0].goal
        assert isinstance(goal, Point)
        x, y = to_equirectangular(goal.direction.heading, goal.direction.pitch, 64, 32, goal.yaw)
        assert values[int(y), int(x)] > 0
    assert evaluate("average", "town/look", limit=1)[0].legs[0].heat is not None


def test_smoothing_goes_round_the_back_and_keeps_the_sum() -> None:
    numbers = np.zeros((8, 16))
    numbers[3, 0] = 1.0
    blurred = smooth(numbers)
    assert blurred[3, 15] == blurred[3, 1] == 0.125 and blurred[3, 0] == 0.25
    assert blurred.sum() == pytest.approx(1.0)
