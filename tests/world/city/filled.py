"""A small city that is filled, and its things' footprints, measured from their models once more."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.plan import UNIT, Draft, Rows
from bearleft.world.city.scene_builder import rotation
from bearleft.world.city.stages import STAGES
from bearleft.world.city.streets import city_graph

Floats = npt.NDArray[np.float64]
VEHICLES = (
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
ON_ROADS = (
    *VEHICLES,
    "person",
    "steam stack",
    "dumpster",
    "traffic cone",
    "barrel",
    "barrier",
    "road work sign",
    "material pile",
)
HUNG = (
    "building", "door", "storefront", "awning", "flag", "fire escape", "wall lamp", "air conditioner",
    "window box", "balcony", "bay window", "mural", "graffiti", "marquee", "clock", "barber pole",
    "lettered sign", "billboard", "banner", "garage entrance", "atm",
)  # fmt: skip


@cache
def filled(seed: int = 0, avenues: int = 3, streets: int = 3) -> Draft:
    draft = Draft(seed, city_graph(0, avenues, streets))
    for stage in STAGES:
        stage(draft)
    return draft


def of(things: Rows, *names: str) -> npt.NDArray[np.bool_]:
    """Which things are of these classes."""
    return np.isin(things["kind"], [class_index(name) for name in names])


@cache
def reach(kind: int, variant: int, low: float = 2.2) -> tuple[float, float, float, float]:
    """Left, right, back and front of what of a model begins below `low`, in metres."""
    model = CLASSES[kind].models[variant]
    boxes = []
    for solid in model:
        corners = np.array(list(product((-1, 1), repeat=3))) * solid.half
        boxes.append(corners @ rotation(solid).T + np.array(solid.at))
    boxes = [one for one in boxes if one[:, 2].min() < low] or boxes
    points = np.concatenate(boxes)
    return points[:, 0].min(), points[:, 0].max(), points[:, 1].min(), points[:, 1].max()


def standing(draft: Draft) -> npt.NDArray[np.intp]:
    """The numbers of all things that touch the ground and hang on nothing."""
    things = draft.things
    hung = of(things, *HUNG) | (things["z"] > 0) | of(things, "bridge", "manhole cover")  # one passes under or over
    hung |= of(things, "street sign") & (things["owner"] >= 0)
    hung |= of(things, "blank sign") & (things["variant"] > 0)
    return np.flatnonzero(~hung)


def corners(things: Rows, less: float = 0.0) -> Floats:
    """The corners of things' footprints in metres, each side moved in by `less`: things x 4 x 2."""
    sides = np.array([reach(int(one["kind"]), int(one["variant"])) for one in things]).reshape(-1, 4)
    wide, deep = sides[:, :2] * things["sx"][:, None] / 1000, sides[:, 2:] * things["sy"][:, None] / 1000
    inwards = np.array([less, -less])
    wide, deep = wide + inwards, deep + inwards
    ahead = np.stack([things["ux"], things["uy"]], axis=1) / UNIT
    aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    at = np.stack([things["x"], things["y"]], axis=1) / 1000
    order = ((0, 0), (1, 0), (1, 1), (0, 1))
    return np.stack([at + aside * wide[:, [i]] + ahead * deep[:, [j]] for i, j in order], axis=1)


def apart(one: Floats, other: Floats) -> bool:
    """Whether some line parallel to a side of two rectangles (4 x 2) lies between them."""
    for rectangle in (one, other):
        for k in (0, 1):
            axis = rectangle[k + 1] - rectangle[k]
            left, right = one @ axis, other @ axis
            if left.max() <= right.min() or right.max() <= left.min():
                return True
    return False


def from_roads(draft: Draft, points: Floats) -> Floats:
    """How far points (n x 2) lie outside the nearest carriageway, negative on it."""
    roads = draft.roads
    begin = np.stack([roads["x0"], roads["y0"]], axis=1) / 1000
    way = np.stack([roads["x1"], roads["y1"]], axis=1) / 1000 - begin
    share = ((points[:, None] - begin) * way).sum(axis=2) / np.maximum((way * way).sum(axis=1), 1e-9)
    nearest = begin + np.clip(share, 0, 1)[:, :, None] * way
    away = np.linalg.norm(points[:, None] - nearest, axis=2) - roads["half"] / 1000
    return np.asarray(away.min(axis=1), float)
