"""The study in Chromium, from the first page to the export: mouse, touch, keyboard alone; on both databases."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bearleft.experiments.ndtw.study import read_rankings
from bearleft.web.analyses import analysis_address
from bearleft.web.app import create_app
from bearleft.web.database.models import Event
from bearleft.web.exports import export_project
from bearleft.web.projects import create_project
from bearleft.web.settings import Settings
from bearleft.web.tasks.ndtw_study.rules import NAMES
from tests.browser.report_page import DESK, NARROW, PHONE, chromium
from tests.browser.waiting import expect, until
from tests.web import window
from tests.web.ndtw_study.people import Rater, by_metric
from tests.web.scene_page import browser_missing
from tests.web.server import serving

pytestmark = pytest.mark.skipif(bool(browser_missing()), reason=browser_missing())

SECRET = "a secret of the server"
PHONE_OPTIONS = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2, "color_scheme": "dark"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened.chromium


class Site(window.Site):
    """A server with one project."""

    def rankings(self) -> list[dict[str, Any]]:
        """Return what was stored of each answer, in order."""
        return [answer.data for answer, _ in self.answers()]

    def moves(self) -> list[dict[str, Any]]:
        """Return what was stored of the last attempt that has moves."""
        with self.database.read() as session:
            events = session.scalars(select(Event).order_by(Event.id)).all()
            return [event.data for event in events if event.attempt_id == events[-1].attempt_id]


@contextmanager
def study(url: str, answers: int = 9, **chosen: Any) -> Iterator[Site]:
    """Serve a project."""
    settings = Settings(database=url, secret=SECRET)
    app = create_app(settings)
    values = {"limit": 2} | chosen
    create_project(app.state.database, app.state.worlds, "study", "ndtw-study", values, answers=answers)
    with serving(app) as address:
        yield Site(address, app)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with study(str(tmp_path_factory.mktemp("site") / "ranks.sqlite")) as opened:
        yield opened


def open_window(
    browser: Any, site: Site, size: tuple[int, int] = DESK, **more: Any
) -> AbstractContextManager[window.Window]:
    """Open a new worker's browser."""
    return window.window(browser, site, window.Window, size, **more)


def start(rater: window.Window) -> None:
    """Go from the first page to the first set."""
    rater.start()
    shown(rater)


def shown(rater: window.Window) -> None:
    """Wait until the cards are shown."""
    rater.page.locator("#cards .path").nth(4).wait_for()


def order(rater: window.Window) -> str:
    """Return the names of the cards in order, as they are labelled."""
    labels = rater.page.locator("#cards .figure").evaluate_all(
        "nodes => nodes.map((n) => n.getAttribute('aria-label'))"
    )
    names = "".join(label[5] for label in labels)
    assert [label[6:] for label in labels] == [f", rank {k} of 5" for k in range(1, 6)]
    assert rater.page.locator("#cards .rank").all_inner_texts() == list("12345")
    return names


def saved(rater: window.Window) -> None:
    rater.page.locator("#saving", has_text="saved").wait_for()


def middle(rater: window.Window, selector: str) -> tuple[float, float]:
    box = rater.page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(rater: window.Window, name: str, target: str, drop: bool = True) -> None:
    """Drag a card by its picture to the place of another, by mouse."""
    mouse = rater.page.mouse
    begin, end = (middle(rater, f"[data-path={path}] .figure") for path in (name, target))
    mouse.move(*begin)
    mouse.down()
    mouse.move(begin[0] + 4, begin[1])
    mouse.move((begin[0] + end[0]) / 2, end[1], steps=4)
    mouse.move(*end, steps=4)
    if drop:
        mouse.up()


def picture(page: Any, name: str) -> None:
    """Keep a screenshot in the folder that BEARLEFT_SCREENSHOTS names, if somebody wants to look at them."""
    if folder := os.environ.get("BEARLEFT_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def test_sets_are_ranked_by_mouse_from_the_first_page_to_the_export(
    browser: Any, database_url: str, tmp_path: Path
) -> None:
    with study(database_url, limit=1, session=2, answers=1) as site, open_window(browser, site) as desk:
        page = desk.page
        start(desk)
        expect(page.get_by_text("If I instructed a robot to take the blue path")).to_be_visible()
        expect(page.get_by_text("You told a robot")).to_be_visible()  # the instructions are open at first
        desk.check_layout()
        page.locator("#help summary").click()
        assert order(desk) == "ABCDE"
        drag(desk, "D", "A")
        until(desk.page, lambda: order(desk) == "DABCE")
        saved(desk)
        drag(desk, "A", "E")
        until(desk.page, lambda: order(desk) == "DBCEA")
        expect(page.locator("#live")).to_have_text("Path A is at rank 5 of 5.")
        page.get_by_role("button", name="E one rank better").click()
        assert order(desk) == "DBECA"
        saved(desk)
        assert not page.locator("#large").is_visible()  # a drag is no click
        picture(page, "ndtw-study")
        page.reload()
        shown(desk)
        assert order(desk) == "DBECA"
        assert [(move["path"], move["rank"], move["by"]) for move in site.moves()] == [
            ("D", 1, "drag"),
            ("A", 5, "drag"),
            ("E", 3, "button"),
        ]
        desk.check_layout()
        page.get_by_role("button", name="Submit this ranking").click()
        page.get_by_text("Completion code").wait_for()
        page.get_by_text("Session 1: 1 of 2 sets ranked.").wait_for()
        desk.check_layout()
        first = site.rankings()[0]
        assert [first["shown"]["ABCDE".index(name)] for name in "DBECA"] == [
            first["places"].index(rank) for rank in range(1, 6)
        ]
        assert (first["moves"], first["repeats"]) == (3, None)
        desk.next()  # the same set again, mirrored
        shown(desk)
        expect(page.get_by_text("You told a robot")).to_be_hidden()  # read before
        page.get_by_role("button", name="C one rank worse").click()
        saved(desk)
        page.get_by_role("button", name="Submit this ranking").click()
        page.get_by_text("Session 1 is complete.").wait_for()
        desk.next()
        shown(desk)
        drag(desk, "B", "D")
        page.get_by_role("button", name="Submit this ranking").click()
        page.get_by_text("Completion code").wait_for()
        again = site.rankings()[1]
        assert again["set"] == first["set"]
        assert again["repeats"] is not None
        export_project(site.settings, "study", tmp_path / "out")
        rankings = read_rankings(tmp_path / "out" / "study-rankings.jsonl")
        assert [ranking.places for ranking in rankings] == [tuple(one["places"]) for one in site.rankings()[::2]]
        page.goto(f"{site.address}{analysis_address(SECRET, 'study')}")
        page.get_by_role("heading", name="Table 1").wait_for()
        page.get_by_text("Rankings: 2, of 2 sets, by 1 person.").wait_for()
        assert page.locator("tbody tr").count() == 10
        desk.check_layout()


@pytest.mark.slow
def test_sets_are_ranked_by_keyboard_alone(browser: Any, site: Site) -> None:
    with open_window(browser, site) as desk:
        page, keys = desk.page, desk.page.keyboard
        page.goto(f"{site.address}/projects/study")
        page.get_by_role("link", name="Start").focus()
        with page.expect_navigation():
            keys.press("Enter")
        shown(desk)

        def tab_to(element: str) -> None:
            for _ in range(20):
                keys.press("Tab")
                if page.evaluate("() => document.activeElement.id") == element:
                    return
            raise AssertionError(element)

        tab_to("path-B")
        keys.press("ArrowLeft")
        assert order(desk) == "BACDE"
        expect(page.locator("#live")).to_have_text("Path B is at rank 1 of 5.")
        keys.press("ArrowLeft")  # it is the best already
        keys.press("ArrowDown")
        assert order(desk) == "ABCDE"
        keys.press("5")
        assert order(desk) == "ACDEB"
        assert page.evaluate("() => document.activeElement.id") == "path-B"
        keys.press("Home")
        assert order(desk) == "BACDE"
        keys.press("Tab")
        assert page.evaluate("() => document.activeElement.id") == "path-A"
        keys.press("End")
        keys.press("ArrowUp")
        assert order(desk) == "BCDAE"
        keys.press("Enter")
        expect(page.get_by_role("heading", name="Path A, rank 4 of 5")).to_be_visible()
        desk.check_layout()
        picture(page, "ndtw-study-large")
        keys.press("Escape")
        expect(page.locator("#large")).to_be_hidden()
        saved(desk)
        assert [(move["path"], move["rank"], move["by"]) for move in site.moves()] == [
            ("B", 1, "arrows"),
            ("B", 2, "arrows"),
            ("B", 5, "number"),
            ("B", 1, "arrows"),
            ("A", 5, "arrows"),
            ("A", 4, "arrows"),
        ]
        tab_to("submit")
        keys.press("Enter")
        page.get_by_text("Completion code").wait_for()
        with page.expect_navigation():
            keys.press("Enter")  # the link to the next set has the focus
        shown(desk)
        assert order(desk) == "ABCDE"


def swipe(page: Any, begin: tuple[float, float], end: tuple[float, float], steps: int = 8) -> None:
    """Move a finger from one place to another."""
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": begin[0], "y": begin[1]}]})
    for k in range(1, steps + 1):
        x, y = (a + (b - a) * k / steps for a, b in zip(begin, end, strict=True))
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.slow
def test_sets_are_ranked_by_touch_on_a_phone(browser: Any, site: Site) -> None:
    with open_window(browser, site, PHONE, **PHONE_OPTIONS) as phone:
        page = phone.page
        start(phone)
        phone.check_layout()
        page.locator("#help summary").tap()
        page.locator("[data-path=A]").scroll_into_view_if_needed()
        picture(page, "ndtw-study-phone")
        swipe(page, middle(phone, "[data-path=A] .letter"), middle(phone, "[data-path=C] .letter"))
        page.locator("#live", has_text="Path A is at rank 3").wait_for()
        assert order(phone) == "BCADE"
        # By its picture a card is not dragged: there one scrolls, and a tap shows it large.
        x, y = middle(phone, "[data-path=B] .figure")
        swipe(page, (x, y), (x, y - 150))
        assert order(phone) == "BCADE"
        page.locator("[data-path=E] .figure").tap()
        page.get_by_role("heading", name="Path E, rank 5 of 5").wait_for()
        phone.check_layout()
        page.get_by_role("button", name="Close").tap()
        page.get_by_role("button", name="D one rank better").tap()
        assert order(phone) == "BCDAE"
        saved(phone)
        assert [(move["path"], move["rank"], move["by"]) for move in site.moves()] == [
            ("A", 3, "drag"),
            ("D", 3, "button"),
        ]
        page.get_by_role("button", name="Submit this ranking").tap()
        page.get_by_text("Completion code").wait_for()
        phone.check_layout()
    with open_window(browser, site, NARROW) as narrow:
        start(narrow)
        narrow.check_layout()


@pytest.mark.slow
def test_a_drag_can_be_given_up(browser: Any, site: Site) -> None:
    with open_window(browser, site) as desk:
        start(desk)
        desk.page.locator("#help summary").click()
        drag(desk, "A", "D", drop=False)
        until(desk.page, lambda: order(desk) == "BCDAE")  # where it would be
        desk.page.keyboard.press("Escape")
        until(desk.page, lambda: order(desk) == "ABCDE")
        desk.page.mouse.up()
        desk.page.reload()
        shown(desk)
        assert order(desk) == "ABCDE"


@pytest.mark.slow
def test_an_untouched_order_is_asked_about(browser: Any, site: Site) -> None:
    with open_window(browser, site) as desk:
        page = desk.page
        start(desk)
        confirm = page.get_by_role("button", name="The order is right as it is")
        assert not confirm.is_visible()
        page.get_by_role("button", name="Submit this ranking").click()
        page.get_by_text("Move a path, or confirm that this order is your ranking.").wait_for()
        desk.check_layout()
        page.locator("#path-A").press("ArrowRight")
        saved(desk)
        expect(confirm).to_be_hidden()
        expect(page.locator("#message")).to_be_hidden()
    with open_window(browser, site) as desk:
        start(desk)
        desk.page.get_by_role("button", name="Submit this ranking").click()
        desk.page.get_by_role("button", name="The order is right as it is").click()
        desk.page.get_by_text("Completion code").wait_for()
        assert site.rankings()[-1]["moves"] == 0


@pytest.mark.slow
def test_a_move_that_the_server_has_refused_is_taken_back(browser: Any, site: Site) -> None:
    with open_window(browser, site) as desk:
        page = desk.page
        start(desk)
        page.locator("#path-C").press("1")
        saved(desk)
        refusal = {"status": 422, "json": {"detail": "expected something else"}}
        page.route("**/events", lambda route: route.fulfill(**refusal), times=1)
        page.locator("#path-E").press("1")
        page.get_by_text("expected something else").wait_for()
        until(page, lambda: order(desk) == "CABDE")
        page.locator("#path-E").press("1")
        saved(desk)
        page.reload()
        shown(desk)
        assert order(desk) == "ECABD"


def test_pictures_tell_the_paths_apart_without_colour(browser: Any, site: Site) -> None:
    with open_window(browser, site) as desk:
        start(desk)
        page, view = desk.page, desk.unit()["view"]
        widths = page.evaluate(
            """() => ['.reference', '.query'].map((name) =>
              parseFloat(getComputedStyle(document.querySelector(`#cards ${name}`)).strokeWidth))"""
        )
        assert widths[0] > 2 * widths[1]
        assert page.locator("#cards .heads").count() == 5
        for name in NAMES:
            described = page.locator(f"#path-{name}").get_attribute("aria-describedby").split()[0]
            text = page.locator(f"#{described}").inner_text()
            steps = sum(
                int(part.split()[0]) for part in text.removeprefix(f"Path {name} goes ").rstrip(".").split(", ")
            )
            [points] = [path["points"] for path in view["paths"] if path["name"] == name]
            assert steps == len(points) - 1
        assert page.get_by_role("img", name="The blue path goes").is_visible()


@pytest.mark.slow
def test_the_analysis_shows_table_1_and_whom_people_agree_with(browser: Any, tmp_path: Path) -> None:
    with study(str(tmp_path / "ranks.sqlite"), limit=4, session=3, answers=1) as site:
        rater = Rater(site.database, site.worlds, "study")
        rater.rank_all(lambda one: by_metric("nDTW" if one.study == "unconstrained" else "SED")(one))
        for size, options in ((DESK, {}), (PHONE, PHONE_OPTIONS)):
            with open_window(browser, site, size, **options) as opened:
                page = opened.page
                page.goto(f"{site.address}{analysis_address(SECRET, 'study')}")
                row = page.get_by_role("row", name="nDTW against PL")
                assert "242/17" in row.inner_text()
                assert row.locator("td").nth(5).inner_text() == "1.00"
                charts = page.locator(".agreement svg")
                assert charts.count() == 2
                assert charts.first.get_attribute("aria-label").startswith("nDTW 1.00, ")
                assert charts.nth(1).get_attribute("aria-label").startswith("SED ")
                opened.check_layout()
                picture(page, f"ndtw-study-analysis-{size[0]}")
        with open_window(browser, site) as worker:
            page = worker.page
            page.goto(f"{site.address}/projects/study")
            assert page.get_by_role("link", name="analysis").count() == 0
