"""Map data of reports: the shapes of the drawn map in a compact form, near the places in use."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.reports.html.maps import (
    CELL,
    draw_map,
    frame_around,
    hex_colour,
    join_strokes,
    map_data,
    map_data_at,
    mark_row,
)
from bearleft.world.arramon.sections.world import open_sections
from bearleft.world.city.city import open_city
from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.frame import XY
from bearleft.world.maps.labels import street_names_by_number
from bearleft.world.maps.map import overhead_map
from bearleft.world.maps.rooms import room_around
from bearleft.world.maps.shapes import Disc, Polygon, Stroke, Words
from bearleft.world.worlds import open_world


@pytest.fixture(scope="module")
def plan() -> Plan:
    return open_city("city/3/4x5").plan


def count_kinds(rows: list[list[Any]]) -> dict[str, int]:
    names = [row[0] for row in rows]
    return {name: names.count(name) for name in names}


def test_rows_equal_the_drawn_map(plan: Plan) -> None:
    points = plan.graph.positions[:, :2]
    drawing = draw_map(plan, points)
    report_shapes = [shape for shape in drawing.shapes if not isinstance(shape, Words)]
    map_shapes = overhead_map(plan, drawing.frame, names=False).shapes
    # The map also ends with a scale and a north arrow.
    assert report_shapes == map_shapes[: len(report_shapes)]
    assert {shape.kind for shape in map_shapes[len(report_shapes) :]}.isdisjoint(
        {shape.kind for shape in report_shapes}
    )
    assert {"building", "street", "tree", "landmark", "grass"} <= {shape.kind for shape in report_shapes}
    rows = map_data(plan)["marks"]
    assert len(rows) == len(drawing.shapes)
    assert rows == [mark_row(shape) for shape in drawing.shapes]
    assert map_data(plan, plan.graph.ids) == map_data(plan)


def test_rows_contain_all_marks() -> None:
    shape = Polygon("a", (((0.04, 1.06), (2.0, 3.0), (4.0, 5.0)),), (255, 0, 10), (1, 2, 3), 0.333, 0.5)
    assert mark_row(shape) == ["shape", "#ff000a", "#010203", 0.33, 0.5, [[0, 1.1, 2, 3, 4, 5]]]
    assert mark_row(Stroke("b", ((0.0, 0.0), (1.25, -1.0)), (9, 9, 9), 7.0)) == [
        "stroke",
        "#090909",
        7,
        [0, 0, 1.2, -1],
    ]
    assert mark_row(Disc("c", (1.0, 2.0), 0.25, (0, 0, 0))) == ["disc", "#000000", None, 0, 1, 1, 2, 0.25]
    assert mark_row(Words("d", (1.0, 2.0), "A St", 5.0, (0, 0, 0), None, -30.0)) == [
        "words",
        "#000000",
        5,
        1,
        2,
        -30,
        "A St",
    ]
    assert mark_row(replace(shape, edge=None), 2)[2] is None
    assert mark_row(shape, 2)[5][0][:2] == [0.04, 1.06]
    assert hex_colour((0, 16, 255)) == "#0010ff"


def test_every_street_name_lies_on_its_street(plan: Plan) -> None:
    rows = [shape for shape in map_data(plan)["marks"] if shape[0] == "words"]
    names = {row[6] for row in rows}
    streets = set(street_names_by_number(plan).values())
    assert len(names & streets) > 0.7 * len(streets)
    assert names - streets, "landmarks are named too"
    for _, _, size, x, y, angle, name in rows:
        assert -90 < angle <= 90
        assert 4 <= size <= 8
        if name in streets:
            distance = np.hypot(*(plan.graph.positions[:, :2] - (x, y)).T)
            assert distance.min() < 15


def test_large_worlds_are_cropped_to_used_places(plan: Plan) -> None:
    places = plan.graph.ids[:4]
    positions = plan.graph.positions[:4, :2]
    cropped = map_data(plan, places)["marks"]
    complete = map_data(plan)["marks"]
    assert len(cropped) < 0.7 * len(complete)
    for mark in cropped:
        points = np.reshape(
            mark[5][0]
            if mark[0] == "shape"
            else mark[3]
            if mark[0] == "stroke"
            else mark[3:5]
            if mark[0] == "words"
            else mark[5:7],
            (-1, 2),
        )
        low, high = points.min(axis=0) - 1, points.max(axis=0) + 1
        gap = np.maximum(np.maximum(low - positions, positions - high), 0).max(axis=1).min()
        assert gap < 2 * CELL
    buildings = [mark for mark in cropped if mark[0] == "shape"]
    middle = positions.mean(axis=0)
    assert any(np.abs(np.reshape(building[5][0], (-1, 2)) - middle).max() < 40 for building in buildings)


def segments(lines: Iterable[Sequence[XY]]) -> Counter[frozenset[XY]]:
    """Count how often two points are joined."""
    return Counter(frozenset(pair) for line in lines for pair in pairwise(line))


@pytest.mark.parametrize("name", ["town/0", "city/3/4x5"])
def test_graph_is_drawn_by_its_links(name: str) -> None:
    graph = open_world(name)
    drawing = draw_map(graph, graph.positions[:, :2])
    strokes = [shape for shape in drawing.shapes if isinstance(shape, Stroke)]
    positions = [(float(x), float(y)) for x, y in graph.positions[:, :2]]
    links = {frozenset((positions[a], positions[b])) for a, b in zip(graph.source, graph.target, strict=True)}
    assert segments(stroke.points for stroke in strokes) == dict.fromkeys(links, 1)
    cropped = map_data(graph, graph.ids[:1])["marks"]
    assert 0 < len(cropped) < len(drawing.shapes)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] < pair[1]), unique=True))
@settings(deadline=None)
def test_joined_strokes_cover_the_same_segments(links: list[tuple[int, int]]) -> None:
    strokes = [Stroke("link", ((float(a), 0.0), (float(b), 0.0)), (0, 0, 0), 1.0) for a, b in links]
    joined = join_strokes(strokes)
    assert segments(stroke.points for stroke in joined) == segments(stroke.points for stroke in strokes)
    degree = Counter(point for stroke in strokes for point in stroke.points)
    ends = Counter(point for stroke in joined for point in (stroke.points[0], stroke.points[-1]))
    assert all(degree[point] != 2 or count == 2 for point, count in ends.items())
    inner = [point for stroke in joined for point in stroke.points[1:-1]]
    assert all(degree[point] == 2 for point in inner)


def test_single_place_has_a_map(plan: Plan) -> None:
    single_place = Graph.make("lonely", ["a"], [[5.0, 5.0, 0.0]], [], [], [])
    assert map_data(single_place) == {"marks": []} or count_kinds(map_data(single_place)["marks"]) == {"disc": 1}
    assert len(map_data(plan, [plan.graph.ids[7]])["marks"]) > 10
    extent = frame_around(np.array([[0.0, 0.0], [90_000.0, 1.0]]), 10.0)
    assert extent.box[0] <= 0
    assert extent.box[2] >= 90_000


def test_only_used_rooms_are_furnished() -> None:
    rooms = open_city("rooms/3/8").plan
    complete, single = map_data(rooms)["marks"], map_data(rooms, rooms.graph.ids[2:3])["marks"]
    assert 10 < len(single) < 0.3 * len(complete)
    x, y = (float(v) for v in rooms.graph.positions[2, :2])
    room_box = room_around(rooms, (x, y))
    assert room_box is not None
    for shape in single:
        points = np.reshape(shape[5][0] if shape[0] == "shape" else shape[5:7], (-1, 2))
        assert (points > np.array(room_box[:2]) - 1).all()
        assert (points < np.array(room_box[2:]) + 1).all()


def test_compressed_map_data_is_small(plan: Plan) -> None:
    assert len(gzip.compress(json.dumps(map_data(plan), separators=(",", ":")).encode())) < 60_000


def test_used_sections_are_drawn_completely() -> None:
    sections = open_sections("sections/0")
    boxes = sections.bounds[1], sections.bounds[4]
    centres = np.array([[(west + east) / 2, (south + north) / 2] for west, south, east, north in boxes])
    shapes = map_data_at(sections.city.plan, centres)["marks"]
    discs = np.array([shape[5:7] for shape in shapes if shape[0] == "disc"])
    inside_section = [((discs >= box[:2]) & (discs <= box[2:])).all(axis=1) for box in np.array(boxes)]
    assert len(discs) and all(mask.sum() > 10 for mask in inside_section)
    assert (inside_section[0] | inside_section[1]).mean() > 0.95
    assert not any(shape[0] == "words" for shape in shapes)
    assert map_data_at(sections.city.plan, np.array([[5000.0, 0.0]])) == {"marks": []}
