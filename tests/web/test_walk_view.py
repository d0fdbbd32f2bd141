"""Walking in panoramas in Chromium: arrows, keys, pictures fetched ahead, and answers that come late or differ."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from bearleft import geometry
from tests.browser.accessibility import axe_missing
from tests.browser.report_page import chromium
from tests.browser.waiting import until
from tests.web.scene_page import Scene, SceneServer, browser_missing, opened, scene_server

pytestmark = pytest.mark.skipif(bool(browser_missing()), reason=browser_missing())

# Places along a street to the east, and one to the north of `b`.
LINKS = {"a": {"b": 90}, "b": {"a": 270, "c": 90, "n": 0}, "c": {"b": 270}, "n": {"b": 180}}
OPEN_WALK = """
  const { createWalkView } = await import('/static/web/walk-view.js');
  const walkAt = (place, heading) => ({ world: 'city/3/4x5', place, heading,
    links: Object.entries(argument.links[place]).map(([to, way]) => ({ place: to, heading: way, metres: 12.4 })) });
  Object.assign(window, { moves: [], errors: [], shown: [], walkAt });
  window.answer = async (link) => walkAt(link.place, link.heading);
  window.walking = createWalkView({ walk: walkAt('a', 0), onshown: (walk) => shown.push(walk.place),
    onerror: (error) => errors.push(error.message),
    onmove: (link) => { moves.push(link.place); return window.answer(link); } });
  Object.assign(walking.node.style, { width: '900px', height: '560px' });
  document.getElementById('scene').append(walking.node);
"""
LARGE, SMALL = 2048, 512
PATIENCE = 60  # seconds until a server sends what a test keeps back


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened_browser:
        yield opened_browser.chromium


@pytest.fixture(scope="module")
def server() -> Iterator[SceneServer]:
    with scene_server() as running:
        yield running


def _open_walk(scene: Scene) -> None:
    scene.run(OPEN_WALK, {"links": LINKS})
    _wait_for(scene, "a")


def _wait_for(scene: Scene, place: str) -> None:
    """Wait until a place is shown, with its large picture and its links."""
    scene.page.wait_for_function("place => shown.at(-1) === place && walking.walk().place === place", arg=place)
    scene.frame()


def _heading(scene: Scene) -> float:
    return float(scene.page.evaluate("() => walking.viewer.view().heading"))


def _shows(scene: Scene, place: str) -> bool:
    """Return whether the picture on the screen is that of a place: its blue is the number of its letter."""
    return bool(abs(int(scene.globe()[..., 2].mean().round()) - ord(place)) <= 1)


def test_arrows_walk(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        _open_walk(scene)
        page = scene.page
        assert _shows(scene, "a") and _heading(scene) == 0
        arrow = page.get_by_role("button", name="Walk east, 12 m")
        assert "aside" in arrow.get_attribute("class"), "it is beside the view, at its edge"
        arrow.click()
        _wait_for(scene, "b")
        assert _shows(scene, "b") and _heading(scene) == 90, "one looks along the way that one came"
        assert page.locator(".walk-arrow").count() == 3
        ahead = page.locator(".walk-arrow.ahead")
        assert ahead.get_attribute("aria-label") == "Walk east, 12 m"
        # The arrow points along its way: here straight up.
        assert abs(float(ahead.evaluate("e => parseFloat(e.style.getPropertyValue('--turn'))"))) < 0.01
        assert page.evaluate("() => moves") == ["b"]


@pytest.mark.slow
def test_arrows_are_beside_the_buttons_of_the_viewer(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        _open_walk(scene)
        page = scene.page
        page.evaluate("() => Object.assign(walking.node.style, { width: '380px', height: '300px' })")
        boxes = "e => (({ left, right, top, bottom }) => [left, right, top, bottom])(e.getBoundingClientRect())"
        buttons = page.locator(".onpicture").evaluate(boxes)
        arrow = page.get_by_role("button", name="Walk east, 12 m")
        seen = 0
        for heading in range(40, 96, 5):
            page.evaluate("heading => walking.viewer.look([heading, 20])", heading)
            scene.frame()
            left, right, top, bottom = arrow.evaluate(boxes)
            seen += "aside" not in arrow.get_attribute("class")
            x, y = (left + right) / 2, (top + bottom) / 2
            assert not (x > buttons[0] and y > buttons[2]), heading
        assert seen > 5


@pytest.mark.slow
def test_keys_walk_and_look_around(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        _open_walk(scene)
        keyboard = scene.page.keyboard
        # Nothing has the focus; the nearest way is more than 60 degrees to the right.
        keyboard.press("ArrowUp")
        assert scene.page.evaluate("() => moves") == []
        assert "no way ahead" in scene.page.locator(".viewer .walk-note").text_content()  # people see it, too
        for _ in range(2):
            keyboard.press("ArrowRight")
        assert _heading(scene) == 30
        keyboard.press("w")
        _wait_for(scene, "b")
        assert _heading(scene) == 90
        keyboard.press("ArrowLeft")
        keyboard.press("a")
        assert _heading(scene) == 60
        # East is 30 degrees away, north 60.
        keyboard.press("ArrowUp")
        _wait_for(scene, "c")
        keyboard.press("ArrowDown")
        assert _heading(scene) == 270
        keyboard.press("PageUp")
        assert scene.page.evaluate("() => walking.viewer.view().pitch") == 5
        keyboard.press("Shift+ArrowRight")
        assert 0 < geometry.turn(270, _heading(scene)) < 3
        keyboard.press("ArrowUp")
        _wait_for(scene, "b")
        assert scene.page.evaluate("() => moves") == ["b", "c", "b"]
        # A text gets its own keys; so does a page whose focus is elsewhere.
        scene.page.locator("textarea").focus()
        keyboard.type("www")
        keyboard.press("ArrowUp")
        scene.page.locator("#theme").focus()
        keyboard.press("ArrowUp")
        assert scene.page.evaluate("() => moves") == ["b", "c", "b"]
        # Tab reaches every way; Enter walks there.
        scene.page.locator("textarea").focus()
        keyboard.press("Tab")
        assert scene.page.evaluate("() => document.activeElement === walking.node")
        for _ in range(10):
            keyboard.press("Tab")
            if "east" in (scene.page.evaluate("() => document.activeElement.getAttribute('aria-label')") or ""):
                break
        keyboard.press("Enter")
        _wait_for(scene, "c")


@pytest.mark.slow
def test_the_picture_does_not_wait_for_the_answer(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        _open_walk(scene)
        page = scene.page
        page.wait_for_function(
            "() => performance.getEntriesByType('resource').some((e) => e.name.includes('/b.webp?width=2048'))"
        )
        page.evaluate(
            """() => { window.answer = (link) => new Promise((done) => {
              window.finish = () => done(walkAt(link.place, link.heading));
            }); }"""
        )
        page.get_by_role("button", name="Walk east").click()
        page.wait_for_function("() => walking.walk().place === 'b'")
        until(page, lambda: _shows(scene, "b"))
        assert page.locator(".walk-arrow").count() == 0
        # What one does meanwhile is done afterwards, but only once.
        for _ in range(3):
            page.keyboard.press("ArrowUp")
        page.evaluate("() => finish()")
        page.wait_for_function("() => moves.length === 2")
        page.evaluate("() => finish()")
        _wait_for(scene, "c")
        assert page.evaluate("() => moves") == ["b", "c"]


@pytest.mark.slow
def test_a_move_that_the_server_refuses_or_changes_is_set_right(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        _open_walk(scene)
        page = scene.page
        page.evaluate(
            """() => {
              walking.viewer.look([80, 5]);
              window.answer = async () => { throw new Error('the street is closed'); };
            }"""
        )
        page.keyboard.press("ArrowUp")
        page.wait_for_function("() => errors.length === 1")
        page.wait_for_function("() => walking.walk().place === 'a'")
        scene.frame()
        assert _shows(scene, "a") and page.locator(".walk-arrow").count() == 1
        assert page.evaluate("() => [walking.viewer.view().heading, walking.viewer.view().pitch]") == [80, 5]
        assert page.evaluate("() => errors") == ["the street is closed"]
        # The server says that one is elsewhere.
        page.evaluate("() => { window.answer = async () => walkAt('n', 180); }")
        page.keyboard.press("ArrowUp")
        _wait_for(scene, "n")
        assert _shows(scene, "n") and _heading(scene) == 180
        scene.run("walking.setEnabled(false);")
        page.keyboard.press("ArrowUp")
        assert page.locator(".walk-arrow").count() == 0 and page.evaluate("() => moves") == ["b", "b"]
        scene.run("walking.setEnabled(true); await walking.setWalk(walkAt('c', 270));")
        assert _shows(scene, "c") and _heading(scene) == 270 and page.locator(".walk-arrow").count() == 1


@pytest.mark.slow
def test_pictures_of_the_next_steps_are_fetched_ahead(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        _open_walk(scene)
        page = scene.page
        scene.run("await walking.setWalk(walkAt('b', 90));")
        page.wait_for_function(
            "() => performance.getEntriesByType('resource').filter((e) => e.name.includes('width=2048')).length >= 4"
        )
        asked = server.panoramas()
        assert {place for place, width in asked if width == LARGE} == {"a", "b", "c", "n"}
        assert len(asked) == len(set(asked)), "nothing is asked for twice"
        # The likeliest step comes first: the way along the view.
        large = [place for place, width in asked if width == LARGE]
        assert large.index("c") < large.index("n")
        # What was fetched is shown without another request.
        count = len(server.requests)
        page.evaluate("() => { window.answer = () => new Promise(() => {}); }")
        page.keyboard.press("ArrowUp")
        page.wait_for_function("() => walking.viewer.state().picture.includes('\"c\"')")
        scene.frame()
        assert _shows(scene, "c") and len(server.requests) == count


def test_a_small_picture_is_shown_until_the_large_one_is_there(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        large = threading.Event()
        server.delay = lambda _place, width: width == LARGE and large.wait(PATIENCE)
        scene.run(OPEN_WALK, {"links": LINKS})
        page = scene.page
        page.wait_for_function("() => walking.viewer.state().picture !== null")
        scene.frame()
        assert page.evaluate("() => shown") == [] and _shows(scene, "a")
        assert page.locator(".viewer-wait").is_hidden()
        large.set()
        _wait_for(scene, "a")
        assert set(server.panoramas()[:2]) == {("a", SMALL), ("a", LARGE)}


def test_a_picture_that_failed_is_tried_again(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        page = scene.page
        page.route("**/panoramas/**", lambda route: route.fulfill(status=404))
        scene.run(OPEN_WALK, {"links": LINKS})
        retry = page.get_by_role("button", name="Try again")
        retry.wait_for()
        page.unroute("**/panoramas/**")
        retry.click()
        _wait_for(scene, "a")
        assert _shows(scene, "a") and retry.is_hidden()


@pytest.mark.slow
def test_nobody_walks_past_a_place_that_was_not_shown(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        later = threading.Event()
        server.delay = lambda place, _width: place != "a" and later.wait(PATIENCE)
        _open_walk(scene)
        page = scene.page
        page.evaluate(
            """() => {
              window.seen = [];
              window.answer = async (link) => {
                seen.push(JSON.parse(walking.viewer.state().picture)[1]);
                return walkAt(link.place, link.heading);
              };
              walking.viewer.look([90, 0]);
            }"""
        )
        for _ in range(3):
            page.keyboard.press("ArrowUp")
        page.wait_for_function("() => !document.querySelector('.viewer-wait').hidden")
        assert "loading" in page.locator(".viewer-wait").text_content()
        assert page.evaluate("() => moves") == ["b"]
        later.set()
        _wait_for(scene, "c")
        assert page.evaluate("() => seen") == ["a", "b"], "each step is made from the picture of its place"
        assert page.locator(".viewer-wait").is_hidden()


@pytest.mark.slow
@pytest.mark.skipif(bool(axe_missing()), reason=axe_missing())
def test_walking_is_accessible(browser: Any, server: SceneServer) -> None:
    with opened(browser, server, (390, 844), has_touch=True) as scene:
        _open_walk(scene)
        scene.run("walking.node.style.width = '100%'; await walking.setWalk(walkAt('b', 90));")
        scene.frame()
        assert scene.violations() == []
        box = scene.page.locator(".walk-arrow.ahead").bounding_box()
        assert box["width"] >= 44 and box["height"] >= 44
        scene.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        _wait_for(scene, "c")
