"""Rendering on the CPU: batches and threads change nothing; sky, ground, and invalid poses."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.world.render.camera import Lens, panorama, poses, view
from bearleft.world.render.codes import Ground, SolidShape
from bearleft.world.render.cpu import BAND_ROWS, Pictures, render
from bearleft.world.render.light import Light
from bearleft.world.render.scene import Scene
from bearleft.world.render.shading import MAX_DISTANCE
from tests.world.render.test_light import garden
from tests.world.render.test_mesh import rays, solids

LENSES = [view(40, 2 * BAND_ROWS + 5, 70.0), panorama(2 * BAND_ROWS + 10)]


def four_poses() -> Any:
    positions = np.array([[-9, -10, 3], [9, -8, 2.4], [0, 9, 6], [-9, 9, 2]])
    return poses(positions, [42, 310, 180, 135], [0, -20, -35, 10], [0, 9, 0, 0])


def assert_identical(first: Pictures, second: Pictures) -> None:
    for field in fields(Pictures)[:5]:
        np.testing.assert_array_equal(getattr(first, field.name), getattr(second, field.name), field.name)


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("samples", [1, 2])
def test_batch_equals_its_pictures_rendered_one_by_one(lens: Lens, samples: int) -> None:
    scene, camera_poses = garden(1), four_poses()
    batch = render(scene, camera_poses, lens, Light(9.0), samples)
    assert len(batch) == 4 and len(np.unique(batch.instance)) > 10
    for k in range(4):
        single = render(scene, camera_poses[k : k + 1], lens, Light(9.0), samples)
        assert_identical(single, Pictures(*(getattr(batch, field.name)[k : k + 1] for field in fields(Pictures)[:5])))


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_number_of_threads_does_not_change_the_picture(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, camera_poses = garden(2), four_poses()
    expected = render(scene, camera_poses, LENSES[0])
    monkeypatch.setenv("BEARLEFT_THREADS", str(threads))
    assert_identical(render(scene, camera_poses, LENSES[0]), expected)


def test_pictures_have_the_documented_shapes_and_types() -> None:
    pictures = render(garden(1), four_poses()[:2], view(7, 5))
    assert pictures.rgb.shape == (2, 5, 7, 3) and pictures.rgb.dtype == np.uint8
    for name, dtype in (("depth", np.float32), ("instance", np.int32), ("part", np.int32), ("kind", np.uint8)):
        assert getattr(pictures, name).shape == (2, 5, 7) and getattr(pictures, name).dtype == dtype
    empty = render(garden(1), np.zeros((0, 6)), view(7, 5))
    assert len(empty) == 0 and empty.rgb.shape == (0, 5, 7, 3)


@pytest.mark.parametrize("lens", LENSES)
def test_more_samples_smooth_colours_and_change_nothing_else(lens: Lens) -> None:
    scene, camera_poses = garden(3), four_poses()
    one, many = (render(scene, camera_poses, lens, samples=samples) for samples in (1, 3))
    for name in ("instance", "depth", "part"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name), name)
    assert (one.rgb != many.rgb).any()
    # Nine samples equal the average of a picture of nine times the pixels (colours are square roots of light).
    fine = Lens(3 * lens.width, 3 * lens.height, lens.fov)
    light = (render(scene, camera_poses, fine).rgb.astype(float) / 255) ** 2
    averaged = light.reshape(4, lens.height, 3, lens.width, 3, 3).mean(axis=(2, 4)) ** 0.5 * 255
    bright = many.rgb.max(axis=-1) > 220  # there the tone curve compresses
    assert np.abs(averaged - many.rgb)[~bright].mean() < 1.5
    assert np.abs(averaged - one.rgb)[~bright].mean() > 2 * np.abs(averaged - many.rgb)[~bright].mean()


def test_sky_has_infinite_depth_and_no_instance() -> None:
    pictures = render(garden(4), four_poses(), LENSES[1])
    sky = pictures.instance == -1
    assert 0.2 < sky.mean() < 0.7
    np.testing.assert_array_equal(np.isinf(pictures.depth), sky)
    np.testing.assert_array_equal(pictures.kind == Ground.SKY, sky)
    assert not pictures.part[sky].any()
    assert (pictures.depth[~sky] > 0).all() and (pictures.depth[~sky] < MAX_DISTANCE).all()


def test_pictures_hold_instance_class_and_part() -> None:
    rows = solids((SolidShape.BOX, ()), (SolidShape.ELLIPSOID, ()))
    rows["centre"], rows["part"], rows["instance"] = [[-2, 6, 2], [2, 6, 2]], [7, 200], [3, 1]
    pictures = render(Scene.make(rows, [1, 44, 10, 55]), poses([[0, 0, 2]]), view(64, 48))
    for instance, class_code, part in ((3, 55, 7), (1, 44, 200)):
        mask = pictures.instance == instance
        assert mask.sum() > 50
        assert (pictures.kind[mask] == class_code).all() and (pictures.part[mask] == part).all()
    left, right = (np.nonzero(pictures.instance[0] == k)[1].mean() for k in (3, 1))
    assert left < 32 < right


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("height", [0.5, 2.4, 40.0])
def test_depth_of_the_ground_follows_from_the_camera_height(lens: Lens, height: float) -> None:
    rows = solids((SolidShape.BOX, ()))
    rows["centre"] = (0, 0, 0.5)
    camera_poses = poses([[25.0, 3.0, height]], 90, -10)
    pictures = render(Scene.make(rows, [1, 20]), camera_poses, lens)
    down = -rays(camera_poses[0], lens)[..., 2]
    with np.errstate(divide="ignore"):
        expected = np.where(down > 0, height / down, np.inf)
    ground = pictures.instance[0] == 0
    clear = np.abs(expected - MAX_DISTANCE) > 5
    np.testing.assert_array_equal((expected < MAX_DISTANCE)[clear], (pictures.instance[0] >= 0)[clear])
    assert ground.sum() > 300
    np.testing.assert_allclose(pictures.depth[0][ground], expected[ground], rtol=2e-3)
    steep = ground & (down > 0.1)
    np.testing.assert_allclose(pictures.depth[0][steep], expected[steep], rtol=1e-5)


def test_rays_along_a_grid_axis_hit_like_their_neighbours() -> None:
    # The middle of an odd number of columns looks exactly north, along an axis of the grid.
    rows = solids((SolidShape.BOX, ()), (SolidShape.BOX, ()))
    rows["centre"], rows["matrix"] = [[0, 12, 2], [0, -12, 2]], np.diag([9.0, 0.5, 2.0])
    for heading in (0, 180):
        pictures = render(Scene.make(rows, [1, 20, 20]), poses([[0.4, 0, 2]], heading), view(33, 33))
        np.testing.assert_array_equal(pictures.instance[0, :, 16], pictures.instance[0, :, 15])
        assert (pictures.instance[0, 14:19, 8:25] == (1 if heading == 0 else 2)).all()
        assert pictures.depth[0, 16, 16] == pytest.approx(11.5, abs=1e-3)


@pytest.mark.parametrize(
    ("pose", "message"),
    [
        ([500, 0, 2, 0, 0, 0], "poses between"),
        ([0, -500, 2, 0, 0, 0], "poses between"),
        ([0, 0, 0, 0, 0, 0], "above the ground"),
        ([0, 0, -3, 0, 0, 0], "above the ground"),
        ([0, 0, np.nan, 0, 0, 0], "finite poses"),
        ([0, 0, 2, np.inf, 0, 0], "finite poses"),
        ([0, 0, 2, 0, 0], "poses as rows"),
    ],
)
def test_invalid_poses_are_refused(pose: list[float], message: str) -> None:
    valid = [0.0, 0.0, 9.0, 0.0, 0.0, 0.0]
    with pytest.raises(InputError, match=message):
        render(garden(1), [valid[: len(pose)], pose], view(8, 8))


def test_one_pose_must_be_a_row() -> None:
    with pytest.raises(InputError, match="poses as rows"):
        render(garden(1), [0, 0, 2, 0, 0, 0], view(8, 8))


@pytest.mark.parametrize("samples", [0, -1, 9])
def test_samples_out_of_range_are_refused(samples: int) -> None:
    with pytest.raises(InputError) as error:
        render(garden(1), four_poses(), view(8, 8), samples=samples)
    assert error.value.field == "samples"
