"""Run the web application."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from bearleft.errors import InputError
from bearleft.web.app import create_app
from bearleft.web.settings import Settings

LOOPBACK = "127.0.0.1"


def run_server(
    settings: Settings,
    host: str = LOOPBACK,
    port: int = 8360,
    open_browser: bool = False,
    log: Callable[[str], None] = print,
) -> None:
    """Serve the application until Ctrl-C.

    Args:
        settings: The settings.
        host: The address to listen at; only this machine reaches the default one.
        port: The port; 0 for a free one.
        open_browser: Whether to open the first page in a browser.
        log: Called with the address of the first page.

    Raises:
        InputError: The address cannot be listened at.
    """
    listener = _listen(host, port)
    address = f"http://{host if ':' not in host else f'[{host}]'}:{listener.getsockname()[1]}/"
    app = create_app(settings)
    config = uvicorn.Config(
        app, log_level="warning", server_header=False, timeout_keep_alive=75, timeout_graceful_shutdown=5
    )
    log(f"{address}  (Ctrl-C ends it)")
    if open_browser:
        threading.Timer(1.0, webbrowser.open, [address]).start()
    uvicorn.Server(config).run([listener])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        hint = "Choose another with --port; 0 takes a free one."
        raise InputError(f"an address to listen at, {host}:{port}", reason, hint=hint) from error
    return listener
