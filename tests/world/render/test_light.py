"""Time of day and weather: where the sun stands, what it lights, and what fog hides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.geometry import vector_angles
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import Material, SolidShape
from bearleft.world.render.cpu import render
from bearleft.world.render.light import NOON_ELEVATION, Light
from bearleft.world.render.scene import Scene
from tests.world.render.test_mesh import ALL, rays, scattered, solids
from tests.world.render.test_raycast import hit_distances, normals

CLEAR = dict.fromkeys(("fog", "clouds"), 0.0)


def walls(*distances: float) -> Scene:
    """Return red walls side by side at these distances north of the origin, all of the same apparent size."""
    rows = solids(*[(SolidShape.BOX, ())] * len(distances))
    for k, distance in enumerate(distances):
        rows[k]["matrix"] = np.diag([distance * 0.05, 0.5, distance * 0.3])
        rows[k]["centre"] = (distance * 0.2 * (k - (len(distances) - 1) / 2), distance + 0.5, distance * 0.2)
    rows["colour"] = (200, 20, 10)
    return Scene.make(rows, np.full(len(rows) + 1, 20))


def garden(seed: int) -> Scene:
    """Return solids of all shapes and two walls, with room for light between them."""
    rng = np.random.default_rng(seed)
    rows = scattered(solids(*ALL, (SolidShape.BOX, ()), (SolidShape.BOX, ())), seed)
    rows["matrix"] *= rng.choice([0.3, 0.8], (len(rows), 1, 1))
    rows["matrix"][-2:] = np.diag([3.0, 0.2, 2.0]), np.diag([0.2, 3.5, 1.5])
    rows["centre"] = rng.uniform((-9, -9, 0.6), (9, 9, 2.5), (len(rows), 3))
    rows["colour"] = 200
    return Scene.make(rows, np.full(len(rows) + 1, 20))


def test_night_is_one_when_the_sun_is_down() -> None:
    for hour in (7.0, 9.0, 12.0, 15.0, 17.0):
        assert Light(hour).night == 0 and Light(hour).elevation > 0
    for hour in (0.0, 2.0, 4.0, 20.0, 22.0, 24.0):
        assert Light(hour).night == 1 and Light(hour).elevation < 0
    assert 0 < Light(6.0).night < 1 and 0 < Light(18.0).night < 1
    assert Light(12.0).elevation == pytest.approx(NOON_ELEVATION)
    assert Light(6.0).elevation == pytest.approx(0) and Light(18.0).elevation == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("hour", "heading"), [(8.0, 120), (9.0, 135), (12.0, 180), (15.0, 225), (16.0, 240)])
def test_sun_moves_from_east_over_south_to_west(hour: float, heading: float) -> None:
    light = Light(hour)
    sun_heading, sun_pitch = vector_angles(light.sun)
    assert sun_heading == pytest.approx(heading)
    assert sun_pitch == pytest.approx(light.elevation)


def test_light_comes_from_above_at_every_hour() -> None:
    for hour in np.linspace(0, 24, 97):
        light = Light(float(hour))
        assert np.linalg.norm(light.sun) == pytest.approx(1)
        assert vector_angles(light.sun)[1] > 8 - 1e-9
        numbers = light.numbers()
        assert numbers.shape == (22,) and numbers.dtype == np.float32
        assert np.isfinite(numbers).all() and (numbers[3:] >= 0).all()
        np.testing.assert_allclose(numbers[:3], light.sun, rtol=1e-6)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"hour": -0.1}, "hour"),
        ({"hour": 24.1}, "hour"),
        ({"hour": float("nan")}, "hour"),
        ({"fog": 1.1}, "fog"),
        ({"fog": -1.0}, "fog"),
        ({"clouds": 2.0}, "clouds"),
        ({"clouds": float("inf")}, "clouds"),
    ],
)
def test_hours_and_weather_out_of_range_are_refused(values: dict[str, float], field: str) -> None:
    with pytest.raises(InputError) as error:
        Light(**values)
    assert error.value.field == field


def test_fog_pales_distant_walls() -> None:
    scene = walls(10.0, 40.0, 160.0)
    horizon = np.sqrt(Light(14.0).numbers()[12:15]) * 255

    def contrast(fog: float) -> Any:
        """Return the distance of each wall's colour from the colour of the horizon."""
        pictures = render(scene, poses([[0, 0, 2.4]]), view(96, 32, 40.0), Light(14.0, fog=fog), shadows=False)
        means = [pictures.rgb[pictures.instance == k].mean(axis=0) for k in (1, 2, 3)]
        return np.linalg.norm(means - horizon, axis=1)

    clear_air, light_fog, dense_fog = contrast(0.0), contrast(0.4), contrast(1.0)
    assert clear_air[0] > light_fog[0] > dense_fog[0] and clear_air[2] > light_fog[2] > dense_fog[2]
    for fog in (light_fog, dense_fog):
        assert fog[0] > fog[1] > fog[2]
    assert dense_fog[2] < 25 < clear_air[2] / 3


def test_noon_is_brighter_than_dusk_and_dusk_than_night() -> None:
    scene = garden(7)
    means = []
    for hour in (12.0, 18.0, 0.0):
        pictures = render(scene, poses([[-9, -10, 4]], 42), view(48, 32), Light(hour, **CLEAR))
        means.append(pictures.rgb[pictures.instance >= 0].mean())
    assert means[0] > means[1] + 20 and means[1] > means[2] + 20
    assert means[2] > 2  # night is not completely black


def test_time_of_day_changes_colours_but_not_instances_or_depth() -> None:
    scene = garden(7)
    shots = [render(scene, poses([[-9, -10, 4]], 42), view(32, 32), Light(hour)) for hour in (9.0, 15.0, 21.0)]
    for one, other in ((0, 1), (1, 2), (0, 2)):
        assert not np.array_equal(shots[one].rgb, shots[other].rgb)
        np.testing.assert_array_equal(shots[one].instance, shots[other].instance)
        np.testing.assert_array_equal(shots[one].depth, shots[other].depth)


def test_side_facing_the_sun_is_brighter() -> None:
    rows = solids((SolidShape.BOX, ()))
    rows["centre"] = (0, 0, 2)
    scene = Scene.make(rows, [1, 20])
    for hour, bright, dark in ((9.0, (5, 0), (-5, 0)), (15.0, (-5, 0), (5, 0)), (12.0, (0, -5), (0, 5))):
        camera_poses = poses(
            [[*bright, 2], [*dark, 2]], [float(vector_angles([-x, -y, 0])[0]) for x, y in (bright, dark)]
        )
        pictures = render(scene, camera_poses, view(9, 9, 10.0), Light(hour))
        assert (pictures.instance == 1).all()
        assert pictures.rgb[0].min(axis=(0, 1))[0] > pictures.rgb[1].max(axis=(0, 1))[0] + 30


def test_lamps_light_the_ground_at_night_only() -> None:
    rows = solids((SolidShape.BOX, ()))
    rows["centre"] = (50, 0, 1)
    shots = {}
    for lamps in ((), [[0.0, 0.0, 6.0]]):
        scene = Scene.make(rows, [1, 20], lamps=lamps)
        for hour in (12.0, 0.0):
            shots[bool(lamps), hour] = render(scene, poses([[0, 0, 4.0]], 0, -90), view(16, 16), Light(hour)).rgb
    np.testing.assert_array_equal(shots[False, 12.0], shots[True, 12.0])
    assert (shots[True, 0.0].mean(axis=-1) > shots[False, 0.0].mean(axis=-1) + 10).all()


def test_glowing_materials_are_bright_at_night() -> None:
    rows = solids(*[(SolidShape.BOX, ())] * 3)
    rows["centre"] = [[-4, 0, 2], [0, 0, 2], [4, 0, 2]]
    rows["material"] = [Material.PLAIN, Material.GLOW, Material.LAMP]
    rows["colour"] = 150
    scene = Scene.make(rows, np.full(4, 20))
    brightness = []
    for hour in (12.0, 0.0):
        pictures = render(scene, poses([[0, 9, 2]], 180), view(64, 32), Light(hour), shadows=False)
        brightness.append([pictures.rgb[pictures.instance == k].mean() for k in (1, 2, 3)])
    plain, glow, lamp = np.transpose(brightness)
    assert plain[1] < 60 < 120 < glow[1] and lamp[1] > glow[1]
    np.testing.assert_allclose([glow[0], lamp[0]], plain[0], atol=4)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("hour", [6.3, 9.0, 12.0, 17.7, 23.0])
def test_shadows_lie_where_a_solid_blocks_the_sun(hour: float) -> None:
    scene = garden(60)
    light = Light(hour, **CLEAR)
    lens, pose = view(56, 56, 75.0), poses([[-9.0, -10.0, 9.0]], 42, -30)
    shadowed, unshadowed = (render(scene, pose, lens, light, shadows=shadows) for shadows in (True, False))
    directions = rays(pose[0], lens).reshape(-1, 3).astype(np.float32)
    hit_mask = np.isfinite(shadowed.depth.ravel())
    directions, depth = directions[hit_mask], shadowed.depth.ravel()[hit_mask].astype(np.float32)
    origins = np.tile(pose[0, :3], (len(directions), 1))
    # The surface hit is the nearest of all solids; where there is none it is the ground, with its normal.
    all_distances = hit_distances(scene, origins, directions)
    solid_index = np.where(np.isclose(all_distances.min(axis=1), depth, atol=2e-3), all_distances.argmin(axis=1), -1)
    assert ((solid_index >= 0) == (shadowed.instance.ravel()[hit_mask] > 0)).mean() > 0.998
    normal = np.tile(np.array([0, 0, 1], np.float32), (len(solid_index), 1))
    for i in np.unique(solid_index[solid_index >= 0]):
        on_solid = solid_index == i
        _, normal[on_solid] = normals(scene, int(i), origins[on_solid], directions[on_solid], depth[on_solid])
    normal *= np.where(np.einsum("ni,ni->n", normal, directions) > 0, -1, 1)[:, None].astype(np.float32)
    facing_sun = normal @ np.array(light.sun)
    sun = np.tile(np.array(light.sun, np.float32), (len(solid_index), 1))

    def blocked_at(offset: float) -> Any:
        points = origins + depth[:, None] * directions + normal * np.float32(offset)
        return (hit_distances(scene, points.astype(np.float32), sun) < 600).any(axis=1)

    near, middle, far = (blocked_at(offset) for offset in (0.006, 0.011, 0.02))
    certain = (near == far) & (middle == near) & (facing_sun > 0.05)
    rendered_shadow = (shadowed.rgb != unshadowed.rgb).any(axis=-1).ravel()[hit_mask]
    assert certain.sum() > 800 and middle[certain].any() and not middle[certain].all()
    # By night the moon is faint, so a shadow on a dark surface cannot be seen.
    visible = unshadowed.rgb.max(axis=-1).ravel()[hit_mask] > (12 if light.night == 1 else 60)
    assert (certain & visible & middle).sum() > 30
    wrong = (rendered_shadow != middle)[certain & visible]
    assert wrong.mean() < 3e-3
    assert not rendered_shadow[facing_sun < -0.01].any()  # surfaces facing away from the sun have no cast shadow
