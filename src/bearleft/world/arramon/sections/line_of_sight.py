"""Lines of sight: what houses hide, seen from above."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import jit

Array = Any  # numpy's, as compiled code takes them
WALL_TOLERANCE = 0.05  # metres: one who stands, and what is looked at, may lie so deep in a wall


@jit
def clear_lines(x: Array, y: Array, to_x: Array, to_y: Array, blocks: Array) -> Array:
    """Whether no rectangle (x, y, ux, uy, hx, hy) lies between two points; one that holds either end does not count."""
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
            # The part of the line that lies between both pairs of sides.
            first, last = 0.0, 1.0
            for begin, end, half in ((a0, a1, hx), (b0, b1, hy)):
                along = end - begin
                if abs(along) < 1e-12:
                    if abs(begin) > half:
                        last = -1.0
                    continue
                one, other = (-half - begin) / along, (half - begin) / along
                first, last = max(first, min(one, other)), min(last, max(one, other))
            if first < last:
                clear[n] = False
                break
    return clear


def has_line_of_sight(
    x: npt.ArrayLike, y: npt.ArrayLike, points: npt.ArrayLike, blocks: Array
) -> npt.NDArray[np.bool_]:
    """The same for one point, or one for each, and many points to look at (rows of east and north, or more)."""
    to = np.asarray(points, np.float64)
    to = to.reshape(-1, to.shape[-1] if to.size else 2)
    east, north = (np.ascontiguousarray(np.broadcast_to(np.asarray(one, np.float64), len(to))) for one in (x, y))
    to_east, to_north = np.ascontiguousarray(to[:, :2].T)
    return np.asarray(clear_lines(east, north, to_east, to_north, blocks), np.bool_)
