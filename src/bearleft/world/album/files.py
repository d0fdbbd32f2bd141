"""Files of panoramas: how each channel is written, and what is said of a picture that cannot be read."""

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

from bearleft.errors import InputError, shown
from bearleft.runtime.json_fields import is_whole
from bearleft.runtime.store import existing_file
from bearleft.world.album.layout import RGB
from bearleft.world.render.cpu import Pictures

Array = npt.NDArray[Any]
SKY = 0xFFFFFF
FARTHEST = 0xFFFF  # centimetres
ENDINGS = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp", "TIFF": "tif", "BMP": "bmp"}
READ = frozenset((".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp"))
# What Pillow raises on files that are no pictures, or broken ones.
BROKEN = (OSError, SyntaxError, ValueError, EOFError, IndexError, TypeError, struct.error, zlib.error, Warning)
LARGEST = (30_000, 15_000)  # pixels: OpenCV cuts views out of no wider ones
SLACK = 2  # pixels by which a panorama may be wider or narrower than twice its height


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture as bytes (height, width, 3), what its file is by content, and what had to be done to read it."""

    rgb: npt.NDArray[np.uint8]
    ending: str
    notes: tuple[str, ...] = ()


def encoded(pictures: Pictures, k: int, channel: str, picture: str = "jpg", quality: int | None = 92) -> bytes:
    """One of many pictures as the bytes of its file: colours as JPEG or PNG, all else as PNG without loss."""
    if channel == RGB:
        return compressed(pictures.rgb[k], picture, quality)
    if channel == "depth":
        metres = pictures.depth[k]
        with np.errstate(invalid="ignore"):
            found = np.clip(np.rint(np.where(np.isfinite(metres), metres, 0.0) * 100.0), 1, FARTHEST)
        return _png(Image.fromarray(np.where(np.isfinite(metres), found, 0).astype(np.uint16)))
    if channel == "classes":
        return _png(Image.fromarray(np.ascontiguousarray(pictures.kind[k])))
    numbers = pictures.instance[k] if channel == "instances" else pictures.part[k]
    return _png(Image.fromarray(_three_bytes(np.where(numbers < 0, SKY, numbers))))


def compressed(rgb: npt.NDArray[np.uint8], picture: str = "jpg", quality: int | None = 92) -> bytes:
    """Colours as the bytes of a JPEG or PNG file."""
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


def _three_bytes(numbers: Array) -> npt.NDArray[np.uint8]:
    return np.stack([numbers >> 16 & 0xFF, numbers >> 8 & 0xFF, numbers & 0xFF], axis=-1).astype(np.uint8)


def read_channel(path: Path, channel: str) -> Array:
    """A channel as the renderer gives it: bytes of colour, metres (infinite for sky), numbers (-1 for sky)."""
    if channel == RGB:
        return read_picture(path).rgb
    modes = {"depth": ("I;16", "I"), "classes": ("L",)}.get(channel, ("RGB",))
    image = _opened(path)
    if image.mode not in modes:
        raise InputError(f"{channel} as a picture of mode {modes[0]}", f"mode {image.mode}", file=str(path))
    found = np.asarray(_loaded(image, path))
    if channel == "classes":
        return found.copy()
    if channel == "depth":
        metres = found.astype(np.float32) / np.float32(100)
        return np.where(metres > 0, metres, np.float32(np.inf))
    wide = found.astype(np.int32)
    numbers = wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]
    return np.where(numbers == SKY, np.int32(-1), numbers)


def read_picture(path: str | os.PathLike[str], panorama: bool = True) -> Picture:
    """A picture's colours, turned as its EXIF says; with `panorama` an error where it is not twice as wide as high.

    Grey, CMYK, palettes and 16 bits a colour are converted, which the notes say; an error names the file that is empty,
    cut short, no picture, partly transparent, or grey in 16 bits (which depth is, and photographs are not).
    """
    path = Path(path)
    image = _opened(path)
    notes = []
    form = (
        "JPEG" if image.format == "MPO" else image.format or ""
    )  # several JPEGs in one file, of which the first is read
    ending = ENDINGS[form]
    named = {"jpeg": "jpg", "tiff": "tif"}.get(path.suffix.lower()[1:], path.suffix.lower()[1:])
    if named != ending:
        notes.append(f"is a {form} by content")
    if isinstance(image, PngImagePlugin.PngImageFile) and image.mode in ("RGB", "RGBA") and _bits(path) == 16:
        notes.append("16 bits a colour: the upper 8 are kept")
    shape = image.size
    turned = _orientation(image)
    across = shape[::-1] if turned > 4 else shape
    if panorama:
        check_size(across, path)
    _loaded(image, path)
    if turned > 1:
        notes.append("turned as its EXIF says")
        image = ImageOps.exif_transpose(image)
    if image.mode != RGB.upper():
        image, said = _coloured(image, path)
        notes.append(said)
    return Picture(np.array(image, np.uint8), ending, tuple(notes))


def check_size(size: tuple[int, int], path: Path) -> None:
    """An error for a picture that is no whole panorama."""
    width, height = size
    if abs(width - 2 * height) > SLACK:
        expected = "a panorama of the whole sphere, twice as wide as high"
        raise InputError(expected, f"{width} x {height} pixels", file=str(path))


def _opened(path: Path) -> Image.Image:
    existing_file(path, "a picture")
    if not path.stat().st_size:
        raise InputError("a picture", "an empty file", file=str(path))
    try:
        image = _by_content(path.read_bytes())
    except (*BROKEN, Image.DecompressionBombError) as error:
        raise InputError("a picture", shown(str(error)), file=str(path)) from None
    if image is None:
        got = "something that is no JPEG, PNG, WebP, TIFF or BMP"
        raise InputError("a picture", got, file=str(path))
    if image.width * image.height > LARGEST[0] * LARGEST[1]:
        expected = f"a picture of at most {LARGEST[0]} x {LARGEST[1]} pixels"
        raise InputError(expected, f"{image.width} x {image.height}", file=str(path))
    return image


def _by_content(content: bytes) -> Image.Image | None:
    """A picture of whichever format it is. As Image.open, whose limit of pixels is too low for panoramas."""
    Image.init()
    for form in ENDINGS:
        make, accepts = Image.OPEN[form]
        if accepts is None or accepts(content[:16]) is True:
            try:
                return make(io.BytesIO(content), "")
            except (SyntaxError, IndexError, TypeError, struct.error):
                continue
    return None


def ends_well(path: Path) -> bool:
    """Whether a JPEG or PNG that bearleft wrote is there from its beginning to its end; what is between is not read."""
    begins, ends = (b"\xff\xd8", b"\xff\xd9") if path.suffix == ".jpg" else (b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82")
    try:
        with open(path, "rb") as stream:
            first = stream.read(len(begins))
            stream.seek(-min(len(ends), path.stat().st_size), os.SEEK_END)
            return first == begins and stream.read() == ends
    except OSError:
        return False


def check_quality(quality: int) -> None:
    """An error for what is no quality of JPEGs."""
    if not is_whole(quality) or not 1 <= quality <= 100:
        raise InputError("a quality from 1 to 100", shown(quality), "quality")


def _loaded(image: Image.Image, path: Path) -> Image.Image:
    try:
        image.load()
    except BROKEN as error:
        got = f"one that is cut short or damaged: {shown(str(error))}"
        raise InputError("a whole picture", got, file=str(path)) from None
    return image


def _orientation(image: Image.Image) -> int:
    """How the camera was held, 1 to 8 as EXIF counts; 1 where nothing is said that can be read."""
    try:
        said = image.getexif().get(ExifTags.Base.Orientation, 1)
    except BROKEN:
        return 1
    return said if isinstance(said, int) and 1 <= said <= 8 else 1


def _bits(path: Path) -> int:
    """Bits a colour of a PNG file, from its header."""
    with open(path, "rb") as stream:
        return stream.read(25)[24]


def _coloured(image: Image.Image, path: Path) -> tuple[Image.Image, str]:
    """A picture in red, green and blue, and what it was before."""
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
