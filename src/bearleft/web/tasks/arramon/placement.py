"""ArraMon's placement test before one follows: put an item on the right cell once, in a small room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.state import TaskState
from bearleft.errors import InputError
from bearleft.evaluation.play import step_game
from bearleft.language.analysis.screening import PLACEMENT_TEST as TEST
from bearleft.language.analysis.screening import is_placed_correctly
from bearleft.records import REFUSED, Assemble, Cell, Direction, Leg, Pose
from bearleft.runtime.json_fields import Fields
from bearleft.web.tasks.arramon.kinds import PLACEMENT_TEST, room_pose, room_scene
from bearleft.web.tasks.arramon.room_keeping import keep_room
from bearleft.web.tasks.base import Data, EventData, Outcome, Task, TaskContext, UnitData, register, unknown_action
from bearleft.world.arramon.moves import PLACE

HORIZON = 10_000  # actions; the log of events ends before
CANNOT_PLACE = "Nothing can be put there: face one of the four walls, with a free place ahead."


@dataclass
class PlacementState:
    """The test after some actions: the game, where the item was placed last, and how often it was the wrong cell."""

    game: AssembleGame
    placed: Cell | None = None
    wrong: int = 0

    @property
    def passed(self) -> bool:
        """Whether the item is on the right cell."""
        return self.placed is not None and is_placed_correctly(TEST, list(self.placed))


def new_game() -> AssembleGame:
    """Return the game of the test at its beginning."""
    setup = TEST.task_setup
    state = TaskState(list(setup.city_items), list(setup.room_items))
    state.take(setup.city_items[0])
    leg = Leg(TEST.text, Assemble(TEST.cell))
    return AssembleGame(leg, Pose(Direction(0.0), position=(0.0, 0.0, 0.0)), state, HORIZON)


def replay(events: Sequence[EventData]) -> PlacementState:
    """Return the test after the actions so far."""
    state = PlacementState(new_game())
    for event in events:
        take_action(state, event.kind, event.data)
    return state


def take_action(state: PlacementState, kind: str, data: Data) -> str:
    """Take an action, and return what the person is told; a wrong cell begins the test anew.

    Raises:
        InputError: The action is unknown, or the test is passed.
    """
    if kind != "act":
        raise unknown_action(kind, ("act",))
    if state.passed:
        raise InputError("no action after the test is passed", "one more")
    action = Fields(dict(data)).nonempty_text("action")
    if action != PLACE:
        state.placed = None
    step_game(state.game, action)
    if state.game.actions[-1] == REFUSED:
        return CANNOT_PLACE
    if not state.game.done:
        return ""
    placed = state.game.placed
    state.placed = placed
    if placed is not None and is_placed_correctly(TEST, list(placed)):
        return "That is the place."
    state.wrong += 1
    state.game = new_game()
    return f"That is another place. {TEST.explanation} Try again from the door."


@register
class PlacementTestTask(Task):
    """Put an item on the right cell once.

    Payload: nothing.
    Actions: "act" with an action of the room: "forward", "left", "right" or "place".
    Answer: how often the item was put on a wrong cell first.
    """

    kind = PLACEMENT_TEST
    title = "Test: placing"
    template: ClassVar[str] = "arramon/following.html"
    summary = "Put one thing in its place, to see how placing works."
    minutes = 1

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the room, the pose, and the text."""
        state = replay(events)
        return {"stage": "test", "text": TEST.text, "flags": None, **_state(state), **_scene(state)}

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Take one action of the room."""
        state = replay(events)
        wrong = state.wrong
        note = take_action(state, kind, data)
        changed = state.passed or state.wrong > wrong
        return {**_state(state), "note": note, **(_scene(state) if changed else {})}

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Store that the test is passed."""
        state = replay(events)
        if not state.passed:
            raise InputError("the thing in its place", "a test that is not passed", hint="Place it as the text says.")
        return Outcome(
            {"wrong": state.wrong}, {"message": "Passed. Now you follow the texts of others."}, after=keep_room
        )


def _state(state: PlacementState) -> dict[str, Any]:
    return {"pose": room_pose(state.game), "done": state.passed}


def _scene(state: PlacementState) -> dict[str, Any]:
    return {"scene": room_scene(state.game.task_state.room_items, state.game.task_state.carried)}
