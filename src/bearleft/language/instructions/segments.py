"""A stretch of street as a walker has it ahead: its places and crossings, and the things passed on either side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from bearleft.geometry import Floats, turn
from bearleft.language.noun_phrases import Flags, Phrase, match
from bearleft.language.scene_index import Ints, SceneIndex, VisibleObjects
from bearleft.world.city.catalog import class_index
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import PathFinder

MAX_PLACES_AHEAD = 60  # places that one looks ahead
MAX_STRAIGHT_ANGLE = 50.0  # degrees; a link within it leads straight on
MAX_FORK_ANGLE = 20.0  # degrees; two links so close to straight ahead are a fork
MAX_METRES_ALONG = 6.5  # metres before or behind a place that are still beside it
MIN_METRES_ASIDE, MAX_METRES_ASIDE = 2.0, 24.0  # metres to the side
CORNER_RADIUS = 26.0  # metres from the middle of a crossing to what stands at its corners
MIN_VISIBLE_SHARE = 1.5e-4  # share of the sphere from which on one notices a thing
MAX_HIDDEN_SHARE = 0.7  # share hidden from which on one does not

# Where a turn leads, in degrees, by what it is called.
TURN_ANGLES = {"straight": 0.0, "slight": 45.0, "turn": 90.0, "sharp": 135.0}


def straight_link(paths: PathFinder, place: int, heading: float) -> int | None:
    """The link that leads on: between crossings the one that does not go back, at a crossing the straightest."""
    graph = paths.graph
    links = graph.links(place)
    if not len(links):
        return None
    bend = np.abs(turn(heading, graph.heading[links]))
    best = int(bend.argmin())
    within = MAX_STRAIGHT_ANGLE if paths.crossing[place] else 135.0
    return int(links[best]) if bend[best] <= within else None


def side_link(paths: PathFinder, place: int, heading: float, side: int, bend: str = "turn") -> int | None:
    """The link to the left (-1) or right (1) of a walker who comes to a crossing; `bend` says how sharp it is."""
    graph = paths.graph
    links = graph.links(place)
    angle = turn(heading, graph.heading[links]) * side
    fits = (angle > 5.0) & (angle < 172.0)
    ahead = straight_link(paths, place, heading)
    if ahead is not None:
        # Where a street forks, what matters is on which side of the straighter branch the other lies.
        beyond = turn(graph.heading[ahead], graph.heading[links]) * side > 0.0
        fits = np.where(np.abs(angle) < MAX_FORK_ANGLE, beyond, fits) & (links != ahead)
    if not fits.any():
        return None
    off = np.where(fits, np.abs(angle - TURN_ANGLES[bend]), np.inf)
    return int(links[int(off.argmin())])


@dataclass(frozen=True, eq=False)
class Segment:
    """What lies ahead of a walker who goes straight on; place 0 is where one stands."""

    scene: SceneIndex
    paths: PathFinder
    places: tuple[int, ...]
    headings: tuple[float, ...]  # in which one comes to each place

    @classmethod
    @lru_cache(maxsize=256)
    def ahead(cls, scene: SceneIndex, paths: PathFinder, place: int, link: int | None) -> Segment:
        """The stretch that begins with a link."""
        graph = paths.graph
        places, headings = [place], [0.0 if link is None else float(graph.heading[link])]
        while link is not None and len(places) < MAX_PLACES_AHEAD:
            heading, here = float(graph.heading[link]), int(graph.target[link])
            if here in places:
                break
            places.append(here)
            headings.append(heading)
            link = straight_link(paths, here, heading)
        return cls(scene, paths, tuple(places), tuple(headings))

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def crossings(self) -> tuple[int, ...]:
        """Which of the places ahead are crossings."""
        return tuple(k for k in range(1, len(self)) if self.paths.crossing[self.places[k]])

    @cached_property
    def passed(self) -> PassedObjects:
        """The things beside it."""
        return passed_objects(self.scene, self.paths.graph, self.places)

    def corner(self, phrase: Phrase, crossing: int) -> bool:
        """Whether something so called stands at a crossing's corners."""
        visible = self.scene.at(self.places[crossing])
        some = match(phrase, visible) & noticeable(visible) & (visible.kind != class_index("building"))
        return bool((some & (self.distance(crossing, visible) < CORNER_RADIUS)).any())

    def distance(self, crossing: int, visible: VisibleObjects) -> Floats:
        """Metres of everything from a crossing."""
        east, north = self.paths.graph.positions[self.places[crossing]][:2]
        return np.asarray(np.hypot(visible.east - east, visible.north - north), float)


@dataclass(frozen=True, eq=False)
class PassedObjects:
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


def noticeable(visible: VisibleObjects) -> Flags:
    """Which rows one notices: large enough, and not hidden."""
    return np.asarray((visible.share >= MIN_VISIBLE_SHARE) & (visible.hidden < MAX_HIDDEN_SHARE), bool)


def passed_objects(scene: SceneIndex, graph: Graph, places: Sequence[int]) -> PassedObjects:
    """What one passes along places, each thing once."""
    ends = [places[0], *places, places[-1]]
    parts = [_objects_beside(scene, graph, *ends[k : k + 3]) for k in range(len(places))]
    whole, many = (np.concatenate(columns, axis=1) for columns in zip(*parts, strict=True))
    at = np.repeat(np.arange(len(places)), [part[0].shape[1] for part in parts])
    order = np.lexsort((many[0], whole[0]))
    rows = order[np.unique(whole[0][order], return_index=True)[1]]
    rows = rows[np.lexsort((many[1][rows], at[rows]))]
    (instance, kind, variant, colour), (_, off, share, hidden, east, north) = whole[:, rows], many[:, rows]
    side = np.where(off > 0, 1, -1).astype(np.int64)
    return PassedObjects(instance, kind, variant, colour, at[rows], side, share, hidden, east, north)


@lru_cache(maxsize=16384)
def _objects_beside(scene: SceneIndex, graph: Graph, before: int, place: int, after: int) -> tuple[Ints, Floats]:
    """What stands to the left and right of a place as one walks through it: whole numbers and others, as rows."""
    here, step = graph.positions[place], graph.positions[after] - graph.positions[before]
    ahead = step[:2] / max(float(np.hypot(step[0], step[1])), 1e-9)
    visible = scene.at(place)
    east, north = visible.east - here[0], visible.north - here[1]
    # A building stands where its wall is seen, not where its middle is.
    angle, house = np.radians(visible.heading), visible.kind == class_index("building")
    east = np.where(house, visible.nearest * np.sin(angle), east)
    north = np.where(house, visible.nearest * np.cos(angle), north)
    on, off = east * ahead[0] + north * ahead[1], east * ahead[1] - north * ahead[0]
    near = (np.abs(on) <= MAX_METRES_ALONG) & (np.abs(off) >= MIN_METRES_ASIDE) & (np.abs(off) <= MAX_METRES_ASIDE)
    keep = np.flatnonzero(noticeable(visible) & near)
    whole = np.stack([getattr(visible, name)[keep] for name in ("instance", "kind", "variant", "colour")])
    many = np.stack([np.abs(on), off, visible.share, visible.hidden, visible.east, visible.north])[:, keep]
    return whole, many
