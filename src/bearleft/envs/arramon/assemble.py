"""Placing what was collected in a room: the second half of ArraMon's turns."""

from __future__ import annotations

from bearleft.envs.arramon.state import Spot, TaskState
from bearleft.envs.game import Action, Observation, check_horizon, check_running, invalid_action
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
SPOTS = [(column, row) for column in range(COLUMNS) for row in range(ROWS)]


class AssembleGame:
    """Put what is carried where the text says.

    ArraMonPictureOptions: a text that names a place beside, before or on top of what stands in a room of 5 columns and 4 rows.
    Actions: "forward" by one cell, "left" and "right" by 30 degrees, "place".
    Observation: kind, text, cell (column, height, row), heading (0 along the rows), carried (an item), ahead (the cell
        that "place" would put it on, None where it cannot), standing (item and cell of each), step, horizon, turn.
    Reward: none here; `envs/arramon/gym.py` gives it.
    End: at "place", or after `horizon` actions.
    Ids: bearleft/Assemble-v0.

    One begins at the door. A step leads straight on only, not through a wall and not into a cell with something on it.
    "place" puts what is carried one cell ahead, on top of what stands there, up to 4 high. Askew, before a wall or a
    stack of 4 it cannot: `step` refuses it with an InputError and the game goes on; `refuse` counts it as an action
    that changes nothing. At the horizon the thing is put down for the player: ahead, or at its feet where that cannot
    be; the trace's last action then is not "place".
    """

    def __init__(self, leg: Leg, start: Pose, task_state: TaskState, horizon: int = HORIZON) -> None:
        """`start` is where the walk in the city goes on afterwards."""
        if task_state.carried is None:
            raise InputError("something that is carried", "nothing", hint="A turn collects before it assembles.")
        self.leg, self.start, self.task_state = leg, start, task_state
        self.horizon = check_horizon(horizon)
        self.turn, self.carried = task_state.turn, task_state.carried
        self.spot: Spot = (DOOR[0], DOOR[2])
        self.turns = 0
        self.path: list[Cell] = [self.cell]
        self.actions: list[str] = []
        self.placed: Cell | None = None
        self.done = False

    @property
    def cell(self) -> Cell:
        """Where one stands."""
        return self.spot[0], FLOOR, self.spot[1]

    @property
    def heading(self) -> float:
        return TURN_DEGREES * self.turns

    @property
    def ahead(self) -> Cell | None:
        """The cell that "place" puts things on; None where it cannot."""
        return self.task_state.top(cell_ahead(*self.spot, self.turns))

    def can_place(self) -> bool:
        return self.ahead is not None

    def observe(self) -> Observation:
        there = self.ahead
        return {
            "kind": "assemble",
            "text": self.leg.text,
            "cell": list(self.cell),
            "heading": self.heading,
            "carried": self.carried,
            "ahead": None if there is None else list(there),
            "standing": [[one.item, list(one.cell)] for one in self.task_state.standing],
            "step": len(self.actions),
            "horizon": self.horizon,
            "turn": self.turn,
        }

    def step(self, action: Action) -> None:
        check_running(self)
        if action == FORWARD:
            there = cell_ahead(*self.spot, self.turns)
            if there is not None and not self.task_state.blocked(there):
                self.spot = there
                self.path.append(self.cell)
        elif action in (LEFT, RIGHT):
            self.turns = (self.turns + (1 if action == RIGHT else -1)) % TURNS_PER_CIRCLE
        elif action == PLACE:
            self._put(self._legal())
        else:
            raise invalid_action(action, "forward, left, right or place")
        self._took(str(action))

    def refuse(self) -> None:
        """Counts a placing that is not possible as an action; the trace says "refused"."""
        check_running(self)
        self._took(REFUSED)

    def _took(self, action: str) -> None:
        self.actions.append(action)
        if not self.done and len(self.actions) >= self.horizon:
            self._put(self._nearby())

    def _legal(self) -> Cell:
        there = self.ahead
        if there is None:
            spot = cell_ahead(*self.spot, self.turns)
            if spot is None:
                got = f"none: one stands askew, {self.turns % 3 * TURN:g} degrees off"
            else:
                got = f"a stack of {HIGHEST}" if self.task_state.height(spot) >= MAX_STACK_HEIGHT else "a wall"
            raise InputError("a free cell ahead to place something on", got, hint="Turn or step on, and place then.")
        return there

    def _nearby(self) -> Cell:
        """Ahead, at one's feet, or else the nearest spot with room."""
        column, row = self.spot
        spots = sorted(SPOTS, key=lambda spot: abs(spot[0] - column) + abs(spot[1] - row))
        tops = [self.ahead, *map(self.task_state.top, spots)]
        return next(cell for cell in tops if cell is not None)

    def _put(self, cell: Cell) -> None:
        self.task_state.put(cell)
        self.placed = cell
        self.done = True

    @property
    def end(self) -> Pose:
        """Where the next walk begins: where the last one ended."""
        return self.start

    def trace(self) -> LegTrace:
        return LegTrace(tuple(self.actions), tuple(self.path), (), self.placed)
