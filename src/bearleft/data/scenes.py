"""Where a city is asked: routes for each split of Touchdown, places for each split of Refer360.

A city is parted into three bands from south to north. The seen splits share the first; each unseen one has a band of
its own, so that no panorama of an unseen split is in any other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
import numpy.typing as npt

from bearleft.data.routes import Route, bands, touchdown_stream
from bearleft.data.targets import views
from bearleft.world.city.city import City
from bearleft.world.city.draws import Stage, hashes
from bearleft.world.city.flow import may_drive
from bearleft.world.render.codes import Ground
from bearleft.world.routes import Ways
from bearleft.world.visible import Visible

SHARES = (3, 1, 1)  # of the bands: seen, and the two unseen ones
APART = 700.0  # metres between a route's two places, at most
LEAST = 9  # places; hardly any real route has fewer
# Of routes with 0, 1, 2 and more turns so many are kept: then they turn as often as the real ones do.
KEPT = (0.34, 0.19, 0.36, 1.0)
# The seen routes go round: of every twenty, so many for each split.
ROUND = {"train": range(14), "dev": range(14, 17), "test": range(17, 20)}
BAND = {"dev_unseen": 1, "test_unseen": 2, "validation.unseen": 1, "test.unseen": 2}
SPOTS = ("train", "validation.seen", "validation.unseen", "test.seen", "test.unseen", "small", "sample")
OFFSET = 1_000_000  # between the numbers of two splits' examples
# Sequences of Refer360 for each scene: of training, and of an unseen split.
PER_SCENE, PER_UNSEEN = 13287 / 1759, 1009 / 120
STREET, PLAZA = "street", "plaza_courtyard"
OPEN = 1e-3  # of the sphere: as much of a plaza, a lawn or a yard makes a scene a plaza or courtyard
GROUNDS = (int(Ground.PLAZA), int(Ground.GRASS), int(Ground.YARD))


@dataclass(frozen=True)
class Walk:
    """A route to be told: its number, and the numbers of its places."""

    number: int
    places: tuple[int, ...]
    facing: float


@dataclass(frozen=True)
class Spot:
    """A spot to be told: its number, and the scene it lies in."""

    number: int
    place: int
    category: str


class Scenes:
    """What a city can be asked for, split by split; everything follows from the city and the seed."""

    def __init__(self, city: City, seed: int) -> None:
        self.city, self.seed, self.graph = city, seed, city.graph
        self._drawn: dict[int, tuple[list[Route], Iterator[Route]]] = {}

    @cached_property
    def band(self) -> npt.NDArray[np.int64]:
        """The band of each place."""
        number = bands(self.graph, SHARES)
        return np.array([number[place] for place in self.graph.ids], np.int64)

    @cached_property
    def _drive(self) -> npt.NDArray[np.bool_]:
        return may_drive(self.city.plan, self.graph)

    def walks(self, split: str) -> Iterator[Walk]:
        """The routes of a split of Touchdown, as long as new ones are found."""
        band = BAND.get(split, 0)
        for k, route in enumerate(self._routes(band)):
            if band or k % 20 in ROUND.get(split, range(20)):
                places = tuple(self.graph.index[place] for place in route.places)
                yield Walk(band * OFFSET + k, places, route.facing)

    def _routes(self, band: int) -> Iterator[Route]:
        """The routes of a band, each drawn once however many splits ask."""
        if band not in self._drawn:
            self._drawn[band] = [], self._draw(band)
        known, more = self._drawn[band]
        for k in count():
            if k == len(known):
                found = next(more, None)
                if found is None:
                    return
                known.append(found)
            yield known[k]

    def _draw(self, band: int) -> Iterator[Route]:
        """Routes of a band, and of the panoramas around their ends none in another."""
        ways = Ways.make(self.graph, self._drive, within=self.band == band)
        for k, route in enumerate(touchdown_stream(ways, self.seed, apart=APART)):
            if len(route.places) < LEAST:
                continue
            if random.Random(f"{self.seed} turns {band} {k}").random() >= KEPT[min(route.turns, len(KEPT) - 1)]:
                continue
            ahead = views(self.graph, [self.graph.index[place] for place in route.places[-2:]])[2]
            if ahead < 0 or self.band[ahead] == band:
                yield route

    def spots(self, split: str, size: int, table: Visible) -> Iterator[Spot]:
        """The spots of a split of Refer360 whose training split (or the split itself, where unseen) has `size`.

        Sequence after sequence goes to the next scene. The seen splits use the scenes of training, the one from the
        first scene on, the other from the last.
        """
        band = BAND.get(split, 0)
        scenes = self.scenes(band, max(1, round(size / (PER_UNSEEN if band else PER_SCENE))), table)
        if split == "test.seen":
            scenes.reverse()
        for k in count():
            yield Spot(SPOTS.index(split) * OFFSET + k, *scenes[k % len(scenes)])

    def scenes(self, band: int, size: int, table: Visible) -> list[tuple[int, str]]:
        """So many places of a band and what they are: street and plaza in turns, as long as there are both."""
        there = np.flatnonzero(self.band == band)
        there = there[np.argsort(hashes(self.seed, Stage.TARGETS, there, 7001), kind="stable")]
        open_ = self._open(table)[there] >= OPEN
        plazas, streets = there[open_].tolist(), there[~open_].tolist()
        taken = min(len(plazas), max(size // 2, size - len(streets)))
        found = [(place, STREET) for place in streets[: size - taken]]
        for k, place in enumerate(plazas[:taken]):
            found.insert(2 * k + 1, (place, PLAZA))
        return found

    def _open(self, table: Visible) -> npt.NDArray[np.float64]:
        """The share of the sphere that is plaza, lawn or yard, of each place."""
        rows = table.rows()
        rows = rows[(rows["instance"] == 0) & np.isin(rows["kind"], GROUNDS)]
        return np.asarray(np.bincount(rows["place"], rows["share"], len(self.graph)), float)
