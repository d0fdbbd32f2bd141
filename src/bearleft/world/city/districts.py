"""Districts of the city and their typical values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.world.city.randomness import Integers, Stage, hashes, integers

DISTRICT_SIZE = 400_000  # millimetres, about


@dataclass(frozen=True)
class District:
    """Typical values of a district; shares are per mille."""

    name: str
    floors: tuple[int, int]  # fewest and most floors above the ground floor, except for towers
    towers: int  # share of large buildings that are towers
    tallest: int  # most floors of a tower
    widths: tuple[int, int]  # least and largest frontage of a building in metres
    styles: dict[str, int]  # weights of facades.STYLES, by name
    gaps: int  # share of lots without a building
    greenery: int  # raises the shares of streets and kerb points with trees
    litter: int  # raises the share of places with litter
    shops: int  # share of walls along streets with a shop


DISTRICTS = (
    District(
        "downtown", (7, 22), 160, 48, (14, 30),
        {"glass office tower": 26, "panel office": 26, "art-deco tower": 20, "limestone apartment": 18,
         "brick walk-up": 6},
        30, 250, 350, 600,
    ),
    District(
        "brownstones", (2, 4), 6, 14, (6, 9),
        {"brownstone": 56, "brick walk-up": 26, "limestone apartment": 6, "painted rowhouse": 8, "tenement": 4},
        35, 850, 200, 120,
    ),
    District(
        "warehouses", (3, 7), 15, 18, (11, 26),
        {"warehouse": 46, "cast-iron loft": 18, "brick walk-up": 14, "tenement": 10, "concrete slab": 6,
         "panel office": 6},
        95, 120, 700, 250,
    ),
    District(
        "shopping", (3, 8), 40, 26, (8, 20),
        {"cast-iron loft": 30, "limestone apartment": 20, "brick walk-up": 18, "tenement": 12, "panel office": 10,
         "art-deco tower": 6, "glass office tower": 4},
        25, 350, 500, 900,
    ),
    District(
        "residential", (5, 14), 90, 30, (14, 28),
        {"white-brick apartment": 28, "limestone apartment": 20, "brick walk-up": 20, "concrete slab": 18,
         "art-deco tower": 10, "panel office": 4},
        70, 600, 250, 350,
    ),
    District(
        "village", (1, 4), 4, 10, (6, 12),
        {"painted rowhouse": 32, "brick walk-up": 28, "brownstone": 16, "tenement": 16, "cast-iron loft": 4,
         "warehouse": 4},
        60, 750, 300, 450,
    ),
)  # fmt: skip


def district_index(seed: int, x: npt.ArrayLike, y: npt.ArrayLike) -> Integers:
    """Return the index into DISTRICTS at each point: that of the nearest random centre.

    Kinds alternate from centre to centre, so that neighbours differ and every kind occurs often.
    """
    order = np.argsort(hashes(seed, Stage.DISTRICTS, np.arange(len(DISTRICTS)), salt=2), kind="stable")
    px, py = np.broadcast_arrays(np.asarray(x, np.int64), np.asarray(y, np.int64))
    # The cells around each point, along a first axis.
    around = np.array([(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]).reshape(9, 2, *(1,) * px.ndim)
    column, row = px // DISTRICT_SIZE + around[:, 0], py // DISTRICT_SIZE + around[:, 1]
    cell = column * 1_000_003 + row
    low, high = DISTRICT_SIZE // 8, DISTRICT_SIZE * 7 // 8
    mx = column * DISTRICT_SIZE + integers(seed, Stage.DISTRICTS, cell, low, high, salt=0)
    my = row * DISTRICT_SIZE + integers(seed, Stage.DISTRICTS, cell, low, high, salt=1)
    nearest = np.argmin((px - mx) ** 2 + (py - my) ** 2, axis=0)
    district = order[(column + 2 * row) % len(order)]
    return np.asarray(np.take_along_axis(district, nearest[None], axis=0)[0], np.int64)


def district_values(attribute: str, district: Integers) -> Integers:
    """Return an attribute of each point's district: greenery, litter, shops, gaps, towers or tallest."""
    return np.array([getattr(values, attribute) for values in DISTRICTS], np.int64)[district]
