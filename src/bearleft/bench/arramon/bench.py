"""Benchmark of ArraMon's vector environment against single environments, one after another, and with pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bearleft.bench.arramon.inputs import WORLD, draw_tasks
from bearleft.bench.harness import Benchmark, BenchResult, Contender, Inputs, run

ENVS, STEPS, TASKS = 4096, 8, 64
PICTURE_ENVS, PICTURE_STEPS, IMAGE_SIZE = 8, 1, 224  # environments, with a task each, steps, and pixels a side
ACTION_SHARES = (0.6, 0.19, 0.19, 0.02)  # forward, left, right, pick or place
Workload = tuple[Callable[[], Any], Callable[[Any], Any]]


def make_inputs(envs: int, steps: int, tasks: int) -> Inputs:
    """Return tasks and actions, with too few picks to end a task, since the environment would then draw a new one."""
    rng = np.random.default_rng(0)
    actions = rng.choice(4, size=(steps, envs), p=ACTION_SHARES)
    actions[np.cumsum(actions == 3, axis=0) > 3] = 0
    return {"task": rng.integers(tasks, size=envs), "actions": actions, "tasks": np.array(tasks)}


def blind_inputs() -> Inputs:
    """Return the inputs of the benchmark that has no pictures."""
    return make_inputs(ENVS, STEPS, TASKS)


def picture_inputs() -> Inputs:
    """Return the inputs of the benchmark with pictures."""
    return make_inputs(PICTURE_ENVS, PICTURE_STEPS, PICTURE_ENVS)


def vector_env(inputs: Inputs) -> Workload:
    """Step an `ArraMonVectorEnv`."""
    return _vector_workload(inputs)


def vector_env_pictures(inputs: Inputs) -> Workload:
    """Step an `ArraMonVectorEnv` with pictures."""
    return _vector_workload(inputs, see="view", size=IMAGE_SIZE)


def single_envs(inputs: Inputs) -> Workload:
    """Step as many `ArraMonEnv`, one after another."""
    return _single_workload(inputs)


def single_envs_pictures(inputs: Inputs) -> Workload:
    """Step as many `ArraMonEnv` with pictures, one after another."""
    return _single_workload(inputs, see="view", size=IMAGE_SIZE)


def _vector_workload(inputs: Inputs, **pictures: Any) -> Workload:
    from bearleft.envs.arramon.gym_vector import ArraMonVectorEnv

    env = ArraMonVectorEnv(len(inputs["task"]), draw_tasks(int(inputs["tasks"])), **pictures)
    options = {"episode": [str(k) for k in inputs["task"]]}

    def work() -> Any:
        observation, _ = env.reset(options=options)
        for actions in inputs["actions"]:
            observation, *_ = env.step(actions)
        return observation

    return work, lambda observation: _final_states([observation])


def _single_workload(inputs: Inputs, **pictures: Any) -> Workload:
    from bearleft.envs.arramon.gym import ArraMonEnv

    episodes = draw_tasks(int(inputs["tasks"]))
    # Each has only its own task, since an environment plays through all of its tasks when it is made.
    envs = [ArraMonEnv([episodes[k]], raise_on_invalid=False, **pictures) for k in inputs["task"]]

    def work() -> Any:
        observations = [env.reset()[0] for env in envs]
        for actions in inputs["actions"]:
            observations = [env.step(action)[0] for env, action in zip(envs, actions, strict=True)]
        return observations

    return work, lambda observations: _final_states(
        [{key: np.asarray(value)[None] for key, value in observation.items()} for observation in observations]
    )


def _final_states(observations: list[dict[str, Any]]) -> Any:
    """Return the final states, and the mean brightness of the pictures."""
    names = ["phase", "position", "cell", "heading"]
    rows = [
        np.concatenate([observation[name].reshape(len(observation["phase"]), -1) for name in names], axis=1)
        for observation in observations
    ]
    if "view" in observations[0]:
        brightness = [observation["view"].mean(axis=(1, 2, 3))[:, None] for observation in observations]
        rows = [np.concatenate(both, axis=1) for both in zip(rows, brightness, strict=True)]
    return np.concatenate(rows).astype(float)


def arramon(rounds: int = 9) -> BenchResult:
    """Run `bearleft bench arramon` on the CPU."""
    draw_tasks(1)  # compiles what the contenders' processes need
    result = BenchResult()
    note = "ArraMonEnv, one after another"
    for name, inputs, envs, steps, suffix in (
        (f"{ENVS:,} environments", blind_inputs, ENVS, STEPS, ""),
        (
            f"{PICTURE_ENVS} environments, {IMAGE_SIZE} x {IMAGE_SIZE}",
            picture_inputs,
            PICTURE_ENVS,
            PICTURE_STEPS,
            "_pictures",
        ),
    ):
        ours = Contender("ArraMonVectorEnv", f"{__name__}:vector_env{suffix}")
        peer = Contender("single environments", f"{__name__}:single_envs{suffix}", note=note)
        timed = run(Benchmark(name, inputs, ours, (peer,)), rounds)
        for row in timed.rows:
            steps_per_call = envs * (steps + 1)  # a reset counts as a step
            row["steps_per_second"] = round(steps_per_call / row["ours"])
            row["single_steps_per_second"] = round(steps_per_call / row["peer"])
        result.rows += timed.rows
        result.remarks += timed.remarks[:2]
    result.remarks += [
        f"A call resets all environments and takes {STEPS} steps ({PICTURE_STEPS} with pictures); "
        f"tasks drawn in {WORLD}.",
        timed.remarks[-1],
    ]
    return result
