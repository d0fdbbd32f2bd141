"""The tasks of Refer360 in Chromium, from the first page to the stored answer: desktop, phone, keyboard alone."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from bearleft.geometry import View, angle_between
from bearleft.records import Direction, Trace
from bearleft.web.app import create_app
from bearleft.web.database.models import Project, Unit
from bearleft.web.projects import create_project
from bearleft.web.settings import Settings
from tests.browser.report_page import DESK, PHONE, chromium
from tests.browser.waiting import expect
from tests.web import window
from tests.web.refer360.people import SENTENCES, Person
from tests.web.scene_page import browser_missing
from tests.web.server import serving

pytestmark = pytest.mark.skipif(bool(browser_missing()), reason=browser_missing())

TIMEOUT = 60_000  # milliseconds; panoramas are rendered on the way
LONG = "Turn right, past the shelf with many small shoes, " * 4 + "until you see the mirror with a black frame."
KEY_STEP, FINE_STEP = 40, 8  # pixels of an arrow key


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened.chromium


@pytest.fixture(scope="module")
def panoramas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("panoramas")


class Site(window.Site):
    """A server with one project."""

    def person(self) -> Person:
        """Return another worker, who needs no browser."""
        return Person(self.database, self.worlds)


@contextmanager
def study(folder: Path, cache: Path, url: str = "", **settings: Any) -> Iterator[Site]:
    """Serve a project, on SQLite unless another database is named."""
    app = create_app(Settings(database=url or str(folder / "people.sqlite"), cache=cache))
    chosen = {"worlds": ["rooms/0/42"], "hiring": False, "limit": 2} | settings
    create_project(app.state.database, app.state.worlds, "study", "refer360", chosen)
    with serving(app) as address:
        yield Site(address, app)


class Window(window.Window):
    """A worker's browser."""

    def start(self) -> None:
        """Go from the first page to the first unit, and wait until it is shown."""
        super().start()
        self.shown()

    def shown(self) -> None:
        """Wait until the panorama is shown."""
        self.page.locator(".viewer[data-picture]").wait_for()

    def look(self, target: Direction, now: Direction) -> Direction:
        """Turn by arrow keys from the present direction to about another, and return what the middle then shows."""
        width, height = self.page.evaluate("(v => [v.clientWidth, v.clientHeight])(document.querySelector('.viewer'))")
        fov = min(90.0, 2 * math.degrees(math.atan(math.tan(math.radians(40)) * width / height)))
        degrees = math.degrees(2 * math.tan(math.radians(fov / 2))) / width
        pitch = now.pitch + self._press(target.pitch - now.pitch, degrees, "ArrowUp", "ArrowDown")
        shrink = max(math.cos(math.radians(pitch)), 0.25)
        turn = (target.heading - now.heading + 180) % 360 - 180
        heading = now.heading + self._press(turn, degrees / shrink, "ArrowRight", "ArrowLeft")
        self.frame()
        return Direction(heading, pitch)

    def _press(self, change: float, degrees: float, more: str, less: str) -> float:
        key, left = (more if change > 0 else less), abs(change) / degrees
        coarse = int(left / KEY_STEP)
        fine = round((left - coarse * KEY_STEP) / FINE_STEP)
        for _ in range(coarse):
            self.page.keyboard.press(key)
        for _ in range(fine):
            self.page.keyboard.press(f"Shift+{key}")
        return math.copysign((coarse * KEY_STEP + fine * FINE_STEP) * degrees, change)


@contextmanager
def open_window(browser: Any, site: Site, size: tuple[int, int] = DESK, **more: Any) -> Iterator[Window]:
    """Open a new worker's browser."""
    with window.window(browser, site, Window, size, **more) as opened:
        yield opened


def is_sent(answer: Any, kind: str) -> bool:
    """Return whether an answer of the server is that to an action of a kind."""
    return bool(answer.url.endswith("/events") and answer.request.post_data_json["kind"] == kind)


def is_near(action: dict[str, Any], goal: Direction) -> bool:
    """Return whether the view of an action is nearly towards a goal; a change by two degrees is not recorded."""
    return angle_between(Direction(action["data"]["heading"], action["data"]["pitch"]), goal) < 4


def towards(window: Window) -> Direction:
    """Return the direction of the middle at the beginning."""
    start = window.unit()["view"]["look"]
    return Direction(start["heading"], start["pitch"])


def stored_view(view: dict[str, float]) -> View:
    """Return the view of Python's geometry that belongs to a stored one."""
    half = math.tan(math.radians(view["vfov"] / 2)) * view["width"] / view["height"]
    look = Direction(view["heading"], view["pitch"])
    return View(look, int(view["width"]), int(view["height"]), math.degrees(2 * math.atan(half)))


def picture(page: Any, name: str, folder: Path | None) -> None:
    """Keep a screenshot, if somebody wants to look at them."""
    if folder:
        page.screenshot(path=folder / f"{name}.png")


@pytest.fixture(scope="session")
def pictures() -> Path | None:
    """Return the folder that BEARLEFT_SCREENSHOTS names, for pictures to look at."""
    folder = os.environ.get("BEARLEFT_SCREENSHOTS")
    return Path(folder) if folder else None


def test_a_bear_is_found_by_a_click_and_described(
    browser: Any, database_url: str, tmp_path: Path, panoramas: Path, pictures: Path | None
) -> None:
    with study(tmp_path, panoramas, database_url) as site, open_window(browser, site) as desk:
        desk.start()
        page = desk.page
        expect(page.get_by_role("heading", name="First, find the bear")).to_be_visible()
        expect(page.locator("#write")).to_be_hidden()
        picture(page, "description-start", pictures)
        page.locator(".viewer").click(position={"x": 60, "y": 200})
        page.get_by_text("The bear is not there").wait_for()
        target = Direction(*desk.unit()["view"]["target"])
        desk.look(target, towards(desk))
        bear = page.get_by_role("img", name="The bear")
        picture(page, "description-bear", pictures)
        box = bear.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        first = page.get_by_label("Sentence 1")
        first.wait_for()
        first.fill("it is at heading 120, pitch 5")
        page.get_by_role("button", name="Next sentence").click()
        page.get_by_text("instead of degrees or coordinates").wait_for()
        assert page.get_by_label("Sentence 2").count() == 0
        desk.check_layout()
        picture(page, "description-problem", pictures)
        first.fill(SENTENCES[0])
        page.keyboard.press("Enter")
        page.get_by_label("Sentence 2").fill(SENTENCES[1])
        page.get_by_role("button", name="Next sentence").click()
        page.get_by_label("Sentence 3").wait_for()
        with page.expect_response(lambda answer: is_sent(answer, "draft")):  # a draft is saved while one does nothing
            page.get_by_label("Sentence 3").fill("the bear sits on")
        page.reload()
        desk.shown()
        expect(page.get_by_label("Sentence 1")).to_have_value(SENTENCES[0])
        expect(page.get_by_label("Sentence 3")).to_have_value("the bear sits on")
        page.get_by_label("Sentence 3").fill(SENTENCES[2])
        picture(page, "description-written", pictures)
        assert "Completion code" not in page.content()
        page.get_by_role("button", name="Submit").click()
        page.get_by_text("Completion code").wait_for()
        desk.check_layout()
        picture(page, "description-done", pictures)
        [(answer, unit)] = site.answers()
        assert answer.data["sentences"] == list(SENTENCES)
        assert answer.code in page.locator("#done").text_content()
        desk.next()
        desk.shown()
        assert desk.unit()["view"]["target"] != unit.payload["target"]


def collect(site: Site, texts: Sequence[str] = SENTENCES) -> Unit:
    """Let somebody write a text."""
    writer = site.person()
    lease = writer.claim()
    assert lease
    writer.describe(lease, texts)
    with site.database.read() as session:
        found: Unit = session.scalars(select(Unit).where(Unit.parent_id == lease.unit_id)).one()
        return found


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("near", [True, False])
def test_a_target_is_found_by_a_click(
    browser: Any, tmp_path: Path, panoramas: Path, pictures: Path | None, near: bool
) -> None:
    with study(tmp_path, panoramas) as site:
        unit = collect(site)
        target = Direction(*unit.payload["target"])
        with open_window(browser, site) as desk:
            desk.start()
            page = desk.page
            picture(page, "finding-start", pictures)
            middle = towards(desk)
            for k, sentence in enumerate(SENTENCES):
                page.get_by_text(sentence).wait_for()
                assert [page.get_by_text(later).count() for later in SENTENCES[k + 1 :]] == [0] * (2 - k)
                goal = Direction(target.heading + (0 if near else 150) + 15 * (2 - k), target.pitch)
                with page.expect_response(
                    lambda answer, goal=goal: is_sent(answer, "look") and is_near(answer.request.post_data_json, goal)
                ):  # the view is recorded when it rests
                    middle = desk.look(goal, middle)
                if k < 2:
                    page.get_by_role("button", name="Next sentence").click()
                    page.get_by_text(f"Sentence {k + 2} of 3").wait_for()
            page.reload()
            desk.shown()
            page.get_by_text(SENTENCES[2]).wait_for()
            desk.frame()
            box = page.locator(".viewer").bounding_box()
            page.mouse.click(box["x"] + box["width"] / 2 + 40, box["y"] + box["height"] / 2 - 30)
            page.get_by_role("img", name="Your bear").wait_for()
            desk.check_layout()
            picture(page, "finding-marked", pictures)
            sent = "\n".join(desk.received)
            for value in (*target.to_json(), target.heading - 360):
                assert f"{value:.4f}"[:-1] not in sent
            page.get_by_role("button", name="Submit").click()
            page.get_by_text("You found it" if near else "Not this time").wait_for()
            page.get_by_role("img", name="The bear", exact=True).wait_for()
            picture(page, f"finding-done-{'near' if near else 'far'}", pictures)
            answer, _ = site.answers()[-1]
        trace = Trace.from_json(answer.data["trace"])
        assert trace.legs[0].actions == ("look", "next") * 3
        assert angle_between(trace.legs[0].looks[1], Direction(goal.heading + 15, goal.pitch)) < 2
        assert answer.data["by"] == "click"
        clicked = trace.legs[0].answer
        view = answer.data["view"]
        expected = stored_view(view).direction(view["width"] / 2 + 40, view["height"] / 2 - 30)
        assert isinstance(clicked, Direction)
        assert angle_between(clicked, Direction(*np.asarray(expected, float))) < 0.1
        assert answer.accepted == near


@pytest.mark.slow
def test_everything_works_by_keyboard_alone(browser: Any, tmp_path: Path, panoramas: Path) -> None:
    with study(tmp_path, panoramas) as site, open_window(browser, site) as desk:
        unit = collect(site)
        page = desk.page
        page.goto(f"{site.address}/projects/study")
        page.get_by_role("link", name="Start").focus()
        with page.expect_navigation():
            page.keyboard.press("Enter")
        desk.shown()
        middle, target = towards(desk), Direction(*unit.payload["target"])
        for k in range(3):
            page.get_by_text(SENTENCES[k]).wait_for()
            middle = desk.look(target, middle)
            page.keyboard.press("Enter")
        page.get_by_role("button", name="Submit").wait_for()
        page.keyboard.press("Enter")
        page.get_by_text("You found it").wait_for()
        answer, _ = site.answers()[-1]
        assert answer.data["by"] == "centre"
        assert answer.data["degrees"] < 2
        with page.expect_navigation():
            page.keyboard.press("Enter")  # the link to the next unit has the focus
        page.get_by_role("heading", name="First, find the bear").wait_for()
        desk.shown()
        desk.look(Direction(*desk.unit()["view"]["target"]), towards(desk))
        page.keyboard.press("Enter")
        page.get_by_label("Sentence 1").wait_for()
        for k, sentence in enumerate(("find the brown wooden door first.", *SENTENCES[1:])):
            field = page.get_by_label(f"Sentence {k + 1}")
            field.wait_for()
            page.wait_for_function("k => document.activeElement.id === `sentence-${k + 1}`", arg=k)
            page.keyboard.type(sentence)
            if k < 2:
                page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        while page.evaluate("() => document.activeElement.id") != "submit":
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.get_by_text("Completion code").wait_for()
        assert site.answers()[-1][0].data["sentences"][0] == "find the brown wooden door first."


@pytest.mark.slow
def test_the_tasks_fit_a_phone(browser: Any, tmp_path: Path, panoramas: Path, pictures: Path | None) -> None:
    options = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2, "color_scheme": "dark"}
    with study(tmp_path, panoramas) as site, open_window(browser, site, PHONE, **options) as phone:
        texts = [*SENTENCES, LONG, "the bear sits at the lower left corner of that mirror."]
        unit = collect(site, texts)
        phone.start()
        page = phone.page
        middle, target = towards(phone), Direction(*unit.payload["target"])
        for k, text in enumerate(texts):
            page.get_by_text(text).wait_for()
            phone.check_layout()
            picture(page, f"phone-finding-{k}", pictures)
            middle = phone.look(target, middle)
            if k < 4:
                page.get_by_role("button", name="Next sentence").tap()
        page.get_by_role("button", name="Put the bear in the middle").tap()
        page.get_by_role("button", name="Submit").tap()
        page.get_by_text("You found it").wait_for()
        phone.check_layout()
        picture(page, "phone-finding-done", pictures)
        with page.expect_navigation():
            page.get_by_role("link", name="Next").tap()
        phone.shown()
        page.get_by_role("heading", name="First, find the bear").wait_for()
        picture(page, "phone-description-start", pictures)
        phone.look(Direction(*phone.unit()["view"]["target"]), towards(phone))
        box = page.locator(".viewer").bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.get_by_label("Sentence 1").fill(SENTENCES[0])
        page.get_by_role("button", name="Next sentence").tap()
        page.get_by_label("Sentence 2").wait_for()
        phone.check_layout()
        picture(page, "phone-description", pictures)
        page.get_by_label("Sentence 2").fill(LONG)
        page.get_by_role("button", name="Next sentence").tap()
        page.get_by_label("Sentence 3").wait_for()
        for name in ("Next sentence", "Look at the bear"):
            assert page.get_by_role("button", name=name).bounding_box()["y"] < PHONE[1] - 40
        field = page.get_by_label("Sentence 3")
        for words in LONG.split(". "):  # the field grows while one types, and stays above the buttons
            field.press_sequentially(f"{words}. ")
        bottom = field.bounding_box()["y"] + field.bounding_box()["height"]
        assert bottom <= page.get_by_role("button", name="Next sentence").bounding_box()["y"]
        picture(page, "phone-description-long", pictures)


@pytest.mark.slow
def test_an_ablation_shows_the_last_sentences_only(browser: Any, tmp_path: Path, panoramas: Path) -> None:
    settings: dict[str, Any] = {"study": "ablation", "dataset": "city/refer360/small", "limit": 1}
    with study(tmp_path, panoramas, **settings) as site, open_window(browser, site) as desk:
        with site.database.read() as session:
            unit = session.scalars(select(Unit).order_by(Unit.id)).first()
            assert session.scalars(select(Project.name)).one() == "study"
        assert unit is not None and unit.payload["last"] == 1
        desk.start()
        page = desk.page
        page.get_by_text("Sentence 1 of 1").wait_for()
        page.get_by_text(unit.payload["sentences"][-1]).wait_for()
        page.keyboard.press("ArrowDown")
        page.get_by_role("button", name="Put the bear in the middle").click()
        page.get_by_role("button", name="Submit").click()
        page.get_by_text("Completion code").wait_for()
        sent = "\n".join(desk.received)
        assert unit.payload["sentences"][0] not in sent
        assert page.get_by_role("img", name="The bear", exact=True).count() == 0
        assert f"{unit.payload['target'][0]:.3f}" not in sent
        [(answer, _)] = site.answers()
        assert answer.data["trace"]["legs"][0]["actions"] == ["look", "next"]


@pytest.mark.slow
def test_a_view_that_rests_while_the_answer_is_on_its_way_is_not_recorded(
    browser: Any, tmp_path: Path, panoramas: Path
) -> None:
    settings: dict[str, Any] = {"study": "ablation", "dataset": "city/refer360/small", "limit": 1}
    with study(tmp_path, panoramas, **settings) as site, open_window(browser, site) as desk:
        page = desk.page
        page.clock.install()
        desk.start()
        page.get_by_role("button", name="Put the bear in the middle").click()
        held: list[Any] = []
        page.route("**/submit", lambda route: held.append(route))
        with page.expect_request("**/submit"):
            page.get_by_role("button", name="Submit").click()
        for _ in range(3):
            page.keyboard.press("ArrowDown")
        page.clock.run_for(2_000)
        (answer,) = held
        answer.continue_()
        page.get_by_text("Completion code").wait_for()
        desk.saved()
        assert page.locator("#message").is_hidden()
