"""Texture atlas of a tile: a block for each plain colour, a patch for each face with a pattern."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PIL import Image

from bearleft.runtime.compiled import parallel_map
from bearleft.world.render.codes import Material
from bearleft.world.render.scene import Scene
from bearleft.world.tiles.bake import MANTLE, MANTLE_REACH, MARGIN, paint_ground, paint_patches, sample_faces
from bearleft.world.tiles.surface import Surface

if TYPE_CHECKING:
    from bearleft.types import Floats


Integers = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

BLOCK = 8  # texels of a plain colour's block: one JPEG block
QUALITY = 88
MIN_PATCH, MAX_PATCH = 3, 512  # texels per side of a patch
SMALL_FACE = 10.0  # square metres; smaller faces keep their resolution longest
MIN_CONTRAST = 1 / 512  # a fainter pattern counts as plain
DENSITY = {Material.FACADE: 10.0, Material.BRICK: 8.0, Material.STONE: 8.0, Material.FOLIAGE: 11.0}
DEFAULT_DENSITY = 16.0  # texels per metre
ROOF_DENSITY, ROOF_HEIGHT = 4.0, 3.0  # texels per metre of level faces; metres above the ground from which it applies
PER_PERIOD = 4.0  # texels of a stripe, a board, a slat
PER_DOT = 2.5  # texels of a dot of a letter
PERIODIC = (Material.STRIPES, Material.BANDS, Material.DIAGONAL, Material.CHECKS, Material.WOOD, Material.SHUTTER)


@dataclass(frozen=True)
class Atlas:
    """The picture, and the texture coordinates of a surface's corners, from its upper left corner, as shares.

    `shine` is a second picture of emitted light, None where there is none.
    """

    picture: Bytes
    shine: Bytes | None
    uv: Floats


def to_srgb(light: npt.ArrayLike) -> Bytes:
    """Convert linear light from 0 to 1 to sRGB bytes, as glTF requires."""
    x = np.clip(np.asarray(light, np.float64), 0.0, 1.0)
    encoded = np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)
    return np.asarray(np.rint(encoded * 255), np.uint8)


def encode_jpeg(picture: Bytes) -> bytes:
    """Encode a picture as JPEG without chroma subsampling."""
    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, "JPEG", quality=QUALITY, subsampling=0, optimize=True)
    return stream.getvalue()


def ground_picture(scene: Scene, west: float, north: float, side: float, texels: int) -> Bytes:
    """Return the ground of a square from above, north up."""
    light = np.empty((texels, texels, 3), np.float32)
    texel = side / texels
    step = 64

    def band(row: int) -> None:
        paint_ground(
            scene.arrays, np.float32(west), np.float32(north - row * texel), np.float32(texel), light[row : row + step]
        )

    parallel_map(band, range(0, texels, step))
    return to_srgb(light)


def make_atlas(scene: Scene, mesh_surface: Surface, texels: int, sharpness: float = 1.0) -> Atlas:
    """Return the paint of a surface on at most `texels` x `texels`, reducing the resolution until it fits.

    Args:
        scene: The scene of the surface.
        mesh_surface: The surface.
        texels: Texels per side, at most.
        sharpness: Texels per metre, as a multiple of what suits things in streets.
    """
    faces, which = np.unique(mesh_surface.solid * 16 + mesh_surface.face, return_inverse=True)
    solid, face = (faces // 16).astype(np.int32), (faces % 16).astype(np.int32)
    size = _face_sizes(scene, solid, face)
    density, letters = _densities(scene, solid, face, size)
    density *= sharpness
    colour, varies = np.empty((len(faces), 4), np.float32), np.empty(len(faces), np.float32)
    sample_faces(scene.arrays, solid, face, (1 / density).astype(np.float32), colour, varies)
    is_patterned = (varies > MIN_CONTRAST) | letters
    patterned, plain = np.flatnonzero(is_patterned), np.flatnonzero(~is_patterned)
    colours, colour_index = np.unique(np.round(colour[plain], 4), axis=0, return_inverse=True)
    across = texels // BLOCK
    block_rows = -(-len(colours) // across) * BLOCK
    place, height = _pack_patches(size[patterned], density[patterned], texels, block_rows)
    light = np.zeros((height, texels, 4), np.float32)
    footprint = (size[patterned] / place[:, 2:]).max(axis=1, initial=0).astype(np.float32)
    paint_patches(scene.arrays, solid[patterned], face[patterned], place, footprint, light)
    column, row = np.arange(len(colours)) % across * BLOCK, np.arange(len(colours)) // across * BLOCK
    for x, y, colour_of_block in zip(column, row, colours, strict=True):
        light[y : y + BLOCK, x : x + BLOCK] = colour_of_block
    boxes = np.zeros((len(faces), 4))
    boxes[patterned] = place
    boxes[plain, :2] = np.column_stack([column, row])[colour_index.ravel()] + BLOCK / 2
    reach = np.where(mesh_surface.face == MANTLE, MANTLE_REACH, 1.0)
    share = np.column_stack([mesh_surface.at[:, 0] / reach, mesh_surface.at[:, 1]]).clip(-1, 1) * 0.5 + 0.5
    corner = boxes[which.ravel()]
    shine = to_srgb(light[:, :, :3] * light[:, :, 3:]) if light[:, :, 3].any() else None
    return Atlas(to_srgb(light[:, :, :3]), shine, (corner[:, :2] + share * corner[:, 2:]) / (texels, height))


def _face_sizes(scene: Scene, solid: npt.NDArray[np.int32], face: npt.NDArray[np.int32]) -> Floats:
    """Return width and height of the patches of faces."""
    half = scene.solids["size"][solid].astype(np.float64)
    across = np.where(face < 2, half[:, 1], half[:, 0])
    across = np.where(face >= MANTLE, np.pi * MANTLE_REACH * half[:, 0], across)
    up = np.where((face == 4) | (face == 5), half[:, 1], half[:, 2])
    return 2 * np.column_stack([across, up])


def _densities(
    scene: Scene, solid: npt.NDArray[np.int32], face: npt.NDArray[np.int32], size: Floats
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the texels per metre that show a face's pattern well, and which faces hold letters."""
    rows = scene.solids[solid]
    density_of_face = np.full(len(solid), DEFAULT_DENSITY)
    for material, density in DENSITY.items():
        density_of_face[rows["material"] == material] = density
    period = np.maximum(np.where(rows["pattern"][:, 0] > 0, rows["pattern"][:, 0], 0.15), 0.02)
    striped = np.isin(rows["material"], PERIODIC)
    density_of_face[striped] = np.maximum(density_of_face, PER_PERIOD / period)[striped]
    roofs = ((face == 4) | (face == 5)) & (rows["centre"][:, 2] > ROOF_HEIGHT)
    density_of_face[roofs] = np.minimum(density_of_face, ROOF_DENSITY)[roofs]
    written = (rows["material"] == Material.TEXT) & (rows["text"] >= 0) & ((face == 2) | (face == 3))
    count = scene.arrays.text[np.maximum(rows["text"], 0), 0] if len(scene.arrays.text) else np.zeros(len(rows))
    fill = np.where(rows["pattern"][:, 0] > 0, rows["pattern"][:, 0], 0.7)
    dot = np.minimum(size[:, 1] * fill / 7, size[:, 0] * 0.94 / np.maximum(6.0 * count - 1, 1))
    density_of_face[written] = (PER_DOT / np.maximum(dot, 1e-3))[written]
    return density_of_face, written


def _pack_patches(size: Floats, density: Floats, texels: int, top: int) -> tuple[npt.NDArray[np.int32], int]:
    """Return column, row, width and height of each patch, and the picture's height; small faces shrink last."""
    scale, small = 1.0, size.prod(axis=1) < SMALL_FACE
    while True:
        texels_per_metre = np.where(small, scale**0.25, scale) * density
        patch_size = np.rint(size * texels_per_metre[:, None])
        patch_size = np.clip(patch_size, MIN_PATCH, min(MAX_PATCH, texels - 2 * MARGIN)).astype(np.int64)
        place, height = _pack_shelves(patch_size + 2 * MARGIN, texels, top)
        if height <= texels or scale < 1e-3:
            return np.column_stack([place + MARGIN, patch_size]).astype(np.int32), max(
                -(-height // BLOCK) * BLOCK, BLOCK
            )
        scale *= 0.92


def _pack_shelves(size: Integers, width: int, top: int) -> tuple[Integers, int]:
    """Pack rectangles on shelves, the highest first: column and row of each, and the end of the last shelf."""
    place = np.zeros((len(size), 2), np.int64)
    x, y, shelf = 0, top, 0
    for k in np.lexsort((np.arange(len(size)), -size[:, 0], -size[:, 1])):
        patch_width, patch_height = size[k]
        if x + patch_width > width:
            x, y, shelf = 0, y + shelf, 0
        place[k] = x, y
        x, shelf = x + patch_width, max(shelf, patch_height)
    return place, int(y + shelf)
