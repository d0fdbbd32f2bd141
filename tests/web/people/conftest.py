"""A server with a Touchdown project that asks for consent, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

from bearleft.web.app import create_app
from bearleft.web.database.engines import Database
from bearleft.web.settings import Settings
from tests.web.people.study import Study
from tests.web.server import serving

NewStudy = Callable[..., Study]


@pytest.fixture(scope="session")
def panorama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of rendered panoramas that the tests of a process share."""
    return tmp_path_factory.mktemp("panoramas")


@pytest.fixture
def new_study(database_url: str, panorama_folder: Path) -> Iterator[NewStudy]:
    """Return a function that serves a project with settings."""
    with ExitStack() as stack:

        def serve(**settings: Any) -> Study:
            app = create_app(Settings(database=database_url, cache=panorama_folder, secret="0123456789abcdef"))
            study = Study(app, database_url, stack)
            study.add(**settings)
            study.address = stack.enter_context(serving(app))
            return study

        yield serve


@pytest.fixture
def open_tables(new_study: NewStudy) -> Database:
    """A database with nothing but its tables."""
    return new_study().database
