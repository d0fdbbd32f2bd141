"""The tables of the admin part: accounts, their sessions, the audit log, decisions on answers, and closed projects."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import DDL, CheckConstraint, ForeignKey, Index, event
from sqlalchemy.orm import Mapped, mapped_column

from bearleft.web.database.models import Base, Id
from bearleft.web.database.values import Text, utc_now

REASON_LENGTH = 1000  # characters


class Admin(Base):
    """An account of somebody who runs a study.

    Attributes:
        id: Number.
        name: What is typed to sign in.
        password: The hash of the password, by argon2.
        role: "viewer", "reviewer" or "owner".
        disabled: Whether nobody can sign in with it.
        created: When it was added.
    """

    __tablename__ = "admins"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    password: Mapped[str] = mapped_column(Text(300))
    role: Mapped[str] = mapped_column(Text(16))
    disabled: Mapped[bool] = mapped_column(default=False)
    created: Mapped[datetime] = mapped_column(default=utc_now)

    __table_args__ = (CheckConstraint("role IN ('viewer', 'reviewer', 'owner')", name="role"),)


class AdminSession(Base):
    """A browser that is signed in.

    Attributes:
        id: Number.
        admin_id: The account.
        token_hash: SHA-256 of the token in the cookie, so that a copy of the database signs nobody in.
        form_token: What each form of the session carries; a page of another site does not know it.
        created: When the browser signed in.
        expires: When the session ends.
    """

    __tablename__ = "admin_sessions"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    admin_id: Mapped[int] = mapped_column(ForeignKey("admins.id"), index=True)
    token_hash: Mapped[str] = mapped_column(Text(64), unique=True)
    form_token: Mapped[str] = mapped_column(Text(64))
    created: Mapped[datetime] = mapped_column(default=utc_now)
    expires: Mapped[datetime]


class SignInDelay(Base):
    """How long an account or an address has to wait after failures to sign in.

    Attributes:
        key: SHA-256 of the account's name or of the address.
        failures: Failures in a row.
        last: When the last one was.
        until: Until when nobody may try again.
    """

    __tablename__ = "sign_in_delays"

    key: Mapped[str] = mapped_column(Text(64), primary_key=True)
    failures: Mapped[int] = mapped_column(default=0)
    last: Mapped[datetime] = mapped_column(index=True)
    until: Mapped[datetime]


class AuditEntry(Base):
    """One line of the audit log, which the database itself refuses to change.

    Attributes:
        id: Number.
        time: When it happened.
        who: The name of the account, or "command line".
        action: What was done, such as "sign in" or "reject".
        subject: What it was done to, such as "answer 12".
        details: More of it.
    """

    __tablename__ = "audit_log"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    time: Mapped[datetime] = mapped_column(default=utc_now)
    who: Mapped[str]
    action: Mapped[str]
    subject: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column(default=dict)


class Decision(Base):
    """What a reviewer decided on an answer; the last one counts. The answer itself stays as it is.

    Attributes:
        id: Number.
        answer_id: The answer.
        accepted: Whether it is accepted.
        reason: What the worker is told if not.
        who: The name of the reviewer's account, or "command line".
        created: When it was decided.
    """

    __tablename__ = "decisions"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    answer_id: Mapped[int] = mapped_column(ForeignKey("answers.id", ondelete="CASCADE"))
    accepted: Mapped[bool]
    reason: Mapped[str] = mapped_column(Text(REASON_LENGTH), default="")
    who: Mapped[str]
    created: Mapped[datetime] = mapped_column(default=utc_now)

    __table_args__ = (Index("ix_decisions_answer_id", "answer_id", "id"),)


class ClosedProject(Base):
    """A project that is closed: nobody gets units of it. What was begun can be finished.

    Attributes:
        project_id: The project.
        created: When it was closed.
    """

    __tablename__ = "closed_projects"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True, autoincrement=False)
    created: Mapped[datetime] = mapped_column(default=utc_now)


_REFUSAL = "the audit log is only added to"
for _change in ("UPDATE", "DELETE"):
    event.listen(
        AuditEntry.__table__,
        "after_create",
        DDL(  # type: ignore[no-untyped-call]
            f"CREATE TRIGGER audit_log_no_{_change.lower()} BEFORE {_change} ON audit_log "
            f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
        ).execute_if(dialect="sqlite"),
    )
event.listen(
    AuditEntry.__table__,
    "after_create",
    DDL(  # type: ignore[no-untyped-call]
        "CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
    ).execute_if(dialect="postgresql"),
)
event.listen(
    AuditEntry.__table__,
    "after_create",
    DDL(  # type: ignore[no-untyped-call]
        "CREATE TRIGGER audit_log_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
    ).execute_if(dialect="postgresql"),
)
