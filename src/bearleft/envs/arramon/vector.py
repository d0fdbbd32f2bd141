"""Vectorized ArraMon: the rules of `collect.py` and `assemble.py` over arrays of players."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bearleft.envs.arramon.assemble import HORIZON as ASSEMBLE_HORIZON
from bearleft.envs.arramon.collect import DIGITS, POSITION_TOLERANCE
from bearleft.envs.arramon.collect import HORIZON as COLLECT_HORIZON
from bearleft.envs.arramon.tasks import LEGS, NOTHING, Floats, Ints, Tasks, common_world, task_arrays
from bearleft.envs.game import check_horizon
from bearleft.errors import InputError, format_value
from bearleft.records import Episode
from bearleft.runtime.compiled import inline_jit
from bearleft.runtime.json_fields import is_integer
from bearleft.world.arramon.astar import is_within_reach
from bearleft.world.arramon.moves import COLUMNS, DOOR, ROWS, TURN_DEGREES, TURNS_PER_CIRCLE
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT
from bearleft.world.arramon.walkable import can_step
from bearleft.world.arramon.walkable_grids import load_walkable_grid

Flags = npt.NDArray[np.bool_]
GridOrigin = tuple[float, float, float]  # west, south, side of a ground's cells
Rules = tuple[Ints, bool]  # horizons of collecting and assembling, and `retry_pick`
FORWARD, LEFT, RIGHT, INTERACT = range(4)  # INTERACT picks in the city and places in the room
PHASES = {"all": (0, LEGS), "collect": (0, 1), "assemble": (1, 1)}  # the first leg of a turn, how many are played


class State(NamedTuple):
    """State of all players."""

    episode: Ints
    leg: Ints
    steps: Ints  # actions taken in this leg
    position: Floats  # (players, 2) in the city
    heading: Floats  # in the city
    start_heading: Floats  # heading at the beginning of the walk
    moves: Ints  # moves of this walk
    in_city: Flags  # (players, max items) whether an item is still in the city
    room_items: Ints  # (players, columns, rows, height) items in the room
    stack_heights: Ints  # (players, columns, rows) numbers of items
    cell: Ints  # (players, 2) column and row
    rotations: Ints  # clockwise since the leg began, 30 degrees each
    carried: Ints
    is_target: Flags  # whether the carried item is the target
    ended: Flags


class Events(NamedTuple):
    """Events of one action of every player."""

    by_agent: Flags  # the leg ended by the player's own "pick" or "place"
    timed_out: Flags  # the leg ended at its horizon
    picked: Ints  # item that the player picked up, or NOTHING
    taken: Ints  # item carried from now on: `picked`, or else the nearest item, given to the player; or NOTHING
    placed: Ints  # (players, 3) cell, or -1
    correct: Flags  # the player picked up the target, or put it on its cell
    refused: Flags  # an impossible "place", or with `retry_pick` a "pick" with nothing within reach


@dataclass(frozen=True)
class ArraMonObservations:
    """Observations of all players; `phase` is 0 for collecting, 1 for assembling; `heading` is that in city or room."""

    episode: Ints
    leg: Ints
    position: Floats
    cell: Ints
    heading: Floats
    progress: Floats

    @property
    def phase(self) -> Ints:
        """The phase: 0 for collecting, 1 for assembling."""
        return self.leg % 2

    @property
    def turn_index(self) -> Ints:
        """The index of the turn, 0 or 1."""
        return self.leg // 2


class VectorArraMon:
    """Players in tasks of one world.

    `reset(episodes)` puts them at the starts; `step(actions)` moves them (0 forward, 1 left, 2 right, 3 pick or place)
    and returns the events. An impossible "place" changes nothing but counts as an action. A player that has ended stays
    where it is until it is reset. `phase` is "all", or "collect" or "assemble" for one leg of a turn.
    """

    def __init__(
        self,
        episodes: Sequence[Episode],
        players: int,
        phase: str = "all",
        collect_horizon: int = COLLECT_HORIZON,
        assemble_horizon: int = ASSEMBLE_HORIZON,
        retry_pick: bool = False,
    ) -> None:
        if not is_integer(players) or players < 1:
            raise InputError("at least one player", format_value(players))
        if phase not in PHASES:
            raise InputError(f"a phase: {', '.join(PHASES)}", format_value(phase), "phase")
        self.horizons = np.array([check_horizon(collect_horizon), check_horizon(assemble_horizon)], np.int32)
        self.episodes, self.phase, self.retry_pick = list(episodes), phase, bool(retry_pick)
        self.tasks: Tasks = task_arrays(self.episodes)
        self.world = common_world(episode.world for episode in self.episodes)
        self.ground = load_walkable_grid(self.world)
        self.state = _empty_state(players, self.tasks.items.shape[1])
        self._end_leg = np.zeros(players, np.int32)

    def __len__(self) -> int:
        return len(self.state.leg)

    def reset(self, episodes: npt.ArrayLike, mask: Flags | None = None, turn_indices: npt.ArrayLike = 0) -> None:
        """Put players (all, or those of a mask) at turns (index 0 or 1) of the episodes with these numbers."""
        players = np.arange(len(self)) if mask is None else np.flatnonzero(mask)
        chosen = _check_numbers(episodes, "episodes", len(players), len(self.episodes) - 1)
        turn_index = _check_numbers(turn_indices, "turn indices", len(players), 1)
        first, count = PHASES[self.phase]
        leg = first + 2 * turn_index
        tasks, state = self.tasks, self.state
        state.episode[players], state.leg[players], state.ended[players] = chosen, leg, False
        state.position[players], state.heading[players] = (
            tasks.starts[chosen, turn_index, :2],
            tasks.starts[chosen, turn_index, 2],
        )
        state.in_city[players] = np.arange(state.in_city.shape[1]) < tasks.item_counts[chosen][:, None]
        state.room_items[players], state.stack_heights[players], state.carried[players] = (
            tasks.room_items[chosen],
            tasks.stack_heights[chosen],
            NOTHING,
        )
        _follow(tasks, state, players)
        self._end_leg[players] = np.minimum(leg + count, LEGS)

    def step(self, actions: npt.ArrayLike, mask: Flags | None = None) -> Events:
        """Move the players (all, or those of a mask) that have not ended; return the events."""
        chosen = _check_numbers(actions, "actions", len(self), INTERACT, broadcast=False)
        events, ground = _no_events(len(self)), self.ground
        origin = ground.west, ground.south, ground.cell_size
        rules = self.horizons, self.retry_pick
        waiting = np.zeros(len(self), np.bool_) if mask is None else ~mask & ~self.state.ended
        self.state.ended[waiting] = True
        _step(self.tasks, self.state, rules, self._end_leg, origin, ground.free, chosen, events)
        self.state.ended[waiting] = False
        return events

    def observe(self) -> ArraMonObservations:
        """Return the observations of all players, without pictures."""
        state = self.state
        heading = np.where(state.leg % 2 == 0, state.heading, state.rotations * TURN_DEGREES)
        position = np.round(state.position, DIGITS)
        progress = state.steps / self.horizons[state.leg % 2]
        return ArraMonObservations(
            state.episode.copy(), state.leg.copy(), position, state.cell.copy(), heading, progress
        )


def _check_numbers(values: npt.ArrayLike, name: str, count: int, high: int, broadcast: bool = True) -> Ints:
    """Return `count` whole numbers from 0 to `high`; one number stands for all if `broadcast`."""
    try:
        numbers = np.asarray(values)
    except ValueError:  # lists of different lengths
        numbers = np.empty(0, object)
    fits = numbers.shape == (count,) or (broadcast and numbers.shape == ())
    if not fits or numbers.dtype.kind not in "iu" or (numbers.size and (numbers.min() < 0 or numbers.max() > high)):
        raise InputError(f"{count} {name} from 0 to {high}", format_value(values))
    return np.array(np.broadcast_to(numbers, count), np.int32)


def _empty_state(players: int, max_items: int) -> State:
    def zeros(*shape: int) -> Ints:
        return np.zeros((players, *shape), np.int32)

    return State(
        zeros(),
        zeros(),
        zeros(),
        np.zeros((players, 2)),
        np.zeros(players),
        np.zeros(players),
        zeros(),
        np.zeros((players, max_items), np.bool_),
        zeros(COLUMNS, ROWS, MAX_STACK_HEIGHT),
        zeros(COLUMNS, ROWS),
        zeros(2),
        zeros(),
        zeros(),
        np.zeros(players, np.bool_),
        np.ones(players, np.bool_),
    )


def _no_events(players: int) -> Events:
    def none() -> Flags:
        return np.zeros(players, np.bool_)

    def nothing() -> Ints:
        return np.full(players, NOTHING, np.int32)

    return Events(none(), none(), nothing(), nothing(), np.full((players, 3), -1, np.int32), none(), none())


@inline_jit
def _follow(tasks: Tasks, state: State, players: npt.NDArray[np.int64]) -> None:
    """Apply the references of the legs before the first one of each player, and begin that leg."""
    for j in range(len(players)):
        i = players[j]
        k = state.episode[i]
        for leg in range(state.leg[i]):
            turn_index = leg // 2
            if leg % 2 == 0:
                state.in_city[i, tasks.target_indices[k, turn_index]] = False
                state.carried[i], state.is_target[i] = tasks.targets[k, turn_index], True
            else:
                _put(
                    state,
                    i,
                    tasks.target_cells[k, turn_index, 0],
                    tasks.target_cells[k, turn_index, 1],
                    tasks.target_cells[k, turn_index, 2],
                )
        _begin_leg(state, i)


@inline_jit
def _begin_leg(state: State, i: int) -> None:
    """Begin a leg: at the door, or where the last walk ended."""
    state.steps[i], state.moves[i], state.rotations[i], state.start_heading[i] = 0, 0, 0, state.heading[i]
    state.cell[i, 0], state.cell[i, 1] = DOOR[0], DOOR[2]


@inline_jit
def _put(state: State, i: int, column: int, height: int, row: int) -> None:
    state.room_items[i, column, row, min(height, MAX_STACK_HEIGHT) - 1] = state.carried[i]
    state.stack_heights[i, column, row] += 1
    state.carried[i] = NOTHING


@inline_jit
def _step(
    tasks: Tasks,
    state: State,
    rules: Rules,
    end_leg: Ints,
    origin: GridOrigin,
    free: Flags,
    actions: Ints,
    events: Events,
) -> None:
    horizons, retry_pick = rules
    for i in range(len(actions)):
        if state.ended[i]:
            continue
        state.steps[i] += 1
        at_horizon = state.steps[i] >= horizons[state.leg[i] % 2]
        if actions[i] == LEFT:
            state.rotations[i] = (state.rotations[i] - 1) % TURNS_PER_CIRCLE
        elif actions[i] == RIGHT:
            state.rotations[i] = (state.rotations[i] + 1) % TURNS_PER_CIRCLE
        if state.leg[i] % 2 == 0:
            state.heading[i] = (state.start_heading[i] + TURN_DEGREES * state.rotations[i]) % 360.0
            if actions[i] == FORWARD:
                _walk(tasks, state, i, origin, free)
            leg_ended = _collect(tasks, state, i, actions[i], at_horizon, retry_pick, events)
        else:
            leg_ended = _assemble(tasks, state, i, actions[i], at_horizon, events)
        if leg_ended and state.leg[i] + 1 >= end_leg[i]:
            state.ended[i] = True
        elif leg_ended:
            state.leg[i] += 1
            _begin_leg(state, i)


@inline_jit
def _walk(tasks: Tasks, state: State, i: int, origin: GridOrigin, free: Flags) -> None:
    """Step in the city unless an obstacle is in the way; snap to the reference's position within the tolerance."""
    angle, x, y = math.radians(state.heading[i]), state.position[i, 0], state.position[i, 1]
    sine, cosine = math.sin(angle), math.cos(angle)
    if not can_step(origin[0], origin[1], origin[2], free, x, y, sine, cosine):
        return
    x, y = x + sine, y + cosine
    k, turn_index = state.episode[i], state.leg[i] // 2
    state.moves[i] += 1
    moves = state.moves[i]
    if moves < tasks.path_lengths[k, turn_index]:
        reference = tasks.paths[k, turn_index, moves]
        if math.hypot(x - reference[0], y - reference[1]) < POSITION_TOLERANCE:
            x, y = reference[0], reference[1]
    state.position[i, 0], state.position[i, 1] = x, y


@inline_jit
def _collect(
    tasks: Tasks, state: State, i: int, action: int, at_horizon: bool, retry_pick: bool, events: Events
) -> bool:
    """Pick an item up at INTERACT or at the horizon; return whether the leg is over."""
    if action != INTERACT and not at_horizon:
        return False
    k, turn_index = state.episode[i], state.leg[i] // 2
    picked = _item_to_pick(tasks, state, i) if action == INTERACT else -1
    by_agent = action == INTERACT and (picked >= 0 or not retry_pick)
    events.refused[i] = action == INTERACT and not by_agent
    if not by_agent and not at_horizon:
        return False
    events.by_agent[i], events.timed_out[i] = by_agent, not by_agent
    events.correct[i] = picked == tasks.target_indices[k, turn_index]
    if picked >= 0:
        events.picked[i] = tasks.items[k, picked]
    taken = picked if picked >= 0 else _nearest(tasks, state, i, False)
    state.in_city[i, taken] = False
    state.is_target[i] = taken == tasks.target_indices[k, turn_index]
    state.carried[i] = events.taken[i] = tasks.items[k, taken]
    return True


@inline_jit
def _item_to_pick(tasks: Tasks, state: State, i: int) -> int:
    """Return the index of the item that a player picks up, -1 for none."""
    k, turn_index = state.episode[i], state.leg[i] // 2
    if tasks.from_release[k] and state.in_city[i, tasks.target_indices[k, turn_index]]:
        end = tasks.paths[k, turn_index, tasks.path_lengths[k, turn_index] - 1]
        if math.hypot(state.position[i, 0] - end[0], state.position[i, 1] - end[1]) < POSITION_TOLERANCE:
            return int(tasks.target_indices[k, turn_index])
    return int(_nearest(tasks, state, i, True))


@inline_jit
def _nearest(tasks: Tasks, state: State, i: int, in_reach: bool) -> int:
    """Return the index of the nearest item, of all or of those within reach; -1 for none."""
    k, min_distance, nearest = state.episode[i], np.inf, -1
    angle, x, y = math.radians(state.heading[i]), state.position[i, 0], state.position[i, 1]
    sine, cosine = math.sin(angle), math.cos(angle)
    for j in range(tasks.item_counts[k]):
        if not state.in_city[i, j]:
            continue
        at_x, at_y = tasks.item_positions[k, j, 0], tasks.item_positions[k, j, 1]
        if in_reach and not is_within_reach(x, y, sine, cosine, at_x, at_y, 0.0):
            continue
        distance = math.hypot(at_x - x, at_y - y)
        if distance < min_distance:
            min_distance, nearest = distance, j
    return nearest


@inline_jit
def _assemble(tasks: Tasks, state: State, i: int, action: int, at_horizon: bool, events: Events) -> bool:
    """Apply one action in the room; return whether the leg is over."""
    k, turn_index = state.episode[i], state.leg[i] // 2
    column, row = _cell_ahead(state, i)
    if action == FORWARD and column >= 0 and (tasks.from_release[k] or state.stack_heights[i, column, row] == 0):
        state.cell[i, 0], state.cell[i, 1] = column, row
        column, row = _cell_ahead(state, i)
    can_place = column >= 0 and state.stack_heights[i, column, row] < MAX_STACK_HEIGHT
    by_agent = action == INTERACT and can_place
    events.refused[i] = action == INTERACT and not can_place
    if not by_agent and not at_horizon:
        return False
    if not can_place:
        column, row = _nearest_free_cell(state, i)
    height = state.stack_heights[i, column, row] + 1
    cell = tasks.target_cells[k, turn_index]
    on_target = cell[0] == column and cell[1] == height and cell[2] == row
    events.by_agent[i], events.timed_out[i] = by_agent, not by_agent
    events.correct[i] = by_agent and on_target and state.is_target[i]
    events.placed[i, 0], events.placed[i, 1], events.placed[i, 2] = column, height, row
    _put(state, i, column, height, row)
    return True


@inline_jit
def _cell_ahead(state: State, i: int) -> tuple[int, int]:
    """Return the column and row ahead; -1 outside the room or off the axes of the grid."""
    column, row, quarter = state.cell[i, 0], state.cell[i, 1], state.rotations[i] // 3
    if state.rotations[i] % 3:
        return -1, -1
    if quarter % 2 == 0:
        row += 1 - quarter
    else:
        column += 2 - quarter
    if column < 0 or column >= COLUMNS or row < 0 or row >= ROWS:
        return -1, -1
    return column, row


@inline_jit
def _nearest_free_cell(state: State, i: int) -> tuple[int, int]:
    """Return the nearest column and row with room on top, the player's own first."""
    min_distance, cell = 99, (DOOR[0], DOOR[2])
    for column in range(COLUMNS):
        for row in range(ROWS):
            distance = abs(column - state.cell[i, 0]) + abs(row - state.cell[i, 1])
            if state.stack_heights[i, column, row] < MAX_STACK_HEIGHT and distance < min_distance:
                min_distance, cell = distance, (column, row)
    return cell
