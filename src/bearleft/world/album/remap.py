"""Where a view's pixels lie in a panorama: OpenCV's maps of whole numbers, by compiled code.

The loops have no branches and no numbers of 64 bits, so that the compiler takes several pixels at once.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import device, jit

Floats32 = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int32]
F = np.float32
I = np.int32  # noqa: E741  (as short as F)


@device
def angle(y: F, x: F) -> F:
    """atan2 in single precision, to a millionth."""
    wide = x if x > F(0) else -x
    high = y if y > F(0) else -y
    steep = high > wide
    t = (wide if steep else high) / ((high if steep else wide) + F(1e-30))
    s = t * t
    found = F(-0.0040540580)
    found = found * s + F(0.0218612288)
    found = found * s + F(-0.0559098861)
    found = found * s + F(0.0964200441)
    found = found * s + F(-0.1390853351)
    found = found * s + F(0.1994653599)
    found = found * s + F(-0.3332985605)
    found = (found * s + F(0.9999993329)) * t
    found = F(math.pi / 2) - found if steep else found
    found = F(math.pi) - found if x < F(0) else found
    return -found if y < F(0) else found


@device
def line(
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
    """Columns and rows, in steps, of one line of a view's pixels."""
    for k in range(len(x)):
        right = c * x[k] - s * y
        below = s * x[k] + c * y
        north = below * steep + focal * level
        above = focal * steep - below * level
        columns[k] = I(np.floor(angle(right, north) * across + first))
        rows[k] = I(np.floor(angle(above, np.sqrt(right * right + north * north)) * down + top))


@jit
def fill(
    whole: Integers, shares: npt.NDArray[np.uint16], x: Floats32, y: Floats32, turn: Floats32, scale: Floats32
) -> None:
    """Fills maps of whole pixels (the column in the lower half, the row in the upper) and of shares of pixels.

    (x, y) are a view's pixels from its middle. `turn` is cosine and sine of roll and of pitch, and the focal length;
    `scale` steps for a radian to the right and the step of the middle, the same upwards. A step is a 32nd of a pixel.
    """
    # As numbers by themselves: read from arrays within the loop they would keep it from taking several pixels at once.
    c, s, level, steep, focal = turn[0], turn[1], turn[2], turn[3], turn[4]
    across, first, down, top = scale[0], scale[1], scale[2], scale[3]
    columns, rows = np.empty(len(x), np.int32), np.empty(len(x), np.int32)
    for j in range(len(y)):
        line(columns, rows, x, y[j], c, s, level, steep, focal, across, first, down, top)
        for k in range(len(x)):
            shares[j, k] = (rows[k] & I(31)) << I(5) | columns[k] & I(31)
            whole[j, k] = columns[k] >> I(5) & I(0xFFFF) | rows[k] >> I(5) << I(16)
