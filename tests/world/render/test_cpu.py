"""Pictures on the CPU: the same however the work is cut; sky, ground, and poses that cannot be."""

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


def several() -> Any:
    at = np.array([[-9, -10, 3], [9, -8, 2.4], [0, 9, 6], [-9, 9, 2]])
    return poses(at, [42, 310, 180, 135], [0, -20, -35, 10], [0, 9, 0, 0])


def assert_same(one: Pictures, other: Pictures) -> None:
    for field in fields(Pictures)[:5]:
        np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), field.name)


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("samples", [1, 2])
def test_a_batch_is_its_pictures_one_by_one(lens: Lens, samples: int) -> None:
    scene, given = garden(1), several()
    batch = render(scene, given, lens, Light(9.0), samples)
    assert len(batch) == 4 and len(np.unique(batch.instance)) > 10
    for k in range(4):
        one = render(scene, given[k : k + 1], lens, Light(9.0), samples)
        assert_same(one, Pictures(*(getattr(batch, field.name)[k : k + 1] for field in fields(Pictures)[:5])))


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_any_number_of_threads_gives_the_same_bytes(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, given = garden(2), several()
    expected = render(scene, given, LENSES[0])
    monkeypatch.setenv("BEARLEFT_THREADS", str(threads))
    assert_same(render(scene, given, LENSES[0]), expected)


def test_shapes_and_types() -> None:
    seen = render(garden(1), several()[:2], view(7, 5))
    assert seen.rgb.shape == (2, 5, 7, 3) and seen.rgb.dtype == np.uint8
    for name, kind in (("depth", np.float32), ("instance", np.int32), ("part", np.int32), ("kind", np.uint8)):
        assert getattr(seen, name).shape == (2, 5, 7) and getattr(seen, name).dtype == kind
    nobody = render(garden(1), np.zeros((0, 6)), view(7, 5))
    assert len(nobody) == 0 and nobody.rgb.shape == (0, 5, 7, 3)


@pytest.mark.parametrize("lens", LENSES)
def test_more_samples_smooth_colours_and_keep_the_rest(lens: Lens) -> None:
    scene, given = garden(3), several()
    one, many = (render(scene, given, lens, samples=samples) for samples in (1, 3))
    for name in ("instance", "depth", "part"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name), name)
    assert (one.rgb != many.rgb).any()
    # A picture of nine times the pixels, averaged, is what nine samples are (its colours are roots of light).
    fine = Lens(3 * lens.width, 3 * lens.height, lens.fov)
    light = (render(scene, given, fine).rgb.astype(float) / 255) ** 2
    averaged = light.reshape(4, lens.height, 3, lens.width, 3, 3).mean(axis=(2, 4)) ** 0.5 * 255
    bright = many.rgb.max(axis=-1) > 220  # where the tone is rolled off
    assert np.abs(averaged - many.rgb)[~bright].mean() < 1.5
    assert np.abs(averaged - one.rgb)[~bright].mean() > 2 * np.abs(averaged - many.rgb)[~bright].mean()


def test_sky_is_far_away_and_nobody() -> None:
    seen = render(garden(4), several(), LENSES[1])
    sky = seen.instance == -1
    assert 0.2 < sky.mean() < 0.7
    np.testing.assert_array_equal(np.isinf(seen.depth), sky)
    np.testing.assert_array_equal(seen.kind == Ground.SKY, sky)
    assert not seen.part[sky].any()
    assert (seen.depth[~sky] > 0).all() and (seen.depth[~sky] < MAX_DISTANCE).all()


def test_things_tell_instance_class_and_part() -> None:
    rows = solids((SolidShape.BOX, ()), (SolidShape.ELLIPSOID, ()))
    rows["centre"], rows["part"], rows["instance"] = [[-2, 6, 2], [2, 6, 2]], [7, 200], [3, 1]
    seen = render(Scene.make(rows, [1, 44, 10, 55]), poses([[0, 0, 2]]), view(64, 48))
    for instance, kind, part in ((3, 55, 7), (1, 44, 200)):
        there = seen.instance == instance
        assert there.sum() > 50
        assert (seen.kind[there] == kind).all() and (seen.part[there] == part).all()
    left, right = (np.nonzero(seen.instance[0] == k)[1].mean() for k in (3, 1))
    assert left < 32 < right


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("height", [0.5, 2.4, 40.0])
def test_the_depth_of_the_ground(lens: Lens, height: float) -> None:
    rows = solids((SolidShape.BOX, ()))
    rows["centre"] = (0, 0, 0.5)
    given = poses([[25.0, 3.0, height]], 90, -10)
    seen = render(Scene.make(rows, [1, 20]), given, lens)
    down = -rays(given[0], lens)[..., 2]
    with np.errstate(divide="ignore"):
        expected = np.where(down > 0, height / down, np.inf)
    ground = seen.instance[0] == 0
    clear = np.abs(expected - MAX_DISTANCE) > 5
    np.testing.assert_array_equal((expected < MAX_DISTANCE)[clear], (seen.instance[0] >= 0)[clear])
    assert ground.sum() > 300
    np.testing.assert_allclose(seen.depth[0][ground], expected[ground], rtol=2e-3)
    steep = ground & (down > 0.1)
    np.testing.assert_allclose(seen.depth[0][steep], expected[steep], rtol=1e-5)


def test_the_column_straight_ahead_is_no_different() -> None:
    # The middle of an odd number of columns looks exactly north, along an axis of the grid.
    rows = solids((SolidShape.BOX, ()), (SolidShape.BOX, ()))
    rows["centre"], rows["matrix"] = [[0, 12, 2], [0, -12, 2]], np.diag([9.0, 0.5, 2.0])
    for heading in (0, 180):
        seen = render(Scene.make(rows, [1, 20, 20]), poses([[0.4, 0, 2]], heading), view(33, 33))
        np.testing.assert_array_equal(seen.instance[0, :, 16], seen.instance[0, :, 15])
        assert (seen.instance[0, 14:19, 8:25] == (1 if heading == 0 else 2)).all()
        assert seen.depth[0, 16, 16] == pytest.approx(11.5, abs=1e-3)


@pytest.mark.parametrize(
    ("pose", "words"),
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
def test_poses_where_nobody_can_stand(pose: list[float], words: str) -> None:
    good = [0.0, 0.0, 9.0, 0.0, 0.0, 0.0]
    with pytest.raises(InputError, match=words):
        render(garden(1), [good[: len(pose)], pose], view(8, 8))


def test_one_pose_is_still_a_row() -> None:
    with pytest.raises(InputError, match="poses as rows"):
        render(garden(1), [0, 0, 2, 0, 0, 0], view(8, 8))


@pytest.mark.parametrize("samples", [0, -1, 9])
def test_samples_out_of_range(samples: int) -> None:
    with pytest.raises(InputError) as error:
        render(garden(1), several(), view(8, 8), samples=samples)
    assert error.value.field == "samples"
