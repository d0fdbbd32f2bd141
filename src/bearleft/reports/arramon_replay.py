"""Replay of ArraMon traces: the state after every action, and the items in the city and the room at that time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import atan2, degrees, dist

from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import CollectGame
from bearleft.envs.arramon.state import TaskState
from bearleft.errors import InputError
from bearleft.metrics.assembly import PAPER, cell_distances, item_distances
from bearleft.metrics.trace_columns import is_unplayed
from bearleft.metrics.trace_values import placed_by_agent
from bearleft.records import (
    REFUSED,
    Assemble,
    Cell,
    Collect,
    Direction,
    Episode,
    Goal,
    Leg,
    LegTrace,
    Pose,
    Position,
    Trace,
)
from bearleft.world.arramon.moves import PICK, PLACE, total_rotation
from bearleft.world.arramon.task_setup import CityItem, RoomItem
from bearleft.world.arramon.walkable import UNOBSTRUCTED, WalkableGrid
from bearleft.world.arramon.walkable_grids import load_walkable_grid

XY = tuple[float, float]
State = tuple[XY, float]  # metres east and north, or column and row in the room; and the heading
PATH_TOLERANCE = 0.01  # metres: rounding in files


@dataclass(frozen=True)
class ReplayedLeg:
    """A replayed leg: its states at the start and after each action, and the items around as it began.

    `carried` is the item picked in the city (or assigned where none was picked), placed onto `cell` in the room.
    """

    leg: int
    inside: bool
    states: list[State]
    city_items: tuple[CityItem, ...]
    room_items: tuple[RoomItem, ...]
    carried: str | None = None
    picked_item: CityItem | None = None
    cell: Cell | None = None


def replay(episode: Episode, trace: Trace) -> Iterator[ReplayedLeg]:
    """Yield the legs of a trace that collect and assemble, in order; nothing for other episodes.

    A turn that was not played, in a trace of the other turn alone, has no states; it follows the reference.
    """
    if not any(isinstance(leg.goal, Collect) for leg in episode.legs):
        return
    try:
        task_state = TaskState.from_episode(episode)
    except InputError:
        return  # a task that cannot be played can still be scored
    start, ground = episode.start, _ground(episode.world)
    for index, (leg, leg_trace) in enumerate(zip(episode.legs, trace.legs, strict=False)):
        if is_unplayed(trace.legs, index):
            items = tuple(task_state.city_items), tuple(task_state.room_items)
            yield ReplayedLeg(index, isinstance(leg.goal, Assemble), [], *items)
            task_state.follow([leg])
            if isinstance(leg.goal, Collect):
                heading = start.look.heading + total_rotation(leg.goal.actions)
                start = Pose(Direction(heading), position=leg.goal.path[-1])
        elif isinstance(leg.goal, Collect):
            replayed = _replay_collect(index, leg, leg_trace, start, task_state, ground)
            if replayed.states:
                (east, north), heading = replayed.states[-1]
                start = Pose(Direction(heading), position=(east, north, 0.0))
            yield replayed
        elif isinstance(leg.goal, Assemble):
            yield _replay_assemble(index, leg, leg_trace, start, task_state)


def is_success(goal: Goal, leg_trace: LegTrace) -> bool:
    """Return whether a leg alone succeeded by the paper's criteria; the placed item also has to be right."""
    if isinstance(goal, Collect):
        near = (
            bool(leg_trace.path)
            and not isinstance(leg_trace.path[-1], str)
            and _goal_distance(leg_trace, goal) < PAPER.radius
        )
        return leg_trace.answer == goal.item or near
    return isinstance(goal, Assemble) and leg_trace.answer == goal.cell and placed_by_agent(leg_trace)


def describe_outcome(goal: Goal, leg_trace: LegTrace, success: bool) -> str:
    """Describe how a leg ended; `success` says whether it counts as a success."""
    if isinstance(goal, Collect):
        pick = "nothing picked up" if leg_trace.answer is None else f"picked up {leg_trace.answer}"
        if not leg_trace.path or any(isinstance(step, str) for step in leg_trace.path):
            return pick
        # The end of the walk is what is scored, so it comes first.
        return f"ended {_goal_distance(leg_trace, goal):.1f} m from the object, {pick}"
    assert isinstance(goal, Assemble)
    if not isinstance(leg_trace.answer, tuple):
        return "nothing placed"
    if not placed_by_agent(leg_trace):
        return "nothing placed: put down at the time limit"
    distance = float(cell_distances(leg_trace.answer, goal.cell))
    if distance:
        return f"placed {distance:.0f} {'cell' if distance == 1 else 'cells'} from the target"
    return "placed right" if success else "placed right, but its object was not collected"


def _goal_distance(leg_trace: LegTrace, goal: Collect) -> float:
    return float(item_distances(leg_trace.path[-1], goal.at))


def _ground(world: str) -> WalkableGrid:
    try:
        return load_walkable_grid(world)
    except InputError:
        return UNOBSTRUCTED  # a user's world: obstacles are unknown


def _replay_collect(
    index: int, leg: Leg, leg_trace: LegTrace, start: Pose, task_state: TaskState, ground: WalkableGrid
) -> ReplayedLeg:
    path: list[Position] = [step for step in leg_trace.path if not isinstance(step, str)]
    city_items, room_items = tuple(task_state.city_items), tuple(task_state.room_items)
    if not path:
        return ReplayedLeg(index, False, [], city_items, room_items)
    copy = replace(task_state, city_items=list(city_items), room_items=[])
    game = CollectGame(leg, replace(start, position=path[0]), copy, ground, _horizon(leg_trace, PICK))
    states = _replay_actions(game, leg_trace, PICK)
    picked_item: CityItem | None
    if _matches_path([state for state, _ in states], path):
        picked_item = next(item for item in city_items if copy.city_items.count(item) < city_items.count(item))
    else:
        states = _states_along([(east, north) for east, north, _ in path], start.look.heading)
        named_items = [item for item in city_items if item.item == leg_trace.answer]
        picked_item = task_state.nearest(path[-1], named_items or city_items) if city_items else None
    if picked_item is not None:
        task_state.take(picked_item)
    return ReplayedLeg(index, False, states, city_items, room_items, task_state.carried, picked_item)


def _replay_assemble(index: int, leg: Leg, leg_trace: LegTrace, start: Pose, task_state: TaskState) -> ReplayedLeg:
    cells = [step for step in leg_trace.path if not isinstance(step, str)]
    city_items, room_items, carried = tuple(task_state.city_items), tuple(task_state.room_items), task_state.carried
    answer = leg_trace.answer if isinstance(leg_trace.answer, tuple) else None
    states: list[State] = []
    if carried is not None:
        copy = replace(task_state, room_items=list(room_items))
        states = _replay_actions(AssembleGame(leg, start, copy, _horizon(leg_trace, PLACE)), leg_trace, PLACE)
    if not _matches_path([state for state, _ in states], [(column, row, 0.0) for column, _, row in cells]):
        states = _states_along([(column, row) for column, _, row in cells], 0.0)
    if carried is not None and answer is not None:
        task_state.put(answer)
    task_state.carried = None
    return ReplayedLeg(index, True, states, city_items, room_items, carried, cell=answer)


def _horizon(leg_trace: LegTrace, final_action: str) -> int:
    """Return after how many actions a leg ended: by its final action, or by the limit."""
    return max(len(leg_trace.actions) + (leg_trace.actions[-1:] == (final_action,)), 1)


def _replay_actions(game: CollectGame | AssembleGame, leg_trace: LegTrace, final_action: str) -> list[State]:
    """Return the states of a game after these actions; none where they are impossible."""
    states = [_state(game)]
    try:
        for action in leg_trace.actions:
            if action == REFUSED:
                game.record_noop()
            else:
                game.step(action)
            if action != final_action:
                states.append(_state(game))
    except InputError:
        return []
    return states if game.done else []


def _state(game: CollectGame | AssembleGame) -> State:
    if isinstance(game, AssembleGame):
        return (float(game.floor_cell[0]), float(game.floor_cell[1])), game.heading
    return (game.position[0], game.position[1]), game.heading


def _matches_path(states: Sequence[XY], path: Sequence[Position]) -> bool:
    """Return whether states follow a path, which leaves out turns."""
    walked = [xy for k, xy in enumerate(states) if not k or xy != states[k - 1]]
    return len(walked) == len(path) and all(dist(a, b[:2]) < PATH_TOLERANCE for a, b in zip(walked, path, strict=True))


def _states_along(path: Sequence[XY], heading: float) -> list[State]:
    """Return states along a path without actions, heading along it."""
    states = [(xy, heading) for xy in path[:1]]
    for start, end in pairwise(path):
        heading = degrees(atan2(end[0] - start[0], end[1] - start[1])) % 360.0 if start != end else heading
        states += [(start, heading)] if heading != states[-1][1] else []
        states.append((end, heading))
    return states
