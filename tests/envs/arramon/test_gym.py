"""Tests of ArraMon's environments, single and vectorized: rewards, ends, pictures, invalid actions."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import bearleft.envs.gym  # noqa: F401  (registers them)
from bearleft.data import load
from bearleft.envs.arramon.collect import CollectGame
from bearleft.envs.arramon.gym import ACTION_NAMES, ArraMonEnv, AssembleEnv, CollectEnv
from bearleft.envs.arramon.gym_vector import ArraMonVectorEnv, AssembleVectorEnv, CollectVectorEnv
from bearleft.envs.arramon.pictures import EYE_HEIGHT, scene_of
from bearleft.errors import InputError
from bearleft.records import Assemble, Collect, Episode
from bearleft.world.arramon.room import room_scene
from bearleft.world.arramon.task_setup import TaskSetup
from tests.envs.arramon.test_vector import task

PAIRS: list[Any] = [(ArraMonEnv, ArraMonVectorEnv), (CollectEnv, CollectVectorEnv), (AssembleEnv, AssembleVectorEnv)]


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return load("city/arramon/small")


def demonstration(episode: Episode, leg: int) -> list[np.int64]:
    goal = episode.legs[leg].goal
    assert isinstance(goal, Collect | Assemble)
    return [np.int64(ACTION_NAMES[leg % 2].index(action)) for action in goal.actions]


def test_references_are_rewarded(episodes: list[Episode]) -> None:
    env = ArraMonEnv(episodes)
    for episode in episodes[:6]:
        observation, info = env.reset(options={"episode": episode.id})
        assert info["episode"] == episode.id and info["world"] == "sections/0"
        for leg in range(4):
            assert (observation["text"], observation["phase"], observation["turn_index"]) == (
                episode.legs[leg].text,
                leg % 2,
                leg // 2,
            )
            assert observation["progress"] == 0
            for action in demonstration(episode, leg):
                assert env.observation_space.contains(observation)
                observation, reward, terminated, truncated, info = env.step(action)
            goal = episode.legs[leg].goal
            assert (reward, terminated, truncated) == (1.0, leg == 3, False)
            assert info["correct"] and info["by_agent"]
            assert info["leg"] == ("assemble" if leg % 2 else "collect")
            assert info["placed"] == goal.cell if isinstance(goal, Assemble) else info["taken"] == goal.item  # type: ignore[union-attr]


@pytest.mark.parametrize(("kind", "first"), [(CollectEnv, 0), (AssembleEnv, 1)])
def test_references_of_single_legs_are_rewarded(episodes: list[Episode], kind: type[ArraMonEnv], first: int) -> None:
    env = kind(episodes)
    for turn in (1, 2):
        episode, leg = episodes[turn], first + 2 * (turn - 1)
        observation, _ = env.reset(options={"episode": episode.id, "turn_number": turn})
        assert observation["text"] == episode.legs[leg].text and ("cell" in observation) == (first == 1)
        for action in demonstration(episode, leg):
            *_, reward, terminated, truncated, _ = env.step(action)
        assert (reward, terminated, truncated) == (1.0, True, False)
    turns = {int(env.reset(seed=k)[0]["turn_index"]) for k in range(8)}
    assert turns == {0, 1}


def test_legs_end_at_their_horizons(episodes: list[Episode]) -> None:
    env = ArraMonEnv(episodes, collect_horizon=3, assemble_horizon=2)
    env.reset(seed=1)
    ends = []
    for _ in range(10):
        *_, reward, terminated, truncated, info = env.step(np.int64(1))
        ends.append((info.get("leg"), terminated, truncated))
        assert reward == 0 and not info.get("by_agent")
    no = (None, False, False)
    collect, assemble, last = ("collect", False, False), ("assemble", False, False), ("assemble", False, True)
    assert ends == [no, no, collect, no, assemble, no, no, collect, no, last]
    with pytest.raises(InputError, match="no action after the end"):
        env.step(np.int64(0))
    env.reset(seed=1)
    env.step(np.int64(0))


def test_item_taken_without_reach_is_not_picked(episodes: list[Episode]) -> None:
    """A pick with nothing within reach takes the nearest item, but does not count as picked."""
    setting = episodes[0].extra["setting"]
    task = replace(episodes[0], extra={"setting": setting | {"lying": setting["lying"][:2]}})
    env, vector_env = CollectEnv([task]), CollectVectorEnv(1, [task])
    env.reset(options={"turn_number": 1})
    vector_env.reset(options={"turn_number": [1]})
    info, events = env.step(np.int64(3))[-1], vector_env.step(np.array([3]))[-1]
    assert info["by_agent"] and not info["correct"] and info["picked"] is None and info["taken"]  # the nearest
    assert events["picked"].tolist() == [-1] and events["taken"][0] >= 0
    env.reset(options={"turn_number": 1})
    for action in demonstration(task, 0):
        info = env.step(action)[-1]
    assert info["picked"] == info["taken"] == task.legs[0].goal.item  # type: ignore[union-attr]


def test_observed_positions_do_not_reveal_the_reference(episodes: list[Episode]) -> None:
    """Observed positions have three digits on the reference and off it; positions of the game have all digits."""
    env, vector_env = CollectEnv(episodes), CollectVectorEnv(1, episodes)
    for first in ((), (1,)):
        env.reset(options={"episode": episodes[0].id, "turn_number": 1})
        vector_env.reset(options={"episode": [episodes[0].id], "turn_number": [1]})
        for action in (*first, *demonstration(episodes[0], 0)[:-1]):
            observation, vector_observation = env.step(np.int64(action))[0], vector_env.step(np.array([action]))[0]
            assert isinstance(env.game, CollectGame)
            for position in (
                observation["position"],
                vector_observation["position"][0],
                env.game.observe()["position"][:2],
            ):
                assert [float(f"{part:.3f}") for part in position] == list(position)
                assert np.abs(np.subtract(position, env.game.position[:2])).max() <= 0.5001e-3
        assert isinstance(env.game, CollectGame) and observation["position"].tolist() != list(env.game.position[:2])


def test_impossible_place_raises_and_the_leg_continues(episodes: list[Episode]) -> None:
    env, lenient = AssembleEnv(episodes), AssembleEnv(episodes, raise_on_invalid=False)
    for assemble_env in (env, lenient):
        assemble_env.reset(seed=0)
        *_, info = assemble_env.step(np.int64(1))
        assert info["action_mask"].tolist() == [1, 1, 1, 0]
    for _ in range(2):
        with pytest.raises(InputError, match="a free cell ahead"):
            env.step(np.int64(3))
    observation, reward, terminated, truncated, info = lenient.step(np.int64(3))
    assert (reward, terminated, truncated, "leg" in info) == (0.0, False, False, False)
    assert observation["progress"] == 2 / 60
    for assemble_env in (env, lenient):
        observation, *_, info = assemble_env.step(np.int64(2))
        assert observation["heading"] == 0 and info["action_mask"].tolist() == [1, 1, 1, 1]
        assert assemble_env.step(np.int64(3))[2]
    assert env.action_space.sample(mask=np.array([0, 0, 0, 1], np.int8)) == 3


@pytest.mark.parametrize(("single", "vector"), PAIRS)
def test_vector_equals_single(
    single: type[ArraMonEnv], vector: type[ArraMonVectorEnv], episodes: list[Episode]
) -> None:
    """Play the same episodes and actions in both, with pictures, until each has ended."""
    rng, count = np.random.default_rng(2), 6
    options: Any = {"collect_horizon": 8, "assemble_horizon": 6}
    picture_options: Any = {"see": "view", "depth": True, "instances": True, "size": 12}
    names = [episodes[k].id for k in rng.integers(len(episodes), size=count)]
    turns = [1] * count if single is ArraMonEnv else [1, 2] * 3
    vector_env = vector(count, episodes, **options, **picture_options)
    singles = [single(episodes, raise_on_invalid=False, **options, **picture_options) for _ in names]
    observation, _ = vector_env.reset(seed=0, options={"episode": names, "turn_number": turns})
    assert vector_env.observation_space.contains(observation)
    observations = [
        env.reset(options={"episode": name, "turn_number": turn})[0]
        for env, name, turn in zip(singles, names, turns, strict=True)
    ]
    ended = np.zeros(count, bool)
    for step in range(28):
        for k in np.flatnonzero(~ended):
            assert set(observation) == set(observations[k])
            for key, value in observations[k].items():
                np.testing.assert_array_equal(observation[key][k], value, err_msg=f"{key} of {k} at step {step}")
        actions = rng.choice(4, size=count, p=[0.5, 0.2, 0.2, 0.1])
        if ended.all():
            break
        observation, reward, terminated, truncated, info = vector_env.step(actions)
        for k in np.flatnonzero(~ended):
            observations[k], *results, single_info = singles[k].step(actions[k])
            assert results == [reward[k], terminated[k], truncated[k]]
            assert ("leg" in single_info) == (info["by_agent"][k] or info["timed_out"][k])
        ended |= terminated | truncated
    assert ended.all()


def test_thousands_of_envs_are_reset_at_the_next_step(episodes: list[Episode]) -> None:
    env = gym.make_vec(
        "bearleft/Collect-v0",
        num_envs=1024,
        vectorization_mode="vector_entry_point",
        dataset=episodes,
        collect_horizon=3,
    )
    observation, _ = env.reset(seed=1)
    assert len(observation["text"]) == 1024 and len(set(observation["text"])) > 40
    for step in range(1, 9):
        observation, reward, terminated, truncated, _ = env.step(np.ones(1024, np.int64))
        assert truncated.all() == truncated.any() == (step in (3, 7))
        assert not terminated.any() and not reward.any()
        np.testing.assert_allclose(observation["progress"][:, 0], (step % 4) / 3)
    env.close()


def test_pictures_show_picked_and_placed_items(episodes: list[Episode]) -> None:
    env = ArraMonEnv(episodes, see="view", depth=True, instances=True, size=64)
    episode = episodes[0]
    observation, _ = env.reset(options={"episode": episode.id})
    first = observation["view"]
    assert first.std() > 10 and env.observation_space.contains(observation)
    *walk, _ = demonstration(episode, 0)
    for action in walk:
        observation, *_ = env.step(action)
    goal = episode.legs[0].goal
    assert isinstance(goal, Collect)
    items = TaskSetup.from_episode(episode).city_items
    by_name = sorted(items, key=lambda item: (item.item, item.at))
    instance = scene_of("sections/0").dynamic_base + by_name.index(items[0])
    mask = observation["instances"] == instance
    assert mask.sum() > 20
    distance = np.hypot(*np.subtract(goal.at[:2], observation["position"]))
    assert abs(np.median(observation["depth"][mask]) - np.hypot(distance, EYE_HEIGHT - 0.5)) < 0.8
    env.step(np.int64(3))
    for action in demonstration(episode, 1):
        observation, *_ = env.step(action)
    assert observation["phase"] == 0 and observation["instances"].min() == -1  # out in the street again, under the sky
    room = AssembleEnv(episodes, see="view", instances=True, size=64)
    observation, _ = room.reset(options={"episode": episode.id, "turn_number": 1})
    for action in demonstration(episode, 1):
        before, observation = observation, room.step(action)[0]
    column, height, row = episode.legs[1].goal.cell  # type: ignore[union-attr]
    items_before = [
        item
        for item in TaskSetup.from_episode(episode).room_items
        if (item.cell[0], item.cell[2], item.cell[1]) < (column, row, height)
    ]
    placed = observation["instances"] == room_scene().dynamic_base + len(items_before)
    assert placed.sum() > 20
    assert (before["view"] != observation["view"]).any(axis=-1)[placed].mean() > 0.9


def test_instance_numbers_do_not_reveal_the_target(episodes: list[Episode]) -> None:
    """Instance numbers do not depend on the order of the items in the setting."""
    setting, instances = episodes[0].extra["setting"], []
    reversed_episode = replace(episodes[0], extra={"setting": setting | {"lying": setting["lying"][::-1]}})
    for episode in (episodes[0], reversed_episode):
        env = CollectEnv([episode], instances=True, size=64)
        vector_env = CollectVectorEnv(1, [episode], instances=True, size=64)
        env.reset(options={"turn_number": 1})
        vector_env.reset(options={"turn_number": [1]})
        for action in demonstration(episode, 0)[:-1]:
            observation, vector_observation = env.step(action)[0], vector_env.step(np.array([action]))[0]
        instances += [observation["instances"], vector_observation["instances"][0]]
    assert instances[0].max() >= scene_of("sections/0").dynamic_base
    for other in instances[1:]:
        np.testing.assert_array_equal(instances[0], other)


def test_item_of_the_same_name_is_not_the_target(episodes: list[Episode]) -> None:
    """Placing another item of the same name on the target cell gives no reward."""
    setting, goal = episodes[0].extra["setting"], episodes[0].legs[0].goal
    assert isinstance(goal, Collect)
    east, north, _ = goal.path[0]
    heading = np.radians(episodes[0].start.look.heading)
    twin = [goal.item, [east + 1.5 * float(np.sin(heading)), north + 1.5 * float(np.cos(heading)), 0.06], 0]
    task = replace(episodes[0], extra={"setting": setting | {"lying": [*setting["lying"], twin]}})
    env, vector_env = ArraMonEnv([task]), ArraMonVectorEnv(1, [task])
    env.reset()
    vector_env.reset()
    for action in [np.int64(3), *demonstration(task, 1)]:
        _, reward, *_, info = env.step(action)
        _, rewards, *_, events = vector_env.step(np.array([action]))
        assert reward == rewards[0] == 0
    assert info["placed"] == task.legs[1].goal.cell and info["by_agent"] and events["by_agent"][0]  # type: ignore[union-attr]


def test_released_tasks_show_open_ground() -> None:
    episode = task(3, released=True)
    far = replace(episode, start=replace(episode.start, position=(-98.0, 102.0, 0.5)))
    env = CollectEnv([far], see="view", instances=True, size=32, render_mode="top")
    observation, _ = env.reset(seed=0, options={"turn_number": 1})
    assert len(np.unique(observation["instances"])) >= 2
    for _ in range(12):
        observation = env.step(np.int64(0))[0]
    assert observation["view"].std() > 5
    top = env.render()
    assert top is not None and top.shape == (384, 384, 3)


def test_rendered_frames(episodes: list[Episode]) -> None:
    env = ArraMonEnv(episodes, render_mode="rgb_array")
    assert env.render() is None
    env.reset(options={"episode": episodes[1].id})
    first = env.render()
    *walk, pick = demonstration(episodes[1], 0)
    for action in walk:
        env.step(action)
    later = env.render()
    env.step(pick)
    inside = env.render()
    assert first is not None and later is not None and inside is not None
    assert first.shape == later.shape == inside.shape == (384, 512 + 384, 3)
    for half in (slice(512), slice(512, None)):
        assert not np.array_equal(first[:, half], later[:, half])
        assert not np.array_equal(inside[:, half], later[:, half])
    vector_env = ArraMonVectorEnv(2, episodes, render_mode="top")
    assert vector_env.render() is None
    vector_env.reset(options={"episode": [episodes[0].id, episodes[1].id]})
    for action in [*walk, pick]:
        vector_env.step(np.array([0, action]))
    frames = vector_env.render()
    assert frames is not None
    np.testing.assert_array_equal(frames[1], inside[:, 512:])
    assert not np.array_equal(frames[0], frames[1])


def test_env_with_pictures_passes_check_env_and_pickles(episodes: list[Episode]) -> None:
    env = gym.make("bearleft/ArraMon-v0", dataset=episodes, see="view", size=16).unwrapped
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(normalized|symmetric|infinity|precision).*")
        check_env(env, skip_render_check=True)
    copy = pickle.loads(pickle.dumps(env))
    assert repr(copy.reset(seed=3)) == repr(env.reset(seed=3))
