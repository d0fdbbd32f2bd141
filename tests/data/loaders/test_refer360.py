from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bearleft.data import follower_traces, load, open_dataset, read, write
from bearleft.errors import InputError
from bearleft.records import Direction, Point, Pose, Trace, to_json_line
from tests.data.sample_files import refer360_items


def test_one_episode_per_sequence(sample_data: Path) -> None:
    first = load("refer360/made", sample_data)[0]
    leg = first.legs[0]
    assert (first.id, first.world) == ("40", "refer360")
    assert first.start == Pose(Direction(0, 90), "picture0")
    assert leg.sentences == ("find the red door.", "the bear is left of it.")
    assert leg.text == "find the red door. the bear is left of it."
    assert leg.goal == Point(Direction(202.5, -18.5), "picture0", 0.0, (Direction(20, 30), Direction(189.5, -4.25)))


def test_unusual_sequences_are_noted(sample_data: Path) -> None:
    dataset = open_dataset("refer360/made", sample_data)
    episodes = {episode.id: episode for episode in dataset}
    noted = {(note.episode, note.reason.split(":")[0]) for note in dataset.notes}
    assert noted == {
        ("40", "a view is recorded above 90 degrees"),
        ("43", "a view is recorded above 90 degrees"),
        ("41", "no follower"),
        ("42", "the follower's views do not match the sentences"),
    }
    assert not dataset.skipped
    for name in ("41", "42"):
        goal = episodes[name].legs[0].goal
        assert isinstance(goal, Point) and goal.views == ()
    assert episodes["43"].legs[0].text == "look up  now  stop."


def test_follower_traces(sample_data: Path) -> None:
    dataset = open_dataset("refer360/made", sample_data)
    traces = list(follower_traces(dataset))
    assert [trace.episode for trace in traces] == ["40", "42", "43"]
    first = traces[0]
    assert (first.dataset, first.agent, first.sha256) == ("refer360/made", "follower", dataset.sha256)
    (leg,) = first.legs
    assert leg.looks == (Direction(10, 90), Direction(20, 30), Direction(-170.5, -4.25))
    assert leg.answer == Direction(-169, -5)
    assert Trace.from_json(json.loads(to_json_line(first))) == first


def test_other_datasets_have_no_followers(sample_data: Path) -> None:
    with pytest.raises(InputError, match="Refer360"):
        list(follower_traces(open_dataset("map2seq/made", sample_data)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"xlng_deg": 400.0}, "xlng_deg: expected a number from -360 to 360"),
        ({"ylat_deg": 157.5}, "ylat_deg: expected a number from -90 to 90"),
        ({"annotationid": None}, "annotationid"),
        ({"refexp": []}, "refexp: expected a list that is not empty"),
        ({"refexp": [[], [" "]]}, "refexp: expected sentences with words"),
        ({"refexp": [["find", 3]]}, r"refexp\[0\]\[1\]: expected a text"),
        ({"refexp": "find it"}, "refexp: expected a list"),
        ({"img_idx": ""}, "img_idx"),
        ({"actions": [[]]}, r"actions\[0\]: expected an object"),
        ({"actions": [{"act_deg_list": []}]}, r"actions\[0\].pred_xlng_deg: expected a field"),
    ],
)
def test_invalid_items(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    items = refer360_items()
    items[1] |= change
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(items))
    with pytest.raises(InputError, match=rf"broken\.json:1 \(item 2\), field {message}"):
        list(read("refer360", path))


@pytest.mark.parametrize(
    ("views", "message"),
    [
        ([[[10.0, 100.0]]], r"act_deg_list\[0\]\[0\]\[1\]: expected a number from -96 to 96"),
        ([[[500.0, 10.0]]], r"act_deg_list\[0\]\[0\]\[0\]"),
        ([[[10.0]]], r"act_deg_list\[0\]\[0\]: expected a list of 2"),
        ([[10.0, 20.0]], r"act_deg_list\[0\]\[0\]: expected a list"),
    ],
)
def test_invalid_views(tmp_path: Path, views: Any, message: str) -> None:
    items = refer360_items()
    items[2]["actions"][1] = items[2]["actions"][1] | {"act_deg_list": views}
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(items))
    with pytest.raises(InputError, match=rf"\(item 3\), field actions\[1\].{message}"):
        list(read("refer360", path))


def test_new_and_changed_episodes_round_trip(sample_data: Path, tmp_path: Path) -> None:
    episode = load("refer360/made", sample_data)[0]
    goal = episode.legs[0].goal
    assert isinstance(goal, Point)
    new = replace(episode, legs=(replace(episode.legs[0], goal=replace(goal, views=())),), extra={})
    write("refer360", [new], tmp_path / "new.json")
    (back,) = read("refer360/made", tmp_path / "new.json")
    assert (back.legs, back.start) == (new.legs, new.start)
    moved = replace(goal, direction=Direction(359, 1))
    write("refer360", [replace(episode, legs=(replace(episode.legs[0], goal=moved),))], tmp_path / "moved.json")
    (back,) = read("refer360/made", tmp_path / "moved.json")
    assert back.legs[0].goal == moved
    assert json.loads((tmp_path / "moved.json").read_text())[0]["xlng_deg"] == -1
    for wrong in (replace(goal, views=(Direction(1, 1),)), replace(goal, yaw=90.0)):
        with pytest.raises(InputError, match=r"views|middle"):
            write("refer360", [replace(episode, legs=(replace(episode.legs[0], goal=wrong),))], tmp_path / "wrong")
