"""Where Refer360's sequences are asked: scenes of seven categories in the paper's shares, spots in them.

Of every eight scenes two are restaurants, and one each is a shop, a showroom, a living room, a bedroom, a street, and a
plaza or courtyard. Rooms lie in a world of their own. Each unseen split has a band of the city and rooms for itself.
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
from bearleft.generate.splits import BAND, OFFSET, SHARES
from bearleft.world.city.randomness import Stage, hashes
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.codes import Ground
from bearleft.world.rooms.shell import CATEGORIES, category
from bearleft.world.visibility.table import Visible

SPLITS = ("train", "validation.seen", "validation.unseen", "test.seen", "test.unseen", "small", "sample")
# Sequences for each scene: of training, and of an unseen split.
PER_SCENE, PER_UNSEEN = 13287 / 1759, 1009 / 120
STREET, PLAZA = "street", "plaza_courtyard"
# Scene after scene: however many there are, the shares are the paper's.
ORDER = ("restaurant", STREET, "shop", "living_room", "restaurant", PLAZA, "expo_showroom", "bedroom")
OPEN = 1e-3  # of the sphere: as much of a plaza, a lawn or a yard makes a scene a plaza or courtyard
GROUNDS = (int(Ground.PLAZA), int(Ground.GRASS), int(Ground.YARD))
# Of every seven times six rooms five times six are seen, six each are those of an unseen split.
ROUNDS, UNSEEN = 7, {5: 1, 6: 2}
FEWEST = ROUNDS * len(CATEGORIES)  # rooms of a world that has all of them


@dataclass(frozen=True)
class Scene:
    """Where one looks around: a place (its number) of a world."""

    world: str
    place: int
    category: str


@dataclass(frozen=True)
class Spot:
    """A spot to be told: its number, and the scene it lies in."""

    number: int
    world: str
    place: int
    category: str


class Spots:
    """What a city and a world of rooms can be asked for; everything follows from the two and the seed."""

    def __init__(self, city: Graph, table: Visible, rooms: Graph, seed: int) -> None:
        if len(rooms) < FEWEST:
            raise InputError(f"a world of at least {FEWEST} rooms", f"{len(rooms)} in {rooms.name}", "rooms")
        self.city, self.rooms, self.seed = city, rooms, seed
        self.open = _open(table) >= OPEN
        number = bands(city, SHARES)
        self.band = np.array([number[place] for place in city.ids], np.int64)

    def spots(self, split: str, size: int) -> Iterator[Spot]:
        """The spots of a split of Refer360 whose training split (or the split itself, where unseen) has `size`.

        Sequence after sequence goes to the next scene. The seen splits use the scenes of training, the one from the
        first scene on, the other from the last.
        """
        band = BAND.get(split, 0)
        # Few sequences are still of all categories.
        many = max(min(size, len(ORDER)), round(size / (PER_UNSEEN if band else PER_SCENE)))
        scenes = self.scenes(band, many)
        if split == "test.seen":
            scenes.reverse()
        for k in count():
            scene = scenes[k % len(scenes)]
            yield Spot(SPLITS.index(split) * OFFSET + k, scene.world, scene.place, scene.category)

    def scenes(self, band: int, size: int) -> list[Scene]:
        """So many scenes of a band, in the order of the categories; fewer where there are no more."""
        left = {name: deque(self._places(band, name)) for name in ORDER}
        found: list[Scene] = []
        for name in cycle(ORDER):
            # A city that has no more plazas has streets, and the other way round.
            of = name if left[name] else {PLAZA: STREET, STREET: PLAZA}.get(name, name)
            if left[of]:
                world = self.city if of in (STREET, PLAZA) else self.rooms
                found.append(Scene(world.name, left[of].popleft(), of))
            if len(found) == size or not any(left.values()):
                return found
        return found

    def _places(self, band: int, name: str) -> list[int]:
        """The places of a band that are of a category, in the order they are asked."""
        if name in (STREET, PLAZA):
            there = np.flatnonzero((self.band == band) & (self.open == (name == PLAZA)))
            keys = hashes(self.seed, Stage.TARGETS, there, 7001)
            return [int(place) for place in there[np.argsort(keys, kind="stable")]]
        of = (UNSEEN.get(place // len(CATEGORIES) % ROUNDS, 0) for place in range(len(self.rooms)))
        return [place for place, one in enumerate(of) if one == band and category(place) == name]


def _open(table: Visible) -> npt.NDArray[np.float64]:
    """The share of the sphere that is plaza, lawn or yard, of each place."""
    rows = table.rows()
    rows = rows[(rows["instance"] == 0) & np.isin(rows["kind"], GROUNDS)]
    return np.asarray(np.bincount(rows["place"], rows["share"], table.places), float)
