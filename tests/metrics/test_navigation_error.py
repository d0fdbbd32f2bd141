"""PL, NE, ONE and SPD by hand."""

from __future__ import annotations

import numpy as np
import pytest

from bearleft.metrics import EUCLIDEAN, ne, one, pl, spd

SQUARE = [[0.0, 0.0], [3.0, 0.0], [3.0, 4.0], [0.0, 4.0]]


def test_in_the_plane() -> None:
    assert pl(SQUARE, SQUARE, EUCLIDEAN) == 10
    assert ne(SQUARE, [[0.0, 0.0]], EUCLIDEAN) == 4
    assert one(SQUARE, [[3.0, 0.0]], EUCLIDEAN) == 0
    assert pl([[1.0]], [[0.0]], EUCLIDEAN) == 0


def test_along_a_graph() -> None:
    ring = np.abs(np.arange(6)[:, None] - np.arange(6))
    hops = np.minimum(ring, 6 - ring).astype(np.int16)
    assert spd([0, 1, 1, 2], [0, 5, 4], hops) == ne([0, 1, 1, 2], [0, 5, 4], hops) == 2
    assert one([0, 1, 1, 2], [0, 5, 4], hops) == 2
    assert pl([0, 1, 1, 2], [0], hops) == 2


def test_a_function_of_words() -> None:
    def letters(a: str, b: str) -> int:
        return len(set(a) ^ set(b))

    assert ne(["bear", "left"], ["bear", "right"], letters) == len(set("left") ^ set("right"))
    assert pl(["bear", "left"], ["bear"], letters) == len(set("left") ^ set("bear"))


@pytest.mark.parametrize("up", [True, False])
def test_a_graph_with_one_way_links(up: bool) -> None:
    """From the walk to the goal, not back: matrix[a, b] is from a to b."""
    one_way = np.array([[0, 1, 2], [2, 0, 1], [1, 2, 0]], np.int16)
    assert ne([0, 1], [2] if up else [0], one_way) == (1 if up else 2)
