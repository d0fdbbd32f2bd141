"""A page of its own for the browser modules: their files, pictures of known directions, and a server that can fail."""

from __future__ import annotations

import base64
import io
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import numpy as np
import numpy.typing as npt
from PIL import Image

from bearleft import geometry
from bearleft.web.security import HEADERS
from tests.browser.accessibility import violations
from tests.browser.page import NAMES

FOLDERS = {"shared": files("bearleft").joinpath("static"), "web": files("bearleft.web").joinpath("static")}
TYPES = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
DOTS = [(heading, pitch) for heading in range(0, 360, 30) for pitch in (-50, -20, 10, 40)]  # directions
DOT_RADIUS = 1.0  # degrees
TIMEOUT = 60_000  # milliseconds; machines may be busy
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Scene</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/static/shared/base.css">
<script src="/static/web/theme.js"></script></head>
<body><main><h1>Scene</h1><button type="button" id="theme">◐</button><span id="saving"></span>
<p id="message" hidden></p>
<textarea aria-label="Text"></textarea><section id="scene" aria-label="Scene"></section></main>
<script type="application/json" id="unit">%s</script></body></html>"""


def browser_missing() -> str:
    """Return what tests with a browser lack on this machine, or ""."""
    return "" if any(shutil.which(name) for name in NAMES) else "needs Debian's chromium: apt-get install chromium"


def direction_picture(width: int, blue: int = 0) -> Image.Image:
    """Return a panorama whose colours are directions: red grows with the heading, green with the pitch."""
    columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(width // 2) + 0.5)
    heading, pitch = geometry.from_equirectangular(columns, rows, width, width // 2)
    channels = [heading / 360 * 255, (pitch + 90) / 180 * 255, np.full_like(heading, blue)]
    return Image.fromarray(np.stack(channels, axis=-1).round().astype(np.uint8))


def dots_picture(width: int) -> Image.Image:
    """Return a dark panorama with white discs on the sphere, with soft edges, at known directions."""
    columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(width // 2) + 0.5)
    heading, pitch = geometry.from_equirectangular(columns, rows, width, width // 2)
    white = np.zeros(heading.shape)
    for dot in DOTS:
        near = np.abs(pitch[:, 0] - dot[1]) < 2 * DOT_RADIUS
        off = geometry.angular_distance(heading[near], pitch[near], *dot)
        white[near] = np.maximum(white[near], np.clip((DOT_RADIUS - off) * width / 360 + 0.5, 0, 1))
    shades = np.array([20, 40, 60]) * (1 - white[..., None]) + 255 * white[..., None]
    return Image.fromarray(shades.round().astype(np.uint8))


def webp(picture: Image.Image) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "WEBP", lossless=True)
    return stream.getvalue()


def always(status: int, content: Any) -> Callable[[str, Any], tuple[int, Any]]:
    """Return a server's answer that is always the same."""
    return lambda *_: (status, content)


def _no_delay(_place: str, _width: int) -> None:
    pass


class SceneServer:
    """Serves the page, the modules, panoramas, and the requests of a unit.

    Attributes:
        address: The address without the last slash.
        requests: Method, path and JSON of the API's requests, in order.
        answer: Called with path and JSON of a POST; returns status and JSON. It may raise to close the connection.
        delay: Called with place and width before a panorama is sent; it may wait.
        unit: What the page embeds.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, Any]] = []
        self.answer = always(200, {})
        self.delay: Callable[[str, int], Any] = _no_delay
        self.unit: dict[str, Any] = {"attempt": "a1", "token": "t", "kind": "play/walk", "events": 0, "view": {}}
        self.pictures: dict[tuple[str, int], bytes] = {}
        self.lock = threading.Lock()
        self.address = ""

    def reset(self) -> None:
        self.requests.clear()
        self.answer, self.delay = always(200, {}), _no_delay

    def picture(self, place: str, width: int) -> bytes:
        """Return the panorama of a place; `dots` has dots, the others have the number of the place as blue."""
        with self.lock:
            if (place, width) not in self.pictures:
                drawn = dots_picture(width) if place == "dots" else direction_picture(width, ord(place[0]))
                self.pictures[place, width] = webp(drawn)
            return self.pictures[place, width]

    def posts(self, kind: str) -> list[Any]:
        """Return the JSON of posts to the end of a path."""
        return [content for method, path, content in self.requests if method == "POST" and path.endswith(f"/{kind}")]

    def panoramas(self) -> list[tuple[str, int]]:
        """Return the panoramas that were asked for: place and width."""
        asked = [urlsplit(path) for method, path, _ in self.requests if "/panoramas/" in path]
        return [
            (unquote(url.path).split("/")[-1][: -len(".webp")], int(parse_qs(url.query)["width"][0])) for url in asked
        ]


def _handler(server: SceneServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def reply(self, status: int, kind: str, content: bytes) -> None:
            content = b"" if status == 204 else content
            self.send_response(status)
            for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(ConnectionError):  # of a window that was closed
                self.wfile.write(content)

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            parts = unquote(url.path).strip("/").split("/")
            if parts[0] == "static":
                file = FOLDERS[parts[1]].joinpath(*parts[2:])
                self.reply(200, TYPES[parts[-1].rpartition(".")[2]], file.read_bytes())
            elif parts[0] == "api":
                server.requests.append(("GET", self.path, None))
                width = int(parse_qs(url.query)["width"][0])
                place = parts[-1][: -len(".webp")]
                server.delay(place, width)
                if place == "missing":
                    self.reply(404, "application/json", b'{"detail": "no such place"}')
                else:
                    self.reply(200, "image/webp", server.picture(place, width))
            else:
                self.reply(200, "text/html; charset=utf-8", (PAGE % json.dumps(server.unit)).encode())

        def do_POST(self) -> None:
            content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append(("POST", self.path, content))
            try:
                status, answer = server.answer(self.path, content)
            except ConnectionError:
                self.close_connection = True
                return
            self.reply(status, "application/json", json.dumps(answer).encode())

    return Handler


@contextmanager
def scene_server() -> Iterator[SceneServer]:
    """Serve on loopback."""
    server = SceneServer()
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    http.daemon_threads = True
    threading.Thread(target=http.serve_forever, daemon=True).start()
    server.address = f"http://127.0.0.1:{http.server_port}"
    yield server
    http.shutdown()
    http.server_close()


class Scene:
    """An open page; `faults` are errors and requests that leave the machine."""

    def __init__(self, page: Any, server: SceneServer) -> None:
        self.page, self.server = page, server
        self.faults: list[str] = []
        page.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error.stack or error}"[:800]))
        page.on("console", self._on_console)
        page.on("request", self._on_request)

    def _on_console(self, message: Any) -> None:
        # Failed requests are what some tests are about.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.faults.append(f"console: {message.text[:500]}")

    def _on_request(self, request: Any) -> None:
        if not request.url.startswith((f"{self.server.address}/", "data:", "blob:")):
            self.faults.append(f"request: {request.url[:200]}")

    def run(self, script: str, argument: Any = None) -> Any:
        """Run the body of an async function; `argument` is what it was given."""
        return self.page.evaluate(f"async (argument) => {{ {script} }}", argument)

    def frame(self) -> None:
        """Wait until what was changed is painted."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def globe(self) -> npt.NDArray[np.uint8]:
        """Return the pixels of the panorama, without anything on it."""
        url = self.page.evaluate("() => document.querySelector('canvas.globe').toDataURL('image/png')")
        return np.asarray(Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB"))

    def violations(self) -> list[str]:
        """Return the severe violations that axe finds."""
        return violations(self.page)


@contextmanager
def opened(
    chromium: Any, server: SceneServer, size: tuple[int, int] = (1200, 800), before: str = "", **more: Any
) -> Iterator[Scene]:
    """Open the page in a new window; `before` is a script that runs ahead of all others. Faults fail at the end."""
    server.reset()
    context = chromium.new_context(viewport={"width": size[0], "height": size[1]}, **more)
    try:
        if before:
            context.add_init_script(before)
        scene = Scene(context.new_page(), server)
        scene.page.goto(server.address)
        yield scene
        assert not scene.faults, scene.faults
    finally:
        context.close()
