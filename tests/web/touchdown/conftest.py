"""A server with a Touchdown project, and its workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")

from bearleft.web.settings import Settings
from tests.web.server import person, running
from tests.web.touchdown.driver import Worker, create_study


@pytest.fixture(scope="session")
def panorama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of rendered panoramas that the tests of a process share."""
    return tmp_path_factory.mktemp("panoramas")


@pytest.fixture
def settings(tmp_path: Path, panorama_folder: Path) -> Settings:
    """Return settings with a database of the test's own."""
    return Settings(database=str(tmp_path / "web.sqlite"), cache=panorama_folder, secret="0123456789abcdef")


@pytest.fixture
def study(settings: Settings) -> Iterator[str]:
    """Serve a project with one route and no qualification, and return the address."""
    create_study(settings)
    with running(settings) as address:
        yield address


@pytest.fixture
def hire(study: str) -> Iterator[Callable[[], Worker]]:
    """Return a function that hires a new worker of the study."""
    with ExitStack() as stack:
        yield lambda: Worker(stack.enter_context(person(study)))
