"""Materials: surface colours from two colours and a few numbers. Shared by CPU and GPU.

Patterns finer than a pixel fade into their average: `footprint` is the width of a pixel on the surface, in metres.
"""

from __future__ import annotations

import math

import numpy as np

from bearleft.runtime.compiled import host_device_function
from bearleft.world.render.codes import Ground, Material, SolidShape
from bearleft.world.render.patterns import dots, fraction, line_coverage, pattern_weight, ribbons, tiles
from bearleft.world.render.raycast import HALF, ONE, TWO, ZERO, f4, maximum, minimum
from bearleft.world.render.scene import Arrays

PLAIN, FACADE, BRICK, STONE, GLASS, FOLIAGE, TEXT, STRIPES, BANDS, DIAGONAL = (int(k) for k in list(Material)[:10])
CHECKS, WOOD, GLOW, LAMP, SHUTTER, MURAL, PANELS, CLOTH, SHOP, DOTS, RIBBONS, TILES = (
    int(k) for k in list(Material)[10:]
)
BOX, TAPER, PLATE = int(SolidShape.BOX), int(SolidShape.TAPER), int(SolidShape.PLATE)
WINDOW = int(Ground.WINDOW)
u4 = np.uint32
DOT, LINE = f4(1 / 6), f4(7.0)

# Red, green, blue, emitted light, part within the part, class (0: the object's own).
Paint = tuple[np.float32, np.float32, np.float32, np.float32, int, int]


@host_device_function
def noise(a: int, b: int, c: int) -> np.float32:
    """Return a pseudorandom number in [0, 1) for three integers."""
    # Truncated to 32 bits after every step, so that compilers use 32-bit multiplication.
    h = int(u4((int(a) * 374761393 + int(b) * 668265263 + int(c) * 1274126177) & 0xFFFFFFFF))
    h = int(u4(((h ^ (h >> 13)) * 1103515245) & 0xFFFFFFFF))
    return f4((h ^ (h >> 15)) & 0xFFFF) * f4(1 / 65536)


@host_device_function
def smooth_noise(x: np.float32, y: np.float32, c: int) -> np.float32:
    """Return noise that changes smoothly over one unit of x and y."""
    a, b = math.floor(x), math.floor(y)
    u, v = x - f4(a), y - f4(b)
    u, v = u * u * (f4(3) - TWO * u), v * v * (f4(3) - TWO * v)
    i, j = int(a), int(b)
    low = noise(i, j, c) * (ONE - u) + noise(i + 1, j, c) * u
    high = noise(i, j + 1, c) * (ONE - u) + noise(i + 1, j + 1, c) * u
    return low * (ONE - v) + high * v


@host_device_function
def lettering(s: Arrays, text: int, u: np.float32, v: np.float32, wide: np.float32, high: np.float32) -> np.float32:
    """Return 1 inside the letters of a text, centred in 2 wide x 2 high around (0, 0), u to the reader's right."""
    count = int(s.text[text, 0])
    if count == 0:
        return ZERO
    dots = f4(6 * count - 1)
    dot = minimum(TWO * high / LINE, TWO * wide / dots)
    x, y = u / dot + dots * HALF, LINE * HALF - v / dot
    if x < ZERO or y < ZERO or x >= dots or y >= LINE:
        return ZERO
    place = int(x * DOT)
    column = int(x) - 6 * place
    if column > 4:
        return ZERO
    glyph = s.font[int(s.text[text, 1 + place])]
    return ONE if (glyph >> (5 * int(y) + column)) & 1 else ZERO


@host_device_function
def facade(
    s: Arrays,
    i: int,
    u: np.float32,
    v: np.float32,
    wide: np.float32,
    high: np.float32,
    footprint: np.float32,
    gleam: np.float32,
    night: np.float32,
) -> Paint:
    """Paint windows on a wall: u from its left edge, v from its bottom; the part is the window's column and floor."""
    p = s.paint
    r, g, b = p[i, 0], p[i, 1], p[i, 2]
    instance = s.mark[i, 2]
    ground, floor, style = p[i, 11], p[i, 10], int(p[i, 12])
    bays = maximum(math.floor(wide / p[i, 9] + f4(0.01)), 1)
    bay = wide / f4(bays)
    column, row = int(u / bay), int(math.floor((v - ground) / floor))
    fu = u / bay - f4(column)
    fv = (v - ground) / floor - f4(row)
    # Width, bottom and top of a window's opening, as shares of bay and floor.
    half_u, low, top = f4(0.27), f4(0.24), f4(0.82)
    if style == 1:
        half_u, low, top = f4(0.2), f4(0.14), f4(0.86)
    elif style == 2:
        half_u, low, top = HALF, f4(0.3), f4(0.84)
    elif style == 3:
        half_u, low, top = f4(0.485), f4(0.03), f4(0.97)
    elif style == 4:
        half_u, low, top = f4(0.41), f4(0.16), f4(0.88)
    elif style == 5:
        half_u, low, top = f4(0.4), f4(0.26), f4(0.8)
    seen = pattern_weight(footprint, bay * f4(0.35))
    off = abs(fu - HALF)
    if style == 5:
        off = abs(off - f4(0.22)) + f4(0.22)
    fine = pattern_weight(footprint, f4(0.1))
    wall = (
        ONE - f4(0.1) * fine * (ONE if fraction(v / f4(0.08)) < f4(0.2) else ZERO) if style < 2 or style == 5 else ONE
    )
    wall *= f4(0.94) + f4(0.12) * smooth_noise(u * f4(0.35), v * f4(0.35), instance)
    whole = row >= 0 and f4(row + 1) * floor + ground <= high + f4(0.01)
    in_window = whole and off <= half_u and fv >= low and fv <= top
    if style == 5 and abs(fu - HALF) < f4(0.04):
        in_window = False
    sub, kind, own = 0, 0, ZERO
    if in_window:
        sub, kind = ((column & 0xFF) + 1) | ((row + 1) & 0xFF) << 8, WINDOW
        hue = noise(column, row, instance)
        wr, wg, wb = f4(0.02) + f4(0.05) * hue, f4(0.03) + f4(0.05) * hue, f4(0.045) + f4(0.06) * hue
        # Blinds or curtains in some windows, a reflection of the sky in all.
        if style != 3 and noise(column, row, instance + 7) > f4(0.62) and fv > top - (top - low) * f4(0.9) * hue:
            wr, wg, wb = f4(0.5), f4(0.47), f4(0.4)
        sheen = gleam * (f4(0.5) if style == 3 else f4(0.22)) * (f4(0.6) + f4(0.8) * hue)
        wr, wg, wb = wr + f4(0.55) * sheen, wg + f4(0.7) * sheen, wb + f4(0.85) * sheen
        tint = f4(0.25) if style == 3 else ZERO
        wr, wg, wb = wr + tint * r, wg + tint * g, wb + tint * b
        across = fu - HALF if style != 5 else abs(fu - HALF) - f4(0.22)
        rail = abs(fv - (low + top) * HALF) * floor
        bar = ZERO
        if style == 4:
            bar = line_coverage(fraction((fu - HALF) * f4(6)) - HALF, f4(0.06), footprint * f4(3))
            bar = maximum(bar, line_coverage(fraction((fv - low) * f4(6)) - HALF, f4(0.06), footprint * f4(3)))
        elif style != 3:
            bar = maximum(
                line_coverage(rail, f4(0.035), footprint),
                line_coverage(across * bay, f4(0.02), footprint) if style == 0 else ZERO,
            )
            bar = maximum(bar, line_coverage((half_u - off) * bay, f4(0.05), footprint))
        wr, wg, wb = wr + (p[i, 3] - wr) * bar, wg + (p[i, 4] - wg) * bar, wb + (p[i, 5] - wb) * bar
        lit = noise(column, row, instance + 3) < f4(0.34)
        own = night * (f4(0.9) if lit else ZERO)
        if lit and night > ZERO:
            wr, wg, wb = maximum(wr, f4(0.8)), maximum(wg, f4(0.62)), maximum(wb, f4(0.34))
        return (
            wr * seen + (ONE - seen) * (f4(0.55) * r + f4(0.45) * wr),
            wg * seen + (ONE - seen) * (f4(0.55) * g + f4(0.45) * wg),
            wb * seen + (ONE - seen) * (f4(0.55) * b + f4(0.45) * wb),
            own,
            sub,
            kind,
        )
    trim = ZERO
    if whole and off <= half_u + f4(0.05) and style != 3:
        trim = ONE if (fv < low and fv > low - f4(0.045)) or (fv > top and fv < top + f4(0.06)) else ZERO
    if style == 3:
        trim = f4(0.8)
    elif row < 0 and v > ground - f4(0.35):
        trim = ONE  # a belt between ground floor and the floors above
    trim *= seen
    far = f4(0.7) + f4(0.3) * seen if whole else ONE  # unresolved windows darken the wall
    return (
        (r * wall + (p[i, 3] - r * wall) * trim) * far,
        (g * wall + (p[i, 4] - g * wall) * trim) * far,
        (b * wall + (p[i, 5] - b * wall) * trim) * far,
        ZERO,
        0,
        0,
    )


@host_device_function
def mix_colours(s: Arrays, i: int, share: np.float32, glow: np.float32) -> Paint:
    """Blend the second colour over the first."""
    p = s.paint
    return (
        p[i, 0] + (p[i, 3] - p[i, 0]) * share,
        p[i, 1] + (p[i, 4] - p[i, 1]) * share,
        p[i, 2] + (p[i, 5] - p[i, 2]) * share,
        glow,
        0,
        0,
    )


@host_device_function
def scale_colour(s: Arrays, i: int, by: np.float32) -> Paint:
    """Return the first colour, lighter or darker."""
    return s.paint[i, 0] * by, s.paint[i, 1] * by, s.paint[i, 2] * by, ZERO, 0, 0


@host_device_function
def in_joint(u: np.float32, v: np.float32, long: np.float32, high: np.float32, line: np.float32) -> bool:
    """Return whether a point lies in the mortar of a bond of long x high stones."""
    row = math.floor(v / high)
    shift = HALF if int(row) & 1 else ZERO
    return fraction(v / high) < line / high or fraction(u / long + shift) < line / long


@host_device_function
def shop_window(
    s: Arrays,
    i: int,
    u: np.float32,
    v: np.float32,
    wide: np.float32,
    high: np.float32,
    footprint: np.float32,
    gleam: np.float32,
    night: np.float32,
) -> Paint:
    """Paint a shop window: panes in frames, shelves of goods dimly behind them; lit at night."""
    pane = s.paint[i, 9] if s.paint[i, 9] > ZERO else f4(1.6)
    panes = f4(maximum(math.floor(wide / pane + f4(0.01)), 1))
    fu = fraction(u / wide * panes)
    edge = minimum(fu, ONE - fu) * wide / panes
    frame = maximum(line_coverage(edge, f4(0.05), footprint), line_coverage(minimum(v, high - v), f4(0.08), footprint))
    shelf = int(v / f4(0.55))
    goods = noise(int(u / f4(0.35)), shelf, s.mark[i, 2])
    here = pattern_weight(footprint, f4(0.5)) * (
        ONE if fraction(v / f4(0.55)) < f4(0.35) + f4(0.4) * goods else f4(0.25)
    )
    # Each shop has its own base colour for its goods.
    m = s.mark[i, 2]
    r = f4(0.05) + here * (f4(0.14) * noise(m, 1, 0) + f4(0.12) * noise(int(u / f4(0.35)), shelf, m))
    g = f4(0.05) + here * (f4(0.13) * noise(m, 2, 0) + f4(0.09) * noise(int(u / f4(0.35)), shelf, m + 1))
    b = f4(0.055) + here * (f4(0.12) * noise(m, 3, 0) + f4(0.08) * noise(int(u / f4(0.35)), shelf, m + 2))
    sheen = gleam * f4(0.25)
    r, g, b = r + f4(0.6) * sheen, g + f4(0.72) * sheen, b + f4(0.82) * sheen
    own = night * f4(0.85) * (ONE - frame)
    if night > ZERO:
        r, g, b = r + f4(0.42) * night, g + f4(0.36) * night, b + f4(0.24) * night
    p = s.paint
    return r + (p[i, 3] - r) * frame, g + (p[i, 4] - g) * frame, b + (p[i, 5] - b) * frame, own, 0, 0


@host_device_function
def surface_paint(
    s: Arrays,
    i: int,
    x: np.float32,
    y: np.float32,
    z: np.float32,
    a: np.float32,
    b: np.float32,
    footprint: np.float32,
    gleam: np.float32,
    night: np.float32,
) -> Paint:
    """Return the paint of solid i at its local surface point (x, y, z) with the local normal (a, b, ...).

    `gleam` is how much of the sky glass mirrors here.
    """
    material = s.mark[i, 0]
    p = s.paint
    if material == PLAIN:
        return p[i, 0], p[i, 1], p[i, 2], ZERO, 0, 0
    kind = s.kind[i]
    # u to the viewer's right, v up, in metres from the face's centre; wide and high are its half sizes.
    wide, high = p[i, 6], p[i, 8]
    u, v = -x * p[i, 6], z * p[i, 8]
    upright = True
    if kind == BOX or kind == TAPER or kind == PLATE:
        if abs(a) > HALF:
            wide = p[i, 7]
            u = y * p[i, 7] if a > ZERO else -y * p[i, 7]
        elif abs(b) > HALF:
            u = u if b > ZERO else -u
        else:
            upright = False
            high = p[i, 7]
            u, v = x * p[i, 6], y * p[i, 7]
    else:
        u = f4(math.atan2(y, x)) * p[i, 6]
    if material == FACADE:
        if not upright:
            return scale_colour(s, i, f4(0.45))
        return facade(s, i, u + wide, v + high, TWO * wide, TWO * high, footprint, gleam, night)
    if material == FOLIAGE:
        m = smooth_noise(u * f4(1.7), v * f4(1.7), s.mark[i, 2])
        n = smooth_noise(u * f4(9) + v, v * f4(9) - u, s.mark[i, 2] + 1) - HALF
        n += (smooth_noise(u * f4(23) - v, v * f4(23) + u, 7) - HALF) * pattern_weight(footprint, f4(0.05))
        return scale_colour(s, i, (f4(0.7) + f4(0.5) * m) * (ONE + n * f4(1.1) * pattern_weight(footprint, f4(0.12))))
    if material == TEXT:
        if not upright or abs(b) < HALF:
            return p[i, 0], p[i, 1], p[i, 2], ZERO, 0, 0
        fill = p[i, 9] if p[i, 9] > ZERO else f4(0.7)
        ink = ZERO
        if s.mark[i, 3] >= 0:
            ink = lettering(s, s.mark[i, 3], u, v, wide * f4(0.94), high * fill)
        return mix_colours(s, i, ink, night * f4(0.25))
    if material == GLASS:
        frame = ZERO
        if p[i, 9] > ZERO:
            d = fraction((u + wide) / p[i, 9])
            frame = line_coverage(minimum(d, ONE - d) * p[i, 9], f4(0.03), footprint)
        if p[i, 10] > ZERO:
            d = fraction((v + high) / p[i, 10])
            frame = maximum(frame, line_coverage(minimum(d, ONE - d) * p[i, 10], f4(0.03), footprint))
        sheen = gleam * f4(0.45)
        r, g, bb = p[i, 0] + f4(0.6) * sheen, p[i, 1] + f4(0.74) * sheen, p[i, 2] + f4(0.9) * sheen
        return r + (p[i, 3] - r) * frame, g + (p[i, 4] - g) * frame, bb + (p[i, 5] - bb) * frame, ZERO, 0, 0
    if material == SHOP:
        return shop_window(s, i, u + wide, v + high, TWO * wide, TWO * high, footprint, gleam, night)
    if material == GLOW:
        return p[i, 0], p[i, 1], p[i, 2], maximum(p[i, 9], night), 0, 0
    if material == LAMP:
        return p[i, 0], p[i, 1], p[i, 2], night * f4(2), 0, 0
    size = p[i, 9]
    if material == DOTS or material == RIBBONS:
        flat = kind == BOX or kind == TAPER or kind == PLATE
        if not flat and a == ZERO and b == ZERO:
            return p[i, 0], p[i, 1], p[i, 2], ZERO, 0, 0  # caps of round solids are plain
        ring = ZERO if flat else maximum(f4(math.sqrt(x * x + y * y)) * wide, f4(1e-3))
        if material == DOTS:
            return mix_colours(s, i, dots(s, i, u, v, wide, high, ring, footprint), ZERO)
        return mix_colours(s, i, ribbons(s, i, u, wide, ring, footprint), ZERO)
    if material == TILES:
        return mix_colours(s, i, tiles(s, i, u + wide, v + high, footprint), ZERO)
    if material == BRICK:
        size = p[i, 10] if p[i, 10] > ZERO else ONE
        u, v = u / size, v / size
        line = in_joint(u, v, f4(0.22), f4(0.075), f4(0.012))
        n = noise(int(math.floor(u / f4(0.22))), int(math.floor(v / f4(0.075))), 5)
        return scale_colour(
            s,
            i,
            ONE + pattern_weight(footprint / size, f4(0.1)) * ((f4(0.35) if line else ZERO) + (n - HALF) * f4(0.3)),
        )
    if material == STONE:
        size = size if size > ZERO else f4(0.45)
        line = in_joint(u, v, size * f4(2), size, f4(0.02))
        n = noise(int(math.floor(u / size * HALF)), int(math.floor(v / size)), 5)
        return scale_colour(
            s, i, ONE + pattern_weight(footprint, f4(0.06)) * (f4(-0.3) if line else (n - HALF) * f4(0.12))
        )
    if material == WOOD:
        size = size if size > ZERO else f4(0.15)
        n = noise(int(math.floor(v / size)), 3, s.mark[i, 2])
        line = fraction(v / size) < f4(0.1)
        return scale_colour(
            s, i, ONE + pattern_weight(footprint, size * HALF) * (f4(-0.4) if line else (n - HALF) * f4(0.4))
        )
    if material == SHUTTER:
        size = size if size > ZERO else f4(0.12)
        return scale_colour(s, i, ONE - pattern_weight(footprint, size) * f4(0.5) * fraction(v / size))
    if material == PANELS:
        size = size if size > ZERO else ONE
        line = fraction((u + wide) / size) < f4(0.02) / size or fraction((v + high) / size) < f4(0.02) / size
        return scale_colour(s, i, ONE - pattern_weight(footprint, f4(0.06)) * (f4(0.4) if line else ZERO))
    if material == CLOTH:
        return scale_colour(s, i, f4(0.85) + f4(0.3) * smooth_noise((u + v * f4(0.4)) * f4(7), v, s.mark[i, 2]))
    if material == MURAL:
        n = int(smooth_noise(u * f4(0.8), v * f4(0.8), s.mark[i, 2]) * f4(9))
        m = s.mark[i, 2]
        return f4(0.6) * noise(n, 1, m), f4(0.6) * noise(n, 2, m), f4(0.6) * noise(n, 3, m), ZERO, 0, 0
    size = size if size > ZERO else f4(0.3)
    at = u + wide
    if material == BANDS:
        at = v + high
    elif material == DIAGONAL:
        at = u + v + wide + high
    share = ONE if int(math.floor(at / size)) & 1 else ZERO
    if material == CHECKS:
        share = ONE if (int(math.floor((u + wide) / size)) + int(math.floor((v + high) / size))) & 1 else ZERO
    sharp = pattern_weight(footprint, size)
    return mix_colours(s, i, share * sharp + HALF * (ONE - sharp), ZERO)
