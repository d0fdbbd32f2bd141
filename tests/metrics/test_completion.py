"""SR, OSR and TC at their edges, and key points by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.metrics import EUCLIDEAN, kpa, osr, path_scores, sr, tc
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.grid import street_grid
from tests.metrics import slow_reference as slow
from tests.sizes import sized

LINE = np.abs(np.arange(9)[:, None] - np.arange(9)).astype(np.int16)


def test_the_threshold_itself_is_success() -> None:
    assert sr([0, 3], [0, 5], LINE, 2) == 1
    assert sr([0, 2], [0, 5], LINE, 2) == 0
    assert osr([0, 3, 0], [0, 5], LINE, 2) == 1
    assert sr([[0.0, 0.0], [3.0, 4.0]], [[0.0, 0.0]], EUCLIDEAN, 5) == 1


def test_task_completion_is_the_goal_or_a_neighbour() -> None:
    assert [tc([0, k], [0, 5], LINE) for k in range(9)] == [0, 0, 0, 0, 1, 1, 1, 0, 0]


#     3
#     |
# 0 - 1 - 2 - 4 - 5        1 and 4 are junctions
#             |
#             6 - 7
LINKS = [(0, 1), (1, 2), (1, 3), (2, 4), (4, 5), (4, 6), (6, 7)]


@pytest.fixture
def streets() -> Graph:
    source = [a for a, _ in LINKS] + [b for _, b in LINKS]
    target = [b for _, b in LINKS] + [a for a, _ in LINKS]
    return Graph.make("T", [str(k) for k in range(8)], np.zeros((8, 3)), source, target, np.zeros(len(source)))


@pytest.mark.parametrize(
    ("path", "right"),
    [
        ([0, 1, 2, 4, 6, 7], 4),  # first move, both junctions, stop
        ([0, 1, 2, 4, 6], 4),  # a neighbour of the goal
        ([0, 1, 2, 4, 5], 2),  # wrong at the second junction, and wrong end
        ([0, 1, 3], 1),
        ([0, 1, 3, 1, 2, 4, 5, 4, 6, 7], 4),  # found after turning back
        ([0], 0),
        ([0, 0, 1, 1, 1, 2], 2),
    ],
)
def test_key_points_by_hand(streets: Graph, path: list[int], right: int) -> None:
    assert kpa(path, [0, 1, 2, 4, 6, 7], streets.hops.matrix(), streets.degree > 2) == right / 4


@settings(deadline=None, max_examples=sized(12, 50))
@given(st.integers(0, 2**32))
def test_key_points_equal_the_slow_version(seed: int) -> None:
    rng = np.random.default_rng(seed)
    town = street_grid(rng, 3, 3, step=30.0)
    offsets, near = town.neighbours

    def walk(start: int) -> list[int]:
        places = [start]
        for _ in range(rng.integers(0, 15)):
            here = places[-1]
            places.append(here if rng.random() < 0.2 else int(rng.choice(near[offsets[here] : offsets[here + 1]])))
        return places

    starts = rng.integers(0, len(town), 20)
    paths, references = [walk(k) for k in starts], [walk(k) for k in starts]
    hops, junctions = town.hops.matrix(), town.degree > 2
    expected = [
        slow.kpa(path, reference, lambda a, b: float(hops[a, b]), junctions)
        for path, reference in zip(paths, references, strict=True)
    ]
    np.testing.assert_allclose(kpa.batch(paths, references, hops, junctions), expected)
    np.testing.assert_allclose(path_scores(["KPA"], paths, references, hops, 1, junctions)["KPA"], expected)


def test_key_points_need_a_graph() -> None:
    with pytest.raises(InputError, match="a matrix of hops"):
        kpa([0], [0], EUCLIDEAN, [True])
    with pytest.raises(InputError, match="true or false for each of 9 nodes"):
        kpa([0], [0], LINE, [True])
