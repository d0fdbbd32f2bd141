"""The writer's walk of ArraMon's stage 1: bound to the guide line, and every item ends where it belongs.

The guide line is the reference of the map. A writer may walk it back and forth, turns freely, and picks the target up
at its end. In the room the carried item goes to its cell wherever the writer places it; writers are not told, so that
the room of the second turn is as the map says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, dist, radians, sin

from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import POSITION_TOLERANCE
from bearleft.envs.arramon.state import TaskState
from bearleft.errors import InputError
from bearleft.evaluation.play import step_game
from bearleft.records import REFUSED, Assemble, Cell, Collect, Direction, Episode, Leg, Pose, Position
from bearleft.web.tasks.arramon.kinds import LEGS, View, city_pose, room_pose
from bearleft.web.tasks.arramon.placement import CANNOT_PLACE, HORIZON
from bearleft.world.arramon.moves import (
    FORWARD,
    LEFT,
    PICK,
    PLACE,
    RIGHT,
    TURN_DEGREES,
    TURNS_PER_CIRCLE,
    is_in_reach,
    total_rotation,
)
from bearleft.world.arramon.walkable import WalkableGrid, step_forward
from bearleft.world.arramon.walkable_grids import load_walkable_grid

OFF_LINE = "Stay on the blue line: turn until it leads straight ahead."
NOT_AT_END = "Walk to the end of the blue line first."
NOT_IN_REACH = "Turn to the thing below the arrow, and pick it up then."
ENDED = "This part is done. Write its text, and go on."


@dataclass
class GuideLine:
    """A walk along a reference: the index of the position on it, and turns to the right so far."""

    goal: Collect
    heading_at_start: float
    ground: WalkableGrid
    index: int = 0
    rotations: int = 0

    @property
    def position(self) -> Position:
        """The position: east, north and up in metres."""
        return self.goal.path[self.index]

    @property
    def heading(self) -> float:
        """The heading in degrees clockwise from north."""
        return (self.heading_at_start + TURN_DEGREES * (self.rotations % TURNS_PER_CIRCLE)) % 360.0

    def step_to(self, heading: float) -> int | None:
        """Return the index on the line that a step in a direction leads to; None if it leaves the line."""
        east, north, up = self.position
        ahead = east + sin(radians(heading)), north + cos(radians(heading)), up
        for index in (self.index + 1, self.index - 1):
            if 0 <= index < len(self.goal.path) and dist(ahead, self.goal.path[index]) < POSITION_TOLERANCE:
                moved = step_forward(self.ground, east, north, heading)[2]
                return index if bool(moved) else None
        return None

    def pose(self) -> View:
        """Return the pose as browsers get it."""
        headings = [self.heading + TURN_DEGREES * turns for turns in range(TURNS_PER_CIRCLE)]
        return city_pose(self.position, self.heading, [self.step_to(heading) is not None for heading in headings])


@dataclass
class GuidedWalk:
    """A writer's attempt.

    Attributes:
        episode: The map.
        leg: The current leg, LEGS at the end.
        ended: Whether the current leg's item was picked up or placed.
        texts: The accepted texts of the legs before.
        placed: The cells on which the writer placed the items, which need not be where they went.
    """

    episode: Episode
    leg: int = 0
    ended: bool = False
    texts: list[str] = field(default_factory=list)
    placed: list[Cell] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.task_state = TaskState.from_episode(self.episode)
        self.ground = load_walkable_grid(self.episode.world)
        self._begin()

    @property
    def done(self) -> bool:
        """Whether all four legs have their texts."""
        return self.leg >= LEGS

    @property
    def goal(self) -> Collect | Assemble:
        """The goal of the current leg."""
        goal = self.episode.legs[self.leg].goal
        assert isinstance(goal, Collect | Assemble)
        return goal

    def start_heading(self, leg: int) -> float:
        """Return the heading in which a walk begins, after the references of earlier walks."""
        earlier = [one.goal for one in self.episode.legs[:leg]]
        turned = sum(total_rotation(goal.actions) for goal in earlier if isinstance(goal, Collect))
        return self.episode.start.look.heading + turned

    def _begin(self) -> None:
        """Begin the current leg."""
        self.ended = False
        if self.done:
            return
        goal = self.goal
        if isinstance(goal, Collect):
            self.line = GuideLine(goal, self.start_heading(self.leg), self.ground)
        else:
            pose = Pose(Direction(self.line.heading), position=self.line.position)
            self.room = AssembleGame(Leg("", goal), pose, self.task_state, HORIZON)

    def act(self, action: str) -> str:
        """Take an action of the environments, and return what the writer is told.

        Raises:
            InputError: The action is unknown or does not belong to the leg, or all legs are done.
        """
        if self.done:
            raise InputError("no action after the end of the task", "one more")
        city = isinstance(self.goal, Collect)
        expected = (FORWARD, LEFT, RIGHT, PICK if city else PLACE)
        if action not in expected:
            raise InputError(f"an action: {', '.join(expected)}", f'"{action[:40]}"', "action")
        if self.ended and action in (PICK, PLACE):
            return ENDED
        return self._walk(action) if city else self._assemble(action)

    def _walk(self, action: str) -> str:
        line = self.line
        if action in (LEFT, RIGHT):
            line.rotations += 1 if action == RIGHT else -1
        elif action == FORWARD:
            index = line.step_to(line.heading)
            if index is None:
                return OFF_LINE
            line.index = index
        elif line.index < len(line.goal.path) - 1:
            return NOT_AT_END
        elif not is_in_reach(line.position, line.heading, line.goal.at):
            return NOT_IN_REACH
        else:
            self.task_state.take(self.task_state.target_of(line.goal))
            self.ended = True
        return ""

    def _assemble(self, action: str) -> str:
        goal, room = self.goal, self.room
        assert isinstance(goal, Assemble)
        if action != PLACE:
            step_game(room, action)
            return CANNOT_PLACE if room.actions[-1] == REFUSED else ""
        ahead = room.ahead
        if ahead is None:
            return CANNOT_PLACE
        self.placed.append(ahead)
        self.task_state.put(goal.cell)
        self.ended = True
        return ""

    def finish(self, text: str) -> None:
        """Store the text of the current leg, and begin the next one.

        Raises:
            InputError: The leg's item was not picked up or placed yet.
        """
        if self.done:
            raise InputError("no text after the end of the task", "one more")
        if not self.ended:
            action = "Pick the thing up" if isinstance(self.goal, Collect) else "Put the thing in its place"
            raise InputError("a part that is done", "one that is not", hint=f"{action} first.")
        self.texts.append(text)
        self.leg += 1
        self._begin()

    def pose(self) -> View:
        """Return the pose as browsers get it."""
        return self.line.pose() if isinstance(self.goal, Collect) else room_pose(self.room)
