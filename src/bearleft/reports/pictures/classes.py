"""Contact sheets: one picture of every class of object in cities and rooms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from bearleft.types import Progress
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.facades import STYLES, building_solids
from bearleft.world.city.object_class import ObjectClass
from bearleft.world.city.palette import colour_index
from bearleft.world.city.plan import BUILDING, DIRECTION_SCALE, THING
from bearleft.world.city.scene_builder import CLASS_BASE, model_scene
from bearleft.world.render.camera import poses, view
from bearleft.world.render.cpu import render
from bearleft.world.render.light import Light
from bearleft.world.render.scene import Scene

SIZE = 224
COLUMNS = 12
LABEL = 22
PAPER, INK = (250, 249, 245), (40, 40, 40)
FOV = 40.0


def contact_sheet(
    classes: Sequence[ObjectClass] = CLASSES, variants: bool = False, progress: Progress | None = None
) -> npt.NDArray[np.uint8]:
    """Return one picture of each class at 224 x 224 pixels, or of each of its variants."""
    portraits = [
        (object_class, variant)
        for object_class in classes
        for variant in range(len(object_class.variants) or len(STYLES))
        if variants or not variant
    ]
    columns = min(COLUMNS, len(portraits))
    rows = -(-len(portraits) // columns)
    sheet = Image.new("RGB", (columns * SIZE, rows * (SIZE + LABEL)), PAPER)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(15)
    for k, (object_class, variant) in enumerate(portraits):
        if progress:
            progress(object_class.name, k, len(portraits))
        left, top = k % columns * SIZE, k // columns * (SIZE + LABEL)
        sheet.paste(Image.fromarray(portrait(object_class, variant)), (left, top))
        draw.text((left + 6, top + SIZE + 2), object_class.name, INK, font)
    return np.asarray(sheet)


def portrait(object_class: ObjectClass, variant: int = 0) -> npt.NDArray[np.uint8]:
    """Render an object of a class, filling its picture, lit from the front."""
    if object_class.variants:
        first = object_class.colours[variant % len(object_class.colours)]
        second = next((name for name in object_class.second_colours if name != first), object_class.second_colours[0])
        scene = model_scene(object_class.models[variant], object_class, first, second, "BEAR LEFT")
    else:
        scene = building_scene(variant)
    return render_object(scene)


def render_object(scene: Scene, pitch: float = -10.0) -> npt.NDArray[np.uint8]:
    """Render a scene of one object that faces north, filling the picture."""
    reach = np.abs(scene.solids["matrix"]).sum(axis=2)
    low, high = (scene.solids["centre"] - reach).min(axis=0), (scene.solids["centre"] + reach).max(axis=0)
    middle, diagonal = (low + high) / 2, float(np.linalg.norm(high - low))
    # From the front and a little to the side; objects face north, and the sun stands behind the camera.
    distance = diagonal / 2 / np.tan(np.radians(FOV / 2)) * 1.05
    heading = 180.0 + 28.0
    back = -np.array([np.sin(np.radians(heading)), np.cos(np.radians(heading)), np.tan(np.radians(pitch))])
    eye = middle + back / np.linalg.norm(back) * distance
    eye[2] = max(eye[2], 0.3)
    aim = middle - eye
    pitch = float(np.degrees(np.arctan2(aim[2], np.hypot(aim[0], aim[1]))))
    light = NorthLight(10.5, 0.0, 0.2)
    return np.asarray(render(scene, poses(eye, heading, pitch), view(SIZE, SIZE, FOV), light, samples=3).rgb[0])


class NorthLight(Light):
    """Studio light: the sun in the north, in front of the object."""

    @property
    def sun(self) -> tuple[float, float, float]:
        """Return the direction to the sun (east, north, up)."""
        east, north, up = super().sun
        return east, -north, up


def building_scene(style: int) -> Scene:
    """Return a scene of one building of a style."""
    thing, row = np.zeros(1, THING), np.zeros(1, BUILDING)
    thing["uy"], thing["text"] = DIRECTION_SCALE, -1
    thing["first"] = colour_index(STYLES[style].walls[0])
    thing["second"] = colour_index("cream")
    row["hx"], row["hy"], row["height"] = 6_000, 6_000, 20_300
    row["ground"], row["floor"], row["bay"], row["style"], row["sides"] = 4_200, 3_200, 2_400, style, 15
    return Scene.make(building_solids(row, thing, 0), [0, CLASS_BASE])
