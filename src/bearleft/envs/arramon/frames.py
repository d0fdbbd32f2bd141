"""ArraMon from above, for people who watch: a section with what lies there and the walk, the room cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image

from bearleft.records import Cell, Position
from bearleft.world.arramon.items.names import COLOURS, Item, item_by_name
from bearleft.world.arramon.moves import COLUMNS, DOOR, ROOM_CELL_SIZE, ROWS
from bearleft.world.arramon.room import WALL_STYLES, WALLS, cell_position
from bearleft.world.arramon.sections.world import open_sections
from bearleft.world.arramon.task_setup import CityItem, RoomItem
from bearleft.world.maps.colours import INK, PAPER
from bearleft.world.maps.frame import Frame, XY
from bearleft.world.maps.map import REFERENCE, WALKED, overhead_map
from bearleft.world.maps.marks import Colour, Drawing, Words
from bearleft.world.maps.overlay import Cone, RouteLine, draw_cone, draw_routes, draw_viewer
from bearleft.world.maps.painter import paint_canvas, paint
from bearleft.world.worlds import world_kind

Bytes = npt.NDArray[np.uint8]
AROUND = 14.0  # metres of open ground around all that is known
WALL, REACH = 0.5, 4.6  # metres of a wall, from the room's middle to the picture's edge
RUG = (250, 205, 20)
HALF = ROOM_CELL_SIZE / 2
BULK = 0.52  # metres, half of a thing in the room


def section_map(
    world: str,
    section: int,
    lying: Sequence[CityItem],
    walks: Sequence[Sequence[Position]],
    heading: float,
    target: XY,
    size: int,
) -> Bytes:
    """A section from above: its walks so far, where one looks, what lies there, and a ring around what is asked for."""
    spots = [target, *(one.at[:2] for one in lying), *(walk[0][:2] for walk in walks)]
    over = Drawing(_frame(world, section, tuple(spots), size))
    courses = [RouteLine(tuple(at[:2] for at in walk), WALKED, 5.0) for walk in walks]
    here = Cone(walks[-1][-1][:2], heading, 90.0, 12.0)
    draw_cone(over, here)
    draw_routes(over, courses, bare=True)
    for one in lying:
        _lying(over, one)
    unit = over.frame.unit
    over.disc("asked for", target, max(1.5, 12 * unit), PAPER, REFERENCE, 3.5 * unit, opacity=0.0)
    draw_viewer(over, here)
    return np.asarray(paint(over, _below(world, over.frame)), np.uint8)


def _frame(world: str, section: int, spots: Sequence[XY], size: int) -> Frame:
    if world_kind(world).rendered and section:
        west, south, east, north = open_sections(world).bounds[section - 1]
        return Frame.around([(west, south), (east, north)], 2.0, size, size)
    return Frame.around(spots, AROUND, size, size)


@lru_cache(maxsize=8)
def _below(world: str, frame: Frame) -> Image.Image | None:
    return (
        paint_canvas(overhead_map(open_sections(world).city.plan, frame, names=False))
        if world_kind(world).rendered
        else None
    )


def _lying(over: Drawing, one: CityItem) -> None:
    """A thing in the city: its colour, with two bars where it is striped and two dots where it is dotted."""
    looks, at = item_by_name(one.item), one.at[:2]
    radius = max(0.8, 7.5 * over.frame.unit)
    over.disc("item", at, radius, COLOURS[looks.colour], INK, 0.2 * radius, name=one.item)
    _pattern(over, looks, at, 0.75 * radius)


def _pattern(over: Drawing, looks: Item, at: XY, reach: float) -> None:
    ink: Colour = INK if looks.colour != "purple" else PAPER
    x, y = at
    if looks.pattern == "striped":
        for aside in (-0.4, 0.4):
            ends = ((x + aside * reach, y - 0.65 * reach), (x + aside * reach, y + 0.65 * reach))
            over.stroke("stripe", ends, ink, 0.24 * reach)
    else:
        for across, up in ((-0.4, 0.4), (0.4, 0.4), (-0.4, -0.4), (0.4, -0.4)):
            over.disc("dot", (x + across * reach, y + up * reach), 0.24 * reach, ink)


def room_map(
    standing: Sequence[RoomItem],
    cell: Cell,
    heading: float,
    carried: str | None,
    target: Cell | None,
    size: int,
) -> Bytes:
    """The room from above, north up: walls, what stands on its cells, who stands where and looks where."""
    middle = cell_position((DOOR[0], 1, ROWS - 1))[1] / 2
    over = Drawing(Frame(0.0, middle, REACH, size, size))
    _walls(over, middle)
    for column in range(COLUMNS):
        for row in range(ROWS):
            x, y, _ = cell_position((column, 1, row))
            door = (column, row) == (DOOR[0], DOOR[2])
            over.shape("cell", [_square(x, y, HALF)], RUG if door else (248, 248, 246), (150, 152, 158), 0.04)
    if target is not None:
        x, y, _ = cell_position(target)
        over.shape("asked for", [_square(x, y, HALF)], (214, 228, 250), REFERENCE, 0.1)
    x, y, _ = cell_position(cell)
    here = Cone((x, y), heading, 90.0, 2.2)
    draw_cone(over, here)
    tops: dict[tuple[int, int], RoomItem] = {}
    for one in sorted(standing, key=lambda one: one.cell[1]):
        _standing(over, one)
        tops[one.cell[0], one.cell[2]] = one
    for one in tops.values():
        east, north, _ = cell_position(one.cell)
        over.words(Words("type", (east, north - 0.6), item_by_name(one.item).type, 0.27, INK, PAPER))
    draw_viewer(over, here)
    if carried:
        over.words(Words("carried", (0.0, middle - REACH + 0.3), f"carries: {carried}", 0.34, INK))
    return np.asarray(paint(over), np.uint8)


def _square(x: float, y: float, half: float) -> list[XY]:
    return [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]


def _standing(over: Drawing, one: RoomItem) -> None:
    """A thing on its cell; each on top of others lies a little higher in the picture, so that a pile shows all."""
    looks = item_by_name(one.item)
    x, y, _ = cell_position(one.cell)
    level = one.cell[1] - 1
    at = (x, y + 0.12 + 0.2 * level)
    half = BULK * (0.92**level)
    over.disc("item", at, half, COLOURS[looks.colour], INK, 0.05, name=one.item)
    _pattern(over, looks, at, half * 0.85)


def _walls(over: Drawing, middle: float) -> None:
    """Four strips that look like their walls, each with its name."""
    wide, deep = COLUMNS * HALF, ROWS * HALF
    spans = (
        (-wide, middle + deep, wide, middle + deep + WALL),
        (wide, middle - deep, wide + WALL, middle + deep),
        (-wide, middle - deep - WALL, wide, middle - deep),
        (-wide - WALL, middle - deep, -wide, middle + deep),
    )
    for name, (west, south, east, north), angle in zip(WALLS, spans, (0, 90, 0, -90), strict=True):
        _, colour, second, _ = WALL_STYLES[name]
        ring = [(west, south), (east, south), (east, north), (west, north)]
        over.shape("wall", [ring], colour, INK, 0.04, name=name)
        along = max(east - west, north - south)
        for k in range(int(along / 0.5)):
            at = (k + 0.5) * 0.5
            x, y = (west + at, (south + north) / 2) if east - west > WALL else ((west + east) / 2, south + at)
            if name == "spotted":
                over.disc("spot", (x, y), 0.12, second)
            elif name == "striped":
                thin, tall = (0.0, WALL / 2 - 0.1) if east - west > WALL else (WALL / 2 - 0.1, 0.0)
                over.stroke("stripe", [(x - thin, y - tall), (x + thin, y + tall)], second, 0.18)
        words = Words("wall name", ((west + east) / 2, (south + north) / 2), name, 0.32, INK, PAPER, angle)
        over.words(words)
