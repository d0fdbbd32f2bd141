"""Ground colours: carriageways and markings, sidewalks, kerbs, grass, plazas. Shared by CPU and GPU."""

from __future__ import annotations

import math

import numpy as np

from bearleft.runtime.compiled import host_device_function
from bearleft.world.render.codes import Ground
from bearleft.world.render.materials import noise, smooth_noise
from bearleft.world.render.patterns import fraction, line_coverage, pattern_weight
from bearleft.world.render.raycast import HALF, INFINITE, ONE, TWO, ZERO, f4, maximum, minimum
from bearleft.world.render.scene import Arrays

ROAD, SIDEWALK, KERB, CROSSWALK, MARKING, GRASS, PLAZA, YARD = (int(k) for k in list(Ground)[1:9])
PARKING_WIDTH = f4(2.3)  # metres
KERB_WIDTH = f4(0.16)
MEDIAN_STRIP = f4(1.0)  # metres that a median takes from the lanes
CROSSWALK_DEPTH = f4(3.2)  # metres
STOP_LINE_GAP = f4(1.7)  # metres from the crosswalk to the far edge of the stop line
PAINT_OVERLAP = f4(0.4)  # metres of paint beyond the ends of a piece, so that bends show no gap

GroundPaint = tuple[np.float32, np.float32, np.float32, int]


@host_device_function
def markings(
    s: Arrays, k: int, along: np.float32, side: np.float32, footprint: np.float32
) -> tuple[np.float32, np.float32, bool]:
    """Return white and yellow paint of piece k at `along` and `side` (to the right), and whether it is a crosswalk."""
    r = s.road
    length, half = r[k, 4], r[k, 5]
    begin, end = along - r[k, 8], length - r[k, 9] - along
    zebra = int(r[k, 10])
    # Before the crosswalk at either end lies the crossing, even if all of it is on the neighbouring piece.
    in_crossing = (begin < ZERO and (r[k, 8] > ZERO or (zebra & 1) != 0)) or (
        end < ZERO and (r[k, 9] > ZERO or (zebra & 2) != 0)
    )
    whole = r[k, 8] + r[k, 9] > length - f4(0.01)  # the whole piece lies in crossings
    if whole or in_crossing or along < -PAINT_OVERLAP or along > length + PAINT_OVERLAP:
        return ZERO, ZERO, False
    at_begin = (zebra & 1) != 0 and begin >= ZERO
    at_end = (zebra & 2) != 0 and end >= ZERO
    depth = INFINITE
    if at_begin:
        depth = begin
    if at_end:
        depth = minimum(depth, end)
    if depth < CROSSWALK_DEPTH:
        if depth < f4(0.2) or abs(side) > half - f4(0.3):
            return ZERO, ZERO, True
        bar = fraction(side / f4(1.2) + f4(0.25))
        return line_coverage((bar - HALF) * f4(1.2), f4(0.3), footprint) * f4(0.9), ZERO, True
    flow, parking, lanes = int(r[k, 12]), int(r[k, 13]), int(r[k, 11])
    left = -half + (PARKING_WIDTH if parking & 1 else f4(0.3))
    right = half - (PARKING_WIDTH if parking & 2 else f4(0.3))
    white, yellow = ZERO, ZERO
    # Where the directions of a two-way street meet: in the middle, or at the median, with a line on either side of it.
    median, strip = int(r[k, 15]), ZERO
    centre, gap = ZERO, f4(0.14)
    if median > 0:
        strip = MEDIAN_STRIP
    wide = (right - left - strip) / (f4(lanes) if lanes > 1 else ONE)
    if median > 0:
        centre, gap = left + wide * f4(median) + strip * HALF, strip * HALF
    # The stop line: only on the side that approaches the crosswalk.
    if depth < CROSSWALK_DEPTH + STOP_LINE_GAP and depth > CROSSWALK_DEPTH + f4(1.2) and side > left and side < right:
        coming_to_end = at_end and end == depth
        meets = ((side > centre) if flow == 0 else (flow > 0)) == coming_to_end
        if meets:
            white = f4(0.9)
    if depth < CROSSWALK_DEPTH + STOP_LINE_GAP:
        return white, yellow, False
    if parking & 1:
        white = maximum(white, line_coverage(side - left, f4(0.05), footprint) * f4(0.7))
    if parking & 2:
        white = maximum(white, line_coverage(side - right, f4(0.05), footprint) * f4(0.7))
    if flow == 0:
        yellow = maximum(
            line_coverage(side - centre - gap, f4(0.06), footprint),
            line_coverage(side - centre + gap, f4(0.06), footprint),
        )
    if lanes < 1:
        return white, yellow, False
    lane = (side - left - (strip if side > centre else ZERO)) / wide
    on = r[k, 7] + along
    nearest = f4(math.floor(lane + HALF))
    between = nearest > HALF and nearest < f4(lanes) - HALF
    divides = abs(nearest - (f4(median) if median > 0 else f4(lanes) * HALF)) < f4(0.25)
    if between and (flow != 0 or not divides) and fraction(on / f4(9)) < f4(0.35):
        white = maximum(white, line_coverage((lane - nearest) * wide, f4(0.06), footprint) * f4(0.85))
    if flow != 0 and lane > ZERO and lane < f4(lanes):
        # Arrows in the middle of each lane at regular distances, with the flow.
        ahead = fraction(on / f4(36) * f4(flow)) * f4(36)
        off = abs(fraction(lane) - HALF) * wide
        if (ahead < f4(2.2) and off < f4(0.12)) or (
            ahead >= f4(2.2) and ahead < f4(3.6) and off < (f4(3.6) - ahead) * f4(0.42)
        ):
            white = maximum(white, f4(0.85) * pattern_weight(footprint, f4(0.8)))
    return white, yellow, False


@host_device_function
def ground(s: Arrays, x: np.float32, y: np.float32, footprint: np.float32) -> GroundPaint:
    """Return colour and class of the ground at (x, y)."""
    west, south, side = s.grid[0], s.grid[1], s.grid[2]
    across, along = int(s.grid[3]), int(s.grid[4])
    gx, gy = int((x - west) / side), int((y - south) / side)
    grain = (noise(int(math.floor(x * f4(40))), int(math.floor(y * f4(40))), 1) - HALF) * pattern_weight(
        footprint, f4(0.04)
    )
    patch = smooth_noise(x * f4(0.22), y * f4(0.22), 2)
    if x < west or y < south or gx >= across or gy >= along:
        return f4(0.2), f4(0.2), f4(0.19), YARD
    cell = gx * along + gy
    # The road piece with the nearest kerb, and the number of carriageways here.
    inner, nearness, piece, streets, street = INFINITE, INFINITE, -1, 0, -1
    best_along, best_side = ZERO, ZERO
    walk = False
    for j in range(s.road_first[cell], s.road_first[cell + 1]):
        k = s.road_item[j]
        dx, dy = x - s.road[k, 0], y - s.road[k, 1]
        u, v = s.road[k, 2], s.road[k, 3]
        on, off = dx * u + dy * v, dx * v - dy * u
        beyond = maximum(maximum(-on, on - s.road[k, 4]), ZERO)
        r = math.sqrt(off * off + beyond * beyond) - s.road[k, 5]
        if r < ZERO:
            number = int(s.road[k, 14])
            if number != street:
                streets += 1
                street = number
        if r < s.road[k, 6]:
            walk = True
        # Where two pieces of a street overlap at a bend, the one beside this point counts.
        if r + beyond < nearness:
            nearness, piece, best_along, best_side = r + beyond, k, on, off
        inner = minimum(inner, r)
    if inner < ZERO:
        tone = f4(0.05) + f4(0.014) * grain + f4(0.02) * (patch - HALF)
        white, yellow, zebra = ZERO, ZERO, False
        if streets == 1:
            white, yellow, zebra = markings(s, piece, best_along, best_side, footprint)
            half = s.road[piece, 5]
            tone -= f4(0.012) * pattern_weight(footprint, ONE) * (ONE if abs(best_side) > half - f4(0.35) else ZERO)
        wear = f4(0.75) + f4(0.25) * patch
        white, yellow = white * wear, yellow * wear
        paint = maximum(white, yellow)
        kind = CROSSWALK if zebra else (MARKING if paint > HALF else ROAD)
        r = tone + (f4(0.66) - tone) * white
        g = tone + (f4(0.66) - tone) * white
        b = tone * f4(1.06) + (f4(0.64) - tone) * white
        return r + (f4(0.6) - r) * yellow, g + (f4(0.4) - g) * yellow, b + (f4(0.04) - b) * yellow, kind
    if inner < KERB_WIDTH:
        return f4(0.36), f4(0.36), f4(0.35), KERB
    if walk:
        line = ZERO
        if inner > f4(0.3):
            d = minimum(fraction(best_along / f4(1.5)), fraction((best_side) / f4(1.5))) * f4(1.5)
            line = line_coverage(d - f4(0.02), f4(0.02), footprint)
        flag = noise(int(math.floor(best_along / f4(1.5))), int(math.floor(best_side / f4(1.5))), 3) - HALF
        tone = (
            f4(0.27)
            + f4(0.03) * grain
            + f4(0.06) * (patch - HALF)
            + f4(0.035) * flag * pattern_weight(footprint, f4(1.5))
        )
        tone *= ONE - f4(0.45) * line
        return tone, tone * f4(0.985), tone * f4(0.95), SIDEWALK
    found = YARD
    for j in range(s.area_first[cell], s.area_first[cell + 1]):
        k = s.area_item[j]
        dx, dy = x - s.area[k, 0], y - s.area[k, 1]
        u, v = s.area[k, 2], s.area[k, 3]
        if abs(dx * u + dy * v) <= s.area[k, 5] and abs(dx * v - dy * u) <= s.area[k, 4]:
            found = int(s.area[k, 6])
    if found == GRASS:
        n = f4(0.8) + f4(0.4) * patch + f4(0.5) * grain
        return f4(0.075) * n, f4(0.17) * n, f4(0.035) * n, GRASS
    if found == PLAZA:
        checks = (int(math.floor(x / TWO)) + int(math.floor(y / TWO))) & 1
        tone = f4(0.3) + f4(0.03) * grain + (f4(0.05) * pattern_weight(footprint, TWO) if checks else ZERO)
        return tone * f4(1.06), tone * f4(0.97), tone * f4(0.84), PLAZA
    tone = f4(0.15) + f4(0.03) * grain + f4(0.06) * (patch - HALF)
    green = minimum(maximum(smooth_noise(x * f4(0.05), y * f4(0.05), 4) * f4(3) - ONE, ZERO), ONE)  # weeds, in patches
    return (
        tone * (ONE - f4(0.45) * green),
        tone * (f4(0.97) + f4(0.08) * green),
        tone * (f4(0.9) - f4(0.55) * green),
        YARD,
    )
