"""Paint as texels: the renderer's own functions of surfaces and ground, called for every texel of a picture."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import device
from bearleft.world.render.ground import ground
from bearleft.world.render.materials import painted
from bearleft.world.render.raycast import HALF, ONE, TWO, ZERO, f4, least, most
from bearleft.world.render.scene import Arrays

Floats32 = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

Seen = tuple[np.float32, np.float32, np.float32, np.float32]  # red, green, blue, own light

# Faces of a solid. Those of boxes, tapers and plates are numbered as `mesh` lists them: -x, +x, -y, +y, -z, +z.
MANTLE, BOTTOM, TOP = 6, 7, 8
ROUND = 1.5  # a mantle's patch goes so many half turns either way, for triangles that reach over its seam
TRIES = 32
MARGIN = 1  # texels around a patch, so that neighbours do not bleed into it
PI = f4(math.pi)
SHEEN = f4(0.4)  # what glass mirrors of the sky, seen at 45 degrees at noon


@device
def surface(s: Arrays, i: int, face: int, p: np.float32, q: np.float32, foot: np.float32) -> Seen:
    """The share of light that solid i throws back at (p, q) of a face, each from -1 to 1, and how much it shines."""
    x, y, z, a, b = p, q, q, ZERO, ZERO
    if face < 2:
        a = ONE if face == 1 else -ONE
        x, y = a, p
    elif face < 4:
        b = ONE if face == 3 else -ONE
        y = b
    elif face < 6:
        z = ONE if face == 5 else -ONE
    elif face == MANTLE:
        x, y = f4(math.cos(p * PI)), f4(math.sin(p * PI))
        a, b = x, y
    else:
        x, y, z = ONE, ZERO, (ONE if face == TOP else -ONE)
    red, green, blue, own, _, _ = painted(s, i, x, y, z, a, b, foot, SHEEN, ZERO)
    return f4(red), f4(green), f4(blue), f4(own)


@device
def tried(s: Arrays, solid: Ints, face: Ints, foot: Floats32, colour: Floats32, varies: Floats32) -> None:
    """Each face's colour and shine in its middle, and by how much it differs elsewhere, for texels `foot` m wide."""
    for k in range(len(solid)):
        i, side = int(solid[k]), int(face[k])
        r, g, b, own = surface(s, i, side, ZERO, ZERO, foot[k] * HALF)
        colour[k, 0], colour[k, 1], colour[k, 2], colour[k, 3] = r, g, b, own
        most_off = ZERO
        for n in range(TRIES * TRIES):
            p = (f4(n % TRIES) + HALF) / f4(TRIES) * TWO - ONE
            q = (f4(n // TRIES) + f4(0.3)) / f4(TRIES) * TWO - ONE
            u, v, w, o = surface(s, i, side, p, q, foot[k] * HALF)
            off = most(most(abs(u - r), abs(v - g)), most(abs(w - b), abs(o - own)))
            most_off = most(most_off, off)
        varies[k] = most_off


@device
def patches(s: Arrays, solid: Ints, face: Ints, place: Ints, foot: Floats32, out: Floats32) -> None:
    """Paints faces into their places of a picture: column, row, width, height; four samples a texel."""
    for k in range(len(solid)):
        i, side = int(solid[k]), int(face[k])
        column, row, width, height = place[k, 0], place[k, 1], place[k, 2], place[k, 3]
        reach = f4(ROUND) if side == MANTLE else ONE
        for y in range(-MARGIN, height + MARGIN):
            for x in range(-MARGIN, width + MARGIN):
                r, g, b, own = ZERO, ZERO, ZERO, ZERO
                for n in range(4):
                    p = ((f4(x) + f4(0.25) + HALF * f4(n % 2)) / f4(width) * TWO - ONE) * reach
                    q = (f4(y) + f4(0.25) + HALF * f4(n // 2)) / f4(height) * TWO - ONE
                    p = least(most(p, -reach), reach)
                    q = least(most(q, -ONE), ONE)
                    u, v, w, o = surface(s, i, side, p, q, foot[k] * HALF)
                    r, g, b, own = r + u, g + v, b + w, own + o
                at, on = column + x, row + y
                out[on, at, 0], out[on, at, 1], out[on, at, 2] = r * f4(0.25), g * f4(0.25), b * f4(0.25)
                out[on, at, 3] = own * f4(0.25)


@device
def terrain(s: Arrays, west: np.float32, north: np.float32, texel: np.float32, out: Floats32) -> None:
    """The ground from above, north up: `out` begins in the north-west, with square texels."""
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            r, g, b = ZERO, ZERO, ZERO
            for n in range(4):
                x = west + (f4(column) + f4(0.25) + HALF * f4(n % 2)) * texel
                y = north - (f4(row) + f4(0.25) + HALF * f4(n // 2)) * texel
                u, v, w, _ = ground(s, x, y, texel * HALF)
                r, g, b = r + u, g + v, b + w
            out[row, column, 0] = r * f4(0.25)
            out[row, column, 1] = g * f4(0.25)
            out[row, column, 2] = b * f4(0.25)
