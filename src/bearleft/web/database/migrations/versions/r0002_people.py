"""Create consent, withdrawals, identities, sessions of platforms, the ledger and batches of payments.

Revision ID: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
NAME = sa.String(200)
TIME = sa.DateTime(timezone=True)


def _reference(name: str, table: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([name], [f"{target}.id"], name=f"fk_{table}_{name}")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "consent_texts",
        sa.Column("id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("created", TIME, nullable=False),
        _reference("project_id", "consent_texts", "projects"),
        sa.PrimaryKeyConstraint("id", name="pk_consent_texts"),
        sa.UniqueConstraint("project_id", "number", name="uq_consent_texts_project_id_number"),
    )
    op.create_table(
        "consents",
        sa.Column("id", ID, nullable=False),
        sa.Column("worker_id", ID, nullable=False),
        sa.Column("text_id", ID, nullable=False),
        sa.Column("created", TIME, nullable=False),
        _reference("worker_id", "consents", "workers"),
        _reference("text_id", "consents", "consent_texts"),
        sa.PrimaryKeyConstraint("id", name="pk_consents"),
        sa.UniqueConstraint("worker_id", "text_id", name="uq_consents_worker_id_text_id"),
    )
    op.create_table(
        "withdrawals",
        sa.Column("id", ID, nullable=False),
        sa.Column("worker_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("kept", sa.Boolean(), nullable=False),
        sa.Column("created", TIME, nullable=False),
        _reference("worker_id", "withdrawals", "workers"),
        _reference("project_id", "withdrawals", "projects"),
        sa.PrimaryKeyConstraint("id", name="pk_withdrawals"),
        sa.UniqueConstraint("worker_id", "project_id", name="uq_withdrawals_worker_id_project_id"),
    )
    op.create_table(
        "identities",
        sa.Column("id", ID, nullable=False),
        sa.Column("worker_id", ID, nullable=False),
        sa.Column("platform", sa.String(16), nullable=False),
        sa.Column("participant", sa.String(64), nullable=False),
        sa.Column("created", TIME, nullable=False),
        _reference("worker_id", "identities", "workers"),
        sa.PrimaryKeyConstraint("id", name="pk_identities"),
        sa.UniqueConstraint("platform", "participant", name="uq_identities_platform_participant"),
    )
    op.create_index("ix_identities_worker_id", "identities", ["worker_id"])
    op.create_table(
        "platform_sessions",
        sa.Column("id", ID, nullable=False),
        sa.Column("identity_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("session", sa.String(64), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("started", TIME, nullable=False),
        sa.Column("finished", TIME, nullable=True),
        _reference("identity_id", "platform_sessions", "identities"),
        _reference("project_id", "platform_sessions", "projects"),
        sa.PrimaryKeyConstraint("id", name="pk_platform_sessions"),
        sa.UniqueConstraint(
            "identity_id", "project_id", "session", name="uq_platform_sessions_identity_id_project_id_session"
        ),
    )
    op.create_index("ix_platform_sessions_project_id", "platform_sessions", ["project_id"])
    op.create_table(
        "payment_batches",
        sa.Column("id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("platform", sa.String(16), nullable=False),
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("created", TIME, nullable=False),
        sa.CheckConstraint("state IN ('recorded', 'written')", name=op.f("ck_payment_batches_state")),
        _reference("project_id", "payment_batches", "projects"),
        sa.PrimaryKeyConstraint("id", name="pk_payment_batches"),
    )
    op.create_index("ix_payment_batches_project_id", "payment_batches", ["project_id"])
    op.create_table(
        "ledger",
        sa.Column("id", ID, nullable=False),
        sa.Column("key", NAME, nullable=False),
        sa.Column("worker_id", ID, nullable=True),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("reason", sa.String(64), nullable=False),
        sa.Column("unit_id", ID, nullable=True),
        sa.Column("cents", sa.Integer(), nullable=False),
        sa.Column("batch_id", ID, nullable=True),
        sa.Column("created", TIME, nullable=False),
        sa.CheckConstraint("cents >= 0", name=op.f("ck_ledger_cents")),
        _reference("worker_id", "ledger", "workers"),
        _reference("project_id", "ledger", "projects"),
        _reference("batch_id", "ledger", "payment_batches"),
        sa.PrimaryKeyConstraint("id", name="pk_ledger"),
        sa.UniqueConstraint("key", name="uq_ledger_key"),
    )
    for column in ("worker_id", "project_id", "batch_id"):
        op.create_index(f"ix_ledger_{column}", "ledger", [column])


def downgrade() -> None:
    """Remove the tables."""
    for table in (
        "ledger",
        "payment_batches",
        "platform_sessions",
        "identities",
        "withdrawals",
        "consents",
        "consent_texts",
    ):
        op.drop_table(table)
