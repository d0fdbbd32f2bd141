"""Scenes from plans: the model of every thing at its position."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.facades import building_solids
from bearleft.world.city.object_class import ObjectClass
from bearleft.world.city.palette import COLOURS, RGB_TABLE
from bearleft.world.city.plan import DIRECTION_SCALE, THING, Plan, Rows
from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, Solid
from bearleft.world.render.codes import Ground, Material
from bearleft.world.render.scene import SOLID, Scene

if TYPE_CHECKING:
    from bearleft.types import Floats

CLASS_BASE = len(Ground)  # CLASSES[k] has the index CLASS_BASE + k in class images


def build_scene(plan: Plan, templates: Sequence[Rows] = (), template_classes: Sequence[int] = ()) -> Scene:
    """Return the scene of a plan.

    Args:
        plan: Plan of the world.
        templates: Solids of dynamic objects (see `Scene.make`).
        template_classes: Class of each template.

    Raises:
        InputError: The plan has no things.
    """
    if not len(plan.things):
        raise InputError("streets with space for objects beside them", f"{len(plan.graph)} places within a few metres")
    solids, lamps, texts = plan_solids(plan)
    class_of = np.concatenate([[Ground.YARD], CLASS_BASE + plan.things["kind"].astype(int)])
    return Scene.make(solids, class_of, plan.roads, plan.areas, texts, lamps, plan.indoors, templates, template_classes)


def plan_solids(plan: Plan) -> tuple[Rows, Floats, list[str]]:
    """Return the solids of a plan's buildings and things, the positions of lamps, and the texts of signs."""
    texts = list(plan.texts)
    solids = [building_solids(plan.buildings, plan.things, plan.seed)]
    lamps = [np.zeros((0, 3))]
    things = plan.things
    for class_number in np.unique(things["kind"]).tolist():
        object_class = CLASSES[class_number]
        rows_of_class = np.flatnonzero(things["kind"] == class_number)
        variants = things["variant"][rows_of_class]
        for variant, model in enumerate(object_class.models):
            rows = rows_of_class[variants == variant]
            if len(rows) and model:
                solids.append(instantiate(object_class, model, things[rows], rows + 1, texts))
                lamps.append(lamp_positions(model, solids[-1], len(rows)))
    return np.concatenate(solids), np.concatenate(lamps), texts


def model_scene(model: Model, object_class: ObjectClass, first: str, second: str, text: str = "BEAR") -> Scene:
    """Return a scene with a single thing at the origin that faces north, raised above the ground if it hangs."""
    thing = np.zeros(1, THING)
    thing["uy"], thing["text"] = DIRECTION_SCALE, 0
    thing["sx"] = thing["sy"] = thing["sz"] = 1000
    thing["first"], thing["second"] = list(COLOURS).index(first), list(COLOURS).index(second)
    texts = [text]
    solids = instantiate(object_class, model, thing, np.ones(1, int), texts)
    low = (solids["centre"] - np.abs(solids["matrix"]).sum(axis=2)).min(axis=0)[2]
    solids["centre"][:, 2] += max(-low, 0.0)
    return Scene.make(solids, [0, CLASS_BASE], texts=texts, lamps=lamp_positions(model, solids, 1))


def instantiate(
    object_class: ObjectClass, model: Model, things: Rows, instances: npt.NDArray[np.int_], texts: list[str]
) -> Rows:
    """Return a model's solids for each thing, solid by solid; texts of the model are appended to `texts`."""
    count, rows = len(things), np.zeros((len(model), len(things)), SOLID)
    ahead = np.column_stack([things["ux"], things["uy"]]) / DIRECTION_SCALE
    axes = np.zeros((count, 3, 3))  # columns: the thing's right, ahead, up, stretched
    axes[:, 0, 0], axes[:, 1, 0] = ahead[:, 1], -ahead[:, 0]
    axes[:, 0, 1], axes[:, 1, 1] = ahead[:, 0], ahead[:, 1]
    axes[:, 2, 2] = 1.0
    axes *= np.column_stack([things["sx"], things["sy"], things["sz"]])[:, None, :] / 1000.0
    positions = np.column_stack([things["x"], things["y"], things["z"]]) / 1000.0
    for row, solid in zip(rows, model, strict=True):
        row["kind"], row["material"], row["part"] = solid.kind, solid.material, object_class.parts.index(solid.part)
        row["instance"] = instances
        row["centre"] = positions + axes @ np.array(solid.at)
        row["matrix"] = axes @ (rotation(solid) * np.array(solid.half))
        row["size"] = np.linalg.norm(row["matrix"], axis=1)
        row["shape"][:, : len(solid.shape)] = solid.shape
        row["colour"], row["second"] = resolve_colours(solid.colour, things), resolve_colours(solid.second, things)
        row["pattern"][:, : len(solid.pattern)] = solid.pattern
        row["text"] = things["text"]
        if solid.text is not None:
            if solid.text not in texts:
                texts.append(solid.text)
            row["text"] = texts.index(solid.text)
    return rows.ravel()


def lamp_positions(model: Model, solids: Rows, count: int) -> Floats:
    """Return the positions of the lamps of instantiated models."""
    lit = [k for k, solid in enumerate(model) if solid.material == Material.LAMP]
    return np.asarray(solids.reshape(len(model), count)["centre"][lit].reshape(-1, 3), float)


@lru_cache(maxsize=4096)
def rotation(solid: Solid) -> Floats:
    """Return the rotation matrix of a solid: roll about y, then tilt about x, then yaw about z."""
    (cr, cx, cz), (sr, sx, sz) = (f(np.radians([solid.roll, solid.tilt, solid.yaw])) for f in (np.cos, np.sin))
    roll = np.array([[cr, 0, sr], [0, 1, 0], [-sr, 0, cr]])
    tilt = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    yaw = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return np.asarray(yaw @ tilt @ roll, float)


def resolve_colours(colour: Colour, things: Rows) -> npt.NDArray[np.uint8]:
    """Return the RGB of a named colour, or each thing's own colour."""
    if colour == FIRST:
        return np.asarray(RGB_TABLE[things["first"]])
    if colour == SECOND:
        return np.asarray(RGB_TABLE[things["second"]])
    return np.array(COLOURS[str(colour)], np.uint8)
