"""Tests of route sampling."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.data.catalog import load
from bearleft.errors import InputError
from bearleft.generate.routes import (
    MAX_DETOUR,
    MAX_PIECE,
    MIN_PIECE,
    Route,
    bands,
    close_gaps,
    cut_pieces,
    make_route,
    r2r_routes,
    r4r_routes,
    routes_by_region,
    touchdown_routes,
)
from bearleft.world.city.plan import Draft, Plan
from bearleft.world.city.roads import lay_roads
from bearleft.world.city.streets import city_graph
from bearleft.world.city.traffic_flow import drivable_links
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import PathFinder
from bearleft.world.worlds import open_world


def plan_with_roads(graph: Graph, seed: int = 0) -> Plan:
    draft = Draft(seed, graph)
    lay_roads(draft)
    return draft.plan()


@cache
def city(seed: int) -> tuple[Plan, PathFinder]:
    plan = plan_with_roads(city_graph(seed), seed)
    return plan, PathFinder.make(plan.graph, drivable_links(plan))


@cache
def touchdown_city(data: Path) -> tuple[Plan, PathFinder]:
    plan = plan_with_roads(open_world("touchdown", data))
    return plan, PathFinder.make(plan.graph, drivable_links(plan))


@cache
def city_routes(seed: int, count: int = 400) -> list[Route]:
    return touchdown_routes(city(seed)[1], count, seed)


def against_the_flow(plan: Plan, links: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the links that run against a one-way street, found by the piece of street on each link."""
    roads = plan.roads
    ends = np.stack([[roads["x0"], roads["y0"]], [roads["x1"], roads["y1"]]]).astype(float)  # [end, axis, row]
    lengths = np.hypot(*(ends[1] - ends[0]))
    wrong_links = []
    for source, target in sorted(links):
        a, b = (plan.graph.positions[plan.graph.index_by_id[place], :2] * 1000 for place in (source, target))
        length = float(np.hypot(*(b - a)))
        if length < 1:
            continue
        along = (b - a) / length
        offsets = ends - a[None, :, None]
        ahead = offsets[:, 0] * along[0] + offsets[:, 1] * along[1]
        beside = np.abs(offsets[:, 0] * along[1] - offsets[:, 1] * along[0])
        on_link = ((beside < 5) & (ahead > -5) & (ahead < length + 5)).all(axis=0)
        row = int(np.argmax(np.where(on_link, lengths, -1)))
        assert on_link[row], f"no piece of street from {source} to {target}"
        has_markings = roads["trim0"][row] + roads["trim1"][row] < lengths[row] - 15
        sense = 1 if ahead[1, row] > ahead[0, row] else -1
        if has_markings and roads["flow"][row] == -sense:
            wrong_links.append((source, target))
    return wrong_links


def route_links(routes: list[Route]) -> set[tuple[str, str]]:
    return {pair for route in routes for pair in pairwise(route.places)}


def share(values: list[bool]) -> float:
    return sum(values) / len(values)


@pytest.mark.parametrize("seed", [0, 1])
def test_routes_follow_links_with_the_flow_of_traffic(seed: int) -> None:
    plan, _ = city(seed)
    routes = city_routes(seed)
    assert len(routes) == 400
    for route in routes:
        plan.graph.check_route(route.places)
        assert len(set(route.places)) == len(route.places)
    assert against_the_flow(plan, route_links(routes)) == []


def test_drivable_links_forbid_links_against_the_flow() -> None:
    plan, _ = city(0)
    wrong = against_the_flow(plan, route_links(touchdown_routes(PathFinder.make(plan.graph), 100)))
    assert len(wrong) > 50
    # The mask forbids exactly these links.
    allowed = drivable_links(plan)
    pairs = [(plan.graph.ids[a], plan.graph.ids[b]) for a, b in zip(plan.graph.source, plan.graph.target, strict=True)]
    forbidden = {pair for pair, is_allowed in zip(pairs, allowed, strict=True) if not is_allowed}
    assert set(against_the_flow(plan, set(pairs))) == forbidden


def test_route_lengths() -> None:
    lengths = [len(route.places) for route in city_routes(0)]
    assert max(lengths) <= MAX_PIECE
    assert min(lengths) >= 2
    assert 0.6 < share([length >= MIN_PIECE for length in lengths]) < 0.9
    assert {length for length in lengths if length >= MIN_PIECE} == set(range(MIN_PIECE, MAX_PIECE + 1))


@given(length=st.integers(0, 400), seed=st.integers(0, 5), number=st.integers(0, 1000))
@settings(deadline=None)
def test_pieces_join_to_the_path(length: int, seed: int, number: int) -> None:
    path = np.arange(length, dtype=np.int32)
    pieces = cut_pieces(path, seed, number)
    assert all(MIN_PIECE <= len(piece) <= MAX_PIECE for piece in pieces[:-1])
    assert all(1 < len(piece) <= MAX_PIECE for piece in pieces[-1:])
    joined = np.concatenate([*pieces, path[:0]])
    assert len(joined) >= length - 1  # a single place at the end is dropped
    np.testing.assert_array_equal(joined, path[: len(joined)])


def test_most_routes_end_mid_block() -> None:
    plan, _ = city(0)
    routes = city_routes(0)
    assert share([route.mid_block for route in routes]) > 0.6
    for route in routes:
        place = plan.graph.index_by_id[route.places[-1]]
        places = [place, *plan.graph.target[plan.graph.links(place)]]
        assert route.mid_block == all(plan.graph.degree[k] <= 2 for k in places)


def test_headings_and_length_of_a_route() -> None:
    graph = city(0)[0].graph
    for route in city_routes(0)[:50]:
        numbers = [graph.index_by_id[place] for place in route.places]
        assert route.headings == tuple(float(graph.heading[graph.find_link(a, b)]) for a, b in pairwise(numbers))
        steps = [float(np.hypot(*(graph.positions[b] - graph.positions[a])[:2])) for a, b in pairwise(numbers)]
        assert route.metres == pytest.approx(sum(steps))


def grid(across: int, up: int) -> Graph:
    """Return parallel streets with a place every ten metres, and a cross street at every fifth place."""
    positions = [(10.0 * e, 10.0 * n, 0.0) for n in range(up) for e in range(across)]
    pairs = [(n * across + e, n * across + e + 1) for n in range(up) for e in range(across - 1)]
    pairs += [(n * across + e, (n + 1) * across + e) for n in range(up - 1) for e in range(0, across, 5)]
    source, target = np.array(pairs + [(b, a) for a, b in pairs]).T
    return Graph.make(
        "grid", [f"g{k}" for k in range(len(positions))], positions, source, target, np.zeros(len(source))
    )


def test_turns_are_counted_at_crossings_only() -> None:
    finder = PathFinder.make(grid(11, 2))
    straight = list(range(11))
    assert make_route(finder, straight).turns == 0
    assert (
        make_route(finder, [*range(3, 6), 16, 17, 18]).turns == 0
    )  # a left and a right turn in succession count as straight
    assert make_route(finder, [3, 4, 5, 16]).turns == 1
    bent = Graph.make(
        "bent", ["a", "b", "c"], [(0, 0, 0), (10, 0, 0), (10, 10, 0)], [0, 1, 1, 2], [1, 0, 2, 1], np.zeros(4)
    )
    assert make_route(PathFinder.make(bent), [0, 1, 2]).turns == 0  # a bend is not a crossing
    with pytest.raises(InputError, match="each linked to the next"):
        make_route(finder, [0, 2])
    with pytest.raises(InputError, match="two places"):
        make_route(finder, [0])


def test_same_seed_gives_same_routes() -> None:
    finder = city(0)[1]
    again = touchdown_routes(PathFinder.make(finder.graph, drivable_links(city(0)[0])), 100, 0)
    assert again == city_routes(0)[:100]
    other = touchdown_routes(finder, 100, 1)
    assert len({route.places for route in other} & {route.places for route in again}) < 5


def test_initial_headings() -> None:
    finder = city(0)[1]
    assert {route.facing for route in city_routes(0)} == {0.0}
    rotated = touchdown_routes(finder, 100, facing="any")
    assert [route.places for route in rotated] == [route.places for route in city_routes(0)[:100]]
    assert len({route.facing for route in rotated}) > 50
    graph = finder.graph
    for north, route in zip(city_routes(0), touchdown_routes(finder, 50, facing="route"), strict=False):
        assert route.facing == route.headings[0] and route.places == north.places
    for route in touchdown_routes(finder, 100, facing="link"):
        assert route.facing in graph.heading[graph.links(graph.index_by_id[route.places[0]])]


def test_shortest_paths() -> None:
    """Compare with the distances of the undirected graph, and with Bellman-Ford on the directed one."""
    plan, finder = city(0)
    rng = np.random.default_rng(0)
    starts, goals = rng.integers(len(plan.graph), size=(2, 40))

    def metres(path: npt.NDArray[np.int32]) -> float:
        if not len(path):
            return np.inf
        return float(np.linalg.norm(np.diff(plan.graph.positions[path], axis=0), axis=1).sum())

    lengths = [metres(path) for path in PathFinder.make(plan.graph).shortest(starts, goals)]
    np.testing.assert_allclose(lengths, [plan.graph.metres.between(a, b) for a, b in zip(starts, goals, strict=True)])
    source = plan.graph.source[finder.allowed_links]
    for start, goal in zip(starts[:8].tolist(), goals[:8].tolist(), strict=True):
        distances = np.full(len(plan.graph), np.inf)
        distances[start] = 0.0
        while True:
            better = distances.copy()
            np.minimum.at(better, finder.targets, distances[source] + finder.metres)
            if (better == distances).all():
                break
            distances = better
        assert metres(finder.shortest([start], [goal])[0]) == pytest.approx(distances[goal])
    assert [path.tolist() for path in finder.shortest([5], [5])] == [[5]]


def remove_links(graph: Graph, pairs: list[tuple[int, int]]) -> Graph:
    """Return the graph without the links between these pairs, in both directions."""
    removed = {frozenset(pair) for pair in pairs}
    remaining = [
        k for k, (a, b) in enumerate(zip(graph.source, graph.target, strict=True)) if frozenset((a, b)) not in removed
    ]
    return Graph.make(
        graph.name,
        graph.ids,
        graph.positions,
        graph.source[remaining],
        graph.target[remaining],
        graph.heading[remaining],
    )


def test_route_without_gaps_is_unchanged_and_going_back_is_rejected() -> None:
    graph = grid(26, 2)
    street = np.arange(26, dtype=np.int32)
    assert close_gaps(PathFinder.make(graph), street) is street
    assert close_gaps(PathFinder.make(remove_links(graph, [(7, 8)])), street) is None


def test_gaps_are_closed_by_detours() -> None:
    # At the crossings 0, 5, ... the other street can be reached, and a block has five links.
    graph = grid(26, 2)
    places = np.array([0, 5, 6, 7], np.int32)
    closed = close_gaps(PathFinder.make(graph), places)
    assert closed is not None
    assert closed.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    blocked = close_gaps(PathFinder.make(remove_links(graph, [(2, 3)])), places)
    assert blocked is not None
    assert blocked.tolist() == [0, 26, 27, 28, 29, 30, 31, 5, 6, 7]
    two_gaps = close_gaps(PathFinder.make(graph), np.array([0, 5, 6, 7, 10, 11], np.int32))
    assert two_gaps is not None
    assert two_gaps.tolist() == list(range(12))
    assert close_gaps(PathFinder.make(graph), np.array([0, 5, 10, 15], np.int32)) is None, "three gaps are too many"
    assert close_gaps(PathFinder.make(graph), np.array([0, MAX_DETOUR + 2], np.int32)) is None, "too far across"
    assert close_gaps(PathFinder.make(graph), np.array([3, 4, 3], np.int32)) is not None, "no gap, nothing to repair"
    assert close_gaps(PathFinder.make(graph), np.array([3, 4, 2], np.int32)) is None, "a place would come twice"


def test_routes_in_a_graph_with_removed_links() -> None:
    plan, finder = city(0)
    rng = np.random.default_rng(0)
    graph = plan.graph
    removed = rng.permutation(len(graph.source))[:60]
    thinned = remove_links(graph, [(int(graph.source[k]), int(graph.target[k])) for k in removed])
    walkable = PathFinder.make(thinned, drivable_links(plan, thinned))
    routes = touchdown_routes(finder, 400, 0, walkable)
    for route in routes:
        thinned.check_route(route.places)
        assert len(set(route.places)) == len(route.places)
    assert against_the_flow(plan, route_links(routes)) == []
    remaining, original = {route.places for route in routes}, {route.places for route in city_routes(0)}
    assert 50 < len(remaining & original) < len(original)


def test_routes_by_region() -> None:
    plan, _ = city(0)
    region = bands(plan.graph, (3, 1))
    assert share([number == 1 for number in region.values()]) == pytest.approx(0.25, abs=0.01)
    parts = routes_by_region(city_routes(0), region)
    assert list(parts) == [0, 1]
    south, north = ({place for route in part for place in route.places} for part in parts.values())
    assert not south & north
    assert all(region[place] == 1 for place in north)
    assert 100 < len(parts[0]) + len(parts[1]) < 400
    # Paths restricted to a region stay in it.
    inside = PathFinder.make(plan.graph, drivable_links(plan), [region[place] == 1 for place in plan.graph.ids])
    assert list(routes_by_region(touchdown_routes(inside, 100), region)) == [1]


def test_max_distance_gives_shorter_routes() -> None:
    finder = city(0)[1]
    near_routes, all_routes = touchdown_routes(finder, 200, max_distance=300.0), city_routes(0)[:200]
    assert np.mean([len(route.places) for route in near_routes]) < np.mean([len(route.places) for route in all_routes])


def test_r2r_routes_are_shortest_paths_of_a_few_links() -> None:
    plan, _ = city(0)
    undirected = PathFinder.make(plan.graph)
    routes = r2r_routes(undirected, 200, 3)
    assert {len(route.headings) for route in routes} == {4, 5, 6}
    assert len({route.facing for route in routes}) > 60
    for route in routes:
        begin, end = plan.graph.index_by_id[route.places[0]], plan.graph.index_by_id[route.places[-1]]
        assert route.metres == pytest.approx(plan.graph.metres.between(begin, end))
        assert len(set(route.places)) == len(route.places)
    assert routes[:50] == r2r_routes(undirected, 50, 3)
    assert {len(route.headings) for route in r2r_routes(undirected, 50, 3, links=(7, 7))} == {7}


def test_r4r_routes_join_two_routes() -> None:
    plan, _ = city(0)
    undirected = PathFinder.make(plan.graph)
    short_routes = r2r_routes(undirected, 300, 0)
    joined = list(r4r_routes(undirected, short_routes))
    joined_within_15 = list(r4r_routes(undirected, short_routes, 15.0))
    assert 10 < len(joined) < len(joined_within_15)
    halves = {route.places for route in short_routes}
    for route in joined:  # no other place is within three metres, so the second begins where the first ends
        assert any(route.places[: k + 1] in halves and route.places[k:] in halves for k in (4, 5, 6))
    starts = [plan.graph.index_by_id[route.places[0]] for route in short_routes]
    pairs = sum(
        int(plan.graph.metres.between(plan.graph.index_by_id[route.places[-1]], start) <= 15.0)
        for k, route in enumerate(short_routes)
        for n, start in enumerate(starts)
        if n != k
    )
    assert len(joined_within_15) == pairs


@pytest.mark.slow
def test_invalid_arguments() -> None:
    graph = grid(6, 1)
    with pytest.raises(InputError, match="1000 different routes, got 30 routes"):
        touchdown_routes(PathFinder.make(graph), 1000)
    with pytest.raises(InputError, match="at least 0"):
        touchdown_routes(PathFinder.make(graph), -1)
    with pytest.raises(InputError, match="seed"):
        touchdown_routes(PathFinder.make(graph), 1, -1)
    with pytest.raises(InputError, match="the same 6 places"):
        touchdown_routes(PathFinder.make(graph), 1, walkable=PathFinder.make(grid(7, 1)))
    with pytest.raises(InputError, match="at least one link"):
        r2r_routes(PathFinder.make(graph), 1, links=(0, 3))
    with pytest.raises(InputError, match="each of 10 links"):
        PathFinder.make(graph, [True])
    with pytest.raises(InputError, match="some true"):
        PathFinder.make(graph, allowed_places=[False] * 6)
    with pytest.raises(InputError, match="places from 0 to 5"):
        PathFinder.make(graph).shortest([0], [6])
    with pytest.raises(InputError, match="as many starts"):
        PathFinder.make(graph).shortest([0], [1, 2])
    with pytest.raises(InputError, match="shares above 0"):
        bands(graph, [1, 0])
    plan = plan_with_roads(graph)
    with pytest.raises(InputError, match="6 places"):
        drivable_links(plan, grid(7, 1))
    with pytest.raises(InputError, match="one road piece per pair of neighbours"):
        drivable_links(replace(plan, roads=plan.roads[:0]))


@pytest.mark.slow
def test_routes_on_real_streets_resemble_real_routes(real_data: Path) -> None:
    plan, finder = touchdown_city(real_data)
    routes = touchdown_routes(finder, 800, max_distance=600.0)
    for route in routes:
        plan.graph.check_route(route.places)
    sampled_links = sorted(route_links(routes))[::40]
    assert against_the_flow(plan, set(sampled_links)) == []
    undirected = PathFinder.make(plan.graph)
    real_routes = [
        make_route(undirected, [plan.graph.place_index(place) for place in episode.legs[0].goal.route])  # type: ignore[union-attr]
        for episode in load("touchdown/unseen_dev", real_data)
    ]
    assert len(real_routes) == 800
    length, real_length = (np.mean([len(route.places) for route in group]) for group in (routes, real_routes))
    assert real_length == pytest.approx(33.7, abs=0.1)
    assert length == pytest.approx(real_length, rel=0.1)
    assert np.mean([route.metres for route in routes]) == pytest.approx(
        np.mean([route.metres for route in real_routes]), rel=0.1
    )
    assert share([route.mid_block for route in real_routes]) == pytest.approx(
        share([route.mid_block for route in routes]), abs=0.1
    )
    # Without a limit, as in the paper, a fifth of all paths do not exist, and more pieces have full length.
    unlimited = touchdown_routes(finder, 800)
    assert np.mean([len(route.places) for route in unlimited]) > length
