"""What walkers see: maps and cells around the heading, RGB views, and views that are prepared later."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.models.examples import Panorama  # noqa: E402
from bearleft.models.features.sources import features_for  # noqa: E402
from bearleft.models.walking import views as module  # noqa: E402
from bearleft.models.walking.live_views import LiveRgbViews  # noqa: E402
from bearleft.models.walking.network import BANDS, CELLS, MEAN_MAP, NO_VIEW, RGB, SECTORS  # noqa: E402
from bearleft.models.walking.states import PlaceIndex  # noqa: E402
from bearleft.models.walking.views import RGB_FOV, RGB_SIDE, RgbViews, open_views  # noqa: E402
from bearleft.world.city.city import open_city  # noqa: E402
from bearleft.world.pictures import find_pictures  # noqa: E402
from bearleft.world.render.camera import Lens, cameras  # noqa: E402
from bearleft.world.slices import PAPER, Slicing  # noqa: E402
from bearleft.world.worlds import open_world  # noqa: E402

WORLD = "city/3/4x5"
SMALL = Slicing(92, 160)  # 20 x 96 cells
CHANNELS = 3
BACKBONE: Any = SimpleNamespace(channels=CHANNELS, hash="")


@pytest.fixture(scope="module")
def places() -> PlaceIndex:
    return PlaceIndex((open_world(WORLD),))


class Noise:
    """Features that are noise, fixed for each place."""

    def __init__(self, slicing: Slicing) -> None:
        self.slicing = slicing

    def map(self, place: int) -> Any:
        rng = np.random.default_rng([3, place])
        return rng.normal(0.0, 1.0, (CHANNELS, self.slicing.rows, self.slicing.columns)).astype(np.float32)

    def __call__(self, numbers: Any) -> Any:
        return torch.from_numpy(np.stack([self.map(int(number)) for number in numbers]))


@pytest.fixture
def noise(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Replace features of pictures by noise; return the function that makes it."""

    def replace(slicing: Slicing) -> Any:
        made = Noise(slicing)
        monkeypatch.setattr(module, "features_for", lambda *_args, **_options: made)
        return made

    return replace


def column_of(slicing: Slicing, heading: float, yaw: float) -> float:
    """Return the column of a heading on the horizon, by the slices' own projection."""
    return float(slicing.to_cells(heading - yaw, 0.0)[1])


def poses(places: PlaceIndex, count: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    headings = np.concatenate([[0.0, 90.0, 359.9, 180.0], rng.uniform(0.0, 360.0, count - 4)])
    return rng.choice(min(len(places), 6), count), headings.astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("slicing", [SMALL, PAPER], ids=["small", "paper"])
def test_mean_maps_are_centred_on_the_heading(slicing: Slicing, places: PlaceIndex, noise: Any) -> None:
    features = noise(slicing)
    views = open_views(MEAN_MAP, places, BACKBONE, slicing)
    numbers, headings = poses(places, 24)
    assert views is not None
    views.prepare(numbers, headings)
    seen = views(torch.from_numpy(numbers), torch.from_numpy(headings.astype(np.float32)))
    rows = slicing.rows
    assert seen.shape == (24, rows, rows) and views.shape == (rows, rows)
    if slicing is PAPER:
        assert views.shape == (100, 100)
    for number, heading, crop in zip(numbers, headings, seen.numpy(), strict=True):
        whole = features.map(number).mean(0)
        middle = round(column_of(slicing, heading, float(places.yaw[number])))
        errors = []
        for shift in (-1, 0, 1):  # columns are spaced evenly in a slice's picture, not in angles
            slow = np.empty((rows, rows))
            for k in range(rows):
                slow[:, k] = whole[:, (middle + shift - rows // 2 + k) % slicing.columns]
            errors.append(float(np.abs(slow - crop).max()))
        assert min(errors) < 1e-6


def slow_cells(features: Any) -> Any:
    """Return means and maxima of sectors from the left and bands from the top, normalized, by loops."""
    channels, rows, columns = features.shape
    out = np.zeros((SECTORS, BANDS, 2 * channels))
    edges = [round(share * rows) for share in (0.0, 0.3, 0.5, 0.65, 1.0)]
    for sector in range(SECTORS):
        left, right = math.floor(sector * columns / SECTORS), math.ceil((sector + 1) * columns / SECTORS)
        for band in range(BANDS):
            part = features[:, edges[band] : edges[band + 1], left:right].astype(np.float64).reshape(channels, -1)
            values = np.concatenate([part.mean(1), part.max(1)])
            out[sector, band] = (values - values.mean()) / np.sqrt(values.var() + 1e-5)
    return out


def test_cells_go_clockwise_from_the_heading(places: PlaceIndex, noise: Any) -> None:
    features = noise(SMALL)
    views = open_views(CELLS, places, BACKBONE, SMALL)
    assert views is not None
    numbers, headings = poses(places, 24)
    # In the middle of a sector, the projection of slices and evenly spaced sectors agree.
    headings[4:16] = (places.yaw[numbers[4:16]] - 180.0 + 5.625 * (np.arange(12) * 5 + 0.5)) % 360.0
    views.prepare(numbers, headings)
    seen = views(torch.from_numpy(numbers), torch.from_numpy(headings.astype(np.float32))).numpy()
    assert seen.shape[1:] == (SECTORS, BANDS, 2 * CHANNELS)
    for k, (number, heading) in enumerate(zip(numbers, headings, strict=True)):
        whole = slow_cells(features.map(number))
        first = math.floor(column_of(SMALL, heading, float(places.yaw[number])) / SMALL.columns * SECTORS)
        errors = [np.abs(np.roll(whole, -(first + shift), 0) - seen[k]).max() for shift in (0, -1, 1)]
        assert (errors[0] if 4 <= k < 16 else min(errors)) < 1e-4


@pytest.mark.slow
def test_views_of_rendered_pictures_can_be_prepared_later(places: PlaceIndex) -> None:
    """Views are the same whether all places are prepared at once or some of them later."""
    backbone = load_backbone("random:1")
    graph = places.graphs[0]
    numbers = np.array([0, 7, 12])
    panoramas = [Panorama(WORLD, graph.ids[k], float(graph.yaw[k])) for k in numbers]
    maps = features_for(panoramas, backbone, SMALL, cache=False)(torch.arange(3)).float()
    index, headings = torch.from_numpy(numbers), torch.tensor([10.0, 200.0, 300.0])
    for kind in (MEAN_MAP, CELLS):
        whole, lazy = (open_views(kind, places, backbone, SMALL) for _ in range(2))
        assert whole is not None and lazy is not None
        whole.prepare(numbers, headings.double().numpy())
        lazy.prepare(numbers[2:], headings[2:].double().numpy())
        before = lazy(index[2:], headings[2:])
        lazy.prepare(numbers[[1, 0, 2]], headings.double().numpy())
        assert torch.equal(lazy(index[2:], headings[2:]), before)
        torch.testing.assert_close(lazy(index, headings), whole(index, headings), rtol=0, atol=1e-5)
        if kind == MEAN_MAP:
            column = round(((300.0 - float(graph.yaw[12]) + 180.0) % 360.0) / 360.0 * SMALL.columns)
            crop = np.take(maps[2].mean(0).numpy(), np.arange(column - 10, column + 10) % SMALL.columns, axis=1)
            np.testing.assert_allclose(before[0].numpy(), crop, atol=1e-5)


def test_rgb_views_equal_the_pictures(places: PlaceIndex) -> None:
    views = open_views(RGB, places, None)
    assert isinstance(views, RgbViews) and views.shape == (3, 84, 84) and RGB_FOV == 60.0
    numbers, headings = np.array([3, 3, 20]), np.array([0.0, 123.4, 359.97])
    views.prepare(numbers[:2], headings[:2])
    views.prepare(numbers, headings)
    assert len(views.values) == 3
    seen = views(torch.from_numpy(numbers), torch.from_numpy(headings.astype(np.float32)))
    source = find_pictures(WORLD)
    assert source is not None
    expected = source.views(numbers, np.array([0.0, 123.4, 0.0]), 0.0, (RGB_SIDE, RGB_SIDE), RGB_FOV)
    for k in range(3):
        np.testing.assert_allclose(seen[k].numpy(), expected[k].transpose(2, 0, 1) / 255.0, atol=1e-6)


def test_rgb_views_between_two_tenths_of_a_degree(places: PlaceIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """A heading of 0.05 degrees is rounded alike in double and in single precision."""
    monkeypatch.setattr(RgbViews, "_render", lambda self, keys: torch.zeros(len(keys), *self.shape, dtype=torch.uint8))
    views = RgbViews(places)
    headings = np.arange(0.05, 360.0, 0.1)
    views.prepare(np.full(len(headings), 5), headings)
    steps = torch.round(torch.from_numpy(headings.astype(np.float32)).double() * 10.0).long() % 3600
    assert set((5 * 3600 + steps).tolist()) <= set(views.keys.tolist())


def test_live_rgb_views_are_those_that_are_kept() -> None:
    """Of walkers in several worlds, at any headings; nothing is prepared."""
    index = PlaceIndex((open_world(WORLD), open_world("rooms/1/3")))
    second = index.offsets["rooms/1/3"]
    numbers = np.array([3, second + 1, 20, 3, second])
    headings = np.array([0.0, 123.44, 359.97, 200.05, 10.0], np.float32)
    live, kept = LiveRgbViews(index), RgbViews(index)
    kept.prepare(numbers, headings.astype(np.float64))
    places, looks = torch.from_numpy(numbers)[:, None], torch.from_numpy(headings)[:, None]
    seen = live(places, looks)
    assert seen.shape == (5, 1, 3, 84, 84) and torch.equal(seen, kept(places, looks))
    dark = LiveRgbViews(index, shadows=False)(places, looks)
    assert not torch.equal(dark[0], seen[0]) and float((dark[0] - seen[0]).min()) >= 0.0  # nothing gets darker


class CameraRenderer:
    """Stands for the renderer of a scene on a GPU: its pictures show the numbers of cameras."""

    def __init__(self, scene: Any) -> None:
        self.poses: Any = None  # of the cameras

    def colours_into(self, rgb: Any, rows: Any, chosen: Any, lens: Any, shadows: bool) -> None:
        assert lens == Lens(RGB_SIDE, RGB_SIDE, RGB_FOV) and rows.dtype == torch.float32 and rows.is_contiguous()
        expected = cameras(self.poses, lens)
        for k, row in enumerate(rows.numpy()):
            if chosen[k]:
                (found,) = np.flatnonzero((row == expected).all(1))
                rgb[k] = int(found) + (100 if shadows else 0)


def test_live_rgb_views_choose_cameras_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU: each world's renderer gets the same cameras that a city gives, and renders its own walkers."""
    worlds = ("city/3/4x5", "rooms/1/3")
    index = PlaceIndex(tuple(map(open_world, worlds)))
    monkeypatch.setattr("bearleft.world.render.gpu.Renderer", CameraRenderer)
    live = LiveRgbViews(index, shadows=False)
    live._build_on_gpu()
    headings = np.array([0.0, 123.4, 359.9])
    for world, renderer in zip(worlds, live.renderers, strict=True):
        renderer.poses = open_city(world).poses(np.array([0, 1, 2]), headings)
    second = index.offsets[worlds[1]]
    places = torch.tensor([[second + 2, 1], [second, 2]])
    looks = torch.tensor([[359.94, 123.36], [0.02, 359.9]])
    numbers = (live(places, looks) * 255.0).round()[:, :, 0, 5, 5]
    assert numbers.tolist() == [[2.0, 1.0], [0.0, 2.0]]


def test_live_rgb_views_need_rendered_pictures() -> None:
    with pytest.raises(InputError, match="rendered pictures of town/0"):
        LiveRgbViews(PlaceIndex((open_world("town/0"),)))


def test_networks_without_views_need_none(places: PlaceIndex) -> None:
    assert open_views(NO_VIEW, places, None) is None
    with pytest.raises(InputError, match="a feature store"):
        open_views(RGB, places, None, store="features")
    with pytest.raises(InputError, match="at most eight times as high as wide"):
        open_views(MEAN_MAP, places, load_backbone("random:1"), Slicing(8, 160))
