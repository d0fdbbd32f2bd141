"""Wrappers that record what a policy does in Gymnasium environments, as traces for `bearleft score` and `report`."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper

from bearleft.envs.arramon.gym_vector import ArraMonVectorEnv
from bearleft.envs.episode_env import EpisodeEnv, EpisodePlan
from bearleft.envs.gym import ReachVectorEnv
from bearleft.envs.legs import EnvOptions
from bearleft.envs.reach import default_horizon
from bearleft.errors import InputError, format_value
from bearleft.evaluation.trace_files import RunConfig, append_trace, open_for_append, read_finished
from bearleft.records import LegTrace, Trace

Flags = npt.NDArray[np.bool_]
Steps = tuple[Any, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]
NOT_OURS = "an environment of bearleft, such as bearleft/Reach-v0"


class TraceRecorder:
    """A file of traces of one policy, and the episodes that are left to play.

    Args:
        plan: The episodes and rules of the environment.
        output: The file. Traces are appended; those of another policy, dataset, seed or rule are an error.
        agent: The name of the policy.
        seed: The seed that traces name.
    """

    def __init__(self, plan: EpisodePlan, output: str | os.PathLike[str], agent: str, seed: int) -> None:
        defaults = EnvOptions(horizon=default_horizon(plan.dataset))
        rules = replace(plan.rules, horizon=plan.rules.horizon or defaults.horizon)
        self.config = RunConfig(agent, plan.dataset, plan.sha256, seed, None, rules, defaults, plan.walks)
        self.path, self._plan = Path(output), plan
        self._stack = contextlib.ExitStack()
        self._stream = self._stack.enter_context(open_for_append(self.path))
        try:
            traces = read_finished(self._stream, self.path, self.config)
            self._check_legs(traces)
        except BaseException:
            self.close()
            raise
        done = {(trace.episode, len(trace.legs)) for trace in traces}
        self._left = {key: {**options, "seed": seed} for key, options in plan.resets.items() if key not in done}

    def _check_legs(self, traces: Sequence[Trace]) -> None:
        """Raise InputError for traces of other legs, such as those of ArraMon-v0 where Collect-v0 is recorded."""
        known = {episode for episode, _ in self._plan.resets}
        for line, trace in enumerate(traces, 1):
            if trace.episode in known and (trace.episode, len(trace.legs)) not in self._plan.resets:
                counts = sorted({count for episode, count in self._plan.resets if episode == trace.episode})
                expected = f"traces of this environment, with {' or '.join(map(str, counts))} legs"
                hint = "Write to another file."
                raise InputError(expected, str(len(trace.legs)), "legs", str(self.path), line, hint=hint)

    def __len__(self) -> int:
        """Return the number of episodes without a trace."""
        return len(self._left)

    def left(self) -> list[dict[str, Any]]:
        """Return the queue of the episodes without a trace, in order."""
        return list(self._left.values())

    def check_left(self) -> None:
        """Raise InputError if every episode has a trace."""
        if not self._left:
            command = f"bearleft score {shlex.quote(str(self.path))}"
            hint = f"Score them: {command}. To play them again, write to another file."
            raise InputError("an episode without a trace", f"traces of all {len(self._plan.resets):,}", hint=hint)

    def record(self, episode: str, legs: tuple[LegTrace, ...]) -> None:
        """Append the trace of an episode that has ended, unless there is one."""
        key = episode, len(legs)
        if key not in self._plan.resets:
            hint = "Limit the legs by collect_horizon= and assemble_horizon=, not by max_episode_steps=."
            raise InputError("an episode whose legs were all begun", f"a truncation in leg {len(legs)}", hint=hint)
        if key in self._left:
            append_trace(self._stream, self.path, self.config.trace(episode, legs))
            del self._left[key]

    def close(self) -> None:
        """Close the file; an empty one is removed."""
        self._stack.close()


class RecordTraces(gym.Wrapper[Any, Any, Any, Any]):
    """Plays each episode of an environment once and appends its trace to a file.

    `reset()` begins the next episode of the dataset that has no trace; `reset(options={"episode": id})` begins that
    one. The trace is written when the episode is terminated or truncated. An episode that is left by another reset, or
    by `close`, has no trace. If the file exists, the run is resumed.

    Args:
        env: An environment of bearleft, which may have other wrappers.
        output: The file of traces.
        agent: The name of the policy. Give each version its own, and its own file.
        seed: The seed of the starts, as of `bearleft eval`; traces name it.

    Raises:
        InputError: The environment is not one of bearleft, or the file holds traces of another policy, dataset, seed or
            rule, or is in use.
    """

    def __init__(self, env: gym.Env[Any, Any], output: str | os.PathLike[str], agent: str, seed: int = 0) -> None:
        super().__init__(env)
        base = env.unwrapped
        if not isinstance(base, EpisodeEnv):
            raise InputError(NOT_OURS, format_value(str(env)), hint="RecordVectorTraces wraps vector environments.")
        self.base: EpisodeEnv[Any] = base
        self.recorder = TraceRecorder(self.base.plan(), output, agent, seed)

    @property
    def remaining(self) -> int:
        """The number of episodes without a trace."""
        return len(self.recorder)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin the next episode without a trace, or the one that `options` name.

        Raises:
            InputError: There is none, or the named one has a trace.
        """
        self.recorder.check_left()
        left = self.recorder.left()
        named = {name: value for name, value in (options or {}).items() if name in ("episode", "turn_number")}
        fitting = [row for row in left if named.items() <= row.items()]
        if "episode" in named and self.base.episodes.find(named["episode"]) >= 0 and not fitting:
            hint = "Write to another file to play it again."
            raise InputError("an episode without a trace", format_value(named["episode"]), "episode", hint=hint)
        self.base.episode_queue = [(fitting or left)[0]]
        return self.env.reset(seed=seed, options={k: v for k, v in (options or {}).items() if k not in named})

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take one action; at the end of an episode append its trace."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            self.recorder.record(*self.base.played())
            if "measures" not in info:  # another wrapper has truncated the episode
                info = {**info, **self.base.final_info()}
        return observation, reward, terminated, truncated, info

    def close(self) -> None:
        """Close the file and the environment."""
        self.recorder.close()
        super().close()


class RecordVectorTraces(VectorWrapper[Any, Any, Any, Any, npt.NDArray[Any]]):
    """Plays each episode of a vector environment once and appends its trace to a file.

    It wraps the vector environments of bearleft, and SyncVectorEnv and AsyncVectorEnv of environments of bearleft, in
    the autoreset mode NEXT_STEP. `reset` begins with the episodes that have no trace; environments that end take the
    next ones. Step until `remaining` is 0: an environment that finds no episode left plays on without a trace. Traces
    are in the order in which episodes end. `info` has `success` and `measures` of the episodes that end.

    Args:
        env: The vector environment.
        output: The file of traces; an existing one is resumed.
        agent: The name of the policy. Give each version its own, and its own file.
        seed: The seed of the starts, as of `bearleft eval`; traces name it.

    Raises:
        InputError: The environment is not one of bearleft or has another autoreset mode, or the file holds traces of
            another policy, dataset, seed or rule, or is in use.
    """

    def __init__(
        self,
        env: VectorEnv[Any, Any, npt.NDArray[Any]],
        output: str | os.PathLike[str],
        agent: str,
        seed: int = 0,
    ) -> None:
        super().__init__(env)
        mode = env.metadata.get("autoreset_mode")
        if mode != AutoresetMode.NEXT_STEP:
            raise InputError("the autoreset mode NEXT_STEP", str(mode), "autoreset_mode")
        self.base: Any = env.unwrapped
        self.player = self.base.single_env() if isinstance(self.base, ReachVectorEnv | ArraMonVectorEnv) else None
        self.recorder = TraceRecorder(self._plan(), output, agent, seed)
        self._ended: Flags = np.zeros(self.num_envs, np.bool_)
        self._actions: list[list[int]] = [[] for _ in range(self.num_envs)]
        self._options: list[dict[str, Any]] = []

    def _plan(self) -> EpisodePlan:
        if self.player is not None:
            return self.player.plan()
        try:
            plans: tuple[EpisodePlan, ...] = self.base.call("plan")
        except AttributeError as error:
            raise InputError(NOT_OURS, format_value(str(self.env))) from error
        if any(plan != plans[0] for plan in plans):
            raise InputError("environments with the same episodes and rules", "different ones")
        return plans[0]

    @property
    def remaining(self) -> int:
        """The number of episodes without a trace."""
        return len(self.recorder)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin the first episodes without a trace.

        Raises:
            InputError: There is none, or `options` are given.
        """
        if options:
            raise InputError("no options, since episodes are played in order", format_value(options), "options")
        self.recorder.check_left()
        left = self.recorder.left()
        if self.player is not None:
            self.base.episode_queue = left
        else:
            self.base.set_attr("episode_queue", [left[k :: self.num_envs] for k in range(self.num_envs)])
        result = self.env.reset(seed=seed)  # type: ignore[arg-type]
        self._begin(np.ones(self.num_envs, np.bool_))
        return result

    def _begin(self, mask: Flags) -> None:
        """Forget the actions of environments that have begun an episode."""
        if self.player is not None:
            self._options = self.base.current_options()
            for k in np.flatnonzero(mask):
                self._actions[k] = []
        self._ended = np.where(mask, False, self._ended)

    def step(self, actions: Any) -> Steps:
        """Take one action in every environment; append the traces of the episodes that end."""
        observations, rewards, terminated, truncated, info = self.env.step(actions)
        for k in np.flatnonzero(~self._ended) if self.player is not None else ():
            self._actions[k].append(int(actions[k]))
        if self._ended.any():
            self._begin(self._ended)
        self._ended = np.asarray(terminated | truncated, np.bool_)
        if self.player is not None:
            for k in np.flatnonzero(self._ended):
                info = self.base._add_info(info, self._replay(self.player, int(k)), int(k))
        elif self._ended.any():
            played = self.base.call("played")
            for k in np.flatnonzero(self._ended):
                self.recorder.record(*played[k])
        return observations, rewards, terminated, truncated, info

    def _replay(self, player: EpisodeEnv[Any], k: int) -> dict[str, Any]:
        """Play the episode of an environment again by its actions, append the trace and return its measures."""
        player.reset(options=self._options[k])
        for action in self._actions[k]:
            player.step(np.int64(action))
        self.recorder.record(*player.played())
        return player.final_info()

    def close(self, **kwargs: Any) -> None:
        """Close the file and the environments."""
        self.recorder.close()
        super().close(**kwargs)
