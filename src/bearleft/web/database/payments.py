"""The tables of payments: a ledger of what was earned, and the batches in which it is paid."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from bearleft.web.database.models import Base, Id
from bearleft.web.database.values import Text, utc_now

BatchState = Literal["recorded", "written"]


class PaymentBatch(Base):
    """Amounts that are paid together.

    Attributes:
        id: Number.
        project_id: The project.
        platform: "prolific", "mturk", or "direct": by pseudonyms.
        study: The study on Prolific; bonuses are paid within one study. Empty elsewhere.
        state: "recorded", and "written" when its file is complete.
        created: When it was recorded. Its amounts are never in another batch.
    """

    __tablename__ = "payment_batches"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    platform: Mapped[str] = mapped_column(Text(16))
    study: Mapped[str] = mapped_column(Text(64), default="")
    state: Mapped[BatchState] = mapped_column(Text(16), default="recorded")
    created: Mapped[datetime] = mapped_column(default=utc_now)

    __table_args__ = (CheckConstraint("state IN ('recorded', 'written')", name="state"),)


class LedgerEntry(Base):
    """An amount that was earned, once for each key.

    Attributes:
        id: Number.
        key: Worker, reason and unit; random when the worker was deleted.
        worker_id: Who earned it; None when the worker was deleted.
        project_id: The project.
        reason: What it is for, such as "base" or "writer bonus".
        unit_id: The unit, which may have been deleted since; None where it is for several.
        cents: The amount.
        batch_id: The batch in which it is paid; None while it is owed.
        created: When it was booked.
    """

    __tablename__ = "ledger"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    worker_id: Mapped[int | None] = mapped_column(ForeignKey("workers.id"), index=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    reason: Mapped[str] = mapped_column(Text(64))
    unit_id: Mapped[int | None] = mapped_column(Id)
    cents: Mapped[int]
    batch_id: Mapped[int | None] = mapped_column(ForeignKey("payment_batches.id"), index=True)
    created: Mapped[datetime] = mapped_column(default=utc_now)

    __table_args__ = (CheckConstraint("cents >= 0", name="cents"),)
