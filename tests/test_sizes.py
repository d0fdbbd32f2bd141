"""The marker `slow`: which cases of a test run in `make test`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sizes import spaced

ROOT = Path(__file__).parents[1]
CONFTEST = """
from tests.sizes import FULL, skip_slow

def pytest_collection_modifyitems(items):
    if not FULL:
        skip_slow(items)
"""
FILE = """
import pytest

@pytest.mark.slow
def test_none(): pass

@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("k", range(5))
def test_two(k): pass

@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("k", range(2))
def test_all(k): pass

def test_other(): pass
"""


def test_spaced_cases() -> None:
    assert spaced(range(5), 2) == [0, 4] and spaced(range(5), 3) == [0, 2, 4] and spaced(range(5), 1) == [0]
    assert spaced(range(5), 0) == [] and spaced(range(2), 3) == [0, 1]


@pytest.mark.parametrize(
    ("full", "expected"),
    [("0", "test_two[0] test_two[4] test_all[0] test_all[1] test_other"), ("1", "")],
)
def test_slow_cases_are_skipped(full: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_some.py").write_text(FILE)
    environment = {**os.environ, "BEARLEFT_FULL_TESTS": full, "PYTHONPATH": str(ROOT)}
    options = ["-v", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)], env=environment, capture_output=True, text=True
    )
    lines = [line for line in done.stdout.splitlines() if " PASSED" in line]
    passed = {line.split("::")[1].split()[0] for line in lines}
    assert done.returncode == 0, done.stdout
    assert len(passed) == 9 if full == "1" else passed == set(expected.split())
