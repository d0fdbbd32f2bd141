"""Worlds of rooms: determinism, names, categories and contents."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bearleft import RenderConfig
from bearleft import render as render_file
from bearleft.errors import InputError
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import open_city
from bearleft.world.city.plan import Plan
from bearleft.world.render import cpu
from bearleft.world.render.camera import panorama
from bearleft.world.rooms.catalog import ROOM_CLASSES
from bearleft.world.rooms.shell import ROOM_SPACING, SIZES, category, room_shells, rooms_graph
from bearleft.world.rooms.world import furnish_room, room_plan
from bearleft.world.worlds import open_world
from tests.world.rooms.bounding_boxes import room_of

FIELDS = ("variant", "x", "y", "z", "ux", "uy", "sx", "sy", "sz", "text", "owner", "group", "place_in_group")


def digest(plan: Plan) -> str:
    """Return a hash of class names and positions, which new classes in the catalogue do not change."""
    lines = [f"{CLASSES[row['kind']].name} {[int(row[field]) for field in FIELDS]}" for row in plan.things]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def test_plan_is_deterministic() -> None:
    plan = room_plan(0, 12)
    assert plan.hash == room_plan(0, 12).hash != room_plan(1, 12).hash
    assert digest(plan) == "01deb9b991eb03fc"
    assert plan.indoors and plan.eye == 1600 and not len(plan.roads) and not len(plan.buildings)


def test_room_does_not_depend_on_the_count() -> None:
    few, many = room_plan(5, 7), room_plan(5, 30)
    for k in (0, 6):
        things, other = few.things[room_of(few) == k], many.things[room_of(many) == k]
        x, y = (room_shells(5, 7).x[k] - room_shells(5, 30).x[k], room_shells(5, 7).y[k] - room_shells(5, 30).y[k])
        assert len(things) == len(other) == len(furnish_room(5, 30, k).things)
        assert (things["x"] - x == other["x"]).all() and (things["y"] - y == other["y"]).all()
        for field in ("kind", "variant", "z", "ux", "uy", "sx", "first", "second"):
            assert (things[field] == other[field]).all()


def test_category_shares() -> None:
    counts = Counter(category(k) for k in range(60))
    assert counts == {"restaurant": 20, "shop": 10, "expo_showroom": 10, "living_room": 10, "bedroom": 10}


def test_graph_has_a_place_per_room() -> None:
    graph = rooms_graph(4, 50)
    assert len(graph) == 50 and graph.ids[7] == "0000007" and not len(graph.source)
    assert set(graph.yaw.tolist()) == {0.0, 90.0, 180.0, 270.0}
    distances = np.linalg.norm(graph.positions[:, None] - graph.positions[None], axis=2)
    assert distances[distances > 0].min() > 20
    rooms = room_shells(4, 50)
    for k in range(50):
        min_width, max_width, min_depth, max_depth, low, high = SIZES[category(k)]
        assert min_width <= rooms.width[k] <= max_width and min_depth <= rooms.depth[k] <= max_depth
        assert 2_500 <= low <= rooms.height[k] <= high <= 4_500
    assert max(size for sizes in SIZES.values() for size in sizes) < ROOM_SPACING - 10_000
    assert len({(int(a), int(b), int(c)) for a, b, c in zip(rooms.width, rooms.depth, rooms.height, strict=True)}) > 45


def test_worlds_open_by_name() -> None:
    assert len(open_world("rooms/3")) == 60 and len(open_world("rooms/3/8")) == 8
    assert open_world("rooms/3/60") is open_world("rooms/3")
    city = open_city("rooms/3/8")
    assert city is open_city("rooms/3/8") and city.graph is open_world("rooms/3/8")
    assert city.plan.hash == room_plan(3, 8).hash
    pose = city.poses([2])[0, :3]
    assert pose[2] == pytest.approx(1.6) and pose[:2] == pytest.approx(city.graph.positions[2, :2])


@pytest.mark.parametrize("name", ["rooms", "rooms/", "rooms/x", "rooms/1/", "rooms/1/2x3", "rooms/-1", "rooms/1/2/3"])
def test_bad_names_raise(name: str) -> None:
    with pytest.raises(InputError, match="rooms/SEED"):
        open_world(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("rooms/1/0", "20,000 rooms"), ("rooms/1/20001", "20,000 rooms"), ("rooms/99999999999", "a seed from 0")],
)
def test_out_of_range_rooms_raise(name: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        open_city(name)


def test_conflicting_seed_raises() -> None:
    with pytest.raises(InputError, match="the seed of rooms/1/6"):
        open_city("rooms/1/6", seed=2)


@pytest.mark.slow
def test_every_class_occurs_and_rooms_are_full() -> None:
    plan = room_plan(0, 180)
    names = {CLASSES[int(kind)].name for kind in np.unique(plan.things["kind"])}
    assert [object_class.name for object_class in ROOM_CLASSES if object_class.name not in names] == []
    assert {"person", "potted plant", "car", "bicycle", "wall lamp", "bench", "trash can"} <= names
    rooms = room_of(plan)
    for kind in SIZES:
        things_by_room = [plan.things[rooms == k] for k in range(180) if category(k) == kind]
        assert np.median([len(things) for things in things_by_room]) >= 30
        assert np.median([len(np.unique(things["kind"])) for things in things_by_room]) >= 20
        assert len({tuple(things["kind"].tolist()) for things in things_by_room}) == len(things_by_room)


def test_owners_and_groups() -> None:
    plan = room_plan(2, 60)
    things, rooms = plan.things, room_of(plan)
    owned = np.flatnonzero(things["owner"] >= 0)
    assert (rooms[things["owner"][owned]] == rooms[owned]).all() and (things["owner"][owned] != owned).all()
    groups = np.unique(things["group"][things["group"] >= 0])
    for group in groups.tolist():
        members = np.flatnonzero(things["group"] == group)
        assert len(set(rooms[members].tolist())) == 1 and len(set(things["kind"][members].tolist())) == 1
        assert len(set(things["place_in_group"][members].tolist())) == len(members)
    sizes = Counter(things["group"][things["group"] >= 0].tolist())
    assert sum(1 for size in sizes.values() if size > 1) > len(sizes) * 0.9
    texts = {plan.texts[int(text)] for text in things["text"][things["text"] >= 0]}
    assert texts == set(plan.texts) and len(texts) > 20


@pytest.mark.slow
def test_many_things_are_visible() -> None:
    city = open_city("rooms/0/12")
    lens = panorama(512, 256)
    counts = []
    for place in range(12):
        picture = cpu.render(city.scene, city.poses([place]), lens, samples=1, shadows=False)
        assert np.isfinite(picture.depth).all(), "a room has no holes"
        assert (picture.instance > 0).all()
        counts.append((len(np.unique(picture.instance)), len(np.unique(picture.kind))))
    things, classes = np.median(counts, axis=0)
    assert things >= 25 and classes >= 12


def test_render_rooms(tmp_path: Path) -> None:
    result = render_file("rooms/0/12", tmp_path / "room.png", config=RenderConfig(place="3", size="64x32", samples=1))
    assert result.rows[0]["instances"] > 10
    with pytest.raises(InputError, match="a place of the world rooms/0/12"):
        render_file("rooms/0/12", tmp_path / "room.png", config=RenderConfig(place="12", size="64x32"))
    rooms = room_shells(0, 12)
    inside_wall = f"{rooms.x[0] / 1000},{(rooms.y[0] + rooms.depth[0] // 2 + 50) / 1000},1.0"
    with pytest.raises(InputError, match="inside a wall"):
        render_file("rooms/0/12", tmp_path / "room.png", config=RenderConfig(at=inside_wall, size="64x32"))


def test_camera_height() -> None:
    city = open_city("rooms/0/12")
    east, north, _ = city.graph.positions[3]
    by_place, by_point = RenderConfig(place="3").poses(city)[0], RenderConfig(at=f"{east},{north}").poses(city)[0]
    assert by_place[2] == by_point[2] == pytest.approx(1.6)
    facing_main_wall = RenderConfig(place="3", heading=float(city.graph.yaw[3])).poses(city)[0]
    assert (facing_main_wall == by_place).all(), "by default the camera faces the main wall"
