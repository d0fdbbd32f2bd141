"""Panoramas as WebP files: rendered or read when first asked for, then kept in the cache folder.

One thread renders, since the renderer uses all cores. Small pictures come first, because a walker sees them until the
large ones are there; of one width, those that somebody waits for come before those prepared for the next steps.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import queue
import re
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import bearleft.world.render
from bearleft.errors import InputError, format_value
from bearleft.reports.html.pictures import encode_webp
from bearleft.runtime.store import atomic_write
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.world.pictures import AlbumPictures, PictureSource, RenderedPictures

WIDTHS = (512, 1024, 2048)  # pixels
QUALITY = 82
WAITING, PREPARING = 0, 1
STOP = 0  # the width that ends the thread
FILE_NAME = re.compile(r"[^\w.-]+")


@dataclass(order=True)
class _Request:
    order: tuple[int, int, int]  # width, WAITING or PREPARING, number
    path: Path = field(compare=False)
    world: str = field(compare=False)
    place: str = field(compare=False)
    width: int = field(compare=False)


class PanoramaCache:
    """Panoramas of worlds as WebP files, north in the middle.

    Args:
        worlds: Where the pictures come from.
        folder: Where the files are kept.
    """

    def __init__(self, worlds: SceneWorlds, folder: Path) -> None:
        self.worlds, self.folder = worlds, folder
        self._queue: queue.PriorityQueue[_Request] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._pending: dict[Path, Future[Path]] = {}
        self._lock = threading.Lock()
        self._folders: dict[str, Path] = {}
        self._thread: threading.Thread | None = None

    def path(self, world: str, place: str, width: int) -> Path:
        """Return the file of a panorama, whether it exists or not.

        Raises:
            InputError: The world has no pictures, it has no such place, or the width is not one of WIDTHS.
        """
        if width not in WIDTHS:
            raise InputError(f"a width of {', '.join(map(str, WIDTHS))} pixels", format_value(width), "width")
        source = self.worlds.pictures(world)
        source.place_index(place)
        return self._world_folder(world) / f"{_file_name(place)}-{width}.webp"

    def request(self, world: str, place: str, width: int) -> Future[Path]:
        """Return the file of a panorama as soon as it is there."""
        return self._add(WAITING, world, place, width)

    async def wait_for(self, world: str, place: str, width: int, timeout: float) -> Path:
        """Wait for the file of a panorama.

        Raises:
            InputError: As of `path`.
            TimeoutError: It is not there in time; others may go on waiting for it.
        """
        future = await asyncio.to_thread(self.request, world, place, width)
        return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(future)), timeout)

    def prepare(self, world: str, places: Iterable[str], width: int) -> None:
        """Make panoramas that will be needed soon, while nobody waits for others."""
        for place in places:
            self._add(PREPARING, world, place, width)

    def close(self) -> None:
        """Stop rendering; requests that wait are cancelled."""
        with self._lock:
            thread, self._thread = self._thread, None
            for future in self._pending.values():
                future.cancel()
        if thread is not None:
            self._queue.put(_Request((STOP, 0, 0), Path(), "", "", STOP))
            thread.join()

    def _add(self, urgency: int, world: str, place: str, width: int) -> Future[Path]:
        path = self.path(world, place, width)
        done: Future[Path] = Future()
        if path.exists():
            done.set_result(path)
            return done
        with self._lock:
            pending = self._pending.get(path)
            if pending is None:
                pending = self._pending[path] = done
            elif urgency == PREPARING:
                return pending
            # A panorama that was to be prepared is asked for: it is queued again, further ahead.
            self._queue.put(_Request((width, urgency, next(self._numbers)), path, world, place, width))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="panoramas", daemon=True)
                self._thread.start()
        return pending

    def _work(self) -> None:
        while True:
            request = self._queue.get()
            if request.width == STOP:
                return
            with self._lock:
                future = self._pending.get(request.path)
            if future is None:
                continue  # it was made by a request further ahead
            try:
                if not request.path.exists():
                    self._make(request)
                result: Path | Exception = request.path
            except Exception as error:  # whoever waits is told
                result = error
            with self._lock:
                del self._pending[request.path]
            if future.cancelled():
                continue
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)

    def _make(self, request: _Request) -> None:
        picture = self.worlds.pictures(request.world).panorama(request.place, 0.0, request.width)
        with atomic_write(request.path, "wb") as stream:
            stream.write(encode_webp(picture, QUALITY))

    def _world_folder(self, world: str) -> Path:
        if world not in self._folders:
            version = hashlib.sha256(_version(self.worlds.pictures(world)).encode()).hexdigest()
            self._folders[world] = self.folder / f"{_file_name(world)}-{version[:12]}"
        return self._folders[world]


def _version(source: PictureSource) -> str:
    """Return what pictures of a source depend on, so that the files of another version are not served."""
    if isinstance(source, RenderedPictures):
        return f"{source.city.plan.hash} {_renderer_digest()}"
    if isinstance(source, AlbumPictures):
        return str(source.album.folder.resolve())
    return source.world


@cache
def _renderer_digest() -> str:
    """Return a hash of the renderer's sources."""
    digest = hashlib.sha256()
    for file in sorted(Path(bearleft.world.render.__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _file_name(name: str) -> str:
    """Return a name as part of a file name; different names stay different."""
    plain = FILE_NAME.sub("_", name)[:60]
    return plain if plain == name else f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
