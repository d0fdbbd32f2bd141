"""Locations of the target relative to objects: on a part, at a distance, between two, level with one, on a window."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bearleft.language.referring.view import (
    PLAIN_GAP,
    SLIGHT_GAP,
    WALDO_HEIGHT,
    WALDO_WIDTH,
    Side,
    ViewBox,
    angle_to,
    clamped_direction,
    interpolate,
    move_onto_surface,
    offset_from_box,
    signed_turn,
    vertical_runs,
)
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Direction

Part = tuple[int, int]
CENTRE_PART: Part = (0, 0)
# Distance from an edge in Waldos: None without a measure, 0 for "just" or "slightly".
Measure = float | None
MEASURES: tuple[Measure, ...] = (0.0, None, 0.5, 1.0, 1.5, 2.0, 3.0)
CLOSER_SHARE = 0.25  # of the way to the second, for "closer to the first"
MIN_PART_SIZE, MIN_HALF_SIZE = 7.0, 14.0  # degrees of objects with sides, and with halves


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


def measure_degrees(measure: Measure, side: Side) -> float:
    """Return the degrees of a measure."""
    if not measure:
        return PLAIN_GAP if measure is None else SLIGHT_GAP
    return measure * (WALDO_HEIGHT if side in ("above", "below") else WALDO_WIDTH)


def resolve(location: TargetLocation, scene: SceneIndex, place: int) -> Direction:
    """Return the direction of a location."""
    direction = clamped_direction(*box_location(location))
    if location.window:
        side = location.moves[0][0] if location.moves else "above"
        direction = nth_window(scene, place, location.anchor, side, location.window) or direction
    return move_onto_surface(scene, place, direction, location.surface) if location.surface else direction


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
            heading, pitch = offset_from_box(box, side, measure_degrees(measure, side), part)
    if location.level is not None and other is not None:
        pitch = other.part(*location.level).pitch
    return heading, pitch


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
    if not 0 <= y_share <= 1 and -0.3 < x_share < 1.3:
        gap = target.pitch - anchor.top if y_share > 1 else anchor.bottom - target.pitch
        for part in {CENTRE_PART, (column if wide else 0, 0)}:
            yield TargetLocation(anchor, part, ((vertical, _nearest_measure(gap, vertical)),))
    elif not 0 <= x_share <= 1 and -0.3 < y_share < 1.3:
        gap = (abs(offset) - anchor.width / 2) * math.cos(math.radians(target.pitch))
        for part in {CENTRE_PART, (0, row if tall else 0)}:
            yield TargetLocation(anchor, part, ((horizontal, _nearest_measure(gap, horizontal)),))
    else:
        vertical_gap = target.pitch - anchor.top if y_share > 1 else anchor.bottom - target.pitch
        horizontal_gap = (abs(offset) - anchor.width / 2) * math.cos(math.radians(target.pitch))
        yield TargetLocation(
            anchor,
            CENTRE_PART,
            (
                (vertical, _nearest_measure(vertical_gap, vertical)),
                (horizontal, _nearest_measure(horizontal_gap, horizontal)),
            ),
        )


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


def window_candidates(
    scene: SceneIndex, place: int, anchors: Sequence[ViewBox], target: Direction, tolerance: float
) -> Iterator[TargetLocation]:
    """Yield locations on windows above or below anchors that are near the target."""
    for anchor in anchors:
        if abs(signed_turn(anchor.heading, target.heading)) > tolerance:
            continue
        up = target.pitch > anchor.pitch
        runs = vertical_runs(scene, place, anchor.heading, anchor.top if up else anchor.bottom, up)
        for number, k in enumerate(runs.windows()[:4], 1):
            middle = float(runs.low[k] + runs.high[k]) / 2
            if runs.high[k] - runs.low[k] > 1.0 and angle_to((anchor.heading, middle), target) < tolerance:
                yield TargetLocation(anchor, moves=(("above" if up else "below", None),), window=number)
