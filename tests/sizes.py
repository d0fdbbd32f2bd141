"""Sizes of tests: a part of the cases in `make test`, all of them in `make test-full`."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

FULL = os.environ.get("BEARLEFT_FULL_TESTS") == "1"
SLOW_REASON = "takes long: make test-full"


def sized(part: T, full: T) -> T:
    """Return the size of a test: `part`, or `full` in a full run."""
    return full if FULL else part


def some(cases: Sequence[T], count: int) -> list[T]:
    """Return `count` cases, evenly spaced from the first to the last, or all of them in a full run."""
    return list(cases) if FULL else spaced(cases, count)


def spaced(cases: Sequence[T], count: int) -> list[T]:
    """Return at most `count` cases, evenly spaced from the first to the last."""
    if count >= len(cases):
        return list(cases)
    return [cases[k * (len(cases) - 1) // max(count - 1, 1)] for k in range(count)]


def skip_slow(items: Sequence[pytest.Item]) -> None:
    """Skip tests with the marker `slow`, but for `keep` evenly spaced cases of each."""
    tests: dict[Any, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("slow"):
            tests[getattr(item, "function", item)].append(item)
    for cases in tests.values():
        marker = cases[0].get_closest_marker("slow")
        assert marker is not None
        kept = {id(item) for item in spaced(cases, marker.kwargs.get("keep", 0))}
        for item in cases:
            if id(item) not in kept:
                item.add_marker(pytest.mark.skip(reason=SLOW_REASON))
