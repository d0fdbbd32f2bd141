"""A project with workers, on either kind of database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bearleft.web.database.engines import open_database
from tests.web.queue.desk import Clock, Desk


@pytest.fixture
def desk(database_url: str) -> Iterator[Desk]:
    """A project with four workers, whose units have slots."""
    database = open_database(database_url, clock=Clock())
    yield Desk.of(database)
    database.close()


@pytest.fixture
def arcade(desk: Desk) -> Desk:
    """A project that is open to all."""
    return Desk.of(desk.database, open_to_all=True)
