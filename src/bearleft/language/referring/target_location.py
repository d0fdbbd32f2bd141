"""Locations of the target relative to objects: on a part, at a distance, between two, level with one, on a window."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bearleft.geometry import angle_between
from bearleft.language.referring.view import (
    PLAIN_GAP,
    SLIGHT_GAP,
    WALDO_HEIGHT,
    WALDO_WIDTH,
    Side,
    ViewBox,
    angle_to,
    cast_directions,
    clamped_direction,
    first_on_surface,
    interpolate,
    move_onto_surface,
    offset_from_box,
    seam_pitch,
    signed_turn,
    vertical_runs,
)
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Direction

Part = tuple[int, int]
Edge = Literal["", "ceiling", "floor"]
Body = Literal["", "head", "feet", "hand"]
CENTRE_PART: Part = (0, 0)


@dataclass(frozen=True, slots=True)
class Feet:
    """A distance in feet, at the distance of the anchor."""

    count: float


# Distance from an edge in Waldos or in feet: None without a measure, 0 for "just" or "slightly".
Measure = float | Feet | None
MEASURES: tuple[Measure, ...] = (0.0, None, 0.5, 1.0, 1.5, 2.0, 3.0)
FAR_WALDOS = 1.6  # Waldos of "far above", said without Waldo
FEET: tuple[Feet, ...] = tuple(map(Feet, (0.25, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)))
FOOT = 0.3048  # metres
MAX_FEET_DISTANCE = 9.0  # metres of anchors from which feet can be estimated
CLOSER_SHARE = 0.25  # of the way to the second, for "closer to the first"
MIN_PART_SIZE, MIN_HALF_SIZE = 7.0, 14.0  # degrees of objects with sides, and with halves
MAX_TOUCH_ERROR = 3.5  # degrees between Waldo's edge and what it touches
MIN_HALFWAY = 14.0  # degrees between an object and the ceiling that have a middle
# Surfaces that one looks up or down to, straight from an object.
STRAIGHT_SURFACES = frozenset(("ceiling", "floor", "sky", "road", "sidewalk", "grass", "plaza", "crosswalk", "ground"))
MIN_WINDOW_SIZE = 2.5  # degrees of height of windows that can be counted
_EDGE_STEPS = np.arange(-3.0, 3.5, 1.0)  # degrees around the edge of an object at which it is looked for
MIN_EDGE_HITS = 5  # of all steps in both directions
# How far readers may be off: shares of a distance in feet or in Waldos, whose size they do not see, and of the size of
# an object whose middle or side is meant, and degrees of "just above" and "above".
FEET_ERROR, WALDO_ERROR, FAR_ERROR, PART_ERROR, SLIGHT_ERROR, PLAIN_ERROR = 0.5, 0.7, 0.6, 0.15, 1.5, 3.0
EDGE_ERROR = 0.08  # of the size of a large object, whose edges slope in perspective
MAX_FAR_ERROR = 7.0  # degrees from what "far above" means


@dataclass(frozen=True, slots=True)
class TargetLocation:
    """The content of a last sentence; `moves` lead away from the anchor's edges, at most one per axis."""

    anchor: ViewBox
    part: Part = CENTRE_PART
    moves: tuple[tuple[Side, Measure], ...] = ()
    other: ViewBox | None = None
    share: float | None = None  # of the way to the other, for "between"
    level: Part | None = None  # the part of the other at the same height
    window: int = 0  # ordinal, counted upwards or downwards from the anchor
    surface: str = ""
    toward: Edge = ""  # "halfway between it and the ceiling"
    body: Body = ""  # the part of Waldo that touches something
    touched: Edge = ""  # what it touches: the anchor, or an edge of the wall
    named_part: str = ""  # the word for the part of an object that the anchor is


def measure_degrees(measure: Measure, side: Side, distance: float = 0.0) -> float:
    """Return the degrees of a measure; `distance` is that of the anchor in metres."""
    if isinstance(measure, Feet):
        return math.degrees(math.atan2(measure.count * FOOT, max(distance, 1.0)))
    if not measure:
        return PLAIN_GAP if measure is None else SLIGHT_GAP
    return measure * (WALDO_HEIGHT if side in ("above", "below") else WALDO_WIDTH)


def resolve(location: TargetLocation, scene: SceneIndex, place: int) -> Direction:
    """Return the direction of a location."""
    direction = clamped_direction(*box_location(location))
    anchor = location.anchor
    if location.window:
        side = location.moves[0][0] if location.moves else "above"
        direction = nth_window(scene, place, anchor, side, location.window) or direction
    if location.toward:
        seam = seam_pitch(scene, place, anchor.heading, location.toward)
        if seam is not None:
            edge = anchor.top if location.toward == "ceiling" else anchor.bottom
            return clamped_direction(anchor.heading, (edge + seam) / 2)
    if location.touched:
        seam = seam_pitch(scene, place, direction.heading, location.touched)
        if seam is not None:
            half = WALDO_HEIGHT / 2
            return clamped_direction(direction.heading, seam - half if location.touched == "ceiling" else seam + half)
    beyond = _straight_onto(location)
    if beyond is not None:
        up, start, gap = beyond
        return first_on_surface(scene, place, direction.heading, start, up, location.surface, gap) or direction
    return move_onto_surface(scene, place, direction, location.surface) if location.surface else direction


def _straight_onto(location: TargetLocation) -> tuple[bool, float, float] | None:
    """Return whether a surface is above, where the way to it starts, and the degrees from its edge.

    This is for "on the ceiling above the lamp" and "on the ceiling far above the lamp".
    """
    if location.surface not in STRAIGHT_SURFACES or len(location.moves) != 1 or location.body or location.level:
        return None
    side, measure = location.moves[0]
    if measure not in (None, FAR_WALDOS) or side not in ("above", "below"):
        return None
    start = location.anchor.top if side == "above" else location.anchor.bottom
    return side == "above", start, measure_degrees(measure, side)


def box_location(location: TargetLocation) -> tuple[float, float]:
    """Return heading and pitch of a location, as far as boxes determine it."""
    anchor, other = location.anchor, location.other
    if location.share is not None and other is not None:
        return interpolate(anchor, other, location.share)
    if not location.moves:
        part_box = anchor.part(*location.part)
        heading, pitch = part_box.heading, part_box.pitch
    else:
        pitch = math.nan
        # Vertical moves first: the width of Waldo depends on his pitch.
        for side, measure in sorted(location.moves, key=lambda move: move[0] in ("left", "right")):
            box, part = (anchor, location.part) if math.isnan(pitch) else (replace(anchor, pitch=pitch), CENTRE_PART)
            gap = measure_degrees(measure, side, anchor.distance)
            if location.body and not location.touched:
                gap = touching_gap(side)
            heading, pitch = offset_from_box(box, side, gap, part)
    if location.level is not None and other is not None:
        pitch = other.part(*location.level).pitch
    return heading, pitch


def reader_error(location: TargetLocation) -> float:
    """Return by how many degrees a careful reader may miss a location, since its words leave some play."""
    anchor, other = location.anchor, location.other
    level = math.cos(math.radians(anchor.pitch))
    if location.share is not None and other is not None:
        # Between the centres, or between the edges that face each other.
        between = abs(anchor.width - other.width) / 4 * level
        return math.hypot(between, PART_ERROR * abs(signed_turn(anchor.heading, other.heading)) * level)
    across, upward = PART_ERROR * anchor.width * level, PART_ERROR * (anchor.top - anchor.bottom)
    for side, measure in location.moves:
        if measure:
            share = FEET_ERROR if isinstance(measure, Feet) else FAR_ERROR if measure == FAR_WALDOS else WALDO_ERROR
            error = share * measure_degrees(measure, side, anchor.distance)
        else:
            error = PLAIN_ERROR if measure is None else SLIGHT_ERROR
            error += EDGE_ERROR * max(anchor.width * level, anchor.top - anchor.bottom)
        if location.body:
            error = SLIGHT_ERROR
        if side in ("above", "below"):
            upward = error
        else:
            across = error
    if location.level is not None:
        upward = PLAIN_ERROR
    return math.hypot(across, upward)


def is_at_object(location: TargetLocation, scene: SceneIndex, place: int) -> bool:
    """Return whether the part or edge of the anchor that a location starts from is there, not only its box."""
    anchor = location.anchor
    if not anchor.instance or (location.part == CENTRE_PART and not location.moves):
        return True
    start = anchor.part(*location.part)
    heading, pitch = start.heading, start.pitch
    for side, _ in location.moves:
        if side in ("above", "below"):
            pitch = anchor.top if side == "above" else anchor.bottom
        else:
            heading = anchor.left if side == "left" else anchor.left + anchor.width
    across, upward = (grid.ravel() for grid in np.meshgrid(_EDGE_STEPS, _EDGE_STEPS))
    headings = heading + across / max(math.cos(math.radians(pitch)), 0.3)
    hits = cast_directions(scene, place, headings % 360.0, np.clip(pitch + upward, -89.0, 89.0))
    owners = scene.plan.things["owner"][np.maximum(hits.instance - 1, 0)].astype(np.int64) + 1
    on_it = (hits.instance == anchor.instance) | ((hits.instance > 0) & (owners == anchor.instance))
    return int(on_it.sum()) >= MIN_EDGE_HITS


def touching_gap(side: Side) -> float:
    """Return the degrees from an object to the centre of Waldo when he touches it."""
    return (WALDO_HEIGHT if side in ("above", "below") else WALDO_WIDTH) / 2


def nth_window(scene: SceneIndex, place: int, anchor: ViewBox, side: Side, number: int) -> Direction | None:
    """Return the centre of the n-th window above or below a box."""
    up = side != "below"
    runs = vertical_runs(scene, place, anchor.heading, anchor.top if up else anchor.bottom, up)
    rows = runs.windows()
    if not 0 < number <= len(rows):
        return None
    k = rows[number - 1]
    return clamped_direction(anchor.heading, float(runs.low[k] + runs.high[k]) / 2)


def location_candidates(target: Direction, anchors: Sequence[ViewBox], tolerance: float) -> Iterator[TargetLocation]:
    """Yield locations of a target relative to anchors, in their order, that are near enough by boxes."""
    for anchor in anchors:
        yield from _single_anchor_candidates(anchor, target)
    for anchor in anchors[:8]:
        for other in anchors:
            if other.instance != anchor.instance:
                yield from _two_anchor_candidates(anchor, other, target, tolerance)


def _single_anchor_candidates(anchor: ViewBox, target: Direction) -> Iterator[TargetLocation]:
    middle = anchor.left + anchor.width / 2
    offset = signed_turn(middle, target.heading)
    height = anchor.top - anchor.bottom
    x_share = offset / max(anchor.width, 1e-6) + 0.5
    y_share = (target.pitch - anchor.bottom) / max(height, 1e-6)
    column = -1 if x_share < 0.33 else 1 if x_share > 0.67 else 0
    row = -1 if y_share < 0.33 else 1 if y_share > 0.67 else 0
    wide, tall = anchor.width > MIN_PART_SIZE, height > MIN_PART_SIZE
    if -0.1 < x_share < 1.1 and -0.1 < y_share < 1.1:
        yield TargetLocation(anchor)
        yield TargetLocation(anchor, (column if wide else 0, row if tall else 0))
        return
    vertical: Side = "above" if y_share > 1 else "below"
    horizontal: Side = "right" if offset > 0 else "left"
    vertical_gap = target.pitch - anchor.top if y_share > 1 else anchor.bottom - target.pitch
    horizontal_gap = (abs(offset) - anchor.width / 2) * math.cos(math.radians(target.pitch))
    if not 0 <= y_share <= 1 and -0.3 < x_share < 1.3:
        for part in {CENTRE_PART, (column if wide else 0, 0)}:
            yield from _measured(anchor, part, vertical, vertical_gap)
    elif not 0 <= x_share <= 1 and -0.3 < y_share < 1.3:
        for part in {CENTRE_PART, (0, row if tall else 0)}:
            yield from _measured(anchor, part, horizontal, horizontal_gap)
    else:
        yield TargetLocation(
            anchor,
            CENTRE_PART,
            (
                (vertical, _nearest_measure(vertical_gap, vertical)),
                (horizontal, _nearest_measure(horizontal_gap, horizontal)),
            ),
        )


def _measured(anchor: ViewBox, part: Part, side: Side, gap: float) -> Iterator[TargetLocation]:
    """Yield locations at a distance from an edge: in Waldos, in feet, and touching it."""
    yield TargetLocation(anchor, part, ((side, _nearest_measure(gap, side)),))
    if abs(gap - measure_degrees(FAR_WALDOS, side)) < MAX_FAR_ERROR:
        yield TargetLocation(anchor, part, ((side, FAR_WALDOS),))
    if 1.0 < anchor.distance < MAX_FEET_DISTANCE:
        feet = min(FEET, key=lambda measure: abs(measure_degrees(measure, side, anchor.distance) - gap))
        yield TargetLocation(anchor, part, ((side, feet),))
    if abs(gap - touching_gap(side)) < MAX_TOUCH_ERROR:
        body: Body = "head" if side == "below" else "feet" if side == "above" else "hand"
        yield TargetLocation(anchor, part, ((side, 0.0),), body=body)


def _nearest_measure(gap: float, side: Side) -> Measure:
    return min(MEASURES, key=lambda measure: abs(measure_degrees(measure, side) - gap))


def _two_anchor_candidates(
    anchor: ViewBox, other: ViewBox, target: Direction, tolerance: float
) -> Iterator[TargetLocation]:
    distance = abs(signed_turn(anchor.heading, other.heading)) + abs(anchor.pitch - other.pitch)
    if 10.0 < distance < 70.0:
        for share in (0.5, CLOSER_SHARE):
            if angle_to(interpolate(anchor, other, share), target) < tolerance:
                yield TargetLocation(anchor, other=other, share=share)
    is_above, is_below = target.pitch > anchor.top, target.pitch < anchor.bottom
    if (is_above or is_below) and distance < 60.0 and abs(signed_turn(anchor.heading, target.heading)) < tolerance:
        moves: tuple[tuple[Side, Measure], ...] = (("above" if is_above else "below", None),)
        for up in (1, 0, -1) if other.top - other.bottom > MIN_PART_SIZE else (0,):
            if abs(other.part(0, up).pitch - target.pitch) < tolerance:
                yield TargetLocation(anchor, CENTRE_PART, moves, other, level=(0, up))


def edge_candidates(
    scene: SceneIndex, place: int, anchors: Sequence[ViewBox], target: Direction, tolerance: float
) -> Iterator[TargetLocation]:
    """Yield locations on a wall halfway to its upper or lower edge, and those that touch this edge."""
    edges: tuple[Edge, ...] = ("ceiling", "floor")
    for anchor in anchors:
        for edge in edges:
            up = edge == "ceiling"
            gap = target.pitch - anchor.top if up else anchor.bottom - target.pitch
            if gap < 0 or abs(signed_turn(anchor.heading, target.heading)) > tolerance:
                continue
            seam = seam_pitch(scene, place, target.heading, edge)
            if seam is None:
                continue
            side: Side = "above" if up else "below"
            if abs(abs(target.pitch - seam) - WALDO_HEIGHT / 2) < MAX_TOUCH_ERROR and (target.pitch < seam) == up:
                body: Body = "head" if up else "feet"
                yield TargetLocation(anchor, moves=((side, None),), surface="wall", body=body, touched=edge)
            end = anchor.top if up else anchor.bottom
            if abs(seam - end) > MIN_HALFWAY and 0.3 < (target.pitch - end) / (seam - end) < 0.7:
                yield TargetLocation(anchor, share=0.5, surface="wall", toward=edge)


def surface_candidates(
    scene: SceneIndex, place: int, anchors: Sequence[ViewBox], target: Direction, surface: str, tolerance: float
) -> Iterator[TargetLocation]:
    """Yield locations on a surface straight above or below anchors."""
    side: Side = "above" if surface in ("ceiling", "sky") else "below"
    for anchor in anchors if surface in STRAIGHT_SURFACES else ():
        offset = abs(signed_turn(anchor.heading, target.heading)) * math.cos(math.radians(target.pitch))
        if offset > tolerance + anchor.width / 2:
            continue
        x_share = signed_turn(anchor.left + anchor.width / 2, target.heading) / max(anchor.width, 1e-6) + 0.5
        column = -1 if x_share < 0.33 else 1 if x_share > 0.67 else 0
        for part in sorted({CENTRE_PART, (column if anchor.width > MIN_PART_SIZE else 0, 0)}):
            for measure in (None, FAR_WALDOS):
                location = TargetLocation(anchor, part, ((side, measure),), surface=surface)
                if angle_between(resolve(location, scene, place), target) < tolerance:
                    yield location


def window_candidates(
    scene: SceneIndex, place: int, anchors: Sequence[ViewBox], target: Direction, tolerance: float
) -> Iterator[TargetLocation]:
    """Yield locations on windows above or below anchors that are near the target."""
    for anchor in anchors:
        if abs(signed_turn(anchor.heading, target.heading)) > tolerance:
            continue
        up = target.pitch > anchor.pitch
        runs = vertical_runs(scene, place, anchor.heading, anchor.top if up else anchor.bottom, up)
        for number, k in enumerate(runs.windows()[:2], 1):
            middle = float(runs.low[k] + runs.high[k]) / 2
            if runs.high[k] - runs.low[k] > MIN_WINDOW_SIZE and angle_to((anchor.heading, middle), target) < tolerance:
                yield TargetLocation(anchor, moves=(("above" if up else "below", None),), window=number)
