"""The page of tiles in Chromium, served on loopback."""

from __future__ import annotations

import io
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt
from PIL import Image

FRONTEND = Path(__file__).parents[2] / "frontend"
NAMES = ("chromium", "chromium-browser", "google-chrome")
# Pictures are drawn by SwiftShader, Chromium's own renderer for machines without a GPU. Pages are not put together by
# it: plain code does that in half the time.
ARGUMENTS = [
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--disable-gpu-compositing",
]


def missing() -> str:
    """What a browser's test lacks here, or "" where everything is there."""
    if not any(shutil.which(name) for name in NAMES):
        return "needs Debian's chromium: apt-get install chromium"
    if not (FRONTEND / "node_modules" / "three").is_dir():
        return "needs frontend/node_modules: make frontend"
    return ""


class _Quiet(SimpleHTTPRequestHandler):
    """Serves the front end, and under /world/ a folder of tiles."""

    world: Path

    def translate_path(self, path: str) -> str:
        if path.startswith("/world/"):
            return str(self.world / Path(path.partition("?")[0]).name)
        return super().translate_path(path)

    def log_message(self, *_: Any) -> None:
        pass


class Page:
    """The open page."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def look(self, pose: npt.ArrayLike) -> None:
        """Looks from a pose: east, north, up, heading, pitch."""
        names = ("east", "north", "up", "heading", "pitch")
        named_pose = dict(zip(names, np.asarray(pose, float).tolist(), strict=False))
        self.page.evaluate("pose => bearleft.look(pose)", named_pose)

    def screenshot(self) -> npt.NDArray[np.uint8]:
        return np.asarray(Image.open(io.BytesIO(self.page.screenshot())).convert("RGB"))

    def instances(self, width: int, height: int) -> npt.NDArray[np.int64]:
        """The instance of every pixel."""
        text = self.page.evaluate("() => bearleft.instances().join(' ')")
        return np.array(text.split(), np.int64).reshape(height, width)


def off_edges(instance: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Pixels all of whose neighbours show the same thing."""
    around = np.pad(instance, 1, mode="edge")
    height, width = instance.shape
    shifted = [around[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    return np.asarray(np.all([other == instance for other in shifted], axis=0))


@contextmanager
def opened(
    chromium: Any, folder: Path, pose: npt.ArrayLike, width: int, height: int, fov: float = 90.0, reach: float = 300.0
) -> Iterator[Page]:
    """The page with a folder's tiles around a pose, when all are drawn."""
    handler = type("Handler", (_Quiet,), {"world": folder})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(FRONTEND)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    east, north, up, heading, pitch = np.asarray(pose, float).tolist()[:5]
    options = {"east": east, "north": north, "up": up, "heading": heading, "pitch": pitch, "fov": fov}
    query = urlencode(options | {"reach": reach, "tiles": "/world"})
    context = chromium.new_context(viewport={"width": width, "height": height})
    try:
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda text: faults.append(text.text) if text.type == "error" else None)
        page.set_default_timeout(120_000)
        page.goto(f"http://127.0.0.1:{server.server_port}/tiles.html?{query}")
        page.evaluate("() => bearleft.ready")
        assert not faults, faults
        yield Page(page)
        assert not faults, faults
    finally:
        context.close()
        server.shutdown()
        server.server_close()
