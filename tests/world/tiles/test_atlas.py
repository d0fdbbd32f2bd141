"""The pictures of tiles: plain colours as they are, patterns where the renderer has them, the ground from above."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bearleft.world.city.plan import AREA, DIRECTION_SCALE, ROAD
from bearleft.world.render.codes import Ground, Material, SolidShape
from bearleft.world.render.scene import Scene
from bearleft.world.tiles.atlas import Atlas, encode_jpeg, ground_picture, make_atlas, to_srgb
from bearleft.world.tiles.surface import Surface, make_surface
from tests.world.tiles.test_surface import solid

RED, BLUE = (200, 20, 20), (20, 20, 200)


def painted(*rows: Any, texels: int = 256, texts: tuple[str, ...] = ()) -> tuple[Surface, Atlas]:
    solids = np.concatenate(rows)
    solids["instance"] = np.arange(1, len(rows) + 1)
    scene = Scene.make(solids, np.zeros(len(rows) + 1), texts=texts)
    made = make_surface(scene.solids, np.arange(len(solids)))
    return made, make_atlas(scene, made, texels)


def light(texel: Any) -> Any:
    """What a reader of glTF makes of a texel."""
    x = np.asarray(texel) / 255
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


def at(made: Surface, found: Atlas, face: int, p: float, q: float) -> Any:
    """The texel at a place of a face of the only solid."""
    corners = np.flatnonzero(made.face == face)
    basis = np.column_stack([made.at[corners], np.ones(len(corners))])
    uv = np.array([p, q, 1.0]) @ np.linalg.lstsq(basis, found.uv[corners])[0]
    height, width = found.picture.shape[:2]
    return found.picture[int(uv[1] * height), int(uv[0] * width)]


def test_light_comes_back_from_bytes() -> None:
    values = np.linspace(0, 1, 100)
    assert np.abs(light(to_srgb(values)) - values).max() < 0.005
    assert to_srgb([-1.0, 2.0]).tolist() == [0, 255]


def test_a_plain_solid_has_its_own_colour_everywhere() -> None:
    made, found = painted(solid(SolidShape.BOX, colour=RED), solid(SolidShape.ELLIPSOID, (5, 0, 0), colour=BLUE))
    height, width = found.picture.shape[:2]
    for number, colour in enumerate((RED, BLUE)):
        x, y = (found.uv[made.solid == number] * (width, height)).astype(int).T
        texels = found.picture[y, x]
        assert (texels == texels[0]).all()
        assert np.abs(np.sqrt(light(texels[0])) * 255 - colour).max() < 3
    assert height == 8


@pytest.mark.parametrize(("face", "half"), [(3, 2.0), (2, 2.0), (1, 1.0), (0, 1.0)])
def test_stripes_are_where_the_renderer_has_them(face: int, half: float) -> None:
    striped = {"colour": RED, "second": BLUE, "material": Material.STRIPES, "pattern": (0.5, 0, 0, 0)}
    made, found = painted(solid(SolidShape.BOX, half=(2, 1, 1), **striped))
    # From the left of who looks at the face: the first colour, then the second, each half a metre wide.
    left = {3: 1, 2: -1, 1: -1, 0: 1}[face]
    for k in range(int(4 * half)):
        place = left * (1 - (k + 0.5) * 0.5 / half)
        texel = at(made, found, face, place, 0.1).astype(int)
        assert (texel[0] > texel[2]) == (k % 2 == 0), (k, texel)


def test_letters_are_in_the_picture() -> None:
    sign = solid(
        SolidShape.BOX, half=(1, 0.1, 0.2), colour=BLUE, second=(255, 255, 255), material=Material.TEXT, text=0
    )
    made, found = painted(sign, texts=("HI",))
    front = np.array([[at(made, found, 3, p, q) for p in np.linspace(-0.9, 0.9, 181)] for q in (0.3, 0.0, -0.3)])
    white = front.min(axis=2) > 200
    assert white.any(axis=1).all() and not white.all(axis=1).any()
    side = at(made, found, 1, 0.0, 0.0)
    assert side[2] > side[0] + 50


def test_patterns_get_coarser_until_they_fit() -> None:
    windows = {"colour": RED, "material": Material.FACADE, "pattern": (3, 3, 4, 0)}
    walls = [solid(SolidShape.BOX, (60 * k, 0, 20), (20, 20, 20), **windows) for k in range(6)]
    made, found = painted(*walls, texels=256)
    assert found.picture.shape[0] <= 256 and found.picture.shape[1] == 256
    assert found.uv.min() >= 0 and found.uv.max() <= 1
    # No two faces share a texel, but for the roofs, which are plain.
    taken = np.zeros(found.picture.shape[:2], int)
    for key in np.unique(made.solid * 16 + made.face):
        corners = found.uv[made.solid * 16 + made.face == key] * (256, found.picture.shape[0])
        (x0, y0), (x1, y1) = np.rint(corners.min(axis=0)).astype(int), np.rint(corners.max(axis=0)).astype(int)
        taken[y0:y1, x0:x1] += 1
    assert taken.max() == 1 and taken.mean() > 0.5


def test_the_ground_is_seen_from_above_north_up() -> None:
    road, grass = np.zeros(1, ROAD), np.zeros(1, AREA)
    road["x0"], road["y0"], road["x1"], road["y1"], road["half"], road["walk"] = 0, 10000, 32000, 10000, 3000, 2000
    grass["x"], grass["y"], grass["uy"], grass["hx"], grass["hy"] = 16000, 24000, DIRECTION_SCALE, 16000, 6000
    grass["ground"] = Ground.GRASS
    scene = Scene.make(solid(SolidShape.BOX), [0, 0], road, grass)
    picture = ground_picture(scene, 0.0, 32.0, 32.0, 64).astype(int)
    assert picture.shape == (64, 64, 3)
    park, asphalt = picture[16, 32], picture[41, 20]  # 24 m and 11 m north
    assert park[1] > park[0] + 20 and park[1] > park[2] + 20
    assert np.ptp(asphalt) < 12 and asphalt.max() < 90


def test_pictures_are_the_same_every_time() -> None:
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, (64, 64, 3), np.uint8)
    assert encode_jpeg(noise) == encode_jpeg(noise) and encode_jpeg(noise)[:3] == b"\xff\xd8\xff"
