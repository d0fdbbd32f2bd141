"""City plans: streets, areas, buildings and things in integer millimetres, identical on every machine.

A thing is a placed object, such as a tree or a building. A crossing is where at least three streets meet; crossings
that are close together count as one (`street_network.py`). A direction (ux, uy) is a unit vector times DIRECTION_SCALE.
"walk" is short for sidewalk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import is_integer
from bearleft.world.city.randomness import MAX_SEED, SECRET_SEEDS, Integers
from bearleft.world.city.raster import Raster
from bearleft.world.graphs.graph import Graph

EYE_HEIGHT = 2400  # millimetres of the camera above its place
DIRECTION_SCALE = 1_000_000  # length of the integer vector of a direction (ux, uy)
MAX_DISTANCE = 100_000  # metres from the origin; beyond it single precision does not resolve centimetres
Rows = npt.NDArray[np.void]

# A straight piece of carriageway from (x0, y0) to (x1, y1): `half` is half its width, `walk` the sidewalk's width.
ROAD = np.dtype(
    [
        ("x0", "i4"),
        ("y0", "i4"),
        ("x1", "i4"),
        ("y1", "i4"),
        ("half", "i4"),
        ("walk", "i4"),
        ("along", "i4"),  # distance of (x0, y0) from the start of its street, so that dashes continue
        ("trim0", "i4"),  # millimetres at end 0 that belong to a crossing: without markings and furniture
        ("trim1", "i4"),  # the same at end 1
        ("zebra", "i1"),  # bit 0: a crosswalk where trim0 ends, bit 1: where trim1 begins
        ("lanes", "i1"),  # lanes of moving traffic, both directions together
        ("flow", "i1"),  # 0: both ways, 1: from end 0 to end 1, -1: against it
        ("parking", "i1"),  # bit 0: parking lane on the left, seen from end 0 to end 1; bit 1: on the right
        ("street", "i4"),  # index of the street
        ("median", "i1"),  # lanes to the left of the median of a two-way street, 0 for no median
    ]
)

# An arm of a crossing with centre (x, y). The crossing covers trim0 or trim1 of `piece` at its end 0 or 1 (`end`).
# (ux, uy) points away from the crossing. `real` is False for the arms of
# forks and merging lanes, which have no crosswalks or traffic lights.
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

# A rectangle of ground: grass, plaza, yard. Later areas cover earlier ones; roads and sidewalks cover all areas.
AREA = np.dtype([("x", "i4"), ("y", "i4"), ("ux", "i4"), ("uy", "i4"), ("hx", "i4"), ("hy", "i4"), ("ground", "u1")])

# Attributes of a building, in addition to its thing, which faces out of the front. hx is half the frontage, hy half
# the depth.
BUILDING = np.dtype(
    [
        ("thing", "i4"),  # index of the placed object in Plan.things
        ("hx", "i4"),
        ("hy", "i4"),
        ("height", "i4"),
        ("ground", "i4"),  # height of the ground floor
        ("floor", "i4"),  # height of an upper floor
        ("bay", "i4"),  # width of a window bay
        ("style", "u1"),  # index into facades.STYLES
        ("roof", "u1"),
        ("district", "u1"),
        ("street", "i4"),  # street of the front
        ("sides", "u1"),  # bit k: side k faces a street (0 front, 1 right, 2 back, 3 left, seen from inside)
    ]
)

# A placed object.
THING = np.dtype(
    [
        ("kind", "u1"),  # its class, an index into catalog.CLASSES
        ("variant", "u1"),  # index into the models of the class
        ("x", "i4"),
        ("y", "i4"),
        ("z", "i4"),
        ("ux", "i4"),  # direction it faces
        ("uy", "i4"),
        ("sx", "i2"),  # scale along its own axes, per mille
        ("sy", "i2"),
        ("sz", "i2"),
        ("first", "u1"),  # first colour, an index into palette.COLOUR_NAMES
        ("second", "u1"),  # second colour
        ("text", "i4"),  # index into Plan.texts, -1 for none
        ("owner", "i4"),  # index of the thing it is attached to, such as a building, -1 for none
        ("group", "i4"),  # shared by things that are arranged together, -1 for none
        ("place_in_group", "i2"),
        ("street", "i4"),  # index of the street it is beside or on, -1 for none
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
    has_item_templates: bool = False  # whether its scene has templates of the collectibles

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
    parks: list[int] = field(default_factory=list)  # indices of the areas that are parks, plazas and playgrounds
    raster: Raster | None = None  # occupied ground; set by lay_roads
    _space: Rows = field(default_factory=lambda: np.zeros(0, THING), repr=False)  # for `things` and more to come

    def add(self, things: Rows) -> int:
        """Add things and return the index of the first one."""
        first, end = len(self.things), len(self.things) + len(things)
        if end > len(self._space) or self.things.base is not self._space:
            self._space = np.zeros(2 * end, THING)
            self._space[:first] = self.things
        self._space[first:end] = things
        self.things = self._space[:end]
        return first

    def plan(self) -> Plan:
        """Return the finished plan."""
        name = f"{self.graph.name} with city {self.seed}"
        things = self.things.copy()
        return Plan(name, self.seed, self.graph, self.roads, self.areas, self.buildings, things, tuple(self.texts))

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
    if not is_integer(seed) or not 0 <= seed <= MAX_SEED:
        raise InputError(f"a seed from 0 to {MAX_SEED}", format_value(seed))
    return int(seed)


def check_draw_seed(seed: Any) -> int:
    """Return a valid seed of routes, targets and texts as an int; unlike that of a city, it may be a secret one.

    Raises:
        InputError: The seed is not an integer from 0 to MAX_SEED, nor one of SECRET_SEEDS.
    """
    return int(seed) if is_integer(seed) and int(seed) in SECRET_SEEDS else check_seed(seed)


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
        raise InputError("places on level ground (z = 0)", f"{graph.ids[place]} at {graph.positions[place, 2]:g} m")
    x, y = np.rint(positions.T * 1000).astype(np.int64)
    return x, y
