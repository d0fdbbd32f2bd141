"""Leaderboards on either kind of database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bearleft.web.database.engines import open_database
from tests.web.leaderboard.board import Board
from tests.web.queue.desk import Clock


@pytest.fixture
def board(database_url: str, tmp_path: Path) -> Iterator[Board]:
    """A leaderboard on each kind of database, on a clock that stands still."""
    database = open_database(database_url, clock=Clock())
    yield Board.of(database, tmp_path)
    database.close()


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Board]:
    """A leaderboard on SQLite."""
    database = open_database(tmp_path / "small.sqlite", clock=Clock())
    yield Board.of(database, tmp_path)
    database.close()
