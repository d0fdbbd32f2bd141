"""Channels as colours: in order, apart, the same for the same number; files that are whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bearleft.errors import InputError
from bearleft.world.channel_images import (
    CHANNELS,
    add_legend,
    channel_image,
    class_colours,
    class_name,
    depth_colours,
    instance_colours,
    part_colours,
    part_name,
    save_png,
)
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.codes import Ground
from bearleft.world.render.cpu import Pictures


def lightness(colours: Any) -> Any:
    return colours.astype(float) @ (0.2126, 0.7152, 0.0722)


def test_nearer_is_lighter() -> None:
    shades = depth_colours(np.geomspace(2, 300, 40, dtype=np.float32))
    assert (np.diff(lightness(shades)) < 0).all()
    steps = np.linalg.norm(np.diff(shades.astype(float), axis=0), axis=1)
    assert steps.min() > 1
    assert steps.max() < 30
    ends = depth_colours(np.array([0.1, 2, 300, 900, np.inf], np.float32))
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[2], ends[3])
    assert not ends[4].any()
    assert ends[3].any()


def test_instances_that_follow_each_other_look_apart() -> None:
    many = instance_colours(np.arange(-1, 3000, dtype=np.int32)).astype(float)
    things = many[2:]
    for off in (1, 2, 3):
        assert np.linalg.norm(things[off:] - things[:-off], axis=1).min() > 30
    np.testing.assert_array_equal(instance_colours(np.array([[77, 0]], np.int32))[0], many[[78, 1]])
    assert np.linalg.norm(things - many[0], axis=1).min() > 20  # nothing looks like the sky


def test_classes_have_names_and_colours_of_their_own() -> None:
    count = CLASS_BASE + len(CLASSES)
    colours = class_colours(np.arange(count, dtype=np.uint8))
    assert len(np.unique(colours, axis=0)) == count
    names = [class_name(k) for k in range(count)]
    assert len(set(names)) == count
    assert names[Ground.CROSSWALK] == "crosswalk"
    assert class_name(CLASS_BASE + class_index("fire hydrant")) == "fire hydrant"
    with pytest.raises(InputError, match="a class from 0"):
        class_name(255)


def test_parts_have_names() -> None:
    hydrant = CLASS_BASE + class_index("fire hydrant")
    parts = CLASSES[class_index("fire hydrant")].parts
    assert [part_name(hydrant, k) for k in range(len(parts))] == list(parts)
    assert part_name(hydrant, 1 | 5 << 8) == parts[1]
    assert part_name(Ground.ROAD, 0) == ""


def test_neighbouring_windows_differ() -> None:
    windows = np.array([[1 | column << 8 | floor << 16 for column in range(1, 9)] for floor in range(1, 9)], np.int32)
    shades = part_colours(np.ones_like(windows), windows).astype(float)
    assert np.linalg.norm(shades[1:] - shades[:-1], axis=2).min() > 10
    assert np.linalg.norm(shades[:, 1:] - shades[:, :-1], axis=2).min() > 10
    rest = part_colours(np.array([-1, 0, 5], np.int32), np.zeros(3, np.int32))
    assert len(np.unique(rest, axis=0)) == 3


def made() -> Pictures:
    shape = (2, 8, 16)
    rng = np.random.default_rng(0)
    return Pictures(
        rng.integers(0, 256, (*shape, 3), np.uint8),
        rng.uniform(1, 90, shape).astype(np.float32),
        rng.integers(-1, 5, shape, np.int32),
        rng.integers(0, 3, shape, np.int32),
        rng.integers(0, 9, shape, np.uint8),
    )


def test_every_channel() -> None:
    pictures = made()
    seen = [channel_image(pictures, what) for what in CHANNELS]
    assert all(one.shape == (2, 8, 16, 3) and one.dtype == np.uint8 for one in seen)
    assert seen[0] is pictures.rgb
    with pytest.raises(InputError, match="Did you mean depth"):
        channel_image(pictures, "dept")


@pytest.mark.slow
def test_a_legend_stands_below() -> None:
    picture = class_colours(np.zeros((50, 320), np.uint8))
    shown = add_legend(picture, [Ground.SKY, Ground.ROAD, Ground.GRASS, Ground.ROAD])
    np.testing.assert_array_equal(shown[:50], picture)
    assert shown.shape[1] == 320
    below = shown[50:].reshape(-1, 3).tolist()
    for kind in (Ground.ROAD, Ground.GRASS):
        assert class_colours(np.array([kind], np.uint8))[0].tolist() in below
    assert add_legend(picture, range(9)).shape[0] > shown.shape[0]


def test_files_are_whole(tmp_path: Path) -> None:
    picture = made().rgb[0]
    save_png(picture, tmp_path / "new" / "a.png")
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "new" / "a.png")), picture)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a.png"]
    with pytest.raises(InputError, match="can be written"):
        save_png(picture, tmp_path / "new" / "a.png" / "b.png")
    with pytest.raises(InputError, match="height x width x 3 bytes"):
        save_png(picture.astype(float), tmp_path / "c.png")
    assert not (tmp_path / "c.png").exists()
