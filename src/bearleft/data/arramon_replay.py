"""Replays tasks of city/arramon in their world: what a reader of the file alone cannot see.

Walks must stay on free ground, end with their target within reach and nearest, and begin where the last one ended; ways
in the room must lead to the cell, and put the item as high as the file says. Texts must pass the checks of quality, and
a task must lie in a section of its split.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import dist

from bearleft.data.loaders.arramon import CLOSE
from bearleft.errors import InputError
from bearleft.language.analysis.quality import Phase, problems, turns_first
from bearleft.records import Assemble, Collect, Episode, Position
from bearleft.world.arramon.grounds import Ground, advance
from bearleft.world.arramon.moves import DOOR, FORWARD, LEFT, RIGHT, TURN, ahead, in_reach, inside
from bearleft.world.arramon.room_search import height_at
from bearleft.world.arramon.sections.world import Sections, open_sections
from bearleft.world.arramon.task_setup import HIGHEST, CityItem, RoomItem, TaskSetup

SECTIONS = {
    "train": range(1, 6),
    "val_seen": range(1, 6),
    "val_unseen": range(6, 7),
    "test_unseen": range(7, 8),
    "small": range(1, 8),
    "sample": range(1, 8),
}
# Metres between two things that lie around, at least: more than the 3.2 m across the rectangle within reach, so that
# two are never within reach at once, and the shortest walk to one is the same whatever lies elsewhere.
APART = 4.0

Fault = tuple[str, str]  # what was wanted, what came


def faults(episode: Episode) -> list[InputError]:
    """What is wrong with a task."""
    sections, setting = open_sections(episode.world), TaskSetup.of(episode)
    found = [InputError(expected, f"{got} in task {episode.id}") for expected, got in _lies(episode, setting, sections)]
    lying, standing = list(setting.lying), list(setting.standing)
    at, heading, carried = episode.start.position, episode.start.look.heading, ""
    for k, leg in enumerate(episode.legs):
        wrong: list[Fault] = []
        if isinstance(leg.goal, Collect):
            wrong += _said(leg.text, "navigation", turns_first(leg.goal.actions))
            moved, heading = _walked(leg.goal, at, heading, sections.ground)
            wrong += moved
            wrong += _picks(leg.goal, heading, lying)
            at, carried = leg.goal.path[-1], leg.goal.item
            lying = [one for one in lying if (one.item, one.at) != (leg.goal.item, leg.goal.at)]
        elif isinstance(leg.goal, Assemble):
            wrong += _said(leg.text, "assembly")
            wrong += _room(leg.goal, standing)
            standing.append(RoomItem(carried, leg.goal.cell))
        where = f"in turn {k // 2 + 1} of task {episode.id}"
        found += [InputError(expected, f"{got} {where}") for expected, got in wrong]
    return found


def _lies(episode: Episode, setting: TaskSetup, sections: Sections) -> Iterator[Fault]:
    """The task lies in its split's section, and so does what lies around, on free ground and apart."""
    split = episode.dataset.rpartition("/")[2]
    allowed = SECTIONS.get(split, range(1, len(sections.bounds) + 1))
    if setting.section not in allowed:
        yield f"a task of {split} in section {' or '.join(map(str, allowed))}", f"section {setting.section}"
    spots = [*((one.item, one.at) for one in setting.lying), ("the start", episode.start.position)]
    for name, at in spots:
        if at is None or sections.section_of(at[0], at[1]) != setting.section:
            yield f"{name} in section {setting.section}", f"{at}"
        elif not bool(sections.ground.free_at(at[0], at[1])):
            yield f"{name} on free ground", f"{at}"
    for k, one in enumerate(setting.lying):
        for other in setting.lying[:k]:
            if dist(one.at[:2], other.at[:2]) < APART:
                yield f"things at least {APART:g} m apart", f"{other.item} and {one.item} nearer"


def _said(text: str, phase: Phase, turns: bool = False) -> Iterator[Fault]:
    for problem in problems(text, phase, turns):
        yield f"a text for {phase} that passes the checks of quality", f"one that fails {problem.rule}"


def _walked(goal: Collect, at: Position | None, heading: float, ground: Ground) -> tuple[list[Fault], float]:
    """What is wrong with a walk, and the heading at its end."""
    found: list[Fault] = []
    if at is None or dist(at, goal.path[0]) > CLOSE:
        found.append(("a walk from where one stands", f"one from {goal.path[0]}"))
    x, y = goal.path[0][:2]
    path, blocked = [(x, y)], 0
    for action in goal.actions:
        if action in (LEFT, RIGHT):
            heading += TURN if action == RIGHT else -TURN
        elif action == FORWARD:
            to_x, to_y, moved = advance(ground, x, y, heading)
            x, y = float(to_x), float(to_y)
            blocked += not bool(moved)
            path.append((x, y))
    if blocked:
        found.append(("a walk on free ground", f"{blocked} moves into something"))
    elif len(path) != len(goal.path) or max(map(dist, path, [spot[:2] for spot in goal.path])) > CLOSE:
        found.append(("actions that lead along the path", "others"))
    return found, heading


def _picks(goal: Collect, heading: float, lying: Sequence[CityItem]) -> Iterator[Fault]:
    end = goal.path[-1]
    if not in_reach(end, heading, goal.at):
        yield f"a walk that ends with {goal.item} within reach", "one that does not"
        return
    near = min((one for one in lying if in_reach(end, heading, one.at)), key=lambda one: dist(end[:2], one.at[:2]))
    if (near.item, near.at) != (goal.item, goal.at):
        yield f"{goal.item} as what is nearest", near.item


def _room(goal: Assemble, standing: Sequence[RoomItem]) -> Iterator[Fault]:
    column, row, turns = DOOR[0], DOOR[2], 0
    taken = {(one.cell[0], one.cell[2]) for one in standing}
    path = [DOOR]
    for action in goal.actions:
        before = ahead(column, row, turns)
        if action in (LEFT, RIGHT):
            turns += 1 if action == RIGHT else -1
        elif action == FORWARD:
            if before is None or before in taken or not inside((before[0], 1, before[1])):
                yield "a way past what stands in the room", "one into something"
                return
            column, row = before
            path.append((column, DOOR[1], row))
    if tuple(path) != goal.path:
        yield "actions that lead along the path", "others"
    if ahead(column, row, turns) != (goal.cell[0], goal.cell[2]):
        yield f"a way that ends before the cell {list(goal.cell)}", "one that does not"
    height = height_at(standing, goal.cell[0], goal.cell[2])
    if goal.cell[1] != height or height > HIGHEST:
        yield f"a cell of height {height}, on top of what stands there", f"{list(goal.cell)}"
