"""Pictures beside generated datasets: what they show, their names in the records, and how a run is resumed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bearleft import evaluate, make_dataset, report
from bearleft.data import check, load
from bearleft.envs.gym import LookEnv, PointEnv
from bearleft.errors import InputError
from bearleft.generate import datasets, shards
from bearleft.records import Direction, Episode, Point, Pose
from bearleft.reports.film.film import FilmConfig, write_film
from bearleft.runtime.store import sha256
from bearleft.world.album import write
from bearleft.world.album.album import Album
from bearleft.world.album.write import AlbumConfig
from bearleft.world.pictures import AlbumPictures
from bearleft.world.render.camera import view
from tests.commands import run_command
from tests.test_cli import rows as json_rows

WORLD, ROOMS = "city/3/4x5", "rooms/0/42"
WIDTH, HEIGHT = 256, 128
CONFIG = AlbumConfig((WIDTH, HEIGHT), ("rgb", "instances"), samples=1)
SPLITS = {"city/sdr": "dev", "city/refer360": "validation.unseen", "city/touchdown": "dev", "city/pairs": "colour"}
SIZES = {"city/sdr": 4, "city/refer360": 8, "city/touchdown": 1, "city/pairs": 1}

pytestmark = pytest.mark.usefixtures("city_cache", "small_units")


@pytest.fixture
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "SHARD_SIZE", 2)
    monkeypatch.setattr(write, "CPU_BATCH_PIXELS", 1)  # one picture at a time


def make(out: Path, dataset: str, **changes: Any) -> datasets.GeneratedDataset:
    asked: dict[str, Any] = {"world": WORLD, "out": out, "processes": 1, "pictures": CONFIG}
    return make_dataset(dataset, [SPLITS[dataset]], SIZES[dataset], **asked | changes)


@pytest.fixture(scope="module")
def made(shared_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of datasets with pictures."""
    out = tmp_path_factory.mktemp("with pictures")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BEARLEFT_CACHE", str(shared_cache))
        patch.setattr(shards, "SHARD_SIZE", 2)
        for dataset in SPLITS:
            make(out, dataset)
    return out


def records(out: Path, dataset: str) -> list[Any]:
    """The records of a dataset, read with plain json."""
    path = next((out / dataset).glob(f"{SPLITS[dataset]}.json*"))
    text = path.read_text()
    return json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]


def instances_near(out: Path, dataset: str, file: str, x: float, y: float) -> set[int]:
    """The instances of a picture at a point and in the pixels next to it."""
    colours = Path(file)
    with Image.open(out / dataset / colours.parents[1] / "instances" / f"{colours.stem}.png") as picture:
        bands = np.asarray(picture).astype(int)
    numbers = bands[..., 0] * 65536 + bands[..., 1] * 256 + bands[..., 2]
    rows, columns = (int(y) + np.arange(-1, 2)).clip(0, HEIGHT - 1), (int(x) + np.arange(-1, 2)) % WIDTH
    return set(numbers[np.ix_(rows, columns)].ravel().tolist())


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("dataset", SPLITS)
def test_records_name_their_pictures(made: Path, dataset: str) -> None:
    found = records(made, dataset)
    names = {file for row in found for file in row.get("extra", row)["pictures"].values()}
    for name in names:
        with Image.open(made / dataset / name) as picture:
            assert picture.size == (WIDTH, HEIGHT)
    entry = json.loads((made / dataset / "manifest.json").read_text())["splits"][SPLITS[dataset]]
    assert entry["pictures"] == len(names)
    stored = {str(path.relative_to(made / dataset)) for path in (made / dataset).glob("pictures/*/rgb/*.jpg")}
    assert stored == names
    checked = check(made, [f"{dataset}/{SPLITS[dataset]}"])
    assert not checked.errors


def test_a_missing_picture_is_an_error_of_check(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "city/pairs", tmp_path / "city/pairs")
    picture = next((tmp_path / "city/pairs").glob("pictures/*/rgb/*.jpg"))
    picture.unlink()
    (error,) = check(tmp_path, ["city/pairs/colour"]).errors
    assert "the 1 pictures that colour.jsonl names, got 1 missing" in error and picture.name in error


def seen_from(row: dict[str, str]) -> set[str]:
    return {row[f"{name}_pano"] for name in ("pre", "main", "post")} - {""}


def test_routes_and_views_have_pictures(made: Path) -> None:
    (line,) = records(made, "city/touchdown")
    assert set(line["pictures"]) == {*line["route_panoids"], *seen_from(line)}
    for row in records(made, "city/sdr"):
        assert set(row["pictures"]) == seen_from(row)


def test_clicks_of_sdr_are_pixels_of_the_pictures(made: Path) -> None:
    clicks = 0
    for row in records(made, "city/sdr"):
        for name in ("pre", "main", "post"):
            click = json.loads(row[f"{name}_static_center"])
            if click["x"] >= 0:
                file = row["pictures"][row[f"{name}_pano"]]
                x, y = click["x"] * WIDTH, click["y"] * HEIGHT
                assert row["target"]["instance"] in instances_near(made, "city/sdr", file, x, y)
                clicks += 1
    assert clicks >= 2


def test_longitudes_of_refer360_are_pixels_of_the_pictures(made: Path) -> None:
    found = records(made, "city/refer360")
    for row in found:
        (file,) = row["pictures"].values()
        x, y = WIDTH * (row["xlng_deg"] + 180) / 360, HEIGHT * (90 - row["ylat_deg"]) / 180
        target = row["target"]["instance"]
        assert (0xFFFFFF if target < 0 else target) in instances_near(made, "city/refer360", file, x, y)
    assert {row["pictures"][row["img_idx"]].split("/")[1] for row in found} == {"city-3-4x5", "rooms-0-42"}


@pytest.mark.parametrize("dataset", SPLITS)
def test_both_formats_name_the_same_pictures(made: Path, dataset: str) -> None:
    episodes = load(f"{dataset}/{SPLITS[dataset]}", made)
    if dataset != "city/pairs":
        assert load(made / dataset / "episodes" / f"{SPLITS[dataset]}.jsonl") == episodes
    for episode in episodes:
        assert episode.start.place in episode.extra["pictures"]


def with_both_worlds(episodes: list[Episode]) -> list[Episode]:
    return [next(episode for episode in episodes if episode.world == world) for world in (WORLD, ROOMS)]


@pytest.mark.slow
def test_bearleft_reads_the_pictures_again(made: Path, tmp_path: Path) -> None:
    folder = made / "city/refer360"
    episodes = with_both_worlds(load("city/refer360/validation.unseen", made))
    env = LookEnv(episodes, see="panorama", size=(WIDTH, HEIGHT), pictures=folder / "pictures")
    for episode in episodes:
        observation, _ = env.reset(seed=0, options={"episode": episode.id})
        with Image.open(folder / episode.extra["pictures"][episode.start.place]) as picture:
            stored = np.asarray(picture)
        shift = round(observation["look"][0] / 360 * WIDTH)
        turned = np.roll(stored, -shift, axis=1)
        assert np.abs(observation["panorama"].astype(float) - turned).mean() < 12
    name = "city/refer360/validation.unseen"
    evaluate("gold", name, tmp_path / "gold.jsonl", data=made)
    result = report(tmp_path / "gold.jsonl", output=tmp_path / "report.html", data=made, pictures=folder / "pictures")
    assert result.rows[0]["pictures"] == len({episode.start.place for episode in load(name, made)})
    config = FilmConfig(size=320, pictures=str(folder / "pictures"))
    write_film(tmp_path / "gold.jsonl", episodes[1].id, tmp_path / "film.gif", config, made)
    assert (tmp_path / "film.gif").stat().st_size


def test_the_target_of_sdr_is_where_the_stored_picture_shows_it(made: Path) -> None:
    episode = load("city/sdr/dev", made)[0]
    folder = made / "city/sdr/pictures/city-3-4x5"
    album = Album.open(folder, read=("instances",))
    goal = episode.legs[0].goal
    assert isinstance(goal, Point) and goal.place is not None
    sphere = album.sphere(goal.place, "instances")
    looked = sphere.view(goal.direction.heading, goal.direction.pitch, view(33, 33, 20.0))
    assert episode.extra["target"]["instance"] in looked[14:19, 14:19]
    env = PointEnv([episode], see="view", size=32, pictures=made / "city/sdr/pictures")
    observation, _ = env.reset(seed=0)
    source = AlbumPictures(Album.open(folder), WORLD)
    expected = source.view(Pose(Direction(*observation["look"]), episode.start.place), 32)
    assert np.array_equal(observation["view"], expected)


class KilledError(Exception):
    pass


@pytest.mark.slow
def test_a_killed_run_is_resumed(made: Path, tmp_path: Path) -> None:
    def kill(label: str, done: int, _total: int) -> None:
        if label == "places" and done == 1:
            raise KilledError

    with pytest.raises(KilledError):
        make(tmp_path, "city/sdr", progress=kill)
    rgb = tmp_path / "city/sdr/pictures/city-3-4x5/rgb"
    written = {path.name: path.stat().st_mtime_ns for path in rgb.iterdir() if not path.name.startswith(".")}
    assert 1 <= len(written) < len(list((made / "city/sdr/pictures/city-3-4x5/rgb").iterdir()))
    assert "pictures" not in records(tmp_path, "city/sdr")[0]  # names are written when all pictures exist
    lines: list[str] = []
    make(tmp_path, "city/sdr", report=lines.append)
    assert all((rgb / name).stat().st_mtime_ns == time for name, time in written.items())
    files = {path.relative_to(made) for path in (made / "city/sdr").rglob("*") if path.is_file()}
    assert {path.relative_to(tmp_path) for path in (tmp_path / "city/sdr").rglob("*") if path.is_file()} == files
    assert [str(path) for path in files if sha256(tmp_path / path) != sha256(made / path)] == []
    (line,) = lines
    assert line.startswith(f"{WORLD}: {len(list(rgb.iterdir()))} panoramas of 256 x 128 pixels (rgb, instances)")
    assert line.endswith(f", of which {len(written)} exist")


@pytest.mark.slow
def test_existing_splits_get_pictures_later_and_keep_them(made: Path, tmp_path: Path) -> None:
    make(tmp_path, "city/sdr", pictures=None)
    assert "pictures" not in records(tmp_path, "city/sdr")[0]
    make(tmp_path, "city/sdr")
    assert records(tmp_path, "city/sdr") == records(made, "city/sdr")
    again = make(tmp_path, "city/sdr", pictures=None)
    assert again.rows[0]["pictures"] and records(tmp_path, "city/sdr") == records(made, "city/sdr")
    with pytest.raises(InputError, match=r"pictures, which the records of dev name.*--pictures"):
        make_dataset("city/sdr/dev", size=8, world=WORLD, out=tmp_path, processes=1)
    with pytest.raises(InputError, match="whose size is"):
        make(tmp_path, "city/sdr", pictures=AlbumConfig((64, 32), ("rgb", "instances"), samples=1))


def test_arramon_has_no_panoramas(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'a dataset with panoramas: city/touchdown.*"city/arramon"'):
        make_dataset("city/arramon", ["small"], 1, out=tmp_path, pictures=CONFIG)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--size", 2, "--world", WORLD, "-o", tmp_path, "--processes", 1, "--json")
    code, out, err = run_command(
        capsys, "data", "make", "city/sdr/dev", *asked, "--pictures", "--picture-size", "64x32", "--channel", "rgb"
    )
    assert code == 0
    (row,) = json_rows(out)
    assert row["dataset"] == "city/sdr/dev" and row["pictures"] == len(
        {file for line in records(tmp_path, "city/sdr") for file in line["pictures"].values()}
    )
    assert f"{WORLD}: {row['pictures']} panoramas of 64 x 32 pixels in {tmp_path}" in err
    for mistake, expected in (
        (("city/sdr", "--channel", "depth"), "expected --channel for pictures, with --pictures"),
        (("city/arramon", "--pictures"), "a dataset with panoramas"),
        (("city/sdr", "--pictures", "--channel", "depth"), "channels with rgb"),
        (("city/sdr", "--pictures", "--picture-size", "64x64"), "twice as wide as high"),
    ):
        code, out, err = run_command(capsys, "data", "make", *mistake, "-o", tmp_path / "none")
        assert (code, out) == (2, "") and expected in err
