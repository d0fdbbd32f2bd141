"""Requests of other sites, paths out of folders, headers that are split, and bodies that are no JSON."""

from __future__ import annotations

import itertools
import json
import re
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from bearleft.errors import InputError
from bearleft.web.app import create_app
from bearleft.web.people import COOKIE
from bearleft.web.projects import create_project
from bearleft.web.scenes.panoramas import PanoramaCache
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.security import is_foreign
from tests.web.attacks.conftest import Site
from tests.web.attacks.site import NAME, PLACE, UNSAFE, WORLD, body_of, get_panorama
from tests.web.server import serving

OWN = "http://study.example"
FOREIGN: list[dict[str, str] | list[tuple[str, str]]] = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": f"{OWN}.evil.example"},
    {"Origin": f"{OWN}:81"},
    {"Origin": "http://sub.study.example"},
    {"Origin": "study.example"},
    {"Origin": "chrome-extension://study.example"},
    {"Origin": OWN, "Sec-Fetch-Site": "cross-site"},
    {"Origin": OWN, "Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "anything"},
    {"Referer": "https://evil.example/page"},
    {"Referer": f"https://evil.example/{OWN}"},
    {"Referer": f"{OWN}@evil.example/"},
    [("Origin", OWN), ("Origin", "https://evil.example")],
]
FAMILIAR: list[dict[str, str]] = [
    {},  # a program
    {"Origin": OWN},
    {"Origin": "http://STUDY.example"},
    {"Origin": OWN, "Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Referer": f"{OWN}/work/1?a=http://evil.example"},
]


def raw(headers: dict[str, str] | list[tuple[str, str]], host: str = "study.example") -> list[tuple[bytes, bytes]]:
    rows = headers if isinstance(headers, list) else list(headers.items())
    return [(name.lower().encode(), value.encode()) for name, value in [("Host", host), *rows]]


def test_requests_of_other_sites_are_recognised() -> None:
    for headers in FOREIGN:
        assert is_foreign(raw(headers)), headers
    for known in FAMILIAR:
        assert not is_foreign(raw(known)), known
    assert is_foreign(raw({"Origin": "null"}, host=""))
    assert is_foreign(raw({"Origin": OWN}), secure=True)
    assert not is_foreign(raw({"Origin": "https://study.example"}), secure=True)


@pytest.mark.slow
def test_no_route_takes_writes_from_other_sites(site: Site) -> None:
    before = site.victim.state(site.database)
    routes = [route for route in site.routes if route.method in UNSAFE]
    assert len(routes) >= 5
    path_values = {"attempt": site.victim.active["attempt"], "name": NAME}
    for route, headers in itertools.product(routes, FOREIGN):
        answer = site.victim.client.request(
            route.method,
            route.fill(path_values),
            json=body_of(route, site.victim.active),
            headers=raw(headers),
        )
        assert answer.status_code == 403, (route, headers)
    assert site.victim.state(site.database) == before


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_forms_of_other_sites_are_no_json(site: Site, content_type: str) -> None:
    """A form can be sent anywhere without asking; that of a browser without any of the headers has such a type."""
    before = site.victim.state(site.database)
    for route in site.routes:
        if route.method in UNSAFE and route.path.startswith("/api/"):
            path = route.fill({"attempt": site.victim.active["attempt"], "name": NAME})
            content = json.dumps(body_of(route, site.victim.active)).encode()
            answer = site.victim.client.post(path, content=content, headers={"Content-Type": content_type})
            assert answer.status_code in (415, 422), (route, answer.status_code)
    assert site.victim.state(site.database) == before


@pytest.mark.slow
def test_reading_ends_and_changes_no_work(site: Site) -> None:
    """A link on another site opens pages with the worker's cookie; it may renew a lease at most."""
    before = site.victim.state(site.database, besides=("expires",))
    values = {"attempt": site.victim.active["attempt"], "name": NAME, "world": WORLD, "place": PLACE}
    for route in site.routes:
        if route.method == "GET" and not route.path.endswith("/report.html"):  # which takes long, and only reads
            site.victim.client.get(route.fill(values), follow_redirects=False)
    assert site.victim.state(site.database, besides=("expires",)) == before


TRAVERSALS = [
    "../app.py",
    "..%2fapp.py",
    "%2e%2e/app.py",
    "%2e%2e%2fapp.py",
    "..%252fapp.py",
    "..%5capp.py",
    "..\\app.py",
    "....//app.py",
    "%c0%ae%c0%ae/app.py",
    ".%00./app.py",
    "web.css%00",
    "web.css/../../app.py",
    "%2fetc%2fpasswd",
    "/etc/passwd",
    "../../../../../../../../etc/passwd",
    "~root/.profile",
    "file:///etc/passwd",
    "a" * 5000,
    "a/" * 500,
]


def ask(address: str, target: str, headers: str = "") -> bytes:
    """Send a request whose target is exactly this, and return all that is answered."""
    parts = urlsplit(address)
    with socket.create_connection((str(parts.hostname), parts.port or 80), timeout=60) as connection:
        head = f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\n{headers}Connection: close\r\n\r\n"
        connection.sendall(head.encode("utf-8", "surrogateescape"))
        received = b""
        while part := connection.recv(65536):
            received += part
    return received


@pytest.mark.parametrize("folder", ["/static/web/", "/static/shared/", "/api/worlds/", "/"])
def test_no_path_leads_out_of_a_folder(site: Site, folder: str) -> None:
    cookie = f"Cookie: {COOKIE}={site.attacker.cookies[COOKIE]}\r\n"
    for traversal in TRAVERSALS:
        answer = ask(site.address, folder + traversal, cookie)
        assert re.match(rb"HTTP/1\.1 (400|404|405|422|431) ", answer), (traversal, answer[:200])
        assert b"root:" not in answer and b"import " not in answer


def test_pictures_are_read_and_written_in_their_folder_only(site: Site) -> None:
    folder: Path = site.app.state.settings.cache
    worlds = ["..", "../..", "/etc", "city/3/4x5/../..", "city/3/4x5%00", WORLD, "%2e%2e/x"]
    places = ["..", "../../secret", "/etc/passwd", "c000203/../x", "c000203%00", "x" * 3000, "%2e%2e", "*"]
    for world, place in itertools.product(worlds, places):
        answer = ask(
            site.address,
            f"/api/worlds/{world}/panoramas/{place}.webp?width=512",
            f"Cookie: {COOKIE}={site.attacker.cookies[COOKIE]}\r\n",
        )
        assert re.match(rb"HTTP/1\.1 (400|404|422) ", answer), (world, place, answer[:200])
    assert get_panorama(site.attacker, 512).status_code == 200
    written = [path for path in folder.parent.rglob("*") if path.is_file() and "web.sqlite" not in path.name]
    expected = re.compile(r"city_3_4x5[\w-]*/c\w+-(512|1024)\.webp|models-\w+/\w+\.glb")
    assert written and not [path for path in written if not expected.fullmatch(str(path.relative_to(folder)))]


def test_names_of_places_are_no_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Worlds and places of an album may have any name."""
    cache = PanoramaCache(SceneWorlds(), tmp_path / "panoramas")

    class Source:
        world = "album"

        def place_index(self, _place: str) -> int:
            return 0

    monkeypatch.setattr(cache.worlds, "pictures", lambda _world: Source())
    names = ["..", ".", "../x", "/etc/passwd", "a/b", "a\\b", "a\0b", "x" * 5000, "", "é", "a b", "CON", "~"]
    paths = [cache.path(world, place, 512) for world in names for place in names]
    assert len(set(paths)) == len(names) ** 2
    for path in paths:
        assert path.resolve().parent.parent == (tmp_path / "panoramas").resolve()
        assert "\0" not in str(path) and len(path.name) < 100


@pytest.mark.parametrize("name", ["..", "../x", "a/b", "a\\b", "", ".", "A", "-a", "a\n", "a\0", "é", "x" * 42, "a b"])
def test_exports_are_named_by_projects_whose_names_are_no_paths(site: Site, name: str) -> None:
    with pytest.raises(InputError, match="a name of a project"):
        create_project(site.database, SceneWorlds(), name, "play", {"dataset": "city/sdr/small", "kind": "play/point"})


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    "split", ["%0d%0aSet-Cookie:%20a=b", "%0aX-Injected:%20b", "%0d%0a%0d%0a<html>", "%E5%98%8A%E5%98%8D"]
)
def test_answers_have_no_headers_of_strangers(site: Site, split: str) -> None:
    cookie = f"Cookie: {COOKIE}={site.attacker.cookies[COOKIE]}\r\n"
    for route in site.routes:
        if route.method == "GET":
            target = route.fill({}, other=f"x{split}").replace(" ", "%20")
            for address in (target, f"{route.fill({'name': NAME})}?episode={split}&nothing={split}&width={split}"):
                head = ask(site.address, address, cookie).partition(b"\r\n\r\n")[0].lower()
                assert b"x-injected" not in head and b"a=b" not in head, address
                assert not re.match(rb"http/1\.1 5", head)


@pytest.mark.parametrize(
    "target", ["//evil.example/", "//evil.example/projects/", "/\\evil.example", "/projects/x/", "/%2f%2fevil.example/"]
)
def test_no_answer_leads_to_another_site(site: Site, target: str) -> None:
    head = ask(site.address, target).partition(b"\r\n\r\n")[0]
    for location in re.findall(rb"(?im)^location: (.*?)\r?$", head):
        parts = urlsplit(location.decode())
        assert parts.netloc in ("", urlsplit(site.address).netloc) and not location.startswith(b"//")


def test_cookies_are_for_the_server_alone(site: Site) -> None:
    (cookie,) = httpx.get(site.address).headers.get_list("set-cookie")
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Path=/" in cookie and "Domain" not in cookie
    assert "Secure" not in cookie


def test_behind_https_nothing_goes_without_it(site: Site) -> None:
    settings = replace(site.app.state.settings, secure_cookies=True)
    with serving(create_app(settings)) as address:
        answer = httpx.get(address)
        assert "; Secure" in answer.headers["set-cookie"]
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
        for path in ("/static/web/web.css", "/nowhere", "/health"):
            assert "strict-transport-security" in httpx.get(address + path).headers
        host = urlsplit(address).netloc
        for scheme, status in (("http", 403), ("https", 401)):
            headers = {"Origin": f"{scheme}://{host}"}
            assert (
                httpx.post(f"{address}/api/attempts/x/heartbeat", json={"token": "x"}, headers=headers).status_code
                == status
            )
    assert "strict-transport-security" not in httpx.get(site.address).headers


def nested(depth: int) -> bytes:
    return b'{"token": "x", "number": 0, "kind": "k", "data": {"a": ' + b"[" * depth + b"]" * depth + b"}}"


DAMAGED: dict[str, bytes] = {
    "nothing": b"",
    "no end": b"{",
    "list": b"[]",
    "number": b"1",
    "invalid UTF-8": b'{"token": "\xff\xfe"}',
    "UTF-16": '{"token": "x"}'.encode("utf-16"),
    "NUL": b'{"token": "a\\u0000b"}',
    "surrogate": b'{"token": "\\ud800"}',
    "NaN": b'{"token": "x", "number": NaN, "kind": "k", "key": "k", "data": {"a": NaN}}',
    "infinity": b'{"token": "x", "number": 1e999, "kind": "k", "key": "k", "data": {"a": -Infinity}}',
    "huge integer": b'{"token": "x", "number": ' + b"9" * 5000 + b', "kind": "k", "key": "k"}',
    "huge integer in data": b'{"token": "x", "number": 0, "kind": "k", "key": "k", "data": {"a": '
    + b"9" * 4000
    + b"}}",
    "64 bits": b'{"token": "x", "number": 18446744073709551616, "kind": "k", "key": "k"}',
    "deep": nested(90_000),
    "less deep": nested(500),
    "too large": b'{"token": "' + b"x" * 600_000 + b'"}',
    "many keys": json.dumps({str(k): k for k in range(20_000)}).encode(),
    "keys twice": b'{"token": "x", "token": "y", "number": 0, "number": 1, "kind": "k"}',
    "prototype": b'{"token": "x", "number": 0, "kind": "k", "data": {"__proto__": {"a": 1}, "__class__": "x"}}',
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_bodies_are_refused_everywhere(site: Site, name: str) -> None:
    content: Any = DAMAGED[name]
    unit = site.victim.active
    for route in site.routes:
        if route.method not in UNSAFE:
            continue
        path = route.fill({"attempt": unit["attempt"], "name": NAME})
        real = content.replace(b'"token": "x"', b'"token": "%s"' % unit["token"].encode())
        answer = site.victim.client.request(
            route.method, path, content=real, headers={"Content-Type": "application/json"}
        )
        assert 400 <= answer.status_code < 500, (route, answer.status_code, answer.text[:300])
