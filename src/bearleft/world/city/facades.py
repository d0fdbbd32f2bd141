"""Solids of all buildings: walls with windows, cornices, setbacks and roof structures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from bearleft.world.city.palette import COLOURS, RGB_TABLE
from bearleft.world.city.plan import DIRECTION_SCALE, Rows
from bearleft.world.city.randomness import Stage, chance, integers, weighted_choice
from bearleft.world.render.codes import Material, Outline, SolidShape
from bearleft.world.render.scene import SOLID

if TYPE_CHECKING:
    from bearleft.types import Floats

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
FloatOrArray: TypeAlias = "Floats | float"

PARTS = (
    "",
    "facade",
    "ground floor",
    "side wall",
    "cornice",
    "setback",
    "roof",
    "water tank",
    "bulkhead",
    "chimney",
    "air handler",
    "antenna",
    "crown",
    "parapet",
)


class Windows(IntEnum):
    """Pattern of a facade's windows."""

    SASH = 0
    ARCHED = 1
    RIBBON = 2
    CURTAIN = 3
    INDUSTRIAL = 4
    PAIRED = 5


class Cornice(IntEnum):
    """Top edge of a facade."""

    NONE = 0
    COPING = 1
    BRACKETS = 2
    CROWN = 3


class GroundFloor(IntEnum):
    """Material of a ground floor without shops: walls as above, walls in the trim colour, or glass."""

    WALL = 0
    BASE = 1
    LOBBY = 2


class Roof(IntEnum):
    """Structures on a roof; a building whose `roof` is RANDOM has a random one of its style."""

    RANDOM = 0
    BARE = 1
    TANK = 2
    BULKHEAD = 3
    CHIMNEYS = 4
    MACHINES = 5
    MANSARD = 6
    GABLE = 7


@dataclass(frozen=True)
class FacadeStyle:
    """A building style. `walls` and `trims` are colours; `roofs` are weights in the order of Roof[1:].

    A style with `party` walls shows no windows on sides without a street; `tiers`: its towers have setbacks; `painted`:
    only its front is painted, the side walls are bare brick.
    """

    name: str
    windows: Windows
    walls: tuple[str, ...]
    trims: tuple[str, ...]
    cornice: Cornice
    ground: GroundFloor
    roofs: tuple[int, ...]
    party: bool = True
    tiers: bool = False
    painted: bool = False


STYLES = (
    FacadeStyle("brick walk-up", Windows.SASH, ("brick", "maroon", "tan", "brown"), ("cream", "limestone", "black"),
                Cornice.BRACKETS, GroundFloor.WALL, (3, 5, 4, 3, 0, 0, 0)),
    FacadeStyle("brownstone", Windows.ARCHED, ("brown", "sandstone", "brick"), ("tan", "cream", "brown"),
                Cornice.BRACKETS, GroundFloor.BASE, (4, 0, 2, 5, 0, 3, 0)),
    FacadeStyle("limestone apartment", Windows.SASH, ("limestone", "beige", "cream", "sandstone"),
                ("limestone", "white"), Cornice.BRACKETS, GroundFloor.BASE, (1, 6, 4, 0, 1, 3, 0), tiers=True),
    FacadeStyle("glass office tower", Windows.CURTAIN, ("glass", "light blue", "teal", "navy"), ("silver", "dark grey"),
                Cornice.CROWN, GroundFloor.LOBBY, (1, 0, 1, 0, 6, 0, 0), party=False, tiers=True),
    FacadeStyle("concrete slab", Windows.PAIRED, ("concrete", "grey", "beige", "white"), ("white", "concrete"),
                Cornice.COPING, GroundFloor.WALL, (1, 1, 5, 0, 4, 0, 0), party=False),
    FacadeStyle("cast-iron loft", Windows.INDUSTRIAL, ("cream", "white", "light blue", "grey", "brick"),
                ("white", "cream", "dark grey"), Cornice.BRACKETS, GroundFloor.WALL, (1, 6, 3, 0, 1, 0, 0),
                painted=True),
    FacadeStyle("painted rowhouse", Windows.SASH, ("white", "light blue", "pink", "yellow", "green"),
                ("white", "cream"), Cornice.BRACKETS, GroundFloor.WALL, (3, 0, 1, 4, 0, 1, 4),
                painted=True),
    FacadeStyle("panel office", Windows.RIBBON, ("white", "grey", "dark grey", "tan", "silver"), ("silver", "black"),
                Cornice.COPING, GroundFloor.LOBBY, (1, 0, 3, 0, 6, 0, 0), party=False, tiers=True),
    FacadeStyle("warehouse", Windows.INDUSTRIAL, ("brick", "brown", "maroon", "tan"), ("dark grey", "black", "teal"),
                Cornice.COPING, GroundFloor.WALL, (2, 6, 3, 2, 1, 0, 0)),
    FacadeStyle("art-deco tower", Windows.ARCHED, ("tan", "beige", "sandstone", "limestone"), ("cream", "brown"),
                Cornice.COPING, GroundFloor.BASE, (1, 3, 4, 0, 1, 0, 0), tiers=True),
    FacadeStyle("tenement", Windows.PAIRED, ("brick", "tan", "maroon", "cream"), ("limestone", "brown", "cream"),
                Cornice.BRACKETS, GroundFloor.WALL, (3, 5, 4, 3, 0, 0, 0)),
    FacadeStyle("white-brick apartment", Windows.PAIRED, ("white", "cream", "silver"), ("silver", "grey"),
                Cornice.COPING, GroundFloor.BASE, (1, 4, 5, 0, 2, 0, 0)),
)  # fmt: skip

SETBACK_HEIGHT, SECOND_SETBACK_HEIGHT = 45.0, 90.0  # metres from which a tower steps back once, twice
CORNICE_OVERHANG = 0.45  # metres that a cornice reaches over the street


def building_solids(buildings: Rows, things: Rows, seed: int) -> Rows:
    """Return the solids of all buildings; their parts are indices into PARTS."""
    if not len(buildings):
        return np.zeros(0, SOLID)
    builder = _SolidBuilder(buildings, things, seed)
    top = _add_walls(builder)
    _add_ground_floors(builder)
    _add_cornices(builder, top)
    _add_roofs(builder, top)
    return np.concatenate(builder.solids)


@dataclass
class _Tier:
    """Uppermost part of each building: half sizes and height."""

    hx: Floats
    hy: Floats
    z: Floats


class _SolidBuilder:
    """Columns of building attributes in metres, and the solids built so far."""

    def __init__(self, buildings: Rows, things: Rows, seed: int) -> None:
        self.seed, self.thing = seed, buildings["thing"].astype(np.int64)
        house = things[self.thing]
        self.hx, self.hy, self.height, self.ground, self.floor, self.bay = (
            buildings[name] / 1000.0 for name in ("hx", "hy", "height", "ground", "floor", "bay")
        )
        self.floor, self.bay = np.maximum(self.floor, 2.0), np.maximum(self.bay, 1.0)
        self.style = np.minimum(buildings["style"], len(STYLES) - 1).astype(np.int64)
        self.roof, self.sides = buildings["roof"].astype(np.int64), buildings["sides"].astype(np.int64)
        self.centre = np.column_stack([house["x"], house["y"], house["z"]]) / 1000.0
        ahead = np.column_stack([house["ux"], house["uy"]]) / DIRECTION_SCALE
        self.axes = np.zeros((len(house), 3, 3))  # columns: to the right, ahead, up
        self.axes[:, 0, 0], self.axes[:, 1, 0] = ahead[:, 1], -ahead[:, 0]
        self.axes[:, 0, 1], self.axes[:, 1, 1] = ahead[:, 0], ahead[:, 1]
        self.axes[:, 2, 2] = 1.0
        self.wall, self.trim = RGB_TABLE[house["first"]], RGB_TABLE[house["second"]]
        self.solids: list[Rows] = []

    def style_values(self, attribute: str) -> npt.NDArray[np.int64]:
        """Return an attribute of each building's style."""
        table = np.array([int(getattr(style, attribute)) for style in STYLES], np.int64)
        return np.asarray(table[self.style], np.int64)

    def faces_street(self, side: int) -> Floats:
        """Return 1.0 where a side faces a street, else 0.0."""
        return ((self.sides >> side) & 1).astype(float)

    def uniform(self, low: float, high: float, salt: int) -> Floats:
        """Return a random number from `low` to `high` for each building, in steps of a hundredth."""
        spread = integers(self.seed, Stage.BUILDINGS, self.thing, 0, 100, salt=1000 + salt)
        return np.asarray(low + (high - low) * spread / 100.0, np.float64)

    def add(
        self,
        mask: Flags,
        part: str,
        at: tuple[FloatOrArray, FloatOrArray, FloatOrArray],
        half: tuple[FloatOrArray, FloatOrArray, FloatOrArray],
        colour: Bytes | str,
        kind: SolidShape = SolidShape.BOX,
        material: int | npt.NDArray[np.int64] = Material.PLAIN,
        second: Bytes | str = "white",
        pattern: tuple[FloatOrArray, ...] = (),
        shape: tuple[FloatOrArray, ...] = (),
        across: bool = False,
    ) -> None:
        """Add one solid for each selected building, in the building's own metres; `across` turns it by 90 degrees."""
        count = len(self.thing)

        def columns(values: tuple[FloatOrArray, ...]) -> Floats:
            arrays = [np.broadcast_to(np.asarray(value, float), count) for value in values]
            return np.column_stack(arrays)[mask] if arrays else np.zeros((int(mask.sum()), 0))

        def rgb(colour: Bytes | str) -> Bytes:
            return np.array(COLOURS[colour], np.uint8) if isinstance(colour, str) else colour[mask]

        rows = np.zeros(int(mask.sum()), SOLID)
        axes, sizes = self.axes[mask], columns(half)
        rows["kind"], rows["part"], rows["text"] = kind, PARTS.index(part), -1
        rows["material"] = np.broadcast_to(material, count)[mask]
        rows["instance"] = self.thing[mask] + 1
        rows["centre"] = self.centre[mask] + np.einsum("nij,nj->ni", axes, columns(at))
        if across:
            axes = axes[:, :, [1, 0, 2]] * np.array([1.0, -1.0, 1.0])
        rows["matrix"] = axes * sizes[:, None, :]
        rows["size"] = sizes
        rows["shape"][:, : len(shape)] = columns(shape)
        rows["colour"], rows["second"] = rgb(colour), rgb(second)
        rows["pattern"][:, : len(pattern)] = columns(pattern)
        self.solids.append(rows)


def _add_walls(builder: _SolidBuilder) -> _Tier:
    """Add the storeys, with setbacks, and blank walls towards neighbours; return the top tiers."""
    all_buildings = np.ones(len(builder.thing), bool)
    windows = builder.style_values("windows").astype(float)
    stepped = builder.style_values("tiers").astype(bool) & (np.minimum(builder.hx, builder.hy) > 5.5)
    floors = np.floor((builder.height - builder.ground) / builder.floor)
    once, twice = stepped & (builder.height > SETBACK_HEIGHT), stepped & (builder.height > SECOND_SETBACK_HEIGHT)
    first = builder.ground + np.round(floors * builder.uniform(0.35, 0.62, 0)) * builder.floor
    second = (
        first
        + np.round((floors - (first - builder.ground) / builder.floor) * builder.uniform(0.4, 0.65, 1)) * builder.floor
    )
    inset = np.minimum(builder.hx, builder.hy) * builder.uniform(0.14, 0.24, 2)
    top = np.where(once, first, builder.height)
    pattern = (builder.bay, builder.floor, builder.ground, windows)
    builder.add(
        all_buildings,
        "facade",
        (0, 0, top / 2),
        (builder.hx, builder.hy, top / 2),
        builder.wall,
        material=Material.FACADE,
        second=builder.trim,
        pattern=pattern,
    )
    tier = _Tier(builder.hx, builder.hy, top)
    upper = (builder.bay, builder.floor, 0.0, windows)
    for mask, end in ((once, np.where(twice, second, builder.height)), (twice, builder.height)):
        half = np.maximum(end - tier.z, 0.0) / 2
        hx, hy = np.where(mask, tier.hx - inset, tier.hx), np.where(mask, tier.hy - inset, tier.hy)
        builder.add(
            mask,
            "setback",
            (0, 0, tier.z + half),
            (hx, hy, half),
            builder.wall,
            material=Material.FACADE,
            second=builder.trim,
            pattern=upper,
        )
        builder.add(mask, "parapet", (0, 0, tier.z + 0.1), (tier.hx + 0.12, tier.hy + 0.12, 0.3), builder.trim)
        tier = _Tier(hx, hy, np.where(mask, end, tier.z))
    blank = builder.style_values("party").astype(bool) & ~once
    left, right, back = 1 - builder.faces_street(3), 1 - builder.faces_street(1), 1 - builder.faces_street(2)
    west, east = -left * (builder.hx + 0.015), right * (builder.hx + 0.015)
    south = -(builder.hy - 0.2 + 0.215 * back * (builder.style_values("windows") == Windows.INDUSTRIAL))
    north = builder.hy - 0.3
    blank &= (left + right) > 0
    bare = builder.style_values("painted").astype(bool)[:, None]
    brick = np.where(bare, COLOURS["brick"], builder.wall)
    builder.add(
        blank,
        "side wall",
        ((west + east) / 2, (south + north) / 2, builder.height / 2 + 0.15),
        ((east - west) / 2, (north - south) / 2, builder.height / 2 + 0.15),
        brick.astype(np.uint8),
        material=Material.BRICK,
    )
    return tier


def _add_ground_floors(builder: _SolidBuilder) -> None:
    """Add ground floors, slightly thicker than the floors above and with higher windows."""
    kind = builder.style_values("ground")
    lobby = kind == GroundFloor.LOBBY
    height = np.maximum(builder.ground - 0.3, 2.2)
    at, half = (0, 0, height / 2), (builder.hx + 0.012, builder.hy + 0.012, height / 2)
    builder.add(
        lobby, "ground floor", at, half, "dark grey", material=Material.GLASS, second="silver", pattern=(1.8, 3.0)
    )
    colour = np.where((kind == GroundFloor.BASE)[:, None], builder.trim, builder.wall)
    frames = np.where((kind == GroundFloor.BASE)[:, None], builder.wall, builder.trim)
    builder.add(
        ~lobby,
        "ground floor",
        at,
        half,
        colour,
        material=Material.FACADE,
        second=frames,
        pattern=(builder.bay, height, 0.0, builder.style_values("windows").astype(float)),
    )


def _add_cornices(builder: _SolidBuilder, top: _Tier) -> None:
    """Add a heavy ledge on brackets, a thin coping, or a band of light at the top."""
    kind = builder.style_values("cornice")
    right, left, back = builder.faces_street(1), builder.faces_street(3), builder.faces_street(2)
    for cornice, overhang, low, high in (
        (Cornice.BRACKETS, CORNICE_OVERHANG, 0.1, 0.4),
        (Cornice.COPING, 0.06, 0.1, 0.7),
        (Cornice.CROWN, 0.03, 1.6, 0.9),
    ):
        east, west = top.hx + overhang * right, top.hx + overhang * left
        north, south = top.hy + overhang, top.hy + overhang * back
        at = ((east - west) / 2, (north - south) / 2)
        half = ((east + west) / 2, (north + south) / 2)
        colour = builder.trim if cornice != Cornice.CROWN else "dark grey"
        part = ("", "parapet", "cornice", "crown")[cornice]
        builder.add(kind == cornice, part, (*at, top.z + (high - low) / 2), (*half, (high + low) / 2), colour)
        if cornice == Cornice.BRACKETS:
            small = (half[0] - 0.18 * np.maximum(left, right), half[1] - 0.18)
            dark = (builder.trim * 0.6).astype(np.uint8)
            builder.add(
                kind == cornice,
                part,
                (*at, top.z - 0.34),
                (*small, 0.26),
                builder.trim,
                material=Material.STRIPES,
                second=dark,
                pattern=(0.28,),
            )


def _add_roofs(builder: _SolidBuilder, top: _Tier) -> None:
    """Add tanks, bulkheads, chimneys, machines, mansards and gables."""
    tables = np.array([style.roofs for style in STYLES], np.int64)
    kind = np.zeros(len(builder.thing), np.int64)
    for style_index, weights in enumerate(tables):
        choice = weighted_choice(builder.seed, Stage.BUILDINGS, builder.thing, weights, salt=1010) + Roof.BARE
        kind = np.where(builder.style == style_index, choice, kind)
    kind = np.where(builder.roof > Roof.RANDOM, builder.roof, kind)
    narrow = np.minimum(top.hx, top.hy) < 3.2
    kind = np.where(narrow & np.isin(kind, (Roof.TANK, Roof.MACHINES)), Roof.CHIMNEYS, kind)
    kind = np.where((builder.height > 16.0) & np.isin(kind, (Roof.GABLE, Roof.MANSARD)), Roof.BULKHEAD, kind)
    x, y = top.hx * builder.uniform(-0.4, 0.4, 20), top.hy * builder.uniform(-0.1, 0.4, 21)
    z = top.z
    _add_tanks(builder, kind == Roof.TANK, x, y, z + 0.3)
    has_bulkhead = (kind == Roof.BULKHEAD) | ((kind == Roof.TANK) & (top.hx > 6) & (top.hy > 6))
    hx, hy = np.minimum(top.hx * 0.35, 2.6), np.minimum(top.hy * 0.35, 3.0)
    bx = np.where(x > 0, -1, 1) * (top.hx - hx - 0.5)
    builder.add(
        has_bulkhead, "bulkhead", (bx, -top.hy * 0.3, z + 1.6), (hx, hy, 1.6), builder.wall, material=Material.BRICK
    )
    chimney = kind == Roof.CHIMNEYS
    builder.add(chimney, "chimney", (top.hx - 0.5, y, z + 1.0), (0.35, 0.6, 1.3), "brick", material=Material.BRICK)
    builder.add(chimney, "chimney", (top.hx - 0.5, y, z + 2.4), (0.16, 0.4, 0.3), "sandstone")
    machines = kind == Roof.MACHINES
    builder.add(
        machines,
        "air handler",
        (0, 0, z + 1.5),
        (top.hx * 0.6, top.hy * 0.5, 1.5),
        "steel",
        material=Material.SHUTTER,
        pattern=(0.3,),
    )
    has_antenna = (
        machines
        & (builder.height > SECOND_SETBACK_HEIGHT)
        & chance(builder.seed, Stage.BUILDINGS, builder.thing, 500, salt=1030)
    )
    mast = builder.height * 0.09
    builder.add(
        has_antenna, "antenna", (0, 0, z + 3 + mast), (0.35, 0.35, mast), "steel", SolidShape.CONE, shape=(0.2,)
    )
    builder.add(
        kind == Roof.MANSARD,
        "roof",
        (0, 0, z + 1.5),
        (top.hx + 0.02, top.hy + 0.05, 1.4),
        "dark grey",
        SolidShape.TAPER,
        material=Material.BANDS,
        second="asphalt",
        pattern=(0.3,),
        shape=(0.02, 0.2, 0.2),
    )
    gable = kind == Roof.GABLE
    builder.add(
        gable,
        "roof",
        (0, 0, z + 1.4),
        (top.hx + 0.02, top.hy + 0.3, 1.3),
        "dark grey",
        SolidShape.TAPER,
        shape=(0.0, 1.0, 1.0),
        material=Material.BANDS,
        second="asphalt",
        pattern=(0.25,),
    )
    builder.add(
        gable, "chimney", (top.hx * 0.6, -top.hy * 0.3, z + 2.2), (0.35, 0.35, 1.6), "brick", material=Material.BRICK
    )


def _add_tanks(builder: _SolidBuilder, mask: Flags, x: Floats, y: Floats, z: Floats) -> None:
    """Add wooden water tanks on crossed trestles."""
    size = builder.uniform(1.3, 2.0, 22)
    legs = size * 0.9
    lattice = (float(Outline.LATTICE), 2.0, 2.0, 0.12)
    for across in (False, True):
        builder.add(
            mask,
            "water tank",
            (x, y, z + 1.4),
            (legs, 0.02, 1.4),
            "black",
            SolidShape.PLATE,
            shape=lattice,
            across=across,
        )
    is_wooden = builder.uniform(0, 1, 23) < 0.75
    colour = np.where(is_wooden[:, None], COLOURS["brown"], COLOURS["grey"]).astype(np.uint8)
    builder.add(
        mask,
        "water tank",
        (x, y, z + 2.8 + size),
        (size, size, size),
        colour,
        SolidShape.CYLINDER,
        material=Material.STRIPES,
        second=(colour * 0.8).astype(np.uint8),
        pattern=(0.2,),
    )
    builder.add(
        mask,
        "water tank",
        (x, y, z + 2.8 + 2 * size + 0.45),
        (size * 1.12, size * 1.12, 0.5),
        "dark grey",
        SolidShape.CONE,
        shape=(0.05,),
    )
