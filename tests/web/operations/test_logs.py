"""The log: one JSON line for each request, with nothing in it about people, whatever they send."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import HTTPException
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from bearleft.web.app import create_app
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Answer, Attempt, Worker
from bearleft.web.operations.logs import describe_error
from bearleft.web.operations.options import Limits, Operations, Rate
from bearleft.web.play import create_games
from bearleft.web.projects import create_project
from bearleft.web.settings import Settings
from tests.web.app.test_play import POINT, open_unit
from tests.web.logs import captured_log
from tests.web.server import person, serving
from tests.web.touchdown.driver import NAME, TEXT

MARK = "mark7f3a"  # stands in everything that a person sends
FIELDS = {"time", "level", "logger", "message", "request", "method", "route", "status", "milliseconds", "server"}


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """The log of this process, as `bearleft serve` writes it."""
    with captured_log() as stream:
        yield stream


@pytest.fixture
def app(tmp_path: Path) -> Any:
    operations = Operations(Limits(newcomers=Rate(1e-6, 30)), log_requests=True, proxies=("127.0.0.1",))
    settings = Settings(
        database=str(tmp_path / "web.sqlite"), cache=tmp_path / "panoramas", operations=operations, secret=MARK * 4
    )
    create_games(settings, ["city/sdr/small"])
    made = create_app(settings)
    create_project(made.state.database, made.state.worlds, NAME, "touchdown", {"qualification": False, "limit": 1})

    @made.get("/broken/{name}")
    def broken(name: str) -> None:
        raise RuntimeError(f"cannot do {name}")

    @made.get("/broken-database/{name}")
    def broken_database(name: str) -> None:
        with made.state.database.write() as session:
            session.execute(text("INSERT INTO nowhere VALUES (:name)"), {"name": name})

    @made.get("/refused/{name}")
    def refused(name: str) -> None:
        raise HTTPException(404, f"no {name}")

    return made


def lines_of(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def walk_through(address: str) -> None:
    """Use the whole application, with marks in all that can be sent."""
    headers = {
        "User-Agent": MARK,
        "Referer": f"{address}/{MARK}",
        "X-Forwarded-For": "198.51.100.77",
        "X-Request-Id": MARK,
        "Accept-Language": MARK,
        "Authorization": f"Bearer {MARK}",
    }
    with person(address) as client:
        client.headers.update(headers)
        for path in ("/", f"/projects/{NAME}", "/played", f"/play/{POINT}", "/openapi.json", "/static/web/api.js"):
            assert client.get(path, params={"q": MARK}).status_code == 200
        for path in ("/projects/", "/work/", "/play/", "/next/", "/", "/static/web/", "/api/worlds/", "/refused/"):
            assert client.get(f"{path}{MARK}").status_code == 404
        assert client.request(MARK.upper(), f"/{MARK}").status_code == 404
        unit = open_unit(client, f"/play/{POINT}")
        path, token = f"/api/attempts/{unit['attempt']}", unit["token"]
        for body in (
            {"token": MARK, "number": 0, "kind": MARK, "data": {MARK: MARK}},
            {"token": token, "number": 0, "kind": MARK, "data": {MARK: MARK}},
            {"token": token, "number": MARK},
            {MARK: MARK},
        ):
            assert client.post(f"{path}/events", json=body).status_code in (409, 422)
        assert client.post(f"{path}/events", content=f"{{{MARK}").status_code == 422
        assert client.post(f"{path}/submit", json={"token": token, "key": MARK, "data": {"a": MARK}}).status_code == 422
        assert client.post(f"{path}/heartbeat", json={"token": token}, headers={"Origin": MARK}).status_code == 403
        assert client.post(f"{path}/return", json={"token": token}).status_code == 204
        claimed = client.post(f"/api/projects/{NAME}/claim", json={}).json()
        unit = open_unit(client, claimed["url"])
        body = {"token": unit["token"], "number": 0, "kind": "draft", "data": {"text": f"{TEXT} {MARK}"}}
        client.post(f"/api/attempts/{unit['attempt']}/events", json=body)
        client.cookies.set("bearleft_worker", f"{MARK}.{MARK}")
        assert client.get(f"/work/{MARK}").status_code == 401
        for name in ("broken", "broken-database"):
            answer = client.get(f"/{name}/{MARK}", params={MARK: MARK})
            assert answer.status_code == 500 and MARK not in answer.text
        assert any(client.get(f"/projects/{MARK}").status_code == 429 for _ in range(60))


def test_nothing_about_people_is_in_the_log(app: Any, log: io.StringIO) -> None:
    with serving(app) as address:
        walk_through(address)
        port = address.rpartition(":")[2]
    written = log.getvalue()
    with app.state.database.read() as session:
        secrets = [value for row in session.execute(select(Worker.id, Worker.pseudonym)) for value in row]
        secrets += [value for row in session.execute(select(Attempt.id, Attempt.token)) for value in row]
        secrets += session.scalars(select(Answer.code)).all()
    assert len(secrets) > 4
    for secret in (MARK, MARK.upper(), "127.0.0.1", "198.51.100", port, TEXT[:20], NAME, POINT, *map(str, secrets)):
        assert secret not in written, secret
    lines = lines_of(log)
    requests = [line for line in lines if line["message"] == "request"]
    assert all(set(line) == FIELDS for line in requests)
    assert len({line["request"] for line in requests}) == len(requests) > 40
    assert {200, 204, 303, 401, 403, 404, 409, 422, 429, 500} <= {line["status"] for line in requests}
    routes = {line["route"] for line in requests}
    assert {"/work/{attempt}", "/static/web/*", "unmatched", "/api/attempts/{attempt}/events"} <= routes
    assert {line["method"] for line in requests} == {"GET", "POST", "other"}


def test_errors_are_logged_with_the_place_and_the_id_of_the_request(app: Any, log: io.StringIO) -> None:
    with serving(app) as address:
        answer = httpx.get(f"{address}/broken/{MARK}")
    (error,) = [line for line in lines_of(log) if line["level"] == "error"]
    assert error["error"] == "RuntimeError" and error["route"] == "/broken/{name}"
    assert error["request"] == answer.headers["x-request-id"] and error["request"] in answer.json()["detail"]
    assert any("test_logs.py" in frame and "broken" in frame for frame in error["traceback"])
    assert MARK not in log.getvalue() and "cannot do" not in "".join(error["traceback"][-1].split("raise")[0])
    assert answer.headers["content-security-policy"]


def test_requests_are_logged_by_bearleft_serve_only(app: Any, log: io.StringIO) -> None:
    settings = replace(app.state.settings, operations=Operations())
    with serving(create_app(settings)) as address:
        assert httpx.get(address).status_code == 200
    assert lines_of(log) == []


def test_checks_of_health_are_not_logged(app: Any, log: io.StringIO) -> None:
    with serving(app) as address:
        assert httpx.get(f"{address}/health").status_code == httpx.get(f"{address}/ready").status_code == 200
    assert lines_of(log) == []


def test_messages_of_libraries_are_logged_without_values(log: io.StringIO) -> None:
    logging.getLogger("somewhere").warning("%s came from %s", MARK, "127.0.0.1")
    logging.getLogger("somewhere").warning(f"{MARK} came")  # put together before
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
    messages = [line["message"] for line in lines_of(log)]
    assert messages == ["%s came from %s", "a message of a library", "Invalid HTTP request received."]


def test_causes_of_an_error_are_described() -> None:
    try:
        try:
            raise KeyError(MARK)
        except KeyError as error:
            raise ValueError(MARK) from error
    except ValueError as error:
        row = describe_error(error)
    assert row["error"] == "ValueError from KeyError"
    assert MARK not in str(row).replace("MARK", "")


def test_errors_of_databases_do_not_show_values(database_url: str) -> None:
    database = open_database(database_url)
    with pytest.raises(DBAPIError) as caught, database.write() as session:
        session.execute(text("INSERT INTO nowhere VALUES (:name)"), {"name": MARK})
    database.close()
    assert MARK not in str(caught.value)
