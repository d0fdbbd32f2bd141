"""The made-up data folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.made import make


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a small file of every format; nobody writes into it."""
    return make(tmp_path_factory.mktemp("made") / "data")
