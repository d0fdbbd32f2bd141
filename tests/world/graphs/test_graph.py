from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.grid import street_grid
from bearleft.world.graphs.shortest_paths import shortest_route

TOWN = street_grid(np.random.default_rng(3), 3, 4)


def test_links_lie_in_their_places_slice_in_file_order() -> None:
    graph = Graph.make("g", ["a", "b", "c"], np.zeros((3, 3)), [1, 0, 1], [2, 1, 0], [30, 20, 10])
    assert graph.source.tolist() == [0, 1, 1]
    assert graph.target.tolist() == [1, 2, 0]
    assert graph.links(1).tolist() == [1, 2]
    assert graph.find_link(1, 0) == 2 and graph.find_link(0, 2) is None
    assert graph.has_link(0, 1) and not graph.has_link(2, 1) and graph.are_neighbours(2, 1)
    with pytest.raises(ValueError):
        graph.heading[0] = 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ids": []}, "at least one place"),
        ({"ids": ["a", "a"]}, "different ids"),
        ({"target": [0]}, "from a to itself"),
        ({"target": [2]}, "a place outside"),
        ({"heading": [np.nan]}, "NaN"),
        ({"positions": [(0, 0, np.inf), (0, 0, 0)]}, "NaN or infinity"),
        ({"heading": [1, 2]}, "as many sources"),
    ],
)
def test_arrays_that_do_not_fit(change: dict[str, Any], message: str) -> None:
    right: dict[str, Any] = {
        "ids": ["a", "b"],
        "positions": np.zeros((2, 3)),
        "source": [0],
        "target": [1],
        "heading": [0],
    }
    wrong = right | change
    if change.get("ids") == []:
        wrong["positions"] = np.zeros((0, 3))
    with pytest.raises(InputError, match=message):
        Graph.make("g", **wrong)


def test_routes_are_checked() -> None:
    route = shortest_route(TOWN, 0, len(TOWN) - 1)
    TOWN.check_route(route)
    with pytest.raises(InputError, match=r"\[1\].*a place of the world grid.*nowhere"):
        TOWN.check_route([route[0], "nowhere"])
    with pytest.raises(InputError, match=rf"a link from {route[0]}.*{route[2]}, which is not linked"):
        TOWN.check_route([route[0], *route[2:]])


def test_a_shortest_route_has_as_many_steps_as_hops() -> None:
    for goal in range(0, len(TOWN), 7):
        assert len(shortest_route(TOWN, 2, goal)) == TOWN.hops.between(2, goal) + 1
    islands = Graph.make("g", ["a", "b", "c"], np.zeros((3, 3)), [0], [1], [0])
    with pytest.raises(InputError, match="a path from a to c"):
        shortest_route(islands, 0, 2)
    with pytest.raises(InputError, match="one-way"):
        shortest_route(islands, 1, 0)


def test_a_grid_is_a_town() -> None:
    assert set(TOWN.degree.tolist()) == {2, 3, 4}
    assert (TOWN.hops(0) >= 0).all()
    length = np.linalg.norm(TOWN.positions[TOWN.source] - TOWN.positions[TOWN.target], axis=1)
    assert length.min() > 6 and length.max() < 14
    same, other = street_grid(np.random.default_rng(3), 3, 4), street_grid(np.random.default_rng(4), 3, 4)
    assert same.hash == TOWN.hash != other.hash
    with pytest.raises(InputError, match="two crossings"):
        street_grid(np.random.default_rng(0), 1, 1)
    with pytest.raises(InputError, match="longer than a step"):
        street_grid(np.random.default_rng(0), step=0)
