"""Where Waldo is, told by things: on a part of one, so far beside it, between two, level with another, on a window."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bearleft.data.wording.around import Around
from bearleft.data.wording.refer_view import HEIGHT, PLAIN, SLIGHT, WIDTH, Side, Spot, between, beyond, line, looking, onto
from bearleft.geometry import angle_between, turn
from bearleft.records import Direction

Part = tuple[int, int]
MIDDLE: Part = (0, 0)
# Waldos between an edge and Waldo: None where no measure is said, 0 for "just" or "slightly".
Measure = float | None
MEASURES: tuple[Measure, ...] = (0.0, None, 0.5, 1.0, 1.5, 2.0, 3.0)
CLOSER = 0.25  # of the way, for "between them but closer to the first"


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


def resolve(placing: Placing, around: Around, place: int) -> Direction:
    """The direction that is meant."""
    found = plain(placing)
    if placing.window:
        side = placing.moves[0][0] if placing.moves else "above"
        found = window(around, place, placing.anchor, side, placing.window) or found
    return onto(around, place, found, placing.surface) if placing.surface else found


def plain(placing: Placing) -> Direction:
    """The direction that is meant, as far as boxes tell."""
    anchor, other = placing.anchor, placing.other
    if placing.share is not None and other is not None:
        return between(anchor, other, placing.share)
    if not placing.moves:
        found = anchor.part(*placing.part).direction
    else:
        heading, pitch = math.nan, math.nan
        # Upwards first: how wide a Waldo is depends on how high he hangs.
        for side, measure in sorted(placing.moves, key=lambda move: move[0] in ("left", "right")):
            from_box = anchor if math.isnan(pitch) else replace(anchor, pitch=pitch)
            point = beyond(from_box, side, degrees(measure, side), placing.part)
            if side in ("above", "below"):
                heading, pitch = point.heading, point.pitch
            else:
                heading, pitch = point.heading, point.pitch if math.isnan(pitch) else pitch
        found = looking(heading, pitch)
    if placing.level is not None and other is not None:
        found = looking(found.heading, other.part(*placing.level).pitch)
    return found


def window(around: Around, place: int, anchor: Spot, side: Side, number: int) -> Direction | None:
    """The middle of the window that is the n-th above or below a spot."""
    up = side != "below"
    runs = line(around, place, anchor.heading, anchor.top if up else anchor.bottom, up)
    rows = runs.windows()
    if not 0 < number <= len(rows):
        return None
    k = rows[number - 1]
    return looking(anchor.heading, float(runs.low[k] + runs.high[k]) / 2)


def placings(around: Around, place: int, target: Direction, anchors: Sequence[Spot], glass: bool) -> Iterator[Placing]:
    """Ways to say where a target is; `glass` also tries the windows above and below."""
    for anchor in anchors:
        yield from _alone(anchor, target)
    near = sorted(anchors, key=lambda spot: angle_between(spot.direction, target))[:10]
    for anchor in near:
        for other in anchors:
            if other.instance != anchor.instance:
                yield from _with(anchor, other, target)
    if glass:
        for anchor in near[:6]:
            if abs(float(turn(anchor.heading, target.heading))) < 9.0:
                yield from _windows(around, place, anchor, target)


def _alone(anchor: Spot, target: Direction) -> Iterator[Placing]:
    middle = anchor.left + anchor.width / 2
    off = float(turn(middle, target.heading))
    high = anchor.top - anchor.bottom
    fx = off / max(anchor.width, 1e-6) + 0.5
    fy = (target.pitch - anchor.bottom) / max(high, 1e-6)
    column = -1 if fx < 0.33 else 1 if fx > 0.67 else 0
    row = -1 if fy < 0.33 else 1 if fy > 0.67 else 0
    wide, tall = anchor.width > 7.0, high > 7.0
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


def _with(anchor: Spot, other: Spot, target: Direction) -> Iterator[Placing]:
    apart = angle_between(anchor.direction, other.direction)
    if 10.0 < apart < 70.0:
        for share in (0.5, CLOSER):
            yield Placing(anchor, other=other, share=share)
    upwards = target.pitch > anchor.top, target.pitch < anchor.bottom
    if any(upwards) and apart < 60.0 and abs(float(turn(anchor.heading, target.heading))) < 5.0:
        moves: tuple[tuple[Side, Measure], ...] = (("above" if upwards[0] else "below", None),)
        for up in (1, 0, -1):
            yield Placing(anchor, MIDDLE, moves, other, level=(0, up))


def _windows(around: Around, place: int, anchor: Spot, target: Direction) -> Iterator[Placing]:
    up = target.pitch > anchor.pitch
    runs = line(around, place, anchor.heading, anchor.top if up else anchor.bottom, up)
    for number, k in enumerate(runs.windows()[:4], 1):
        if abs(float(runs.low[k] + runs.high[k]) / 2 - target.pitch) < 5.0 and runs.high[k] - runs.low[k] > 1.0:
            yield Placing(anchor, moves=(("above" if up else "below", None),), window=number)


def errors(found: Sequence[Placing], target: Direction) -> list[float]:
    """How far from the target each is, as boxes tell."""
    if not found:
        return []
    points = [plain(one) for one in found]
    h = np.radians([p.heading - target.heading for p in points])
    a, b = np.radians([p.pitch for p in points]), math.radians(target.pitch)
    cosine = np.sin(a) * math.sin(b) + np.cos(a) * math.cos(b) * np.cos(h)
    return [float(x) for x in np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))]
