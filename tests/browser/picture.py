"""docs/pictures/tiles.png: our renderer's views on the left, the same poses in Chromium on the right.

python -m tests.browser.picture [FILE.png] writes it and prints how far the two agree.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from bearleft.world.city.city import open_city
from bearleft.world.render.camera import view
from bearleft.world.render.cpu import render
from bearleft.world.tiles.export import tiles
from tests.browser.page import off_edges, opened
from tests.browser.report_page import chromium

WIDTH, HEIGHT = 560, 360
VIEWS = (("city/3/4x5", 150, 60.0, 2.0), ("rooms/0/12", 4, 60.0, -8.0))


def main(path: str) -> None:
    """Makes the picture."""
    rows = []
    for world, place, heading, pitch in VIEWS:
        city = open_city(world)
        pose = city.poses([place], heading, pitch)
        ours = render(city.scene, pose, view(WIDTH, HEIGHT), samples=3)
        with TemporaryDirectory() as folder:
            tiles_result = tiles(folder, world)
            with (
                chromium() as browser,
                opened(browser.chromium, Path(folder), pose[0], WIDTH, HEIGHT, reach=1000.0) as page,
            ):
                theirs, instance = page.screenshot(), page.instances(WIDTH, HEIGHT)
        inner = off_edges(ours.instance[0])
        same = (instance == ours.instance[0])[inner].mean()
        difference = np.abs(theirs.astype(int) - ours.rgb[0]).mean()
        print(
            *tiles_result.rows(),
            f"instances of {same:.2%} of pixels off edges agree, colours differ by {difference:.1f} of 255",
        )
        rows.append(np.concatenate([ours.rgb[0], np.full((HEIGHT, 8, 3), 255, np.uint8), theirs], axis=1))
    gap = np.full((8, rows[0].shape[1], 3), 255, np.uint8)
    Image.fromarray(np.concatenate([rows[0], gap, rows[1]])).save(path, optimize=True)


if __name__ == "__main__":
    default = Path(__file__).parents[2] / "docs" / "pictures" / "tiles.png"
    main(sys.argv[1] if len(sys.argv) > 1 else str(default))
