"""People who take part in a collection of ArraMon, without a browser: they use the queue as the server does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from bearleft.language.analysis.screening import FOLLOWING_QUIZ, PLACEMENT_TEST, WRITING_QUIZ
from bearleft.records import Assemble, Collect, Episode
from bearleft.web.database.engines import Database
from bearleft.web.database.models import Event, Project, Unit, Worker
from bearleft.web.decisions import rejected_of
from bearleft.web.projects import allowed_kinds, standing_message
from bearleft.web.queue import events as event_log
from bearleft.web.queue import slots
from bearleft.web.queue.slots import Judgement, Lease, StoredAnswer
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.arramon import kinds
from bearleft.web.tasks.base import EventData, TaskContext, UnitData
from bearleft.web.tasks.registry import get_task
from bearleft.world.arramon.room_search import room_actions

GOOD_TEXTS = (
    "Turn to the bench beside the yellow house and collect the thing behind it.",
    "Place what you hold to the left of the dotted red mug near the wall.",
    "Turn around to the tall lamp and pick up the thing next to the barrel.",
    "Put what you carry on top of the striped blue book beside the bowl.",
)
ANSWERS = {
    kinds.WRITING_QUIZ: [question.right for question in WRITING_QUIZ.questions],
    kinds.FOLLOWING_QUIZ: [question.right for question in FOLLOWING_QUIZ.questions],
}


def reference_actions(episode: Episode) -> list[list[str]]:
    """Return the actions of the references of all legs."""
    goals = [leg.goal for leg in episode.legs]
    return [list(goal.actions) for goal in goals if isinstance(goal, Collect | Assemble)]


def placement_actions() -> list[str]:
    """Return actions that pass the placement test."""
    found = room_actions(PLACEMENT_TEST.task_setup.room_items, PLACEMENT_TEST.cell)
    assert found is not None
    return found


class Person:
    """A worker of a project."""

    def __init__(self, database: Database, worlds: SceneWorlds, project: str = "study") -> None:
        self.database, self.worlds = database, worlds
        with database.write() as session:
            worker = Worker()
            session.add(worker)
            session.flush()
            self.id, self.pseudonym = worker.id, worker.pseudonym
        with database.read() as session:
            self.project = session.scalars(select(Project).where(Project.name == project)).one()
        self.context = TaskContext(worlds, self.project.settings, self.id)

    def kinds(self) -> list[str]:
        """Return what the worker may do now."""
        with self.database.read() as session:
            return list(allowed_kinds(session, session.get_one(Project, self.project.id), self.id))

    def message(self) -> str:
        """Return what the project's page tells the worker."""
        with self.database.read() as session:
            return standing_message(session, session.get_one(Project, self.project.id), self.id)

    def rejections(self) -> list[str]:
        """Return why reviewers did not accept the worker's answers, as the project's page tells."""
        with self.database.read() as session:
            return [reason for *_, reason in rejected_of(session, self.project.id, self.id)]

    def claim(self) -> Lease | None:
        """Claim the unit that comes next."""
        return slots.claim(self.database, self.project.id, self.id, self.kinds())

    def unit(self, lease: Lease) -> UnitData:
        """Return a unit with its secrets."""
        with self.database.read() as session:
            unit = session.get_one(Unit, lease.unit_id)
            return UnitData(unit.id, unit.kind, unit.payload)

    def episode(self, lease: Lease) -> Episode:
        """Return the map of a unit."""
        payload = self.unit(lease).payload
        return self.worlds.episode(payload["dataset"], payload["episode"])

    def events(self, lease: Lease) -> list[EventData]:
        """Return what happened so far."""
        with self.database.read() as session:
            return [EventData(e.kind, e.data, e.result) for e in event_log.events_of(session, lease.attempt_id)]

    def view(self, lease: Lease) -> dict[str, Any]:
        """Return what the browser gets."""
        unit = self.unit(lease)
        return get_task(unit.kind).view(self.context, unit, self.events(lease))

    def send(self, lease: Lease, kind: str, **data: Any) -> dict[str, Any]:
        """Take an action."""

        def act(unit: Unit, events: Sequence[Event]) -> dict[str, Any]:
            recorded = [EventData(event.kind, event.data, event.result) for event in events]
            content = UnitData(unit.id, unit.kind, unit.payload)
            return get_task(unit.kind).act(self.context, content, recorded, kind, data)

        number = len(self.events(lease))
        return event_log.append(self.database, lease.attempt_id, self.id, lease.token, number, kind, data, act)

    def act(self, lease: Lease, *actions: str) -> dict[str, Any]:
        """Take actions of the environments, and return the last result."""
        result: dict[str, Any] = {}
        for action in actions:
            result = self.send(lease, "act", action=action)
        return result

    def submit(self, lease: Lease, **data: Any) -> StoredAnswer:
        """Submit an answer."""

        def judge(_session: Any, _attempt: Any, unit: Unit, events: Sequence[Event]) -> Judgement:
            recorded = [EventData(event.kind, event.data, event.result) for event in events]
            content = UnitData(unit.id, unit.kind, unit.payload)
            outcome = get_task(unit.kind).submit(self.context, content, recorded, data)
            return Judgement(
                outcome.answer, outcome.feedback, outcome.accepted, outcome.follow_ups, after=outcome.after
            )

        return slots.submit(self.database, lease.attempt_id, self.id, lease.token, f"key {lease.attempt_id}", judge)

    def prepare(self) -> Lease:
        """Pass quizzes and tests, and return the first unit of work."""
        while (lease := self.claim()) is not None:
            if lease.kind in ANSWERS:
                self.submit(lease, answers=ANSWERS[lease.kind])
            elif lease.kind == kinds.PLACEMENT_TEST:
                self.act(lease, *placement_actions())
                self.submit(lease)
            else:
                return lease
        raise AssertionError("no work")

    def write(self, lease: Lease, texts: Sequence[str] = GOOD_TEXTS) -> StoredAnswer:
        """Walk along the line, place, and write."""
        for actions, text in zip(reference_actions(self.episode(lease)), texts, strict=True):
            self.act(lease, *actions)
            result = self.send(lease, "next", text=text)
            assert result["accepted"], result
        return self.submit(lease)

    def follow(self, lease: Lease, well: bool = True) -> StoredAnswer:
        """Follow a set: as the reference, or with the first item put elsewhere."""
        legs = reference_actions(self.episode(lease))
        if not well:
            legs[1] = ["forward", "place"] if legs[1] == ["place"] else ["place"]
        for actions in legs:
            self.act(lease, *actions)
        return self.submit(lease)
