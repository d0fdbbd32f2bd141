"""Create workers, projects, units with slots, attempts, events and answers.

Revision ID: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
NAME = sa.String(200)
TIME = sa.DateTime(timezone=True)
ACTIVE = sa.text("state = 'active'")
TAKEN = sa.text("attempt_id IS NOT NULL")
FREE = sa.text("attempt_id IS NULL")


def _reference(name: str, table: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([name], [f"{target}.id"], name=f"fk_{table}_{name}")


def upgrade() -> None:
    """Create all tables."""
    op.create_table(
        "workers",
        sa.Column("id", ID, nullable=False),
        sa.Column("pseudonym", NAME, nullable=False),
        sa.Column("created", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workers"),
        sa.UniqueConstraint("pseudonym", name="uq_workers_pseudonym"),
    )
    op.create_table(
        "projects",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", NAME, nullable=False),
        sa.Column("family", NAME, nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("open", sa.Boolean(), nullable=False),
        sa.Column("created", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
        sa.UniqueConstraint("name", name="uq_projects_name"),
    )
    op.create_table(
        "units",
        sa.Column("id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("kind", NAME, nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("writer_id", ID, nullable=True),
        sa.Column("parent_id", ID, nullable=True),
        sa.Column("closed", sa.Boolean(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("created", TIME, nullable=False),
        sa.CheckConstraint("slots >= 1", name=op.f("ck_units_slots")),
        _reference("project_id", "units", "projects"),
        _reference("writer_id", "units", "workers"),
        _reference("parent_id", "units", "units"),
        sa.PrimaryKeyConstraint("id", name="pk_units"),
    )
    op.create_index("ix_units_parent_id", "units", ["parent_id"])
    order: list[str | sa.TextClause] = ["closed", sa.text("priority DESC"), "id"]
    op.create_index("ix_units_queue", "units", ["project_id", *order])
    op.create_index("ix_units_queue_of_kind", "units", ["project_id", "kind", *order])
    op.create_table(
        "attempts",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("unit_id", ID, nullable=False),
        sa.Column("worker_id", ID, nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(32), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("lease_seconds", sa.Integer(), nullable=False),
        sa.Column("expires", TIME, nullable=False),
        sa.Column("started", TIME, nullable=False),
        sa.Column("finished", TIME, nullable=True),
        sa.CheckConstraint("state IN ('active', 'submitted', 'expired', 'returned')", name=op.f("ck_attempts_state")),
        _reference("unit_id", "attempts", "units"),
        _reference("worker_id", "attempts", "workers"),
        sa.PrimaryKeyConstraint("id", name="pk_attempts"),
        sa.UniqueConstraint("unit_id", "worker_id", "round", name="uq_attempts_unit_id_worker_id_round"),
    )
    op.create_index("ix_attempts_worker_id", "attempts", ["worker_id"])
    op.create_index("ix_attempts_active", "attempts", ["expires"], sqlite_where=ACTIVE, postgresql_where=ACTIVE)
    op.create_table(
        "slots",
        sa.Column("id", ID, nullable=False),
        sa.Column("unit_id", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("attempt_id", sa.String(32), nullable=True),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.CheckConstraint("NOT done OR attempt_id IS NOT NULL", name=op.f("ck_slots_done")),
        _reference("unit_id", "slots", "units"),
        _reference("attempt_id", "slots", "attempts"),
        sa.PrimaryKeyConstraint("id", name="pk_slots"),
        sa.UniqueConstraint("unit_id", "number", name="uq_slots_unit_id_number"),
    )
    op.create_index(
        "uq_slots_attempt_id", "slots", ["attempt_id"], unique=True, sqlite_where=TAKEN, postgresql_where=TAKEN
    )
    op.create_index("ix_slots_free", "slots", ["unit_id"], sqlite_where=FREE, postgresql_where=FREE)
    op.create_table(
        "events",
        sa.Column("id", ID, nullable=False),
        sa.Column("attempt_id", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", NAME, nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("time", TIME, nullable=False),
        _reference("attempt_id", "events", "attempts"),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sa.UniqueConstraint("attempt_id", "number", name="uq_events_attempt_id_number"),
    )
    op.create_table(
        "answers",
        sa.Column("id", ID, nullable=False),
        sa.Column("attempt_id", sa.String(32), nullable=False),
        sa.Column("unit_id", ID, nullable=False),
        sa.Column("worker_id", ID, nullable=False),
        sa.Column("key", NAME, nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("feedback", sa.JSON(), nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column("created", TIME, nullable=False),
        _reference("attempt_id", "answers", "attempts"),
        _reference("unit_id", "answers", "units"),
        _reference("worker_id", "answers", "workers"),
        sa.PrimaryKeyConstraint("id", name="pk_answers"),
        sa.UniqueConstraint("attempt_id", name="uq_answers_attempt_id"),
        sa.UniqueConstraint("code", name="uq_answers_code"),
    )
    op.create_index("ix_answers_unit_id", "answers", ["unit_id"])
    op.create_index("ix_answers_worker_id", "answers", ["worker_id"])


def downgrade() -> None:
    """Remove all tables."""
    for table in ("answers", "events", "slots", "attempts", "units", "projects", "workers"):
        op.drop_table(table)
