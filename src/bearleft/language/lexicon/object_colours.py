"""Main colour of an object: the colour that covers most of the visible surface of its model."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.language.lexicon.lexicon import colour_words
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.facades import STYLES, Windows
from bearleft.world.city.plan import Plan
from bearleft.world.city.scene_builder import rotation
from bearleft.world.city.shapes import FIRST, SECOND, Colour, Solid
from bearleft.world.render.codes import Material, Outline, SolidShape

if TYPE_CHECKING:
    from bearleft.types import Floats

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MIN_PAINTED_SHARE, MIN_TOTAL_SHARE = (
    0.57,
    0.22,
)  # of the painted surface, and of all visible surface
GRID_CELLS = 28  # grid resolution of the views in which colours are counted
FRONT_ANGLES, BACK_ANGLES = (-50, 0, 50), (-130, 180, 130)  # viewing directions, degrees
VIEW_ELEVATION = 8.0  # degrees
# Classes that are not named by a colour: "a red traffic light" is one that shows red, people by their clothes, "a blue
# pot" names a part, and objects of glass or grille show too little of their paint.
KINDS_WITHOUT_COLOUR = frozenset(
    (
        *("traffic light", "pedestrian signal", "person", "cyclist", "billboard", "planter", "potted plant"),
        *("cafe table", "flower bed", "window box", "gate", "clock", "mural", "yield sign", "speed limit sign"),
        *("storefront", "balcony", "air conditioner", "parking meter", "pigeons", "bridge", "fruit stand", "newsstand"),
        *("park", "median", "parking lot"),
        # Indoors: pictures, goods and glass, objects that are always white, and beds, where the cover would be meant.
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
SIGN_PARTS = frozenset(("pole", "back", "stand", "leg", "bracket", "tip", "border", "lamp"))
LEG_PARTS = frozenset(
    ("leg", "rung", "ring", "foot", "base", "castor", "spoke", "bracket", "post", "apron", "beam", "frame")
)
LAMP_PARTS = frozenset(
    ("pole", "arm", "leg", "base", "hub", "socket", "body", "neck", "joint", "mount", "cord", "rose", "trim")
)
SEAT_KINDS = (
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
LAMP_KINDS = ("floor lamp", "table lamp", "ceiling lamp", "pendant lamp")
# Parts that do not count: a sign has the colour of its face, a statue that of its figure, a table that of its top.
IGNORED_PARTS: dict[str, frozenset[str]] = {
    **{
        object_class.name: SIGN_PARTS
        for object_class in CLASSES
        if object_class.name.endswith("sign") or object_class.name in ("flag", "banner")
    },
    **dict.fromkeys(SEAT_KINDS, LEG_PARTS),
    **dict.fromkeys(LAMP_KINDS, LAMP_PARTS),
    "barrel": frozenset(("base",)),
    "booth seat": frozenset(("back", "base", "side", "bench")),
    "rope barrier": frozenset(("base", "post")),
    "dresser": frozenset(("mirror",)),
    "wardrobe": frozenset(("mirror",)),
    "sculpture": frozenset(("base",)),
    "bicycle": frozenset(("front wheel", "back wheel", "saddle", "handlebar", "pedal")),
    "curb ramp": frozenset(("slope",)),
    "canopy": frozenset(("carpet", "post")),
    "door": frozenset(("frame", "lintel", "step", "steps", "stoop", "post", "railing", "arch", "hood", "guard")),
    "fire hydrant": frozenset(("top", "post")),
    "scaffolding": frozenset(("post", "brace", "beam", "rail", "ladder")),
    "statue": frozenset(("base", "pedestal", "plaque")),
    "traffic cone": frozenset(("base",)),
    "tree": frozenset(("tree pit", "stake")),
    "trash can": frozenset(("bag", "knot", "lid", "opening")),
}
# Walls of these colours look grey in the shade, and half of all walls are in the shade.
PALE_COLOURS = frozenset(("white", "cream", "beige", "tan", "sandstone"))
TWO_COLOUR_MATERIALS = frozenset((Material.STRIPES, Material.BANDS, Material.DIAGONAL, Material.CHECKS))
COLOURLESS_MATERIALS = frozenset((Material.GLASS, Material.SHOP, Material.MURAL))


def main_colours(plan: Plan) -> Ints:
    """Return the main colour of every object of a plan as a palette index, -1 for none."""
    things = plan.things
    keys = np.column_stack([things[name].astype(np.int64) for name in ("kind", "variant", "first", "second")])
    keys[plan.buildings["thing"], 1] = plan.buildings["style"]
    unique_keys, inverse = np.unique(keys, axis=0, return_inverse=True)
    colours = np.array([main_colour(*map(int, key)) for key in unique_keys], np.int64)
    return colours[inverse.ravel()]


@cache
def main_colour(kind: int, variant: int, first: int, second: int) -> int:
    """Return the main colour of an object, -1 for none.

    Args:
        kind: Index of its class.
        variant: Its variant; the style, for buildings.
        first: Palette index of its first paint.
        second: Palette index of its second paint.
    """
    name = CLASSES[kind].name
    if name in KINDS_WITHOUT_COLOUR:
        return -1
    if name == "building":
        glass = STYLES[variant].windows == Windows.CURTAIN
        pale = palette.COLOUR_NAMES[first] in PALE_COLOURS
        return -1 if glass or pale or not colour_words(palette.COLOUR_NAMES[first]) else first
    totals: dict[int, float] = defaultdict(float)
    for (part, colour), share in colour_shares(kind, variant).items():
        if part not in IGNORED_PARTS.get(name, ()):
            totals[
                {FIRST: first, SECOND: second}[colour] if isinstance(colour, int) else palette.colour_index(colour)
            ] += share
    best = max(totals, key=lambda index: totals[index], default=-1)
    if (
        best < 0
        or totals[best] < max(MIN_TOTAL_SHARE, MIN_PAINTED_SHARE * sum(totals.values()))
        or not colour_words(palette.COLOUR_NAMES[best])
    ):
        return -1
    return best


@cache
def colour_shares(kind: int, variant: int) -> dict[tuple[str, Colour], float]:
    """Return the share of the visible surface by part and colour. Glass and pictures have no colour."""
    model = CLASSES[kind].models[variant]
    sizes = np.concatenate([_corners(solid) for solid in model])
    cell = float(np.ptp(sizes, axis=0).max()) / GRID_CELLS
    on_wall = float(sizes[:, 1].min()) > -0.1
    samples = [_surface_points(solid, cell) for solid in model]
    points = np.concatenate([at for at, _ in samples])
    solid_index = np.repeat(np.arange(len(model)), [len(at) for at, _ in samples])
    codes = np.concatenate([colours for _, colours in samples])
    counts: dict[tuple[str, Colour], float] = defaultdict(float)
    seen = 0
    for turn in FRONT_ANGLES if on_wall else FRONT_ANGLES + BACK_ANGLES:
        nearest = _visible_points(points, turn, cell)
        seen += len(nearest)
        painted = nearest[codes[nearest] >= 0]
        times = np.bincount(solid_index[painted] * len(_COLOURS) + codes[painted])
        for pair in np.flatnonzero(times).tolist():
            solid, code = divmod(pair, len(_COLOURS))
            counts[model[solid].part, _COLOURS[code]] += int(times[pair])
    return {key: count / seen for key, count in counts.items()}


_CORNER_SIGNS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
_COLOURS: tuple[Colour, ...] = (FIRST, SECOND, *palette.COLOUR_NAMES)


def _visible_points(points: Floats, turn: float, cell: float) -> Ints:
    """Return the indices of the points visible from a direction, one per grid cell."""
    right, up, towards = _view_axes(turn)
    u, v = (np.floor(points @ axis / cell).astype(np.int64) for axis in (right, up))
    cells = (u - u.min()) * (np.ptp(v) + 1) + v - v.min()
    nearness = points @ towards
    nearest = np.full(cells.max() + 1, -np.inf)
    np.maximum.at(nearest, cells, nearness)
    candidates = np.flatnonzero(nearness == nearest[cells])
    visible = np.full(len(nearest), -1)
    visible[cells[candidates[::-1]]] = candidates[::-1]  # of points at the same distance, the first
    return np.asarray(visible[visible >= 0], np.int64)


@cache
def _view_axes(turn: float) -> tuple[Floats, Floats, Floats]:
    """Return the directions to the right, up and towards the viewer."""
    across, lift = math.radians(turn), math.radians(VIEW_ELEVATION)
    right = np.array([math.cos(across), -math.sin(across), 0.0])
    towards = np.array([math.sin(across) * math.cos(lift), math.cos(across) * math.cos(lift), math.sin(lift)])
    return right, np.cross(right, towards) * -1.0, towards


def _corners(solid: Solid) -> Floats:
    """Return the corners of a solid's box."""
    return np.asarray(solid.at + _CORNER_SIGNS * solid.half @ rotation(solid).T, float)


def _surface_points(solid: Solid, cell: float) -> tuple[Floats, Ints]:
    """Return points on a solid's surface, denser than the grid, and their colour codes (-1: none)."""
    steps = [min(max(math.ceil(2.6 * half / cell), 2), 140) for half in solid.half]
    if solid.kind == SolidShape.ELLIPSOID:
        steps = [max(steps)] * 3
    lines = [(np.arange(count) + 0.5) / count * 2 - 1 for count in steps]
    plate = solid.kind == SolidShape.PLATE
    faces = []
    for axis in (1,) if plate else (0, 1, 2):
        a, b = (k for k in range(3) if k != axis)
        for side in (0.0,) if plate else (-1.0, 1.0):
            face = np.full((steps[a], steps[b], 3), side)
            face[..., a], face[..., b] = lines[a][:, None], lines[b]
            faces.append(face.reshape(-1, 3))
    unit = _project_to_shape(solid, np.concatenate(faces))
    at = np.asarray(solid.at + unit * solid.half @ rotation(solid).T, float)
    index = np.arange(len(at))
    codes = np.full(len(at), _colour_code(solid.colour))
    if solid.material in COLOURLESS_MATERIALS:
        codes[:] = -1
    elif solid.material == Material.FACADE:
        codes[index % 5 < 2] = -1
    elif solid.material in TWO_COLOUR_MATERIALS:
        codes[_chequerboard(unit)] = _colour_code(solid.second)
    elif solid.material == Material.TEXT:
        codes[index % 5 == 0] = _colour_code(solid.second)
    return at, codes


def _colour_code(colour: Colour) -> int:
    return int(colour) if isinstance(colour, int) else 2 + palette.colour_index(colour)


def _chequerboard(unit: Floats) -> Flags:
    """Return a mask that selects points in a fine chequerboard."""
    return np.asarray(np.floor(unit * 17).sum(1) % 2 == 0)


def _project_to_shape(solid: Solid, unit: Floats) -> Floats:
    """Project points of a cube's surface onto a solid's shape."""
    x, y, z = unit.T
    rise = (z + 1) / 2
    if solid.kind == SolidShape.ELLIPSOID:
        return np.asarray(unit / np.linalg.norm(unit, axis=1, keepdims=True))
    if solid.kind in (SolidShape.CYLINDER, SolidShape.CONE):
        longest = np.maximum(np.hypot(x, y), 1e-9)
        wide = np.maximum(abs(x), abs(y)) / longest
        if solid.kind == SolidShape.CONE:
            wide = wide * (1 - (1 - solid.shape[0]) * rise)
        return np.column_stack([x * wide, y * wide, z])
    if solid.kind == SolidShape.TAPER:
        sides, front, back = solid.shape
        low, high = -1 + back * rise, 1 - front * rise
        return np.column_stack([x * (1 - sides * rise), low + (y + 1) / 2 * (high - low), z])
    if solid.kind == SolidShape.PLATE:
        return unit[_inside_outline(solid, x, z)]
    return unit


def _inside_outline(solid: Solid, x: Floats, z: Floats) -> Flags:
    """Return a mask of the points inside the outline of a plate."""
    outline, *shape = solid.shape
    r = np.hypot(x, z)
    inside = np.ones(len(x), bool)
    if outline == Outline.DISC:
        inside = r <= 1
    elif outline == Outline.RING:
        inside = (r <= 1) & (r >= shape[0])
    elif outline in (Outline.TRIANGLE, Outline.YIELD):
        inside = abs(x) <= (1 - z if outline == Outline.TRIANGLE else 1 + z) / 2
    elif outline == Outline.DIAMOND:
        inside = abs(x) + abs(z) <= 1
    elif outline == Outline.BARS:
        inside = (x + 1) / 2 * shape[0] % 1 < shape[1]
    elif outline == Outline.LATTICE:
        inside = ((x + 1) / 2 * shape[0] % 1 < shape[2]) | ((z + 1) / 2 * shape[1] % 1 < shape[2])
    return np.asarray(inside if inside.any() else np.ones(len(x), bool), bool)
