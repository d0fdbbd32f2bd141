"""A served project, and the browser window of a person who takes part in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from fastapi import FastAPI
from sqlalchemy import select

from bearleft.web.database.models import Answer, Unit
from bearleft.web.people.cookie import COOKIE, sign
from tests.browser.accessibility import axe_missing, violations
from tests.browser.report_page import DESK
from tests.web.person import Person

TIMEOUT = 60_000  # milliseconds; pictures are rendered on the way
AnyWindow = TypeVar("AnyWindow", bound="Window")


class Site:
    """A server with one project, `study`."""

    def __init__(self, address: str, app: FastAPI) -> None:
        self.address, self.app = address, app
        self.database, self.worlds, self.settings = app.state.database, app.state.worlds, app.state.settings

    def answers(self, kind: str = "") -> list[tuple[Answer, Unit]]:
        """Return all answers in order, with their units; those to units of a kind, if one is named."""
        query = select(Answer, Unit).join(Unit, Unit.id == Answer.unit_id).order_by(Answer.id)
        with self.database.read() as session:
            rows = session.execute(query.where(Unit.kind == kind) if kind else query)
            return [(answer, unit) for answer, unit in rows]


class Window:
    """A worker's browser; `received` is the text of all answers of the server, `faults` are errors of the page."""

    timeout = TIMEOUT

    def __init__(self, page: Any, site: Site) -> None:
        self.page, self.site = page, site
        self.received: list[str] = []
        self.faults: list[str] = []
        page.set_default_timeout(self.timeout)
        page.on("pageerror", lambda error: self.faults.append(str(error.stack or error)[:800]))
        page.on("console", self._on_console)
        page.on("request", self._on_request)
        page.on("response", self._on_response)

    def _on_console(self, message: Any) -> None:
        if message.type == "error" and "422" not in message.text:  # refused answers are what some tests are about
            self.faults.append(message.text[:500])

    def _on_request(self, request: Any) -> None:
        if not request.url.startswith((f"{self.site.address}/", "data:", "blob:")):
            self.faults.append(f"request: {request.url[:200]}")

    def _on_response(self, response: Any) -> None:
        kind = response.headers.get("content-type", "")
        if kind.startswith(("text/html", "application/json")) and response.status in (200, 422):
            self.received.append(response.text())

    def start(self) -> None:
        """Go from the first page to the first unit."""
        self.page.goto(self.site.address)
        self.page.get_by_role("link", name="study").click()
        self.page.get_by_role("link", name="Start").click()

    def unit(self) -> dict[str, Any]:
        """Return what the page embeds, as it was loaded."""
        content: dict[str, Any] = json.loads(self.page.locator("#unit").text_content())
        return content

    def next(self) -> None:
        """Go on from the end of a unit to the next one, whose page is then loaded."""
        with self.page.expect_navigation():
            self.page.get_by_role("link", name="Next").click()

    def saved(self) -> None:
        """Wait until everything that was done is stored."""
        self.page.wait_for_function("() => document.getElementById('saving').textContent === 'saved'")

    def frame(self) -> None:
        """Wait until what was changed is painted."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def check_layout(self) -> None:
        """Check that nothing is wider than the window, and that axe has nothing serious to say."""
        assert self.page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
        if not axe_missing():
            assert violations(self.page) == []


@contextmanager
def window(
    browser: Any,
    site: Site,
    kind: type[AnyWindow],
    size: tuple[int, int] = DESK,
    person: Person | None = None,
    **more: Any,
) -> Iterator[AnyWindow]:
    """Open the browser of a new worker, or of one who exists; faults fail at the end."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **more)
    try:
        if person is not None:
            cookie = {"name": COOKIE, "value": sign(site.settings, person.id), "url": site.address}
            context.add_cookies([cookie])
        opened = kind(context.new_page(), site)
        yield opened
        assert not opened.faults, opened.faults
    finally:
        context.close()
