"""Objects of ArraMon's sections for instructions: names, crossings and visibility."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import dist

import numpy as np
import numpy.typing as npt

from bearleft.geometry import Floats
from bearleft.language.arramon_navigation.object_names import COLOUR_RATES, SALIENCE, spoken_names
from bearleft.language.lexicon.lexicon import Name, colour_words, names_of
from bearleft.language.lexicon.object_colours import main_colours
from bearleft.language.noun_phrases import Feature, Look, Phrase, match
from bearleft.language.scene_index import Ints
from bearleft.world.arramon.sections.line_of_sight import has_line_of_sight
from bearleft.world.arramon.sections.world import Sections, open_sections
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES, class_index

Flags = npt.NDArray[np.bool_]
Position2D = tuple[float, float]
MAX_SIGHT = 90.0  # metres; buildings further off hide nothing relevant
MAX_SHORT_SHARE = 0.8  # height of a short building by the median of its section
MIN_UNNAMED_DISTANCE = 28.0  # metres from a short building to one that is not named
MAX_NEAR_DISTANCE = 3.0  # metres between two objects that are near each other
BUILDING = class_index("building")
# Names that identify too little, or that are no destination.
VAGUE_NAMES = frozenset(
    (
        *("construction", "pole", "metal pole", "box", "metal box", "sign", "traffic sign", "post", "lamp", "trash"),
        *("garbage", "fence", "fencing", "telephone", "lantern", "vertical sign", "tall sign", "old tires"),
    )
)


@dataclass(slots=True, eq=False)
class LocatedPhrase(Phrase):
    """A noun phrase for an object near another: "the bench next to the hydrant"."""

    near: Phrase | None = None


@dataclass(slots=True, eq=False)
class ShortPhrase(Phrase):
    """A noun phrase for a low building: "the short white building"."""


@dataclass(frozen=True, eq=False)
class SectionScene:
    """Objects as columns, one row per object, in metres.

    `walls` has rows of x, y, ux, uy, half width and half depth of buildings.
    """

    instance: Ints  # in pictures
    kind: Ints  # a row of catalog.CLASSES
    variant: Ints
    colour: Ints  # an index into palette.COLOUR_NAMES, -1 for no clear colour
    first: Ints  # paints, as indices into palette.COLOUR_NAMES
    second: Ints
    east: Floats
    north: Floats
    half_width: Floats  # half of a building's width, 0 for street objects
    crossings: Floats  # two columns
    walls: Floats
    low: frozenset[int] = frozenset()  # rows of buildings that are lower than most of their section
    lettering: Ints = field(default_factory=lambda: np.full(1, -1, np.int64))  # no shops in sections
    _fitting: dict[tuple[bytes, frozenset[int] | None, tuple[Feature, ...]], Ints] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.instance)

    def fitting(self, phrase: Phrase) -> Ints:
        """Return the rows that a noun phrase matches."""
        key = b"" if phrase.table is None else phrase.table.tobytes(), phrase.colours, phrase.features
        if key not in self._fitting:
            self._fitting[key] = np.flatnonzero(match(phrase, self))
        rows = self._fitting[key]
        if isinstance(phrase, ShortPhrase):
            return np.array([row for row in rows if int(row) in self.low], np.int64)
        return self.near(rows, self.fitting(phrase.near)) if isinstance(phrase, LocatedPhrase) and phrase.near else rows

    def near(self, rows: Ints, others: Ints) -> Ints:
        """Return the rows of objects that are near one of the others."""
        east, north = (column[rows][:, None] - column[others] for column in (self.east, self.north))
        distance = np.where(rows[:, None] == others, np.inf, np.hypot(east, north))
        return np.asarray(rows[distance.min(axis=1, initial=np.inf) <= MAX_NEAR_DISTANCE], np.int64)

    def sees(self, position: Position2D, east: npt.ArrayLike, north: npt.ArrayLike) -> Flags:
        """Return which positions are visible from one: no building stands between."""
        near = (np.abs(self.walls[:, 0] - position[0]) < MAX_SIGHT) & (
            np.abs(self.walls[:, 1] - position[1]) < MAX_SIGHT
        )
        points = np.stack(np.broadcast_arrays(np.atleast_1d(east), np.atleast_1d(north)), axis=1)
        return has_line_of_sight(*position, points, self.walls[near])

    def names(self, row: int) -> tuple[Name, ...]:
        """Return the names of an object, the usual ones first."""
        return _names_of(int(self.kind[row]), int(self.variant[row]))

    def class_name(self, row: int) -> str:
        """Return the name of the class of an object."""
        return CLASSES[int(self.kind[row])].name

    def salience(self, row: int) -> float:
        """Return how often people mention an object of this class, relative to others."""
        return SALIENCE.get(self.class_name(row), 1.0)

    def colour_rate(self, row: int) -> float:
        """Return how often people say the colour of an object of this class where it is not needed."""
        return COLOUR_RATES[self.class_name(row)]

    def tints(self, row: int) -> tuple[str, ...]:
        """Return the words for an object's colour."""
        colour = int(self.colour[row])
        return colour_words(palette.COLOUR_NAMES[colour]) if colour >= 0 else ()

    def look(self, row: int) -> Look:
        """Return what the picture of an object depends on."""
        return Look(int(self.kind[row]), int(self.variant[row]), int(self.first[row]), int(self.second[row]))

    @classmethod
    def of(cls, sections: Sections) -> SectionScene:
        """Return the objects of a world of sections: street objects, and buildings except for grey ones."""
        plan = sections.city.plan
        variants = plan.things["variant"].astype(np.int64)
        variants[plan.buildings["thing"]] = plan.buildings["style"]
        colours = np.asarray(main_colours(plan), np.int64)
        buildings = [building for building in sections.houses if not building.grey and colours[building.index] >= 0]
        named_objects = [(street_object.index, street_object.at, 0.0) for street_object in sections.street_objects]
        named_objects += [(building.index, building.at, max(building.size) / 2) for building in buildings]
        rows = np.array([index for index, _, _ in named_objects], np.int64)
        positions = np.array([at for _, at, _ in named_objects], np.float64).reshape(-1, 2)
        heights = {
            section: float(np.median([house.height for house in sections.houses if house.section == section]))
            for section in {house.section for house in sections.houses}
        }
        short = [house for house in sections.houses if house.height <= MAX_SHORT_SHARE * heights[house.section]]
        named = {building.index for building in buildings}
        low = {  # grey ones are no landmarks, but could be meant by "the short building"
            house.index
            for house in short
            if house.index in named
            and all(o.index in named or dist(o.at, house.at) > MIN_UNNAMED_DISTANCE for o in short)
        }
        return cls(
            rows + 1,
            plan.things["kind"][rows].astype(np.int64),
            variants[rows],
            colours[rows],
            plan.things["first"][rows].astype(np.int64),
            plan.things["second"][rows].astype(np.int64),
            positions[:, 0],
            positions[:, 1],
            np.array([half_width for _, _, half_width in named_objects], np.float64),
            np.array([crossing.at for crossing in sections.crossings], float).reshape(-1, 2),
            sections.house_footprints,
            frozenset(k for k, index in enumerate(rows.tolist()) if index in low),
        )


@lru_cache(maxsize=512)
def _names_of(kind: int, variant: int) -> tuple[Name, ...]:
    if kind == BUILDING:
        return tuple(name for name in names_of(kind, variant) if name.singular == "building")
    return spoken_names(tuple(name for name in names_of(kind, variant) if name.singular not in VAGUE_NAMES))


@lru_cache(maxsize=2)
def open_scene(world: str) -> SectionScene:
    """Return the objects of generated sections by the name of their world."""
    return SectionScene.of(open_sections(world))
