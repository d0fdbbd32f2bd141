"""The colour one would name a thing by, asked of its model: the one that covers most of what is seen of it."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache

import numpy as np
import numpy.typing as npt

from bearleft.language.lexicon.lexicon import colour_words
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.facades import STYLES, Windows
from bearleft.world.city.plan import Plan
from bearleft.world.city.scene_builder import rotation
from bearleft.world.city.shapes import FIRST, SECOND, Colour, Solid
from bearleft.world.render.codes import Kind, Material, Outline

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

ENOUGH, LEAST = 0.57, 0.22  # a colour names a thing that covers so much of its painted parts, and of all of it
CELLS = 28  # across a thing, in the small views its colours are counted in
AHEAD, BEHIND = (-50, 0, 50), (-130, 180, 130)  # where one looks from, degrees
LIFT = 8.0  # and from how far above
# A red traffic light is one that shows red, people are called by what they wear, who says "a blue pot" means a part,
# and what is mostly glass, grille or shadow shows too little of its paint.
NAMELESS = frozenset(
    (
        *("traffic light", "pedestrian signal", "person", "cyclist", "billboard", "planter", "potted plant"),
        *("cafe table", "flower bed", "window box", "gate", "clock", "mural", "yield sign", "speed limit sign"),
        *("storefront", "balcony", "air conditioner", "parking meter", "pigeons", "bridge", "fruit stand", "newsstand"),
        # Indoors: what shows pictures, goods or glass, what is white in every room, and beds, whose covers are meant.
        *("room window", "painting", "mirror", "television", "computer monitor", "laptop", "display screen"),
        *("book stack", "wall clock", "bed", "chandelier", "wine rack", "store shelf", "display case", "clothes rack"),
        *("fish tank", "seated person", "mannequin", "hanging plant", "plate", "bowl", "fruit bowl", "cake stand"),
        *("exhibit panel", "poster", "menu", "whiteboard", "chalkboard", "light switch", "electrical outlet"),
        *("air vent", "exit sign", "wine glass", "price sign", "fitting room", "shoe rack", "display table"),
        *("beer tap", "brochure stand", "magazine rack", "hat stand", "serving tray", "balloons", "basket", "column"),
        # Woven in two colours.
        "rug",
    )
)
SIGN = frozenset(("pole", "back", "stand", "leg", "bracket", "tip", "border", "lamp"))
LEGS = frozenset(
    ("leg", "rung", "ring", "foot", "base", "castor", "spoke", "bracket", "post", "apron", "beam", "frame")
)
STEMS = frozenset(
    ("pole", "arm", "leg", "base", "hub", "socket", "body", "neck", "joint", "mount", "cord", "rose", "trim")
)
SEATS = (
    "chair",
    "stool",
    "bar stool",
    "office chair",
    "high chair",
    "coffee table",
    "dining table",
    "side table",
    "desk",
)
LAMPS = ("floor lamp", "table lamp", "ceiling lamp", "pendant lamp")
# Parts that do not count: a sign has the colour of its face, a statue that of its figure, a table that of its top.
ASIDE: dict[str, frozenset[str]] = {
    **{one.name: SIGN for one in CLASSES if one.name.endswith("sign") or one.name in ("flag", "banner")},
    **dict.fromkeys(SEATS, LEGS),
    **dict.fromkeys(LAMPS, STEMS),
    "barrel": frozenset(("base",)),
    "booth seat": frozenset(("back", "base", "side", "bench")),
    "rope barrier": frozenset(("base", "post")),
    "dresser": frozenset(("mirror",)),
    "wardrobe": frozenset(("mirror",)),
    "sculpture": frozenset(("base",)),
    "bicycle": frozenset(("front wheel", "back wheel", "saddle", "handlebar", "pedal")),
    "canopy": frozenset(("carpet", "post")),
    "door": frozenset(("frame", "lintel", "step", "steps", "stoop", "post", "railing", "arch", "hood", "guard")),
    "fire hydrant": frozenset(("top", "post")),
    "scaffolding": frozenset(("post", "brace", "beam", "rail", "ladder")),
    "statue": frozenset(("base", "pedestal", "plaque")),
    "traffic cone": frozenset(("base",)),
    "tree": frozenset(("tree pit", "stake")),
    "trash can": frozenset(("bag", "knot", "lid", "opening")),
}
# Walls of these colours are grey in the shade, as half of all walls are.
PALE = frozenset(("white", "cream", "beige", "tan", "sandstone"))
PATTERNS = frozenset((Material.STRIPES, Material.BANDS, Material.DIAGONAL, Material.CHECKS))
CLEAR = frozenset((Material.GLASS, Material.SHOP, Material.MURAL))


def main_colours(plan: Plan) -> Ints:
    """Of every thing of a plan: the number of the colour a stranger would name it by, -1 where there is none."""
    things = plan.things
    keys = np.column_stack([things[name].astype(np.int64) for name in ("kind", "variant", "first", "second")])
    keys[plan.buildings["thing"], 1] = plan.buildings["style"]
    some, which = np.unique(keys, axis=0, return_inverse=True)
    found = np.array([main_colour(*map(int, one)) for one in some], np.int64)
    return found[which.ravel()]


@cache
def main_colour(kind: int, variant: int, first: int, second: int) -> int:
    """The colour of a thing of a class and variant (of a building: style) painted with two colours, -1 for none."""
    name = CLASSES[kind].name
    if name in NAMELESS:
        return -1
    if name == "building":
        glass = STYLES[variant].windows == Windows.CURTAIN
        pale = palette.NAMES[first] in PALE
        return -1 if glass or pale or not colour_words(palette.NAMES[first]) else first
    sums: dict[int, float] = defaultdict(float)
    for (part, colour), share in shares(kind, variant).items():
        if part not in ASIDE.get(name, ()):
            sums[{FIRST: first, SECOND: second}[colour] if isinstance(colour, int) else palette.colour(colour)] += share
    best = max(sums, key=lambda one: sums[one], default=-1)
    if best < 0 or sums[best] < max(LEAST, ENOUGH * sum(sums.values())) or not colour_words(palette.NAMES[best]):
        return -1
    return best


@cache
def shares(kind: int, variant: int) -> dict[tuple[str, Colour], float]:
    """How much of what is seen of a model each colour of each part covers; glass and pictures have no colour."""
    model = CLASSES[kind].models[variant]
    sizes = np.concatenate([_corners(solid) for solid in model])
    cell = float(np.ptp(sizes, axis=0).max()) / CELLS
    on_wall = float(sizes[:, 1].min()) > -0.1
    made = [_points(solid, cell) for solid in model]
    points = np.concatenate([at for at, _ in made])
    whose = np.repeat(np.arange(len(model)), [len(at) for at, _ in made])
    codes = np.concatenate([colours for _, colours in made])
    counts: dict[tuple[str, Colour], float] = defaultdict(float)
    seen = 0
    for turn in AHEAD if on_wall else AHEAD + BEHIND:
        nearest = _foremost(points, turn, cell)
        seen += len(nearest)
        painted = nearest[codes[nearest] >= 0]
        pairs, times = np.unique(np.column_stack([whose[painted], codes[painted]]), axis=0, return_counts=True)
        for (solid, code), count in zip(pairs.tolist(), times.tolist(), strict=True):
            counts[model[solid].part, _COLOURS[code]] += count
    return {key: count / seen for key, count in counts.items()}


_COLOURS: tuple[Colour, ...] = (FIRST, SECOND, *palette.NAMES)


def _foremost(points: Floats, turn: float, cell: float) -> Ints:
    """Which points are seen from a direction, one for each cell of the view."""
    across, lift = math.radians(turn), math.radians(LIFT)
    right = np.array([math.cos(across), -math.sin(across), 0.0])
    towards = np.array([math.sin(across) * math.cos(lift), math.cos(across) * math.cos(lift), math.sin(lift)])
    up = np.cross(right, towards) * -1.0
    u, v = np.floor(points @ right / cell), np.floor(points @ up / cell)
    order = np.lexsort((-(points @ towards), v, u))
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(u[order]) != 0) | (np.diff(v[order]) != 0)
    return np.asarray(order[first], np.int64)


def _corners(solid: Solid) -> Floats:
    """The corners of a solid's box, where they are."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    return np.asarray(solid.at + signs * solid.half @ rotation(solid).T, float)


def _points(solid: Solid, cell: float) -> tuple[Floats, Ints]:
    """Points all over a solid's surface, closer than a cell, and the number of each one's colour (-1: none)."""
    steps = [int(np.clip(math.ceil(2.6 * half / cell), 2, 140)) for half in solid.half]
    if solid.kind == Kind.ELLIPSOID:
        steps = [max(steps)] * 3
    lines = [(np.arange(count) + 0.5) / count * 2 - 1 for count in steps]
    faces = []
    for axis in (1,) if solid.kind == Kind.PLATE else (0, 1, 2):
        others = np.stack(np.meshgrid(*(lines[k] for k in range(3) if k != axis), indexing="ij"), -1).reshape(-1, 2)
        sides = (0.0,) if solid.kind == Kind.PLATE else (-1.0, 1.0)
        faces += [np.insert(others, axis, side, axis=1) for side in sides]
    unit = _shaped(solid, np.concatenate(faces))
    at = np.asarray(solid.at + unit * solid.half @ rotation(solid).T, float)
    here = np.arange(len(at))
    codes = np.full(len(at), _code(solid.colour))
    if solid.material in CLEAR:
        codes[:] = -1
    elif solid.material == Material.FACADE:
        codes[here % 5 < 2] = -1
    elif solid.material in PATTERNS:
        codes[_halves(unit)] = _code(solid.second)
    elif solid.material == Material.TEXT:
        codes[here % 5 == 0] = _code(solid.second)
    return at, codes


def _code(colour: Colour) -> int:
    return int(colour) if isinstance(colour, int) else 2 + palette.colour(colour)


def _halves(unit: Floats) -> Flags:
    """Every other of some points, in a fine chequerboard."""
    return np.asarray(np.floor(unit * 17).sum(1) % 2 == 0)


def _shaped(solid: Solid, unit: Floats) -> Floats:
    """Points of a cube's surface brought to the surface of a solid's shape."""
    x, y, z = unit.T
    rise = (z + 1) / 2
    if solid.kind == Kind.ELLIPSOID:
        return np.asarray(unit / np.linalg.norm(unit, axis=1, keepdims=True))
    if solid.kind in (Kind.CYLINDER, Kind.CONE):
        longest = np.maximum(np.hypot(x, y), 1e-9)
        wide = np.maximum(abs(x), abs(y)) / longest
        if solid.kind == Kind.CONE:
            wide = wide * (1 - (1 - solid.shape[0]) * rise)
        return np.column_stack([x * wide, y * wide, z])
    if solid.kind == Kind.TAPER:
        sides, front, back = solid.shape
        low, high = -1 + back * rise, 1 - front * rise
        return np.column_stack([x * (1 - sides * rise), low + (y + 1) / 2 * (high - low), z])
    if solid.kind == Kind.PLATE:
        return unit[_outlined(solid, x, z)]
    return unit


def _outlined(solid: Solid, x: Floats, z: Floats) -> Flags:
    """What of a plate is there."""
    outline, *shape = solid.shape
    r = np.hypot(x, z)
    there = np.ones(len(x), bool)
    if outline == Outline.DISC:
        there = r <= 1
    elif outline == Outline.RING:
        there = (r <= 1) & (r >= shape[0])
    elif outline in (Outline.TRIANGLE, Outline.YIELD):
        there = abs(x) <= (1 - z if outline == Outline.TRIANGLE else 1 + z) / 2
    elif outline == Outline.DIAMOND:
        there = abs(x) + abs(z) <= 1
    elif outline == Outline.BARS:
        there = (x + 1) / 2 * shape[0] % 1 < shape[1]
    elif outline == Outline.LATTICE:
        there = ((x + 1) / 2 * shape[0] % 1 < shape[2]) | ((z + 1) / 2 * shape[1] % 1 < shape[2])
    return np.asarray(there if there.any() else np.ones(len(x), bool), bool)
