"""Validation of city/arramon tasks by replaying them in their world.

Walks must stay on free ground, end with their target as the nearest item within reach, and begin where the previous
one ended; paths in the room must lead to the cell, and the item must land at the given height. Texts must pass the
quality checks, and a task must lie in a section of its split.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import dist

from bearleft.data.loaders.arramon import TOLERANCE
from bearleft.errors import InputError
from bearleft.language.analysis.quality import Phase, begins_with_turn, find_problems
from bearleft.records import Assemble, Collect, Episode, Position
from bearleft.world.arramon.moves import (
    DOOR,
    FORWARD,
    LEFT,
    RIGHT,
    TURN_DEGREES,
    cell_ahead,
    is_in_reach,
    is_inside_room,
)
from bearleft.world.arramon.room_search import stack_height
from bearleft.world.arramon.sections.world import Sections, open_sections
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT, CityItem, RoomItem, TaskSetup
from bearleft.world.arramon.walkable import WalkableGrid, step_forward

SECTIONS_OF_SPLIT = {
    "train": range(1, 6),
    "val_seen": range(1, 6),
    "val_unseen": range(6, 7),
    "test_unseen": range(7, 8),
    "small": range(1, 8),
    "sample": range(1, 8),
}
# Metres between two items: more than the 3.2 m across the rectangle within reach, so that never two items are within
# reach at once, and the shortest walk to one does not depend on the others.
MIN_ITEM_DISTANCE = 4.0

Fault = tuple[str, str]  # expected, got


def replay_errors(episode: Episode) -> list[InputError]:
    """Return the errors of a task."""
    sections, setup = open_sections(episode.world), TaskSetup.from_episode(episode)
    errors = [
        InputError(expected, f"{got} in task {episode.id}") for expected, got in _setup_faults(episode, setup, sections)
    ]
    city_items, room_items = list(setup.city_items), list(setup.room_items)
    position, heading, carried = episode.start.position, episode.start.look.heading, ""
    for k, leg in enumerate(episode.legs):
        faults: list[Fault] = []
        if isinstance(leg.goal, Collect):
            faults += _text_faults(leg.text, "navigation", begins_with_turn(leg.goal.actions))
            walk_faults, heading = _walk_faults(leg.goal, position, heading, sections.walkable)
            faults += walk_faults
            faults += _pickup_faults(leg.goal, heading, city_items)
            position, carried = leg.goal.path[-1], leg.goal.item
            city_items = [item for item in city_items if (item.item, item.at) != (leg.goal.item, leg.goal.at)]
        elif isinstance(leg.goal, Assemble):
            faults += _text_faults(leg.text, "assembly")
            faults += _room_faults(leg.goal, room_items)
            room_items.append(RoomItem(carried, leg.goal.cell))
        where = f"in turn {k // 2 + 1} of task {episode.id}"
        errors += [InputError(expected, f"{got} {where}") for expected, got in faults]
    return errors


def _setup_faults(episode: Episode, setup: TaskSetup, sections: Sections) -> Iterator[Fault]:
    """Check that the task and its items lie in a section of the split, on free ground and apart."""
    split = episode.dataset.rpartition("/")[2]
    allowed = SECTIONS_OF_SPLIT.get(split, range(1, len(sections.bounds) + 1))
    if setup.section not in allowed:
        yield f"a task of {split} in section {' or '.join(map(str, allowed))}", f"section {setup.section}"
    positions = [*((item.item, item.at) for item in setup.city_items), ("the start", episode.start.position)]
    for name, position in positions:
        if position is None or sections.section_of(position[0], position[1]) != setup.section:
            yield f"{name} in section {setup.section}", f"{position}"
        elif not bool(sections.walkable.free_at(position[0], position[1])):
            yield f"{name} on free ground", f"{position}"
    for k, item in enumerate(setup.city_items):
        for other in setup.city_items[:k]:
            if dist(item.at[:2], other.at[:2]) < MIN_ITEM_DISTANCE:
                yield f"items at least {MIN_ITEM_DISTANCE:g} m apart", f"{other.item} and {item.item} closer"


def _text_faults(text: str, phase: Phase, begins_with_turn: bool = False) -> Iterator[Fault]:
    for problem in find_problems(text, phase, begins_with_turn):
        yield f"a text for {phase} that passes the quality checks", f"a text that fails {problem.rule}"


def _walk_faults(
    goal: Collect, position: Position | None, heading: float, ground: WalkableGrid
) -> tuple[list[Fault], float]:
    """Return the faults of a walk, and the heading at its end."""
    faults: list[Fault] = []
    if position is None or dist(position, goal.path[0]) > TOLERANCE:
        faults.append(("a walk from the current position", f"a walk from {goal.path[0]}"))
    x, y = goal.path[0][:2]
    path, blocked = [(x, y)], 0
    for action in goal.actions:
        if action in (LEFT, RIGHT):
            heading += TURN_DEGREES if action == RIGHT else -TURN_DEGREES
        elif action == FORWARD:
            to_x, to_y, moved = step_forward(ground, x, y, heading)
            x, y = float(to_x), float(to_y)
            blocked += not bool(moved)
            path.append((x, y))
    if blocked:
        faults.append(("a walk on free ground", f"{blocked} blocked moves"))
    elif len(path) != len(goal.path) or max(map(dist, path, [spot[:2] for spot in goal.path])) > TOLERANCE:
        faults.append(("actions that follow the path", "actions that do not"))
    return faults, heading


def _pickup_faults(goal: Collect, heading: float, city_items: Sequence[CityItem]) -> Iterator[Fault]:
    """Check that the target is within reach at the end of a walk, and the nearest item."""
    end = goal.path[-1]
    if not is_in_reach(end, heading, goal.at):
        yield f"a walk that ends with {goal.item} within reach", "a walk that does not"
        return
    nearest = min(
        (item for item in city_items if is_in_reach(end, heading, item.at)), key=lambda item: dist(end[:2], item.at[:2])
    )
    if (nearest.item, nearest.at) != (goal.item, goal.at):
        yield f"{goal.item} as the nearest item", nearest.item


def _room_faults(goal: Assemble, room_items: Sequence[RoomItem]) -> Iterator[Fault]:
    """Check that the actions in the room lead to the cell, and that the item lands at its height."""
    column, row, turns = DOOR[0], DOOR[2], 0
    occupied = {(item.cell[0], item.cell[2]) for item in room_items}
    path = [DOOR]
    for action in goal.actions:
        next_cell = cell_ahead(column, row, turns)
        if action in (LEFT, RIGHT):
            turns += 1 if action == RIGHT else -1
        elif action == FORWARD:
            if next_cell is None or next_cell in occupied or not is_inside_room((next_cell[0], 1, next_cell[1])):
                yield "a path around the items of the room", "a blocked path"
                return
            column, row = next_cell
            path.append((column, DOOR[1], row))
    if tuple(path) != goal.path:
        yield "actions that follow the path", "actions that do not"
    if cell_ahead(column, row, turns) != (goal.cell[0], goal.cell[2]):
        yield f"a path that ends in front of the cell {list(goal.cell)}", "a path that does not"
    height = stack_height(room_items, goal.cell[0], goal.cell[2])
    if goal.cell[1] != height or height > MAX_STACK_HEIGHT:
        yield f"a cell of height {height}, on top of the stack there", f"{list(goal.cell)}"
