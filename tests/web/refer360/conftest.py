"""A database and the embedded worlds for tests of Refer360's collection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bearleft.web.database.engines import Database, open_database
from bearleft.web.projects import create_project
from bearleft.web.scenes.worlds import SceneWorlds
from tests.web.refer360.people import Person

NewPerson = Callable[..., Person]


@pytest.fixture(scope="session")
def worlds() -> SceneWorlds:
    return SceneWorlds()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path / "people.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def new_person(database: Database, worlds: SceneWorlds) -> NewPerson:
    """Return a function that creates a project by its settings once, and a new worker each time."""

    def person(name: str = "collection", **settings: object) -> Person:
        if settings:
            create_project(database, worlds, name, "refer360", settings)
        return Person(database, worlds, name)

    return person
