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
from tests.world.render.test_raycast import each, normals

CLEAR = dict.fromkeys(("fog", "clouds"), 0.0)


def walls(*distances: float) -> Scene:
    """Red walls of the same size in the eye, side by side, so many metres north of the origin."""
    rows = solids(*[(SolidShape.BOX, ())] * len(distances))
    for k, away in enumerate(distances):
        rows[k]["matrix"] = np.diag([away * 0.05, 0.5, away * 0.3])
        rows[k]["centre"] = (away * 0.2 * (k - (len(distances) - 1) / 2), away + 0.5, away * 0.2)
    rows["colour"] = (200, 20, 10)
    return Scene.make(rows, np.full(len(rows) + 1, 20))


def garden(seed: int) -> Scene:
    """Things of all kinds on a lawn, and two walls, with room for light between them."""
    rng = np.random.default_rng(seed)
    rows = scattered(solids(*ALL, (SolidShape.BOX, ()), (SolidShape.BOX, ())), seed)
    rows["matrix"] *= rng.choice([0.3, 0.8], (len(rows), 1, 1))
    rows["matrix"][-2:] = np.diag([3.0, 0.2, 2.0]), np.diag([0.2, 3.5, 1.5])
    rows["centre"] = rng.uniform((-9, -9, 0.6), (9, 9, 2.5), (len(rows), 3))
    rows["colour"] = 200
    return Scene.make(rows, np.full(len(rows) + 1, 20))


def test_day_and_night() -> None:
    for hour in (7.0, 9.0, 12.0, 15.0, 17.0):
        assert Light(hour).night == 0 and Light(hour).elevation > 0
    for hour in (0.0, 2.0, 4.0, 20.0, 22.0, 24.0):
        assert Light(hour).night == 1 and Light(hour).elevation < 0
    assert 0 < Light(6.0).night < 1 and 0 < Light(18.0).night < 1
    assert Light(12.0).elevation == pytest.approx(NOON_ELEVATION)
    assert Light(6.0).elevation == pytest.approx(0) and Light(18.0).elevation == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("hour", "heading"), [(8.0, 120), (9.0, 135), (12.0, 180), (15.0, 225), (16.0, 240)])
def test_the_sun_goes_from_east_over_south_to_west(hour: float, heading: float) -> None:
    light = Light(hour)
    to_local, up = vector_angles(light.sun)
    assert to_local == pytest.approx(heading)
    assert up == pytest.approx(light.elevation)


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
    ("values", "name"),
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
def test_hours_and_weather_out_of_range(values: dict[str, float], name: str) -> None:
    with pytest.raises(InputError) as error:
        Light(**values)
    assert error.value.field == name


def test_fog_makes_far_things_paler() -> None:
    scene = walls(10.0, 40.0, 160.0)
    horizon = np.sqrt(Light(14.0).numbers()[12:15]) * 255

    def apart(fog: float) -> Any:
        """How far each wall's colour is from that of the horizon."""
        seen = render(scene, poses([[0, 0, 2.4]]), view(96, 32, 40.0), Light(14.0, fog=fog), shadows=False)
        means = [seen.rgb[seen.instance == k].mean(axis=0) for k in (1, 2, 3)]
        return np.linalg.norm(means - horizon, axis=1)

    thin, some, thick = apart(0.0), apart(0.4), apart(1.0)
    assert thin[0] > some[0] > thick[0] and thin[2] > some[2] > thick[2]
    for fog in (some, thick):
        assert fog[0] > fog[1] > fog[2]
    assert thick[2] < 25 < thin[2] / 3


def test_noon_is_brighter_than_dusk_and_dusk_than_night() -> None:
    scene = garden(7)
    means = []
    for hour in (12.0, 18.0, 0.0):
        seen = render(scene, poses([[-9, -10, 4]], 42), view(48, 32), Light(hour, **CLEAR))
        means.append(seen.rgb[seen.instance >= 0].mean())
    assert means[0] > means[1] + 20 and means[1] > means[2] + 20
    assert means[2] > 2  # one sees something at night, too


def test_the_time_of_day_changes_pixels_but_not_what_is_there() -> None:
    scene = garden(7)
    shots = [render(scene, poses([[-9, -10, 4]], 42), view(32, 32), Light(hour)) for hour in (9.0, 15.0, 21.0)]
    for one, other in ((0, 1), (1, 2), (0, 2)):
        assert not np.array_equal(shots[one].rgb, shots[other].rgb)
        np.testing.assert_array_equal(shots[one].instance, shots[other].instance)
        np.testing.assert_array_equal(shots[one].depth, shots[other].depth)


def test_the_side_towards_the_sun_is_the_bright_one() -> None:
    rows = solids((SolidShape.BOX, ()))
    rows["centre"] = (0, 0, 2)
    scene = Scene.make(rows, [1, 20])
    for hour, bright, dark in ((9.0, (5, 0), (-5, 0)), (15.0, (-5, 0), (5, 0)), (12.0, (0, -5), (0, 5))):
        given = poses([[*bright, 2], [*dark, 2]], [float(vector_angles([-x, -y, 0])[0]) for x, y in (bright, dark)])
        seen = render(scene, given, view(9, 9, 10.0), Light(hour))
        assert (seen.instance == 1).all()
        assert seen.rgb[0].min(axis=(0, 1))[0] > seen.rgb[1].max(axis=(0, 1))[0] + 30


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


def test_what_glows_is_seen_at_night() -> None:
    rows = solids(*[(SolidShape.BOX, ())] * 3)
    rows["centre"] = [[-4, 0, 2], [0, 0, 2], [4, 0, 2]]
    rows["material"] = [Material.PLAIN, Material.GLOW, Material.LAMP]
    rows["colour"] = 150
    scene = Scene.make(rows, np.full(4, 20))
    bright = []
    for hour in (12.0, 0.0):
        seen = render(scene, poses([[0, 9, 2]], 180), view(64, 32), Light(hour), shadows=False)
        bright.append([seen.rgb[seen.instance == k].mean() for k in (1, 2, 3)])
    plain, glow, lamp = np.transpose(bright)
    assert plain[1] < 60 < 120 < glow[1] and lamp[1] > glow[1]
    np.testing.assert_allclose([glow[0], lamp[0]], plain[0], atol=4)


@pytest.mark.parametrize("hour", [6.3, 9.0, 12.0, 17.7, 23.0])
def test_shadows_are_where_something_stands_before_the_sun(hour: float) -> None:
    scene = garden(60)
    light = Light(hour, **CLEAR)
    lens, pose = view(56, 56, 75.0), poses([[-9.0, -10.0, 9.0]], 42, -30)
    with_, without = (render(scene, pose, lens, light, shadows=shadows) for shadows in (True, False))
    directions = rays(pose[0], lens).reshape(-1, 3).astype(np.float32)
    seen = np.isfinite(with_.depth.ravel())
    directions, depth = directions[seen], with_.depth.ravel()[seen].astype(np.float32)
    origins = np.tile(pose[0, :3], (len(directions), 1))
    # The surface met is the nearest of all; its normal is the ground's where there is none.
    everything = each(scene, origins, directions)
    row = np.where(np.isclose(everything.min(axis=1), depth, atol=2e-3), everything.argmin(axis=1), -1)
    assert ((row >= 0) == (with_.instance.ravel()[seen] > 0)).mean() > 0.998
    up = np.tile(np.array([0, 0, 1], np.float32), (len(row), 1))
    for i in np.unique(row[row >= 0]):
        mine = row == i
        _, up[mine] = normals(scene, int(i), origins[mine], directions[mine], depth[mine])
    up *= np.where(np.einsum("ni,ni->n", up, directions) > 0, -1, 1)[:, None].astype(np.float32)
    towards = up @ np.array(light.sun)
    sun = np.tile(np.array(light.sun, np.float32), (len(row), 1))

    def dark(off: float) -> Any:
        points = origins + depth[:, None] * directions + up * np.float32(off)
        return (each(scene, points.astype(np.float32), sun) < 600).any(axis=1)

    near, middle, far = (dark(off) for off in (0.006, 0.011, 0.02))
    sure = (near == far) & (middle == near) & (towards > 0.05)
    ours = (with_.rgb != without.rgb).any(axis=-1).ravel()[seen]
    assert sure.sum() > 800 and middle[sure].any() and not middle[sure].all()
    # A dark surface shows no difference by night, when the moon is as faint as can be.
    visible = without.rgb.max(axis=-1).ravel()[seen] > (12 if light.night == 1 else 60)
    assert (sure & visible & middle).sum() > 30
    disagree = (ours != middle)[sure & visible]
    assert disagree.mean() < 3e-3
    assert not ours[towards < -0.01].any()  # what is turned away needs no shadow
