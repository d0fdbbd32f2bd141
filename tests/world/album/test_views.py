"""Perspective views of panoramas agree with the renderer and `geometry.View`, with OpenCV and with torch."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.geometry import View, from_equirectangular, to_equirectangular, unit_vectors
from bearleft.records import Direction
from bearleft.world.album.views import MAPS, PHASES, ByteCache, Sphere, pad_panorama, remap_tables
from bearleft.world.city.city import City, open_city
from bearleft.world.render.camera import Lens, panorama, view
from bearleft.world.render.cpu import Pictures, render
from tests.sizes import sized

WIDTH, HEIGHT, YAW = 512, 256, 33.0
# Heading, pitch, roll: level, across the seam, up and down, rolled, both poles, and beyond 360 degrees.
VIEWING_DIRECTIONS = [
    (0.0, 0.0, 0.0),
    (213.0, 0.0, 0.0),
    (212.0, -25.0, 0.0),
    (90.0, 40.0, 30.0),
    (300.0, -60.0, -75.0),
    (10.0, 90.0, 0.0),
    (10.0, -90.0, 0.0),
    (-500.0, 70.0, 180.0),
]


def direction_panorama(width: int = WIDTH, height: int = HEIGHT, yaw: float = YAW) -> npt.NDArray[np.uint8]:
    """Return a panorama whose colours encode the direction of each pixel."""
    y, x = np.mgrid[0:height, 0:width] + 0.5
    return np.rint((unit_vectors(*from_equirectangular(x, y, width, height, yaw)) + 1) * 127).astype(np.uint8)


def expected_view(heading: float, pitch: float, roll: float, lens: Lens) -> npt.NDArray[np.float64]:
    """Return the view of `direction_panorama` computed with `geometry.View`."""
    assert lens.fov is not None
    x, y = np.meshgrid(np.arange(lens.width) + 0.5, np.arange(lens.height) + 0.5)
    geometric_view = View(Direction(heading, pitch), lens.width, lens.height, lens.fov, roll)
    colours: npt.NDArray[np.float64] = (unit_vectors(*geometric_view.direction(x, y)) + 1) * 127
    return colours


@settings(deadline=None, max_examples=sized(12, 40))
@given(
    st.floats(-720, 720),
    st.floats(-90, 90),
    st.floats(-180, 180),
    st.floats(10, 110),
    st.floats(-360, 360),
    st.integers(32, 64),
    st.integers(1, 64),
)
def test_view_agrees_with_geometry(
    heading: float, pitch: float, roll: float, fov: float, yaw: float, width: int, height: int
) -> None:
    lens = view(width, height, fov)
    result = Sphere(direction_panorama(yaw=yaw), yaw).view(heading, pitch, lens, roll)
    assert np.abs(result - expected_view(heading, pitch, roll, lens)).max() < 1.6


@pytest.fixture(scope="module")
def city_panorama() -> tuple[City, Pictures]:
    """Return a city and its panorama from one place, with yaw 33."""
    city = open_city("city/3/4x5")
    return city, render(city.scene, city.poses(40, YAW), panorama(1024), samples=2)


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("direction", VIEWING_DIRECTIONS)
def test_view_agrees_with_the_renderer(
    city_panorama: tuple[City, Pictures], direction: tuple[float, float, float]
) -> None:
    city, panorama_channels = city_panorama
    heading, pitch, roll = direction
    lens = view(160, 120, 80.0)
    exact = render(city.scene, city.poses(40, heading, pitch, roll), lens, samples=2)
    resampled = Sphere(panorama_channels.rgb[0], YAW).view(heading, pitch, lens, roll)
    difference = np.abs(resampled.astype(float) - exact.rgb[0])
    assert np.median(difference) <= 2
    assert difference.mean() < 7
    for name in ("instance", "kind", "part"):
        labels = Sphere(getattr(panorama_channels, name)[0], YAW, smooth=False).view(heading, pitch, lens, roll)
        assert labels.dtype == getattr(exact, name).dtype
        assert (labels == getattr(exact, name)[0]).mean() > 0.93, name
    depth = Sphere(panorama_channels.depth[0], YAW, smooth=False).view(heading, pitch, lens, roll)
    solid = np.isfinite(depth) & np.isfinite(exact.depth[0])
    assert (np.isfinite(depth) == np.isfinite(exact.depth[0])).mean() > 0.97
    if solid.any():
        assert (np.abs(depth[solid] / exact.depth[0][solid] - 1) < 0.05).mean() > 0.9
    # A view 8 degrees aside differs more, so the tolerances can tell views apart.
    other_view = Sphere(panorama_channels.rgb[0], YAW).view(heading + 8.0, pitch / 2, lens, roll)
    assert np.abs(other_view.astype(float) - exact.rgb[0]).mean() > 1.5 * difference.mean()


@pytest.mark.parametrize("channels", [1, 3])
def test_torch_gives_the_same_views_as_opencv(channels: int) -> None:
    torch = pytest.importorskip("torch")
    from bearleft.world.album import torch_views as grid

    noise = np.random.default_rng(0).integers(0, 255, (2, 64, 128, channels), np.uint8)
    import cv2

    noise = np.stack([cv2.GaussianBlur(picture, (0, 0), 2).reshape(64, 128, channels) for picture in noise])
    lens = view(48, 32, 75.0)
    headings, pitches, rolls = np.array(VIEWING_DIRECTIONS).T
    result = grid.views(grid.to_tensor(noise), headings, pitches, lens, [YAW, -100.0], rolls)
    assert tuple(result.shape) == (2, len(VIEWING_DIRECTIONS), channels, 32, 48)
    assert result.dtype == torch.uint8
    for k, yaw in enumerate((YAW, -100.0)):
        by_opencv = Sphere(noise[k], yaw).views(headings, pitches, lens, rolls)
        assert np.abs(result[k].permute(0, 2, 3, 1).numpy().astype(int) - by_opencv).max() <= 3
    exact = grid.views(grid.to_tensor(noise).double(), headings[:1], pitches[:1], lens, YAW)
    assert exact.dtype == torch.float64
    labels = grid.views(grid.to_tensor(noise).to(torch.int32), headings, pitches, lens, YAW, rolls, smooth=False)
    labels_by_opencv = Sphere(noise[0, ..., 0].astype(np.int32), YAW, smooth=False).views(
        headings, pitches, lens, rolls
    )
    assert (labels[0, :, 0].numpy() == labels_by_opencv).mean() > 0.96


def test_torch_views_agree_with_geometry_and_have_gradients() -> None:
    torch = pytest.importorskip("torch")
    from bearleft.world.album import torch_views as grid

    picture = grid.to_tensor(direction_panorama()[None]).float().requires_grad_()
    for heading, pitch, roll in VIEWING_DIRECTIONS:
        lens = view(40, 30, 70.0)
        result = grid.views(picture, heading, pitch, lens, YAW, roll)[0, 0].permute(1, 2, 0)
        assert np.abs(result.detach().numpy() - expected_view(heading, pitch, roll, lens)).max() < 1.2
    result.sum().backward()
    assert picture.grad is not None and torch.isfinite(picture.grad).all()
    with pytest.raises(InputError, match="as a tensor"):
        grid.views(picture[0], 0, 0, lens)
    with pytest.raises(InputError, match="a lens with a field of view"):
        grid.views(picture, 0, 0, panorama(64))


def test_fine_detail_is_averaged() -> None:
    """One-pixel stripes average to grey; skipping pixels would show black or white."""
    stripes = np.zeros((512, 1024, 3), np.uint8)
    stripes[:, ::2] = 255
    result = Sphere(stripes).view(17.3, 0.0, view(16, 16, 60.0))
    assert np.abs(result.astype(int) - 127).max() < 12


def test_rotated_panoramas() -> None:
    picture = direction_panorama()
    sphere = Sphere(picture, YAW)
    assert np.array_equal(sphere.rotated(YAW, WIDTH, HEIGHT), picture)
    assert np.array_equal(sphere.rotated(YAW + 360, WIDTH, HEIGHT), picture)
    for yaw in (0.0, 100.3, 212.9):
        for width, height in ((WIDTH, HEIGHT), (200, 100), (1024, 512)):
            result = sphere.rotated(yaw, width, height).astype(int)
            assert np.abs(result - direction_panorama(width, height, yaw))[2:-2].max() <= 3
    labels = np.arange(8 * 16, dtype=np.int32).reshape(8, 16)
    assert np.array_equal(Sphere(labels, 0.0, smooth=False).rotated(90.0, 16, 8), np.roll(labels, -4, axis=1))


def test_cached_remap_tables_give_the_same_view_and_bounded_memory() -> None:
    sphere, lens = Sphere(direction_panorama(), YAW), view(200, 150)
    first = sphere.view(10.0, 20.0, lens, 5.0)
    size_before = len(MAPS)
    assert np.array_equal(sphere.view(10.0, 20.0, lens, 5.0), first)
    assert len(MAPS) == size_before
    cache: ByteCache[bytes] = ByteCache(100, len)
    computed: list[int] = []

    def compute(k: int) -> bytes:
        computed.append(k)
        return bytes(40)

    for k in (0, 1, 0, 2, 0, 1):
        cache.get(k, lambda k=k: compute(k))  # type: ignore[misc]
    assert computed == [0, 1, 2, 1] and cache.bytes == 80 and len(cache) == 2
    assert cache.get("large", lambda: bytes(1000)) and len(cache) == 1
    assert len(pickle.loads(pickle.dumps(cache))) == 0


def test_padding_continues_across_the_poles() -> None:
    picture = np.arange(4 * 8, dtype=np.uint8).reshape(4, 8)
    padded = pad_panorama(picture)
    assert padded.shape == (6, 19)
    assert padded[0, 1] == picture[0, 4] and padded[5, 1] == picture[3, 4]
    assert padded[1, 0] == picture[0, 7] and padded[1, 17] == picture[0, 0] and padded[1, 18] == picture[0, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.nan, 0.0, view(8, 8)), "finite direction"),
        ((0.0, 91.0, view(8, 8)), "from -90 to 90"),
        ((0.0, 0.0, panorama(8)), "field of view"),
    ],
)
def test_invalid_views_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Sphere(direction_panorama()).view(*arguments)
    with pytest.raises(InputError, match="height x width"):
        Sphere(np.zeros(5, np.uint8))


@pytest.mark.parametrize(("width", "height"), [(512, 256), (30_000, 15_000)])
@pytest.mark.parametrize("smooth", [True, False])
def test_compiled_remap_tables_agree_with_opencv(width: int, height: int, smooth: bool) -> None:
    """They differ by at most 1/32 pixel from `geometry.View` in double precision with `cv2.convertMaps`."""
    import cv2

    lens = view(60, 40, 100.0)
    x, y = np.meshgrid(np.arange(60) + 0.5, np.arange(40) + 0.5)
    for pitch, roll, phase in ((0.0, 0.0, 0), (-35.0, 20.0, 7), (90.0, 0.0, 31), (80.0, -170.0, 16)):
        direction = View(Direction(0.0, pitch), 60, 40, 100.0, roll).direction(x, y)
        column, row = (np.asarray(values, np.float64) for values in to_equirectangular(*direction, width, height))
        # A padded panorama has one extra column and row before its own; OpenCV counts from pixel centres.
        column = (column - 0.5 + 1 + phase / PHASES).astype(np.float32)
        exact = cv2.convertMaps(column, (row + 0.5).astype(np.float32), cv2.CV_16SC2, nninterpolation=not smooth)
        tables = remap_tables(lens, width, height, pitch, roll, phase, smooth)
        difference = _in_phases(*tables, smooth) - _in_phases(*exact, smooth)
        difference[..., 0] = (difference[..., 0] + width * PHASES // 2) % (width * PHASES) - width * PHASES // 2
        assert np.abs(difference).max() <= (1 if smooth else PHASES) and (difference != 0).mean() < 0.05


def _in_phases(pixels: Any, fractions: Any, smooth: bool) -> npt.NDArray[np.int64]:
    steps: npt.NDArray[np.int64] = pixels.astype(np.int64) * PHASES
    if smooth:
        steps += np.stack([fractions % PHASES, fractions // PHASES], axis=-1)
    return steps
