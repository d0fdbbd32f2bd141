"""Furnished rooms, checked by the boxes of what is built: nothing meets, floats, hides or blocks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from bearleft.world.city.plan import UNIT
from bearleft.world.rooms.shell import RoomShells, category, room_shells
from bearleft.world.rooms.world import room_plan
from tests.world.rooms.boxes import Built, built, room_of

SHELL = ("wall", "floor", "ceiling")
WORLDS = ((0, 48), (11, 48))
DEEP = 0.012  # metres: what is rounded, or turned by a few degrees, may come so near
HUNG = (
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
    """A built world and what is in each room."""

    def __init__(self, seed: int, count: int) -> None:
        self.count = count
        self.built: Built = built(room_plan(seed, count))
        self.names = self.built.names()
        self.shells: RoomShells = room_shells(seed, count)
        rooms = room_of(self.built.plan)
        self.things = [np.flatnonzero(rooms == k) for k in range(count)]

    def furniture(self, room: int) -> list[int]:
        return [k for k in self.things[room].tolist() if self.names[k] not in SHELL]

    def having(self, room: int, *names: str) -> list[int]:
        return [k for k in self.things[room].tolist() if self.names[k] in names]

    def inner(self, room: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The corners of a room's inside, metres."""
        s = self.shells
        at, half = np.array([s.x[room], s.y[room]]) / 1000, np.array([s.width[room], s.depth[room]]) / 2000
        return np.append(at - half, 0.0), np.append(at + half, s.height[room] / 1000)


@pytest.fixture(scope="module", params=WORLDS, ids=lambda one: f"rooms/{one[0]}/{one[1]}")
def world(request: pytest.FixtureRequest) -> World:
    return World(*request.param)


def test_nothing_meets(world: World) -> None:
    b, met = world.built, []
    for room in range(world.count):
        things = world.furniture(room)
        low, high = b.low[things], b.high[things]
        over = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
        for i, j in np.argwhere((over > DEEP).all(axis=2)).tolist():
            one, other = things[i], things[j]
            names = world.names[one], world.names[other]
            if i < j and "seated person" not in names and b.touch(one, other, DEEP):
                met.append((room, *names))
    assert met == []


def test_people_sit_on_their_own_seats(world: World) -> None:
    b, plan = world.built, world.built.plan
    seats: list[int] = []
    for room in range(world.count):
        for one in world.having(room, "seated person"):
            seat = int(plan.things["owner"][one])
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
                    assert not b.touch(one, other, 0.03), (room, world.names[other])
    assert len(set(seats)) == len(seats) > 20


def test_everything_is_within_its_walls(world: World) -> None:
    b = world.built
    for room in range(world.count):
        low, high = world.inner(room)
        for k in world.furniture(room):
            assert (b.low[k, :2] >= low[:2] - DEEP).all(), (room, world.names[k])
            assert (b.high[k, :2] <= high[:2] + DEEP).all(), (room, world.names[k])
            assert b.low[k, 2] > -0.03 and b.high[k, 2] < high[2] + 0.055, (room, world.names[k])


def test_walls_floor_and_ceiling_close_the_room(world: World) -> None:
    b = world.built
    for room in range(world.count):
        low, high = world.inner(room)
        assert [len(world.having(room, name)) for name in SHELL] == [4, 1, 1]
        floor, ceiling = world.having(room, "floor")[0], world.having(room, "ceiling")[0]
        for k in (floor, ceiling):
            assert np.abs(b.low[k, :2] - low[:2]).max() < 0.002 and np.abs(b.high[k, :2] - high[:2]).max() < 0.002
        assert b.high[floor, 2] == pytest.approx(0.01, abs=1e-3) and b.high[ceiling, 2] > high[2]
        walls = world.having(room, "wall")
        assert (b.low[walls, 2] < 0.001).all() and np.abs(b.high[walls, 2] - high[2]).max() < 0.002
        assert b.high[walls, 0].max() > high[0] and b.low[walls, 1].min() < low[1]


def test_one_stands_free_near_the_middle(world: World) -> None:
    b = world.built
    for room in range(world.count):
        low, high = world.inner(room)
        at = b.plan.graph.positions[room, :2]
        assert (np.abs(at - (low + high)[:2] / 2) < (high - low)[:2] / 7).all()
        for k in world.furniture(room):
            near = (b.low[k, :2] < at + 0.69).all() and (b.high[k, :2] > at - 0.69).all()
            assert not (near and b.high[k, 2] > 0.05 and b.low[k, 2] < 1.99), (room, world.names[k])


def before(world: World, thing: int, far: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The box of a thing and so much before it."""
    row = world.built.plan.things[thing]
    ahead = np.array([row["ux"], row["uy"], 0]) / UNIT * far
    return world.built.low[thing] + np.minimum(ahead, 0), world.built.high[thing] + np.maximum(ahead, 0)


def test_doors_are_not_blocked(world: World) -> None:
    b, doors = world.built, 0
    for room in range(world.count):
        for door in world.having(room, "room door"):
            doors += 1
            low, high = before(world, door, 0.9)
            for k in world.furniture(room):
                if k != door and b.high[k, 2] > 0.05:
                    inside = np.minimum(high, b.high[k]) - np.maximum(low, b.low[k])
                    assert not (inside > DEEP).all(), (room, world.names[k])
    assert doors >= world.count


def test_what_hangs_is_not_hidden(world: World) -> None:
    b, hung = world.built, 0
    for room in range(world.count):
        for one in world.having(room, *HUNG):
            hung += 1
            assert world.names[int(b.plan.things["owner"][one])] == "wall"
            low, high = before(world, one, 0.05)
            for k in world.furniture(room):
                inside = np.minimum(high, b.high[k]) - np.maximum(low, b.low[k])
                assert k == one or not (inside > DEEP).all(), (room, world.names[one], world.names[k])
    assert hung > 3 * world.count


def test_things_lie_on_what_bears_them(world: World) -> None:
    b, lying = world.built, 0
    for k, owner in enumerate(b.plan.things["owner"].tolist()):
        if owner < 0 or world.names[owner] == "wall" or world.names[k] in ("seated person", "curtain"):
            continue
        lying += 1
        assert (b.low[k, :2] > b.low[owner, :2] - DEEP).all() and (b.high[k, :2] < b.high[owner, :2] + DEEP).all()
        tops = b.solids(owner)[1][:, 2]
        assert np.abs(tops - b.low[k, 2]).min() < 0.03, (world.names[k], world.names[owner])
    assert lying > 10 * world.count


def test_nothing_floats(world: World) -> None:
    b = world.built
    for room in range(world.count):
        high = world.inner(room)[1][2]
        for k in world.furniture(room):
            if b.plan.things["owner"][k] < 0:
                stands, hangs = b.low[k, 2] < 0.06, b.high[k, 2] > high - 0.02
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
def test_rooms_have_what_makes_them(world: World, kind: str, expected: dict[tuple[str, ...], int]) -> None:
    rooms = [k for k in range(world.count) if category(k) == kind]
    for names, least in expected.items():
        enough = [len(world.having(room, *names)) >= least for room in rooms]
        assert np.mean(enough) >= 0.85, names


def test_chairs_face_their_tables(world: World) -> None:
    plan = world.built.plan
    right = []
    for room in range(world.count):
        tables = world.having(room, "tablecloth table", "dining table")
        for chair in world.having(room, "chair") if category(room) == "restaurant" else []:
            row = plan.things[chair]
            x, y = (plan.things[field][tables].astype(float) - row[field] for field in ("x", "y"))
            nearest = int(np.argmin(x * x + y * y))
            right.append(x[nearest] * row["ux"] + y[nearest] * row["uy"] > 0)
    assert len(right) > 100 and np.mean(right) > 0.95
