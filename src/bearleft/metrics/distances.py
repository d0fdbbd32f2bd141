"""What distance means: between coordinates, around obstacles, between the nodes of a graph, or any function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.metrics.paths import Array, Floats
from bearleft.runtime.compiled import jit, spread

CHUNK = 4096  # points a thread takes at a time


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Points are coordinates in any number of dimensions; `squared` leaves out the root, as time-series programs do."""

    squared: bool = False


EUCLIDEAN = Coordinates()
SQUARED = Coordinates(squared=True)


@dataclass(frozen=True, slots=True)
class Nodes:
    """Points are node numbers; `matrix[a, b]` is the distance from a to b, negative or NaN where there is no way.

    With `rows`, the matrix holds just the rows of those nodes, which every reference must be made of: `matrix[k, b]` is
    the distance from node b to node `rows[k]`. The length of a path between other nodes is then not in the matrix;
    `move` says how long each of its moves is (1 for hops along links).
    """

    matrix: Array
    rows: Array | None = None
    move: float | None = None

    def __post_init__(self) -> None:
        matrix = np.asarray(self.matrix)
        if matrix.ndim != 2 or matrix.dtype.kind not in "iuf":
            raise InputError("a matrix of distances between nodes", f"{matrix.dtype} {matrix.shape}", "distance")
        if self.rows is None:
            if matrix.shape[0] != matrix.shape[1]:
                hint = "Say with Nodes(matrix, rows) which nodes the rows are of."
                raise InputError("a square matrix of distances", f"shape {matrix.shape}", "distance", hint=hint)
        else:
            rows = np.asarray(self.rows)
            right = rows.ndim == 1 and rows.dtype.kind in "iu" and len(rows) == len(matrix)
            if not right or (len(rows) and not 0 <= rows.min() <= rows.max() < matrix.shape[1]):
                raise InputError(f"{len(matrix)} node numbers below {matrix.shape[1]}", shown(self.rows), "rows")
            object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "matrix", matrix)

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return int(self.matrix.shape[1])


@dataclass(frozen=True, slots=True)
class GeodesicGrid:
    """Points are coordinates; the distance of two is that of the grid points nearest to them, `matrix[a, b]`.

    `points` are the grid points, a row of coordinates each. A point farther than `margin` from all of them is an error.
    `geodesic_grid` makes one of free cells; any other matrix will do, a navigation mesh's for example.
    """

    points: Floats
    matrix: Array
    margin: float = np.inf

    def __post_init__(self) -> None:
        points = np.ascontiguousarray(self.points, np.float64)
        if points.ndim != 2 or not points.size or not np.isfinite(points).all():
            raise InputError("grid points, a row of finite coordinates each", f"shape {points.shape}", "points")
        matrix = Nodes(self.matrix).matrix
        if len(matrix) != len(points):
            raise InputError(f"distances between {len(points)} grid points", f"shape {matrix.shape}", "matrix")
        if isinstance(self.margin, bool) or not self.margin > 0:
            raise InputError("a margin above 0", shown(self.margin), "margin")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "matrix", matrix)

    def nearest(self, where: Floats, field: str = "points") -> npt.NDArray[np.int64]:
        """Return the number of the grid point nearest to each row of coordinates, the first of equally near ones."""
        where = np.ascontiguousarray(where, np.float64)
        if where.ndim != 2 or where.shape[1] != self.points.shape[1]:
            got = f"shape {where.shape}"
            raise InputError(f"points in {self.points.shape[1]} dimensions like the grid's", got, field)
        number, squared = np.empty(len(where), np.int64), np.empty(len(where))
        order = np.argsort(self.points[:, 0], kind="stable")
        first = self.points[order, 0]

        def work(begin: int) -> None:
            _nearest(self.points, order, first, where, begin, min(begin + CHUNK, len(where)), number, squared)

        spread(work, range(0, len(where), CHUNK))
        if len(where) and np.sqrt(squared.max()) > self.margin:
            far = int(squared.argmax())
            got = f"{where[far].tolist()}, {np.sqrt(squared[far]):.3g} away"
            raise InputError(f"points within {self.margin:g} of a grid point", got, field)
        return number


@jit
def _nearest(grid: Any, order: Any, first: Any, where: Any, begin: int, end: int, number: Any, squared: Any) -> None:
    """Outwards from where a point belongs by its first coordinate, until that alone is farther than what is found.

    `order` sorts the grid by its first coordinate, `first` is that coordinate in order.
    """
    for k in range(begin, end):
        best, found = np.inf, len(grid)
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
            if gap < best or (gap == best and at < found):
                best, found = gap, at
        number[k], squared[k] = found, best


Distance: TypeAlias = Coordinates | Nodes | GeodesicGrid | Array | Callable[[Any, Any], float]


def distance_of(distance: Any) -> Coordinates | Nodes | GeodesicGrid | Callable[[Any, Any], float]:
    """The distance as one of ours: a plain matrix is one between nodes."""
    if isinstance(distance, Coordinates | Nodes | GeodesicGrid):
        return distance
    if isinstance(distance, np.ndarray):
        return Nodes(distance)
    if callable(distance):
        function: Callable[[Any, Any], float] = distance
        return function
    hint = "Give EUCLIDEAN, a GeodesicGrid, a matrix between nodes, Nodes(matrix, rows), or a function of two points."
    raise InputError("a distance", shown(distance), "distance", hint=hint)


def threshold_of(threshold: float) -> float:
    """A threshold distance: positive and finite."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.integer | np.floating):
        raise InputError("a threshold distance", shown(threshold), "threshold")
    if not 0 < threshold < np.inf:
        raise InputError("a threshold distance above 0", shown(float(threshold)), "threshold")
    return float(threshold)
