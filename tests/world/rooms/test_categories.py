"""Furnished rooms, checked by bounding boxes: no overlaps, nothing floats, doors and wall objects are free."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from bearleft.world.city.plan import DIRECTION_SCALE
from bearleft.world.rooms.shell import RoomShells, category, room_shells
from bearleft.world.rooms.world import room_plan
from tests.world.rooms.bounding_boxes import ThingBoxes, room_of, thing_boxes

SHELL_CLASSES = ("wall", "floor", "ceiling")
WORLDS = ((0, 48), (11, 48))
TOLERANCE = 0.012  # metres; boxes of round or rotated solids may overlap by this much
WALL_CLASSES = (
    "painting",
    "mirror",
    "wall clock",
    "poster",
    "chalkboard",
    "whiteboard",
    "exit sign",
    "light switch",
    "electrical outlet",
    "air vent",
    "fire extinguisher",
    "security camera",
    "wall lamp",
)


class World:
    """A world of rooms with the bounding boxes of its things."""

    def __init__(self, seed: int, count: int) -> None:
        self.count = count
        self.boxes: ThingBoxes = thing_boxes(room_plan(seed, count))
        self.names = self.boxes.names()
        self.shells: RoomShells = room_shells(seed, count)
        rooms = room_of(self.boxes.plan)
        self.things = [np.flatnonzero(rooms == k) for k in range(count)]

    def furniture(self, room: int) -> list[int]:
        return [k for k in self.things[room].tolist() if self.names[k] not in SHELL_CLASSES]

    def things_of(self, room: int, *names: str) -> list[int]:
        return [k for k in self.things[room].tolist() if self.names[k] in names]

    def inner_bounds(self, room: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the lower and upper corner of a room's interior, in metres."""
        shells = self.shells
        at, half = (
            np.array([shells.x[room], shells.y[room]]) / 1000,
            np.array([shells.width[room], shells.depth[room]]) / 2000,
        )
        return np.append(at - half, 0.0), np.append(at + half, shells.height[room] / 1000)


@pytest.fixture(scope="module", params=WORLDS, ids=lambda world: f"rooms/{world[0]}/{world[1]}")
def world(request: pytest.FixtureRequest) -> World:
    return World(*request.param)


@pytest.mark.slow(keep=1)
def test_things_do_not_overlap(world: World) -> None:
    boxes, overlapping = world.boxes, []
    for room in range(world.count):
        things = world.furniture(room)
        low, high = boxes.low[things], boxes.high[things]
        overlap = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
        for i, j in np.argwhere((overlap > TOLERANCE).all(axis=2)).tolist():
            thing, other = things[i], things[j]
            names = world.names[thing], world.names[other]
            if i < j and "seated person" not in names and boxes.overlaps(thing, other, TOLERANCE):
                overlapping.append((room, *names))
    assert overlapping == []


def test_every_seated_person_has_a_seat(world: World) -> None:
    boxes, plan = world.boxes, world.boxes.plan
    seats: list[int] = []
    for room in range(world.count):
        for thing in world.things_of(room, "seated person"):
            seat = int(plan.things["owner"][thing])
            seats.append(seat)
            assert world.names[seat] in ("chair", "booth seat")
            for other in world.furniture(room):
                if world.names[other] not in (
                    "chair",
                    "booth seat",
                    "tablecloth table",
                    "dining table",
                    "seated person",
                ):
                    assert not boxes.overlaps(thing, other, 0.03), (room, world.names[other])
    assert len(set(seats)) == len(seats) > 20


def test_things_are_inside_the_room(world: World) -> None:
    boxes = world.boxes
    for room in range(world.count):
        low, high = world.inner_bounds(room)
        for k in world.furniture(room):
            assert (boxes.low[k, :2] >= low[:2] - TOLERANCE).all(), (room, world.names[k])
            assert (boxes.high[k, :2] <= high[:2] + TOLERANCE).all(), (room, world.names[k])
            assert boxes.low[k, 2] > -0.03 and boxes.high[k, 2] < high[2] + 0.055, (room, world.names[k])


def test_walls_floor_and_ceiling_enclose_the_room(world: World) -> None:
    boxes = world.boxes
    for room in range(world.count):
        low, high = world.inner_bounds(room)
        assert [len(world.things_of(room, name)) for name in SHELL_CLASSES] == [4, 1, 1]
        floor, ceiling = world.things_of(room, "floor")[0], world.things_of(room, "ceiling")[0]
        for k in (floor, ceiling):
            assert (
                np.abs(boxes.low[k, :2] - low[:2]).max() < 0.002 and np.abs(boxes.high[k, :2] - high[:2]).max() < 0.002
            )
        assert boxes.high[floor, 2] == pytest.approx(0.01, abs=1e-3) and boxes.high[ceiling, 2] > high[2]
        walls = world.things_of(room, "wall")
        assert (boxes.low[walls, 2] < 0.001).all() and np.abs(boxes.high[walls, 2] - high[2]).max() < 0.002
        assert boxes.high[walls, 0].max() > high[0] and boxes.low[walls, 1].min() < low[1]


def test_viewpoint_is_central_and_free(world: World) -> None:
    boxes = world.boxes
    for room in range(world.count):
        low, high = world.inner_bounds(room)
        at = boxes.plan.graph.positions[room, :2]
        assert (np.abs(at - (low + high)[:2] / 2) < (high - low)[:2] / 7).all()
        for k in world.furniture(room):
            near = (boxes.low[k, :2] < at + 0.69).all() and (boxes.high[k, :2] > at - 0.69).all()
            assert not (near and boxes.high[k, 2] > 0.05 and boxes.low[k, 2] < 1.99), (room, world.names[k])


def box_with_front(
    world: World, thing: int, distance: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the box of a thing, extended by `distance` in front of it."""
    row = world.boxes.plan.things[thing]
    ahead = np.array([row["ux"], row["uy"], 0]) / DIRECTION_SCALE * distance
    return world.boxes.low[thing] + np.minimum(ahead, 0), world.boxes.high[thing] + np.maximum(ahead, 0)


def test_doors_are_not_blocked(world: World) -> None:
    boxes, doors = world.boxes, 0
    for room in range(world.count):
        for door in world.things_of(room, "room door"):
            doors += 1
            low, high = box_with_front(world, door, 0.9)
            for k in world.furniture(room):
                if k != door and boxes.high[k, 2] > 0.05:
                    overlap = np.minimum(high, boxes.high[k]) - np.maximum(low, boxes.low[k])
                    assert not (overlap > TOLERANCE).all(), (room, world.names[k])
    assert doors >= world.count


@pytest.mark.slow(keep=1)
def test_wall_objects_are_visible(world: World) -> None:
    boxes, count = world.boxes, 0
    for room in range(world.count):
        for thing in world.things_of(room, *WALL_CLASSES):
            count += 1
            assert world.names[int(boxes.plan.things["owner"][thing])] == "wall"
            low, high = box_with_front(world, thing, 0.05)
            for k in world.furniture(room):
                overlap = np.minimum(high, boxes.high[k]) - np.maximum(low, boxes.low[k])
                assert k == thing or not (overlap > TOLERANCE).all(), (room, world.names[thing], world.names[k])
    assert count > 3 * world.count


def test_things_rest_on_their_support(world: World) -> None:
    boxes, count = world.boxes, 0
    for k, owner in enumerate(boxes.plan.things["owner"].tolist()):
        if owner < 0 or world.names[owner] == "wall" or world.names[k] in ("seated person", "curtain"):
            continue
        count += 1
        assert (boxes.low[k, :2] > boxes.low[owner, :2] - TOLERANCE).all() and (
            boxes.high[k, :2] < boxes.high[owner, :2] + TOLERANCE
        ).all()
        tops = boxes.solids(owner)[1][:, 2]
        assert np.abs(tops - boxes.low[k, 2]).min() < 0.03, (world.names[k], world.names[owner])
    assert count > 10 * world.count


def test_things_stand_or_hang(world: World) -> None:
    boxes = world.boxes
    for room in range(world.count):
        high = world.inner_bounds(room)[1][2]
        for k in world.furniture(room):
            if boxes.plan.things["owner"][k] < 0:
                stands, hangs = boxes.low[k, 2] < 0.06, boxes.high[k, 2] > high - 0.02
                assert stands or hangs, (room, world.names[k])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (
            "restaurant",
            {("tablecloth table", "dining table"): 6, ("chair",): 10, ("bar counter",): 1, ("exit sign",): 1},
        ),
        ("shop", {("checkout counter",): 1, ("exit sign",): 1}),
        ("expo_showroom", {("exhibit panel",): 3, ("person",): 2, ("spotlight", "ceiling lamp", "pendant lamp"): 4}),
        ("living_room", {("sofa",): 1, ("tv stand", "fireplace"): 1}),
        ("bedroom", {("bed", "bunk bed"): 1, ("wardrobe", "dresser", "desk"): 1}),
    ],
)
def test_rooms_have_their_typical_things(world: World, kind: str, expected: dict[tuple[str, ...], int]) -> None:
    rooms = [k for k in range(world.count) if category(k) == kind]
    for names, min_count in expected.items():
        has_enough = [len(world.things_of(room, *names)) >= min_count for room in rooms]
        assert np.mean(has_enough) >= 0.85, names


def test_chairs_face_their_tables(world: World) -> None:
    plan = world.boxes.plan
    faces_table = []
    for room in range(world.count):
        tables = world.things_of(room, "tablecloth table", "dining table")
        for chair in world.things_of(room, "chair") if category(room) == "restaurant" else []:
            row = plan.things[chair]
            x, y = (plan.things[field][tables].astype(float) - row[field] for field in ("x", "y"))
            nearest = int(np.argmin(x * x + y * y))
            faces_table.append(x[nearest] * row["ux"] + y[nearest] * row["uy"] > 0)
    assert len(faces_table) > 100 and np.mean(faces_table) > 0.95
