"""A cache of cities that tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder that the processes of one test run share: what is visible in a city is counted once."""
    return tmp_path_factory.getbasetemp().parent / "city-cache"


@pytest.fixture
def city_cache(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cities are made and found in the shared cache, and in no data folder."""
    monkeypatch.setenv("BEARLEFT_CACHE", str(kept))
    monkeypatch.delenv("BEARLEFT_DATA", raising=False)
