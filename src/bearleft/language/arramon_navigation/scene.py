"""What stands around in ArraMon's sections: things with what they are called by, crossings, and what hides what."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bearleft.geometry import Floats
from bearleft.language.lexicon.lexicon import Name, colour_words, names_of
from bearleft.language.lexicon.object_colours import main_colours
from bearleft.language.noun_phrases import Phrase, match
from bearleft.language.scene_index import Ints
from bearleft.world.arramon.sections.line_of_sight import has_line_of_sight
from bearleft.world.arramon.sections.world import Sections, open_sections
from bearleft.world.city import palette
from bearleft.world.city.catalog import class_index

Flags = npt.NDArray[np.bool_]
Spot = tuple[float, float]
SIGHT = 90.0  # metres; houses further off hide nothing that is spoken of
HOUSE = class_index("building")
# Names that say too little to find something by, or that are no thing one walks to.
VAGUE = frozenset(
    (
        *("construction", "pole", "metal pole", "box", "metal box", "sign", "traffic sign", "post", "lamp", "trash"),
        *("garbage", "fence", "fencing", "telephone", "lantern", "vertical sign", "tall sign", "old tires"),
    )
)


@dataclass(frozen=True, eq=False)
class Scene:
    """Columns, a row a thing, in metres; `walls` are rows of x, y, ux, uy, half width, half depth of buildings."""

    instance: Ints  # in pictures
    kind: Ints  # a row of catalog.CLASSES
    variant: Ints
    colour: Ints  # a number into palette.NAMES, -1 for none that one would say
    east: Floats
    north: Floats
    wide: Floats  # half of a building's width, 0 of what stands on the street
    crossings: Floats  # two columns
    walls: Floats
    _fitting: dict[tuple[bytes, frozenset[int] | None], Ints] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.instance)

    def fitting(self, phrase: Phrase) -> Ints:
        """The rows that a noun phrase fits."""
        key = b"" if phrase.table is None else phrase.table.tobytes(), phrase.colours
        if key not in self._fitting:
            self._fitting[key] = np.flatnonzero(match(phrase, self))
        return self._fitting[key]

    def sees(self, at: Spot, east: npt.ArrayLike, north: npt.ArrayLike) -> Flags:
        """Which spots are seen from one: no building stands between."""
        near = (np.abs(self.walls[:, 0] - at[0]) < SIGHT) & (np.abs(self.walls[:, 1] - at[1]) < SIGHT)
        points = np.stack(np.broadcast_arrays(np.atleast_1d(east), np.atleast_1d(north)), axis=1)
        return has_line_of_sight(*at, points, self.walls[near])

    def names(self, row: int) -> tuple[Name, ...]:
        """What a thing may be called, the usual names first."""
        return _names(int(self.kind[row]), int(self.variant[row]))

    def tints(self, row: int) -> tuple[str, ...]:
        """The words for a thing's colour."""
        tint = int(self.colour[row])
        return colour_words(palette.COLOUR_NAMES[tint]) if tint >= 0 else ()

    @classmethod
    def of(cls, sections: Sections) -> Scene:
        """What stands around in a world of sections: its street objects, and its buildings but for the grey ones."""
        plan = sections.city.plan
        variants = plan.things["variant"].astype(np.int64)
        variants[plan.buildings["thing"]] = plan.buildings["style"]
        colours = np.asarray(main_colours(plan), np.int64)
        houses = [house for house in sections.houses if not house.grey and colours[house.index] >= 0]
        named = [(thing.index, thing.at, 0.0) for thing in sections.things]
        named += [(house.index, house.at, max(house.size) / 2) for house in houses]
        rows = np.array([index for index, _, _ in named], np.int64)
        spots = np.array([at for _, at, _ in named], np.float64).reshape(-1, 2)
        return cls(
            rows + 1,
            plan.things["kind"][rows].astype(np.int64),
            variants[rows],
            colours[rows],
            spots[:, 0],
            spots[:, 1],
            np.array([wide for _, _, wide in named], np.float64),
            np.array([one.at for one in sections.crossings], float).reshape(-1, 2),
            sections.walls,
        )


@lru_cache(maxsize=512)
def _names(kind: int, variant: int) -> tuple[Name, ...]:
    if kind == HOUSE:
        return tuple(name for name in names_of(kind, variant) if name.singular == "building")
    return tuple(name for name in names_of(kind, variant) if name.singular not in VAGUE)


@lru_cache(maxsize=2)
def open_scene(world: str) -> Scene:
    """What stands around in one of bearleft's own worlds of sections."""
    return Scene.of(open_sections(world))
