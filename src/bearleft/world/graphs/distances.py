"""Distances along a graph, computed on demand and cached: hops by breadth-first search, metres by Dijkstra's algorithm.

Two places are neighbours if a link joins them in either direction, as in the Touchdown paper, so distances are
symmetric. Unreachable places are -1 hops or infinitely many metres away.
"""

from __future__ import annotations

import shutil
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.runtime.compiled import jit, parallel_map
from bearleft.runtime.progress import ProgressLines, announce, format_size
from bearleft.runtime.store import atomic_write, cache_folder, file_lock
from bearleft.world.graphs.chains import contract_chains, metric_distances

Array = npt.NDArray[Any]
Unit = Literal["hops", "metres"]
CACHE_BYTES = 256 * 2**20
MAX_PLACES_IN_MEMORY = 4096  # the matrix of a larger graph is stored on disk
CHUNK_SIZE = 64


@jit
def breadth_first_search(offsets: Array, neighbours: Array, source: int, hops: Array, queue: Array) -> int:
    """Fill `hops` (-1 for unreachable places) by breadth-first search and return the number of places reached.

    `queue` has room for one more entry than there are places. Whether a neighbour is new is unpredictable, so the loop
    does not branch on it: every neighbour is written behind the queue, which grows only if the neighbour was new.
    Unsigned indices spare numba the handling of negative ones.
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
        for k in range(np.uint64(offsets[place]), np.uint64(offsets[place + one])):
            neighbour = np.uint64(neighbours[k])
            before = hops[neighbour]
            new = before < 0
            queue[tail] = neighbour
            hops[neighbour] = further if new else before
            tail += np.uint64(new)
    return int(tail)


@jit
def breadth_first_searches(offsets: Array, neighbours: Array, sources: Array, out: Array) -> None:
    """Run one search from each source, into the rows of `out`."""
    queue = np.empty(len(offsets), np.int32)
    for k in range(len(sources)):
        breadth_first_search(offsets, neighbours, sources[k], out[k], queue)


class Distances:
    """Distances of one graph in one unit.

    Example: `graph.hops(place)`, `graph.hops.rows(places)`, `graph.hops.between(a, b)`, `graph.metres.matrix()`.
    """

    def __init__(self, neighbours: tuple[Array, Array], positions: Array, unit: Unit, graph_hash: str) -> None:
        """Store the graph; nothing is computed yet.

        Args:
            neighbours: Offsets and indices of neighbours, as compressed sparse rows.
            positions: Positions of places in metres (n, 3).
            unit: "hops" or "metres".
            graph_hash: Hash of the graph, which names the matrix stored on disk.
        """
        self.unit, self._graph_hash = unit, graph_hash
        self._offsets, self._neighbours = neighbours
        fits_int16 = len(self) <= np.iinfo(np.int16).max + 1
        self.dtype = np.dtype(np.float64 if unit == "metres" else np.int16 if fits_int16 else np.int32)
        self._positions = positions
        self._cache: OrderedDict[int, Array] = OrderedDict()
        self._matrix: Array | None = None

    def __len__(self) -> int:
        """Return the number of places."""
        return len(self._offsets) - 1

    @cached_property
    def _chains(self) -> tuple[Any, ...]:
        sources = np.repeat(np.arange(len(self)), np.diff(self._offsets))
        length = np.linalg.norm(self._positions[sources] - self._positions[self._neighbours], axis=1)
        chains = contract_chains(self._offsets, self._neighbours, length)
        return tuple(getattr(chains, field.name) for field in fields(chains))

    def __call__(self, place: int) -> Array:
        """Return the distances from one place to all; recent rows are cached."""
        if self._matrix is not None:
            row: Array = self._matrix[place]
            return row
        cached = self._cache.pop(place, None)
        row = self.rows([place])[0] if cached is None else cached
        self._cache[place] = row
        if len(self._cache) * row.nbytes > CACHE_BYTES:
            self._cache.popitem(last=False)
        return row

    def between(self, source: int, target: int) -> float:
        """Return the distance between two places."""
        return float(self(source)[target])

    def rows(self, places: npt.ArrayLike, progress: Callable[[int], None] | None = None) -> Array:
        """Return the distances from each of `places` to all (n, places), computed on all cores.

        Args:
            places: Indices of places.
            progress: Called with the number of rows done since the last call.

        Raises:
            InputError: A place lies outside the graph.
        """
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
                breadth_first_searches(self._offsets, self._neighbours, sources[part], out[part])
            else:
                metric_distances(*self._chains, sources[part], out[part])  # type: ignore[call-arg]
            if progress is not None:
                progress(part.stop - part.start)

        parallel_map(work, range(0, len(sources), CHUNK_SIZE))

    def matrix(self, progress: Callable[[int], None] | None = None) -> Array:
        """Return all distances; for large graphs they are computed once and stored in the cache folder.

        Hops are int16 if they fit, else int32. `progress` is called with the number of rows done since the last call.
        """
        if self._matrix is None:
            all_places = np.arange(len(self), dtype=np.int32)
            if len(self) <= MAX_PLACES_IN_MEMORY:
                self._matrix = self.rows(all_places, progress)
            else:
                path = cache_folder() / "distances" / f"{self._graph_hash[:16]}-{self.unit}.npy"
                with file_lock(path):
                    if not path.exists():
                        self._write(path, all_places, progress or self._announce(path))
                self._matrix = np.load(path, mmap_mode="r", allow_pickle=False)
        return self._matrix

    def _announce(self, path: Path) -> Callable[[int], None]:
        """Say that the matrix is computed, how large it is and where it is kept; return a function for progress."""
        size = len(self) ** 2 * self.dtype.itemsize
        free = shutil.disk_usage(path.parent).free
        if size > free:
            hint = "Make room, or name another folder with BEARLEFT_CACHE."
            expected = f"{format_size(size)} free for distances"
            raise InputError(expected, format_size(free), file=str(path.parent), hint=hint)
        announce(
            f"Computing the distances between {len(self):,} places in {self.unit}, once: {format_size(size)} in {path}"
            " (`bearleft cache` shows and clears it)"
        )
        lines, done = ProgressLines(announce), 0

        def report(rows: int) -> None:
            nonlocal done
            with lock:
                done += rows
                lines(f"distances in {self.unit}", done, len(self))

        lock = Lock()
        return report

    def _write(self, path: Any, all_places: npt.NDArray[np.int32], progress: Callable[[int], None] | None) -> None:
        """Write the matrix in blocks of rows, so that memory stays small."""
        with atomic_write(path, "wb") as stream:
            np.lib.format.write_array_header_1_0(
                stream,
                {
                    "descr": np.lib.format.dtype_to_descr(self.dtype),
                    "fortran_order": False,
                    "shape": (len(all_places), len(all_places)),
                },
            )
            block = np.empty((32 * CHUNK_SIZE, len(all_places)), self.dtype)
            for begin in range(0, len(all_places), len(block)):
                sources = all_places[begin : begin + len(block)]
                self._fill(sources, block[: len(sources)], progress)
                stream.write(block[: len(sources)].data)
