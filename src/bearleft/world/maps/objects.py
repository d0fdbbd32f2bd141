"""Objects of a plan from above: areas, buildings, trees, landmarks, street furniture, and signs for stops."""

from __future__ import annotations

from string import capwords
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.districts import DISTRICTS
from bearleft.world.city.placement import model_extents
from bearleft.world.city.plan import DIRECTION_SCALE, Plan, Rows
from bearleft.world.maps import colours
from bearleft.world.maps.colours import blend
from bearleft.world.maps.frame import XY, contains
from bearleft.world.maps.free_space import FreeSpace
from bearleft.world.maps.shapes import Colour, Drawing, Words
from bearleft.world.render.codes import Ground

if TYPE_CHECKING:
    from bearleft.types import Floats


TREE_DETAIL, FURNITURE_DETAIL, STOP_DETAIL = 0.6, 2.6, 0.9  # reference pixels per metre from which they are drawn
AREA_COLOURS = {Ground.GRASS: colours.GRASS, Ground.PLAZA: colours.PLAZA, Ground.YARD: colours.YARD}
WHOLE_MODEL = 99.0  # metres: the whole height of a model
# Drawn classes of street furniture; vehicles, people and wall objects are left out.
FURNITURE_COLOURS: dict[str, Colour] = {
    "hedge": colours.HEDGE, "flower bed": colours.FLOWERS, "playground": colours.PLAY, "picnic table": colours.THING,
    "statue": colours.LANDMARK, "bench": colours.THING, "planter": colours.HEDGE, "bike rack": colours.THING,
    "phone booth": colours.THING, "food cart": colours.PLAY, "cafe table": colours.THING, "mailbox": colours.BUS,
    "newspaper box": colours.THING, "dumpster": colours.THING, "fence": colours.THING_EDGE,
    "construction fence": colours.THING_EDGE, "fire hydrant": colours.TARGET, "trash can": colours.THING,
    "lamp post": colours.THING_EDGE, "traffic light": colours.THING_EDGE, "bollard": colours.THING,
    "drinking fountain": colours.WATER, "utility box": colours.THING, "potted plant": colours.HEDGE,
}  # fmt: skip
ROUND_CLASSES = (
    "fire hydrant",
    "lamp post",
    "traffic light",
    "bollard",
    "trash can",
    "drinking fountain",
    "potted plant",
)
DOT_RADIUS = 0.35  # metres: radius of thin round objects


def corners(x: Floats, y: Floats, direction: Floats, hx: Floats, hy: Floats) -> Floats:
    """Return rectangles (n, 4, 2): `direction` points ahead, hx is half the width, hy half the depth."""
    ahead, right = direction, np.column_stack([direction[:, 1], -direction[:, 0]])
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)
    return np.asarray(
        np.column_stack([x, y])[:, None]
        + signs[None, :, :1] * (right * hx[:, None])[:, None]
        + signs[None, :, 1:] * (ahead * hy[:, None])[:, None]
    )


def _directions(rows: Rows) -> Floats:
    return np.column_stack([rows["ux"], rows["uy"]]) / DIRECTION_SCALE


def footprints(plan: Plan, indices: npt.NDArray[np.intp], max_height: float) -> Floats:
    """Return the footprints of objects of one class, from the parts of their models below `max_height` metres."""
    rows = plan.things[indices]
    body = model_extents(CLASSES[int(rows["kind"][0])].name, max_height)
    variant, direction = rows["variant"], _directions(rows)
    centre_and_radius, half = (np.stack(part)[:, variant] / 1000.0 for part in (body.middle, body.half))
    scale = np.stack([rows["sx"], rows["sy"]]) / 1000.0
    centre_and_radius, half = centre_and_radius * scale, half * scale
    x = rows["x"] / 1000.0 + direction[:, 1] * centre_and_radius[0] + direction[:, 0] * centre_and_radius[1]
    y = rows["y"] / 1000.0 - direction[:, 0] * centre_and_radius[0] + direction[:, 1] * centre_and_radius[1]
    return corners(x, y, direction, half[0], half[1])


def _ring(rectangle: Floats) -> list[XY]:
    return [(float(x), float(y)) for x, y in rectangle]


def corners_near(drawing: Drawing, rectangles: Floats) -> npt.NDArray[np.bool_]:
    """Return which rectangles may be visible."""
    west, south, east, north = drawing.box
    low, high = rectangles.min(axis=1), rectangles.max(axis=1)
    return np.asarray((high[:, 0] > west) & (low[:, 0] < east) & (high[:, 1] > south) & (low[:, 1] < north), bool)


def draw_areas(drawing: Drawing, plan: Plan) -> None:
    """Draw lawns, plazas and yards, later ones on top."""
    areas = plan.areas
    rectangles = corners(
        areas["x"] / 1000.0, areas["y"] / 1000.0, _directions(areas), areas["hx"] / 1000.0, areas["hy"] / 1000.0
    )
    for k in np.flatnonzero(corners_near(drawing, rectangles)):
        ground = Ground(int(areas["ground"][k]))
        drawing.polygon(ground.name.lower(), [_ring(rectangles[k])], AREA_COLOURS.get(ground, colours.YARD))


def draw_buildings(drawing: Drawing, plan: Plan) -> None:
    """Draw footprints in the colour of their district, the higher the darker."""
    rows = plan.buildings
    things = plan.things[rows["thing"]]
    rectangles = corners(
        things["x"] / 1000.0, things["y"] / 1000.0, _directions(things), rows["hx"] / 1000.0, rows["hy"] / 1000.0
    )
    edge = min(0.9 * drawing.frame.unit, 0.6)
    for k in np.flatnonzero(corners_near(drawing, rectangles)):
        low, high = colours.DISTRICT[int(rows["district"][k])]
        height = rows["height"][k] / 1000.0
        fill = blend(low, high, min(height / colours.HIGH, 1.0))
        name = f"building, {height:.0f} m, {DISTRICTS[int(rows['district'][k])].name}"
        drawing.polygon(
            "building",
            [_ring(rectangles[k])],
            fill,
            blend(fill, (90, 84, 78), 0.28),
            edge,
            instance=int(rows["thing"][k]) + 1,
            name=name,
        )


def draw_objects(drawing: Drawing, plan: Plan) -> None:
    """Draw fountains, trees and landmarks, and street furniture at a large scale."""
    kinds = plan.things["kind"]
    if drawing.frame.detail >= FURNITURE_DETAIL:
        for name, colour in FURNITURE_COLOURS.items():
            _draw_class(drawing, plan, np.flatnonzero(kinds == class_index(name)), name, colour)
    for name, max_height in (("fountain", WHOLE_MODEL), ("tree", WHOLE_MODEL), ("bush", WHOLE_MODEL)):
        indices = np.flatnonzero(kinds == class_index(name))
        if len(indices) and drawing.frame.detail >= TREE_DETAIL:
            rectangles = footprints(plan, indices, max_height)
            for k in np.flatnonzero(corners_near(drawing, rectangles)):
                at, radius = centre_and_radius(rectangles[k])
                is_fountain = name == "fountain"
                drawing.disc(
                    name,
                    at,
                    radius,
                    colours.WATER if is_fountain else colours.TREE,
                    colours.WATER_EDGE if is_fountain else colours.TREE_EDGE,
                    min(drawing.frame.unit, 0.3),
                    1.0 if is_fountain else 0.8,
                    int(indices[k]) + 1,
                    name,
                )
    indices = np.flatnonzero(kinds == class_index("landmark"))
    if len(indices):
        rectangles = footprints(plan, indices, WHOLE_MODEL)
        for k in np.flatnonzero(corners_near(drawing, rectangles)):
            drawing.polygon(
                "landmark",
                [_ring(rectangles[k])],
                colours.LANDMARK,
                colours.LANDMARK_EDGE,
                1.2 * drawing.frame.unit,
                instance=int(indices[k]) + 1,
                name=landmark_name(plan, int(indices[k])),
            )


def centre_and_radius(rectangle: Floats) -> tuple[XY, float]:
    """Return the centre of a rectangle, and half the mean of its sides."""
    x, y = rectangle.mean(axis=0)
    sides = np.hypot(*(rectangle[1] - rectangle[0])), np.hypot(*(rectangle[2] - rectangle[1]))
    return (float(x), float(y)), float(sum(sides)) / 4


def _draw_class(drawing: Drawing, plan: Plan, indices: npt.NDArray[np.intp], name: str, colour: Colour) -> None:
    if not len(indices):
        return
    rectangles = footprints(plan, indices, 2.0)
    for k in np.flatnonzero(corners_near(drawing, rectangles)):
        instance = int(indices[k]) + 1
        if name in ROUND_CLASSES:
            at, radius = centre_and_radius(rectangles[k])
            drawing.disc(name, at, min(max(radius, DOT_RADIUS), 2 * DOT_RADIUS), colour, instance=instance, name=name)
        else:
            edge = blend(colour, (60, 60, 60), 0.3)
            drawing.polygon(name, [_ring(rectangles[k])], colour, edge, 0.08, instance=instance, name=name)


def landmark_name(plan: Plan, index: int) -> str:
    """Return a landmark's name: its inscription, and its type."""
    row = plan.things[index]
    model = CLASSES[int(row["kind"])].variants[int(row["variant"])].__name__.replace("_", " ")
    written = plan.texts[int(row["text"])] if row["text"] >= 0 else ""
    return capwords(f"{written} {model}")


def draw_stops(drawing: Drawing, plan: Plan, free_space: FreeSpace) -> None:
    """Draw a square for a bus stop, and a disc for a subway entrance."""
    if drawing.frame.detail < STOP_DETAIL:
        return
    unit = drawing.frame.unit
    for name, letter, colour in (("subway entrance", "M", colours.SUBWAY), ("bus stop", "B", colours.BUS)):
        size = (6.5 if name == "bus stop" else 8.0) * unit
        for index in np.flatnonzero(plan.things["kind"] == class_index(name)):
            xy = float(plan.things["x"][index]) / 1000.0, float(plan.things["y"][index]) / 1000.0
            square = [(xy[0] + x * size, xy[1] + y * size) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            disc = np.array([[*xy, size * 1.2]])
            if not contains(drawing.box, square) or not free_space.is_free(disc):
                continue
            free_space.occupy(disc)
            instance = int(index) + 1
            if name == "bus stop":
                drawing.polygon(name, [square], colour, colours.PAPER, 1.2 * unit, instance=instance, name=name)
            else:
                drawing.disc(name, xy, size, colour, colours.PAPER, 1.2 * unit, instance=instance, name=name)
            drawing.words(Words(name, xy, letter, 11.0 * unit, colours.PAPER, instance=instance))
