"""A stretch of street as a walker has it ahead: its places and crossings, and the things passed on either side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from bearleft.geometry import Floats, turn
from bearleft.language.noun_phrases import Flags, Phrase, match
from bearleft.language.scene_index import Ints, SceneIndex, Sight
from bearleft.world.city.catalog import number
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import Ways

LONGEST = 60  # places that one looks ahead
STRAIGHT = 50.0  # degrees; a link within it leads straight on
FORK = 20.0  # degrees; two links so close to straight ahead are a fork
BESIDE = 6.5  # metres before or behind a place that are still beside it
NEAR, FAR = 2.0, 24.0  # metres to the side
CORNER = 26.0  # metres from the middle of a crossing to what stands at its corners
SEEN = 1.5e-4  # share of the sphere from which on one notices a thing
COVERED = 0.7  # share hidden from which on one does not

# Where a turn leads, in degrees, by what it is called.
BENDS = {"straight": 0.0, "slight": 45.0, "turn": 90.0, "sharp": 135.0}


def straight_on(ways: Ways, place: int, heading: float) -> int | None:
    """The link that leads on: between crossings the one that does not go back, at a crossing the straightest."""
    graph = ways.graph
    links = graph.links(place)
    if not len(links):
        return None
    bend = np.abs(turn(heading, graph.heading[links]))
    best = int(bend.argmin())
    within = STRAIGHT if ways.crossing[place] else 135.0
    return int(links[best]) if bend[best] <= within else None


def side_link(ways: Ways, place: int, heading: float, side: int, bend: str = "turn") -> int | None:
    """The link to the left (-1) or right (1) of a walker who comes to a crossing; `bend` says how sharp it is."""
    graph = ways.graph
    links = graph.links(place)
    angle = turn(heading, graph.heading[links]) * side
    fits = (angle > 5.0) & (angle < 172.0)
    ahead = straight_on(ways, place, heading)
    if ahead is not None:
        # Where a street forks, what matters is on which side of the straighter branch the other lies.
        beyond = turn(graph.heading[ahead], graph.heading[links]) * side > 0.0
        fits = np.where(np.abs(angle) < FORK, beyond, fits) & (links != ahead)
    if not fits.any():
        return None
    off = np.where(fits, np.abs(angle - BENDS[bend]), np.inf)
    return int(links[int(off.argmin())])


@dataclass(frozen=True, eq=False)
class Stretch:
    """What lies ahead of a walker who goes straight on; place 0 is where one stands."""

    scene: SceneIndex
    ways: Ways
    places: tuple[int, ...]
    headings: tuple[float, ...]  # in which one comes to each place

    @classmethod
    @lru_cache(maxsize=256)
    def ahead(cls, scene: SceneIndex, ways: Ways, place: int, link: int | None) -> Stretch:
        """The stretch that begins with a link."""
        graph = ways.graph
        places, headings = [place], [0.0 if link is None else float(graph.heading[link])]
        while link is not None and len(places) < LONGEST:
            heading, here = float(graph.heading[link]), int(graph.target[link])
            if here in places:
                break
            places.append(here)
            headings.append(heading)
            link = straight_on(ways, here, heading)
        return cls(scene, ways, tuple(places), tuple(headings))

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def crossings(self) -> tuple[int, ...]:
        """Which of the places ahead are crossings."""
        return tuple(k for k in range(1, len(self)) if self.ways.crossing[self.places[k]])

    @cached_property
    def passed(self) -> Passed:
        """The things beside it."""
        return passing(self.scene, self.ways.graph, self.places)

    def corner(self, phrase: Phrase, crossing: int) -> bool:
        """Whether something so called stands at a crossing's corners."""
        sight = self.scene.at(self.places[crossing])
        some = match(phrase, sight) & noticed(sight) & (sight.kind != number("building"))
        return bool((some & (self.distance(crossing, sight) < CORNER)).any())

    def distance(self, crossing: int, sight: Sight) -> Floats:
        """Metres of everything from a crossing."""
        east, north = self.ways.graph.positions[self.places[crossing]][:2]
        return np.asarray(np.hypot(sight.east - east, sight.north - north), float)


@dataclass(frozen=True, eq=False)
class Passed:
    """Things that one passes, in the order of passing: a row each, at the place that is nearest."""

    instance: Ints
    kind: Ints
    variant: Ints
    colour: Ints
    index: Ints  # of the place
    side: Ints  # -1 left, 1 right
    share: Floats
    hidden: Floats
    east: Floats
    north: Floats

    def __len__(self) -> int:
        return len(self.instance)

    def find(self, phrase: Phrase, side: int = 0, begin: int = 0) -> Ints:
        """The rows that a phrase fits, on a side (0: either), from a place on."""
        fits = match(phrase, self) & (self.index >= begin)
        if side:
            fits &= self.side == side
        return np.flatnonzero(fits)


def noticed(sight: Sight) -> Flags:
    """Which rows one notices: large enough, and not hidden."""
    return np.asarray((sight.share >= SEEN) & (sight.hidden < COVERED), bool)


def passing(scene: SceneIndex, graph: Graph, places: Sequence[int]) -> Passed:
    """What one passes along places, each thing once."""
    ends = [places[0], *places, places[-1]]
    parts = [_abreast(scene, graph, *ends[k : k + 3]) for k in range(len(places))]
    whole, many = (np.concatenate(columns, axis=1) for columns in zip(*parts, strict=True))
    at = np.repeat(np.arange(len(places)), [part[0].shape[1] for part in parts])
    order = np.lexsort((many[0], whole[0]))
    rows = order[np.unique(whole[0][order], return_index=True)[1]]
    rows = rows[np.lexsort((many[1][rows], at[rows]))]
    (instance, kind, variant, colour), (_, off, share, hidden, east, north) = whole[:, rows], many[:, rows]
    side = np.where(off > 0, 1, -1).astype(np.int64)
    return Passed(instance, kind, variant, colour, at[rows], side, share, hidden, east, north)


@lru_cache(maxsize=16384)
def _abreast(scene: SceneIndex, graph: Graph, before: int, place: int, after: int) -> tuple[Ints, Floats]:
    """What stands to the left and right of a place as one walks through it: whole numbers and others, as rows."""
    here, step = graph.positions[place], graph.positions[after] - graph.positions[before]
    ahead = step[:2] / max(float(np.hypot(step[0], step[1])), 1e-9)
    sight = scene.at(place)
    east, north = sight.east - here[0], sight.north - here[1]
    # A building stands where its wall is seen, not where its middle is.
    angle, house = np.radians(sight.heading), sight.kind == number("building")
    east = np.where(house, sight.nearest * np.sin(angle), east)
    north = np.where(house, sight.nearest * np.cos(angle), north)
    on, off = east * ahead[0] + north * ahead[1], east * ahead[1] - north * ahead[0]
    near = (np.abs(on) <= BESIDE) & (np.abs(off) >= NEAR) & (np.abs(off) <= FAR)
    keep = np.flatnonzero(noticed(sight) & near)
    whole = np.stack([getattr(sight, name)[keep] for name in ("instance", "kind", "variant", "colour")])
    many = np.stack([np.abs(on), off, sight.share, sight.hidden, sight.east, sight.north])[:, keep]
    return whole, many
