"""What stands in a plan from above: grounds, buildings, trees, landmarks, furniture, and signs for stops."""

from __future__ import annotations

from string import capwords

import numpy as np
import numpy.typing as npt

from bearleft.geometry import Floats
from bearleft.world.city.catalog import CLASSES, number
from bearleft.world.city.districts import DISTRICTS
from bearleft.world.city.placement import bodies
from bearleft.world.city.plan import UNIT, Plan, Rows
from bearleft.world.maps import colours
from bearleft.world.maps.colours import mixed
from bearleft.world.maps.frame import Spot, inside
from bearleft.world.maps.free_space import Room
from bearleft.world.maps.marks import Colour, Drawing, Words
from bearleft.world.render.codes import Ground

TREES, FURNITURE, STOPS = 0.6, 2.6, 0.9  # usual pixels in a metre from which they are drawn
GROUNDS = {Ground.GRASS: colours.GRASS, Ground.PLAZA: colours.PLAZA, Ground.YARD: colours.YARD}
CROWN = 99.0  # metres: all of a model counts
# What is drawn of furniture, and in which colour; what drives, walks or hangs on walls is not.
STANDING: dict[str, Colour] = {
    "hedge": colours.HEDGE, "flower bed": colours.FLOWERS, "playground": colours.PLAY, "picnic table": colours.THING,
    "statue": colours.LANDMARK, "bench": colours.THING, "planter": colours.HEDGE, "bike rack": colours.THING,
    "phone booth": colours.THING, "food cart": colours.PLAY, "cafe table": colours.THING, "mailbox": colours.BUS,
    "newspaper box": colours.THING, "dumpster": colours.THING, "fence": colours.THING_EDGE,
    "construction fence": colours.THING_EDGE, "fire hydrant": colours.TARGET, "trash can": colours.THING,
    "lamp post": colours.THING_EDGE, "traffic light": colours.THING_EDGE, "bollard": colours.THING,
    "drinking fountain": colours.WATER, "utility box": colours.THING, "potted plant": colours.HEDGE,
}  # fmt: skip
ROUND = ("fire hydrant", "lamp post", "traffic light", "bollard", "trash can", "drinking fountain", "potted plant")
DOT = 0.35  # metres: the radius of what is round and thin


def corners(x: Floats, y: Floats, way: Floats, hx: Floats, hy: Floats) -> Floats:
    """Rectangles (n, 4, 2): `way` points ahead, hx is half the width to its right, hy half the depth."""
    ahead, right = way, np.column_stack([way[:, 1], -way[:, 0]])
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)
    return np.asarray(
        np.column_stack([x, y])[:, None]
        + signs[None, :, :1] * (right * hx[:, None])[:, None]
        + signs[None, :, 1:] * (ahead * hy[:, None])[:, None]
    )


def _way(rows: Rows) -> Floats:
    return np.column_stack([rows["ux"], rows["uy"]]) / UNIT


def footprints(plan: Plan, which: npt.NDArray[np.intp], low: float) -> Floats:
    """The rectangles that things of one class stand on, from what of their models is below `low` metres."""
    rows = plan.things[which]
    body = bodies(CLASSES[int(rows["kind"][0])].name, low)
    variant, way = rows["variant"], _way(rows)
    middle, half = (np.stack(one)[:, variant] / 1000.0 for one in (body.middle, body.half))
    stretch = np.stack([rows["sx"], rows["sy"]]) / 1000.0
    middle, half = middle * stretch, half * stretch
    x = rows["x"] / 1000.0 + way[:, 1] * middle[0] + way[:, 0] * middle[1]
    y = rows["y"] / 1000.0 - way[:, 0] * middle[0] + way[:, 1] * middle[1]
    return corners(x, y, way, half[0], half[1])


def _ring(rectangle: Floats) -> list[Spot]:
    return [(float(x), float(y)) for x, y in rectangle]


def corners_near(drawing: Drawing, rectangles: Floats) -> npt.NDArray[np.bool_]:
    """Which rectangles may be seen."""
    west, south, east, north = drawing.box
    low, high = rectangles.min(axis=1), rectangles.max(axis=1)
    return np.asarray((high[:, 0] > west) & (low[:, 0] < east) & (high[:, 1] > south) & (low[:, 1] < north), bool)


def draw_grounds(drawing: Drawing, plan: Plan) -> None:
    """Lawns, plazas and yards, later ones on top."""
    areas = plan.areas
    rectangles = corners(
        areas["x"] / 1000.0, areas["y"] / 1000.0, _way(areas), areas["hx"] / 1000.0, areas["hy"] / 1000.0
    )
    for k in np.flatnonzero(corners_near(drawing, rectangles)):
        ground = Ground(int(areas["ground"][k]))
        drawing.shape(ground.name.lower(), [_ring(rectangles[k])], GROUNDS.get(ground, colours.YARD))


def draw_buildings(drawing: Drawing, plan: Plan) -> None:
    """Footprints in the colour of their district, the higher the darker."""
    rows = plan.buildings
    things = plan.things[rows["thing"]]
    rectangles = corners(
        things["x"] / 1000.0, things["y"] / 1000.0, _way(things), rows["hx"] / 1000.0, rows["hy"] / 1000.0
    )
    edge = min(0.9 * drawing.frame.unit, 0.6)
    for k in np.flatnonzero(corners_near(drawing, rectangles)):
        low, high = colours.DISTRICT[int(rows["district"][k])]
        tall = rows["height"][k] / 1000.0
        fill = mixed(low, high, min(tall / colours.HIGH, 1.0))
        name = f"building, {tall:.0f} m, {DISTRICTS[int(rows['district'][k])].name}"
        drawing.shape(
            "building",
            [_ring(rectangles[k])],
            fill,
            mixed(fill, (90, 84, 78), 0.28),
            edge,
            instance=int(rows["thing"][k]) + 1,
            name=name,
        )


def draw_things(drawing: Drawing, plan: Plan) -> None:
    """Furniture where it is large enough to be seen, fountains, trees, landmarks."""
    kinds = plan.things["kind"]
    if drawing.frame.detail >= FURNITURE:
        for name, colour in STANDING.items():
            _draw_class(drawing, plan, np.flatnonzero(kinds == number(name)), name, colour)
    for name, low in (("fountain", CROWN), ("tree", CROWN), ("bush", CROWN)):
        which = np.flatnonzero(kinds == number(name))
        if len(which) and drawing.frame.detail >= TREES:
            rectangles = footprints(plan, which, low)
            for k in np.flatnonzero(corners_near(drawing, rectangles)):
                at, radius = middle(rectangles[k])
                water = name == "fountain"
                drawing.disc(
                    name,
                    at,
                    radius,
                    colours.WATER if water else colours.TREE,
                    colours.WATER_EDGE if water else colours.TREE_EDGE,
                    min(drawing.frame.unit, 0.3),
                    1.0 if water else 0.8,
                    int(which[k]) + 1,
                    name,
                )
    which = np.flatnonzero(kinds == number("landmark"))
    if len(which):
        rectangles = footprints(plan, which, CROWN)
        for k in np.flatnonzero(corners_near(drawing, rectangles)):
            drawing.shape(
                "landmark",
                [_ring(rectangles[k])],
                colours.LANDMARK,
                colours.LANDMARK_EDGE,
                1.2 * drawing.frame.unit,
                instance=int(which[k]) + 1,
                name=landmark_name(plan, int(which[k])),
            )


def middle(rectangle: Floats) -> tuple[Spot, float]:
    """The middle of a rectangle, and half the mean of its sides."""
    x, y = rectangle.mean(axis=0)
    sides = np.hypot(*(rectangle[1] - rectangle[0])), np.hypot(*(rectangle[2] - rectangle[1]))
    return (float(x), float(y)), float(sum(sides)) / 4


def _draw_class(drawing: Drawing, plan: Plan, which: npt.NDArray[np.intp], name: str, colour: Colour) -> None:
    if not len(which):
        return
    rectangles = footprints(plan, which, 2.0)
    for k in np.flatnonzero(corners_near(drawing, rectangles)):
        instance = int(which[k]) + 1
        if name in ROUND:
            at, radius = middle(rectangles[k])
            drawing.disc(name, at, min(max(radius, DOT), 2 * DOT), colour, instance=instance, name=name)
        else:
            edge = mixed(colour, (60, 60, 60), 0.3)
            drawing.shape(name, [_ring(rectangles[k])], colour, edge, 0.08, instance=instance, name=name)


def landmark_name(plan: Plan, thing: int) -> str:
    """What a landmark is called: what is written on it, and what it is."""
    row = plan.things[thing]
    model = CLASSES[int(row["kind"])].variants[int(row["variant"])].__name__.replace("_", " ")
    written = plan.texts[int(row["text"])] if row["text"] >= 0 else ""
    return capwords(f"{written} {model}")


def draw_stops(drawing: Drawing, plan: Plan, room: Room) -> None:
    """A square for a bus stop, a disc for a way down to the subway."""
    if drawing.frame.detail < STOPS:
        return
    unit = drawing.frame.unit
    for name, letter, colour in (("subway entrance", "M", colours.SUBWAY), ("bus stop", "B", colours.BUS)):
        size = (6.5 if name == "bus stop" else 8.0) * unit
        for thing in np.flatnonzero(plan.things["kind"] == number(name)):
            at = float(plan.things["x"][thing]) / 1000.0, float(plan.things["y"][thing]) / 1000.0
            square = [(at[0] + x * size, at[1] + y * size) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            taken = np.array([[*at, size * 1.2]])
            if not inside(drawing.box, square) or not room.free(taken):
                continue
            room.take(taken)
            instance = int(thing) + 1
            if name == "bus stop":
                drawing.shape(name, [square], colour, colours.PAPER, 1.2 * unit, instance=instance, name=name)
            else:
                drawing.disc(name, at, size, colour, colours.PAPER, 1.2 * unit, instance=instance, name=name)
            drawing.words(Words(name, at, letter, 11.0 * unit, colours.PAPER, instance=instance))
