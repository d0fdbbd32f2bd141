from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.world.city.streets import MAX_STREETS, city_graph


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(2, 12))
def test_graph_is_connected_with_regular_spacing(seed: int, avenues: int, streets: int) -> None:
    graph = city_graph(seed, avenues, streets)
    assert graph.name == f"city/{seed}"
    assert (graph.hops(0) >= 0).all()
    distances = np.linalg.norm(graph.positions[graph.source] - graph.positions[graph.target], axis=1)
    assert distances.min() > 5 and distances.max() < 17
    links = set(zip(graph.source.tolist(), graph.target.tolist(), strict=True))
    assert len(links) == len(graph.source) and all((b, a) in links for a, b in links)
    assert (graph.heading == np.round(graph.heading)).all() and (graph.yaw == np.round(graph.yaw)).all()


def test_positions_are_deterministic_millimetres() -> None:
    graph = city_graph(4)
    assert np.allclose(graph.positions * 1000, np.rint(graph.positions * 1000), atol=1e-6)
    assert city_graph(4).hash == graph.hash
    assert city_graph(5).hash != graph.hash


def test_graph_has_diagonal_dead_ends_and_merged_blocks() -> None:
    for seed in range(3):
        graph = city_graph(seed)
        assert (graph.degree == 1).sum() >= 2, "dead ends"
        rotated = (graph.heading - 29) % 90
        slanted = (rotated > 15) & (rotated < 75)
        assert slanted.sum() > 60, "places along a diagonal"
        angle = np.radians(29)
        unrotated = graph.positions[:, :2] @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        grid = np.abs(unrotated[graph.degree >= 4])
        inside = (np.abs(unrotated) < grid.max(axis=0) - 30).all(axis=1)
        on_diagonal = np.isin(np.arange(len(graph)), graph.source[slanted])
        assert ((graph.degree == 3) & inside & ~on_diagonal).sum() >= 2, "a street stops at an avenue inside the city"


@pytest.mark.slow
def test_largest_and_smallest_city() -> None:
    assert len(city_graph(0, 2, 2)) > 20
    large = city_graph(0, 60, 60)
    assert len(large) > 60_000 and (large.hops(0) >= 0).all()


@pytest.mark.parametrize(
    ("avenues", "streets"), [(1, 5), (5, 1), (0, 0), (MAX_STREETS + 1, 5), (5, MAX_STREETS + 1), (-3, 4)]
)
def test_sizes_out_of_range_raise(avenues: int, streets: int) -> None:
    with pytest.raises(InputError, match="avenues and streets"):
        city_graph(0, avenues, streets)


@pytest.mark.parametrize("seed", [-1, 2**31])
def test_seeds_out_of_range_raise(seed: int) -> None:
    with pytest.raises(InputError, match="seed"):
        city_graph(seed)
