"""Where a city is asked: routes for each split of Touchdown.

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

from bearleft.generate.routes import Route, bands, touchdown_stream
from bearleft.world.city.city import City
from bearleft.world.city.traffic_flow import may_drive
from bearleft.world.graphs.shortest_paths import Ways
from bearleft.world.targets import views

SHARES = (3, 1, 1)  # of the bands: seen, and the two unseen ones
APART = 700.0  # metres between a route's two places, at most
LEAST = 9  # places; hardly any real route has fewer
# Of routes with 0, 1, 2 and more turns so many are kept: then they turn as often as the real ones do.
KEPT = (0.34, 0.19, 0.36, 1.0)
# The seen routes go round: of every twenty, so many for each split.
ROUND = {"train": range(14), "dev": range(14, 17), "test": range(17, 20)}
BAND = {"dev_unseen": 1, "test_unseen": 2, "validation.unseen": 1, "test.unseen": 2}
OFFSET = 1_000_000  # between the numbers of two splits' examples


@dataclass(frozen=True)
class Walk:
    """A route to be told: its number, and the numbers of its places."""

    number: int
    places: tuple[int, ...]
    facing: float


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
