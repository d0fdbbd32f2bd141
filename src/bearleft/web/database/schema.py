"""Bring the tables of a database to a revision of `migrations/`, and tell whether they are the application's."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from bearleft.errors import InputError
from bearleft.web.database import admins as admins  # its tables belong to Base.metadata
from bearleft.web.database import leaderboard as leaderboard
from bearleft.web.database import payments as payments  # its tables belong to Base.metadata
from bearleft.web.database import people as people
from bearleft.web.database.models import Base

VERSION_TABLE = "bearleft_version"  # other applications in the same database may have an `alembic_version`
_LOCK = 0x6265_6172  # of PostgreSQL's advisory locks: one process migrates at a time


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    folder = Path(__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def head() -> str:
    """Return the newest revision of the tables."""
    revision = ScriptDirectory.from_config(_config()).get_current_head()
    assert revision is not None
    return revision


def current(connection: Connection) -> str | None:
    """Return the revision of a database; None if it has no tables yet.

    Raises:
        InputError: The database belongs to a newer version of bearleft or to another program.
    """
    revision = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()
    if revision is None:
        tables = set(inspect(connection).get_table_names()) - {VERSION_TABLE}
        if foreign := tables if connection.dialect.name == "sqlite" else tables & set(Base.metadata.tables):
            raise InputError(
                "a database of bearleft or an empty one",
                f"one with the tables {', '.join(sorted(foreign)[:5])}",
                hint="Name another file or database.",
            )
    elif revision not in revisions():
        raise InputError(
            f"a database of this version of bearleft (revision {head()} or older)",
            f"revision {revision}",
            hint="Install the version of bearleft that made it, or name another database.",
        )
    return revision


def revisions() -> list[str]:
    """Return all revisions of the tables, the oldest first."""
    found = [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()]
    return found[::-1]


def lock(connection: Connection) -> None:
    """Let other processes that migrate wait until the transaction of the connection ends."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL lock_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the tables up to a revision, in the transaction of the connection; other processes wait meanwhile."""
    lock(connection)
    current(connection)
    command.upgrade(_config(connection), revision)


def downgrade(connection: Connection, revision: str) -> None:
    """Take the tables back to a revision, in the transaction of the connection; "base" removes them."""
    command.downgrade(_config(connection), revision)
