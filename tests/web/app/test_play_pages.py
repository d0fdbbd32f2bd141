"""The games in Chromium, from the first page to the stored trace: by mouse, by touch on a phone, by keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

from bearleft import load
from bearleft.evaluation.play import EpisodeRun
from bearleft.records import Direction, Trace
from bearleft.web.app import create_app
from bearleft.web.database.models import Answer, Event, Unit
from bearleft.web.play import create_games
from bearleft.web.settings import Settings
from bearleft.web.tasks.play import take_action
from tests.browser.accessibility import axe_missing, violations
from tests.browser.report_page import DESK, PHONE, chromium
from tests.browser.waiting import expect
from tests.sizes import some
from tests.web.app.conftest import GAMES
from tests.web.scene_page import browser_missing
from tests.web.server import serving

pytestmark = pytest.mark.skipif(bool(browser_missing()), reason=browser_missing())
TIMEOUT = 60_000  # milliseconds; panoramas are rendered on the way
TITLES = {"Walk": GAMES[0], "Walk and point": GAMES[1], "Point": GAMES[2], "Look": GAMES[3]}
# Six of them, evenly spaced, hold each game and each hand.
CASES = [
    (hand, title)
    for hand, titles in (
        ("keys", ("Walk", "Walk and point", "Point", "Look")),
        ("touch", ("Walk and point", "Look", "Walk", "Point")),
        ("mouse", ("Look", "Point", "Walk", "Walk and point")),
    )
    for title in titles
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened.chromium


class Site:
    """A server with the four games."""

    def __init__(self, address: str, app: Any) -> None:
        self.address, self.database = address, app.state.database

    def last(self) -> tuple[Trace, list[tuple[str, dict[str, Any]]], str]:
        """Return the trace that was stored last, the actions that the browser sent for it, and its dataset."""
        with self.database.read() as session:
            answer = session.scalars(select(Answer).order_by(Answer.id.desc())).first()
            assert answer is not None
            query = select(Event).where(Event.attempt_id == answer.attempt_id).order_by(Event.number)
            events = [(event.kind, event.data) for event in session.scalars(query)]
            unit = session.get_one(Unit, answer.unit_id)
            return Trace.from_json(answer.data["trace"]), events, unit.payload["dataset"]


@contextmanager
def site_with(database: str, panorama_folder: Path) -> Iterator[Site]:
    """Serve the games with a database."""
    settings = Settings(database=database, cache=panorama_folder)
    create_games(settings, GAMES)
    app = create_app(settings)
    with serving(app) as address:
        yield Site(address, app)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, panorama_folder: Path) -> Iterator[Site]:
    with site_with(str(tmp_path_factory.mktemp("site") / "web.sqlite"), panorama_folder) as opened:
        yield opened


class Window:
    """A browser window; `faults` are errors and requests that leave the machine, `traffic` what the server sent."""

    def __init__(self, browser: Any, site: Site, size: tuple[int, int], dark: bool = False) -> None:
        phone = size == PHONE
        scheme = "dark" if dark else "light"
        view = {"width": size[0], "height": size[1]}
        self.context = browser.new_context(viewport=view, has_touch=phone, is_mobile=phone, color_scheme=scheme)
        self.page = self.context.new_page()
        self.page.set_default_timeout(TIMEOUT)
        self.faults: list[str] = []
        self.traffic: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("console", lambda line: self.faults.append(line.text) if line.type == "error" else None)
        self.page.on("request", lambda request: self._check_host(request.url, site.address))
        self.page.on("response", self._keep)
        self.page.goto(f"{site.address}/")

    def _check_host(self, url: str, address: str) -> None:
        if not url.startswith((address, "data:", "blob:")):
            self.faults.append(f"request: {url}")

    def _keep(self, response: Any) -> None:
        kind = response.headers.get("content-type", "")
        if response.status == 200 and ("json" in kind or "text/html" in kind):
            self.traffic.append(response.text())

    def wait_for_picture(self) -> None:
        self.page.wait_for_selector(".viewer[data-picture]")

    def frame(self) -> None:
        """Wait until what was changed is painted."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def check_axe(self) -> None:
        if not axe_missing():
            assert violations(self.page) == []


def press(window: Window, hand: str, name: str) -> None:
    """Press a button of the page by the hand's own means."""
    button = window.page.get_by_role("button", name=name)
    button.wait_for()
    if hand == "keys":
        tab_to(window, name)
        window.page.keyboard.press("Enter")
    elif hand == "touch":
        button.tap()
    else:
        button.click()


def tab_to(window: Window, name: str) -> None:
    """Press Tab until an element with a text has the focus."""
    for _ in range(40):
        window.page.keyboard.press("Tab")
        if name in (window.page.evaluate("document.activeElement.textContent") or ""):
            return
    raise AssertionError(f"no way to {name!r} by Tab")


def choose(window: Window, hand: str, title: str) -> None:
    link = window.page.get_by_role("link", name=title, exact=True)
    if hand == "keys":
        for _ in range(20):
            window.page.keyboard.press("Tab")
            if window.page.evaluate("document.activeElement.textContent") == title:
                break
        window.page.keyboard.press("Enter")
    elif hand == "touch":
        link.tap()
    else:
        link.click()
    window.wait_for_picture()


def walk_a_step(window: Window, hand: str) -> None:
    """Walk along the first street in view, turning until there is one."""
    viewer = window.page.locator(".viewer")
    before = viewer.get_attribute("data-picture")
    for _ in range(24):
        window.frame()
        arrow = window.page.locator(".walk-arrow.ahead" if hand == "keys" else ".walk-arrow:not(.out-of-view)").first
        if arrow.count():
            if hand == "keys":
                window.page.keyboard.press("ArrowUp")
            else:
                arrow.tap() if hand == "touch" else arrow.click()
            window.page.wait_for_function(
                "(before) => document.querySelector('.viewer').dataset.picture !== before"
                " && document.getElementById('saving').textContent === 'saved'",
                arg=before,
            )
            return
        viewer.focus()
        window.page.keyboard.press("ArrowRight")
    raise AssertionError("no street found")


def point(window: Window, hand: str) -> None:
    box = window.page.locator(".viewer").bounding_box()
    x, y = box["x"] + 0.4 * box["width"], box["y"] + 0.6 * box["height"]
    if hand == "keys":
        window.page.locator(".viewer").focus()
        window.page.keyboard.press("ArrowRight")
        window.page.keyboard.press("Enter")
    elif hand == "touch":
        window.page.touchscreen.tap(x, y)
    else:
        window.page.mouse.click(x, y)


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(("hand", "title"), some(CASES, 6))
def test_every_game_from_the_first_page_to_the_stored_trace(browser: Any, site: Site, hand: str, title: str) -> None:
    check_game(browser, site, hand, title)


def test_a_game_is_stored_by_postgresql(browser: Any, postgresql_url: str, panorama_folder: Path) -> None:
    with site_with(postgresql_url, panorama_folder) as site:
        check_game(browser, site, "mouse", "Walk and point")


def check_game(browser: Any, site: Site, hand: str, title: str) -> None:
    """Play a game from the first page on, and compare the stored trace with the same actions in Python."""
    window = Window(browser, site, PHONE if hand == "touch" else DESK)
    choose(window, hand, title)
    if title.startswith("Walk"):
        walk_a_step(window, hand)
        walk_a_step(window, hand)
        press(window, hand, "I am there")
    if "oint" in title:
        window.page.get_by_role("button", name="This is the spot").wait_for()
        window.wait_for_picture()
        point(window, hand)
        press(window, hand, "This is the spot")
    while title == "Look" and "/work/" in window.page.url:
        sentence = window.page.locator("#text").text_content()
        if hand == "keys":
            window.page.keyboard.press("Enter")
        else:
            press(window, hand, "Next sentence" if window.page.get_by_text("Next sentence").count() else "This is")
        window.page.wait_for_function(
            "(old) => location.pathname.includes('/result/') || document.querySelector('#text')?.textContent !== old",
            arg=sentence,
        )
    window.page.wait_for_url("**/result/**")
    before_answer = [text for text in window.traffic if 'id="result"' not in text]
    window.page.get_by_role("table").wait_for()
    trace, events, dataset = site.last()
    episode = next(one for one in load(dataset) if one.id == trace.episode)
    assert dataset == TITLES[title]
    run = EpisodeRun(episode, 0, None, None)
    run.start()
    for kind, data in events:
        take_action(run, kind, data)
    assert trace.legs == run.legs and run.done
    for leg in episode.legs:
        target = getattr(leg.goal, "direction", None)
        if isinstance(target, Direction):
            assert not any(str(target.heading) in text or str(target.pitch) in text for text in before_answer[1:])
    assert urlsplit(window.page.url).path.startswith("/play/")
    assert window.faults == []
    window.context.close()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("size", "dark"), some([(PHONE, True), (DESK, True), (PHONE, False), (DESK, False)], 2))
def test_pages_are_accessible(browser: Any, site: Site, size: tuple[int, int], dark: bool) -> None:
    window = Window(browser, site, size, dark)
    window.check_axe()
    for title in ("Walk", "Point"):
        window.page.goto(f"{site.address}/")
        choose(window, "mouse" if size == DESK else "touch", title)
        window.check_axe()
    point(window, "mouse")
    press(window, "mouse", "This is the spot")
    window.page.get_by_role("table").wait_for()
    window.check_axe()
    window.page.goto(f"{site.address}/played")
    window.check_axe()
    width = window.page.evaluate("document.documentElement.scrollWidth")
    assert width <= size[0]  # nothing hangs out to the right
    window.context.close()


@pytest.mark.slow
def test_a_reload_goes_on_where_it_was(browser: Any, site: Site) -> None:
    window = Window(browser, site, DESK)
    choose(window, "mouse", "Walk")
    walk_a_step(window, "mouse")
    place = window.page.locator(".viewer").get_attribute("data-picture")
    window.page.reload()
    window.wait_for_picture()
    expect(window.page.locator(".viewer")).to_have_attribute("data-picture", place)
    expect(window.page.locator("#progress")).to_contain_text("1 steps")
    assert window.faults == []
    window.context.close()
