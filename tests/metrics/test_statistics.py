"""Intervals and tests against scipy, enumeration, and the nDTW paper's own table."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bearleft.errors import InputError
from bearleft.metrics import bootstrap, paired_bootstrap, permutation_test, sign_test
from bearleft.metrics.registry import METRICS
from bearleft.metrics.statistics import binomial_tail, bootstrap_rows, exact_if_unanimous
from tests.sizes import sized

values = st.lists(st.floats(-100, 100).map(lambda x: round(x, 3)), min_size=1, max_size=9)


def test_the_bootstrap_equals_a_slow_one_and_scipy() -> None:
    given_values = np.random.default_rng(0).exponential(size=400)
    ours = bootstrap(given_values, np.random.default_rng(1), resamples=20_000)
    rng = np.random.default_rng(2)
    means = [given_values[rng.integers(0, 400, 400)].mean() for _ in range(20_000)]
    low, high = np.quantile(means, [0.025, 0.975])
    assert ours.mean == given_values.mean()
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=0.003)
    theirs = stats.bootstrap((given_values,), np.mean, method="percentile", n_resamples=20_000, rng=rng)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.003)


def test_the_bootstrap_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        interval = bootstrap(rng.normal(size=60), rng, level=0.9, resamples=300)
        covered += interval.low <= 0 <= interval.high
    # 90 % of 400, less what small samples cost, give or take four standard errors.
    assert 330 <= covered <= 384


def test_the_same_seed_gives_the_same_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = np.random.default_rng(0).normal(size=500)
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("BEARLEFT_THREADS", threads)
        rng = np.random.default_rng(7)
        found.append((bootstrap(sample, rng), permutation_test(sample, sample[::-1], rng, 500)))
    assert found[0] == found[1] == found[2]
    assert bootstrap(sample, np.random.default_rng(8)) != found[0][0]


def test_the_paired_bootstrap_is_of_the_differences() -> None:
    rng = np.random.default_rng(4)
    one = rng.normal(size=300)
    other = one + rng.normal(0.05, 0.1, size=300)
    result = paired_bootstrap(other, one, np.random.default_rng(5), resamples=5000)
    plain = bootstrap(other - one, np.random.default_rng(5), resamples=5000)
    assert (result.mean, result.low, result.high) == (plain.mean, plain.low, plain.high)
    assert result.low > 0 and result.p == pytest.approx(2 / 5001)
    back = paired_bootstrap(one, other, np.random.default_rng(5), resamples=5000)
    assert (back.mean, back.low, back.high, back.p) == pytest.approx(
        (-result.mean, -result.high, -result.low, result.p)
    )
    assert paired_bootstrap(one, one, np.random.default_rng(5)).p == 1


def test_without_a_difference_p_is_uniform() -> None:
    rng = np.random.default_rng(6)
    boot, permuted = [], []
    for _ in range(300):
        one, other = rng.normal(size=(2, 40))
        boot.append(paired_bootstrap(one, other, rng, resamples=200).p)
        permuted.append(permutation_test(one, other, rng, 200))
    for found in (boot, permuted):
        assert 0.02 < np.mean(np.array(found) <= 0.1) < 0.2


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=60))
def test_the_sign_test_is_scipys(pairs: list[tuple[int, int]]) -> None:
    one, other = zip(*pairs, strict=True)
    result = sign_test(one, other)
    assert result.above == sum(a > b for a, b in pairs) and result.below == sum(a < b for a, b in pairs)
    total = result.above + result.below
    expected = stats.binomtest(result.above, total).pvalue if total else 1.0
    assert result.p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("above", "below", "p"),
    [
        (242, 17, 4.1e-52),
        (254, 9, 2.0e-63),
        (255, 9, 1.0e-63),
        (162, 46, 2.4e-16),
        (254, 12, 3.6e-60),  # the paper prints 6.9e-60 here, which is the next column's
        (253, 12, 6.9e-60),
        (219, 16, 9.6e-47),
        (220, 14, 8.8e-49),
        (219, 17, 6.7e-46),
        (213, 26, 1.1e-37),
    ],
)
def test_table_1_of_the_ndtw_paper(above: int, below: int, p: float) -> None:
    found = sign_test(np.repeat([1, 0], [above, below]), np.repeat([0, 1], [above, below]))
    assert (found.above, found.below) == (above, below)
    assert found.p == pytest.approx(p, rel=0.02)


def test_the_tail_of_a_coin() -> None:
    assert binomial_tail(0, 0) == 1
    assert binomial_tail(10, 10) == pytest.approx(2.0**-10)
    expected = stats.binom.sf(499_999, 1_000_000, 0.5)
    assert binomial_tail(500_000, 1_000_000) == pytest.approx(expected, rel=1e-6)
    with pytest.raises(InputError):
        binomial_tail(3, 2)


@settings(deadline=None, max_examples=sized(12, 50))
@given(values, st.integers(0, 1000))
def test_the_exact_permutation_test_is_an_enumeration(one: list[float], seed: int) -> None:
    other = np.random.default_rng(seed).permutation(one)
    differences = np.array(one) - other
    seen = abs(math.fsum(differences))
    signs = list(product([1, -1], repeat=len(one)))
    reached = [abs(math.fsum(s * d for s, d in zip(way, differences, strict=True))) >= seen - 1e-9 for way in signs]
    assert permutation_test(one, other, np.random.default_rng(0)) == pytest.approx(np.mean(reached))


def test_the_sampled_permutation_test_is_scipys() -> None:
    rng = np.random.default_rng(9)
    one = rng.normal(size=50)
    other = one + rng.normal(0.3, 1, size=50)
    ours = permutation_test(one, other, np.random.default_rng(0), 40_000)
    theirs = stats.permutation_test(
        (one, other), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=40_000, rng=rng
    ).pvalue
    assert ours == pytest.approx(theirs, abs=0.01)


@pytest.mark.parametrize("bad", [[], [math.nan], [[1.0]]])
def test_mistakes_are_named(bad: list[float]) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InputError):
        bootstrap(bad, rng)
    with pytest.raises(InputError):
        sign_test(bad, bad)
    with pytest.raises(InputError, match="2 values of the second system"):
        permutation_test([1, 2], [1], rng)
    with pytest.raises(InputError, match="a level between 0 and 1"):
        bootstrap([1.0], rng, level=95)
    with pytest.raises(InputError, match="from 1 to 1,000,000 resamples"):
        bootstrap([1.0], rng, resamples=0)


def test_measures_resampled_together_have_the_intervals_they_have_alone() -> None:
    rng = np.random.default_rng(5)
    values = [rng.random(500), (rng.random(500) < 0.1).astype(float), rng.normal(size=500)]
    together = bootstrap_rows(values, np.random.default_rng(1))
    for one, interval in zip(values, together, strict=True):
        # The same seed draws the same items, whoever is beside.
        assert interval == bootstrap_rows([one], np.random.default_rng(1))[0]
        alone = bootstrap(one, np.random.default_rng(1))
        assert (interval.mean, interval.low, interval.high) == pytest.approx((alone.mean, alone.low, alone.high))
    with pytest.raises(InputError, match="equally many values"):
        bootstrap_rows([[1.0], [1.0, 2.0]], rng)
    with pytest.raises(InputError, match="from 1 to 1,000,000 resamples"):
        bootstrap_rows([[1.0]], rng, resamples=0)


@pytest.mark.parametrize("count", [1, 20, 171])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_all_or_none_get_the_exact_interval(count: int, value: float) -> None:
    given_values = np.full(count, value)
    plain = bootstrap(given_values, np.random.default_rng(0))
    assert (plain.low, plain.high) == (value, value)
    exact = exact_if_unanimous(given_values, plain)
    theirs = stats.binomtest(int(given_values.sum()), count).proportion_ci(0.95, "exact")
    assert (exact.mean, exact.level) == (value, 0.95)
    assert (exact.low, exact.high) == pytest.approx((theirs.low, theirs.high))


def test_mixed_outcomes_keep_the_bootstrap_interval() -> None:
    plain = bootstrap([1, 1, 0], np.random.default_rng(0))
    assert exact_if_unanimous([1, 1, 0], plain) is plain


def test_only_metrics_of_zeros_and_ones_are_binary() -> None:
    binary = {name for name, metric in METRICS.items() if metric.binary}
    pixels = {f"{kind}@{radius}px" for kind in ("A", "C", "Found") for radius in (40, 80, 120)}
    collected = {f"CTC-{k}" for k in (0, 3, 5, 7)}
    assert binary == {"SR", "OSR", "TC", "Acc@11deg", "PTC", "Pairs", "Changed"} | pixels | collected
