"""Random pairs of paths with a distance, for property tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from bearleft.metrics.distances import EUCLIDEAN, SQUARED, Distance, NodeDistances

THRESHOLDS = st.sampled_from([0.5, 1.0, 2.0, 3.0, 7.5])


@dataclass(frozen=True)
class Walks:
    """Paths and references, the distance as bearleft takes it, and the same as a plain function."""

    paths: list[Any]
    references: list[Any]
    distance: Distance
    apart: Callable[[Any, Any], float]


def lists(points: st.SearchStrategy[Any], most: int = 9) -> st.SearchStrategy[list[Any]]:
    return st.lists(points, min_size=1, max_size=most)


@st.composite
def node_walks(draw: st.DrawFn, unreachable: bool = True, most: int = 9, pairs: int = 40) -> Walks:
    """Any matrix will do: symmetric or not, whole numbers or not, with holes."""
    count = draw(st.integers(1, 8))
    kind = draw(st.sampled_from(["int16", "int32", "float32", "float64"]))
    low = -1 if unreachable else 0
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    matrix = rng.integers(low, 12, (count, count)).astype(kind)
    if kind.startswith("float"):
        matrix = np.where(matrix < 0, rng.choice([np.inf, np.nan]), matrix * rng.uniform(0, 2)).astype(kind)
    np.fill_diagonal(matrix, 0)
    number = draw(st.integers(1, pairs))
    sizes = rng.integers(1, most + 1, (2, number))
    paths, references = ([rng.integers(0, count, size).tolist() for size in sizes[which]] for which in range(2))
    table = matrix.tolist()

    def apart(one: int, other: int) -> float:
        value = float(table[one][other])
        return value if value >= 0 else math.inf

    distance: Distance = matrix
    if draw(st.booleans()):
        distance = np.asfortranarray(matrix)
    elif draw(st.booleans()):
        # Rows of all nodes in another order: `rows[k]`'s row holds the distances to it.
        order = rng.permutation(count)
        distance = NodeDistances(np.ascontiguousarray(matrix.T[order]), order)
    return Walks(paths, references, distance, apart)


@st.composite
def space_walks(draw: st.DrawFn, most: int = 9, pairs: int = 40) -> Walks:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dimensions = draw(st.integers(1, 3))
    sizes = rng.integers(1, most + 1, (2, draw(st.integers(1, pairs))))
    paths, references = (
        # Rounded, so that points repeat.
        [np.round(rng.normal(0, 3, (size, dimensions))) for size in sizes[which]]
        for which in range(2)
    )
    squared = draw(st.booleans())

    def apart(one: Any, other: Any) -> float:
        gap = sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
        return float(gap if squared else math.sqrt(gap))

    return Walks(paths, references, SQUARED if squared else EUCLIDEAN, apart)


@st.composite
def function_walks(draw: st.DrawFn) -> Walks:
    """Words, and a function of two words."""
    words = st.sampled_from(["a", "bear", "left", "of", "the", "corner"])
    pairs = draw(st.lists(st.tuples(lists(words, 6), lists(words, 6)), min_size=1, max_size=5))

    def apart(one: str, other: str) -> float:
        return abs(len(one) - len(other)) + (one != other) * 0.5

    return Walks([p for p, _ in pairs], [r for _, r in pairs], apart, apart)


any_walks = st.one_of(node_walks(), space_walks(), function_walks())
