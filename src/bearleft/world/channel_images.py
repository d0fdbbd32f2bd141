"""Colour images of depth, instances, classes and parts, and PNG files.

Colours are chosen in Oklab, in which equal steps look equal. Near surfaces are light and far ones dark; consecutive ids
get distant hues, and the same id always gets the same colour.
"""

from __future__ import annotations

import os
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from bearleft.errors import InputError, unknown_name
from bearleft.runtime.store import atomic_write
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.codes import Ground
from bearleft.world.render.cpu import Pictures

Bytes = npt.NDArray[np.uint8]
CHANNELS = ("rgb", "depth", "instances", "classes", "parts")
MIN_DEPTH, MAX_DEPTH = 2.0, 300.0  # metres; depth outside this range is clipped
GOLDEN_RATIO = 0.6180339887498949  # hues in steps of this share of a circle never repeat
SKY_COLOUR, GROUND_COLOUR = (22, 24, 34), (120, 120, 116)
CLASS_COLOURS = {
    Ground.SKY: (176, 206, 232),
    Ground.ROAD: (84, 84, 90),
    Ground.SIDEWALK: (168, 166, 160),
    Ground.KERB: (126, 124, 122),
    Ground.CROSSWALK: (242, 242, 240),
    Ground.MARKING: (232, 196, 60),
    Ground.GRASS: (104, 152, 74),
    Ground.PLAZA: (204, 188, 164),
    Ground.YARD: (140, 132, 116),
    Ground.WINDOW: (70, 104, 140),
}
COLOUR_COUNT = 1 << 16  # instances before colours repeat


def class_name(index: int) -> str:
    """Return the name of a class by its index in rendered pictures; raise InputError outside the range."""
    if not 0 <= index < CLASS_BASE + len(CLASSES):
        raise InputError(f"a class from 0 to {CLASS_BASE + len(CLASSES) - 1}", str(index))
    return Ground(index).name.lower() if index < CLASS_BASE else CLASSES[index - CLASS_BASE].name


def part_name(kind: int, part: int) -> str:
    """Return the name of a part of an object of class `kind`, "" if it has none."""
    if kind < CLASS_BASE:
        return ""
    parts = CLASSES[kind - CLASS_BASE].parts
    return parts[part & 0xFF] if part & 0xFF < len(parts) else ""


def channel_image(pictures: Pictures, channel: str = "rgb") -> Bytes:
    """Return one channel of pictures as colours (n, height, width, 3).

    Args:
        pictures: Rendered pictures.
        channel: One of CHANNELS.

    Raises:
        InputError: The channel is unknown.
    """
    if channel not in CHANNELS:
        raise unknown_name("channel", channel, CHANNELS)
    if channel == "rgb":
        return pictures.rgb
    if channel == "depth":
        return depth_colours(pictures.depth)
    if channel == "instances":
        return instance_colours(pictures.instance)
    if channel == "classes":
        return class_colours(pictures.kind)
    return part_colours(pictures.instance, pictures.part)


def depth_colours(depth: npt.NDArray[np.float32]) -> Bytes:
    """Return depth as colours: light near, over green and blue to dark violet far away; the sky is black.

    Equal ratios of depth are equal steps of colour.
    """
    with np.errstate(divide="ignore"):
        share = np.log(np.maximum(depth, 1e-3) / MIN_DEPTH) / np.log(MAX_DEPTH / MIN_DEPTH)
    step = np.where(np.isfinite(depth), np.clip(share, 0, 1) * 255, 256).astype(int)
    return np.asarray(_depth_table()[step], np.uint8)


def instance_colours(instance: npt.NDArray[np.int32]) -> Bytes:
    """Return a colour for every instance; the sky is dark, the ground grey."""
    out: Bytes = _instance_table()[np.maximum(instance, 0) % COLOUR_COUNT]
    out[instance == 0] = GROUND_COLOUR
    out[instance < 0] = SKY_COLOUR
    return out


def class_colours(kind: npt.NDArray[np.uint8]) -> Bytes:
    """Return a colour for every class."""
    return _class_table()[kind]


def part_colours(instance: npt.NDArray[np.int32], part: npt.NDArray[np.int32]) -> Bytes:
    """Return a colour for every part and window; unnamed parts are grey, the sky is dark."""
    ids = (part & 0xFF) + 29 * (part >> 8 & 0xFF) + 71 * (part >> 16 & 0xFF)
    out: Bytes = _instance_table()[(ids + 1) % COLOUR_COUNT]
    out[part == 0] = (196, 196, 192)
    out[instance == 0] = GROUND_COLOUR
    out[instance < 0] = SKY_COLOUR
    return out


def add_legend(picture: Bytes, kinds: npt.ArrayLike) -> Bytes:
    """Return a class image (height, width, 3) with a legend of classes below it.

    Args:
        picture: The image of `class_colours`.
        kinds: Classes to name, as indices; repeated ones are named once.
    """
    indices = [int(k) for k in np.unique(np.asarray(kinds, np.uint8))]
    font = ImageFont.load_default(13)
    width = picture.shape[1]
    columns = max(width // 150, 1)
    sheet = Image.new("RGB", (width, 20 * -(-len(indices) // columns) + 6), "white")
    draw = ImageDraw.Draw(sheet)
    for k, index in enumerate(indices):
        x, y = k % columns * (width // columns) + 5, k // columns * 20 + 5
        draw.rectangle((x, y, x + 22, y + 13), tuple(int(c) for c in _class_table()[index]), (90, 90, 90))
        draw.text((x + 28, y - 1), class_name(index), (30, 30, 30), font)
    return np.concatenate([picture, np.asarray(sheet, np.uint8)])


def save_png(picture: npt.ArrayLike | Image.Image, path: str | os.PathLike[str]) -> None:
    """Write a picture (height, width, 3 bytes) as a PNG file, atomically."""
    image = picture if isinstance(picture, Image.Image) else Image.fromarray(_check_image(picture))
    with atomic_write(path, "wb") as stream:
        image.save(stream, "PNG")


def _check_image(picture: npt.ArrayLike) -> Bytes:
    array = np.asarray(picture)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
        raise InputError("a picture of height x width x 3 bytes", f"{array.dtype} of shape {array.shape}")
    return np.ascontiguousarray(array)


def _oklch(lightness: npt.ArrayLike, chroma: npt.ArrayLike, hue: npt.ArrayLike) -> Bytes:
    """Return sRGB bytes for lightness (0 to 1), chroma and hue (share of a circle) in Oklab."""
    angle = 2 * np.pi * np.asarray(hue, float)
    channels = np.broadcast_arrays(lightness, chroma * np.cos(angle), chroma * np.sin(angle))
    lab = np.stack([np.asarray(x, float) for x in channels], axis=-1)
    to_cone = np.array(
        [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.2914855480]]
    )
    to_rgb = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.7076147010],
        ]
    )
    linear = np.clip((lab @ to_cone.T) ** 3 @ to_rgb.T, 0, 1)
    curve = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.asarray(np.round(curve * 255), np.uint8)


@lru_cache(maxsize=1)
def _depth_table() -> Bytes:
    share = np.linspace(0, 1, 256)
    colours = _oklch(0.95 - 0.75 * share, 0.11, 0.28 + 0.55 * share)
    return np.concatenate([colours, [[0, 0, 0]]]).astype(np.uint8)


@lru_cache(maxsize=1)
def _instance_table() -> Bytes:
    ids = np.arange(COLOUR_COUNT)
    lightness = np.array([0.72, 0.52, 0.84, 0.62])[ids % 4]
    chroma = np.array([0.13, 0.09])[ids // 4 % 2]
    return _oklch(lightness, chroma, ids * GOLDEN_RATIO)


@lru_cache(maxsize=1)
def _class_table() -> Bytes:
    table = _instance_table()[CLASS_BASE * 7 : CLASS_BASE * 7 + 256].copy()
    for ground, colour in CLASS_COLOURS.items():
        table[ground] = colour
    return table
