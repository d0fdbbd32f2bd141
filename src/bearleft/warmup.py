"""Compilation ahead of use, in other processes: numba compiles one function at a time in each process."""

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
from bearleft.runtime.compiled import CACHED, kept, num_threads
from bearleft.runtime.processes import process_pool
from bearleft.runtime.progress import announce
from bearleft.world.city.city import open_city
from bearleft.world.render.camera import panorama
from bearleft.world.render.devices import renderer
from bearleft.world.visibility.table import visibility_table

Wait = Callable[[], None]
RENDERER_FILES = "cpu._render_rows-*.nbi"  # in numba's cache, once the renderer is compiled


def compile_renderer() -> None:
    """Render a few pixels of a room."""
    room = open_city("rooms/0/1")
    renderer(room.scene, "cpu")(room.poses([0]), panorama(16), shadows=False)


def compile_metrics() -> None:
    """Score two short walks and compare them with two others."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{agent}.jsonl" for agent in ("stop", "random")]
        for file in files:
            evaluate(file.stem, "town/dev", file, limit=2)
        score(*files)


def compile_tasks() -> None:
    """Play the first ArraMon task."""
    with tempfile.TemporaryDirectory() as folder:
        evaluate("follower", "city/arramon/small", Path(folder) / "follower.jsonl", limit=1)


def compile_city() -> None:
    """Plan a small city and build its scene."""
    assert open_city("city/0/2x2").scene.solids.size


def compile_visibility() -> None:
    """Compute the visibility table of a room."""
    with tempfile.TemporaryDirectory() as folder:
        visibility_table(open_city("rooms/0/1"), folder, width=64)


def compile_for_pictures() -> None:
    """Compile what panoramas of cities and rooms need, unless it is cached."""
    if not renderer_is_cached():
        compile_city()
        compile_renderer()


def renderer_is_cached() -> bool:
    """Return whether an earlier process has compiled the renderer."""
    return CACHED and any(Path(os.environ["NUMBA_CACHE_DIR"]).rglob(RENDERER_FILES))


@contextmanager
def compile_in_background() -> Iterator[tuple[Wait, Wait]]:
    """Compile the renderer and the metrics in a second process unless they are cached.

    Yields:
        Two functions that wait for the renderer and for the metrics.
    """
    if not CACHED or num_threads() < 2 or renderer_is_cached():
        yield _do_nothing, _do_nothing
        return
    announce(f"Compiling the renderer and the metrics in a second process: up to three minutes, once{kept()}")
    with process_pool(1, _do_nothing) as pool:
        try:
            renderer_future, metrics_future = pool.submit(compile_renderer), pool.submit(compile_metrics)
            with suppress(BrokenProcessPool):
                pool.submit(compile_tasks)  # a run that needs them earlier compiles them itself
            yield lambda: _wait(renderer_future), lambda: _wait(metrics_future)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def main() -> None:
    """Compile everything on two cores (`python -m bearleft.warmup`), before several processes would each do so."""
    functions = (compile_renderer, compile_city, compile_tasks, compile_visibility, compile_metrics)
    with process_pool(min(num_threads(), 2), _do_nothing) as pool:
        for future in [pool.submit(function) for function in functions]:
            _wait(future)


def _do_nothing() -> None:
    pass


def _wait(future: Future[None]) -> None:
    # A failure costs only time: the process that needs the code compiles it.
    with suppress(BrokenProcessPool, OSError):
        future.result()


if __name__ == "__main__":
    main()
