"""Workers who claim, act, submit twice, or walk away, over HTTP to a server of its own process."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from sqlalchemy import func, select

from bearleft.bench.web.server import FAMILY
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Answer, Attempt
from bearleft.web.people import COOKIE, add_worker, sign
from bearleft.web.projects import create_project
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings

PROJECT = "load"
LEAVING = 0.1  # probability that a worker walks away from a unit
THINKING = (20.0, 40.0)  # seconds that a worker takes for a unit; people take minutes
LEASE = 60  # seconds; a sign of life comes in half of it, every 30 s, as from pages
TRIES = 4  # of a request whose connection broke
WAIT = 5.0  # seconds until a worker who got nothing asks again; people ask by a click


@dataclass(frozen=True)
class LoadConfig:
    """The size of a load.

    Attributes:
        workers: Workers at the same time.
        units: Units of work.
        thinking: Seconds that a worker takes for a unit, at least and at most.
        leaving: Probability that a worker walks away from a unit.
        seed: Seed of what workers do.
        processes: Server processes.
        lease: Seconds that a unit is kept for a silent worker, who gives a sign of life in half of it.
    """

    workers: int = 200
    units: int = 1000
    thinking: tuple[float, float] = THINKING
    leaving: float = LEAVING
    seed: int = 0
    processes: int = 1
    lease: int = LEASE


@dataclass
class _Counts:
    statuses: Counter[int] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    left: int = 0
    resent: int = 0
    replies: dict[str, set[str]] = field(default_factory=dict)  # the answers' codes by attempt


def run_load(url: str, config: LoadConfig) -> dict[str, Any]:
    """Put load on a server that uses a database, and return one row of what happened.

    Args:
        url: The database, which must be empty.
        config: The size of the load.
    """
    settings = Settings(database=url, secret=secrets.token_hex(16))
    database = open_database(url)
    create_project(database, SceneWorlds(), PROJECT, FAMILY, {"units": config.units})
    cookies = [sign(settings, add_worker(database)) for _ in range(config.workers)]
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "bearleft.bench.web.server",
        url,
        str(port),
        settings.secret,
        str(config.processes),
        str(config.lease),
    ]
    server = subprocess.Popen(command)
    counts = _Counts()
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(address, server)
        begin = time.perf_counter()
        asyncio.run(_all_workers(address, cookies, config, counts))
        seconds = time.perf_counter() - begin
    finally:
        server.terminate()
        server.wait()
    with database.read() as session:
        answers = session.scalar(select(func.count(Answer.id))) or 0
        units = session.scalar(select(func.count(func.distinct(Answer.unit_id)))) or 0
        attempts = session.scalar(select(func.count(Attempt.id))) or 0
    database.close()
    claims = np.array(counts.seconds["claim"]) * 1000
    return {
        "database": url.partition(":")[0] if "://" in url else "sqlite",
        "processes": config.processes,
        "workers": config.workers,
        "units": config.units,
        "unit s": "{:g} to {:g}".format(*config.thinking),
        "answers": answers,
        "units answered": units,
        "answered twice": answers - units,
        "acknowledged": len(counts.replies),
        "two codes": sum(len(codes) > 1 for codes in counts.replies.values()),
        "walked away": counts.left,
        "broken connections": counts.resent,
        "attempts": attempts,
        "requests": sum(counts.statuses.values()),
        "5xx": sum(number for status, number in counts.statuses.items() if status >= 500),
        "claim p50 ms": round(float(np.percentile(claims, 50)), 1),
        "claim p95 ms": round(float(np.percentile(claims, 95)), 1),
        "requests/s": round(sum(counts.statuses.values()) / seconds, 1),
        "seconds": round(seconds, 1),
    }


async def _all_workers(address: str, cookies: list[str], config: LoadConfig, counts: _Counts) -> None:
    await asyncio.gather(
        *(
            _work(address, cookie, random.Random(f"{config.seed} {k}"), config, counts)
            for k, cookie in enumerate(cookies)
        )
    )


async def _work(address: str, cookie: str, rng: random.Random, config: LoadConfig, counts: _Counts) -> None:
    """Do units until all are answered."""
    # Without `verify=False`, each client would read all certificates, which takes longer than its units.
    async with httpx.AsyncClient(base_url=address, cookies={COOKIE: cookie}, timeout=120, verify=False) as client:
        await asyncio.sleep(rng.uniform(0, config.thinking[1]))  # not all come at the same moment
        while len(counts.replies) < config.units:
            claimed = await _post(client, counts, "claim", f"/api/projects/{PROJECT}/claim", {})
            attempt = claimed.json().get("attempt") if claimed.status_code == 200 else None
            if attempt is None:
                await asyncio.sleep(WAIT)
                continue
            await _do_unit(client, attempt, rng, config, counts)


async def _do_unit(
    client: httpx.AsyncClient, attempt: str, rng: random.Random, config: LoadConfig, counts: _Counts
) -> None:
    try:
        page = await client.get(f"/work/{attempt}")
    except httpx.TransportError:
        return  # the next claim gives the same unit
    counts.statuses[page.status_code] += 1
    if page.status_code != 200 or '"token":"' not in page.text:
        return
    token = page.text.partition('"token":"')[2].partition('"')[0]
    path = f"/api/attempts/{attempt}"
    body = {"token": token, "number": 0, "kind": "write", "data": {"text": "along the street"}}
    if rng.random() < config.leaving:
        counts.left += 1
        await asyncio.sleep(config.lease + 1.0)  # somebody else gets the unit
        return
    thinking = rng.uniform(*config.thinking)
    while thinking > 0:  # a sign of life in time
        await asyncio.sleep(min(thinking, config.lease / 2))
        thinking -= config.lease / 2
        if thinking > 0:
            await _post(client, counts, "heartbeat", f"{path}/heartbeat", {"token": token})
    await _post(client, counts, "event", f"{path}/events", body)
    answer = {"token": token, "key": secrets.token_hex(8), "data": {"text": "along the street"}}
    for reply in await asyncio.gather(*(_post(client, counts, "submit", f"{path}/submit", answer) for _ in range(2))):
        if reply.status_code == 200:
            counts.replies.setdefault(attempt, set()).add(reply.json()["code"])


async def _post(
    client: httpx.AsyncClient, counts: _Counts, name: str, path: str, body: dict[str, Any]
) -> httpx.Response:
    begin = time.perf_counter()
    response = await _send(client, counts, path, body)
    counts.seconds.setdefault(name, []).append(time.perf_counter() - begin)
    counts.statuses[response.status_code] += 1
    return response


async def _send(client: httpx.AsyncClient, counts: _Counts, path: str, body: dict[str, Any]) -> httpx.Response:
    """Post, again where a connection broke, as the pages do: a server may close one that was idle."""
    for _ in range(TRIES):
        try:
            return await client.post(path, json=body)
        except httpx.TransportError:
            counts.resent += 1
    return await client.post(path, json=body)


def free_port() -> int:
    """Return a port that no program listens at."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until a server answers.

    Raises:
        RuntimeError: It has ended.
    """
    while server.poll() is None:
        try:
            httpx.get(address, timeout=5)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"the server ended with {server.returncode}")


def bench_web(database: str | None = None, config: LoadConfig | None = None) -> list[dict[str, Any]]:
    """Return rows for SQLite with one and two processes and, if its URL is given, for an empty PostgreSQL database."""
    config = config or LoadConfig()
    folder = Path(tempfile.mkdtemp(prefix="bearleft-load-"))
    try:
        rows = [
            run_load(f"sqlite:///{folder / 'load.sqlite'}", config),
            run_load(f"sqlite:///{folder / 'two.sqlite'}", replace(config, processes=2)),
        ]
        if database or os.environ.get("BEARLEFT_DATABASE"):
            rows.append(run_load(database or os.environ["BEARLEFT_DATABASE"], config))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return rows
