"""A web application on a free loopback port, in a thread of the test's own process."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

import httpx
import uvicorn
from fastapi import FastAPI

from bearleft.web.app import create_app
from bearleft.web.settings import Settings

LOOPBACK = "127.0.0.1"


@contextlib.contextmanager
def running(settings: Settings) -> Iterator[str]:
    """Serve an application, and yield the address of its first page without the last slash."""
    with serving(create_app(settings)) as address:
        yield address


def _config(app: FastAPI) -> uvicorn.Config:
    return uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1, proxy_headers=False)


@contextlib.contextmanager
def serving(app: FastAPI, config: Callable[[FastAPI], uvicorn.Config] = _config) -> Iterator[str]:
    """Serve an application that exists, as the tests or as `bearleft serve` configures it."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind((LOOPBACK, 0))
    server = uvicorn.Server(config(app))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield f"http://{LOOPBACK}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


@contextlib.contextmanager
def person(address: str) -> Iterator[httpx.Client]:
    """Yield the browser of a new worker, without scripts."""
    with httpx.Client(base_url=address, timeout=60, follow_redirects=True) as client:
        assert client.get("/").status_code == 200
        yield client
