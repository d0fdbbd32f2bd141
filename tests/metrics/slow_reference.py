"""Every path measure again, slowly and plainly, straight from the papers' formulas: the other side of the tests.

`d(n, m)` is the distance of two points, Q the path, R the reference, th the threshold, as the papers name them.
"""

# ruff: noqa: N803, ARG001

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

Points = Sequence[Any]
Apart = Callable[[Any, Any], float]


def pl(Q: Points, R: Points, d: Apart, th: float) -> float:
    return sum(d(Q[i], Q[i + 1]) for i in range(len(Q) - 1))


def ne(Q: Points, R: Points, d: Apart, th: float) -> float:
    return d(Q[-1], R[-1])


def one(Q: Points, R: Points, d: Apart, th: float) -> float:
    return min(d(q, R[-1]) for q in Q)


def sr(Q: Points, R: Points, d: Apart, th: float) -> float:
    return 1.0 if ne(Q, R, d, th) <= th else 0.0


def osr(Q: Points, R: Points, d: Apart, th: float) -> float:
    return 1.0 if one(Q, R, d, th) <= th else 0.0


def tc(Q: Points, R: Points, d: Apart, th: float) -> float:
    return 1.0 if d(Q[-1], R[-1]) <= 1 else 0.0


def ad(Q: Points, R: Points, d: Apart, th: float) -> float:
    return sum(min(d(q, r) for r in R) for q in Q) / len(Q)


def md(Q: Points, R: Points, d: Apart, th: float) -> float:
    return max(min(d(q, r) for r in R) for q in Q)


def spl(Q: Points, R: Points, d: Apart, th: float) -> float:
    if not sr(Q, R, d, th):
        return 0.0
    shortest, walked = d(Q[0], R[-1]), pl(Q, R, d, th)
    if shortest == 0:
        return 1.0 if walked == 0 else 0.0
    return 0.0 if math.isinf(walked) else shortest / max(walked, shortest)


@cache
def levenshtein(a: tuple[Hashable, ...], b: tuple[Hashable, ...], transpositions: bool = False) -> int:
    if not a or not b:
        return len(a) + len(b)
    best = min(
        levenshtein(a[:-1], b[:-1], transpositions) + (a[-1] != b[-1]),
        levenshtein(a[:-1], b, transpositions) + 1,
        levenshtein(a, b[:-1], transpositions) + 1,
    )
    if transpositions and len(a) > 1 and len(b) > 1 and a[-1] == b[-2] and a[-2] == b[-1]:
        best = min(best, levenshtein(a[:-2], b[:-2], transpositions) + 1)
    return best


def places(Q: Points) -> tuple[Hashable, ...]:
    """Without turns: a place that repeats the one before is left out."""
    out: list[Hashable] = []
    for point in Q:
        key = point if isinstance(point, str | int | np.integer) else tuple(point)
        if not out or out[-1] != key:
            out.append(key)
    return tuple(out)


def moves(Q: Points) -> tuple[Hashable, ...]:
    there = places(Q)
    return tuple(pairwise(there))


def sed(Q: Points, R: Points, d: Apart, th: float) -> float:
    a, b = places(R), places(Q)
    return sr(Q, R, d, th) * (1 - levenshtein(a, b) / max(len(a), len(b)))


def sed_moves(Q: Points, R: Points, d: Apart, th: float) -> float:
    a, b = moves(R), moves(Q)
    if not a and not b:
        return sr(Q, R, d, th)
    return sr(Q, R, d, th) * (1 - levenshtein(a, b) / max(len(a), len(b)))


def cls(Q: Points, R: Points, d: Apart, th: float) -> float:
    pc = sum(math.exp(-min(d(q, r) for q in Q) / th) for r in R) / len(R)
    asked, walked = pl(R, Q, lambda n, m: d(n, m), th), pl(Q, R, d, th)
    if math.isinf(asked):
        return 0.0
    if pc * asked == 0 and walked == 0:
        return pc
    return pc * (pc * asked) / (pc * asked + abs(pc * asked - walked))


def dtw(Q: Points, R: Points, d: Apart, th: float = 1.0) -> float:
    """Algorithm 1 of the nDTW paper, before its last line."""
    c = [[math.inf] * (len(Q) + 1) for _ in range(len(R) + 1)]
    c[0][0] = 0.0
    for i in range(1, len(R) + 1):
        for j in range(1, len(Q) + 1):
            c[i][j] = d(Q[j - 1], R[i - 1]) + min(c[i - 1][j], c[i][j - 1], c[i - 1][j - 1])
    return c[-1][-1]


def dtw_by_all_warpings(Q: Points, R: Points, d: Apart) -> float:
    """Equation 1: the minimum over every warping there is."""

    def rest(i: int, j: int) -> float:
        here = d(Q[j], R[i])
        if i == len(R) - 1 and j == len(Q) - 1:
            return here
        steps = [(i + 1, j), (i, j + 1), (i + 1, j + 1)]
        return here + min(rest(a, b) for a, b in steps if a < len(R) and b < len(Q))

    return rest(0, 0)


def ndtw(Q: Points, R: Points, d: Apart, th: float) -> float:
    return math.exp(-dtw(Q, R, d) / (len(R) * th))


def sdtw(Q: Points, R: Points, d: Apart, th: float) -> float:
    return sr(Q, R, d, th) * ndtw(Q, R, d, th)


def fastdtw(Q: Points, R: Points, d: Apart, radius: int) -> tuple[float, list[tuple[int, int]]]:
    """Salvador and Chan's recursion; every second point is left out instead of averaged. Also the alignment."""
    if min(len(R), len(Q)) < radius + 2:
        window = {(i, j) for i in range(len(R)) for j in range(len(Q))}
    else:
        _, coarse = fastdtw(Q[::2], R[::2], d, radius)
        window = {
            (2 * i + a + p, 2 * j + b + q)
            for i, j in coarse
            for a in (0, 1)
            for b in (0, 1)
            for p in range(-radius, radius + 1)
            for q in range(-radius, radius + 1)
        }
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(-1, -1): (0.0, (-1, -1))}
    for i in range(len(R)):
        for j in range(len(Q)):
            if (i, j) in window:
                before = [(i - 1, j - 1), (i - 1, j), (i, j - 1)]
                cost, via = min(((best[b][0], b) for b in before if b in best), key=lambda c: c[0])
                best[i, j] = cost + d(Q[j], R[i]), via
    way = [(len(R) - 1, len(Q) - 1)]
    while best[way[-1]][1] != (-1, -1):
        way.append(best[way[-1]][1])
    return best[len(R) - 1, len(Q) - 1][0], way


def fast_ndtw(Q: Points, R: Points, d: Apart, th: float, radius: int = 1) -> float:
    return math.exp(-fastdtw(Q, R, d, radius)[0] / (len(R) * th))


def fast_sdtw(Q: Points, R: Points, d: Apart, th: float, radius: int = 1) -> float:
    return sr(Q, R, d, th) * fast_ndtw(Q, R, d, th, radius)


def kpa(Q: Points, R: Points, d: Apart, junction: Any) -> float:
    """First move, moves out of junctions, stop."""
    asked, walked = moves(R), set(moves(Q))
    key = [move for k, move in enumerate(asked) if k == 0 or junction[move[0]]]  # type: ignore[index]
    right = [move in walked for move in key]
    return (sum(right) + (d(Q[-1], R[-1]) <= 1)) / (len(key) + 1)


SLOW: dict[str, Callable[[Points, Points, Apart, float], float]] = {
    "PL": pl,
    "NE": ne,
    "ONE": one,
    "SR": sr,
    "OSR": osr,
    "AD": ad,
    "MD": md,
    "SPL": spl,
    "SED": sed,
    "CLS": cls,
    "DTW": dtw,
    "nDTW": ndtw,
    "SDTW": sdtw,
    "nDTW-fast": fast_ndtw,
    "SDTW-fast": fast_sdtw,
    "TC": tc,
    "SPD": ne,
}
