"""Databases for tests of the web application: SQLite files, and a PostgreSQL server that the tests start."""

from __future__ import annotations

import os
import random
import ssl
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("psycopg")

from bearleft.web.database.engines import Database, open_database
from bearleft.world.pictures import RenderedPictures
from tests.sizes import FULL, SLOW_REASON
from tests.web.postgresql import programs, run_sql, running_server

RENDERED_WIDTH = 256  # pixels
# Where the kind of database matters most: in `make test`, other tests of both kinds use SQLite only.
BOTH_DATABASES = (
    "database",
    "queue/test_load.py",
    "queue/test_killed.py",
    "people/test_races.py",
    "operations/test_migrate.py",
    "leaderboard/scoring/test_killed.py",
    "leaderboard/test_submissions.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folder = Path(__file__).parent
    for item in items:
        parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
        if FULL or not any(isinstance(value, str) and value == "postgresql" for value in parameters):
            continue
        inside = item.path.is_relative_to(folder)
        if inside and not item.path.relative_to(folder).as_posix().startswith(BOTH_DATABASES):
            item.add_marker(pytest.mark.skip(reason=SLOW_REASON))


@pytest.fixture(scope="module", autouse=True)
def _certificates_read_once() -> Iterator[None]:
    """Let HTTP clients share the certificates, which none of them needs; each would read them for 40 ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture(scope="module", autouse=True)
def _cheap_hashes() -> Iterator[None]:
    """Hash passwords with the least memory and time."""
    argon2, passwords = pytest.importorskip("argon2"), pytest.importorskip("bearleft.web.admin.passwords")
    with pytest.MonkeyPatch.context() as patch:
        if not FULL:
            patch.setattr(passwords, "_hasher", argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.fixture(scope="module", autouse=True)
def _enlarged_panoramas() -> Iterator[None]:
    """Enlarge small panoramas instead of rendering large ones, which takes most of the time and changes no page."""
    render = RenderedPictures.panorama

    def enlarge(pictures: RenderedPictures, place: str, yaw: float = 0.0, size: Any = 1024) -> Any:
        if FULL or not isinstance(size, int) or size % RENDERED_WIDTH:
            return render(pictures, place, yaw, size)
        times = size // RENDERED_WIDTH
        return render(pictures, place, yaw, RENDERED_WIDTH).repeat(times, axis=0).repeat(times, axis=1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RenderedPictures, "panorama", enlarge)
        yield


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
