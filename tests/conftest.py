"""Fixtures for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bearleft.data import open_dataset
from bearleft.data.dataset import Dataset
from bearleft.records import Episode

ROOT = Path(__file__).parents[1]
# The slowest files come first, so that at the end no process is left alone with one of them.
SLOW = ("test_docs.py", "data/test_city.py", "test_wheel.py", "test_demo.py", "bench/test_render.py", "browser")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow = tuple(str(Path(__file__).parent / name) for name in SLOW)
    items.sort(key=lambda item: not str(item.path).startswith(slow))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the real datasets: BEARLEFT_DATA, or ../shared/data beside the checkout."""
    folder = Path(os.environ.get("BEARLEFT_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("needs the real datasets: name their folder with BEARLEFT_DATA")
    return folder


@pytest.fixture(scope="session")
def released(real_data: Path) -> tuple[Dataset, list[Episode]]:
    """ArraMon's released tasks, read once: with what the reader noted, and as episodes."""
    if not (real_data / "arramon" / "val_unseen.json").exists():
        pytest.skip("needs ArraMon's val_unseen.json")
    dataset = open_dataset("arramon/val_unseen", real_data)
    return dataset, list(dataset)
