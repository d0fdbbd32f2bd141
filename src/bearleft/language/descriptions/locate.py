"""From what a description says to a direction: the thing that fits best, and the spot on it that is meant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from bearleft.geometry import Floats, angles, turn, vector
from bearleft.language.descriptions.extents import extents
from bearleft.language.descriptions.semantics import WORST, Ints, Meaning, Pick, Scorer, Spot, Stand
from bearleft.language.lexicon.lexicon import PARTS
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.plan import UNIT
from bearleft.world.render.codes import Ground
from bearleft.world.targets import linked
from bearleft.world.visibility.rays import cast

Flags = npt.NDArray[np.bool_]

ACROSS, UP = 30, 22  # rays cast at a thing
MANY = (96, 40)  # and at a building, for its windows
EDGE = 0.5  # degrees outside of a thing's box that are looked at too: the table is as coarse as that
BUILDING, WINDOW = 0, int(Ground.WINDOW)
GROUND_FLOOR = CLASSES[BUILDING].parts.index("ground floor")
FACADE = CLASSES[BUILDING].parts.index("facade")
KEPT = 2048
DOUBTFUL = -3.5  # a worse fit is none


@dataclass(frozen=True, eq=False)
class Look:
    """A thing as seen from a place: where rays meet it, and which part of it there."""

    heading: Floats
    pitch: Floats
    points: Floats  # (n, 3)
    part: Ints  # as in pictures
    window: Flags
    along: Floats  # metres from its left end, as seen
    long: float  # from its left end to its right end
    low: float  # height of its foot and its top
    high: float
    axis: Floats
    begin: float
    eye: Floats
    wall: Ints  # of a building: which of its four

    def __len__(self) -> int:
        return len(self.heading)

    @cached_property
    def panes(self) -> Panes:
        """The windows of a building, one row each."""
        return _panes(self)


@dataclass(frozen=True, eq=False)
class Panes:
    """Windows of a building that are seen: floor (1 is the ground floor), column, and where their middle is."""

    key: Ints
    floor: Ints
    along: Floats
    up: Floats
    middle: Floats  # (n, 3)
    face: Ints
    rank_left: Ints  # which from the left on its floor, from 1
    rank_right: Ints


_LOOKS: WeakKeyDictionary[SceneIndex, dict[tuple[int, int], Look]] = WeakKeyDictionary()


def look(scene: SceneIndex, place: int, instance: int) -> Look:
    """Rays at a thing from a place. What is looked at again is kept."""
    kept = _LOOKS.setdefault(scene, {})
    if (place, instance) not in kept:
        if len(kept) >= KEPT:
            kept.clear()
        kept[place, instance] = _look(scene, place, instance)
    return kept[place, instance]


def _look(scene: SceneIndex, place: int, instance: int) -> Look:
    sight = scene.at(place)
    row, thing = sight.find(instance), instance - 1
    building = scene.plan.things["kind"][thing] == BUILDING
    across, up = MANY if building else (ACROSS, UP)
    left, width = float(sight.left[row]) - EDGE, float(sight.width[row]) + 2 * EDGE
    bottom, top = float(sight.bottom[row]) - EDGE, float(sight.top[row]) + EDGE
    if building:
        top = min(top, 45.0)
    heading = np.repeat((left + (np.arange(across) + 0.5) / across * width) % 360.0, up)
    pitch = np.tile(bottom + (np.arange(up) + 0.5) / up * (top - bottom), across)
    eye = scene.city.poses([place])[0, :3].astype(float)
    ways = vector(heading, pitch)
    met = cast(scene.city.scene, np.tile(eye, (len(ways), 1)), ways)
    good = met.instance == instance
    points = eye + met.depth[good, None].astype(float) * ways[good]
    ex = extents(scene)
    axis, begin, end = ex.axis(thing, eye)
    wall = _walls(scene, thing, points) if building else np.zeros(len(points), np.int64)
    return Look(
        heading[good],
        pitch[good],
        points,
        met.part[good].astype(np.int64),
        met.kind[good] == WINDOW,
        points[:, :2] @ axis - begin,
        max(end - begin, 1e-3),
        float(ex.low[thing, 2]),
        float(ex.high[thing, 2]),
        axis,
        begin,
        eye,
        wall,
    )


def _walls(scene: SceneIndex, thing: int, points: Floats) -> Ints:
    """On which wall of a building points lie: front, back, right or left."""
    row = scene.plan.buildings[scene.plan.buildings["thing"] == thing][0]
    one = scene.plan.things[thing]
    ahead = np.array([one["ux"], one["uy"]]) / UNIT
    away = points[:, :2] * 1000.0 - np.array([one["x"], one["y"]], float)
    front, right = away @ ahead / row["hy"], away @ np.array([ahead[1], -ahead[0]]) / row["hx"]
    along = np.abs(front) < np.abs(right)
    return np.where(along, np.where(right > 0, 2, 3), np.where(front > 0, 0, 1)).astype(np.int64)


def _panes(look: Look) -> Panes:
    some = np.flatnonzero(look.window & np.isin(look.part & 0xFF, (FACADE, GROUND_FLOOR)))
    part = look.part[some]
    # Two walls have columns of the same numbers.
    face = look.wall[some]
    key = part * 4 + face
    keys, first, which, hits = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    sums = np.zeros((len(keys), 3))
    np.add.at(sums, which, look.points[some])
    middle = sums / np.maximum(hits, 1)[:, None]
    keep = hits >= 3
    floor = ((part[first] >> 16) & 0xFF) + np.where(part[first] & 0xFF == FACADE, 1, 0)
    middle, floor, wall, keys = middle[keep], floor[keep], face[first][keep], keys[keep]
    along = middle[:, :2] @ look.axis - look.begin
    left, right = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
    bearing, _ = angles(middle - look.eye)
    bearing = turn(bearing[0] if len(bearing) else 0.0, bearing)
    for one in set(floor.tolist()):
        row = np.flatnonzero(floor == one)
        order = row[np.argsort(bearing[row], kind="stable")]
        left[order] = np.arange(1, len(order) + 1)
        right[order[::-1]] = np.arange(1, len(order) + 1)
    return Panes(keys, floor, along, middle[:, 2], middle, wall, left, right)


@cache
def part_numbers(kind: int, word: str) -> tuple[int, ...]:
    """The parts of a class that a word may name."""
    one = CLASSES[kind]
    return tuple(k for k, part in enumerate(one.parts) if part and word in PARTS.get((one.name, part), ()))


def resolve(stand: Stand, meaning: Meaning, ref: int) -> int:
    """The instance that a ref fits best, 0 for none."""
    row, _ = Scorer(stand, meaning).best(ref)
    return int(stand.sight.instance[row]) if row >= 0 else 0


def point(meaning: Meaning, scene: SceneIndex, place: int, heading: float) -> Direction | None:
    """The direction a description means, seen from a place where one looks at `heading`; None for none.

    What fits badly here may be hardly seen from here: then it is looked for from the places next to this one.
    """
    if meaning.spot is None:
        return None
    found, fit = _found(meaning, scene, place, heading)
    if fit >= DOUBTFUL:
        return found
    for other in linked(scene.city.graph, place):
        better, score = _found(meaning, scene, other, heading)
        if better is not None and score > fit + 2.0:
            found, fit = _carried(scene, better, other, place), score
    return found


def _found(meaning: Meaning, scene: SceneIndex, place: int, heading: float) -> tuple[Direction | None, float]:
    """The direction that is meant, and how well the thing there fits."""
    assert meaning.spot is not None
    stand = Stand(scene, scene.at(place), heading)
    scorer = Scorer(stand, meaning)
    rows, scores = scorer.scores(meaning.spot.thing)
    if not len(rows):
        return None, 3 * WORST
    instance = int(stand.sight.instance[rows[int(np.argmax(scores))]])
    return spot_on(stand, meaning.spot, instance, lambda ref: resolve(stand, meaning, ref)), float(scores.max())


def _carried(scene: SceneIndex, direction: Direction, start: int, end: int) -> Direction:
    """What is seen in a direction from one place, as the direction from another."""
    eyes = scene.city.poses([start, end])[:, :3].astype(float)
    way = vector(direction.heading, direction.pitch)
    depth = float(cast(scene.city.scene, eyes[:1], way[None]).depth[0])
    heading, pitch = angles(eyes[0] + (depth if np.isfinite(depth) else 50.0) * way - eyes[1])
    return Direction(float(heading), float(pitch))


def spot_on(stand: Stand, spot: Spot, instance: int, find: Callable[[int], int]) -> Direction | None:
    """The spot on a thing that is known; `find` gives the thing that a ref means."""
    seen = look(stand.scene, stand.sight.place, instance)
    row = stand.sight.find(instance)
    if not len(seen):
        return Direction(float(stand.sight.heading[row]), float(stand.sight.pitch[row]))
    anchor = find(spot.line) if spot.line >= 0 else 0
    middle = extents(stand.scene).middle(np.array([anchor - 1]))[0] if anchor else None
    kind = int(stand.sight.kind[row])
    if spot.part == "window" and kind == BUILDING:
        return _window(stand, seen, spot, middle)
    numbers = part_numbers(kind, spot.part) if spot.part else ()
    some = np.flatnonzero(np.isin(seen.part & 0xFF, numbers)) if numbers else np.arange(len(seen))
    if not len(some):
        some, numbers = np.arange(len(seen)), ()
    return _nearest(seen, some, spot, bool(numbers), middle)


def _nearest(seen: Look, some: Ints, spot: Spot, part: bool, anchor: Floats | None) -> Direction:
    """Of rays that meet the part, the one that is nearest to what is meant."""
    along, up = seen.along[some], seen.points[some, 2]
    if part:
        left, right = float(along.min()), float(along.max())
        low, high = float(up.min()), float(up.max())
    else:
        left, right, low, high = 0.0, seen.long, seen.low, seen.high
    off = np.zeros(len(some))
    if anchor is not None:
        off += np.abs(along - (float(anchor[:2] @ seen.axis) - seen.begin))
    elif spot.across is not None:
        off += np.abs(along - (left + spot.across * (right - left)))
    if spot.up is not None:
        off += np.abs(up - (low + spot.up * (high - low)))
    near = np.flatnonzero(off <= off.min() + 0.06 * max(right - left, high - low))
    # Amid all that is meant, on the thing itself.
    middle = _amid(along[near]), _amid(up[near])
    k = some[near[int(np.argmin(np.abs(along[near] - middle[0]) + np.abs(up[near] - middle[1])))]]
    return Direction(float(seen.heading[k]), float(seen.pitch[k]))


def _amid(values: Floats) -> float:
    """One of some numbers that half of them are below."""
    half = len(values) // 2
    return float(np.partition(values, half)[half])


def pane(seen: Look, spot: Spot, anchor: Floats | None) -> int:
    """Which window is meant, -1 for none."""
    panes = seen.panes
    if not len(panes.key):
        return -1
    cost = np.zeros(len(panes.key))
    if spot.floor:
        cost += 20.0 * (panes.floor != spot.floor)
    if spot.column is not None:
        rank = panes.rank_left if spot.column.by == "left" else panes.rank_right
        cost += 20.0 * (rank != spot.column.rank)
    if anchor is not None:
        off = panes.along - (float(anchor[:2] @ seen.axis) - seen.begin)
        lift = panes.up - float(anchor[2])
        wrong = {"above": lift < 0.3, "below": lift > -0.3, "left": off > -0.2, "right": off < 0.2}
        cost += np.where(wrong[spot.towards], 10.0, 0.0) if spot.towards in wrong else 0.0
        cost += np.hypot(off, 0.7 * lift)
    else:
        face, size = np.unique(panes.face, return_counts=True)
        cost += np.where(panes.face == face[int(np.argmax(size))], 0.0, 3.0)
        cost += 0.01 * np.abs(panes.along - np.median(panes.along)) + 0.01 * panes.floor
    return int(np.argmin(cost))


def _window(stand: Stand, seen: Look, spot: Spot, anchor: Floats | None) -> Direction:
    k = pane(seen, spot, anchor)
    if k < 0:
        return _nearest(seen, np.arange(len(seen)), Spot(spot.thing), False, anchor)
    eye = stand.scene.city.poses([stand.sight.place])[0, :3].astype(float)
    heading, pitch = angles(seen.panes.middle[k] - eye)
    return Direction(float(heading), float(pitch))


def pixels(one: Direction, other: Direction) -> float:
    """How far two directions lie apart in Touchdown's pictures of 3712 x 800 pixels."""
    across = float(turn(one.heading, other.heading)) * 3712 / 360
    return float(np.hypot(across, (one.pitch - other.pitch) * 800 / 180))


__all__ = ["Look", "Panes", "Pick", "look", "pane", "part_numbers", "pixels", "point", "resolve", "spot_on"]
