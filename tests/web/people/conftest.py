"""A server with a Touchdown project that asks for consent, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

from fastapi import FastAPI

from bearleft.web.app import create_app
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings
from tests.web.people.study import Study
from tests.web.server import serving

NewStudy = Callable[..., Study]


@pytest.fixture(scope="session")
def panorama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of rendered panoramas that the tests of a process share."""
    return tmp_path_factory.mktemp("panoramas")


@pytest.fixture(scope="session")
def worlds() -> SceneWorlds:
    """The worlds, which all servers of a process share: they are opened once."""
    return SceneWorlds()


@pytest.fixture
def new_app(database_url: str, panorama_folder: Path, worlds: SceneWorlds) -> FastAPI:
    """An application without projects."""
    app = create_app(Settings(database=database_url, cache=panorama_folder, secret="0123456789abcdef"))
    app.state.worlds = app.state.served_worlds.worlds = worlds
    return app


@pytest.fixture
def new_study(new_app: FastAPI, database_url: str) -> Iterator[NewStudy]:
    """Return a function that serves a project with settings."""
    with ExitStack() as stack:

        def serve(**settings: Any) -> Study:
            study = Study(new_app, database_url, stack)
            study.add(**settings)
            study.address = stack.enter_context(serving(new_app))
            return study

        yield serve
