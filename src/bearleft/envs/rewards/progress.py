"""What rewards are computed from, of a batch of walks: updated at each step instead of computed anew.

All functions are pure: they return a new state. Arrays are numpy's, or torch tensors on any device; nothing here
synchronizes with a GPU, and all shapes are fixed, so that a CUDA graph can record it.

Dynamic time warping of a path and every beginning of its reference is one row of numbers. A step of the walker gives
the next row: r[j] = c[j] + min(a[j], a[j - 1], r[j - 1]), where a is the row before and c[j] the distance from the new
place to place j of the reference. On a CPU a compiled loop computes it. On a GPU, where a loop over j would take many
small steps, it is r[j] = s[j] + min over i <= j of (min(a[i], a[i - 1]) - s[i - 1]), with the sums s of c: a cumulative
sum and a cumulative minimum.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import jit
from bearleft.world.graphs.distances import Distances
from bearleft.world.graphs.graph import Graph
from bearleft.world.worlds import world_kind

Array = Any  # numpy's, or a torch tensor
DTW, COVERAGE = "dtw", "coverage"  # what rewards can track


def array_module(array: Array) -> ModuleType:
    """Return numpy or torch, as the array is; both have the functions used here by the same names."""
    return np if isinstance(array, np.ndarray) else sys.modules["torch"]


def goal_distances(graph: Graph) -> tuple[Distances, float]:
    """Return the distances of the convention `paper` in a world, and the threshold within which a goal is reached."""
    return (graph.metres, 3.0) if world_kind(graph.name).distance == "metres" else (graph.hops, 1.0)


@dataclass(frozen=True)
class DistanceTable:
    """The distances of all pairs of places, in one or several worlds.

    Attributes:
        values: The matrices of the worlds, flat, one after another.
        first: Where the matrix of each world begins (worlds,).
        size: The number of places of each world (worlds,).
        threshold: The distance within which a goal is reached.
    """

    values: Array
    first: Array
    size: Array
    threshold: float

    @classmethod
    def build(cls, graphs: Sequence[Graph], device: Any = None) -> DistanceTable:
        """Compute the distances of graphs, all of streets or all of buildings.

        Args:
            graphs: The graphs; walks name them by their number in this sequence.
            device: The device of torch tensors; None for numpy arrays.
        """
        pairs = [goal_distances(graph) for graph in graphs]
        matrices = [distances.matrix().reshape(-1) for distances, _ in pairs]
        size = np.array([len(graph) for graph in graphs], np.int64)
        first = np.cumsum(size**2) - size**2
        (threshold,) = {threshold for _, threshold in pairs}
        values = matrices[0] if len(matrices) == 1 else np.concatenate(matrices)
        if device is None:
            return cls(values, first, size, threshold)
        import torch

        flat, firsts, sizes = (torch.from_numpy(np.ascontiguousarray(a)).to(device) for a in (values, first, size))
        return cls(flat, firsts, sizes, threshold)

    def between(self, world: Array, places: Array, others: Array) -> Array:
        """Return the distances of places (n,) from others (n,) or (n, k), in the worlds (n,)."""
        rows = self.first[world] + places * self.size[world]
        distances = self.values[(rows if others.ndim == 1 else rows[:, None]) + others]
        return distances.astype(np.float64) if isinstance(distances, np.ndarray) else distances.double()


@dataclass(frozen=True)
class Walks:
    """The state of a batch of walks.

    Attributes:
        row: Their numbers (n,).
        world: The number of each walk's world (n,).
        place: Where the walkers are (n,).
        routes: The references (n, k); places behind their ends count for nothing.
        sizes: The number of places of each reference (n,).
        goal: The last of them (n,).
        dtw: DTW of the path so far and each beginning of the reference (n, k), if it is tracked.
        nearest: The distance of each place of the reference from the path so far (n, k), if coverage is tracked.
        length: The length of the path so far (n,), likewise.
        route_length: The length of the reference (n,), likewise.
    """

    row: Array
    world: Array
    place: Array
    routes: Array
    sizes: Array
    goal: Array
    dtw: Array | None = None
    nearest: Array | None = None
    length: Array | None = None
    route_length: Array | None = None

    def replace_where(self, mask: Array, others: Walks) -> Walks:
        """Return these walks, with others in their place where a mask (n,) says so."""
        where = array_module(mask).where
        values = {}
        for field in fields(self):
            old, new = getattr(self, field.name), getattr(others, field.name)
            values[field.name] = None if old is None else where(mask if old.ndim == 1 else mask[:, None], new, old)
        return Walks(**values)


class Progress:
    """What is known of a batch of walks at one time; each array (n,) is computed when it is first read."""

    def __init__(self, table: DistanceTable, walks: Walks) -> None:
        self.table, self.walks = table, walks

    @cached_property
    def goal_distance(self) -> Array:
        """The distance to the goal."""
        return self.table.between(self.walks.world, self.walks.place, self.walks.goal)

    @cached_property
    def dtw(self) -> Array:
        """DTW of the path so far and the reference."""
        assert self.walks.dtw is not None
        return self.walks.dtw[self.walks.row, self.walks.sizes - 1]

    @cached_property
    def ndtw(self) -> Array:
        """The path's nDTW."""
        return array_module(self.dtw).exp(-self.dtw / (self.walks.sizes * self.table.threshold))

    @cached_property
    def sdtw(self) -> Array:
        """SDTW, if the walk ended here."""
        return self.ndtw * (self.goal_distance <= self.table.threshold)

    @cached_property
    def cls(self) -> Array:
        """CLS, if the walk ended here."""
        walks = self.walks
        assert walks.nearest is not None and walks.length is not None
        xp = array_module(walks.nearest)
        near = xp.where(_inside(walks), xp.exp(-walks.nearest / self.table.threshold), 0.0)
        coverage = near.sum(1) / walks.sizes
        expected = coverage * walks.route_length
        agreement = expected / xp.where(expected == 0, 1.0, expected + xp.abs(expected - walks.length))
        return coverage * xp.where((expected == 0) & (walks.length == 0), 1.0, agreement)  # two lengths of 0 agree


def start_walks(table: DistanceTable, tracks: str, world: Array, place: Array, routes: Array, sizes: Array) -> Walks:
    """Return walks that begin at places.

    Args:
        table: The distances.
        tracks: What is tracked: DTW, COVERAGE, or nothing.
        world: Of each walk, as in `Walks`.
        place: Where the walkers begin.
        routes: As in `Walks`.
        sizes: As in `Walks`.
    """
    xp = array_module(place)
    row = xp.ones_like(place).cumsum(0) - 1
    walks = Walks(row, world, place, routes, sizes, routes[row, sizes - 1])
    if not tracks:
        return walks
    costs = table.between(world, place, routes)
    if tracks == DTW:
        return _updated(walks, dtw=costs.cumsum(1))
    worlds, ones, others = (x.reshape(-1) for x in (world[:, None] + 0 * routes[:, 1:], routes[:, :-1], routes[:, 1:]))
    lengths = table.between(worlds, ones, others).reshape(len(routes), -1)
    route_length = xp.where(_inside(walks)[:, 1:], lengths, 0.0).sum(1)
    return _updated(walks, nearest=costs, length=0.0 * costs[:, 0], route_length=route_length)


def advance_walks(table: DistanceTable, tracks: str, walks: Walks, place: Array) -> Walks:
    """Return walks with the next place of each path (n,); a walker who stays adds none."""
    if not tracks:
        return _updated(walks, place=place)
    if tracks == DTW and isinstance(place, np.ndarray):
        above = np.asarray(walks.dtw)
        dtw = np.empty_like(above)
        first = table.first[walks.world] + place * table.size[walks.world]
        _next_rows(above, table.values, first, walks.routes, walks.sizes, place != walks.place, dtw)
        return _updated(walks, place=place, dtw=dtw)
    xp = array_module(place)
    costs = table.between(walks.world, place, walks.routes)
    if tracks == DTW:
        moved = (place != walks.place)[:, None]
        return _updated(walks, place=place, dtw=xp.where(moved, _next_row(walks.dtw, costs), walks.dtw))
    length = walks.length + table.between(walks.world, walks.place, place)
    return _updated(walks, place=place, nearest=xp.minimum(walks.nearest, costs), length=length)


def _updated(walks: Walks, **changes: Array) -> Walks:
    return Walks(**{**vars(walks), **changes})


def _inside(walks: Walks) -> Array:
    """Return (n, k): True at the places of references, False behind their ends."""
    columns = array_module(walks.place).ones_like(walks.routes).cumsum(1)
    return columns <= walks.sizes[:, None]


def _next_row(above: Array, costs: Array) -> Array:
    """Return the next rows (n, k) of dynamic time warping of torch tensors."""
    sums = costs.cumsum(1)
    best = above.clone()
    best[:, 1:] = above[:, 1:].minimum(above[:, :-1])
    return sums + (best - (sums - costs)).cummin(1).values


@jit
def _next_rows(
    above: npt.NDArray[np.float64],
    values: Any,
    first: npt.NDArray[np.int64],
    routes: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    moved: npt.NDArray[np.bool_],
    out: npt.NDArray[np.float64],
) -> None:
    """Compute the next rows of dynamic time warping into `out`; rows of walkers who did not move are copied.

    Args:
        above: The rows before (n, k).
        values: The distances, flat.
        first: Where the distances of each walker's place begin in `values` (n,).
        routes: The references (n, k).
        sizes: The number of places of each reference (n,).
        moved: Which walkers moved (n,).
        out: The result (n, k); it is not written behind the ends of references.
    """
    for n in range(len(sizes)):
        begin, left = np.uint64(first[n]), above[n, 0]
        best = left
        for j in range(np.uint64(sizes[n])):  # unsigned, since numba would otherwise check for negative indices
            here = above[n, j]
            if moved[n]:
                best = min(min(here, left), best) + values[begin + np.uint64(routes[n, j])]
                out[n, j] = best
                left = here
            else:
                out[n, j] = here
