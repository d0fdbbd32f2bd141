from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bearleft.data import load, read, write
from bearleft.errors import InputError
from bearleft.records import Direction, Pose, Reach
from tests.data.sample_files import r2r_items


def test_one_episode_per_instruction(sample_data: Path) -> None:
    episodes = load("r2r/made", sample_data)
    assert [episode.id for episode in episodes] == [
        *("5_0", "5_1", "5_2", "6_0", "6_1", "9_0", "9_1", "9_2", "12_0", "12_1"),
    ]
    first = episodes[0]
    assert first.world == "matterport/house1"
    assert first.start == Pose(Direction(math.degrees(1.25)), "a")
    assert first.legs[0].goal == Reach(("a", "b", "c")) and first.legs[0].text == "Leave the room. "
    assert first.extra == {"distance": 4.5, "heading": 1.25}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scan": "house2"}, "the graph of building house2"),
        ({"scan": "../house1"}, "field scan: expected the name of a building"),
        ({"scan": "x" * 5000}, "field scan: expected the name of a building"),
        ({"path": ["a", "c"]}, r"\(item 2\), field path\[1\]: expected a link from a"),
        ({"path": ["a", "x"]}, r"\(item 2\), field path\[1\]: expected a place of the world"),
        ({"path": []}, "field path: expected a list that is not empty"),
        ({"heading": 1e300}, "field heading: expected a number from -100 to 100"),
        ({"path_id": "6"}, "field path_id"),
        ({"path_id": 5}, r"\(item 2\): expected each id once"),
        ({"instructions": []}, "field instructions: expected a list that is not empty"),
        ({"instructions": ["Go.", ""]}, r"field instructions\[1\]: expected a text that is not empty"),
    ],
)
def test_invalid_items(sample_data: Path, tmp_path: Path, change: dict[str, Any], message: str) -> None:
    items = r2r_items()
    items[1] |= change
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(items, indent=1))
    with pytest.raises(InputError, match=message):
        list(read("r2r", path, sample_data))


def test_new_and_changed_episodes_round_trip(sample_data: Path, tmp_path: Path) -> None:
    episodes = load("r2r/made", sample_data)[:3]
    changed = [replace(episode, start=Pose(Direction(200.0), "a"), extra={}) for episode in episodes]
    write("r2r", changed, tmp_path / "new.json")
    back = list(read("r2r/made", tmp_path / "new.json", sample_data))
    assert [episode.legs for episode in back] == [episode.legs for episode in changed]
    assert back[0].start.look.heading == pytest.approx(200)


def test_writing_needs_all_instructions_of_a_path(sample_data: Path, tmp_path: Path) -> None:
    first, second, third, *others = load("r2r/made", sample_data)
    for episodes in ([first, third], [second, first, third], [first, others[0], second], [replace(first, id="5")]):
        with pytest.raises(InputError, match="consecutive instructions of a path"):
            write("r2r", episodes, tmp_path / "some.json")
    with pytest.raises(InputError, match="one route and start"):
        write("r2r", [first, replace(second, start=Pose(Direction(0), "b"))], tmp_path / "some.json")
    with pytest.raises(InputError, match="matterport/BUILDING"):
        write("r2r", [replace(first, world="touchdown")], tmp_path / "some.json")
