"""The one door to numba: `jit` compiles a function, `spread` runs one over chunks on all cores.

numba keeps compiled code per source file and does not notice an edit in a file it was inlined from, so the cache folder
carries a hash of all our sources. `parallel=True` is never used: a fork after it kills the child, and its fallback
threading layer aborts when two threads enter it. Compiled functions release the lock instead, and threads take chunks.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, cast

from bearleft.runtime.store import cache_folder

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
R = TypeVar("R")
log = logging.getLogger(__name__)


def _sources_hash() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_numba() -> bool:
    """Points numba at a folder of ours, before it is imported; False where nothing can be written."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return True
    folder = cache_folder() / "numba" / _sources_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(folder)
    except OSError as error:
        log.warning("compiled code is not kept: %s", error)
        return False
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    return True


CACHED = _cache_numba()

import numba  # noqa: E402  (the cache folder must be known first)


def jit(function: F) -> F:
    """Compiles on first call; releases the lock while it runs."""
    return cast(F, numba.njit(cache=CACHED, nogil=True, error_model="numpy")(function))


def device(function: F) -> F:
    """Compiles for speed rather than the last bit: functions of single precision that CPU and GPU share.

    numba compiles a function so marked for whichever calls it, a CPU's code here or a CUDA kernel there. They make no
    arrays, so nothing is counted (`_nrt`), and are inlined, since a scene is many arrays to hand over. Under CUDA's
    simulator they are left as they are.
    """
    if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1":
        return function
    options: dict[str, Any] = {"error_model": "numpy", "fastmath": True, "_nrt": False, "forceinline": True}
    return cast(F, numba.njit(cache=CACHED, nogil=True, **options)(function))


def inlined(function: F) -> F:
    """Compiles into its callers, to the last bit as `jit` does: for parts of a rule that are handed many arrays.

    They make no arrays, so nothing is counted (`_nrt`): counting them costs more than most rules do.
    """
    options: dict[str, Any] = {"error_model": "numpy", "_nrt": False, "forceinline": True}
    return cast(F, numba.njit(cache=CACHED, nogil=True, **options)(function))


def cores() -> int:
    """How many threads to use: the cores this process may run on, or BEARLEFT_THREADS."""
    asked = os.environ.get("BEARLEFT_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(work: Callable[[T], R], chunks: Iterable[T]) -> list[R]:
    """Runs `work` on every chunk on all cores; results in order."""
    todo = list(chunks)
    threads = min(cores(), len(todo))
    if threads <= 1:
        return [work(chunk) for chunk in todo]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, todo))
