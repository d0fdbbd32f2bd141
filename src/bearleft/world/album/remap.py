"""OpenCV fixed-point maps from a view's pixels to a panorama, in compiled code.

The loops have no branches and no 64-bit numbers, so that the compiler vectorizes them.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import host_device_function, jit

Floats32 = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int32]
F = np.float32
I = np.int32  # noqa: E741  (as short as F)


@host_device_function
def fast_atan2(y: F, x: F) -> F:
    """Return atan2 in single precision, accurate to a millionth."""
    wide = x if x > F(0) else -x
    high = y if y > F(0) else -y
    steep = high > wide
    t = (wide if steep else high) / ((high if steep else wide) + F(1e-30))
    s = t * t
    result = F(-0.0040540580)
    result = result * s + F(0.0218612288)
    result = result * s + F(-0.0559098861)
    result = result * s + F(0.0964200441)
    result = result * s + F(-0.1390853351)
    result = result * s + F(0.1994653599)
    result = result * s + F(-0.3332985605)
    result = (result * s + F(0.9999993329)) * t
    result = F(math.pi / 2) - result if steep else result
    result = F(math.pi) - result if x < F(0) else result
    return -result if y < F(0) else result


@host_device_function
def map_row(
    columns: Integers,
    rows: Integers,
    x: Floats32,
    y: F,
    c: F,
    s: F,
    level: F,
    steep: F,
    focal: F,
    across: F,
    first: F,
    down: F,
    top: F,
) -> None:
    """Compute columns and rows, in steps, of one row of a view's pixels."""
    for k in range(len(x)):
        right = c * x[k] - s * y
        below = s * x[k] + c * y
        north = below * steep + focal * level
        above = focal * steep - below * level
        columns[k] = I(np.floor(fast_atan2(right, north) * across + first))
        rows[k] = I(np.floor(fast_atan2(above, np.sqrt(right * right + north * north)) * down + top))


@jit
def fill_maps(
    whole: Integers, shares: npt.NDArray[np.uint16], x: Floats32, y: Floats32, turn: Floats32, scale: Floats32
) -> None:
    """Fill maps of integer pixels (the column in the lower half, the row in the upper) and of fractions of pixels.

    (x, y) are a view's pixels from its centre. `turn` is cosine and sine of roll and of pitch, and the focal length;
    `scale` is steps per radian to the right and the step of the centre, and the same upwards. A step is 1/32 pixel.
    """
    # As scalars: array reads within the loop would prevent vectorization.
    c, s, level, steep, focal = turn[0], turn[1], turn[2], turn[3], turn[4]
    across, first, down, top = scale[0], scale[1], scale[2], scale[3]
    columns, rows = np.empty(len(x), np.int32), np.empty(len(x), np.int32)
    for j in range(len(y)):
        map_row(columns, rows, x, y[j], c, s, level, steep, focal, across, first, down, top)
        for k in range(len(x)):
            shares[j, k] = (rows[k] & I(31)) << I(5) | columns[k] & I(31)
            whole[j, k] = columns[k] >> I(5) & I(0xFFFF) | rows[k] >> I(5) << I(16)
