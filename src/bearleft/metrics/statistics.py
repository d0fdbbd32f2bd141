"""Statistics of scores: bootstrap and exact intervals, and paired tests of two systems on the same episodes.

The random generator is an argument. Every resample has a seed of its own drawn from it, so the result does not depend
on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.metrics.ragged_paths import Floats, finite_array
from bearleft.runtime.compiled import jit, parallel_map

CHUNK = 8  # resamples a thread takes at a time
MAX_RESAMPLES = 1_000_000
BLOCK_SIZE = 4096  # items that are close in memory
BLOCKS_IN_MEMORY = 256  # of all metrics at once: about a million items
MAX_EXACT_PAIRS = 16  # a permutation test of up to this many pairs enumerates all signs


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval.

    Attributes:
        mean: The mean.
        low: The lower end of the interval.
        high: The upper end of the interval.
        level: The confidence level.
    """

    mean: float
    low: float
    high: float
    level: float


@dataclass(frozen=True)
class Difference:
    """The mean difference of two systems with its confidence interval.

    Attributes:
        mean: The mean of the first minus the second.
        low: The lower end of the interval.
        high: The upper end of the interval.
        level: The confidence level.
        p: The two-sided p value.
    """

    mean: float
    low: float
    high: float
    level: float
    p: float


@dataclass(frozen=True)
class SignTestResult:
    """The result of a sign test.

    Attributes:
        above: The number of episodes on which the first system is better.
        below: The number of episodes on which it is worse.
        p: The two-sided p value.
    """

    above: int
    below: int
    p: float


@jit
def _next(state: Any) -> Any:
    """Return the next state of SplitMix64; `_mix` of it is a random number."""
    return state + np.uint64(0x9E3779B97F4A7C15)


@jit
def _mix(state: Any) -> Any:
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@jit
def _resampled_means(values: Any, seeds: Any, out: Any) -> None:
    """Compute the mean of as many values drawn with replacement, for each seed."""
    count = len(values)
    scale = count / 2.0**53
    for k in range(len(seeds)):
        state, total = seeds[k], 0.0
        for _ in range(count):
            state = _next(state)
            total += values[np.uint64((_mix(state) >> np.uint64(11)) * scale)]
        out[k] = total / count


@jit
def _flipped_sums(values: Any, seeds: Any, out: Any) -> None:
    """Compute the sum of the values with random signs, for each seed."""
    for k in range(len(seeds)):
        state, bits, total = seeds[k], np.uint64(0), 0.0
        for i in range(len(values)):
            if i % 64 == 0:
                state = _next(state)
                bits = _mix(state)
            total += values[i] if bits & np.uint64(1) else -values[i]
            bits >>= np.uint64(1)
        out[k] = total


def _resample(kernel: Any, values: Floats, rng: np.random.Generator, resamples: int) -> Floats:
    _check_resamples(resamples)
    seeds = rng.integers(0, 2**64, resamples, dtype=np.uint64)
    out = np.empty(resamples)
    parallel_map(lambda k: kernel(values, seeds[k : k + CHUNK], out[k : k + CHUNK]), range(0, resamples, CHUNK))
    return out


def bootstrap(values: npt.ArrayLike, rng: np.random.Generator, level: float = 0.95, resamples: int = 1000) -> Interval:
    """Return the percentile bootstrap interval of a mean.

    Args:
        values: The values.
        rng: The random generator.
        level: The confidence level.
        resamples: The number of resamples, up to a million.

    Raises:
        InputError: There are no values, one is not finite, or `level` or `resamples` is out of range.
    """
    checked = _check_values(values)
    return _interval(checked, _resample(_resampled_means, checked, rng, resamples), level)


@jit
def _add_resampled_rows(rows: Any, states: Any, counts: Any, totals: Any) -> None:
    """Add rows drawn with replacement to the totals of each resample; `counts[k, b]` of them out of block b."""
    width = rows.shape[1]
    for k in range(len(states)):
        state = states[k]
        for b in range(counts.shape[1]):
            block = rows[b * BLOCK_SIZE : (b + 1) * BLOCK_SIZE]
            scale = len(block) / 2.0**53
            for _ in range(counts[k, b]):
                state = _next(state)
                row = block[np.uint64((_mix(state) >> np.uint64(11)) * scale)]
                for j in range(width):
                    totals[k, j] += row[j]
        states[k] = state


def bootstrap_rows(
    values: Sequence[npt.ArrayLike], rng: np.random.Generator, level: float = 0.95, resamples: int = 1000
) -> list[Interval]:
    """Return `bootstrap` of several metrics of the same items; drawing them together is several times faster.

    The number of items of each block is drawn first, then the items in it: the same distribution as drawing from all at
    once, but with memory accesses that are close together.

    Args:
        values: The values of each metric, equally many.
        rng: The random generator.
        level: The confidence level.
        resamples: The number of resamples, up to a million.

    Returns:
        An interval for each metric.

    Raises:
        InputError: The metrics have different numbers of values; or as `bootstrap`.
    """
    columns = [_check_values(column) for column in values]
    if len({len(column) for column in columns}) > 1:
        got = ", ".join(str(len(column)) for column in columns)
        raise InputError("equally many values of every metric", got, "values")
    _check_resamples(resamples)
    length = len(columns[0])
    states = rng.integers(0, 2**64, resamples, dtype=np.uint64)
    sizes = np.diff(np.append(np.arange(0, length, BLOCK_SIZE), length))
    counts = rng.multinomial(length, sizes / length, size=resamples)
    totals = np.zeros((resamples, len(columns)))
    for first in range(0, len(sizes), BLOCKS_IN_MEMORY):  # values may be mapped from files larger than memory
        blocks = slice(first, first + BLOCKS_IN_MEMORY)
        items = slice(first * BLOCK_SIZE, (first + BLOCKS_IN_MEMORY) * BLOCK_SIZE)
        rows = np.stack([column[items] for column in columns], axis=1)

        def work(begin: int, rows: Floats = rows, blocks: slice = blocks) -> None:
            part = slice(begin, begin + CHUNK)
            _add_resampled_rows(rows, states[part], counts[part, blocks], totals[part])

        parallel_map(work, range(0, resamples, CHUNK))
    means = totals / length
    return [_interval(column, resampled, level) for column, resampled in zip(columns, means.T, strict=True)]


def exact_if_unanimous(values: npt.ArrayLike, interval: Interval) -> Interval:
    """Return the Clopper-Pearson interval of a rate if all values are 0 or all are 1, else the given interval.

    The bootstrap of such values has no width: 20 of 20 would get [1, 1], where the exact interval is [0.83, 1].

    Args:
        values: Values of a binary metric, 0 or 1.
        interval: The interval of their mean, whose level is kept.
    """
    checked = _check_values(values)
    bound = ((1.0 - interval.level) / 2) ** (1.0 / len(checked))
    if (checked == 1.0).all():
        return Interval(1.0, bound, 1.0, interval.level)
    if (checked == 0.0).all():
        return Interval(0.0, 0.0, 1.0 - bound, interval.level)
    return interval


def paired_bootstrap(
    first: npt.ArrayLike, second: npt.ArrayLike, rng: np.random.Generator, level: float = 0.95, resamples: int = 1000
) -> Difference:
    """Return the percentile bootstrap interval of the mean difference of two systems on the same episodes.

    `p` is twice the fraction of resamples on the other side of 0 (or on it), including the observed one.

    Args:
        first: The values of the first system.
        second: The values of the second system on the same episodes.
        rng: The random generator.
        level: The confidence level.
        resamples: The number of resamples, up to a million.
    """
    differences = _differences(first, second)
    means = _resample(_resampled_means, differences, rng, resamples)
    low, high = _percentiles(means, level)
    other_side = min(int((means <= 0).sum()), int((means >= 0).sum()))
    return Difference(float(differences.mean()), low, high, level, min(1.0, 2 * (other_side + 1) / (resamples + 1)))


def sign_test(first: npt.ArrayLike, second: npt.ArrayLike) -> SignTestResult:
    """Return the exact two-sided sign test of two systems on the same episodes; ties are ignored.

    Args:
        first: The values of the first system.
        second: The values of the second system on the same episodes.
    """
    differences = _differences(first, second)
    above, below = int((differences > 0).sum()), int((differences < 0).sum())
    return SignTestResult(above, below, min(1.0, 2 * binomial_tail(max(above, below), above + below)))


def binomial_tail(least: int, count: int) -> float:
    """Return the probability of at least `least` heads in `count` tosses of a fair coin."""
    if not 0 <= least <= count:
        raise InputError(f"a number of heads from 0 to {count}", str(least))
    if least == 0:
        return 1.0
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count + 1)))])
    heads = np.arange(least, count + 1)
    log_probabilities = logs[count] - logs[heads] - logs[count - heads] - count * np.log(2.0)
    return min(1.0, float(np.exp(log_probabilities).sum()))


def permutation_test(
    first: npt.ArrayLike, second: npt.ArrayLike, rng: np.random.Generator, resamples: int = 10_000
) -> float:
    """Return the two-sided p value of a paired permutation test of the mean difference.

    All assignments of the values to the systems are enumerated for up to 16 episodes; otherwise `resamples` of them are
    drawn, and the observed one is included.

    Args:
        first: The values of the first system.
        second: The values of the second system on the same episodes.
        rng: The random generator.
        resamples: The number of assignments to draw, up to a million.
    """
    differences = _differences(first, second)
    observed = abs(float(differences.sum()))
    # Sums that differ by rounding alone are equal.
    bound = observed - 1e-12 * float(np.abs(differences).sum())
    if len(differences) <= MAX_EXACT_PAIRS:
        signs = 1.0 - 2.0 * (np.arange(2 ** len(differences))[:, None] >> np.arange(len(differences)) & 1)
        return float((np.abs(signs @ differences) >= bound).mean())
    sums = _resample(_flipped_sums, differences, rng, resamples)
    return (int((np.abs(sums) >= bound).sum()) + 1) / (resamples + 1)


def _check_resamples(resamples: int) -> None:
    if not 1 <= resamples <= MAX_RESAMPLES:
        raise InputError(f"from 1 to {MAX_RESAMPLES:,} resamples", str(resamples), "resamples")


def _interval(values: Floats, means: Floats, level: float) -> Interval:
    """Return the percentiles of resampled means, widened to contain the mean if there are few resamples."""
    mean, (low, high) = float(values.mean()), _percentiles(means, level)
    return Interval(mean, min(low, mean), max(high, mean), level)


def _check_values(values: npt.ArrayLike) -> Floats:
    checked = finite_array(values, "values")
    if checked.ndim != 1 or not len(checked):
        raise InputError("a list of at least one value", f"shape {checked.shape}", "values")
    return np.ascontiguousarray(checked)


def _differences(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    a, b = _check_values(first), _check_values(second)
    if len(a) != len(b):
        raise InputError(f"{len(a)} values of the second system, on the same episodes", str(len(b)), "second")
    return a - b


def _percentiles(means: Floats, level: float) -> tuple[float, float]:
    if not 0 < level < 1:
        raise InputError("a level between 0 and 1", str(level), "level")
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
