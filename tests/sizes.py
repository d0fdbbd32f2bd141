"""Sizes of tests: a part of the cases in `make test`, all of them in `make test-full`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

T = TypeVar("T")

FULL = os.environ.get("BEARLEFT_FULL_TESTS") == "1"
full_only = pytest.mark.skipif(not FULL, reason="takes long: make test-full")


def sized(part: T, full: T) -> T:
    """Return the size of a test: `part`, or `full` in a full run."""
    return full if FULL else part


def some(cases: Sequence[T], count: int) -> list[T]:
    """Return `count` cases, evenly spaced from the first to the last, or all of them in a full run."""
    if FULL or count >= len(cases):
        return list(cases)
    return [cases[k * (len(cases) - 1) // max(count - 1, 1)] for k in range(count)]
