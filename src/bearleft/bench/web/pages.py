"""How soon pages answer in a real browser: the first page, and the next view of a walker."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn
from fastapi import FastAPI

from bearleft.errors import InputError
from bearleft.web.app import create_app
from bearleft.web.play import create_games
from bearleft.web.settings import Settings

DATASET, GAME = "city/touchdown/small", "city-touchdown-small"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--enable-unsafe-swiftshader", "--disable-background-networking")
ROUNDS = 5  # of the first page, each in a browser without a cache
STEPS = 30
LOOKING = 1.5  # seconds between two steps of a walker
# From a key to the first frame with the next place's picture.
OBSERVE = """() => {
  const times = [];
  let begin = null;
  addEventListener('keydown', (event) => { if (event.key === 'ArrowUp') begin = performance.now(); }, true);
  new MutationObserver(() => requestAnimationFrame(() => {
    if (begin !== null) times.push(performance.now() - begin);
    begin = null;
  })).observe(document.querySelector('.viewer'), { attributes: true, attributeFilter: ['data-picture'] });
  window.stepTimes = times;
}"""


def bench_pages() -> list[dict[str, Any]]:
    """Return a row for the first page and one for the steps of a walk, with nothing rendered before.

    Raises:
        InputError: There is no Chromium, or no Playwright to drive it.
    """
    with _server() as address, chromium() as browser:
        first = [_first_page(browser, address) for _ in range(ROUNDS)]
        steps = _walk(browser, address)
    return [_row("first page, until its links work", first), _row("next view of a walker", steps)]


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser.

    Raises:
        InputError: There is no Chromium, or no Playwright to drive it.
    """
    program = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if program is None or find_spec("playwright") is None:
        raise InputError("Chromium and Playwright", "not both", hint="Type: pip install -e '.[dev]', and see .ci/run.")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield browser
        browser.close()


def _row(name: str, milliseconds: list[float]) -> dict[str, Any]:
    values = np.array(milliseconds)
    return {
        "measured": name,
        "n": len(values),
        "median ms": round(float(np.median(values)), 1),
        "p95 ms": round(float(np.percentile(values, 95)), 1),
        "largest ms": round(float(values.max()), 1),
    }


@contextmanager
def _server() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database=str(Path(folder) / "web.sqlite"), cache=Path(folder) / "panoramas")
        create_games(settings, [DATASET])
        with served(create_app(settings)) as address:
            yield address


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """Serve an application on a free port, and yield its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def _first_page(browser: Any, address: str) -> float:
    context = browser.new_context()
    page = context.new_page()
    begin = time.perf_counter()
    page.goto(address, wait_until="load")
    page.get_by_role("link", name="Walk").first.wait_for()
    seconds = time.perf_counter() - begin
    context.close()
    return 1000 * seconds


def _walk(browser: Any, address: str) -> list[float]:
    """Return the milliseconds of each step of a walk with pauses to look around."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(address)
    page.goto(f"{address}/play/{GAME}?episode=0")
    page.wait_for_selector(".viewer[data-picture]", timeout=60_000)
    page.evaluate(OBSERVE)
    times: list[float] = []
    for _ in range(20 * STEPS):
        if len(times) >= STEPS:
            break
        page.wait_for_timeout(1000 * LOOKING)
        before = len(times)
        page.keyboard.press("ArrowUp")
        page.wait_for_timeout(500)
        times = page.evaluate("window.stepTimes")
        if len(times) == before and page.locator(".walk-arrow.ahead").count() == 0:
            page.keyboard.press("ArrowRight")
    return times[:STEPS]
