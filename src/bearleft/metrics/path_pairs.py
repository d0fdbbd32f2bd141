"""Pairs of a path and its reference, and one pass over their cost matrices that serves several metrics.

The compiled functions process LANES pairs at a time, one pair per lane. A lane's cost matrix has one row per reference
point and one column per path point: `rows` and `columns` are their numbers. The matrix is processed in strips of rows;
the current strip goes from `row` to `end` (see `bearleft.metrics.kernels`). Work arrays are allocated once per thread:
`even_sums` and `odd_sums` for dynamic time warping, `column_minima` for deviations, `scratch` for temporary values of a
kernel within one strip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.metrics import kernels
from bearleft.metrics.distances import CoordinateDistance, Distance, GeodesicGrid, NodeDistances, as_distance
from bearleft.metrics.kernels import LANES, NUM_RESULTS, STRIP_ROWS
from bearleft.metrics.ragged_paths import Array, Floats, Paths, Ragged, check_same_length, coordinate_paths, node_paths
from bearleft.runtime.compiled import jit, parallel_map

CHUNK = 2048  # pairs a thread takes at a time
EVEN_SUMS, ODD_SUMS, COLUMN_MINIMA, SCRATCH = range(4)  # work rows of a thread
NUM_WORK_ROWS = 4


@jit
def _lanes(order: Any, block: int, starts: Any, first: Any, lengths: Any) -> tuple[int, int]:
    """Set the first point and the number of points of each lane; return the shortest and the longest length.

    The last pair fills the remaining lanes.
    """
    shortest, longest = np.iinfo(np.int64).max, 0
    for lane in range(LANES):
        k = order[min(block + lane, len(order) - 1)]
        first[lane] = starts[k]
        lengths[lane] = starts[k + 1] - starts[k]
        shortest, longest = min(shortest, lengths[lane]), max(longest, lengths[lane])
    return shortest, longest


@jit
def _update_results(
    needs: int,
    threshold: float,
    row: int,
    end: int,
    width: int,
    rows: Any,
    columns: Any,
    cost: Any,
    work: Any,
    out: Any,
) -> None:
    """Update the requested results by one strip of costs."""
    if needs & kernels.NEEDS_DTW:
        kernels.dtw_strip(cost, row, end, width, rows, columns, work[EVEN_SUMS], work[ODD_SUMS], out)
    if needs & kernels.NEEDS_COVERAGE:  # computes END and NEAREST, the distances to the goal, too
        kernels.coverage_strip(cost, row, end, width, rows, columns, threshold, work[SCRATCH], out)
    elif needs & kernels.NEEDS_GOAL:
        kernels.goal_strip(cost, row, end, width, rows, columns, out)
    if needs & kernels.NEEDS_DEVIATION:
        kernels.deviation_strip(cost, row, end, width, rows, columns, work[COLUMN_MINIMA], out)


@jit
def _store_results(order: Any, block: int, result: Any, out: Any) -> None:
    """Copy the results of a block to the rows of its pairs."""
    for lane in range(min(LANES, len(order) - block)):
        for k in range(NUM_RESULTS):
            out[order[block + lane], k] = result[lane, k]


@jit
def _results_from_nodes(
    needs: int,
    threshold: float,
    order: Any,
    path: Any,
    path_starts: Any,
    reference: Any,
    reference_starts: Any,
    table: Any,
    path_stride: int,
    reference_stride: int,
    reference_offsets: Any,
    path_offsets: Any,
    cost: Any,
    work: Any,
    out: Any,
) -> None:
    result = np.empty((LANES, NUM_RESULTS))
    first, rows, columns = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for block in range(0, len(order), LANES):
        shortest, height = _lanes(order, block, reference_starts, first, rows)
        kernels.pack_nodes(reference_offsets, height, reference, first, rows, reference_stride)
        narrowest, width = _lanes(order, block, path_starts, first, columns)
        kernels.pack_nodes(path_offsets, width, path, first, columns, path_stride)
        result[:] = 0.0
        for row in range(0, height, STRIP_ROWS):
            end = min(row + STRIP_ROWS, height + (height & 1))
            kernels.compute_node_costs(cost, table, reference_offsets, path_offsets, row, min(end, height), width)
            if end > shortest or width > narrowest:
                kernels.mask_padding(cost, row, end, width, rows, columns)
            _update_results(needs, threshold, row, end, width, rows, columns, cost, work, result)
        _store_results(order, block, result, out)


@jit
def _results_from_coordinates(
    needs: int,
    threshold: float,
    order: Any,
    path: Any,
    path_starts: Any,
    reference: Any,
    reference_starts: Any,
    squared: bool,
    reference_lanes: Any,
    path_lanes: Any,
    cost: Any,
    work: Any,
    out: Any,
) -> None:
    result = np.empty((LANES, NUM_RESULTS))
    first, rows, columns = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for block in range(0, len(order), LANES):
        shortest, height = _lanes(order, block, reference_starts, first, rows)
        kernels.pack_coordinates(reference_lanes, height, reference, first, rows)
        narrowest, width = _lanes(order, block, path_starts, first, columns)
        kernels.pack_coordinates(path_lanes, width, path, first, columns)
        result[:] = 0.0
        for row in range(0, height, STRIP_ROWS):
            end = min(row + STRIP_ROWS, height + (height & 1))
            kernels.compute_coordinate_costs(
                cost, reference_lanes, path_lanes, row, min(end, height), width, squared, work[SCRATCH]
            )
            if end > shortest or width > narrowest:
                kernels.mask_padding(cost, row, end, width, rows, columns)
            _update_results(needs, threshold, row, end, width, rows, columns, cost, work, result)
        _store_results(order, block, result, out)


@jit
def _results_from_costs(
    needs: int,
    threshold: float,
    order: Any,
    path_starts: Any,
    reference_starts: Any,
    costs: Any,
    cost_starts: Any,
    cost: Any,
    work: Any,
    out: Any,
) -> None:
    result = np.empty((LANES, NUM_RESULTS))
    first, rows, columns = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for block in range(0, len(order), LANES):
        _, height = _lanes(order, block, reference_starts, first, rows)
        _, width = _lanes(order, block, path_starts, first, columns)
        result[:] = 0.0
        for row in range(0, height, STRIP_ROWS):
            end = min(row + STRIP_ROWS, height + (height & 1))
            for lane in range(LANES):
                begin = cost_starts[order[min(block + lane, len(order) - 1)]]
                for i in range(row, min(end, rows[lane])):
                    for j in range(columns[lane]):
                        cost[((i - row) * width + j) * LANES + lane] = costs[begin + i * columns[lane] + j]
            kernels.mask_padding(cost, row, end, width, rows, columns)
            _update_results(needs, threshold, row, end, width, rows, columns, cost, work, result)
        _store_results(order, block, result, out)


@jit
def _sum_steps(step: Any, starts: Any, out: Any) -> None:
    """Compute the length of each path from the lengths of all steps between neighbouring points of the flat array."""
    for k in range(len(out)):
        total = 0.0
        for i in range(starts[k], starts[k + 1] - 1):
            total += step[i]
        out[k] = total


def _work_rows(rows: int, points: int) -> Floats:
    """Return work rows of at least `points` cells, each aligned to 64 bytes.

    The offset between two rows is never a multiple of 4 KiB: with such an offset, a CPU that reads one row just after
    writing another takes both addresses for the same one and stalls (4K aliasing).
    """
    length = -(-points * LANES // 512) * 512 + 104
    flat = np.empty(rows * length + 8)
    ahead = -flat.ctypes.data % 64 // 8
    return flat[ahead : ahead + rows * length].reshape(rows, length)


@dataclass(frozen=True)
class PathPairs:
    """Paths and their references, with the distances that metrics need. Use `pair_paths` to construct it.

    Attributes:
        paths: The paths.
        references: A reference for each path.
        distance: The kind of distance; None if distances are computed by `function`.
        row_index: The row of the matrix for each node, -1 if it has none; None if every node has its own.
        function: A distance function of two points, if `distance` is None.
        point_lists: The points of the paths and of the references as the caller passed them; arguments of `function`.
    """

    paths: Ragged
    references: Ragged
    distance: CoordinateDistance | NodeDistances | None
    row_index: Array | None = None
    function: Callable[[Any, Any], float] | None = None
    point_lists: tuple[Sequence[Sequence[Any]], Sequence[Sequence[Any]]] = ((), ())

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def function_costs(self) -> Floats:
        """Return the cost matrices of all pairs, flattened: a row per reference point, a column per path point."""
        pairs = zip(*self.point_lists, strict=True)
        return self.function_distances((q, r) for path, reference in pairs for r in reference for q in path)

    def function_steps(self, which: int) -> Floats:
        """Return the distances between consecutive points of all paths (`which` = 0) or references (1), end to end.

        The entry between the last point of one path and the first of the next is 0.
        """
        flat = [point for path in self.point_lists[which] for point in path]
        step = np.zeros(max(len(flat) - 1, 0))
        inside = np.ones(len(step), np.bool_)
        inside[(self.paths, self.references)[which].starts[1:-1] - 1] = False
        step[inside] = self.function_distances((flat[i], flat[i + 1]) for i in np.flatnonzero(inside))
        return step

    def function_distances(self, points: Iterable[tuple[Any, Any]]) -> Floats:
        """Return the function's distances of pairs of points, validated."""
        assert self.function is not None
        return _check_costs([self.function(first, second) for first, second in points])

    def compute_results(self, needs: int, threshold: float = 1.0) -> Floats:
        """Compute results of each pair in one pass over its cost matrix.

        Args:
            needs: The results to compute: flags NEEDS_... of `kernels`.
            threshold: The threshold distance of the coverage.

        Returns:
            One row per pair, with the columns of `kernels` (DTW, END, ...).
        """
        out = np.zeros((len(self), NUM_RESULTS))
        if not needs:
            return out
        paths, references = self.paths, self.references
        order = self._by_length()
        parts = [order[k : k + CHUNK] for k in range(0, len(self), CHUNK)]
        if isinstance(self.distance, NodeDistances):
            self._compute_by_nodes(needs, threshold, parts, out)
        elif isinstance(self.distance, CoordinateDistance):
            squared, dimensions = self.distance.squared, paths.points.shape[1]

            def process_coordinates(part: npt.NDArray[np.int64]) -> None:
                widest, tallest = int(paths.lengths[part].max()), int(references.lengths[part].max())
                work = _work_rows(NUM_WORK_ROWS + dimensions, widest + 1)
                _results_from_coordinates(
                    needs,
                    threshold,
                    part,
                    paths.points,
                    paths.starts,
                    references.points,
                    references.starts,
                    squared,
                    _work_rows(dimensions, tallest),
                    work[NUM_WORK_ROWS:],
                    _work_rows(1, STRIP_ROWS * widest)[0],
                    work[:NUM_WORK_ROWS],
                    out,
                )

            parallel_map(process_coordinates, parts)
        else:
            cost_starts = np.concatenate([[0], np.cumsum(paths.lengths * references.lengths)])

            def process_costs(part: npt.NDArray[np.int64]) -> None:
                widest = int(paths.lengths[part].max())
                _results_from_costs(
                    needs,
                    threshold,
                    part,
                    paths.starts,
                    references.starts,
                    self.function_costs,
                    cost_starts,
                    _work_rows(1, STRIP_ROWS * widest)[0],
                    _work_rows(NUM_WORK_ROWS, widest + 1),
                    out,
                )

            parallel_map(process_costs, parts)
        return out

    def _compute_by_nodes(self, needs: int, threshold: float, parts: list[npt.NDArray[np.int64]], out: Floats) -> None:
        paths, references = self.paths, self.references
        table, path_stride, reference_stride = self.flat_matrix()
        targets = self.matrix_rows(references.points)

        def process_nodes(part: npt.NDArray[np.int64]) -> None:
            widest, tallest = int(paths.lengths[part].max()), int(references.lengths[part].max())
            reference_offsets, path_offsets = (
                np.empty((tallest, LANES), np.uint64),
                np.empty((widest, LANES), np.uint64),
            )
            _results_from_nodes(
                needs,
                threshold,
                part,
                paths.points,
                paths.starts,
                targets,
                references.starts,
                table,
                path_stride,
                reference_stride,
                reference_offsets,
                path_offsets,
                _work_rows(1, STRIP_ROWS * widest)[0],
                _work_rows(NUM_WORK_ROWS, widest + 1),
                out,
            )

        parallel_map(process_nodes, parts)

    def _by_length(self) -> npt.NDArray[np.int64]:
        columns, rows = self.paths.lengths, self.references.lengths
        if not len(self) or (columns.min() == columns.max() and rows.min() == rows.max()):
            return np.arange(len(self))
        return np.argsort(rows * (columns.max() + 1) + columns, kind="stable")

    def path_length(self) -> Floats:
        """Return the length of each path."""
        return self._lengths(self.paths, 0)

    def reference_length(self) -> Floats:
        """Return the length of each reference."""
        return self._lengths(self.references, 1)

    def start(self) -> Floats:
        """Return the distance from each path's first point to the end of its reference."""
        return self._to_goal(self.paths.starts[:-1], 0)

    def end(self) -> Floats:
        """Return the distance from each path's last point to the end of its reference, computed directly."""
        return self._to_goal(self.paths.starts[1:] - 1, -1)

    def _to_goal(self, points: npt.NDArray[np.int64], which: int) -> Floats:
        goal = self.references.starts[1:] - 1
        if self.distance is None:
            return self.function_distances(
                (path[which], reference[-1]) for path, reference in zip(*self.point_lists, strict=True)
            )
        if isinstance(self.distance, CoordinateDistance):
            return self._coordinate_distances(self.paths.points[points], self.references.points[goal])
        return self.node_distances(self.paths.points[points], self.references.points[goal])

    def _lengths(self, batch: Ragged, which: int) -> Floats:
        points, out = batch.points, np.empty(len(self))
        if self.distance is None:
            step = self.function_steps(which)
        elif isinstance(self.distance, CoordinateDistance):
            step = self._coordinate_distances(points[:-1], points[1:])
        elif self.distance.step_length is not None:
            step = np.where(points[:-1] == points[1:], 0.0, self.distance.step_length)
        else:
            step = self.node_distances(points[:-1], points[1:], batch.starts)
        _sum_steps(step, batch.starts, out)
        return out

    def _coordinate_distances(self, first: Floats, second: Floats) -> Floats:
        assert isinstance(self.distance, CoordinateDistance)
        squared: Floats = ((first - second) ** 2).sum(axis=1)
        return squared if self.distance.squared else np.sqrt(squared)

    def node_distances(self, sources: Array, targets: Array, starts: Array | None = None) -> Floats:
        """Return the distances from nodes to nodes.

        Args:
            sources: The nodes to start from.
            targets: The nodes to reach; each needs a row of the matrix.
            starts: The starts of paths: no row is needed for a step from one path to the next.

        Raises:
            InputError: A target has no row.
        """
        assert isinstance(self.distance, NodeDistances)
        row = self.matrix_rows(targets) if self.row_index is not None else targets
        if self.row_index is not None and len(row) and row.min() < 0:
            missing = row < 0
            if starts is not None:
                missing[starts[1:-1] - 1] = False
            if missing.any():
                hint = "Add their rows, or use NodeDistances(..., step_length=1) if each step is one hop."
                got = f"node {targets[np.argmax(missing)]}, which has none"
                raise InputError("rows of distances for every node of the paths", got, "distance", hint=hint)
        matrix = self.distance.matrix
        value = (matrix[sources, row] if self.row_index is None else matrix[row, sources]).astype(np.float64)
        return np.where(value >= 0, value, np.inf)

    def matrix_rows(self, points: Array) -> Array:
        """Return the row of the matrix of each node."""
        return points if self.row_index is None else self.row_index[points]

    def flat_matrix(self) -> tuple[Array, int, int]:
        """Return the matrix as a flat array, and its strides of path nodes and of reference nodes."""
        assert isinstance(self.distance, NodeDistances)
        matrix = self.distance.matrix
        if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
            matrix = np.ascontiguousarray(matrix)
        row_stride, column_stride = (1, matrix.shape[0]) if matrix.flags.f_contiguous else (matrix.shape[1], 1)
        flat = matrix.reshape(-1, order="A")
        return (flat, row_stride, column_stride) if self.row_index is None else (flat, column_stride, row_stride)


def pair_paths(paths: Paths, references: Paths, distance: Distance) -> PathPairs:
    """Validate paths and references and pair them.

    Args:
        paths: The paths.
        references: A reference for each path.
        distance: The distance of two points.

    Raises:
        InputError: A path is empty or invalid, or there is no reference for each.
    """
    kind = as_distance(distance)
    if isinstance(kind, CoordinateDistance):
        path_batch, reference_batch = coordinate_paths(paths, "paths"), coordinate_paths(references, "references")
        if (
            path_batch.points.size
            and reference_batch.points.size
            and path_batch.points.shape[1] != reference_batch.points.shape[1]
        ):
            expected = f"references in {path_batch.points.shape[1]} dimensions like the paths"
            raise InputError(expected, str(reference_batch.points.shape[1]), "references")
        check_same_length(path_batch, reference_batch)
        return PathPairs(path_batch, reference_batch, kind)
    if isinstance(kind, GeodesicGrid):
        path_batch, reference_batch = coordinate_paths(paths, "paths"), coordinate_paths(references, "references")
        check_same_length(path_batch, reference_batch)
        path_nodes, reference_nodes = (
            Ragged(kind.nearest(batch.points, field), batch.starts) if len(batch) else batch
            for batch, field in ((path_batch, "paths"), (reference_batch, "references"))
        )
        return PathPairs(path_nodes, reference_nodes, NodeDistances(kind.matrix))
    if isinstance(kind, NodeDistances):
        path_batch, reference_batch = (
            node_paths(paths, "paths", kind.count),
            node_paths(references, "references", kind.count),
        )
        check_same_length(path_batch, reference_batch)
        row_index = None
        if kind.rows is not None:
            row_index = np.full(kind.count, -1, np.int32)
            row_index[kind.rows] = np.arange(len(kind.rows))
            if len(reference_batch.points) and row_index[reference_batch.points].min() < 0:
                missing = reference_batch.points[np.argmin(row_index[reference_batch.points])]
                raise InputError("references of nodes that have a row", f"node {missing}, which has none", "references")
        return PathPairs(path_batch, reference_batch, kind, row_index)
    return _pair_by_function(paths, references, kind)


def _pair_by_function(
    paths: Sequence[Any] | Paths, references: Sequence[Any] | Paths, distance: Callable[[Any, Any], float]
) -> PathPairs:
    path_batch, reference_batch = _as_lists(paths, "paths"), _as_lists(references, "references")
    check_same_length(path_batch, reference_batch)
    numbers: dict[Any, int] = {}
    batches = []
    for batch in (path_batch, reference_batch):
        ids = [numbers.setdefault(_key(point), len(numbers)) for path in batch for point in path]
        starts = np.concatenate([[0], np.cumsum([len(path) for path in batch])]).astype(np.int64)
        batches.append(Ragged(np.array(ids, np.int32), starts))
    return PathPairs(batches[0], batches[1], None, function=distance, point_lists=(path_batch, reference_batch))


def _check_costs(values: list[float]) -> Floats:
    costs = np.asarray(values, np.float64)
    if np.isnan(costs).any() or (costs < 0).any():
        invalid = values[int(np.argmax(np.isnan(costs) | (costs < 0)))]
        raise InputError("a distance function that returns numbers from 0 up", format_value(invalid), "distance")
    return costs


def _as_lists(paths: Sequence[Any] | Paths, field: str) -> list[list[Any]]:
    try:
        point_lists = [list(path) for path in paths]
    except TypeError:
        raise InputError("a list of paths", format_value(paths), field) from None
    for k, path in enumerate(point_lists):
        if not path:
            raise InputError("a path of at least one point", "an empty path", f"{field}[{k}]")
    return point_lists


def _key(point: Any) -> Any:
    """Return a hashable key that is equal for equal points."""
    if isinstance(point, np.ndarray):
        return tuple(point.ravel().tolist())
    return tuple(point) if isinstance(point, list) else point
