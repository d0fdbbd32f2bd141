"""Straight segments of a street ahead of a walker: places, crossings, and the objects passed on either side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bearleft.geometry import turn
from bearleft.language.noun_phrases import Flags, Phrase, match
from bearleft.language.scene_index import Ints, SceneIndex, VisibleObjects, class_mask
from bearleft.world.city.catalog import class_index
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import PathFinder

if TYPE_CHECKING:
    from bearleft.types import Floats

MAX_PLACES_AHEAD = 60  # length of a segment
MAX_STRAIGHT_ANGLE = 50.0  # degrees; links within it continue straight
MAX_FORK_ANGLE = 20.0  # degrees; two links within it form a fork
MAX_METRES_ALONG = 6.5  # metres before or behind a place that still count as beside it
MIN_METRES_ASIDE, MAX_METRES_ASIDE = 2.0, 24.0  # metres to the side
CORNER_RADIUS = 26.0  # metres from the centre of a crossing
MIN_VISIBLE_SHARE = 1.5e-4  # share of the sphere from which an object is noticed
MAX_HIDDEN_SHARE = 0.7  # hidden share from which it is not

MAX_METRES_OVERHEAD = 10.0  # metres to the side within which the middle of a bridge is above the walker
IS_LARGE = class_mask("building", "park", "court", "parking lot", "median", "bike lane")
# Kinds that accompany a street: they are on a side, but nobody passes them, or stops or turns at them.
LINEAR_KINDS = [class_index(name) for name in ("median", "bike lane")]

# Angle of a turn in degrees, by its name.
TURN_ANGLES = {"straight": 0.0, "slight": 45.0, "turn": 90.0, "sharp": 135.0}


@lru_cache(maxsize=65536)
def straight_link(paths: PathFinder, place: int, heading: float) -> int | None:
    """Return the link that continues: the one that does not go back, and at a crossing the straightest."""
    graph = paths.graph
    links = graph.links(place)
    if not len(links):
        return None
    angle = np.abs(turn(heading, graph.heading[links]))
    best = int(angle.argmin())
    within = MAX_STRAIGHT_ANGLE if paths.crossing[place] else 135.0
    return int(links[best]) if angle[best] <= within else None


@lru_cache(maxsize=65536)
def side_link(paths: PathFinder, place: int, heading: float, side: int, turn_type: str = "turn") -> int | None:
    """Return the link to the left (-1) or right (1) at a crossing, None if there is none.

    Args:
        paths: Path finder of the graph.
        place: The crossing.
        heading: Heading on arrival.
        side: -1 for left, 1 for right.
        turn_type: Sharpness of the turn, a key of TURN_ANGLES.
    """
    graph = paths.graph
    links = graph.links(place)
    angle = turn(heading, graph.heading[links]) * side
    fits = (angle > 5.0) & (angle < 172.0)
    ahead = straight_link(paths, place, heading)
    if ahead is not None:
        # At a fork, the side is relative to the straighter branch.
        on_outer_side = turn(graph.heading[ahead], graph.heading[links]) * side > 0.0
        fits = np.where(np.abs(angle) < MAX_FORK_ANGLE, on_outer_side, fits) & (links != ahead)
    if not fits.any():
        return None
    error = np.where(fits, np.abs(angle - TURN_ANGLES[turn_type]), np.inf)
    return int(links[int(error.argmin())])


@dataclass(frozen=True, eq=False)
class Segment:
    """Places ahead of a walker who goes straight; place 0 is the walker's own."""

    scene: SceneIndex
    paths: PathFinder
    places: tuple[int, ...]
    headings: tuple[float, ...]  # heading on arrival at each place

    @classmethod
    @lru_cache(maxsize=2048)
    def ahead(cls, scene: SceneIndex, paths: PathFinder, place: int, link: int | None) -> Segment:
        """Return the segment that begins with a link."""
        graph = paths.graph
        places, headings = [place], [0.0 if link is None else float(graph.heading[link])]
        while link is not None and len(places) < MAX_PLACES_AHEAD:
            heading, next_place = float(graph.heading[link]), int(graph.target[link])
            if next_place in places:
                break
            places.append(next_place)
            headings.append(heading)
            link = straight_link(paths, next_place, heading)
        return cls(scene, paths, tuple(places), tuple(headings))

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def crossings(self) -> tuple[int, ...]:
        """Indices of the places ahead that are crossings."""
        return tuple(k for k in range(1, len(self)) if self.paths.crossing[self.places[k]])

    @cached_property
    def passed(self) -> PassedObjects:
        """Objects beside the segment."""
        return passed_objects(self.scene, self.paths.graph, self.places)

    def corner(self, phrase: Phrase, crossing: int) -> bool:
        """Return whether an object that fits a phrase stands at a corner of a crossing."""
        visible = self.scene.at(self.places[crossing])
        fits = match(phrase, visible) & noticeable(visible) & (visible.kind != class_index("building"))
        return bool((fits & (self.distance(crossing, visible) < CORNER_RADIUS)).any())

    def distance(self, crossing: int, visible: VisibleObjects) -> Floats:
        """Return the distances in metres of visible objects from a crossing."""
        east, north = self.paths.graph.positions[self.places[crossing]][:2]
        return np.asarray(np.hypot(visible.east - east, visible.north - north), float)


@dataclass(frozen=True, eq=False)
class PassedObjects:
    """Objects that a walker passes, in order, one row each at the nearest place."""

    instance: Ints
    kind: Ints
    variant: Ints
    colour: Ints
    first: Ints  # paints
    second: Ints
    lettering: Ints
    index: Ints  # of the place on the segment
    side: Ints  # -1 left, 1 right, 0 above the walker
    share: Floats
    hidden: Floats
    east: Floats
    north: Floats

    def __len__(self) -> int:
        return len(self.instance)

    def between(self, begin: int, end: int) -> slice:
        """Return the rows of the places with an index from `begin` on and below `end`."""
        return slice(*np.searchsorted(self.index, [begin, max(begin, end)]).tolist())

    def find(self, phrase: Phrase, side: int = 0, begin: int = 0) -> Ints:
        """Return the rows that fit a phrase, on a side (0: either), from place index `begin` on."""
        fits = match(phrase, self) & (self.index >= begin)
        if side:
            fits &= self.side == side
        return np.flatnonzero(fits)


def noticeable(visible: VisibleObjects) -> Flags:
    """Return a mask of the objects that are large enough and not hidden."""
    return np.asarray((visible.share >= MIN_VISIBLE_SHARE) & (visible.hidden < MAX_HIDDEN_SHARE), bool)


def passed_objects(scene: SceneIndex, graph: Graph, places: Sequence[int]) -> PassedObjects:
    """Return the objects passed along places, each once."""
    ends = [places[0], *places, places[-1]]
    per_place = [_objects_beside(scene, graph, *ends[k : k + 3]) for k in range(len(places))]
    int_columns, real_columns = (np.concatenate(parts, axis=1) for parts in zip(*per_place, strict=True))
    place_index = np.repeat(np.arange(len(places)), [columns[0].shape[1] for columns in per_place])
    order = np.lexsort((real_columns[0], int_columns[0]))
    rows = order[np.unique(int_columns[0][order], return_index=True)[1]]
    rows = rows[np.lexsort((real_columns[1][rows], place_index[rows]))]
    (instance, kind, variant, colour, first, second, lettering), (_, aside, share, hidden, east, north) = (
        int_columns[:, rows],
        real_columns[:, rows],
    )
    side = np.sign(aside).astype(np.int64)
    return PassedObjects(
        instance, kind, variant, colour, first, second, lettering, place_index[rows], side, share, hidden, east, north
    )


_REAL_COLUMNS = ("share", "hidden", "east", "north")
_INT_COLUMNS = ("instance", "kind", "variant", "colour", "first", "second", "lettering")


@lru_cache(maxsize=16384)
def _objects_beside(scene: SceneIndex, graph: Graph, before: int, place: int, after: int) -> tuple[Ints, Floats]:
    """Return the objects beside a place on the way from `before` to `after`, as integer and real columns."""
    position, step = graph.positions[place], graph.positions[after] - graph.positions[before]
    ahead = step[:2] / max(float(np.hypot(step[0], step[1])), 1e-9)
    visible = scene.at(place)
    rows = np.flatnonzero(noticeable(visible))
    kind = visible.kind[rows]
    east, north = visible.east[rows] - position[0], visible.north[rows] - position[1]
    # A building or a park is located where it begins, not at its centre.
    angle, is_large = np.radians(visible.heading[rows]), IS_LARGE[kind]
    east = np.where(is_large, visible.nearest[rows] * np.sin(angle), east)
    north = np.where(is_large, visible.nearest[rows] * np.cos(angle), north)
    along, aside = east * ahead[0] + north * ahead[1], east * ahead[1] - north * ahead[0]
    distance = np.abs(aside)
    is_above = (kind == class_index("bridge")) & (distance < MAX_METRES_OVERHEAD)
    in_range = ((distance >= MIN_METRES_ASIDE) & (distance <= MAX_METRES_ASIDE)) | is_above
    in_range &= np.abs(along) <= MAX_METRES_ALONG
    aside = np.where(is_above, 0.0, aside)[in_range]
    rows = rows[in_range]
    reals = np.abs(along[in_range]), aside, *(getattr(visible, name)[rows] for name in _REAL_COLUMNS)
    return np.array([getattr(visible, name)[rows] for name in _INT_COLUMNS]), np.array(reals)
