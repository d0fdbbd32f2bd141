from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.data import load, open_dataset, read, write
from bearleft.data.loaders.arramon import start_heading
from bearleft.errors import InputError
from bearleft.records import Assemble, Collect
from bearleft.world.arramon.moves import GRID_HEADING, is_in_reach, replay, replay_room
from tests.data.sample_files import arramon_item, arramon_items, walk

ACTION_WORDS = {"f": "forward", "l": "left", "r": "right"}


def read_items(tmp_path: Path, *items: dict[str, Any]) -> Any:
    path = tmp_path / "items.json"
    path.write_text(json.dumps(items))
    return read("arramon", path)


def test_task_has_four_legs(sample_data: Path) -> None:
    first = load("arramon/made", sample_data)[0]
    assert (first.id, first.world) == ("60", "arramon/60")
    collect, assemble = first.legs[0].goal, first.legs[1].goal
    assert isinstance(collect, Collect) and isinstance(assemble, Assemble)
    assert [type(leg.goal) for leg in first.legs] == [Collect, Assemble] * 2
    # Unity's y is up.
    assert collect.path[0] == (-98.567, 102.525, 0.525) and collect.at == (-96.5, 91.5, 0.0625)
    assert collect.item == "Striped Red Bowl"
    assert collect.actions == ("right", "right", "forward", "forward", "right", "forward", "left", "pick")
    assert assemble.cell == (3, 1, 2)
    assert assemble.path == ((2, 1, 0), (2, 1, 1), (3, 1, 1))
    assert assemble.actions[-1] == "place"
    assert first.legs[2].text == "Walk on and take the set." and first.legs[3].text == "Put the set on the book."
    assert first.start.position == collect.path[0] and first.start.place is None


def test_start_headings_are_inferred_from_the_first_move(sample_data: Path) -> None:
    headings = [episode.start.look.heading for episode in load("arramon/made", sample_data)]
    # The first walk of the second task only turns, so its second walk gives the heading; the last task has no move.
    assert headings == pytest.approx([GRID_HEADING, GRID_HEADING + 90, GRID_HEADING + 210, GRID_HEADING])


def test_unusual_tasks_are_noted(sample_data: Path) -> None:
    dataset = open_dataset("arramon/made", sample_data)
    list(dataset)
    only_turns = {note.episode for note in dataset.notes if "only turns" in note.reason}
    assert only_turns == {"61", "62", "63"}
    assert {note.episode for note in dataset.notes if "unknown" in note.reason} == {"63"}
    assert dataset.facts[0].startswith("4 of 4 walks with a move") and "4 walks only turn" in dataset.facts[0]
    assert dataset.facts[1].startswith("8 of 8 assemblies")


@given(st.integers(0, 11), st.text("flr", min_size=1, max_size=40))
@settings(deadline=None)
def test_replay_of_actions_follows_the_path(grid: int, letters: str) -> None:
    path, end = walk((12.5, -40.25), GRID_HEADING + 30 * grid, letters)
    actions = [ACTION_WORDS[letter] for letter in letters]
    places = [(x, z, y) for x, y, z in path]
    heading = start_heading(places, actions)
    assert (heading is None) == ("f" not in letters)
    if heading is not None:
        assert heading == pytest.approx((GRID_HEADING + 30 * grid) % 360)
        replayed, last = replay(places[0], heading, actions)
        assert last % 360 == pytest.approx(end % 360)
        assert len(replayed) == len(places)
        for position, other in zip(replayed, places, strict=True):
            assert position == pytest.approx(other, abs=1e-5)


def test_headings_off_the_grid_are_kept(tmp_path: Path) -> None:
    (episode,) = read_items(tmp_path, arramon_item(1, "ff", "f", 100.0))
    assert episode.start.look.heading == pytest.approx(100, abs=1e-3)


def test_replay_in_the_room() -> None:
    path, ahead = replay_room(("forward", "right", "right", "right", "forward", "left", "left", "left", "place"))
    assert (path, ahead) == ([(2, 1, 0), (2, 1, 1), (3, 1, 1)], (3, 1, 2))
    assert replay_room(("left", "place")) == ([(2, 1, 0)], None)
    assert replay_room(["left"] * 6 + ["forward"]) == ([(2, 1, 0), (2, 1, -1)], (2, 1, -2))


def test_reach_is_three_ahead_and_half_aside() -> None:
    position = (0.0, 0.0, 0.0)
    assert is_in_reach(position, 90, (2.9, 0.4, 1)) and is_in_reach(position, 0, (-0.5, 3.0, 0))
    assert (
        not is_in_reach(position, 90, (3.1, 0, 0))
        and not is_in_reach(position, 90, (2, 0.6, 0))
        and not is_in_reach(position, 90, (-1, 0, 0))
    )


def test_inconsistent_walks_are_noted(tmp_path: Path) -> None:
    item = arramon_item(1, "ff", "fl")
    item["gt_paths"]["navi_path_gt"][1][1][0] += 0.5
    item["gt_objects_pos"]["assem_obj_pos_gt"][0] = [0, 1, 0]
    dataset = read_items(tmp_path, item)
    assert len(list(dataset)) == 1
    reasons = [note.reason for note in dataset.notes]
    assert any("turn 2: the actions do not lead along the path" in reason for reason in reasons)
    assert any("turn 1: the assembly does not end" in reason for reason in reasons)


def set_field(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(item: dict[str, Any]) -> None:
        *inner, last, value = path
        for key in inner:
            item = item[key]
        item[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_field("mapId", "60"), "mapId"),
        (set_field("gt_objects", ["one"]), "gt_objects: expected a list of 2"),
        (set_field("gt_objects", 1, ""), r"gt_objects\[1\]"),
        (
            set_field("gt_objects", 1, "Red Car"),
            r"gt_objects\[1\]: expected a pattern, a colour and a type, .* got \"Red Car\"",
        ),
        (
            set_field("gt_actions", "navi_action_gt", 0, 1, "b"),
            r"gt_actions.navi_action_gt\[0\]\[1\]: expected one of f, l, r",
        ),
        (
            set_field("gt_actions", "navi_action_gt", 0, ["f", "P", "1"]),
            r"gt_actions.navi_action_gt\[0\]: expected actions that end",
        ),
        (
            set_field("gt_actions", "assem_action_gt", 1, []),
            r"gt_actions.assem_action_gt\[1\]: expected actions that end",
        ),
        (
            set_field("gt_paths", "navi_path_gt", 1, []),
            r"gt_paths.navi_path_gt\[1\]: expected a list that is not empty",
        ),
        (
            set_field("gt_paths", "navi_path_gt", 1, 0, [1.0, 2.0]),
            r"gt_paths.navi_path_gt\[1\]\[0\]: expected a list of 3",
        ),
        (set_field("gt_paths", "navi_path_gt", 0, 0, [1e300, 0, 0]), r"gt_paths.navi_path_gt\[0\]\[0\]\[0\]"),
        (
            set_field("gt_paths", "assem_path_gt", 0, 1, 0, 240.0),
            r"gt_paths.assem_path_gt\[0\]\[1\]: expected a position whole steps",
        ),
        (set_field("gt_paths", "assem_path_gt", 0, 1, 0, 1e308), r"gt_paths.assem_path_gt\[0\]\[1\]\[0\]"),
        (set_field("gt_objects_pos", "assem_obj_pos_gt", 0, 0, 5), r"gt_objects_pos.assem_obj_pos_gt\[0\]\[0\]"),
        (set_field("gt_objects_pos", "assem_obj_pos_gt", 0, 1, 0), r"gt_objects_pos.assem_obj_pos_gt\[0\]\[1\]"),
        (
            set_field("gt_objects_pos", "assem_obj_pos_gt", 0, 1, 5),
            r"gt_objects_pos.assem_obj_pos_gt\[0\]\[1\]: expected a number from 1 to 4, got 5",
        ),
        (set_field("gt_objects_pos", "assem_obj_pos_gt", 0, 2, 1.5), r"gt_objects_pos.assem_obj_pos_gt\[0\]\[2\]"),
        (set_field("instructions", {}), "instructions.navi_inst_gt: expected a field"),
        (set_field("gt_actionIDs", []), "gt_actionIDs: expected an object"),
    ],
)
def test_invalid_items(tmp_path: Path, change: Callable[[dict[str, Any]], None], message: str) -> None:
    items = arramon_items()
    change(items[1])
    with pytest.raises(InputError, match=rf"items\.json:1 \(item 2\), field {message}"):
        list(read_items(tmp_path, *items))


def test_contradictory_and_unknown_fields_round_trip(tmp_path: Path) -> None:
    """Action ids that contradict the letters, a room at another position, and unknown nested fields."""
    item = arramon_item(1, "ff", "fl")
    item["gt_actionIDs"]["navi_actionIDs_gt"][0] = [7]
    item["gt_paths"]["assem_path_gt"][1] = [[1.0, 2.0, 3.0], [2.5, 2.0, 3.0]]
    item["instructions"]["mine"] = ["a"]
    item["mine"] = {"b": None}
    (episode,) = read_items(tmp_path, item)
    assert episode.legs[3].goal.path == ((2, 1, 0), (3, 1, 0))
    write("arramon", [episode], tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text()) == [item]
    assert list(read("arramon/items", tmp_path / "back.json")) == [episode]


def test_new_and_changed_episodes_can_be_written(sample_data: Path, tmp_path: Path) -> None:
    episode = load("arramon/made", sample_data)[0]
    write("arramon", [replace(episode, extra={})], tmp_path / "new.json")
    assert list(read("arramon/made", tmp_path / "new.json")) == [replace(episode, extra={})]
    wrong: list[tuple[str, ...]] = [(), ("forward",), ("jump", "pick"), ("pick", "forward"), ("forward", "place")]
    for actions in wrong:
        goal = episode.legs[0].goal
        assert isinstance(goal, Collect)
        legs = (replace(episode.legs[0], goal=replace(goal, actions=actions)), *episode.legs[1:])
        with pytest.raises(InputError, match="actions"):
            write("arramon", [replace(episode, legs=legs)], tmp_path / "wrong")
