"""Collection in the city: the first half of each turn of an ArraMon task."""

from __future__ import annotations

import numpy as np

from bearleft.envs.arramon.state import TaskState, ground_distance
from bearleft.envs.game import Action, Observation, PolicyRecorder, check_horizon, check_running, invalid_action
from bearleft.errors import InputError
from bearleft.records import REFUSED, Collect, Direction, Leg, LegTrace, Pose, Position
from bearleft.world.arramon.moves import FORWARD, LEFT, PICK, RIGHT, TURN_DEGREES, TURNS_PER_CIRCLE, is_in_reach
from bearleft.world.arramon.task_setup import CityItem
from bearleft.world.arramon.walkable import WalkableGrid, step_forward

HORIZON = 250
POSITION_TOLERANCE = 1e-3  # metres; positions in files are rounded to less
DIGITS = 3  # of the metres in observations: more would reveal the reference's positions


class CollectGame:
    """Walk as the text says, and pick up the item that it names.

    Task: a text that describes the way to one of the items in the city, and the item.
    Actions: "forward" by 1 metre, "left" and "right" by 30 degrees, "pick"; or a Decision, which is one of these with
        what the agent's network computed.
    Observation: kind, text, position (east, north, up), heading, city_items (item, position, facing of each, sorted by
        name), step, horizon, turn_number (1, 2).
    Reward: none here; `envs/arramon/gym.py` gives it.
    End: at "pick", or after `horizon` actions.
    Ids: bearleft/Collect-v0.

    "pick" picks up the nearest item within reach: up to 3 metres ahead, half a metre to each side. If no item is within
    reach, or if the horizon ends the leg, then the agent is given the nearest item, and the trace's answer is None.
    If `retry_pick` is set, as in ArraMon's released decoder, then a "pick" with no item within reach changes nothing,
    and the trace records "refused". If a step leads into an obstacle, then the agent does not move.

    Files hold rounded positions. If a step ends within a millimetre of the reference's position after the same number
    of moves, then the agent is moved to that position: rounding errors do not add up, and a reference replays to the
    last digit. Observations are always rounded to millimetres; traces have every digit.

    If the task is from a released file, then there are no obstacles, and a "pick" at the end of the recorded walk picks
    up the recorded item, even if it is out of reach.
    """

    def __init__(
        self,
        leg: Leg,
        start: Pose,
        task_state: TaskState,
        ground: WalkableGrid,
        horizon: int = HORIZON,
        retry_pick: bool = False,
    ) -> None:
        if start.position is None:
            raise InputError("a start with a position", f"the place {start.place}", "start")
        self.leg, self.start, self.task_state, self.ground = leg, start, task_state, ground
        self.horizon, self.retry_pick = check_horizon(horizon), retry_pick
        self.turn_number = task_state.turn_number
        self.path: list[Position] = [start.position]
        self.rotations = 0
        self.actions: list[str] = []
        self.picked: str | None = None  # the item that the agent picked up, None if it was given one
        self.done = False
        self._recorder = PolicyRecorder(leg.text)

    @property
    def position(self) -> Position:
        """The position: east, north and up in metres."""
        return self.path[-1]

    @property
    def heading(self) -> float:
        """The heading in degrees clockwise from north."""
        return (self.start.look.heading + TURN_DEGREES * (self.rotations % TURNS_PER_CIRCLE)) % 360.0

    @property
    def look(self) -> Direction:
        """The view direction, which is always level."""
        return Direction(self.heading)

    def observe(self) -> Observation:
        """Return the current observation."""
        return {
            "kind": "collect",
            "text": self.leg.text,
            "position": np.round(self.position, DIGITS).tolist(),
            "heading": self.heading,
            "city_items": [[item.item, list(item.at), item.facing] for item in self.task_state.city_items],
            "step": len(self.actions),
            "horizon": self.horizon,
            "turn_number": self.turn_number,
        }

    def step(self, action: Action) -> None:
        """Take one action.

        Raises:
            InputError: The action is unknown, or the leg has ended.
        """
        check_running(self)
        action, decision = self._recorder.plain(action, len(self.actions))
        if action == PICK and self.retry_pick and self.reached() is None:
            self._recorder.record(decision)
            self.record_noop()
            return
        if action == FORWARD:
            self._forward()
        elif action in (LEFT, RIGHT):
            self.rotations += 1 if action == RIGHT else -1
        elif action == PICK:
            self._end(self.reached())
        else:
            raise invalid_action(action, "forward, left, right or pick")
        self._recorder.record(decision)
        self._record(str(action))

    def record_noop(self) -> None:
        """Count a "pick" with nothing within reach as an action; the trace says "refused"."""
        check_running(self)
        self._record(REFUSED)

    def _record(self, action: str) -> None:
        self.actions.append(action)
        if not self.done and len(self.actions) >= self.horizon:
            self._end(None)

    def reached(self) -> CityItem | None:
        """Return the item that "pick" would take; None if none is within reach."""
        goal, city_items = self.leg.goal, self.task_state.city_items
        if (
            self.task_state.from_release
            and isinstance(goal, Collect)
            and ground_distance(self.position, goal.path[-1]) < POSITION_TOLERANCE
        ):
            released = [item for item in city_items if (item.item, item.at) == (goal.item, goal.at)]
            if released:
                return released[0]
        in_reach = [item for item in city_items if is_in_reach(self.position, self.heading, item.at)]
        return self.task_state.nearest(self.position, in_reach) if in_reach else None

    def _forward(self) -> None:
        east, north, up = self.position
        to_east, to_north, moved = step_forward(self.ground, east, north, self.heading)
        if moved:
            self.path.append(self._snap_to_reference((float(to_east), float(to_north), up)))

    def _snap_to_reference(self, position: Position) -> Position:
        """Return the reference's position after the same number of moves if it is close, else `position`."""
        goal, moves = self.leg.goal, len(self.path)
        if not isinstance(goal, Collect) or moves >= len(goal.path):
            return position
        return goal.path[moves] if ground_distance(position, goal.path[moves]) < POSITION_TOLERANCE else position

    def _end(self, item: CityItem | None) -> None:
        self.picked = None if item is None else item.item
        self.task_state.take(item or self.task_state.nearest(self.position))
        self.done = True

    @property
    def end(self) -> Pose:
        """The pose in which the next walk begins."""
        return Pose(self.look, position=self.position)

    def trace(self) -> LegTrace:
        """Return the trace of the leg so far."""
        policy = self._recorder.policy()
        return LegTrace(tuple(self.actions), tuple(self.path), (self.look,), self.picked, policy=policy)
