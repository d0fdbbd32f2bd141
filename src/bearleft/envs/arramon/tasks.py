"""ArraMon's tasks as padded arrays: what lies where, what stands in the room, what is asked for, where turns begin.

A leg's number is 0 to 3: Collect and Assemble of the first turn, then of the second. Who begins at a later leg finds
things as the references of the legs before leave them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bearleft.envs.arramon.state import TaskState
from bearleft.errors import InputError
from bearleft.records import Assemble, Collect, Direction, Episode
from bearleft.world.arramon.grounds import load_walkable_grid
from bearleft.world.arramon.items.names import item_by_name
from bearleft.world.arramon.moves import COLUMNS, ROWS, total_turn
from bearleft.world.arramon.task_setup import FACINGS, MAX_STACK_HEIGHT
from bearleft.world.worlds import world_kind

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
LEGS = 4
NOTHING, UNKNOWN_ITEM = -1, -2  # an item's number where there is none, where nobody knows it


class Tasks(NamedTuple):
    """Of every episode; items are numbers."""

    lying: Ints  # (episodes,) how many things lie around
    where: Floats  # (episodes, most, 2) where they lie
    item: Ints  # (episodes, most)
    template: Ints  # (episodes, most) what it looks like
    start: Floats  # (episodes, 2, 3) where each turn begins: x, y, heading; the second where the reference ends
    recorded: npt.NDArray[np.bool_]  # (episodes,) of a released file
    moves: Ints  # (episodes, 2) positions of the reference walks
    path: Floats  # (episodes, 2, most, 2) the reference walks
    target: Ints  # (episodes, 2) the item asked for
    found: Ints  # (episodes, 2) which of what lies around it is
    cell: Ints  # (episodes, 2, 3) where it belongs
    room: Ints  # (episodes, columns, rows, HIGHEST) what stands there from the floor up
    high: Ints  # (episodes, columns, rows) how many
    most: int  # things that may stand in a room


def check_task(episode: Episode) -> TaskState:
    """A task of ArraMon's as it begins, or an error that names it."""
    if [type(leg.goal) for leg in episode.legs] != [Collect, Assemble] * 2 or episode.start.position is None:
        raise InputError("episodes of Collect, Assemble, Collect, Assemble", f"{episode.id} of {episode.dataset}")
    try:
        return TaskState.from_episode(episode)
    except InputError as error:
        raise error.at(file=f"episode {episode.id}") from None


def common_world(worlds: Iterable[str]) -> str:
    """A world that stands for all of them: they must be one, or all of released files, which have the same ground."""
    names = sorted(set(worlds))
    for world in names:
        load_walkable_grid(world)  # an error for a world that is none
    if len(names) > 1 and not all(world_kind(world).recorded for world in names):
        raise InputError("episodes of one world", f"{len(names)} worlds", hint="Choose those of one world.")
    return names[0]


def tasks(episodes: Sequence[Episode]) -> Tasks:
    """EpisodeSampler as arrays."""
    if not episodes:
        raise InputError("at least one episode", "none")
    begun = [check_task(episode) for episode in episodes]
    count, most = len(episodes), max(len(one.lying) for one in begun)
    longest = max(map(_longest, episodes))
    made = Tasks(
        np.array([len(one.lying) for one in begun], np.int32),
        np.zeros((count, most, 2)),
        np.full((count, most), NOTHING, np.int32),
        np.zeros((count, most), np.int32),
        np.zeros((count, 2, 3)),
        np.array([one.recorded for one in begun], np.bool_),
        np.zeros((count, 2), np.int32),
        np.zeros((count, 2, longest, 2)),
        np.zeros((count, 2), np.int32),
        np.zeros((count, 2), np.int32),
        np.zeros((count, 2, 3), np.int32),
        np.full((count, COLUMNS, ROWS, MAX_STACK_HEIGHT), NOTHING, np.int32),
        np.zeros((count, COLUMNS, ROWS), np.int32),
        max(len(one.standing) for one in begun) + 2,
    )
    for k, (episode, task_state) in enumerate(zip(episodes, begun, strict=True)):
        _things(made, k, task_state)
        _legs(made, k, episode, task_state)
    return made


def _longest(episode: Episode) -> int:
    return max(len(leg.goal.path) for leg in episode.legs if isinstance(leg.goal, Collect))


def _things(made: Tasks, k: int, begun: TaskState) -> None:
    for j, lying in enumerate(begun.lying):
        number = item_by_name(lying.item).number
        made.where[k, j], made.item[k, j] = lying.at[:2], number
        made.template[k, j] = number * FACINGS + lying.facing
    for standing in begun.standing:
        column, height, row = standing.cell
        made.room[k, column, row, height - 1] = item_by_name(standing.item).number
    for (column, row), height in begun.below.items():
        made.room[k, column, row, :height] = UNKNOWN_ITEM
    made.high[k] = (made.room[k] != NOTHING).sum(axis=-1)


def _legs(made: Tasks, k: int, episode: Episode, begun: TaskState) -> None:
    heading = episode.start.look.heading
    for turn in range(2):
        collect, assemble = episode.legs[2 * turn].goal, episode.legs[2 * turn + 1].goal
        assert isinstance(collect, Collect) and isinstance(assemble, Assemble)
        begins = collect.path[0] if turn else episode.start.position or collect.path[0]
        made.start[k, turn] = (*begins[:2], heading)
        made.target[k, turn], made.cell[k, turn] = item_by_name(collect.item).number, assemble.cell
        made.found[k, turn] = begun.lying.index(begun.target_of(collect))
        made.moves[k, turn] = len(collect.path)
        made.path[k, turn, : len(collect.path)] = np.array(collect.path)[:, :2]
        heading = Direction(heading + total_turn(collect.actions)).heading
