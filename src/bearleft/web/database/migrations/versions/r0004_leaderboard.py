"""Create tracks, teams, invitations, tokens, submissions, files, figures and the log of the leaderboard.

Revision ID: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
NAME = sa.String(200)
TIME = sa.DateTime(timezone=True)
REFUSAL = "the log of the leaderboard is only added to"
WAITING = sa.text("state IN ('queued', 'scoring')")
MEAN = sa.text("seed IS NULL")


def _reference(name: str, table: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([name], [f"{target}.id"], name=f"fk_{table}_{name}")


def upgrade() -> None:
    """Create the tables, and let the database refuse changes of the log."""
    _create_tracks()
    _create_teams()
    _create_submissions()
    _create_figures()
    _create_log()


def _create_tracks() -> None:
    op.create_table(
        "leaderboard_tracks",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("title", NAME, nullable=False),
        sa.Column("description", sa.String(4000), nullable=False),
        sa.Column("dataset", NAME, nullable=False),
        sa.Column("split", NAME, nullable=False),
        sa.Column("convention", sa.String(64), nullable=False),
        sa.Column("measures", sa.JSON(), nullable=False),
        sa.Column("primary_measure", sa.String(64), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("decimals", sa.Integer(), nullable=True),
        sa.Column("daily_limit", sa.Integer(), nullable=False),
        sa.Column("total_limit", sa.Integer(), nullable=False),
        sa.Column("max_bytes", ID, nullable=False),
        sa.Column("max_files", sa.Integer(), nullable=False),
        sa.Column("time_limit_s", sa.Integer(), nullable=False),
        sa.Column("memory_limit_mb", sa.Integer(), nullable=False),
        sa.Column("answers_folder", sa.String(500), nullable=False),
        sa.Column("entrants_archive", sa.String(500), nullable=True),
        sa.Column("dataset_sha256", sa.String(64), nullable=False),
        sa.Column("package_version", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.CheckConstraint("state IN ('draft', 'open', 'closed')", name=op.f("ck_leaderboard_tracks_state")),
        sa.PrimaryKeyConstraint("id", name="pk_leaderboard_tracks"),
        sa.UniqueConstraint("name", name="uq_leaderboard_tracks_name"),
    )


def _create_teams() -> None:
    op.create_table(
        "leaderboard_teams",
        sa.Column("id", ID, nullable=False),
        sa.Column("public_id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("name_key", NAME, nullable=False),
        sa.Column("affiliation", NAME, nullable=False),
        sa.Column("builtin", sa.Boolean(), nullable=False),
        sa.Column("disabled_at", TIME, nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_leaderboard_teams"),
        sa.UniqueConstraint("public_id", name="uq_leaderboard_teams_public_id"),
        sa.UniqueConstraint("name_key", name="uq_leaderboard_teams_name_key"),
    )
    op.create_table(
        "leaderboard_invitations",
        sa.Column("id", ID, nullable=False),
        sa.Column("code_sha256", sa.String(64), nullable=False),
        sa.Column("team_id", ID, nullable=True),
        sa.Column("note", NAME, nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.CheckConstraint("uses_left >= 0", name=op.f("ck_leaderboard_invitations_uses_left")),
        _reference("team_id", "leaderboard_invitations", "leaderboard_teams"),
        sa.PrimaryKeyConstraint("id", name="pk_leaderboard_invitations"),
        sa.UniqueConstraint("code_sha256", name="uq_leaderboard_invitations_code_sha256"),
    )
    op.create_index("ix_leaderboard_invitations_team_id", "leaderboard_invitations", ["team_id"])
    op.create_table(
        "leaderboard_tokens",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("label", NAME, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("revoked_at", TIME, nullable=True),
        sa.Column("last_used_at", TIME, nullable=True),
        _reference("team_id", "leaderboard_tokens", "leaderboard_teams"),
        sa.PrimaryKeyConstraint("id", name="pk_leaderboard_tokens"),
        sa.UniqueConstraint("sha256", name="uq_leaderboard_tokens_sha256"),
    )
    op.create_index("ix_leaderboard_tokens_team_id", "leaderboard_tokens", ["team_id"])
    op.create_table(
        "leaderboard_sessions",
        sa.Column("id", ID, nullable=False),
        sa.Column("token_id", ID, nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("form_token", sa.String(64), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        _reference("token_id", "leaderboard_sessions", "leaderboard_tokens"),
        sa.PrimaryKeyConstraint("id", name="pk_leaderboard_sessions"),
        sa.UniqueConstraint("token_hash", name="uq_leaderboard_sessions_token_hash"),
    )
    op.create_index("ix_leaderboard_sessions_token_id", "leaderboard_sessions", ["token_id"])


def _create_submissions() -> None:
    table = "leaderboard_submissions"
    op.create_table(
        table,
        sa.Column("id", ID, nullable=False),
        sa.Column("public_id", sa.String(32), nullable=False),
        sa.Column("track_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("title", sa.String(80), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("cost", sa.String(80), nullable=False),
        sa.Column("code_url", sa.String(500), nullable=False),
        sa.Column("paper_url", sa.String(500), nullable=False),
        sa.Column("note", sa.String(4000), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_owner", NAME, nullable=True),
        sa.Column("lease_token", sa.String(32), nullable=True),
        sa.Column("lease_until", TIME, nullable=True),
        sa.Column("error_code", sa.String(64), nullable=False),
        sa.Column("error_text", sa.String(500), nullable=False),
        sa.Column("scored_at", TIME, nullable=True),
        sa.Column("package_version", sa.String(64), nullable=True),
        sa.Column("published_at", TIME, nullable=True),
        sa.Column("withdrawn_at", TIME, nullable=True),
        sa.Column("hidden_at", TIME, nullable=True),
        sa.CheckConstraint("state IN ('queued', 'scoring', 'scored', 'failed')", name=op.f(f"ck_{table}_state")),
        _reference("track_id", table, "leaderboard_tracks"),
        _reference("team_id", table, "leaderboard_teams"),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
        sa.UniqueConstraint("public_id", name=f"uq_{table}_public_id"),
        sa.UniqueConstraint("team_id", "key", name=f"uq_{table}_team_id_key"),
    )
    op.create_index(f"ix_{table}_track_id", table, ["track_id"])
    op.create_index(f"ix_{table}_quota", table, ["team_id", "track_id", "day"])
    op.create_index(f"ix_{table}_queue", table, ["id"], sqlite_where=WAITING, postgresql_where=WAITING)
    op.create_table(
        "leaderboard_files",
        sa.Column("id", ID, nullable=False),
        sa.Column("submission_id", ID, nullable=False),
        sa.Column("seed", ID, nullable=False),
        sa.Column("path", sa.String(500), nullable=False),
        sa.Column("bytes", ID, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("traces", sa.Integer(), nullable=False),
        _reference("submission_id", "leaderboard_files", table),
        sa.PrimaryKeyConstraint("id", name="pk_leaderboard_files"),
        sa.UniqueConstraint("submission_id", "seed", name="uq_leaderboard_files_submission_id_seed"),
    )


def _create_figures() -> None:
    names = ["submission_id", "convention", "metric"]
    op.create_table(
        "leaderboard_figures",
        sa.Column("id", ID, nullable=False),
        sa.Column("submission_id", ID, nullable=False),
        sa.Column("convention", sa.String(64), nullable=False),
        sa.Column("metric", sa.String(64), nullable=False),
        sa.Column("seed", ID, nullable=True),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.Column("count", sa.Integer(), nullable=False),
        _reference("submission_id", "leaderboard_figures", "leaderboard_submissions"),
        sa.PrimaryKeyConstraint("id", name="pk_leaderboard_figures"),
        sa.UniqueConstraint(*names, "seed", name="uq_leaderboard_figures_submission_id_convention_metric_seed"),
    )
    op.create_index(
        "uq_leaderboard_figures_mean",
        "leaderboard_figures",
        names,
        unique=True,
        sqlite_where=MEAN,
        postgresql_where=MEAN,
    )
    op.create_table(
        "leaderboard_values",
        sa.Column("submission_id", ID, nullable=False),
        sa.Column("convention", sa.String(64), nullable=False),
        sa.Column("metric", sa.String(64), nullable=False),
        sa.Column("values", sa.LargeBinary(), nullable=False),
        _reference("submission_id", "leaderboard_values", "leaderboard_submissions"),
        sa.PrimaryKeyConstraint(*names, name="pk_leaderboard_values"),
    )


def _create_log() -> None:
    table = "leaderboard_events"
    references = {"track_id": "tracks", "team_id": "teams", "submission_id": "submissions"}
    op.create_table(
        table,
        sa.Column("id", ID, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("actor", NAME, nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        *(sa.Column(name, ID, nullable=True) for name in references),
        sa.Column("details", sa.JSON(), nullable=False),
        *(_reference(name, table, f"leaderboard_{target}") for name, target in references.items()),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
    )
    for name in references:
        op.create_index(f"ix_{table}_{name}", table, [name])
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION refuse_leaderboard_change() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_leaderboard_change()"
    )


def downgrade() -> None:
    """Remove the tables."""
    tables = "events values figures files submissions sessions tokens invitations teams tracks"
    for table in tables.split():
        op.drop_table(f"leaderboard_{table}")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION refuse_leaderboard_change()")
