"""Every address under /admin, and the lowest role that may use it: all others are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest
from starlette.routing import Route

from bearleft.web.admin.accounts import ROLES
from bearleft.web.admin.sessions import SIGN_IN
from tests.web.admin.conftest import SignIn, Site
from tests.web.admin.study import NAME, PASSWORD, AdminClient

P = f"/admin/projects/{NAME}"
# The route, an address of it, and the lowest role; the first two are open to all.
TABLE = [
    ("GET", "/admin/sign-in", "/admin/sign-in", None),
    ("POST", "/admin/sign-in", "/admin/sign-in", None),
    ("POST", "/admin/sign-out", "/admin/sign-out", "viewer"),
    ("GET", "/admin/account", "/admin/account", "viewer"),
    ("POST", "/admin/account/password", "/admin/account/password", "viewer"),
    ("GET", "/admin/accounts", "/admin/accounts", "owner"),
    ("POST", "/admin/accounts", "/admin/accounts", "owner"),
    ("POST", "/admin/accounts/{name}", "/admin/accounts/viewer", "owner"),
    ("GET", "/admin/audit", "/admin/audit", "owner"),
    ("GET", "/admin", "/admin", "viewer"),
    ("GET", "/admin/new", "/admin/new", "owner"),
    ("POST", "/admin/new", "/admin/new", "owner"),
    ("GET", "/admin/projects/{name}", P, "viewer"),
    ("GET", "/admin/projects/{name}/statistics", f"{P}/statistics", "viewer"),
    ("POST", "/admin/projects/{name}/state", f"{P}/state", "owner"),
    ("POST", "/admin/projects/{name}/more", f"{P}/more", "owner"),
    ("GET", "/admin/projects/{name}/units", f"{P}/units", "viewer"),
    ("GET", "/admin/units/{number}", "/admin/units/1", "viewer"),
    ("POST", "/admin/units/{number}", "/admin/units/1", "reviewer"),
    ("GET", "/admin/projects/{name}/answers", f"{P}/answers", "viewer"),
    ("GET", "/admin/attempts/{attempt}", "/admin/attempts/x", "viewer"),
    ("GET", "/admin/answers/{number}", "/admin/answers/1", "viewer"),
    ("POST", "/admin/answers/{number}", "/admin/answers/1", "reviewer"),
    ("GET", "/admin/projects/{name}/export", f"{P}/export", "owner"),
    ("GET", "/admin/projects/{name}/export.zip", f"{P}/export.zip", "owner"),
    ("GET", "/admin/projects/{name}/files/{path:path}", f"{P}/files/x", "owner"),
    ("GET", "/admin/projects/{name}/archive", f"{P}/archive", "owner"),
    ("GET", "/admin/import", "/admin/import", "owner"),
    ("POST", "/admin/import", "/admin/import", "owner"),
]
GUARDED = [(method, address, role) for method, _, address, role in TABLE if role is not None]


def routes(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the method and the path of each route of the application."""
    todo = list(site.app.routes)
    while todo:
        route = todo.pop()
        if isinstance(route, Route):
            yield from ((method, route.path) for method in (route.methods or set()) - {"HEAD"})
        else:
            inner = getattr(route, "original_router", None) or getattr(route, "router", None)
            todo += getattr(inner, "routes", [])


def test_the_table_names_every_route(site: Site) -> None:
    found = {(method, path) for method, path in routes(site) if path.startswith("/admin")}
    assert found == {(method, path) for method, path, _, _ in TABLE}


def send(client: AdminClient, method: str, address: str) -> httpx.Response:
    """Send a request with the right token of forms, if somebody is signed in."""
    if method == "GET":
        return client.get(address)
    headers = {"X-Form-Token": client.token} if address == "/admin/import" else {}
    return client.http.post(address, data={"form_token": client.token}, headers=headers)


def test_strangers_are_refused_everywhere(browse: Callable[[], AdminClient]) -> None:
    client = browse()
    for method, address, _ in GUARDED:
        answer = send(client, method, address)
        if method == "GET":
            assert (answer.status_code, answer.headers["location"]) == (303, SIGN_IN), address
        else:
            assert answer.status_code == 401, address
        assert NAME not in answer.text or address.endswith("sign-in"), address


@pytest.mark.parametrize("role", ROLES)
def test_each_role_may_do_what_the_table_says(signed_in: SignIn, role: str) -> None:
    client = signed_in(role)
    # Whoever signs out or changes the password is out afterwards.
    for method, address, needed in sorted(GUARDED, key=lambda row: row[1] == "/admin/sign-out"):
        answer = send(client, method, address)
        if ROLES.index(role) < ROLES.index(needed):
            assert (answer.status_code, "This needs the role" in answer.text) == (403, True), (method, address)
        else:
            assert answer.status_code in (200, 303, 404, 422), (method, address, answer.status_code)


def test_every_form_needs_its_token(signed_in: SignIn) -> None:
    client, other = signed_in("owner"), signed_in("owner")
    for token in ("", "x", other.token, client.token[:-1], client.token + "x", "\udc80".encode("utf-8", "replace")):
        for method, address, _ in GUARDED:
            if method == "POST":
                headers = {"X-Form-Token": token if isinstance(token, str) else token.decode()}
                answer = client.http.post(address, data={"form_token": token}, headers=headers)
                assert answer.status_code == 403 and "out of date" in answer.text, (address, token)


def test_forms_of_other_sites_are_refused(signed_in: SignIn, browse: Callable[[], AdminClient]) -> None:
    client = signed_in("owner")
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        for method, address, _ in GUARDED:
            if method == "POST":
                answer = client.http.post(address, data={"form_token": client.token}, headers=headers)
                assert answer.status_code == 403 and "another site" in answer.text, (address, headers)
        signed = browse().http.post("/admin/sign-in", data={"name": "owner", "password": PASSWORD}, headers=headers)
        assert signed.status_code == 403 and "set-cookie" not in signed.headers
