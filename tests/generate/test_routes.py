"""Routes: along links, never against the flow, of the papers' lengths, the same for a seed."""

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


def laid(graph: Graph, seed: int = 0) -> Plan:
    draft = Draft(seed, graph)
    lay_roads(draft)
    return draft.plan()


@cache
def city(seed: int) -> tuple[Plan, PathFinder]:
    plan = laid(city_graph(seed), seed)
    return plan, PathFinder.make(plan.graph, drivable_links(plan))


@cache
def real(data: Path) -> tuple[Plan, PathFinder]:
    plan = laid(open_world("touchdown", data))
    return plan, PathFinder.make(plan.graph, drivable_links(plan))


@cache
def made(seed: int, count: int = 400) -> list[Route]:
    return touchdown_routes(city(seed)[1], count, seed)


def against_the_flow(plan: Plan, links: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Links that run against a one-way piece, by looking for the piece that lies on the link."""
    roads = plan.roads
    ends = np.stack([[roads["x0"], roads["y0"]], [roads["x1"], roads["y1"]]]).astype(float)  # [end, axis, row]
    lengths = np.hypot(*(ends[1] - ends[0]))
    found = []
    for one, other in sorted(links):
        a, b = (plan.graph.positions[plan.graph.index_by_id[place], :2] * 1000 for place in (one, other))
        length = float(np.hypot(*(b - a)))
        if length < 1:
            continue
        along = (b - a) / length
        off = ends - a[None, :, None]
        ahead = off[:, 0] * along[0] + off[:, 1] * along[1]
        beside = np.abs(off[:, 0] * along[1] - off[:, 1] * along[0])
        on = ((beside < 5) & (ahead > -5) & (ahead < length + 5)).all(axis=0)
        row = int(np.argmax(np.where(on, lengths, -1)))
        assert on[row], f"no piece of street from {one} to {other}"
        marked = roads["trim0"][row] + roads["trim1"][row] < lengths[row] - 15
        sense = 1 if ahead[1, row] > ahead[0, row] else -1
        if marked and roads["flow"][row] == -sense:
            found.append((one, other))
    return found


def links_of(routes: list[Route]) -> set[tuple[str, str]]:
    return {pair for one in routes for pair in pairwise(one.places)}


def share(values: list[bool]) -> float:
    return sum(values) / len(values)


@pytest.mark.parametrize("seed", [0, 1])
def test_routes_follow_links_and_never_go_against_the_flow(seed: int) -> None:
    plan, _ = city(seed)
    routes = made(seed)
    assert len(routes) == 400
    for one in routes:
        plan.graph.check_route(one.places)
        assert len(set(one.places)) == len(one.places)
    assert against_the_flow(plan, links_of(routes)) == []


def test_without_traffic_some_routes_would_go_against_it() -> None:
    plan, _ = city(0)
    wrong = against_the_flow(plan, links_of(touchdown_routes(PathFinder.make(plan.graph), 100)))
    assert len(wrong) > 50
    # The mask leaves out just these, and nothing in a two-way street.
    allowed = drivable_links(plan)
    pairs = [(plan.graph.ids[a], plan.graph.ids[b]) for a, b in zip(plan.graph.source, plan.graph.target, strict=True)]
    left_out = {pair for pair, kept in zip(pairs, allowed, strict=True) if not kept}
    assert set(against_the_flow(plan, set(pairs))) == left_out


def test_lengths_are_those_of_the_paper_and_the_suffix_stays() -> None:
    lengths = [len(one.places) for one in made(0)]
    assert max(lengths) <= MAX_PIECE
    assert min(lengths) >= 2
    assert 0.6 < share([length >= MIN_PIECE for length in lengths]) < 0.9
    assert {length for length in lengths if length >= MIN_PIECE} == set(range(MIN_PIECE, MAX_PIECE + 1))


@given(length=st.integers(0, 400), seed=st.integers(0, 5), number=st.integers(0, 1000))
@settings(deadline=None)
def test_the_pieces_of_a_way_are_the_way(length: int, seed: int, number: int) -> None:
    way = np.arange(length, dtype=np.int32)
    pieces = cut_pieces(way, seed, number)
    assert all(MIN_PIECE <= len(piece) <= MAX_PIECE for piece in pieces[:-1])
    assert all(1 < len(piece) <= MAX_PIECE for piece in pieces[-1:])
    kept = np.concatenate([*pieces, way[:0]])
    assert len(kept) >= length - 1  # a single place at the end is no route
    np.testing.assert_array_equal(kept, way[: len(kept)])


def test_most_routes_end_mid_block() -> None:
    plan, _ = city(0)
    routes = made(0)
    assert share([one.mid_block for one in routes]) > 0.6
    for one in routes:
        place = plan.graph.index_by_id[one.places[-1]]
        near = [place, *plan.graph.target[plan.graph.links(place)]]
        assert one.mid_block == all(plan.graph.degree[k] <= 2 for k in near)


def test_a_route_knows_its_headings_and_metres() -> None:
    graph = city(0)[0].graph
    for one in made(0)[:50]:
        numbers = [graph.index_by_id[place] for place in one.places]
        assert one.headings == tuple(float(graph.heading[graph.find_link(a, b)]) for a, b in pairwise(numbers))
        steps = [float(np.hypot(*(graph.positions[b] - graph.positions[a])[:2])) for a, b in pairwise(numbers)]
        assert one.metres == pytest.approx(sum(steps))


def grid(across: int, up: int) -> Graph:
    """Two streets a block apart and the ways between them, a place every ten metres; all crossings to the left."""
    where = [(10.0 * e, 10.0 * n, 0.0) for n in range(up) for e in range(across)]
    pairs = [(n * across + e, n * across + e + 1) for n in range(up) for e in range(across - 1)]
    pairs += [(n * across + e, (n + 1) * across + e) for n in range(up - 1) for e in range(0, across, 5)]
    source, target = np.array(pairs + [(b, a) for a, b in pairs]).T
    return Graph.make("grid", [f"g{k}" for k in range(len(where))], where, source, target, np.zeros(len(source)))


def test_turns_are_counted_at_crossings_only() -> None:
    ways = PathFinder.make(grid(11, 2))
    straight = list(range(11))
    assert make_route(ways, straight).turns == 0
    assert make_route(ways, [*range(3, 6), 16, 17, 18]).turns == 0  # left and right again at once: straight on
    assert make_route(ways, [3, 4, 5, 16]).turns == 1
    bent = Graph.make(
        "bent", ["a", "b", "c"], [(0, 0, 0), (10, 0, 0), (10, 10, 0)], [0, 1, 1, 2], [1, 0, 2, 1], np.zeros(4)
    )
    assert make_route(PathFinder.make(bent), [0, 1, 2]).turns == 0  # a bend is no crossing
    with pytest.raises(InputError, match="each linked to the next"):
        make_route(ways, [0, 2])
    with pytest.raises(InputError, match="two places"):
        make_route(ways, [0])


def test_the_same_seed_gives_the_same_routes_and_another_others() -> None:
    ways = city(0)[1]
    again = touchdown_routes(PathFinder.make(ways.graph, drivable_links(city(0)[0])), 100, 0)
    assert again == made(0)[:100]
    other = touchdown_routes(ways, 100, 1)
    assert len({one.places for one in other} & {one.places for one in again}) < 5


def test_routes_begin_as_asked() -> None:
    ways = city(0)[1]
    assert {one.facing for one in made(0)} == {0.0}
    turned = touchdown_routes(ways, 100, facing="any")
    assert [one.places for one in turned] == [one.places for one in made(0)[:100]]
    assert len({one.facing for one in turned}) > 50
    graph = ways.graph
    for one in touchdown_routes(ways, 100, facing="link"):
        assert one.facing in graph.heading[graph.links(graph.index_by_id[one.places[0]])]


def test_the_shortest_ways_are_the_shortest() -> None:
    """Beside the distances of a graph that may be walked both ways, and a plain relaxation of one that may not."""
    plan, ways = city(0)
    rng = np.random.default_rng(0)
    starts, goals = rng.integers(len(plan.graph), size=(2, 40))

    def metres(way: npt.NDArray[np.int32]) -> float:
        if not len(way):
            return np.inf
        return float(np.linalg.norm(np.diff(plan.graph.positions[way], axis=0), axis=1).sum())

    free = [metres(way) for way in PathFinder.make(plan.graph).shortest(starts, goals)]
    np.testing.assert_allclose(free, [plan.graph.metres.between(a, b) for a, b in zip(starts, goals, strict=True)])
    source = plan.graph.source[ways.link]
    for start, goal in zip(starts[:8].tolist(), goals[:8].tolist(), strict=True):
        known = np.full(len(plan.graph), np.inf)
        known[start] = 0.0
        while True:
            better = known.copy()
            np.minimum.at(better, ways.target, known[source] + ways.metres)
            if (better == known).all():
                break
            known = better
        assert metres(ways.shortest([start], [goal])[0]) == pytest.approx(known[goal])
    assert [way.tolist() for way in ways.shortest([5], [5])] == [[5]]


def without(graph: Graph, pairs: list[tuple[int, int]]) -> Graph:
    """The graph without the links of these pairs, either way."""
    gone = {frozenset(pair) for pair in pairs}
    kept = [k for k, (a, b) in enumerate(zip(graph.source, graph.target, strict=True)) if frozenset((a, b)) not in gone]
    return Graph.make(
        graph.name, graph.ids, graph.positions, graph.source[kept], graph.target[kept], graph.heading[kept]
    )


def test_a_route_without_gaps_stays_and_one_that_would_have_to_go_back_is_dropped() -> None:
    graph = grid(26, 2)
    street = np.arange(26, dtype=np.int32)
    assert close_gaps(PathFinder.make(graph), street) is street
    assert close_gaps(PathFinder.make(without(graph, [(7, 8)])), street) is None


def test_a_gap_is_closed_by_a_way_round() -> None:
    # At the crossings 0, 5, ... the other street can be reached, and a block has five links.
    graph = grid(26, 2)
    way = np.array([0, 5, 6, 7], np.int32)
    closed = close_gaps(PathFinder.make(graph), way)
    assert closed is not None
    assert closed.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    blocked = close_gaps(PathFinder.make(without(graph, [(2, 3)])), way)
    assert blocked is not None
    assert blocked.tolist() == [0, 26, 27, 28, 29, 30, 31, 5, 6, 7]
    two = close_gaps(PathFinder.make(graph), np.array([0, 5, 6, 7, 10, 11], np.int32))
    assert two is not None
    assert two.tolist() == list(range(12))
    assert close_gaps(PathFinder.make(graph), np.array([0, 5, 10, 15], np.int32)) is None, "three gaps are too many"
    assert close_gaps(PathFinder.make(graph), np.array([0, MAX_DETOUR + 2], np.int32)) is None, "too far across"
    assert close_gaps(PathFinder.make(graph), np.array([3, 4, 3], np.int32)) is not None, "no gap, nothing to repair"
    assert close_gaps(PathFinder.make(graph), np.array([3, 4, 2], np.int32)) is None, "a place would come twice"


def test_routes_through_a_graph_with_links_removed_are_whole() -> None:
    plan, ways = city(0)
    rng = np.random.default_rng(0)
    graph = plan.graph
    picked = rng.permutation(len(graph.source))[:60]
    thin = without(graph, [(int(graph.source[k]), int(graph.target[k])) for k in picked])
    walked = PathFinder.make(thin, drivable_links(plan, thin))
    routes = touchdown_routes(ways, 400, 0, walked)
    for one in routes:
        thin.check_route(one.places)
        assert len(set(one.places)) == len(one.places)
    assert against_the_flow(plan, links_of(routes)) == []
    kept, whole = {one.places for one in routes}, {one.places for one in made(0)}
    assert 50 < len(kept & whole) < len(whole)


def test_the_paper_s_splits_may_be_taken_apart() -> None:
    plan, _ = city(0)
    region = bands(plan.graph, (3, 1))
    assert share([number == 1 for number in region.values()]) == pytest.approx(0.25, abs=0.01)
    parts = routes_by_region(made(0), region)
    assert list(parts) == [0, 1]
    south, north = ({place for one in part for place in one.places} for part in parts.values())
    assert not south & north
    assert all(region[place] == 1 for place in north)
    assert 100 < len(parts[0]) + len(parts[1]) < 400
    # Ways within a region lose nothing: their routes stay there.
    inside = PathFinder.make(plan.graph, drivable_links(plan), [region[place] == 1 for place in plan.graph.ids])
    assert list(routes_by_region(touchdown_routes(inside, 100), region)) == [1]


def test_pairs_that_lie_near_give_shorter_routes() -> None:
    ways = city(0)[1]
    near, far = touchdown_routes(ways, 200, max_distance=300.0), made(0)[:200]
    assert np.mean([len(one.places) for one in near]) < np.mean([len(one.places) for one in far])


def test_r2r_routes_are_shortest_paths_of_a_few_links() -> None:
    plan, _ = city(0)
    free = PathFinder.make(plan.graph)
    routes = r2r_routes(free, 200, 3)
    assert {len(one.headings) for one in routes} == {4, 5, 6}
    assert len({one.facing for one in routes}) > 60
    for one in routes:
        begin, end = plan.graph.index_by_id[one.places[0]], plan.graph.index_by_id[one.places[-1]]
        assert one.metres == pytest.approx(plan.graph.metres.between(begin, end))
        assert len(set(one.places)) == len(one.places)
    assert routes[:50] == r2r_routes(free, 50, 3)
    assert {len(one.headings) for one in r2r_routes(free, 50, 3, links=(7, 7))} == {7}


def test_r4r_routes_are_two_joined() -> None:
    plan, _ = city(0)
    free = PathFinder.make(plan.graph)
    short = r2r_routes(free, 300, 0)
    met = list(r4r_routes(free, short))
    near = list(r4r_routes(free, short, 15.0))
    assert 10 < len(met) < len(near)
    halves = {one.places for one in short}
    for one in met:  # three metres reach no other place, so the second begins where the first ends
        assert any(one.places[: k + 1] in halves and one.places[k:] in halves for k in (4, 5, 6))
    starts = [plan.graph.index_by_id[one.places[0]] for one in short]
    pairs = sum(
        int(plan.graph.metres.between(plan.graph.index_by_id[one.places[-1]], start) <= 15.0)
        for k, one in enumerate(short)
        for n, start in enumerate(starts)
        if n != k
    )
    assert len(near) == pairs


def test_what_cannot_be_made_is_an_error() -> None:
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
    with pytest.raises(InputError, match="some yes"):
        PathFinder.make(graph, allowed_places=[False] * 6)
    with pytest.raises(InputError, match="places from 0 to 5"):
        PathFinder.make(graph).shortest([0], [6])
    with pytest.raises(InputError, match="as many starts"):
        PathFinder.make(graph).shortest([0], [1, 2])
    with pytest.raises(InputError, match="shares above 0"):
        bands(graph, [1, 0])
    plan = laid(graph)
    with pytest.raises(InputError, match="6 places"):
        drivable_links(plan, grid(7, 1))
    with pytest.raises(InputError, match="streets laid"):
        drivable_links(replace(plan, roads=plan.roads[:0]))


def test_real_streets_beside_the_real_routes(real_data: Path) -> None:
    plan, ways = real(real_data)
    routes = touchdown_routes(ways, 800, max_distance=600.0)
    for one in routes:
        plan.graph.check_route(one.places)
    some = sorted(links_of(routes))[::40]
    assert against_the_flow(plan, set(some)) == []
    free = PathFinder.make(plan.graph)
    theirs = [
        make_route(free, [plan.graph.place_index(place) for place in episode.legs[0].goal.route])  # type: ignore[union-attr]
        for episode in load("touchdown/unseen_dev", real_data)
    ]
    assert len(theirs) == 800
    length, real_length = (np.mean([len(one.places) for one in group]) for group in (routes, theirs))
    assert real_length == pytest.approx(33.7, abs=0.1)
    assert length == pytest.approx(real_length, rel=0.1)
    assert np.mean([one.metres for one in routes]) == pytest.approx(np.mean([one.metres for one in theirs]), rel=0.1)
    assert share([one.mid_block for one in theirs]) == pytest.approx(share([one.mid_block for one in routes]), abs=0.1)
    # Anywhere in the city, as the paper has it, a fifth of all ways do not exist, and pieces are whole more often.
    wide = touchdown_routes(ways, 800)
    assert np.mean([len(one.places) for one in wide]) > length
