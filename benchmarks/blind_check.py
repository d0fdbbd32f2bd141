"""Can a stranger name things? Numbered pictures of every class at 224 x 224 in random order, and their key apart.

    python benchmarks/blind_check.py FOLDER --seed 1
    python benchmarks/blind_check.py FOLDER --seed 1 --arramon --count 40

writes FOLDER/sheet-01.png ... (16 pictures each, numbers only) and FOLDER/key.txt. Who looks at the sheets writes
one line "number, name" for each; whether a name is right, nearly right or wrong is judged by reading both.

With --arramon they are collectibles and street objects of ArraMon as its players see them, in the middle of a street's
picture: an item 3 to 6 m ahead from any side (its pattern, colour and type are asked for), or a thing of the street.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from math import atan2, cos, degrees, radians, sin
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from bearleft.envs.arramon.pictures import EYE, PITCH
from bearleft.reports.pictures.classes import SIZE, portrait
from bearleft.world.arramon.items.models import MAX_RADIUS, template_index
from bearleft.world.arramon.items.names import ITEMS
from bearleft.world.arramon.moves import GRID_HEADING, TURN_DEGREES
from bearleft.world.arramon.sections.object_kinds import OBJECT_KINDS
from bearleft.world.arramon.sections.world import Sections, StreetObject, open_sections
from bearleft.world.arramon.task_setup import FACINGS
from bearleft.world.channel_images import save_png
from bearleft.world.city.catalog import CLASSES
from bearleft.world.render.camera import poses, view
from bearleft.world.render.cpu import render
from bearleft.world.render.dynamic_objects import DynamicObjects

SIDE, LABEL = 4, 22
WORLD, FIELD = "sections/0", 90.0
NEAREST, FARTHEST = 3.0, 6.0  # metres
SEEN, SEEN_OF_STREET = 120, 160  # pixels of a thing that must be seen
TRIES = 2000
Picture = npt.NDArray[np.uint8]


def main() -> None:
    """Draws the sheets."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folder", type=Path)
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--arramon", action="store_true", help="collectibles and street objects of ArraMon")
    ask.add_argument("--count", type=int, help="so many of them (usually all)")
    given = ask.parse_args()
    draw = random.Random(given.seed)
    asked = arramon(draw, given.count) if given.arramon else classes(draw, given.count)
    given.folder.mkdir(parents=True, exist_ok=True)
    sheets([picture for picture, _ in asked], given.folder)
    (given.folder / "key.txt").write_text("".join(f"{k}, {key}\n" for k, (_, key) in enumerate(asked, 1)))


def classes(draw: random.Random, count: int | None) -> list[tuple[Picture, str]]:
    """Every class of thing, alone."""
    shown = []
    for number in draw.sample(range(len(CLASSES)), count or len(CLASSES)):
        variant = draw.randrange(len(CLASSES[number].variants) or 1)
        shown.append((portrait(CLASSES[number], variant), f"{CLASSES[number].name}, variant {variant}"))
    return shown


def arramon(draw: random.Random, count: int | None) -> list[tuple[Picture, str]]:
    """Collectibles and street objects, in a street."""
    sections = open_sections(WORLD)
    names = [*(one.name for one in ITEMS), *OBJECT_KINDS]
    order = draw.sample(names, count or len(names))
    return [
        of_street(draw, sections, name) if name in OBJECT_KINDS else of_item(draw, sections, name) for name in order
    ]


def of_item(draw: random.Random, sections: Sections, name: str) -> tuple[Picture, str]:
    """An item ahead of one who stands somewhere and looks as players can."""
    for _ in range(TRIES):
        x, y = anywhere(draw, sections)
        heading, away = GRID_HEADING + TURN_DEGREES * draw.randrange(12), draw.uniform(NEAREST, FARTHEST)
        if not way_is_free(sections, x, y, heading, away):
            continue
        at = x + sin(radians(heading)) * away, y + cos(radians(heading)) * away
        guest = (*at, 0.0, template_index(name, draw.randrange(FACINGS)))
        picture, seen = look(sections, (x, y), heading, sections.city.scene.dynamic_base, [guest])
        if seen >= SEEN:
            return picture, f"{name}, {away:.1f} m"
    raise RuntimeError(f"no place for {name}")


def of_street(draw: random.Random, sections: Sections, kind: str) -> tuple[Picture, str]:
    """A thing of the street, seen from somewhere before it: signs have nothing to say on their backs."""
    things = [one for one in sections.things if one.kind == kind]
    for _ in range(TRIES):
        thing: StreetObject = draw.choice(things)
        way, away = thing.facing + draw.uniform(-60.0, 60.0), draw.uniform(NEAREST, FARTHEST)
        x, y = thing.at[0] + sin(radians(way)) * away, thing.at[1] + cos(radians(way)) * away
        if not sections.ground.free_at(x, y):
            continue
        heading = degrees(atan2(thing.at[0] - x, thing.at[1] - y))
        picture, seen = look(sections, (x, y), heading, thing.index + 1)
        if seen >= SEEN_OF_STREET:
            return picture, f"{kind}, {thing.colour} {thing.name}, {away:.1f} m"
    raise RuntimeError(f"no place from which a {kind} is seen")


def look(
    sections: Sections,
    at: tuple[float, float],
    heading: float,
    instance: int,
    around: Sequence[tuple[float, float, float, int]] = (),
) -> tuple[Picture, int]:
    """What one sees, and how many pixels of it are of an instance."""
    guests = DynamicObjects.of([around])
    seen = render(sections.city.scene, poses([[*at, EYE]], heading, PITCH), view(SIZE, SIZE, FIELD), guests=guests)
    return np.asarray(seen.rgb[0]), int((seen.instance[0] == instance).sum())


def anywhere(draw: random.Random, sections: Sections) -> tuple[float, float]:
    """A point of some section."""
    west, south, east, north = draw.choice(sections.bounds)
    return draw.uniform(west, east), draw.uniform(south, north)


def way_is_free(sections: Sections, x: float, y: float, heading: float, away: float) -> bool:
    """Whether one could walk to what lies so far ahead, and it has room there."""
    far = np.linspace(0.0, away, 40)
    east, north = x + np.sin(radians(heading)) * far, y + np.cos(radians(heading)) * far
    around = np.radians(np.arange(0, 360, 30))
    at = x + sin(radians(heading)) * away, y + cos(radians(heading)) * away
    free = sections.ground.free_at
    return bool(
        free(east, north).all() and free(at[0] + MAX_RADIUS * np.sin(around), at[1] + MAX_RADIUS * np.cos(around)).all()
    )


def sheets(pictures: Sequence[Picture], folder: Path) -> None:
    """Writes pictures with their numbers, 16 on a sheet."""
    font = ImageFont.load_default(16)
    for first in range(0, len(pictures), SIDE * SIDE):
        sheet = Image.new("RGB", (SIDE * SIZE, SIDE * (SIZE + LABEL)), "white")
        for k, picture in enumerate(pictures[first : first + SIDE * SIDE]):
            left, top = k % SIDE * SIZE, k // SIDE * (SIZE + LABEL)
            sheet.paste(Image.fromarray(picture), (left, top))
            ImageDraw.Draw(sheet).text((left + 6, top + SIZE + 1), str(first + k + 1), "black", font)
        save_png(sheet, folder / f"sheet-{first // SIDE**2 + 1:02d}.png")


if __name__ == "__main__":
    main()
