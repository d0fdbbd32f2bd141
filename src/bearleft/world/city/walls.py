"""The sides of buildings, and how things hang on them."""

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
    select_rows,
)
from bearleft.world.city.plan import Draft, Rows
from bearleft.world.city.randomness import Integers, Stage, chance
from bearleft.world.city.raster import BUILDING, CAMERA, ROAD, THING

STAGE = Stage.FRONTS
WALL_GAP = 20  # walls have a skin that things on them stay clear of
AT_WALL = ROAD | CAMERA | THING


@dataclass(frozen=True, eq=False)
class Walls:
    """Sides of buildings. (x, y) is the foot of the wall's middle, `out` points away from it."""

    x: Integers
    y: Integers
    out: Vectors
    half: Integers
    side: Integers  # 0 front, 1 right, 2 back, 3 left, seen from within
    record: Rows
    street: Integers
    index: Integers

    def select(self, which: Flags | Integers) -> Walls:
        """Those of them."""
        return select_rows(self, which)

    def at(self, across: npt.ArrayLike, out: npt.ArrayLike = 0) -> Vectors:
        """Points so far to the right of the middle, as seen from within, and so far out."""
        return offset(self.x, self.y, (across, right_of(*self.out)), (out, self.out))

    def sample(self, draft: Draft, per_mille: npt.ArrayLike, draw: int) -> Walls:
        """Those that a draw picks."""
        return self.select(chance(draft.seed, STAGE, self.index, per_mille, draw))

    def hang(self, draft: Draft, name: str, across: npt.ArrayLike, z: npt.ArrayLike, **columns: npt.ArrayLike) -> None:
        """Hangs one thing of a class on each wall."""
        x, y = self.at(across, WALL_GAP)
        key = columns.pop("index", self.index)
        columns = {"owner": self.record["thing"], "street": self.street, "z": z, **columns}
        draft.add(make_things(draft, STAGE, name, x, y, *self.out, key, **columns))

    @property
    def floors(self) -> Integers:
        """How many whole floors lie above the ground floor."""
        above = self.record["height"].astype(np.int64) - self.record["ground"]
        return np.asarray(above // np.maximum(self.record["floor"], 1), np.int64)

    @property
    def bays(self) -> Integers:
        """How many bays of windows lie side by side."""
        return np.maximum(2 * self.half // np.maximum(self.record["bay"].astype(np.int64), 1), 1)

    def bay(self, column: npt.ArrayLike) -> Integers:
        """The middle of a bay, counted from the left as one sees the wall."""
        return np.asarray(self.half - (2 * np.asarray(column, np.int64) + 1) * self.half // self.bays, np.int64)

    def sill(self, floor: npt.ArrayLike) -> Integers:
        """The height of the window sills of a floor, 0 the first above the ground floor."""
        step = self.record["floor"].astype(np.int64)
        return np.asarray(self.record["ground"] + np.asarray(floor, np.int64) * step + step * 24 // 100, np.int64)

    def __len__(self) -> int:
        return len(self.x)


def building_walls(draft: Draft, seen: bool = True) -> Walls:
    """The sides of buildings that see a street (or those that do not), without another building right before them."""
    record = draft.buildings
    house = draft.things[record["thing"]]
    ways = StreetMap(draft)
    parts = []
    for side in range(4):
        ours = np.flatnonzero(((record["sides"] >> side) & 1) == int(seen))
        ux, uy = house["ux"][ours].astype(np.int64), house["uy"][ours].astype(np.int64)
        for _ in range(side):
            ux, uy = uy, -ux
        deep = record["hx" if side % 2 else "hy"][ours].astype(np.int64)
        half = record["hy" if side % 2 else "hx"][ours].astype(np.int64)
        x, y = offset(house["x"][ours].astype(np.int64), house["y"][ours].astype(np.int64), (deep, (ux, uy)))
        street = record["street"][ours].astype(np.int64) if side == 0 else ways.before(x, y, ux, uy)
        parts.append((x, y, ux, uy, half, np.full(len(ours), side), ours, street))
    x, y, ux, uy, half, sides, ours, street = (np.concatenate(column) for column in zip(*parts, strict=True))
    found = Walls(x, y, (ux, uy), half, sides, record[ours], street, ours * 4 + sides)
    return found.select((sides == 0) | ~is_hidden(draft, found))


def is_hidden(draft: Draft, seen: Walls) -> Flags:
    """Whether another building stands right before a wall."""
    under = raster_of(draft).covers(*seen.at(0, 1_100), *seen.out, seen.half - 400, 700)
    return np.asarray((under & BUILDING) != 0, np.bool_)


class StreetMap:
    """Which street lies in front of a wall, from squares of eight metres."""

    def __init__(self, draft: Draft) -> None:
        roads, cell = draft.roads, 8_000
        along, length = road_directions(roads)
        counts = length // 4_000 + 1
        piece = np.repeat(np.arange(len(roads)), counts)
        x, y = roads["x0"][piece].astype(np.int64), roads["y0"][piece].astype(np.int64)
        x, y = offset(x, y, (running_index(counts) * 4_000, (along[0][piece], along[1][piece])))
        self.x0, self.y0 = int(x.min()) - 4 * cell, int(y.min()) - 4 * cell
        size = ((int(y.max()) - self.y0) // cell + 5, (int(x.max()) - self.x0) // cell + 5)
        self.streets = np.full(size, -1, np.int64)
        self.streets[(y - self.y0) // cell, (x - self.x0) // cell] = roads["street"][piece]

    def before(self, x: Integers, y: Integers, ux: Integers, uy: Integers) -> Integers:
        """The street within eighteen metres of each wall, -1 for none."""
        found = np.full(len(x), -1, np.int64)
        for far in (2_000, 6_000, 10_000, 14_000, 18_000):
            px, py = offset(x, y, (far, (ux, uy)))
            row = np.clip((py - self.y0) // 8_000, 0, self.streets.shape[0] - 1)
            column = np.clip((px - self.x0) // 8_000, 0, self.streets.shape[1] - 1)
            found = np.where(found < 0, self.streets[row, column], found)
        return found
