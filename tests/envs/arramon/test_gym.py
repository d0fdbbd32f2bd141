"""ArraMon's environments: rewards, ends, pictures, mistakes; one player and many."""

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
from bearleft.envs.arramon.gym import NAMES, ArraMonEnv, AssembleEnv, CollectEnv
from bearleft.envs.arramon.gym_vector import ArraMonVectorEnv, AssembleVectorEnv, CollectVectorEnv
from bearleft.envs.arramon.pictures import EYE_HEIGHT, scene_of
from bearleft.errors import InputError
from bearleft.records import Assemble, Collect, Episode
from bearleft.world.arramon.room import room_scene
from bearleft.world.arramon.task_setup import TaskSetup
from tests.envs.arramon.test_vector import task

PAIRS: list[Any] = [(ArraMonEnv, ArraMonVectorEnv), (CollectEnv, CollectVectorEnv), (AssembleEnv, AssembleVectorEnv)]


@pytest.fixture(scope="module")
def small() -> list[Episode]:
    return load("city/arramon/small")


def demonstration(episode: Episode, leg: int) -> list[np.int64]:
    goal = episode.legs[leg].goal
    assert isinstance(goal, Collect | Assemble)
    return [np.int64(NAMES[leg % 2].index(action)) for action in goal.actions]


def test_references_are_rewarded(small: list[Episode]) -> None:
    env = ArraMonEnv(small)
    for episode in small[:6]:
        seen, about = env.reset(options={"episode": episode.id})
        assert about["episode"] == episode.id and about["world"] == "sections/0"
        for leg in range(4):
            assert (seen["text"], seen["phase"], seen["turn"]) == (episode.legs[leg].text, leg % 2, leg // 2)
            assert seen["progress"] == 0
            for action in demonstration(episode, leg):
                assert env.observation_space.contains(seen)
                seen, reward, terminated, truncated, about = env.step(action)
            goal = episode.legs[leg].goal
            assert (reward, terminated, truncated) == (1.0, leg == 3, False)
            assert about["right"] and about["own"]
            assert about["leg"] == ("assemble" if leg % 2 else "collect")
            assert about["placed"] == goal.cell if isinstance(goal, Assemble) else about["taken"] == goal.item  # type: ignore[union-attr]


@pytest.mark.parametrize(("kind", "first"), [(CollectEnv, 0), (AssembleEnv, 1)])
def test_references_of_parts(small: list[Episode], kind: type[ArraMonEnv], first: int) -> None:
    env = kind(small)
    for turn in (1, 2):
        episode, leg = small[turn], first + 2 * (turn - 1)
        seen, _ = env.reset(options={"episode": episode.id, "turn": turn})
        assert seen["text"] == episode.legs[leg].text and ("cell" in seen) == (first == 1)
        for action in demonstration(episode, leg):
            *_, reward, terminated, truncated, _ = env.step(action)
        assert (reward, terminated, truncated) == (1.0, True, False)
    turns = {int(env.reset(seed=k)[0]["turn"]) for k in range(8)}
    assert turns == {0, 1}


def test_what_the_horizons_do(small: list[Episode]) -> None:
    env = ArraMonEnv(small, collect_horizon=3, assemble_horizon=2)
    env.reset(seed=1)
    ends = []
    for _ in range(10):
        *_, reward, terminated, truncated, about = env.step(np.int64(1))
        ends.append((about.get("leg"), terminated, truncated))
        assert reward == 0 and not about.get("own")
    no = (None, False, False)
    collect, assemble, last = ("collect", False, False), ("assemble", False, False), ("assemble", False, True)
    assert ends == [no, no, collect, no, assemble, no, no, collect, no, last]
    with pytest.raises(InputError, match="no action after the end"):
        env.step(np.int64(0))
    env.reset(seed=1)
    env.step(np.int64(0))


def test_what_is_taken_for_a_player_is_not_picked(small: list[Episode]) -> None:
    """A pick that reaches nothing, of one player and of many: something is carried all the same."""
    setting = small[0].extra["setting"]
    task = replace(small[0], extra={"setting": setting | {"lying": setting["lying"][:2]}})
    env, many = CollectEnv([task]), CollectVectorEnv(1, [task])
    env.reset(options={"turn": 1})
    many.reset(options={"turn": [1]})
    about, events = env.step(np.int64(3))[-1], many.step(np.array([3]))[-1]
    assert about["own"] and not about["right"] and about["picked"] is None and about["taken"]  # the nearest
    assert events["picked"].tolist() == [-1] and events["taken"][0] >= 0
    env.reset(options={"turn": 1})
    for action in demonstration(task, 0):
        about = env.step(action)[-1]
    assert about["picked"] == about["taken"] == task.legs[0].goal.item  # type: ignore[union-attr]


def test_positions_do_not_tell_who_walks_as_the_reference_does(small: list[Episode]) -> None:
    """On it and off it they have three digits, for one player and for many; the games' own have all of them."""
    env, many = CollectEnv(small), CollectVectorEnv(1, small)
    for first in ((), (1,)):
        env.reset(options={"episode": small[0].id, "turn": 1})
        many.reset(options={"episode": [small[0].id], "turn": [1]})
        for action in (*first, *demonstration(small[0], 0)[:-1]):
            seen, every = env.step(np.int64(action))[0], many.step(np.array([action]))[0]
            assert isinstance(env.game, CollectGame)
            for shown in (seen["position"], every["position"][0], env.game.observe()["position"][:2]):
                assert [float(f"{part:.3f}") for part in shown] == list(shown)
                assert np.abs(np.subtract(shown, env.game.position[:2])).max() <= 0.5001e-3
        assert isinstance(env.game, CollectGame) and seen["position"].tolist() != list(env.game.position[:2])


def test_an_illegal_placing_is_an_error_and_one_plays_on(small: list[Episode]) -> None:
    env, lenient = AssembleEnv(small), AssembleEnv(small, refuse=False)
    for one in (env, lenient):
        one.reset(seed=0)
        *_, about = one.step(np.int64(1))
        assert about["action_mask"].tolist() == [1, 1, 1, 0]
    for _ in range(2):
        with pytest.raises(InputError, match="a free cell ahead"):
            env.step(np.int64(3))
    seen, reward, terminated, truncated, about = lenient.step(np.int64(3))
    assert (reward, terminated, truncated, "leg" in about) == (0.0, False, False, False)
    assert seen["progress"] == 2 / 60
    for one in (env, lenient):
        seen, *_, about = one.step(np.int64(2))
        assert seen["heading"] == 0 and about["action_mask"].tolist() == [1, 1, 1, 1]
        assert one.step(np.int64(3))[2]
    assert env.action_space.sample(mask=np.array([0, 0, 0, 1], np.int8)) == 3


@pytest.mark.parametrize(("single", "vector"), PAIRS)
def test_vector_equals_single(single: type[ArraMonEnv], vector: type[ArraMonVectorEnv], small: list[Episode]) -> None:
    """The same episodes and actions, one by one and all at once, pictures too, until each has ended."""
    rng, count = np.random.default_rng(2), 6
    options: Any = {"collect_horizon": 8, "assemble_horizon": 6}
    looking: Any = {"see": "view", "depth": True, "instances": True, "size": 12}
    names = [small[k].id for k in rng.integers(len(small), size=count)]
    turns = [1] * count if single is ArraMonEnv else [1, 2] * 3
    many = vector(count, small, **options, **looking)
    singles = [single(small, refuse=False, **options, **looking) for _ in names]
    seen, _ = many.reset(seed=0, options={"episode": names, "turn": turns})
    assert many.observation_space.contains(seen)
    alone = [
        env.reset(options={"episode": name, "turn": turn})[0]
        for env, name, turn in zip(singles, names, turns, strict=True)
    ]
    ended = np.zeros(count, bool)
    for step in range(28):
        for k in np.flatnonzero(~ended):
            assert set(seen) == set(alone[k])
            for key, value in alone[k].items():
                np.testing.assert_array_equal(seen[key][k], value, err_msg=f"{key} of {k} at step {step}")
        actions = rng.choice(4, size=count, p=[0.5, 0.2, 0.2, 0.1])
        if ended.all():
            break
        seen, reward, terminated, truncated, about = many.step(actions)
        for k in np.flatnonzero(~ended):
            alone[k], *results, told = singles[k].step(actions[k])
            assert results == [reward[k], terminated[k], truncated[k]]
            assert ("leg" in told) == (about["own"][k] or about["late"][k])
        ended |= terminated | truncated
    assert ended.all()


def test_thousands_play_and_begin_again(small: list[Episode]) -> None:
    env = gym.make_vec(
        "bearleft/Collect-v0", num_envs=1024, vectorization_mode="vector_entry_point", dataset=small, collect_horizon=3
    )
    seen, _ = env.reset(seed=1)
    assert len(seen["text"]) == 1024 and len(set(seen["text"])) > 40
    for step in range(1, 9):
        seen, reward, terminated, truncated, _ = env.step(np.ones(1024, np.int64))
        assert truncated.all() == truncated.any() == (step in (3, 7))
        assert not terminated.any() and not reward.any()
        np.testing.assert_allclose(seen["progress"][:, 0], (step % 4) / 3)
    env.close()


def test_what_is_picked_is_gone_and_what_is_placed_stands_there(small: list[Episode]) -> None:
    env = ArraMonEnv(small, see="view", depth=True, instances=True, size=64)
    episode = small[0]
    seen, _ = env.reset(options={"episode": episode.id})
    first = seen["view"]
    assert first.std() > 10 and env.observation_space.contains(seen)
    *walk, _ = demonstration(episode, 0)
    for action in walk:
        seen, *_ = env.step(action)
    goal = episode.legs[0].goal
    assert isinstance(goal, Collect)
    every = TaskSetup.of(episode).lying
    by_name = sorted(every, key=lambda one: (one.item, one.at))
    thing = scene_of("sections/0").dynamic_base + by_name.index(every[0])
    there = seen["instances"] == thing
    assert there.sum() > 20
    away = np.hypot(*np.subtract(goal.at[:2], seen["position"]))
    assert abs(np.median(seen["depth"][there]) - np.hypot(away, EYE_HEIGHT - 0.5)) < 0.8
    env.step(np.int64(3))
    for action in demonstration(episode, 1):
        seen, *_ = env.step(action)
    assert seen["phase"] == 0 and seen["instances"].min() == -1  # out in the street again, under the sky
    room = AssembleEnv(small, see="view", instances=True, size=64)
    seen, _ = room.reset(options={"episode": episode.id, "turn": 1})
    for action in demonstration(episode, 1):
        before, seen = seen, room.step(action)[0]
    column, height, row = episode.legs[1].goal.cell  # type: ignore[union-attr]
    lower = [
        one for one in TaskSetup.of(episode).standing if (one.cell[0], one.cell[2], one.cell[1]) < (column, row, height)
    ]
    placed = seen["instances"] == room_scene().dynamic_base + len(lower)
    assert placed.sum() > 20
    assert (before["view"] != seen["view"]).any(axis=-1)[placed].mean() > 0.9


def test_numbers_of_things_do_not_tell_the_target(small: list[Episode]) -> None:
    """They are the same whatever comes first in the setting, for one player and for many."""
    setting, seen = small[0].extra["setting"], []
    turned = replace(small[0], extra={"setting": setting | {"lying": setting["lying"][::-1]}})
    for episode in (small[0], turned):
        env = CollectEnv([episode], instances=True, size=64)
        many = CollectVectorEnv(1, [episode], instances=True, size=64)
        env.reset(options={"turn": 1})
        many.reset(options={"turn": [1]})
        for action in demonstration(episode, 0)[:-1]:
            last, every = env.step(action)[0], many.step(np.array([action]))[0]
        seen += [last["instances"], every["instances"][0]]
    assert seen[0].max() >= scene_of("sections/0").dynamic_base
    for other in seen[1:]:
        np.testing.assert_array_equal(seen[0], other)


def test_a_twin_is_not_what_was_asked_for(small: list[Episode]) -> None:
    """Another thing of the same name, picked up and put onto the right cell: no reward, for one player and for many."""
    setting, goal = small[0].extra["setting"], small[0].legs[0].goal
    assert isinstance(goal, Collect)
    east, north, _ = goal.path[0]
    heading = np.radians(small[0].start.look.heading)
    twin = [goal.item, [east + 1.5 * float(np.sin(heading)), north + 1.5 * float(np.cos(heading)), 0.06], 0]
    task = replace(small[0], extra={"setting": setting | {"lying": [*setting["lying"], twin]}})
    env, many = ArraMonEnv([task]), ArraMonVectorEnv(1, [task])
    env.reset()
    many.reset()
    for action in [np.int64(3), *demonstration(task, 1)]:
        _, reward, *_, about = env.step(action)
        _, rewards, *_, events = many.step(np.array([action]))
        assert reward == rewards[0] == 0
    assert about["placed"] == task.legs[1].goal.cell and about["own"] and events["own"][0]  # type: ignore[union-attr]


def test_released_tasks_are_seen_on_open_ground() -> None:
    episode = task(3, released=True)
    far = replace(episode, start=replace(episode.start, position=(-98.0, 102.0, 0.5)))
    env = CollectEnv([far], see="view", instances=True, size=32, render_mode="top")
    seen, _ = env.reset(seed=0, options={"turn": 1})
    assert len(np.unique(seen["instances"])) >= 2
    for _ in range(12):
        seen = env.step(np.int64(0))[0]
    assert seen["view"].std() > 5
    top = env.render()
    assert top is not None and top.shape == (384, 384, 3)


def test_frames_for_people(small: list[Episode]) -> None:
    env = ArraMonEnv(small, render_mode="rgb_array")
    assert env.render() is None
    env.reset(options={"episode": small[1].id})
    first = env.render()
    *walk, pick = demonstration(small[1], 0)
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
    many = ArraMonVectorEnv(2, small, render_mode="top")
    assert many.render() is None
    many.reset(options={"episode": [small[0].id, small[1].id]})
    for action in [*walk, pick]:
        many.step(np.array([0, action]))
    frames = many.render()
    assert frames is not None
    np.testing.assert_array_equal(frames[1], inside[:, 512:])
    assert not np.array_equal(frames[0], frames[1])


def test_with_pictures_by_gymnasiums_own_check_and_in_another_process(small: list[Episode]) -> None:
    env = gym.make("bearleft/ArraMon-v0", dataset=small, see="view", size=16).unwrapped
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(normalized|symmetric|infinity|precision).*")
        check_env(env, skip_render_check=True)
    copy = pickle.loads(pickle.dumps(env))
    assert repr(copy.reset(seed=3)) == repr(env.reset(seed=3))
