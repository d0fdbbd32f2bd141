"""Other people's units by id, replayed tokens, and forged cookies, on every route of the application."""

from __future__ import annotations

import itertools
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import func, select

from bearleft.web.database.models import Attempt, Event, Slot, Worker
from bearleft.web.people import COOKIE, sign
from bearleft.web.settings import Settings
from tests.web.app.test_play import POINT, act, open_unit, submit
from tests.web.attacks.conftest import Site, check_answer
from tests.web.attacks.site import NAME, PATIENCE, PLACE, ROOMS, WORLD, body_of
from tests.web.server import person

REFUSED = (401, 403, 404)
PUBLIC = {
    "/",
    "/health",
    "/ready",
    "/openapi.json",
    "/projects/{name}",
    "/consent/{name}",
    "/finish/{name}",
    "/admin/sign-in",
    "/me",
    "/me/data.json",
    "/me/delete",
    "/me/key",
    "/me/withdraw/{name}",
    "/start/{name}",
}  # for newcomers too


def test_routes_are_found_whichever_module_they_are_in(site: Site) -> None:
    found = {route.path for route in site.routes}
    assert {"/", "/metrics", "/work/{attempt}", "/played", "/openapi.json", "/next/{name}"} <= found
    listed = httpx.get(f"{site.address}/openapi.json").json()["paths"]
    assert {path.replace("{world}", "{world:path}") for path in listed} <= found


def test_units_of_others_cannot_be_reached_by_id(site: Site) -> None:
    """Everything that the page of the unit would send is right, but for the cookie."""
    before = site.victim.state(site.database)
    routes = [route for route in site.routes if "attempt" in route.parameters]
    assert len(routes) >= 6
    with httpx.Client(base_url=site.address, timeout=PATIENCE) as nobody:
        for route, unit, client in itertools.product(
            routes, (site.victim.active, site.victim.done), (site.attacker, nobody)
        ):
            path = route.fill({"attempt": unit["attempt"], "name": POINT})
            json = body_of(route, unit) if route.method != "GET" else None
            answer = client.request(route.method, path, json=json, follow_redirects=False)
            assert answer.status_code in REFUSED or _is_sign_in(answer), (route, answer.status_code)
            check_answer(site, answer)
    assert site.victim.state(site.database) == before


def test_units_of_others_look_like_those_that_do_not_exist(site: Site) -> None:
    for route in site.routes:
        if "attempt" not in route.parameters:
            continue
        json = body_of(route, site.victim.active) if route.method != "GET" else None
        answers = [
            site.attacker.request(route.method, route.fill({"attempt": attempt, "name": POINT}), json=json)
            for attempt in (site.victim.active["attempt"], site.victim.done["attempt"], "0" * 32)
        ]
        assert len({(answer.status_code, answer.text) for answer in answers}) == 1, route


def test_nothing_of_others_is_on_any_page(site: Site) -> None:
    """Whatever stands in the place of names and ids, and whoever asks."""
    before = site.victim.state(site.database)
    values = [
        {"attempt": site.victim.active["attempt"], "name": NAME, "world": WORLD, "place": PLACE},
        {"attempt": site.victim.done["attempt"], "name": POINT, "world": WORLD, "place": PLACE},
        {"attempt": "x", "name": ROOMS, "world": "rooms/0/42", "place": "x"},
    ]
    pseudonym_of_victim = int(site.victim.client.cookies[COOKIE].partition(".")[0])
    with site.database.read() as session:
        pseudonym = session.get_one(Worker, pseudonym_of_victim).pseudonym
    others = [site.victim.active["attempt"], site.victim.done["attempt"], pseudonym, str(pseudonym_of_victim)]
    for route, chosen, other in itertools.product(site.routes, values, ("1", others[0], pseudonym)):
        if route.method != "GET":
            continue
        answer = site.attacker.get(route.fill(chosen, other), follow_redirects=False)
        check_answer(site, answer)
    assert site.victim.state(site.database) == before


def test_pages_of_workers_need_a_cookie(site: Site) -> None:
    """A route that needs none is named here, so that a new one is thought about."""
    values = {"attempt": site.victim.active["attempt"], "name": NAME, "world": WORLD, "place": PLACE}
    with httpx.Client(base_url=site.address, timeout=PATIENCE) as nobody:
        for route in site.routes:
            if route.path in PUBLIC or route.path == "/metrics":
                continue
            json = body_of(route, site.victim.active) if route.method != "GET" else None
            answer = nobody.request(route.method, route.fill(values), json=json)
            check_answer(site, answer)
            assert answer.status_code in REFUSED or _is_sign_in(answer), (route, answer.status_code)


def _is_sign_in(answer: httpx.Response) -> bool:
    """Return whether an answer is a form for those who are not known yet, or the way there."""
    return answer.status_code in (302, 303, 400, 405, 422) or 'type="password"' in answer.text


@pytest.mark.parametrize("end", ["submitted", "returned", "taken"])
def test_tokens_cannot_be_used_again(site: Site, end: str) -> None:
    with person(site.address) as worker, person(site.address) as other:
        unit = open_unit(worker, f"/play/{POINT}")
        path = f"/api/attempts/{unit['attempt']}"
        if end == "submitted":
            act(worker, unit, "point", heading=1, pitch=1)
            first = submit(worker, unit)
            assert submit(worker, unit).json() == first.json()
        elif end == "returned":
            assert worker.post(f"{path}/return", json={"token": unit["token"]}).status_code == 204
        else:
            unit = open_unit(worker, worker.post(f"/api/projects/{ROOMS}/claim", json={}).json()["url"])
            path = f"/api/attempts/{unit['attempt']}"
            _expire(site, unit["attempt"])
            claimed = other.post(f"/api/projects/{ROOMS}/claim", json={}).json()
            assert open_unit(other, claimed["url"])["token"] != unit["token"]
            with site.database.read() as session:
                assert (
                    session.get_one(Attempt, claimed["attempt"]).unit_id
                    == session.get_one(Attempt, unit["attempt"]).unit_id
                )
        token = unit["token"]
        replays = [
            ("events", {"token": token, "number": unit["events"], "kind": "point", "data": {"heading": 2, "pitch": 2}}),
            ("heartbeat", {"token": token}),
            ("submit", {"token": token, "key": "another key", "data": {}}),
        ]
        for name, body in replays:
            # An action may also be refused for itself before its unit is looked at.
            refused = (409, 422) if name == "events" else (409,)
            assert worker.post(f"{path}/{name}", json=body).status_code in refused, (end, name)
            assert other.post(f"{path}/{name}", json=body).status_code == 404, (end, name)
        with site.database.read() as session:
            stored = select(func.count(Event.id)).where(Event.attempt_id == unit["attempt"])
            assert session.scalar(stored) == unit["events"]


def _expire(site: Site, attempt: str) -> None:
    with site.database.write() as session:
        row = session.get_one(Attempt, attempt)
        row.expires -= timedelta(days=1)
        # Nothing else is free: the next who asks gets this unit.
        slots = session.scalars(select(Slot).where(Slot.attempt_id.is_(None))).all()
        assert slots
        for slot in slots:
            if slot.unit_id < row.unit_id:
                session.delete(slot)


def test_a_token_opens_its_own_unit_only(site: Site) -> None:
    with person(site.address) as worker:
        one, two = open_unit(worker, f"/play/{POINT}"), open_unit(worker, "/play/city-touchdown-small")
        for name, body in (("heartbeat", {}), ("return", {}), ("submit", {"key": "k", "data": {}})):
            answer = worker.post(f"/api/attempts/{one['attempt']}/{name}", json={"token": two["token"], **body})
            assert answer.status_code == 409
        for wrong in (one["token"][:-1], one["token"].upper(), one["token"] + " ", "é" * 32, "\x00", "x" * 100):
            answer = worker.post(f"/api/attempts/{one['attempt']}/heartbeat", json={"token": wrong})
            assert answer.status_code == 409, wrong


def forged_cookies(real: str) -> list[str]:
    """Return cookies that the server did not make, of somebody whose real one is known to be so."""
    number, _, signature = real.partition(".")
    another = sign(Settings(secret="another secret of another server"), int(number))
    neighbours = [f"{int(number) + k}.{signature}" for k in (-1, 1)]
    return [
        *[real[:length] for length in range(0, len(real), 7)],
        *neighbours,
        another,
        number,
        f"{number}.",
        f".{signature}",
        f"{number}.{signature[::-1]}",
        f"{number}.{signature.upper()}",
        f"{number}.{signature}0",
        f"{number}..{signature}",
        f"{number}.{signature}.{signature}",
        f"-{number}.{signature}",
        f"+{number}.{signature}",
        f"{number}.0.{signature}",
        f"1.{number}.{signature}",
        f"{'9' * 18}.{signature}",
        f"{'9' * 5000}.{signature}",
        f"{number[:-1]}٣.{signature}",
        f"{number} OR 1=1.{signature}",
        "null",
        "0.0",
        "admin",
        '"',
        "{}",
        "%00",
        "=" * 100,
    ]


def test_forged_cookies_are_nobodys(site: Site) -> None:
    before = site.victim.state(site.database)
    real = site.victim.client.cookies[COOKIE]
    path = f"/work/{site.victim.active['attempt']}"
    with httpx.Client(base_url=site.address, timeout=PATIENCE) as client:
        assert client.get(path, headers={"Cookie": f"{COOKIE}={real}"}).status_code == 200
        for forged in forged_cookies(real):
            header = [(b"Cookie", f"{COOKIE}={forged}".encode())]
            answer = client.get(path, headers=header)
            assert answer.status_code == 401, forged
            answer = client.get("/", headers=header)  # the browser of somebody new
            assert answer.status_code == 200 and answer.cookies[COOKIE].partition(".")[0] not in real
            client.cookies.clear()
    assert site.victim.state(site.database) == before
