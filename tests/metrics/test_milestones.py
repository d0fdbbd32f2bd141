"""Milestone@11deg and Milestone-deg: what a trace says of its sentences, against slow code."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.metrics.milestones import milestone_11deg, milestone_distances, sentence_ends
from bearleft.records import Direction, LegTrace
from tests.sizes import sized

A, B, C = Direction(10, 5), Direction(40, 0), Direction(200, -30)
directions = st.builds(Direction, st.floats(0, 359.9), st.floats(-90, 90))


@pytest.mark.parametrize(
    ("actions", "looks", "ends"),
    [
        (("look", "next", "left", "refused", "up", "next"), (A, B), (A, B)),  # as games write it
        (("next", "next"), (A, A), (A, A)),
        (("look", "look", "next", "look", "next"), (A, B, C), (B, C)),  # a view for each turn
        (("left", "left"), (), ()),  # time ran out
        ((), (A, B), None),
        ((), (), None),
        (("look", "next"), (A, B, C), None),
        (("next", "look", "look"), (A, B), None),
    ],
)
def test_where_sentences_end(
    actions: tuple[str, ...], looks: tuple[Direction, ...], ends: tuple[Direction, ...] | None
) -> None:
    assert sentence_ends(LegTrace(actions, (), looks, C)) == ends


def slow_angle(one: Direction, other: Direction) -> float:
    """By the chord between two points of the sphere."""

    def point(look: Direction) -> tuple[float, float, float]:
        heading, pitch = math.radians(look.heading), math.radians(look.pitch)
        return math.cos(pitch) * math.sin(heading), math.cos(pitch) * math.cos(heading), math.sin(pitch)

    return math.degrees(2 * math.asin(min(1.0, math.dist(point(one), point(other)) / 2)))


@settings(deadline=None, max_examples=sized(15, 60))
@given(st.lists(directions, max_size=5), st.lists(directions, min_size=1, max_size=5))
def test_distances_equal_slow_ones(ends: list[Direction], views: list[Direction]) -> None:
    found = milestone_distances(ends, views)
    expected = [slow_angle(ends[k], view) if k < len(ends) else math.inf for k, view in enumerate(views)]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_strictly_within_11_degrees() -> None:
    assert milestone_11deg([10.9, 11.0, np.inf]).tolist() == [1, 0, 0]
