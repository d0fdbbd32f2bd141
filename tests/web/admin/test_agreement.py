"""Agreement and quartiles against slow versions by definition, and worked examples."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.records import Direction
from bearleft.web.admin.agreement import (
    MEASURES,
    Labels,
    fleiss_kappa,
    percent_agreement,
    share_of_pairs,
)
from bearleft.web.admin.charts import duration
from bearleft.web.admin.progress import quartiles
from bearleft.web.tasks.touchdown.clicks import parse_click
from tests.web.touchdown.driver import click_at

ITEMS = st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=8)
# The example of Fleiss (1971), as it is often reprinted: ten subjects, fourteen raters, five categories.
FLEISS = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]


def slow_percent(items: list[list[str]]) -> float | None:
    pairs = [(a, b) for labels in items for a, b in combinations(labels, 2)]
    return 100.0 * sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def slow_fleiss(table: Sequence[tuple[int, ...]]) -> float:
    """Fleiss' kappa of a table of counts with equal numbers of raters, by its definition."""
    raters, subjects = sum(table[0]), len(table)
    shares = [sum(row[k] for row in table) / (raters * subjects) for k in range(len(table[0]))]
    each = [(sum(n * n for n in row) - raters) / (raters * (raters - 1)) for row in table]
    observed, chance = sum(each) / subjects, sum(share**2 for share in shares)
    return (observed - chance) / (1 - chance)


@given(ITEMS)
@settings(deadline=None)
def test_percent_agreement(items: list[list[str]]) -> None:
    found, slow = percent_agreement(items), slow_percent(items)
    assert (found is None) == (slow is None)
    assert found is None or slow is None or math.isclose(found, slow, abs_tol=1e-9)


def test_fleiss_kappa_of_the_published_example() -> None:
    items: list[Labels] = [[k for k, count in enumerate(row) for _ in range(count)] for row in FLEISS]
    kappa = fleiss_kappa(items)
    assert kappa == pytest.approx(0.210, abs=5e-4)
    assert kappa == pytest.approx(slow_fleiss(FLEISS))


@given(st.integers(2, 6), st.integers(1, 8), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_fleiss_kappa(raters: int, subjects: int, random: object) -> None:
    rng = np.random.default_rng(hash(random) % 2**32)
    drawn = rng.integers(0, 3, (subjects, raters))
    table = [tuple(int((row == k).sum()) for k in range(3)) for row in drawn]
    kappa = fleiss_kappa([row.tolist() for row in drawn])
    if len(np.unique(drawn)) == 1:
        assert kappa is None
    else:
        assert kappa == pytest.approx(slow_fleiss(table))


def test_items_with_one_label_do_not_count() -> None:
    items = [["a", "a"], ["b", "b"], ["a", "b"]]
    assert fleiss_kappa([*items, ["a"], []]) == fleiss_kappa(items)
    assert fleiss_kappa([["a"], []]) is None and fleiss_kappa([["a", "a"]]) is None
    assert fleiss_kappa([["a", "a"], ["b", "b"]]) == 1.0


@given(st.lists(st.lists(st.floats(0, 10), max_size=5), max_size=5))
@settings(deadline=None)
def test_share_of_pairs(items: list[list[float]]) -> None:
    share, pairs = share_of_pairs(items, lambda one, other: abs(one - other) < 1)
    near = [abs(p[i] - p[j]) < 1 for p in items for i in range(len(p)) for j in range(i)]
    assert pairs == len(near)
    assert share is None if not near else share == pytest.approx(100 * sum(near) / len(near))


def test_radii_are_those_of_the_tasks() -> None:
    clicks = MEASURES["touchdown/validation"].within
    here = ("a", parse_click(click_at(Direction(10, 0))))
    near, far = (("a", parse_click(click_at(Direction(10 + off, 0)))) for off in (3, 20))
    assert clicks(here, near) and not clicks(here, far) and not clicks(here, ("b", near[1]))
    looks = MEASURES["refer360/finding"].within
    assert looks(Direction(0, 0), Direction(10.9, 0)) and not looks(Direction(0, 0), Direction(11.1, 0))
    spots = MEASURES["play/point"].within
    assert spots(Direction(0, 0), Direction(7, 0)) and not spots(Direction(0, 0), Direction(9, 0))


def test_tokens_have_the_parts_they_are_in() -> None:
    data = {"way_end": 3, "bear_begin": 2, "td_location_text": "c d e"}
    labels = MEASURES["touchdown/segmentation"].labels(data, True)
    way, both, bear = (True, False), (True, True), (False, True)
    assert labels == {0: way, 1: way, 2: both, 3: bear, 4: bear}


def test_rankings_agree_on_pairs_of_paths() -> None:
    labels = MEASURES["ndtw-study/ranking"].labels
    one, other = (dict(labels({"places": places}, True)) for places in ([1, 2, 3], [2, 1, 3]))
    assert one == {(0, 1): True, (0, 2): True, (1, 2): True}
    assert [pair for pair, better in one.items() if other[pair] != better] == [(0, 1)]
    assert MEASURES["arramon/following"].labels({}, False) == {"": False}


@given(st.lists(st.floats(0, 1e6), max_size=30))
@settings(deadline=None)
def test_quartiles(values: list[float]) -> None:
    found = quartiles(values)
    if not values:
        assert found is None
        return
    assert found == pytest.approx(tuple(np.percentile(values, [25, 50, 75])))
    assert found is not None and found[1] == pytest.approx(statistics.median(values))


def test_durations_in_words() -> None:
    assert [duration(s) for s in (0.04, 59.94, 60, 125.4, 3600, 7325)] == [
        "0.0 s",
        "59.9 s",
        "1 min 00 s",
        "2 min 05 s",
        "1 h 00 min",
        "2 h 02 min",
    ]
