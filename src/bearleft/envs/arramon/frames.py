"""Maps of ArraMon worlds: a section with its items and the walk, and the room cell by cell."""

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
from bearleft.world.maps.frame import XY, MapExtent
from bearleft.world.maps.map import REFERENCE, WALKED, overhead_map
from bearleft.world.maps.overlay import Cone, RouteLine, draw_cone, draw_routes, draw_viewer
from bearleft.world.maps.painter import paint, paint_canvas
from bearleft.world.maps.shapes import Colour, Drawing, Words
from bearleft.world.worlds import world_kind

Bytes = npt.NDArray[np.uint8]
OPEN_MARGIN = 14.0  # metres of open ground around the known positions
WALL_WIDTH, MAP_REACH = 0.5, 4.6  # metres; from the middle of the room to the edge of the picture
RUG = (250, 205, 20)
CELL_HALF = ROOM_CELL_SIZE / 2
ITEM_HALF = 0.52  # metres, half of an item in the room


def section_map(
    world: str,
    section: int,
    city_items: Sequence[CityItem],
    walks: Sequence[Sequence[Position]],
    heading: float,
    target: XY,
    size: int,
) -> Bytes:
    """Return a map of a section: the walks so far, the view direction, the items, and a ring around the target."""
    spots = [target, *(item.at[:2] for item in city_items), *(walk[0][:2] for walk in walks)]
    drawing = Drawing(_frame(world, section, tuple(spots), size))
    lines = [RouteLine(tuple(at[:2] for at in walk), WALKED, 5.0) for walk in walks]
    viewer = Cone(walks[-1][-1][:2], heading, 90.0, 12.0)
    draw_cone(drawing, viewer)
    draw_routes(drawing, lines, bare=True)
    for item in city_items:
        _draw_city_item(drawing, item)
    unit = drawing.frame.unit
    drawing.disc("target", target, max(1.5, 12 * unit), PAPER, REFERENCE, 3.5 * unit, opacity=0.0)
    draw_viewer(drawing, viewer)
    return np.asarray(paint(drawing, _background(world, drawing.frame)), np.uint8)


def _frame(world: str, section: int, spots: Sequence[XY], size: int) -> MapExtent:
    if world_kind(world).rendered and section:
        west, south, east, north = open_sections(world).bounds[section - 1]
        return MapExtent.around([(west, south), (east, north)], 2.0, size, size)
    return MapExtent.around(spots, OPEN_MARGIN, size, size)


@lru_cache(maxsize=8)
def _background(world: str, frame: MapExtent) -> Image.Image | None:
    return (
        paint_canvas(overhead_map(open_sections(world).city.plan, frame, names=False))
        if world_kind(world).rendered
        else None
    )


def _draw_city_item(drawing: Drawing, item: CityItem) -> None:
    """Draw an item in its colour, with two bars if it is striped and dots if it is dotted."""
    appearance, at = item_by_name(item.item), item.at[:2]
    radius = max(0.8, 7.5 * drawing.frame.unit)
    drawing.disc("item", at, radius, COLOURS[appearance.colour], INK, 0.2 * radius, name=item.item)
    _draw_pattern(drawing, appearance, at, 0.75 * radius)


def _draw_pattern(drawing: Drawing, appearance: Item, at: XY, reach: float) -> None:
    ink: Colour = INK if appearance.colour != "purple" else PAPER
    x, y = at
    if appearance.pattern == "striped":
        for aside in (-0.4, 0.4):
            ends = ((x + aside * reach, y - 0.65 * reach), (x + aside * reach, y + 0.65 * reach))
            drawing.stroke("stripe", ends, ink, 0.24 * reach)
    else:
        for across, up in ((-0.4, 0.4), (0.4, 0.4), (-0.4, -0.4), (0.4, -0.4)):
            drawing.disc("dot", (x + across * reach, y + up * reach), 0.24 * reach, ink)


def room_map(
    room_items: Sequence[RoomItem],
    cell: Cell,
    heading: float,
    carried: str | None,
    target: Cell | None,
    size: int,
) -> Bytes:
    """Return a map of the room, north up: walls, items, and the agent with its view direction."""
    middle = cell_position((DOOR[0], 1, ROWS - 1))[1] / 2
    drawing = Drawing(MapExtent(0.0, middle, MAP_REACH, size, size))
    _draw_walls(drawing, middle)
    for column in range(COLUMNS):
        for row in range(ROWS):
            x, y, _ = cell_position((column, 1, row))
            door = (column, row) == (DOOR[0], DOOR[2])
            drawing.polygon("cell", [_square(x, y, CELL_HALF)], RUG if door else (248, 248, 246), (150, 152, 158), 0.04)
    if target is not None:
        x, y, _ = cell_position(target)
        drawing.polygon("target", [_square(x, y, CELL_HALF)], (214, 228, 250), REFERENCE, 0.1)
    x, y, _ = cell_position(cell)
    viewer = Cone((x, y), heading, 90.0, 2.2)
    draw_cone(drawing, viewer)
    tops: dict[tuple[int, int], RoomItem] = {}
    for item in sorted(room_items, key=lambda item: item.cell[1]):
        _draw_room_item(drawing, item)
        tops[item.cell[0], item.cell[2]] = item
    for item in tops.values():
        east, north, _ = cell_position(item.cell)
        drawing.words(Words("type", (east, north - 0.6), item_by_name(item.item).type, 0.27, INK, PAPER))
    draw_viewer(drawing, viewer)
    if carried:
        drawing.words(Words("carried", (0.0, middle - MAP_REACH + 0.3), f"carries: {carried}", 0.34, INK))
    return np.asarray(paint(drawing), np.uint8)


def _square(x: float, y: float, half: float) -> list[XY]:
    return [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]


def _draw_room_item(drawing: Drawing, item: RoomItem) -> None:
    """Draw an item on its cell; items on top of others are shifted up, so that all of a stack are visible."""
    appearance = item_by_name(item.item)
    x, y, _ = cell_position(item.cell)
    level = item.cell[1] - 1
    at = (x, y + 0.12 + 0.2 * level)
    half = ITEM_HALF * (0.92**level)
    drawing.disc("item", at, half, COLOURS[appearance.colour], INK, 0.05, name=item.item)
    _draw_pattern(drawing, appearance, at, half * 0.85)


def _draw_walls(drawing: Drawing, middle: float) -> None:
    """Draw four strips in the patterns of their walls, each with its name."""
    wide, deep = COLUMNS * CELL_HALF, ROWS * CELL_HALF
    spans = (
        (-wide, middle + deep, wide, middle + deep + WALL_WIDTH),
        (wide, middle - deep, wide + WALL_WIDTH, middle + deep),
        (-wide, middle - deep - WALL_WIDTH, wide, middle - deep),
        (-wide - WALL_WIDTH, middle - deep, -wide, middle + deep),
    )
    for name, (west, south, east, north), angle in zip(WALLS, spans, (0, 90, 0, -90), strict=True):
        _, colour, second, _ = WALL_STYLES[name]
        ring = [(west, south), (east, south), (east, north), (west, north)]
        drawing.polygon("wall", [ring], colour, INK, 0.04, name=name)
        along = max(east - west, north - south)
        for k in range(int(along / 0.5)):
            at = (k + 0.5) * 0.5
            x, y = (west + at, (south + north) / 2) if east - west > WALL_WIDTH else ((west + east) / 2, south + at)
            if name == "spotted":
                drawing.disc("spot", (x, y), 0.12, second)
            elif name == "striped":
                thin, tall = (0.0, WALL_WIDTH / 2 - 0.1) if east - west > WALL_WIDTH else (WALL_WIDTH / 2 - 0.1, 0.0)
                drawing.stroke("stripe", [(x - thin, y - tall), (x + thin, y + tall)], second, 0.18)
        words = Words("wall name", ((west + east) / 2, (south + north) / 2), name, 0.32, INK, PAPER, angle)
        drawing.words(words)
