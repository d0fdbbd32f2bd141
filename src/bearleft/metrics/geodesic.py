"""Distances around obstacles (the nDTW paper's appendix A): a grid of free points with all their pairwise distances.

Obstacles are the cells of a grid that are not free, as closed squares. A shortest path between two points turns only at
convex corners of obstacles, so distances between cell centres are exact: straight where nothing is in between, and by
Dijkstra's algorithm over the corners elsewhere. Visibility is decided in integers: half a cell is 1, cell (i, j) has
its centre at (2 i, 2 j), and corners of cells are odd.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.metrics.distances import GeodesicGrid
from bearleft.metrics.ragged_paths import Array, Floats
from bearleft.runtime.compiled import jit, parallel_map

MAX_FREE_CELLS = 16_384  # their matrix has 2 GiB
CHUNK = 16


def geodesic_grid(
    free: npt.ArrayLike, spacing: float = 1.0, origin: tuple[float, float] = (0.0, 0.0), margin: float | None = None
) -> GeodesicGrid:
    """Return the distance around obstacles for paths of (x, y), precomputed between the free cells of a grid.

    Two cells that meet only in a corner leave no passage between two obstacles.

    Args:
        free: `free[i, j]` is whether the cell centred at `origin + spacing * (i, j)` is free; nothing else is.
        spacing: The distance of neighbouring cells.
        origin: The x and y of the centre of cell (0, 0).
        margin: Points farther than this from every free cell's centre are an error when they are measured; `spacing`
            by default.

    Raises:
        InputError: No cell or too many cells are free, or an argument is invalid.
    """
    flags = np.asarray(free)
    if flags.ndim != 2 or flags.dtype != np.bool_ or not flags.any():
        got = f"{int(flags.sum())} true" if flags.dtype == np.bool_ else str(flags.dtype)
        raise InputError("true or false for each cell of a grid, some true", f"{got} in shape {flags.shape}", "free")
    if np.ndim(spacing) or np.asarray(spacing).dtype.kind not in "iuf" or not 0 < spacing < np.inf:
        raise InputError("a spacing above 0", format_value(spacing), "spacing")
    corner = np.asarray(origin, np.float64)
    if corner.shape != (2,) or not np.isfinite(corner).all():
        raise InputError("x and y of cell (0, 0)'s centre", format_value(origin), "origin")
    cells = np.argwhere(flags)
    if len(cells) > MAX_FREE_CELLS:
        hint = "Use a coarser grid; a cell is free if all of it is free."
        raise InputError(f"at most {MAX_FREE_CELLS:,} free cells", f"{len(cells):,}", "free", hint=hint)
    matrix = _pairwise(~np.pad(flags, 1), 2 * cells) * (spacing / 2)
    return GeodesicGrid(corner + spacing * cells, matrix, float(spacing) if margin is None else margin)


def _pairwise(blocked: npt.NDArray[np.bool_], points: Array) -> Floats:
    """Return distances between all `points` in half cells, infinite if there is no path; `blocked` has a border."""
    corners = _convex_corners(blocked)
    between = np.full((len(corners), len(corners)), np.inf)  # from corner to corner, straight
    ahead = np.full((len(corners), len(points)), np.inf)  # from corner to point, straight
    around = np.empty((len(corners), len(points)))  # from corner to point, via other corners too
    out = np.empty((len(points), len(points)))

    def rows(work: Any, count: int) -> None:
        parallel_map(lambda begin: work(begin, min(begin + CHUNK, count)), range(0, count, CHUNK))

    rows(lambda a, b: _straight(blocked, corners[a:b], corners, between[a:b]), len(corners))
    rows(lambda a, b: _straight(blocked, corners[a:b], points, ahead[a:b]), len(corners))
    rows(lambda a, b: _by_corners(between, ahead, a, b, around), len(corners))
    rows(lambda a, b: _from_points(blocked, points, ahead, around, a, b, out), len(points))
    # Sums in another order differ in their last bits.
    return np.minimum(out, out.T)


def _convex_corners(blocked: npt.NDArray[np.bool_]) -> Array:
    """Return the corners with exactly one blocked cell of four: only there a shortest path turns."""
    blocked_count = blocked[:-1, :-1].astype(np.int64) + blocked[1:, :-1] + blocked[:-1, 1:] + blocked[1:, 1:]
    return 2 * np.argwhere(blocked_count == 1) - 1


@jit
def is_visible(blocked: Any, x: int, y: int, to_x: int, to_y: int) -> bool:
    """Return whether a straight line crosses no obstacle's interior; it may touch corners and run along walls."""
    by_x, by_y = to_x - x, to_y - y
    low_x, high_x = min(x, to_x), max(x, to_x)
    low_y, high_y = min(y, to_y), max(y, to_y)
    for i in range((low_x + 1) // 2, high_x // 2 + 1):
        # The rows that the line has in this column, one more on each side.
        first, last = low_y, high_y
        if by_x != 0:
            at = y + (2 * i - 1 - x) * by_y / by_x
            then = y + (2 * i + 1 - x) * by_y / by_x
            first, last = max(first, int(np.floor(min(at, then)))), min(last, int(np.ceil(max(at, then))))
        for j in range((first + 1) // 2 - 1, last // 2 + 2):
            if not (0 <= j + 1 < blocked.shape[1] and 0 <= i + 1 < blocked.shape[0]) or not blocked[i + 1, j + 1]:
                continue
            if not (low_x < 2 * i + 1 and high_x > 2 * i - 1 and low_y < 2 * j + 1 and high_y > 2 * j - 1):
                continue
            # The four corners of the cell lie on both sides of the line.
            left, right = False, False
            for dx in (-1, 1):
                for dy in (-1, 1):
                    side = by_x * (2 * j + dy - y) - by_y * (2 * i + dx - x)
                    left, right = left or side > 0, right or side < 0
            if left and right:
                return False
    return not _squeezes(blocked, x, y, to_x, to_y)


@jit
def _squeezes(blocked: Any, x: int, y: int, to_x: int, to_y: int) -> bool:
    """Return whether a line passes between touching obstacles: along an edge of two, or through a corner of two."""
    by_x, by_y = to_x - x, to_y - y
    if by_x == 0 and x % 2:
        for j in range((min(y, to_y) + 1) // 2, max(y, to_y) // 2 + 1):
            if blocked[(x - 1) // 2 + 1, j + 1] and blocked[(x + 1) // 2 + 1, j + 1]:
                return True
    if by_y == 0 and y % 2:
        for i in range((min(x, to_x) + 1) // 2, max(x, to_x) // 2 + 1):
            if blocked[i + 1, (y - 1) // 2 + 1] and blocked[i + 1, (y + 1) // 2 + 1]:
                return True
    # Corners on the line: integer points, both coordinates odd, strictly between its ends.
    divisor, remainder = abs(by_x), abs(by_y)
    while remainder:
        divisor, remainder = remainder, divisor % remainder
    for k in range(1, divisor):
        at_x, at_y = x + by_x // divisor * k, y + by_y // divisor * k
        if at_x % 2 and at_y % 2:
            i, j = (at_x - 1) // 2 + 1, (at_y - 1) // 2 + 1
            if (blocked[i, j] and blocked[i + 1, j + 1]) or (blocked[i + 1, j] and blocked[i, j + 1]):
                return True
    return False


@jit
def _straight(blocked: Any, sources: Any, targets: Any, out: Any) -> None:
    """Compute straight distances from each source to each target that is visible."""
    for a in range(len(sources)):
        for b in range(len(targets)):
            if is_visible(blocked, sources[a, 0], sources[a, 1], targets[b, 0], targets[b, 1]):
                out[a, b] = np.sqrt(float((sources[a, 0] - targets[b, 0]) ** 2 + (sources[a, 1] - targets[b, 1]) ** 2))


@jit
def _by_corners(between: Any, ahead: Any, begin: int, end: int, out: Any) -> None:
    """Run Dijkstra's algorithm from each corner over the others, then on to the points visible from them."""
    count = len(between)
    for source in range(begin, end):
        distance, done = np.full(count, np.inf), np.zeros(count, np.bool_)
        distance[source] = 0.0
        out[source] = np.inf
        while True:
            nearest = -1
            for c in range(count):
                if not done[c] and distance[c] < np.inf and (nearest < 0 or distance[c] < distance[nearest]):
                    nearest = c
            if nearest < 0:
                break
            done[nearest] = True
            for c in range(count):
                distance[c] = min(distance[c], distance[nearest] + between[nearest, c])
            for p in range(out.shape[1]):
                out[source, p] = min(out[source, p], distance[nearest] + ahead[nearest, p])


@jit
def _from_points(blocked: Any, points: Any, ahead: Any, around: Any, begin: int, end: int, out: Any) -> None:
    """Compute distances from each point: straight to visible points, to the others via visible corners."""
    for a in range(begin, end):
        out[a] = np.inf
        for c in range(len(ahead)):
            if ahead[c, a] < np.inf:
                for b in range(len(points)):
                    out[a, b] = min(out[a, b], ahead[c, a] + around[c, b])
        for b in range(len(points)):
            if is_visible(blocked, points[a, 0], points[a, 1], points[b, 0], points[b, 1]):
                out[a, b] = np.sqrt(float((points[a, 0] - points[b, 0]) ** 2 + (points[a, 1] - points[b, 1]) ** 2))
