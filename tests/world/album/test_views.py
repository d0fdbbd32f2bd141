"""Views cut from panoramas: the geometry is the renderer's and `geometry.View`'s, by OpenCV and by torch alike."""

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

WIDE, HIGH, YAW = 512, 256, 33.0
# Level, across the seam, up and down, rolled, both poles, and past a whole turn.
LOOKS = [
    (0.0, 0.0, 0.0),
    (213.0, 0.0, 0.0),
    (212.0, -25.0, 0.0),
    (90.0, 40.0, 30.0),
    (300.0, -60.0, -75.0),
    (10.0, 90.0, 0.0),
    (10.0, -90.0, 0.0),
    (-500.0, 70.0, 180.0),
]


def smooth_picture(width: int = WIDE, height: int = HIGH, yaw: float = YAW) -> npt.NDArray[np.uint8]:
    """A panorama whose colours are the direction's vector."""
    y, x = np.mgrid[0:height, 0:width] + 0.5
    return np.rint((unit_vectors(*from_equirectangular(x, y, width, height, yaw)) + 1) * 127).astype(np.uint8)


def expected(heading: float, pitch: float, roll: float, lens: Lens) -> npt.NDArray[np.float64]:
    """The colours of `smooth_picture` as `geometry.View` would have them."""
    assert lens.fov is not None
    x, y = np.meshgrid(np.arange(lens.width) + 0.5, np.arange(lens.height) + 0.5)
    seen = View(Direction(heading, pitch), lens.width, lens.height, lens.fov, roll)
    colours: npt.NDArray[np.float64] = (unit_vectors(*seen.direction(x, y)) + 1) * 127
    return colours


@settings(deadline=None, max_examples=40)
@given(
    st.floats(-720, 720),
    st.floats(-90, 90),
    st.floats(-180, 180),
    st.floats(10, 110),
    st.floats(-360, 360),
    st.integers(32, 64),
    st.integers(1, 64),
)
def test_a_view_is_what_geometry_says(
    heading: float, pitch: float, roll: float, fov: float, yaw: float, width: int, height: int
) -> None:
    lens = view(width, height, fov)
    found = Sphere(smooth_picture(yaw=yaw), yaw).view(heading, pitch, lens, roll)
    assert np.abs(found - expected(heading, pitch, roll, lens)).max() < 1.6


@pytest.fixture(scope="module")
def seen() -> tuple[City, Pictures]:
    """A city, and its panorama from a place, yaw 33."""
    city = open_city("city/3/4x5")
    return city, render(city.scene, city.poses(40, YAW), panorama(1024), samples=2)


@pytest.mark.parametrize("look", LOOKS)
def test_a_view_is_the_renderers(seen: tuple[City, Pictures], look: tuple[float, float, float]) -> None:
    city, around = seen
    heading, pitch, roll = look
    lens = view(160, 120, 80.0)
    exact = render(city.scene, city.poses(40, heading, pitch, roll), lens, samples=2)
    cut = Sphere(around.rgb[0], YAW).view(heading, pitch, lens, roll)
    off = np.abs(cut.astype(float) - exact.rgb[0])
    assert np.median(off) <= 2
    assert off.mean() < 7
    for name in ("instance", "kind", "part"):
        labels = Sphere(getattr(around, name)[0], YAW, smooth=False).view(heading, pitch, lens, roll)
        assert labels.dtype == getattr(exact, name).dtype
        assert (labels == getattr(exact, name)[0]).mean() > 0.93, name
    depth = Sphere(around.depth[0], YAW, smooth=False).view(heading, pitch, lens, roll)
    solid = np.isfinite(depth) & np.isfinite(exact.depth[0])
    assert (np.isfinite(depth) == np.isfinite(exact.depth[0])).mean() > 0.97
    if solid.any():
        assert (np.abs(depth[solid] / exact.depth[0][solid] - 1) < 0.05).mean() > 0.9
    # A step aside shows something else: the tolerances tell views apart.
    other = Sphere(around.rgb[0], YAW).view(heading + 8.0, pitch / 2, lens, roll)
    assert np.abs(other.astype(float) - exact.rgb[0]).mean() > 1.5 * off.mean()


@pytest.mark.parametrize("channels", [1, 3])
def test_torch_cuts_the_same(channels: int) -> None:
    torch = pytest.importorskip("torch")
    from bearleft.world.album import torch_views as grid

    noise = np.random.default_rng(0).integers(0, 255, (2, 64, 128, channels), np.uint8)
    import cv2

    noise = np.stack([cv2.GaussianBlur(one, (0, 0), 2).reshape(64, 128, channels) for one in noise])
    lens = view(48, 32, 75.0)
    headings, pitches, rolls = np.array(LOOKS).T
    found = grid.views(grid.to_tensor(noise), headings, pitches, lens, [YAW, -100.0], rolls)
    assert tuple(found.shape) == (2, len(LOOKS), channels, 32, 48)
    assert found.dtype == torch.uint8
    for k, yaw in enumerate((YAW, -100.0)):
        ours = Sphere(noise[k], yaw).views(headings, pitches, lens, rolls)
        assert np.abs(found[k].permute(0, 2, 3, 1).numpy().astype(int) - ours).max() <= 3
    exact = grid.views(grid.to_tensor(noise).double(), headings[:1], pitches[:1], lens, YAW)
    assert exact.dtype == torch.float64
    labels = grid.views(grid.to_tensor(noise).to(torch.int32), headings, pitches, lens, YAW, rolls, smooth=False)
    mine = Sphere(noise[0, ..., 0].astype(np.int32), YAW, smooth=False).views(headings, pitches, lens, rolls)
    assert (labels[0, :, 0].numpy() == mine).mean() > 0.96


def test_torch_follows_geometry_with_its_gradients() -> None:
    torch = pytest.importorskip("torch")
    from bearleft.world.album import torch_views as grid

    picture = grid.to_tensor(smooth_picture()[None]).float().requires_grad_()
    for heading, pitch, roll in LOOKS:
        lens = view(40, 30, 70.0)
        found = grid.views(picture, heading, pitch, lens, YAW, roll)[0, 0].permute(1, 2, 0)
        assert np.abs(found.detach().numpy() - expected(heading, pitch, roll, lens)).max() < 1.2
    found.sum().backward()
    assert picture.grad is not None and torch.isfinite(picture.grad).all()
    with pytest.raises(InputError, match="as a tensor"):
        grid.views(picture[0], 0, 0, lens)
    with pytest.raises(InputError, match="a lens with a field of view"):
        grid.views(picture, 0, 0, panorama(64))


def test_too_fine_a_panorama_is_averaged() -> None:
    """Stripes of a pixel are grey from afar; skipping pixels would show black or white."""
    stripes = np.zeros((512, 1024, 3), np.uint8)
    stripes[:, ::2] = 255
    found = Sphere(stripes).view(17.3, 0.0, view(16, 16, 60.0))
    assert np.abs(found.astype(int) - 127).max() < 12


def test_turned_panoramas() -> None:
    picture = smooth_picture()
    sphere = Sphere(picture, YAW)
    assert np.array_equal(sphere.rotated(YAW, WIDE, HIGH), picture)
    assert np.array_equal(sphere.rotated(YAW + 360, WIDE, HIGH), picture)
    for yaw in (0.0, 100.3, 212.9):
        for width, height in ((WIDE, HIGH), (200, 100), (1024, 512)):
            found = sphere.rotated(yaw, width, height).astype(int)
            assert np.abs(found - smooth_picture(width, height, yaw))[2:-2].max() <= 3
    labels = np.arange(8 * 16, dtype=np.int32).reshape(8, 16)
    assert np.array_equal(Sphere(labels, 0.0, smooth=False).rotated(90.0, 16, 8), np.roll(labels, -4, axis=1))


def test_maps_are_kept_within_bounds_and_give_the_same() -> None:
    sphere, lens = Sphere(smooth_picture(), YAW), view(200, 150)
    first = sphere.view(10.0, 20.0, lens, 5.0)
    before = len(MAPS)
    assert np.array_equal(sphere.view(10.0, 20.0, lens, 5.0), first)
    assert len(MAPS) == before
    kept: ByteCache[bytes] = ByteCache(100, len)
    made: list[int] = []

    def make(k: int) -> bytes:
        made.append(k)
        return bytes(40)

    for k in (0, 1, 0, 2, 0, 1):
        kept.get(k, lambda k=k: make(k))  # type: ignore[misc]
    assert made == [0, 1, 2, 1] and kept.bytes == 80 and len(kept) == 2
    assert kept.get("large", lambda: bytes(1000)) and len(kept) == 1
    assert len(pickle.loads(pickle.dumps(kept))) == 0


def test_over_the_pole_one_goes_on_down_the_other_side() -> None:
    picture = np.arange(4 * 8, dtype=np.uint8).reshape(4, 8)
    wide = pad_panorama(picture)
    assert wide.shape == (6, 19)
    assert wide[0, 1] == picture[0, 4] and wide[5, 1] == picture[3, 4]
    assert wide[1, 0] == picture[0, 7] and wide[1, 17] == picture[0, 0] and wide[1, 18] == picture[0, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((np.nan, 0.0, view(8, 8)), "finite direction"),
        ((0.0, 91.0, view(8, 8)), "from -90 to 90"),
        ((0.0, 0.0, panorama(8)), "field of view"),
    ],
)
def test_bad_looks_are_refused(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Sphere(smooth_picture()).view(*given)
    with pytest.raises(InputError, match="height x width"):
        Sphere(np.zeros(5, np.uint8))


@pytest.mark.parametrize(("width", "height"), [(512, 256), (30_000, 15_000)])
@pytest.mark.parametrize("smooth", [True, False])
def test_compiled_maps_are_opencvs(width: int, height: int, smooth: bool) -> None:
    """Beside `geometry.View` in double precision and `cv2.convertMaps`: at most a step of a 32nd of a pixel off."""
    import cv2

    lens = view(60, 40, 100.0)
    x, y = np.meshgrid(np.arange(60) + 0.5, np.arange(40) + 0.5)
    for pitch, roll, phase in ((0.0, 0.0, 0), (-35.0, 20.0, 7), (90.0, 0.0, 31), (80.0, -170.0, 16)):
        seen = View(Direction(0.0, pitch), 60, 40, 100.0, roll).direction(x, y)
        column, row = (np.asarray(found, np.float64) for found in to_equirectangular(*seen, width, height))
        # A padded panorama has a column and a row before its own; OpenCV counts from pixels' middles.
        column = (column - 0.5 + 1 + phase / PHASES).astype(np.float32)
        exact = cv2.convertMaps(column, (row + 0.5).astype(np.float32), cv2.CV_16SC2, nninterpolation=not smooth)
        found = remap_tables(lens, width, height, pitch, roll, phase, smooth)
        off = _steps(*found, smooth) - _steps(*exact, smooth)
        off[..., 0] = (off[..., 0] + width * PHASES // 2) % (width * PHASES) - width * PHASES // 2
        assert np.abs(off).max() <= (1 if smooth else PHASES) and (off != 0).mean() < 0.05


def _steps(whole: Any, shares: Any, smooth: bool) -> npt.NDArray[np.int64]:
    steps: npt.NDArray[np.int64] = whole.astype(np.int64) * PHASES
    if smooth:
        steps += np.stack([shares % PHASES, shares // PHASES], axis=-1)
    return steps
