"""ArraMon's environments: thousands in step beside single ones, one after another; without pictures and with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bearleft.bench.arramon.inputs import WORLD, drawn
from bearleft.bench.harness import Benchmark, Contender, Inputs, Result, run

PLAYERS, STEPS, TASKS = 4096, 8, 64
PICTURED, PICTURES, SIDE = 8, 1, 224  # environments, with a task each, and steps with pictures
SHARES = (0.6, 0.19, 0.19, 0.02)  # forward, left, right, pick or place
Work = tuple[Callable[[], Any], Callable[[Any], Any]]


def inputs(players: int, steps: int, tasks: int) -> Inputs:
    """Which task each plays, and what is done; never so many picks that a task ends, since a new one is drawn then."""
    rng = np.random.default_rng(0)
    actions = rng.choice(4, size=(steps, players), p=SHARES)
    actions[np.cumsum(actions == 3, axis=0) > 3] = 0
    return {"task": rng.integers(tasks, size=players), "actions": actions, "tasks": np.array(tasks)}


def without() -> Inputs:
    return inputs(PLAYERS, STEPS, TASKS)


def pictured() -> Inputs:
    return inputs(PICTURED, PICTURES, PICTURED)


def many(given: Inputs) -> Work:
    """`ArraMonVectorEnv`."""
    return _many(given)


def many_seeing(given: Inputs) -> Work:
    """`ArraMonVectorEnv` with pictures."""
    return _many(given, see="view", size=SIDE)


def alone(given: Inputs) -> Work:
    """As many `ArraMonEnv`, one after another."""
    return _alone(given)


def alone_seeing(given: Inputs) -> Work:
    """As many `ArraMonEnv` with pictures, one after another."""
    return _alone(given, see="view", size=SIDE)


def _many(given: Inputs, **seeing: Any) -> Work:
    from bearleft.envs.arramon.gym_vector import ArraMonVectorEnv

    env = ArraMonVectorEnv(len(given["task"]), drawn(int(given["tasks"])), **seeing)
    expected = {"episode": [str(k) for k in given["task"]]}

    def work() -> Any:
        seen, _ = env.reset(options=expected)
        for actions in given["actions"]:
            seen, *_ = env.step(actions)
        return seen

    return work, lambda seen: _compared([seen])


def _alone(given: Inputs, **seeing: Any) -> Work:
    from bearleft.envs.arramon.gym import ArraMonEnv

    episodes = drawn(int(given["tasks"]))
    # With its own task alone: an environment plays through all it has when it is made.
    envs = [ArraMonEnv([episodes[k]], refuse=False, **seeing) for k in given["task"]]

    def work() -> Any:
        seen = [env.reset()[0] for env in envs]
        for actions in given["actions"]:
            seen = [env.step(action)[0] for env, action in zip(envs, actions, strict=True)]
        return seen

    return work, lambda found: _compared([{k: np.asarray(v)[None] for k, v in one.items()} for one in found])


def _compared(seen: list[dict[str, Any]]) -> Any:
    """Where all are in the end, and how bright what they see is."""
    names = ["phase", "position", "cell", "heading"]
    rows = [np.concatenate([one[name].reshape(len(one["phase"]), -1) for name in names], axis=1) for one in seen]
    if "view" in seen[0]:
        bright = [one["view"].mean(axis=(1, 2, 3))[:, None] for one in seen]
        rows = [np.concatenate(both, axis=1) for both in zip(rows, bright, strict=True)]
    return np.concatenate(rows).astype(float)


def arramon(rounds: int = 9) -> Result:
    """`bearleft bench arramon`."""
    drawn(1)  # the contenders' processes find it compiled
    result = Result()
    note = "ArraMonEnv, one after another"
    for name, made, players, steps, ending in (
        (f"{PLAYERS:,} environments", without, PLAYERS, STEPS, ""),
        (f"{PICTURED} environments, {SIDE} x {SIDE}", pictured, PICTURED, PICTURES, "_seeing"),
    ):
        ours = Contender("ArraMonVectorEnv", f"{__name__}:many{ending}")
        peer = Contender("single environments", f"{__name__}:alone{ending}", note=note)
        found = run(Benchmark(name, made, ours, (peer,)), rounds)
        for row in found.rows:
            calls = players * (steps + 1)  # a reset is a step too
            row["steps_per_second"] = round(calls / row["ours"])
            row["single_steps_per_second"] = round(calls / row["peer"])
        result.rows += found.rows
        result.remarks += found.remarks[:2]
    result.remarks += [
        f"A call resets all environments and takes {STEPS} steps ({PICTURES} with pictures); tasks drawn in {WORLD}.",
        found.remarks[-1],
    ]
    return result
