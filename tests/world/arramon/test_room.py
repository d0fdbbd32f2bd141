"""ArraMon's room: cells in metres, walls that differ, and what stands in it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bearleft.world.arramon.items.models import MAX_RADIUS, STACK_HEIGHT, template_index
from bearleft.world.arramon.moves import COLUMNS, DOOR, ROOM_CELL_SIZE, ROWS
from bearleft.world.arramon.room import CAMERA_PITCH, EYE_HEIGHT, WALL_HEIGHT, WALLS, cell_position, room_scene
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT
from bearleft.world.render.camera import poses, view
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.dynamic_objects import DynamicObjects

LENS = view(64, 64, 90.0)
DynamicObject = tuple[float, float, float, int]


def standing(*things: tuple[str, tuple[int, int, int]]) -> list[DynamicObject]:
    """Dynamic objects on cells."""
    return [(*cell_position(cell), template_index(name)) for name, cell in things]


def seen(heading: float, *things: tuple[str, tuple[int, int, int]], pitch: float = CAMERA_PITCH) -> Pictures:
    """From the door."""
    given = poses([[*cell_position(DOOR)[:2], EYE_HEIGHT]], heading, pitch)
    return render(room_scene(), given, LENS, dynamic_objects=DynamicObjects.of([standing(*things)]))


def test_cells_in_metres() -> None:
    assert cell_position(DOOR) == (0.0, 0.0, 0.0)
    assert cell_position((0, 1, 0)) == (-2 * ROOM_CELL_SIZE, 0.0, 0.0)
    assert cell_position((4, 1, 3)) == (2 * ROOM_CELL_SIZE, 3 * ROOM_CELL_SIZE, 0.0)
    assert cell_position((2, 3, 1)) == (0.0, ROOM_CELL_SIZE, 2 * STACK_HEIGHT)
    assert MAX_RADIUS < ROOM_CELL_SIZE / 2 and MAX_STACK_HEIGHT * STACK_HEIGHT < WALL_HEIGHT


def test_the_room_encloses_its_cells() -> None:
    """From every cell one sees walls, floor and ceiling only, and nothing nearer than the cell's edge."""
    where = [[*cell_position((column, 1, row))[:2], EYE_HEIGHT] for column in range(COLUMNS) for row in range(ROWS)]
    around = render(room_scene(), poses(np.repeat(where, 4, axis=0), [0, 90, 180, 270] * len(where)), LENS)
    assert (around.instance > 0).all()
    assert around.depth.min() > ROOM_CELL_SIZE / 2
    assert around.depth.max() < 12.0


def test_each_wall_has_its_name_and_its_look() -> None:
    assert sorted(WALLS) == ["brick", "spotted", "striped", "wood"]
    assert WALLS[0] == "brick"  # which one faces who enters
    middle = cell_position((2, 1, 1))
    walls = render(room_scene(), poses([[*middle[:2], EYE_HEIGHT]] * 4, [0, 90, 180, 270], 20.0), view(64, 64, 50.0))
    assert len({int(walls.instance[k, 32, 32]) for k in range(4)}) == 4
    colours = [walls.rgb[k].reshape(-1, 3).astype(float) for k in range(4)]
    for a in range(4):
        for b in range(a):
            assert np.abs(colours[a].mean(axis=0) - colours[b].mean(axis=0)).max() > 15
    by_name = dict(zip(WALLS, walls.rgb.astype(float), strict=True))
    # Stripes are upright: hardly a change down a column, many along a row. Boards are level.
    assert np.abs(np.diff(by_name["striped"], axis=0)).mean() < np.abs(np.diff(by_name["striped"], axis=1)).mean() / 2
    assert np.abs(np.diff(by_name["wood"], axis=1)).mean() < np.abs(np.diff(by_name["wood"], axis=0)).mean() / 2


def test_who_enters_sees_the_floor_ahead_and_what_stands_there() -> None:
    empty, one = seen(0.0), seen(0.0, ("Dotted Red Ball", (2, 1, 1)))
    first = room_scene().dynamic_base
    mask = one.instance[0] == first
    assert mask.sum() > 150
    rows, columns = np.nonzero(mask)
    assert rows.min() > 4 and rows.max() < 60 and abs(columns.mean() - 31.5) < 1.5
    # The cell ahead begins above the picture's lower edge.
    assert empty.depth[0, 63, 32] < np.hypot(ROOM_CELL_SIZE / 2, EYE_HEIGHT) + 0.05
    red = one.rgb[0][mask].astype(float).mean(axis=0)
    assert red[0] > 1.7 * red[1] and red[0] > 1.7 * red[2]


def test_the_tiles_are_white_with_lines_and_the_first_is_chequered() -> None:
    side = 240
    above = render(
        room_scene(), poses([[0.0, 1.5 * ROOM_CELL_SIZE, WALL_HEIGHT - 0.1]], 0.0, -90.0), view(side, side, 110.0)
    )
    per_metre = side / 2 / np.tan(np.radians(55.0)) / (WALL_HEIGHT - 0.1)

    def around(east: float, north: float, reach: float) -> npt.NDArray[np.int64]:
        # The pixels of a square of the floor.
        column, row = side / 2 + east * per_metre, side / 2 - (north - 1.5 * ROOM_CELL_SIZE) * per_metre
        far = reach * per_metre
        return above.rgb[0, int(row - far) : int(row + far) + 1, int(column - far) : int(column + far) + 1].astype(int)

    for column, row in ((0, 1), (1, 1), (-2, 0), (2, 3)):
        assert around(column * ROOM_CELL_SIZE, row * ROOM_CELL_SIZE, 0.4).min() > 200  # within a tile
        edge = around((column - 0.5) * ROOM_CELL_SIZE, row * ROOM_CELL_SIZE, 0.1).max(axis=2)
        assert edge.min() < 160 and (edge.argmin(axis=1) == edge[0].argmin()).all()  # a line from row to row
    door = around(0.0, 0.0, 0.5)
    yellow, dark = (door[..., 0] - door[..., 2]) > 120, door[..., 0] < 110
    assert (yellow | dark).mean() > 0.8 and 0.35 < yellow.mean() < 0.65


def test_what_stands_before_hides_what_stands_behind() -> None:
    behind = ("Striped Green Tv", (2, 1, 3))
    alone = seen(0.0, behind, pitch=-10.0)
    hidden = seen(0.0, behind, ("Dotted Blue Bowl", (2, 1, 1)), ("Dotted Blue Book", (2, 2, 1)), pitch=-10.0)
    first = room_scene().dynamic_base
    assert (alone.instance == first).sum() > 30
    assert (hidden.instance == first).sum() < (alone.instance == first).sum() / 2
    assert (hidden.instance == first + 1).any() and (hidden.instance == first + 2).any()


def test_a_stack_has_no_gap() -> None:
    """Seen level from aside, the upper one begins where the lower one ends."""
    stack = standing(("Dotted Red Mug", (2, 1, 2)), ("Striped Blue Ball", (2, 2, 2)))
    pictured = render(
        room_scene(),
        poses([[0.0, 0.0, STACK_HEIGHT]], 0.0),
        view(64, 64, 60.0),
        dynamic_objects=DynamicObjects.of([stack]),
    )
    middle = pictured.instance[0, :, 32]
    first = room_scene().dynamic_base
    rows = np.flatnonzero(middle >= first)
    assert (np.diff(rows) == 1).all()
    assert middle[rows[0]] == first + 1 and middle[rows[-1]] == first
