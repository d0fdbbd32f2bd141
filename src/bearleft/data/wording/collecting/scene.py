"""What stands around in ArraMon's sections: things with what they are called by, crossings, and what hides what."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bearleft.data.wording.lexicon import Name, colour_words, names_of
from bearleft.data.wording.paint import main_colours
from bearleft.data.wording.phrase import Ints, Phrase, match
from bearleft.geometry import Floats
from bearleft.world.city import palette
from bearleft.world.city.catalog import number
from bearleft.world.city.city import City
from bearleft.world.city.plan import UNIT

Flags = npt.NDArray[np.bool_]
Spot = tuple[float, float]
MERGED = 4.0  # metres between places of one crossing
# Names that say too little to find something by, or that are no thing one walks to.
VAGUE = frozenset(
    (
        *("construction", "pole", "metal pole", "box", "metal box", "sign", "traffic sign", "post", "lamp", "trash"),
        *("garbage", "fence", "fencing", "telephone", "lantern", "vertical sign", "tall sign"),
    )
)
GREYS = frozenset(("gray", "grey", "silver", "light gray", "light grey", "dark gray", "dark grey"))
HOUSE = number("building")


@dataclass(frozen=True, eq=False)
class Scene:
    """Columns, a row a thing, in metres; `walls` are rows of x, y, ux, uy, half width, half depth of buildings."""

    instance: Ints  # in pictures
    kind: Ints  # a row of catalog.CLASSES
    variant: Ints
    colour: Ints  # a number into palette.NAMES, -1 for none that one would say
    east: Floats
    north: Floats
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
        to_x, to_y = np.atleast_1d(np.asarray(east, float)), np.atleast_1d(np.asarray(north, float))
        x, y, ux, uy, half, deep = self._walls_near(at).T
        # Both ends in each building's own frame, then where the line enters and leaves its box.
        ax, ay = (at[0] - x) * ux + (at[1] - y) * uy, (at[1] - y) * ux - (at[0] - x) * uy
        bx, by = (
            (to_x[:, None] - x) * ux + (to_y[:, None] - y) * uy,
            (to_y[:, None] - y) * ux - (to_x[:, None] - x) * uy,
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            enter, leave = np.zeros_like(bx), np.ones_like(bx)
            for begin, end, size in ((ax, bx, deep), (ay, by, half)):
                one, other = (-size - begin) / (end - begin), (size - begin) / (end - begin)
                enter, leave = np.fmax(enter, np.fmin(one, other)), np.fmin(leave, np.fmax(one, other))
                apart = (np.abs(begin) >= size) & (np.abs(end - begin) < 1e-9)
                leave = np.where(apart, -1.0, leave)
        return np.asarray(~(enter < leave).any(axis=1), bool)

    def _walls_near(self, at: Spot, far: float = 90.0) -> Floats:
        near = (np.abs(self.walls[:, 0] - at[0]) < far) & (np.abs(self.walls[:, 1] - at[1]) < far)
        return self.walls[near]

    def names(self, row: int) -> tuple[Name, ...]:
        """What a thing may be called, the usual names first."""
        return _names(int(self.kind[row]), int(self.variant[row]))

    def tints(self, row: int) -> tuple[str, ...]:
        """The words for a thing's colour."""
        number_ = int(self.colour[row])
        words = colour_words(palette.NAMES[number_]) if number_ >= 0 else ()
        return () if self.kind[row] == HOUSE and GREYS.intersection(words) else words

    @classmethod
    def of(cls, city: City) -> Scene:
        """The scene of a world's plan and places."""
        plan, graph = city.plan, city.graph
        things, houses = plan.things, plan.buildings
        variants = things["variant"].astype(np.int64)
        variants[houses["thing"]] = houses["style"]
        colours = np.asarray(main_colours(plan), np.int64)
        kinds = things["kind"].astype(np.int64)
        said = np.array([bool(_names(int(k), int(v))) for k, v in zip(kinds, variants, strict=True)], bool)
        rows = np.flatnonzero(said & (kinds != HOUSE))
        whole = things[houses["thing"]]
        walls = np.column_stack(
            [whole["x"] / 1000.0, whole["y"] / 1000.0, whole["ux"] / UNIT, whole["uy"] / UNIT]
            + [houses["hx"] / 1000.0, houses["hy"] / 1000.0]
        )
        return cls(
            rows + 1, kinds[rows], variants[rows], colours[rows], things["x"][rows] / 1000.0, things["y"][rows] / 1000.0,
            _merged(graph.positions[np.flatnonzero(graph.degree >= 3)][:, :2]), walls,
        )  # fmt: skip


def _merged(spots: Floats) -> Floats:
    """Spots without those that are near an earlier one."""
    kept: list[Floats] = []
    for spot in spots:
        if all(np.hypot(*(spot - one)) > MERGED for one in kept):
            kept.append(spot)
    return np.array(kept, float).reshape(-1, 2)


@lru_cache(maxsize=512)
def _names(kind: int, variant: int) -> tuple[Name, ...]:
    return tuple(name for name in names_of(kind, variant) if name.one not in VAGUE)


@lru_cache(maxsize=2)
def open_scene(world: str) -> Scene:
    """What stands around in one of bearleft's own worlds of sections."""
    from bearleft.world.sections.world import open_sections

    return Scene.of(open_sections(world).city)
