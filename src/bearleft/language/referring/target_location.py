"""Where Waldo is, told by things: on a part of one, so far beside it, between two, level with another, on a window."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bearleft.language.referring.view import (
    HEIGHT,
    PLAIN,
    SLIGHT,
    WIDTH,
    Side,
    Spot,
    away,
    between,
    beyond,
    line,
    looking,
    onto,
    turned,
)
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Direction

Part = tuple[int, int]
MIDDLE: Part = (0, 0)
# Waldos between an edge and Waldo: None where no measure is said, 0 for "just" or "slightly".
Measure = float | None
MEASURES: tuple[Measure, ...] = (0.0, None, 0.5, 1.0, 1.5, 2.0, 3.0)
CLOSER = 0.25  # of the way, for "between them, closer to the first"
PARTED, HALVED = 7.0, 14.0  # degrees of what has a left and a right side, a top and a bottom; and of what has halves


@dataclass(frozen=True, slots=True)
class Placing:
    """What a last sentence says; `moves` lead away from the anchor's edges, one upwards and one across at most."""

    anchor: Spot
    part: Part = MIDDLE
    moves: tuple[tuple[Side, Measure], ...] = ()
    other: Spot | None = None
    share: float | None = None  # of the way to the other: "between"
    level: Part | None = None  # the part of the other whose height it has
    window: int = 0  # which one, counted upwards or downwards from the anchor
    surface: str = ""


def degrees(measure: Measure, side: Side) -> float:
    """What a measure says."""
    if not measure:
        return PLAIN if measure is None else SLIGHT
    return measure * (HEIGHT if side in ("above", "below") else WIDTH)


def resolve(placing: Placing, scene: SceneIndex, place: int) -> Direction:
    """The direction that is meant."""
    found = looking(*plain(placing))
    if placing.window:
        side = placing.moves[0][0] if placing.moves else "above"
        found = window(scene, place, placing.anchor, side, placing.window) or found
    return onto(scene, place, found, placing.surface) if placing.surface else found


def plain(placing: Placing) -> tuple[float, float]:
    """Heading and pitch that are meant, as far as boxes tell."""
    anchor, other = placing.anchor, placing.other
    if placing.share is not None and other is not None:
        return between(anchor, other, placing.share)
    if not placing.moves:
        spot = anchor.part(*placing.part)
        heading, pitch = spot.heading, spot.pitch
    else:
        pitch = math.nan
        # Upwards first: how wide a Waldo is depends on how high he hangs.
        for side, measure in sorted(placing.moves, key=lambda move: move[0] in ("left", "right")):
            box, part = (anchor, placing.part) if math.isnan(pitch) else (replace(anchor, pitch=pitch), MIDDLE)
            heading, pitch = beyond(box, side, degrees(measure, side), part)
    if placing.level is not None and other is not None:
        pitch = other.part(*placing.level).pitch
    return heading, pitch


def window(scene: SceneIndex, place: int, anchor: Spot, side: Side, number: int) -> Direction | None:
    """The middle of the window that is the n-th above or below a spot."""
    up = side != "below"
    runs = line(scene, place, anchor.heading, anchor.top if up else anchor.bottom, up)
    rows = runs.windows()
    if not 0 < number <= len(rows):
        return None
    k = rows[number - 1]
    return looking(anchor.heading, float(runs.low[k] + runs.high[k]) / 2)


def placings(target: Direction, anchors: Sequence[Spot], near: float) -> Iterator[Placing]:
    """Ways to say where a target is by things, in the order of `anchors`, that lead near enough as boxes tell."""
    for anchor in anchors:
        yield from _alone(anchor, target)
    for anchor in anchors[:8]:
        for other in anchors:
            if other.instance != anchor.instance:
                yield from _with(anchor, other, target, near)


def _alone(anchor: Spot, target: Direction) -> Iterator[Placing]:
    middle = anchor.left + anchor.width / 2
    off = turned(middle, target.heading)
    high = anchor.top - anchor.bottom
    fx = off / max(anchor.width, 1e-6) + 0.5
    fy = (target.pitch - anchor.bottom) / max(high, 1e-6)
    column = -1 if fx < 0.33 else 1 if fx > 0.67 else 0
    row = -1 if fy < 0.33 else 1 if fy > 0.67 else 0
    wide, tall = anchor.width > PARTED, high > PARTED
    if -0.1 < fx < 1.1 and -0.1 < fy < 1.1:
        yield Placing(anchor)
        yield Placing(anchor, (column if wide else 0, row if tall else 0))
        return
    upwards: Side = "above" if fy > 1 else "below"
    sideways: Side = "right" if off > 0 else "left"
    if not 0 <= fy <= 1 and -0.3 < fx < 1.3:
        gap = target.pitch - anchor.top if fy > 1 else anchor.bottom - target.pitch
        for part in {MIDDLE, (column if wide else 0, 0)}:
            yield Placing(anchor, part, ((upwards, _measure(gap, upwards)),))
    elif not 0 <= fx <= 1 and -0.3 < fy < 1.3:
        gap = (abs(off) - anchor.width / 2) * math.cos(math.radians(target.pitch))
        for part in {MIDDLE, (0, row if tall else 0)}:
            yield Placing(anchor, part, ((sideways, _measure(gap, sideways)),))
    else:
        rise = target.pitch - anchor.top if fy > 1 else anchor.bottom - target.pitch
        aside = (abs(off) - anchor.width / 2) * math.cos(math.radians(target.pitch))
        yield Placing(anchor, MIDDLE, ((upwards, _measure(rise, upwards)), (sideways, _measure(aside, sideways))))


def _measure(gap: float, side: Side) -> Measure:
    return min(MEASURES, key=lambda measure: abs(degrees(measure, side) - gap))


def _with(anchor: Spot, other: Spot, target: Direction, near: float) -> Iterator[Placing]:
    apart = abs(turned(anchor.heading, other.heading)) + abs(anchor.pitch - other.pitch)
    if 10.0 < apart < 70.0:
        for share in (0.5, CLOSER):
            if away(between(anchor, other, share), target) < near:
                yield Placing(anchor, other=other, share=share)
    high, low = target.pitch > anchor.top, target.pitch < anchor.bottom
    if (high or low) and apart < 60.0 and abs(turned(anchor.heading, target.heading)) < near:
        moves: tuple[tuple[Side, Measure], ...] = (("above" if high else "below", None),)
        for up in (1, 0, -1) if other.top - other.bottom > PARTED else (0,):
            if abs(other.part(0, up).pitch - target.pitch) < near:
                yield Placing(anchor, MIDDLE, moves, other, level=(0, up))


def panes(scene: SceneIndex, place: int, anchors: Sequence[Spot], target: Direction, near: float) -> Iterator[Placing]:
    """Windows above or below things, that a target is on or near."""
    for anchor in anchors:
        if abs(turned(anchor.heading, target.heading)) > near:
            continue
        up = target.pitch > anchor.pitch
        runs = line(scene, place, anchor.heading, anchor.top if up else anchor.bottom, up)
        for number, k in enumerate(runs.windows()[:4], 1):
            middle = float(runs.low[k] + runs.high[k]) / 2
            if runs.high[k] - runs.low[k] > 1.0 and away((anchor.heading, middle), target) < near:
                yield Placing(anchor, moves=(("above" if up else "below", None),), window=number)
