"""Every measure of paths equals its slow version, for every kind of distance, batch and number of threads."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.metrics import (
    METRICS,
    NodeDistances,
    PathMetric,
    Ragged,
    compute_metrics,
    get_metric,
    kernels,
    path_scores,
)
from bearleft.metrics.fastdtw import FAST_METRICS
from bearleft.metrics.metric import PathMeasurements
from bearleft.metrics.ragged_paths import Floats
from tests.metrics import slow_reference as slow
from tests.metrics.walks import THRESHOLDS, Walks, any_walks, node_walks
from tests.sizes import sized

PATH_METRICS = [name for name, row in METRICS.items() if isinstance(row, PathMetric)]


def test_every_path_metric_has_a_slow_version() -> None:
    assert sorted(PATH_METRICS) == sorted(slow.SLOW)


@settings(deadline=None, max_examples=sized(37, 150))
@given(any_walks, THRESHOLDS)
def test_every_metric_equals_its_slow_version(walks: Walks, threshold: float) -> None:
    scores = path_scores(PATH_METRICS, walks.paths, walks.references, walks.distance, threshold)
    for name in PATH_METRICS:
        expected = [
            slow.SLOW[name](path, reference, walks.apart, threshold)
            for path, reference in zip(walks.paths, walks.references, strict=True)
        ]
        np.testing.assert_allclose(scores[name], expected, rtol=1e-9, atol=1e-12, err_msg=name)


@settings(deadline=None, max_examples=sized(12, 40))
@given(any_walks, THRESHOLDS, st.sampled_from(PATH_METRICS))
def test_one_at_a_time_equals_many_at_once(walks: Walks, threshold: float, name: str) -> None:
    row = METRICS[name]
    assert isinstance(row, PathMetric)
    many = row.batch(walks.paths, walks.references, walks.distance, threshold)
    single = [
        row(path, reference, walks.distance, threshold)
        for path, reference in zip(walks.paths, walks.references, strict=True)
    ]
    np.testing.assert_array_equal(many, single)


@pytest.mark.slow
@settings(deadline=None, max_examples=sized(12, 40))
@given(node_walks(), st.randoms(use_true_random=False))
def test_the_order_of_a_batch_does_not_matter(walks: Walks, random: object) -> None:
    order = list(range(len(walks.paths)))
    random.shuffle(order)  # type: ignore[attr-defined]
    scores = path_scores(PATH_METRICS, walks.paths, walks.references, walks.distance, 1.0)
    shuffled = path_scores(
        PATH_METRICS, [walks.paths[k] for k in order], [walks.references[k] for k in order], walks.distance, 1.0
    )
    for name in PATH_METRICS:
        np.testing.assert_array_equal(scores[name][order], shuffled[name], err_msg=name)


def test_threads_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    matrix = rng.integers(0, 30, (50, 50)).astype(np.int16)
    lengths = rng.integers(1, 20, (2, 6000))
    paths, references = (
        Ragged(rng.integers(0, 50, sizes.sum()), np.concatenate([[0], np.cumsum(sizes)])) for sizes in lengths
    )
    scores = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("BEARLEFT_THREADS", threads)
        scores.append(path_scores(PATH_METRICS, paths, references, matrix, 2.0))
    for name in PATH_METRICS:
        np.testing.assert_array_equal(scores[0][name], scores[1][name], err_msg=name)
        np.testing.assert_array_equal(scores[0][name], scores[2][name], err_msg=name)


def test_rows_of_the_references_are_enough() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.integers(0, 9, (30, 30)).astype(np.int16)
    matrix = np.minimum(matrix, matrix.T)
    np.fill_diagonal(matrix, 0)
    rows = np.array([4, 17, 2, 9])
    references = [rng.choice(rows, 5) for _ in range(20)]
    paths = [rng.integers(0, 30, 7) for _ in range(20)]
    some = [name for name in PATH_METRICS if name not in ("PL", "SPL", "CLS")]
    whole = path_scores(some, paths, references, matrix, 2.0)
    part = path_scores(some, paths, references, NodeDistances(matrix[rows], rows), 2.0)
    for name in some:
        np.testing.assert_array_equal(whole[name], part[name], err_msg=name)
    with pytest.raises(InputError, match="rows of distances for every node of the paths"):
        METRICS["CLS"].batch(paths, references, NodeDistances(matrix[rows], rows), 2.0)  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="references of nodes that have a row"):
        path_scores(["nDTW"], paths, [[1]] * 20, NodeDistances(matrix[rows], rows), 2.0)


def test_each_move_may_be_one_hop() -> None:
    ring = np.abs(np.arange(12)[:, None] - np.arange(12))
    hops = np.minimum(ring, 12 - ring).astype(np.int16)
    paths = [[0, 1, 1, 2, 3], [5], [4, 3, 4, 5]]
    references = [[0, 1, 2], [2, 1, 0], [0, 1, 2]]
    names = ["PL", "SPL", "CLS", "nDTW"]
    whole = path_scores(names, paths, references, hops, 1)
    part = path_scores(names, paths, references, NodeDistances(hops[:3], np.arange(3), step_length=1), 1)
    for name in names:
        np.testing.assert_array_equal(whole[name], part[name], err_msg=name)


def test_percent_is_for_rates_only() -> None:
    rates = {name for name, row in METRICS.items() if row.percent}
    assert rates == {
        "SR",
        "OSR",
        "TC",
        "KPA",
        "A@40px",
        "A@80px",
        "A@120px",
        "Found@40px",
        "Found@80px",
        "Found@120px",
        "C@40px",
        "C@80px",
        "C@120px",
        "Acc@11deg",
        "Milestone@11deg",
        "Pairs",
        "Changed",
    }
    assert METRICS["TC"].mean([1, 0, 0, 0]) == 25
    assert METRICS["SPD"].mean([1, 0, 0, 0]) == 0.25
    with pytest.raises(InputError, match="at least one value of TC"):
        METRICS["TC"].mean([])


@pytest.mark.parametrize("name", METRICS)
def test_every_row_says_what_it_is(name: str) -> None:
    row = METRICS[name]
    assert row.name == name
    assert row.definition.endswith(".") and row.paper and row.unit
    assert row.percent == (row.unit == "%")


def test_unknown_names_offer_the_nearest() -> None:
    with pytest.raises(InputError, match=r"Did you mean nDTW\?"):
        get_metric("ndwt")
    with pytest.raises(InputError, match="the name of a metric of paths"):
        path_scores(["Dist"], [[0]], [[0]], np.zeros((1, 1)), 1)
    with pytest.raises(InputError, match="junctions"):
        path_scores(["KPA"], [[0]], [[0]], np.zeros((1, 1)), 1)
    with pytest.raises(InputError, match="a threshold distance for nDTW"):
        path_scores(["nDTW"], [[0]], [[0]], np.zeros((1, 1)))


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("dtw", "NEEDS_DTW"),
        ("end", "NEEDS_GOAL"),
        ("nearest", "NEEDS_GOAL"),
        ("success", "NEEDS_GOAL"),
        ("coverage", "NEEDS_COVERAGE"),
        ("mean_deviation", "NEEDS_DEVIATION"),
        ("max_deviation", "NEEDS_DEVIATION"),
    ],
)
def test_reading_a_result_that_is_not_declared_raises(name: str, flag: str) -> None:
    def formula(measurements: PathMeasurements) -> Floats:
        return getattr(measurements, name)  # type: ignore[no-any-return]

    undeclared = PathMetric("X", True, "", "", "", formula=formula)
    hops = np.array([[0, 1], [1, 0]])
    with pytest.raises(InputError, match=rf"{flag} in `needs`.*needs=0.*metric X"):
        undeclared([0, 1], [0, 1], hops, 1.0)
    # Other metrics of the same pass may compute the result: that does not declare it.
    others = [metric for metric in METRICS.values() if isinstance(metric, PathMetric)]
    with pytest.raises(InputError, match=flag):
        compute_metrics([*others, undeclared], [[0, 1]], [[0, 1]], hops, 1.0)
    declared = replace(undeclared, needs=getattr(kernels, flag))
    assert np.isfinite(declared([0, 1], [0, 1], hops, 1.0))


def test_an_empty_batch_is_no_mistake() -> None:
    for name, values in path_scores(PATH_METRICS, [], [], np.zeros((3, 3)), 1).items():
        assert values.shape == (0,), name
    for name, values in path_scores(PATH_METRICS, [], [], lambda a, b: abs(a - b), 1).items():
        assert values.shape == (0,), name


def test_no_way_is_infinitely_far() -> None:
    hops = np.array([[0, 1, -1], [1, 0, -1], [-1, -1, 0]], np.int16)
    scores = path_scores(PATH_METRICS, [[0, 1]], [[2]], hops, 1)
    assert {name: float(values[0]) for name, values in scores.items()} == {
        **dict.fromkeys(["NE", "ONE", "AD", "MD", "DTW", "SPD"], math.inf),
        **dict.fromkeys(["SR", "OSR", "SPL", "SED", "CLS", "nDTW", "SDTW", "TC", *FAST_METRICS], 0.0),
        "PL": 1.0,
    }


@pytest.mark.slow
def test_long_paths_need_little_memory() -> None:
    rng = np.random.default_rng(1)
    path, reference = rng.normal(size=(1500, 2)).cumsum(axis=0), rng.normal(size=(1200, 2)).cumsum(axis=0)
    before = np.full(len(path) + 1, np.inf)
    before[0] = 0
    for point in reference:
        cost = np.hypot(*(path - point).T)
        after = np.full(len(path) + 1, np.inf)
        for j in range(len(path)):
            after[j + 1] = cost[j] + min(before[j], before[j + 1], after[j])
        before = after
    from bearleft.metrics import EUCLIDEAN, dtw

    assert dtw(path, reference, EUCLIDEAN) == pytest.approx(before[-1], rel=1e-12)


def test_every_metric_has_its_heading_in_the_docs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
    headings = [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")]
    assert sorted(headings) == sorted(METRICS)
