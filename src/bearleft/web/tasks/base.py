"""The interface of tasks: what a person sees of a unit of work, what actions are possible, how an answer is judged.

A task has no state of its own. It computes the state of an attempt from the unit and the events so far, so that a page
can be loaded again, and a server started again, at any time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sqlalchemy.orm import Session

from bearleft.errors import InputError
from bearleft.web.database.models import Answer
from bearleft.web.queue.slots import NewUnit as NewUnit
from bearleft.web.scenes.worlds import SceneWorlds

Data = Mapping[str, Any]


@dataclass(frozen=True)
class UnitData:
    """What a task may know of a unit.

    Attributes:
        id: Number of the unit.
        kind: Which task it is of.
        payload: Its content, with what the browser must not know.
    """

    id: int
    kind: str
    payload: Data


@dataclass(frozen=True)
class EventData:
    """One recorded action of an attempt: its kind, what the browser sent, and what the task answered."""

    kind: str
    data: Data
    result: Data


@dataclass(frozen=True)
class Outcome:
    """What becomes of a submitted answer.

    Attributes:
        answer: What is stored.
        feedback: What the browser is told, after the answer has been stored.
        accepted: Whether the answer meets the rules of the task, such as a target that was found.
        follow_ups: Units that follow from the answer.
        after: Called when the answer is stored, in the same transaction; may add units that depend on other answers.
    """

    answer: dict[str, Any]
    feedback: dict[str, Any] = field(default_factory=dict)
    accepted: bool = True
    follow_ups: tuple[NewUnit, ...] = ()
    after: Callable[[Session, Answer], None] | None = None


@dataclass(frozen=True)
class TaskContext:
    """What tasks may use.

    Attributes:
        worlds: The worlds of the server: graphs, pictures, datasets.
        settings: The settings of the project.
        worker_id: The worker.
    """

    worlds: SceneWorlds
    settings: Data
    worker_id: int


class Task(ABC):
    """One kind of unit.

    Attributes:
        kind: Its name, such as "touchdown/writing".
        title: Its name for people.
        template: The page, in `templates/`.
        summary: What it asks for, in one sentence.
        minutes: How long it takes, roughly; shown before a person starts.
        one_answer: Whether other units follow from the answer and name its unit, so that it has one only.
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    template: ClassVar[str]
    summary: ClassVar[str]
    minutes: ClassVar[int] = 3
    one_answer: ClassVar[bool] = False

    @abstractmethod
    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return what the browser may know: the unit and the state after the events.

        It must not hold what the person is to find out: the target, the route, or somebody else's answer.
        """

    @abstractmethod
    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Check one action against the state after the events, and return its result for the browser.

        Raises:
            InputError: The action is unknown or not possible.
        """

    @abstractmethod
    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Check and judge an answer.

        Raises:
            InputError: The answer is incomplete or breaks a rule; the person may mend it and submit again.
        """


REGISTERED: dict[str, Task] = {}  # by kind; see `tasks.registry`


def register(task: type[Task]) -> type[Task]:
    """Register a task by its kind; a decorator of classes."""
    REGISTERED[task.kind] = task()
    return task


def unknown_action(kind: str, expected: Sequence[str]) -> InputError:
    """Return the error for an action that a task does not have."""
    return InputError(f"an action: {', '.join(expected)}", f'"{kind[:40]}"', "kind")
