"""ArraMon's tasks: Collect, Assemble, Collect, Assemble; units are metres, Unity's (x, y, z) is our (east, up, north).

The files hold no headings. They lie on a grid of 30 degrees, and the first move of a task says where on it: the start
heading is that move's, less the turns before it. Walks in the room become cells (column, height, row): they start at
column 2, row 0, looking along the rows, and a step is 1.5 units. Cells on the floor have height 1.

Files of our own sections (city/arramon) hold the same, and one field more, `bearleft`: the world, and what lies around.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import atan2, degrees, dist

from bearleft.data.dataset import Dataset, in_order, must_fit, whole_id, writing
from bearleft.errors import InputError, shown
from bearleft.records import Assemble, Cell, Collect, Direction, Episode, Leg, Pose, Position
from bearleft.runtime.json_fields import Fields, Json, each, items, number, some_text, text, whole
from bearleft.world.arramon.items.names import item as item_named
from bearleft.world.arramon.moves import (
    COLUMNS,
    DOOR,
    FLOOR,
    GRID,
    PICK,
    PLACE,
    ROWS,
    STEP,
    TURN,
    in_reach,
    replay,
    replay_room,
    turned,
)
from bearleft.world.arramon.task_setup import HIGHEST, TaskSetup

DOOR_UNITS = (239.656616, -487.623871, -199.363037)  # where every walk of the released room starts
CLOSE = 1e-3
FARTHEST = 1e6  # units; the cities are some hundred across
LETTERS = {"f": "forward", "l": "left", "r": "right"}
NUMBERS = {"forward": 0, "left": 1, "right": 2, PICK: 3, PLACE: 3}
OWN = "bearleft"  # the field of our own files: world, setting, phenomena, landmarks
FIELDS = ("gt_objects_pos", "gt_paths", "gt_objects", "mapId", "gt_actions", "gt_actionIDs", "instructions", OWN)


def start_heading(path: Sequence[Position], actions: Sequence[str]) -> float | None:
    """The heading a leg starts with, from its first move and the turns before it; None where it only turns."""
    if "forward" not in actions or len(path) < 2:
        return None
    before = actions[: actions.index("forward")]
    moved = degrees(atan2(path[1][0] - path[0][0], path[1][1] - path[0][1])) - turned(before)
    on_grid = GRID + TURN * round((moved - GRID) / TURN)
    # A move of one unit is recorded to some 1e-5, so a heading off the grid by more is another city's.
    return (on_grid if abs(on_grid - moved) < 0.1 else moved) % 360.0


def read(dataset: Dataset, named: bool = False) -> Iterator[Episode]:
    """One episode of four legs for each task; with `named` its world and setting are those that the task names."""
    facts = _Facts(dataset)

    def episodes(row: Fields) -> Iterator[Episode]:
        name = str(row.whole("mapId"))
        own = row.object(OWN) if named else None
        legs, extra = _legs(row)
        collects = [leg.goal for leg in legs if isinstance(leg.goal, Collect)]
        world = f"arramon/{name}"
        if own is not None:
            world = _world(own)
            extra |= {"setting": _setting(own, collects).to_json()}
            extra |= {OWN: own.rest()} if own.rest() else {}
        heading = task_heading(collects)
        if heading is None:
            dataset.note(name, "no move in the whole task: its start heading is not known and taken from the grid")
            heading = GRID
        start = Pose(Direction(heading), position=collects[0].path[0])
        episode = Episode(name, dataset.name, world, start, legs, extra)
        facts.look_at(episode)
        yield episode

    yield from dataset.by_item(episodes)
    dataset.facts.extend(facts.lines())


def rows(episodes: Iterable[Episode], named: bool = False) -> Iterator[Json]:
    """Items of two turns each; with `named` they name their world and what lies around."""
    for episode in episodes:
        collects = [leg.goal for leg in episode.legs if isinstance(leg.goal, Collect)]
        assembles = [leg.goal for leg in episode.legs if isinstance(leg.goal, Assemble)]
        if [type(leg.goal) for leg in episode.legs] != [Collect, Assemble] * 2:
            raise writing(episode, "episodes of Collect, Assemble, Collect, Assemble")
        picks = [_letters(goal.actions, PICK, str(k)) for k, goal in enumerate(collects)]
        places = [_letters(goal.actions, PLACE, str(k)) for k, goal in enumerate(assembles)]
        # The heading is not written, so it must be the one that reading infers.
        heading = task_heading(collects)
        start = Pose(Direction(GRID if heading is None else heading), position=collects[0].path[0])
        extra = dict(episode.extra)
        if named:
            setting = _setting(Fields({"setting": extra.pop("setting", None)}), collects)
            own = {"world": episode.world, "setting": setting.to_json()}
            extra[OWN] = own | Fields(extra.get(OWN, {}), OWN).value
        must_fit(episode, _world(Fields(extra[OWN], OWN)) if named else f"arramon/{episode.id}", start)
        walks: Json = [_room_units(goal.path) for goal in assembles]
        nested = {name: value for name, value in extra.items() if isinstance(value, dict)}
        raw = nested.get("gt_paths", {}).get("assem_path_gt")
        cells = [_cells(walk, "assem_path_gt") for walk in raw] if isinstance(raw, list) else None
        if cells == [goal.path for goal in assembles]:
            walks = raw
        row: dict[str, Json] = {
            "gt_objects_pos": {
                "navi_obj_pos_gt": [_unity(goal.at) for goal in collects],
                "assem_obj_pos_gt": [list(goal.cell) for goal in assembles],
            },
            "gt_paths": {
                "navi_path_gt": [[_unity(position) for position in goal.path] for goal in collects],
                "assem_path_gt": walks,
            },
            "gt_objects": [_item(goal.item, f"gt_objects[{k}]") for k, goal in enumerate(collects)],
            "mapId": whole_id(episode.id, "ArraMon's mapId"),
            "gt_actions": {"navi_action_gt": picks, "assem_action_gt": places},
            # Numbers that contradict the letters were kept as they were.
            "gt_actionIDs": {
                "navi_actionIDs_gt": [_numbers(goal.actions) for goal in collects],
                "assem_actionIDs_gt": [_numbers(goal.actions) for goal in assembles],
            }
            | nested.get("gt_actionIDs", {}),
            "instructions": {
                "assem_inst_gt": [leg.text for leg in episode.legs[1::2]],
                "navi_inst_gt": [leg.text for leg in episode.legs[::2]],
            },
        }
        for field, value in extra.items():
            row[field] = nested[field] | row[field] if field in nested and field in row else row.get(field, value)
        yield in_order(row, FIELDS)


def _world(own: Fields) -> str:
    """The sections that a task lies in."""
    world = own.some_text("world")
    if not re.fullmatch(r"sections/[0-9]{1,18}", world):
        raise InputError("a world of sections: sections/SEED", shown(world), own.name("world"))
    return world


def _setting(own: Fields, collects: Sequence[Collect]) -> TaskSetup:
    """What lies around; the targets of both turns are the first of it."""
    setting = TaskSetup.from_json(own["setting"], own.name("setting"))
    for k, goal in enumerate(collects):
        if k >= len(setting.lying) or (setting.lying[k].item, setting.lying[k].at) != (goal.item, goal.at):
            got = f"{shown(setting.lying[k].item)} at {setting.lying[k].at}" if k < len(setting.lying) else "nothing"
            expected = f"the target of turn {k + 1}, {shown(goal.item)} at {goal.at}"
            raise InputError(expected, got, f"{own.name('setting')}.lying[{k}]")
    return setting


def _legs(row: Fields) -> tuple[tuple[Leg, ...], dict[str, Json]]:
    """The four legs, and what of the item they do not hold."""
    objects, paths, actions = row.object("gt_objects_pos"), row.object("gt_paths"), row.object("gt_actions")
    said = row.object("instructions")
    legs = []
    for k in range(2):
        collect = Collect(
            each(_position, *_turn(paths, "navi_path_gt", k), some=True),
            _item(*_turn(row, "gt_objects", k)),
            _position(*_turn(objects, "navi_obj_pos_gt", k)),
            _actions(*_turn(actions, "navi_action_gt", k), PICK, str(k)),
        )
        assemble = Assemble(
            _target(*_turn(objects, "assem_obj_pos_gt", k)),
            _cells(*_turn(paths, "assem_path_gt", k)),
            _actions(*_turn(actions, "assem_action_gt", k), PLACE, str(k)),
        )
        legs.append(Leg(some_text(*_turn(said, "navi_inst_gt", k)), collect))
        legs.append(Leg(some_text(*_turn(said, "assem_inst_gt", k)), assemble))
    extra = row.rest()
    walks = [_room_units(leg.goal.path) for leg in legs if isinstance(leg.goal, Assemble)]
    if walks != paths["assem_path_gt"]:
        paths.used.remove("assem_path_gt")
    if "gt_actionIDs" in row:
        ids = row.object("gt_actionIDs")
        for name, kind in (("navi_actionIDs_gt", Collect), ("assem_actionIDs_gt", Assemble)):
            if ids.value.get(name) == [_numbers(leg.goal.actions) for leg in legs if isinstance(leg.goal, kind)]:
                ids.used.add(name)
        extra.pop("gt_actionIDs")
        extra |= {"gt_actionIDs": ids.rest()} if ids.rest() else {}
    for name, nested in (("gt_objects_pos", objects), ("gt_paths", paths), ("gt_actions", actions)):
        extra |= {name: nested.rest()} if nested.rest() else {}
    extra |= {"instructions": said.rest()} if said.rest() else {}
    return tuple(legs), extra


def _turn(row: Fields, name: str, k: int) -> tuple[Json, str]:
    """What belongs to turn k of a list with one entry for each of two turns, and its name in messages."""
    return row.items(name, 2)[k], f"{row.name(name)}[{k}]"


def _item(value: Json, field: str) -> str:
    """The name of one of the 98 collectibles, as it is written."""
    name = some_text(value, field)
    try:
        item_named(name)
    except InputError as error:
        raise InputError(error.expected, error.got, field) from None
    return name


def _units(value: Json, field: str) -> tuple[float, float, float]:
    x, y, z = (number(v, f"{field}[{k}]", -FARTHEST, FARTHEST) for k, v in enumerate(items(value, field, 3)))
    return x, y, z


def _position(value: Json, field: str) -> Position:
    x, y, z = _units(value, field)
    return x, z, y


def _unity(position: Position) -> list[float]:
    east, north, up = position
    return [east, up, north]


def _target(value: Json, field: str) -> Cell:
    column, height, row = items(value, field, 3)
    return (
        whole(column, f"{field}[0]", 0, COLUMNS - 1),
        whole(height, f"{field}[1]", FLOOR, HIGHEST),
        whole(row, f"{field}[2]", 0, ROWS - 1),
    )


def _cells(value: Json, field: str) -> tuple[Cell, ...]:
    """A walk in units as cells, counted from its start."""
    walk = [_units(spot, f"{field}[{k}]") for k, spot in enumerate(items(value, field, some=True))]
    cells = []
    for k, spot in enumerate(walk):
        across, up, along = ((spot[axis] - walk[0][axis]) / STEP for axis in range(3))
        if max(abs(across - round(across)), abs(up), abs(along - round(along))) > 0.01:
            raise InputError(f"a spot whole steps of {STEP} from the first", shown(value[k]), f"{field}[{k}]")
        cells.append((DOOR[0] + round(across), DOOR[1], DOOR[2] + round(along)))
    return tuple(cells)


def _room_units(path: Sequence[Cell]) -> list[list[float]]:
    """Cells as the released files write them."""
    x, y, z = DOOR_UNITS
    return [[round(x + STEP * (c - DOOR[0]), 6), y, round(z + STEP * (r - DOOR[2]), 6)] for c, _, r in path]


def _actions(value: Json, field: str, last: str, turn: str) -> tuple[str, ...]:
    """Letters as words; a sequence ends with P and the number of its turn."""
    letters = each(text, value, field)
    if letters[-2:] != ("P", turn):
        raise InputError(f'actions that end with "P", "{turn}"', shown(list(letters[-2:])), field)
    for k, letter in enumerate(letters[:-2]):
        if letter not in LETTERS:
            raise InputError("one of f, l, r", shown(letter), f"{field}[{k}]")
    return (*(LETTERS[letter] for letter in letters[:-2]), last)


def _letters(actions: Sequence[str], last: str, turn: str) -> list[str]:
    letters = {word: letter for letter, word in LETTERS.items()}
    if actions[-1:] != (last,) or not set(actions[:-1]) <= set(letters):
        raise InputError(f"forward, left and right, and {last} at the end", shown(list(actions)), "actions")
    return [*(letters[action] for action in actions[:-1]), "P", turn]


def _numbers(actions: Sequence[str]) -> list[int]:
    return [NUMBERS[action] for action in actions]


def task_heading(collects: Sequence[Collect]) -> float | None:
    """The start heading of a task: the second walk goes on with the heading that the first ended with."""
    first, second = (start_heading(goal.path, goal.actions) for goal in collects)
    if first is not None or second is None:
        return first
    return (second - turned(collects[0].actions)) % 360.0


class _Facts:
    """Replays every leg: counts what fits, notes what does not."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.walks = self.moved = self.landed = self.rooms = self.before_cell = 0
        self.worst = 0.0

    def look_at(self, episode: Episode) -> None:
        heading = episode.start.look.heading
        for k, leg in enumerate(episode.legs):
            goal, turn = leg.goal, f"turn {k // 2 + 1}"
            if isinstance(goal, Collect):
                heading = self._walk(episode.id, turn, goal, heading)
            elif isinstance(goal, Assemble):
                self._room(episode.id, turn, goal)

    def _walk(self, name: str, turn: str, goal: Collect, heading: float) -> float:
        self.walks += 1
        path, end = replay(goal.path[0], heading, goal.actions)
        if "forward" in goal.actions:
            self.moved += 1
            off = max(map(dist, path, goal.path)) if len(path) == len(goal.path) else float("inf")
            self.worst = max(self.worst, off)
            self.landed += off < CLOSE
            if off >= CLOSE:
                self.dataset.note(name, f"{turn}: the actions do not lead along the path")
            elif not in_reach(goal.path[-1], end, goal.at):
                self.dataset.note(name, f"{turn}: the walk ends with its target out of reach")
        else:
            self.dataset.note(name, f"{turn}: the walk only turns, so its own heading cannot be inferred")
        return end

    def _room(self, name: str, turn: str, goal: Assemble) -> None:
        self.rooms += 1
        path, ahead = replay_room(goal.actions)
        fits = tuple(path) == goal.path and ahead is not None and (ahead[0], ahead[2]) == (goal.cell[0], goal.cell[2])
        self.before_cell += fits
        if not fits:
            self.dataset.note(name, f"{turn}: the assembly does not end one step before its cell")

    def lines(self) -> list[str]:
        return [
            f"{self.landed:,} of {self.moved:,} walks with a move, replayed, land on their paths"
            f" (largest deviation {self.worst:.5f} units; {self.walks - self.moved} walks only turn)",
            f"{self.before_cell:,} of {self.rooms:,} assemblies end one step before their cell",
        ]
