"""Shading of one pixel: its ray, what it hits, and how that is lit. Shared by CPU and GPU."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import host_device_function
from bearleft.world.render.ground import ground
from bearleft.world.render.materials import smooth_noise, surface_paint
from bearleft.world.render.raycast import (
    ALL,
    HALF,
    LARGE,
    ONE,
    TWO,
    ZERO,
    Triple,
    f4,
    local_normal,
    maximum,
    minimum,
    misses_ball,
    to_local,
    trace,
    world_normal,
)
from bearleft.world.render.scene import LAMP_REACH, Arrays

MAX_DISTANCE = f4(1200)  # metres; beyond is sky
MAX_SHADOW = f4(600)
HAZE_HEIGHT = f4(60)  # metres of haze between the ground and the zenith
SHADOW_OFFSET = f4(0.01)  # metres from the surface at which a shadow ray starts
INVERSE_LAMP_REACH = f4(1 / LAMP_REACH**2)
VIEW, PANORAMA = 0, 1
PI = f4(math.pi)

Numbers = npt.NDArray[np.float32]
# Red, green, blue, distance, instance, part, class.
Hit = tuple[np.float32, np.float32, np.float32, np.float32, int, int, int]


@host_device_function
def ray(camera: Numbers, lens: int, x: np.float32, y: np.float32, width: np.float32, height: np.float32) -> Triple:
    """Return the direction of a point of the picture. `camera`: position, right, down, and ahead times focal length."""
    if lens == VIEW:
        a, b = x - width * HALF, y - height * HALF
        u = camera[3] * a + camera[6] * b + camera[9]
        v = camera[4] * a + camera[7] * b + camera[10]
        w = camera[5] * a + camera[8] * b + camera[11]
        length = ONE / math.sqrt(u * u + v * v + w * w)
        return u * length, v * length, w * length
    turn, up = (x / width * TWO - ONE) * PI, (HALF - y / height) * PI
    c = math.cos(up)
    a, b, q = c * math.sin(turn), -math.sin(up), c * math.cos(turn)
    return (
        f4(camera[3] * a + camera[6] * b + camera[9] * q),
        f4(camera[4] * a + camera[7] * b + camera[10] * q),
        f4(camera[5] * a + camera[8] * b + camera[11] * q),
    )


@host_device_function
def sky(light: Numbers, dx: np.float32, dy: np.float32, dz: np.float32) -> Triple:
    """Return the sky's colour: a gradient, clouds on a high plane, and the sun."""
    up = maximum(dz, ZERO)
    share = math.sqrt(up)
    r = light[12] + (light[15] - light[12]) * share
    g = light[13] + (light[16] - light[13]) * share
    b = light[14] + (light[17] - light[14]) * share
    if up > f4(0.03) and light[20] > ZERO:
        k = f4(1.8) / (up + f4(0.12))
        x, y = dx * k, dy * k
        thick = f4(0.6) * smooth_noise(x, y, 11) + f4(0.28) * smooth_noise(x * f4(2.3), y * f4(2.3), 12)
        thick += f4(0.12) * smooth_noise(x * f4(5.1), y * f4(5.1), 13)
        thick = (thick - ONE + f4(0.75) * light[20] + f4(0.22)) * f4(3.2)
        thick = minimum(maximum(thick, ZERO), ONE) * minimum(up * f4(6), ONE)
        white = f4(0.62) * thick
        to_byte = (f4(0.3) + light[6] * f4(1.5)) * (ONE - light[19]) + f4(0.02) * light[19]
        r, g, b = r + (to_byte - r) * white, g + (to_byte - g) * white, b + (to_byte * f4(1.03) - b) * white
    near = dx * light[0] + dy * light[1] + dz * light[2]
    if near > f4(0.9994):
        r, g, b = r + light[3] * f4(2), g + light[4] * f4(2), b + light[5] * f4(2)
    # Haze along the ray: less where it points up.
    haze = ONE - math.exp(-light[18] * HAZE_HEIGHT / (up + f4(0.05)))
    return f4(r + (light[12] - r) * haze), f4(g + (light[13] - g) * haze), f4(b + (light[14] - b) * haze)


@host_device_function
def lamp_light(
    s: Arrays, x: np.float32, y: np.float32, z: np.float32, nx: np.float32, ny: np.float32, nz: np.float32
) -> np.float32:
    """Return the light of street lamps on a surface."""
    side = s.grid[2]
    gx, gy = int((x - s.grid[0]) / side), int((y - s.grid[1]) / side)
    if gx < 0 or gy < 0 or gx >= int(s.grid[3]) or gy >= int(s.grid[4]):
        return ZERO
    cell = gx * int(s.grid[4]) + gy
    total = ZERO
    for j in range(s.lamp_first[cell], s.lamp_first[cell + 1]):
        k = s.lamp_item[j]
        dx, dy, dz = s.lamp[k, 0] - x, s.lamp[k, 1] - y, s.lamp[k, 2] - z
        square = dx * dx + dy * dy + dz * dz
        cut = ONE - square * INVERSE_LAMP_REACH
        if cut > ZERO:
            towards = (dx * nx + dy * ny + dz * nz) / math.sqrt(square + f4(0.01))
            total += cut * cut * maximum(towards + f4(0.15), ZERO) * f4(14) / (f4(8) + square)
    return total


@host_device_function
def trace_ray(
    s: Arrays,
    light: Numbers,
    lit_above: Numbers,
    ox: np.float32,
    oy: np.float32,
    oz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
    pixel: np.float32,
    shadows: bool,
    dynamic_objects: Numbers,
    count: int,
) -> Hit:
    """Return what a ray hits.

    `pixel` is the angle of a pixel, `lit_above` the heights per cell above which the sun shines, `dynamic_objects` rows
    of x, y, z and template, `count` of them in use.
    """
    far = MAX_DISTANCE
    down = dz < f4(-1e-6) and -oz / dz < far
    if down:
        far = -oz / dz
    # First the visible hit, then shadow rays past large and past small items. A single call site of `trace` keeps
    # the code short, and with it compile time and GPU instruction cache misses; so dynamic objects, which each ray
    # tries first, are traced there too: each is a template, traced as if it stood at the origin.
    x, y, z, u, v, w = ox, oy, oz, dx, dy, dz
    t, lit, own, night = ZERO, ZERO, ZERO, light[19]
    r, g, b, nx, ny, nz = ZERO, ZERO, ZERO, ZERO, ZERO, ONE
    hx, hy, hz = ox, oy, oz
    part, instance, kind, i = 0, 0, 0, -1
    for leg in range(3):  # ALL, LARGE, SMALL
        length, by, who = far, -1, -1
        object_index = 0 if leg == LARGE else count
        while object_index >= 0 and (by < 0 or leg == ALL):
            object_index -= 1
            template, px, py, pz = -1, x, y, z
            if object_index >= 0:
                template = int(dynamic_objects[object_index, 3])
                px, py, pz = (
                    x - dynamic_objects[object_index, 0],
                    y - dynamic_objects[object_index, 1],
                    z - dynamic_objects[object_index, 2],
                )
                if misses_ball(s, template, px, py, pz, u, v, w, length):
                    continue
            nearer, met = trace(s, px, py, pz, u, v, w, length, leg, lit_above, template)
            if met >= 0:
                length, by, who = nearer, met, object_index
        if leg != ALL:
            if by >= 0:
                lit = ZERO
                break
            continue
        t, i = length, by
        if i < 0 and not down:
            break
        hx, hy, hz = ox + t * dx, oy + t * dy, oz + t * dz
        if i < 0:
            footprint = pixel * t / math.sqrt(maximum(-dz, f4(0.002)))
            hz = ZERO
            r, g, b, kind = ground(s, hx, hy, footprint)
        else:
            # In the solid's local space, where precision does not depend on the city's size.
            x, y, z = ox, oy, oz
            if who >= 0:
                x, y, z = ox - dynamic_objects[who, 0], oy - dynamic_objects[who, 1], oz - dynamic_objects[who, 2]
            x, y, z = to_local(s.solid, i, x - s.solid[i, 9], y - s.solid[i, 10], z - s.solid[i, 11])
            u, v, w = to_local(s.solid, i, dx, dy, dz)
            x, y, z = x + t * u, y + t * v, z + t * w
            u, v, w = local_normal(s.solid, s.kind[i], i, x, y, z)
            nx, ny, nz = world_normal(s.solid, i, u, v, w)
            towards = -(nx * dx + ny * dy + nz * dz)
            if towards < ZERO:  # the back of a plate
                nx, ny, nz, towards = -nx, -ny, -nz, -towards
                u, v, w = -u, -v, -w
            footprint = pixel * t / math.sqrt(maximum(towards, f4(0.05)))
            gleam = (f4(0.25) + f4(0.75) * (ONE - towards)) * maximum(light[7] * TWO, f4(0.02))
            r, g, b, own, sub, kind = surface_paint(s, i, x, y, z, u, v, footprint, gleam, night)
            instance = int(s.mark[i, 2])
            part = int(s.mark[i, 1]) | sub << 8
            if who >= 0:
                kind = kind if kind else int(s.template_class[instance - len(s.class_of)])
                instance = len(s.class_of) + who
            elif kind == 0:
                kind = int(s.class_of[instance])
        lit = maximum(nx * light[0] + ny * light[1] + nz * light[2], ZERO)
        if lit == ZERO or not shadows:
            break
        away = SHADOW_OFFSET + f4(1e-4) * t
        x, y, z, u, v, w = hx + nx * away, hy + ny * away, hz + nz * away, light[0], light[1], light[2]
        far = minimum(MAX_SHADOW, (light[21] - z) / w)  # indoors nothing above the lid casts shadows
    if i < 0 and not down:
        r, g, b = sky(light, dx, dy, dz)
        return r, g, b, f4(math.inf), -1, 0, 0
    high = (nz + ONE) * HALF
    glow = lamp_light(s, hx, hy, hz, nx, ny, nz) * night if night > ZERO else ZERO
    lr = light[3] * lit + light[9] + (light[6] - light[9]) * high + glow + own
    lg = light[4] * lit + light[10] + (light[7] - light[10]) * high + glow * f4(0.8) + own
    lb = light[5] * lit + light[11] + (light[8] - light[11]) * high + glow * f4(0.5) + own
    haze = ONE - math.exp(-t * light[18])
    r, g, b = r * lr, g * lg, b * lb
    return (
        f4(r + (light[12] - r) * haze),
        f4(g + (light[13] - g) * haze),
        f4(b + (light[14] - b) * haze),
        t,
        int(instance),
        int(part),
        int(kind),
    )


@host_device_function
def to_byte(x: np.float32) -> int:
    """Convert linear light to a byte: a square root, which inverts the scene's colours, with highlights rolled off."""
    x = x if x < f4(0.8) else ONE - f4(0.04) / (x - f4(0.6))
    return int(minimum(math.sqrt(maximum(x, ZERO)) * f4(255) + HALF, f4(255)))


@host_device_function
def render_pixel(
    s: Arrays,
    light: Numbers,
    lit_above: Numbers,
    camera: Numbers,
    lens: int,
    column: int,
    row: int,
    width: int,
    height: int,
    samples: int,
    shadows: bool,
    pixel: np.float32,
    dynamic_objects: Numbers,
    count: int,
) -> tuple[int, int, int, np.float32, int, int, int]:
    """Return a pixel's bytes, and distance, instance, part and class at its centre."""
    w, h = f4(width), f4(height)
    red, green, blue = ZERO, ZERO, ZERO
    depth, instance, part, kind = ZERO, 0, 0, 0
    rays = samples * samples
    share = ONE / f4(samples)
    # A single ray goes through the pixel's centre; with several, the centre is one more that adds no colour.
    for k in range(rays if rays == 1 else rays + 1):
        at_centre = k == rays or rays == 1
        x = f4(column) + (HALF if at_centre else (f4(k % samples) + HALF) * share)
        y = f4(row) + (HALF if at_centre else (f4(k // samples) + HALF) * share)
        dx, dy, dz = ray(camera, lens, x, y, w, h)
        r, g, b, t, i, p, c = trace_ray(
            s,
            light,
            lit_above,
            camera[0],
            camera[1],
            camera[2],
            dx,
            dy,
            dz,
            pixel * share,
            shadows and k < rays,
            dynamic_objects,
            count,
        )
        if k < rays:
            red, green, blue = red + minimum(r, TWO), green + minimum(g, TWO), blue + minimum(b, TWO)
        if at_centre:
            depth, instance, part, kind = t, i, p, c
    share = share * share
    return to_byte(red * share), to_byte(green * share), to_byte(blue * share), depth, instance, part, kind
