"""ArraMon's measures: figures of its text, and both ways of counting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.metrics import EUCLIDEAN, assembly_scores, ndtw
from bearleft.metrics.assembly import cell_distances, ctc_3, ground_positions, ptc, rpod
from bearleft.metrics.registry import METRICS

items = st.sampled_from(["red mug", "blue book", "green bowl"])
spots = st.tuples(*[st.integers(-4, 4).map(float)] * 3)
cells = st.tuples(st.integers(0, 4), st.integers(1, 2), st.integers(0, 3))
turns = st.lists(st.tuples(st.none() | items, items, spots, spots, cells, cells, st.booleans()), min_size=1, max_size=8)


def slow(turn: Any, variant: str) -> dict[str, float]:
    picked, item, end, at, placed, target, fallback = turn
    away = math.dist(end, at)
    manhattan = sum(abs(a - b) for a, b in zip(placed, target, strict=True))
    by_the_text = picked is not None and picked == item
    collected = {"paper": away < 3 or picked == item, "strict": by_the_text, "released": away < 3}[variant]
    collected = collected and not fallback
    return {
        "CTC-0": float(picked == item),
        "CTC-3": float(away < 3),
        "CTC-5": float(away < 5),
        "CTC-7": float(away < 7),
        "PTC": float(collected and manhattan == 0),
        "rPOD": 1 / (1 + manhattan**2) if collected else 0.0,
    }


@settings(deadline=None)
@given(turns, st.sampled_from(["paper", "strict", "released"]))
def test_every_measure_equals_its_slow_version(rows: list[Any], variant: str) -> None:
    picked, target_items, ends, at, placed, targets, fallback = zip(*rows, strict=True)
    scores = assembly_scores(picked, target_items, ends, at, placed, targets, fallback, variant)
    expected = [slow(row, variant) for row in rows]
    assert set(scores) == set(expected[0]) <= set(METRICS)
    for name, values in scores.items():
        assert values.tolist() == pytest.approx([row[name] for row in expected]), name


def test_rpod_falls_with_the_square_of_the_distance() -> None:
    """Section 3.2 and Figure 9: rPOD = 1 / (1 + D^2)."""
    assert rpod([0, 1, 2, 3, 4], [True] * 5).tolist() == pytest.approx([1, 1 / 2, 1 / 5, 1 / 10, 1 / 17])
    assert rpod([0, 1], [False, False]).tolist() == [0, 0]
    assert ptc([0, 1, 0], [True, True, False]).tolist() == [1, 0, 0]


def test_height_counts() -> None:
    assert cell_distances([[2, 1, 3]], [[2, 2, 3]]).tolist() == [1]


def test_within_is_strict() -> None:
    assert ctc_3([False, False], [2.999, 3.0]).tolist() == [1, 0]


def test_the_tables_count_more_than_the_text() -> None:
    """Near the object, but nothing was picked up: the tables go on scoring, the text does not."""
    near = ([None], ["red mug"], [[0.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]], [[2, 1, 1]], [[2, 1, 1]])
    assert assembly_scores(*near)["PTC"].tolist() == [1]
    assert assembly_scores(*near, variant="strict")["PTC"].tolist() == [0]
    far = (["red mug"], ["red mug"], [[0.0, 0.0, 0.0]], [[3.0, 0.2, 0.0]], [[2, 1, 1]], [[2, 1, 1]])
    for variant in ("paper", "strict"):
        assert assembly_scores(*far, variant=variant)["PTC"].tolist() == [1]
        assert assembly_scores(["blue mug"], *far[1:], variant=variant)["PTC"].tolist() == [0]
    assert assembly_scores(*far, variant="released")["PTC"].tolist() == [0]


@pytest.mark.parametrize("variant", ["paper", "strict", "released"])
def test_what_was_put_down_for_the_agent_scores_0(variant: str) -> None:
    """Appendix E.1, whatever else was relaxed."""
    right = (["red mug"], ["red mug"], [[0.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]], [[2, 1, 1]], [[2, 1, 1]])
    assert assembly_scores(*right, [False], variant)["PTC"].tolist() == [1]
    for name in ("PTC", "rPOD"):
        assert assembly_scores(*right, [True], variant)[name].tolist() == [0]


def test_ndtw_is_on_the_ground() -> None:
    path, reference = [[0.0, 0.0, 5.0], [3.0, 0.0, 9.0]], [[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]]
    assert ndtw(ground_positions(path), ground_positions(reference), EUCLIDEAN, 3) == pytest.approx(
        math.exp(-4 / (2 * 3))
    )


def test_mistakes_are_named() -> None:
    one = (["a"], ["a"], [[0.0] * 3], [[0.0] * 3], [[0] * 3], [[0] * 3])
    with pytest.raises(InputError, match=r"Did you mean strict\?"):
        assembly_scores(*one, variant="strikt")
    with pytest.raises(InputError, match="1 items, one for each pick"):
        assembly_scores(["a"], ["a", "b"], *one[2:])
    with pytest.raises(InputError, match="objects at positions of shape"):
        assembly_scores(["a"], ["a"], np.zeros((1, 3)), np.zeros((2, 3)), *one[4:])
    with pytest.raises(InputError, match="target cells of shape"):
        assembly_scores(*one[:5], [[0] * 2])
