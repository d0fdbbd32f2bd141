"""Picture files are read, converted with a note, or refused by name."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from bearleft.errors import InputError
from bearleft.world.album import files
from bearleft.world.album.files import encode_channel, read_channel, read_picture
from bearleft.world.album.layout import file_name
from bearleft.world.render.cpu import Pictures

Bytes = npt.NDArray[np.uint8]


def colours(width: int = 64, height: int = 32) -> Bytes:
    """Return a picture with four different corners."""
    y, x = np.mgrid[0:height, 0:width]
    return np.stack([x * 255 // width, y * 255 // height, (x + y) % 256], axis=-1).astype(np.uint8)


def save(path: Path, image: Image.Image, image_format: str = "PNG", **options: object) -> Path:
    image.save(path, image_format, **options)
    return path


def test_common_formats_are_read_without_notes(tmp_path: Path) -> None:
    picture = Image.fromarray(colours())
    for name, image_format in (("a.png", "PNG"), ("a.bmp", "BMP"), ("a.TIFF", "TIFF")):
        picture_read = read_picture(save(tmp_path / name, picture, image_format))
        assert np.array_equal(picture_read.rgb, colours()) and picture_read.notes == ()
    picture_read = read_picture(save(tmp_path / "a.jpeg", picture, "JPEG", quality=98))
    assert (
        picture_read.suffix == "jpg"
        and picture_read.notes == ()
        and np.abs(picture_read.rgb.astype(int) - colours()).mean() < 3
    )
    assert picture_read.rgb.flags.writeable
    multi_picture = save(tmp_path / "b.jpg", picture, "MPO", save_all=True, append_images=[picture], quality=98)
    assert read_picture(multi_picture).suffix == "jpg" and read_picture(multi_picture).notes == ()


def test_other_colour_modes_are_converted_with_a_note(tmp_path: Path) -> None:
    picture = Image.fromarray(colours())
    grey = read_picture(save(tmp_path / "grey.jpg", picture.convert("L"), "JPEG"))
    assert grey.notes == ("grey: made RGB",) and grey.rgb.shape == (32, 64, 3)
    assert (grey.rgb[..., 0] == grey.rgb[..., 2]).all()
    cmyk = read_picture(save(tmp_path / "cmyk.jpg", picture.convert("CMYK"), "JPEG", quality=98))
    assert "CMYK" in cmyk.notes[0] and np.abs(cmyk.rgb.astype(int) - colours()).mean() < 6
    opaque = read_picture(save(tmp_path / "alpha.png", picture.convert("RGBA")))
    assert "alpha" in opaque.notes[0] and np.array_equal(opaque.rgb, colours())
    palette = read_picture(save(tmp_path / "palette.png", picture.convert("P")))
    assert "palette" in palette.notes[0]
    misnamed = read_picture(save(tmp_path / "named.jpg", picture))
    assert misnamed.notes == ("is a PNG by content",) and misnamed.suffix == "png"


def test_sixteen_bit_pictures_keep_the_upper_eight_bits(tmp_path: Path) -> None:
    import cv2

    sixteen_bit = colours().astype(np.uint16) << 8 | 0x55
    assert cv2.imwrite(str(tmp_path / "wide.png"), sixteen_bit[..., ::-1])
    picture_read = read_picture(tmp_path / "wide.png")
    assert "16 bits" in picture_read.notes[0] and np.array_equal(picture_read.rgb, colours())


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_is_applied(tmp_path: Path, orientation: int) -> None:
    """A picture stored rotated is made upright by its EXIF orientation."""
    stored = Image.fromarray(colours())
    inverse = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}  # Image.Transpose, the inverse of the EXIF orientation
    if orientation > 1:
        stored = stored.transpose(Image.Transpose(inverse[orientation]))
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture_read = read_picture(save(tmp_path / "turned.png", stored, exif=exif))
    assert np.array_equal(picture_read.rgb, colours())
    assert bool(picture_read.notes) == (orientation > 1)


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty.jpg": (lambda path: path.write_bytes(b""), "an empty file"),
    "text.jpg": (lambda path: path.write_text("dear sir"), "no JPEG, PNG"),
    "missing.jpg": (lambda path: path.unlink(missing_ok=True), "nothing there"),
    "folder.jpg": (lambda path: path.mkdir(), "a folder"),
    "square.png": (lambda path: save(path, Image.fromarray(colours(40, 40))), "40 x 40 pixels"),
    "flat.png": (lambda path: save(path, Image.fromarray(colours(64, 20))), "twice as wide as high, got 64 x 20"),
    "depth.png": (lambda path: save(path, Image.fromarray(np.zeros((32, 64), np.uint16))), "8 bits a colour"),
    "real.tif": (lambda path: save(path, Image.fromarray(np.zeros((32, 64), np.float32)), "TIFF"), "8 bits a colour"),
    "glass.png": (lambda path: save(path, Image.new("RGBA", (64, 32), (1, 2, 3, 128))), "transparent"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_pictures_are_refused_by_name(tmp_path: Path, name: str) -> None:
    make, message = BAD[name]
    make(tmp_path / name)
    with pytest.raises(InputError, match=message) as caught:
        read_picture(tmp_path / name)
    assert caught.value.file == str(tmp_path / name)


@pytest.mark.parametrize("image_format", ["JPEG", "PNG", "WEBP", "TIFF", "BMP"])
def test_truncated_picture_is_refused(tmp_path: Path, image_format: str) -> None:
    stream = io.BytesIO()
    Image.fromarray(colours(128, 64)).save(stream, image_format)
    complete = (
        stream.getvalue()[:-21] if image_format == "PNG" else stream.getvalue()
    )  # a PNG's last bytes hold no pixels
    for length in sorted({1, 5, 20, *(len(complete) * k // 17 for k in range(1, 17))}):
        (tmp_path / "cut.jpg").write_bytes(complete[:length])
        with pytest.raises(InputError) as caught:
            read_picture(tmp_path / "cut.jpg")
        assert caught.value.file.endswith("cut.jpg")


def test_corrupted_pictures_raise_only_input_errors(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for image_format in ("JPEG", "PNG", "WEBP", "TIFF"):
        stream = io.BytesIO()
        Image.fromarray(colours()).save(stream, image_format)
        for _ in range(40):
            corrupted = bytearray(stream.getvalue())
            for position in rng.integers(0, len(corrupted), 8):
                corrupted[position] = int(rng.integers(256))
            (tmp_path / "x.jpg").write_bytes(corrupted)
            with contextlib.suppress(InputError):
                assert read_picture(tmp_path / "x.jpg").rgb.shape[2] == 3


def test_every_channel_survives_writing_and_reading(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    depth = rng.uniform(0.2, 900, (1, 16, 32)).astype(np.float32)
    depth[0, :4] = np.inf
    instance = rng.integers(-1, 1 << 23, (1, 16, 32), np.int32)
    part = rng.integers(0, 1 << 24, (1, 16, 32), np.int32)
    kind = rng.integers(0, 255, (1, 16, 32)).astype(np.uint8)
    pictures = Pictures(rng.integers(0, 255, (1, 16, 32, 3)).astype(np.uint8), depth, instance, part, kind)
    part[part == 0xFFFFFF] = 0
    arrays = {}
    for channel in ("rgb", "depth", "instances", "classes", "parts"):
        path = tmp_path / f"{channel}.png"
        path.write_bytes(encode_channel(pictures, 0, channel, "png"))
        arrays[channel] = read_channel(path, channel)
    assert all(array.flags.writeable for array in arrays.values())
    assert np.array_equal(arrays["rgb"], pictures.rgb[0])
    assert np.array_equal(arrays["instances"], instance[0]) and arrays["instances"].dtype == np.int32
    assert np.array_equal(arrays["parts"], part[0]) and np.array_equal(arrays["classes"], kind[0])
    assert np.isinf(arrays["depth"][:4]).all() and arrays["depth"].dtype == np.float32
    assert np.abs(arrays["depth"][4:] - np.minimum(depth[0, 4:], 655.35)).max() < 0.0051
    with pytest.raises(InputError, match="mode RGB"):
        read_channel(tmp_path / "rgb.png", "depth")


def test_file_names_of_ids_are_safe_and_distinct() -> None:
    safe = ["c000012", "pGD9GXAZChwjjq_1LMYp-Q", "-abc", "a.b"]
    assert [file_name(place) for place in safe] == safe
    unsafe = ["a/b", "../up", ".hidden", "ü", "a b", "a%2Fb", "", "x" * 300, "x" * 299 + "y", "con\nnl", "%"]
    names = [file_name(place) for place in unsafe]
    assert len(set(names)) == len(unsafe)
    for name in names:
        assert "/" not in name and not name.startswith(".") and len(name) <= 180 and name.isascii() and name


def test_large_pictures_are_read_up_to_our_own_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pillow's own limit is smaller than the panoramas of cameras."""
    path = save(tmp_path / "large.png", Image.fromarray(colours()))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    assert np.array_equal(read_picture(path).rgb, colours())
    assert files.MAX_SIZE[0] >= 20_000
    monkeypatch.setattr(files, "MAX_SIZE", (62, 31))
    with pytest.raises(InputError, match=r"large\.png: .*at most 62 x 31 pixels.*got 64 x 32"):
        read_picture(path)
