"""Districts: which one a point lies in, and what is usual there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from bearleft.world.city.draws import Integers, Stage, integers, one_of

CELL = 400_000  # a district reaches about so far


class Style(IntEnum):
    """How a building is made; its number is BUILDING's `style`."""

    BRICK = 0  # flats of plain brick
    BROWNSTONE = 1  # narrow houses with stoops
    LIMESTONE = 2  # old offices and grand flats
    GLASS = 3  # curtain walls
    CONCRETE = 4  # towers of flats
    LOFT = 5  # warehouses with wide windows
    PAINTED = 6  # small painted houses
    PANEL = 7  # modern offices


@dataclass(frozen=True)
class District:
    """What is usual: `floors` above the ground floor from low to high, `towers` of a thousand reach `tallest`.

    Widths are in metres; gaps, greenery, litter and shops are of a thousand.
    """

    name: str
    floors: tuple[int, int]
    towers: int
    tallest: int
    widths: tuple[int, int]
    styles: tuple[int, ...]  # weights in the order of Style
    gaps: int
    greenery: int
    litter: int
    shops: int


DISTRICTS = (
    District("downtown", (7, 22), 160, 48, (14, 30), (8, 0, 26, 28, 4, 4, 0, 30), 30, 250, 350, 600),
    District("brownstones", (2, 4), 6, 14, (6, 9), (26, 56, 6, 0, 2, 2, 8, 0), 35, 850, 200, 120),
    District("warehouses", (3, 7), 15, 18, (11, 26), (34, 0, 4, 4, 6, 46, 2, 4), 95, 120, 700, 250),
    District("shopping", (3, 8), 40, 26, (8, 20), (30, 4, 24, 12, 4, 10, 8, 8), 25, 350, 500, 900),
    District("residential", (5, 14), 90, 30, (14, 28), (44, 4, 16, 4, 24, 2, 0, 6), 70, 600, 250, 350),
    District("village", (1, 4), 4, 10, (6, 12), (38, 18, 4, 0, 2, 8, 30, 0), 60, 750, 300, 450),
)
COMMON = (16, 20, 12, 18, 20, 14)  # how common they are


def district(seed: int, x: npt.ArrayLike, y: npt.ArrayLike) -> Integers:
    """The number of the district at each point, a row of DISTRICTS: that of the nearest of some scattered middles."""
    px, py = np.broadcast_arrays(np.asarray(x, np.int64), np.asarray(y, np.int64))
    column, row = px // CELL, py // CELL
    nearest = np.full(px.shape, np.iinfo(np.int64).max)
    found = np.zeros(px.shape, np.int64)
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            cell = (column + dx) * 1_000_003 + row + dy
            mx = (column + dx) * CELL + integers(seed, Stage.DISTRICTS, cell, CELL // 8, CELL * 7 // 8, 0)
            my = (row + dy) * CELL + integers(seed, Stage.DISTRICTS, cell, CELL // 8, CELL * 7 // 8, 1)
            away = (px - mx) ** 2 + (py - my) ** 2
            closer = away < nearest
            nearest = np.where(closer, away, nearest)
            found = np.where(closer, one_of(seed, Stage.DISTRICTS, cell, COMMON, 2), found)
    return found


def usual(what: str, where: Integers) -> Integers:
    """A number of each district, for points by their districts: greenery, litter, shops, gaps, towers, tallest."""
    return np.array([getattr(one, what) for one in DISTRICTS], np.int64)[where]
