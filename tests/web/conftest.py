"""Databases for tests of the web application: SQLite files, and a PostgreSQL server that the tests start."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("psycopg")

from bearleft.web.database.engines import Database, open_database
from tests.web.postgresql import programs, run_sql, running_server


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The URL of a PostgreSQL server, without a database."""
    if programs() is None:
        pytest.skip("needs PostgreSQL's programs")
    with running_server() as url:
        yield url


@pytest.fixture
def postgresql_url(postgresql_server: str) -> Iterator[str]:
    """The URL of a new database on the server."""
    name = f"test_{os.getpid()}_{random.randrange(10**9)}"
    run_sql(f"{postgresql_server}/template1", f"CREATE DATABASE {name} TEMPLATE template0")
    yield f"{postgresql_server}/{name}"
    run_sql(f"{postgresql_server}/template1", f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'test.sqlite'}"
    url: str = request.getfixturevalue("postgresql_url")
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """An open database of each kind."""
    opened = open_database(database_url)
    yield opened
    opened.close()
