"""Baking of textures: the renderer's own functions of surfaces and ground, called for every texel."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import host_device_function
from bearleft.world.render.ground import ground
from bearleft.world.render.materials import surface_paint
from bearleft.world.render.raycast import HALF, ONE, TWO, ZERO, f4, maximum, minimum
from bearleft.world.render.scene import Arrays

Floats32 = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

TexelPaint = tuple[np.float32, np.float32, np.float32, np.float32]  # red, green, blue, emitted light

# Faces of a solid. Those of boxes, tapers and plates are numbered as `mesh` lists them: -x, +x, -y, +y, -z, +z.
MANTLE, BOTTOM, TOP = 6, 7, 8
MANTLE_REACH = 1.5  # half turns of a mantle's patch either way, for triangles across its seam
SAMPLES_PER_SIDE = 32
MARGIN = 1  # texels around a patch, against bleeding
PI = f4(math.pi)
GLASS_SHEEN = f4(0.4)  # share of the sky that glass mirrors, seen at 45 degrees at noon


@host_device_function
def surface(s: Arrays, i: int, face: int, p: np.float32, q: np.float32, footprint: np.float32) -> TexelPaint:
    """Return reflected and emitted light of solid i at (p, q) of a face, each from -1 to 1."""
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
    red, green, blue, own, _, _ = surface_paint(s, i, x, y, z, a, b, footprint, GLASS_SHEEN, ZERO)
    return f4(red), f4(green), f4(blue), f4(own)


# Solids are numbered by 64 bits, as in the renderer: for others, `surface_paint` would be compiled again.
@host_device_function
def sample_faces(s: Arrays, solid: Ints, face: Ints, footprint: Floats32, colour: Floats32, varies: Floats32) -> None:
    """Sample each face's colour and emission at its centre, and the largest difference elsewhere."""
    for k in range(len(solid)):
        i, side = int(np.int64(solid[k])), int(face[k])
        r, g, b, own = surface(s, i, side, ZERO, ZERO, footprint[k] * HALF)
        colour[k, 0], colour[k, 1], colour[k, 2], colour[k, 3] = r, g, b, own
        most_off = ZERO
        for n in range(SAMPLES_PER_SIDE * SAMPLES_PER_SIDE):
            p = (f4(n % SAMPLES_PER_SIDE) + HALF) / f4(SAMPLES_PER_SIDE) * TWO - ONE
            q = (f4(n // SAMPLES_PER_SIDE) + f4(0.3)) / f4(SAMPLES_PER_SIDE) * TWO - ONE
            u, v, w, o = surface(s, i, side, p, q, footprint[k] * HALF)
            off = maximum(maximum(abs(u - r), abs(v - g)), maximum(abs(w - b), abs(o - own)))
            most_off = maximum(most_off, off)
        varies[k] = most_off


@host_device_function
def paint_patches(s: Arrays, solid: Ints, face: Ints, place: Ints, footprint: Floats32, out: Floats32) -> None:
    """Paint faces into their places of a picture (column, row, width, height), with four samples per texel."""
    for k in range(len(solid)):
        i, side = int(np.int64(solid[k])), int(face[k])
        column, row, width, height = place[k, 0], place[k, 1], place[k, 2], place[k, 3]
        reach = f4(MANTLE_REACH) if side == MANTLE else ONE
        for y in range(-MARGIN, height + MARGIN):
            for x in range(-MARGIN, width + MARGIN):
                r, g, b, own = ZERO, ZERO, ZERO, ZERO
                for n in range(4):
                    p = ((f4(x) + f4(0.25) + HALF * f4(n % 2)) / f4(width) * TWO - ONE) * reach
                    q = (f4(y) + f4(0.25) + HALF * f4(n // 2)) / f4(height) * TWO - ONE
                    p = minimum(maximum(p, -reach), reach)
                    q = minimum(maximum(q, -ONE), ONE)
                    u, v, w, o = surface(s, i, side, p, q, footprint[k] * HALF)
                    r, g, b, own = r + u, g + v, b + w, own + o
                at, on = column + x, row + y
                out[on, at, 0], out[on, at, 1], out[on, at, 2] = r * f4(0.25), g * f4(0.25), b * f4(0.25)
                out[on, at, 3] = own * f4(0.25)


@host_device_function
def paint_ground(s: Arrays, west: np.float32, north: np.float32, texel: np.float32, out: Floats32) -> None:
    """Paint the ground from above, north up: `out` begins in the north-west, with square texels."""
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
