"""Assembly in the room: the second half of each turn of an ArraMon task."""

from __future__ import annotations

from bearleft.envs.arramon.state import FloorCell, TaskState
from bearleft.envs.game import (
    Action,
    Observation,
    PolicyRecorder,
    check_horizon,
    check_running,
    invalid_action,
)
from bearleft.errors import InputError
from bearleft.records import REFUSED, Cell, Leg, LegTrace, Pose
from bearleft.world.arramon.moves import (
    COLUMNS,
    DOOR,
    FLOOR,
    FORWARD,
    LEFT,
    PLACE,
    RIGHT,
    ROWS,
    TURN_DEGREES,
    TURNS_PER_CIRCLE,
    cell_ahead,
)
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT

HORIZON = 60
FLOOR_CELLS = [(column, row) for column in range(COLUMNS) for row in range(ROWS)]


class AssembleGame:
    """Put the carried item where the text says.

    Task: a text that names a cell beside, before or on top of items in a room of 5 columns and 4 rows.
    Actions: "forward" by one cell, "left" and "right" by 30 degrees, "place"; or a Decision, which is one of these with
        what the agent's network computed.
    Observation: kind, text, cell (column, height, row), heading (0 faces higher rows), carried (an item), ahead (the
        cell that "place" would put it on, None if it cannot), room_items (item and cell of each), step, horizon,
        turn_number (1, 2).
    Reward: none here; `envs/arramon/gym.py` gives it.
    End: at "place", or after `horizon` actions.
    Ids: bearleft/Assemble-v0.

    The agent begins at the door. A step leads straight ahead, not through a wall and not into a cell with an item.
    "place" puts the carried item one cell ahead, on top of the items there, up to 4 high. Off the axes of the grid,
    before a wall or a stack of 4 this is impossible: `step` raises InputError and the game goes on; `record_noop`
    counts it as an action that changes nothing. At the horizon the item is put down for the agent: ahead, or on its
    own cell if that is impossible; the last action of the trace then is not "place".
    """

    def __init__(self, leg: Leg, start: Pose, task_state: TaskState, horizon: int = HORIZON) -> None:
        """`start` is the pose in the city in which the next leg begins."""
        if task_state.carried is None:
            raise InputError("an item to place", "none", hint="A turn collects before it assembles.")
        self.leg, self.start, self.task_state = leg, start, task_state
        self.horizon = check_horizon(horizon)
        self.turn_number, self.carried = task_state.turn_number, task_state.carried
        self.floor_cell: FloorCell = (DOOR[0], DOOR[2])
        self.rotations = 0
        self.path: list[Cell] = [self.cell]
        self.actions: list[str] = []
        self.placed: Cell | None = None
        self.done = False
        self._recorder = PolicyRecorder(leg.text)

    @property
    def cell(self) -> Cell:
        """The cell of the agent."""
        return self.floor_cell[0], FLOOR, self.floor_cell[1]

    @property
    def heading(self) -> float:
        """The heading in degrees clockwise; 0 faces higher rows."""
        return TURN_DEGREES * self.rotations

    @property
    def ahead(self) -> Cell | None:
        """The cell that "place" puts an item on; None if it cannot."""
        return self.task_state.top(cell_ahead(*self.floor_cell, self.rotations))

    def can_place(self) -> bool:
        """Return whether "place" is possible now."""
        return self.ahead is not None

    def observe(self) -> Observation:
        """Return the current observation."""
        target = self.ahead
        return {
            "kind": "assemble",
            "text": self.leg.text,
            "cell": list(self.cell),
            "heading": self.heading,
            "carried": self.carried,
            "ahead": None if target is None else list(target),
            "room_items": [[item.item, list(item.cell)] for item in self.task_state.room_items],
            "step": len(self.actions),
            "horizon": self.horizon,
            "turn_number": self.turn_number,
        }

    def step(self, action: Action) -> None:
        """Take one action.

        Raises:
            InputError: The action is unknown or impossible, or the leg has ended.
        """
        check_running(self)
        action, decision = self._recorder.plain(action, len(self.actions))
        if action == FORWARD:
            floor_cell = cell_ahead(*self.floor_cell, self.rotations)
            if floor_cell is not None and not self.task_state.blocked(floor_cell):
                self.floor_cell = floor_cell
                self.path.append(self.cell)
        elif action in (LEFT, RIGHT):
            self.rotations = (self.rotations + (1 if action == RIGHT else -1)) % TURNS_PER_CIRCLE
        elif action == PLACE:
            self._put(self._legal_cell())
        else:
            raise invalid_action(action, "forward, left, right or place")
        self._recorder.record(decision)
        self._record(str(action))

    def record_noop(self, action: Action = PLACE) -> None:
        """Count an impossible "place", perhaps a Decision, as an action; the trace says "refused"."""
        check_running(self)
        decision = self._recorder.plain(action, len(self.actions))[1]
        self._recorder.record(decision)
        self._record(REFUSED)

    def _record(self, action: str) -> None:
        self.actions.append(action)
        if not self.done and len(self.actions) >= self.horizon:
            self._put(self._fallback_cell())

    def _legal_cell(self) -> Cell:
        cell = self.ahead
        if cell is None:
            floor_cell = cell_ahead(*self.floor_cell, self.rotations)
            if floor_cell is None:
                got = f"none: the heading is {self.rotations % 3 * TURN_DEGREES:g} degrees off the axes"
            else:
                got = (
                    f"a stack of {MAX_STACK_HEIGHT}"
                    if self.task_state.height(floor_cell) >= MAX_STACK_HEIGHT
                    else "a wall"
                )
            raise InputError("a free cell ahead to place an item on", got, hint="Turn or step on, and place then.")
        return cell

    def _fallback_cell(self) -> Cell:
        """Return the cell ahead, that of the agent, or else the nearest with room."""
        column, row = self.floor_cell
        floor_cells = sorted(FLOOR_CELLS, key=lambda floor_cell: abs(floor_cell[0] - column) + abs(floor_cell[1] - row))
        tops = [self.ahead, *map(self.task_state.top, floor_cells)]
        return next(cell for cell in tops if cell is not None)

    def _put(self, cell: Cell) -> None:
        self.task_state.put(cell)
        self.placed = cell
        self.done = True

    @property
    def end(self) -> Pose:
        """The pose in which the next walk begins, where the last one ended."""
        return self.start

    def trace(self) -> LegTrace:
        """Return the trace of the leg so far."""
        return LegTrace(tuple(self.actions), tuple(self.path), (), self.placed, policy=self._recorder.policy())
