"""ArraMon's assembly room: five columns and four rows of white tiles between four walls of different patterns.

The agent enters at DOOR, in the middle of the south edge, on a chequered tile, and faces north to the brick wall. DOOR
is the origin.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bearleft.records import Cell
from bearleft.world.arramon.items.models import STACK_HEIGHT, template_classes, templates
from bearleft.world.arramon.moves import COLUMNS, DOOR, FLOOR, ROOM_CELL_SIZE, ROWS
from bearleft.world.city.catalog import class_index
from bearleft.world.city.plan import Rows
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.codes import Ground, Material, SolidShape
from bearleft.world.render.scene import SOLID, Scene

WALLS = ("brick", "wood", "striped", "spotted")  # at headings 0, 90, 180, 270, as in the released instructions
EYE_HEIGHT, CAMERA_PITCH = 1.6, -20.0  # metres, degrees: the whole floor ahead is visible from the door
WALL_MARGIN, WALL_HEIGHT, WALL_THICKNESS = 0.35, 4.0, 0.2  # metres; the margin lies between cells and walls
FACING_HEADING = 180.0  # items of facing 0 face the door

RGB = tuple[int, int, int]
Triple = tuple[float, float, float]
WHITE, JOINT, YELLOW, DARK = (236, 236, 234), (96, 98, 104), (250, 205, 20), (66, 52, 12)
Style = tuple[Material, RGB, RGB, tuple[float, ...]]  # material, colour, second colour, pattern
WALL_STYLES: dict[str, Style] = {
    "brick": (Material.BRICK, (158, 72, 52), WHITE, (0.0, 2.4)),
    "striped": (Material.STRIPES, (206, 214, 226), (92, 116, 158), (0.3,)),
    "wood": (Material.WOOD, (158, 112, 66), WHITE, (0.28,)),
    "spotted": (Material.DOTS, (226, 220, 200), (70, 128, 112), (0.7, 0.2)),
}


def cell_position(cell: Cell) -> Triple:
    """Return the position of an item on a cell: metres east and north of the door, and up."""
    column, height, row = cell
    return (column - DOOR[0]) * ROOM_CELL_SIZE, (row - DOOR[2]) * ROOM_CELL_SIZE, (height - FLOOR) * STACK_HEIGHT


@lru_cache(maxsize=1)
def room_scene() -> Scene:
    """Return the scene of the empty room; items are rendered as dynamic objects, whose templates it holds."""
    west, east = (
        (-DOOR[0] - 0.5) * ROOM_CELL_SIZE - WALL_MARGIN,
        (COLUMNS - DOOR[0] - 0.5) * ROOM_CELL_SIZE + WALL_MARGIN,
    )
    south, north = -0.5 * ROOM_CELL_SIZE - WALL_MARGIN, (ROWS - 0.5) * ROOM_CELL_SIZE + WALL_MARGIN
    x, y, width, depth = (west + east) / 2, (south + north) / 2, east - west, north - south
    half_height, half_thickness = WALL_HEIGHT / 2, WALL_THICKNESS / 2
    boxes = [
        ("floor", (x, y, 0.001), (width, depth, 0.002), (Material.PLAIN, JOINT, JOINT, ())),
        (
            "floor",
            (x, y, 0.002),
            (COLUMNS * ROOM_CELL_SIZE, ROWS * ROOM_CELL_SIZE, 0.004),
            (Material.TILES, WHITE, JOINT, (ROOM_CELL_SIZE, 0.06)),
        ),
        (
            "ceiling",
            (x, y, WALL_HEIGHT + half_thickness),
            (width, depth, WALL_THICKNESS),
            (Material.PLAIN, WHITE, WHITE, ()),
        ),
        ("wall", (x, north + half_thickness, half_height), (width, WALL_THICKNESS, WALL_HEIGHT), WALL_STYLES[WALLS[0]]),
        ("wall", (east + half_thickness, y, half_height), (WALL_THICKNESS, depth, WALL_HEIGHT), WALL_STYLES[WALLS[1]]),
        ("wall", (x, south - half_thickness, half_height), (width, WALL_THICKNESS, WALL_HEIGHT), WALL_STYLES[WALLS[2]]),
        ("wall", (west - half_thickness, y, half_height), (WALL_THICKNESS, depth, WALL_HEIGHT), WALL_STYLES[WALLS[3]]),
        (
            "rug",
            (0, 0, 0.004),
            (ROOM_CELL_SIZE, ROOM_CELL_SIZE, 0.008),
            (Material.CHECKS, YELLOW, DARK, (ROOM_CELL_SIZE / 6,)),
        ),
    ]
    rows = [_box(*box[1:], k + 1) for k, box in enumerate(boxes)]
    classes = [Ground.YARD, *(CLASS_BASE + class_index(box[0]) for box in boxes)]
    return Scene.make(
        np.concatenate(rows),
        classes,
        indoors=True,
        templates=templates(FACING_HEADING),
        template_classes=template_classes(),
    )


def _box(centre: Triple, size: Triple, style: Style, instance: int) -> Rows:
    row = np.zeros(1, SOLID)
    row["kind"], row["centre"], row["size"] = SolidShape.BOX, centre, np.array(size) / 2
    row["matrix"] = np.diag(size) / 2
    row["material"], row["colour"], row["second"], row["text"] = *style[:3], -1
    row["instance"] = instance
    row["pattern"][0, : len(style[3])] = style[3]
    return row
