"""A small section made by hand: nine buildings, streets between them, things along the kerbs, and walks in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import cos, radians, sin
from random import Random

import numpy as np

from bearleft.language.arramon_navigation.scene import SectionScene
from bearleft.world.arramon.astar import shortest_actions
from bearleft.world.arramon.items.names import ITEMS
from bearleft.world.arramon.moves import AGENT_Z, GRID_HEADING, ITEM_Z, TURN_DEGREES, replay
from bearleft.world.arramon.task_setup import CityItem
from bearleft.world.arramon.walkable import WalkableGrid
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES

BLOCKS, PITCH, HOUSE = 3, 22.0, 7.0
HALF = BLOCKS * PITCH / 2 + 4.0
SINE, COSINE = sin(radians(GRID_HEADING)), cos(radians(GRID_HEADING))
STREET = (
    *("dumpster", "traffic light", "stop sign", "speed limit sign", "barrier", "barrel", "lamp post", "tire pile"),
    *("mailbox", "trash can", "bench", "traffic cone", "banner", "trash bags", "fire hydrant", "phone booth"),
)
TINTS = ("red", "blue", "green", "yellow", "orange", "white", "brown")


def _turned(right: float, ahead: float) -> tuple[float, float]:
    """Metres right and ahead along the streets as east and north."""
    return ahead * SINE + right * COSINE, ahead * COSINE - right * SINE


@cache
def section() -> tuple[SectionScene, WalkableGrid]:
    """The scene and its ground."""
    random = Random("section")
    middles = [(k - (BLOCKS - 1) / 2) * PITCH for k in range(BLOCKS)]
    streets = [(k - BLOCKS / 2) * PITCH for k in range(BLOCKS + 1)]
    houses = [(right, ahead) for right in middles for ahead in middles]
    things: list[tuple[float, float]] = []
    for street in streets:
        for along in np.arange(-HALF + 3, HALF - 2, 5.0):
            for side in (-1, 1):
                if random.random() < 0.7:
                    off, at = street + side * random.uniform(2.0, 3.2), along + random.uniform(-1.5, 1.5)
                    things.append((off, at) if random.random() < 0.5 else (at, off))
    things = [
        (right, ahead)
        for right, ahead in things
        if all(max(abs(right - a), abs(ahead - b)) > HOUSE + 0.3 for a, b in houses)
    ]
    rows = {one.name: kind for kind, one in enumerate(CLASSES)}
    kinds = np.array([rows[random.choice(STREET)] for _ in things], np.int64)
    variants = np.array([random.randrange(len(CLASSES[kind].variants)) for kind in kinds], np.int64)
    colours = np.array([palette.colour_index(random.choice(TINTS)) for _ in things], np.int64)
    spots = np.array([_turned(*one) for one in things])
    walls = np.array([(*_turned(*one), SINE, COSINE, HOUSE, HOUSE) for one in houses])
    crossings = np.array([_turned(right, ahead) for right in streets for ahead in streets])
    scene = SectionScene(
        np.arange(len(things), dtype=np.int64) + 1,
        kinds,
        variants,
        colours,
        spots[:, 0],
        spots[:, 1],
        np.zeros(len(things)),
        crossings,
        walls,
    )
    return scene, _ground(houses, things)


def _ground(houses: list[tuple[float, float]], things: list[tuple[float, float]]) -> WalkableGrid:
    side, reach = 0.25, HALF * 1.5
    middle = -reach + side * (np.arange(int(2 * reach / side)) + 0.5)
    east, north = np.meshgrid(middle, middle, indexing="ij")
    right, ahead = east * COSINE - north * SINE, east * SINE + north * COSINE
    free = np.maximum(np.abs(right), np.abs(ahead)) < HALF
    for a, b in houses:
        free &= np.maximum(np.abs(right - a), np.abs(ahead - b)) > HOUSE + 0.25
    for a, b in things:
        free &= np.hypot(right - a, ahead - b) > 0.6
    return WalkableGrid(-reach, -reach, side, free)


@dataclass(frozen=True)
class Walk:
    """A start, the shortest way to something, and what else lies around; a twin of it lies elsewhere in some."""

    at: tuple[float, float]
    heading: float
    actions: tuple[str, ...]
    path: tuple[tuple[float, float, float], ...]
    target: CityItem
    others: tuple[CityItem, ...]

    @property
    def lying(self) -> tuple[CityItem, ...]:
        """All that lies there, in an order that says nothing."""
        return tuple(sorted((self.target, *self.others), key=lambda one: one.at))


def walks(scene_ground: tuple[SectionScene, WalkableGrid], many: int, seed: int, bounds: float = HALF) -> list[Walk]:
    """Random walks of about twenty steps."""
    scene, ground = scene_ground
    random = Random(f"walks {seed}")
    found: list[Walk] = []

    def spot() -> tuple[float, float]:
        while True:
            at = _turned(random.uniform(-bounds, bounds), random.uniform(-bounds, bounds))
            if ground.free_at(*at):
                return at

    while len(found) < many:
        at, heading = spot(), GRID_HEADING + TURN_DEGREES * random.randrange(12)
        expected = random.gauss(22, 8)
        near = [
            k for k in range(len(scene)) if abs(np.hypot(scene.east[k] - at[0], scene.north[k] - at[1]) - expected) < 3
        ]
        if not near:
            continue
        by = random.choice(near)
        end = scene.east[by] + random.uniform(-2.5, 2.5), scene.north[by] + random.uniform(-2.5, 2.5)
        if not ground.free_at(*end):
            continue
        one = random.choice(ITEMS)
        target = CityItem(one.name, (*end, ITEM_Z))
        others = []
        for _ in range(8):
            other = random.choice([two for two in ITEMS if two.type == one.type or two.colour == one.colour])
            others.append(CityItem(other.name, (*spot(), ITEM_Z)))
        if random.random() < 0.3:
            twin = spot()
            if np.hypot(twin[0] - end[0], twin[1] - end[1]) > 12:
                others[0] = CityItem(one.name, (*twin, ITEM_Z))
        actions = shortest_actions(ground, at, heading, end, [two.at[:2] for two in others])
        if actions is None:
            continue
        path, _ = replay((*at, AGENT_Z), heading, actions)
        found.append(Walk(at, heading, tuple(actions), tuple(path), target, tuple(others)))
    return found
