"""The only module that imports numba: `jit` compiles a function, `parallel_map` calls one for chunks on all cores.

numba keeps compiled code per source file and does not notice an edit in a file that was inlined, so the cache folder is
named by a hash of all sources. `parallel=True` is never used: a fork after it kills the child, and its fallback
threading layer aborts when two threads enter it. Compiled functions release the GIL instead, and threads take chunks.
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
    """Set numba's cache folder before numba is imported; return False if the folder cannot be written."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return True
    folder = cache_folder() / "numba" / _sources_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(folder)
    except OSError as error:
        log.warning("compiled code is not cached: %s", error)
        return False
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    return True


CACHED = _cache_numba()

import numba  # noqa: E402  (the cache folder must be set first)
from numba.core.caching import IndexDataCacheFile  # noqa: E402


class _CompiledFile(IndexDataCacheFile):
    """A file of compiled code; where it cannot be written (the disk is full), the work goes on without."""

    def save(self, key: Any, data: Any) -> None:
        try:
            super().save(key, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            log.warning("compiled code is not cached: %s", error)


numba.core.caching.IndexDataCacheFile = _CompiledFile  # type: ignore[misc]


def jit(function: F) -> F:
    """Compile a function on its first call; it releases the GIL while it runs."""
    return cast(F, numba.njit(cache=CACHED, nogil=True, error_model="numpy")(function))


def host_device_function(function: F) -> F:
    """Compile a single-precision function that CPU and GPU share, for speed rather than exact rounding.

    numba compiles such a function for its caller: CPU code or a CUDA kernel. These functions allocate no arrays, so
    reference counting is off (`_nrt`); they are inlined, since a scene consists of many arrays to pass. Under CUDA's
    simulator they are not compiled.
    """
    if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1":
        return function
    options: dict[str, Any] = {"error_model": "numpy", "fastmath": True, "_nrt": False, "forceinline": True}
    return cast(F, numba.njit(cache=CACHED, nogil=True, **options)(function))


def inline_jit(function: F) -> F:
    """Compile a function into its callers with the exact rounding of `jit`, for functions that take many arrays.

    These functions allocate no arrays, so reference counting is off (`_nrt`): it would cost more than most of them.
    """
    options: dict[str, Any] = {"error_model": "numpy", "_nrt": False, "forceinline": True}
    return cast(F, numba.njit(cache=CACHED, nogil=True, **options)(function))


def num_threads() -> int:
    """Return the number of threads to use: BEARLEFT_THREADS, or the cores that this process may run on."""
    setting = os.environ.get("BEARLEFT_THREADS", "")
    if setting.isdigit() and int(setting) > 0:
        return int(setting)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parallel_map(work: Callable[[T], R], chunks: Iterable[T]) -> list[R]:
    """Call `work` for every chunk, in threads on all cores.

    Args:
        work: A function that releases the GIL, such as a call of a compiled function.
        chunks: Its arguments.

    Returns:
        The results in the order of the chunks.
    """
    chunks = list(chunks)
    threads = min(num_threads(), len(chunks))
    if threads <= 1:
        return [work(chunk) for chunk in chunks]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, chunks))
