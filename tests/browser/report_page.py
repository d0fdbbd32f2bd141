"""Open reports in Chromium, and record errors, dialogs and requests."""

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

from tests.browser.accessibility import violations
from tests.browser.page import ARGUMENTS, NAMES

LOCAL_SCHEMES = ("file:", "data:", "blob:")  # all other requests leave the machine
DESK, PHONE, NARROW = (1280, 900), (390, 844), (320, 640)
TIMEOUT = 60_000  # milliseconds; machines may be busy
MEDIA = {"color_scheme": "light", "reduced_motion": "no-preference"}  # what a window can be told while it is open


def summary_of(report: Path) -> dict[str, Any]:
    """Return the summary of a report."""
    head: dict[str, Any] = json.loads(_block(report, "summary"))
    return head


def report_data_of(report: Path) -> dict[str, Any]:
    """Return the examples and places of a report."""
    rows: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(_block(report, "examples"))))
    return rows


def _block(report: Path, name: str) -> str:
    match = re.search(rf'<script[^>]*\bid="{name}"[^>]*>(.*?)</script>', report.read_text(encoding="utf-8"), re.S)
    assert match, f"no block {name}"
    return match[1]


def example_hash(dataset: int, name: str, **state: int) -> str:
    """Return the hash of an example."""
    query = "&".join(f"{key}={value}" for key, value in state.items())
    return f"#/example/{dataset}/{quote(name, safe=_UNESCAPED)}" + (f"?{query}" if query else "")


_UNESCAPED = "-_.!~*'()"  # by encodeURIComponent


class Report:
    """An open report; `faults` are errors, dialogs and requests that leave the machine."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page, self.file = page, file
        self.faults: list[str] = []
        page.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error.stack or error}"[:800]))
        page.on("console", lambda message: self._on_console(message.type, message.text))
        page.on("request", lambda request: self._on_request(request.url))
        page.on("dialog", self._on_dialog)

    def _on_console(self, kind: str, text: str) -> None:
        if kind == "error":
            self.faults.append(f"console: {text[:500]}")

    def _on_request(self, url: str) -> None:
        if not url.startswith(LOCAL_SCHEMES):
            self.faults.append(f"request: {url[:200]}")

    def _on_dialog(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message[:200]}")
        dialog.dismiss()

    def open(self, where: str = "") -> None:
        """Load the file at a hash."""
        if self.page.url != "about:blank":
            self.page.goto("about:blank")
        self.page.goto(self.file.as_uri() + where)
        self.shown()

    def go(self, where: str) -> None:
        """Navigate to a hash."""
        self.page.evaluate(
            """where => new Promise((done) => {
              const before = location.hash;
              location.hash = where;
              if (location.hash === before) done();
              else addEventListener('hashchange', () => done(), { once: true });
            })""",
            where,
        )
        self.shown()

    def shown(self) -> None:
        """Wait until the view of the route is shown."""
        self.page.wait_for_function(
            "() => { const h = document.querySelector('main h2');"
            " return h && !document.querySelector('main [aria-busy=true]'); }"
        )

    def hash(self) -> str:
        return str(self.page.evaluate("() => location.hash"))

    def pixels(self, selector: str) -> npt.NDArray[np.uint8]:
        """Return a screenshot of an element."""
        return picture(self.page.locator(selector).first.screenshot())

    def frame(self) -> None:
        """Wait until what was changed is painted."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def still(self, selector: str) -> npt.NDArray[np.uint8]:
        """Return a screenshot of an element, when it does not change any more."""
        before = self.pixels(selector)
        while not np.array_equal(before, now := self.pixels(selector)):
            before = now
        return before

    def too_wide(self) -> list[str]:
        """Return the elements wider than the window; none if the page does not scroll horizontally."""
        messages: list[str] = self.page.evaluate(
            """() => {
              const wide = innerWidth, root = document.documentElement;
              if (Math.max(root.scrollWidth, document.body.scrollWidth) <= wide) return [];
              return [`page ${root.scrollWidth} of ${wide}`, ...[...document.querySelectorAll('body *')]
                .filter((e) => e.getBoundingClientRect().right > wide + 1)
                .map((e) => `${e.tagName}.${e.className} ${Math.round(e.getBoundingClientRect().right)}`)].slice(0, 12);
            }"""
        )
        return messages

    def violations(self, *rules: str) -> list[str]:
        """Return the severe violations of rules that axe finds on the current page; by default, of all its rules."""
        return violations(self.page, *rules)


def picture(png: bytes) -> npt.NDArray[np.uint8]:
    """Return a screenshot as an array."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


class Browser:
    """Chromium with one window for each set of settings, in which reports are opened one after another."""

    def __init__(self, chromium: Any) -> None:
        self.chromium = chromium
        self._windows: dict[str, Report] = {}

    @contextmanager
    def window(self, file: Path, size: tuple[int, int], **more: Any) -> Iterator[Report]:
        """An empty window in which nothing of the report before is left; after an error it is closed."""
        settings = {key: value for key, value in more.items() if key not in MEDIA}
        if repr(settings) not in self._windows:
            self._windows[repr(settings)] = Report(self.chromium.new_context(**settings).new_page(), file)
        report = self._windows[repr(settings)]
        try:
            report.file = file
            report.faults.clear()
            report.page.set_viewport_size({"width": size[0], "height": size[1]})
            report.page.emulate_media(**{key: more.get(key, value) for key, value in MEDIA.items()})
            report.page.mouse.move(0, 0)
            yield report
            report.page.goto("about:blank")
        except BaseException:
            self._windows.pop(repr(settings)).page.context.close()
            raise


@contextmanager
def chromium() -> Iterator[Browser]:
    """Open the browser."""
    from playwright.sync_api import sync_playwright

    binary = next(path for name in NAMES if (path := shutil.which(name)))
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=binary, args=ARGUMENTS)
        yield Browser(browser)
        browser.close()


@contextmanager
def opened(
    browser: Browser, file: Path, size: tuple[int, int] = DESK, where: str = "", **more: Any
) -> Iterator[Report]:
    """Open a report in an empty window; fail at the end if there were faults."""
    with browser.window(file, size, **more) as report:
        if more.get("java_script_enabled", True):
            report.open(where)
        else:
            report.page.goto(file.as_uri() + where)
        yield report
        assert not report.faults, report.faults


def made_once(base: Path, name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that the first process of a test run makes; the others wait for it."""
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
