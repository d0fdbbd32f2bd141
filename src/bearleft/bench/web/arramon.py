"""Frames per second of ArraMon's 3-D view in a browser without a GPU, at 640 x 360.

The page draws fewer pixels while a person moves if the machine is too slow; a column says how many along a side.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

from bearleft.bench.web.pages import chromium, served
from bearleft.web.app import create_app
from bearleft.web.database.models import Project
from bearleft.web.people.cookie import COOKIE, add_worker, sign
from bearleft.web.projects import create_project, get_project
from bearleft.web.queue.slots import claim
from bearleft.web.settings import Settings
from bearleft.web.tasks.arramon.kinds import WRITING

VIEW = (640, 360)  # pixels
PANEL, TOP = 320, 49  # pixels beside and above the view
PROJECT = "study"
SECONDS = 6.0
KEYS = {"forward": "ArrowUp", "left": "ArrowLeft", "right": "ArrowRight"}
START_HEADING = 148.79325  # degrees, of the first embedded map
Run = tuple[list[float], list[float]]
BEGIN = "[window.drawn, window.shares] = [[], []]"
IDLE = "canvas[data-walker='idle'][data-state='shown']"
# The time of each picture that is drawn.
OBSERVE = """() => {
  const canvas = document.querySelector('canvas.stage');
  window.drawn = [];
  window.shares = [];
  const observer = new MutationObserver(() => {
    window.drawn.push(performance.now());
    window.shares.push(Number(canvas.dataset.share));
  });
  observer.observe(canvas, { attributes: true, attributeFilter: ['data-drawn'] });
}"""


def bench_arramon() -> list[dict[str, Any]]:
    """Return a row for turning and one for walking along a guide line, both with a key held down.

    Raises:
        InputError: There is no Chromium, or no Playwright to drive it.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database=str(Path(folder) / "web.sqlite"))
        app = create_app(settings)
        create_project(app.state.database, app.state.worlds, PROJECT, "arramon", {"limit": 1})
        worker = add_worker(app.state.database)
        with app.state.database.read() as session:
            project_id = _project(session).id
        lease = claim(app.state.database, project_id, worker, [WRITING])
        assert lease is not None
        unit = next(iter(app.state.worlds.episodes("city/arramon/small").values()))
        with served(app) as address, chromium() as browser:
            size = {"width": VIEW[0] + PANEL, "height": VIEW[1] + TOP}
            context = browser.new_context(viewport=size)
            context.add_cookies([{"name": COOKIE, "value": sign(settings, worker), "url": address}])
            page = context.new_page()
            page.set_default_timeout(600_000)
            page.goto(f"{address}/work/{lease.attempt_id}")
            page.locator(IDLE).wait_for()
            shown = page.evaluate("(c => [c.width, c.height])(document.querySelector('canvas.stage'))")
            assert shown == list(VIEW), shown
            page.evaluate(OBSERVE)
            turning = _turn(page)
            walking = _walk(page, [action for action in unit.legs[0].goal.actions if action in KEYS])
            context.close()
    return [_row("turning, a key held down", turning), _row("walking along the line", walking)]


def _project(session: Session) -> Project:
    return get_project(session, PROJECT)


def _turn(page: Any) -> Run:
    """Hold a key down, in whole circles."""
    page.evaluate(BEGIN)
    page.evaluate(
        """(seconds) => new Promise((done) => {
          const press = () => dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', repeat: true }));
          const timer = setInterval(press, 33);
          setTimeout(() => { clearInterval(timer); done(); }, seconds * 1000);
        })""",
        SECONDS,
    )
    run = _seen(page)
    page.locator(IDLE).wait_for()
    while abs((_heading(page) - START_HEADING + 180) % 360 - 180) > 1:  # back to the first heading
        page.keyboard.press("ArrowRight")
        page.locator(IDLE).wait_for()
        page.wait_for_timeout(50)
    return run


def _heading(page: Any) -> float:
    return float(page.locator("canvas.stage").get_attribute("data-pose").split()[3])


def _walk(page: Any, actions: list[str]) -> Run:
    """Press keys as fast as the page takes them."""
    page.evaluate(BEGIN)
    for action in actions:
        page.keyboard.press(KEYS[action])
        page.wait_for_function("() => document.querySelector('canvas.stage').dataset.waiting === '0'", polling=15)
    page.locator(IDLE).wait_for()
    return _seen(page)


def _seen(page: Any) -> Run:
    """Return when pictures were drawn, in milliseconds, and their shares of the pixels along a side."""
    times, shares = page.evaluate("[window.drawn, window.shares]")
    return times, shares


def _row(name: str, run: Run) -> dict[str, Any]:
    times, shares = run
    intervals = np.diff(times)
    return {
        "measured": f"{name}, {VIEW[0]} x {VIEW[1]}",
        "frames": len(times),
        "frames/s": round((len(times) - 1) / (times[-1] - times[0]) * 1000, 1),
        "median ms": round(float(np.median(intervals)), 1),
        "p95 ms": round(float(np.percentile(intervals, 95)), 1),
        "largest ms": round(float(intervals.max()), 1),
        "pixels along a side, %": round(100 * float(np.median(shares))),
    }
