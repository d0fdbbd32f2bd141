"""Depth, instances, classes and parts as pictures for people, and files to keep them in.

Colours are chosen in Oklab, where equal steps look equal: near things are light and far ones dark; numbers that follow
each other get hues far apart, always the same for the same number.
"""

from __future__ import annotations

import os
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from bearleft.errors import InputError, unknown
from bearleft.runtime.store import atomic_write
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.codes import Ground
from bearleft.world.render.cpu import Pictures

Bytes = npt.NDArray[np.uint8]
WHAT = ("rgb", "depth", "instances", "classes", "parts")
NEAR, FAR = 2.0, 300.0  # metres between which depth changes its colour
GOLDEN = 0.6180339887498949  # steps of this share of a circle never come back
SKY, GROUND = (22, 24, 34), (120, 120, 116)
CHOSEN = {
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
SHADES = 1 << 16  # instances before colours come again


def class_name(number: int) -> str:
    """The name of a class as pictures number them."""
    if not 0 <= number < CLASS_BASE + len(CLASSES):
        raise InputError(f"a class from 0 to {CLASS_BASE + len(CLASSES) - 1}", str(number))
    return Ground(number).name.lower() if number < CLASS_BASE else CLASSES[number - CLASS_BASE].name


def part_name(kind: int, part: int) -> str:
    """The name of a part of a thing of a class, "" for none."""
    if kind < CLASS_BASE:
        return ""
    parts = CLASSES[kind - CLASS_BASE].parts
    return parts[part & 0xFF] if part & 0xFF < len(parts) else ""


def coloured(pictures: Pictures, what: str = "rgb") -> Bytes:
    """One channel of pictures as colours (n, height, width, 3): one of WHAT."""
    if what not in WHAT:
        raise unknown("channel", what, WHAT)
    if what == "rgb":
        return pictures.rgb
    if what == "depth":
        return depth_colours(pictures.depth)
    if what == "instances":
        return instance_colours(pictures.instance)
    if what == "classes":
        return class_colours(pictures.kind)
    return part_colours(pictures.instance, pictures.part)


def depth_colours(depth: npt.NDArray[np.float32]) -> Bytes:
    """Light near, over green and blue to dark violet far away, equal steps for equal ratios; the sky is black."""
    with np.errstate(divide="ignore"):
        share = np.log(np.maximum(depth, 1e-3) / NEAR) / np.log(FAR / NEAR)
    step = np.where(np.isfinite(depth), np.clip(share, 0, 1) * 255, 256).astype(int)
    return np.asarray(_ramp()[step], np.uint8)


def instance_colours(instance: npt.NDArray[np.int32]) -> Bytes:
    """A colour for every number, the sky dark, the ground grey."""
    out: Bytes = _shades()[np.maximum(instance, 0) % SHADES]
    out[instance == 0] = GROUND
    out[instance < 0] = SKY
    return out


def class_colours(kind: npt.NDArray[np.uint8]) -> Bytes:
    """A colour for every class."""
    return _classes()[kind]


def part_colours(instance: npt.NDArray[np.int32], part: npt.NDArray[np.int32]) -> Bytes:
    """A colour for every part and window; a thing's nameless rest is grey, the sky dark."""
    number = (part & 0xFF) + 29 * (part >> 8 & 0xFF) + 71 * (part >> 16 & 0xFF)
    out: Bytes = _shades()[(number + 1) % SHADES]
    out[part == 0] = (196, 196, 192)
    out[instance == 0] = GROUND
    out[instance < 0] = SKY
    return out


def with_legend(picture: Bytes, kinds: npt.ArrayLike) -> Bytes:
    """A picture of classes (height, width, 3) with the names of some of them in rows below it."""
    numbers = [int(k) for k in np.unique(np.asarray(kinds, np.uint8))]
    font = ImageFont.load_default(13)
    width = picture.shape[1]
    across = max(width // 150, 1)
    sheet = Image.new("RGB", (width, 20 * -(-len(numbers) // across) + 6), "white")
    draw = ImageDraw.Draw(sheet)
    for k, number in enumerate(numbers):
        x, y = k % across * (width // across) + 5, k // across * 20 + 5
        draw.rectangle((x, y, x + 22, y + 13), tuple(int(c) for c in _classes()[number]), (90, 90, 90))
        draw.text((x + 28, y - 1), class_name(number), (30, 30, 30), font)
    return np.concatenate([picture, np.asarray(sheet, np.uint8)])


def save_png(picture: npt.ArrayLike | Image.Image, path: str | os.PathLike[str]) -> None:
    """Writes a picture (height, width, 3 bytes) as a PNG file, whole or not at all."""
    image = picture if isinstance(picture, Image.Image) else Image.fromarray(_bytes(picture))
    with atomic_write(path, "wb") as stream:
        image.save(stream, "PNG")


def _bytes(picture: npt.ArrayLike) -> Bytes:
    array = np.asarray(picture)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
        raise InputError("a picture of height x width x 3 bytes", f"{array.dtype} of shape {array.shape}")
    return np.ascontiguousarray(array)


def _oklch(lightness: npt.ArrayLike, chroma: npt.ArrayLike, hue: npt.ArrayLike) -> Bytes:
    """Bytes of sRGB for lightness (0 to 1), chroma and hue (share of a circle) in Oklab."""
    angle = 2 * np.pi * np.asarray(hue, float)
    given = np.broadcast_arrays(lightness, chroma * np.cos(angle), chroma * np.sin(angle))
    lab = np.stack([np.asarray(x, float) for x in given], axis=-1)
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
def _ramp() -> Bytes:
    far = np.linspace(0, 1, 256)
    colours = _oklch(0.95 - 0.75 * far, 0.11, 0.28 + 0.55 * far)
    return np.concatenate([colours, [[0, 0, 0]]]).astype(np.uint8)


@lru_cache(maxsize=1)
def _shades() -> Bytes:
    number = np.arange(SHADES)
    lightness = np.array([0.72, 0.52, 0.84, 0.62])[number % 4]
    chroma = np.array([0.13, 0.09])[number // 4 % 2]
    return _oklch(lightness, chroma, number * GOLDEN)


@lru_cache(maxsize=1)
def _classes() -> Bytes:
    table = _shades()[CLASS_BASE * 7 : CLASS_BASE * 7 + 256].copy()
    for ground, colour in CHOSEN.items():
        table[ground] = colour
    return table
