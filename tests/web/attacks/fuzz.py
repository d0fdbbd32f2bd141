"""Random requests: of every route, with ids, tokens and cookies that are right, wrong, or somebody else's.

The requests follow from a seed. `python -m tests.web.attacks.fuzz 10000` sends as many to a server process of its own;
the tests send fewer to a server in their own process, over a socket as well.
"""

from __future__ import annotations

import io
import json
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
from fastapi import FastAPI

from bearleft.web.app import create_app
from bearleft.web.database.engines import open_database
from bearleft.web.people import COOKIE
from bearleft.web.scenes.panoramas import WIDTHS
from bearleft.web.server import server_config
from bearleft.web.settings import Settings
from tests.web.app.test_play import POINT, open_unit
from tests.web.attacks.site import (
    NAME,
    PATIENCE,
    PLACE,
    ROOMS,
    WORLD,
    Route,
    Victim,
    create_site,
    new_victim,
    routes_of,
    site_settings,
)
from tests.web.logs import captured_log
from tests.web.scene_page import direction_picture
from tests.web.server import person, serving

THREADS = 4
TIMEOUT = 60  # seconds of one request
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "get", "BEAR")
TEXTS = (
    "",
    "x",
    "x" * 3000,
    "'; DROP TABLE answers; --",
    "1 OR 1=1",
    "<script>alert(1)</script>",
    "{{ 7 * 7 }}${7*7}",
    "../../../../etc/passwd",
    "\x00",
    "\r\nSet-Cookie: a=b",
    "🐻‍❄️\u202e",
    "-1",
    "0",
    "9" * 40,
    "1e999",
    "NaN",
    "null",
    "true",
    "%s%n",
    "..",
    ".",
    "é",
)
NUMBERS = (0, 1, -1, 5000, 10_001, 2**31, 2**63, -(2**63), 10**400, 0.5, -0.0, 1e308, float("nan"), float("inf"))
KINDS = ("point", "next", "walk", "draft", "move", "place", "guess", "mark", "way", "bear", "found", "view")
FIELDS = ("heading", "pitch", "action", "text", "place", "view", "vfov", "width", "height", "sentences", "by", "end")
QUERIES = ("episode", "nothing", "width", "kinds", "next", "page", "assignmentId", "PROLIFIC_PID", "limit", "q")
TYPES = (*(b"application/json",) * 20, b"text/plain", b"application/xml", b"\xff")
HEADERS = ("Origin", "Referer", "Accept", "X-Forwarded-For", "Range", "If-None-Match", "Expect", "Upgrade", "Via")
VALUES = ("null", "text/html", "bytes=0-9999999", "*", "100-continue", "websocket", "1.2.3.4", "\xff")
MALFORMED = (b"Transfer-Encoding: chunked", b"Content-Length: -1", b"Bad Header: x", b"X: \x00", b": x")
STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")


@dataclass
class Fuzzer:
    """Makes requests and looks at the answers.

    Attributes:
        address: Where the server listens.
        routes: Its routes.
        victim: A person whose secrets no answer may hold.
        own: A unit of the attacker.
        cookie: The attacker's cookie.
        statuses: How often each status was answered; 0 stands for a connection that was closed without an answer.
        faults: What went wrong.
    """

    address: str
    routes: list[Route]
    victim: Victim
    own: dict[str, Any]
    cookie: str
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def request(self, seed: int) -> bytes:
        """Return the bytes of a request."""
        rng = random.Random(seed)
        route = rng.choice(self.routes)
        method = route.method if rng.random() < 0.85 else rng.choice(METHODS)
        target = self._target(rng, route)
        body = self._body(rng, route) if route.method != "GET" or rng.random() < 0.1 else b""
        lines = [f"{method} {target} HTTP/1.1".encode(), b"Host: " + urlsplit(self.address).netloc.encode()]
        lines += self._headers(rng)
        if body:
            lines += [b"Content-Type: " + rng.choice(TYPES), b"Content-Length: %d" % len(body)]
        return b"\r\n".join([*lines, b"Connection: close", b"", body])

    def _target(self, rng: random.Random, route: Route) -> str:
        unit = rng.choice([self.own, self.own, self.victim.active, self.victim.done])
        known = {
            "attempt": unit["attempt"],
            "name": rng.choice([NAME, POINT, ROOMS]),
            "world": WORLD,
            "place": PLACE,
        }
        values = {name: value for name, value in known.items() if rng.random() < 0.75}
        filled = {name: values.get(name, rng.choice(TEXTS)) for name in route.parameters}
        target = route.fill({name: quote(text, safe=rng.choice(["", "/", "/.~"])) for name, text in filled.items()})
        if rng.random() < 0.05:
            target = "/" + quote(rng.randbytes(rng.randrange(1, 40)))
        if rng.random() < 0.4:
            texts = [quote(rng.choice([*TEXTS, "1", "512"])) for _ in range(rng.randrange(1, 4))]
            pairs = [f"{rng.choice(QUERIES)}={text}" for text in texts]
            target += "?" + "&".join(pairs)
        return target

    def _headers(self, rng: random.Random) -> list[bytes]:
        real = self.victim.client.cookies[COOKIE]
        number, _, signature = real.partition(".")
        forged = rng.choice([f"{number}.", number, f"{number}.{signature[:-1]}", f"1.{signature}", "x"])
        cookie = rng.choice([self.cookie, self.cookie, self.cookie, forged, ""])
        lines = [f"Cookie: {COOKIE}={cookie}".encode()] if cookie else []
        if rng.random() < 0.15:
            lines.append(f"{rng.choice(HEADERS)}: {rng.choice(VALUES)}".encode("latin-1"))
        if rng.random() < 0.02:
            lines.append(rng.choice(MALFORMED))
        return lines

    def _body(self, rng: random.Random, route: Route) -> bytes:
        if rng.random() < 0.1:
            return rng.choice([b"{", b"[" * 5000, rng.randbytes(50), b'{"token": "\xff"}', b"null", b"x" * 600_000])
        unit = rng.choice([self.own, self.own, self.victim.active, self.victim.done])
        body: dict[str, Any] = {"token": unit["token"]}
        action = route.path.rpartition("/")[2]
        if action == "events":
            number = unit["events"] if rng.random() < 0.6 else rng.choice(NUMBERS)
            body |= {"number": number, "kind": rng.choice([*KINDS, *TEXTS]), "data": self._data(rng)}
        elif action == "submit":
            body |= {"key": rng.choice(["key", *TEXTS]), "data": self._data(rng)}
        elif action == "claim":
            body = {} if rng.random() < 0.3 else {"kinds": self._value(rng, 0)}
        for name in list(body):
            if rng.random() < 0.1:
                body[name] = self._value(rng, 0)
        if rng.random() < 0.05:
            body[rng.choice(TEXTS)] = self._value(rng, 0)
        return json.dumps(body).encode()

    def _data(self, rng: random.Random) -> Any:
        if rng.random() < 0.1:
            return self._value(rng, 0)
        return {rng.choice(FIELDS): self._value(rng, 0) for _ in range(rng.randrange(4))}

    def _value(self, rng: random.Random, depth: int) -> Any:
        choice = rng.randrange(7 if depth < 3 else 4)
        if choice == 0:
            return rng.choice(NUMBERS)
        if choice == 1:
            return rng.uniform(-400, 400)
        if choice == 2:
            return rng.choice([None, True, False])
        if choice == 3:
            return rng.choice(TEXTS)
        if choice == 4:
            return [self._value(rng, depth + 1) for _ in range(rng.randrange(4))]
        if choice == 5:
            nested: Any = rng.choice(TEXTS)
            for _ in range(rng.choice([5, 150])):
                nested = [nested]
            return nested
        return {rng.choice([*FIELDS, *TEXTS]): self._value(rng, depth + 1) for _ in range(rng.randrange(4))}

    def send(self, seed: int) -> None:
        """Send a request and look at what comes back."""
        request = self.request(seed)
        received = b""
        parts = urlsplit(self.address)
        try:
            with socket.create_connection((str(parts.hostname), parts.port or 80), timeout=TIMEOUT) as connection:
                connection.sendall(request)
                while part := connection.recv(65536):
                    received += part
        except TimeoutError:
            self.faults.append(f"{seed}: no end of the answer to {request[:200]!r}")
        except ConnectionError:
            pass  # what it has not read of a body that is too large, the server does not want
        found = STATUS.match(received)
        status = int(found[1]) if found else 0
        leaked = [secret for secret in self.victim.secrets if secret.encode() in received]
        location = re.search(rb"(?i)\r\nlocation: (\S*)", received.partition(b"\r\n\r\n")[0])
        away = location is not None and urlsplit(location[1].decode("latin-1")).netloc not in ("", parts.netloc)
        with self.lock:
            self.statuses[status] += 1
            busy = status == 503 and b"retry-after: " in received.lower()
            if (status >= 500 and not busy) or leaked or away or b"Traceback" in received:
                self.faults.append(f"{seed}: {status} {leaked} {request[:300]!r} -> {received[:300]!r}")

    def run(self, number: int, first: int = 0) -> None:
        """Send requests from several threads."""
        seeds = iter(range(first, first + number))

        def work() -> None:
            while True:
                with self.lock:
                    seed = next(seeds, None)
                if seed is None or len(self.faults) > 20:
                    return
                self.send(seed)

        threads = [threading.Thread(target=work) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


@dataclass
class Attacked:
    """A server process under attack.

    Attributes:
        settings: Its settings.
        fuzzer: The attacker.
        log: Returns its log so far.
    """

    settings: Settings
    fuzzer: Fuzzer
    log: Callable[[], str]

    def victim_state(self) -> str:
        """Return a digest of what the victim has stored."""
        database = open_database(self.settings.database)
        try:
            return self.fuzzer.victim.state(database)
        finally:
            database.close()


@contextmanager
def attacked(folder: Path, own_process: bool = False) -> Iterator[Attacked]:
    """Serve a site, in a process of its own if wanted, with a victim and an attacker."""
    settings = site_settings(folder)
    create_site(settings)
    app = create_app(settings)
    picture = io.BytesIO()
    direction_picture(16).save(picture, "WEBP")
    for width in WIDTHS:  # rendering takes longer than everything else, and is not what is attacked
        path = app.state.panoramas.path(WORLD, PLACE, width)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture.getvalue())
    serve = _own_process(folder) if own_process else _this_process(app)
    with serve as (address, log), person(address) as victim, person(address) as attacker:
        victim.timeout = attacker.timeout = PATIENCE
        own = open_unit(attacker, f"/play/{POINT}")
        fuzzer = Fuzzer(address, routes_of(app), new_victim(victim), own, attacker.cookies[COOKIE])
        yield Attacked(settings, fuzzer, log)
        assert httpx.get(f"{address}/ready", timeout=60).status_code == 200


@contextmanager
def _this_process(app: FastAPI) -> Iterator[tuple[str, Callable[[], str]]]:
    with captured_log() as log, serving(app, server_config) as address:
        yield address, log.getvalue


@contextmanager
def _own_process(folder: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    log = folder / "log"
    command = [sys.executable, "-m", "tests.web.attacks.site", str(folder)]
    with (
        log.open("w") as errors,
        subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=errors) as process,
    ):
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split("/  ")[0], lambda: log.read_text(encoding="utf-8")
        finally:
            process.terminate()
            process.wait(60)


def main() -> None:
    """Attack, and print what was answered."""
    number = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder, attacked(Path(folder), own_process=True) as site:
        before = site.victim_state()
        site.fuzzer.run(number)
        assert site.victim_state() == before
        print(dict(sorted(site.fuzzer.statuses.items())))
        print(*site.fuzzer.faults, sep="\n")
    raise SystemExit(bool(site.fuzzer.faults))


if __name__ == "__main__":
    main()
