"""One picture for all faces of a tile: a block for each plain colour, a patch for each face with a pattern."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PIL import Image

from bearleft.runtime.compiled import spread
from bearleft.world.render.codes import Material
from bearleft.world.render.scene import Scene
from bearleft.world.tiles.bake import MANTLE, MARGIN, ROUND, patches, terrain, tried
from bearleft.world.tiles.surface import Surface

if TYPE_CHECKING:
    from bearleft.types import Floats


Integers = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

BLOCK = 8  # texels of a plain colour's block: one block of JPEG
QUALITY = 88
SMALLEST, LARGEST = 3, 512  # texels of a patch's side
SMALL = 10.0  # square metres of a face that keeps its texels longest
FAINT = 1 / 512  # a pattern fainter than this is none
PER_METRE = {Material.FACADE: 10.0, Material.BRICK: 8.0, Material.STONE: 8.0, Material.FOLIAGE: 11.0}
OTHERS = 16.0  # texels per metre
ROOFS, OVERHEAD = 4.0, 3.0  # at most, of what is level and so many metres above the ground
PER_PERIOD = 4.0  # texels of a stripe, a board, a slat
PER_DOT = 2.5  # texels of a dot of a letter
PERIODIC = (Material.STRIPES, Material.BANDS, Material.DIAGONAL, Material.CHECKS, Material.WOOD, Material.SHUTTER)


@dataclass(frozen=True)
class Atlas:
    """The picture, and where in it the corners of a surface lie, from its upper left corner, as shares.

    `shine` is a second picture of what shines by itself, None where nothing does.
    """

    picture: Bytes
    shine: Bytes | None
    uv: Floats


def srgb(light: npt.ArrayLike) -> Bytes:
    """Light from 0 to 1 as glTF's pictures state it: what a reader turns back is the light of our kernels."""
    x = np.clip(np.asarray(light, np.float64), 0.0, 1.0)
    bent = np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)
    return np.asarray(np.rint(bent * 255), np.uint8)


def jpeg(picture: Bytes) -> bytes:
    """A picture as a JPEG file, colours as fine as brightness."""
    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, "JPEG", quality=QUALITY, subsampling=0, optimize=True)
    return stream.getvalue()


def ground_picture(scene: Scene, west: float, north: float, side: float, texels: int) -> Bytes:
    """The ground of a square from above, north up."""
    light = np.empty((texels, texels, 3), np.float32)
    texel = side / texels
    step = 64

    def band(row: int) -> None:
        terrain(
            scene.arrays, np.float32(west), np.float32(north - row * texel), np.float32(texel), light[row : row + step]
        )

    spread(band, range(0, texels, step))
    return srgb(light)


def atlas(scene: Scene, made: Surface, texels: int) -> Atlas:
    """The paint of a surface on at most `texels` x `texels`; finer patterns are made coarser until they fit."""
    faces, which = np.unique(made.solid * 16 + made.face, return_inverse=True)
    solid, face = (faces // 16).astype(np.int32), (faces % 16).astype(np.int32)
    size = _metres(scene, solid, face)
    density, letters = _densities(scene, solid, face, size)
    colour, varies = np.empty((len(faces), 4), np.float32), np.empty(len(faces), np.float32)
    tried(scene.arrays, solid, face, (1 / density).astype(np.float32), colour, varies)
    many = (varies > FAINT) | letters
    patterned, plain = np.flatnonzero(many), np.flatnonzero(~many)
    different, block = np.unique(np.round(colour[plain], 4), axis=0, return_inverse=True)
    across = texels // BLOCK
    used = -(-len(different) // across) * BLOCK
    place, height = _packed(size[patterned], density[patterned], texels, used)
    light = np.zeros((height, texels, 4), np.float32)
    foot = (size[patterned] / place[:, 2:]).max(axis=1, initial=0).astype(np.float32)
    patches(scene.arrays, solid[patterned], face[patterned], place, foot, light)
    column, row = np.arange(len(different)) % across * BLOCK, np.arange(len(different)) // across * BLOCK
    for x, y, one in zip(column, row, different, strict=True):
        light[y : y + BLOCK, x : x + BLOCK] = one
    where = np.zeros((len(faces), 4))
    where[patterned] = place
    where[plain, :2] = np.column_stack([column, row])[block.ravel()] + BLOCK / 2
    reach = np.where(made.face == MANTLE, ROUND, 1.0)
    share = np.column_stack([made.at[:, 0] / reach, made.at[:, 1]]).clip(-1, 1) * 0.5 + 0.5
    corner = where[which.ravel()]
    shine = srgb(light[:, :, :3] * light[:, :, 3:]) if light[:, :, 3].any() else None
    return Atlas(srgb(light[:, :, :3]), shine, (corner[:, :2] + share * corner[:, 2:]) / (texels, height))


def _metres(scene: Scene, solid: npt.NDArray[np.int32], face: npt.NDArray[np.int32]) -> Floats:
    """Width and height of the patches of faces."""
    half = scene.solids["size"][solid].astype(np.float64)
    across = np.where(face < 2, half[:, 1], half[:, 0])
    across = np.where(face >= MANTLE, np.pi * ROUND * half[:, 0], across)
    up = np.where((face == 4) | (face == 5), half[:, 1], half[:, 2])
    return 2 * np.column_stack([across, up])


def _densities(
    scene: Scene, solid: npt.NDArray[np.int32], face: npt.NDArray[np.int32], size: Floats
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Texels per metre that show a face's pattern well, and which faces hold letters."""
    rows = scene.solids[solid]
    expected = np.full(len(solid), OTHERS)
    for material, density in PER_METRE.items():
        expected[rows["material"] == material] = density
    period = np.maximum(np.where(rows["pattern"][:, 0] > 0, rows["pattern"][:, 0], 0.15), 0.02)
    striped = np.isin(rows["material"], PERIODIC)
    expected[striped] = np.maximum(expected, PER_PERIOD / period)[striped]
    roofs = ((face == 4) | (face == 5)) & (rows["centre"][:, 2] > OVERHEAD)
    expected[roofs] = np.minimum(expected, ROOFS)[roofs]
    written = (rows["material"] == Material.TEXT) & (rows["text"] >= 0) & ((face == 2) | (face == 3))
    count = scene.arrays.text[np.maximum(rows["text"], 0), 0] if len(scene.arrays.text) else np.zeros(len(rows))
    fill = np.where(rows["pattern"][:, 0] > 0, rows["pattern"][:, 0], 0.7)
    dot = np.minimum(size[:, 1] * fill / 7, size[:, 0] * 0.94 / np.maximum(6.0 * count - 1, 1))
    expected[written] = (PER_DOT / np.maximum(dot, 1e-3))[written]
    return expected, written


def _packed(size: Floats, density: Floats, texels: int, top: int) -> tuple[npt.NDArray[np.int32], int]:
    """Column, row, width and height of each patch, and the picture's height; small faces are made coarser last."""
    scale, small = 1.0, size.prod(axis=1) < SMALL
    while True:
        fine = np.where(small, scale**0.25, scale) * density
        expected = np.rint(size * fine[:, None])
        expected = np.clip(expected, SMALLEST, min(LARGEST, texels - 2 * MARGIN)).astype(np.int64)
        place, height = _shelves(expected + 2 * MARGIN, texels, top)
        if height <= texels or scale < 1e-3:
            return np.column_stack([place + MARGIN, expected]).astype(np.int32), max(-(-height // BLOCK) * BLOCK, BLOCK)
        scale *= 0.92


def _shelves(size: Integers, width: int, top: int) -> tuple[Integers, int]:
    """Rectangles side by side on shelves, the highest first: column and row of each, and where the last shelf ends."""
    place = np.zeros((len(size), 2), np.int64)
    x, y, shelf = 0, top, 0
    for k in np.lexsort((np.arange(len(size)), -size[:, 0], -size[:, 1])):
        wide, high = size[k]
        if x + wide > width:
            x, y, shelf = 0, y + shelf, 0
        place[k] = x, y
        x, shelf = x + wide, max(shelf, high)
    return place, int(y + shelf)
