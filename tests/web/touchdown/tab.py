"""A person's window of Touchdown's pages, by mouse, touch and keys."""

from __future__ import annotations

import io
import json
import math
import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from bearleft.geometry import View, turn
from bearleft.records import Direction
from bearleft.world.worlds import open_world
from tests.browser.accessibility import violations
from tests.browser.waiting import TIMEOUT
from tests.web.scene_page import direction_picture
from tests.web.touchdown.driver import WORLD

STEP, PITCH_STEP = 15.0, 5.0  # degrees that an arrow key turns, and a key that looks up or down
SHOTS = os.environ.get("BEARLEFT_SHOTS")  # a folder, to look at the pages


class Tab:
    """A person's browser window; `faults` are errors and requests that leave the machine."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        self.faults: list[str] = []
        self.heading = 0.0
        page.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self._on_request(request.url))
        page.on("console", lambda message: self._on_console(message.type, message.text))
        picture = io.BytesIO()
        direction_picture(512).save(picture, "WEBP")
        page.route(
            re.compile(r"/panoramas/"),
            lambda route: route.fulfill(body=picture.getvalue(), content_type="image/webp"),
        )

    def _on_request(self, url: str) -> None:
        if not url.startswith((self.address, "data:", "blob:")):
            self.faults.append(f"request: {url}")

    def _on_console(self, kind: str, text: str) -> None:
        if kind == "error" and "422" not in text:
            self.faults.append(f"console: {text}")

    def next(self, kind: str) -> dict[str, Any]:
        """Go to the next unit, which has to be of a kind, and return its view."""
        self.page.goto(f"{self.address}/next/study")
        return self.view(kind)

    def view(self, kind: str) -> dict[str, Any]:
        """Wait until the open unit, which has to be of a kind, is shown, and return its view."""
        self.page.wait_for_selector(f"[data-kind='touchdown/{kind}']")
        if kind != "segmentation":
            self.page.wait_for_selector(".viewer[data-picture]")
            self.page.wait_for_function(
                "() => [...document.querySelectorAll('.viewer')].every((viewer) => viewer.dataset.picture)"
            )
        view: dict[str, Any] = json.loads(self.page.locator("#unit").text_content())["view"]
        return view

    def code(self) -> str:
        """Return the completion code at the end of a unit."""
        text: str = self.page.locator("#done code").text_content()
        return text

    def saved(self) -> None:
        """Wait until everything is stored."""
        self.page.wait_for_function("() => document.getElementById('saving').textContent === 'saved'")

    def give_back(self) -> None:
        """Give the open unit back, so that somebody else gets it."""
        unit = json.loads(self.page.locator("#unit").text_content())
        url = f"{self.address}/api/attempts/{unit['attempt']}/return"
        answer = self.page.request.post(url, data={"token": unit["token"]}, headers={"Origin": self.address})
        assert answer.ok, answer.text()

    def severe(self) -> list[str]:
        """Return the severe violations that axe finds."""
        return violations(self.page)

    def shot(self, name: str) -> None:
        """Keep a picture of the page, where a folder is named."""
        if SHOTS:
            self.page.screenshot(path=Path(SHOTS) / f"{name}.png")

    def overflows(self) -> bool:
        """Return whether the page is wider than the window."""
        wider: bool = self.page.evaluate("() => document.documentElement.scrollWidth > innerWidth")
        return wider

    # By keyboard.

    def press(self, key: str, times: int = 1) -> None:
        for _ in range(times):
            self.page.keyboard.press(key)

    def tab_to(self, selector: str) -> None:
        """Press Tab until an element has the focus."""
        for _ in range(60):
            if self.page.evaluate("(s) => document.activeElement.matches(s)", selector):
                return
            self.press("Tab")
        raise AssertionError(f"Tab does not reach {selector}")

    def turn_to(self, heading: float) -> None:
        """Turn by arrow keys to about a heading."""
        steps = round(float(turn(self.heading, heading)) / STEP)
        self.press("ArrowRight" if steps > 0 else "ArrowLeft", abs(steps))
        self.heading = (self.heading + steps * STEP) % 360

    def walk(self, route: list[str], by_key: bool) -> None:
        """Walk along a route, by the up key or by its arrows on the picture."""
        graph = open_world(WORLD)
        for here, there in pairwise(route):
            place = graph.place_index(here)
            link = graph.find_link(place, graph.place_index(there))
            assert link is not None
            picture = json.dumps([WORLD, there], separators=(",", ":"))
            if by_key:
                self.turn_to(float(graph.heading[link]))
                self.press("ArrowUp")
            else:
                order = [graph.ids[int(graph.target[k])] for k in graph.links(place)]
                self.page.locator(".walk-arrow").nth(order.index(there)).dispatch_event("click")
            self.page.wait_for_function(
                "(id) => document.querySelector('.viewer').dataset.picture === id"
                " && document.getElementById('saving').textContent === 'saved'",
                arg=picture,
            )
            self.heading = float(graph.heading[link])


def pixel_of(tab: Tab, spot: Direction, selector: str = ".viewer") -> tuple[float, float]:
    """The pixel of a direction in a viewer that looks along the tab's heading, level; within the viewer."""
    box = tab.page.locator(selector).bounding_box()
    # The viewer's defaults: 90 degrees from side to side, but at most 80 from top to bottom.
    half = math.tan(math.radians(80.0 / 2)) * box["width"] / box["height"]
    fov = min(90.0, 2 * math.degrees(math.atan(half)))
    view = View(Direction(tab.heading), round(box["width"]), round(box["height"]), fov)
    x, y = (float(value) for value in view.pixel(spot.heading, spot.pitch))
    return x, y
