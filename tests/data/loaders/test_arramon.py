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

WORDS = {"f": "forward", "l": "left", "r": "right"}


def one(tmp_path: Path, *items: dict[str, Any]) -> Any:
    path = tmp_path / "items.json"
    path.write_text(json.dumps(items))
    return read("arramon", path)


def test_a_task_is_four_legs(made: Path) -> None:
    first = load("arramon/made", made)[0]
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


def test_start_headings_come_from_the_first_move(made: Path) -> None:
    headings = [episode.start.look.heading for episode in load("arramon/made", made)]
    # The second task turns only in its first walk, so its second walk says it; the last one never moves.
    assert headings == pytest.approx([GRID_HEADING, GRID_HEADING + 90, GRID_HEADING + 210, GRID_HEADING])


def test_what_is_odd_is_named(made: Path) -> None:
    dataset = open_dataset("arramon/made", made)
    list(dataset)
    only_turns = {note.episode for note in dataset.notes if "only turns" in note.reason}
    assert only_turns == {"61", "62", "63"}
    assert {note.episode for note in dataset.notes if "unknown" in note.reason} == {"63"}
    assert dataset.facts[0].startswith("4 of 4 walks with a move") and "4 walks only turn" in dataset.facts[0]
    assert dataset.facts[1].startswith("8 of 8 assemblies")


@given(st.integers(0, 11), st.text("flr", min_size=1, max_size=40))
@settings(deadline=None)
def test_replaying_actions_lands_on_the_path(grid: int, letters: str) -> None:
    path, end = walk((12.5, -40.25), GRID_HEADING + 30 * grid, letters)
    actions = [WORDS[letter] for letter in letters]
    places = [(x, z, y) for x, y, z in path]
    heading = start_heading(places, actions)
    assert (heading is None) == ("f" not in letters)
    if heading is not None:
        assert heading == pytest.approx((GRID_HEADING + 30 * grid) % 360)
        replayed, last = replay(places[0], heading, actions)
        assert last % 360 == pytest.approx(end % 360)
        assert len(replayed) == len(places)
        for one_place, other in zip(replayed, places, strict=True):
            assert one_place == pytest.approx(other, abs=1e-5)


def test_headings_off_the_grid_stay(tmp_path: Path) -> None:
    (episode,) = one(tmp_path, arramon_item(1, "ff", "f", 100.0))
    assert episode.start.look.heading == pytest.approx(100, abs=1e-3)


def test_the_room() -> None:
    path, ahead = replay_room(("forward", "right", "right", "right", "forward", "left", "left", "left", "place"))
    assert (path, ahead) == ([(2, 1, 0), (2, 1, 1), (3, 1, 1)], (3, 1, 2))
    assert replay_room(("left", "place")) == ([(2, 1, 0)], None)
    assert replay_room(["left"] * 6 + ["forward"]) == ([(2, 1, 0), (2, 1, -1)], (2, 1, -2))


def test_reach_is_three_ahead_and_half_aside() -> None:
    here = (0.0, 0.0, 0.0)
    assert is_in_reach(here, 90, (2.9, 0.4, 1)) and is_in_reach(here, 0, (-0.5, 3.0, 0))
    assert (
        not is_in_reach(here, 90, (3.1, 0, 0))
        and not is_in_reach(here, 90, (2, 0.6, 0))
        and not is_in_reach(here, 90, (-1, 0, 0))
    )


def test_walks_that_do_not_fit_are_named(tmp_path: Path) -> None:
    item = arramon_item(1, "ff", "fl")
    item["gt_paths"]["navi_path_gt"][1][1][0] += 0.5
    item["gt_objects_pos"]["assem_obj_pos_gt"][0] = [0, 1, 0]
    dataset = one(tmp_path, item)
    assert len(list(dataset)) == 1
    reasons = [note.reason for note in dataset.notes]
    assert any("turn 2: the actions do not lead along the path" in reason for reason in reasons)
    assert any("turn 1: the assembly does not end" in reason for reason in reasons)


def _set(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(item: dict[str, Any]) -> None:
        *inner, last, value = path
        for key in inner:
            item = item[key]
        item[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_set("mapId", "60"), "mapId"),
        (_set("gt_objects", ["one"]), "gt_objects: expected a list of 2"),
        (_set("gt_objects", 1, ""), r"gt_objects\[1\]"),
        (_set("gt_objects", 1, "Red Car"), r"gt_objects\[1\]: expected an item: .* got \"Red Car\""),
        (
            _set("gt_actions", "navi_action_gt", 0, 1, "b"),
            r"gt_actions.navi_action_gt\[0\]\[1\]: expected one of f, l, r",
        ),
        (
            _set("gt_actions", "navi_action_gt", 0, ["f", "P", "1"]),
            r"gt_actions.navi_action_gt\[0\]: expected actions that end",
        ),
        (_set("gt_actions", "assem_action_gt", 1, []), r"gt_actions.assem_action_gt\[1\]: expected actions that end"),
        (_set("gt_paths", "navi_path_gt", 1, []), r"gt_paths.navi_path_gt\[1\]: expected a list that is not empty"),
        (_set("gt_paths", "navi_path_gt", 1, 0, [1.0, 2.0]), r"gt_paths.navi_path_gt\[1\]\[0\]: expected a list of 3"),
        (_set("gt_paths", "navi_path_gt", 0, 0, [1e300, 0, 0]), r"gt_paths.navi_path_gt\[0\]\[0\]\[0\]"),
        (
            _set("gt_paths", "assem_path_gt", 0, 1, 0, 240.0),
            r"gt_paths.assem_path_gt\[0\]\[1\]: expected a position whole steps",
        ),
        (_set("gt_paths", "assem_path_gt", 0, 1, 0, 1e308), r"gt_paths.assem_path_gt\[0\]\[1\]\[0\]"),
        (_set("gt_objects_pos", "assem_obj_pos_gt", 0, 0, 5), r"gt_objects_pos.assem_obj_pos_gt\[0\]\[0\]"),
        (_set("gt_objects_pos", "assem_obj_pos_gt", 0, 1, 0), r"gt_objects_pos.assem_obj_pos_gt\[0\]\[1\]"),
        (
            _set("gt_objects_pos", "assem_obj_pos_gt", 0, 1, 5),
            r"gt_objects_pos.assem_obj_pos_gt\[0\]\[1\]: expected a number from 1 to 4, got 5",
        ),
        (_set("gt_objects_pos", "assem_obj_pos_gt", 0, 2, 1.5), r"gt_objects_pos.assem_obj_pos_gt\[0\]\[2\]"),
        (_set("instructions", {}), "instructions.navi_inst_gt: expected a field"),
        (_set("gt_actionIDs", []), "gt_actionIDs: expected an object"),
    ],
)
def test_broken_items(tmp_path: Path, change: Callable[[dict[str, Any]], None], said: str) -> None:
    items = arramon_items()
    change(items[1])
    with pytest.raises(InputError, match=rf"items\.json:1 \(item 2\), field {said}"):
        list(one(tmp_path, *items))


def test_what_contradicts_or_is_not_known_is_kept(tmp_path: Path) -> None:
    """Other numbers than the letters, a room elsewhere, fields of somebody's own, all nested."""
    item = arramon_item(1, "ff", "fl")
    item["gt_actionIDs"]["navi_actionIDs_gt"][0] = [7]
    item["gt_paths"]["assem_path_gt"][1] = [[1.0, 2.0, 3.0], [2.5, 2.0, 3.0]]
    item["instructions"]["mine"] = ["a"]
    item["mine"] = {"b": None}
    (episode,) = one(tmp_path, item)
    assert episode.legs[3].goal.path == ((2, 1, 0), (3, 1, 0))
    write("arramon", [episode], tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text()) == [item]
    assert list(read("arramon/items", tmp_path / "back.json")) == [episode]


def test_new_and_changed_episodes_can_be_written(made: Path, tmp_path: Path) -> None:
    episode = load("arramon/made", made)[0]
    write("arramon", [replace(episode, extra={})], tmp_path / "new.json")
    assert list(read("arramon/made", tmp_path / "new.json")) == [replace(episode, extra={})]
    wrong: list[tuple[str, ...]] = [(), ("forward",), ("jump", "pick"), ("pick", "forward"), ("forward", "place")]
    for actions in wrong:
        goal = episode.legs[0].goal
        assert isinstance(goal, Collect)
        legs = (replace(episode.legs[0], goal=replace(goal, actions=actions)), *episode.legs[1:])
        with pytest.raises(InputError, match="actions"):
            write("arramon", [replace(episode, legs=legs)], tmp_path / "wrong")
