"""Kinds of distances: between coordinates, around obstacles, between the nodes of a graph, or any function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.metrics.ragged_paths import Array, Floats
from bearleft.runtime.compiled import jit, parallel_map

CHUNK = 4096  # points a thread takes at a time


@dataclass(frozen=True, slots=True)
class CoordinateDistance:
    """The Euclidean distance of coordinates in any number of dimensions.

    Attributes:
        squared: Whether to omit the square root, as libraries for time series do.
    """

    squared: bool = False


EUCLIDEAN = CoordinateDistance()
SQUARED = CoordinateDistance(squared=True)


@dataclass(frozen=True, slots=True)
class NodeDistances:
    """Precomputed distances between nodes; points of paths are node indices.

    Attributes:
        matrix: `matrix[a, b]` is the distance from node a to node b, negative or NaN if there is no path. With `rows`,
            `matrix[k, b]` is the distance from node b to node `rows[k]`.
        rows: The nodes that have a row; references may consist of these only. None if all have one.
        step_length: The length of each step between different nodes (1 for hops along links), if the lengths of
            paths are not in the matrix.
    """

    matrix: Array
    rows: Array | None = None
    step_length: float | None = None

    def __post_init__(self) -> None:
        matrix = np.asarray(self.matrix)
        if matrix.ndim != 2 or matrix.dtype.kind not in "iuf":
            raise InputError("a matrix of distances between nodes", f"{matrix.dtype} {matrix.shape}", "distance")
        if self.rows is None:
            if matrix.shape[0] != matrix.shape[1]:
                hint = "Name the nodes of the rows: NodeDistances(matrix, rows)."
                raise InputError("a square matrix of distances", f"shape {matrix.shape}", "distance", hint=hint)
        else:
            rows = np.asarray(self.rows)
            valid = rows.ndim == 1 and rows.dtype.kind in "iu" and len(rows) == len(matrix)
            if not valid or (len(rows) and not 0 <= rows.min() <= rows.max() < matrix.shape[1]):
                raise InputError(f"{len(matrix)} node indices below {matrix.shape[1]}", format_value(self.rows), "rows")
            object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "matrix", matrix)

    @property
    def count(self) -> int:
        """Return the number of nodes."""
        return int(self.matrix.shape[1])


@dataclass(frozen=True, slots=True)
class GeodesicGrid:
    """Precomputed distances between the points of a grid; the distance of coordinates is that of the nearest points.

    `geodesic_grid` builds one from free cells; the matrix may also come from elsewhere, such as a navigation mesh.

    Attributes:
        points: The coordinates of each grid point, one row each.
        matrix: `matrix[a, b]` is the distance from grid point a to grid point b.
        margin: Coordinates farther than this from all grid points are an error.
    """

    points: Floats
    matrix: Array
    margin: float = np.inf

    def __post_init__(self) -> None:
        points = np.ascontiguousarray(self.points, np.float64)
        if points.ndim != 2 or not points.size or not np.isfinite(points).all():
            raise InputError("grid points, a row of finite coordinates each", f"shape {points.shape}", "points")
        matrix = NodeDistances(self.matrix).matrix
        if len(matrix) != len(points):
            raise InputError(f"distances between {len(points)} grid points", f"shape {matrix.shape}", "matrix")
        if isinstance(self.margin, bool) or not self.margin > 0:
            raise InputError("a margin above 0", format_value(self.margin), "margin")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "matrix", matrix)

    def nearest(self, where: Floats, field: str = "points") -> npt.NDArray[np.int64]:
        """Return the index of the nearest grid point for each row of coordinates, the first of equally near ones.

        Args:
            where: The coordinates, one row each.
            field: Their name for error messages.

        Raises:
            InputError: A point is farther than `margin` from every grid point.
        """
        where = np.ascontiguousarray(where, np.float64)
        if where.ndim != 2 or where.shape[1] != self.points.shape[1]:
            got = f"shape {where.shape}"
            raise InputError(f"points in {self.points.shape[1]} dimensions like the grid's", got, field)
        index, squared = np.empty(len(where), np.int64), np.empty(len(where))
        order = np.argsort(self.points[:, 0], kind="stable")
        first = self.points[order, 0]

        def work(begin: int) -> None:
            _nearest(self.points, order, first, where, begin, min(begin + CHUNK, len(where)), index, squared)

        parallel_map(work, range(0, len(where), CHUNK))
        if len(where) and np.sqrt(squared.max()) > self.margin:
            far = int(squared.argmax())
            got = f"{where[far].tolist()}, {np.sqrt(squared[far]):.3g} away"
            raise InputError(f"points within {self.margin:g} of a grid point", got, field)
        return index


@jit
def _nearest(grid: Any, order: Any, first: Any, where: Any, begin: int, end: int, index: Any, squared: Any) -> None:
    """Search outwards from each point along the first coordinate until that difference exceeds the best distance.

    `order` sorts the grid by its first coordinate, `first` is that coordinate in order.
    """
    for k in range(begin, end):
        best, nearest = np.inf, len(grid)
        right = np.searchsorted(first, where[k, 0])
        left = right - 1
        while left >= 0 or right < len(first):
            to_left = where[k, 0] - first[left] if left >= 0 else np.inf
            to_right = first[right] - where[k, 0] if right < len(first) else np.inf
            if min(to_left, to_right) ** 2 > best:
                break
            if to_left <= to_right:
                at, left = order[left], left - 1
            else:
                at, right = order[right], right + 1
            gap = 0.0
            for axis in range(grid.shape[1]):
                gap += (where[k, axis] - grid[at, axis]) ** 2
            if gap < best or (gap == best and at < nearest):
                best, nearest = gap, at
        index[k], squared[k] = nearest, best


Distance: TypeAlias = CoordinateDistance | NodeDistances | GeodesicGrid | Array | Callable[[Any, Any], float]


def as_distance(distance: Any) -> CoordinateDistance | NodeDistances | GeodesicGrid | Callable[[Any, Any], float]:
    """Return a distance as one of the kinds of this module; a plain matrix becomes NodeDistances.

    Raises:
        InputError: It is neither a kind of distance, a matrix nor a function.
    """
    if isinstance(distance, CoordinateDistance | NodeDistances | GeodesicGrid):
        return distance
    if isinstance(distance, np.ndarray):
        return NodeDistances(distance)
    if callable(distance):
        function: Callable[[Any, Any], float] = distance
        return function
    hint = "Use EUCLIDEAN, a GeodesicGrid, a matrix between nodes, NodeDistances(matrix, rows), or a function."
    raise InputError("a distance", format_value(distance), "distance", hint=hint)


def check_threshold(threshold: float) -> float:
    """Return a threshold distance as a float; raise InputError unless it is positive and finite."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.integer | np.floating):
        raise InputError("a threshold distance", format_value(threshold), "threshold")
    if not 0 < threshold < np.inf:
        raise InputError("a threshold distance above 0", format_value(float(threshold)), "threshold")
    return float(threshold)
