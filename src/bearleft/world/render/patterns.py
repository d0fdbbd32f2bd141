"""Patterns of whole dots, stripes and tiles, as coverage of a pixel. Shared by CPU and GPU.

`footprint` is the width of a pixel on the surface, in metres: finer patterns fade into their average.
"""

from __future__ import annotations

import math

import numpy as np

from bearleft.runtime.compiled import host_device_function
from bearleft.world.render.codes import SolidShape
from bearleft.world.render.raycast import HALF, ONE, TWO, ZERO, f4, maximum, minimum
from bearleft.world.render.scene import Arrays

ELLIPSOID, CONE = int(SolidShape.ELLIPSOID), int(SolidShape.CONE)
PI, DEFAULT_SPACING = f4(math.pi), f4(0.3)


@host_device_function
def fraction(x: np.float32) -> np.float32:
    """Return the fractional part of x."""
    return x - f4(math.floor(x))


@host_device_function
def pattern_weight(footprint: np.float32, size: np.float32) -> np.float32:
    """Return the visibility of a pattern of this size: 1 when it is large, 0 when finer than a pixel."""
    return minimum(maximum(f4(1.5) - TWO * footprint / size, ZERO), ONE)


@host_device_function
def line_coverage(d: np.float32, half: np.float32, footprint: np.float32) -> np.float32:
    """Return the share of a pixel, at distance d from a line's centre, that the line covers."""
    return minimum(maximum((half - abs(d)) / maximum(footprint, f4(1e-4)) + HALF, ZERO), ONE) * minimum(
        ONE, TWO * half / footprint
    )


@host_device_function
def count_fitting(length: np.float32, spacing: np.float32) -> np.float32:
    """Return how many things with about this spacing fit into a length, at least one."""
    return maximum(f4(math.floor(length / spacing + HALF)), ONE)


@host_device_function
def dots(
    s: Arrays,
    i: int,
    u: np.float32,
    v: np.float32,
    wide: np.float32,
    high: np.float32,
    ring: np.float32,
    footprint: np.float32,
) -> np.float32:
    """Return the share of a pixel that dots cover. `ring`: 0 on flat faces, on round ones the radius here.

    Only whole dots are drawn: their spacing is adjusted so that they fit into a face or around it. On balls and cones,
    narrower rows have fewer. `u` is metres to the right of the middle, around the widest place.
    """
    spacing = s.paint[i, 9] if s.paint[i, 9] > ZERO else DEFAULT_SPACING
    radius = s.paint[i, 10] if s.paint[i, 10] > ZERO else spacing * f4(0.3)
    if ring == ZERO and minimum(wide, high) < radius:
        return ZERO  # no whole dot fits: the edge of a board
    ball = s.kind[i] == ELLIPSOID
    if ball:
        v = f4(math.asin(minimum(maximum(v / high, -ONE), ONE))) * high
        high = high * PI * HALF
    rows = count_fitting(TWO * high, spacing)
    row = minimum(f4(math.floor((v / high + ONE) * HALF * rows)), rows - ONE)
    middle = ((row + HALF) / rows * TWO - ONE) * high
    around, shift, turn = TWO * wide, ZERO, u / (TWO * wide)
    if ring > ZERO:
        at_row = f4(math.cos(middle / s.paint[i, 8])) if ball else ONE
        if s.kind[i] == CONE:
            at_row += (s.solid[i, 12] - ONE) * (middle / high + ONE) * HALF
        around = TWO * PI * wide * at_row
        shift = HALF if int(row) & 1 else ZERO
        turn = turn / PI
    columns = count_fitting(around, spacing)
    x = fraction((turn + HALF) * columns + shift) - HALF
    across = (TWO * PI * ring if ring > ZERO else around) / columns
    away = f4(math.sqrt(x * x * across * across + (v - middle) * (v - middle)))
    sharp = pattern_weight(footprint, radius * TWO)
    cover = minimum(maximum((radius - away) / maximum(footprint, f4(1e-4)) + HALF, ZERO), ONE)
    return cover * sharp + (ONE - sharp) * minimum(PI * radius * radius / (spacing * spacing), ONE)


@host_device_function
def ribbons(s: Arrays, i: int, u: np.float32, wide: np.float32, ring: np.float32, footprint: np.float32) -> np.float32:
    """Return the share of a pixel that stripes cover: as many as fit into a face or around it, `ring` as for dots."""
    spacing = s.paint[i, 9] if s.paint[i, 9] > ZERO else DEFAULT_SPACING
    width = s.paint[i, 10] if s.paint[i, 10] > ZERO else spacing * HALF
    if ring == ZERO and wide < width * HALF:
        return ZERO  # the edge of a board
    around = TWO * wide if ring == ZERO else TWO * PI * wide
    columns = count_fitting(around, spacing)
    real = around / columns if ring == ZERO else TWO * PI * ring / columns  # stripes of a ball meet at its poles
    share = minimum(width / spacing, ONE)
    away = (fraction(u / around * columns) - HALF) * real
    sharp = pattern_weight(footprint, real)
    return line_coverage(away, share * HALF * real, footprint) * sharp + (ONE - sharp) * share


@host_device_function
def tiles(s: Arrays, i: int, u: np.float32, v: np.float32, footprint: np.float32) -> np.float32:
    """Return the share of a pixel that joints cover; u and v from a corner of the face."""
    side = s.paint[i, 9] if s.paint[i, 9] > ZERO else ONE
    half = s.paint[i, 10] * HALF
    across, along = fraction(u / side + HALF) - HALF, fraction(v / side + HALF) - HALF
    return maximum(line_coverage(across * side, half, footprint), line_coverage(along * side, half, footprint))
