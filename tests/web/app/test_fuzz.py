"""Whatever is sent to the API: no answer says that the server failed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bearleft.web.people import COOKIE
from tests.web.app.test_play import POINT, open_unit
from tests.web.server import person

schemathesis = pytest.importorskip("schemathesis")
# It imports this when it is first used. Deep within a test, Python 3.11 cannot always compile so large a module.
pytest.importorskip("schemathesis.specs.openapi.schemas")

STRANGE = {
    "long": "word " * 20_000,
    "too long": "x" * 600_000,
    "emoji": "🐻‍❄️ left of the 🚏 " * 50,
    "html": "<script>fetch('/api')</script><img src=x onerror=alert(1)>",
    "sql": "'; DROP TABLE answers; --",
    "template": "{{ 7 * 7 }} ${7*7} <%= 7 * 7 %>",
    "right to left": "\u202egnp.rid\u202c",
    "null": "a\x00b",
    "surrogate": "\ud800",
    "path": "../../../../etc/passwd",
}


@pytest.fixture
def client(games: str) -> Iterator[httpx.Client]:
    with person(games) as one:
        yield one


OPERATIONS = (
    ("POST", "/api/projects/{name}/claim"),
    ("POST", "/api/attempts/{attempt}/events"),
    ("POST", "/api/attempts/{attempt}/heartbeat"),
    ("POST", "/api/attempts/{attempt}/submit"),
    ("POST", "/api/attempts/{attempt}/return"),
    ("GET", "/api/worlds/{world}/panoramas/{place}.webp"),
    ("GET", "/api/worlds/{world}/map"),
    ("GET", "/api/worlds/{world}/sections/{number}.glb"),
    ("GET", "/api/models/items/{name}.glb"),
    ("GET", "/api/models/room.glb"),
)


@pytest.mark.slow
def test_every_operation_is_fuzzed(games: str) -> None:
    paths = httpx.get(f"{games}/openapi.json").json()["paths"]
    assert {(method.upper(), path) for path, methods in paths.items() for method in methods} == set(OPERATIONS)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_request_makes_the_server_fail(games: str, client: httpx.Client, method: str, path: str) -> None:
    schema = schemathesis.openapi.from_url(f"{games}/openapi.json")
    attempt = open_unit(client, f"/play/{POINT}")["attempt"]
    known = {"attempt": attempt, "name": POINT, "world": "city/3/4x5", "place": "c000203", "number": 0}

    @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=schema[path][method].as_strategy(), exists=st.booleans())
    def run(case: Any, exists: bool) -> None:
        if exists:  # of random names nothing exists
            case.path_parameters = {name: known[name] for name in case.path_parameters}
        response = case.call(cookies={COOKIE: client.cookies[COOKIE]}, timeout=60)
        assert response.status_code < 500, (path, response.status_code, response.text[:500])

    run()


@pytest.mark.parametrize("name", STRANGE)
def test_strange_texts_are_refused_or_stored_and_never_executed(client: httpx.Client, name: str) -> None:
    unit = open_unit(client, f"/play/{POINT}")
    path, text = f"/api/attempts/{unit['attempt']}", STRANGE[name]
    bodies = [
        {"token": unit["token"], "number": 0, "kind": text, "data": {}},
        {"token": text, "number": 0, "kind": "point", "data": {"heading": 1, "pitch": 2}},
        {"token": unit["token"], "number": 0, "kind": "point", "data": {"heading": text, "pitch": text}},
        {
            "token": unit["token"],
            "number": 0,
            "kind": "point",
            "data": {text: {text: [text]}, "heading": 1, "pitch": 2},
        },
    ]
    for body in bodies:
        answer = client.post(f"{path}/events", content=_json(body), headers={"Content-Type": "application/json"})
        assert answer.status_code in (200, 404, 409, 413, 422), (answer.status_code, answer.text[:300])
        assert answer.headers["content-type"].startswith("application/json")
    for address in ("/play/" + POINT, "/projects/x", "/work/x"):
        page = client.get(address, params={"episode": text[:2000].encode("utf-8", "replace").decode()})
        assert page.status_code in (200, 404, 422) and "<script>fetch" not in page.text and page.text != "49"
    submitted = client.post(
        f"{path}/submit",
        content=_json({"token": unit["token"], "key": text, "data": {}}),
        headers={"Content-Type": "application/json"},
    )
    assert submitted.status_code in (200, 404, 409, 413, 422), submitted.text[:300]
    assert client.get("/played").status_code == 200


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def test_damaged_bodies_are_refused(client: httpx.Client) -> None:
    unit = open_unit(client, f"/play/{POINT}")
    for content in (b"", b"{", b"[]", b"\xff\xfe", b'{"token": NaN}', b"[" * 100_000, b'"' + b"a" * 1000):
        headers = {"Content-Type": "application/json"}
        answer = client.post(f"/api/attempts/{unit['attempt']}/events", content=content, headers=headers)
        assert answer.status_code in (400, 422), (content[:20], answer.status_code, answer.text[:200])
