"""A study with answers of every task, and the browsers of admins without scripts."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import httpx

from bearleft.records import Direction
from bearleft.web.admin.accounts import ROLES, add_admin
from bearleft.web.admin.passwords import hash_password
from bearleft.web.database.engines import Database, open_database
from bearleft.web.queue.events import append
from bearleft.web.queue.slots import Judgement, StoredAnswer, submit
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings
from bearleft.web.tasks.touchdown.pipeline import propagation_units
from tests.web import person
from tests.web.touchdown.driver import BEAR, BEARS, NAME, TEXT, WAY, WORLD, click_at, create_study

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


def sign_in(page: Any, address: str, name: str, password: str = PASSWORD) -> None:
    """Sign in to the pages of admins."""
    page.goto(f"{address}/admin")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def add_project(settings: Settings) -> None:
    """Add the project of the study, of three routes."""
    create_study(settings, limit=3)


class Person(person.Person):
    """A worker of the study who uses the queue as the server does, without HTTP and without pictures."""

    def do(self, kind: str, *actions: tuple[str, dict[str, Any]], **data: Any) -> StoredAnswer:
        """Claim a unit of a kind, take actions, and submit."""
        lease = self.claim(f"touchdown/{kind}")
        assert lease is not None, kind
        for action, content in actions:
            self.act(lease, action, **content)
        return self.submit(lease, **data)

    def write(self, text: str = TEXT) -> StoredAnswer:
        """Claim a route, and write its text. The rules of texts, which need the pictures, are not asked."""
        lease = self.claim("touchdown/writing")
        assert lease is not None
        route = self.unit(lease).payload["route"]
        for place in route[1:]:
            self.act(lease, "move", place=place)
        bear = click_at(SPOT)
        actions: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
            ("draft", {"text": text}, {"findings": []}),
            ("place", bear, {"bear": bear}),
        ]
        for number, (kind, data, result) in enumerate(actions, len(route) - 1):
            fixed = partial(_return, result)
            append(self.database, lease.attempt_id, self.id, lease.token, number, kind, data, fixed)
        content = {"world": WORLD, "route": route, "path": route, "start_heading": 0.0, "text": text, "bear": bear}
        answer = content | {"confirmed": []}
        follow_ups = propagation_units(self.worlds, lease.unit_id, self.id, WORLD, route[-1], text, SPOT)
        judgement = Judgement(answer, {"message": "Thank you!"}, follow_ups=follow_ups)
        return submit(self.database, lease.attempt_id, self.id, lease.token, "key", lambda *_: judgement)


def _return(result: dict[str, Any], *_: object) -> dict[str, Any]:
    return result


def collect(database: Database, worlds: SceneWorlds) -> None:
    """Let one text go through all tasks, found by the second person who looks for it."""
    writer, marker, first, second = (Person(database, worlds, NAME) for _ in range(4))
    route = writer.write().data["route"]
    while (lease := marker.claim("touchdown/propagation")) is not None:
        marker.act(lease, "occluded")
        marker.submit(lease)
    moves = [("move", {"place": place}) for place in route[1:]]
    miss, hit = ("guess", click_at(Direction(SPOT.heading + 120, SPOT.pitch))), ("guess", click_at(SPOT))
    first.do("validation", *moves, *[miss] * 5)
    second.do("validation", *moves, miss, hit)
    parts = {"end": len(WAY.split())}, {"begin": len(TEXT.split()) - len(BEAR.split())}
    first.do("segmentation", ("way", parts[0]), ("bear", parts[1]))
    assert second.claim("touchdown/writing"), "a text that is not finished"


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


__all__ = ["NAME", "PASSWORD", "AdminClient", "add_admins", "add_project", "collect"]
