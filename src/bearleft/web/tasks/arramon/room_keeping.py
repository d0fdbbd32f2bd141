"""Units that every worker does once, such as a quiz: there is always room for one more."""

from __future__ import annotations

from sqlalchemy.orm import Session

from bearleft.web.database.models import Answer, Unit
from bearleft.web.queue.slots import MAX_SLOTS, add_slots

SLOTS = 50  # workers who can be at such a unit at the same time


def keep_room(session: Session, answer: Answer) -> None:
    """Replace the slot that an answer has taken."""
    unit = session.get_one(Unit, answer.unit_id)
    if unit.slots < MAX_SLOTS:
        add_slots(session, unit.id)
