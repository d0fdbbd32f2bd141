"""Houses that close the view out of the city: beyond the ends of streets, around corners, behind parks and lots."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.greenery import OpenAreas, park_areas
from bearleft.world.city.lots import FRONTAGE_INSET, FRONTAGE_STEP, Frontages, build_along_frontages
from bearleft.world.city.placement import Vectors, offset, right_of, road_directions, running_index, select_pair
from bearleft.world.city.plan import DIRECTION_SCALE, Draft
from bearleft.world.city.randomness import Integers
from bearleft.world.city.yards import yard_areas

END_OVERHANG = 7_000  # millimetres that a front across a street's end extends beyond it on either side
PARK_GAP = 400  # millimetres between a park and the houses behind it


def fill_skyline(draft: Draft) -> None:
    """Add houses behind frontages without a street, if the city has houses."""
    if len(draft.buildings):
        build_along_frontages(draft, _frontages_along(_beyond_ends(draft)))
        build_along_frontages(draft, _frontages_along(_behind_parks(draft)))


Lines = list[tuple[Integers, Integers, Vectors, Integers, Integers]]  # start (x, y), direction, length, street


def _frontages_along(lines: Lines) -> Frontages:
    """Return frontages along lines; the houses stand on their right."""
    x, y, ux, uy, length, street = (
        np.concatenate(column)
        for column in zip(
            *((x, y, *direction, length, street) for x, y, direction, length, street in lines), strict=True
        )
    )
    long_enough = length > 12 * FRONTAGE_STEP
    x, y, ux, uy, length, street = (column[long_enough] for column in (x, y, ux, uy, length, street))
    steps = length // FRONTAGE_STEP
    line, step = np.repeat(np.arange(len(x)), steps), running_index(steps)
    along = select_pair((ux, uy), line)
    px, py = offset(select_pair((x, y), line), (step * FRONTAGE_STEP + FRONTAGE_STEP // 2, along))
    nx, ny = right_of(along)
    return Frontages(np.concatenate([[0], np.cumsum(steps)]), px, py, nx, ny, street[line])


def _beyond_ends(draft: Draft) -> Lines:
    """Return lines across the ends of streets and along their sides beyond them."""
    roads = draft.roads
    along, _ = road_directions(roads)
    count = len(roads)
    x, y = (np.concatenate([roads[axis + end] for end in "01"]).astype(np.int64) for axis in "xy")
    sign = np.repeat(np.array([-1, 1]), count)  # out of the street
    ux, uy = sign * np.tile(along[0], 2), sign * np.tile(along[1], 2)
    ends = np.flatnonzero(~_continues(x, y, ux, uy))
    street = np.tile(roads["street"].astype(np.int64), 2)[ends]
    half_width = np.tile(roads["half"].astype(np.int64) + roads["walk"], 2) - FRONTAGE_INSET
    beyond = _max_width(x, y, half_width)[ends]
    at, out, half_width = select_pair((x, y), ends), select_pair((ux, uy), ends), half_width[ends]
    left = (-out[1], out[0])
    back = (-out[0], -out[1])
    # Houses stand on the right of each line: both sides of the street continue, then a line crosses its end.
    length = beyond + 3_000
    return [
        (*offset(at, (-half_width, left)), out, length, street),
        (*offset(at, (half_width, left), (length, out)), back, length, street),
        (*offset(at, (beyond, out), (-beyond - END_OVERHANG, left)), left, 2 * (beyond + END_OVERHANG), street),
    ]


def _max_width(x: Integers, y: Integers, half_width: Integers) -> Integers:
    """Return the largest half width at the position of each end."""
    _, spot = np.unique(np.stack([x, y], axis=1), axis=0, return_inverse=True)
    spot = spot.reshape(-1)
    max_width = np.zeros(int(spot.max()) + 1, np.int64)
    np.maximum.at(max_width, spot, half_width)
    return max_width[spot]


def _continues(x: Integers, y: Integers, ux: Integers, uy: Integers) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return whether another piece continues roughly straight from each end; (ux, uy) points out of the piece."""
    order = np.lexsort((y, x))
    continues = np.zeros(len(x), np.bool_)
    spot = np.concatenate([[0], np.cumsum((np.diff(x[order]) != 0) | (np.diff(y[order]) != 0))])
    for step in range(1, 8):
        same = spot[step:] == spot[:-step]
        if not same.any():
            break
        first, second = order[:-step][same], order[step:][same]
        straight = (ux[first] * ux[second] + uy[first] * uy[second]) // DIRECTION_SCALE < -DIRECTION_SCALE // 2
        continues[first[straight]] = continues[second[straight]] = True
    return continues


def _behind_parks(draft: Draft) -> Lines:
    """Return lines along the three sides of each park and open lot that do not face its street."""
    lines: Lines = []
    for areas, margin in ((park_areas(draft), 1_400), (yard_areas(draft), 500)):
        lines += _around(areas, margin + PARK_GAP)
    return lines


def _around(areas: OpenAreas, margin: int) -> Lines:
    hx, hy = areas.half[0] + margin, areas.half[1] + margin
    street = np.full(len(areas), -1)  # without a street
    ahead, right = areas.facing, right_of(areas.facing)
    back = (-ahead[0], -ahead[1])
    return [
        (*areas.at(-hx, -hy), right, 2 * hx, street),
        (*areas.at(-hx, hy), back, 2 * hy, street),
        (*areas.at(hx, -hy), ahead, 2 * hy, street),
    ]
