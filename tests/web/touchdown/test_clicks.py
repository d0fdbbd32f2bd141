"""Clicks and the 90 pixels: an independent projection, zoom, narrow screens, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.records import Direction
from bearleft.web.tasks.touchdown.clicks import RADIUS, REFERENCE_WIDTH, is_hit, parse_click, pixel_distance

headings = st.floats(0, 359.99)
pitches = st.floats(-60, 60)


def at_centre(heading: float, pitch: float, width: int = 1200, height: int = 800, vfov: float = 60.0) -> dict[str, Any]:
    view = {"heading": heading, "pitch": pitch, "vfov": vfov, "width": width, "height": height}
    return {"heading": heading, "pitch": pitch, "view": view}


def focal(height: int, vfov: float) -> float:
    return height / 2 / math.tan(math.radians(vfov) / 2)


@given(headings, pitches, st.floats(0, 40), st.floats(0, 360))
def test_from_the_centre_the_distance_is_the_focal_length_times_the_tangent(
    heading: float, pitch: float, angle: float, around: float
) -> None:
    # A target `angle` degrees away from the optical axis, in any direction around it.
    a, p, b = (math.radians(v) for v in (angle, pitch, around))
    sine = math.sin(p) * math.cos(a) + math.cos(p) * math.sin(a) * math.cos(b)
    other = math.degrees(math.asin(max(-1.0, min(1.0, sine))))
    east = math.sin(b) * math.sin(a) * math.cos(p)
    north = math.cos(a) - math.sin(p) * sine
    target = Direction(heading + math.degrees(math.atan2(east, north)), other)
    distance = pixel_distance(parse_click(at_centre(heading, pitch)), target)
    assert distance == pytest.approx(focal(800, 60.0) * math.tan(a), abs=1e-3)


@given(headings, st.floats(-30, 30), st.floats(-20, 20))
def test_a_click_is_no_pixel_from_itself(heading: float, right: float, up: float) -> None:
    data = at_centre(heading, 0.0)
    data["heading"], data["pitch"] = (heading + right) % 360, up
    assert pixel_distance(parse_click(data), Direction(heading + right, up)) == pytest.approx(0.0, abs=1e-6)
    assert is_hit(parse_click(data), Direction(heading + right, up))


def test_the_radius_is_ninety_pixels() -> None:
    click = parse_click(at_centre(0.0, 0.0))
    edge = math.degrees(math.atan(RADIUS / focal(800, 60.0)))
    assert is_hit(click, Direction(edge - 0.01))
    assert not is_hit(click, Direction(edge + 0.01))


def test_zooming_in_demands_more_precision() -> None:
    target = Direction(5.0)
    near, far = (pixel_distance(parse_click(at_centre(0, 0, vfov=vfov)), target) for vfov in (30.0, 60.0))
    assert near / far == pytest.approx(focal(800, 30.0) / focal(800, 60.0))


def test_a_phone_counts_as_wide_as_the_reference() -> None:
    phone = parse_click(at_centre(0, 0, width=390, height=420, vfov=80.0))
    same = parse_click(at_centre(0, 0, width=REFERENCE_WIDTH, height=round(420 * REFERENCE_WIDTH / 390), vfov=80.0))
    assert pixel_distance(phone, Direction(8.0, 3.0)) == pytest.approx(pixel_distance(same, Direction(8, 3)), rel=2e-3)


@pytest.mark.parametrize("width", [1, 2, 10, 100])
def test_a_forged_tiny_picture_gains_nothing(width: int) -> None:
    click = parse_click(at_centre(0, 0, width=width, height=width, vfov=90.0))
    assert not is_hit(click, Direction(15.0))


def test_a_target_behind_the_camera_is_not_hit() -> None:
    assert pixel_distance(parse_click(at_centre(0, 0)), Direction(180.0)) == math.inf


@given(headings, pitches)
def test_a_click_survives_json(heading: float, pitch: float) -> None:
    click = parse_click(at_centre(heading, pitch))
    again = parse_click(click.to_json())
    assert again.direction == click.direction
    assert again.view.fov == pytest.approx(click.view.fov)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"heading": 100.0}, "a direction inside the view"),
        ({"heading": 180.0}, "a direction inside the view"),
        ({"pitch": 95.0}, "from -90 to 90"),
        ({"heading": "north"}, "a number"),
        ({"heading": math.nan}, "a finite number"),
        ({"view": None}, "an object"),
        ({"view": {}}, "a field heading"),
        ({"view": {"heading": 0, "pitch": 0, "vfov": 0, "width": 900, "height": 600}}, "from 1 to 170"),
        ({"view": {"heading": 0, "pitch": 0, "vfov": 170, "width": 900, "height": 600}}, "from side to side"),
        ({"view": {"heading": 0, "pitch": 0, "vfov": 5, "width": 900, "height": 600}}, "from side to side"),
        ({"view": {"heading": 0, "pitch": 0, "vfov": 60, "width": 0, "height": 600}}, "from 1 to 16384"),
        ({"view": {"heading": 0, "pitch": 0, "vfov": 60, "width": 900, "height": 1e9}}, "from 1 to 16384"),
    ],
)
def test_malformed_clicks_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_click(at_centre(0.0, 0.0) | change)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InputError, match="a field view"):
        parse_click({"heading": 0, "pitch": 0})
