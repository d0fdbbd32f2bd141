"""Fixtures for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the real datasets: BEARLEFT_DATA, or ../shared/data beside the checkout."""
    folder = Path(os.environ.get("BEARLEFT_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("needs the real datasets: name their folder with BEARLEFT_DATA")
    return folder
