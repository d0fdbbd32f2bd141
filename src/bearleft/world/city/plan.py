"""City plans: streets, areas, buildings and things in integer millimetres, identical on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.runtime.json_fields import is_whole
from bearleft.world.city.randomness import MAX_SEED, Integers
from bearleft.world.city.raster import Raster
from bearleft.world.graphs.graph import Graph

EYE_HEIGHT = 2400  # cameras stand so high above their places
UNIT = 1_000_000  # a direction is (ux, uy) of this length
MAX_DISTANCE = 100_000  # metres from the origin: further out single precision has no centimetres left
Rows = npt.NDArray[np.void]

# A straight piece of carriageway from (x0, y0) to (x1, y1), `half` wide to either kerb, a sidewalk of `walk` beyond it.
ROAD = np.dtype(
    [
        ("x0", "i4"),
        ("y0", "i4"),
        ("x1", "i4"),
        ("y1", "i4"),
        ("half", "i4"),
        ("walk", "i4"),
        ("along", "i4"),  # how far (x0, y0) lies from the beginning of its street, for dashes that go on
        ("trim0", "i4"),
        ("trim1", "i4"),  # so far from either end lies a crossing: no markings, no furniture
        ("zebra", "i1"),  # bit 0: a crosswalk where trim0 ends, bit 1: where trim1 begins
        ("lanes", "i1"),  # of moving traffic, both directions together
        ("flow", "i1"),  # 0: both ways, 1: from end 0 to end 1, -1: against it
        ("parking", "i1"),  # bit 0: parking lane on the left of the way from end 0 to end 1, bit 1: on its right
        ("street", "i4"),  # pieces of one street share this number
    ]
)

# An arm of a crossing whose middle is (x, y). The crossing ends on `piece`, towards whose end 0 or 1 (`end`) it lies,
# where trim0 or trim1 says. (ux, uy) points away from the crossing. Forks and merging lanes are not `real`.
ARM = np.dtype(
    [
        ("crossing", "i4"),
        ("x", "i4"),
        ("y", "i4"),
        ("piece", "i4"),
        ("end", "i1"),
        ("ux", "i4"),
        ("uy", "i4"),
        ("real", "?"),
    ]
)

# A rectangle of ground: grass, plaza, yard; later ones lie on top, and roads and sidewalks on top of all.
AREA = np.dtype([("x", "i4"), ("y", "i4"), ("ux", "i4"), ("uy", "i4"), ("hx", "i4"), ("hy", "i4"), ("ground", "u1")])

# A building is a thing with a row more. (ux, uy) points out of its front; hx is half its frontage, hy half its depth.
BUILDING = np.dtype(
    [
        ("thing", "i4"),
        ("hx", "i4"),
        ("hy", "i4"),
        ("height", "i4"),
        ("ground", "i4"),  # height of the ground floor
        ("floor", "i4"),
        ("bay", "i4"),  # height of a floor, width of a window's bay
        ("style", "u1"),  # a row of facades.STYLES
        ("roof", "u1"),
        ("district", "u1"),
        ("street", "i4"),  # of the front
        ("sides", "u1"),  # bit k: side k sees a street (0 front, 1 right, 2 back, 3 left, seen from within)
    ]
)

THING = np.dtype(
    [
        ("kind", "u1"),  # a row of catalog.CLASSES
        ("variant", "u1"),
        ("x", "i4"),
        ("y", "i4"),
        ("z", "i4"),
        ("ux", "i4"),
        ("uy", "i4"),  # it faces this way
        ("sx", "i2"),
        ("sy", "i2"),
        ("sz", "i2"),  # stretched along its own axes, per mille
        ("first", "u1"),
        ("second", "u1"),  # colours, numbers into palette.NAMES
        ("text", "i4"),  # a number into Plan.texts, -1 for none
        ("owner", "i4"),  # the thing it hangs on or belongs to, -1 for none
        ("group", "i4"),
        ("place_in_group", "i2"),  # things arranged together share a group; -1 for none
        ("street", "i4"),  # beside or on which street, -1 for none
    ]
)


@dataclass(frozen=True, eq=False)
class Plan:
    """Positions of everything in a world. Thing k is instance k + 1 in pictures; instance 0 is the ground."""

    name: str
    seed: int
    graph: Graph
    roads: Rows
    areas: Rows
    buildings: Rows
    things: Rows
    texts: tuple[str, ...] = ()
    eye: int = EYE_HEIGHT
    indoors: bool = False
    has_item_templates: bool = False  # whether its scene has the collectibles' models, to stand around in pictures

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the plan; equal plans have equal hashes in every process and on every machine."""
        digest = hashlib.sha256("\n".join((str(self.seed), *self.texts)).encode())
        for rows in (self.roads, self.areas, self.buildings, self.things):
            for name in rows.dtype.names or ():
                digest.update(np.ascontiguousarray(rows[name]).astype(rows.dtype[name].newbyteorder("<")).tobytes())
        return digest.hexdigest()


@dataclass
class Draft:
    """A plan under construction, with the results of the stages so far."""

    seed: int
    graph: Graph
    roads: Rows = field(default_factory=lambda: np.zeros(0, ROAD))
    areas: Rows = field(default_factory=lambda: np.zeros(0, AREA))
    buildings: Rows = field(default_factory=lambda: np.zeros(0, BUILDING))
    things: Rows = field(default_factory=lambda: np.zeros(0, THING))
    texts: list[str] = field(default_factory=list)
    arms: Rows = field(default_factory=lambda: np.zeros(0, ARM))
    parks: list[int] = field(default_factory=list)  # which areas are parks, plazas and playgrounds
    raster: Raster | None = None  # what lies where, from lay_roads on

    def add(self, things: Rows) -> int:
        """Add things and return the index of the first one."""
        first = len(self.things)
        self.things = np.concatenate([self.things, things])
        return first

    def plan(self) -> Plan:
        """Return the finished plan."""
        name = f"{self.graph.name} with city {self.seed}"
        return Plan(name, self.seed, self.graph, self.roads, self.areas, self.buildings, self.things, tuple(self.texts))

    def text(self, text: str) -> int:
        """Return the index of a text, adding it if it is new."""
        if text not in self._text_indices:
            self._text_indices[text] = len(self.texts)
            self.texts.append(text)
        return self._text_indices[text]

    @cached_property
    def _text_indices(self) -> dict[str, int]:
        return {}


StageFunction = Callable[[Draft], None]


def check_seed(seed: Any) -> int:
    """Return a valid seed of a city as an int.

    Raises:
        InputError: The seed is not an integer from 0 to MAX_SEED.
    """
    if not is_whole(seed) or not 0 <= seed <= MAX_SEED:
        raise InputError(f"a seed from 0 to {MAX_SEED}", shown(seed))
    return int(seed)


def positions_in_millimetres(graph: Graph) -> tuple[Integers, Integers]:
    """Return x (east) and y (north) of every place in whole millimetres.

    Raises:
        InputError: A place is too far from the origin or not on level ground.
    """
    positions = graph.positions[:, :2]
    too_far = np.abs(positions).max(axis=1) > MAX_DISTANCE
    if too_far.any():
        place = int(np.argmax(too_far))
        got = f"the place {graph.ids[place]} at ({positions[place, 0]:g}, {positions[place, 1]:g}) m"
        raise InputError(f"places within {MAX_DISTANCE // 1000} km of the origin", got)
    if graph.positions[:, 2].any():
        place = int(np.argmax(graph.positions[:, 2] != 0))
        raise InputError("places on level ground, up 0", f"{graph.ids[place]} at {graph.positions[place, 2]:g} m")
    x, y = np.rint(positions.T * 1000).astype(np.int64)
    return x, y
