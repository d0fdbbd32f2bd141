"""Whole cities: cameras outside of solids, odd graphs, bad input, open_city and its cache."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.world.city import city as city_module
from bearleft.world.city.city import City, build_plan, open_city
from bearleft.world.city.plan import EYE_HEIGHT, THING, check_seed
from bearleft.world.city.stages import STAGES
from bearleft.world.city.streets import city_graph
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.camera import view
from bearleft.world.render.codes import SolidShape
from bearleft.world.render.cpu import render
from bearleft.world.render.mesh import mesh
from bearleft.world.render.scene import SOLID
from bearleft.world.worlds import open_world, town_graph

from .camera_distances import camera_positions, distances, inside_and_nearest, is_inside
from .test_roads import chain, graph_of, line


@pytest.fixture
def empty_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(city_module, "_CITIES", {})


@pytest.fixture(scope="module")
def small_city() -> City:
    return City(build_plan(city_graph(0, 2, 2)))


def circle_points(count: int, radius: float = 50.0) -> list[tuple[float, float]]:
    turns = np.arange(count) * 2 * np.pi / count
    return [(float(radius * np.cos(a)), float(radius * np.sin(a))) for a in turns]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("graph", "seed"),
    [(city_graph(0), 0), (city_graph(3, 5, 6), 11), (town_graph(0), 5), (city_graph(9, 2, 2), 2**31 - 1)],
)
def test_no_camera_is_inside_or_close_to_a_solid(graph: Graph, seed: int) -> None:
    solids = City(build_plan(graph, seed)).scene.solids
    inside, nearest = inside_and_nearest(solids, camera_positions(graph), 0.5)
    assert len(inside) == 0
    assert nearest.min() >= 0.5


def make_solid(kind: SolidShape, shape: tuple[float, ...] = (), thin: float = 1.0) -> Any:
    """Return a solid of 2 x 4 x 6 m, rotated by 90 degrees, centred at (10, 20, 3)."""
    solid = np.zeros(1, SOLID)
    solid["kind"], solid["centre"], solid["instance"] = kind, (10, 20, 3), 1
    solid["matrix"] = [[0, -2 * thin, 0], [1, 0, 0], [0, 0, 3]]
    solid["shape"][0, : len(shape)] = shape
    return solid


@pytest.mark.parametrize(
    ("kind", "shape", "volume"),
    [
        (SolidShape.BOX, (), 8.0),
        (SolidShape.CYLINDER, (), 2 * np.pi),
        (SolidShape.ELLIPSOID, (), 4 / 3 * np.pi),
        (SolidShape.CONE, (0.5,), 2 * np.pi * (1 + 0.5 + 0.25) / 3),
        (SolidShape.TAPER, (0.0, 1.0, 1.0), 4.0),
        (SolidShape.TAPER, (0.5, 0.0, 0.0), 6.0),
    ],
)
def test_is_inside_matches_volumes(kind: SolidShape, shape: tuple[float, ...], volume: float) -> None:
    points = np.random.default_rng(0).uniform((8, 19, 0), (12, 21, 6), (20_000, 3))
    solids = np.repeat(make_solid(kind, shape), len(points))
    assert is_inside(solids, points).mean() * 8 == pytest.approx(volume, abs=0.15)
    assert is_inside(solids[:1], np.array([[10.0, 20.0, 2.0]])).all()
    assert not is_inside(solids[:1], np.array([[12.1, 20.0, 3.0]])).any()
    corner = mesh(solids[:1]).vertices[0].astype(float)
    outside_point = corner + (corner - (10, 20, 3)) * 0.1
    assert distances(solids[:1], outside_point[None])[0] <= np.linalg.norm(outside_point - corner) + 1e-6


def test_inside_and_nearest_of_known_points() -> None:
    box = make_solid(SolidShape.BOX)
    for point, inside, near in (
        ((10, 20, 2.4), 1, 0.5),  # far from any face
        ((11.9, 20, 2.4), 1, 0.1),
        ((12.3, 20, 2.4), 0, 0.3),
        ((12.3, 21.4, 2.4), 0, 0.5),
        ((12.24, 21.32, 2.4), 0, 0.4),
        ((30, 20, 2.4), 0, 0.5),
    ):
        inside_points, nearest = inside_and_nearest(box, np.array([point], float), 0.5)
        assert len(inside_points) == inside, point
        assert nearest[0] == pytest.approx(near, abs=1e-5), point
    plate = make_solid(SolidShape.PLATE, thin=0.01)
    assert inside_and_nearest(plate, np.array([[10.3, 20, 2.4]]), 0.5)[1][0] == pytest.approx(0.3, abs=0.03)


ODD_GRAPHS = {
    "a single link": graph_of([(0, 0), (10, 0)], [(0, 1)]),
    "a star": graph_of([(0.0, 0.0), *circle_points(9, 30)], [(0, k) for k in range(1, 10)]),
    "a long line": graph_of(line((0, 0), (6000, 0), 600), chain(line((0, 0), (6000, 0), 600))),
    "a very long link": graph_of([(0, 0), (9000, 50)], [(0, 1)]),
    "two towns": graph_of([(0, 0), (10, 0), (300, 0), (310, 0)], [(0, 1), (2, 3)]),
    "a triangle": graph_of([(0, 0), (10, 0), (5, 8)], [(0, 1), (1, 2), (2, 0)]),
    "a loop": graph_of(circle_points(30), [(k, (k + 1) % 30) for k in range(30)]),
    "everything linked": graph_of(circle_points(12), [(a, b) for a in range(12) for b in range(a + 1, 12)]),
    "far from the origin": graph_of([(99_000, -99_000), (99_010, -99_000)], [(0, 1)]),
    "a street with places twice": graph_of(
        [point for point in line((0, 0), (100, 0), 10) for _ in range(2)], [(k, k + 1) for k in range(21)]
    ),
    "a street with places every 0.1 m": graph_of(
        [*line((0, 0), (0, 90), 9), *line((0, 90.1), (0, 95), 49), *line((0, 105), (0, 200), 9)],
        [(k, k + 1) for k in range(69)],
    ),
}


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_odd_graphs_become_cities(name: str) -> None:
    graph = ODD_GRAPHS[name]
    city = City(build_plan(graph))
    assert len(city.plan.things) > 20
    inside, nearest = inside_and_nearest(city.scene.solids, camera_positions(graph), 0.5)
    assert len(inside) == 0 and nearest.min() >= 0.5
    pictures = render(city.scene, city.poses(np.arange(min(len(graph), 3)), 40), view(16, 16))
    assert (pictures.instance >= 0).any()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    "points", [[(0, 0), (0.1, 0)], [(0, 0), (0, 0)], [(3, 3)] * 6, line((0, 0), (20, 0), 200)], ids=len
)
def test_scene_needs_space_for_things(points: list[tuple[float, float]]) -> None:
    city = City(build_plan(graph_of(points, chain(points))))
    with pytest.raises(InputError, match="space for objects"):
        city.scene  # noqa: B018


@pytest.mark.slow
@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_any_connected_graph_becomes_a_city_or_raises(data: st.DataObject) -> None:
    count = data.draw(st.integers(2, 14))
    near = st.sampled_from([0.0, 0.1, 3.0, 11.0, 40.0]) | st.integers(-150, 150)
    points = [(float(data.draw(near)), float(data.draw(near))) for _ in range(count)]
    graph = graph_of(points, [(data.draw(st.integers(0, k - 1)), k) for k in range(1, count)])
    city = City(build_plan(graph, data.draw(st.integers(0, 2**31 - 1))))
    try:
        solids = city.scene.solids
    except InputError:
        return
    inside, nearest = inside_and_nearest(solids, camera_positions(graph), 0.5)
    assert len(inside) == 0 and nearest.min() >= 0.5


def test_isolated_place_raises() -> None:
    with pytest.raises(InputError, match="p2, which has no links"):
        build_plan(graph_of([(0, 0), (10, 0), (50, 0)], [(0, 1)]))
    with pytest.raises(InputError, match="lonely"):
        build_plan(Graph.make("one", ["lonely"], [(0, 0, 0)], [], [], []))


@pytest.mark.parametrize(("x", "y"), [(20_000, 20_000), (0, 90_000)])
def test_too_large_graph_raises(x: float, y: float) -> None:
    graph = graph_of([(0, 0), (x, y), (50_000, 0)], [(0, 1), (0, 2)])
    with pytest.raises(InputError, match="square kilometres"):
        build_plan(graph)


@pytest.mark.parametrize("far", [100_010.0, 3e6, 1e12, -1e300])
def test_places_too_far_from_the_origin_raise(far: float) -> None:
    with pytest.raises(InputError, match="within 100 km of the origin, got the place p1"):
        build_plan(graph_of([(0, 0), (10, far)], [(0, 1)]))
    with pytest.raises(InputError, match="the place p0"):
        build_plan(graph_of([(far, 5), (far, 15)], [(0, 1)]))


BAD_SEEDS: list[Any] = [-1, 2**31, 10**30, True, False, 1.5, 0.0, "x", "3", None]


@pytest.mark.parametrize("seed", BAD_SEEDS)
def test_bad_seeds_raise(seed: Any) -> None:
    for function in (check_seed, city_graph, lambda s: build_plan(ODD_GRAPHS["a single link"], s)):
        with pytest.raises(InputError, match="a seed from 0 to 2147483647"):
            function(seed)


@pytest.mark.parametrize("seed", [-1, 2**31, True, 1.5, "x"])
def test_bad_seeds_of_other_worlds_raise(seed: Any) -> None:
    with pytest.raises(InputError, match="a seed from 0"):
        open_city("town/0", seed)


@pytest.mark.parametrize(
    "name",
    [
        "city/0/1x1", "city/0/999x3", "city/0/3x999", "city/0/0x0", "city/2147483648", "city/abc", "city/", "city",
        "city/-1", "city/0/3", "city/0/3x", "city/0/3x3x3", "city/0/axb", "city/1.5", "", "atlantis", "matterport/x",
        "CITY/0", "city/0 ",
    ],
)  # fmt: skip
def test_bad_world_names_raise(name: str) -> None:
    with pytest.raises(InputError):
        open_city(name)


def test_missing_data_raises(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BEARLEFT_DATA", raising=False)  # whose street graph would be taken
    with pytest.raises(InputError):
        open_city("touchdown", data=tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("empty_cache")
def test_open_city_uses_the_seed_of_its_world() -> None:
    city = open_city("city/3/2x2")
    assert city.plan.seed == 3 and city.graph.name == "city/3/2x2" and city.graph is open_world("city/3/2x2")
    assert open_city("city/3/2x2", 3) is city
    with pytest.raises(InputError, match="the seed of city/3/2x2, or none"):
        open_city("city/3/2x2", 4)
    assert open_city("town/0").plan.seed == 0
    assert open_city("town/0", 0) is open_city("town/0")
    other = open_city("town/0", 8)
    assert other.plan.seed == 8 and other.graph is open_city("town/0").graph
    assert other.plan.hash != open_city("town/0").plan.hash


@pytest.mark.slow
@pytest.mark.usefixtures("empty_cache")
def test_recent_cities_are_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(city_module, "CACHE_SIZE", 2)
    names = [f"city/{seed}/2x2" for seed in range(3)]
    opened = [open_city(name) for name in names]
    assert len(city_module._CITIES) == 2
    assert all(open_city(name) is city for name, city in zip(names[1:], opened[1:], strict=True))
    again = open_city(names[0])
    assert again is not opened[0] and again.plan.hash == opened[0].plan.hash
    assert again.scene is again.scene


def test_build_plan_reports_progress() -> None:
    reports: list[tuple[str, int, int]] = []
    build_plan(city_graph(0, 2, 2), progress=lambda *report: reports.append(report))
    assert [k for _, k, _ in reports] == list(range(len(STAGES))) and {n for _, _, n in reports} == {len(STAGES)}
    assert reports[0][0] == "lay roads" and reports[-1][0] == "lay grounds"


def test_subset_of_stages(small_city: City) -> None:
    bare = build_plan(city_graph(0, 2, 2), stages=STAGES[:1])
    assert len(bare.roads) and not len(bare.things) and bare.things.dtype == THING
    assert small_city.plan.roads.tolist() == bare.roads.tolist()


def test_cameras_are_at_eye_height(small_city: City) -> None:
    city, positions = small_city, small_city.graph.positions
    poses = city.poses([4, 0], [90, 10], -5, [0, 1])
    assert poses.dtype == np.float32 and poses.shape == (2, 6)
    assert np.allclose(poses[:, :2], positions[[4, 0], :2], atol=1e-3) and np.allclose(poses[:, 2], EYE_HEIGHT / 1000)
    assert poses[:, 3:].tolist() == [[90, -5, 0], [10, -5, 1]]
    assert city.poses(3).shape == (1, 6) and (city.poses(3)[0, 3:] == 0).all()
    assert (positions[:, 2] == 0).all(), "the graph's positions are not modified"


@pytest.mark.parametrize("place", [-1, 10**6])
def test_unknown_place_raises(small_city: City, place: int) -> None:
    with pytest.raises(InputError, match="places from 0 to"):
        small_city.poses([0, place])
