"""A database with a private folder, and a process that scores for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bearleft.web.leaderboard.scoring.client import ScoringProcess
from tests.web.leaderboard.scoring.entries import write_hidden


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The private folder of a leaderboard."""
    path = tmp_path / "leaderboard"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture(scope="session")
def hidden_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a hidden dataset of walks."""
    return write_hidden(tmp_path_factory.mktemp("hidden"))


@pytest.fixture(scope="module")
def process() -> Iterator[ScoringProcess]:
    """A process that scores; it keeps the answers of the tracks of all tests of the file."""
    scoring = ScoringProcess()
    yield scoring
    scoring.stop()
