"""The tasks over HTTP: what is hostile is stored as text or refused, and no answer of the server holds the target."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from bearleft.web.app import create_app
from bearleft.web.database.models import Attempt, Unit
from bearleft.web.projects import create_project
from bearleft.web.settings import Settings
from tests.web.refer360.people import SENTENCES, Person, answer_at, view
from tests.web.server import person, serving

HOSTILE = [
    "x" * 100_000,
    "🐻" * 1000,
    "<img src=x onerror=alert(1)>",
    "'; DROP TABLE answers; --",
    "{{ 7 * 7 }}",
    "\x00\x01",
    "\ud800",
    {"a": [1]},
    None,
    float(2**70),
    -1,
]


class Site:
    """A server with one project."""

    def __init__(self, address: str, app: Any) -> None:
        self.address, self.app = address, app

    def payload(self, attempt: str) -> dict[str, Any]:
        """Return the secrets of an attempt's unit."""
        with self.app.state.database.read() as session:
            payload: dict[str, Any] = session.get_one(Unit, session.get_one(Attempt, attempt).unit_id).payload
            return payload


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    app = create_app(Settings(database=str(tmp_path / "web.sqlite"), cache=tmp_path / "panoramas"))
    create_project(app.state.database, app.state.worlds, "study", "refer360", {"limit": 4, "hiring": False})
    with serving(app) as address:
        yield Site(address, app)


class Worker:
    """A worker who sends requests; `received` is all that the server answered."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.received: list[str] = []
        self.unit: dict[str, Any] = {}

    def open_next(self) -> None:
        page = self.client.get("/next/study")
        assert page.status_code == 200
        self.received.append(page.text)
        found = re.search(r'id="unit">(.*?)</script>', page.text, re.DOTALL)
        assert found
        self.unit = json.loads(found[1])

    def post(self, path: str, **content: Any) -> httpx.Response:
        body = json.dumps({"token": self.unit["token"], **content})
        headers = {"Content-Type": "application/json"}
        answer = self.client.post(f"/api/attempts/{self.unit['attempt']}/{path}", content=body, headers=headers)
        self.received.append(answer.text)
        return answer

    def act(self, kind: Any, data: Any) -> httpx.Response:
        answer = self.post("events", number=self.unit["events"], kind=kind, data=data)
        self.unit["events"] += answer.status_code == 200
        return answer


@pytest.mark.slow
def test_hostile_content_is_stored_as_text_or_refused(site: Site) -> None:
    with person(site.address) as client:
        worker = Worker(client)
        worker.open_next()
        target = site.payload(worker.unit["attempt"])["target"]
        for bad in HOSTILE:
            for kind, good in (("look", view(1, 2)), ("found", answer_at(target)), ("draft", {"sentences": []})):
                for name in good:
                    assert worker.act(kind, good | {name: bad}).status_code in (200, 422), (kind, name, bad)
                assert worker.act(kind, {"view": bad}).status_code == 422
            assert worker.act(bad, {}).status_code == 422
            assert worker.post("submit", key="k", data={"sentences": bad}).status_code == 422
        assert worker.act("found", answer_at(target)).json()["result"] == {"found": True}
        for bad in HOSTILE:
            status = worker.act("draft", {"sentences": [bad, SENTENCES[0]]}).status_code
            is_text = isinstance(bad, str) and len(bad) < 400 and bad.isprintable()
            assert status == (200 if is_text else 422), bad
            assert worker.post("submit", key="k", data={"sentences": [SENTENCES[0], bad]}).status_code == 422
        markup = [f"{SENTENCES[0]} </script><script>alert(1)</script>", *SENTENCES[1:]]
        worker.act("draft", {"sentences": markup})
        worker.open_next()
        assert worker.unit["view"]["sentences"] == markup
        assert worker.post("submit", key="k", data={"sentences": markup}).status_code == 200


def test_no_answer_of_the_server_holds_the_target_before_the_answer(site: Site) -> None:
    writer = Person(site.app.state.database, site.app.state.worlds, "study")
    lease = writer.claim()
    assert lease
    writer.describe(lease, SENTENCES)
    with person(site.address) as client:
        worker = Worker(client)
        worker.open_next()
        assert worker.unit["kind"] == "refer360/finding"
        target = site.payload(worker.unit["attempt"])["target"]
        for bad in ({}, {"heading": "x"}, view(400, 5), view(1, 100)):
            worker.act("look", bad)
        worker.act("found", answer_at(target))
        worker.post("submit", key="k", data=answer_at((1, 1)))
        for k in range(2):
            assert worker.act("next", view(30.0 * k, 3)).json()["result"]["sentence"] == SENTENCES[k + 1]
            assert not any(later in text for text in worker.received for later in SENTENCES[k + 2 :])
        worker.act("next", view(1, 1))
        worker.open_next()
        for path in ("/", "/projects/study", f"/work/{worker.unit['attempt']}", "/openapi.json"):
            worker.received.append(client.get(path).text)
        worker.post("submit", key="k", data={"by": "click"})
        everything = "\n".join(worker.received)
        for value in (*target, target[0] - 360):
            assert f"{abs(value):.5f}"[:-1] not in everything
        final = worker.post("submit", key="k", data=answer_at((target[0], target[1])))
        assert final.json()["feedback"]["target"] == target
        assert worker.post("submit", key="k", data={}).json() == final.json()
        assert worker.post("submit", key="other", data={}).status_code == 409
