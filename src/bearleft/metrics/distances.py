"""What distance means: between coordinates, between the nodes of a graph by a matrix, or any function of two points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bearleft.errors import InputError, shown
from bearleft.metrics.paths import Array


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


Distance: TypeAlias = Coordinates | Nodes | Array | Callable[[Any, Any], float]


def distance_of(distance: Any) -> Coordinates | Nodes | Callable[[Any, Any], float]:
    """The distance as one of ours: a plain matrix is one between nodes."""
    if isinstance(distance, Coordinates | Nodes):
        return distance
    if isinstance(distance, np.ndarray):
        return Nodes(distance)
    if callable(distance):
        function: Callable[[Any, Any], float] = distance
        return function
    hint = "Give EUCLIDEAN, a matrix between nodes, Nodes(matrix, rows), or a function of two points."
    raise InputError("a distance", shown(distance), "distance", hint=hint)


def threshold_of(threshold: float) -> float:
    """A threshold distance: positive and finite."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.integer | np.floating):
        raise InputError("a threshold distance", shown(threshold), "threshold")
    if not 0 < threshold < np.inf:
        raise InputError("a threshold distance above 0", shown(float(threshold)), "threshold")
    return float(threshold)
