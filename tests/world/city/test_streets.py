from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.world.city.streets import MAX_STREETS, city_graph


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(2, 12))
def test_every_place_can_be_reached_and_lies_about_ten_metres_from_the_next(
    seed: int, avenues: int, streets: int
) -> None:
    graph = city_graph(seed, avenues, streets)
    assert graph.name == f"city/{seed}"
    assert (graph.hops(0) >= 0).all()
    apart = np.linalg.norm(graph.positions[graph.source] - graph.positions[graph.target], axis=1)
    assert apart.min() > 5 and apart.max() < 17
    links = set(zip(graph.source.tolist(), graph.target.tolist(), strict=True))
    assert len(links) == len(graph.source) and all((b, a) in links for a, b in links)
    assert (graph.heading == np.round(graph.heading)).all() and (graph.yaw == np.round(graph.yaw)).all()


def test_positions_are_whole_millimetres_and_the_same_every_time() -> None:
    graph = city_graph(4)
    assert np.allclose(graph.positions * 1000, np.rint(graph.positions * 1000), atol=1e-6)
    assert city_graph(4).hash == graph.hash
    assert city_graph(5).hash != graph.hash


def test_it_has_a_diagonal_and_dead_ends_and_merged_blocks() -> None:
    for seed in range(3):
        graph = city_graph(seed)
        assert (graph.degree == 1).sum() >= 2, "dead ends"
        turned = (graph.heading - 29) % 90
        slanted = (turned > 15) & (turned < 75)
        assert slanted.sum() > 60, "places along a diagonal"
        a = np.radians(29)
        level = graph.positions[:, :2] @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        grid = np.abs(level[graph.degree >= 4])
        inside = (np.abs(level) < grid.max(axis=0) - 30).all(axis=1)
        on_diagonal = np.isin(np.arange(len(graph)), graph.source[slanted])
        assert ((graph.degree == 3) & inside & ~on_diagonal).sum() >= 2, "a street stops at an avenue inside the city"


def test_the_largest_and_the_smallest() -> None:
    assert len(city_graph(0, 2, 2)) > 20
    large = city_graph(0, 60, 60)
    assert len(large) > 60_000 and (large.hops(0) >= 0).all()


@pytest.mark.parametrize(
    ("avenues", "streets"), [(1, 5), (5, 1), (0, 0), (MAX_STREETS + 1, 5), (5, MAX_STREETS + 1), (-3, 4)]
)
def test_sizes_out_of_range_are_said(avenues: int, streets: int) -> None:
    with pytest.raises(InputError, match="avenues and streets"):
        city_graph(0, avenues, streets)


@pytest.mark.parametrize("seed", [-1, 2**31])
def test_seeds_out_of_range_are_said(seed: int) -> None:
    with pytest.raises(InputError, match="seed"):
        city_graph(seed)
