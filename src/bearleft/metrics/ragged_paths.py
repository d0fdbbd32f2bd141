"""Batches of paths of different lengths as one flat array, and the validation of user input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]  # as in bearleft.types, but available at run time


@dataclass(frozen=True, slots=True)
class Ragged:
    """Paths of different lengths in one array: path k is `points[starts[k] : starts[k + 1]]`.

    Attributes:
        points: Node indices, or rows of coordinates.
        starts: The start of each path, and the end of the last one.
    """

    points: Array
    starts: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        starts = np.asarray(self.starts)
        if starts.ndim != 1 or not len(starts) or starts.dtype.kind not in "iu":
            raise InputError(
                "starts: a list of whole numbers, one more than there are paths", format_value(starts), "starts"
            )
        starts = starts.astype(np.int64, copy=False)
        if starts[0] != 0 or starts[-1] != len(self.points) or (np.diff(starts) < 0).any():
            raise InputError(f"starts that rise from 0 to {len(self.points)}", format_value(starts.tolist()), "starts")
        object.__setattr__(self, "starts", starts)
        object.__setattr__(self, "points", np.asarray(self.points))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, k: int) -> Array:
        k = range(len(self))[k]
        points: Array = self.points[self.starts[k] : self.starts[k + 1]]
        return points

    def __iter__(self) -> Iterator[Array]:
        return (self[k] for k in range(len(self)))

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Return the number of points of each path."""
        return np.diff(self.starts)

    def take(self, indices: npt.ArrayLike) -> Ragged:
        """Return the paths at `indices`, in this order; a path may occur several times."""
        indices = np.asarray(indices)
        lengths = self.lengths[indices]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        # A step of 1 inside a path and a jump from each path's end to the next one's start.
        index = np.repeat(self.starts[indices] - starts[:-1], lengths) + np.arange(starts[-1])
        return Ragged(self.points[index], starts)

    def without_repeats(self) -> Ragged:
        """Return the paths without points that repeat the one before, such as turns on the spot."""
        if not len(self.points):
            return self
        same = self.points[1:] == self.points[:-1]
        if same.ndim > 1:
            same = same.all(axis=1)
        keep = np.concatenate([[True], ~same])
        keep[self.starts[:-1][self.lengths > 0]] = True
        if keep.all():
            return self
        return Ragged(self.points[keep], np.concatenate([[0], np.cumsum(keep)])[self.starts])


Paths: TypeAlias = Ragged | Array | Sequence[Any]


def node_paths(paths: Paths, field: str, count: int) -> Ragged:
    """Return paths of node indices below `count`; raise InputError for an empty or invalid one."""
    batch = _ragged(paths, field, coordinates=False)
    points = batch.points
    if points.dtype.kind not in "iu" or points.ndim != 1:
        # An empty list has no dtype of its own.
        if points.size:
            raise InputError("paths of node indices", f"{points.dtype} of shape {points.shape}", field)
        points = points.ravel()
    if points.size and (points.min() < 0 or points.max() >= count):
        at = int(np.argmax((points < 0) | (points >= count)))
        k = int(np.searchsorted(batch.starts, at, side="right")) - 1
        raise InputError(f"a node from 0 to {count - 1}", str(points[at]), f"{field}[{k}][{at - batch.starts[k]}]")
    return _check_nonempty(Ragged(points.astype(np.int32, copy=False), batch.starts), field)


def coordinate_paths(paths: Paths, field: str) -> Ragged:
    """Return paths of rows of finite coordinates; plain numbers are points on a line."""
    batch = _ragged(paths, field, coordinates=True)
    if batch.points.dtype.kind not in "iuf" or batch.points.ndim > 2:
        raise InputError("paths of coordinates", f"{batch.points.dtype} of shape {batch.points.shape}", field)
    points = np.ascontiguousarray(batch.points, np.float64)
    points = points[:, None] if points.ndim == 1 else points
    if not np.isfinite(points).all():
        at = int(np.argmin(np.isfinite(points).all(axis=1)))
        k = int(np.searchsorted(batch.starts, at, side="right")) - 1
        raise InputError(
            "finite coordinates", format_value(points[at].tolist()), f"{field}[{k}][{at - batch.starts[k]}]"
        )
    return _check_nonempty(Ragged(points, batch.starts), field)


def check_same_length(paths: Ragged | Sequence[Any], references: Ragged | Sequence[Any]) -> None:
    """Raise InputError unless there is a reference for each path."""
    if len(paths) != len(references):
        raise InputError(f"{len(paths)} references, one for each path", str(len(references)), "references")


def _check_nonempty(batch: Ragged, field: str) -> Ragged:
    lengths = batch.lengths
    if len(lengths) and lengths.min() == 0:
        raise InputError("a path of at least one point", "an empty path", f"{field}[{int(np.argmin(lengths))}]")
    return batch


def _ragged(paths: Paths, field: str, coordinates: bool) -> Ragged:
    if isinstance(paths, Ragged):
        return paths
    if isinstance(paths, np.ndarray) and paths.dtype.kind in "iuf" and paths.ndim in ((2, 3) if coordinates else (2,)):
        count, length = paths.shape[:2]
        flat = paths.reshape(count * length, *paths.shape[2:])
        return Ragged(flat, np.arange(count + 1, dtype=np.int64) * length)
    try:
        path_list = list(paths)
        lengths = [len(path) for path in path_list]
    except TypeError:
        raise InputError("a list of paths", format_value(paths), field) from None
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    if lengths and min(lengths) == 0:
        raise InputError("a path of at least one point", "an empty path", f"{field}[{lengths.index(0)}]")
    try:
        if all(isinstance(path, np.ndarray) for path in path_list):
            flat = np.concatenate(path_list) if path_list else np.zeros(0, np.int32)
        else:
            flat = np.array(list(chain.from_iterable(path_list)))
        if flat.dtype.kind not in "iuf" and flat.size:
            raise ValueError
    except (ValueError, TypeError):
        expected = "coordinates, equally many for every point" if coordinates else "node indices"
        raise InputError(f"paths of {expected}", format_value(path_list), field) from None
    return Ragged(flat, starts)


def finite_array(values: npt.ArrayLike, field: str) -> Floats:
    """Return an array of floats; raise InputError if one is NaN or infinite."""
    numbers = np.asarray(values, np.float64)
    if not np.isfinite(numbers).all():
        at = int(np.argmin(np.isfinite(numbers).ravel()))
        raise InputError("finite numbers", format_value(float(numbers.ravel()[at])), f"{field}[{at}]")
    return numbers
