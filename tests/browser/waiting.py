"""Assertions on pages that wait until they hold: what a page does after an action comes when there is time for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")

from playwright.sync_api import expect

TIMEOUT = 60_000  # milliseconds; nothing is expected to take so long, but machines may be busy
expect.set_options(timeout=TIMEOUT)

__all__ = ["TIMEOUT", "expect", "until"]


def until(page: Any, holds: Callable[[], Any]) -> None:
    """Try a condition again and again until it holds, while events of the page are handled; fail if it never does."""
    end = time.monotonic() + TIMEOUT / 1000
    while not holds():
        assert time.monotonic() < end, "the condition does not come to hold"
        page.wait_for_timeout(50)
