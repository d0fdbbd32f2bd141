"""Pairs of a path and its reference, and one sweep over their distances for everything that measures ask of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.metrics import kernels
from bearleft.metrics.distances import Coordinates, Distance, GeodesicGrid, Nodes, distance_of
from bearleft.metrics.kernels import LANES, RESULTS, STRIP
from bearleft.metrics.paths import Array, Floats, Paths, Ragged, coordinates, nodes, same_number
from bearleft.runtime.compiled import jit, spread

CHUNK = 2048  # pairs a thread takes at a time


@jit
def _lanes(order: Any, block: int, starts: Any, first: Any, lengths: Any) -> tuple[int, int]:
    """Where each lane's points begin and how many there are, and the least and the most of these numbers.

    The last pair fills up the lanes that are left.
    """
    least, most = np.iinfo(np.int64).max, 0
    for lane in range(LANES):
        k = order[min(block + lane, len(order) - 1)]
        first[lane] = starts[k]
        lengths[lane] = starts[k + 1] - starts[k]
        least, most = min(least, lengths[lane]), max(most, lengths[lane])
    return least, most


@jit
def _measure(
    what: int,
    threshold: float,
    row: int,
    end: int,
    width: int,
    rows: Any,
    columns: Any,
    cost: Any,
    even: Any,
    odd: Any,
    near: Any,
    spare: Any,
    out: Any,
) -> None:
    """All that is asked of one strip of costs."""
    if what & kernels.WARP:
        kernels.warp_strip(cost, row, end, width, rows, columns, even, odd, out)
    if what & kernels.COVER:
        kernels.near_strip(cost, row, end, width, rows, columns, threshold, spare, out)
    elif what & kernels.GOAL:
        kernels.goal_strip(cost, row, end, width, rows, columns, out)
    if what & kernels.DEVIATE:
        kernels.stray_strip(cost, row, end, width, rows, columns, near, out)


@jit
def _hand_over(order: Any, block: int, result: Any, out: Any) -> None:
    """What was measured in a block goes to where its pairs stand."""
    for lane in range(min(LANES, len(order) - block)):
        for k in range(RESULTS):
            out[order[block + lane], k] = result[lane, k]


@jit
def _sweep_nodes(
    what: int,
    threshold: float,
    order: Any,
    path: Any,
    path_starts: Any,
    reference: Any,
    reference_starts: Any,
    table: Any,
    path_stride: int,
    reference_stride: int,
    here: Any,
    there: Any,
    cost: Any,
    room: Any,
    out: Any,
) -> None:
    even, odd, near, spare, result = room[0], room[1], room[2], room[3], np.empty((LANES, RESULTS))
    first, rows, columns = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for block in range(0, len(order), LANES):
        shortest, height = _lanes(order, block, reference_starts, first, rows)
        kernels.lay_nodes(here, height, reference, first, rows, reference_stride)
        narrowest, width = _lanes(order, block, path_starts, first, columns)
        kernels.lay_nodes(there, width, path, first, columns, path_stride)
        result[:] = 0.0
        for row in range(0, height, STRIP):
            end = min(row + STRIP, height + (height & 1))
            kernels.costs_of_nodes(cost, table, here, there, row, min(end, height), width)
            if end > shortest or width > narrowest:
                kernels.hide_padding(cost, row, end, width, rows, columns)
            _measure(what, threshold, row, end, width, rows, columns, cost, even, odd, near, spare, result)
        _hand_over(order, block, result, out)


@jit
def _sweep_coordinates(
    what: int,
    threshold: float,
    order: Any,
    path: Any,
    path_starts: Any,
    reference: Any,
    reference_starts: Any,
    squared: bool,
    here: Any,
    there: Any,
    cost: Any,
    room: Any,
    out: Any,
) -> None:
    even, odd, near, spare, result = room[0], room[1], room[2], room[3], np.empty((LANES, RESULTS))
    first, rows, columns = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for block in range(0, len(order), LANES):
        shortest, height = _lanes(order, block, reference_starts, first, rows)
        kernels.lay_coordinates(here, height, reference, first, rows)
        narrowest, width = _lanes(order, block, path_starts, first, columns)
        kernels.lay_coordinates(there, width, path, first, columns)
        result[:] = 0.0
        for row in range(0, height, STRIP):
            end = min(row + STRIP, height + (height & 1))
            kernels.costs_of_coordinates(cost, here, there, row, min(end, height), width, squared, spare)
            if end > shortest or width > narrowest:
                kernels.hide_padding(cost, row, end, width, rows, columns)
            _measure(what, threshold, row, end, width, rows, columns, cost, even, odd, near, spare, result)
        _hand_over(order, block, result, out)


@jit
def _sweep_given(
    what: int,
    threshold: float,
    order: Any,
    path_starts: Any,
    reference_starts: Any,
    given: Any,
    given_starts: Any,
    cost: Any,
    room: Any,
    out: Any,
) -> None:
    even, odd, near, spare, result = room[0], room[1], room[2], room[3], np.empty((LANES, RESULTS))
    first, rows, columns = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for block in range(0, len(order), LANES):
        _, height = _lanes(order, block, reference_starts, first, rows)
        _, width = _lanes(order, block, path_starts, first, columns)
        result[:] = 0.0
        for row in range(0, height, STRIP):
            end = min(row + STRIP, height + (height & 1))
            for lane in range(LANES):
                begin = given_starts[order[min(block + lane, len(order) - 1)]]
                for i in range(row, min(end, rows[lane])):
                    for j in range(columns[lane]):
                        cost[((i - row) * width + j) * LANES + lane] = given[begin + i * columns[lane] + j]
            kernels.hide_padding(cost, row, end, width, rows, columns)
            _measure(what, threshold, row, end, width, rows, columns, cost, even, odd, near, spare, result)
        _hand_over(order, block, result, out)


@jit
def _sum_steps(step: Any, starts: Any, out: Any) -> None:
    """The length of each path, from the lengths of all steps between neighbouring points of the flat array."""
    for k in range(len(out)):
        total = 0.0
        for i in range(starts[k], starts[k + 1] - 1):
            total += step[i]
        out[k] = total


def _room(rows: int, points: int) -> Floats:
    """Rows of a block, not a multiple of 4 KiB apart: a read that far from a recent write has to wait for it."""
    length = -(-points * LANES // 512) * 512 + 104
    flat = np.empty(rows * length + 8)
    ahead = -flat.ctypes.data % 64 // 8
    return flat[ahead : ahead + rows * length].reshape(rows, length)


@dataclass(frozen=True)
class Pairs:
    """Paths beside their references. Made by `pair`; asks its `distance` for what a measure needs."""

    paths: Ragged
    references: Ragged
    distance: Coordinates | Nodes | None  # None: `function` says how far two of the `listed` points are apart
    row_of: Array | None = None
    function: Callable[[Any, Any], float] | None = None
    listed: tuple[Sequence[Sequence[Any]], Sequence[Sequence[Any]]] = ((), ())

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def given(self) -> Floats:
        """What the function says of every two points of each pair, the path's points running fastest."""
        both = zip(*self.listed, strict=True)
        return self.ask((q, r) for path, reference in both for r in reference for q in path)

    def given_steps(self, which: int) -> Floats:
        """What the function says of neighbouring points of the paths (0) or references (1), 0 between two paths."""
        flat = [point for path in self.listed[which] for point in path]
        step = np.zeros(max(len(flat) - 1, 0))
        inside = np.ones(len(step), np.bool_)
        inside[(self.paths, self.references)[which].starts[1:-1] - 1] = False
        step[inside] = self.ask((flat[i], flat[i + 1]) for i in np.flatnonzero(inside))
        return step

    def ask(self, points: Iterable[tuple[Any, Any]]) -> Floats:
        """Return the function's distances, checked."""
        assert self.function is not None
        return _costs([self.function(one, other) for one, other in points])

    def sweep(self, what: int, threshold: float = 1.0) -> Floats:
        """For each pair the results that `what` asks for, in the columns that `kernels` names."""
        out = np.zeros((len(self), RESULTS))
        if not what:
            return out
        paths, references = self.paths, self.references
        order = self._by_length()
        parts = [order[k : k + CHUNK] for k in range(0, len(self), CHUNK)]
        if isinstance(self.distance, Nodes):
            self._sweep_nodes(what, threshold, parts, out)
        elif isinstance(self.distance, Coordinates):
            squared, dimensions = self.distance.squared, paths.points.shape[1]

            def by_coordinates(part: npt.NDArray[np.int64]) -> None:
                widest, tallest = int(paths.lengths[part].max()), int(references.lengths[part].max())
                room = _room(4 + dimensions, widest + 1)
                _sweep_coordinates(
                    what,
                    threshold,
                    part,
                    paths.points,
                    paths.starts,
                    references.points,
                    references.starts,
                    squared,
                    _room(dimensions, tallest),
                    room[4:],
                    _room(1, STRIP * widest)[0],
                    room[:4],
                    out,
                )

            spread(by_coordinates, parts)
        else:
            given_starts = np.concatenate([[0], np.cumsum(paths.lengths * references.lengths)])

            def by_function(part: npt.NDArray[np.int64]) -> None:
                widest = int(paths.lengths[part].max())
                _sweep_given(
                    what,
                    threshold,
                    part,
                    paths.starts,
                    references.starts,
                    self.given,
                    given_starts,
                    _room(1, STRIP * widest)[0],
                    _room(4, widest + 1),
                    out,
                )

            spread(by_function, parts)
        return out

    def _sweep_nodes(self, what: int, threshold: float, parts: list[npt.NDArray[np.int64]], out: Floats) -> None:
        paths, references = self.paths, self.references
        table, path_stride, reference_stride = self.table()
        targets = self.rows_of(references.points)

        def by_nodes(part: npt.NDArray[np.int64]) -> None:
            widest, tallest = int(paths.lengths[part].max()), int(references.lengths[part].max())
            here, there = np.empty((tallest, LANES), np.uint64), np.empty((widest, LANES), np.uint64)
            _sweep_nodes(
                what,
                threshold,
                part,
                paths.points,
                paths.starts,
                targets,
                references.starts,
                table,
                path_stride,
                reference_stride,
                here,
                there,
                _room(1, STRIP * widest)[0],
                _room(4, widest + 1),
                out,
            )

        spread(by_nodes, parts)

    def _by_length(self) -> npt.NDArray[np.int64]:
        columns, rows = self.paths.lengths, self.references.lengths
        if not len(self) or (columns.min() == columns.max() and rows.min() == rows.max()):
            return np.arange(len(self))
        return np.argsort(rows * (columns.max() + 1) + columns, kind="stable")

    def path_length(self) -> Floats:
        """PL of the paths."""
        return self._lengths(self.paths, 0)

    def reference_length(self) -> Floats:
        """PL of the references."""
        return self._lengths(self.references, 1)

    def start(self) -> Floats:
        """The distance from each path's first point to the end of its reference."""
        return self._to_goal(self.paths.starts[:-1], 0)

    def end(self) -> Floats:
        """The distance from each path's last point to the end of its reference, without a sweep."""
        return self._to_goal(self.paths.starts[1:] - 1, -1)

    def _to_goal(self, points: npt.NDArray[np.int64], which: int) -> Floats:
        goal = self.references.starts[1:] - 1
        if self.distance is None:
            return self.ask((path[which], reference[-1]) for path, reference in zip(*self.listed, strict=True))
        if isinstance(self.distance, Coordinates):
            return self._apart(self.paths.points[points], self.references.points[goal])
        return self.between(self.paths.points[points], self.references.points[goal])

    def _lengths(self, batch: Ragged, which: int) -> Floats:
        points, out = batch.points, np.empty(len(self))
        if self.distance is None:
            step = self.given_steps(which)
        elif isinstance(self.distance, Coordinates):
            step = self._apart(points[:-1], points[1:])
        elif self.distance.move is not None:
            step = np.where(points[:-1] == points[1:], 0.0, self.distance.move)
        else:
            step = self.between(points[:-1], points[1:], batch.starts)
        _sum_steps(step, batch.starts, out)
        return out

    def _apart(self, one: Floats, other: Floats) -> Floats:
        assert isinstance(self.distance, Coordinates)
        gap: Floats = ((one - other) ** 2).sum(axis=1)
        return gap if self.distance.squared else np.sqrt(gap)

    def between(self, one: Array, other: Array, starts: Array | None = None) -> Floats:
        """Distances from nodes to nodes; with `starts`, a step from one path to the next may have none."""
        assert isinstance(self.distance, Nodes)
        row = self.rows_of(other) if self.row_of is not None else other
        if self.row_of is not None and len(row) and row.min() < 0:
            lacking = row < 0
            if starts is not None:
                lacking[starts[1:-1] - 1] = False
            if lacking.any():
                hint = "Give the rows of these too, or Nodes(..., move=1) where each move is one hop."
                got = f"node {other[np.argmax(lacking)]}, which has none"
                raise InputError("rows of distances for every node of the paths", got, "distance", hint=hint)
        matrix = self.distance.matrix
        value = (matrix[one, row] if self.row_of is None else matrix[row, one]).astype(np.float64)
        return np.where(value >= 0, value, np.inf)

    def rows_of(self, points: Array) -> Array:
        """Which row of the matrix each node has."""
        return points if self.row_of is None else self.row_of[points]

    def table(self) -> tuple[Array, int, int]:
        """The matrix as a flat array, and how far apart neighbouring path and reference nodes lie in it."""
        assert isinstance(self.distance, Nodes)
        matrix = self.distance.matrix
        if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
            matrix = np.ascontiguousarray(matrix)
        down, across = (1, matrix.shape[0]) if matrix.flags.f_contiguous else (matrix.shape[1], 1)
        flat = matrix.reshape(-1, order="A")
        return (flat, down, across) if self.row_of is None else (flat, across, down)


def pair(paths: Paths, references: Paths, distance: Distance) -> Pairs:
    """Checks paths and references and puts them beside each other."""
    kind = distance_of(distance)
    if isinstance(kind, Coordinates):
        one, other = coordinates(paths, "paths"), coordinates(references, "references")
        if one.points.size and other.points.size and one.points.shape[1] != other.points.shape[1]:
            expected = f"references in {one.points.shape[1]} dimensions like the paths"
            raise InputError(expected, str(other.points.shape[1]), "references")
        same_number(one, other)
        return Pairs(one, other, kind)
    if isinstance(kind, GeodesicGrid):
        one, other = coordinates(paths, "paths"), coordinates(references, "references")
        same_number(one, other)
        there, here = (
            Ragged(kind.nearest(batch.points, field), batch.starts) if len(batch) else batch
            for batch, field in ((one, "paths"), (other, "references"))
        )
        return Pairs(there, here, Nodes(kind.matrix))
    if isinstance(kind, Nodes):
        one, other = nodes(paths, "paths", kind.count), nodes(references, "references", kind.count)
        same_number(one, other)
        row_of = None
        if kind.rows is not None:
            row_of = np.full(kind.count, -1, np.int64)
            row_of[kind.rows] = np.arange(len(kind.rows))
            if len(other.points) and row_of[other.points].min() < 0:
                lacking = other.points[np.argmin(row_of[other.points])]
                raise InputError("references of nodes that have a row", f"node {lacking}, which has none", "references")
        return Pairs(one, other, kind, row_of)
    return _pair_by_function(paths, references, kind)


def _pair_by_function(
    paths: Sequence[Any] | Paths, references: Sequence[Any] | Paths, distance: Callable[[Any, Any], float]
) -> Pairs:
    one, other = _listed(paths, "paths"), _listed(references, "references")
    same_number(one, other)
    numbers: dict[Any, int] = {}
    batches = []
    for batch in (one, other):
        ids = [numbers.setdefault(_key(point), len(numbers)) for path in batch for point in path]
        starts = np.concatenate([[0], np.cumsum([len(path) for path in batch])]).astype(np.int64)
        batches.append(Ragged(np.array(ids, np.int64), starts))
    return Pairs(batches[0], batches[1], None, function=distance, listed=(one, other))


def _costs(values: list[float]) -> Floats:
    costs = np.asarray(values, np.float64)
    if np.isnan(costs).any() or (costs < 0).any():
        bad = values[int(np.argmax(np.isnan(costs) | (costs < 0)))]
        raise InputError("a distance function that gives numbers from 0 up", shown(bad), "distance")
    return costs


def _listed(paths: Sequence[Any] | Paths, field: str) -> list[list[Any]]:
    try:
        listed = [list(path) for path in paths]
    except TypeError:
        raise InputError("a list of paths", shown(paths), field) from None
    for k, path in enumerate(listed):
        if not path:
            raise InputError("a path of at least one point", "an empty path", f"{field}[{k}]")
    return listed


def _key(point: Any) -> Any:
    """Something hashable that is equal for equal points."""
    if isinstance(point, np.ndarray):
        return tuple(point.ravel().tolist())
    return tuple(point) if isinstance(point, list) else point
