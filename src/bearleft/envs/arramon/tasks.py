"""ArraMon tasks as padded arrays, for vector environments.

Legs are numbered 0 to 3: Collect and Assemble of the first turn, then of the second. An agent that begins at a later
leg finds the items as the references of the earlier legs leave them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bearleft.envs.arramon.state import TaskState
from bearleft.errors import InputError
from bearleft.records import Assemble, Collect, Direction, Episode
from bearleft.world.arramon.items.names import item_by_name
from bearleft.world.arramon.moves import COLUMNS, ROWS, total_rotation
from bearleft.world.arramon.task_setup import FACINGS, MAX_STACK_HEIGHT
from bearleft.world.arramon.walkable_grids import load_walkable_grid
from bearleft.world.worlds import world_kind

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
LEGS = 4
NOTHING, UNKNOWN_ITEM = -1, -2  # in arrays of item numbers


class Tasks(NamedTuple):
    """Arrays over episodes; items are numbers."""

    item_counts: Ints  # (episodes,) items in the city
    item_positions: Floats  # (episodes, max items, 2) in the city
    items: Ints  # (episodes, max items)
    model_indices: Ints  # (episodes, max items) index of each item's model, which depends on its facing
    starts: Floats  # (episodes, 2, 3) start of each turn: x, y, heading; the second is the end of the reference
    from_release: npt.NDArray[np.bool_]  # (episodes,) whether the task is from a released file
    path_lengths: Ints  # (episodes, 2) positions of the reference walks
    paths: Floats  # (episodes, 2, max length, 2) the reference walks
    targets: Ints  # (episodes, 2) the target item
    target_indices: Ints  # (episodes, 2) index of the target among the items in the city
    target_cells: Ints  # (episodes, 2, 3)
    room_items: Ints  # (episodes, columns, rows, height) items in the room from the floor up
    stack_heights: Ints  # (episodes, columns, rows) numbers of items
    max_room_items: int


def check_task(episode: Episode) -> TaskState:
    """Return the state at the beginning of an episode; raise InputError if it is not a playable ArraMon task."""
    if [type(leg.goal) for leg in episode.legs] != [Collect, Assemble] * 2 or episode.start.position is None:
        raise InputError("episodes of Collect, Assemble, Collect, Assemble", f"{episode.id} of {episode.dataset}")
    try:
        return TaskState.from_episode(episode)
    except InputError as error:
        raise error.at(file=f"episode {episode.id}") from None


def common_world(worlds: Iterable[str]) -> str:
    """Return one world whose ground all episodes share.

    If all names are equal, it is that world. If all worlds belong to released files, whose ground is open, it is the
    first of them by name. Otherwise raise InputError.
    """
    names = sorted(set(worlds))
    for world in names:
        load_walkable_grid(world)  # raises InputError for an unknown world
    if len(names) > 1 and not all(world_kind(world).from_release for world in names):
        raise InputError("episodes of one world", f"{len(names)} worlds", hint="Choose those of one world.")
    return names[0]


def task_arrays(episodes: Sequence[Episode]) -> Tasks:
    """Return episodes as arrays."""
    if not episodes:
        raise InputError("at least one episode", "none")
    states = [check_task(episode) for episode in episodes]
    count, max_items = len(episodes), max(len(state.city_items) for state in states)
    longest = max(map(_longest_walk, episodes))
    tasks = Tasks(
        np.array([len(state.city_items) for state in states], np.int32),
        np.zeros((count, max_items, 2)),
        np.full((count, max_items), NOTHING, np.int32),
        np.zeros((count, max_items), np.int32),
        np.zeros((count, 2, 3)),
        np.array([state.from_release for state in states], np.bool_),
        np.zeros((count, 2), np.int32),
        np.zeros((count, 2, longest, 2)),
        np.zeros((count, 2), np.int32),
        np.zeros((count, 2), np.int32),
        np.zeros((count, 2, 3), np.int32),
        np.full((count, COLUMNS, ROWS, MAX_STACK_HEIGHT), NOTHING, np.int32),
        np.zeros((count, COLUMNS, ROWS), np.int32),
        max(len(state.room_items) for state in states) + 2,
    )
    for k, (episode, state) in enumerate(zip(episodes, states, strict=True)):
        _fill_items(tasks, k, state)
        _fill_legs(tasks, k, episode, state)
    return tasks


def _longest_walk(episode: Episode) -> int:
    return max(len(leg.goal.path) for leg in episode.legs if isinstance(leg.goal, Collect))


def _fill_items(tasks: Tasks, k: int, state: TaskState) -> None:
    for j, city_item in enumerate(state.city_items):
        number = item_by_name(city_item.item).index
        tasks.item_positions[k, j], tasks.items[k, j] = city_item.at[:2], number
        tasks.model_indices[k, j] = number * FACINGS + city_item.facing
    for room_item in state.room_items:
        column, height, row = room_item.cell
        tasks.room_items[k, column, row, height - 1] = item_by_name(room_item.item).index
    for (column, row), height in state.support_heights.items():
        tasks.room_items[k, column, row, :height] = UNKNOWN_ITEM
    tasks.stack_heights[k] = (tasks.room_items[k] != NOTHING).sum(axis=-1)


def _fill_legs(tasks: Tasks, k: int, episode: Episode, state: TaskState) -> None:
    heading = episode.start.look.heading
    for turn_index in range(2):
        collect, assemble = episode.legs[2 * turn_index].goal, episode.legs[2 * turn_index + 1].goal
        assert isinstance(collect, Collect) and isinstance(assemble, Assemble)
        start = collect.path[0] if turn_index else episode.start.position or collect.path[0]
        tasks.starts[k, turn_index] = (*start[:2], heading)
        tasks.targets[k, turn_index], tasks.target_cells[k, turn_index] = (
            item_by_name(collect.item).index,
            assemble.cell,
        )
        tasks.target_indices[k, turn_index] = state.city_items.index(state.target_of(collect))
        tasks.path_lengths[k, turn_index] = len(collect.path)
        tasks.paths[k, turn_index, : len(collect.path)] = np.array(collect.path)[:, :2]
        heading = Direction(heading + total_rotation(collect.actions)).heading
