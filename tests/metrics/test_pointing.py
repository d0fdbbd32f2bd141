"""Pointing: pixels of Touchdown's picture, degrees of Refer360's sphere, and consistency by sentence."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.metrics.pointing import (
    a_40px,
    acc_11deg,
    c_40px,
    c_80px,
    degrees,
    direction_distances,
    pixel_distance,
    pixel_distances,
    pixels,
    point_scores,
)
from bearleft.metrics.registry import METRICS
from bearleft.records import Direction, Point

headings, pitches = st.floats(0, 359.999), st.floats(-90, 90)
examples = st.lists(
    st.tuples(headings, pitches, headings, pitches, headings, st.sampled_from("abcd")), min_size=1, max_size=12
)


def slow_pixel(heading: float, pitch: float, yaw: float) -> tuple[float, float]:
    """conventions: heading = yaw + 360 (x - 0.5), pitch = 90 - 180 y, in a picture of 3712 x 800."""
    x = ((heading - yaw + 180) % 360 - 180) / 360 + 0.5
    return 3712 * x, 800 * (90 - pitch) / 180


def slow_degrees(a: Direction, b: Direction) -> float:
    def vector(d: Direction) -> tuple[float, float, float]:
        h, p = math.radians(d.heading), math.radians(d.pitch)
        return math.cos(p) * math.sin(h), math.cos(p) * math.cos(h), math.sin(p)

    u, v = vector(a), vector(b)
    cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    return math.degrees(math.atan2(math.hypot(*cross), sum(x * y for x, y in zip(u, v, strict=True))))


@settings(deadline=None)
@given(examples)
def test_every_measure_equals_its_slow_version(rows: list[tuple[float, float, float, float, float, str]]) -> None:
    answers = [Direction(h, p) for h, p, *_ in rows]
    goals = [Point(Direction(h, p), yaw=yaw) for _, _, h, p, yaw, _ in rows]
    sentences = [row[5] for row in rows]
    away = []
    for answer, goal in zip(answers, goals, strict=True):
        one = slow_pixel(answer.heading, answer.pitch, goal.yaw)
        other = slow_pixel(goal.direction.heading, goal.direction.pitch, goal.yaw)
        away.append(math.dist(one, other))
    apart = [slow_degrees(answer, goal.direction) for answer, goal in zip(answers, goals, strict=True)]
    by_sentence = defaultdict(list)
    for sentence, distance in zip(sentences, away, strict=True):
        by_sentence[sentence].append(distance)
    expected = {"Dist": away, "Dist-deg": apart, "Acc@11deg": [float(a < 11) for a in apart]}
    for radius in (40, 80, 120):
        expected[f"A@{radius}px"] = [float(d < radius) for d in away]
        expected[f"C@{radius}px"] = [float(all(d < radius for d in group)) for group in by_sentence.values()]
    scores = point_scores(answers, goals, sentences)
    assert set(scores) == set(expected)
    for name, values in scores.items():
        np.testing.assert_allclose(values, expected[name], rtol=1e-9, atol=1e-6, err_msg=name)
        assert name in METRICS
    assert pixel_distance(answers[0], goals[0]) == pytest.approx(away[0], abs=1e-9)


def test_the_ends_of_the_picture_are_not_joined() -> None:
    goal = Point(Direction(179.9, 0), yaw=0.0)
    assert pixel_distance(Direction(180.1, 0), goal) == pytest.approx(3712 * 359.8 / 360)
    assert degrees([Direction(180.1, 0)], [goal])[0] == pytest.approx(0.2)


def test_pixels_of_the_papers() -> None:
    """10.3 px to a degree across, 4.4 down; 11 degrees are about 113 px across."""
    assert direction_distances([Direction(1, 0), Direction(0, 1), Direction(11, 0)], [Point(Direction(0, 0))] * 3) == (
        pytest.approx([10.311, 4.444, 113.42], abs=0.01)
    )
    x, y = pixels(90, 45, 0)
    assert (float(x), float(y)) == (3712 * 0.75, 200)


def test_the_radius_itself_is_outside() -> None:
    assert a_40px([39.999, 40.0]).tolist() == [1, 0]
    assert acc_11deg([10.999, 11.0]).tolist() == [1, 0]
    assert c_40px([39.0, 40.0], ["a", "b"]).tolist() == [1, 0]


def test_a_sentence_is_right_only_if_all_its_panoramas_are() -> None:
    away = [10.0, 50.0, 10.0, 10.0]
    assert c_40px(away, ["left", "left", "right", "right"]).tolist() == [0, 1]
    assert c_80px(away, ["left", "left", "right", "right"]).tolist() == [1, 1]
    assert c_40px.mean(c_40px(away, ["left", "left", "right", "right"])) == 50


def test_mistakes_are_named() -> None:
    with pytest.raises(InputError, match="3 sentences, one for each distance"):
        c_40px([1, 2, 3], ["a"])
    with pytest.raises(InputError, match=r"field distances\[1\]: expected numbers, got nan"):
        a_40px([1.0, math.nan])
    with pytest.raises(InputError, match="2 goals, one for each answer"):
        degrees([Direction(0), Direction(1)], [Point(Direction(0))])
    with pytest.raises(InputError, match="targets of shape"):
        pixel_distances([[0.0, 1.0]], [[0.0, 1.0, 2.0]])


@settings(deadline=None)
@given(examples)
def test_cells_are_those_of_the_feature_map(rows: list[tuple[float, float, float, float, float, str]]) -> None:
    """Touchdown, D.3: row = 100 y, column = 464 x, and thresholds of 5, 10 and 15 cells."""

    def cell(direction: Direction, yaw: float) -> tuple[int, int]:
        x, y = slow_pixel(direction.heading, direction.pitch, yaw)
        return min(int(464 * x / 3712 + 1e-9), 463), min(int(100 * y / 800 + 1e-9), 99)

    answers = [Direction(h, p) for h, p, *_ in rows]
    goals = [Point(Direction(h, p), yaw=yaw) for _, _, h, p, yaw, _ in rows]
    apart = [math.dist(cell(a, g.yaw), cell(g.direction, g.yaw)) for a, g in zip(answers, goals, strict=True)]
    scores = point_scores(answers, goals, [row[5] for row in rows], "cells")
    np.testing.assert_allclose(scores["Dist"], [8 * one for one in apart], atol=1e-9)
    for radius, cells in ((40, 5), (80, 10), (120, 15)):
        assert scores[f"A@{radius}px"].tolist() == [float(one < cells) for one in apart]
    plain = point_scores(answers, goals, [row[5] for row in rows])
    assert np.abs(scores["Dist"] - plain["Dist"]).max() <= 8 * math.sqrt(2) + 1e-9
    for name in ("Acc@11deg", "Dist-deg"):
        assert scores[name].tolist() == plain[name].tolist()


def test_cells_may_be_stricter_or_laxer_than_pixels() -> None:
    """39 pixels apart can be five cells, and almost 40 can be four."""
    goal = Point(Direction(0.0, 0.0), yaw=0.0)

    def at(x: float) -> Direction:
        return Direction((360 * x / 3712 + 180) % 360, 0.0)

    near, far = [at(1.5)], [Point(at(40.5), yaw=0.0)]
    assert direction_distances(near, far)[0] == pytest.approx(39) and direction_distances(near, far, "cells")[0] == 40
    near, far = [at(0.1)], [Point(at(39.9), yaw=0.0)]
    assert direction_distances(near, far, "cells")[0] == 32
    with pytest.raises(InputError, match="convention for points"):
        direction_distances([Direction(0, 0)], [goal], "cell")
