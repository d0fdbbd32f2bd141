"""Tests of environments with stored pictures, compared with rendered ones."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from PIL import Image

from bearleft.data import load
from bearleft.envs.gym import LookEnv, PointEnv, ReachEnv, ReachVectorEnv
from bearleft.errors import InputError
from bearleft.records import Direction, Episode, Leg, Point, Pose, Reach
from bearleft.world.album.album import Album
from bearleft.world.album.write import AlbumConfig, write_album
from bearleft.world.city.city import open_city
from bearleft.world.pictures import AlbumPictures, RenderedPictures

WORLD = "city/3/4x5"


@pytest.fixture(scope="module")
def pair() -> tuple[int, int]:
    """Return two linked places."""
    graph = open_city(WORLD).graph
    return int(graph.source[40]), int(graph.target[40])


@pytest.fixture(scope="module")
def album(pair: tuple[int, int], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a lossless album of four places of a small city."""
    folder, graph = tmp_path_factory.mktemp("stored"), open_city(WORLD).graph
    (folder / "ids").write_text("\n".join(graph.ids[k] for k in (*pair, 3, 7)))
    write_album(folder / "album", WORLD, AlbumConfig((512, 256), samples=1, picture="png"), places=str(folder / "ids"))
    return folder / "album"


@pytest.fixture(scope="module")
def episodes(pair: tuple[int, int]) -> dict[str, list[Episode]]:
    graph, (first, second) = open_city(WORLD).graph, pair
    heading = float(graph.heading[40])
    ids = graph.ids
    walk = Leg("Go on.", Reach((ids[first], ids[second])))
    yaw = float(graph.yaw[first])
    spot = Leg("Look up. There.", Point(Direction(40.0, 5.0), ids[first], yaw), ("Look up.", "There."))
    return {
        "reach": [Episode("r", "own", WORLD, Pose(Direction(heading), ids[first]), (walk,))],
        "point": [Episode("p", "own", WORLD, Pose(Direction(yaw), ids[first]), (spot,))],
    }


ENVS: list[Any] = [(ReachEnv, "reach"), (PointEnv, "point"), (LookEnv, "point")]


@pytest.mark.parametrize(("make", "goal"), ENVS)
@pytest.mark.parametrize("see", ["view", "panorama"])
def test_stored_pictures_are_the_rendered_ones(
    make: Any, goal: str, see: str, album: Path, episodes: dict[str, list[Episode]]
) -> None:
    size = 96 if see == "view" else (128, 64)
    stored = make(episodes[goal], see=see, size=size, pictures=album)
    rendered = make(episodes[goal], see=see, size=size, samples=2)
    assert stored.observation_space == rendered.observation_space
    for env in (stored, rendered):
        env.action_space.seed(0)
    actions = [np.int64(0), np.int64(1)] if goal == "reach" else [rendered.action_space.sample()]
    first, second = stored.reset(seed=5)[0], rendered.reset(seed=5)[0]
    for action in actions:
        assert set(first) == set(second) and first[see].dtype == np.uint8
        difference = np.abs(first[see].astype(float) - second[see])
        assert np.median(difference) <= 4 and difference.mean() < 12
        first, second = stored.step(action)[0], rendered.step(action)[0]
    again = make(episodes[goal], see=see, size=size, pictures=str(album))
    assert np.array_equal(again.reset(seed=5)[0][see], stored.reset(seed=5)[0][see])


def test_env_passes_check_env_renders_and_pickles(album: Path, episodes: dict[str, list[Episode]]) -> None:
    env = gym.make("bearleft/Look-v0", dataset=episodes["point"], see="view", size=48, pictures=album)
    check_env(env.unwrapped, skip_render_check=True)
    framed = LookEnv(episodes["point"], pictures=album, render_mode="rgb_array")
    framed.reset(seed=1)
    assert np.asarray(framed.render()).shape == (384, 512, 3)
    walked = ReachEnv(episodes["reach"], pictures=album, render_mode="rgb_array")
    walked.reset(seed=1)
    assert np.asarray(walked.render()).ndim == 3
    assert pickle.loads(pickle.dumps(walked)).reset(seed=1)[1]["episode"] == "r"


@pytest.mark.parametrize("see", ["view", "panorama"])
def test_vector_env_equals_single(album: Path, episodes: dict[str, list[Episode]], see: str) -> None:
    vector_env = ReachVectorEnv(3, episodes["reach"], see=see, size=64, pictures=album)
    single = ReachEnv(episodes["reach"], see=see, size=64, pictures=album)
    observation, single_observation = vector_env.reset(seed=0)[0], single.reset(seed=0)[0]
    assert all(np.array_equal(picture, single_observation[see]) for picture in observation[see])


def test_picture_sources_have_one_interface(album: Path) -> None:
    city = open_city(WORLD)
    stored, rendered = AlbumPictures(Album.open(album), WORLD), RenderedPictures(city, samples=2)
    for source in (stored, rendered):
        assert source.views([3, 7], [10.0, 200.0], [0.0, 20.0], (40, 30), 80.0).shape == (2, 30, 40, 3)
        assert source.panoramas([3, 7], 5.0, 64).shape == (2, 32, 64, 3)
        assert source.graph.name == WORLD
    pose = Pose(Direction(200.0, 20.0), city.graph.ids[7])
    assert np.array_equal(
        stored.view(pose, (40, 30), 80.0), stored.views([3, 7], [10.0, 200.0], [0, 20.0], (40, 30), 80.0)[1]
    )
    difference = np.abs(
        stored.panorama(city.graph.ids[7], 123.0, 128).astype(float) - rendered.panorama(city.graph.ids[7], 123.0, 128)
    )
    assert difference.mean() < 8


def test_missing_panorama(album: Path) -> None:
    source = AlbumPictures(Album.open(album), WORLD)
    with pytest.raises(InputError, match='a place of the album, got "c000070"'):
        source.views([70], 0.0)
    with pytest.raises(InputError, match='a place of the world city/3/4x5, got "mars"'):
        source.panorama("mars")
    with pytest.raises(InputError, match="a pose at a place"):
        source.view(Pose(Direction(0.0), position=(0.0, 0.0, 2.0)))
    with pytest.raises(InputError, match="an album of the world city/4/4x5"):
        AlbumPictures(Album.open(album), "city/4/4x5")


def test_either_stored_or_rendered_pictures(album: Path, episodes: dict[str, list[Episode]]) -> None:
    with pytest.raises(InputError, match="pictures and samples"):
        LookEnv(episodes["point"], see="view", pictures=album, samples=2)
    with pytest.raises(InputError, match="nothing there"):
        LookEnv(episodes["point"], see="view", pictures=album / "none")
    with pytest.raises(InputError, match="see=") as caught:
        LookEnv(episodes["point"], pictures=album)
    assert caught.value.field == "pictures"
    with pytest.raises(InputError, match="at least one folder"):
        LookEnv(episodes["point"], see="view", pictures=[])


def test_one_album_per_world(album: Path, episodes: dict[str, list[Episode]], tmp_path: Path) -> None:
    """Episodes of several worlds use one album each, as city/refer360 does."""
    write_album(tmp_path / "rooms", "rooms/3/8", AlbumConfig((64, 32), samples=1), places="2..3")
    spot = Leg("There.", Point(Direction(40.0, 5.0), "0000003", 0.0), ("There.",))
    inside = Episode("q", "own", "rooms/3", Pose(Direction(0.0), "0000003"), (spot,))
    both = [*episodes["point"], inside]
    env = LookEnv(both, see="view", size=32, pictures=[tmp_path / "rooms", str(album)])
    for episode, folder in zip(both, (album, tmp_path / "rooms"), strict=True):
        observation, _ = env.reset(seed=0, options={"episode": episode.id})
        single_env = LookEnv([episode], see="view", size=32, pictures=folder)
        expected, _ = single_env.reset(seed=0, options={"episode": episode.id})
        assert np.array_equal(observation["view"], expected["view"])
    with pytest.raises(InputError, match="an album of the world rooms/3, got albums of city/3/4x5, city/3/4x5"):
        LookEnv([inside], see="view", pictures=(album, album))
    with pytest.raises(InputError, match="one album of the world city/3/4x5, got 2"):
        LookEnv(episodes["point"], see="view", pictures=(album, album))
    with pytest.raises(InputError, match="an album of the world rooms/3, got one of city/3/4x5"):
        LookEnv(both, see="view", pictures=album)


def test_refer360_with_own_pictures(real_data: Path, tmp_path: Path) -> None:
    """Uniform pictures under SUN360's file names stand in for the photographs."""
    episodes = load("refer360/validation.seen", real_data)[:4]
    for k, episode in enumerate(episodes):
        path = tmp_path / "sun360" / "indoor" / "shop" / f"pano_{episode.start.place}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (64, 32), (40 * k, 90, 9)).save(path, quality=95)
    env = LookEnv(episodes, see="view", size=32, pictures=tmp_path / "sun360")
    for k, episode in enumerate(episodes):
        observation, _ = env.reset(seed=0, options={"episode": episode.id})
        assert np.abs(observation["view"].astype(int) - [40 * k, 90, 9]).max() <= 4
    shop = tmp_path / "sun360" / "indoor" / "shop"
    before = LookEnv(episodes, see="view", pictures=tmp_path / "sun360")
    (shop / f"pano_{episodes[1].start.place}.jpg").unlink()
    with pytest.raises(InputError, match=f"{episodes[1].start.place}.jpg: .*nothing there"):
        before.reset(options={"episode": episodes[1].id})
    after = LookEnv(episodes, see="view", pictures=tmp_path / "sun360")
    with pytest.raises(InputError, match=f'a place of the album, got "{episodes[1].start.place}"'):
        after.reset(options={"episode": episodes[1].id})
