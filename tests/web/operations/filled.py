"""A database with rows in all tables, made by the application."""

from __future__ import annotations

from sqlalchemy import func, select

from bearleft.web.database.engines import Database
from bearleft.web.database.models import Base
from bearleft.web.queue.slots import NewUnit
from tests.web.queue.desk import LEASE, Clock, Desk

# Whatever a person may write, in the units, events and answers.
TEXTS = ("🐻‍❄️ left of the 🚏", "'; DROP TABLE answers; --", "\u202ebear\u202c\n\t\\", "<b>&amp;</b>", "0", "null", "")


def fill(database: Database) -> None:
    """Let people work until every table has rows."""
    database.clock = clock = Clock()
    for arcade in (False, True):
        desk = Desk.of(database, open_to_all=arcade)
        units = desk.add(*(NewUnit("a", {"text": text, "number": 2**62 + k / 4}, 2) for k, text in enumerate(TEXTS)))
        for k, text in enumerate(TEXTS):
            lease = desk.play(0, units[k]) if arcade else desk.take(0)
            desk.append(0, lease, 0, {"text": text, "numbers": [1, 1.0, True, None, -0.0, 1e-300]})
            desk.submit(0, lease, follow_ups=[NewUnit("b", {"text": text}, writer_id=desk.workers[0])])
        if not arcade:
            desk.give_back(1, desk.take(1, ["a"]))
            desk.take(1, ["a"])
            clock.advance(LEASE)
            desk.take(2, ["a"])
    with database.read() as session:
        empty = [
            name
            for name, table in Base.metadata.tables.items()
            if not session.scalar(select(func.count()).select_from(table))
        ]
    assert not empty, f"no rows in {', '.join(empty)}: let `fill` use the part of the application that writes them"
