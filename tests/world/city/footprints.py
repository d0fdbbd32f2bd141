"""A small generated city, and the footprints of its things, computed independently from their models."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.plan import DIRECTION_SCALE, Draft, Rows
from bearleft.world.city.scene_builder import rotation
from bearleft.world.city.stages import STAGES
from bearleft.world.city.streets import city_graph

Floats = npt.NDArray[np.float64]
VEHICLE_CLASSES = (
    "car",
    "taxi",
    "police car",
    "van",
    "truck",
    "garbage truck",
    "pickup",
    "bus",
    "school bus",
    "motorcycle",
    "ambulance",
    "cyclist",
    "food truck",
)
ROAD_CLASSES = (
    *VEHICLE_CLASSES,
    "person",
    "steam stack",
    "dumpster",
    "traffic cone",
    "barrel",
    "barrier",
    "road work sign",
    "material pile",
    "median",
)
FLAT_CLASSES = (
    "park",
    "court",
    "parking lot",
    "bike lane",
    "curb ramp",
    "manhole cover",
)  # other things may stand on them
WALL_CLASSES = (
    "building", "door", "storefront", "awning", "flag", "fire escape", "wall lamp", "air conditioner",
    "window box", "balcony", "bay window", "mural", "graffiti", "marquee", "clock", "barber pole",
    "lettered sign", "billboard", "banner", "garage entrance", "atm",
)  # fmt: skip


@cache
def furnished_draft(seed: int = 0, avenues: int = 3, streets: int = 3) -> Draft:
    draft = Draft(seed, city_graph(0, avenues, streets))
    for stage in STAGES:
        stage(draft)
    return draft


def has_class(things: Rows, *names: str) -> npt.NDArray[np.bool_]:
    """Return whether each thing is of one of these classes."""
    return np.isin(things["kind"], [class_index(name) for name in names])


@cache
def model_reach(kind: int, variant: int, low: float = 2.2) -> tuple[float, float, float, float]:
    """Return left, right, back and front of the parts of a model that begin below `low`, in metres."""
    model = CLASSES[kind].models[variant]
    boxes = []
    for solid in model:
        corners = np.array(list(product((-1, 1), repeat=3))) * solid.half
        boxes.append(corners @ rotation(solid).T + np.array(solid.at))
    boxes = [box for box in boxes if box[:, 2].min() < low] or boxes
    points = np.concatenate(boxes)
    return points[:, 0].min(), points[:, 0].max(), points[:, 1].min(), points[:, 1].max()


def standing_things(draft: Draft) -> npt.NDArray[np.intp]:
    """Return the indices of all things that stand on the ground."""
    things = draft.things
    hung = has_class(things, *WALL_CLASSES) | (things["z"] > 0) | has_class(things, "bridge", *FLAT_CLASSES)
    hung |= has_class(things, "street sign") & (things["owner"] >= 0)
    hung |= has_class(things, "blank sign") & (things["variant"] > 0)
    return np.flatnonzero(~hung)


def corners(things: Rows, less: float = 0.0) -> Floats:
    """Return the corners of footprints in metres, each side moved in by `less`: things x 4 x 2."""
    sides = np.array([model_reach(int(thing["kind"]), int(thing["variant"])) for thing in things]).reshape(-1, 4)
    width, depth = sides[:, :2] * things["sx"][:, None] / 1000, sides[:, 2:] * things["sy"][:, None] / 1000
    inwards = np.array([less, -less])
    width, depth = width + inwards, depth + inwards
    ahead = np.stack([things["ux"], things["uy"]], axis=1) / DIRECTION_SCALE
    right = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    at = np.stack([things["x"], things["y"]], axis=1) / 1000
    order = ((0, 0), (1, 0), (1, 1), (0, 1))
    return np.stack([at + right * width[:, [i]] + ahead * depth[:, [j]] for i, j in order], axis=1)


def are_disjoint(first: Floats, second: Floats) -> bool:
    """Return whether a line parallel to a side separates two rectangles (4 x 2)."""
    for rectangle in (first, second):
        for k in (0, 1):
            axis = rectangle[k + 1] - rectangle[k]
            left, right = first @ axis, second @ axis
            if left.max() <= right.min() or right.max() <= left.min():
                return True
    return False


def distance_to_roads(draft: Draft, points: Floats) -> Floats:
    """Return the distance of points (n x 2) from the nearest carriageway, negative on it."""
    roads = draft.roads
    begin = np.stack([roads["x0"], roads["y0"]], axis=1) / 1000
    way = np.stack([roads["x1"], roads["y1"]], axis=1) / 1000 - begin
    share = ((points[:, None] - begin) * way).sum(axis=2) / np.maximum((way * way).sum(axis=1), 1e-9)
    nearest = begin + np.clip(share, 0, 1)[:, :, None] * way
    distance = np.linalg.norm(points[:, None] - nearest, axis=2) - roads["half"] / 1000
    return np.asarray(distance.min(axis=1), float)
