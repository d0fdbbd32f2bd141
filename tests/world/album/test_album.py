"""Albums as sequences, opened in place and imported; folders of SUN360 and StreetLearn; place ids of datasets."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bearleft.cli import main
from bearleft.data import load
from bearleft.errors import InputError
from bearleft.world.album.album import Album
from bearleft.world.album.importers import find_pictures_in, import_album
from bearleft.world.album.layout import CHANNELS
from bearleft.world.album.write import AlbumConfig, write_album
from bearleft.world.graphs.touchdown import write_street_graph
from bearleft.world.render.camera import view
from bearleft.world.worlds import open_world
from tests.world.album.test_files import colours


def write_panorama(path: Path, width: int = 64, image_format: str = "JPEG", brightness: int = 0) -> Path:
    """Write a small panorama to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = np.clip(colours(width, width // 2).astype(int) + brightness, 0, 255).astype(np.uint8)
    Image.fromarray(picture).save(path, image_format, **({"quality": 95} if image_format == "JPEG" else {}))
    return path


@pytest.fixture
def photographs(tmp_path: Path) -> Path:
    """Return a user's folder of panoramas, with other files in it."""
    write_panorama(tmp_path / "mine" / "beach.jpg")
    write_panorama(tmp_path / "mine" / "hall.png", 128, "PNG")
    write_panorama(tmp_path / "mine" / "2021" / "spring fair.JPG", brightness=40)
    (tmp_path / "mine" / "notes.txt").write_text("dear")
    (tmp_path / "mine" / ".thumbs.jpg").write_text("no picture")
    return tmp_path / "mine"


def test_plain_folder_opens_in_place(photographs: Path) -> None:
    album = Album.open(photographs)
    assert album.ids == ("2021/spring fair", "beach", "hall") and len(album) == 3 and album.world is None
    assert "beach" in album.numbers and "mars" not in album.numbers
    assert album.rgb("hall").shape == (64, 128, 3)
    assert np.array_equal(album[1]["rgb"], album.rgb("beach"))
    assert [item["id"] for item in album] == list(album.ids)
    assert np.isnan(album["beach"]["position"]).all() and album["beach"]["yaw"] == 0
    assert album[-1]["id"] == "hall" and album[:2].ids == album.ids[:2] and isinstance(album[1:], Album)
    assert next(reversed(album))["id"] == "hall"
    with pytest.raises(IndexError):
        album[3]
    with pytest.raises(InputError, match='a place of the album, got "beech"') as caught:
        album.rgb("beech")
    assert "Did you mean beach?" in caught.value.hint
    with pytest.raises(InputError, match="by its number or id"):
        album.rgb(1.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match='the channel "depth"'):
        album.depth(0)
    with pytest.raises(InputError, match="channel"):
        Album.open(photographs, read=("depth",))


def test_album_can_be_pickled(photographs: Path) -> None:
    album = Album.open(photographs)
    again = pickle.loads(pickle.dumps(album))
    assert again.ids == album.ids and np.array_equal(again.rgb(0), album.rgb(0))


def test_data_loader_reads_an_album(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    for k in range(7):
        write_panorama(tmp_path / "mine" / f"p{k}.jpg", brightness=10 * k)
    loader = torch.utils.data.DataLoader(Album.open(tmp_path / "mine"), batch_size=3, num_workers=2)
    batches = list(loader)
    assert [tuple(batch["rgb"].shape) for batch in batches] == [(3, 32, 64, 3)] * 2 + [(1, 32, 64, 3)]
    assert [place for batch in batches for place in batch["id"]] == [f"p{k}" for k in range(7)]
    assert batches[0]["rgb"].dtype == torch.uint8 and batches[0]["yaw"].dtype == torch.float64


def test_data_loader_reads_every_channel(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    write_album(tmp_path / "album", "city/3/4x5", AlbumConfig((32, 16), CHANNELS, samples=1), places="0..3")
    for workers in (0, 1):  # in this process every warning is an error
        loader = torch.utils.data.DataLoader(
            Album.open(tmp_path / "album", read=CHANNELS), batch_size=4, num_workers=workers
        )
        (batch,) = loader
        assert set(batch) == {"id", "position", "yaw", *CHANNELS}
        assert all(tuple(batch[channel].shape[:3]) == (4, 16, 32) for channel in CHANNELS)
        assert batch["classes"].dtype == torch.uint8 and batch["instances"].dtype == torch.int32


@pytest.mark.parametrize("how", ["link", "copy"])
def test_import_resumes_and_keeps_the_pictures(photographs: Path, tmp_path: Path, how: str) -> None:
    result = import_album(photographs, tmp_path / "album", how)
    assert (result.places, result.written, result.others) == (3, 3, 1)
    album = Album.open(tmp_path / "album")
    assert album.ids == Album.open(photographs).ids
    for place in album.ids:
        assert np.array_equal(album.rgb(place), Album.open(photographs).rgb(place))
        assert album.entry(place).path(album.folder).is_symlink() == (how == "link")
    (tmp_path / "album" / "rgb" / "beach.jpg").unlink()
    again = import_album(photographs, tmp_path / "album", how)
    assert (again.places, again.written, again.present) == (3, 1, 2)
    with pytest.raises(InputError, match="nothing there") as caught:
        (tmp_path / "album" / "rgb" / "beach.jpg").unlink()
        album.rgb("beach")
    assert caught.value.file.endswith("beach.jpg")


def test_import_can_resize_pictures(photographs: Path, tmp_path: Path) -> None:
    result = import_album(photographs, tmp_path / "album", size=(32, 16))
    album = Album.open(tmp_path / "album")
    assert result.places == 3 and album.about.size == (32, 16)
    assert {album.rgb(k).shape for k in range(3)} == {(16, 32, 3)}
    before = np.asarray(Image.fromarray(Album.open(photographs).rgb("hall")).resize((32, 16), Image.Resampling.BOX))
    assert np.abs(album.rgb("hall").astype(int) - before).mean() < 4
    with pytest.raises(InputError, match="whose size is"):
        import_album(photographs, tmp_path / "album", size=(64, 32))
    with pytest.raises(InputError, match="twice as wide"):
        import_album(photographs, tmp_path / "other", size=(64, 64))


def test_bad_pictures_stop_the_import_or_are_skipped(photographs: Path, tmp_path: Path) -> None:
    complete = (photographs / "beach.jpg").read_bytes()
    (photographs / "cut.jpg").write_bytes(complete[: len(complete) // 2])
    (photographs / "empty.jpg").write_bytes(b"")
    Image.fromarray(colours(40, 40)).save(photographs / "square.png")
    Image.fromarray(colours()).convert("L").save(photographs / "grey.png")
    Image.fromarray(colours()).convert("CMYK").save(photographs / "print.jpg")
    with pytest.raises(InputError, match=r"cut\.jpg"):
        import_album(photographs, tmp_path / "album")
    result = import_album(photographs, tmp_path / "album", skip_bad=True)
    assert {row["file"] for row in result.left_out} == {"cut.jpg", "empty.jpg", "square.png"}
    assert result.places == 5 and len(Album.open(tmp_path / "album")) == 5
    album = Album.open(tmp_path / "album")
    assert album.rgb("grey").shape == album.rgb("print").shape == (32, 64, 3)


def test_sun360_folder_is_recognized(tmp_path: Path) -> None:
    """In Refer360's files, indoor/restaurant/pano_apqqbmmivfquan.jpg is the place apqqbmmivfquan."""
    folder = tmp_path / "pano9104x4552"
    write_panorama(folder / "indoor" / "restaurant" / "pano_apqqbmmivfquan.jpg")
    write_panorama(folder / "outdoor" / "street" / "pano_aiwswewisvphhs.jpg")
    pictures = find_pictures_in(folder)
    assert (pictures.layout, pictures.world) == ("sun360", "refer360")
    assert {entry.id: entry.category for entry in pictures.entries} == {
        "apqqbmmivfquan": "indoor/restaurant",
        "aiwswewisvphhs": "outdoor/street",
    }
    import_album(folder, tmp_path / "album", size=(32, 16))
    album = Album.open(tmp_path / "album")
    assert album.world == "refer360" and album.entry("apqqbmmivfquan").category == "indoor/restaurant"
    write_panorama(folder / "indoor" / "shop" / "pano_apqqbmmivfquan.jpg")
    with pytest.raises(InputError, match=r"one picture of .*restaurant/pano_.* and indoor/shop"):
        find_pictures_in(folder)


def test_streetlearn_folder_is_recognized(tmp_path: Path) -> None:
    graph = open_world("town/3")
    ids = [f"{k:022d}" for k in range(len(graph))]
    folder = tmp_path / "jpegs"
    folder.mkdir()
    write_street_graph(
        type(graph).make("x", ids, graph.positions, graph.source, graph.target, graph.heading, graph.yaw), folder
    )
    for k in (2, 5):
        write_panorama(folder / f"{ids[k]}.jpg")
    write_panorama(folder / "elsewhere_but_22_long0.jpg")
    pictures = find_pictures_in(folder)
    assert pictures.layout == "streetlearn" and pictures.others == 0
    by_id = {entry.id: entry for entry in pictures.entries}
    assert by_id[ids[5]].yaw == pytest.approx(graph.yaw[5] % 360)
    offset = np.array([by_id[ids[5]].east, by_id[ids[5]].north]) - [by_id[ids[2]].east, by_id[ids[2]].north]
    assert np.allclose(offset, (graph.positions[5] - graph.positions[2])[:2], atol=0.3)
    assert by_id["elsewhere_but_22_long0"].east is None
    (folder / "nodes.txt").write_text("broken\n")
    with pytest.raises(InputError, match=r"nodes\.txt:1"):
        find_pictures_in(folder)


def test_import_checks_the_places_of_a_world(tmp_path: Path) -> None:
    graph = open_world("town/3")
    for place in (*graph.ids[:3], "mars"):
        write_panorama(tmp_path / "mine" / f"{place}.jpg")
    with pytest.raises(InputError, match='places of town/3, got "mars"'):
        import_album(tmp_path / "mine", tmp_path / "album", world="town/3")
    result = import_album(tmp_path / "mine", tmp_path / "album", world="town/3", skip_bad=True)
    assert (result.places, result.without, len(result.left_out)) == (3, len(graph) - 3, 1)
    album = Album.open(tmp_path / "album")
    assert np.allclose(album[graph.ids[1]]["position"], graph.positions[1], atol=0.001)
    assert album.of("town/3").world == "town/3"
    with pytest.raises(InputError, match="an album of the world town/4, got one of town/3"):
        album.of("town/4")


@pytest.mark.slow
def test_rooms_of_one_seed_look_the_same_in_albums_of_any_size(tmp_path: Path) -> None:
    few, many = tmp_path / "few", tmp_path / "many"
    config = AlbumConfig((64, 32), ("rgb", "instances"), samples=1, picture="png")
    write_album(few, "rooms/3/8", config, places="5..6")
    write_album(many, "rooms/3", config, places="5..6")
    small, large = Album.open(few), Album.open(many)
    for k in range(2):
        difference = np.abs(small.rgb(k).astype(int) - large.rgb(k)).max(axis=-1)
        assert (difference > 8).mean() < 0.01
    for album, world in ((small, "rooms/3"), (small, "rooms/3/60"), (large, "rooms/3/8")):
        assert np.array_equal(album.of(world).rgb("0000006"), album.rgb("0000006"))
    assert small.of("rooms/3/8").about.channels == ("rgb", "instances")
    with pytest.raises(InputError, match='the channel "instances"'):  # instance numbers differ
        small.of("rooms/3").instances(0)
    assert np.isnan(small.of("rooms/3")[0]["position"]).all()  # and so do the positions of rooms
    with pytest.raises(InputError, match="an album of the world rooms/4, got one of rooms/3/8"):
        small.of("rooms/4")


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("dataset", "prefix"), [("refer360/validation.seen", "pano_"), ("sdr/unseen_dev", "")])
def test_real_datasets_find_their_pictures(real_data: Path, tmp_path: Path, dataset: str, prefix: str) -> None:
    episodes = load(dataset, real_data)[:30]
    for episode in episodes:
        write_panorama(tmp_path / "mine" / "some" / f"{prefix}{episode.start.place}.jpg", 16)
    album = Album.open(tmp_path / "mine")
    assert all(episode.start.place in album.numbers for episode in episodes)
    assert album.of(episodes[0].world)


def test_invalid_folders_are_refused(tmp_path: Path, photographs: Path) -> None:
    for folder, message in ((tmp_path / "none", "nothing there"), (photographs / "beach.jpg", "a file")):
        with pytest.raises(InputError, match=message):
            Album.open(folder)
        with pytest.raises(InputError, match=message):
            find_pictures_in(folder)
    (tmp_path / "bare").mkdir()
    with pytest.raises(InputError, match="a folder with pictures"):
        Album.open(tmp_path / "bare")
    write_panorama(photographs / "beach.png", image_format="PNG")
    with pytest.raises(InputError, match=r'one picture of "beach", got beach\.jpg and beach\.png'):
        Album.open(photographs)
    with pytest.raises(InputError, match="name of a layout"):
        find_pictures_in(photographs, "cube")
    with pytest.raises(InputError, match="outside the folder"):
        import_album(photographs, photographs / "album")
    with pytest.raises(InputError, match="name of a way"):
        import_album(photographs, tmp_path / "album", "move")


def test_album_commands(photographs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run_json(*args: str) -> list[dict[str, Any]]:
        main([*args, "--json"])
        return list(json.loads(capsys.readouterr().out))

    album, picture = str(tmp_path / "album"), str(tmp_path / "view.png")
    assert run_json("album", "import", str(photographs), "-o", album)[0]["places"] == 3
    assert run_json("album", "check", album)[0]["missing"] == 0
    row = run_json("album", "view", album, "hall", "-o", picture, "--heading", "90", "--size", "40x30")[0]
    assert (row["width"], row["height"]) == (40, 30)
    expected = Album.open(album).sphere("hall").view(90.0, 0.0, view(40, 30))
    assert np.array_equal(np.asarray(Image.open(picture)), expected)
    (tmp_path / "album" / "rgb" / "beach.jpg").unlink()
    with pytest.raises(SystemExit) as caught:
        run_json("album", "check", album)
    assert caught.value.code == 1
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["missing"] == 1 and rows[1] == {
        "id": "beach",
        "channel": "rgb",
        "file": "rgb/beach.jpg",
        "problem": "is missing",
        "kind": "problem",
    }
    with pytest.raises(SystemExit) as caught:
        main(["album", "view", album, "beach", "-o", picture])
    assert caught.value.code == 2 and "beach.jpg" in capsys.readouterr().err


@pytest.mark.slow
def test_render_all_writes_an_album(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["render", "city/3/4x5", "--all", "-o", str(tmp_path / "album"), "--size", "32", "--channel", "rgb,depth"]
    main([*command, "--places", "4..6", "--format", "png", "--samples", "1", "--json"])
    assert json.loads(capsys.readouterr().out)[0]["written"] == 6
    main([*command, "--places", "9..9", "--format", "png", "--samples", "1"])
    assert "album holds 4 places" in capsys.readouterr().err
    album = Album.open(tmp_path / "album", read=("rgb", "depth"))
    assert album.about.picture == "png" and set(album[0]) == {"id", "position", "yaw", "rgb", "depth"}
    for extra, message in (
        (["--heading", "5"], "--heading"),
        (["--view"], "--view"),
        (["--channel", "x"], "channel"),
        (["--size", "64x33"], "twice as wide as high"),
    ):
        with pytest.raises(SystemExit):
            main([*command, *extra])
        assert message in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["render", "city/3/4x5", "-o", str(tmp_path / "a.png"), "--places", "1..2"])
    assert "--places" in capsys.readouterr().err
