"""The browser windows of ArraMon's workers: keys, quizzes, and waiting for the 3-D view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bearleft.world.arramon.moves import PICK, PLACE
from tests.browser.waiting import expect
from tests.web import window
from tests.web.arramon.people import ANSWERS, Person
from tests.web.arramon.site import Site

SMALL = (320, 320)
KEYS = {"forward": "ArrowUp", "left": "ArrowLeft", "right": "ArrowRight", PICK: "Space", PLACE: "Space"}
IDLE = "canvas[data-walker='idle'][data-state='shown']"


class Window(window.Window):
    """A worker's browser."""

    timeout = 240_000  # milliseconds; models are made on the way

    def open(self, attempt: str) -> None:
        """Open a unit, and wait until its 3-D view is shown."""
        self.page.goto(f"{self.site.address}/work/{attempt}")
        self.shown()

    def shown(self, place: str = "") -> None:
        """Wait until a place is shown and no action is under way."""
        self.page.locator(IDLE + (f"[data-place='{place}']" if place else "")).wait_for()

    def play(self, actions: Sequence[str]) -> None:
        """Take actions by keys, one after another."""
        for action in actions:
            self.page.keyboard.press(KEYS[action])
            self.shown()

    def pose(self) -> list[float]:
        """Return x, y and z of the view in metres, and its heading."""
        self.frame()
        return [float(value) for value in self.page.locator("canvas.stage").get_attribute("data-pose").split()]

    def pass_quiz(self, kind: str) -> None:
        """Answer a quiz: first all wrong, then all right."""
        for answers in ([(right + 1) % 3 for right in ANSWERS[kind]], ANSWERS[kind]):
            for k, answer in enumerate(answers):
                self.page.locator(f"input[name=question-{k}]").nth(answer).check()
            self.page.get_by_role("button", name="Check my answers").click()
            if answers != ANSWERS[kind]:
                expect(self.page.locator(".question[data-right=false]")).to_have_count(len(answers))
                assert all(text.strip() for text in self.page.locator(".explanation").all_inner_texts())
        self.next()

    def next(self) -> None:
        """Go on from the end of a unit to the next one."""
        self.page.locator("#done .code").wait_for()
        super().next()


@contextmanager
def open_window(
    browser: Any, site: Site, person: Person | None = None, size: tuple[int, int] = SMALL, **more: Any
) -> Iterator[Window]:
    """Open a worker's browser. Motions are off, so that keys need no waiting."""
    with window.window(browser, site, Window, size, person, **{"reduced_motion": "reduce"} | more) as opened:
        yield opened
