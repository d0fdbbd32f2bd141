"""Commands that are typed in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bearleft.cli import main
from bearleft.evaluation.evaluate import evaluate

Command = Callable[..., tuple[int, str]]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs a command; it returns the exit code, and standard error."""

    def run(*words: object) -> tuple[int, str]:
        code = 0
        try:
            main([str(word) for word in words])
        except SystemExit as error:
            code = int(error.code or 0)
        return code, capsys.readouterr().err

    return run


@pytest.fixture(scope="session")
def walk_traces(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Three traces of walks in a town."""
    file = tmp_path_factory.mktemp("walks") / "gold.jsonl"
    evaluate("gold", "town/dev", file, limit=3)
    return file.read_bytes()


@pytest.fixture(scope="session")
def city_traces(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Two traces of walks in a city."""
    file = tmp_path_factory.mktemp("walks") / "gold.jsonl"
    evaluate("gold", "city/touchdown/small", file, limit=2)
    return file.read_bytes()


@pytest.fixture(scope="session")
def small_album(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An album of two places; nobody writes into it."""
    from bearleft.world.album.write import AlbumConfig, write_album

    folder = tmp_path_factory.mktemp("stored") / "album"
    write_album(folder, "city/3/4x5", AlbumConfig((64, 32), samples=1), places="0..1")
    return folder
