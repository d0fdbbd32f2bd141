"""The rewards that a walk can be trained with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from bearleft.data import load
from bearleft.envs.gym import ReachEnv, ReachVectorEnv
from bearleft.envs.reach import actions_along
from bearleft.envs.rewards import REWARD_NAMES
from bearleft.errors import InputError
from bearleft.metrics import ndtw
from bearleft.records import Episode, Reach
from bearleft.world.graphs.transitions import ACTIONS
from bearleft.world.worlds import open_world
from tests.data import sample_files

GRAPH = open_world("town/0")
EPISODES = load("town/dev")


def route_of(episode: Episode) -> list[int]:
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    return [GRAPH.place_index(place) for place in goal.route]


def gold_actions(episode: Episode) -> list[int]:
    route = [GRAPH.ids[place] for place in route_of(episode)]
    return [ACTIONS.index(action) for action in actions_along(GRAPH, episode.start, route)]


def play(reward: str, episode: Episode, actions: list[int], horizon: int = 200) -> tuple[list[float], list[list[int]]]:
    """Return the reward of each action, and the path without repeated places at each time."""
    env = ReachEnv(EPISODES, horizon=horizon, reward=reward)
    env.reset(options={"episode": episode.id})
    assert env.game is not None
    path, rewards = [env.game.place], []
    paths = [path]
    for action in actions:
        rewards.append(env.step(np.int64(action))[1])
        path = path if env.game.place == path[-1] else [*path, env.game.place]
        paths.append(path)
    return rewards, paths


@pytest.mark.parametrize("episode", EPISODES[:3], ids=lambda episode: f"episode {episode.id}")
def test_fidelity_is_the_gain_in_ndtw(episode: Episode) -> None:
    """The walk leaves the route in the middle and stops elsewhere; the metric is computed anew for each beginning."""
    gold = gold_actions(episode)
    actions = [*gold[: len(gold) // 2], 1, 0, 0, 2, 0, 3]
    rewards, paths = play("fidelity", episode, actions)
    scores = ndtw.batch(paths, [route_of(episode)] * len(paths), GRAPH.hops.matrix(), 1.0)
    np.testing.assert_allclose(rewards, np.diff(scores), atol=1e-12)


def test_the_reference_earns_its_ndtw_and_one_for_the_goal() -> None:
    episode = EPISODES[4]
    rewards, paths = play("fidelity", episode, gold_actions(episode))
    first = ndtw(paths[0], route_of(episode), GRAPH.hops.matrix(), 1.0)
    assert sum(rewards) == pytest.approx(1.0 - first + 1.0)
    next_to_it = gold_actions(episode)
    del next_to_it[-2]  # the last step forward
    assert play("fidelity", episode, next_to_it)[0][-1] == 0.0  # 1 - 1 hop / threshold


def test_goal_is_the_progress_and_the_completion() -> None:
    episode = EPISODES[4]
    start, goal = route_of(episode)[0], route_of(episode)[-1]
    rewards, _ = play("goal", episode, gold_actions(episode))
    assert sum(rewards) == GRAPH.hops.between(start, goal) + 1.0
    assert rewards[-1] == 1.0
    elsewhere, _ = play("goal", episode, [1, 3])
    assert elsewhere == [0.0, -1.0]
    out_of_time, _ = play("goal", episode, [1, 1], horizon=2)
    assert out_of_time == [0.0, -1.0]


@pytest.mark.parametrize("reward", REWARD_NAMES)
def test_rewards_of_the_vector_environment_equal_those_of_single_ones(reward: str) -> None:
    few, rng = EPISODES[:8], np.random.default_rng(5)
    envs = ReachVectorEnv(4, few, horizon=12, reward=reward)
    singles = [ReachEnv(few, horizon=12, reward=reward) for _ in range(4)]
    ids = [episode.id for episode in few]
    envs.episode_queue = [{"episode": name} for name in ids]
    envs.reset(seed=0)
    ids_of = ids[:4]
    for env, name in zip(singles, ids_of, strict=True):
        env.reset(options={"episode": name})
    ended = np.zeros(4, bool)
    for _ in range(26):  # each walker plays a second episode, too
        actions = np.where(rng.random(4) < 0.05, 3, rng.integers(3, size=4))
        _, rewards, terminated, truncated, info = envs.step(actions)
        for k, env in enumerate(singles):
            if ended[k]:
                env.reset(options=envs.current_options()[k])
                assert rewards[k] == 0.0
            else:
                _, expected, _, _, expected_info = env.step(actions[k])
                assert rewards[k] == pytest.approx(expected, abs=1e-12)
                if expected_info:
                    assert info["_success"][k] and info["success"][k] == expected_info["success"]
        ended = terminated | truncated


def test_an_unknown_reward_names_the_choices() -> None:
    makers: list[Any] = [gym.make, gym.make_vec]
    for make in makers:
        with pytest.raises(InputError, match=r'reward, got "sucess".*Did you mean success\?.*goal, fidelity'):
            make("bearleft/Reach-v0", reward="sucess")


def test_in_buildings_distances_are_metres(tmp_path: Path) -> None:
    data = sample_files.make(tmp_path / "data")
    rows = sample_files.connectivity()
    for row in rows:
        row["pose"][3] *= 2  # four metres apart
    (data / "r2r" / "connectivity" / "house1_connectivity.json").write_text(json.dumps(rows))
    dataset = f"r2r/{sample_files.SPLIT}"
    env, envs = ReachEnv(dataset, data, reward="goal"), ReachVectorEnv(1, dataset, data, reward="goal")
    episode = next(episode for episode in env.episodes.all if len(episode.legs[0].goal.route) == 2)  # type: ignore[union-attr]
    env.reset(options={"episode": episode.id})
    envs.reset(options={"episode": [episode.id]})
    assert env.game is not None
    graph, start = env.game.graph, env.game.place
    far = graph.metres.between(start, env.goal)
    assert far > 3.0 and graph.are_neighbours(start, env.goal)  # one hop, but not within 3 metres
    _, reward, _, _, info = env.step(np.int64(3))
    _, rewards, _, _, infos = envs.step(np.array([3]))
    assert reward == rewards[0] == -1.0
    assert info["success"] is False and not infos["success"][0] and infos["_success"][0]
    assert info["measures"]["SR"] == 0.0 and info["measures"]["TC"] == 1.0
    assert info["measures"]["NE"] == far
    fidelity = ReachEnv(dataset, data, reward="fidelity")
    fidelity.reset(options={"episode": episode.id})
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    actions = [ACTIONS.index(action) for action in actions_along(graph, episode.start, goal.route)]
    earned = [fidelity.step(np.int64(action))[1] for action in actions]
    assert sum(earned[:-1]) == pytest.approx(1.0 - np.exp(-far / (2 * 3.0)))  # DTW was `far`, and is 0 now
    assert earned[-1] == 1.0
