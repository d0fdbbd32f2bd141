"""The 360-degree viewer and the map in Chromium: a click is where our geometry says, by mouse, touch and keys."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from bearleft import geometry
from bearleft.records import Direction
from tests.browser.accessibility import axe_missing
from tests.browser.report_page import chromium
from tests.browser.waiting import expect, until
from tests.sizes import sized
from tests.web.scene_page import DOTS, Scene, SceneServer, browser_missing, opened, scene_server

pytestmark = pytest.mark.skipif(bool(browser_missing()), reason=browser_missing())

# Without WebGL; canvases keep their other contexts.
NO_WEBGL = """const getContext = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  return kind === 'webgl2' ? null : getContext.call(this, kind, ...rest);
};"""
OPEN_VIEWER = """
  const { createPanoramaViewer } = await import('/static/shared/panorama-viewer.js');
  const { createPictures, pictureId } = await import('/static/web/pictures.js');
  const pictures = createPictures();
  window.viewer = createPanoramaViewer({ loadPicture: pictures.loadPicture, ...argument.options });
  window.points = [];
  viewer.listen({ onpoint: (point) => points.push(point) });
  Object.assign(viewer.node.style, { width: argument.width, height: argument.height });
  document.getElementById('scene').append(viewer.node);
  await viewer.show(pictureId('town', argument.place), [0, 0], 'View');
"""
PATIENCE = 60  # seconds until a server sends what a test keeps back
LOOK = "([heading, pitch, fov]) => viewer.look([heading, pitch], fov)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened_browser:
        yield opened_browser.chromium


@pytest.fixture(scope="module")
def server() -> Iterator[SceneServer]:
    with scene_server() as running:
        yield running


def _open_viewer(scene: Scene, place: str = "a", width: str = "900px", height: str = "560px", **options: Any) -> None:
    scene.run(OPEN_VIEWER, {"place": place, "width": width, "height": height, "options": options})
    scene.frame()


def _look(scene: Scene, heading: float, pitch: float, fov: float) -> geometry.View:
    """Look in a direction, and return the view that Python has of it."""
    scene.page.evaluate(LOOK, [heading, pitch, fov])
    scene.frame()
    state = scene.page.evaluate("() => viewer.state()")
    return geometry.View(Direction(heading, pitch), state["width"], state["height"], fov)


def _box(scene: Scene) -> dict[str, float]:
    box: dict[str, float] = scene.page.evaluate("() => viewer.node.getBoundingClientRect().toJSON()")
    return box


def _points(scene: Scene) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = scene.page.evaluate("() => points.splice(0)")
    return found


def _horizontal_fov(view: dict[str, float]) -> float:
    half = math.tan(math.radians(view["vfov"] / 2)) * view["width"] / view["height"]
    return 2 * math.degrees(math.atan(half))


def _check_point(point: dict[str, Any], view: geometry.View, x: float, y: float) -> None:
    """Check a reported point against Python's view, and against the view that was reported with it."""
    direction = point["heading"], point["pitch"]
    assert geometry.angular_distance(*view.direction(x, y), *direction) < 0.1
    theirs = point["view"]
    assert theirs.keys() == {"heading", "pitch", "vfov", "width", "height"}
    look = Direction(theirs["heading"], theirs["pitch"])
    stored = geometry.View(look, theirs["width"], theirs["height"], _horizontal_fov(theirs))
    assert geometry.angular_distance(*stored.direction(point["x"], point["y"]), *direction) < 0.001


def _clickable(box: dict[str, float], rng: np.random.Generator) -> tuple[float, float]:
    """Return a pixel of the window that is in the viewer, but not on its buttons or its lower edge."""
    x = rng.uniform(box["left"] + 2, box["right"] - 60)
    y = rng.uniform(box["top"] + 2, box["bottom"] - 34)
    return float(round(x)), float(round(y))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("width", "ratio", "before"),
    [("900px", 1, ""), ("733.4px", 2, ""), ("61.7%", 1.25, ""), ("700px", 1, NO_WEBGL)],
    ids=["whole pixels", "fractions of pixels", "zoomed", "without WebGL"],
)
def test_clicks_agree_with_geometry(browser: Any, server: SceneServer, width: str, ratio: float, before: str) -> None:
    rng = np.random.default_rng(0)
    with opened(browser, server, before=before, device_scale_factor=ratio) as scene:
        _open_viewer(scene, width=width)
        assert scene.page.evaluate("() => viewer.state().webgl") is not bool(before)
        box = _box(scene)
        for _ in range(100 if width == "900px" else sized(8, 25)):
            view = _look(scene, rng.uniform(0, 360), rng.uniform(-85, 85), rng.uniform(26, 119))
            x, y = _clickable(box, rng)
            scene.page.mouse.click(x, y)
            (point,) = _points(scene)
            _check_point(point, view, x - box["left"], y - box["top"])
            # The click has not moved the picture.
            state = scene.page.evaluate("() => viewer.state()")
            assert (state["heading"], state["pitch"]) == pytest.approx((view.look.heading, view.look.pitch))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("before", ["", NO_WEBGL], ids=["WebGL", "without WebGL"])
def test_what_is_seen_is_what_is_clicked(browser: Any, server: SceneServer, before: str) -> None:
    """Dots are painted at known directions; a click on the middle of a dot on the screen gives its direction."""
    rng = np.random.default_rng(1)
    with opened(browser, server, before=before) as scene:
        _open_viewer(scene, "dots", compass=False, readout=False)
        box = _box(scene)
        for heading, pitch in rng.permutation(DOTS)[:16].tolist():
            view = _look(scene, heading + rng.uniform(-15, 15), pitch + rng.uniform(-8, 8), rng.uniform(45, 60))
            pixels = scene.globe()
            rows, columns = np.indices(pixels.shape[:2])
            expected = np.array(view.pixel(heading, pitch)) * pixels.shape[1] / view.width
            near = np.hypot(columns - expected[0], rows - expected[1]) < 60  # other dots are further away
            white = np.where(near, np.maximum(pixels[..., 0].astype(float) - 20, 0), 0)
            x = ((white * columns).sum() / white.sum() + 0.5) / pixels.shape[1] * box["width"]
            y = ((white * rows).sum() / white.sum() + 0.5) / pixels.shape[0] * box["height"]
            at = round(box["left"] + x), round(box["top"] + y)
            scene.page.mouse.click(*at)
            (point,) = _points(scene)
            # A click is on a whole pixel; the dot's middle is not.
            rounding = np.hypot(at[0] - box["left"] - x, at[1] - box["top"] - y) * 60 / box["width"]
            off = geometry.angular_distance(heading, pitch, point["heading"], point["pitch"])
            assert off < 0.1 + rounding, (heading, pitch, off)


@pytest.mark.slow
def test_the_picture_is_where_directions_are(browser: Any, server: SceneServer) -> None:
    """Colours of the panorama are directions, with WebGL and without."""
    rng = np.random.default_rng(2)
    for before in ("", NO_WEBGL):
        with opened(browser, server, before=before) as scene:
            _open_viewer(scene)
            for _ in range(5):
                view = _look(scene, rng.uniform(20, 340), rng.uniform(-60, 60), rng.uniform(30, 100))
                pixels = scene.globe().astype(float)
                height, width = pixels.shape[:2]
                for _ in range(40):
                    row, column = rng.integers(height), rng.integers(width)
                    shares = (column + 0.5) / width * view.width, (row + 0.5) / height * view.height
                    heading, pitch = (float(v) for v in view.direction(*shares))
                    seen = pixels[row, column]
                    assert abs(geometry.turn(heading, seen[0] / 255 * 360)) < 2 or min(heading, 360 - heading) < 2
                    assert abs(pitch - (seen[1] / 255 * 180 - 90)) < 2


@pytest.mark.slow
def test_a_drag_looks_around_and_does_not_point(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        _open_viewer(scene)
        mouse = scene.page.mouse
        mouse.move(300, 400)
        mouse.down()
        mouse.move(420, 380, steps=6)
        mouse.up()
        scene.frame()
        first = scene.page.evaluate("() => viewer.view()")
        assert _points(scene) == []
        assert 180 < first["heading"] < 359 and first["pitch"] < 0
        # No inertia: nothing moves afterwards.
        scene.page.wait_for_timeout(300)
        assert scene.page.evaluate("() => viewer.view()") == first
        # A hand that trembles by less than five pixels clicks.
        mouse.down()
        mouse.move(422, 381)
        mouse.up()
        assert len(_points(scene)) == 1
        assert scene.page.evaluate("() => viewer.view()") == first
        mouse.wheel(0, -240)
        scene.page.wait_for_function("() => viewer.state().fov < 80")


@pytest.mark.slow
def test_fingers_point_look_around_and_zoom(browser: Any, server: SceneServer) -> None:
    rng = np.random.default_rng(3)
    with opened(browser, server, (390, 844), has_touch=True, is_mobile=True, device_scale_factor=3) as scene:
        _open_viewer(scene, width="100%", height="420px")
        box = _box(scene)
        # A tall viewer starts with a field of view that does not distort.
        assert scene.page.evaluate("() => viewer.view().vfov") == pytest.approx(80, abs=0.01)
        for _ in range(15):
            view = _look(scene, rng.uniform(0, 360), rng.uniform(-80, 80), rng.uniform(30, 110))
            x, y = _clickable(box, rng)
            scene.page.touchscreen.tap(x, y)
            (point,) = _points(scene)
            _check_point(point, view, x - box["left"], y - box["top"])
        session = scene.page.context.new_cdp_session(scene.page)

        def touch(kind: str, *at: tuple[float, float]) -> None:
            points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(at)]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        before = _look(scene, 90, 0, 80)
        x, y = 190.0, box["top"] + 200
        touch("touchStart", (x, y))
        for step in range(1, 6):
            touch("touchMove", (x + 12 * step, y))
        touch("touchEnd")
        scene.frame()
        assert scene.page.evaluate("() => viewer.view().heading") < 85 and _points(scene) == []
        touch("touchStart", (x - 20, y))
        touch("touchStart", (x - 20, y), (x + 20, y))
        for step in range(1, 6):
            touch("touchMove", (x - 20 - 8 * step, y), (x + 20 + 8 * step, y))
        touch("touchEnd")
        scene.frame()
        assert scene.page.evaluate("() => viewer.state().fov") < before.fov / 2
        assert _points(scene) == [], "two fingers do not point"


@pytest.mark.slow
def test_keys_point_at_the_crosshair(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        _open_viewer(scene)
        page = scene.page
        scene.run("""const { createPointView } = await import('/static/web/point-view.js');
          window.pointing = createPointView(viewer);""")
        view = _look(scene, 40, 10, 70)
        assert scene.page.locator(".crosshair").is_visible()
        page.locator(".viewer").focus()
        page.keyboard.press("Enter")
        (point,) = _points(scene)
        _check_point(point, view, view.width / 2, view.height / 2)
        assert geometry.angular_distance(40, 10, point["heading"], point["pitch"]) < 1e-6
        # The middle of the bear is the middle of the view.
        bear, box = page.locator(".bear-marker").bounding_box(), _box(scene)
        assert bear["x"] + bear["width"] / 2 == pytest.approx(box["left"] + view.width / 2, abs=1)
        assert bear["y"] + bear["height"] / 2 == pytest.approx(box["top"] + view.height / 2, abs=1)
        for keys, heading, pitch in (
            (["ArrowRight"], 1, 0),
            (["ArrowLeft"], -1, 0),
            (["ArrowUp"], 0, 1),
            (["ArrowDown"], 0, -1),
        ):
            before = page.evaluate("() => viewer.view()")
            page.keyboard.press(keys[0])
            large = page.evaluate("() => viewer.view()")
            page.keyboard.press(f"Shift+{keys[0]}")
            small = page.evaluate("() => viewer.view()")
            turned = geometry.turn(before["heading"], large["heading"]), large["pitch"] - before["pitch"]
            fine = geometry.turn(large["heading"], small["heading"]), small["pitch"] - large["pitch"]
            assert np.sign(np.round(turned, 6)).tolist() == [heading, pitch]
            assert fine == pytest.approx(tuple(v / 5 for v in turned), rel=0.02, abs=1e-9)
        page.keyboard.press("+")
        assert page.evaluate("() => viewer.state().fov") == pytest.approx(70 / 1.3)
        page.keyboard.press("0")
        assert page.evaluate("() => viewer.view()") == pytest.approx(
            {**page.evaluate("() => viewer.view()"), "heading": 0, "pitch": 0}
        )
        page.keyboard.press(" ")
        assert scene.run("return pointing.answer().heading") == 0
        # The keys of a text stay its own, and so does Enter on a button.
        page.locator("textarea").focus()
        page.keyboard.type("+0 w")
        page.keyboard.press("Enter")
        page.locator(".viewer button[aria-label^='Zoom in']").focus()
        page.keyboard.press("Enter")
        assert page.locator("textarea").input_value() == "+0 w\n"
        assert len(_points(scene)) == 1
        scene.run("pointing.clear(); pointing.setEnabled(false);")
        page.locator(".viewer").focus()
        page.keyboard.press("Enter")
        page.mouse.click(300, 400)
        assert scene.run("return pointing.answer()") is None and page.locator(".bear-marker").count() == 0


@pytest.mark.parametrize(
    ("key", "axis", "sign"), [("ArrowRight", "heading", 1), ("ArrowUp", "pitch", 1), ("Shift+ArrowDown", "pitch", -1)]
)
def test_keys_that_are_held_turn_smoothly_and_point_exactly(
    browser: Any, server: SceneServer, key: str, axis: str, sign: int
) -> None:
    with opened(browser, server) as scene:
        _open_viewer(scene)
        page = scene.page
        scene.run("""const { createPointView } = await import('/static/web/point-view.js');
          createPointView(viewer);
          window.views = [];
          viewer.listen({ onview: (view) => views.push([performance.now(), view.heading, view.pitch]) });""")
        page.locator(".viewer").focus()
        *modifiers, held = key.split("+")
        for name in modifiers:
            page.keyboard.down(name)
        page.keyboard.down(held)  # a step
        stepped = page.evaluate("(axis) => viewer.view()[axis]", axis)
        page.keyboard.down(held)  # the keyboard repeats it
        page.wait_for_function("(from) => Math.abs(viewer.view()[from[0]] - from[1]) > 8", arg=[axis, stepped])
        # What is pointed at is what was painted last, though the view turns on.
        page.keyboard.press("Enter")
        page.keyboard.down(held)
        (point,) = _points(scene)
        seen = page.evaluate("() => views.splice(0)")
        assert any((point["view"]["heading"], point["view"]["pitch"]) == (h, p) for _, h, p in seen)
        view = geometry.View(
            Direction(point["view"]["heading"], point["view"]["pitch"]), 900, 560, _horizontal_fov(point["view"])
        )
        _check_point(point, view, 450, 280)
        page.keyboard.up(held)
        for name in modifiers:
            page.keyboard.up(name)
        scene.frame()
        # The view moved while the key was held, by little in each frame, and stands still now.
        index = 1 if axis == "heading" else 2
        turned = [sign * (after[index] - before[index]) for before, after in pairwise(seen) if after[index] >= -80]
        times = [after[0] - before[0] for before, after in pairwise(seen)]
        assert min(turned[1:]) >= 0 and len(turned) > 5
        assert all(angle <= 90 * min(time + 50, 150) / 1000 for angle, time in zip(turned[1:], times[1:], strict=False))
        rest = page.evaluate("() => viewer.view()")
        page.wait_for_timeout(200)
        assert page.evaluate("() => viewer.view()") == rest
        # A window that loses the focus hears of no key.
        page.keyboard.down(held)
        page.keyboard.down(held)
        page.evaluate("() => window.dispatchEvent(new Event('blur'))")
        scene.frame()
        rest = page.evaluate("() => viewer.view()")
        page.wait_for_timeout(200)
        assert page.evaluate("() => viewer.view()") == rest
        page.keyboard.up(held)


@pytest.mark.slow
def test_overlays_are_where_their_directions_are(browser: Any, server: SceneServer) -> None:
    rng = np.random.default_rng(4)
    with opened(browser, server) as scene:
        _open_viewer(scene, compass=False)
        scene.run("""const { el } = await import('/static/shared/dom.js');
          const [sky, ground] = ['sky', 'ground'].map((name) => el('button', { type: 'button' }, name));
          viewer.setOverlays('test', [{ node: sky, heading: 50, pitch: 20 },
            { node: ground, heading: 50, pitch: -18, ground: true }]);""")
        box = _box(scene)

        def middle(name: str) -> tuple[float, float] | None:
            found: dict[str, Any] = scene.page.get_by_role("button", name=name).evaluate(
                "e => ({ ...e.getBoundingClientRect().toJSON(), out: e.classList.contains('out-of-view') })"
            )
            x, y = found["x"] + found["width"] / 2 - box["left"], found["y"] + found["height"] / 2 - box["top"]
            return None if found["out"] else (x, y)

        for _ in range(20):
            view = _look(scene, 50 + rng.uniform(-60, 60), 20 + rng.uniform(-40, 40), rng.uniform(50, 100))
            x, y = (float(v) for v in view.pixel(50, 20))
            if 0 <= x <= view.width and 0 <= y <= view.height:
                assert middle("sky") == pytest.approx((x, y), abs=0.6)
            else:
                assert middle("sky") is None
        # Ways beside and behind are at the edges, on their side.
        for turned, x in ((60, 40), (120, 40), (-60, 860), (-170, 860)):
            _look(scene, 50 + turned, 0, 90)
            at = middle("ground")
            assert at is not None and at[0] == pytest.approx(x, abs=1) and 200 < at[1] < 420
        # The ways stay in reach while one looks up or down.
        for pitch in (-80, -40, 0, 30, 60, 80):
            _look(scene, 50, pitch, 90)
            at = middle("ground")
            assert at is not None and at[0] == pytest.approx(450, abs=1) and 0 < at[1] < 560
        # An element out of view can be reached by Tab, and is then in view.
        _look(scene, 230, 10, 90)
        assert middle("sky") is None
        scene.page.get_by_role("button", name="sky").focus()
        scene.frame()
        assert middle("sky") is not None
        # Elements that go give the focus back to the viewer.
        scene.run("viewer.setOverlays('test', []);")
        assert scene.page.evaluate("() => document.activeElement === viewer.node")


@pytest.mark.slow
def test_a_picture_that_is_missing_is_said_to_be(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        _open_viewer(scene, "missing")
        assert scene.page.get_by_text("This panorama could not be shown.").is_visible()
        assert not scene.page.locator(".globe").is_visible(), "there is no black box"
        scene.run("""const { pictureId } = await import('/static/web/pictures.js');
          await viewer.show(pictureId('town', 'a'), [0, 0], 'View');""")
        assert scene.page.locator(".viewer-wait").is_hidden()
        # The view comes back after the graphics card was taken away.
        before = scene.globe()
        scene.run("""const canvas = document.querySelector('.globe');
          const extension = canvas.getContext('webgl2').getExtension('WEBGL_lose_context');
          // It can be restored when all listeners have heard that it is lost.
          const heard = (name) => new Promise((done) => {
            canvas.addEventListener(name, () => setTimeout(done), { once: true });
          });
          const [lost, restored] = [heard('webglcontextlost'), heard('webglcontextrestored')];
          extension.loseContext();
          await lost;
          extension.restoreContext();
          await restored;""")
        until(scene.page, lambda: np.array_equal(scene.globe(), before))


def test_a_picture_that_takes_long_or_fails_is_said_to_and_can_be_tried_again(
    browser: Any, server: SceneServer
) -> None:
    with opened(browser, server) as scene:
        page = scene.page
        broken = threading.Event()
        server.delay = lambda *_: broken.wait(PATIENCE)
        scene.run(
            """const { createPanoramaViewer } = await import('/static/shared/panorama-viewer.js');
              const { createPictures, pictureId } = await import('/static/web/pictures.js');
              window.failing = true;
              const pictures = createPictures();
              const loadPicture = async (...all) => {
                const image = await pictures.loadPicture(all[0]);
                if (failing) throw new Error('The server answered 503.');
                return image;
              };
              window.viewer = createPanoramaViewer({ loadPicture, readout: false });
              Object.assign(viewer.node.style, { width: '900px', height: '560px' });
              document.getElementById('scene').append(viewer.node);
              viewer.show(pictureId('town', 'a'), [0, 0], 'View');"""
        )
        status = page.locator(".viewer [role=status] .viewer-wait")
        expect(status).to_contain_text("loading the panorama …")
        expect(status).to_be_visible()
        expect(page.locator(".globe")).not_to_be_visible()
        expect(status).to_contain_text("still loading")
        broken.set()
        expect(status).to_contain_text("This panorama could not be shown.")
        assert axe_missing() or scene.violations() == []
        page.evaluate("() => { window.failing = false; }")
        page.get_by_role("button", name="Try again").click()
        expect(page.locator(".viewer-wait")).not_to_be_visible()
        expect(page.locator(".globe")).to_be_visible()
        assert page.evaluate("() => document.activeElement === viewer.node")


OPEN_MAP = """
  const { createMapView } = await import('/static/shared/map-view.js');
  window.taps = [];
  window.map = createMapView({ label: 'Map', ontap: (at) => taps.push(at) });
  Object.assign(map.node.style, { width: '600px', height: '400px' });
  document.getElementById('scene').append(map.node);
  map.update(argument);
"""


def _map_pixel(scene: Scene, east: float, north: float) -> np.ndarray:
    """Return the colour of the map at a position, on the layer of paths."""
    x, y = scene.page.evaluate("([x, y]) => map.place(x, y)", [east, north])
    rgba: list[int] = scene.page.evaluate(
        "([x, y]) => [...document.querySelector('.atlas .over').getContext('2d').getImageData(x, y, 1, 1).data]", [x, y]
    )
    return np.array(rgba)


def test_a_map_shows_route_start_end_and_position(browser: Any, server: SceneServer) -> None:
    route = [[0, 0], [100, 0], [100, 80]]
    ground = ["shape", "#00ff00", None, 0, 1, [[-500, -500, 500, -500, 500, 500, -500, 500]]]
    with opened(browser, server) as scene:
        walked = {"points": [[0, 0], [60, 0]], "colour": "#ff00ff"}
        scene.run(OPEN_MAP, {"marks": [ground], "route": route, "start": route[0], "end": route[-1]})
        scene.page.wait_for_function("() => map.place(0, 0) !== null")
        scene.frame()
        corners = [scene.page.evaluate("([x, y]) => map.place(x, y)", at) for at in route]
        assert all(40 <= x <= 560 and 40 <= y <= 360 for x, y in corners), "all of the route is in view"
        assert corners[1][0] > corners[0][0] and corners[2][1] < corners[1][1], "east is right, north is up"
        colour = _map_pixel(scene, 50, 0)
        assert np.abs(colour[:3] - (0x1D, 0x5F, 0xB8)).max() < 8 and colour[3] > 150
        assert np.abs(_map_pixel(scene, 100, 80)[:3] - (0xD0, 0x1C, 0x3F)).max() < 8
        assert _map_pixel(scene, 50, 60)[3] == 0
        background = scene.page.evaluate(
            "() => [...document.querySelector('.atlas .ground').getContext('2d').getImageData(5, 5, 1, 1).data]"
        )
        assert background == [0, 255, 0, 255]
        scene.run("map.update(argument)", {"paths": [walked], "position": {"at": [60, 0], "heading": 90}})
        scene.frame()
        assert np.abs(_map_pixel(scene, 20, 0)[:3] - (255, 0, 255)).max() < 8
        # The cone of view reaches ahead of the position, not behind it.
        assert _map_pixel(scene, 60, 5)[3] < 255
        x, y = scene.page.evaluate("() => map.place(60, 0)")
        ahead, behind = ((x + dx, y + 8) for dx in (25, -25))
        alphas = [
            scene.page.evaluate(
                "([x, y]) => document.querySelector('.atlas .over').getContext('2d').getImageData(x, y, 1, 1).data[3]",
                list(at),
            )
            for at in (ahead, behind)
        ]
        assert alphas[0] > 30 and alphas[1] == 0


def test_a_map_is_moved_zoomed_and_tapped(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        scene.run(OPEN_MAP, {"route": [[0, 0], [100, 60]]})
        scene.page.wait_for_function("() => map.place(0, 0) !== null")
        page = scene.page
        box = page.evaluate("() => map.node.getBoundingClientRect().toJSON()")
        x, y = page.evaluate("() => map.place(100, 60)")
        page.mouse.click(round(box["left"] + x), round(box["top"] + y))
        ((east, north),) = page.evaluate("() => taps.splice(0)")
        assert (east, north) == pytest.approx((100, 60), abs=0.5)
        view = page.evaluate("() => map.view()")
        page.mouse.move(box["left"] + 200, box["top"] + 200)
        page.mouse.down()
        page.mouse.move(box["left"] + 300, box["top"] + 220, steps=5)
        page.mouse.up()
        moved = page.evaluate("() => map.view()")
        assert moved["x"] < view["x"] and moved["y"] > view["y"] and moved["scale"] == view["scale"]
        assert page.evaluate("() => taps.length") == 0
        page.locator(".atlas").focus()
        page.keyboard.press("+")
        assert page.evaluate("() => map.view().scale") == pytest.approx(view["scale"] * 1.3)
        page.keyboard.press("0")
        scene.frame()
        assert page.evaluate("() => map.view()") == pytest.approx(view)
        # A position that leaves the map is shown again.
        scene.run("map.update({ position: { at: [400, 0], heading: 90 } });")
        scene.frame()
        assert 0 < page.evaluate("() => map.place(400, 0)")[0] < 600


@pytest.mark.slow(keep=1)
@pytest.mark.skipif(bool(axe_missing()), reason=axe_missing())
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_viewer_and_map_are_accessible(browser: Any, server: SceneServer, scheme: str) -> None:
    with opened(browser, server, color_scheme=scheme) as scene:
        _open_viewer(scene)
        scene.run(OPEN_MAP, {"route": [[0, 0], [100, 60]]})
        scene.run("""const { createPointView } = await import('/static/web/point-view.js');
          createPointView(viewer).place({ heading: 0, pitch: 0 });""")
        scene.frame()
        assert scene.violations() == []


def test_the_theme_follows_the_system_until_it_is_chosen(browser: Any, server: SceneServer) -> None:
    with opened(browser, server, color_scheme="dark") as scene:
        page = scene.page
        theme = "() => document.documentElement.dataset.theme"
        assert page.evaluate(theme) == "dark"
        page.emulate_media(color_scheme="light")
        page.wait_for_function("() => document.documentElement.dataset.theme === 'light'")
        page.locator("#theme").click()
        assert (
            page.evaluate(theme) == "dark" and page.locator("#theme").get_attribute("aria-label") == "Use light colours"
        )
        page.reload()
        assert page.evaluate(theme) == "dark", "the choice is remembered"
