"""A study with answers of every task, and the browsers of admins without scripts."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import Any

import httpx

from bearleft.records import Direction
from bearleft.web.admin.accounts import ROLES, add_admin
from bearleft.web.admin.passwords import hash_password
from bearleft.web.database.engines import open_database
from bearleft.web.settings import Settings
from tests.web.server import person
from tests.web.touchdown.driver import BEAR, BEARS, NAME, TEXT, WAY, Worker, click_at, create_study

PASSWORD = "correct horse battery"
SPOT = BEARS["0"]


def add_admins(settings: Settings) -> None:
    """Add an account of each role, whose name is the role."""
    database = open_database(settings.database)
    hashed = hash_password(PASSWORD)
    with database.write() as session:
        for role in ROLES:
            add_admin(session, role, role, hashed, "test")
    database.close()


def add_project(settings: Settings) -> None:
    """Add the project of the study, with two texts of each of two routes."""
    create_study(settings, limit=2)


def collect(address: str) -> None:
    """Let one text go through all tasks, found by the second person who looks for it."""
    with ExitStack() as stack:
        writer, marker, first, second = (Worker(stack.enter_context(person(address))) for _ in range(4))
        assert writer.claim("writing")
        route = writer.view["route"]
        writer.write(SPOT)
        while marker.claim("propagation"):
            marker.act("occluded")
            marker.submit()
        for worker, misses in ((first, 5), (second, 1)):
            assert worker.claim("validation")
            worker.search(route, SPOT, misses)
        assert first.claim("segmentation")
        first.act("way", end=len(WAY.split()))
        first.act("bear", begin=len(TEXT.split()) - len(BEAR.split()))
        first.submit()
        assert second.claim("writing")
        second.act("draft", text="Not yet finished")


def click_far() -> dict[str, Any]:
    """Return a click that misses."""
    return click_at(Direction(SPOT.heading + 120, SPOT.pitch))


class AdminClient:
    """The browser of somebody who signs in, without scripts.

    Attributes:
        http: The client; `http.cookies` holds the session.
        token: The token of the session's forms.
    """

    def __init__(self, http: httpx.Client) -> None:
        self.http, self.token = http, ""

    def sign_in(self, name: str, password: str = PASSWORD) -> httpx.Response:
        """Sign in, and read the token of the forms."""
        answer = self.http.post("/admin/sign-in", data={"name": name, "password": password})
        found = re.search(r'name="form_token" value="([^"]+)"', self.http.get("/admin/account").text)
        self.token = found[1] if found else ""
        return answer

    def get(self, path: str, **options: Any) -> httpx.Response:
        """Load a page."""
        return self.http.get(path, **options)

    def post(self, path: str, token: str | None = None, **fields: Any) -> httpx.Response:
        """Send a form."""
        return self.http.post(path, data={"form_token": self.token if token is None else token, **fields})


__all__ = ["NAME", "PASSWORD", "AdminClient", "add_admins", "add_project", "click_far", "collect"]
