"""Ray casting: where a ray first hits the scene. Numba compiles the same code for CPU and GPU.

Everything is single precision, so numbers are float32 constants; only `math` is used, which CUDA supports. A solid is
one of `codes.SolidShape` inside [-1, 1]^3; a ray is mapped into that space by the solid's inverse matrix and keeps its
parameter t, the distance in metres. Solids are grouped into items with an axis-aligned bounding box, items into the
cells of a flat grid. A ray walks from cell to cell. It tests an item only in the cell where it enters the item's box,
so each item is tested once. Every template has a cell of its own, stored after the cells of the grid. To test a dynamic
object, a ray visits only the cell of its template, with coordinates relative to the object.
"""

from __future__ import annotations

import math

import numpy as np

from bearleft.runtime.compiled import host_device_function
from bearleft.world.render.codes import Outline, SolidShape
from bearleft.world.render.scene import Arrays, Floats32

f4 = np.float32
ZERO, HALF, ONE, TWO = f4(0), f4(0.5), f4(1), f4(2)
EPSILON, MIN_DISTANCE, SLACK, MISS = f4(1e-9), f4(1e-3), f4(2e-3), f4(-1)
INFINITE = f4(1e30)
UINT_ONE = np.uint32(1)
ALL, LARGE, SMALL = 0, 1, 2  # items to search

BOX, CYLINDER, ELLIPSOID, CONE, TAPER = (int(k) for k in list(SolidShape)[:5])
RECTANGLE, DISC, RING, OCTAGON, TRIANGLE, YIELD, DIAMOND, BARS, LATTICE = (int(k) for k in list(Outline)[:9])
DIAGONAL = f4(math.sqrt(2.0))

Triple = tuple[np.float32, np.float32, np.float32]


@host_device_function
def minimum(a: np.float32, b: np.float32) -> np.float32:
    """Return the smaller of two numbers; not `min`, which some of numba's CUDA targets lack."""
    return a if a < b else b


@host_device_function
def maximum(a: np.float32, b: np.float32) -> np.float32:
    """Return the larger of two numbers."""
    return a if a > b else b


@host_device_function
def inverse(x: np.float32) -> np.float32:
    """Return 1 / x, large but finite near zero."""
    return ONE / (x if abs(x) > EPSILON else (EPSILON if x >= ZERO else -EPSILON))


@host_device_function
def to_local(m: Floats32, i: int, x: np.float32, y: np.float32, z: np.float32) -> Triple:
    """Transform a world vector into the space of solid i."""
    return (
        m[i, 0] * x + m[i, 1] * y + m[i, 2] * z,
        m[i, 3] * x + m[i, 4] * y + m[i, 5] * z,
        m[i, 6] * x + m[i, 7] * y + m[i, 8] * z,
    )


@host_device_function
def hit_box(x: np.float32, y: np.float32, z: np.float32, u: np.float32, v: np.float32, w: np.float32) -> np.float32:
    """Return where (x, y, z) + t (u, v, w) enters the cube, or leaves it from inside."""
    iu, iv, iw = inverse(u), inverse(v), inverse(w)
    a, b, c = abs(iu), abs(iv), abs(iw)
    t_in = maximum(maximum(-x * iu - a, -y * iv - b), -z * iw - c)
    t_out = minimum(minimum(-x * iu + a, -y * iv + b), -z * iw + c)
    if t_in > t_out:
        return MISS
    return t_in if t_in > MIN_DISTANCE else t_out


@host_device_function
def hit_ball(x: np.float32, y: np.float32, z: np.float32, u: np.float32, v: np.float32, w: np.float32) -> np.float32:
    """Return where a ray hits the unit ball."""
    a = u * u + v * v + w * w
    # From the nearest approach: for distant balls b * b - a * c would lose its precision.
    t = -(x * u + y * v + z * w) / a
    x, y, z = x + t * u, y + t * v, z + t * w
    c = ONE - (x * x + y * y + z * z)
    if c < ZERO:
        return MISS
    q = math.sqrt(c / a)
    return t - q if t - q > MIN_DISTANCE else t + q


@host_device_function
def hit_cone(
    x: np.float32, y: np.float32, z: np.float32, u: np.float32, v: np.float32, w: np.float32, top: np.float32
) -> np.float32:
    """Return where a ray hits an upright cone of radius 1 below and `top` above; a cylinder where they are equal."""
    slope = (top - ONE) * HALF
    # From the nearest approach to the axis, for precision.
    across = u * u + v * v
    shift = ZERO if across < EPSILON else -(x * u + y * v) / across
    x, y, z = x + shift * u, y + shift * v, z + shift * w
    r = ONE + slope * (z + ONE)
    a = across - slope * slope * w * w
    b = x * u + y * v - r * slope * w
    c = x * x + y * y - r * r
    best = INFINITE
    if abs(a) > EPSILON:
        d = b * b - a * c
        if d >= ZERO:
            q = math.sqrt(d)
            for sign in (-ONE, ONE):
                t = (-b + sign * q) / a
                h = z + t * w
                if t + shift > MIN_DISTANCE and t < best and abs(h) <= ONE:
                    best = t
    iw = inverse(w)
    for cap in (-ONE, ONE):
        t = (cap - z) * iw
        px, py = x + t * u, y + t * v
        limit = top if cap > ZERO else ONE
        if t + shift > MIN_DISTANCE and t < best and px * px + py * py <= limit * limit:
            best = t
    return best + shift if best < INFINITE else MISS


@host_device_function
def hit_taper(
    x: np.float32,
    y: np.float32,
    z: np.float32,
    u: np.float32,
    v: np.float32,
    w: np.float32,
    side: np.float32,
    front: np.float32,
    back: np.float32,
) -> np.float32:
    """Return where a ray hits a box whose sides lean inwards: six planes, n . p <= d."""
    t_in, t_out = -INFINITE, INFINITE
    side, front, back = side * HALF, front * HALF, back * HALF
    for k in range(6):
        if k == 0:
            at, by = x + side * z - ONE + side, u + side * w
        elif k == 1:
            at, by = -x + side * z - ONE + side, -u + side * w
        elif k == 2:
            at, by = y + front * z - ONE + front, v + front * w
        elif k == 3:
            at, by = -y + back * z - ONE + back, -v + back * w
        elif k == 4:
            at, by = z - ONE, w
        else:
            at, by = -z - ONE, -w
        t = -at * inverse(by)
        if by < ZERO:
            t_in = maximum(t_in, t)
        else:
            t_out = minimum(t_out, t)
    if t_in > t_out:
        return MISS
    return t_in if t_in > MIN_DISTANCE else t_out


@host_device_function
def on_plate(outline: int, x: np.float32, z: np.float32, a: np.float32, b: np.float32, c: np.float32) -> bool:
    """Return whether a point of the unit square belongs to a plate of this outline."""
    if outline == RECTANGLE:
        return True
    if outline == BARS or outline == LATTICE:
        p = (x + ONE) * HALF * a
        share = b if outline == BARS else c
        if abs(p - math.floor(p) - HALF) <= share * HALF:
            return True
        if outline == BARS:
            return False
        p = (z + ONE) * HALF * b
        return abs(p - math.floor(p) - HALF) <= share * HALF
    if outline == DISC:
        return x * x + z * z <= ONE
    if outline == RING:
        r = x * x + z * z
        return r <= ONE and r >= a * a
    if outline == OCTAGON:
        return abs(x) + abs(z) <= DIAGONAL
    if outline == TRIANGLE:
        return abs(x) * TWO <= ONE - z
    if outline == YIELD:
        return abs(x) * TWO <= ONE + z
    if outline == DIAMOND:
        return abs(x) + abs(z) <= ONE
    return z <= ZERO or x * x + z * z <= ONE


@host_device_function
def hit_solid(
    m: Floats32,
    kind: int,
    i: int,
    ox: np.float32,
    oy: np.float32,
    oz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
) -> np.float32:
    """Return the distance at which the ray hits solid i; negative for a miss."""
    x, y, z = to_local(m, i, ox - m[i, 9], oy - m[i, 10], oz - m[i, 11])
    u, v, w = to_local(m, i, dx, dy, dz)
    if kind == BOX:
        return hit_box(x, y, z, u, v, w)
    if kind == CYLINDER:
        return hit_cone(x, y, z, u, v, w, ONE)
    if kind == ELLIPSOID:
        return hit_ball(x, y, z, u, v, w)
    if kind == CONE:
        return hit_cone(x, y, z, u, v, w, m[i, 12])
    if kind == TAPER:
        return hit_taper(x, y, z, u, v, w, m[i, 12], m[i, 13], m[i, 14])
    t = -y * inverse(v)
    px, pz = x + t * u, z + t * w
    if (
        t <= MIN_DISTANCE
        or abs(px) > ONE
        or abs(pz) > ONE
        or not on_plate(int(m[i, 12]), px, pz, m[i, 13], m[i, 14], m[i, 15])
    ):
        return MISS
    return t


@host_device_function
def misses_ball(
    s: Arrays,
    template: int,
    ox: np.float32,
    oy: np.float32,
    oz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
    far: np.float32,
) -> bool:
    """Return whether a ray misses the bounding ball of a template at the origin, or ends before it."""
    x, y, z, r = s.ball[template, 0] - ox, s.ball[template, 1] - oy, s.ball[template, 2] - oz, s.ball[template, 3]
    t = x * dx + y * dy + z * dz
    x, y, z = x - t * dx, y - t * dy, z - t * dz
    misses: bool = x * x + y * y + z * z > r * r or t < -r or t - r > far
    return misses


@host_device_function
def trace(
    s: Arrays,
    ox: np.float32,
    oy: np.float32,
    oz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
    far: np.float32,
    among: int,
    above: Floats32,
    template: int,
) -> tuple[np.float32, int]:
    """Return the nearest solid before `far` among ALL items, or any among LARGE or SMALL items; -1 for none.

    A ray towards the sun ends where it rises above everything that could block it, see `shadow_bounds`. With a
    `template` (else -1) only its solids are tested, around the origin.
    """
    best, found = far, -1
    cell_first, cell_small, cell_item, box = s.cell_first, s.cell_small, s.cell_item, s.box
    item_first, solid, kind = s.item_first, s.solid, s.kind
    ix, iy, iz = inverse(dx), inverse(dy), inverse(dz)
    x0, y0, side = s.grid[0], s.grid[1], s.grid[2]
    across, along, ceiling = int(s.grid[3]), int(s.grid[4]), s.grid[5]
    gx, gy = int((ox - x0) / side), int((oy - y0) / side)
    # A ray along one axis steps forwards on the other, consistent with `inverse`.
    step_x, step_y = (1 if dx >= ZERO else -1), (1 if dy >= ZERO else -1)
    by_x, by_y = side * abs(ix), side * abs(iy)
    to_x = (x0 + f4(gx + (1 if dx >= ZERO else 0)) * side - ox) * ix
    to_y = (y0 + f4(gy + (1 if dy >= ZERO else 0)) * side - oy) * iy
    t_cell, since = ZERO, -INFINITE
    going = gx >= 0 and gy >= 0 and gx < across and gy < along
    if template >= 0:
        gx, gy, to_x, to_y, going = across, template, INFINITE, INFINITE, True
    while going and t_cell < best:
        t_next = minimum(to_x, to_y)
        cell = gx * along + gy
        t_end = minimum(t_next, best)
        low = oz + dz * (t_cell if dz > ZERO else t_end)
        high = oz + dz * (t_end if dz > ZERO else t_cell) + SLACK
        if among != ALL and low > above[cell, among - 1]:
            break
        if low <= s.top[cell, among]:
            small = cell_small[cell]
            k = small if among == SMALL else cell_first[cell]
            end = small if among == LARGE else cell_first[cell + 1]
            while k < end:
                if box[k, 2] > high:
                    # Sorted from the ground up: all following items begin higher.
                    if among == ALL and k < small:
                        k = small
                        continue
                    break
                a, b = (box[k, 0] - ox) * ix, (box[k, 3] - ox) * ix
                t_in, t_out = minimum(a, b), maximum(a, b)
                a, b = (box[k, 1] - oy) * iy, (box[k, 4] - oy) * iy
                t_in, t_out = maximum(t_in, minimum(a, b)), minimum(t_out, maximum(a, b))
                a, b = (box[k, 2] - oz) * iz, (box[k, 5] - oz) * iz
                t_in, t_out = maximum(t_in, minimum(a, b)), minimum(t_out, maximum(a, b))
                if t_in <= t_out and t_out > ZERO and t_in < best and t_in >= since and t_in <= t_next + SLACK:
                    item = cell_item[k]
                    for i in range(item_first[item], item_first[item + 1]):
                        t = hit_solid(solid, kind[i], i, ox, oy, oz, dx, dy, dz)
                        if t > MIN_DISTANCE and t < best:
                            best, found = t, np.int64(i)
                            if among != ALL:
                                return best, found
                k += UINT_ONE
        elif dz > ZERO and low > ceiling:
            break
        t_cell = t_next
        since = t_next - SLACK
        if to_x < to_y:
            gx += step_x
            to_x += by_x
        else:
            gy += step_y
            to_y += by_y
        going = gx >= 0 and gy >= 0 and gx < across and gy < along
    return best, found


@host_device_function
def local_normal(m: Floats32, kind: int, i: int, x: np.float32, y: np.float32, z: np.float32) -> Triple:
    """Return the outward normal of solid i in its local space at the surface point (x, y, z)."""
    if kind == ELLIPSOID:
        return x, y, z
    if kind == BOX or kind == TAPER:
        side = front = back = ZERO
        if kind == TAPER:
            side, front, back = m[i, 12] * HALF, m[i, 13] * HALF, m[i, 14] * HALF
        up = z + ONE
        a, b, c = abs(x) + side * up, y + front * up, -y + back * up
        outer = maximum(maximum(a, b), maximum(c, abs(z)))
        if outer == a:
            return (ONE if x > ZERO else -ONE), ZERO, side
        if outer == b:
            return ZERO, ONE, front
        if outer == c:
            return ZERO, -ONE, back
        return ZERO, ZERO, (ONE if z > ZERO else -ONE)
    if kind == CYLINDER or kind == CONE:
        slope = ZERO if kind == CYLINDER else (m[i, 12] - ONE) * HALF
        r = math.sqrt(x * x + y * y)
        if abs(z) > r / maximum(ONE + slope * (z + ONE), EPSILON):
            return ZERO, ZERO, (ONE if z > ZERO else -ONE)
        return x, y, -slope * r
    return ZERO, ONE, ZERO


@host_device_function
def world_normal(m: Floats32, i: int, a: np.float32, b: np.float32, c: np.float32) -> Triple:
    """Transform a local normal of solid i into a unit vector of the world."""
    x = m[i, 0] * a + m[i, 3] * b + m[i, 6] * c
    y = m[i, 1] * a + m[i, 4] * b + m[i, 7] * c
    z = m[i, 2] * a + m[i, 5] * b + m[i, 8] * c
    length = ONE / math.sqrt(x * x + y * y + z * z)
    return x * length, y * length, z * length
