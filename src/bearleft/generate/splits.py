"""Sampling of routes for each split of Touchdown in a generated city.

A city is divided into three bands from south to north. The seen splits share the first; each unseen one has a band of
its own, so that no panorama of an unseen split is in any other split.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
import numpy.typing as npt

from bearleft.generate.routes import Facing, Route, bands, touchdown_stream
from bearleft.world.city.city import City
from bearleft.world.city.traffic_flow import drivable_links
from bearleft.world.graphs.shortest_paths import PathFinder
from bearleft.world.targets import viewing_places

BAND_SHARES = (3, 1, 1)  # of the bands: seen, and the two unseen ones
MAX_ROUTE_DISTANCE = 700.0  # metres between a route's two drawn places
MIN_PLACES = 9  # hardly any real route has fewer
# Probability of keeping a route with 0, 1, 2 and more turns, so that routes turn as often as the real ones.
KEEP_RATES = (0.34, 0.19, 0.36, 1.0)
# Of every twenty seen routes, those of each split.
SEEN_ROUND = {"train": range(14), "dev": range(14, 17), "test": range(17, 20)}
BAND_OF_SPLIT = {"dev_unseen": 1, "test_unseen": 2, "validation.unseen": 1, "test.unseen": 2}
SPLIT_OFFSET = 1_000_000  # between the numbers of two splits' examples


@dataclass(frozen=True)
class RouteSpec:
    """A route to describe: its number, the indices of its places, and its initial heading."""

    number: int
    places: tuple[int, ...]
    facing: float


class RouteSampler:
    """Routes of a city by split, determined by the city and the seed."""

    def __init__(self, city: City, seed: int, facing: Facing = "north") -> None:
        self.city, self.seed, self.facing, self.graph = city, seed, facing, city.graph
        self._drawn: dict[int, tuple[list[Route], Iterator[Route]]] = {}

    @cached_property
    def band(self) -> npt.NDArray[np.int64]:
        """The band of each place."""
        number = bands(self.graph, BAND_SHARES)
        return np.array([number[place] for place in self.graph.ids], np.int64)

    @cached_property
    def _drivable(self) -> npt.NDArray[np.bool_]:
        return drivable_links(self.city.plan, self.graph)

    def routes(self, split: str) -> Iterator[RouteSpec]:
        """Yield the routes of a split of Touchdown until no new ones are found.

        An unseen split has all routes of its band. The seen splits share the routes of the first band: of every twenty,
        "train" has 14, "dev" and "test" have 3 each (SEEN_ROUND). The extra splits "small" and "sample" take
        all of them.

        Args:
            split: Name of the split.
        """
        band = BAND_OF_SPLIT.get(split, 0)
        for k, route in enumerate(self._routes(band)):
            if band or k % 20 in SEEN_ROUND.get(split, range(20)):
                places = tuple(self.graph.index_by_id[place] for place in route.places)
                yield RouteSpec(band * SPLIT_OFFSET + k, places, route.facing)

    def _routes(self, band: int) -> Iterator[Route]:
        """Yield the routes of a band, drawing each only once for all splits."""
        if band not in self._drawn:
            self._drawn[band] = [], self._draw(band)
        drawn, more = self._drawn[band]
        for k in count():
            if k == len(drawn):
                route = next(more, None)
                if route is None:
                    return
                drawn.append(route)
            yield drawn[k]

    def _draw(self, band: int) -> Iterator[Route]:
        """Draw the routes of a band whose end panoramas lie in no other band."""
        finder = PathFinder.make(self.graph, self._drivable, allowed_places=self.band == band)
        for k, route in enumerate(touchdown_stream(finder, self.seed, self.facing, MAX_ROUTE_DISTANCE)):
            if len(route.places) < MIN_PLACES:
                continue
            if (
                random.Random(f"{self.seed} turns {band} {k}").random()
                >= KEEP_RATES[min(route.turns, len(KEEP_RATES) - 1)]
            ):
                continue
            ahead = viewing_places(self.graph, [self.graph.index_by_id[place] for place in route.places[-2:]])[2]
            if ahead < 0 or self.band[ahead] == band:
                yield route
