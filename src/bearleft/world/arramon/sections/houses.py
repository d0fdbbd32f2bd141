"""Houses of the sections: a closed row around each, and blocks between the streets, some with alleys and squares."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bearleft.world.arramon.sections.layout import (
    AHEAD,
    DIRECTIONS,
    STREETS_PER_AXIS,
    Layout,
    Rectangle,
    section_layouts,
)
from bearleft.world.arramon.sections.themes import GREYS, THEMES, Theme
from bearleft.world.city import raster
from bearleft.world.city.catalog import class_index
from bearleft.world.city.districts import DISTRICTS
from bearleft.world.city.facades import STYLES
from bearleft.world.city.palette import colour_index
from bearleft.world.city.placement import raster_of
from bearleft.world.city.plan import AREA, BUILDING, THING, UNIT, Draft
from bearleft.world.city.randomness import Stage
from bearleft.world.render.codes import Ground
from bearleft.world.rooms.room_random import SeededRandom

Longs = npt.NDArray[np.int64]
GREY_PER_MILLE = 240  # of a thousand houses
ALLEY_WIDTH = (2_400, 3_000)  # between two houses of a block
WINDOW_DISTANCE = 1_500  # a side that has open ground so close to it has windows
OPEN_GROUND = raster.ROAD | raster.WALK | raster.PARK


@dataclass(frozen=True)
class House:
    """Where a house stands in its section's frame, and which way its front looks, a number into WAYS."""

    at: Rectangle
    front: int


@dataclass(frozen=True)
class Square:
    """Open ground between houses: a park, a square or an alley."""

    at: Rectangle
    ground: Ground


def section_themes(seed: int) -> list[Theme]:
    """The theme of each section."""
    return SeededRandom(seed, 0, Stage.HOUSES).shuffled(THEMES)


def build_houses(draft: Draft) -> None:
    """Adds houses and open ground of all sections, and marks them."""
    for layout, theme in zip(section_layouts(draft.seed), section_themes(draft.seed), strict=True):
        rng = SeededRandom(draft.seed, layout.number, Stage.HOUSES)
        houses = _perimeter_houses(layout, rng)
        squares: list[Square] = []
        for block, fronts in _blocks(layout):
            _fill_block(rng, block, fronts, houses, squares)
        for gap in _gaps(layout):
            _fill_gap(rng, gap, houses, squares)
        _add_squares(draft, layout, squares)
        _add_houses(draft, layout, theme, rng, houses)


def _split_positions(rng: SeededRandom, length: int, usual: int) -> list[int]:
    """Where a row of about so wide parts is cut, 0 and `length` included."""
    count = max((length + usual // 2) // usual, 1)
    wide = length // count
    inner = [wide * k + rng.randint(-wide // 6, wide // 6) for k in range(1, count)]
    return [0, *inner, length]


def _perimeter_houses(layout: Layout, rng: SeededRandom) -> list[House]:
    """A row without gaps on every side of the section; the two along the right and left stand between the others."""
    low, high, left, right = layout.inner
    below, above, west, east = layout.outer
    found = []
    for begin, end, front in ((below, low, 0), (high, above, 2)):
        cuts = _split_positions(rng, east - west, rng.randint(85, 105) * 100)
        found += [House((begin, end, west + a, west + b), front) for a, b in pairwise(cuts)]
    for begin, end, front in ((west, left, 1), (right, east, 3)):
        cuts = _split_positions(rng, high - low, rng.randint(85, 105) * 100)
        found += [House((low + a, low + b, begin, end), front) for a, b in pairwise(cuts)]
    return found


def _blocks(layout: Layout) -> list[tuple[Rectangle, list[int]]]:
    """The four blocks between the streets, and the ways in which a street lies beside each."""
    found = []
    for i in range(STREETS_PER_AXIS - 1):
        for j in range(STREETS_PER_AXIS - 1):
            at = (
                layout.ahead[i] + layout.wide,
                layout.ahead[i + 1] - layout.wide,
                layout.right[j] + layout.wide,
                layout.right[j + 1] - layout.wide,
            )
            beside = (
                ((i + 1, j), (i + 1, j + 1)),
                ((i, j + 1), (i + 1, j + 1)),
                ((i, j), (i, j + 1)),
                ((i, j), (i + 1, j)),
            )
            fronts = [way for way, piece in enumerate(beside) if piece not in layout.left_out]
            found.append((at, fronts))
    return found


def _gaps(layout: Layout) -> list[tuple[Rectangle, list[int]]]:
    """Where pieces of street are left out, and crossings that have lost all of theirs."""
    found, wide = [], layout.wide
    for one, other in layout.pieces(there=False):
        (low, left), (high, right) = layout.node(one), layout.node(other)
        along = one[1] == other[1]
        at = (low + wide, high - wide, left - wide, left + wide)
        if not along:
            at = (low - wide, low + wide, left + wide, right - wide)
        ways = [way for node, way in ((other, 0 if along else 1), (one, 2 if along else 3)) if layout.arms(node)]
        found.append((at, ways))
    for node in ((i, j) for i in range(STREETS_PER_AXIS) for j in range(STREETS_PER_AXIS)):
        if not layout.arms(node):
            ahead, right = layout.node(node)
            found.append(((ahead - wide, ahead + wide, right - wide, right + wide), []))
    return found


def _halves(rng: SeededRandom, at: Rectangle, along: bool, alley: int) -> tuple[Rectangle, Rectangle, Rectangle]:
    """A rectangle cut in two with an alley between them, which comes last."""
    low, high, left, right = at
    length = high - low if along else right - left
    cut = length // 2 + rng.randint(-length // 10, length // 10)
    one, other = cut - alley // 2, cut + alley // 2
    if along:
        return (low, low + one, left, right), (low + other, high, left, right), (low + one, low + other, left, right)
    return (low, high, left, left + one), (low, high, left + other, right), (low, high, left + one, left + other)


def _fill_block(
    rng: SeededRandom, block: Rectangle, fronts: list[int], houses: list[House], squares: list[Square]
) -> None:
    """A block: one house, two or four, with or without an alley, or a house at one side of a square."""
    along = rng.chance(500)
    what = rng.choice(("two", "two", "four", "four", "square", "one"))
    if what == "one":
        houses.append(House(block, rng.choice(fronts)))
        return
    if what == "square":
        _fill_with_square(rng, block, fronts, houses, squares)
        return
    alley = rng.randint(*ALLEY_WIDTH) if rng.chance(450) else 0
    one, other, between = _halves(rng, block, along, alley)
    if alley:
        squares.append(Square(between, Ground.YARD))
    for part, ways in ((one, (2, 1, 3) if along else (3, 0, 2)), (other, (0, 1, 3) if along else (1, 0, 2))):
        seen = [way for way in ways if way in fronts] or fronts
        if what == "two":
            houses.append(House(part, rng.choice(seen)))
            continue
        for quarter, side in zip(_halves(rng, part, not along, 0), (3, 1) if along else (2, 0), strict=False):
            ours = [way for way in (ways[0], side) if way in fronts]
            houses.append(House(quarter, rng.choice(ours) if ours else ways[0]))


def _fill_with_square(
    rng: SeededRandom, block: Rectangle, fronts: list[int], houses: list[House], squares: list[Square]
) -> None:
    """Open towards one street, a house or two behind."""
    low, high, left, right = block
    way = rng.choice(fronts)
    share = rng.randint(45, 55)
    if way % 2 == 0:
        cut = low + (high - low) * (share if way == 0 else 100 - share) // 100
        parts = ((cut, high, left, right), (low, cut, left, right))
    else:
        cut = left + (right - left) * (share if way == 1 else 100 - share) // 100
        parts = ((low, high, cut, right), (low, high, left, cut))
    free, built = parts if way < 2 else parts[::-1]
    squares.append(Square(free, rng.choice((Ground.GRASS, Ground.PLAZA))))
    houses += [House(half, way) for half in _halves(rng, built, way % 2 == 1, 0)[:2]]


def _fill_gap(rng: SeededRandom, gap: tuple[Rectangle, list[int]], houses: list[House], squares: list[Square]) -> None:
    """Where a street would be: a house whose front ends the view, or a small park."""
    at, ways = gap
    if ways and rng.chance(450):
        squares.append(Square(at, Ground.GRASS))
    else:
        houses.append(House(at, rng.choice(ways) if ways else rng.randint(0, 3)))


def _rectangle_record(layout: Layout, at: Rectangle, way: int) -> tuple[int, int, int, int, int, int]:
    """A rectangle of the section's frame as the city has it: x, y, ux, uy, hx, hy."""
    low, high, left, right = at
    half = (right - left) // 2, (high - low) // 2
    hx, hy = half if way % 2 == 0 else half[::-1]
    return (*layout.at((low + high) // 2, (left + right) // 2), *DIRECTIONS[way], hx, hy)


def _add_squares(draft: Draft, layout: Layout, squares: list[Square]) -> None:
    """Adds open ground."""
    areas = np.zeros(len(squares), AREA)
    for area, square in zip(areas, squares, strict=True):
        record = _rectangle_record(layout, square.at, 0)
        for name, value in zip(("x", "y", "ux", "uy", "hx", "hy"), record, strict=True):
            area[name] = value
        area["ground"] = square.ground
        raster_of(draft).mark(*record, raster.PARK)
    first = len(draft.areas)
    draft.parks += [first + k for k, square in enumerate(squares) if square.ground != Ground.YARD]
    draft.areas = np.concatenate([draft.areas, areas])


def _add_houses(draft: Draft, layout: Layout, theme: Theme, rng: SeededRandom, houses: list[House]) -> None:
    """Adds houses: height, style and colours as the section's theme has them."""
    count = len(houses)
    built = np.array([_rectangle_record(layout, house.at, house.front) for house in houses], np.int64)
    x, y, ux, uy, hx, hy = built.T
    raster_of(draft).mark(x, y, ux, uy, hx, hy, raster.BUILDING)
    rows, things = np.zeros(count, BUILDING), np.zeros(count, THING)
    names = [style.name for style in STYLES]
    district = [one.name for one in DISTRICTS].index(theme.district)
    walls: list[str] = []
    for row, thing, place in zip(rows, things, built.tolist(), strict=True):
        floors = rng.randint(*theme.floors)
        row["style"], row["district"] = names.index(rng.choice(theme.styles)), district
        row["ground"], row["floor"] = rng.randint(34, 40) * 100, rng.randint(28, 32) * 100
        row["height"] = row["ground"] + floors * row["floor"]
        row["bay"] = 2 * place[4] // max(2 * place[4] // (rng.randint(18, 26) * 100), 1)
        row["hx"], row["hy"] = place[4], place[5]
        # Neighbours differ: the last two colours are not drawn again.
        among = [one for one in theme.walls if one not in walls[-2:]]
        wall = rng.choice(GREYS) if rng.chance(GREY_PER_MILLE) else rng.choice(among)
        walls.append(wall)
        trim = rng.choice([one for one in theme.trims if one != wall])
        thing["first"], thing["second"] = colour_index(wall), colour_index(trim)
    rows["sides"] = _sides(draft, built)
    for name, column in (("x", 0), ("y", 1), ("ux", 2), ("uy", 3)):
        things[name] = built[:, column]
    things["kind"] = class_index("building")
    things["sx"] = things["sy"] = things["sz"] = 1000
    for name in ("text", "owner", "group"):
        things[name] = -1
    rows["street"] = things["street"] = _streets(draft, layout, built)
    rows["thing"] = draft.add(things) + np.arange(count)
    draft.buildings = np.concatenate([draft.buildings, rows])


def _sides(draft: Draft, built: Longs) -> Longs:
    """Which sides see open ground close by; the front always does."""
    x, y, ux, uy, hx, hy = built.T
    seen = np.ones(len(built), np.int64)
    for side, (ax, ay, away, wide) in enumerate(((uy, -ux, hx, hy), (-ux, -uy, hy, hx), (-uy, ux, hx, hy)), 1):
        far = away + WINDOW_DISTANCE // 2
        bits = raster_of(draft).covers(
            x + ax * far // UNIT, y + ay * far // UNIT, ax, ay, wide - 600, WINDOW_DISTANCE // 2
        )
        seen |= ((bits & OPEN_GROUND) != 0).astype(np.int64) << side
    return seen


def _streets(draft: Draft, layout: Layout, built: Longs) -> Longs:
    """The street before each front, by which line of the section runs there; -1 for none."""
    x, y, ux, uy, _, hy = built.T
    far = hy + layout.walk + 300
    px, py = x + ux * far // UNIT, y + uy * far // UNIT
    paved = (raster_of(draft).at(px, py) & raster.ROAD) != 0
    ahead = ((px - layout.x) * AHEAD[0] + (py - layout.y) * AHEAD[1]) // UNIT
    right = ((px - layout.x) * AHEAD[1] - (py - layout.y) * AHEAD[0]) // UNIT
    across = np.abs(ux * AHEAD[0] + uy * AHEAD[1]) > UNIT * UNIT // 2  # the front looks ahead: its street runs across
    nearest = np.where(
        across,
        STREETS_PER_AXIS + np.abs(ahead[:, None] - np.array(layout.ahead)).argmin(axis=1),
        np.abs(right[:, None] - np.array(layout.right)).argmin(axis=1),
    )
    return np.where(paved, (layout.number - 1) * 2 * STREETS_PER_AXIS + nearest, -1)
