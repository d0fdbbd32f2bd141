"""Camera rays agree with `bearleft.geometry`; cube faces join; invalid lenses and poses are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.geometry import View, angular_distance, from_equirectangular, vector_angles
from bearleft.records import Direction
from bearleft.world.render.camera import MAX_SIZE, Lens, cameras, cube, panorama, poses, view
from bearleft.world.render.cpu import render
from bearleft.world.render.shading import ray
from tests.sizes import sized
from tests.world.render.test_raycast import zoo

f4 = np.float32


def rays(pose: Any, lens: Lens, x: Any, y: Any) -> Any:
    """Return the renderer's ray directions of points of a picture."""
    camera = cameras(np.reshape(pose, (1, 6)), lens)[0]
    size = f4(lens.width), f4(lens.height)
    return np.array([ray(camera, lens.code, f4(a), f4(b), *size) for a, b in zip(x, y, strict=True)])


@given(
    heading=st.floats(-360, 720, width=32),
    pitch=st.floats(-90, 90, width=32),
    roll=st.floats(-180, 180, width=32),
    fov=st.floats(20, 140),
    height=st.integers(1, 400),
)
@settings(deadline=None, max_examples=sized(15, 60))
def test_rays_of_views_agree_with_geometry(heading: float, pitch: float, roll: float, fov: float, height: int) -> None:
    lens = view(320, height, fov)
    x, y = np.meshgrid(np.linspace(0, 320, 7), np.linspace(0, height, 5))
    ours = rays([0, 0, 2, heading, pitch, roll], lens, x.ravel(), y.ravel())
    np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-6)
    expected = View(Direction(heading % 360, pitch), 320, height, fov, roll).direction(x.ravel(), y.ravel())
    assert angular_distance(*vector_angles(ours), *expected).max() < 1e-4


@given(heading=st.floats(-360, 720, width=32), width=st.integers(2, 4096))
@settings(deadline=None, max_examples=sized(15, 60))
def test_rays_of_panoramas_agree_with_geometry(heading: float, width: int) -> None:
    lens = panorama(width)
    assert lens.height == width // 2 and lens.fov is None
    x, y = np.meshgrid(np.linspace(0, width, 9), np.linspace(0, lens.height, 5))
    ours = rays([0, 0, 2, heading, 0, 0], lens, x.ravel(), y.ravel())
    np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-6)
    expected = from_equirectangular(x.ravel(), y.ravel(), width, lens.height, heading)
    assert angular_distance(*vector_angles(ours), *expected).max() < 1e-4


def test_panorama_pitches_and_rolls_like_a_view() -> None:
    pose = [0, 0, 2, 75, 20, 35]
    middle = rays(pose, panorama(360), [180.0], [90.0])
    np.testing.assert_allclose(middle, rays(pose, view(100, 60), [50.0], [30.0]), atol=1e-6)
    # A quarter of the width to the right of the middle is the view's own right.
    right, _, _ = View(Direction(75, 20), 100, 60, 90.0, 35).axes
    np.testing.assert_allclose(rays(pose, panorama(360), [270.0], [90.0])[0], right, atol=1e-6)


def test_faces_of_a_cube_join_at_their_edges() -> None:
    lens = view(64, 64, 90.0)
    faces = cube([1.0, 2.0, 3.0], 33.0)
    np.testing.assert_array_equal(faces[:, :3], np.tile([1, 2, 3], (6, 1)))
    along = np.linspace(0, 64, 9)[1:-1]  # without the corners, in which three faces meet
    zeros, full = np.zeros(7), np.full(7, 64.0)
    edges = {"top": (along, zeros), "right": (full, along), "bottom": (along, full), "left": (zeros, along)}
    border = {(face, name): rays(faces[face], lens, *at) for face in range(6) for name, at in edges.items()}
    joined: dict[tuple[int, str], list[tuple[int, str]]] = {}
    for key, ours in border.items():
        for other, theirs in border.items():
            if other[0] != key[0]:
                for flipped in (theirs, theirs[::-1]):
                    if np.abs(ours - flipped).max() < 1e-6:
                        joined.setdefault(key, []).append(other)
    assert len(joined) == 24 and all(len(others) == 1 for others in joined.values())
    ahead, right, back, left, up, down = range(6)
    for this_face, next_face in ((ahead, right), (right, back), (back, left), (left, ahead)):
        assert joined[this_face, "right"] == [(next_face, "left")]
        np.testing.assert_allclose(border[this_face, "right"], border[next_face, "left"], atol=1e-6)
    assert joined[ahead, "top"] == [(up, "bottom")] and joined[ahead, "bottom"] == [(down, "top")]
    assert joined[right, "top"] == [(up, "right")] and joined[left, "bottom"] == [(down, "left")]
    middles = np.array([rays(face, lens, [32.0], [32.0])[0] for face in faces])
    np.testing.assert_allclose(middles.sum(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(middles[[up, down], 2], [1, -1], atol=1e-6)
    assert vector_angles(middles[:4])[0] == pytest.approx([33, 123, 213, 303], abs=1e-4)


def test_panorama_and_view_in_the_same_direction_show_the_same() -> None:
    scene = zoo(3, 15.0)
    pose = [1.0, -2.0, 2.4, 40.0, 0.0, 0.0]
    lens = panorama(48)
    panoramic = render(scene, [pose], lens)
    x, y = np.meshgrid(np.arange(48) + 0.5, np.arange(24) + 0.5)
    heading, pitch = from_equirectangular(x.ravel(), y.ravel(), 48, 24, pose[3])
    pixelwise = render(scene, poses(np.tile(pose[:3], (len(heading), 1)), heading, pitch), view(1, 1))
    equal = pixelwise.instance.ravel() == panoramic.instance.ravel()
    assert equal.mean() > 0.995  # rays through an edge may fall to either side
    assert len(np.unique(panoramic.instance)) > 5
    close = np.isclose(pixelwise.depth.ravel(), panoramic.depth.ravel(), rtol=1e-3)
    assert close[equal].mean() > 0.99
    np.testing.assert_array_equal(np.isinf(pixelwise.depth.ravel()), pixelwise.instance.ravel() == -1)


@pytest.mark.parametrize(
    ("width", "height", "fov", "field"),
    [
        (0, 10, 90.0, "width"),
        (MAX_SIZE + 1, 10, 90.0, "width"),
        (10, 0, 90.0, "height"),
        (10, MAX_SIZE + 1, None, "height"),
        (10, 10, 0.0, "fov"),
        (10, 10, 180.0, "fov"),
        (10, 10, float("nan"), "fov"),
        (1, 0, None, "height"),
    ],
)
def test_invalid_lenses_are_refused(width: int, height: int, fov: float | None, field: str) -> None:
    with pytest.raises(InputError) as error:
        Lens(width, height, fov)
    assert error.value.field == field


def test_a_panorama_needs_two_columns() -> None:
    with pytest.raises(InputError, match="height"):
        panorama(1)
    assert panorama(100, 10).height == 10


def test_pixel_is_the_angle_between_neighbouring_rays() -> None:
    assert view(200, 10, 90.0).pixel == pytest.approx(2 / 200)
    assert panorama(360).pixel == pytest.approx(np.radians(1))
    lens = view(400, 300, 60.0)
    a, b = rays([0, 0, 1, 0, 0, 0], lens, [199.5, 200.5], [150.0, 150.0]).astype(float)
    assert np.linalg.norm(a - b) == pytest.approx(lens.pixel, rel=1e-3)


def test_poses_are_rows() -> None:
    rows = poses([[1, 2, 3], [4, 5, 6]], [10, 20], -5)
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, [[1, 2, 3, 10, -5, 0], [4, 5, 6, 20, -5, 0]])


@pytest.mark.parametrize("wrong", [np.zeros(6), np.zeros((2, 5)), np.zeros((1, 2, 6))])
def test_poses_of_the_wrong_shape_are_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="poses as rows"):
        cameras(wrong, view(8, 8))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_poses_that_are_not_finite_are_refused(bad: float) -> None:
    rows = np.ones((2, 6))
    rows[1, 4] = bad
    with pytest.raises(InputError, match="finite poses"):
        cameras(rows, view(8, 8))
