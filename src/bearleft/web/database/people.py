"""The tables of people: texts of consent and who agreed to them, withdrawals, and who somebody is on a platform.

Ids of platforms stand here and nowhere else; answers and exports know workers by their pseudonyms only.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from bearleft.web.database.models import Base, Id, random_code
from bearleft.web.database.values import Text, utc_now


class ConsentText(Base):
    """A version of the text that people agree to before they work in a project.

    Attributes:
        id: Number.
        project_id: The project.
        number: 1, 2, ... within the project; the highest is the current one.
        sha256: Hash of the text.
        text: The text.
        created: When it was added.
    """

    __tablename__ = "consent_texts"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    number: Mapped[int]
    sha256: Mapped[str] = mapped_column(Text(64))
    text: Mapped[str] = mapped_column(Text())
    created: Mapped[datetime] = mapped_column(default=utc_now)

    __table_args__ = (UniqueConstraint("project_id", "number"),)


class Consent(Base):
    """A worker has agreed to a version.

    Attributes:
        id: Number.
        worker_id: The worker.
        text_id: The version.
        created: When the worker agreed.
    """

    __tablename__ = "consents"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    worker_id: Mapped[int] = mapped_column(ForeignKey("workers.id"))
    text_id: Mapped[int] = mapped_column(ForeignKey("consent_texts.id"))
    created: Mapped[datetime] = mapped_column(default=utc_now)

    __table_args__ = (UniqueConstraint("worker_id", "text_id"),)


class Withdrawal(Base):
    """A worker has left a project, and gets no units of it any more.

    Attributes:
        id: Number.
        worker_id: The worker.
        project_id: The project.
        kept: Whether the answers stay.
        created: When the worker left.
    """

    __tablename__ = "withdrawals"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    worker_id: Mapped[int] = mapped_column(ForeignKey("workers.id"))
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    kept: Mapped[bool]
    created: Mapped[datetime] = mapped_column(default=utc_now)

    __table_args__ = (UniqueConstraint("worker_id", "project_id"),)


class Identity(Base):
    """Who a worker is on a platform.

    Attributes:
        id: Number.
        worker_id: The worker.
        platform: "prolific" or "mturk".
        participant: The id there.
        created: When the person came from there first.
    """

    __tablename__ = "identities"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    worker_id: Mapped[int] = mapped_column(ForeignKey("workers.id"), index=True)
    platform: Mapped[str] = mapped_column(Text(16))
    participant: Mapped[str] = mapped_column(Text(64))
    created: Mapped[datetime] = mapped_column(default=utc_now)

    __table_args__ = (UniqueConstraint("platform", "participant"),)


class PlatformSession(Base):
    """A submission on Prolific, or an assignment on MTurk.

    Attributes:
        id: Number.
        identity_id: The person.
        project_id: The project.
        study: The study on Prolific, or the HIT on MTurk.
        session: The submission, or the assignment.
        code: A code that MTurk gets with the assignment, so that both can be compared.
        started: When the person came.
        finished: When all that was asked for was stored; from then on the person may complete the submission.
    """

    __tablename__ = "platform_sessions"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    identity_id: Mapped[int] = mapped_column(ForeignKey("identities.id"))
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    study: Mapped[str] = mapped_column(Text(64))
    session: Mapped[str] = mapped_column(Text(64))
    code: Mapped[str] = mapped_column(Text(32), default=random_code)
    started: Mapped[datetime] = mapped_column(default=utc_now)
    finished: Mapped[datetime | None]

    __table_args__ = (UniqueConstraint("identity_id", "project_id", "session"),)
