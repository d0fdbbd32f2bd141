"""The cache of rendered panoramas: in which order they are made, kept, and given up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image

from bearleft.errors import InputError
from bearleft.web.scenes.panoramas import WIDTHS, PanoramaCache
from bearleft.web.scenes.worlds import SceneWorlds

SMALL, MEDIUM, LARGE = WIDTHS
SECONDS = 30


class Source:
    """Pictures of one colour; each waits until it may be made."""

    def __init__(self) -> None:
        self.world = "test/world"
        self.made: list[tuple[str, int]] = []
        self.may_go_on = threading.Event()
        self.started = threading.Event()

    def place_index(self, place: str) -> int:
        if place == "nowhere":
            raise InputError("a place", place)
        return 0

    def panorama(self, place: str, _yaw: float, width: int) -> Any:
        self.started.set()
        assert self.may_go_on.wait(SECONDS)
        self.made.append((place, width))
        if place == "broken":
            raise ValueError("no picture")
        return np.full((width // 2, width, 3), 128, np.uint8)


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def cache(source: Source, tmp_path: Path) -> Iterator[PanoramaCache]:
    worlds = SimpleNamespace(pictures=lambda _world: source)
    cache = PanoramaCache(cast("SceneWorlds", worlds), tmp_path)
    yield cache
    source.may_go_on.set()
    cache.close()


def hold(cache: PanoramaCache, source: Source) -> Future[Path]:
    """Let the thread that renders be busy with the place "first"."""
    future = cache.request("test/world", "first", SMALL)
    assert source.started.wait(SECONDS)
    return future


def test_small_pictures_come_first_then_those_that_somebody_waits_for(cache: PanoramaCache, source: Source) -> None:
    hold(cache, source)
    cache.prepare("test/world", ["prepared"], LARGE)
    large = cache.request("test/world", "asked", LARGE)
    cache.prepare("test/world", ["prepared"], SMALL)
    cache.request("test/world", "asked", SMALL)
    last = cache.request("test/world", "last", LARGE)
    source.may_go_on.set()
    large.result(SECONDS)
    last.result(SECONDS)
    expected = [("first", SMALL), ("asked", SMALL), ("prepared", SMALL), ("asked", LARGE), ("last", LARGE)]
    assert source.made[:5] == expected


def test_a_prepared_picture_that_is_asked_for_is_moved_ahead(cache: PanoramaCache, source: Source) -> None:
    hold(cache, source)
    cache.prepare("test/world", ["a", "b", "c"], SMALL)
    wanted = cache.request("test/world", "c", SMALL)
    source.may_go_on.set()
    wanted.result(SECONDS)
    cache.request("test/world", "b", SMALL).result(SECONDS)
    assert [place for place, _ in source.made] == ["first", "c", "a", "b"]  # and c is made once


def test_a_file_is_made_once_and_read_back(cache: PanoramaCache, source: Source) -> None:
    source.may_go_on.set()
    path = cache.request("test/world", "a", SMALL).result(SECONDS)
    with Image.open(path) as picture:
        assert picture.size == (SMALL, SMALL // 2)
    assert cache.request("test/world", "a", SMALL).result(0) == path
    assert len(source.made) == 1
    assert [file.name for file in path.parent.iterdir()] == [path.name]  # nothing half-written beside


def test_two_who_wait_for_one_picture_get_the_same(cache: PanoramaCache, source: Source) -> None:
    hold(cache, source)
    both = [cache.request("test/world", "a", SMALL) for _ in range(2)]
    source.may_go_on.set()
    assert both[0].result(SECONDS) == both[1].result(SECONDS)
    assert source.made.count(("a", SMALL)) == 1


def test_an_error_is_told_and_the_next_picture_is_made(cache: PanoramaCache, source: Source) -> None:
    source.may_go_on.set()
    with pytest.raises(ValueError, match="no picture"):
        cache.request("test/world", "broken", SMALL).result(SECONDS)
    assert cache.request("test/world", "a", SMALL).result(SECONDS).exists()


def test_wrong_requests_are_refused(cache: PanoramaCache) -> None:
    with pytest.raises(InputError, match="512, 1024, 2048"):
        cache.request("test/world", "a", 513)
    with pytest.raises(InputError, match="a place"):
        cache.request("test/world", "nowhere", SMALL)


def test_names_of_places_are_file_names_inside_the_folder(cache: PanoramaCache, tmp_path: Path) -> None:
    names = ["a", "A", "../../etc/passwd", "a/b", "a_b", "ä", "x" * 300, "x" * 301, ""]
    paths = {cache.path("test/world", name, SMALL) for name in names}
    assert len(paths) == len(names)
    assert all(path.resolve().parent.parent == tmp_path.resolve() for path in paths)


def test_who_gives_up_does_not_end_the_wait_of_others(cache: PanoramaCache, source: Source) -> None:
    async def wait() -> Path:
        patient = asyncio.create_task(cache.wait_for("test/world", "a", SMALL, SECONDS))
        with pytest.raises(TimeoutError):
            await cache.wait_for("test/world", "a", SMALL, 0.01)
        source.may_go_on.set()
        return await patient

    assert asyncio.run(wait()).exists()


def test_closing_ends_what_waits(cache: PanoramaCache, source: Source) -> None:
    hold(cache, source)
    waiting = cache.request("test/world", "a", SMALL)
    closing = threading.Thread(target=cache.close)
    closing.start()
    with pytest.raises(CancelledError):
        waiting.result(SECONDS)
    source.may_go_on.set()
    closing.join(SECONDS)
    assert not closing.is_alive()
    assert ("a", SMALL) not in source.made
