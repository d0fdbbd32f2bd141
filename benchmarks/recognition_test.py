"""Draw a blind recognition test: numbered pictures of every class at 224 x 224 in random order, and the key.

    python benchmarks/recognition_test.py FOLDER --seed 1
    python benchmarks/recognition_test.py FOLDER --seed 1 --arramon --count 40

The script writes FOLDER/sheet-01.png ... (16 pictures each, numbers only) and FOLDER/key.txt. The participant writes
one line "number, name" for each picture. A person compares the names with the key and decides whether each is right,
nearly right or wrong.

With --arramon the pictures show ArraMon's collectibles and street objects in a street, as its players see them: an
item 3 to 6 m ahead from any side (to be named with pattern, colour and type), or a street object.
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

from bearleft.envs.arramon.pictures import CAMERA_PITCH, EYE_HEIGHT
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

PICTURES_PER_SIDE, LABEL_HEIGHT = 4, 22
WORLD, FIELD_OF_VIEW = "sections/0", 90.0
MIN_DISTANCE, MAX_DISTANCE = 3.0, 6.0  # metres
MIN_ITEM_PIXELS, MIN_STREET_OBJECT_PIXELS = 120, 160  # visible pixels of the object
MAX_ATTEMPTS = 2000
Picture = npt.NDArray[np.uint8]


def main() -> None:
    """Draw the sheets and write the key."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--arramon", action="store_true", help="collectibles and street objects of ArraMon")
    parser.add_argument("--count", type=int, help="number of pictures (default: all)")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    examples = arramon_examples(rng, args.count) if args.arramon else class_examples(rng, args.count)
    args.folder.mkdir(parents=True, exist_ok=True)
    write_sheets([picture for picture, _ in examples], args.folder)
    (args.folder / "key.txt").write_text("".join(f"{k}, {name}\n" for k, (_, name) in enumerate(examples, 1)))


def class_examples(rng: random.Random, count: int | None) -> list[tuple[Picture, str]]:
    """Return pictures of object classes, each on its own, with their names."""
    examples = []
    for number in rng.sample(range(len(CLASSES)), count or len(CLASSES)):
        variant = rng.randrange(len(CLASSES[number].variants) or 1)
        examples.append((portrait(CLASSES[number], variant), f"{CLASSES[number].name}, variant {variant}"))
    return examples


def arramon_examples(rng: random.Random, count: int | None) -> list[tuple[Picture, str]]:
    """Return pictures of collectibles and street objects in a street, with their names."""
    sections = open_sections(WORLD)
    names = [*(item.name for item in ITEMS), *OBJECT_KINDS]
    order = rng.sample(names, count or len(names))
    return [
        street_object_example(rng, sections, name) if name in OBJECT_KINDS else item_example(rng, sections, name)
        for name in order
    ]


def item_example(rng: random.Random, sections: Sections, name: str) -> tuple[Picture, str]:
    """Return a picture of an item ahead of a random pose that a player can take."""
    for _ in range(MAX_ATTEMPTS):
        x, y = random_point(rng, sections)
        heading = GRID_HEADING + TURN_DEGREES * rng.randrange(12)
        distance = rng.uniform(MIN_DISTANCE, MAX_DISTANCE)
        if not is_path_free(sections, x, y, heading, distance):
            continue
        position = x + sin(radians(heading)) * distance, y + cos(radians(heading)) * distance
        item = (*position, 0.0, template_index(name, rng.randrange(FACINGS)))
        picture, pixels = render_view(sections, (x, y), heading, sections.city.scene.dynamic_base, [item])
        if pixels >= MIN_ITEM_PIXELS:
            return picture, f"{name}, {distance:.1f} m"
    raise RuntimeError(f"found no place for {name}")


def street_object_example(rng: random.Random, sections: Sections, kind: str) -> tuple[Picture, str]:
    """Return a picture of a street object from its front: the backs of signs are blank."""
    candidates = [thing for thing in sections.street_objects if thing.kind == kind]
    for _ in range(MAX_ATTEMPTS):
        thing: StreetObject = rng.choice(candidates)
        bearing = thing.facing + rng.uniform(-60.0, 60.0)
        distance = rng.uniform(MIN_DISTANCE, MAX_DISTANCE)
        x, y = thing.at[0] + sin(radians(bearing)) * distance, thing.at[1] + cos(radians(bearing)) * distance
        if not sections.walkable.free_at(x, y):
            continue
        heading = degrees(atan2(thing.at[0] - x, thing.at[1] - y))
        picture, pixels = render_view(sections, (x, y), heading, thing.index + 1)
        if pixels >= MIN_STREET_OBJECT_PIXELS:
            return picture, f"{kind}, {thing.colour} {thing.name}, {distance:.1f} m"
    raise RuntimeError(f"found no place from which a {kind} is visible")


def render_view(
    sections: Sections,
    position: tuple[float, float],
    heading: float,
    instance: int,
    items: Sequence[tuple[float, float, float, int]] = (),
) -> tuple[Picture, int]:
    """Return a player's view and the number of its pixels that show an instance."""
    pictures = render(
        sections.city.scene,
        poses([[*position, EYE_HEIGHT]], heading, CAMERA_PITCH),
        view(SIZE, SIZE, FIELD_OF_VIEW),
        dynamic_objects=DynamicObjects.of([items]),
    )
    return np.asarray(pictures.rgb[0]), int((pictures.instance[0] == instance).sum())


def random_point(rng: random.Random, sections: Sections) -> tuple[float, float]:
    """Return a random point of a random section."""
    west, south, east, north = rng.choice(sections.bounds)
    return rng.uniform(west, east), rng.uniform(south, north)


def is_path_free(sections: Sections, x: float, y: float, heading: float, distance: float) -> bool:
    """Return whether the straight path ahead is free and an item fits at its end."""
    steps = np.linspace(0.0, distance, 40)
    east, north = x + np.sin(radians(heading)) * steps, y + np.cos(radians(heading)) * steps
    angles = np.radians(np.arange(0, 360, 30))
    end = x + sin(radians(heading)) * distance, y + cos(radians(heading)) * distance
    is_free = sections.walkable.free_at
    return bool(
        is_free(east, north).all()
        and is_free(end[0] + MAX_RADIUS * np.sin(angles), end[1] + MAX_RADIUS * np.cos(angles)).all()
    )


def write_sheets(pictures: Sequence[Picture], folder: Path) -> None:
    """Write pictures with their numbers, 16 on a sheet."""
    font = ImageFont.load_default(16)
    per_sheet = PICTURES_PER_SIDE**2
    for first in range(0, len(pictures), per_sheet):
        sheet = Image.new("RGB", (PICTURES_PER_SIDE * SIZE, PICTURES_PER_SIDE * (SIZE + LABEL_HEIGHT)), "white")
        for k, picture in enumerate(pictures[first : first + per_sheet]):
            left, top = k % PICTURES_PER_SIDE * SIZE, k // PICTURES_PER_SIDE * (SIZE + LABEL_HEIGHT)
            sheet.paste(Image.fromarray(picture), (left, top))
            ImageDraw.Draw(sheet).text((left + 6, top + SIZE + 1), str(first + k + 1), "black", font)
        save_png(sheet, folder / f"sheet-{first // per_sheet + 1:02d}.png")


if __name__ == "__main__":
    main()
