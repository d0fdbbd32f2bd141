"""A database, the embedded maps, and a folder with the shortest of them, for tests of ArraMon's collection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bearleft.data import load, write
from bearleft.records import Collect, Episode
from bearleft.web.database.engines import Database, open_database
from bearleft.web.projects import create_project
from bearleft.web.scenes.worlds import SceneWorlds
from tests.web.arramon.people import Person

NewPerson = Callable[[], Person]
DATASET = "city/arramon/short"


@pytest.fixture(scope="session")
def short_maps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of datasets: `city/arramon/short` holds the four embedded maps with the shortest walks."""
    folder = tmp_path_factory.mktemp("data")
    maps = sorted(load("city/arramon/small"), key=_actions)[:4]
    path = folder / f"{DATASET}.json"
    path.parent.mkdir(parents=True)
    write("city/arramon", maps, path)
    return folder


def _actions(episode: Episode) -> int:
    return sum(len(leg.goal.actions) for leg in episode.legs if isinstance(leg.goal, Collect))


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of 3-D models that the tests of a process share."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def worlds(short_maps: Path) -> SceneWorlds:
    return SceneWorlds(short_maps)


@pytest.fixture
def study_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of the project's database: SQLite, unless a test asks for PostgreSQL."""
    if getattr(request, "param", "sqlite") == "postgresql":
        url: str = request.getfixturevalue("postgresql_url")
        return url
    return f"sqlite:///{tmp_path / 'study.sqlite'}"


@pytest.fixture
def study(study_url: str, worlds: SceneWorlds) -> Iterator[Database]:
    """The database with a project of two maps."""
    opened = open_database(study_url)
    create_project(opened, worlds, "study", "arramon", {"dataset": DATASET, "limit": 2})
    yield opened
    opened.close()


@pytest.fixture
def new_person(study: Database, worlds: SceneWorlds) -> NewPerson:
    """Return a function that makes a new worker of the project."""
    return lambda: Person(study, worlds)
