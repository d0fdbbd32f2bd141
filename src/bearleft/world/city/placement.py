"""Where things stand: spots along kerbs, rows, and the records of what stands there.

Whatever touches the ground asks the raster first, a little larger than it is (GAP on every side), which makes sure that
no two things overlap although the raster only knows cells. Things that belong together ask once, as one rectangle.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from math import cos, radians, sin
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from bearleft.world.city import catalog, raster
from bearleft.world.city.districts import district_index
from bearleft.world.city.palette import colour_index
from bearleft.world.city.plan import THING, UNIT, Draft, Rows
from bearleft.world.city.randomness import Integers, Stage, integers
from bearleft.world.city.raster import Raster
from bearleft.world.city.shapes import Solid

Flags = npt.NDArray[np.bool_]
Vectors = tuple[Integers, Integers]
T = TypeVar("T")
GAP = 180  # any disc of this radius holds the middle of a cell, so what shares no cell lies apart
ON_WALK = raster.ROAD | raster.CROSSING | raster.CAMERA | raster.BUILDING | raster.THING
IN_PARK = ON_WALK | raster.WALK
ON_ROAD = raster.CAMERA | raster.BUILDING | raster.THING

MAX_BASE_HEIGHT = 2.2  # metres: what begins above this hangs over the ground without standing on it


@dataclass(frozen=True)
class Extents:
    """The rectangle each variant of a class stands on, in millimetres: its middle and half its sizes, x then y."""

    middle: tuple[Integers, Integers]
    half: tuple[Integers, Integers]


@cache
def model_extents(name: str, low: float = MAX_BASE_HEIGHT) -> Extents:
    """What a class stands on, from its models' lower parts; in whole centimetres, whatever the last bit of a sine."""
    spans = []
    for model in catalog.CLASSES[catalog.class_index(name)].models:
        ends = [_span(solid) for solid in model]
        ends = [one for one in ends if one[2][0] < low] or ends
        spans.append([(min(one[axis][0] for one in ends), max(one[axis][1] for one in ends)) for axis in (0, 1)])
    low_end = np.floor(np.array(spans)[:, :, 0] * 100 + 0.003).astype(np.int64) * 10
    high_end = np.ceil(np.array(spans)[:, :, 1] * 100 - 0.003).astype(np.int64) * 10
    middle, half = (low_end + high_end) // 2, (high_end - low_end + 1) // 2
    return Extents((middle[:, 0], middle[:, 1]), (half[:, 0], half[:, 1]))


def _span(solid: Solid) -> list[tuple[float, float]]:
    """How far a solid reaches along each axis of its thing."""
    roll, tilt, yaw = (radians(angle) for angle in (solid.roll, solid.tilt, solid.yaw))
    x = np.array([cos(roll), 0.0, -sin(roll)]) * solid.half[0]
    y = np.array([0.0, 1.0, 0.0]) * solid.half[1]
    z = np.array([sin(roll), 0.0, cos(roll)]) * solid.half[2]
    tilted = np.array([[1, 0, 0], [0, cos(tilt), -sin(tilt)], [0, sin(tilt), cos(tilt)]])
    turned = np.array([[cos(yaw), -sin(yaw), 0], [sin(yaw), cos(yaw), 0], [0, 0, 1]])
    reach = np.abs(turned @ tilted @ np.stack([x, y, z], axis=1)).sum(axis=1)
    return [(solid.at[axis] - float(reach[axis]), solid.at[axis] + float(reach[axis])) for axis in range(3)]


def variant_index(name: str, model: str) -> int:
    """The number of a class's variant, by the name of the function that makes it."""
    return [make.__name__ for make in catalog.CLASSES[catalog.class_index(name)].variants].index(model)


def max_half_size(name: str) -> tuple[int, int]:
    """Half the width and half the depth that hold every variant of a class, seen from its origin."""
    body = model_extents(name)
    across, ahead = (np.abs(body.middle[axis]) + body.half[axis] for axis in (0, 1))
    return int(across.max()), int(ahead.max())


def raster_of(draft: Draft) -> Raster:
    """What lies where; there is one once the streets are laid."""
    assert draft.raster is not None, "streets first"
    return draft.raster


def reserve(
    draft: Draft,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    ux: npt.ArrayLike,
    uy: npt.ArrayLike,
    hx: npt.ArrayLike,
    hy: npt.ArrayLike,
    avoid: int = ON_WALK,
) -> Flags:
    """Takes the ground under rectangles, one after another, where nothing of `avoid` lies there or close to it."""
    wide, deep = np.asarray(hx, np.int64) + GAP, np.asarray(hy, np.int64) + GAP
    return raster_of(draft).place(x, y, ux, uy, wide, deep, avoid, raster.THING)


def right_of(ux: Integers, uy: Integers) -> Vectors:
    """The direction to the right of a direction."""
    return uy, -ux


def offset(x: Integers, y: Integers, *steps: tuple[npt.ArrayLike, Vectors]) -> Vectors:
    """Points so many millimetres further along each of some directions."""
    for far, (ux, uy) in steps:
        x, y = x + np.asarray(far, np.int64) * ux // UNIT, y + np.asarray(far, np.int64) * uy // UNIT
    return x, y


def make_things(
    draft: Draft,
    stage: Stage,
    name: str,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    ux: npt.ArrayLike,
    uy: npt.ArrayLike,
    index: npt.ArrayLike,
    **columns: npt.ArrayLike,
) -> Rows:
    """Records of things of one class, variant and colours drawn by `index` unless given among the columns."""
    kind = catalog.CLASSES[catalog.class_index(name)]
    wide = np.broadcast_arrays(*(np.atleast_1d(np.asarray(one, np.int64)) for one in (x, y, ux, uy, index)))
    things = np.zeros(len(wide[0]), THING)
    for field, values in zip(("x", "y", "ux", "uy"), wide, strict=False):
        things[field] = values
    things["kind"] = catalog.class_index(name)
    things["sx"] = things["sy"] = things["sz"] = 1000
    things["text"] = things["owner"] = things["group"] = things["street"] = -1
    key = wide[4] * 128 + catalog.class_index(name)
    things["variant"] = integers(draft.seed, stage, key, 0, len(kind.variants) - 1, 91)
    firsts, seconds = (
        np.array([colour_index(one) for one in among], np.int64) for among in (kind.colours, kind.seconds)
    )
    things["first"] = firsts[integers(draft.seed, stage, key, 0, len(firsts) - 1, 92)]
    # Letters in the colour of their sign could not be read: then the next colour.
    drawn = integers(draft.seed, stage, key, 0, len(seconds) - 1, 93)
    things["second"] = np.where(seconds[drawn] == things["first"], seconds[(drawn + 1) % len(seconds)], seconds[drawn])
    for field, given in columns.items():
        things[field] = given
    return things


def footprints(name: str, things: Rows) -> tuple[Integers, Integers, Integers, Integers, Integers, Integers]:
    """The rectangles that things of one class stand on: x, y, ux, uy, hx, hy."""
    body, variant = model_extents(name), things["variant"]
    sx, sy = things["sx"].astype(np.int64), things["sy"].astype(np.int64)
    ux, uy = things["ux"].astype(np.int64), things["uy"].astype(np.int64)
    x, y = offset(
        things["x"].astype(np.int64),
        things["y"].astype(np.int64),
        (body.middle[0][variant] * sx // 1000, right_of(ux, uy)),
        (body.middle[1][variant] * sy // 1000, (ux, uy)),
    )
    return x, y, ux, uy, body.half[0][variant] * sx // 1000, body.half[1][variant] * sy // 1000


def place_things(
    draft: Draft,
    stage: Stage,
    name: str,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    ux: npt.ArrayLike,
    uy: npt.ArrayLike,
    index: npt.ArrayLike,
    avoid: int = ON_WALK,
    **columns: npt.ArrayLike,
) -> Integers:
    """Puts things of one class where there is room; their numbers, -1 where there was none."""
    things = make_things(draft, stage, name, x, y, ux, uy, index, **columns)
    stands = reserve(draft, *footprints(name, things), avoid)
    first = draft.add(things[stands])
    return np.asarray(np.where(stands, first + np.cumsum(stands) - 1, -1), np.int64)


def new_groups(draft: Draft, count: int) -> Integers:
    """Numbers that no group has yet."""
    return int(draft.things["group"].max(initial=-1)) + 1 + np.arange(count)


def place_rows(
    draft: Draft,
    stage: Stage,
    name: str,
    x: Integers,
    y: Integers,
    ux: Integers,
    uy: Integers,
    index: Integers,
    count: npt.ArrayLike,
    spacing: int,
    avoid: int = ON_WALK,
    alike: bool = False,
    behind: bool = False,
    **columns: npt.ArrayLike,
) -> Integers:
    """Puts whole rows around points, side by side (or one behind another); each row's group, -1 where there is no room.

    `alike`: all of a row share variant and colours.
    """
    hx, hy = max_half_size(name)
    many = np.broadcast_to(np.asarray(count, np.int64), x.shape)
    reach = (many - 1) * spacing // 2
    wide, deep = (hx + 0 * reach, hy + reach) if behind else (hx + reach, hy + 0 * reach)
    stands = reserve(draft, x, y, ux, uy, wide, deep, avoid)
    groups = np.full(len(x), -1, np.int64)
    groups[stands] = new_groups(draft, int(stands.sum()))
    which = np.repeat(np.flatnonzero(stands), many[stands])
    place = running_index(many[stands])
    line = (ux[which], uy[which]) if behind else right_of(ux[which], uy[which])
    px, py = offset(x[which], y[which], (place * spacing - reach[which], line))
    given = {field: np.broadcast_to(np.asarray(values), x.shape)[which] for field, values in columns.items()}
    key = index[which] if alike else index[which] * 64 + place
    draft.add(
        make_things(
            draft, stage, name, px, py, ux[which], uy[which], key, group=groups[which], place_in_group=place, **given
        )
    )
    return groups


def running_index(counts: Integers) -> Integers:
    """0, 1, ... for each count, one after another."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)


def select_rows(columns: T, which: Flags | Integers) -> T:
    """Some rows of a dataclass whose fields are columns, or pairs of columns."""
    every = {one.name: getattr(columns, one.name) for one in fields(cast(Any, columns))}
    some = {name: tuple(c[which] for c in v) if isinstance(v, tuple) else v[which] for name, v in every.items()}
    return type(columns)(**some)


@dataclass(frozen=True, eq=False)
class KerbPoints:
    """Points on kerbs, between crossings, with what belongs to each."""

    x: Integers
    y: Integers
    along: Vectors  # the way from end 0 to end 1 of the road's piece
    out: Vectors  # away from the road
    piece: Integers
    side: Integers  # of the way from end 0 to end 1: 1 right, -1 left
    step: Integers  # the how-manieth of its street
    index: Integers  # a number of its own, for draws
    road: Rows  # the road's record

    def keep(self, which: Flags | Integers) -> KerbPoints:
        """Those of them."""
        return select_rows(self, which)

    def at(self, out: npt.ArrayLike, shift: npt.ArrayLike = 0) -> Vectors:
        """The points so far away from the road, and so far along it."""
        return offset(self.x, self.y, (out, self.out), (shift, self.along))

    @property
    def inwards(self) -> Vectors:
        """Towards the road."""
        return -self.out[0], -self.out[1]

    @property
    def street(self) -> Integers:
        """The number of each spot's street."""
        return self.road["street"].astype(np.int64)

    @property
    def walk(self) -> Integers:
        """How wide the sidewalk is."""
        return self.road["walk"].astype(np.int64)

    @property
    def flow(self) -> Vectors:
        """The way traffic goes beside this kerb: the street's, or that of its right-hand lane."""
        sign = np.where(self.road["flow"] == 0, self.side, self.road["flow"]).astype(np.int64)
        return sign * self.along[0], sign * self.along[1]

    @property
    def parking(self) -> Flags:
        """Whether a parking lane lies along this kerb."""
        return np.asarray((self.road["parking"] & np.where(self.side > 0, 2, 1)) != 0, np.bool_)

    def __len__(self) -> int:
        return len(self.x)


def road_directions(roads: Rows) -> tuple[Vectors, Integers]:
    """The way from end 0 to end 1 of every piece of road, and its length."""
    dx, dy = roads["x1"].astype(np.int64) - roads["x0"], roads["y1"].astype(np.int64) - roads["y0"]
    far = np.sqrt((dx * dx + dy * dy).astype(float))
    whole = np.maximum(far, 1.0)
    along = (np.rint(dx / whole * UNIT).astype(np.int64), np.rint(dy / whole * UNIT).astype(np.int64))
    return along, np.floor(far).astype(np.int64)


def kerb_points(draft: Draft, spacing: int, phase: int = 0, edge: int = 0) -> KerbPoints:
    """Spots on both sides at equal distances all along each street, `edge` away from where crossings begin."""
    one, length = road_directions(draft.roads)
    roads = np.concatenate([draft.roads, draft.roads])
    side = np.repeat(np.array([1, -1]), len(one[0]))
    ax, ay, far = np.tile(one[0], 2), np.tile(one[1], 2), np.tile(length, 2)
    begin = roads["trim0"].astype(np.int64) + np.where(roads["trim0"] > 0, edge, 0)
    end = far - roads["trim1"] - np.where(roads["trim1"] > 0, edge, 0)
    start = roads["along"].astype(np.int64) - phase
    first = -((-start - begin) // spacing)
    counts = np.maximum((start + end - 1) // spacing - first + 1, 0) * (end > begin)
    which = np.repeat(np.arange(len(roads)), counts)
    step = first[which] + running_index(counts)
    along = (ax[which], ay[which])
    out = (side[which] * along[1], -side[which] * along[0])
    x, y = offset(
        roads["x0"][which].astype(np.int64),
        roads["y0"][which].astype(np.int64),
        (step * spacing - start[which], along),
        (roads["half"][which], out),
    )
    index = (roads["street"][which].astype(np.int64) * 2 + (side[which] > 0)) * 2**20 + step
    return KerbPoints(x, y, along, out, which % len(one[0]), side[which], step, index, roads[which])


def street_ends(draft: Draft) -> Integers:
    """Where streets end: x, y, the way back along it, how far from here a front may stand, the street's number."""
    roads = draft.roads
    along, _ = road_directions(roads)
    ends = np.concatenate([np.stack([roads["x" + end], roads["y" + end]], axis=1) for end in "01"]).astype(np.int64)
    _, back, counts = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    last = np.flatnonzero(counts[back.reshape(-1)] == 1)
    sign = np.where(last < len(roads), 1, -1)
    ux, uy = (sign * np.tile(one, 2)[last] for one in along)
    wide = np.tile(roads["half"].astype(np.int64) + roads["walk"], 2)[last]
    street = np.tile(roads["street"].astype(np.int64), 2)[last]
    return np.stack([ends[last, 0], ends[last, 1], ux, uy, wide + 500, street], axis=1)


LIVELINESS = (820, 200, 320, 930, 450, 520)  # how lively districts are, in the order of DISTRICTS


def liveliness(draft: Draft, x: Integers, y: Integers) -> Integers:
    """How lively it is there, of a thousand: by district, and a little by chance from block to block."""
    block = (x // 130_000) * 1_000_003 + y // 130_000
    by_chance = integers(draft.seed, Stage.FURNITURE, block, -130, 130, 90)
    return np.asarray(np.clip(np.array(LIVELINESS)[district_index(draft.seed, x, y)] + by_chance, 0, 1000), np.int64)
