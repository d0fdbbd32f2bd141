"""Landmarks: one in every square of 0.4 km2, in a park, at a dead end, or on its own plaza."""

from __future__ import annotations

import numpy as np

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.greenery import park_areas
from bearleft.world.city.names import INSCRIPTIONS, choose_texts
from bearleft.world.city.placement import (
    BLOCKS_IN_PARK,
    GAP,
    kerb_points,
    make_things,
    model_extents,
    offset,
    raster_of,
    right_of,
    select_pair,
    street_ends,
)
from bearleft.world.city.plan import AREA, Draft
from bearleft.world.city.randomness import Integers, Stage, hashes
from bearleft.world.city.raster import PARK, THING
from bearleft.world.render.codes import Ground

STAGE = Stage.LANDMARKS
SQUARE_SIZE = 632_000  # millimetres
SQUARES_PER_COLUMN, HALF_COLUMN = 65_536, 32_768  # squares are numbered column by column
CLEARANCE = 2_500  # millimetres that stay free around a landmark
MIN_STREET_POSITIONS = 15  # positions beside streets that a square needs to get a landmark
MAX_STREET_CANDIDATES = 48  # positions that are tried


def place_landmarks(draft: Draft) -> None:
    """Place landmarks, no two alike within two kilometres; run before there are buildings."""
    parks, ends, beside = _in_parks(draft), street_ends(draft)[:, :5], _beside_streets(draft)
    squares, counts = np.unique(_square_index(beside), return_counts=True)
    extents = model_extents("landmark")
    for square in squares[counts >= MIN_STREET_POSITIONS]:
        positions = beside[_square_index(beside) == square]
        order = np.argsort(hashes(draft.seed, STAGE, np.arange(len(positions)) + square * 4096, salt=2), kind="stable")
        candidates = np.concatenate(
            [
                parks[_square_index(parks) == square],
                ends[_square_index(ends) == square],
                positions[order[:MAX_STREET_CANDIDATES]],
            ]
        )
        kind = landmark_of(draft.seed, *divmod(int(square) + HALF_COLUMN, SQUARES_PER_COLUMN))
        _place_landmark(draft, candidates, kind, int(extents.half[0][kind]), int(extents.half[1][kind]), int(square))


def landmark_of(seed: int, column: int, row: int) -> int:
    """Return the landmark of a square; no other square within four in every direction has the same."""
    count = len(CLASSES[class_index("landmark")].variants)
    order = np.argsort(hashes(seed, STAGE, np.arange(count), salt=1), kind="stable")
    return int(order[(4 * column + row) % count])


def _square_index(candidates: Integers) -> Integers:
    return np.asarray(candidates[:, 0] // SQUARE_SIZE * SQUARES_PER_COLUMN + candidates[:, 1] // SQUARE_SIZE, np.int64)


def _in_parks(draft: Draft) -> Integers:
    """Return candidates in parks: x, y, direction, and 0, which means the centre."""
    areas = park_areas(draft)
    areas = areas.select(np.minimum(*areas.half) > 7_500)
    return np.stack([areas.x, areas.y, *areas.facing, 0 * areas.x], axis=1)


def _beside_streets(draft: Draft) -> Integers:
    """Return candidates behind sidewalks, facing the street."""
    points = kerb_points(draft, 40_000, phase=20_000, edge=14_000)
    return np.stack([points.x, points.y, *points.inwards, points.sidewalk_width + 500], axis=1)


def _place_landmark(draft: Draft, candidates: Integers, variant: int, hx: int, hy: int, square: int) -> None:
    """Place a landmark at the first candidate with space."""
    x, y, ux, uy, distance = candidates.T
    at, facing = offset((x, y), (-np.where(distance > 0, distance + hy + CLEARANCE, 0), (ux, uy))), (ux, uy)
    avoid = np.where(distance > 0, BLOCKS_IN_PARK | PARK, BLOCKS_IN_PARK)
    bits = raster_of(draft).covers(at, facing, (hx + CLEARANCE, hy + CLEARANCE))
    free = np.flatnonzero((bits & avoid) == 0)[:1]
    if not len(free):
        return
    at, facing = select_pair(at, free), select_pair(facing, free)
    middle = model_extents("landmark").middle
    origin = offset(at, (-int(middle[0][variant]), right_of(facing)), (-int(middle[1][variant]), facing))
    text = choose_texts(draft, INSCRIPTIONS, np.array([square]), 60)
    draft.add(make_things(draft, STAGE, "landmark", origin, facing, square, variant=variant, text=text))
    if distance[free[0]] > 0:
        raster_of(draft).mark(at, facing, (hx + CLEARANCE, hy + CLEARANCE), PARK)
        area = np.zeros(1, AREA)
        (area["x"], area["y"]), (area["ux"], area["uy"]) = at, facing
        area["hx"], area["hy"], area["ground"] = hx + CLEARANCE + 500, hy + CLEARANCE + 1_000, Ground.PLAZA
        draft.areas = np.concatenate([draft.areas, area])
    raster_of(draft).mark(at, facing, (hx + GAP, hy + GAP), THING)
