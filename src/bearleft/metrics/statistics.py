"""How sure a score is: percentile bootstrap intervals, and paired tests between two systems on the same episodes.

Randomness is an argument. Every resample has a seed of its own drawn from it, so the result does not depend on the
number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.metrics.paths import Floats, finite
from bearleft.runtime.compiled import jit, spread

CHUNK = 8  # resamples a thread takes at a time
MOST = 1_000_000  # resamples
BLOCK = 4096  # items that lie near each other in memory
EXACT = 16  # pairs up to which a permutation test goes through all signs


@dataclass(frozen=True)
class Interval:
    """A mean and where it would lie in `level` of all repetitions."""

    mean: float
    low: float
    high: float
    level: float


@dataclass(frozen=True)
class Difference:
    """How far one system is above another on average, the interval, and the chance of so much by luck alone."""

    mean: float
    low: float
    high: float
    level: float
    p: float


@dataclass(frozen=True)
class Signs:
    """How often one system is above and below another, and the chance of so lopsided a count (both sides)."""

    above: int
    below: int
    p: float


@jit
def _next(state: Any) -> Any:
    """SplitMix64: the next state; `_mixed` of it is a random number."""
    return state + np.uint64(0x9E3779B97F4A7C15)


@jit
def _mixed(state: Any) -> Any:
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@jit
def _resampled_means(values: Any, seeds: Any, out: Any) -> None:
    """The mean of as many values drawn with replacement, for each seed."""
    count = len(values)
    scale = count / 2.0**53
    for k in range(len(seeds)):
        state, total = seeds[k], 0.0
        for _ in range(count):
            state = _next(state)
            total += values[np.uint64((_mixed(state) >> np.uint64(11)) * scale)]
        out[k] = total / count


@jit
def _flipped_sums(values: Any, seeds: Any, out: Any) -> None:
    """The sum of the values with random signs, for each seed."""
    for k in range(len(seeds)):
        state, bits, total = seeds[k], np.uint64(0), 0.0
        for i in range(len(values)):
            if i % 64 == 0:
                state = _next(state)
                bits = _mixed(state)
            total += values[i] if bits & np.uint64(1) else -values[i]
            bits >>= np.uint64(1)
        out[k] = total


def _resample(kernel: Any, values: Floats, rng: np.random.Generator, resamples: int) -> Floats:
    _check_resamples(resamples)
    seeds = rng.integers(0, 2**64, resamples, dtype=np.uint64)
    out = np.empty(resamples)
    spread(lambda k: kernel(values, seeds[k : k + CHUNK], out[k : k + CHUNK]), range(0, resamples, CHUNK))
    return out


def bootstrap(values: npt.ArrayLike, rng: np.random.Generator, level: float = 0.95, resamples: int = 1000) -> Interval:
    """The percentile bootstrap interval of a mean."""
    given = _values(values)
    return _interval(given, _resample(_resampled_means, given, rng, resamples), level)


@jit
def _resampled_row_means(rows: Any, seeds: Any, counts: Any, out: Any) -> None:
    """The mean of as many rows drawn with replacement, for each seed; `counts[k, b]` of them out of block b."""
    width = rows.shape[1]
    for k in range(len(seeds)):
        state = seeds[k]
        total = np.zeros(width)
        for b in range(counts.shape[1]):
            block = rows[b * BLOCK : (b + 1) * BLOCK]
            scale = len(block) / 2.0**53
            for _ in range(counts[k, b]):
                state = _next(state)
                row = block[np.uint64((_mixed(state) >> np.uint64(11)) * scale)]
                for j in range(width):
                    total[j] += row[j]
        out[k] = total / len(rows)


def bootstrap_rows(
    values: Sequence[npt.ArrayLike], rng: np.random.Generator, level: float = 0.95, resamples: int = 1000
) -> list[Interval]:
    """`bootstrap` of several measures of the same items: they are drawn together, which is several times faster.

    First how many items come out of each block of neighbours, then which of them: the same as drawing from all at once,
    but from memory that lies at hand.
    """
    given = [_values(one) for one in values]
    if len({len(one) for one in given}) > 1:
        raise InputError("as many values of every measure", ", ".join(str(len(one)) for one in given), "values")
    _check_resamples(resamples)
    rows = np.stack(given, axis=1)
    seeds = rng.integers(0, 2**64, resamples, dtype=np.uint64)
    sizes = np.diff(np.append(np.arange(0, len(rows), BLOCK), len(rows)))
    counts = rng.multinomial(len(rows), sizes / len(rows), size=resamples)
    means = np.empty((resamples, len(given)))

    def work(begin: int) -> None:
        part = slice(begin, begin + CHUNK)
        _resampled_row_means(rows, seeds[part], counts[part], means[part])

    spread(work, range(0, resamples, CHUNK))
    return [_interval(one, column, level) for one, column in zip(given, means.T, strict=True)]


def paired_bootstrap(
    one: npt.ArrayLike, other: npt.ArrayLike, rng: np.random.Generator, level: float = 0.95, resamples: int = 1000
) -> Difference:
    """The percentile bootstrap interval of the mean difference of two systems on the same episodes.

    `p` is twice the share of resamples on the wrong side of 0 (or on it), the observed one counted in.
    """
    differences = _differences(one, other)
    means = _resample(_resampled_means, differences, rng, resamples)
    low, high = _percentiles(means, level)
    wrong = min(int((means <= 0).sum()), int((means >= 0).sum()))
    return Difference(float(differences.mean()), low, high, level, min(1.0, 2 * (wrong + 1) / (resamples + 1)))


def sign_test(one: npt.ArrayLike, other: npt.ArrayLike) -> Signs:
    """The exact sign test: under no difference either system is above as often; ties are left out."""
    differences = _differences(one, other)
    above, below = int((differences > 0).sum()), int((differences < 0).sum())
    return Signs(above, below, min(1.0, 2 * binomial_tail(max(above, below), above + below)))


def binomial_tail(least: int, count: int) -> float:
    """The chance of at least so many heads in `count` tosses of a fair coin."""
    if not 0 <= least <= count:
        raise InputError(f"a number of heads from 0 to {count}", str(least))
    if least == 0:
        return 1.0
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count + 1)))])
    heads = np.arange(least, count + 1)
    chances = logs[count] - logs[heads] - logs[count - heads] - count * np.log(2.0)
    return min(1.0, float(np.exp(chances).sum()))


def permutation_test(
    one: npt.ArrayLike, other: npt.ArrayLike, rng: np.random.Generator, resamples: int = 10_000
) -> float:
    """The chance of so great a mean difference (either way) if each episode's two values had been dealt at random.

    All ways of dealing are gone through for up to 16 episodes; else `resamples` of them, the observed one counted in.
    """
    differences = _differences(one, other)
    seen = abs(float(differences.sum()))
    # Sums that differ by rounding alone are equal.
    reached = seen - 1e-12 * float(np.abs(differences).sum())
    if len(differences) <= EXACT:
        signs = 1.0 - 2.0 * (np.arange(2 ** len(differences))[:, None] >> np.arange(len(differences)) & 1)
        return float((np.abs(signs @ differences) >= reached).mean())
    sums = _resample(_flipped_sums, differences, rng, resamples)
    return (int((np.abs(sums) >= reached).sum()) + 1) / (resamples + 1)


def _check_resamples(resamples: int) -> None:
    if not 1 <= resamples <= MOST:
        raise InputError(f"from 1 to {MOST:,} resamples", str(resamples), "resamples")


def _interval(values: Floats, means: Floats, level: float) -> Interval:
    """The percentiles of resampled means; rounding, or a handful of resamples, never leaves the mean outside."""
    mean, (low, high) = float(values.mean()), _percentiles(means, level)
    return Interval(mean, min(low, mean), max(high, mean), level)


def _values(values: npt.ArrayLike) -> Floats:
    given = finite(values, "values")
    if given.ndim != 1 or not len(given):
        raise InputError("a list of at least one value", f"shape {given.shape}", "values")
    return np.ascontiguousarray(given)


def _differences(one: npt.ArrayLike, other: npt.ArrayLike) -> Floats:
    a, b = _values(one), _values(other)
    if len(a) != len(b):
        raise InputError(f"{len(a)} values of the other system, of the same episodes", str(len(b)), "other")
    return a - b


def _percentiles(means: Floats, level: float) -> tuple[float, float]:
    if not 0 < level < 1:
        raise InputError("a level between 0 and 1", str(level), "level")
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
