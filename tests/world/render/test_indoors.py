"""Rooms are lit from their ceilings: tables cast shadows, ceilings and walls cast none; hour and fog do not matter."""

from __future__ import annotations

import numpy as np

from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import SolidShape
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.light import CEILING_LIGHT, SHADOW_LID, Light
from bearleft.world.render.scene import CELL, ROOM_CELL, Scene
from tests.world.render.test_mesh import solids

FLOOR, CEILING, TABLE = 1, 2, 3
FROM_ABOVE = poses([0.0, 0.0, 2.1], 0.0, -90.0)  # below the ceiling and above the tables


def room(indoors: bool = True, table: float = 0.7) -> Scene:
    """Return a floor, a ceiling at 2.6 m and a table top at the given height."""
    rows = solids(*[(SolidShape.BOX, ())] * 3)
    rows["matrix"] = np.diag([4, 4, 0.05]), np.diag([4, 4, 0.05]), np.diag([0.4, 0.4, 0.03])
    rows["centre"] = (0, 0, 0.05), (0, 0, 2.65), (0, 0, table)
    rows["instance"] = FLOOR, CEILING, TABLE
    rows["colour"] = 180
    return Scene.make(rows, np.full(4, 20), indoors=indoors)


def floor_light(pictures: Pictures) -> tuple[float, float]:
    """Return the brightest and the darkest visible pixel of the floor."""
    brightness = pictures.rgb[0].astype(float).mean(axis=2)[pictures.instance[0] == FLOOR]
    return float(brightness.max()), float(brightness.min())


def test_table_casts_a_shadow_and_the_ceiling_none() -> None:
    brightest, darkest = floor_light(render(room(), FROM_ABOVE, view(64, 64)))
    assert brightest > 1.15 * darkest
    unshadowed = floor_light(render(room(), FROM_ABOVE, view(64, 64), shadows=False))
    assert unshadowed[0] == unshadowed[1] == brightest
    outdoors = floor_light(render(room(indoors=False), FROM_ABOVE, view(64, 64)))
    assert outdoors[0] == outdoors[1], "outdoors the roof shades the whole floor"


def test_objects_above_the_shadow_lid_cast_no_shadow() -> None:
    first_pose, second_pose = (poses([0.0, 0.0, 1.5], 0.0, -90.0) for _ in range(2))
    brightest, darkest = floor_light(render(room(table=SHADOW_LID - 0.1), first_pose, view(64, 64)))
    assert brightest > 1.15 * darkest
    brightest, darkest = floor_light(render(room(table=SHADOW_LID + 0.1), second_pose, view(64, 64)))
    assert brightest == darkest


def test_walls_cast_no_shadow() -> None:
    rows = solids(*[(SolidShape.BOX, ())] * 2)
    rows["matrix"] = np.diag([4, 4, 0.05]), np.diag([3, 0.05, 1.25])
    rows["centre"] = (0, 0, 0.05), (0, -0.6, 1.3)  # towards where the light comes from
    rows["instance"], rows["colour"] = (FLOOR, TABLE), 180
    brightest, darkest = floor_light(render(Scene.make(rows, np.full(3, 20), indoors=True), FROM_ABOVE, view(64, 64)))
    assert brightest == darkest


def test_hour_and_fog_do_not_change_rooms() -> None:
    pictures = [
        render(room(), FROM_ABOVE, view(32, 32), light).rgb for light in (Light(), Light(2.0), Light(17.0, 1.0))
    ]
    assert (pictures[0] == pictures[1]).all() and (pictures[0] == pictures[2]).all()
    assert (render(room(False), FROM_ABOVE, view(32, 32), Light(2.0)).rgb != pictures[0]).any()


def test_ceiling_light_is_a_unit_vector_from_above() -> None:
    assert abs(np.linalg.norm(CEILING_LIGHT) - 1) < 2e-3 and CEILING_LIGHT[2] > 0.9
    assert Light().numbers().shape == Light().numbers(indoors=True).shape
    assert room().arrays.grid[2] == ROOM_CELL and room(False).arrays.grid[2] == CELL
