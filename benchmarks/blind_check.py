"""Can a stranger name things? Numbered pictures of every class at 224 x 224 in random order, and their key apart.

    python benchmarks/blind_check.py FOLDER --seed 1

writes FOLDER/sheet-01.png ... (25 pictures each, numbers only) and FOLDER/key.txt. Who looks at the sheets writes
one line "number, name" for each; whether a name is right, nearly right or wrong is judged by reading both.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from bearleft.report.classes import SIZE, portrait
from bearleft.world.city.catalog import CLASSES
from bearleft.world.picture import save_png

SIDE, LABEL = 5, 22


def main() -> None:
    """Draws the sheets."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folder", type=Path)
    ask.add_argument("--seed", type=int, default=0)
    given = ask.parse_args()
    draw = random.Random(given.seed)
    order = draw.sample(range(len(CLASSES)), len(CLASSES))
    shown = [(number, draw.randrange(len(CLASSES[number].variants) or 1)) for number in order]
    given.folder.mkdir(parents=True, exist_ok=True)
    font = ImageFont.load_default(16)
    for first in range(0, len(shown), SIDE * SIDE):
        sheet = Image.new("RGB", (SIDE * SIZE, SIDE * (SIZE + LABEL)), "white")
        for k, (number, variant) in enumerate(shown[first : first + SIDE * SIDE]):
            left, top = k % SIDE * SIZE, k // SIDE * (SIZE + LABEL)
            sheet.paste(Image.fromarray(portrait(CLASSES[number], variant)), (left, top))
            ImageDraw.Draw(sheet).text((left + 6, top + SIZE + 1), str(first + k + 1), "black", font)
        save_png(sheet, given.folder / f"sheet-{first // SIDE**2 + 1:02d}.png")
    key = [f"{k + 1}, {CLASSES[number].name}, variant {variant}" for k, (number, variant) in enumerate(shown)]
    (given.folder / "key.txt").write_text("\n".join(key) + "\n")


if __name__ == "__main__":
    main()
