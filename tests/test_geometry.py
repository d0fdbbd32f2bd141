from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.geometry import (
    View,
    angle_between,
    angular_distance,
    from_equirectangular,
    from_lat_lng,
    to_equirectangular,
    to_lat_lng,
    turn,
    unit_vectors,
    vector_angles,
)
from bearleft.records import Direction

headings = st.floats(0, 360, exclude_max=True)
pitches = st.floats(-89.5, 89.5)


def test_north_east_up() -> None:
    np.testing.assert_allclose(unit_vectors(0, 0), [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(unit_vectors(90, 0), [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(unit_vectors(33, 90), [0, 0, 1], atol=1e-15)


@settings(deadline=None)
@given(headings, pitches)
def test_angles_undo_vectors(heading: float, pitch: float) -> None:
    back = vector_angles(unit_vectors(heading, pitch))
    assert angular_distance(heading, pitch, *back) < 1e-9
    assert 0 <= back[0] < 360


@settings(deadline=None)
@given(headings, st.floats(-90, 90), headings, st.floats(-90, 90))
def test_great_circle_equals_the_arc_between_vectors(h1: float, p1: float, h2: float, p2: float) -> None:
    one, other = unit_vectors(h1, p1), unit_vectors(h2, p2)
    slow = math.degrees(math.atan2(float(np.linalg.norm(np.cross(one, other))), float(one @ other)))
    assert angular_distance(h1, p1, h2, p2) == pytest.approx(slow, abs=1e-5)


def test_known_angles() -> None:
    assert angle_between(Direction(0), Direction(180)) == pytest.approx(180)
    assert angle_between(Direction(350), Direction(10)) == pytest.approx(20)
    assert angle_between(Direction(10, 90), Direction(200, 90)) == pytest.approx(0, abs=1e-12)
    assert angle_between(Direction(0, 45), Direction(180, 45)) == pytest.approx(90)
    assert angle_between(Direction(0, 0), Direction(1e-7, 0)) == pytest.approx(1e-7, rel=1e-6)


@settings(deadline=None)
@given(headings, st.floats(-90, 90), st.floats(-400, 400))
def test_equirectangular_round_trip(heading: float, pitch: float, yaw: float) -> None:
    x, y = to_equirectangular(heading, pitch, 3712, 800, yaw)
    assert 0 <= x < 3712 and 0 <= y <= 800
    assert angular_distance(heading, pitch, *from_equirectangular(x, y, 3712, 800, yaw)) < 1e-6


def test_the_middle_of_a_panorama_is_its_yaw() -> None:
    x, y = to_equirectangular([117, 207, 27], [0, 45, -90], 400, 200, yaw=117)
    np.testing.assert_allclose(x, [200, 300, 100])
    np.testing.assert_allclose(y, [100, 50, 200])


def test_turns_are_signed_and_shortest() -> None:
    np.testing.assert_allclose(turn([350, 10, 0, 90], [10, 350, 180, 90]), [20, -20, -180, 0])


views = st.builds(
    View,
    st.builds(Direction, headings, pitches),
    st.integers(8, 900),
    st.integers(8, 900),
    st.floats(20, 140),
    st.floats(-180, 180),
)


@settings(deadline=None)
@given(views, st.floats(0, 1), st.floats(0, 1))
def test_perspective_round_trip(view: View, across: float, down: float) -> None:
    x, y = across * view.width, down * view.height
    heading, pitch = view.direction(x, y)
    assume(abs(pitch) < 89.9)
    back = view.pixel(heading, pitch)
    np.testing.assert_allclose(back, (x, y), atol=1e-5 * max(view.width, view.height))


def test_perspective_axes() -> None:
    view = View(Direction(90, 0), 200, 100, fov=90)
    np.testing.assert_allclose(view.pixel(90, 0), (100, 50), atol=1e-9)
    np.testing.assert_allclose(view.pixel(135, 0), (200, 50), atol=1e-9)
    x, y = view.pixel(90, 20)
    assert y < 50 and x == pytest.approx(100)
    assert np.isnan(view.pixel(270, 0)[0])
    assert view.sees(130, 0) and not view.sees(140, 0) and not view.sees(270, 0)


def test_a_camera_rolled_clockwise_sees_the_horizon_rise_to_the_right() -> None:
    view = View(Direction(0, 0), 200, 200, fov=90, roll=10)
    right, left = view.pixel(20, 0), view.pixel(-20, 0)
    assert right[1] < 100 < left[1]


def test_the_slices_of_a_panorama_meet() -> None:
    left, right = View(Direction(0), 460, 800, fov=45), View(Direction(45), 460, 800, fov=45)
    np.testing.assert_allclose(left.direction(460, 400), right.direction(0, 400), atol=1e-9)


@pytest.mark.parametrize("fov", [0, 180, -3, math.nan])
def test_a_field_of_view_out_of_range(fov: float) -> None:
    with pytest.raises(InputError, match="field of view"):
        View(Direction(0), 10, 10, fov)


@settings(deadline=None)
@given(st.floats(-60, 60), st.floats(-179, 179), st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))
def test_metres_and_back(lat: float, lng: float, north: float, east: float) -> None:
    back = to_lat_lng(from_lat_lng(lat + north, lng + east, (lat, lng)), (lat, lng))
    np.testing.assert_allclose(back, (lat + north, lng + east), atol=1e-9)


def test_a_minute_of_latitude_is_a_nautical_mile() -> None:
    assert from_lat_lng(40 + 1 / 60, -74, (40, -74))[1] == pytest.approx(1852, rel=2e-3)
