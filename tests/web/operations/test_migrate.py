"""Migrations of full databases of both kinds: down to the first revision and up again; losses are named before."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.config import Config
from sqlalchemy import Connection, MetaData, inspect, select, text
from sqlalchemy.exc import IntegrityError

from bearleft.errors import InputError
from bearleft.web.database import schema
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Base
from bearleft.web.operations.migrate import migrate
from bearleft.web.queue.slots import NewUnit
from tests.web.operations.filled import fill
from tests.web.queue.desk import Clock, Desk


def rows(database: Database) -> dict[str, set[str]]:
    """Return the rows of all tables, with the names of their columns."""
    with database.read() as session:
        connection = session.connection()
        metadata = MetaData()
        metadata.reflect(connection)
        return {
            table.name: {repr(sorted(row._mapping.items(), key=str)) for row in connection.execute(select(table))}
            for table in metadata.sorted_tables
            if table.name != schema.VERSION_TABLE
        }


def columns(database: Database) -> dict[str, list[str]]:
    """Return the columns of all tables."""
    with database.read() as session:
        found = inspect(session.connection())
        return {name: sorted(column["name"] for column in found.get_columns(name)) for name in found.get_table_names()}


@pytest.mark.slow(keep=1)
def test_a_full_database_goes_down_to_the_first_revision_and_up_again(database_url: str) -> None:
    database = open_database(database_url)
    fill(database)
    newest, before = columns(database), rows(database)
    revisions = schema.revisions()
    for revision in reversed(revisions[:-1]):
        (row,) = migrate(database_url, revision, discard=True)
        assert row["after"] == revision
    lowest = columns(database)
    kept = {name for name in newest if lowest.get(name) == newest[name]} - {schema.VERSION_TABLE}
    assert {"units", "slots", "attempts", "events", "answers"} <= kept
    assert {name: rows(database)[name] for name in kept} == {name: before[name] for name in kept}
    for revision in revisions[1:]:
        (row,) = migrate(database_url, revision)
        assert (row["after"], row["removed"]) == (revision, "nothing")
    assert columns(database) == newest
    after = rows(database)
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    database.close()
    again = open_database(database_url, clock=Clock())
    desk = Desk.of(again)  # the application works with it
    again.close()
    assert desk.workers


@pytest.mark.slow(keep=1)
def test_a_new_database_gets_its_tables(database_url: str) -> None:
    (row,) = migrate(database_url)
    assert (row["before"], row["after"], row["removed"]) == ("no tables", schema.head(), "nothing")
    (row,) = migrate(database_url)
    assert (row["before"], row["after"], row["removed"]) == (schema.head(), schema.head(), "nothing")


NEXT = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "9999", {newest!r}

def upgrade():
    with op.batch_alter_table("workers") as batch:
        batch.add_column(sa.Column("language", sa.String(10)))
    op.create_table("letters", sa.Column("id", sa.Integer(), primary_key=True))

def downgrade():
    op.drop_table("letters")
    op.execute("DELETE FROM events WHERE number > 0")
    with op.batch_alter_table("workers") as batch:
        batch.drop_column("language")
"""


@pytest.fixture
def newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the newest revision, and add one: a column in a table that others refer to, a table, fewer rows."""
    newest = schema.head()
    folder = tmp_path / "versions"
    folder.mkdir()
    (folder / "r9999.py").write_text(NEXT.format(newest=newest))
    config = schema._config

    def with_next(connection: Connection | None = None) -> Config:
        found = config(connection)
        found.set_main_option("path_separator", "newline")
        found.set_main_option("version_locations", f"{schema.__file__[:-9]}migrations/versions\n{folder}")
        return found

    monkeypatch.setattr(schema, "_config", with_next)
    monkeypatch.setattr(Base.metadata, "tables", {**Base.metadata.tables, "letters": None})
    return newest


@pytest.mark.slow(keep=1)
def test_what_a_migration_would_remove_is_named_first(database_url: str, newest: str) -> None:
    database = open_database(database_url, clock=Clock())
    desk = Desk.of(database)
    desk.add(NewUnit("a", {}))
    lease = desk.take(0)
    migrate(database_url, newest)  # nothing is in what it removes
    migrate(database_url)
    for number in range(3):
        desk.append(0, lease, number)
    with database.write() as session:
        session.execute(text("UPDATE workers SET language = 'en' WHERE id = :id"), {"id": desk.workers[0]})
        session.execute(text("INSERT INTO letters (id) VALUES (1), (2)"))
    before = rows(database)
    with pytest.raises(InputError) as error:
        migrate(database_url, newest)
    removed = "events (2 rows), letters (2 rows), workers.language (1 values)"
    assert all(part in str(error.value) for part in removed.split(", "))
    assert rows(database) == before
    (row,) = migrate(database_url, newest, discard=True)
    assert sorted(row["removed"].split(", ")) == removed.split(", ")
    assert len(rows(database)["events"]) == 1 and "letters" not in rows(database)
    desk.append(0, lease, 1)  # the application goes on
    desk.submit(0, lease)
    database.close()


def test_references_are_checked_after_a_migration(database: Database) -> None:
    if "sqlite" not in database.name:
        pytest.skip("PostgreSQL checks references at once")
    desk = Desk.of(open_database(database.name, clock=Clock()))
    desk.add(NewUnit("a", {}))
    desk.take(0)
    with pytest.raises(InputError, match="refer to existing ones"), database.migration() as connection:
        connection.execute(text("DELETE FROM workers"))
    with database.read() as session:
        assert session.scalar(text("SELECT count(*) FROM workers")) == 4
    with pytest.raises(IntegrityError), database.write() as session:
        session.execute(text("DELETE FROM workers"))
    desk.database.close()


def test_unknown_revisions_are_refused(database_url: str) -> None:
    with pytest.raises(InputError, match="revision"):
        migrate(database_url, "0000")
