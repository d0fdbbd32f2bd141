from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from bearleft.errors import InputError
from bearleft.world.graphs import distances
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.grid import street_grid
from tests.sizes import sized
from tests.strategies import graphs


def _scipy(graph: Graph, unweighted: bool) -> npt.NDArray[np.float64]:
    length = np.linalg.norm(graph.positions[graph.source] - graph.positions[graph.target], axis=1)
    one_way = csr_array((length, (graph.source, graph.target)), shape=(len(graph), len(graph)))
    return np.asarray(shortest_path(one_way, directed=False, unweighted=unweighted))


@settings(deadline=None, max_examples=sized(50, 200))
@given(graphs())
def test_hops_and_metres_equal_scipys(graph: Graph) -> None:
    slow = _scipy(graph, unweighted=True)
    hops = graph.hops.matrix()
    assert hops.dtype == np.int16
    np.testing.assert_array_equal(np.where(hops < 0, np.inf, hops), slow)
    np.testing.assert_allclose(graph.metres.matrix(), _scipy(graph, unweighted=False))


@st.composite
def streets(draw: st.DrawFn) -> Graph:
    """Random junctions joined by chains of random length, with rings, loops and dead ends among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(1, 6))
    source: list[int] = []
    target: list[int] = []
    for _ in range(draw(st.integers(1, 8))):
        one, other = (int(k) for k in rng.integers(0, count + 1, 2))  # the last is a ring of its own
        inside = int(rng.integers(2 if one == other else 0, 5))
        size = max([count, *(k + 1 for k in source + target)])
        chain = [one, *range(size, size + inside), other]
        source += chain[:-1]
        target += chain[1:]
    size = max([count, *(k + 1 for k in source + target)])
    pairs = sorted({(a, b) for a, b in zip(source, target, strict=True) if a != b})
    where = rng.uniform(-9, 9, (size, 3))
    names = [f"n{k}" for k in rng.permutation(size)]
    a, b = ([pair[k] for pair in pairs] for k in (0, 1))
    return Graph.make("streets", names, where, a, b, rng.uniform(0, 360, len(pairs)))


@settings(deadline=None, max_examples=sized(75, 300))
@given(streets())
def test_metres_along_chains_equal_scipys(graph: Graph) -> None:
    np.testing.assert_allclose(graph.metres.matrix(), _scipy(graph, unweighted=False))


def test_metres_of_a_large_town_equal_scipys() -> None:
    town = street_grid(np.random.default_rng(8), 12, 9)
    np.testing.assert_allclose(town.metres.matrix(), _scipy(town, unweighted=False))


def test_rows_are_kept_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = street_grid(np.random.default_rng(1), 3, 3)
    monkeypatch.setattr(distances, "CACHE_BYTES", 3 * 2 * len(graph))
    row = graph.hops(0)
    assert graph.hops(0) is row
    for place in range(1, 6):
        graph.hops(place)
    assert len(graph.hops._cache) == 3
    np.testing.assert_array_equal(graph.hops(0), row)
    assert graph.hops(0) is not row
    assert graph.hops.between(0, 1) == row[1]


def test_a_large_matrix_is_kept_on_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BEARLEFT_CACHE", str(tmp_path))
    monkeypatch.setattr(distances, "MAX_PLACES_IN_MEMORY", 10)
    done: list[int] = []
    first = street_grid(np.random.default_rng(1), 3, 3)
    matrix = first.hops.matrix(done.append)
    assert sum(done) == len(first)
    again = street_grid(np.random.default_rng(1), 3, 3)
    monkeypatch.setattr(distances.Distances, "_fill", lambda *_: pytest.fail("computed twice"))
    np.testing.assert_array_equal(again.hops.matrix(), matrix)
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_array_equal(first.hops(5), matrix[5])


def test_a_place_outside() -> None:
    with pytest.raises(InputError, match="places 0 to"):
        street_grid(np.random.default_rng(1), 2, 2).hops.rows([999])
