"""A user's own photographs and episodes, in a world of any name without links, through commands and environments."""

from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from PIL import Image

from bearleft import cli, evaluate, report, score
from bearleft.data import check, write
from bearleft.envs.gym import PointEnv  # its import registers the environments
from bearleft.errors import InputError
from bearleft.records import Direction, Episode, Leg, Point, Pose
from bearleft.reports.film.film import FilmConfig, write_film
from bearleft.world.album.album import Album
from bearleft.world.album.importers import import_album
from bearleft.world.pictures import AlbumPictures
from bearleft.world.render.camera import view
from bearleft.world.worlds import world_kind

COLOURS = {"beach": (200, 30, 30), "sub dir/Küche 3": (30, 200, 30), "v1.2": (30, 30, 200)}
# Several begin like the name of a world that bearleft knows.
WORLDS = ("my-photos", "Küche 3/oben.neu", "city/my photos", "rooms", "town/Berlin", "sections")
SENTENCES = ("Find the wall.", "The mark is on it.")
MARK = Direction(90.0, 0.0)


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of panoramas, each of one colour with a white mark a quarter to the right of its middle."""
    folder = tmp_path_factory.mktemp("own") / "photos"
    for name, colour in COLOURS.items():
        pixels = np.full((64, 128, 3), colour, np.uint8)
        pixels[30:34, 94:98] = 255
        path = folder / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(path)
    return folder


def own_episodes(world: str, sentences: tuple[str, ...] = ()) -> list[Episode]:
    text = " ".join(SENTENCES)
    return [
        Episode(f"e{k}", "mine", world, Pose(Direction(0), place), (Leg(text, Point(MARK, place), sentences),))
        for k, place in enumerate(COLOURS)
    ]


def nearest_place(pixels: Any) -> str:
    """Return the photograph whose colour most pixels have."""
    median = np.median(np.asarray(pixels, float).reshape(-1, 3), axis=0)
    return min(COLOURS, key=lambda place: float(np.abs(median - COLOURS[place]).sum()))


@pytest.mark.parametrize("world", WORLDS)
def test_a_name_of_no_known_form_is_a_world_without_links(world: str) -> None:
    kind = world_kind(world)
    assert not (kind.has_graph or kind.renderable or kind.generated or kind.free_movement)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("layout", ["folder", "album", "album of the world"])
def test_pictures_of_own_places(world: str, layout: str, photos: Path, tmp_path: Path) -> None:
    folder = photos
    if layout != "folder":
        folder = tmp_path / "album"
        import_album(photos, folder, world=world if layout == "album of the world" else None)
    source = AlbumPictures(Album.open(folder), world)
    for place, colour in COLOURS.items():
        assert tuple(source.panorama(place, size=64)[0, 0]) == colour
        assert tuple(source.view(Pose(MARK, place), size=33)[16, 16]) == (255, 255, 255)


def test_slices_for_networks_have_the_headings_of_the_pictures(photos: Path) -> None:
    source = AlbumPictures(Album.open(photos), "my-photos")
    for yaw in (0.0, 90.0):  # of the dataset; the middle of a photograph is heading 0
        pixels = source.slices(np.array([0]), np.array([yaw]), np.array([[MARK.heading]]), view(33, 33, 45.0))
        assert tuple(pixels[0, 16, 16]) == (255, 255, 255)


def test_a_second_leg_may_point_in_another_photograph(tmp_path: Path) -> None:
    first, second = (episode.legs[0] for episode in own_episodes("my-photos")[:2])
    start = Pose(Direction(0), "beach")
    write("jsonl", [Episode("both", "mine", "my-photos", start, (first, second))], tmp_path / "mine.jsonl")
    (trace,) = evaluate("random", str(tmp_path / "mine.jsonl"))
    assert len(trace.legs) == 2


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("name", "sentences"), [("Point-v0", ()), ("Look-v0", SENTENCES)])
def test_environments_show_own_pictures(world: str, name: str, sentences: tuple[str, ...], photos: Path) -> None:
    episodes = own_episodes(world, sentences)
    options: dict[str, Any] = {"dataset": episodes, "pictures": str(photos), "render_mode": "rgb_array"}
    env = gym.make(f"bearleft/{name}", see="panorama", size=(64, 32), disable_env_checker=True, **options)
    for episode in episodes:
        observation, info = env.reset(seed=0, options={"episode": episode.id})
        assert info["world"] == world
        assert nearest_place(observation["panorama"]) == episode.start.place
        assert nearest_place(env.render()) == episode.start.place
    if name == "Point-v0":
        *_, reward, terminated, _, _ = env.step(np.array([MARK.heading, MARK.pitch]))
        assert (reward, terminated) == (1.0, True)
    else:
        env = gym.make(f"bearleft/{name}", see="view", size=33, continuous=True, disable_env_checker=True, **options)
        env.reset(seed=0, options={"episode": "e1"})
        observation, *_ = env.step(np.array([MARK.heading, MARK.pitch, 0.0]))
        assert tuple(observation["view"][16, 16]) == (255, 255, 255)
        assert nearest_place(observation["view"]) == "sub dir/Küche 3"


def test_two_worlds_have_an_album_each(photos: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    Image.fromarray(np.full((64, 128, 3), 255, np.uint8)).save(other / "beach.png")
    episodes = [own_episodes("world 1")[0], replace(own_episodes("world 2")[0], id="other")]
    with pytest.raises(InputError, match=r"one album of the world.*album import FOLDER -o ALBUM --world 'world 1'"):
        PointEnv(episodes, see="panorama", pictures=[photos, other])
    for folder, world in ((photos, "world 1"), (other, "world 2")):
        import_album(folder, tmp_path / "albums" / world, world=world)
    env = PointEnv(episodes, see="panorama", size=64, pictures=tmp_path / "albums")
    for episode, colour in (("e0", COLOURS["beach"]), ("other", (255, 255, 255))):
        observation, _ = env.reset(seed=0, options={"episode": episode})
        assert tuple(observation["panorama"][0, 0]) == colour


def test_an_environment_without_pictures_names_the_option() -> None:
    with pytest.raises(InputError, match=r"my-photos.*pictures="):
        gym.make("bearleft/Point-v0", dataset=own_episodes("my-photos"), see="view", disable_env_checker=True)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("sentences", [(), SENTENCES])
@pytest.mark.parametrize("world", ["my-photos", "rooms/Küche 3"])
def test_evaluation_report_and_film(world: str, sentences: tuple[str, ...], photos: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    write("jsonl", own_episodes(world, sentences), path)
    checked = check(names=[str(path)])
    assert checked.rows[0]["episodes"] == 3 and not checked.errors
    evaluate("gold", str(path), tmp_path / "gold.jsonl")
    evaluate("random", str(path), tmp_path / "random.jsonl")
    values = {row["metric"]: row["value"] for row in score(tmp_path / "gold.jsonl").rows}
    assert values["Acc@11deg"] == 100.0
    result = report(
        tmp_path / "gold.jsonl", tmp_path / "random.jsonl", output=tmp_path / "report.html", pictures=photos
    )
    assert result.rows[0]["pictures"] == 3
    html = (tmp_path / "report.html").read_text()
    pictures = [base64.b64decode(block) for block in re.findall(r'id="picture\d+"[^>]*>([^<]+)<', html)]
    shown = [nearest_place(Image.open(io.BytesIO(picture)).convert("RGB")) for picture in pictures]
    assert sorted(shown) == sorted(COLOURS)
    config = FilmConfig(size=320, pictures=str(photos))
    for k, place in enumerate(COLOURS):
        film = tmp_path / f"{k}.gif"
        write_film(tmp_path / "gold.jsonl", f"e{k}", film, config)
        with Image.open(film) as picture:
            frame = np.asarray(picture.convert("RGB"))
        assert nearest_place(frame[frame.max(axis=2) > frame.min(axis=2) + 100]) == place


def test_a_report_and_a_film_without_pictures_name_the_option(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    write("jsonl", own_episodes("my-photos"), path)
    evaluate("gold", str(path), tmp_path / "gold.jsonl")
    result = report(tmp_path / "gold.jsonl", output=tmp_path / "report.html")
    assert any("my-photos" in remark and "--pictures" in remark for remark in result.remarks)
    with pytest.raises(InputError, match=r"pictures of my-photos.*--pictures"):
        write_film(tmp_path / "gold.jsonl", "e0", tmp_path / "film.gif")


def test_commands(
    photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write("jsonl", own_episodes("Küche 3"), "mine.jsonl")
    for command in (
        ["album", "import", str(photos), "-o", "album", "--world", "Küche 3"],
        ["data", "check", "mine.jsonl"],
        ["data", "stats", "mine.jsonl"],
        ["eval", "gold", "mine.jsonl", "-o", "gold.jsonl"],
        ["report", "gold.jsonl", "-o", "report.html", "--pictures", "album"],
        ["render", "episode", "gold.jsonl", "-o", "film.gif", "--size", "320", "--pictures", "album"],
    ):
        as_json = [] if command[0] == "eval" else ["--json"]
        cli.main([*command, *as_json])
        assert json.loads(capsys.readouterr().out) if as_json else True
