"""ArraMon's room: five columns and four rows of white tiles between four walls that are told apart.

One enters at DOOR, the middle of the south edge and the origin, on a chequered tile, and looks north at the brick wall.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bearleft.records import Cell
from bearleft.world.arramon.items.models import HEIGHT, template_classes, templates
from bearleft.world.arramon.moves import COLUMNS, DOOR, FLOOR, ROWS, STEP
from bearleft.world.city.catalog import number
from bearleft.world.city.plan import Rows
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.codes import Ground, Kind, Material
from bearleft.world.render.scene import SOLID, Scene

WALLS = ("brick", "wood", "striped", "spotted")  # at headings 0, 90, 180, 270, as the released texts have it
EYE, PITCH = 1.6, -20.0  # metres, degrees: the whole floor ahead is seen from the door
RIM, HIGH, THICK = 0.35, 4.0, 0.2  # metres from the cells to the walls, of the walls
ENTERING = 180.0  # the heading that things of facing 0 look at: towards who enters

RGB = tuple[int, int, int]
Triple = tuple[float, float, float]
WHITE, JOINT, YELLOW, DARK = (236, 236, 234), (96, 98, 104), (250, 205, 20), (66, 52, 12)
Look = tuple[Material, RGB, RGB, tuple[float, ...]]  # material, colour, second colour, pattern
LOOKS: dict[str, Look] = {
    "brick": (Material.BRICK, (158, 72, 52), WHITE, (0.0, 2.4)),
    "striped": (Material.STRIPES, (206, 214, 226), (92, 116, 158), (0.3,)),
    "wood": (Material.WOOD, (158, 112, 66), WHITE, (0.28,)),
    "spotted": (Material.DOTS, (226, 220, 200), (70, 128, 112), (0.7, 0.2)),
}


def spot(cell: Cell) -> Triple:
    """Where what stands on a cell stands: metres east and north of the door, and up."""
    column, height, row = cell
    return (column - DOOR[0]) * STEP, (row - DOOR[2]) * STEP, (height - FLOOR) * HEIGHT


@lru_cache(maxsize=1)
def room_scene() -> Scene:
    """The room with nothing on its floor; what stands there comes as guests, whose templates it holds."""
    west, east = (-DOOR[0] - 0.5) * STEP - RIM, (COLUMNS - DOOR[0] - 0.5) * STEP + RIM
    south, north = -0.5 * STEP - RIM, (ROWS - 0.5) * STEP + RIM
    x, y, wide, deep = (west + east) / 2, (south + north) / 2, east - west, north - south
    middle, out = HIGH / 2, THICK / 2
    things = [
        ("floor", (x, y, 0.001), (wide, deep, 0.002), (Material.PLAIN, JOINT, JOINT, ())),
        ("floor", (x, y, 0.002), (COLUMNS * STEP, ROWS * STEP, 0.004), (Material.TILES, WHITE, JOINT, (STEP, 0.06))),
        ("ceiling", (x, y, HIGH + out), (wide, deep, THICK), (Material.PLAIN, WHITE, WHITE, ())),
        ("wall", (x, north + out, middle), (wide, THICK, HIGH), LOOKS[WALLS[0]]),
        ("wall", (east + out, y, middle), (THICK, deep, HIGH), LOOKS[WALLS[1]]),
        ("wall", (x, south - out, middle), (wide, THICK, HIGH), LOOKS[WALLS[2]]),
        ("wall", (west - out, y, middle), (THICK, deep, HIGH), LOOKS[WALLS[3]]),
        ("rug", (0, 0, 0.004), (STEP, STEP, 0.008), (Material.CHECKS, YELLOW, DARK, (STEP / 6,))),
    ]
    rows = [_box(*thing[1:], k + 1) for k, thing in enumerate(things)]
    classes = [Ground.YARD, *(CLASS_BASE + number(thing[0]) for thing in things)]
    return Scene.make(
        np.concatenate(rows), classes, indoors=True, templates=templates(ENTERING), template_classes=template_classes()
    )


def _box(at: Triple, size: Triple, look: Look, instance: int) -> Rows:
    row = np.zeros(1, SOLID)
    row["kind"], row["centre"], row["size"] = Kind.BOX, at, np.array(size) / 2
    row["matrix"] = np.diag(size) / 2
    row["material"], row["colour"], row["second"], row["text"] = *look[:3], -1
    row["instance"] = instance
    row["pattern"][0, : len(look[3])] = look[3]
    return row
