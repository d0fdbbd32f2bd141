"""A small section with nine buildings, streets and street objects, and random walks in it."""

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

BLOCKS, PITCH, HOUSE_HALF = 3, 22.0, 7.0
HALF = BLOCKS * PITCH / 2 + 4.0
SINE, COSINE = sin(radians(GRID_HEADING)), cos(radians(GRID_HEADING))
STREET_CLASSES = (
    *("dumpster", "traffic light", "stop sign", "speed limit sign", "barrier", "barrel", "lamp post", "tire pile"),
    *("mailbox", "trash can", "bench", "traffic cone", "banner", "trash bags", "fire hydrant", "phone booth"),
)
COLOUR_WORDS = ("red", "blue", "green", "yellow", "orange", "white", "brown")


def _to_east_north(right: float, ahead: float) -> tuple[float, float]:
    """Convert metres right and ahead along the streets to east and north."""
    return ahead * SINE + right * COSINE, ahead * COSINE - right * SINE


@cache
def section() -> tuple[SectionScene, WalkableGrid]:
    """Return the scene and its walkable grid."""
    random = Random("section")
    middles = [(k - (BLOCKS - 1) / 2) * PITCH for k in range(BLOCKS)]
    streets = [(k - BLOCKS / 2) * PITCH for k in range(BLOCKS + 1)]
    houses = [(right, ahead) for right in middles for ahead in middles]
    objects: list[tuple[float, float]] = []
    for street in streets:
        for along in np.arange(-HALF + 3, HALF - 2, 5.0):
            for side in (-1, 1):
                if random.random() < 0.7:
                    across, along_street = street + side * random.uniform(2.0, 3.2), along + random.uniform(-1.5, 1.5)
                    objects.append((across, along_street) if random.random() < 0.5 else (along_street, across))
    objects = [
        (right, ahead)
        for right, ahead in objects
        if all(max(abs(right - a), abs(ahead - b)) > HOUSE_HALF + 0.3 for a, b in houses)
    ]
    rows = {object_class.name: kind for kind, object_class in enumerate(CLASSES)}
    kinds = np.array([rows[random.choice(STREET_CLASSES)] for _ in objects], np.int64)
    variants = np.array([random.randrange(len(CLASSES[kind].variants)) for kind in kinds], np.int64)
    colours = np.array([palette.colour_index(random.choice(COLOUR_WORDS)) for _ in objects], np.int64)
    positions = np.array([_to_east_north(*position) for position in objects])
    walls = np.array([(*_to_east_north(*house), SINE, COSINE, HOUSE_HALF, HOUSE_HALF) for house in houses])
    crossings = np.array([_to_east_north(right, ahead) for right in streets for ahead in streets])
    scene = SectionScene(
        np.arange(len(objects), dtype=np.int64) + 1,
        kinds,
        variants,
        colours,
        colours,
        colours,
        positions[:, 0],
        positions[:, 1],
        np.zeros(len(objects)),
        crossings,
        walls,
    )
    return scene, _walkable_grid(houses, objects)


def _walkable_grid(houses: list[tuple[float, float]], objects: list[tuple[float, float]]) -> WalkableGrid:
    side, reach = 0.25, HALF * 1.5
    middle = -reach + side * (np.arange(int(2 * reach / side)) + 0.5)
    east, north = np.meshgrid(middle, middle, indexing="ij")
    right, ahead = east * COSINE - north * SINE, east * SINE + north * COSINE
    free = np.maximum(np.abs(right), np.abs(ahead)) < HALF
    for a, b in houses:
        free &= np.maximum(np.abs(right - a), np.abs(ahead - b)) > HOUSE_HALF + 0.25
    for a, b in objects:
        free &= np.hypot(right - a, ahead - b) > 0.6
    return WalkableGrid(-reach, -reach, side, free)


@dataclass(frozen=True)
class Walk:
    """A shortest walk from a start to a target, and the other items, among them sometimes a twin."""

    at: tuple[float, float]
    heading: float
    actions: tuple[str, ...]
    path: tuple[tuple[float, float, float], ...]
    target: CityItem
    others: tuple[CityItem, ...]

    @property
    def city_items(self) -> tuple[CityItem, ...]:
        """All items, in an order that does not reveal the target."""
        return tuple(sorted((self.target, *self.others), key=lambda item: item.at))


def walks(scene_ground: tuple[SectionScene, WalkableGrid], count: int, seed: int, bounds: float = HALF) -> list[Walk]:
    """Return random walks of about twenty steps."""
    scene, ground = scene_ground
    random = Random(f"walks {seed}")
    walks_found: list[Walk] = []

    def free_position() -> tuple[float, float]:
        while True:
            position = _to_east_north(random.uniform(-bounds, bounds), random.uniform(-bounds, bounds))
            if ground.free_at(*position):
                return position

    while len(walks_found) < count:
        position, heading = free_position(), GRID_HEADING + TURN_DEGREES * random.randrange(12)
        expected = random.gauss(22, 8)
        candidates = [
            k
            for k in range(len(scene))
            if abs(np.hypot(scene.east[k] - position[0], scene.north[k] - position[1]) - expected) < 3
        ]
        if not candidates:
            continue
        landmark = random.choice(candidates)
        end = scene.east[landmark] + random.uniform(-2.5, 2.5), scene.north[landmark] + random.uniform(-2.5, 2.5)
        if not ground.free_at(*end):
            continue
        item = random.choice(ITEMS)
        target = CityItem(item.name, (*end, ITEM_Z))
        others = []
        for _ in range(8):
            other = random.choice(
                [candidate for candidate in ITEMS if candidate.type == item.type or candidate.colour == item.colour]
            )
            others.append(CityItem(other.name, (*free_position(), ITEM_Z)))
        if random.random() < 0.3:
            twin = free_position()
            if np.hypot(twin[0] - end[0], twin[1] - end[1]) > 12:
                others[0] = CityItem(item.name, (*twin, ITEM_Z))
        actions = shortest_actions(ground, position, heading, end, [candidate.at[:2] for candidate in others])
        if actions is None:
            continue
        path, _ = replay((*position, AGENT_Z), heading, actions)
        walks_found.append(Walk(position, heading, tuple(actions), tuple(path), target, tuple(others)))
    return walks_found
