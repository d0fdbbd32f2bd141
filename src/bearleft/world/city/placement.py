"""Placement of things: positions along kerbs, rows, and the records of the things.

Everything that touches the ground reserves its footprint in the raster, enlarged by GAP on every side, so things never
overlap although the raster only knows cells. Things that are arranged together reserve one rectangle.
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
from bearleft.world.city.plan import DIRECTION_SCALE, THING, Draft, Rows
from bearleft.world.city.randomness import Integers, Stage, integers
from bearleft.world.city.raster import Pair, Raster
from bearleft.world.city.shapes import Solid

Flags = npt.NDArray[np.bool_]
Vectors = tuple[Integers, Integers]
T = TypeVar("T")
GAP = 180  # millimetres; a disc of this radius contains a cell's centre, so footprints that share no cell are disjoint
# Masks of raster bits: ground that blocks the placement of a thing on a sidewalk, in a park and on a road.
BLOCKS_ON_SIDEWALK = raster.ROAD | raster.CROSSING | raster.CAMERA | raster.BUILDING | raster.THING
BLOCKS_IN_PARK = BLOCKS_ON_SIDEWALK | raster.WALK
BLOCKS_ON_ROAD = raster.CAMERA | raster.BUILDING | raster.THING

MAX_BASE_HEIGHT = 2.2  # metres; parts that begin higher do not touch the ground


@dataclass(frozen=True)
class Extents:
    """Footprint of each variant of a class in millimetres: centre and half sizes, x then y."""

    middle: tuple[Integers, Integers]
    half: tuple[Integers, Integers]


@cache
def model_extents(name: str, max_height: float = MAX_BASE_HEIGHT) -> Extents:
    """Return the footprints of a class, from the lower parts of its models, rounded to whole centimetres."""
    spans = []
    for model in catalog.CLASSES[catalog.class_index(name)].models:
        ends = [_span(solid) for solid in model]
        ends = [span for span in ends if span[2][0] < max_height] or ends
        spans.append([(min(span[axis][0] for span in ends), max(span[axis][1] for span in ends)) for axis in (0, 1)])
    low_end = np.floor(np.array(spans)[:, :, 0] * 100 + 0.003).astype(np.int64) * 10
    high_end = np.ceil(np.array(spans)[:, :, 1] * 100 - 0.003).astype(np.int64) * 10
    middle, half = (low_end + high_end) // 2, (high_end - low_end + 1) // 2
    return Extents((middle[:, 0], middle[:, 1]), (half[:, 0], half[:, 1]))


def _span(solid: Solid) -> list[tuple[float, float]]:
    """Return how far a solid extends along each axis."""
    roll, tilt, yaw = (radians(angle) for angle in (solid.roll, solid.tilt, solid.yaw))
    x = np.array([cos(roll), 0.0, -sin(roll)]) * solid.half[0]
    y = np.array([0.0, 1.0, 0.0]) * solid.half[1]
    z = np.array([sin(roll), 0.0, cos(roll)]) * solid.half[2]
    tilted = np.array([[1, 0, 0], [0, cos(tilt), -sin(tilt)], [0, sin(tilt), cos(tilt)]])
    turned = np.array([[cos(yaw), -sin(yaw), 0], [sin(yaw), cos(yaw), 0], [0, 0, 1]])
    reach = np.abs(turned @ tilted @ np.stack([x, y, z], axis=1)).sum(axis=1)
    return [(solid.at[axis] - float(reach[axis]), solid.at[axis] + float(reach[axis])) for axis in range(3)]


def variant_index(name: str, model: str) -> int:
    """Return the index of a variant of a class, by the name of its model function."""
    return [make.__name__ for make in catalog.CLASSES[catalog.class_index(name)].variants].index(model)


def max_half_size(name: str) -> tuple[int, int]:
    """Return half the width and half the depth that contain every variant of a class, as seen from its origin."""
    extents = model_extents(name)
    across, ahead = (np.abs(extents.middle[axis]) + extents.half[axis] for axis in (0, 1))
    return int(across.max()), int(ahead.max())


def raster_of(draft: Draft) -> Raster:
    """Return the draft's raster, which exists once the roads are laid."""
    assert draft.raster is not None, "streets first"
    return draft.raster


def reserve(draft: Draft, at: Pair, facing: Pair, half: Pair, avoid: int = BLOCKS_ON_SIDEWALK) -> Flags:
    """Reserve the ground under rectangles, one after another, where no bit of `avoid` is under or close to it.

    Args:
        draft: Plan under construction.
        at: Centres, in millimetres.
        facing: Directions the rectangles face.
        half: Half the widths across these directions, and half the lengths along them.
        avoid: Raster bits.

    Returns:
        Whether each rectangle was reserved.
    """
    wide, deep = (np.asarray(size, np.int64) + GAP for size in half)
    return raster_of(draft).place(at, facing, (wide, deep), avoid, raster.THING)


def right_of(direction: Vectors) -> Vectors:
    """Return the direction to the right of a direction."""
    ux, uy = direction
    return uy, -ux


def select_pair(pair: Vectors, rows: Flags | Integers) -> Vectors:
    """Return the selected rows of a pair of columns."""
    return pair[0][rows], pair[1][rows]


def offset(at: Vectors, *steps: tuple[npt.ArrayLike, Vectors]) -> Vectors:
    """Return points moved by distances (millimetres) along directions."""
    x, y = at
    for distance, (ux, uy) in steps:
        x, y = (
            x + np.asarray(distance, np.int64) * ux // DIRECTION_SCALE,
            y + np.asarray(distance, np.int64) * uy // DIRECTION_SCALE,
        )
    return x, y


def make_things(
    draft: Draft,
    stage: Stage,
    name: str,
    at: Pair,
    facing: Pair,
    index: npt.ArrayLike,
    **columns: npt.ArrayLike,
) -> Rows:
    """Return records of things of one class.

    Args:
        draft: Plan under construction.
        stage: Stage that draws the random numbers.
        name: Name of the class.
        at: Positions, in millimetres.
        facing: Directions the things face.
        index: Unique index of each thing, from which its variant and colours are drawn.
        **columns: Other columns of plan.THING; they override the random ones.
    """
    object_class = catalog.CLASSES[catalog.class_index(name)]
    required_columns = np.broadcast_arrays(
        *(np.atleast_1d(np.asarray(value, np.int64)) for value in (*at, *facing, index))
    )
    things = np.zeros(len(required_columns[0]), THING)
    for field, values in zip(("x", "y", "ux", "uy"), required_columns, strict=False):
        things[field] = values
    things["kind"] = catalog.class_index(name)
    things["sx"] = things["sy"] = things["sz"] = 1000
    things["text"] = things["owner"] = things["group"] = things["street"] = -1
    key = required_columns[4] * 128 + catalog.class_index(name)
    things["variant"] = integers(draft.seed, stage, key, 0, len(object_class.variants) - 1, salt=91)
    firsts, seconds = (
        np.array([colour_index(value) for value in names], np.int64)
        for names in (object_class.colours, object_class.second_colours)
    )
    things["first"] = firsts[integers(draft.seed, stage, key, 0, len(firsts) - 1, salt=92)]
    # Letters in the colour of their sign would be unreadable: take the next colour.
    random = integers(draft.seed, stage, key, 0, len(seconds) - 1, salt=93)
    things["second"] = np.where(
        seconds[random] == things["first"], seconds[(random + 1) % len(seconds)], seconds[random]
    )
    for field, column in columns.items():
        things[field] = column
    return things


def footprints(name: str, things: Rows) -> tuple[Vectors, Vectors, Vectors]:
    """Return the footprints of things of one class: centres, directions they face, half sizes."""
    extents, variant = model_extents(name), things["variant"]
    sx, sy = things["sx"].astype(np.int64), things["sy"].astype(np.int64)
    facing = (things["ux"].astype(np.int64), things["uy"].astype(np.int64))
    at = offset(
        (things["x"].astype(np.int64), things["y"].astype(np.int64)),
        (extents.middle[0][variant] * sx // 1000, right_of(facing)),
        (extents.middle[1][variant] * sy // 1000, facing),
    )
    return at, facing, (extents.half[0][variant] * sx // 1000, extents.half[1][variant] * sy // 1000)


def place_things(
    draft: Draft,
    stage: Stage,
    name: str,
    at: Pair,
    facing: Pair,
    index: npt.ArrayLike,
    avoid: int = BLOCKS_ON_SIDEWALK,
    **columns: npt.ArrayLike,
) -> Integers:
    """Place things of one class where there is space.

    Args:
        draft: Plan under construction.
        stage: Stage that draws the random numbers.
        name: Name of the class.
        at: Positions, in millimetres.
        facing: Directions the things face.
        index: Unique index of each thing, from which its variant and colours are drawn.
        avoid: Raster bits that must not be under a footprint.
        **columns: Other columns of plan.THING; they override the random ones.

    Returns:
        Indices of the things in the draft, -1 where there was no space.
    """
    things = make_things(draft, stage, name, at, facing, index, **columns)
    is_placed = reserve(draft, *footprints(name, things), avoid)
    first = draft.add(things[is_placed])
    return np.asarray(np.where(is_placed, first + np.cumsum(is_placed) - 1, -1), np.int64)


def new_groups(draft: Draft, count: int) -> Integers:
    """Return unused group indices."""
    return int(draft.things["group"].max(initial=-1)) + 1 + np.arange(count)


@dataclass(frozen=True, eq=False)
class RowLayout:
    """How things stand in rows."""

    count: npt.ArrayLike  # number of things in each row
    spacing: int  # distance between neighbours, in millimetres
    alike: bool = False  # whether all things of a row share variant and colours
    behind: bool = False  # whether things stand one behind another instead of side by side


def place_rows(
    draft: Draft,
    stage: Stage,
    name: str,
    at: Vectors,
    facing: Vectors,
    index: Integers,
    layout: RowLayout,
    avoid: int = BLOCKS_ON_SIDEWALK,
    **columns: npt.ArrayLike,
) -> Integers:
    """Place rows of things centred on points; a row is placed whole or not at all.

    Args:
        draft: Plan under construction.
        stage: Stage that draws the random numbers.
        name: Name of the class.
        at: Centres of the rows, in millimetres.
        facing: Directions the things face.
        index: Unique index of each row.
        layout: How the things stand in each row.
        avoid: Raster bits that must not be under a row.
        **columns: Other columns of plan.THING, one value per row.

    Returns:
        Group of each row, -1 where there was no space.
    """
    hx, hy = max_half_size(name)
    counts = np.broadcast_to(np.asarray(layout.count, np.int64), index.shape)
    reach = (counts - 1) * layout.spacing // 2
    half = (hx + 0 * reach, hy + reach) if layout.behind else (hx + reach, hy + 0 * reach)
    is_placed = reserve(draft, at, facing, half, avoid)
    groups = np.full(len(index), -1, np.int64)
    groups[is_placed] = new_groups(draft, int(is_placed.sum()))
    row_index = np.repeat(np.flatnonzero(is_placed), counts[is_placed])
    place = running_index(counts[is_placed])
    facing = select_pair(facing, row_index)
    direction = facing if layout.behind else right_of(facing)
    positions = offset(select_pair(at, row_index), (place * layout.spacing - reach[row_index], direction))
    values_by_column = {
        field: np.broadcast_to(np.asarray(values), index.shape)[row_index] for field, values in columns.items()
    }
    key = index[row_index] if layout.alike else index[row_index] * 64 + place
    draft.add(
        make_things(
            draft,
            stage,
            name,
            positions,
            facing,
            key,
            group=groups[row_index],
            place_in_group=place,
            **values_by_column,
        )
    )
    return groups


def running_index(counts: Integers) -> Integers:
    """Return 0, 1, ..., count - 1 for each count, concatenated."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)


def select_rows(columns: T, rows: Flags | Integers) -> T:
    """Select rows of a dataclass whose fields are columns, or pairs of columns."""
    columns_by_name = {field.name: getattr(columns, field.name) for field in fields(cast(Any, columns))}
    selected = {
        name: tuple(c[rows] for c in v) if isinstance(v, tuple) else v[rows] for name, v in columns_by_name.items()
    }
    return type(columns)(**selected)


@dataclass(frozen=True, eq=False)
class KerbPoints:
    """Points on kerbs between crossings."""

    x: Integers
    y: Integers
    along: Vectors  # direction from end 0 to end 1 of the road piece
    out: Vectors  # away from the road
    piece: Integers
    side: Integers  # seen along the piece: 1 right, -1 left
    step: Integers  # running number along the street
    index: Integers  # unique, for random numbers
    road: Rows  # records of the road pieces

    def select(self, rows: Flags | Integers) -> KerbPoints:
        """Return the selected points."""
        return select_rows(self, rows)

    def at(self, out: npt.ArrayLike, shift: npt.ArrayLike = 0) -> Vectors:
        """Return the points moved away from the road by `out` and along it by `shift`."""
        return offset((self.x, self.y), (out, self.out), (shift, self.along))

    @property
    def inwards(self) -> Vectors:
        """Direction towards the road."""
        return -self.out[0], -self.out[1]

    @property
    def street(self) -> Integers:
        """Street index of each point."""
        return self.road["street"].astype(np.int64)

    @property
    def sidewalk_width(self) -> Integers:
        """Sidewalk width in millimetres."""
        return self.road["walk"].astype(np.int64)

    @property
    def flow(self) -> Vectors:
        """Direction of traffic beside the kerb: the street's, or that of its right-hand lane."""
        sign = np.where(self.road["flow"] == 0, self.side, self.road["flow"]).astype(np.int64)
        return sign * self.along[0], sign * self.along[1]

    @property
    def has_parking(self) -> Flags:
        """Whether there is a parking lane along the kerb."""
        return np.asarray((self.road["parking"] & np.where(self.side > 0, 2, 1)) != 0, np.bool_)

    def __len__(self) -> int:
        return len(self.x)


def road_directions(roads: Rows) -> tuple[Vectors, Integers]:
    """Return the direction from end 0 to end 1 of every road piece, and its length."""
    dx, dy = roads["x1"].astype(np.int64) - roads["x0"], roads["y1"].astype(np.int64) - roads["y0"]
    length = np.sqrt((dx * dx + dy * dy).astype(float))
    divisor = np.maximum(length, 1.0)
    along = (
        np.rint(dx / divisor * DIRECTION_SCALE).astype(np.int64),
        np.rint(dy / divisor * DIRECTION_SCALE).astype(np.int64),
    )
    return along, np.floor(length).astype(np.int64)


def kerb_points(draft: Draft, spacing: int, *, phase: int = 0, edge: int = 0) -> KerbPoints:
    """Return points at equal distances along both kerbs of each street.

    Args:
        draft: Plan under construction.
        spacing: Distance between points, in millimetres.
        phase: Position of the first point along its street.
        edge: Minimum distance to crossings.
    """
    direction, length = road_directions(draft.roads)
    roads = np.concatenate([draft.roads, draft.roads])
    side = np.repeat(np.array([1, -1]), len(direction[0]))
    directions, lengths = (np.tile(direction[0], 2), np.tile(direction[1], 2)), np.tile(length, 2)
    begin = roads["trim0"].astype(np.int64) + np.where(roads["trim0"] > 0, edge, 0)
    end = lengths - roads["trim1"] - np.where(roads["trim1"] > 0, edge, 0)
    start = roads["along"].astype(np.int64) - phase
    first = -((-start - begin) // spacing)
    counts = np.maximum((start + end - 1) // spacing - first + 1, 0) * (end > begin)
    piece = np.repeat(np.arange(len(roads)), counts)
    step = first[piece] + running_index(counts)
    along = select_pair(directions, piece)
    out = (side[piece] * along[1], -side[piece] * along[0])
    x, y = offset(
        (roads["x0"][piece].astype(np.int64), roads["y0"][piece].astype(np.int64)),
        (step * spacing - start[piece], along),
        (roads["half"][piece], out),
    )
    index = (roads["street"][piece].astype(np.int64) * 2 + (side[piece] > 0)) * 2**20 + step
    return KerbPoints(x, y, along, out, piece % len(direction[0]), side[piece], step, index, roads[piece])


def street_ends(draft: Draft) -> Integers:
    """Return rows for street ends: x, y, direction back along the street, minimum front distance, street index."""
    roads = draft.roads
    along, _ = road_directions(roads)
    ends = np.concatenate([np.stack([roads["x" + end], roads["y" + end]], axis=1) for end in "01"]).astype(np.int64)
    _, back, counts = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    dead_ends = np.flatnonzero(counts[back.reshape(-1)] == 1)
    sign = np.where(dead_ends < len(roads), 1, -1)
    ux, uy = (sign * np.tile(axis, 2)[dead_ends] for axis in along)
    half_width = np.tile(roads["half"].astype(np.int64) + roads["walk"], 2)[dead_ends]
    street = np.tile(roads["street"].astype(np.int64), 2)[dead_ends]
    return np.stack([ends[dead_ends, 0], ends[dead_ends, 1], ux, uy, half_width + 500, street], axis=1)


LIVELINESS = (820, 200, 320, 930, 450, 520)  # per mille, in the order of DISTRICTS


def liveliness(draft: Draft, x: Integers, y: Integers) -> Integers:
    """Return how lively each point is, from 0 to 1000: by district, with some noise from block to block."""
    block = (x // 130_000) * 1_000_003 + y // 130_000
    noise = integers(draft.seed, Stage.FURNITURE, block, -130, 130, salt=90)
    return np.asarray(np.clip(np.array(LIVELINESS)[district_index(draft.seed, x, y)] + noise, 0, 1000), np.int64)
