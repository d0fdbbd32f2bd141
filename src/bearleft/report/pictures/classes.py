"""A contact sheet: every class of thing that cities and rooms hold, alone, three-quarter from the front."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import Progress
from bearleft.world.city.facades import STYLES, building_solids
from bearleft.world.city.object_class import Class
from bearleft.world.city.palette import colour
from bearleft.world.city.plan import BUILDING, THING, UNIT
from bearleft.world.city.scene_builder import CLASS_BASE, show
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
    classes: Sequence[Class] = CLASSES, variants: bool = False, progress: Progress | None = None
) -> npt.NDArray[np.uint8]:
    """One picture of each class at 224 x 224, or of each of its variants."""
    shown = [
        (one, variant)
        for one in classes
        for variant in range(len(one.variants) or len(STYLES))
        if variants or not variant
    ]
    columns = min(COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    sheet = Image.new("RGB", (columns * SIZE, rows * (SIZE + LABEL)), PAPER)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(15)
    for k, (one, variant) in enumerate(shown):
        if progress:
            progress(one.name, k, len(shown))
        left, top = k % columns * SIZE, k // columns * (SIZE + LABEL)
        sheet.paste(Image.fromarray(portrait(one, variant)), (left, top))
        draw.text((left + 6, top + SIZE + 2), one.name, INK, font)
    return np.asarray(sheet)


def portrait(one: Class, variant: int = 0) -> npt.NDArray[np.uint8]:
    """A thing of a class, filling its picture, lit from the front."""
    if one.variants:
        first = one.colours[variant % len(one.colours)]
        second = next((name for name in one.seconds if name != first), one.seconds[0])
        scene = show(one.models[variant], one, first, second, "BEAR LEFT")
    else:
        scene = house(variant)
    return framed(scene)


def framed(scene: Scene, pitch: float = -10.0) -> npt.NDArray[np.uint8]:
    """A scene of one thing that looks north, filling its picture."""
    reach = np.abs(scene.solids["matrix"]).sum(axis=2)
    low, high = (scene.solids["centre"] - reach).min(axis=0), (scene.solids["centre"] + reach).max(axis=0)
    middle, across = (low + high) / 2, float(np.linalg.norm(high - low))
    # From the front and a little to the side; things face north, and the sun stands behind the camera.
    away = across / 2 / np.tan(np.radians(FOV / 2)) * 1.05
    heading = 180.0 + 28.0
    back = -np.array([np.sin(np.radians(heading)), np.cos(np.radians(heading)), np.tan(np.radians(pitch))])
    eye = middle + back / np.linalg.norm(back) * away
    eye[2] = max(eye[2], 0.3)
    aim = middle - eye
    pitch = float(np.degrees(np.arctan2(aim[2], np.hypot(aim[0], aim[1]))))
    light = NorthLight(10.5, 0.0, 0.2)
    return np.asarray(render(scene, poses(eye, heading, pitch), view(SIZE, SIZE, FOV), light, samples=3).rgb[0])


class NorthLight(Light):
    """A studio's light: the sun in the north, in front of what is shown."""

    @property
    def sun(self) -> tuple[float, float, float]:
        east, north, up = super().sun
        return east, -north, up


def house(style: int) -> Scene:
    """A building of a style, alone."""
    thing, row = np.zeros(1, THING), np.zeros(1, BUILDING)
    thing["uy"], thing["text"] = UNIT, -1
    thing["first"] = colour(STYLES[style].walls[0])
    thing["second"] = colour("cream")
    row["hx"], row["hy"], row["height"] = 6_000, 6_000, 20_300
    row["ground"], row["floor"], row["bay"], row["style"], row["sides"] = 4_200, 3_200, 2_400, style, 15
    return Scene.make(building_solids(row, thing, 0), [0, CLASS_BASE])
