"""Distances along a graph, computed when asked for and kept: hops by breadth-first search, metres over chains.

Two places are neighbours when a link joins them in either direction, as the Touchdown paper has it, so distances are
symmetric. What cannot be reached is -1 hops or infinitely many metres away.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import fields
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.runtime.compiled import jit, spread
from bearleft.runtime.store import atomic_write, cache_folder, lock
from bearleft.world.graphs.chains import contract_chains, metric_distances

Array = npt.NDArray[Any]
Unit = Literal["hops", "metres"]
CACHE_BYTES = 256 * 2**20
MAX_PLACES_IN_MEMORY = 4096  # places; a matrix of more than that is kept on disk
CHUNK_SIZE = 64
log = logging.getLogger(__name__)


@jit
def breadth_first_search(first: Array, near: Array, source: int, hops: Array, queue: Array) -> int:
    """Breadth-first search: fills `hops` (-1 where no way leads) and says how many places it reached.

    `queue` has room for one more than all places. Whether a neighbour is new cannot be foreseen, so nothing branches on
    it: it is written behind the queue in any case, and the queue grows if it was new. Unsigned numbers spare numba the
    search for negative indices.
    """
    one = np.uint64(1)
    hops[:] = -1
    hops[source] = 0
    queue[0] = source
    head, tail = np.uint64(0), one
    while head < tail:
        place = np.uint64(queue[head])
        head += one
        further = hops[place] + 1
        for k in range(np.uint64(first[place]), np.uint64(first[place + one])):
            other = np.uint64(near[k])
            before = hops[other]
            new = before < 0
            queue[tail] = other
            hops[other] = further if new else before
            tail += np.uint64(new)
    return int(tail)


@jit
def breadth_first_searches(first: Array, near: Array, sources: Array, out: Array) -> None:
    """One search for each source, into the rows of `out`."""
    queue = np.empty(len(first), np.int32)
    for k in range(len(sources)):
        breadth_first_search(first, near, sources[k], out[k], queue)


class Distances:
    """Distances of one graph in one unit: `graph.hops(place)`, `.rows(places)`, `.between(a, b)`, `.matrix()`."""

    def __init__(self, neighbours: tuple[Array, Array], positions: Array, unit: Unit, world: str) -> None:
        """`neighbours` as offsets and numbers; `world` is its hash, the name of distances that are kept on disk."""
        self.unit, self._world = unit, world
        self._first, self._near = neighbours
        few = len(self) <= np.iinfo(np.int16).max + 1
        self.dtype = np.dtype(np.float64 if unit == "metres" else np.int16 if few else np.int32)
        self._positions = positions
        self._kept: OrderedDict[int, Array] = OrderedDict()
        self._matrix: Array | None = None

    def __len__(self) -> int:
        """How many places there are."""
        return len(self._first) - 1

    @cached_property
    def _chains(self) -> tuple[Any, ...]:
        sources = np.repeat(np.arange(len(self)), np.diff(self._first))
        length = np.linalg.norm(self._positions[sources] - self._positions[self._near], axis=1)
        drawn = contract_chains(self._first, self._near, length)
        return tuple(getattr(drawn, field.name) for field in fields(drawn))

    def __call__(self, place: int) -> Array:
        """Distances from one place to all; recent ones are kept."""
        if self._matrix is not None:
            row: Array = self._matrix[place]
            return row
        kept = self._kept.pop(place, None)
        row = self.rows([place])[0] if kept is None else kept
        self._kept[place] = row
        if len(self._kept) * row.nbytes > CACHE_BYTES:
            self._kept.popitem(last=False)
        return row

    def between(self, one: int, other: int) -> float:
        """The distance of two places."""
        return float(self(one)[other])

    def rows(self, places: npt.ArrayLike, progress: Callable[[int], None] | None = None) -> Array:
        """Distances from each of `places` to all, on all cores."""
        sources = np.asarray(places, np.int32).reshape(-1)
        out = np.empty((len(sources), len(self)), self.dtype)
        self._fill(sources, out, progress)
        return out

    def _fill(self, sources: npt.NDArray[np.int32], out: Array, progress: Callable[[int], None] | None) -> None:
        if len(sources) and not (sources.min() >= 0 and sources.max() < len(self)):
            raise InputError(f"places 0 to {len(self) - 1}", f"{int(sources.max())}")

        def work(begin: int) -> None:
            part = slice(begin, min(begin + CHUNK_SIZE, len(sources)))
            if self.unit == "hops":
                breadth_first_searches(self._first, self._near, sources[part], out[part])
            else:
                metric_distances(*self._chains, sources[part], out[part])  # type: ignore[call-arg]
            if progress is not None:
                progress(part.stop - part.start)

        spread(work, range(0, len(sources), CHUNK_SIZE))

    def matrix(self, progress: Callable[[int], None] | None = None) -> Array:
        """All distances; for large graphs computed once and kept in the cache folder (hops in int16 where they fit)."""
        if self._matrix is None:
            everywhere = np.arange(len(self), dtype=np.int32)
            if len(self) <= MAX_PLACES_IN_MEMORY:
                self._matrix = self.rows(everywhere, progress)
            else:
                path = cache_folder() / "distances" / f"{self._world[:16]}-{self.unit}.npy"
                with lock(path):
                    if not path.exists():
                        log.info("computing %s x %s %s into %s", len(self), len(self), self.unit, path)
                        self._write(path, everywhere, progress)
                self._matrix = np.load(path, mmap_mode="r", allow_pickle=False)
        return self._matrix

    def _write(self, path: Any, everywhere: npt.NDArray[np.int32], progress: Callable[[int], None] | None) -> None:
        """Row block by row block, so that memory stays small."""
        with atomic_write(path, "wb") as stream:
            np.lib.format.write_array_header_1_0(
                stream,
                {
                    "descr": np.lib.format.dtype_to_descr(self.dtype),
                    "fortran_order": False,
                    "shape": (len(everywhere), len(everywhere)),
                },
            )
            block = np.empty((32 * CHUNK_SIZE, len(everywhere)), self.dtype)
            for begin in range(0, len(everywhere), len(block)):
                sources = everywhere[begin : begin + len(block)]
                self._fill(sources, block[: len(sources)], progress)
                stream.write(block[: len(sources)].data)
