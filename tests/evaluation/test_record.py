"""Recording traces of Gymnasium environments: single ones, bearleft's vector environments, and Gymnasium's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from bearleft import report, score
from bearleft.data import load, open_dataset
from bearleft.envs.arramon.gym_vector import ArraMonVectorEnv, AssembleVectorEnv, CollectVectorEnv
from bearleft.envs.gym import LookEnv, ReachEnv, ReachVectorEnv
from bearleft.envs.reach import actions_along
from bearleft.errors import InputError
from bearleft.evaluation import RecordTraces, RecordVectorTraces
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import compute_file_values, read_trace_files
from bearleft.metrics.registry import METRICS
from bearleft.records import Reach, Trace
from bearleft.reports.arramon_replay import replay
from bearleft.world.graphs.transitions import ACTIONS
from bearleft.world.worlds import open_world
from tests.browser.report_page import report_data_of

FEW = load("town/dev")[:6]
CONFIGS: list[dict[str, Any]] = [
    {"id": "bearleft/Reach-v0", "horizon": 12},
    {"id": "bearleft/Point-v0", "dataset": load("town/point")[:6]},
    {"id": "bearleft/Look-v0", "dataset": load("town/look")[:6]},
    {"id": "bearleft/ArraMon-v0", "raise_on_invalid": False},
    {"id": "bearleft/Collect-v0"},
    {"id": "bearleft/Assemble-v0", "raise_on_invalid": False},
]


def play_all(env: RecordTraces, seed: int = 0) -> list[dict[str, Any]]:
    """Play every remaining episode with random actions; return `info` of the last steps."""
    env.action_space.seed(seed)
    infos = []
    while env.remaining:
        env.reset(seed=seed)
        ended = False
        while not ended:
            *_, terminated, truncated, info = env.step(env.action_space.sample())
            ended = terminated or truncated
        infos.append(info)
    env.close()
    return infos


def read(path: Path) -> list[Trace]:
    return [Trace.from_json(json.loads(line)) for line in path.read_text().splitlines()]


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: str(config["id"]))
def test_info_equals_the_score_of_each_trace(config: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "random.jsonl"
    infos = play_all(RecordTraces(gym.make(**config), path, agent="random policy"))
    [source], notes = read_trace_files([path], None, None, None)
    assert not [note for note in notes if "repeat" in note]
    values = compute_file_values(source)
    for metric, (trace, _) in values.legs.items():
        numbers = values.by_metric[metric].numbers
        for k, info in enumerate(infos):
            of_trace = numbers[trace == k]
            assert ([info["measures"][metric]] if metric in info["measures"] else []) == (
                [of_trace.mean()] if len(of_trace) else []
            )
    assert set().union(*(info["measures"] for info in infos)) == set(values.legs)
    success = {"Reach": "TC", "Point": "A@80px", "Look": "Acc@11deg", "Collect": "CTC-0"}
    metric = success.get(str(config["id"]).partition("/")[2].partition("-")[0], "PTC")
    assert [info["success"] for info in infos] == [info["measures"][metric] == 1.0 for info in infos]
    assert all(METRICS[name].name == name for name in infos[0]["measures"])


def test_the_reference_succeeds_in_every_measure(tmp_path: Path) -> None:
    env = RecordTraces(gym.make("bearleft/Reach-v0", dataset=FEW), tmp_path / "gold.jsonl", "gold")
    graph = open_world("town/0")
    for episode in FEW:
        _, info = env.reset()
        assert info["episode"] == episode.id
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach)
        for action in actions_along(graph, episode.start, goal.route):
            *_, info = env.step(ACTIONS.index(action))
        assert info["success"] is True
        assert (info["measures"]["nDTW"], info["measures"]["SPD"]) == (1.0, 0.0)
    env.close()


def test_traces_equal_those_of_eval(tmp_path: Path) -> None:
    class Policy:
        def begin(self, episode: Any, rng: Any) -> None:
            pass

        def act(self, observation: dict[str, Any]) -> str:
            return "stop" if observation["step"] == 7 else ("forward", "left")[observation["step"] % 2]

    evaluated = evaluate(Policy(), "town/dev")
    env = RecordTraces(gym.make("bearleft/Reach-v0"), tmp_path / "policy.jsonl", agent="Policy")
    while env.remaining:
        env.reset()
        for step in range(8):
            env.step(3 if step == 7 else step % 2)
    env.close()
    assert read(tmp_path / "policy.jsonl") == evaluated


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("seed", [0, 5])
def test_views_begin_as_in_eval(seed: int, tmp_path: Path) -> None:
    """The first view of a look leg is random; it depends on the seed of the run and the episode."""

    class Policy:
        def begin(self, episode: Any, rng: Any) -> None:
            pass

        def act(self, observation: dict[str, Any]) -> str:
            return "next"

    evaluated = evaluate(Policy(), "town/look", seed=seed)
    env = RecordTraces(gym.make("bearleft/Look-v0"), tmp_path / "single.jsonl", "Policy", seed=seed)
    while env.remaining:
        env.reset()
        while not env.step(4)[2]:
            pass
    env.close()
    assert read(tmp_path / "single.jsonl") == evaluated
    envs = RecordVectorTraces(SyncVectorEnv([LookEnv] * 3), tmp_path / "sync.jsonl", "Policy", seed=seed)
    envs.reset()
    while envs.remaining:
        envs.step(np.full(3, 4))
    envs.close()
    assert {trace.episode: trace for trace in read(tmp_path / "sync.jsonl")} == {t.episode: t for t in evaluated}


def test_a_horizon_that_differs_is_named(tmp_path: Path) -> None:
    path = tmp_path / "policy.jsonl"
    play_all(RecordTraces(gym.make("bearleft/Reach-v0", dataset=FEW, horizon=5, border=True), path, "policy", seed=3))
    trace = read(path)[0]
    assert (trace.agent, trace.horizon, trace.seed) == ("policy[horizon=5,border=1]", 5, 3)
    assert trace.sha256 == ""  # of a list of episodes
    named = RecordTraces(gym.make("bearleft/Reach-v0"), tmp_path / "named.jsonl", "policy")
    assert named.recorder.config.sha256 == open_dataset("town/dev").sha256
    named.close()


def test_an_existing_file_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "policy.jsonl"
    make = partial(gym.make, "bearleft/Reach-v0", dataset=FEW, horizon=5)
    env = RecordTraces(make(), path, "policy")
    env.reset(options={"episode": FEW[2].id})
    for _ in range(5):
        env.step(0)
    env.reset()
    env.step(0)  # left by the next reset: no trace
    env.reset(options={"episode": FEW[4].id})
    env.step(0)  # left by close: no trace
    with pytest.raises(InputError, match=r"no other run writes, got one in use.*env\.close\(\)"):
        RecordTraces(make(), path, "policy")
    env.close()
    path.write_bytes(path.read_bytes() + b'{"format":1,"epi')  # a killed run
    env = RecordTraces(make(), path, "policy")
    assert env.remaining == 5
    with pytest.raises(InputError, match=r'an episode without a trace, got "2".*another file'):
        env.reset(options={"episode": FEW[2].id})
    with pytest.raises(InputError, match="the id of an episode"):
        env.reset(options={"episode": "no such"})
    play_all(env)
    assert [trace.episode for trace in read(path)] == ["2", "0", "1", "3", "4", "5"]
    env = RecordTraces(make(), path, "policy")
    with pytest.raises(InputError, match=r"got traces of all 6\. Score them: bearleft score .*policy\.jsonl"):
        env.reset()
    env.close()
    with pytest.raises(InputError, match=r'agent "better\[horizon=5\]"\), got "policy\[.*another file, or delete'):
        RecordTraces(make(), path, "better")
    with pytest.raises(InputError, match=r"traces of this run \(agent"):
        RecordTraces(make(horizon=6), path, "policy")


def test_nothing_is_left_of_an_unused_file(tmp_path: Path) -> None:
    RecordTraces(gym.make("bearleft/Reach-v0"), tmp_path / "policy.jsonl", "policy").close()
    assert not list(tmp_path.iterdir())


def test_a_time_limit_of_gymnasium_is_a_truncation(tmp_path: Path) -> None:
    path = tmp_path / "policy.jsonl"
    env = gym.make("bearleft/Reach-v0", dataset=FEW, max_episode_steps=4)
    infos = play_all(RecordTraces(env, path, "policy"))
    assert max(len(trace.legs[0].actions) for trace in read(path)) == 4
    assert all("measures" in info for info in infos)
    arramon = RecordTraces(gym.make("bearleft/ArraMon-v0", max_episode_steps=2), tmp_path / "arramon.jsonl", "policy")
    arramon.reset()
    arramon.step(1)
    with pytest.raises(InputError, match=r"legs were all begun, got a truncation in leg 1.*collect_horizon="):
        arramon.step(1)
    arramon.close()


def test_other_environments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="an environment of bearleft"):
        RecordTraces(gym.make("CartPole-v1"), tmp_path / "a.jsonl", "policy")
    with pytest.raises(InputError, match="an environment of bearleft"):
        RecordVectorTraces(gym.make_vec("CartPole-v1", vectorization_mode="sync"), tmp_path / "a.jsonl", "policy")
    mixed = [FEW[0], load("city/touchdown/small")[0]]
    with pytest.raises(InputError, match=r"episodes of one dataset, got city/touchdown/small, town/dev"):
        RecordTraces(gym.make("bearleft/Reach-v0", dataset=mixed), tmp_path / "a.jsonl", "policy")
    same_step = SyncVectorEnv([partial(ReachEnv, FEW)], autoreset_mode=AutoresetMode.SAME_STEP)
    with pytest.raises(InputError, match="the autoreset mode NEXT_STEP"):
        RecordVectorTraces(same_step, tmp_path / "a.jsonl", "policy")
    different = SyncVectorEnv([partial(ReachEnv, FEW, horizon=200 + k) for k in range(2)])
    with pytest.raises(InputError, match="the same episodes and rules"):
        RecordVectorTraces(different, tmp_path / "a.jsonl", "policy")


VECTORS: dict[str, Callable[[], Any]] = {
    "Reach": lambda: ReachVectorEnv(4, FEW, horizon=9),
    "ArraMon": lambda: ArraMonVectorEnv(4, load("city/arramon/small")[:6], collect_horizon=9, assemble_horizon=9),
    "Collect": lambda: CollectVectorEnv(4, load("city/arramon/small")[:3], collect_horizon=9),
    "Assemble": lambda: AssembleVectorEnv(4, load("city/arramon/small")[:3], assemble_horizon=9),
    "sync": lambda: SyncVectorEnv([partial(ReachEnv, FEW, horizon=9)] * 4),
    "async": lambda: AsyncVectorEnv([partial(ReachEnv, FEW, horizon=9)] * 4),
    "sync Look": lambda: SyncVectorEnv([partial(LookEnv, load("town/look")[:6])] * 4),
}


@pytest.mark.parametrize("kind", VECTORS)
def test_vector_environments_record_each_episode_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "random.jsonl"
    envs = RecordVectorTraces(VECTORS[kind](), path, agent="random policy")
    envs.action_space.seed(1)
    envs.reset(seed=1)
    infos = []
    while envs.remaining:
        before = envs.remaining
        *_, terminated, truncated, info = envs.step(envs.action_space.sample())
        ended = np.flatnonzero(terminated | truncated)
        assert before - envs.remaining <= len(ended)
        for k in ended:
            assert info["_success"][k] and info["_measures"][k]
            infos.append({name: values[k] for name, values in info["measures"].items() if name[0] != "_"})
    with pytest.raises(InputError, match="an episode without a trace"):
        envs.reset()
    envs.close()
    traces = read(path)
    assert len({(trace.episode, len(trace.legs)) for trace in traces}) == len(traces) == 6
    means = {row["metric"]: row["value"] / (100 if METRICS[row["metric"]].percent else 1) for row in score(path).rows}
    if len(infos) == 6:  # nobody played on
        for name in infos[0]:
            np.testing.assert_allclose(np.mean([info[name] for info in infos]), means[name])


def test_own_vector_environment_and_single_ones_record_the_same(tmp_path: Path) -> None:
    """Every walker takes the same actions, so that a trace depends on the episode alone."""
    files = {}
    for kind in ("Reach", "sync"):
        files[kind] = tmp_path / f"{kind}.jsonl"
        envs = RecordVectorTraces(VECTORS[kind](), files[kind], agent="left")
        envs.reset(seed=1)
        while envs.remaining:
            envs.step(np.ones(4, np.int64))
        envs.close()
    first, second = ({trace.episode: trace for trace in read(path)} for path in files.values())
    assert first == second


def test_a_vector_run_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "policy.jsonl"
    for _ in range(2):
        envs = RecordVectorTraces(VECTORS["Reach"](), path, agent="policy")
        envs.reset(seed=1)
        for _ in range(9):  # the horizon: the first four episodes
            envs.step(np.ones(4, np.int64))
        envs.close()
    assert [trace.episode for trace in read(path)] == [episode.id for episode in FEW]
    envs = RecordVectorTraces(VECTORS["sync"](), path, agent="policy")
    assert envs.remaining == 0
    envs.close()


def test_recorded_parts_of_arramon_are_scored_and_reported(tmp_path: Path) -> None:
    configs: dict[str, dict[str, Any]] = {"Collect": {}, "Assemble": {"raise_on_invalid": False}}
    files, few = {name: tmp_path / f"{name}.jsonl" for name in configs}, load("city/arramon/small")[:2]
    for name, config in configs.items():
        env = gym.make(f"bearleft/{name}-v0", dataset=few, **config)
        play_all(RecordTraces(env, files[name], name))
    collected = {row["metric"] for row in score(files["Collect"]).rows}
    assert collected == {"nDTW", "CTC-0", "CTC-3", "CTC-5", "CTC-7"}
    assembled = {row["metric"]: row for row in score(files["Assemble"]).rows}
    assert assembled["PTC"]["n"] == 4 and assembled["CTC-0"]["value"] == 1.0
    page = tmp_path / "report.html"
    report(*files.values(), output=page, with_pictures=False)
    outcomes = [
        leg["outcome"] for row in report_data_of(page)["examples"] for trace in row["traces"] for leg in trace["legs"]
    ]
    assert outcomes.count("not played") == 2 * (2 + 2)  # the first turn, in the traces of the second
    with pytest.raises(InputError, match=r":1, field legs: .* with 4 legs, got 1\. Write to another file"):
        RecordTraces(gym.make("bearleft/ArraMon-v0", dataset=few), files["Collect"], "Collect")
    first, second = read(files["Assemble"])[:2]
    assert [len(first.legs), len(second.legs)] == [2, 4]
    legs = list(replay(load("city/arramon/small")[0], second))
    assert [bool(leg.states) for leg in legs] == [False, False, True, True]
    assert len(legs[3].room_items) == len(legs[0].room_items) + 1  # the reference has assembled in the first turn
