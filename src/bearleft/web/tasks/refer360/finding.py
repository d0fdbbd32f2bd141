"""Refer360's finding task: turn the view sentence by sentence until it rests on the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from bearleft.data import open_dataset
from bearleft.envs.look import LookGame
from bearleft.errors import InputError
from bearleft.geometry import angle_between
from bearleft.metrics.milestones import NEXT
from bearleft.records import Direction, Leg, Point, Pose, Trace
from bearleft.version import VERSION
from bearleft.web.database.models import Answer, Unit
from bearleft.web.queue.slots import add_slots
from bearleft.web.tasks.base import (
    Data,
    EventData,
    Outcome,
    Task,
    TaskContext,
    UnitData,
    register,
    unknown_action,
)
from bearleft.web.tasks.refer360.description import (
    COLLECTED,
    FINDING,
    HIRING_FINDING,
    ICON_RADIUS,
    last_look,
    record_look,
)
from bearleft.web.tasks.refer360.rules import RADIUS, parse_answer, parse_direction, parse_view

PERSON = "person"  # the agent's name in traces of people
DEFAULT_ROUNDS = 2  # people who look for a target at most, until one finds it


@register
class FindingTask(Task):
    """Find the target that another person's text describes.

    Payload: world, place, sentences, target [heading, pitch], start [heading, 90], dataset, episode.
    Actions: "look" with a view; "next" with the view at a sentence's end, which gives the next sentence.
    Answer: the trace, which `LookGame` writes, the degrees from the target, whether it is found, and how it was chosen.
    """

    kind = FINDING
    title = "Find"
    template: ClassVar[str] = "refer360/finding.html"
    summary = "Read one sentence after another, and turn to what it describes, until you are where the bear hides."
    minutes = 2
    shows_target: ClassVar[bool] = True  # after the answer

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the scene and the sentences read so far."""
        sentences, number = self.sentences(unit), len(_ends(events))
        return {
            **{name: unit.payload[name] for name in ("world", "place", "start")},
            "look": last_look(unit, events),
            "sentences": list(sentences[: number + 1]),
            "count": len(sentences),
            "radius": ICON_RADIUS,
        }

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Record where the person looks, or record the view at a sentence's end and return the next sentence."""
        if kind == "look":
            return record_look(events, data)
        if kind == "next":
            parse_view(data)
            sentences, number = self.sentences(unit), len(_ends(events)) + 1
            if number >= len(sentences):
                raise InputError("an answer after the last sentence", "another step", hint="Point at the bear's place.")
            return {"number": number, "sentence": sentences[number]}
        raise unknown_action(kind, ("look", "next"))

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Judge the answer: within 11 degrees of the target it is found."""
        sentences, number = self.sentences(unit), len(_ends(events)) + 1
        if number < len(sentences):
            raise InputError(f"an answer after sentence {len(sentences)}", f"one after sentence {number}")
        direction, way, view = parse_answer(data)
        game = replay(unit, sentences, events)
        game.step(direction)
        game.step(NEXT)
        target = Direction(*unit.payload["target"])
        degrees = angle_between(direction, target)
        found = degrees < RADIUS
        trace = make_trace(context, unit, game)
        answer = {"trace": trace.to_json(), "degrees": degrees, "found": found, "by": way, "view": view}
        feedback: dict[str, Any] = {"found": found, "degrees": round(degrees, 1)}
        if self.shows_target:
            feedback["target"] = target.to_json()
        rounds = int(context.settings.get("rounds", DEFAULT_ROUNDS))

        def ask_again(session: Session, stored: Answer) -> None:
            if not found:
                add_round(session, stored.unit_id, rounds)

        return Outcome(answer, feedback, found, after=ask_again if self.kind == FINDING else None)

    def sentences(self, unit: UnitData) -> tuple[str, ...]:
        """Return the sentences that the person reads."""
        return tuple(unit.payload["sentences"])


@register
class HiringFindingTask(FindingTask):
    """A finding of stage I, with a prepared text: an example of how texts are written."""

    kind = HIRING_FINDING


def replay(unit: UnitData, sentences: Sequence[str], events: Sequence[EventData]) -> LookGame:
    """Return the game after the sentences read so far; the same actions in Python give the same trace."""
    goal = Point(Direction(*unit.payload["target"]), unit.payload["place"])
    leg = Leg(" ".join(sentences), goal, tuple(sentences))
    game = LookGame(leg, Pose(Direction(*unit.payload["start"]), unit.payload["place"]), horizon=2 * len(sentences))
    for event in _ends(events):
        game.step(parse_direction(event.data))
        game.step(NEXT)
    return game


def make_trace(context: TaskContext, unit: UnitData, game: LookGame) -> Trace:
    """Return the trace of a finished game."""
    dataset, episode = unit.payload["dataset"], unit.payload["episode"]
    sha256 = "" if dataset == COLLECTED else open_dataset(dataset, context.worlds.data).sha256
    return Trace(episode, dataset, PERSON, (game.trace(),), 0, sha256, VERSION)


def add_round(session: Session, unit_id: int, rounds: int) -> None:
    """Ask one more person to find the target of a text, unless as many as `rounds` have tried (stage III)."""
    answers = session.scalar(select(func.count(Answer.id)).where(Answer.unit_id == unit_id)) or 0
    if session.get_one(Unit, unit_id).slots <= answers < rounds:
        add_slots(session, unit_id)


def _ends(events: Sequence[EventData]) -> list[EventData]:
    """Return the actions that ended a sentence."""
    return [event for event in events if event.kind == NEXT]
