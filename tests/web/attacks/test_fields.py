"""SQL and scripts in all fields: stored and shown as the texts that they are. Chromium says that no script ran.

Each field gets one of the texts of SQL, in turn; all of them in `make test-full`.
"""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from bearleft import load
from bearleft.web.database.models import Base, Event, Project, Unit
from bearleft.web.people import COOKIE
from bearleft.web.queue.slots import NewUnit, add_units
from bearleft.web.tasks.touchdown.pipeline import propagation_units
from tests.browser.report_page import chromium
from tests.sizes import FULL
from tests.web.app.test_play import POINT, open_unit
from tests.web.attacks.conftest import Site
from tests.web.attacks.site import NAME, ROOMS, UNSAFE, WORLD, body_of
from tests.web.scene_page import browser_missing, direction_picture
from tests.web.server import person
from tests.web.touchdown.driver import BEARS

SCRIPT = (
    "</script><script>window.hacked = 1</script><img src=x onerror=window.hacked=1> "
    "<svg/onload=window.hacked=1> \"'`><b>bold</b> {{ 7 * 7 }} '; DROP TABLE answers; -- javascript:alert(1)"
)
SQL = (
    "'; DROP TABLE answers; --",
    "' OR '1'='1",
    "1; DELETE FROM workers",
    '"; DROP TABLE events; --',
    "\\'; DROP TABLE units; --",
    "' UNION SELECT secret FROM workers --",
    "%' OR 1=1 --",
    "$$; DROP TABLE slots; $$",
)
ROUTE = list(next(iter(load("city/touchdown/small"))).legs[0].goal.route)  # type: ignore[union-attr]


def counts(site: Site) -> dict[str, int]:
    """Return the number of rows of all tables that requests may not make smaller."""
    with site.database.read() as session:
        return {
            name: session.scalar(select(func.count()).select_from(table)) or 0
            for name, table in Base.metadata.tables.items()
        }


def texts(turn: Iterator[str]) -> tuple[str, ...]:
    """Return what a field gets: the next text of SQL, or all."""
    return SQL if FULL else (next(turn),)


@pytest.mark.slow
def test_sql_in_all_fields_is_text(site: Site) -> None:
    before, victim = counts(site), site.victim.state(site.database)
    unit = open_unit(site.attacker, f"/play/{POINT}")
    values = {"attempt": unit["attempt"], "name": POINT}
    turn = itertools.cycle(SQL)
    sent = set()
    for route in site.routes:
        if route.method == "GET":
            for name, sql in ((name, sql) for name in route.parameters for sql in texts(turn)):
                sent.add(sql)
                path = route.fill({**values, name: sql.replace("/", "")})
                assert site.attacker.get(path).status_code < 500, path
            for sql in texts(turn):
                query = dict.fromkeys(("episode", "nothing", "width"), sql)
                assert site.attacker.get(route.fill(values), params=query).status_code < 500, route
        else:
            body: dict[str, Any] = body_of(route, unit)
            for field, sql in ((field, sql) for field in body or {"kinds": None} for sql in texts(turn)):
                sent.add(sql)
                hostile = [sql] if field == "kinds" else {sql: sql} if field == "data" else sql
                answer = site.attacker.request(route.method, route.fill(values), json={**body, field: hostile})
                assert answer.status_code < 500, (route, field)
    assert sent == set(SQL)
    after = counts(site)
    assert all(after[name] >= number for name, number in before.items())
    assert site.victim.state(site.database) == victim


def test_names_in_addresses_match_themselves_only(site: Site) -> None:
    """Neither patterns of SQL nor other spellings find a project."""
    for name in (*SQL, "%", "_" * len(NAME), NAME.upper(), f"{NAME} ", f"{NAME}%00", f" {NAME}", f"{NAME}/"):
        for folder in ("/projects", "/play", "/next", "/api/projects"):
            if folder == "/api/projects":
                answer = site.attacker.post(f"{folder}/{name.replace('/', '')}x/claim", json={})
            else:
                answer = site.attacker.get(f"{folder}/{name.replace('/', '')}x")
            assert answer.status_code in (404, 422), (folder, name)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if browser_missing():
        pytest.skip(browser_missing())
    with chromium() as opened:
        yield opened.chromium


def hostile_units(site: Site) -> list[tuple[str, str]]:
    """Add a unit of each task that shows what somebody else wrote; return projects and kinds."""
    worlds = site.app.state.worlds
    with site.database.write() as session:
        projects = {project.name: project for project in session.scalars(select(Project))}
        start = {"world": WORLD, "text": SCRIPT, "writing": 1}
        bear = {"place": ROUTE[-1], "heading": 10.0, "pitch": 0.0}
        walking = {**start, "start": ROUTE[0], "heading": 0.0, "targets": [bear]}
        marking = propagation_units(worlds, 1, 0, WORLD, ROUTE[-1], SCRIPT, BEARS["0"])[0]
        room = session.scalars(select(Unit).where(Unit.project_id == projects[ROOMS].id)).first()
        assert room is not None
        finding = {**room.payload, "sentences": [SCRIPT, SCRIPT], "start": [0.0, 0.0]}
        finding |= {"dataset": "collected", "episode": "1"}
        new = [
            (NAME, NewUnit("touchdown/validation", walking, priority=9)),
            (NAME, NewUnit("touchdown/segmentation", {"text": SCRIPT, "writing": 1}, priority=9)),
            (NAME, NewUnit("touchdown/propagation", marking.payload, priority=9)),
            (ROOMS, NewUnit("refer360/finding", finding, priority=9)),
        ]
        for name, unit in new:
            add_units(session, projects[name].id, [unit])
    return [(name, unit.kind) for name, unit in new]


@pytest.mark.slow
def test_scripts_in_texts_of_others_do_not_run(site: Site, browser: Any) -> None:
    shown = []
    for name, kind in hostile_units(site):
        with person(site.address) as worker:
            claimed = worker.post(f"/api/projects/{name}/claim", json={"kinds": [kind]}).json()
            assert claimed["url"], (kind, claimed)
            page = worker.get(claimed["url"])
            assert "<script>window.hacked" not in page.text and "<img src=x" not in page.text
            shown.append((kind, look_at(site, browser, worker.cookies[COOKIE], claimed["url"])))
    for kind, text in shown:
        assert "window.hacked" in text, kind  # it is there, as text


def open_context(browser: Any, site: Site, cookie: str) -> Any:
    """Open a window of a worker, in which panoramas are not rendered."""
    context = browser.new_context(viewport={"width": 480, "height": 480})
    context.add_cookies([{"name": COOKIE, "value": cookie, "url": site.address}])
    picture = io.BytesIO()
    direction_picture(64).save(picture, "WEBP")
    body = picture.getvalue()
    context.route(re.compile("/panoramas/"), lambda route: route.fulfill(body=body, content_type="image/webp"))
    return context


def look_at(site: Site, browser: Any, cookie: str, path: str) -> str:
    """Open a page; return its text when nothing ran that was written in it."""
    context = open_context(browser, site, cookie)
    try:
        page = context.new_page()
        faults: list[str] = []

        def on_dialog(dialog: Any) -> None:
            faults.append(dialog.message)
            dialog.dismiss()

        page.on("dialog", on_dialog)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: faults.append(line.text) if "Content Security Policy" in line.text else None)
        page.goto(site.address + path)
        page.wait_for_selector("main")
        if "/work/" in path:
            page.wait_for_function("document.querySelector('main').innerText.includes('hacked')", timeout=60_000)
        assert page.evaluate("window.hacked") is None
        assert page.locator("main img[src='x'], main svg[onload], main b").count() == 0
        assert faults == []
        return str(page.inner_text("main"))
    finally:
        context.close()


def test_scripts_in_own_drafts_do_not_run(site: Site, browser: Any) -> None:
    """A text that is stored while it is written comes back when the page is loaded again."""
    with person(site.address) as worker:
        claimed = worker.post(f"/api/projects/{NAME}/claim", json={"kinds": ["touchdown/writing"]}).json()
        unit = open_unit(worker, claimed["url"])
        body = {"token": unit["token"], "number": 0, "kind": "draft", "data": {"text": SCRIPT}}
        assert worker.post(f"/api/attempts/{unit['attempt']}/events", json=body).status_code == 200
        with site.database.read() as session:
            (event,) = session.scalars(select(Event).where(Event.attempt_id == unit["attempt"]))
            assert event.data["text"] == SCRIPT
        context = open_context(browser, site, worker.cookies[COOKIE])
        page = context.new_page()
        page.goto(site.address + claimed["url"])
        page.wait_for_function(
            "[...document.querySelectorAll('textarea')].some((area) => area.value.includes('hacked'))"
        )
        assert page.evaluate("window.hacked") is None
        context.close()


def test_scripts_in_addresses_do_not_run(site: Site, browser: Any) -> None:
    from urllib.parse import quote

    hostile = quote(SCRIPT, safe="")
    for route in site.routes:
        if route.method == "GET" and (route.parameters or route.path == "/"):
            path = route.fill({}, other=hostile)
            answer = site.attacker.get(
                path, headers={"Accept": "text/html"}, params={"episode": SCRIPT, "nothing": SCRIPT}
            )
            assert "<script>window.hacked" not in answer.text and "<img src=x" not in answer.text, path
            assert answer.headers["x-content-type-options"] == "nosniff"
    look_at(site, browser, site.attacker.cookies[COOKIE], f"/projects/{hostile[:300]}?nothing={hostile}")


def test_every_answer_has_the_policy(site: Site) -> None:
    """No page allows inline scripts or other servers, but for the report, which is one file; see its own policy."""
    with httpx.Client(base_url=site.address) as client:
        for route in site.routes:
            answer = client.request(route.method, route.fill({}), json={} if route.method in UNSAFE else None)
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy and "unsafe" not in policy, route
            assert "frame-ancestors 'none'" in policy and answer.headers["x-content-type-options"] == "nosniff"
