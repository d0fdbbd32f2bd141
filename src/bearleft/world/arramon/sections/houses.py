"""Houses of the sections: a closed row around each section, and blocks with alleys and squares between the streets."""

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
from bearleft.world.city.plan import AREA, BUILDING, DIRECTION_SCALE, THING, Draft
from bearleft.world.city.randomness import Stage
from bearleft.world.render.codes import Ground
from bearleft.world.rooms.room_random import SeededRandom

Longs = npt.NDArray[np.int64]
GREY_PER_MILLE = 240  # grey houses per thousand
ALLEY_WIDTH = (2_400, 3_000)  # millimetres, smallest and largest
WINDOW_DISTANCE = 1_500  # millimetres; a side with open ground this close has windows
OPEN_GROUND = raster.ROAD | raster.WALK | raster.PARK


@dataclass(frozen=True)
class House:
    """Footprint of a house in its section's frame, and the direction of its front, an index into DIRECTIONS."""

    at: Rectangle
    front: int


@dataclass(frozen=True)
class Square:
    """Open ground between houses: a park, a square or an alley."""

    at: Rectangle
    ground: Ground


def section_themes(seed: int) -> list[Theme]:
    """Return the theme of each section."""
    return SeededRandom(seed, 0, Stage.HOUSES).shuffled(THEMES)


def build_houses(draft: Draft) -> None:
    """Add houses and open ground of all sections, and mark them in the raster."""
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
    """Return the positions that split a length into parts of about `usual`, 0 and `length` included."""
    count = max((length + usual // 2) // usual, 1)
    wide = length // count
    inner = [wide * k + rng.randint(-wide // 6, wide // 6) for k in range(1, count)]
    return [0, *inner, length]


def _perimeter_houses(layout: Layout, rng: SeededRandom) -> list[House]:
    """Return closed rows of houses around the section; the left and right rows lie between the other two."""
    low, high, left, right = layout.inner
    below, above, west, east = layout.outer
    houses = []
    for begin, end, front in ((below, low, 0), (high, above, 2)):
        cuts = _split_positions(rng, east - west, rng.randint(85, 105) * 100)
        houses += [House((begin, end, west + a, west + b), front) for a, b in pairwise(cuts)]
    for begin, end, front in ((west, left, 1), (right, east, 3)):
        cuts = _split_positions(rng, high - low, rng.randint(85, 105) * 100)
        houses += [House((low + a, low + b, begin, end), front) for a, b in pairwise(cuts)]
    return houses


def _blocks(layout: Layout) -> list[tuple[Rectangle, list[int]]]:
    """Return the four blocks between the streets, and the directions in which a street borders each."""
    blocks = []
    for i in range(STREETS_PER_AXIS - 1):
        for j in range(STREETS_PER_AXIS - 1):
            at = (
                layout.ahead[i] + layout.half_street_width,
                layout.ahead[i + 1] - layout.half_street_width,
                layout.right[j] + layout.half_street_width,
                layout.right[j + 1] - layout.half_street_width,
            )
            beside = (
                ((i + 1, j), (i + 1, j + 1)),
                ((i, j + 1), (i + 1, j + 1)),
                ((i, j), (i, j + 1)),
                ((i, j), (i + 1, j)),
            )
            fronts = [direction for direction, segment in enumerate(beside) if segment not in layout.omitted]
            blocks.append((at, fronts))
    return blocks


def _gaps(layout: Layout) -> list[tuple[Rectangle, list[int]]]:
    """Return the rectangles of omitted segments and of nodes without streets, with possible fronts."""
    gaps, half_width = [], layout.half_street_width
    for start, end in layout.segments(omitted=True):
        (low, left), (high, right) = layout.node_position(start), layout.node_position(end)
        along = start[1] == end[1]
        at = (low + half_width, high - half_width, left - half_width, left + half_width)
        if not along:
            at = (low - half_width, low + half_width, left + half_width, right - half_width)
        directions = [
            direction for node, direction in ((end, 0 if along else 1), (start, 2 if along else 3)) if layout.arms(node)
        ]
        gaps.append((at, directions))
    for node in ((i, j) for i in range(STREETS_PER_AXIS) for j in range(STREETS_PER_AXIS)):
        if not layout.arms(node):
            ahead, right = layout.node_position(node)
            gaps.append(((ahead - half_width, ahead + half_width, right - half_width, right + half_width), []))
    return gaps


def _halves(rng: SeededRandom, at: Rectangle, along: bool, alley: int) -> tuple[Rectangle, Rectangle, Rectangle]:
    """Split a rectangle in two, with an alley between them; the alley comes last."""
    low, high, left, right = at
    length = high - low if along else right - left
    cut = length // 2 + rng.randint(-length // 10, length // 10)
    first_end, second_start = cut - alley // 2, cut + alley // 2
    if along:
        return (
            (low, low + first_end, left, right),
            (low + second_start, high, left, right),
            (low + first_end, low + second_start, left, right),
        )
    return (
        (low, high, left, left + first_end),
        (low, high, left + second_start, right),
        (low, high, left + first_end, left + second_start),
    )


def _fill_block(
    rng: SeededRandom, block: Rectangle, fronts: list[int], houses: list[House], squares: list[Square]
) -> None:
    """Fill a block with one, two or four houses, with or without an alley, or with houses beside a square."""
    along = rng.chance(500)
    arrangement = rng.choice(("two", "two", "four", "four", "square", "one"))
    if arrangement == "one":
        houses.append(House(block, rng.choice(fronts)))
        return
    if arrangement == "square":
        _fill_with_square(rng, block, fronts, houses, squares)
        return
    alley = rng.randint(*ALLEY_WIDTH) if rng.chance(450) else 0
    first, second, between = _halves(rng, block, along, alley)
    if alley:
        squares.append(Square(between, Ground.YARD))
    for part, directions in ((first, (2, 1, 3) if along else (3, 0, 2)), (second, (0, 1, 3) if along else (1, 0, 2))):
        street_sides = [direction for direction in directions if direction in fronts] or fronts
        if arrangement == "two":
            houses.append(House(part, rng.choice(street_sides)))
            continue
        for quarter, side in zip(_halves(rng, part, not along, 0), (3, 1) if along else (2, 0), strict=False):
            street_fronts = [direction for direction in (directions[0], side) if direction in fronts]
            houses.append(House(quarter, rng.choice(street_fronts) if street_fronts else directions[0]))


def _fill_with_square(
    rng: SeededRandom, block: Rectangle, fronts: list[int], houses: list[House], squares: list[Square]
) -> None:
    """Fill a block with a square that is open to one street, and two houses behind it."""
    low, high, left, right = block
    direction = rng.choice(fronts)
    share = rng.randint(45, 55)
    if direction % 2 == 0:
        cut = low + (high - low) * (share if direction == 0 else 100 - share) // 100
        parts = ((cut, high, left, right), (low, cut, left, right))
    else:
        cut = left + (right - left) * (share if direction == 1 else 100 - share) // 100
        parts = ((low, high, cut, right), (low, high, left, cut))
    open_part, built_part = parts if direction < 2 else parts[::-1]
    squares.append(Square(open_part, rng.choice((Ground.GRASS, Ground.PLAZA))))
    houses += [House(half, direction) for half in _halves(rng, built_part, direction % 2 == 1, 0)[:2]]


def _fill_gap(rng: SeededRandom, gap: tuple[Rectangle, list[int]], houses: list[House], squares: list[Square]) -> None:
    """Fill the place of an omitted street with a house whose front ends the view, or with a small park."""
    at, directions = gap
    if directions and rng.chance(450):
        squares.append(Square(at, Ground.GRASS))
    else:
        houses.append(House(at, rng.choice(directions) if directions else rng.randint(0, 3)))


def _rectangle_record(layout: Layout, at: Rectangle, direction: int) -> tuple[int, int, int, int, int, int]:
    """Return a rectangle of the section's frame in world coordinates: x, y, ux, uy, hx, hy."""
    low, high, left, right = at
    half = (right - left) // 2, (high - low) // 2
    hx, hy = half if direction % 2 == 0 else half[::-1]
    return (*layout.to_world((low + high) // 2, (left + right) // 2), *DIRECTIONS[direction], hx, hy)


def _add_squares(draft: Draft, layout: Layout, squares: list[Square]) -> None:
    """Add open ground to the draft."""
    areas = np.zeros(len(squares), AREA)
    for area, square in zip(areas, squares, strict=True):
        record = _rectangle_record(layout, square.at, 0)
        for name, value in zip(("x", "y", "ux", "uy", "hx", "hy"), record, strict=True):
            area[name] = value
        area["ground"] = square.ground
        x, y, ux, uy, hx, hy = record
        raster_of(draft).mark((x, y), (ux, uy), (hx, hy), raster.PARK)
    first = len(draft.areas)
    draft.parks += [first + k for k, square in enumerate(squares) if square.ground != Ground.YARD]
    draft.areas = np.concatenate([draft.areas, areas])


def _add_houses(draft: Draft, layout: Layout, theme: Theme, rng: SeededRandom, houses: list[House]) -> None:
    """Add houses to the draft, with heights, styles and colours of the section's theme."""
    count = len(houses)
    records = np.array([_rectangle_record(layout, house.at, house.front) for house in houses], np.int64)
    x, y, ux, uy, hx, hy = records.T
    raster_of(draft).mark((x, y), (ux, uy), (hx, hy), raster.BUILDING)
    rows, things = np.zeros(count, BUILDING), np.zeros(count, THING)
    names = [style.name for style in STYLES]
    district = [district.name for district in DISTRICTS].index(theme.district)
    walls: list[str] = []
    for row, thing, record in zip(rows, things, records.tolist(), strict=True):
        floors = rng.randint(*theme.floors)
        row["style"], row["district"] = names.index(rng.choice(theme.styles)), district
        row["ground"], row["floor"] = rng.randint(34, 40) * 100, rng.randint(28, 32) * 100
        row["height"] = row["ground"] + floors * row["floor"]
        row["bay"] = 2 * record[4] // max(2 * record[4] // (rng.randint(18, 26) * 100), 1)
        row["hx"], row["hy"] = record[4], record[5]
        # Neighbours differ: the last two colours are excluded.
        candidates = [colour for colour in theme.walls if colour not in walls[-2:]]
        wall = rng.choice(GREYS) if rng.chance(GREY_PER_MILLE) else rng.choice(candidates)
        walls.append(wall)
        trim = rng.choice([colour for colour in theme.trims if colour != wall])
        thing["first"], thing["second"] = colour_index(wall), colour_index(trim)
    rows["sides"] = _sides(draft, records)
    for name, column in (("x", 0), ("y", 1), ("ux", 2), ("uy", 3)):
        things[name] = records[:, column]
    things["kind"] = class_index("building")
    things["sx"] = things["sy"] = things["sz"] = 1000
    for name in ("text", "owner", "group"):
        things[name] = -1
    rows["street"] = things["street"] = _streets(draft, layout, records)
    rows["thing"] = draft.add(things) + np.arange(count)
    draft.buildings = np.concatenate([draft.buildings, rows])


def _sides(draft: Draft, records: Longs) -> Longs:
    """Return a bit mask of the sides with open ground close by; the front always has."""
    x, y, ux, uy, hx, hy = records.T
    sides = np.ones(len(records), np.int64)
    for side, (ax, ay, away, wide) in enumerate(((uy, -ux, hx, hy), (-ux, -uy, hy, hx), (-uy, ux, hx, hy)), 1):
        far = away + WINDOW_DISTANCE // 2
        bits = raster_of(draft).covers(
            (x + ax * far // DIRECTION_SCALE, y + ay * far // DIRECTION_SCALE),
            (ax, ay),
            (wide - 600, WINDOW_DISTANCE // 2),
        )
        sides |= ((bits & OPEN_GROUND) != 0).astype(np.int64) << side
    return sides


def _streets(draft: Draft, layout: Layout, records: Longs) -> Longs:
    """Return the index of the street before each front, -1 for none."""
    x, y, ux, uy, _, hy = records.T
    far = hy + layout.sidewalk_width + 300
    px, py = x + ux * far // DIRECTION_SCALE, y + uy * far // DIRECTION_SCALE
    paved = (raster_of(draft).at(px, py) & raster.ROAD) != 0
    ahead = ((px - layout.x) * AHEAD[0] + (py - layout.y) * AHEAD[1]) // DIRECTION_SCALE
    right = ((px - layout.x) * AHEAD[1] - (py - layout.y) * AHEAD[0]) // DIRECTION_SCALE
    across = (
        np.abs(ux * AHEAD[0] + uy * AHEAD[1]) > DIRECTION_SCALE * DIRECTION_SCALE // 2
    )  # the front faces ahead, so its street runs across
    nearest = np.where(
        across,
        STREETS_PER_AXIS + np.abs(ahead[:, None] - np.array(layout.ahead)).argmin(axis=1),
        np.abs(right[:, None] - np.array(layout.right)).argmin(axis=1),
    )
    return np.where(paved, (layout.number - 1) * 2 * STREETS_PER_AXIS + nearest, -1)
