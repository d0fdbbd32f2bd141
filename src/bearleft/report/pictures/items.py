"""Contact sheets of ArraMon's things: the 98 collectibles, and the 24 kinds of street objects.

    python -m bearleft.report.pictures.items docs/pictures

remakes arramon-items.png and arramon-street.png there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from bearleft.report.pictures.classes import INK, PAPER, framed
from bearleft.world.arramon.items.models import template, template_classes, templates
from bearleft.world.arramon.items.names import COLOURS, PATTERNS, TYPES, Item
from bearleft.world.arramon.sections.object_kinds import KINDS
from bearleft.world.channel_images import save_png
from bearleft.world.city.catalog import CLASSES, number
from bearleft.world.city.placement import variant
from bearleft.world.city.scene_builder import show
from bearleft.world.render.scene import Scene

Picture = npt.NDArray[np.uint8]
ITEM_SIDE, STREET_SIDE, STREET_COLUMNS = 120, 200, 6
TINTS = 256  # colours of a sheet's file


def item_portrait(name: str) -> Picture:
    """A collectible alone, three-quarter from the front and from above."""
    which = template(name)
    rows = templates(0.0)[which]
    rows["instance"] = 1
    return framed(Scene.make(rows, [0, template_classes()[which]]), -24.0)


def street_portrait(kind: str) -> Picture:
    """One of the kinds of street objects alone, in its first colour."""
    one = KINDS[kind]
    thing = CLASSES[number(one.thing)]
    model = thing.models[variant(one.thing, one.models[0])]
    return framed(show(model, thing, one.colours[0], thing.seconds[0], ""))


def items_sheet() -> Image.Image:
    """A row for each type: its seven colours dotted, then striped."""
    names = [Item(pattern, colour, kind).name for kind in TYPES for pattern in PATTERNS for colour in COLOURS]
    return _sheet(names, item_portrait, len(PATTERNS) * len(COLOURS), ITEM_SIDE)


def street_sheet() -> Image.Image:
    """All kinds of street objects."""
    return _sheet(list(KINDS), street_portrait, STREET_COLUMNS, STREET_SIDE)


def _sheet(names: Sequence[str], portrait: Callable[[str], Picture], columns: int, side: int) -> Image.Image:
    """Pictures with their names below them; drawn larger than shown, so that edges are smooth."""
    rows = -(-len(names) // columns)
    label = side // 12 + 6
    sheet = Image.new("RGB", (columns * side, rows * (side + label)), PAPER)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(side // 12)
    for k, name in enumerate(names):
        left, top = k % columns * side, k // columns * (side + label)
        sheet.paste(Image.fromarray(portrait(name)).resize((side, side), Image.Resampling.LANCZOS), (left, top))
        draw.text((left + 3, top + side + 1), name, INK, font)
    return sheet.quantize(TINTS, dither=Image.Dither.NONE)


def main(folder: str = "docs/pictures") -> None:
    """Writes both sheets."""
    for name, sheet in (("arramon-items", items_sheet()), ("arramon-street", street_sheet())):
        save_png(sheet, Path(folder) / f"{name}.png")


if __name__ == "__main__":
    main(*sys.argv[1:2])
