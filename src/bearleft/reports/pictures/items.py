"""Contact sheets of ArraMon's objects: the 98 collectibles, and the 24 kinds of street objects.

    python -m bearleft.reports.pictures.items docs/pictures

writes arramon-items.png and arramon-street.png there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from bearleft.reports.pictures.classes import INK, PAPER, render_object
from bearleft.world.arramon.items.models import template_classes, template_index, templates
from bearleft.world.arramon.items.names import COLOURS, PATTERNS, TYPES, Item
from bearleft.world.arramon.sections.object_kinds import OBJECT_KINDS
from bearleft.world.channel_images import save_png
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.placement import variant_index
from bearleft.world.city.scene_builder import model_scene
from bearleft.world.render.scene import Scene

Picture = npt.NDArray[np.uint8]
ITEM_SIDE, STREET_SIDE, STREET_COLUMNS = 120, 200, 6
PALETTE_SIZE = 256  # colours of a sheet


def item_portrait(name: str) -> Picture:
    """Render a collectible from the front and above."""
    number_of_template = template_index(name)
    rows = templates(0.0)[number_of_template]
    rows["instance"] = 1
    return render_object(Scene.make(rows, [0, template_classes()[number_of_template]]), -24.0)


def street_portrait(kind: str) -> Picture:
    """Render one kind of street object, in its first colour."""
    object_kind = OBJECT_KINDS[kind]
    object_class = CLASSES[class_index(object_kind.thing)]
    model = object_class.models[variant_index(object_kind.thing, object_kind.models[0])]
    return render_object(model_scene(model, object_class, object_kind.colours[0], object_class.second_colours[0], ""))


def items_sheet() -> Image.Image:
    """Draw a row for each type: its seven colours dotted, then striped."""
    names = [Item(pattern, colour, kind).name for kind in TYPES for pattern in PATTERNS for colour in COLOURS]
    return _sheet(names, item_portrait, len(PATTERNS) * len(COLOURS), ITEM_SIDE)


def street_sheet() -> Image.Image:
    """Draw all kinds of street objects."""
    return _sheet(list(OBJECT_KINDS), street_portrait, STREET_COLUMNS, STREET_SIDE)


def _sheet(names: Sequence[str], portrait: Callable[[str], Picture], columns: int, side: int) -> Image.Image:
    """Draw pictures with their names below, reduced from a larger size for smooth edges."""
    rows = -(-len(names) // columns)
    label = side // 12 + 6
    sheet = Image.new("RGB", (columns * side, rows * (side + label)), PAPER)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(side // 12)
    for k, name in enumerate(names):
        left, top = k % columns * side, k // columns * (side + label)
        sheet.paste(Image.fromarray(portrait(name)).resize((side, side), Image.Resampling.LANCZOS), (left, top))
        draw.text((left + 3, top + side + 1), name, INK, font)
    return sheet.quantize(PALETTE_SIZE, dither=Image.Dither.NONE)


def main(folder: str = "docs/pictures") -> None:
    """Write both sheets."""
    for name, sheet in (("arramon-items", items_sheet()), ("arramon-street", street_sheet())):
        save_png(sheet, Path(folder) / f"{name}.png")


if __name__ == "__main__":
    main(*sys.argv[1:2])
