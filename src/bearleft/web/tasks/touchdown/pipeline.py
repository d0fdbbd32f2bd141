"""How the tasks of one text follow each other.

A text is written (I), and its target is shown in the neighbouring panoramas (II). Then somebody else follows the text
(III): up to two people, one after the other, until one finds the bear. Then the text is segmented (IV). A text with
which neither found the bear is discarded. Whoever has seen where the bear is does not follow the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.records import Direction
from bearleft.web.database.models import Answer, Attempt, Unit
from bearleft.web.queue.slots import NewUnit, add_slots, add_units
from bearleft.web.scenes.worlds import SceneWorlds

WRITING, PROPAGATION = "touchdown/writing", "touchdown/propagation"
VALIDATION, SEGMENTATION = "touchdown/validation", "touchdown/segmentation"
QUALIFICATION, CHECK = "touchdown/qualification", "touchdown/check"
VALIDATORS = 2  # people who may try to find the bear of a text
# Texts that are under way are finished before new ones are begun.
PRIORITIES = {SEGMENTATION: 3, VALIDATION: 2, PROPAGATION: 1}


def target(place: str, direction: Direction) -> dict[str, Any]:
    """Return the target as seen from a place, as payloads hold it."""
    return {"place": place, "heading": direction.heading, "pitch": direction.pitch}


def propagation_units(
    worlds: SceneWorlds, writing: int, writer_id: int, world: str, goal: str, text: str, bear: Direction
) -> tuple[NewUnit, ...]:
    """Return a unit for each panorama next to the goal."""
    neighbours = [place for place in dict.fromkeys(worlds.neighbours(world, goal)) if place != goal]
    return tuple(
        NewUnit(
            PROPAGATION,
            {"world": world, "text": text, "original": target(goal, bear), "place": place, "writing": writing},
            writer_id=writer_id,
            parent_id=writing,
            priority=PRIORITIES[PROPAGATION],
        )
        for place in neighbours
    )


def after_propagation(session: Session, answer: Answer) -> None:
    """Let the text be validated if its target was now looked for in all neighbouring panoramas."""
    validate_when_propagated(session, _parent(session, answer))


def validate_when_propagated(session: Session, writing_id: int) -> None:
    """Let a text be validated once its target was looked for in all neighbours, which may be none."""
    # Of two answers that come at the same time, the later one waits here and then sees the other.
    writing = session.get_one(Unit, writing_id, with_for_update={"key_share": True})
    units = _follow_ups(session, writing.id, PROPAGATION)
    answers = [answers_of(session, unit.id) for unit in units]
    if not all(answers) or _follow_ups(session, writing.id, VALIDATION):
        return
    given = [row for rows in answers for row in rows]
    written = answers_of(session, writing.id)[0]
    bear = Direction(written.data["bear"]["heading"], written.data["bear"]["pitch"])
    others = [
        {"place": row.data["place"], "heading": row.data["bear"]["heading"], "pitch": row.data["bear"]["pitch"]}
        for row in given
        if row.data["bear"] is not None
    ]
    payload = {
        "world": written.data["world"],
        "text": written.data["text"],
        "start": written.data["route"][0],
        "heading": written.data["start_heading"],
        "targets": [target(written.data["route"][-1], bear), *others],
        "writing": writing.id,
    }
    unit = NewUnit(
        VALIDATION, payload, writer_id=written.worker_id, parent_id=writing.id, priority=PRIORITIES[VALIDATION]
    )
    (added,) = add_units(session, writing.project_id, [unit])
    _bar(session, added, {row.worker_id for row in given})


def after_validation(session: Session, answer: Answer) -> None:
    """Let a text whose bear was found be segmented; let another person try one whose bear was not."""
    unit = session.get_one(Unit, answer.unit_id)
    if not answer.accepted:
        if unit.slots < VALIDATORS:
            add_slots(session, unit.id)
        return
    if unit.parent_id is not None and _follow_ups(session, unit.parent_id, SEGMENTATION):
        return  # it is validated again, since an answer was deleted, or a reviewer asked for one more
    payload = {"text": unit.payload["text"], "writing": unit.payload["writing"]}
    new = NewUnit(
        SEGMENTATION, payload, writer_id=unit.writer_id, parent_id=unit.parent_id, priority=PRIORITIES[SEGMENTATION]
    )
    add_units(session, unit.project_id, [new])


def _bar(session: Session, unit: Unit, workers: Iterable[int]) -> None:
    """Keep a unit from workers: for the queue, they have returned it."""
    now = unit.created
    for worker_id in sorted(workers):
        session.add(Attempt(unit_id=unit.id, worker_id=worker_id, state="returned", expires=now, finished=now))


def _parent(session: Session, answer: Answer) -> int:
    parent = session.get_one(Unit, answer.unit_id).parent_id
    assert parent is not None
    return parent


def _follow_ups(session: Session, writing: int, kind: str) -> list[Unit]:
    return list(session.scalars(select(Unit).where(Unit.parent_id == writing, Unit.kind == kind).order_by(Unit.id)))


def answers_of(session: Session, unit_id: int) -> list[Answer]:
    """Return the answers of a unit in order."""
    return list(session.scalars(select(Answer).where(Answer.unit_id == unit_id).order_by(Answer.id)))
