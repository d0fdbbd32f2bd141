"""Patterns that keep their shape: dots, stripes and tiles as shares of a pixel. Shared by CPU and GPU like `kernel`.

`foot` is the width of a pixel on the surface, in metres: what is finer fades into its average.
"""

from __future__ import annotations

import math

import numpy as np

from bearleft.runtime.compiled import device
from bearleft.world.render.codes import Kind
from bearleft.world.render.raycast import HALF, ONE, TWO, ZERO, f4, least, most
from bearleft.world.render.scene import Arrays

ELLIPSOID, CONE = int(Kind.ELLIPSOID), int(Kind.CONE)
PI, USUAL = f4(math.pi), f4(0.3)


@device
def part_of(x: np.float32) -> np.float32:
    """What is left of x after its whole part."""
    return x - f4(math.floor(x))


@device
def clear(foot: np.float32, size: np.float32) -> np.float32:
    """How much of a pattern of this size is still to be seen: 1 when it is large, 0 when it is finer than a pixel."""
    return least(most(f4(1.5) - TWO * foot / size, ZERO), ONE)


@device
def stroke(d: np.float32, half: np.float32, foot: np.float32) -> np.float32:
    """The share of a pixel, at distance d from its middle, that a line covers."""
    return least(most((half - abs(d)) / most(foot, f4(1e-4)) + HALF, ZERO), ONE) * least(ONE, TWO * half / foot)


@device
def fitting(length: np.float32, apart: np.float32) -> np.float32:
    """How many things about so far apart fit into a length: a whole number, at least one."""
    return most(f4(math.floor(length / apart + HALF)), ONE)


@device
def dots(
    s: Arrays,
    i: int,
    u: np.float32,
    v: np.float32,
    wide: np.float32,
    high: np.float32,
    ring: np.float32,
    foot: np.float32,
) -> np.float32:
    """The share of a pixel that dots cover. `ring`: 0 on flat faces, on round ones the radius here.

    Only whole dots are drawn: their distances are changed a little, so that they fit into a face or around it. On a
    ball and a cone narrower rows have fewer. `u` is metres to the right of the middle, around at the widest place.
    """
    apart = s.paint[i, 9] if s.paint[i, 9] > ZERO else USUAL
    radius = s.paint[i, 10] if s.paint[i, 10] > ZERO else apart * f4(0.3)
    if ring == ZERO and least(wide, high) < radius:
        return ZERO  # no whole one fits: the edge of a board
    ball = s.kind[i] == ELLIPSOID
    if ball:
        v = f4(math.asin(least(most(v / high, -ONE), ONE))) * high
        high = high * PI * HALF
    rows = fitting(TWO * high, apart)
    row = least(f4(math.floor((v / high + ONE) * HALF * rows)), rows - ONE)
    middle = ((row + HALF) / rows * TWO - ONE) * high
    around, shift, turn = TWO * wide, ZERO, u / (TWO * wide)
    if ring > ZERO:
        at_row = f4(math.cos(middle / s.paint[i, 8])) if ball else ONE
        if s.kind[i] == CONE:
            at_row += (s.solid[i, 12] - ONE) * (middle / high + ONE) * HALF
        around = TWO * PI * wide * at_row
        shift = HALF if int(row) & 1 else ZERO
        turn = turn / PI
    columns = fitting(around, apart)
    x = part_of((turn + HALF) * columns + shift) - HALF
    across = (TWO * PI * ring if ring > ZERO else around) / columns
    away = f4(math.sqrt(x * x * across * across + (v - middle) * (v - middle)))
    sharp = clear(foot, radius * TWO)
    cover = least(most((radius - away) / most(foot, f4(1e-4)) + HALF, ZERO), ONE)
    return cover * sharp + (ONE - sharp) * least(PI * radius * radius / (apart * apart), ONE)


@device
def ribbons(s: Arrays, i: int, u: np.float32, wide: np.float32, ring: np.float32, foot: np.float32) -> np.float32:
    """The share of a pixel that stripes cover: as many as fit into a face or around it, `ring` as for dots."""
    apart = s.paint[i, 9] if s.paint[i, 9] > ZERO else USUAL
    width = s.paint[i, 10] if s.paint[i, 10] > ZERO else apart * HALF
    if ring == ZERO and wide < width * HALF:
        return ZERO  # the edge of a board
    around = TWO * wide if ring == ZERO else TWO * PI * wide
    columns = fitting(around, apart)
    real = around / columns if ring == ZERO else TWO * PI * ring / columns  # stripes of a ball meet at its poles
    share = least(width / apart, ONE)
    away = (part_of(u / around * columns) - HALF) * real
    sharp = clear(foot, real)
    return stroke(away, share * HALF * real, foot) * sharp + (ONE - sharp) * share


@device
def tiles(s: Arrays, i: int, u: np.float32, v: np.float32, foot: np.float32) -> np.float32:
    """The share of a pixel that joints cover; u and v from a corner of the face."""
    side = s.paint[i, 9] if s.paint[i, 9] > ZERO else ONE
    half = s.paint[i, 10] * HALF
    across, along = part_of(u / side + HALF) - HALF, part_of(v / side + HALF) - HALF
    return most(stroke(across * side, half, foot), stroke(along * side, half, foot))
