"""Files of panoramas: encoding of each channel, and errors for unreadable pictures."""

from __future__ import annotations

import io
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import ExifTags, Image, ImageOps, PngImagePlugin

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import is_integer
from bearleft.runtime.store import existing_file
from bearleft.world.album.layout import RGB
from bearleft.world.render.cpu import Pictures

Array = npt.NDArray[Any]
SKY = 0xFFFFFF
MAX_DEPTH = 0xFFFF  # centimetres
SUFFIXES = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp", "TIFF": "tif", "BMP": "bmp"}
READABLE_SUFFIXES = frozenset((".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp"))
# Errors that Pillow raises for invalid or damaged files.
PILLOW_ERRORS = (OSError, SyntaxError, ValueError, EOFError, IndexError, TypeError, struct.error, zlib.error, Warning)
MAX_SIZE = (30_000, 15_000)  # pixels: OpenCV's limit for remapping
ASPECT_TOLERANCE = 2  # pixels by which the width may differ from twice the height


@dataclass(frozen=True, eq=False)
class PictureFile:
    """A picture as bytes (height, width, 3), its format by content, and the conversions it needed."""

    rgb: npt.NDArray[np.uint8]
    suffix: str
    notes: tuple[str, ...] = ()


def encode_channel(pictures: Pictures, k: int, channel: str, picture: str = "jpg", quality: int | None = 92) -> bytes:
    """Encode a channel of one picture: colours as JPEG or PNG, all others as lossless PNG."""
    if channel == RGB:
        return encode_colours(pictures.rgb[k], picture, quality)
    if channel == "depth":
        metres = pictures.depth[k]
        with np.errstate(invalid="ignore"):
            centimetres = np.clip(np.rint(np.where(np.isfinite(metres), metres, 0.0) * 100.0), 1, MAX_DEPTH)
        return _png(Image.fromarray(np.where(np.isfinite(metres), centimetres, 0).astype(np.uint16)))
    if channel == "classes":
        return _png(Image.fromarray(np.ascontiguousarray(pictures.kind[k])))
    numbers = pictures.instance[k] if channel == "instances" else pictures.part[k]
    return _png(Image.fromarray(_to_24_bits(np.where(numbers < 0, SKY, numbers))))


def encode_colours(rgb: npt.NDArray[np.uint8], picture: str = "jpg", quality: int | None = 92) -> bytes:
    """Encode colours as JPEG or PNG."""
    image = Image.fromarray(np.ascontiguousarray(rgb))
    if picture == "png":
        return _png(image)
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=quality)
    return stream.getvalue()


def _png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG", compress_level=4)
    return stream.getvalue()


def _to_24_bits(numbers: Array) -> npt.NDArray[np.uint8]:
    return np.stack([numbers >> 16 & 0xFF, numbers >> 8 & 0xFF, numbers & 0xFF], axis=-1).astype(np.uint8)


def read_channel(path: Path, channel: str) -> Array:
    """Read a channel as the renderer gives it: bytes of colour, metres (infinite for sky), numbers (-1 for sky)."""
    if channel == RGB:
        return read_picture(path).rgb
    modes = {"depth": ("I;16", "I"), "classes": ("L",)}.get(channel, ("RGB",))
    image = _open_picture(path)
    if image.mode not in modes:
        raise InputError(f"{channel} as a picture of mode {modes[0]}", f"mode {image.mode}", file=str(path))
    pixels = np.asarray(_load(image, path))
    if channel == "classes":
        return pixels.copy()
    if channel == "depth":
        metres = pixels.astype(np.float32) / np.float32(100)
        return np.where(metres > 0, metres, np.float32(np.inf))
    pixels_32 = pixels.astype(np.int32)
    numbers = pixels_32[..., 0] << 16 | pixels_32[..., 1] << 8 | pixels_32[..., 2]
    return np.where(numbers == SKY, np.int32(-1), numbers)


def read_picture(path: str | os.PathLike[str], panorama: bool = True) -> PictureFile:
    """Read a picture's colours, rotated as its EXIF says; with `panorama` it must be twice as wide as high.

    Grey, CMYK, palettes and 16-bit colours are converted, and noted. InputError is raised for files that are empty,
    truncated, no pictures, partly transparent, or 16-bit grey (as depth is, and photographs are not).
    """
    path = Path(path)
    image = _open_picture(path)
    notes = []
    image_format = (
        "JPEG" if image.format == "MPO" else image.format or ""
    )  # several JPEGs in one file, of which the first is read
    suffix = SUFFIXES[image_format]
    named_suffix = {"jpeg": "jpg", "tiff": "tif"}.get(path.suffix.lower()[1:], path.suffix.lower()[1:])
    if named_suffix != suffix:
        notes.append(f"is a {image_format} by content")
    if isinstance(image, PngImagePlugin.PngImageFile) and image.mode in ("RGB", "RGBA") and _png_bit_depth(path) == 16:
        notes.append("16 bits a colour: the upper 8 are kept")
    shape = image.size
    orientation = _orientation(image)
    size_upright = shape[::-1] if orientation > 4 else shape
    if panorama:
        check_size(size_upright, path)
    _load(image, path)
    if orientation > 1:
        notes.append("turned as its EXIF says")
        image = ImageOps.exif_transpose(image)
    if image.mode != RGB.upper():
        image, note = _to_rgb(image, path)
        notes.append(note)
    return PictureFile(np.array(image, np.uint8), suffix, tuple(notes))


def check_size(size: tuple[int, int], path: Path) -> None:
    """Raise InputError unless a picture is a whole panorama."""
    width, height = size
    if abs(width - 2 * height) > ASPECT_TOLERANCE:
        expected = "a panorama of the whole sphere, twice as wide as high"
        raise InputError(expected, f"{width} x {height} pixels", file=str(path))


def _open_picture(path: Path) -> Image.Image:
    existing_file(path, "a picture")
    if not path.stat().st_size:
        raise InputError("a picture", "an empty file", file=str(path))
    try:
        image = _by_content(path.read_bytes())
    except (*PILLOW_ERRORS, Image.DecompressionBombError) as error:
        raise InputError("a picture", format_value(str(error)), file=str(path)) from None
    if image is None:
        got = "something that is no JPEG, PNG, WebP, TIFF or BMP"
        raise InputError("a picture", got, file=str(path))
    if image.width * image.height > MAX_SIZE[0] * MAX_SIZE[1]:
        expected = f"a picture of at most {MAX_SIZE[0]} x {MAX_SIZE[1]} pixels"
        raise InputError(expected, f"{image.width} x {image.height}", file=str(path))
    return image


def _by_content(content: bytes) -> Image.Image | None:
    """Open a picture by its content; unlike Image.open, without its limit on pixels."""
    Image.init()
    for image_format in SUFFIXES:
        make, accepts = Image.OPEN[image_format]
        if accepts is None or accepts(content[:16]) is True:
            try:
                return make(io.BytesIO(content), "")
            except (SyntaxError, IndexError, TypeError, struct.error):
                continue
    return None


def is_complete(path: Path) -> bool:
    """Return whether a JPEG or PNG written by bearleft has its begin and end; the rest is not read."""
    begins, ends = (b"\xff\xd8", b"\xff\xd9") if path.suffix == ".jpg" else (b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82")
    try:
        with open(path, "rb") as stream:
            first = stream.read(len(begins))
            stream.seek(-min(len(ends), path.stat().st_size), os.SEEK_END)
            return first == begins and stream.read() == ends
    except OSError:
        return False


def check_quality(quality: int) -> None:
    """Raise InputError for an invalid JPEG quality."""
    if not is_integer(quality) or not 1 <= quality <= 100:
        raise InputError("a quality from 1 to 100", format_value(quality), "quality")


def _load(image: Image.Image, path: Path) -> Image.Image:
    try:
        image.load()
    except PILLOW_ERRORS as error:
        got = f"one that is cut short or damaged: {format_value(str(error))}"
        raise InputError("a whole picture", got, file=str(path)) from None
    return image


def _orientation(image: Image.Image) -> int:
    """Return the EXIF orientation, 1 to 8; 1 where none can be read."""
    try:
        orientation = image.getexif().get(ExifTags.Base.Orientation, 1)
    except PILLOW_ERRORS:
        return 1
    return orientation if isinstance(orientation, int) and 1 <= orientation <= 8 else 1


def _png_bit_depth(path: Path) -> int:
    """Return bits per colour of a PNG file, from its header."""
    with open(path, "rb") as stream:
        return stream.read(25)[24]


def _to_rgb(image: Image.Image, path: Path) -> tuple[Image.Image, str]:
    """Convert a picture to RGB, and name the conversion."""
    mode = image.mode
    if mode.startswith(("I", "F")):
        hint = "Save it with 8 bits a colour; depth goes into the channel depth."
        raise InputError("a picture of 8 bits a colour", f"mode {mode} (16 or 32 bits)", file=str(path), hint=hint)
    if mode in ("P", "PA", "LA", "RGBA", "RGBa", "La"):
        opaque = image.convert("RGBA")
        if opaque.getchannel("A").getextrema() != (255, 255):
            raise InputError("a picture without transparent parts", f"mode {mode} with some", file=str(path))
        return opaque.convert("RGB"), "a palette or alpha: made RGB"
    names = {"L": "grey: made RGB", "1": "black and white: made RGB", "CMYK": "CMYK: made RGB without a colour profile"}
    return image.convert("RGB"), names.get(mode, f"{mode}: made RGB")
