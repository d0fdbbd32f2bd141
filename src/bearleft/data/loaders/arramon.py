"""Loader and writer for ArraMon: Collect, Assemble, Collect, Assemble.

Units are metres; Unity's (x, y, z) is (east, up, north).

The files hold no headings. Headings lie on a grid of 30 degrees whose offset follows from the first move of a task: the
start heading is that move's, less the turns before it. Walks in the room become cells (column, height, row): they start
at column 2, row 0, looking along the rows, and a step is 1.5 units. Cells on the floor have height 1.

Files of generated sections (city/arramon) have one more field, `bearleft`, with the world and the setup of the task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import atan2, degrees, dist

from bearleft.data.dataset import Dataset, check_writable, integer_id, order_fields, unsupported_episode
from bearleft.errors import InputError, format_value
from bearleft.records import Assemble, Cell, Collect, Direction, Episode, Leg, Pose, Position
from bearleft.runtime.json_fields import Fields, Json, integer, items, nonempty_text, number, parse_list, text
from bearleft.world.arramon.items.names import item_by_name
from bearleft.world.arramon.moves import (
    COLUMNS,
    DOOR,
    FLOOR,
    GRID_HEADING,
    PICK,
    PLACE,
    ROOM_CELL_SIZE,
    ROWS,
    TURN_DEGREES,
    is_in_reach,
    replay,
    replay_room,
    total_rotation,
)
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT, TaskSetup
from bearleft.world.worlds import is_world_of

DOOR_POSITION = (239.656616, -487.623871, -199.363037)  # start of all walks in the released room
TOLERANCE = 1e-3
MAX_COORDINATE = 1e6  # units; the cities are some hundred across
ACTION_LETTERS = {"f": "forward", "l": "left", "r": "right"}
ACTION_IDS = {"forward": 0, "left": 1, "right": 2, PICK: 3, PLACE: 3}
OWN_FIELD = "bearleft"  # the field of generated files: world, setting, phenomena, landmarks
FIELDS = ("gt_objects_pos", "gt_paths", "gt_objects", "mapId", "gt_actions", "gt_actionIDs", "instructions", OWN_FIELD)


def start_heading(path: Sequence[Position], actions: Sequence[str]) -> float | None:
    """Return the initial heading of a leg, from its first move and the turns before it; None without a move."""
    if "forward" not in actions or len(path) < 2:
        return None
    turns_before = actions[: actions.index("forward")]
    heading = degrees(atan2(path[1][0] - path[0][0], path[1][1] - path[0][1])) - total_rotation(turns_before)
    on_grid = GRID_HEADING + TURN_DEGREES * round((heading - GRID_HEADING) / TURN_DEGREES)
    # A move of one unit is recorded to about 1e-5, so a heading further off the grid is that of another city.
    return (on_grid if abs(on_grid - heading) < 0.1 else heading) % 360.0


def read(dataset: Dataset, generated: bool = False) -> Iterator[Episode]:
    """Yield one episode of four legs per task; with `generated` each item holds its generated world and setup."""
    statistics = _ReplayStatistics(dataset)

    def episodes(row: Fields) -> Iterator[Episode]:
        name = str(row.integer("mapId"))
        own_fields = row.object(OWN_FIELD) if generated else None
        legs, extra = _legs(row)
        collects = [leg.goal for leg in legs if isinstance(leg.goal, Collect)]
        world = f"arramon/{name}"
        if own_fields is not None:
            world = _world(own_fields)
            extra |= {"setting": _task_setup(own_fields, collects).to_json()}
            extra |= {OWN_FIELD: own_fields.unread()} if own_fields.unread() else {}
        heading = task_heading(collects)
        if heading is None:
            dataset.note(name, "no move in the whole task: its start heading is unknown and taken from the grid")
            heading = GRID_HEADING
        start = Pose(Direction(heading), position=collects[0].path[0])
        episode = Episode(name, dataset.name, world, start, legs, extra)
        statistics.add(episode)
        yield episode

    yield from dataset.read_items(episodes)
    dataset.facts.extend(statistics.sentences())


def rows(episodes: Iterable[Episode], generated: bool = False) -> Iterator[Json]:
    """Yield items of two turns each; with `generated` they hold their world and setup."""
    for episode in episodes:
        collects = [leg.goal for leg in episode.legs if isinstance(leg.goal, Collect)]
        assembles = [leg.goal for leg in episode.legs if isinstance(leg.goal, Assemble)]
        if [type(leg.goal) for leg in episode.legs] != [Collect, Assemble] * 2:
            raise unsupported_episode(episode, "episodes of Collect, Assemble, Collect, Assemble")
        picks = [_letters(goal.actions, PICK, str(k)) for k, goal in enumerate(collects)]
        places = [_letters(goal.actions, PLACE, str(k)) for k, goal in enumerate(assembles)]
        # The heading is not written, so it must equal the one that the loader infers.
        heading = task_heading(collects)
        start = Pose(Direction(GRID_HEADING if heading is None else heading), position=collects[0].path[0])
        extra = dict(episode.extra)
        if generated:
            setup = _task_setup(Fields({"setting": extra.pop("setting", None)}), collects)
            own_fields = {"world": episode.world, "setting": setup.to_json()}
            extra[OWN_FIELD] = own_fields | Fields(extra.get(OWN_FIELD, {}), OWN_FIELD).value
        check_writable(
            episode, _world(Fields(extra[OWN_FIELD], OWN_FIELD)) if generated else f"arramon/{episode.id}", start
        )
        walks: Json = [_room_units(goal.path) for goal in assembles]
        nested = {name: value for name, value in extra.items() if isinstance(value, dict)}
        raw_paths = nested.get("gt_paths", {}).get("assem_path_gt")
        cells = [_cells(walk, "assem_path_gt") for walk in raw_paths] if isinstance(raw_paths, list) else None
        if cells == [goal.path for goal in assembles]:
            walks = raw_paths
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
            "mapId": integer_id(episode.id, "ArraMon's mapId"),
            "gt_actions": {"navi_action_gt": picks, "assem_action_gt": places},
            # Ids that contradict the letters are in `extra`.
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
        yield order_fields(row, FIELDS)


def _world(own_fields: Fields) -> str:
    """Return the sections that a task lies in."""
    world = own_fields.nonempty_text("world")
    if not is_world_of("sections", world):
        raise InputError("generated sections: sections/SEED", format_value(world), own_fields.name("world"))
    return world


def _task_setup(own_fields: Fields, collects: Sequence[Collect]) -> TaskSetup:
    """Return the setup of a task after checking that its first items are the targets of both turns."""
    setup = TaskSetup.from_json(own_fields["setting"], own_fields.name("setting"))
    for k, goal in enumerate(collects):
        if k >= len(setup.city_items) or (setup.city_items[k].item, setup.city_items[k].at) != (goal.item, goal.at):
            got = (
                f"{format_value(setup.city_items[k].item)} at {setup.city_items[k].at}"
                if k < len(setup.city_items)
                else "nothing"
            )
            expected = f"the target of turn {k + 1}, {format_value(goal.item)} at {goal.at}"
            raise InputError(expected, got, f"{own_fields.name('setting')}.lying[{k}]")
    return setup


def _legs(row: Fields) -> tuple[tuple[Leg, ...], dict[str, Json]]:
    """Return the four legs, and the remaining fields of the item."""
    objects, paths, actions = row.object("gt_objects_pos"), row.object("gt_paths"), row.object("gt_actions")
    instructions = row.object("instructions")
    legs = []
    for k in range(2):
        collect = Collect(
            parse_list(_position, *_turn(paths, "navi_path_gt", k), nonempty=True),
            _item(*_turn(row, "gt_objects", k)),
            _position(*_turn(objects, "navi_obj_pos_gt", k)),
            _actions(*_turn(actions, "navi_action_gt", k), PICK, str(k)),
        )
        assemble = Assemble(
            _target(*_turn(objects, "assem_obj_pos_gt", k)),
            _cells(*_turn(paths, "assem_path_gt", k)),
            _actions(*_turn(actions, "assem_action_gt", k), PLACE, str(k)),
        )
        legs.append(Leg(nonempty_text(*_turn(instructions, "navi_inst_gt", k)), collect))
        legs.append(Leg(nonempty_text(*_turn(instructions, "assem_inst_gt", k)), assemble))
    extra = row.unread()
    walks = [_room_units(leg.goal.path) for leg in legs if isinstance(leg.goal, Assemble)]
    if walks != paths["assem_path_gt"]:
        paths.used.remove("assem_path_gt")
    if "gt_actionIDs" in row:
        ids = row.object("gt_actionIDs")
        for name, kind in (("navi_actionIDs_gt", Collect), ("assem_actionIDs_gt", Assemble)):
            if ids.value.get(name) == [_numbers(leg.goal.actions) for leg in legs if isinstance(leg.goal, kind)]:
                ids.used.add(name)
        extra.pop("gt_actionIDs")
        extra |= {"gt_actionIDs": ids.unread()} if ids.unread() else {}
    for name, nested in (("gt_objects_pos", objects), ("gt_paths", paths), ("gt_actions", actions)):
        extra |= {name: nested.unread()} if nested.unread() else {}
    extra |= {"instructions": instructions.unread()} if instructions.unread() else {}
    return tuple(legs), extra


def _turn(row: Fields, name: str, k: int) -> tuple[Json, str]:
    """Return the entry of turn k of a list with two entries, and its name for error messages."""
    return row.items(name, 2)[k], f"{row.name(name)}[{k}]"


def _item(value: Json, field: str) -> str:
    """Return the name of one of the 98 collectibles, unchanged."""
    name = nonempty_text(value, field)
    try:
        item_by_name(name)
    except InputError as error:
        raise InputError(error.expected, error.got, field) from None
    return name


def _units(value: Json, field: str) -> tuple[float, float, float]:
    x, y, z = (
        number(coordinate, f"{field}[{k}]", -MAX_COORDINATE, MAX_COORDINATE)
        for k, coordinate in enumerate(items(value, field, 3))
    )
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
        integer(column, f"{field}[0]", 0, COLUMNS - 1),
        integer(height, f"{field}[1]", FLOOR, MAX_STACK_HEIGHT),
        integer(row, f"{field}[2]", 0, ROWS - 1),
    )


def _cells(value: Json, field: str) -> tuple[Cell, ...]:
    """Return a walk in units as cells, counted from its start."""
    walk = [_units(position, f"{field}[{k}]") for k, position in enumerate(items(value, field, nonempty=True))]
    cells = []
    for k, position in enumerate(walk):
        across, up, along = ((position[axis] - walk[0][axis]) / ROOM_CELL_SIZE for axis in range(3))
        if max(abs(across - round(across)), abs(up), abs(along - round(along))) > 0.01:
            raise InputError(
                f"a position whole steps of {ROOM_CELL_SIZE} from the first", format_value(value[k]), f"{field}[{k}]"
            )
        cells.append((DOOR[0] + round(across), DOOR[1], DOOR[2] + round(along)))
    return tuple(cells)


def _room_units(path: Sequence[Cell]) -> list[list[float]]:
    """Return cells as the positions of the released files."""
    x, y, z = DOOR_POSITION
    return [
        [round(x + ROOM_CELL_SIZE * (c - DOOR[0]), 6), y, round(z + ROOM_CELL_SIZE * (r - DOOR[2]), 6)]
        for c, _, r in path
    ]


def _actions(value: Json, field: str, last: str, turn: str) -> tuple[str, ...]:
    """Return letters as words; a sequence ends with P and the number of its turn."""
    letters = parse_list(text, value, field)
    if letters[-2:] != ("P", turn):
        raise InputError(f'actions that end with "P", "{turn}"', format_value(list(letters[-2:])), field)
    for k, letter in enumerate(letters[:-2]):
        if letter not in ACTION_LETTERS:
            raise InputError("one of f, l, r", format_value(letter), f"{field}[{k}]")
    return (*(ACTION_LETTERS[letter] for letter in letters[:-2]), last)


def _letters(actions: Sequence[str], last: str, turn: str) -> list[str]:
    letters = {word: letter for letter, word in ACTION_LETTERS.items()}
    if actions[-1:] != (last,) or not set(actions[:-1]) <= set(letters):
        raise InputError(f"forward, left and right, and {last} at the end", format_value(list(actions)), "actions")
    return [*(letters[action] for action in actions[:-1]), "P", turn]


def _numbers(actions: Sequence[str]) -> list[int]:
    return [ACTION_IDS[action] for action in actions]


def task_heading(collects: Sequence[Collect]) -> float | None:
    """Return the start heading of a task; the second walk continues with the final heading of the first."""
    first, second = (start_heading(goal.path, goal.actions) for goal in collects)
    if first is not None or second is None:
        return first
    return (second - total_rotation(collects[0].actions)) % 360.0


class _ReplayStatistics:
    """Counts of the legs whose replay matches their path; mismatches are noted."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.walks = self.walks_with_moves = self.matching_walks = self.rooms = self.matching_rooms = 0
        self.max_deviation = 0.0

    def add(self, episode: Episode) -> None:
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
            self.walks_with_moves += 1
            deviation = max(map(dist, path, goal.path)) if len(path) == len(goal.path) else float("inf")
            self.max_deviation = max(self.max_deviation, deviation)
            self.matching_walks += deviation < TOLERANCE
            if deviation >= TOLERANCE:
                self.dataset.note(name, f"{turn}: the actions do not lead along the path")
            elif not is_in_reach(goal.path[-1], end, goal.at):
                self.dataset.note(name, f"{turn}: the walk ends with its target out of reach")
        else:
            self.dataset.note(name, f"{turn}: the walk only turns, so its heading cannot be inferred")
        return end

    def _room(self, name: str, turn: str, goal: Assemble) -> None:
        self.rooms += 1
        path, ahead = replay_room(goal.actions)
        fits = tuple(path) == goal.path and ahead is not None and (ahead[0], ahead[2]) == (goal.cell[0], goal.cell[2])
        self.matching_rooms += fits
        if not fits:
            self.dataset.note(name, f"{turn}: the assembly does not end one step before its cell")

    def sentences(self) -> list[str]:
        return [
            f"{self.matching_walks:,} of {self.walks_with_moves:,} walks with a move, replayed, land on their paths"
            f" (largest deviation {self.max_deviation:.5f} units;"
            f" {self.walks - self.walks_with_moves} walks only turn)",
            f"{self.matching_rooms:,} of {self.rooms:,} assemblies end one step before their cell",
        ]
