"""Create accounts of admins, their sessions, the audit log, decisions on answers, and closed projects.

Revision ID: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
NAME = sa.String(200)
TIME = sa.DateTime(timezone=True)
REFUSAL = "the audit log is only added to"


def _reference(name: str, table: str, target: str, **options: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([name], [f"{target}.id"], name=f"fk_{table}_{name}", **options)  # type: ignore[arg-type]


def upgrade() -> None:
    """Create the tables, and let the database refuse changes of the audit log."""
    op.create_table(
        "admins",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", NAME, nullable=False),
        sa.Column("password", sa.String(300), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("created", TIME, nullable=False),
        sa.CheckConstraint("role IN ('viewer', 'reviewer', 'owner')", name=op.f("ck_admins_role")),
        sa.PrimaryKeyConstraint("id", name="pk_admins"),
        sa.UniqueConstraint("name", name="uq_admins_name"),
    )
    op.create_table(
        "admin_sessions",
        sa.Column("id", ID, nullable=False),
        sa.Column("admin_id", ID, nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("form_token", sa.String(64), nullable=False),
        sa.Column("created", TIME, nullable=False),
        sa.Column("expires", TIME, nullable=False),
        _reference("admin_id", "admin_sessions", "admins"),
        sa.PrimaryKeyConstraint("id", name="pk_admin_sessions"),
        sa.UniqueConstraint("token_hash", name="uq_admin_sessions_token_hash"),
    )
    op.create_index("ix_admin_sessions_admin_id", "admin_sessions", ["admin_id"])
    op.create_table(
        "sign_in_delays",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("last", TIME, nullable=False),
        sa.Column("until", TIME, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_sign_in_delays"),
    )
    op.create_index("ix_sign_in_delays_last", "sign_in_delays", ["last"])
    op.create_table(
        "audit_log",
        sa.Column("id", ID, nullable=False),
        sa.Column("time", TIME, nullable=False),
        sa.Column("who", NAME, nullable=False),
        sa.Column("action", NAME, nullable=False),
        sa.Column("subject", NAME, nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_log"),
    )
    op.create_table(
        "decisions",
        sa.Column("id", ID, nullable=False),
        sa.Column("answer_id", ID, nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(1000), nullable=False),
        sa.Column("who", NAME, nullable=False),
        sa.Column("created", TIME, nullable=False),
        _reference("answer_id", "decisions", "answers", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_decisions"),
    )
    op.create_index("ix_decisions_answer_id", "decisions", ["answer_id", "id"])
    op.create_table(
        "closed_projects",
        sa.Column("project_id", ID, nullable=False, autoincrement=False),
        sa.Column("created", TIME, nullable=False),
        _reference("project_id", "closed_projects", "projects"),
        sa.PrimaryKeyConstraint("project_id", name="pk_closed_projects"),
    )
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_log_no_{change.lower()} BEFORE {change} ON audit_log "
                f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_log_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
    )


def downgrade() -> None:
    """Remove the tables."""
    for table in ("closed_projects", "decisions", "audit_log", "sign_in_delays", "admin_sessions", "admins"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION refuse_audit_change()")
