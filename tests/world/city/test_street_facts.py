"""Facts about streets agree with the plan, with pictures, and with each other in both directions."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from bearleft.world.city.catalog import class_index
from bearleft.world.city.city import build_plan
from bearleft.world.city.plan import Plan
from bearleft.world.city.scene_builder import build_scene
from bearleft.world.city.street_facts import (
    PARKED_CLASSES,
    StreetFacts,
    bridges_above,
    curves,
    fork,
    is_dead_end,
)
from bearleft.world.city.streets import city_graph
from bearleft.world.city.traffic_flow import drivable_links, road_pieces
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import Ground
from bearleft.world.render.cpu import render


@cache
def planned() -> Plan:
    return build_plan(city_graph(0, 6, 7), 0)


@cache
def facts() -> StreetFacts:
    return StreetFacts.make(planned())


def reverse_links(graph: Graph) -> np.ndarray:
    """Return the link back for every link."""
    return np.array([graph.find_link(int(b), int(a)) for a, b in zip(graph.source, graph.target, strict=True)])


@pytest.mark.slow
def test_road_pieces_join_the_places_of_their_links() -> None:
    plan = planned()
    piece, sense = road_pieces(plan)
    assert (piece >= 0).all() and set(sense.tolist()) == {-1, 1}
    positions = plan.graph.positions[:, :2] * 1000
    roads = plan.roads[piece]
    for end, place in ((0, np.where(sense > 0, plan.graph.source, plan.graph.target)), (1, None)):
        at = np.stack([roads[f"x{end}"], roads[f"y{end}"]], axis=1)
        place = np.where(sense > 0, plan.graph.target, plan.graph.source) if place is None else place
        assert (np.linalg.norm(at - positions[place], axis=1) < 6_000).all()  # wide streets end a little earlier


def test_facts_are_mirrored_on_the_way_back() -> None:
    there, back = facts(), reverse_links(planned().graph)
    assert (there.flow == -there.flow[back]).all()
    assert (there.lanes == there.lanes[back]).all()
    assert (there.median == -there.median[back]).all()
    assert (there.bike_lane == -there.bike_lane[back]).all()
    assert (there.parking == there.parking[back][:, ::-1]).all()
    assert (there.parked == there.parked[back][:, ::-1]).all()
    assert (there.crosswalk_ahead == there.crosswalk_behind[back]).all()


def test_flow_agrees_with_the_links_that_traffic_may_take() -> None:
    drivable = drivable_links(planned())
    assert drivable[facts().flow >= 0].all()
    assert not drivable.all()


def test_every_fact_occurs() -> None:
    known = facts()
    for column in (known.flow, known.median, known.bike_lane):
        assert {-1, 0, 1} <= set(column.tolist())
    assert set(known.bike_lane_colour) == {"", "green"}
    assert known.crosswalk_ahead.any() and not known.crosswalk_ahead.all()
    assert set(known.lanes.tolist()) >= {1, 2, 4}


def test_parked_vehicles_stand_in_parking_lanes() -> None:
    plan, known = planned(), facts()
    assert (known.parked[~known.parking] == 0).all()
    kinds = [class_index(name) for name in PARKED_CLASSES]
    forward = road_pieces(plan)[1] > 0
    parked = known.parked[forward].sum()
    assert 0.4 * np.isin(plan.things["kind"], kinds).sum() < parked <= np.isin(plan.things["kind"], kinds).sum()


def test_crosswalks_are_painted_where_they_are_said_to_be() -> None:
    plan, known = planned(), facts()
    scene = build_scene(plan)
    links = np.flatnonzero(known.crosswalk_ahead)[:20]
    for link in links.tolist():
        begin, end = (plan.graph.positions[p] for p in (plan.graph.source[link], plan.graph.target[link]))
        points = begin + (end - begin) * np.linspace(0, 1, 60)[:, None] + [0, 0, 0.3]
        seen = render(scene, poses(points, 0.0, -90.0), view(1, 1, 5.0), shadows=False).kind[:, 0, 0]
        assert (seen == Ground.CROSSWALK).any()


@pytest.mark.parametrize("name", ["median", "bike lane"])
def test_sides_are_where_things_are(name: str) -> None:
    plan, known = planned(), facts()
    side = {"median": known.median, "bike lane": known.bike_lane}[name]
    things = plan.things[plan.things["kind"] == class_index(name)]
    at = np.stack([things["x"], things["y"]], axis=1) / 1000
    for link in np.flatnonzero(side)[::7].tolist():
        begin, end = (plan.graph.positions[p][:2] for p in (plan.graph.source[link], plan.graph.target[link]))
        ahead = (end - begin) / np.linalg.norm(end - begin)
        nearest = at[np.argmin(np.linalg.norm(at - (begin + end) / 2, axis=1))] - begin
        assert np.sign(nearest[0] * ahead[1] - nearest[1] * ahead[0]) == side[link]


def chain(points: list[tuple[float, float]], extra: list[tuple[int, int]] | None = None) -> Graph:
    """Return a street through points, with more links both ways."""
    pairs = [(k, k + 1) for k in range(len(points) - 1)] + (extra or [])
    source, target = np.array(pairs + [(b, a) for a, b in pairs]).T
    at = np.array([(x, y, 0.0) for x, y in points])
    heading = np.degrees(np.arctan2(*(at[target] - at[source])[:, :2].T))
    return Graph.make("street", [str(k) for k in range(len(points))], at, source, target, heading)


def test_curves() -> None:
    straight = chain([(0.0, 10.0 * k) for k in range(9)])
    assert curves(straight, range(9)) == []
    angle = np.radians(np.concatenate([[0, 0], np.arange(0, 50, 10), [40, 40]]))
    at = np.cumsum(np.stack([np.sin(angle), np.cos(angle)], axis=1) * 10, axis=0)
    bent = chain([(float(x), float(y)) for x, y in at])
    (curve,) = curves(bent, range(len(at)))
    assert curve.side == 1 and 0 < curve.end - curve.begin <= 6
    (back,) = curves(bent, range(len(at) - 1, -1, -1))
    assert back.side == -1
    # A turn at a crossing is no curve.
    corner = chain([(0, 0), (0, 10), (0, 20), (10, 20), (20, 20), (0, 30)], [(2, 5)])
    assert curves(corner, [0, 1, 2, 3, 4]) == []


def test_forks() -> None:
    graph = chain([(0, 0), (0, 10), (-4, 20), (4, 20)], [(1, 3)])
    link = graph.find_link(0, 1)
    assert link is not None
    branches = fork(graph, link)
    assert branches is not None and [int(graph.target[k]) for k in branches] == [2, 3]
    tee = chain([(0, 0), (0, 10), (-10, 10), (10, 10)], [(1, 3)])
    link = tee.find_link(0, 1)
    assert link is not None and fork(tee, link) is None


def test_dead_ends() -> None:
    graph = planned().graph
    ends = [link for link in range(len(graph.source)) if is_dead_end(graph, link)]
    assert ends and len(ends) < 0.2 * len(graph.source)
    for link in ends:
        place, before = int(graph.target[link]), int(graph.source[link])
        while graph.degree[place] == 2:
            place, before = next(int(p) for p in graph.target[graph.links(place)] if p != before), place
        assert graph.degree[place] == 1


def test_bridges_above_routes() -> None:
    plan = planned()
    graph, bridges = plan.graph, np.flatnonzero(plan.things["kind"] == class_index("bridge"))
    assert len(bridges) >= 2
    for thing in bridges.tolist():
        at = np.array([plan.things["x"][thing], plan.things["y"][thing]]) / 1000
        place = int(np.argmin(np.linalg.norm(graph.positions[:, :2] - at, axis=1)))
        neighbours = graph.target[graph.links(place)].tolist()
        route = [neighbours[0], place, neighbours[-1]]
        assert [instance for _, instance in bridges_above(plan, route)] == [thing + 1]
    assert bridges_above(plan, [place]) == []
