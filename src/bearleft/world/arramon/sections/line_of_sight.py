"""Lines of sight between points, seen from above; houses block them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import jit

Array = Any  # NumPy arrays in compiled code
WALL_TOLERANCE = 0.05  # metres by which either end may lie inside a wall


@jit
def clear_lines(x: Array, y: Array, to_x: Array, to_y: Array, blocks: Array) -> Array:
    """Return whether no rectangle (x, y, ux, uy, hx, hy) lies between two points; one that holds an end is ignored."""
    clear = np.ones(len(x), np.bool_)
    for n in range(len(x)):
        for k in range(len(blocks)):
            bx, by, ux, uy, hx, hy = blocks[k]
            dx, dy = x[n] - bx, y[n] - by
            a0, b0 = dx * uy - dy * ux, dx * ux + dy * uy
            dx, dy = to_x[n] - bx, to_y[n] - by
            a1, b1 = dx * uy - dy * ux, dx * ux + dy * uy
            if (abs(a0) <= hx + WALL_TOLERANCE and abs(b0) <= hy + WALL_TOLERANCE) or (
                abs(a1) <= hx + WALL_TOLERANCE and abs(b1) <= hy + WALL_TOLERANCE
            ):
                continue
            # Clip the line to both pairs of sides.
            first, last = 0.0, 1.0
            for begin, end, half in ((a0, a1, hx), (b0, b1, hy)):
                along = end - begin
                if abs(along) < 1e-12:
                    if abs(begin) > half:
                        last = -1.0
                    continue
                enter, leave = (-half - begin) / along, (half - begin) / along
                first, last = max(first, min(enter, leave)), min(last, max(enter, leave))
            if first < last:
                clear[n] = False
                break
    return clear


def has_line_of_sight(
    x: npt.ArrayLike, y: npt.ArrayLike, points: npt.ArrayLike, blocks: Array
) -> npt.NDArray[np.bool_]:
    """Return whether the line from a viewpoint to each point is clear.

    Args:
        x: Easting of the viewpoint, or one for each point.
        y: Northing of the viewpoint, or one for each point.
        points: Points (n, 2), or rows that start with east and north.
        blocks: Rectangles (m, 6): x, y, ux, uy, hx, hy.
    """
    to = np.asarray(points, np.float64)
    to = to.reshape(-1, to.shape[-1] if to.size else 2)
    east, north = (np.ascontiguousarray(np.broadcast_to(np.asarray(values, np.float64), len(to))) for values in (x, y))
    to_east, to_north = np.ascontiguousarray(to[:, :2].T)
    return np.asarray(clear_lines(east, north, to_east, to_north, blocks), np.bool_)
