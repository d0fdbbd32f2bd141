"""What the tests of reports share: one Chromium for all files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.report_page import Browser, chromium


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as browser_binary:
        yield browser_binary
