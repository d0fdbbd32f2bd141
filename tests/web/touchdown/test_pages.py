"""The pages in Chromium: every task from its page to the stored answer, by mouse, by touch, and by keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import select

from bearleft import load
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Answer, Unit
from bearleft.web.settings import Settings
from bearleft.web.tasks.touchdown.clicks import parse_click, pixel_distance
from bearleft.world.worlds import open_world
from tests.browser.accessibility import axe_missing
from tests.browser.report_page import Browser, chromium
from tests.browser.waiting import expect
from tests.web.scene_page import browser_missing
from tests.web.touchdown.driver import BEAR, BEARS, TEXT, WAY, WORLD, Worker, click_at
from tests.web.touchdown.tab import PITCH_STEP, Tab, pixel_of

pytestmark = [
    pytest.mark.skipif(bool(browser_missing()), reason=browser_missing()),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

ROUTE = next(iter(load("city/touchdown/small"))).legs[0].goal.route  # type: ignore[union-attr]
SPOT = BEARS["0"]
DESK, PHONE = (1280, 820), (390, 844)
Hire = Callable[[], Worker]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def open_tab(browser: Browser, study: str) -> Callable[..., Any]:
    """Return a context manager that opens a window of a new worker."""

    @contextmanager
    def opened(size: tuple[int, int] = DESK, dark: bool = False, **more: Any) -> Iterator[Tab]:
        context = browser.chromium.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light", **more
        )
        tab = Tab(context.new_page(), study)
        tab.page.goto(study)
        yield tab
        assert not tab.faults, tab.faults
        context.close()

    return opened


def stored(settings: Settings, kind: str) -> list[dict[str, Any]]:
    """The stored answers of a kind of units."""
    database = open_database(settings.database)
    with database.read() as session:
        query = select(Answer).join(Unit, Unit.id == Answer.unit_id).where(Unit.kind == f"touchdown/{kind}")
        found = [answer.data | {"code": answer.code} for answer in session.scalars(query.order_by(Answer.id))]
    database.close()
    return found


def write_text(hire: Hire, occluded: bool = True) -> Worker:
    """Write a text over HTTP, and let somebody place its bear again."""
    writer = hire()
    assert writer.claim("writing")
    writer.write(SPOT)
    if occluded:
        place_again(hire)
    return writer


def place_again(hire: Hire) -> None:
    """Let somebody say over HTTP that the bear is hidden in all neighbouring panoramas."""
    worker = hire()
    while worker.claim("propagation"):
        worker.act("occluded")
        worker.submit()


def validate_text(hire: Hire) -> None:
    """Let somebody find the bear over HTTP."""
    worker = hire()
    assert worker.claim("validation")
    worker.search(list(ROUTE), SPOT)


def test_a_text_is_written_with_the_mouse(open_tab: Callable[..., Any], settings: Settings) -> None:
    with open_tab() as tab:
        view = tab.next("writing")
        page = tab.page
        assert page.locator("#cannot").is_hidden()
        page.locator("#text").fill("Walk along Broadway.")
        page.locator("#findings li.error").wait_for()
        expect(page.locator("#findings")).to_contain_text("a name of a street")
        tab.shot("writing-findings")
        tab.walk(view["route"], by_key=False)
        expect(page.locator("#walked")).to_have_text(f"{len(ROUTE)} of {len(ROUTE)}")
        x, y = pixel_of(tab, SPOT)
        page.locator("#scene > .viewer").click(position={"x": x, "y": y})
        page.locator("#step-bear.complete").wait_for()
        page.locator("#text").fill(f"{TEXT} There are 3 of them.")
        page.locator("#submit").click()
        page.locator("#confirm").wait_for()
        tab.shot("writing-question")
        # A page that is loaded again has everything.
        page.reload()
        page.locator("#step-bear.complete").wait_for()
        expect(page.locator("#text")).to_have_value(f"{TEXT} There are 3 of them.")
        expect(page.locator(".bear-marker")).to_have_count(1)
        page.locator("#submit").click()
        page.locator("#confirm").click()
        code = tab.code()
        tab.shot("writing-done")
        expect(page.locator("#text")).to_be_hidden()
    (answer,) = stored(settings, "writing")
    assert answer["code"] == code
    assert answer["text"] == f"{TEXT} There are 3 of them."
    assert answer["path"] == list(ROUTE)
    assert pixel_distance(parse_click(answer["bear"]), SPOT) < 3.0


@pytest.mark.slow
def test_a_text_is_written_by_keyboard_alone(open_tab: Callable[..., Any], settings: Settings) -> None:
    with open_tab() as tab:
        view = tab.next("writing")
        tab.tab_to("#scene > .viewer")
        tab.walk(view["route"], by_key=True)
        tab.turn_to(SPOT.heading)
        tab.press("PageDown")
        tab.press("Enter")
        tab.page.locator("#step-bear.complete").wait_for()
        tab.tab_to("#text")
        tab.page.keyboard.type(TEXT)
        tab.tab_to("#submit")
        tab.press("Enter")
        code = tab.code()
        expect(tab.page.locator(":focus")).to_have_text("Next")
    (answer,) = stored(settings, "writing")
    assert (answer["code"], answer["text"]) == (code, TEXT)
    assert answer["bear"]["pitch"] == pytest.approx(-PITCH_STEP)


@pytest.mark.slow
def test_a_bear_that_cannot_be_placed(open_tab: Callable[..., Any], settings: Settings) -> None:
    with open_tab() as tab:
        tab.walk(tab.next("writing")["route"], by_key=False)
        page = tab.page
        # The sky holds no bear.
        page.locator("#scene > .viewer").click(position={"x": 480, "y": 60})
        page.get_by_text("got the sky. Click on something else.").wait_for()
        page.locator("#cannot").click()
        page.locator("#reason").fill("x")
        page.locator("#cannot-form button").click()
        page.get_by_text("a reason of 3 to 500 characters").wait_for()
        page.locator("#reason").fill("everything here moves")
        page.locator("#cannot-form button").click()
        assert tab.code()
    assert stored(settings, "writing")[0]["cannot_place"] == "everything here moves"


@pytest.mark.slow
def test_what_was_typed_is_kept_though_the_page_was_closed_at_once(open_tab: Callable[..., Any]) -> None:
    with open_tab() as tab:
        tab.next("writing")
        tab.page.locator("#text").fill("The first words.")
        tab.page.reload()
        tab.page.wait_for_selector(".viewer[data-picture]")
        expect(tab.page.locator("#text")).to_have_value("The first words.")
        tab.saved()
        tab.page.evaluate("() => sessionStorage.clear()")
        tab.page.reload()
        expect(tab.page.locator("#text")).to_have_value("The first words.")


@pytest.mark.slow
def test_the_map_shows_where_the_writer_is(open_tab: Callable[..., Any]) -> None:
    with open_tab() as tab:
        tab.next("writing")
        map_view = tab.page.locator(".inset .atlas")
        tab.page.wait_for_function("() => document.querySelector('.inset .atlas').dataset.view")
        before = map_view.get_attribute("data-view")
        tab.page.locator(".enlarge").click()
        tab.page.wait_for_function("(v) => document.querySelector('.inset .atlas').dataset.view !== v", arg=before)
        expect(tab.page.locator(".enlarge")).to_have_attribute("aria-pressed", "true")
        tab.page.wait_for_function("() => document.querySelector('.inset').getBoundingClientRect().width > 600")
        # Keys go to the picture again, whichever button was pressed with the mouse.
        tab.page.keyboard.press("Escape")
        expect(tab.page.locator(".enlarge")).to_have_attribute("aria-pressed", "false")
        tab.page.locator("summary", has_text="Keys").click()
        assert tab.page.evaluate("document.activeElement.matches('.viewer')")


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_map_leaves_the_street_free_and_can_be_hidden(open_tab: Callable[..., Any], size: tuple[int, int]) -> None:
    with open_tab(size) as tab:
        tab.next("writing")
        page = tab.page
        scene, inset = (page.locator(name).bounding_box() for name in ("#scene", ".inset"))
        assert inset["width"] * inset["height"] < 0.11 * scene["width"] * scene["height"]
        atlas, button = page.locator(".inset .atlas"), page.locator(".collapse")
        page.keyboard.press("m")
        expect(atlas).to_be_hidden()
        expect(button).to_have_attribute("aria-expanded", "false")
        assert tab.severe() == []
        page.locator("#text").press_sequentially("m")
        expect(atlas).to_be_hidden()
        # The choice holds for the next pages.
        page.reload()
        tab.view("writing")
        expect(atlas).to_be_hidden()
        button.click()
        expect(atlas).to_be_visible()
        atlas.focus()
        page.keyboard.press("m")
        expect(button).to_be_focused()
        page.keyboard.press("Enter")
        expect(atlas).to_be_visible()
        assert not tab.overflows()


def detour(route: Sequence[str]) -> tuple[int, str, str]:
    """Return where one leaves a route, and two places of a walk that does."""
    graph = open_world(WORLD)

    def beside(place: str) -> list[str]:
        return [graph.ids[int(graph.target[k])] for k in graph.links(graph.place_index(place))]

    return next(
        (index, first, second)
        for index, place in enumerate(route[:-1])
        for first in beside(place)
        for second in beside(first)
        if first not in route and second not in route and not set(beside(second)) & set(route)
    )


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_a_writer_who_left_the_route_is_told_the_way_back(open_tab: Callable[..., Any], size: tuple[int, int]) -> None:
    index, first, second = detour(ROUTE)
    with open_tab(size) as tab:
        route = tab.next("writing")["route"]
        note = tab.page.locator(".route-note")
        expect(note).to_have_text("")
        tab.walk(route[: index + 1], by_key=False)
        expect(note).to_have_text("")
        tab.walk([route[index], first, second], by_key=False)
        expect(note).to_contain_text("You are off the route. Go back to the blue line: 2 steps back, first ")
        tab.shot(f"writing-off-route-{size[0]}")
        assert tab.severe() == []
        tab.page.reload()
        expect(note).to_contain_text("2 steps back")
        # One goes back along the way that it names.
        way = note.text_content().rpartition("first ")[2].rstrip(".")
        back = tab.page.get_by_role("button", name=re.compile(f"Walk {way},"))
        assert back.count() == 1
        back.dispatch_event("click")
        expect(note).to_contain_text("1 step back")
        tab.walk([first, route[index]], by_key=False)
        expect(note).to_have_text("")
        tab.walk(route[index:], by_key=False)
        expect(note).to_have_text("")


@pytest.mark.slow
def test_a_follower_who_left_the_route_is_told_nothing(open_tab: Callable[..., Any], hire: Hire) -> None:
    write_text(hire)
    index, first, second = detour(ROUTE)
    with open_tab() as tab:
        tab.next("validation")
        tab.walk([*ROUTE[: index + 1]], by_key=False)
        before = tab.page.locator(".panel").inner_text()
        tab.walk([ROUTE[index], first, second], by_key=False)
        assert tab.page.locator(".panel").inner_text() == before
        assert tab.page.locator(".route-note").count() == 0


@pytest.mark.slow
def test_the_bear_is_placed_again_with_the_mouse(open_tab: Callable[..., Any], hire: Hire, settings: Settings) -> None:
    write_text(hire, occluded=False)
    with open_tab() as tab:
        view = tab.next("propagation")
        page = tab.page
        expect(page.locator(".half")).to_have_count(2)
        expect(page.locator("#submit")).to_be_disabled()
        page.locator(".half:nth-of-type(2) .viewer").click(position={"x": 300, "y": 150})
        page.locator("#submit:enabled").wait_for()
        tab.shot("propagation")
        page.reload()
        page.locator("#submit:enabled").click()
        tab.code()
    (answer,) = stored(settings, "propagation")
    assert answer["place"] == view["place"]
    click = parse_click(answer["bear"])
    box = click.view
    x, y = (float(v) for v in box.pixel(click.direction.heading, click.direction.pitch))
    assert (x, y) == pytest.approx((300, 150), abs=1.0)


@pytest.mark.slow
def test_the_bear_is_placed_again_by_keyboard_alone(
    open_tab: Callable[..., Any], hire: Hire, settings: Settings
) -> None:
    write_text(hire, occluded=False)
    with open_tab() as tab:
        tab.next("propagation")
        tab.tab_to(".half:nth-of-type(2) .viewer")
        tab.press("ArrowRight", 3)
        tab.press("Enter")
        tab.page.locator("#submit:enabled").wait_for()
        tab.tab_to("#occluded")
        tab.press("Enter")
        tab.page.locator("#occluded[aria-pressed=true]").wait_for()
        tab.saved()
        tab.page.keyboard.press("Shift+Tab")
        assert tab.page.evaluate("() => document.activeElement.id") == "submit"
        tab.press("Enter")
        tab.code()
    assert stored(settings, "propagation")[0]["bear"] is None


def test_a_bear_is_found_by_touch_on_a_phone(open_tab: Callable[..., Any], hire: Hire, settings: Settings) -> None:
    write_text(hire)
    with open_tab(PHONE, dark=True, has_touch=True, is_mobile=True) as tab:
        tab.next("validation")
        page = tab.page
        assert not tab.overflows()
        above, below = (page.locator(name).bounding_box() for name in ("#text", "#state"))
        assert above["y"] + above["height"] <= below["y"]
        box = page.locator("#guess").bounding_box()
        assert box["y"] + box["height"] <= PHONE[1]  # in view, however long the text
        page.locator(".viewer").tap(position={"x": 200, "y": 200})
        page.locator("#guess:enabled").tap()
        page.get_by_text("Not here. 4 of 5 tries left.").wait_for()
        tab.shot("validation-phone")
        tab.walk(list(ROUTE), by_key=False)
        x, y = pixel_of(tab, SPOT)
        page.locator(".viewer").tap(position={"x": x, "y": y})
        page.locator("#guess:enabled").tap()
        page.get_by_text("You found the bear!").first.wait_for()
        code = tab.code()
        tab.shot("validation-phone-done")
    (answer,) = stored(settings, "validation")
    assert (answer["code"], answer["found"], answer["attempts"]) == (code, True, 2)
    assert answer["trace"]["legs"][0]["path"] == list(ROUTE)


@pytest.mark.slow
def test_a_bear_is_found_by_keyboard_alone(open_tab: Callable[..., Any], hire: Hire, settings: Settings) -> None:
    write_text(hire)
    with open_tab() as tab:
        tab.next("validation")
        tab.tab_to(".viewer")
        tab.walk(list(ROUTE), by_key=True)
        tab.turn_to(SPOT.heading)
        tab.press("Enter")
        tab.page.wait_for_function("() => document.activeElement.id === 'guess'")
        tab.press("Enter")
        tab.code()
    assert stored(settings, "validation")[0]["found"]


@pytest.mark.slow
def test_a_search_goes_on_after_a_reload_and_ends_after_five_clicks(
    open_tab: Callable[..., Any], hire: Hire, settings: Settings
) -> None:
    write_text(hire)
    with open_tab() as tab:
        tab.next("validation")
        page = tab.page
        for k in range(5):
            page.locator(".viewer").click(position={"x": 200 + 60 * k, "y": 300})
            page.locator("#guess:enabled").click()
            if k < 4:
                page.get_by_text(f"{4 - k} of 5 tries left").first.wait_for()
                page.reload()
                page.wait_for_selector(".viewer[data-picture]")
        tab.code()
        expect(page.locator("#done")).to_contain_text("somewhere else")
    assert stored(settings, "validation")[0]["attempts"] == 5


@pytest.mark.slow
def test_a_click_counts_only_in_the_picture_of_its_place(open_tab: Callable[..., Any], hire: Hire) -> None:
    write_text(hire)
    graph = open_world(WORLD)
    with open_tab() as tab:
        # The pictures of the next place never come: that of the start is still to be seen there.
        tab.page.route(re.compile(f"/panoramas/{ROUTE[1]}"), lambda _: None)
        tab.next("validation")
        page = tab.page
        page.locator(".viewer").click(position={"x": 300, "y": 300})
        page.locator("#guess:enabled").wait_for()
        places = [graph.ids[int(graph.target[k])] for k in graph.links(graph.place_index(ROUTE[0]))]
        page.locator(".walk-arrow").nth(places.index(ROUTE[1])).dispatch_event("click")
        page.locator("#guess:disabled").wait_for()
        tab.saved()
        page.locator(".viewer").click(position={"x": 300, "y": 300})
        assert page.locator("#guess").is_disabled()
        assert page.locator(".bear-marker").count() == 0


@pytest.mark.slow
def test_a_search_can_be_given_back(open_tab: Callable[..., Any], hire: Hire) -> None:
    write_text(hire)
    with open_tab() as tab:
        tab.next("validation")
        tab.page.once("dialog", lambda dialog: dialog.dismiss())
        tab.page.locator("#return").click()
        expect(tab.page.locator("#guess")).to_be_visible()
        tab.page.once("dialog", lambda dialog: dialog.accept())
        tab.page.locator("#return").click()
        tab.page.get_by_text("The task was given back.").wait_for()
    assert hire().claim("validation")


@pytest.mark.slow
def test_a_text_is_divided_with_the_mouse(open_tab: Callable[..., Any], hire: Hire, settings: Settings) -> None:
    write_text(hire)
    validate_text(hire)
    with open_tab() as tab:
        view = tab.next("segmentation")
        tokens = tab.page.locator(".token")
        way, bear = len(WAY.split()), len(view["tokens"]) - len(BEAR.split())
        tokens.nth(way - 1).click()
        tab.page.locator("input[value=bear]:checked").wait_for()
        tokens.nth(bear + 2).click()
        tab.page.get_by_text("2 words in between belong to no part yet").wait_for()
        expect(tab.page.locator("#submit")).to_be_disabled()
        tokens.nth(bear).click()
        tab.page.locator("#submit:enabled").wait_for()
        tab.shot("segmentation")
        tab.page.locator("#submit").click()
        tab.code()
    (answer,) = stored(settings, "segmentation")
    assert (answer["navigation_text"], answer["td_location_text"]) == (WAY, BEAR)


@pytest.mark.slow
def test_a_text_is_divided_by_keyboard_alone(open_tab: Callable[..., Any], hire: Hire, settings: Settings) -> None:
    write_text(hire)
    validate_text(hire)
    with open_tab() as tab:
        view = tab.next("segmentation")
        way, bear = len(WAY.split()), len(view["tokens"]) - len(BEAR.split())
        tab.tab_to(".token")
        tab.press("ArrowRight", way - 1)
        tab.press("Enter")
        tab.page.locator("input[value=bear]:checked").wait_for()
        tab.press("End")
        tab.press("ArrowLeft", len(view["tokens"]) - 1 - bear)
        tab.press("ArrowUp")
        tab.press("ArrowDown")
        tab.press("Home")
        tab.press("ArrowRight", bear)
        tab.press("Enter")
        tab.page.locator("#submit:enabled").wait_for()
        tab.press("1")
        expect(tab.page.locator("input[value=way]")).to_be_checked()
        tab.tab_to("#submit")
        tab.press("Enter")
        tab.code()
    (answer,) = stored(settings, "segmentation")
    assert (answer["navigation_text"], answer["td_location_text"]) == (WAY, BEAR)


@pytest.mark.slow(keep=1)
@pytest.mark.skipif(bool(axe_missing()), reason=axe_missing())
@pytest.mark.parametrize(("size", "dark"), [(DESK, False), (PHONE, True)], ids=["desk", "phone, dark"])
def test_the_pages_are_accessible(open_tab: Callable[..., Any], hire: Hire, size: tuple[int, int], dark: bool) -> None:
    found = {}
    for kind in ("writing", "propagation", "validation", "segmentation"):
        with open_tab(size, dark) as tab:
            tab.next(kind)
            if kind == "writing":
                tab.page.locator("#text").fill("Walk along Broadway. There are 3 benches.")
                tab.page.locator("#findings li.error").wait_for()
            found[kind] = tab.severe()
            tab.shot(f"{kind}-{'phone' if size == PHONE else 'desk'}")
            assert not tab.overflows(), kind
            tab.give_back()
        if kind == "writing":
            write_text(hire, occluded=False)
        elif kind == "propagation":
            place_again(hire)
        elif kind == "validation":
            validate_text(hire)
    assert not any(found.values()), found


@pytest.mark.slow
def test_hostile_texts_are_shown_as_text(open_tab: Callable[..., Any], hire: Hire) -> None:
    text = f"{TEXT} <img src=x onerror=alert(1)> </script><script>alert(2)</script> ${{7*7}} {{{{ 7*7 }}}}"
    writer = hire()
    assert writer.claim("writing")
    writer.write(SPOT, text, ("count", "name", "wording"))
    with open_tab() as tab:
        tab.page.on("dialog", lambda dialog: tab.faults.append(dialog.message))
        tab.next("propagation")
        assert tab.page.locator("#text").text_content() == text
        assert tab.page.locator("#text img").count() == 0


@pytest.mark.slow
def test_clicks_of_the_viewer_are_those_of_python(open_tab: Callable[..., Any], hire: Hire, settings: Settings) -> None:
    write_text(hire)
    with open_tab((1100, 700)) as tab:
        tab.next("validation")
        points = [(150, 200), (400, 420), (610, 120), (300, 560), (700, 333)]
        for x, y in points:
            tab.page.locator(".viewer").click(position={"x": x, "y": y})
            tab.page.locator("#guess:enabled").click()
            tab.saved()
        tab.code()
    for guess, point in zip(stored(settings, "validation")[0]["guesses"], points, strict=True):
        click = parse_click(guess)
        pixel = [float(v) for v in click.view.pixel(click.direction.heading, click.direction.pitch)]
        assert pixel == pytest.approx(point, abs=0.6)
        assert click_at(click.direction)["pitch"] == guess["pitch"]
