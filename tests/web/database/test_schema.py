"""The revisions of the tables lead to the models, back to nothing, and to the models again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, inspect, text

from bearleft.web.database import schema
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Base, Unit

REVISIONS = Path(schema.__file__).parent / "migrations" / "versions"


def tables(database: Database) -> set[str]:
    with database.read() as session:
        return set(inspect(session.connection()).get_table_names())


def differences(connection: Connection) -> list[Any]:
    """Return what a database has otherwise than the models."""

    def compared(_object: object, name: str | None, _kind: str, _reflected: bool, _other: object) -> bool:
        # Alembic cannot compare descending indices of SQLite; `test_revisions_write_what_the_models_would` does.
        return connection.dialect.name != "sqlite" or not (name or "").startswith("ix_units_queue")

    options = {"version_table": schema.VERSION_TABLE, "compare_type": True, "include_object": compared}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), Base.metadata))


def test_revisions_lead_to_the_models(database: Database) -> None:
    with database.read() as session:
        assert differences(session.connection()) == []
        assert schema.current(session.connection()) == schema.head()
    assert tables(database) == {*Base.metadata.tables, schema.VERSION_TABLE}


@pytest.mark.slow(keep=1)
def test_a_difference_is_found(database: Database) -> None:
    with database.write() as session:
        session.execute(text("DROP INDEX ix_answers_unit_id"))
        session.execute(text("ALTER TABLE workers ADD COLUMN age INTEGER"))
    with database.read() as session:
        assert {name for name, *_ in differences(session.connection())} == {"add_index", "remove_column"}


def test_revisions_write_what_the_models_would(tmp_path: Path) -> None:
    """SQLite keeps the statements, with all that `compare_metadata` passes over: checks, and indices of some rows."""
    statement = text("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    made = create_engine(f"sqlite:///{tmp_path / 'models.sqlite'}")
    Base.metadata.create_all(made)
    with made.connect() as connection:
        expected = {(row.type, row.name): parts(row.sql) for row in connection.execute(statement)}
    made.dispose()
    database = open_database(tmp_path / "revisions.sqlite")
    with database.read() as session:
        found = {(row.type, row.name): parts(row.sql) for row in session.execute(statement)}
    database.close()
    del found["table", schema.VERSION_TABLE]
    assert found == expected


def parts(sql: str) -> list[str]:
    """Return the columns and constraints of a statement, in any order."""
    head, _, inner = sql.partition("(")
    return sorted(re.sub(r"\s+", " ", part).strip(" )") for part in (head, *re.split(r",\s*\n", inner)))


def test_indices_of_some_rows_are_the_models_on_postgresql(postgresql_url: str) -> None:
    statement = text("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1")
    database = open_database(postgresql_url)
    with database.read() as session:
        found = [tuple(row) for row in session.execute(statement)]
    with database.write() as session:
        schema.downgrade(session.connection(), "base")
        session.execute(text(f"DROP TABLE {schema.VERSION_TABLE}"))
        Base.metadata.create_all(session.connection())
    with database.read() as session:
        expected = [tuple(row) for row in session.execute(statement)]
    database.close()
    assert [row for row in found if schema.VERSION_TABLE not in row[0]] == expected


def test_down_and_up_again(database: Database, database_url: str) -> None:
    with database.write() as session:
        schema.downgrade(session.connection(), "base")
    assert tables(database) == {schema.VERSION_TABLE}
    again = open_database(database_url)
    with again.read() as session:
        assert differences(session.connection()) == []
    again.close()


def test_a_revision_that_fails_leaves_nothing(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with database.write() as session:
        schema.downgrade(session.connection(), "base")
        # The first revision creates this table late, when others are there already.
        session.execute(text("CREATE TABLE slots (id INTEGER)"))
    monkeypatch.setattr(schema, "current", lambda _: None)
    with pytest.raises(Exception, match="already exists"), database.write() as session:
        schema.upgrade(session.connection())
    assert tables(database) == {schema.VERSION_TABLE, "slots"}


def test_revisions_are_one_line() -> None:
    script = ScriptDirectory(str(REVISIONS.parent))
    revisions = list(script.walk_revisions())
    assert len(script.get_heads()) == 1
    assert len(revisions) == len([path for path in REVISIONS.glob("*.py") if path.name != "__init__.py"])
    assert all(revision.doc for revision in revisions)


def test_primary_keys_count_by_themselves(database: Database) -> None:
    with database.read() as session:
        column = next(c for c in inspect(session.connection()).get_columns("units") if c["name"] == "id")
    assert column["type"].python_type is int
    assert Unit.__table__.c.id.autoincrement == "auto"
