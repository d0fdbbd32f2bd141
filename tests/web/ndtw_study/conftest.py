"""A database and raters of the nDTW study."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bearleft.web.database.engines import Database, open_database
from bearleft.web.projects import create_project
from bearleft.web.scenes.worlds import SceneWorlds
from tests.web.ndtw_study.people import Rater

NewRater = Callable[..., Rater]


@pytest.fixture(scope="session")
def worlds() -> SceneWorlds:
    return SceneWorlds()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path / "ranks.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def new_rater(database: Database, worlds: SceneWorlds) -> NewRater:
    """Return a function that creates a project by its settings once, and a new worker each time."""

    def rater(name: str = "ranks", answers: int = 1, **settings: Any) -> Rater:
        if settings:
            create_project(database, worlds, name, "ndtw-study", settings, answers=answers)
        return Rater(database, worlds, name)

    return rater
