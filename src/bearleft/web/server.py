"""Run the web application in one process, or in several that share a port."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from bearleft.errors import InputError
from bearleft.web.app import create_app
from bearleft.web.operations.logs import start_log
from bearleft.web.operations.processes import END_SECONDS, run_processes
from bearleft.web.security import MAX_HEADER_BYTES
from bearleft.web.settings import Settings

LOOPBACK = "127.0.0.1"
HEADER_SECONDS = 15.0  # that they may take to come
IDLE_SECONDS = 75  # that a connection is kept between two requests
QUEUED_CONNECTIONS = 2048


class TimedProtocol(H11Protocol):
    """HTTP/1.1 over connections that are closed if the headers of a request do not come in time."""

    header_seconds = HEADER_SECONDS
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Wait on while the headers of a request are incomplete."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the rest of the next request, if it has begun to come."""
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._watch()

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop()  # the headers are there; for the body see `GuardMiddleware`
        elif self._timer is None:
            self._timer = self.loop.call_later(self.header_seconds, self._close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close(self) -> None:
        self._timer = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


def server_config(app: FastAPI) -> uvicorn.Config:
    """Return the configuration of uvicorn for an application."""
    return uvicorn.Config(
        app,
        loop="asyncio",
        http=TimedProtocol,
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the application has its own list of proxies
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=END_SECONDS,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
    )


def run_server(
    settings: Settings,
    host: str = LOOPBACK,
    port: int = 8360,
    open_browser: bool = False,
    log: Callable[[str], None] = print,
    workers: int = 1,
    scorers: int = 0,
) -> None:
    """Serve the application until Ctrl-C or SIGTERM; requests under way are answered first.

    Args:
        settings: The settings.
        host: The address to listen at; only this machine reaches the default one.
        port: The port; 0 for a free one.
        open_browser: Whether to open the first page in a browser.
        log: Called with the address of the first page.
        workers: Number of processes.
        scorers: Number of processes that score submissions of a leaderboard.

    Raises:
        InputError: The address cannot be listened at.
    """
    listener = listen(host, port)
    address = f"http://{host if ':' not in host else f'[{host}]'}:{listener.getsockname()[1]}/"
    if settings.operations.log_requests:
        start_log()
    if open_browser:
        threading.Timer(1.0, webbrowser.open, [address]).start()
    line = f"{address}  (Ctrl-C ends it)"
    if workers > 1 or scorers:
        run_processes(settings, listener, workers, serve_socket, lambda: log(line), score_submissions, scorers)
        return
    app = create_app(settings)
    log(line)
    _serve(app, listener)


def serve_socket(settings: Settings, listener: socket.socket) -> None:
    """Serve the application on a socket until SIGTERM."""
    _serve(create_app(settings), listener)


def score_submissions(settings: Settings) -> None:
    """Score submissions of the leaderboard until SIGTERM."""
    from bearleft.web.leaderboard.scoring.scorer import serve_submissions  # imports all metrics

    serve_submissions(settings)


def _serve(app: FastAPI, listener: socket.socket) -> None:
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it again after the requests were answered
        uvicorn.Server(server_config(app)).run([listener])


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; raise InputError if that is not possible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends without delay only on sockets that are known as TCP; others wait 40 ms for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(QUEUED_CONNECTIONS)
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        hint = "Choose another with --port; 0 takes a free one."
        raise InputError(f"an address to listen at, {host}:{port}", reason, hint=hint) from error
    return listener
