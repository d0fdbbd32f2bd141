from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given, settings

from bearleft.errors import InputError
from bearleft.records import (
    FORMAT,
    Assemble,
    Direction,
    Episode,
    Leg,
    Point,
    Pose,
    Reach,
    Trace,
    check_goals,
    goal_from_json,
    to_json_line,
)
from tests.strategies import episodes, traces

EPISODE = Episode("1", "toy/dev", "grid", Pose(Direction(0), "a"), (Leg("go on", Reach(("a", "b"))),))


@settings(deadline=None)
@given(episodes)
def test_an_episode_survives_json(episode: Episode) -> None:
    assert Episode.from_json(json.loads(to_json_line(episode))) == episode


@pytest.mark.slow
@settings(deadline=None)
@given(traces)
def test_a_trace_survives_json(trace: Trace) -> None:
    line = to_json_line(trace)
    assert "\n" not in line
    assert Trace.from_json(json.loads(line)) == trace


def test_records_are_frozen_hashable_and_pickle() -> None:
    with pytest.raises(AttributeError):
        EPISODE.id = "2"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(EPISODE)) == EPISODE
    assert len({EPISODE, EPISODE}) == 1


@pytest.mark.parametrize(("heading", "kept"), [(0, 0), (360, 0), (-90, 270), (725, 5), (-1e-20, 0)])
def test_headings_turn_full_circle(heading: float, kept: float) -> None:
    assert Direction(heading).heading == kept


def _changed(path: list[Any], value: Any) -> Any:
    row = EPISODE.to_json()
    inner = row
    for key in path[:-1]:
        inner = inner[key]
    if value is KeyError:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return row


@pytest.mark.parametrize(
    ("path", "value", "field", "expected", "got"),
    [
        (["format"], FORMAT + 1, "format", f"format {FORMAT}", f"format {FORMAT + 1}"),
        (["format"], True, "format", "a whole number", "True"),
        (["id"], KeyError, "id", "a field id", "fields"),
        (["id"], 7, "id", "a text", "7"),
        (["id"], "", "id", "a text that is not empty", '""'),
        (["id"], "\ud800", "id", "a text of valid Unicode", "\\ud800"),
        (["legs"], [], "legs", "a list that is not empty", "an empty list"),
        (["legs"], {}, "legs", "a list", "an object"),
        (["start", "look"], [0], "start.look", "a list of 2", "a list of 1"),
        (["start", "look"], [0, 91], "start.look[1]", "a number from -90 to 90", "91"),
        (["start", "look"], [float("nan"), 0], "start.look[0]", "a finite number", "nan"),
        (["start", "look"], [10**400, 0], "start.look[0]", "a finite number", "inf"),
        (["start", "place"], KeyError, "start.place", "a place or a position", "neither"),
        (["legs", 0, "goal"], {"fly": 1}, "legs[0].goal", "a goal, one of", "fly"),
        (["legs", 0, "goal", "reach"], ["a", 3], "legs[0].goal.reach[1]", "a text", "3"),
        (["legs", 0, "goal", "reach"], [], "legs[0].goal.reach", "a list that is not empty", "an empty list"),
        (["legs", 0, "sentences"], ["go", "off"], "legs[0].sentences", "sentences that make up the text", "go off"),
        (["extra"], 3, "extra", "an object", "3"),
    ],
)
def test_a_wrong_field_is_named(path: list[Any], value: Any, field: str, expected: str, got: str) -> None:
    with pytest.raises(InputError) as caught:
        Episode.from_json(_changed(path, value))
    assert caught.value.field == field
    assert expected in caught.value.expected
    assert got in caught.value.got


def test_goals_check_themselves() -> None:
    with pytest.raises(InputError, match="route"):
        Reach(())
    with pytest.raises(InputError, match="yaw"):
        Point(Direction(0), yaw=float("nan"))
    with pytest.raises(InputError, match="cell"):
        Assemble((1, 2))  # type: ignore[arg-type]


def test_paths_do_not_mix_places_and_positions() -> None:
    row = Trace("1", "toy/dev", "me", ()).to_json()
    row["legs"] = [{"actions": [], "path": ["a", [0.0, 1.0, 2.0]]}]
    with pytest.raises(InputError, match="not a mixture"):
        Trace.from_json(row)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"reach": ["a", "b"], "hidden": True}, "field goal.route: expected a hidden route that holds its start only"),
        ({"reach": ["a"], "hidden": False}, "field goal.hidden: expected true, or no such field, got False"),
        ({"reach": ["a"], "hidden": 1}, "field goal.hidden: expected true"),
        (
            {"point": [1, 0], "yaw": 0, "hidden": True},
            r"field goal.point: expected \[0, 0\], the direction of a hidden",
        ),
        ({"point": [0, 0], "yaw": 7, "hidden": True}, "field goal.yaw: expected yaw 0 of a hidden target without a"),
        ({"point": [0, 0], "yaw": 0, "views": [[1, 2]], "hidden": True}, "field goal.views: expected a hidden target"),
        (
            {"point": [0, 0], "yaw": 0, "propagated": [{"point": [1, 2], "yaw": 0, "place": "b"}], "hidden": True},
            "field goal.propagated: expected a hidden target without propagated, got 1",
        ),
    ],
)
def test_a_hidden_goal_shows_nothing(row: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        goal_from_json(row, "goal")


def test_hidden_goals_are_marked_only_if_they_are() -> None:
    hidden = Episode("2", "toy/dev", "grid", EPISODE.start, (Leg("go on", Reach(("a",), hidden=True)),))
    assert (EPISODE.hidden, hidden.hidden) == (False, True)
    assert "hidden" not in to_json_line(EPISODE)
    assert hidden.legs[0].goal.to_json() == {"reach": ["a"], "hidden": True}
    check_goals([EPISODE], "to score traces")
    with pytest.raises(InputError, match='episodes with goals, to score traces, got the hidden goals of episode "2"'):
        check_goals([EPISODE, hidden], "to score traces")
