"""Compiling in a second process what a first run needs later: numba compiles one function at a time in each."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from pathlib import Path

from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.runtime.compiled import CACHED, cores
from bearleft.runtime.processes import process_pool
from bearleft.world.city.city import open_city
from bearleft.world.render.camera import panorama
from bearleft.world.render.devices import renderer
from bearleft.world.visibility.table import visibility_table

Wait = Callable[[], None]


def compile_renderer() -> None:
    """Renders a few pixels of a room."""
    room = open_city("rooms/0/1")
    renderer(room.scene, "cpu")(room.poses([0]), panorama(16), shadows=False)


def compile_measures() -> None:
    """Scores two walks that hardly began, and compares them with two others."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{agent}.jsonl" for agent in ("stop", "random")]
        for file in files:
            evaluate(file.stem, "town/dev", file, limit=2)
        score(*files)


def compile_tasks() -> None:
    """Plays the first of ArraMon's tasks."""
    with tempfile.TemporaryDirectory() as folder:
        evaluate("follower", "city/arramon/small", Path(folder) / "follower.jsonl", limit=1)


def compile_city() -> None:
    """Plans a small city and its scene."""
    assert open_city("city/0/2x2").scene.solids.size


def compile_seeing() -> None:
    """Counts what is visible in a room."""
    with tempfile.TemporaryDirectory() as folder:
        visibility_table(open_city("rooms/0/1"), folder, width=64)


@contextmanager
def compiling() -> Iterator[tuple[Wait, Wait]]:
    """Two functions that wait for the renderer and for the measures; where both are there already, they need not."""
    if not CACHED or cores() < 2 or any(Path(os.environ["NUMBA_CACHE_DIR"]).rglob("cpu._rows-*.nbi")):
        yield _nothing, _nothing
        return
    with process_pool(1, _nothing) as pool:
        try:
            first, second = pool.submit(compile_renderer), pool.submit(compile_measures)
            with suppress(BrokenProcessPool):
                pool.submit(compile_tasks)  # whoever plays before it is done compiles alongside
            yield lambda: _wait(first), lambda: _wait(second)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def main() -> None:
    """Compiles all of it, on two cores: `python -m bearleft.warmup`, before several processes would each do so."""
    parts = (compile_renderer, compile_city, compile_tasks, compile_seeing, compile_measures)
    with process_pool(min(cores(), 2), _nothing) as pool:
        for work in [pool.submit(one) for one in parts]:
            _wait(work)


def _nothing() -> None:
    pass


def _wait(work: Future[None]) -> None:
    # Without it nothing is lost but time: whoever needs the code compiles it.
    with suppress(BrokenProcessPool, OSError):
        work.result()


if __name__ == "__main__":
    main()
