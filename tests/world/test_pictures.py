"""Pictures in observations: what they show, when they change, and that none come unasked."""

from __future__ import annotations

import json
import pickle
import warnings
from dataclasses import replace
from itertools import pairwise
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from bearleft.data import load
from bearleft.envs.gym import LookEnv, PointEnv, ReachEnv, ReachVectorEnv
from bearleft.envs.legs import make_game
from bearleft.errors import InputError
from bearleft.records import Direction, Pose
from bearleft.world.city.city import City, build_plan, open_city
from bearleft.world.city.streets import city_graph
from bearleft.world.pictures import RenderedPictures, make_lens
from bearleft.world.render.camera import panorama, view
from bearleft.world.render.gpu import available
from bearleft.world.render.light import Light

IDS = ["bearleft/Reach-v0", "bearleft/Point-v0", "bearleft/Look-v0"]
LOOKING: list[Any] = [(name, see) for name in IDS for see in ("view", "panorama")]


@pytest.fixture(scope="module")
def city() -> City:
    return City(build_plan(city_graph(0, 2, 2)))


@pytest.mark.slow
def test_a_panoramas_column_is_the_views(city: City) -> None:
    """The column under a heading against the middle column of a view that way."""
    eyes = RenderedPictures(city)
    for heading in (0.0, 137.0, 301.5):
        where = city.poses([20], heading)
        around, ahead = eyes.render(where, panorama(721, 721)), eyes.render(where, view(161, 161, 90.0))
        pitch = np.degrees(np.arctan((80.5 - np.arange(161) - 0.5) / 80.5))
        rows = np.floor((90 - pitch) / 180 * 721).astype(int)
        column = 360
        assert (around.instance[0, rows, column] == ahead.instance[0, :, 80]).mean() > 0.9
        assert (around.kind[0, rows, column] == ahead.kind[0, :, 80]).mean() > 0.9
        off = np.abs(around.rgb[0, rows, column].astype(float) - ahead.rgb[0, :, 80])
        assert np.median(off) < 3
        assert off.mean() < 14


def test_views_and_panoramas_one_by_one_and_together(city: City) -> None:
    eyes = RenderedPictures(city, samples=2)
    ids = city.graph.ids
    many = eyes.views([3, 20, 9], [10, 200, 300], [0, 30, -20], (48, 32), 70.0)
    assert many.shape == (3, 32, 48, 3)
    for k, (place, heading, pitch) in enumerate(((3, 10, 0), (20, 200, 30), (9, 300, -20))):
        one = eyes.view(Pose(Direction(heading, pitch), ids[place]), (48, 32), 70.0)
        np.testing.assert_array_equal(many[k], one)
    around = eyes.panoramas([3, 20], [90, 0], 64)
    np.testing.assert_array_equal(around[0], eyes.panorama(ids[3], 90, 64))
    np.testing.assert_array_equal(np.roll(eyes.panorama(ids[3], 0, 64), -16, axis=1)[:, 8:56], around[0][:, 8:56])


def test_light_and_samples_change_what_is_seen(city: City) -> None:
    pose = Pose(Direction(0), city.graph.ids[20])
    noon, night = RenderedPictures(city).view(pose, 64), RenderedPictures(city, light=Light(22.0)).view(pose, 64)
    assert night.mean() < noon.mean() - 40
    smooth = RenderedPictures(city, samples=3).view(pose, 64)
    assert not np.array_equal(smooth, noon)
    assert np.abs(smooth.astype(float) - noon).mean() < 25
    copy = pickle.loads(pickle.dumps(RenderedPictures(city)))
    np.testing.assert_array_equal(copy.view(pose, 64), noon)


@pytest.mark.slow
def test_the_players_of_games_can_look() -> None:
    """An agent that has eyes sees what its observation tells of; observations themselves stay plain."""
    eyes = RenderedPictures(open_city("town/0"))
    rng = np.random.default_rng(0)
    for name in ("town/dev", "town/point", "town/look"):
        episode = load(name)[0]
        game = make_game(episode.legs[0], episode.start, episode, rng)
        seen = game.observe()
        assert json.loads(json.dumps(seen)) == seen
        ahead = eyes.observe(seen, "view", 48)
        np.testing.assert_array_equal(
            ahead, eyes.view(Pose(Direction(seen["heading"], seen.get("pitch", 0.0)), seen["place"]), 48)
        )
        middle = seen["yaw"] if "yaw" in seen else seen["heading"]
        np.testing.assert_array_equal(eyes.observe(seen, "panorama", 64), eyes.panorama(seen["place"], middle, 64))


def test_no_pictures_unasked() -> None:
    every: list[gym.Env[Any, Any]] = [ReachEnv(), PointEnv(), LookEnv()]
    for env in every:
        seen, _ = env.reset(seed=0)
        assert not {"view", "panorama"} & set(seen)
        assert env.render() is None


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(("name", "see"), LOOKING)
def test_gymnasiums_own_check_with_pictures(name: str, see: str) -> None:
    env = gym.make(name, see=see, size=32)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(normalized|symmetric).*")
        check_env(env.unwrapped, skip_render_check=True)
    seen, _ = env.reset(seed=3)
    assert seen[see].shape == ((32, 32, 3) if see == "view" else (16, 32, 3))
    assert seen[see].dtype == np.uint8
    assert seen[see].std() > 5
    again, _ = gym.make(name, see=see, size=32).reset(seed=3)
    np.testing.assert_array_equal(seen[see], again[see])
    copy = pickle.loads(pickle.dumps(env.unwrapped))
    np.testing.assert_array_equal(copy.reset(seed=3)[0][see], seen[see])


def test_walking_and_turning_change_the_view() -> None:
    env = ReachEnv(see="view", size=(64, 48))
    env.reset(seed=0)
    views = [env.step(np.int64(action))[0]["view"] for action in (0, 0, 2, 0)]
    assert views[0].shape == (48, 64, 3)
    for one, other in pairwise(views):
        assert np.abs(one.astype(float) - other).mean() > 3
    seen = env.step(np.int64(3))[0]["view"]
    np.testing.assert_array_equal(seen, views[-1])  # one who stops sees the same


def test_looking_around_changes_the_view() -> None:
    env = LookEnv(see="view", size=64, fov=60.0)
    seen, _ = env.reset(seed=0)
    views = [seen["view"], *(env.step(np.int64(action))[0]["view"] for action in (3, 3, 3, 1))]
    for one, other in pairwise(views):
        assert not np.array_equal(one, other)
    assert env.game is not None
    assert env.game.observe()["fov"] == 60
    np.testing.assert_array_equal(env.step(np.int64(4))[0]["view"], views[-1])  # reading on turns nothing


def test_a_pointers_panorama_has_the_yaw_in_its_middle() -> None:
    env = PointEnv(see="panorama", size=64)
    seen, about = env.reset(seed=1)
    start = next(episode for episode in env.episodes.all if episode.id == about["episode"]).start
    assert start.place is not None
    expected = RenderedPictures(open_city("town/0")).panorama(start.place, float(seen["yaw"][0]), 64)
    np.testing.assert_array_equal(seen["panorama"], expected)


@pytest.mark.parametrize("see", ["view", "panorama"])
def test_vector_equals_single(see: str) -> None:
    names = ["1", "5", "9", "14"]
    many = ReachVectorEnv(4, see=see, size=32, horizon=20)
    singles = [ReachEnv(see=see, size=32, horizon=20) for _ in names]
    seen, _ = many.reset(options={"episode": names})
    assert many.observation_space.contains(seen)
    alone = [env.reset(options={"episode": name})[0] for env, name in zip(singles, names, strict=True)]
    rng = np.random.default_rng(0)
    for _ in range(6):
        for k in range(4):
            np.testing.assert_array_equal(seen[see][k], alone[k][see])
        actions = rng.integers(0, 3, 4)
        seen, *_ = many.step(actions)
        alone = [env.step(action)[0] for env, action in zip(singles, actions, strict=True)]


@pytest.mark.slow
def test_frames_for_people() -> None:
    reach = ReachEnv(render_mode="rgb_array")
    assert reach.render() is None
    reach.reset(seed=0)
    first = reach.render()
    for _ in range(4):
        reach.step(np.int64(0))
    later = reach.render()
    assert first is not None
    assert later is not None
    assert first.shape == later.shape == (384, 512 + 384, 3)
    assert not np.array_equal(first[:, 512:], later[:, 512:])  # the map shows the walk
    assert not np.array_equal(first[:, :512], later[:, :512])
    point = PointEnv(render_mode="rgb_array")
    point.reset(seed=0)
    before = point.render()
    point.step(np.array([20.0, 10.0]))
    after = point.render()
    assert before is not None
    assert after is not None
    changed = (before != after).any(axis=2)
    assert 100 < changed.sum() < 800  # two crosses, and nothing else
    look = LookEnv(render_mode="rgb_array")
    look.reset(seed=0)
    frame = look.render()
    assert frame is not None
    assert frame[192, 256].tolist() == [224, 112, 16]
    for env in (reach, point, look):
        assert env.metadata["render_modes"] == ["rgb_array"]
        assert env.metadata["render_fps"] > 0


@pytest.mark.slow
def test_frames_of_many_walkers() -> None:
    many = ReachVectorEnv(2, render_mode="rgb_array")
    assert many.render() is None
    many.reset(options={"episode": ["1", "2"]})
    single = ReachEnv(render_mode="rgb_array")
    single.reset(options={"episode": "2"})
    for _ in range(3):
        many.step(np.zeros(2, np.int64))
        single.step(np.int64(0))
    frames, alone = many.render(), single.render()
    assert frames is not None
    assert alone is not None
    np.testing.assert_array_equal(frames[1], alone)
    assert not np.array_equal(frames[0], frames[1])


@pytest.mark.slow
def test_registered_environments_render() -> None:
    for name in IDS:
        env = gym.make(name, render_mode="rgb_array")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*(normalized|symmetric).*")
            check_env(env.unwrapped)
        env.reset(seed=0)
        frame: Any = env.render()
        assert frame.dtype == np.uint8
        assert frame.ndim == 3
        env.close()


@pytest.mark.slow
def test_two_cities_on_one_town() -> None:
    one, other = (ReachEnv(see="view", size=48, city=seed) for seed in (0, 1))
    assert not np.array_equal(one.reset(seed=0)[0]["view"], other.reset(seed=0)[0]["view"])


def test_what_cannot_be_seen() -> None:
    walk, point = load("town/dev")[:1], load("town/point")[:1]
    with pytest.raises(InputError, match="pictures of the world"):
        ReachEnv([replace(walk[0], world="matterport/17DRP5sb8fy")], see="view")
    with pytest.raises(InputError, match="pictures of the world"):
        PointEnv([replace(point[0], world="refer360")], see="panorama")
    PointEnv([replace(point[0], world="refer360")])  # without pictures it can be played
    for expected, asked in (
        ("view or panorama", {"see": "map"}),
        ("a width from 1", {"see": "view", "size": 0}),
        ("a field of view", {"see": "view", "fov": 180.0}),
        ("a seed from 0", {"see": "view", "city": -1}),
        ("samples from 1 to 8", {"see": "view", "samples": 9}),
        ("the name of a device", {"see": "view", "device": "gpu"}),
        ("the render mode rgb_array", {"render_mode": "human"}),
        ("a picture option", {"sea": "view"}),
    ):
        given: Any = asked
        with pytest.raises(InputError, match=expected):
            ReachEnv(walk, **given)
    with pytest.raises(InputError, match="a width, or width and height"):
        make_lens("view", (1, 2, 3))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a pose at a place"):
        RenderedPictures(open_city("town/0")).view(Pose(Direction(0), position=(0, 0, 0)))


@pytest.mark.slow
@pytest.mark.skipif(available(), reason="there is a GPU")
def test_no_gpu() -> None:
    with pytest.raises(InputError, match="a CUDA GPU"):
        ReachEnv(see="view", size=16, device="cuda").reset(seed=0)
