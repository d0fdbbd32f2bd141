"""A database and the embedded maps for tests of ArraMon's collection."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bearleft.web.database.engines import Database
from bearleft.web.projects import create_project
from bearleft.web.scenes.worlds import SceneWorlds
from tests.web.arramon.people import Person

NewPerson = Callable[[], Person]
DATASET = "city/arramon/small"


@pytest.fixture(scope="session")
def worlds() -> SceneWorlds:
    return SceneWorlds()


@pytest.fixture
def new_person(database: Database, worlds: SceneWorlds) -> NewPerson:
    """Return a function that makes a new worker of a project of two maps, on SQLite and on PostgreSQL."""
    create_project(database, worlds, "study", "arramon", {"dataset": DATASET, "limit": 2})
    return lambda: Person(database, worlds)
