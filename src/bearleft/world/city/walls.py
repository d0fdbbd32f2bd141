"""The sides of buildings, and hanging objects on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.world.city.placement import (
    Flags,
    Vectors,
    make_things,
    offset,
    raster_of,
    right_of,
    road_directions,
    running_index,
    select_pair,
    select_rows,
)
from bearleft.world.city.plan import Draft, Rows
from bearleft.world.city.randomness import Integers, Stage, chance
from bearleft.world.city.raster import BUILDING, CAMERA, ROAD, THING

STAGE = Stage.FRONTS
WALL_GAP = 20  # millimetres between a wall and the objects on it
AT_WALL = ROAD | CAMERA | THING


@dataclass(frozen=True, eq=False)
class Walls:
    """Sides of buildings. (x, y) is the middle of the wall's foot; `out` points away from the wall."""

    x: Integers
    y: Integers
    out: Vectors
    half: Integers  # half the length
    side: Integers  # 0 front, 1 right, 2 back, 3 left, seen from inside
    record: Rows  # records of the buildings
    street: Integers
    index: Integers

    def select(self, rows: Flags | Integers) -> Walls:
        """Return the selected walls."""
        return select_rows(self, rows)

    def at(self, across: npt.ArrayLike, out: npt.ArrayLike = 0) -> Vectors:
        """Return points `across` to the right of the middle, as seen from inside, and `out` from the wall."""
        return offset((self.x, self.y), (across, right_of(self.out)), (out, self.out))

    def sample(self, draft: Draft, per_mille: npt.ArrayLike, salt: int) -> Walls:
        """Return a random sample of the walls."""
        return self.select(chance(draft.seed, STAGE, self.index, per_mille, salt=salt))

    def hang(self, draft: Draft, name: str, across: npt.ArrayLike, z: npt.ArrayLike, **columns: npt.ArrayLike) -> None:
        """Hang one thing of a class on each wall, at height `z` and `across` from its middle (see `at`)."""
        key = columns.pop("index", self.index)
        columns = {"owner": self.record["thing"], "street": self.street, "z": z, **columns}
        draft.add(make_things(draft, STAGE, name, self.at(across, WALL_GAP), self.out, key, **columns))

    @property
    def floors(self) -> Integers:
        """Number of whole floors above the ground floor."""
        above = self.record["height"].astype(np.int64) - self.record["ground"]
        return np.asarray(above // np.maximum(self.record["floor"], 1), np.int64)

    @property
    def bays(self) -> Integers:
        """Number of window bays side by side."""
        return np.maximum(2 * self.half // np.maximum(self.record["bay"].astype(np.int64), 1), 1)

    def bay(self, column: npt.ArrayLike) -> Integers:
        """Return the middle of a bay, counted from the left as seen from outside."""
        return np.asarray(self.half - (2 * np.asarray(column, np.int64) + 1) * self.half // self.bays, np.int64)

    def sill(self, floor: npt.ArrayLike) -> Integers:
        """Return the height of the window sills of a floor; 0 is the first above the ground floor."""
        step = self.record["floor"].astype(np.int64)
        return np.asarray(self.record["ground"] + np.asarray(floor, np.int64) * step + step * 24 // 100, np.int64)

    def __len__(self) -> int:
        return len(self.x)


def building_walls(draft: Draft, visible: bool = True) -> Walls:
    """Return the sides of buildings that face a street (or those that do not), without another building in front."""
    record = draft.buildings
    house = draft.things[record["thing"]]
    street_map = StreetMap(draft)
    parts = []
    for side in range(4):
        indices = np.flatnonzero(((record["sides"] >> side) & 1) == int(visible))
        facing = (house["ux"][indices].astype(np.int64), house["uy"][indices].astype(np.int64))
        for _ in range(side):
            facing = right_of(facing)
        depth = record["hx" if side % 2 else "hy"][indices].astype(np.int64)
        half = record["hy" if side % 2 else "hx"][indices].astype(np.int64)
        at = offset((house["x"][indices].astype(np.int64), house["y"][indices].astype(np.int64)), (depth, facing))
        street = record["street"][indices].astype(np.int64) if side == 0 else street_map.street_in_front(at, facing)
        parts.append((*at, *facing, half, np.full(len(indices), side), indices, street))
    x, y, ux, uy, half, sides, indices, street = (np.concatenate(column) for column in zip(*parts, strict=True))
    all_walls = Walls(x, y, (ux, uy), half, sides, record[indices], street, indices * 4 + sides)
    return all_walls.select((sides == 0) | ~is_hidden(draft, all_walls))


def is_hidden(draft: Draft, walls: Walls) -> Flags:
    """Return whether another building stands directly in front of each wall."""
    bits = raster_of(draft).covers(walls.at(0, 1_100), walls.out, (walls.half - 400, 700))
    return np.asarray((bits & BUILDING) != 0, np.bool_)


class StreetMap:
    """Lookup of the street in front of a wall, in cells of eight metres."""

    def __init__(self, draft: Draft) -> None:
        roads, cell = draft.roads, 8_000
        along, length = road_directions(roads)
        counts = length // 4_000 + 1
        piece = np.repeat(np.arange(len(roads)), counts)
        start = (roads["x0"][piece].astype(np.int64), roads["y0"][piece].astype(np.int64))
        x, y = offset(start, (running_index(counts) * 4_000, select_pair(along, piece)))
        self.x0, self.y0 = int(x.min()) - 4 * cell, int(y.min()) - 4 * cell
        size = ((int(y.max()) - self.y0) // cell + 5, (int(x.max()) - self.x0) // cell + 5)
        self.streets = np.full(size, -1, np.int64)
        self.streets[(y - self.y0) // cell, (x - self.x0) // cell] = roads["street"][piece]

    def street_in_front(self, at: Vectors, facing: Vectors) -> Integers:
        """Return the street within eighteen metres of each wall, -1 if there is none."""
        streets = np.full(len(at[0]), -1, np.int64)
        for distance in (2_000, 6_000, 10_000, 14_000, 18_000):
            px, py = offset(at, (distance, facing))
            row = np.clip((py - self.y0) // 8_000, 0, self.streets.shape[0] - 1)
            column = np.clip((px - self.x0) // 8_000, 0, self.streets.shape[1] - 1)
            streets = np.where(streets < 0, self.streets[row, column], streets)
        return streets
