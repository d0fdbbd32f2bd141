"""Scene sampling for Refer360: scenes of seven categories in the paper's shares, and sequences in them.

Of eight scenes two are restaurants, and one each is a shop, a showroom, a living room, a bedroom, a street, and a
plaza or courtyard. Rooms are in a world of their own. Each unseen split has its own band of the city and its own rooms.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, cycle

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.generate.routes import bands
from bearleft.generate.splits import BAND_OF_SPLIT, BAND_SHARES, SPLIT_OFFSET
from bearleft.world.city.randomness import Stage, hashes
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.codes import Ground
from bearleft.world.rooms.shell import CATEGORIES, category
from bearleft.world.visibility.table import VisibilityTable

SPLITS = ("train", "validation.seen", "validation.unseen", "test.seen", "test.unseen", "small", "sample")
# Of training, and of an unseen split.
SEQUENCES_PER_SCENE, SEQUENCES_PER_UNSEEN_SCENE = 13287 / 1759, 1009 / 120
STREET, PLAZA = "street", "plaza_courtyard"
# The order of the scenes, so that any number of them has the paper's shares.
CATEGORY_ORDER = ("restaurant", STREET, "shop", "living_room", "restaurant", PLAZA, "expo_showroom", "bedroom")
MIN_OPEN_SHARE = 1e-3  # of the sphere that is plaza, lawn or yard, for a scene to count as a plaza or courtyard
OPEN_GROUNDS = (int(Ground.PLAZA), int(Ground.GRASS), int(Ground.YARD))
# Of every seven rounds of rooms of all categories five are seen, and each unseen split has one.
ROOM_ROUNDS, UNSEEN_ROUNDS = 7, {5: 1, 6: 2}
MIN_ROOMS = ROOM_ROUNDS * len(CATEGORIES)  # in a world with all rounds


@dataclass(frozen=True)
class Scene:
    """A place of a world, by its index, with its category."""

    world: str
    place: int
    category: str


@dataclass(frozen=True)
class SequenceSpec:
    """A sequence to describe: its number and its scene."""

    number: int
    world: str
    place: int
    category: str


def check_room_count(rooms: Graph) -> None:
    """Raise an InputError if a world has too few rooms for all splits."""
    if len(rooms) < MIN_ROOMS:
        raise InputError(f"a world of at least {MIN_ROOMS} rooms", f"{len(rooms)} in {rooms.name}", "rooms")


class SceneSampler:
    """Scenes of a city and a world of rooms, determined by the two and the seed."""

    def __init__(self, city: Graph, table: VisibilityTable, rooms: Graph, seed: int) -> None:
        check_room_count(rooms)
        self.city, self.rooms, self.seed = city, rooms, seed
        self.has_open_ground = _open_share(table) >= MIN_OPEN_SHARE
        number = bands(city, BAND_SHARES)
        self.band = np.array([number[place] for place in city.ids], np.int64)

    def sequences(self, split: str, size: int) -> Iterator[SequenceSpec]:
        """Yield the sequences of a split.

        Consecutive sequences are in consecutive scenes. The seen splits use the scenes of training, validation from the
        first scene on and test from the last.

        Args:
            split: A split of Refer360.
            size: The size of the training split, or of the split itself if it is unseen.
        """
        band = BAND_OF_SPLIT.get(split, 0)
        # Even few sequences cover all categories.
        scene_count = max(
            min(size, len(CATEGORY_ORDER)), round(size / (SEQUENCES_PER_UNSEEN_SCENE if band else SEQUENCES_PER_SCENE))
        )
        scenes = self.scenes(band, scene_count)
        if split == "test.seen":
            scenes.reverse()
        for k in count():
            scene = scenes[k % len(scenes)]
            yield SequenceSpec(SPLITS.index(split) * SPLIT_OFFSET + k, scene.world, scene.place, scene.category)

    def scenes(self, band: int, size: int) -> list[Scene]:
        """Return `size` scenes of a band in the order of the categories, or all if there are fewer."""
        remaining = {name: deque(self._places(band, name)) for name in CATEGORY_ORDER}
        scenes: list[Scene] = []
        for name in cycle(CATEGORY_ORDER):
            # Streets replace missing plazas, and vice versa.
            actual = name if remaining[name] else {PLAZA: STREET, STREET: PLAZA}.get(name, name)
            if remaining[actual]:
                world = self.city if actual in (STREET, PLAZA) else self.rooms
                scenes.append(Scene(world.name, remaining[actual].popleft(), actual))
            if len(scenes) == size or not any(remaining.values()):
                return scenes
        return scenes

    def _places(self, band: int, name: str) -> list[int]:
        """Return the places of a band and a category, in their order of use."""
        if name in (STREET, PLAZA):
            places = np.flatnonzero((self.band == band) & (self.has_open_ground == (name == PLAZA)))
            keys = hashes(self.seed, Stage.TARGETS, places, salt=7001)
            return [int(place) for place in places[np.argsort(keys, kind="stable")]]
        room_bands = (UNSEEN_ROUNDS.get(place // len(CATEGORIES) % ROOM_ROUNDS, 0) for place in range(len(self.rooms)))
        return [place for place, room_band in enumerate(room_bands) if room_band == band and category(place) == name]


def _open_share(table: VisibilityTable) -> npt.NDArray[np.float64]:
    """Return the share of the sphere that is plaza, lawn or yard, for each place."""
    rows = table.rows()
    rows = rows[(rows["instance"] == 0) & np.isin(rows["kind"], OPEN_GROUNDS)]
    return np.asarray(np.bincount(rows["place"], rows["share"], table.places), float)
