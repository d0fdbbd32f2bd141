"""Reports in Chromium: opened from the file, every fault and every request written down."""

from __future__ import annotations

import base64
import fcntl
import gzip
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
from PIL import Image

from tests.browser.page import ARGUMENTS, FRONTEND, NAMES

AXE = FRONTEND / "node_modules" / "axe-core" / "axe.min.js"
OWN = ("file:", "data:", "blob:")  # whatever else is asked for leaves the machine
DESK, PHONE, NARROW = (1280, 900), (390, 844), (320, 640)
GRAVE = ("serious", "critical")
# Chromium has no more than this for a page that was opened from a file.
PATIENCE = 20_000


def axe_missing() -> str:
    """What a test of accessibility lacks here, or "" where it is there."""
    return "" if AXE.is_file() else "needs frontend/node_modules/axe-core: make frontend"


def head_of(report: Path) -> dict[str, Any]:
    """The small object that a report begins with."""
    head: dict[str, Any] = json.loads(_block(report, "summary"))
    return head


def rows_of(report: Path) -> dict[str, Any]:
    """The examples of a report."""
    rows: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(_block(report, "examples"))))
    return rows


def _block(report: Path, name: str) -> str:
    found = re.search(rf'<script[^>]*\bid="{name}"[^>]*>(.*?)</script>', report.read_text(encoding="utf-8"), re.S)
    assert found, f"no block {name}"
    return found[1]


def example_hash(dataset: int, name: str, **state: int) -> str:
    """The part of an address that shows one example."""
    query = "&".join(f"{key}={value}" for key, value in state.items())
    return f"#/example/{dataset}/{quote(name, safe=_UNTOUCHED)}" + (f"?{query}" if query else "")


_UNTOUCHED = "-_.!~*'()"  # what encodeURIComponent leaves


class Report:
    """An open report. `faults` are errors, dialogs and requests that leave the machine."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page, self.file = page, file
        self.faults: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error.stack or error}"[:800]))
        page.on("console", lambda message: self._said(message.type, message.text))
        page.on("request", lambda request: self._asked(request.url))
        page.on("dialog", self._dialog)

    def _said(self, kind: str, text: str) -> None:
        if kind == "error":
            self.faults.append(f"console: {text[:500]}")

    def _asked(self, url: str) -> None:
        if not url.startswith(OWN):
            self.faults.append(f"request: {url[:200]}")

    def _dialog(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message[:200]}")
        dialog.dismiss()

    def open(self, where: str = "") -> None:
        """Loads the file anew, at an address within it."""
        self.page.goto("about:blank")
        self.page.goto(self.file.as_uri() + where)
        self.shown()

    def go(self, where: str) -> None:
        """Follows an address within the page."""
        self.page.evaluate("where => { location.hash = where; }", where)
        self.shown()

    def shown(self) -> None:
        """Waits until the route's page is there."""
        self.page.wait_for_function(
            "() => { const h = document.querySelector('main h2');"
            " return h && !document.querySelector('main [aria-busy=true]'); }"
        )

    def hash(self) -> str:
        return str(self.page.evaluate("() => location.hash"))

    def pixels(self, selector: str) -> npt.NDArray[np.uint8]:
        """What one sees of an element."""
        return picture(self.page.locator(selector).first.screenshot())

    def too_wide(self) -> list[str]:
        """What sticks out of the window sideways; nothing where the page does not scroll."""
        found: list[str] = self.page.evaluate(
            """() => {
              const wide = innerWidth, root = document.documentElement;
              if (Math.max(root.scrollWidth, document.body.scrollWidth) <= wide) return [];
              return [`page ${root.scrollWidth} of ${wide}`, ...[...document.querySelectorAll('body *')]
                .filter((e) => e.getBoundingClientRect().right > wide + 1)
                .map((e) => `${e.tagName}.${e.className} ${Math.round(e.getBoundingClientRect().right)}`)].slice(0, 12);
            }"""
        )
        return found

    def violations(self) -> list[str]:
        """Grave faults that axe finds on the page as it stands."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE.read_text(encoding="utf-8") + "\n;undefined")
        found: list[str] = self.page.evaluate(
            """async (grave) => {
              const told = await axe.run(document, { resultTypes: ['violations'] });
              const where = (n) => `${n.target.join(' ')} (${n.failureSummary.slice(0, 300)})`;
              return told.violations.filter((v) => grave.includes(v.impact))
                .map((v) => `${v.impact} ${v.id}: ${v.nodes.slice(0, 3).map(where).join('; ')}`);
            }""",
            list(GRAVE),
        )
        return found


def picture(png: bytes) -> npt.NDArray[np.uint8]:
    """A screenshot as an array."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser."""
    from playwright.sync_api import sync_playwright

    binary = next(found for name in NAMES if (found := shutil.which(name)))
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=binary, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, file: Path, size: tuple[int, int] = DESK, where: str = "", **more: Any) -> Iterator[Report]:
    """A report in a window of its own; at the end there must be no fault."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **more)
    try:
        report = Report(context.new_page(), file)
        if more.get("java_script_enabled", True):
            report.open(where)
        else:
            report.page.goto(file.as_uri() + where)
        yield report
        assert not report.faults, report.faults
    finally:
        context.close()


def made_once(base: Path, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that is made by whichever process of a test run comes first; the others wait for it."""
    root = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, marker = root / name, root / f"{name}.done"
    with open(root / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not marker.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            marker.touch()
    return folder
