"""Servers for tests of the web application."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from bearleft.web.play import create_games
from bearleft.web.settings import Settings
from tests.web.server import running

GAMES = ("city/touchdown/small", "city/touchdown-complete/small", "city/sdr/small", "city/refer360/small")


@pytest.fixture(scope="session")
def panorama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of rendered panoramas that the tests of a process share."""
    return tmp_path_factory.mktemp("panoramas")


@pytest.fixture
def settings(tmp_path: Path, panorama_folder: Path) -> Settings:
    """Return settings with a database of the test's own."""
    return Settings(database=str(tmp_path / "web.sqlite"), cache=panorama_folder)


@pytest.fixture
def new_games(settings: Settings) -> Iterator[str]:
    """Serve the four games of the embedded city to nobody else, and return the address."""
    create_games(settings, GAMES)
    with running(settings) as address:
        yield address


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory, panorama_folder: Path) -> Iterator[str]:
    """Serve the four games to all tests of a file; each of them is another person."""
    settings = Settings(database=str(tmp_path_factory.mktemp("games") / "web.sqlite"), cache=panorama_folder)
    create_games(settings, GAMES)
    with running(settings) as address:
        yield address
