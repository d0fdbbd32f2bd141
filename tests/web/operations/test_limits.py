"""Limits of requests, bodies and headers; and that slow clients do not hinder others."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from sqlalchemy import func, select
from starlette.types import Receive, Scope, Send

from bearleft.errors import InputError
from bearleft.web import server
from bearleft.web.app import create_app
from bearleft.web.database.models import Worker
from bearleft.web.operations import limits
from bearleft.web.operations.limits import TokenBuckets, address_key
from bearleft.web.operations.middleware import GuardMiddleware
from bearleft.web.operations.options import Limits, Operations, Rate
from bearleft.web.people import COOKIE, sign
from bearleft.web.security import MAX_BODY_BYTES, MAX_HEADER_BYTES
from bearleft.web.settings import Settings
from tests.web.server import person, serving

NEVER = 1e-6  # requests per second


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(database=str(tmp_path / "web.sqlite"), cache=tmp_path / "panoramas")


def with_limits(settings: Settings, proxies: tuple[str, ...] = (), **changed: object) -> Settings:
    return replace(settings, operations=Operations(Limits(**changed), proxies))  # type: ignore[arg-type]


def test_a_bucket_gives_a_burst_and_then_a_rate() -> None:
    clock = Clock()
    buckets = TokenBuckets(Rate(2, 3), clock)
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert buckets.take("b") == 0
    clock.time = 0.5
    assert buckets.take("a") == 0 and buckets.take("a") == 0.5
    clock.time = 100
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_buckets_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_BUCKETS", 10)
    buckets = TokenBuckets(Rate(NEVER, 1))
    for k in range(100):
        buckets.take(str(k))
    assert len(buckets._buckets) == 10
    assert buckets.take("99") > 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("192.0.2.1", "192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("testclient", "other", False),
    ],
)
def test_addresses_of_one_customer_count_together(one: str, other: str, same: bool) -> None:
    assert (address_key(one) == address_key(other)) == same


def refused(answer: httpx.Response) -> bool:
    """Return whether a request came too soon; the answer then says when to come again."""
    if answer.status_code != 429:
        return False
    assert int(answer.headers["retry-after"]) >= 1
    assert "Content-Security-Policy" in answer.headers and "Too many requests" in answer.json()["detail"]
    return True


def test_a_worker_is_limited_and_others_are_not(settings: Settings) -> None:
    with (
        serving(create_app(with_limits(settings, worker=Rate(NEVER, 5)))) as address,
        person(address) as one,
        person(address) as other,
    ):
        assert [refused(one.get("/played")) for _ in range(7)] == [False] * 5 + [True] * 2
        assert not refused(other.get("/played"))
        assert one.get("/static/web/web.css").status_code == 200
        assert one.get("/health").status_code == 200


def test_an_address_is_limited(settings: Settings) -> None:
    with serving(create_app(with_limits(settings, address=Rate(NEVER, 5)))) as address:
        answers = [refused(httpx.get(f"{address}/static/web/web.css")) for _ in range(7)]
        assert answers == [False] * 5 + [True] * 2
        assert httpx.get(f"{address}/health").status_code == 200


def test_new_workers_of_an_address_are_limited(settings: Settings) -> None:
    app = create_app(with_limits(settings, newcomers=Rate(NEVER, 3)))
    with serving(app) as address, person(address) as known:
        answers = [httpx.get(address, cookies={"bearleft_worker": f"{k}.forged"}) for k in range(10)]
        assert [refused(answer) for answer in answers] == [False] * 2 + [True] * 8
        assert not refused(known.get("/"))
        with app.state.database.read() as session:
            assert session.scalar(select(func.count(Worker.id))) == 3


async def _app(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.mark.slow
def test_two_hundred_people_of_one_university_are_not_hindered(settings: Settings) -> None:
    """All of them open the first page at once, with its files, and act ten times each."""

    async def visit() -> list[int]:
        transport = httpx.ASGITransport(GuardMiddleware(_app, settings), client=("203.0.113.7", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://study") as client:
            statuses = [(await client.get("/")).status_code for _ in range(200)]
            for worker in range(200):
                headers = {"Cookie": f"{COOKIE}={sign(settings, worker)}"}
                paths = ("/static/web/api.js",) * 30 + ("/api/attempts/x/events",) * 10
                statuses += [(await client.get(path, headers=headers)).status_code for path in paths]
            return statuses

    assert set(asyncio.run(visit())) == {200}


def new_workers(settings: Settings, proxies: tuple[str, ...], headers: list[dict[str, str]]) -> list[bool]:
    """Return which of several newcomers are refused where each address may bring one."""
    with serving(create_app(with_limits(settings, proxies, newcomers=Rate(NEVER, 1)))) as address:
        return [refused(httpx.get(address, headers=header)) for header in headers]


def test_forwarded_addresses_are_believed_from_proxies_only(settings: Settings) -> None:
    others = [{"X-Forwarded-For": f"203.0.113.{k}"} for k in range(3)]
    assert new_workers(settings, (), others) == [False, True, True]
    assert new_workers(settings, ("127.0.0.1",), others) == [False, False, False]
    assert new_workers(settings, ("127.0.0.0/8",), others) == [False, False, False]
    assert new_workers(settings, ("192.0.2.1",), others) == [False, True, True]


def test_what_a_client_adds_to_forwarded_addresses_is_not_believed(settings: Settings) -> None:
    spoofed = [{"X-Forwarded-For": f"198.51.100.{k}, 203.0.113.7"} for k in range(3)]
    assert new_workers(settings, ("127.0.0.1",), spoofed) == [False, True, True]


@pytest.mark.parametrize("wrong", ["proxy.example", "", "10.0.0.0/99"])
def test_a_wrong_proxy_is_refused(wrong: str) -> None:
    with pytest.raises(InputError, match="--proxy"):
        Operations(proxies=(wrong,))


@pytest.fixture
def real(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve as `bearleft serve` does, with short times."""
    monkeypatch.setattr(server.TimedProtocol, "header_seconds", 1.0)
    with serving(create_app(with_limits(settings, body_seconds=1.0)), server.server_config) as address:
        yield address


def connect(address: str) -> socket.socket:
    parts = urlsplit(address)
    assert parts.hostname and parts.port
    return socket.create_connection((parts.hostname, parts.port), timeout=30)


def answer_of(connection: socket.socket) -> bytes:
    """Return all that comes until the server closes the connection."""
    received = b""
    while part := connection.recv(65536):
        received += part
    return received


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_slow_headers_are_given_up_and_hinder_nobody(real: str, sent: bytes) -> None:
    slow = [connect(real) for _ in range(100)]
    for one in slow:
        one.sendall(sent)
    assert httpx.get(f"{real}/health").status_code == 200
    assert httpx.get(real).status_code == 200
    for one in slow:
        assert answer_of(one) == b""
        one.close()


def test_headers_of_a_second_request_are_given_up_too(real: str) -> None:
    with connect(real) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET / HT")
        assert answer_of(connection).count(b"HTTP/1.1 200") == 1


def test_a_connection_that_waits_between_requests_is_kept(real: str) -> None:
    with httpx.Client(base_url=real) as client:
        for _ in range(3):
            assert client.get("/health").status_code == 200


def test_slow_bodies_are_given_up_and_hinder_nobody(real: str) -> None:
    slow = [connect(real) for _ in range(60)]  # more than there are threads
    for one in slow:
        one.sendall(
            b"POST /api/projects/x/claim HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Content-Length: 100\r\nConnection: close\r\n\r\n{"
        )
    assert httpx.get(real).status_code == 200
    for one in slow:
        assert answer_of(one).startswith(b"HTTP/1.1 408")
        one.close()


def test_large_headers_are_refused(real: str) -> None:
    for headers in ({"X-Large": "x" * MAX_HEADER_BYTES}, {f"X-{k}": "x" * 100 for k in range(200)}):
        assert httpx.get(f"{real}/health", headers=headers).status_code == 431
    assert httpx.get(f"{real}/{'x' * MAX_HEADER_BYTES}").status_code == 431
    with connect(real) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Large: " + b"x" * 5 * MAX_HEADER_BYTES)
        assert answer_of(connection).startswith(b"HTTP/1.1 400")


def test_large_bodies_are_refused_also_without_a_length(real: str) -> None:
    def parts() -> Iterator[bytes]:
        yield b'{"token": "'
        for _ in range(MAX_BODY_BYTES // 1000 + 2):
            yield b"x" * 1000
        yield b'"}'

    with person(real) as client:
        for content in (b"x" * (MAX_BODY_BYTES + 1), parts()):
            path, headers = "/api/attempts/x/heartbeat", {"Content-Type": "application/json"}
            try:
                answer = client.post(path, content=content, headers=headers)
            except httpx.WriteError:  # the server has closed the connection before all was sent
                continue
            assert answer.status_code == 413 and "at most 512 kB" in answer.json()["detail"]
