"""The tables of the web application.

A project has units of work, a unit has as many slots as answers are wanted, and an attempt is one worker on one unit.
Events are what the person did, in order; they are only ever added. An answer is what a submitted attempt left.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    UniqueConstraint,
    desc,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from bearleft.web.database.values import Json, Text, UtcDateTime, utc_now

AttemptState = Literal["active", "submitted", "expired", "returned"]

NAME_LENGTH = 200  # characters of names, kinds and keys; PostgreSQL's indices hold no long texts
CODE_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # none that look alike
Id = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts by itself in columns of this very type only


def random_id() -> str:
    """Return an id or token that nobody can guess."""
    return secrets.token_hex(16)


def random_number() -> int:
    """Return a number for a worker, who is known by it in signed cookies.

    Numbers that count up would be given again after a backup was restored or a worker deleted, and the browser of the
    one would be taken for the other's.
    """
    return 1 + secrets.randbelow(2**53 - 1)  # exact in JSON everywhere


def random_pseudonym() -> str:
    """Return a name for a worker that tells nothing about the person."""
    return secrets.token_hex(8)


def random_code() -> str:
    """Return a completion code that is easy to copy by hand, such as K7QF-2MXR-9TBD."""
    return "-".join("".join(secrets.choice(CODE_LETTERS) for _ in range(4)) for _ in range(3))


class Base(DeclarativeBase):
    """The tables; constraints have names, so that migrations can change them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012
        str: Text(NAME_LENGTH),
        datetime: UtcDateTime,
        dict[str, Any]: Json,
    }


class Worker(Base):
    """A person.

    Attributes:
        id: Random, and known to the server only.
        pseudonym: What exports carry.
        created: When the person came first.
    """

    __tablename__ = "workers"

    id: Mapped[int] = mapped_column(Id, primary_key=True, default=random_number)
    pseudonym: Mapped[str] = mapped_column(unique=True, default=random_pseudonym)
    created: Mapped[datetime] = mapped_column(default=utc_now)


class Project(Base):
    """A family of tasks over episodes.

    Attributes:
        id: Number.
        name: Its name in addresses.
        family: Such as "play", "touchdown" or "refer360".
        settings: Settings of its tasks; assign a new object to change them.
        open: Whether everybody may do every unit any number of times, as in play. Such units have no slots.
        created: When it was created.
    """

    __tablename__ = "projects"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    family: Mapped[str]
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)
    open: Mapped[bool] = mapped_column(default=False)
    created: Mapped[datetime] = mapped_column(default=utc_now)


class Unit(Base):
    """One piece of work.

    Attributes:
        id: Number; of units of one priority, the lowest is given out first.
        project_id: Its project.
        kind: The task, such as "touchdown/writing".
        payload: Its content; it may hold the target, so it never goes to a browser as it is.
        slots: How many answers are wanted, each of another worker.
        writer_id: The worker whose text it shows, who never gets it.
        parent_id: The unit it follows from.
        closed: Whether it is given out no longer; so when all answers are there.
        priority: Units of higher priority are given out first.
        created: When it was added.
    """

    __tablename__ = "units"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    kind: Mapped[str]
    payload: Mapped[dict[str, Any]] = mapped_column(default=dict)
    slots: Mapped[int] = mapped_column(default=1)
    writer_id: Mapped[int | None] = mapped_column(ForeignKey("workers.id"))
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("units.id"), index=True)
    closed: Mapped[bool] = mapped_column(default=False)
    priority: Mapped[int] = mapped_column(default=0)
    created: Mapped[datetime] = mapped_column(default=utc_now)

    __table_args__ = (
        CheckConstraint("slots >= 1", name="slots"),
        # The order of `claim`, in all kinds and in one.
        Index("ix_units_queue", "project_id", "closed", desc("priority"), "id"),
        Index("ix_units_queue_of_kind", "project_id", "kind", "closed", desc("priority"), "id"),
    )


_ACTIVE = text("state = 'active'")


class Attempt(Base):
    """One worker on one unit.

    Attributes:
        id: Random, because it stands in addresses.
        unit_id: The unit.
        worker_id: The worker.
        round: 0 in work; in open projects the same worker comes again.
        token: Shows that a request comes from the page of this attempt.
        state: "active", "submitted", "expired" (the slot was taken back), or "returned" (by the worker).
        lease_seconds: How long the slot is kept after a sign of life.
        expires: When the slot may be given to somebody else.
        started: When the worker got the unit first.
        finished: When the answer was submitted or the unit returned.
    """

    __tablename__ = "attempts"

    id: Mapped[str] = mapped_column(Text(32), primary_key=True, default=random_id)
    unit_id: Mapped[int] = mapped_column(ForeignKey("units.id"))
    worker_id: Mapped[int] = mapped_column(ForeignKey("workers.id"), index=True)
    round: Mapped[int] = mapped_column(default=0)
    token: Mapped[str] = mapped_column(Text(32), default=random_id)
    state: Mapped[AttemptState] = mapped_column(Text(16), default="active")
    lease_seconds: Mapped[int] = mapped_column(default=600)
    expires: Mapped[datetime]
    started: Mapped[datetime] = mapped_column(default=utc_now)
    finished: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("unit_id", "worker_id", "round"),
        CheckConstraint("state IN ('active', 'submitted', 'expired', 'returned')", name="state"),
        Index("ix_attempts_active", "expires", sqlite_where=_ACTIVE, postgresql_where=_ACTIVE),
    )


_FREE = text("attempt_id IS NULL")
_TAKEN = text("attempt_id IS NOT NULL")


class Slot(Base):
    """Room for one answer of a unit.

    Attributes:
        id: Number.
        unit_id: The unit.
        number: 0, 1, ... within the unit.
        attempt_id: The attempt that holds it: an active one, or the one that submitted. None if it is free.
        done: Whether it has its answer.
    """

    __tablename__ = "slots"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    unit_id: Mapped[int] = mapped_column(ForeignKey("units.id"))
    number: Mapped[int]
    attempt_id: Mapped[str | None] = mapped_column(Text(32), ForeignKey("attempts.id"))
    done: Mapped[bool] = mapped_column(default=False)

    __table_args__ = (
        UniqueConstraint("unit_id", "number"),
        CheckConstraint("NOT done OR attempt_id IS NOT NULL", name="done"),
        # Of two indices, since SQLite would look for free slots in one of all, and sort what it finds.
        Index("uq_slots_attempt_id", "attempt_id", unique=True, sqlite_where=_TAKEN, postgresql_where=_TAKEN),
        Index("ix_slots_free", "unit_id", sqlite_where=_FREE, postgresql_where=_FREE),
    )


class Event(Base):
    """One recorded action of an attempt.

    Attributes:
        id: Number.
        attempt_id: The attempt.
        number: 0, 1, 2, ... within the attempt.
        kind: What the person did.
        data: What the browser sent.
        result: What the task answered.
        time: When it was stored.
    """

    __tablename__ = "events"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    attempt_id: Mapped[str] = mapped_column(Text(32), ForeignKey("attempts.id"))
    number: Mapped[int]
    kind: Mapped[str]
    data: Mapped[dict[str, Any]]
    result: Mapped[dict[str, Any]]
    time: Mapped[datetime] = mapped_column(default=utc_now)

    __table_args__ = (UniqueConstraint("attempt_id", "number"),)


class Answer(Base):
    """What a submitted attempt left.

    Attributes:
        id: Number, in the order of submission.
        attempt_id: The attempt.
        unit_id: Its unit.
        worker_id: Its worker.
        key: The idempotency key of the request that submitted it.
        code: The completion code.
        data: The content, with the trace and the judgement.
        feedback: What the browser was told.
        accepted: Whether it meets the rules of the task.
        created: When it was stored.
    """

    __tablename__ = "answers"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    attempt_id: Mapped[str] = mapped_column(Text(32), ForeignKey("attempts.id"), unique=True)
    unit_id: Mapped[int] = mapped_column(ForeignKey("units.id"), index=True)
    worker_id: Mapped[int] = mapped_column(ForeignKey("workers.id"), index=True)
    key: Mapped[str]
    code: Mapped[str] = mapped_column(Text(32), unique=True, default=random_code)
    data: Mapped[dict[str, Any]]
    feedback: Mapped[dict[str, Any]]
    accepted: Mapped[bool]
    created: Mapped[datetime] = mapped_column(default=utc_now)
