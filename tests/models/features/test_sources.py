"""Feature sources: computed, cached in 8 bits, stored; interrupted writes, full disks and wrong folders."""

from __future__ import annotations

import fcntl
import json
import resource
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from PIL import Image  # noqa: E402

from bearleft.cli import main  # noqa: E402
from bearleft.data import load, write  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.models.examples import Examples, Panorama  # noqa: E402
from bearleft.models.features.quantize import MAX_CODE, Quantizer  # noqa: E402
from bearleft.models.features.sources import (  # noqa: E402
    CachedFeatures,
    ComputedFeatures,
    FeatureStore,
    features_for,
    open_store,
)
from bearleft.models.features.write import write_store  # noqa: E402
from bearleft.world.album.album import Album  # noqa: E402
from bearleft.world.album.write import AlbumConfig, write_album  # noqa: E402
from bearleft.world.city.city import open_city  # noqa: E402
from bearleft.world.pictures import PictureConfig, RenderedPictures, open_pictures  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402
from tests.models.tolerances import Means  # noqa: E402

WORLD, ROOMS_WORLD = "city/3/4x5", "rooms/0/12"
TALL_SLICING = Slicing(28, 104)
SMALL_SLICING = Slicing(28, 40)  # slices of 4 x 5 cells, the last of a row reaching beyond


@pytest.fixture(scope="module")
def panoramas() -> tuple[Panorama, ...]:
    """Return panoramas of two worlds, interleaved."""
    city, rooms = open_city(WORLD).graph, open_city(ROOMS_WORLD).graph
    streets = [Panorama(WORLD, city.ids[10 * k], 33.0 * k) for k in range(7)]
    indoors = [Panorama(ROOMS_WORLD, rooms.ids[k], 0.0) for k in range(3)]
    return (*streets[:2], indoors[0], *streets[2:], *indoors[1:])


@pytest.fixture(scope="module")
def computed(panoramas: tuple[Panorama, ...]) -> ComputedFeatures:
    return ComputedFeatures(panoramas, Means(), SMALL_SLICING)


@pytest.fixture(scope="module")
def all_features(computed: ComputedFeatures) -> Any:
    """Return the features of all panoramas, (n, rows, columns, channels)."""
    return computed(torch.arange(len(computed.panoramas))).permute(0, 2, 3, 1)


def examples_of(panoramas: tuple[Panorama, ...], indices: list[int]) -> Examples:
    ids = tuple(str(k) for k in range(len(indices)))
    return Examples(ids, ids, panoramas, np.array(indices, np.int64), np.zeros((len(indices), 2)))


def test_slices_are_joined_from_left_to_right(computed: ComputedFeatures, all_features: Any) -> None:
    """They equal slices rendered one by one, turning to the right."""
    panorama = computed.panoramas[4]
    pictures = RenderedPictures(open_city(WORLD))
    for k in range(8):
        heading = panorama.yaw - 180.0 + 22.5 + 45.0 * k
        slice_pixels = pictures.views([pictures.place_index(panorama.place)], heading, 0.0, (28, 40), 45.0)[0] / 255.0
        cells = all_features[4, :, 4 * k : 4 * k + 4].numpy() + 0.25
        assert np.allclose(cells[:, :3], slice_pixels[:, :24].reshape(5, 8, 3, 8, 3).mean((1, 3)), atol=1e-5)
        assert np.allclose(cells[:, 3], slice_pixels[:, 24:].reshape(5, 8, 4, 3).mean((1, 2)), atol=1e-5)


def test_indices_may_repeat_in_any_order(computed: ComputedFeatures, all_features: Any) -> None:
    indices = torch.tensor([5, 2, 9, 2, 0, 8])
    features = computed(indices)
    assert features.shape == (6, 3, 5, 32) and features.is_contiguous(memory_format=torch.channels_last)
    assert torch.allclose(features.permute(0, 2, 3, 1), all_features[indices], atol=1e-6)
    torch.nn.Conv2d(3, 1, 1)(features).sum().backward()  # gradients flow


def test_resnet18_features_equal_the_backbone(panoramas: tuple[Panorama, ...]) -> None:
    backbone = load_backbone("random:0")
    features = ComputedFeatures(panoramas[:1], backbone, SMALL_SLICING)
    maps = features(torch.tensor([0]))
    assert maps.shape == (1, 128, 5, 32)
    first = backbone(torch.from_numpy(features.slices(np.array([0]))[:1]))  # its batch norms are not folded
    assert torch.allclose(maps[..., :4], first, rtol=1e-3, atol=1e-3)


def test_indices_are_found_for_several_splits(computed: ComputedFeatures, panoramas: tuple[Panorama, ...]) -> None:
    train, dev = examples_of(panoramas[:6], [3, 3, 0]), examples_of(panoramas[4:], [0, 5])
    features = features_for([train, dev], Means(), SMALL_SLICING, cache=False)
    assert features.panoramas == (panoramas[3], panoramas[0], panoramas[4], panoramas[9])
    assert features.indices(train).tolist() == [0, 0, 1] and features.indices(dev).tolist() == [2, 3]
    assert computed.indices(dev).tolist() == [4, 9]
    with pytest.raises(InputError, match=panoramas[1].place):
        features.index(panoramas[1])


def test_cached_features_are_quantized(computed: ComputedFeatures, all_features: Any) -> None:
    cached = CachedFeatures.from_source(computed)
    assert cached.codes.dtype == torch.uint8
    error = (cached(torch.tensor([7, 1])).permute(0, 2, 3, 1) - all_features[[7, 1]]).abs()
    assert (error <= cached.quantizer.step / 2 + 1e-6).all() and error.max() > 0
    assert cached.indices(examples_of(computed.panoramas, [6])).tolist() == [6]
    subset = CachedFeatures.from_source(computed, computed.panoramas[3:5])
    assert subset.panoramas == computed.panoramas[3:5] and len(subset.codes) == 2


ranges = st.floats(-1e4, 1e4, width=32)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(ranges, ranges, ranges), min_size=1, max_size=6))
def test_quantization_error_is_at_most_half_a_step(triples: list[tuple[float, float, float]]) -> None:
    low, middle, high = torch.tensor([sorted(triple) for triple in triples], dtype=torch.float32).T
    quantizer = Quantizer.from_range(low, high)
    for values in (low, middle, high):
        dequantized = quantizer.dequantize(quantizer.quantize(values), torch.float32)
        assert ((dequantized - values).abs() <= quantizer.step * 0.501 + 1e-3).all()
    beyond = quantizer.quantize(torch.stack([low - 9e4, high + 9e4]))
    assert (beyond[0] == 0).all() and (beyond[1] == MAX_CODE).all()
    zero = torch.zeros_like(low)
    assert torch.equal(quantizer.dequantize(quantizer.quantize(zero), torch.float32)[low >= 0], zero[low >= 0])


@pytest.mark.parametrize("half", [False, True])
def test_store_equals_computed_features(
    all_features: Any, panoramas: tuple[Panorama, ...], tmp_path: Path, half: bool
) -> None:
    result = write_store(tmp_path, panoramas[:6], Means(), SMALL_SLICING, half=half)
    assert (result.requested, result.written, result.present) == (6, 6, 0) and result.clipped == 0
    result = write_store(tmp_path, panoramas, Means(), SMALL_SLICING, half=half)
    assert (result.requested, result.written, result.present, result.total) == (10, 4, 6, 10)
    stored = FeatureStore(tmp_path)
    assert stored.panoramas == (*panoramas[:6], *panoramas[6:]) and isinstance(stored.maps, np.memmap)
    tolerance = 1e-3 if stored.quantizer is None else (stored.quantizer.step / 2 + 1e-6)
    features = stored(torch.tensor([5, 0, 5]))
    assert features.is_contiguous(memory_format=torch.channels_last)
    assert ((features.permute(0, 2, 3, 1) - all_features[[5, 0, 5]]).abs() <= tolerance).all()
    cached = features_for(panoramas[2:4], Means(), SMALL_SLICING, store=tmp_path, cache=True)
    assert isinstance(cached, CachedFeatures) and cached.panoramas == panoramas[2:4]
    if not half:
        assert np.array_equal(cached.codes.numpy(), stored.maps[2:4])


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


def test_interrupted_store_resumes_to_the_same_bytes(panoramas: tuple[Panorama, ...], tmp_path: Path) -> None:
    complete, killed = tmp_path / "whole", tmp_path / "killed"
    write_store(complete, panoramas, Means(), SMALL_SLICING)

    def kill(label: str, done: int, _: int) -> None:
        if label == "features" and done >= 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_store(killed, panoramas, Means(), SMALL_SLICING, progress=kill)
    assert json.loads((killed / "about.json").read_text())["count"] == 8
    for name in ("features.u8", "panoramas.jsonl"):  # an unfinished write
        with open(killed / name, "ab") as out:
            out.write(b"{half")
    assert len(FeatureStore(killed).panoramas) == 8
    assert write_store(killed, panoramas, Means(), SMALL_SLICING).written == 2
    assert contents(killed) == contents(complete)


def test_full_disk_keeps_complete_panoramas(
    panoramas: tuple[Panorama, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, limits = tmp_path / "store", resource.getrlimit(resource.RLIMIT_FSIZE)
    bytes_per_panorama = 5 * 32 * 3
    resource.setrlimit(resource.RLIMIT_FSIZE, (6 * bytes_per_panorama, limits[1]))  # room for six of ten
    try:
        with pytest.raises(InputError, match=r"6 more panoramas.*resumes"):
            write_store(folder, panoramas, Means(), SMALL_SLICING)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(FeatureStore(folder).panoramas) == 4
    monkeypatch.setattr("bearleft.models.features.write.shutil.disk_usage", lambda _: SimpleNamespace(free=100))
    with pytest.raises(InputError, match="GB free for 6 more"):
        write_store(folder, panoramas, Means(), SMALL_SLICING)
    monkeypatch.undo()
    assert write_store(folder, panoramas, Means(), SMALL_SLICING).present == 4
    assert len(FeatureStore(folder).panoramas) == 10


@pytest.fixture(scope="module")
def store(panoramas: tuple[Panorama, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("features") / "store"
    write_store(folder, panoramas[:4], Means(), SMALL_SLICING)
    return folder


def test_incompatible_requests_raise(store: Path, panoramas: tuple[Panorama, ...]) -> None:
    with pytest.raises(InputError, match=f'"{panoramas[4].place}" of {WORLD}.*bearleft features DATASET -o'):
        open_store(panoramas[3:6], Means(), SMALL_SLICING, "cpu", store)
    with pytest.raises(InputError, match=r'"other" \(other\), got those of "means"'):
        open_store(panoramas[:1], Means("other"), SMALL_SLICING, "cpu", store)
    with pytest.raises(InputError, match="28 x 48 pixels, got 28 x 40"):
        write_store(store, panoramas, Means(), Slicing(28, 48))
    with pytest.raises(InputError, match="features in f16, got u8"):
        write_store(store, panoramas, Means(), SMALL_SLICING, half=True)
    with pytest.raises(InputError, match=r"no about\.json"):
        FeatureStore(store.parent)
    with open(store / ".lock") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="nobody else writes"):
            write_store(store, panoramas, Means(), SMALL_SLICING)
    assert len(FeatureStore(store).panoramas) == 4


def test_stores_of_version_1_load_and_can_be_extended(
    store: Path, panoramas: tuple[Panorama, ...], tmp_path: Path
) -> None:
    for name, content in contents(store).items():
        (tmp_path / name.replace("features.", "cells.")).write_bytes(content)
    info = json.loads((tmp_path / "about.json").read_text())
    old_keys = {"backbone": "trunk", "backbone_hash": "trunk_hash", "dtype": "form", "pictures": "seen"}
    old_info = {old_keys.get(key, key): value for key, value in info.items()} | {"version": 1}
    (tmp_path / "about.json").write_text(json.dumps(old_info))
    current, upgraded = FeatureStore(store), FeatureStore(tmp_path)
    assert upgraded.info == current.info and upgraded.panoramas == current.panoramas
    assert torch.equal(upgraded(torch.arange(4)), current(torch.arange(4)))
    assert write_store(tmp_path, panoramas[:6], Means(), SMALL_SLICING).written == 2
    assert len(FeatureStore(tmp_path).panoramas) == 6 and (tmp_path / "cells.u8").exists()
    assert json.loads((tmp_path / "about.json").read_text())["version"] == 2
    assert not (tmp_path / "features.u8").exists()


DAMAGE: list[tuple[str, bytes, str]] = [
    ("about.json", b"{", "a store's about.json"),
    ("about.json", b"[]", "a store's about.json"),
    ("about.json", b'{"version": 9}', "version 2, got 9"),
    ("panoramas.jsonl", b'{"world": 1}\n' * 4, "one per line"),
    ("panoramas.jsonl", b"", "4 panoramas, got 0"),
    ("scales.npy", b"nothing", "an array"),
    ("features.u8", b"short", "1,920 bytes of 4 panoramas, got 5"),
]


@pytest.mark.parametrize(("name", "content", "message"), DAMAGE)
def test_damaged_store_raises(store: Path, tmp_path: Path, name: str, content: bytes, message: str) -> None:
    for path, bytes_ in contents(store).items():
        (tmp_path / path).write_bytes(content if path == name else bytes_)
    with pytest.raises(InputError, match=message):
        FeatureStore(tmp_path)


@pytest.fixture(scope="module")
def album(panoramas: tuple[Panorama, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an album of the first two places."""
    folder = tmp_path_factory.mktemp("album")
    (folder / "ids").write_text("\n".join(panorama.place for panorama in panoramas[:2]))
    write_album(folder / "album", WORLD, AlbumConfig((512, 256), samples=1, picture="png"), places=str(folder / "ids"))
    return folder / "album"


def test_album_features_equal_rendered_features(
    album: Path, panoramas: tuple[Panorama, ...], all_features: Any
) -> None:
    from_album = features_for(panoramas[:2], Means(), SMALL_SLICING, pictures=PictureConfig([album]), cache=False)
    error = (from_album(torch.arange(2)).permute(0, 2, 3, 1) - all_features[:2]).abs()
    assert error.mean() < 0.03 and error.median() < 0.02
    with pytest.raises(InputError, match=r"all 3 panoramas, got none of 1.*" + panoramas[3].place):
        features_for((*panoramas[:2], panoramas[3]), Means(), SMALL_SLICING, pictures=PictureConfig([album]))


def test_album_without_headings_uses_the_yaw_of_panoramas(
    album: Path, panoramas: tuple[Panorama, ...], all_features: Any, tmp_path: Path
) -> None:
    """A plain folder of pictures centred on the yaws of panoramas; one place is in no graph."""
    for place, panorama in (("elsewhere", panoramas[1]), (panoramas[1].place, panoramas[1])):
        rotated = Album.open(album).sphere(panorama.place).rotated(panorama.yaw, 512, 256)
        Image.fromarray(rotated).save(tmp_path / f"{place}.png")
    for place in ("elsewhere", panoramas[1].place):
        panorama = Panorama(WORLD, place, panoramas[1].yaw)
        from_album = features_for([panorama], Means(), SMALL_SLICING, pictures=PictureConfig([tmp_path]), cache=False)
        error = (from_album(torch.tensor([0])).permute(0, 2, 3, 1)[0] - all_features[1]).abs()
        assert error.mean() < 0.03


@pytest.mark.parametrize(("world", "hint"), [("touchdown", "--city 0$"), ("refer360", "--pictures FOLDER.$")])
def test_worlds_without_pictures_raise_with_a_hint(world: str, hint: str) -> None:
    with pytest.raises(InputError, match=f"pictures of the world.*{hint}"):
        open_pictures([world])


def test_features_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("jsonl", load("city/sdr/small")[:3], tmp_path / "few.jsonl")
    command = [
        "features",
        str(tmp_path / "few.jsonl"),
        "-o",
        str(tmp_path),
        "--backbone",
        "random:1",
        "--size",
        "16x24",
        "--json",
    ]
    for existing in (0, 1):
        main(command)
        row = json.loads(capsys.readouterr().out)[0]
        assert row["existing"] == existing * row["panoramas"] and row["total"] == row["panoramas"] > 0
    assert FeatureStore(tmp_path).info.backbone == "random:1"


def test_middle_rows_of_tall_slices_equal_paper_slices(computed: ComputedFeatures, all_features: Any) -> None:
    """A taller slice of the same width has the same focal length and shows more above and below."""
    tall = ComputedFeatures(computed.panoramas, Means(), TALL_SLICING, sources=computed.sources)
    extra_rows = (TALL_SLICING.rows - SMALL_SLICING.rows) // 2
    tall_features = tall(torch.arange(len(tall.panoramas))).permute(0, 2, 3, 1)
    torch.testing.assert_close(tall_features[:, extra_rows:-extra_rows], all_features, rtol=0, atol=0.05)
    assert (
        TALL_SLICING.max_pitch > 50 and float((tall_features[:, 0] - tall_features[:, extra_rows]).abs().max()) > 1e-3
    )


def test_refer360_store_is_tall_and_keeps_its_slicing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(tmp_path / "few.jsonl"), "-o", str(tmp_path / "store"), "--backbone", "random:1", "--json"]
    write("jsonl", load("city/refer360/small")[:2], tmp_path / "few.jsonl")
    main(["features", *arguments, "--slices", "tall", "--size", "28x104"])
    assert "0 of 2 targets unreachable with 28x104 slices" in capsys.readouterr().err
    main(["features", *arguments])  # no slices named: the store's
    assert json.loads(capsys.readouterr().out)[0]["written"] == 0
    assert FeatureStore(tmp_path / "store").slicing == TALL_SLICING
    with pytest.raises(SystemExit):
        main(["features", *arguments, "--slices", "released"])
    assert f"To add to it: bearleft features DATASET -o {tmp_path / 'store'} --backbone random:1 --size 28x104" in (
        capsys.readouterr().err
    )


def test_store_keeps_released_slicing(panoramas: tuple[Panorama, ...], tmp_path: Path) -> None:
    """The same bytes can be opened with either slicing."""
    released = replace(SMALL_SLICING, released=True)
    write_store(tmp_path, panoramas[:1], Means(), released)
    assert FeatureStore(tmp_path).slicing == released
    assert open_store(panoramas[:1], Means(), SMALL_SLICING, "cpu", tmp_path).slicing == SMALL_SLICING


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_gpu_computes_tall_slices(computed: ComputedFeatures) -> None:
    on_gpu, on_cpu = (ComputedFeatures(computed.panoramas, Means(), TALL_SLICING, device) for device in ("cuda", "cpu"))
    indices = torch.arange(len(computed.panoramas))
    assert float((on_gpu(indices.cuda()).float().cpu() - on_cpu(indices)).abs().mean()) < 0.01


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_gpu_features_equal_cpu_features(computed: ComputedFeatures, all_features: Any) -> None:
    on_gpu = ComputedFeatures(computed.panoramas, Means(), SMALL_SLICING, "cuda")
    on_gpu.chunk_size = 3
    for indices in ([5, 2, 9, 2, 0, 8, 1], [0], list(range(10)) * 7):
        features = on_gpu(torch.tensor(indices, device="cuda")).permute(0, 2, 3, 1).float().cpu()
        assert (features - all_features[indices]).abs().mean() < 0.01
