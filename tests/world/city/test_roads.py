from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.world.city import raster
from bearleft.world.city.plan import DIRECTION_SCALE, Draft
from bearleft.world.city.roads import (
    CROSSWALK_DEPTH,
    MIN_HALF_WIDTH,
    STOP_LINE_DISTANCE,
    crossing_arms,
    free_kerbs,
    lay_roads,
    road_geometry,
)
from bearleft.world.city.streets import city_graph
from bearleft.world.graphs.graph import Graph
from bearleft.world.worlds import town_graph
from tests.sizes import sized

Points = list[tuple[float, float]]


def graph_of(points: Points, pairs: list[tuple[int, int]]) -> Graph:
    positions = np.array([(x, y, 0.0) for x, y in points])
    source, target = np.array(pairs + [(b, a) for a, b in pairs]).reshape(-1, 2).T
    return Graph.make("test", [f"p{k}" for k in range(len(points))], positions, source, target, np.zeros(len(source)))


def draft_with_roads(graph: Graph, seed: int = 0) -> Draft:
    draft = Draft(seed, graph)
    lay_roads(draft)
    return draft


def line(begin: tuple[float, float], end: tuple[float, float], steps: int) -> Points:
    return [
        (begin[0] + (end[0] - begin[0]) * k / steps, begin[1] + (end[1] - begin[1]) * k / steps)
        for k in range(steps + 1)
    ]


def chain(points: Points, first: int = 0) -> list[tuple[int, int]]:
    return [(first + k, first + k + 1) for k in range(len(points) - 1)]


def plus() -> Graph:
    """Two streets of 200 m that cross in the middle (place 10)."""
    horizontal, vertical = line((-100, 0), (100, 0), 20), line((0, -100), (0, 100), 20)
    pairs = chain(horizontal) + [(a if a != 31 else 10, b if b != 31 else 10) for a, b in chain(vertical, 21)]
    vertical[10] = (0, 99.0)  # unused; linked below so that it is not isolated
    return graph_of(horizontal + vertical, [*pairs, (31, 41)])


def check_roads(draft: Draft) -> None:
    """Check the invariants of all roads."""
    roads = draft.roads
    x, y, _, _, length = road_geometry(roads)
    assert (length > 0).all() and (roads["half"] >= MIN_HALF_WIDTH).all() and (roads["walk"] >= 1500).all()
    assert (roads["trim0"] >= 0).all() and (roads["trim1"] >= 0).all()
    assert (roads["trim0"].astype(int) + roads["trim1"] <= length + 1).all()
    assert (roads["lanes"] >= 1).all() and (roads["lanes"][roads["flow"] == 0] % 2 == 0).all()
    crosswalks = np.array([0, 1, 1, 2])[roads["zebra"]]
    needed = roads["trim0"] + roads["trim1"] + crosswalks * CROSSWALK_DEPTH
    assert (needed <= length + 1).all(), "crosswalks fit on their pieces"
    assert draft.raster is not None
    cameras = np.rint(draft.graph.positions[:, :2] * 1000).astype(int)
    bits = draft.raster.at(*cameras.T)
    assert ((bits & raster.CAMERA) > 0).all()
    assert ((draft.raster.at(x, y) & raster.ROAD) > 0).all()


def test_isolated_place_raises() -> None:
    with pytest.raises(InputError, match="p2"):
        draft_with_roads(graph_of([(0, 0), (10, 0), (50, 0)], [(0, 1)]))


def test_a_straight_street() -> None:
    draft = draft_with_roads(graph_of(line((0, 0), (0, 200), 20), chain(line((0, 0), (0, 200), 20))))
    check_roads(draft)
    roads = draft.roads
    assert len(roads) == 20 and len(set(roads["street"])) == 1
    assert not roads["zebra"].any() and not roads["trim0"].any() and not roads["trim1"].any()
    assert sorted(roads["along"]) == list(range(0, 200_000, 10_000))
    assert len(crossing_arms(draft)) == 0


def test_coincident_places() -> None:
    points = [(0.0, 0.0), (10.0, 0.0), (10.0, 0.0), (20.0, 0.0), (20.4, 0.1), (30.0, 0.0)]
    draft = draft_with_roads(graph_of(points, chain(points)))
    check_roads(draft)
    assert len(draft.roads) == 4 and len(set(draft.roads["street"])) == 1
    none = draft_with_roads(graph_of([(0, 0), (0, 0)], [(0, 1)]))
    assert len(none.roads) == 0 and len(free_kerbs(none).piece) == 0
    close = draft_with_roads(graph_of([(0, 0), (0.7, 0)], [(0, 1)]))
    check_roads(close)
    assert len(close.roads) == 1


def test_bend_is_not_a_crossing() -> None:
    points = line((0, 0), (100, 0), 10) + line((100, 10), (100, 100), 9)
    draft = draft_with_roads(graph_of(points, chain(points)))
    check_roads(draft)
    assert not draft.roads["zebra"].any() and len(draft.arms) == 0
    assert len(set(draft.roads["street"])) == 2, "a sharp bend starts another street"


def test_two_streets_cross() -> None:
    draft = draft_with_roads(plus(), 3)
    check_roads(draft)
    roads, arms = draft.roads, crossing_arms(draft)
    length = road_geometry(roads)[4]
    main = [k for k in range(len(roads)) if abs(roads["x0"][k]) < 95_000 and abs(roads["y0"][k]) < 95_000]
    assert len(set(roads["street"][main])) == 2
    assert len(arms) == 4 and len(set(arms["crossing"])) == 1
    assert np.abs(arms["x"]).max() < 10 and np.abs(arms["y"]).max() < 10
    assert {(round(a["ux"] / DIRECTION_SCALE), round(a["uy"] / DIRECTION_SCALE)) for a in arms} == {
        (1, 0),
        (-1, 0),
        (0, 1),
        (0, -1),
    }
    for arm in arms:
        k, end = arm["piece"], int(arm["end"])
        begin = (roads["x0"][k], roads["y0"][k]) if end == 0 else (roads["x1"][k], roads["y1"][k])
        reach = max(abs(begin[0]), abs(begin[1])) + roads[f"trim{end}"][k]
        other_half = roads["half"][roads["street"] != roads["street"][k]].max()
        assert reach >= other_half, "the crossing reaches the other street's kerb"
        assert reach < other_half + 9000
        assert sum(int(bits) in (1, 2, 3) for bits in roads["zebra"]) == 4
    free = free_kerbs(draft)
    assert (free.start >= roads["trim0"][free.piece]).all() and (free.end <= length[free.piece]).all()
    has_crosswalk = (roads["zebra"][free.piece] & 1) > 0
    assert (free.start >= roads["trim0"][free.piece] + CROSSWALK_DEPTH + STOP_LINE_DISTANCE)[has_crosswalk].all()


def test_carriageways_of_an_avenue_drive_on_the_right() -> None:
    east, west = line((10, 0), (10, 300), 30), line((0, 0), (0, 300), 30)
    draft = draft_with_roads(graph_of(east + west, chain(east) + chain(west, 31)))
    check_roads(draft)
    roads = draft.roads
    _, _, _, uy, _ = road_geometry(roads)
    assert (roads["half"] <= 5000).all(), "the carriageways are ten metres apart"
    north = np.sign(uy) * roads["flow"]
    assert (north[roads["x0"] == 10_000] == 1).all() and (north[roads["x0"] == 0] == -1).all()
    assert (roads["parking"] != 3).all(), "no parking lane between them"


def test_roads_of_a_town_and_a_city() -> None:
    for graph in (town_graph(0), city_graph(2, 5, 6)):
        draft = draft_with_roads(graph)
        check_roads(draft)
        pairs = {(min(a, b), max(a, b)) for a, b in zip(graph.source.tolist(), graph.target.tolist(), strict=True)}
        assert len(draft.roads) == len(pairs)
        arms = crossing_arms(draft)
        counts = np.unique(arms["crossing"], return_counts=True)[1]
        assert (counts >= 3).all() and len(counts) > 15
        free = free_kerbs(draft)
        x, y, ux, uy, length = road_geometry(draft.roads)
        assert (free.end - free.start).sum() > length.sum(), "most kerbs are free on both sides"
        assert draft.raster is not None
        out, middle, piece = draft.roads["half"][free.piece] + 300, (free.start + free.end) // 2, free.piece
        px = x[piece] + (ux[piece] * free.start + free.side * uy[piece] * out) // DIRECTION_SCALE
        py = y[piece] + (uy[piece] * free.start - free.side * ux[piece] * out) // DIRECTION_SCALE
        assert not (draft.raster.at(px, py) & raster.ROAD).any()
        assert (middle > free.start).all()


def test_streets_continue_straight_and_directions_alternate() -> None:
    draft = draft_with_roads(town_graph(0))
    assert len(set(draft.roads["street"])) == 6 + 8
    one_way = draft.roads["flow"] != 0
    assert one_way.mean() > 0.3 and len(set(draft.roads["flow"])) == 3


def test_same_seed_same_roads() -> None:
    first, again, other = (
        draft_with_roads(town_graph(1)),
        draft_with_roads(town_graph(1)),
        draft_with_roads(town_graph(1), 1),
    )
    assert (first.roads == again.roads).all() and (first.arms == again.arms).all()
    assert (first.roads["half"] != other.roads["half"]).any()


@settings(deadline=None, max_examples=sized(15, 60))
@given(st.data())
def test_any_connected_graph_gets_roads(data: st.DataObject) -> None:
    count = data.draw(st.integers(2, 30))
    point = st.tuples(st.integers(0, 400), st.integers(0, 400)).map(lambda at: (at[0] / 4, at[1] / 4))
    points = data.draw(st.lists(point, min_size=count, max_size=count))
    pairs = [(data.draw(st.integers(0, k - 1)), k) for k in range(1, count)]
    extra_pairs = data.draw(st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=10))
    graph = graph_of(points, sorted({(min(a, b), max(a, b)) for a, b in pairs + extra_pairs if a != b}))
    draft = draft_with_roads(graph, data.draw(st.integers(0, 5)))
    check_roads(draft)
    free_kerbs(draft)
