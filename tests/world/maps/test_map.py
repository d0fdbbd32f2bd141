"""Maps: extents, clipping, what is drawn of a plan, and that picture and SVG agree."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.city import open_city
from bearleft.world.city.plan import AREA, BUILDING, DIRECTION_SCALE, ROAD, THING, Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.frame import MapExtent, clip_line, clip_polygon, contains, expand
from bearleft.world.maps.free_space import covering_discs
from bearleft.world.maps.labels import street_names_by_number
from bearleft.world.maps.map import REFERENCE, WALKED, Line, graph_map, overhead_map, region, walk_map
from bearleft.world.maps.overlay import Cone, RouteLine
from bearleft.world.maps.painter import paint
from bearleft.world.maps.shapes import Disc, Drawing, Polygon, Stroke, Words, clean_text
from bearleft.world.maps.svg import svg
from bearleft.world.render.codes import Ground

SMALL_CITY = "city/3/4x5"
TOLERANCE = 1e-6
SVG = "{http://www.w3.org/2000/svg}"
metres = st.floats(-2000, 2000)
extents = st.builds(MapExtent, metres, metres, st.floats(1, 3000), st.integers(16, 1500), st.integers(16, 1500))
points_nearby = st.tuples(st.floats(-100, 100), st.floats(-100, 100))
HOSTILE_TEXTS = [
    '<script>alert("x")</script>',
    "a & b < c > d",
    "\"quotes\" and 'quotes'",
    "]]>",
    "<!--",
    "🐻 Bär 熊",
    "\x00\x1b[1m",
    "two\nlines\tand tabs",
    "\ud800 alone",
    "&amp;lt;",
    "x" * 500,
    " ",
]


def plan_of_one_block(flow: int = 1) -> Plan:
    """Return a 40 m street to the east with a crosswalk at its end, a house, a lawn, a tree and an obelisk."""
    graph = Graph.make("block", ["a", "b"], [(0, 0, 0), (40, 0, 0)], [0, 1], [1, 0], [90, 270])
    roads = np.zeros(4, ROAD)
    roads["x0"], roads["x1"] = [0, 10_000, 20_000, 30_000], [10_000, 20_000, 30_000, 40_000]
    roads["half"], roads["walk"], roads["lanes"], roads["flow"] = 5000, 3000, 2, flow
    roads["along"], roads["trim1"], roads["zebra"] = roads["x0"], [0, 0, 0, 2000], [0, 0, 0, 2]
    areas = np.zeros(1, AREA)
    areas["x"], areas["y"], areas["uy"], areas["hx"], areas["hy"] = 20_000, -18_000, DIRECTION_SCALE, 12_000, 9000
    areas["ground"] = Ground.GRASS
    things = np.zeros(3, THING)
    things["kind"] = [class_index("building"), class_index("tree"), class_index("landmark")]
    landmarks = [make.__name__ for make in CLASSES[class_index("landmark")].variants]
    things["variant"][2] = landmarks.index("obelisk")
    things["x"], things["y"], things["uy"] = (
        [10_000, 30_000, 20_000],
        [14_000, 7000, -18_000],
        [-DIRECTION_SCALE, DIRECTION_SCALE, DIRECTION_SCALE],
    )
    things["sx"] = things["sy"] = things["sz"] = 1000
    things["text"] = [-1, -1, 0]
    buildings = np.zeros(1, BUILDING)
    buildings["hx"], buildings["hy"], buildings["height"] = 8000, 5000, 30_000
    return Plan("block", 0, graph, roads, areas, buildings, things, ("LIBERTY",))


@settings(deadline=None)
@given(extents, st.lists(points_nearby, min_size=1))
def test_metres_and_pixels_convert_both_ways(extent: MapExtent, points: list[tuple[float, float]]) -> None:
    west, south, east, north = extent.box
    assert np.allclose(extent.metres(extent.pixels(points)), points, atol=1e-6)
    corner_pixels = extent.pixels([(west, north), (east, south), (extent.east, extent.north)])
    middle = (extent.width / 2, extent.height / 2)
    assert np.allclose(corner_pixels, [(0, 0), (extent.width, extent.height), middle], atol=1e-6)
    assert math.isclose(min(east - west, north - south), 2 * extent.radius, rel_tol=1e-9)


@settings(deadline=None)
@given(st.lists(points_nearby, min_size=1), st.floats(0, 50), st.integers(16, 900), st.integers(16, 900))
def test_extent_around_points_contains_them(
    points: list[tuple[float, float]], margin: float, width: int, height: int
) -> None:
    extent = MapExtent.around(points, margin, width, height)
    assert contains(expand(extent.box, 1e-6 - margin), points) or extent.radius == 0.5


@settings(deadline=None)
@given(st.lists(points_nearby, min_size=3, max_size=8))
def test_clipped_shapes_lie_inside_the_box(ring: list[tuple[float, float]]) -> None:
    box = (-30.0, -20.0, 40.0, 25.0)
    clipped = clip_polygon(ring, box)
    assert not clipped or contains(expand(box, TOLERANCE), clipped)
    pieces = clip_line(ring, box)
    assert all(len(piece) > 1 and contains(expand(box, TOLERANCE), piece) for piece in pieces)
    # No point of the line that lies inside is lost.
    remaining = [point for piece in pieces for point in piece]
    assert all(point in remaining for point in ring if contains(expand(box, -TOLERANCE), point))
    if contains(box, ring):
        assert clipped == ring and pieces == [ring]


def test_square_is_clipped_to_a_quarter() -> None:
    clipped = clip_polygon([(-10, -10), (10, -10), (10, 10), (-10, 10)], (0, 0, 50, 50))
    assert set(clipped) == {(0, 0), (10, 0), (10, 10), (0, 10)}
    assert clip_polygon([(60, 0), (70, 0), (70, 9)], (0, 0, 50, 50)) == []
    assert clip_line([(-10, 5), (60, 5), (60, 70)], (0, 0, 50, 50)) == [[(0, 5), (50, 5)]]


def assert_inside(drawing: Drawing) -> None:
    box = expand(drawing.box, TOLERANCE)
    for shape in drawing.shapes:
        match shape:
            case Polygon():
                assert all(contains(box, ring) for ring in shape.rings), shape
            case Stroke():
                assert contains(expand(box, shape.width / 2), shape.points), shape
            case Disc():
                assert contains(expand(box, shape.radius), shape.at), shape
            case Words():
                assert contains(box, shape.corners), shape


@pytest.mark.slow
@settings(deadline=None, max_examples=12)
@given(st.floats(-250, 250), st.floats(-250, 250), st.floats(15, 400), st.integers(200, 1100), st.integers(200, 1100))
def test_all_shapes_lie_in_the_picture_and_names_do_not_overlap(
    east: float, north: float, radius: float, width: int, height: int
) -> None:
    plan = open_city(SMALL_CITY).plan
    drawing = overhead_map(
        plan, MapExtent(east, north, radius, width, height), [Line(plan.graph.ids[:30], name="walk")], "t"
    )
    assert_inside(drawing)
    names = [shape for shape in drawing.shapes if isinstance(shape, Words) and shape.kind.endswith(" name")]
    assert not any(labels_overlap(first, second) for first, second in combinations(names, 2))


@pytest.mark.parametrize("size", [(16, 16), (16, 900), (900, 16), (2100, 64)])
def test_odd_sizes_are_painted(size: tuple[int, int]) -> None:
    plan = open_city(SMALL_CITY).plan
    drawing = overhead_map(plan, MapExtent(0, 0, 60, *size), [Line(plan.graph.ids[:9], name="a walk")], "A long title")
    assert_inside(drawing)
    assert paint(drawing).size == size
    assert_svg_matches(drawing)


def labels_overlap(first: Words, second: Words) -> bool:
    """Return whether two rotated labels overlap by more than a quarter of a letter (no axis separates them)."""
    for words in (first, second):
        angle = math.radians(words.angle)
        for axis in ((math.cos(angle), -math.sin(angle)), (math.sin(angle), math.cos(angle))):
            a, b = (np.array(w.corners) @ axis for w in (first, second))
            if min(a.max(), b.max()) - max(a.min(), b.min()) < 0.25 * max(first.size, second.size):
                return False
    return True


def test_block_is_drawn_as_planned() -> None:
    drawing = overhead_map(
        plan_of_one_block(), MapExtent(20, 0, 32, 900, 900), [Line(["a", "b"], name="way", target=(38, 6))]
    )
    count = Counter(shape.kind for shape in drawing.shapes)
    assert count == {
        "grass": 1, "sidewalk": 1, "kerb": 1, "street": 1, "lane": 4, "crosswalk": 1, "building": 1, "tree": 1,
        "landmark": 1, "landmark name": 1, "street name": 1, "ground name": 1, "route edge": 1, "route": 1,
        "route arrow": 9, "route start": 1, "route end": 1, "target": 1, "target ring": 1, "target dot": 1,
        "legend panel": 1, "legend line": 1, "legend": 1, "scale": 3, "north": 4,
    }  # fmt: skip
    by_kind = {shape.kind: shape for shape in drawing.shapes}
    house, street, sidewalk, lawn = (by_kind[kind] for kind in ("building", "street", "sidewalk", "grass"))
    assert isinstance(house, Polygon) and house.instance == 1
    assert set(house.rings[0]) == {(2, 9), (18, 9), (18, 19), (2, 19)}
    assert isinstance(street, Stroke) and street.points[0] == (0, 0) and street.points[-1] == (40, 0)
    assert isinstance(sidewalk, Stroke) and (street.width, sidewalk.width) == (10, 16)
    assert isinstance(lawn, Polygon) and set(lawn.rings[0]) == {(8, -27), (32, -27), (32, -9), (8, -9)}
    zebra = by_kind["crosswalk"]
    assert isinstance(zebra, Polygon) and len(zebra.rings) >= 6
    easts = [x for ring in zebra.rings for x, _ in ring]
    assert min(easts) == pytest.approx(35.0) and max(easts) == pytest.approx(38.0)  # before the last two metres
    assert max(abs(y) for ring in zebra.rings for _, y in ring) < 5
    name = by_kind["landmark name"]
    assert isinstance(name, Words) and name.text == "Liberty Obelisk" and name.instance == 3


@pytest.mark.parametrize(("flow", "east"), [(1, 1), (-1, -1), (0, 0)])
def test_one_way_arrows_point_along_the_traffic(flow: int, east: int) -> None:
    drawing = overhead_map(plan_of_one_block(flow), MapExtent(20, 0, 60, 400, 400))
    arrows = [shape for shape in drawing.shapes if isinstance(shape, Polygon) and shape.kind == "one way"]
    assert bool(arrows) == bool(flow)
    for arrow in arrows:
        ring = arrow.rings[0]
        tip, tail = ring[3], ring[0]
        assert np.sign(tip[0] - tail[0]) == east and abs(tip[1]) < TOLERANCE
    assert any(
        shape.kind == "centre line" for shape in overhead_map(plan_of_one_block(flow), MapExtent(20, 0, 20)).shapes
    ) == (flow == 0)


def test_street_names_match_their_signs() -> None:
    plan = open_city(SMALL_CITY).plan
    names = {name.upper() for name in street_names_by_number(plan).values()}
    signs = plan.things[plan.things["kind"] == class_index("street sign")]
    sign_texts = {plan.texts[text] for text in signs["text"] if text >= 0}
    assert sign_texts and sign_texts <= names
    map_names = {
        shape.text.upper()
        for shape in overhead_map(plan).shapes
        if isinstance(shape, Words) and shape.kind == "street name"
    }
    assert len(map_names) > 4 and map_names <= names


def test_closer_maps_show_more_detail() -> None:
    plan = open_city(SMALL_CITY).plan
    kinds = [{shape.kind for shape in overhead_map(plan, MapExtent(0, 0, radius)).shapes} for radius in (40, 200, 900)]
    near, middle, far = kinds
    assert {"building", "street", "sidewalk", "street name"} <= far & middle & near
    assert "crosswalk" in middle - far and "lane" in near - middle and "trash can" in near - middle
    without_names = {shape.kind for shape in overhead_map(plan, MapExtent(0, 0, 200), names=False).shapes}
    assert not {"street name", "one way", "bus stop"} & without_names and "building" in without_names


def assert_svg_matches(drawing: Drawing) -> ElementTree.Element:
    """Check that the SVG has each shape once, in order, at the position of the drawing."""
    root = ElementTree.fromstring(svg(drawing))
    assert root.get("viewBox") == f"0 0 {drawing.frame.width} {drawing.frame.height}"
    elements = [(group.get("class"), element) for group in root.findall(f"{SVG}g") for element in group]
    assert len(elements) == len(drawing.shapes)
    tags = {Polygon: "path", Stroke: "polyline", Disc: "circle", Words: "text"}
    for (kind, element), shape in zip(elements, drawing.shapes, strict=True):
        assert kind == shape.kind.replace(" ", "-") and element.tag == SVG + tags[type(shape)]
        assert element.get("data-instance") == (str(shape.instance) if shape.instance else None)
        match shape:
            case Polygon():
                first = element.get("d", "").removeprefix("M").split()[0].removesuffix("Z")
                x, y = (float(v) for v in first.split(","))
                point, colour = shape.rings[0][0], shape.fill
                assert element.get("d", "").count("M") == len(shape.rings)
            case Stroke():
                x, y = (float(v) for v in element.get("points", "").split()[0].split(","))
                point, colour = shape.points[0], shape.colour
                assert float(element.get("stroke-width", "")) == pytest.approx(
                    shape.width * drawing.frame.scale, abs=0.01
                )
            case Disc():
                x, y = float(element.get("cx", "")), float(element.get("cy", ""))
                point, colour = shape.at, shape.fill
            case Words():
                x, y = float(element.get("x", "")), float(element.get("y", ""))
                point, colour = shape.at, shape.colour
                assert "".join(element.itertext()) == shape.text
        assert np.allclose(drawing.frame.pixels(point), (x, y), atol=0.006)
        element_colour = element.get("stroke") if isinstance(shape, Stroke) else element.get("fill")
        assert element_colour == "#{:02x}{:02x}{:02x}".format(*colour)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    return root


def test_picture_and_svg_agree() -> None:
    plan = open_city(SMALL_CITY).plan
    trajectory = Line(plan.graph.ids[:12], WALKED, 8, "walk", (0.0, 0.0))
    drawing = overhead_map(plan, None, [trajectory], "A walk", Cone((10, 10), 30))
    root = assert_svg_matches(drawing)
    buildings = root.findall(f"{SVG}g[@class='building']/{SVG}path")
    numbers = {int(element.get("data-instance", "")) - 1 for element in buildings}
    assert numbers and numbers <= set(plan.buildings["thing"].tolist())
    assert all(element.find(f"{SVG}title") is not None for element in buildings)
    picture = np.asarray(paint(drawing))
    assert picture.shape == (1024, 1024, 3)
    for shape in drawing.shapes:
        if shape.kind in ("route end", "target dot"):
            assert isinstance(shape, Disc)
            x, y = drawing.frame.pixels(shape.at).astype(int)
            assert tuple(picture[y, x]) == shape.fill


@pytest.mark.slow
def test_no_label_covers_unnamed_routes() -> None:
    plan = open_city(SMALL_CITY).plan
    graph, positions = plan.graph, plan.graph.positions[:, :2]
    frame = MapExtent.around(positions, 20.0)
    links = np.stack([positions[graph.source], positions[graph.target]], axis=1)
    # Two routes along all links, one after the other.
    every = tuple((float(x), float(y)) for x, y in links.reshape(-1, 2))
    routes = [RouteLine(every, name="walk", starts=False, arrives=arrives) for arrives in (True, False)]
    points = np.concatenate([np.linspace(link[0], link[1], 9) for link in links])

    def covered(drawing: Drawing) -> int:
        names = [shape for shape in drawing.shapes if isinstance(shape, Words) and shape.kind == "street name"]
        discs = [disc for name in names for disc in covering_discs(name)]
        return sum(bool((np.hypot(*(points - disc[:2]).T) < disc[2]).any()) for disc in discs)

    drawing = overhead_map(plan, frame, unnamed=routes)
    assert covered(overhead_map(plan, frame)) > 0 == covered(drawing)
    assert_svg_matches(drawing)
    kinds = {shape.kind for shape in drawing.shapes}
    assert not {"legend", "route start"} & kinds
    ends = [shape for shape in drawing.shapes if shape.kind == "route end"]
    assert {type(shape) for shape in ends} == {Disc, Stroke} and all(shape.name == "walk" for shape in ends)


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_texts_are_escaped(text: str) -> None:
    plan = plan_of_one_block()
    hostile_plan = Plan("block", 0, plan.graph, plan.roads, plan.areas, plan.buildings, plan.things, (text,))
    drawing = overhead_map(hostile_plan, MapExtent(20, 0, 32, 700, 700), [Line(["a", "b"], name=text)], text)
    root = assert_svg_matches(drawing)
    assert root.find(f".//{SVG}script") is None
    assert {element.tag for element in root.iter()} <= {
        SVG + t for t in ("svg", "title", "rect", "g", "path", "polyline", "circle", "text")
    }
    assert_inside(drawing)
    title = root.find(f"{SVG}title")
    assert title is not None and title.text == (clean_text(text) or "Map")
    assert paint(drawing).size == (700, 700)


def test_map_is_deterministic() -> None:
    plan, extent = open_city(SMALL_CITY).plan, MapExtent(0, 0, 100)
    assert overhead_map(plan, extent).shapes == overhead_map(plan, extent).shapes
    assert svg(overhead_map(plan, extent)) == svg(overhead_map(plan, extent))


def test_map_of_a_room_is_a_floor_plan() -> None:
    plan = open_city("rooms/0/3").plan
    east, north = plan.graph.positions[0, :2]
    drawing = overhead_map(plan, MapExtent(float(east), float(north), 7, 600, 600))
    kinds = Counter(shape.kind for shape in drawing.shapes)
    assert kinds["floor"] and kinds["wall"] and not kinds["ceiling"] and not kinds["street"]
    assert sum(kind.endswith(" name") for kind in kinds) > 3
    for shape in drawing.shapes:
        if shape.instance and not isinstance(shape, Words):
            assert CLASSES[int(plan.things["kind"][shape.instance - 1])].name == shape.kind == shape.name
    assert_svg_matches(drawing)
    assert_inside(drawing)


@pytest.mark.parametrize("size", [(700, 700), (300, 500), (80, 80)])
def test_long_titles_and_names_are_shortened(size: tuple[int, int]) -> None:
    long = "A title that is far too long for any picture " * 20
    plan = plan_of_one_block()
    drawing = overhead_map(plan, MapExtent(20, 0, 32, *size), [Line(["a", "b"], name=long)], long)
    kinds = Counter(shape.kind for shape in drawing.shapes)
    assert kinds["title panel"] == kinds["title"] and kinds["legend panel"] == kinds["legend"] == kinds["legend line"]
    for shape in drawing.shapes:
        if isinstance(shape, Words) and shape.kind in ("title", "legend"):
            assert shape.text.endswith("…") and long.startswith(shape.text[:-1])
    assert size[0] < 300 or kinds["title"] == kinds["legend"] == 1
    assert_svg_matches(drawing)
    assert_inside(drawing)
    short = overhead_map(plan, MapExtent(20, 0, 32, *size), title="Hi")
    assert [shape.text for shape in short.shapes if isinstance(shape, Words) and shape.kind == "title"] == (
        ["Hi"] if size[0] > 80 else ["…"]
    )


def test_map_of_a_graph_shows_links_and_places() -> None:
    graph = plan_of_one_block().graph
    drawing = overhead_map(graph, None, [Line(["b", "a"])])
    count = Counter(shape.kind for shape in drawing.shapes)
    assert (count["link"], count["place"], count["building"]) == (1, 2, 0)
    assert_svg_matches(drawing)
    assert_inside(drawing)


def test_view_cone_points_to_its_heading() -> None:
    drawing = Drawing(MapExtent(0, 0, 50, 300, 300))
    for heading, (x, y) in ((0, (0, 1)), (90, (1, 0)), (180, (0, -1)), (270, (-1, 0))):
        shapes = overhead_map(plan_of_one_block().graph, drawing.frame, cone=Cone((0, 0), heading, 60, 20)).shapes
        ring = next(shape for shape in shapes if isinstance(shape, Polygon) and shape.kind == "view").rings[0]
        assert np.allclose(ring[0], (0, 0)) and all(
            px * x + py * y >= 10 * math.sqrt(3) - TOLERANCE for px, py in ring[1:]
        )
        assert all(math.hypot(*point) == pytest.approx(20) for point in ring[1:])


def test_small_maps_show_their_lines() -> None:
    graph = plan_of_one_block().graph
    picture = np.asarray(graph_map(graph, [Line(["a", "b"], REFERENCE)], "title", 200, margin=10))
    assert picture.shape == (200, 200, 3)
    extent = region(graph, [Line(["a", "b"])], 10, 200, 200)
    x, y = extent.pixels((40, 0)).astype(int)
    assert tuple(picture[y, x]) == REFERENCE
    around_path = np.asarray(walk_map(plan_of_one_block(), Line(["a", "b"], WALKED), 300, 30))
    assert around_path.shape == (300, 300, 3) and (around_path == WALKED).all(axis=2).sum() > 50
    in_city = np.asarray(
        walk_map(open_city(SMALL_CITY).plan, Line(open_city(SMALL_CITY).graph.ids[:9], WALKED), 300, 30)
    )
    assert (in_city == WALKED).all(axis=2).sum() > 50


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: MapExtent(0, 0, 0), "a radius"),
        (lambda: MapExtent(0, 0, math.nan), "a radius"),
        (lambda: MapExtent(math.inf, 0, 10), "a centre"),
        (lambda: MapExtent(0, 0, 10, 5000), "pixels"),
        (lambda: MapExtent(0, 0, 10, 100, 1), "pixels"),
        (lambda: Cone((0, 0), math.nan), "a pose"),
        (lambda: Cone((0, 0), 0, 0), "a field of view"),
        (lambda: Cone((0, 0), 0, 90, math.inf), "metres"),
        (lambda: graph_map(plan_of_one_block().graph, [Line(["c"])]), "a place"),
        (lambda: overhead_map(plan_of_one_block(), None, [Line(["a", "z"])]), "a place"),
    ],
)
def test_bad_input_is_refused(call: object, expected: str) -> None:
    assert callable(call)
    with pytest.raises(InputError, match=expected):
        call()
