"""ArraMon as vector environments of Gymnasium: whole tasks, or one kind of leg."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from bearleft.envs.arramon.assemble import HORIZON as ASSEMBLE_HORIZON
from bearleft.envs.arramon.collect import HORIZON as COLLECT_HORIZON
from bearleft.envs.arramon.frames import room_map, section_map
from bearleft.envs.arramon.gym import (
    DEFAULT_DATASET,
    METADATA,
    ArraMonEnv,
    AssembleEnv,
    CollectEnv,
    arramon_space,
    choose_turn_index,
)
from bearleft.envs.arramon.observations import ArraMonEnvPictures, ArraMonPictureOptions
from bearleft.envs.arramon.pictures import Viewpoints, batch_viewpoints
from bearleft.envs.arramon.state import TaskState
from bearleft.envs.arramon.tasks import NOTHING
from bearleft.envs.arramon.vector import VectorArraMon
from bearleft.envs.episode_env import QueuedEpisodes
from bearleft.envs.frames import VIEW_HEIGHT, VIEW_WIDTH
from bearleft.envs.game import Observation
from bearleft.envs.spaces import EpisodeSampler, check_options
from bearleft.errors import InputError, format_value
from bearleft.records import Assemble, Collect, Episode, Position
from bearleft.types import DataFolder
from bearleft.world.arramon.items.names import ITEMS
from bearleft.world.arramon.moves import FLOOR, TURN_DEGREES
from bearleft.world.arramon.task_setup import RoomItem, TaskSetup
from bearleft.world.pictures import Bytes
from bearleft.world.render.camera import view

Flags = npt.NDArray[np.bool_]


class ArraMonVectorEnv(QueuedEpisodes, VectorEnv[Observation, npt.NDArray[Any], npt.NDArray[np.int64]]):
    """Many ArraMonEnv of one world; players that have ended are reset at the next step.

    `info` has the events of each player: `by_agent`, `timed_out`, `picked` and `taken` (an item's number or -1),
    `placed`, `correct`, `refused`; see `vector.Events`. An impossible "place" is an action that changes nothing. With
    `retry_pick=True` so is a "pick" with nothing within reach. `options={"episode": [id, ...]}` chooses an episode for
    each player.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, **METADATA}  # noqa: RUF012
    phase: ClassVar[str] = "all"
    single: ClassVar[type[ArraMonEnv]] = ArraMonEnv

    def __init__(
        self,
        num_envs: int = 1,
        dataset: str | Sequence[Episode] = DEFAULT_DATASET,
        data: DataFolder = None,
        collect_horizon: int = COLLECT_HORIZON,
        assemble_horizon: int = ASSEMBLE_HORIZON,
        retry_pick: bool = False,
        render_mode: str | None = None,
        **picture_options: Unpack[ArraMonPictureOptions],
    ) -> None:
        self.episodes = EpisodeSampler(dataset, data, Collect)
        horizons = collect_horizon, assemble_horizon
        self.players = VectorArraMon(self.episodes.all, num_envs, self.phase, *horizons, retry_pick)
        self.pictures = ArraMonEnvPictures(self.players.world, render_mode, **picture_options)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.single_observation_space = arramon_space(self.episodes.all, self.phase, self.pictures)
        self.single_action_space = spaces.Discrete(4)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._texts = np.array([[leg.text for leg in episode.legs] for episode in self.episodes.all], object)
        self._was_reset = False
        self._walks: list[list[Position]] = [[] for _ in range(num_envs)]  # kept for `render` alone

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Start an episode for every player and return the first observations and `info`.

        Args:
            seed: Seeds the generator that draws episodes.
            options: `{"episode": [id, ...], "turn_number": [1, ...]}` chooses an episode and a
                turn (1 or 2) for each player.
        """
        reset_options = check_options(options, "episode", "turn_number")
        super().reset(seed=seed)
        all_players = np.ones(self.num_envs, np.bool_)
        self._reset(all_players, reset_options.get("episode"), reset_options.get("turn_number"))
        return self._observation(), {}

    def _reset(self, mask: Flags, episodes: Any = None, turn_numbers: Any = None) -> None:
        count, rng = int(mask.sum()), self.np_random
        queued = self.episodes.queue[:count] if episodes is None else []
        if episodes is None:
            numbers = self.episodes.sample_many(rng, count)
        else:
            ids = _check_per_player(episodes, "episode", count)
            numbers = np.array([self.episodes.sample(rng, {"episode": episode}) for episode in ids])
        if turn_numbers is not None:
            turn_numbers = _check_per_player(turn_numbers, "turn_number", count)
            chosen = np.array([choose_turn_index(self.phase, rng, {"turn_number": number}) for number in turn_numbers])
        else:
            chosen = np.zeros(count, int) if self.phase == "all" else rng.integers(2, size=count)
            chosen[: len(queued)] = [choose_turn_index(self.phase, rng, options) for options in queued]
        self.players.reset(numbers, mask, chosen)
        self._was_reset = True
        for k in np.flatnonzero(mask) if self.render_mode else ():
            self._walks[k] = []

    def current_options(self) -> list[dict[str, Any]]:
        """Return the options of a reset of a single environment that plays the episode of each player."""
        state = self.players.state
        options = [{"episode": self.episodes.all[k].id} for k in state.episode]
        if self.phase == "all":
            return options
        return [{**row, "turn_number": int(leg) // 2 + 1} for row, leg in zip(options, state.leg, strict=True)]

    def single_env(self) -> ArraMonEnv:
        """Return a single environment with the same episodes and rules, without pictures."""
        collect, assemble = self.players.horizons.tolist()
        env = self.single(self.episodes.all, self.episodes.data, collect, assemble, False, self.players.retry_pick)
        env.episodes = self.episodes
        return env

    def _viewpoints(self) -> Viewpoints:
        return batch_viewpoints(self.players.tasks, self.players.state, self.players.world)

    def _observation(self) -> Observation:
        batch = self.players.observe()
        for walk, (east, north) in zip(self._walks, batch.position, strict=True) if self.render_mode else ():
            walk.append((float(east), float(north), 0.0))
        values = {
            "text": tuple(self._texts[batch.episode, batch.leg].tolist()),
            "turn_index": batch.turn_index.astype(np.int64),
            "phase": batch.phase.astype(np.int64),
            "position": batch.position,
            "cell": batch.cell.astype(np.int64),
            "heading": batch.heading[:, None],
            "progress": batch.progress[:, None],
        }
        names = self.single_observation_space.spaces  # type: ignore[attr-defined]
        return self.pictures.add(
            {name: values[name] for name in values if name in names}, self._viewpoints, single=False
        )

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Observation, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Take one action for every player; return observations, rewards, terminated, truncated and `info`.

        Those that ended at the previous step ignore their action and begin another episode.
        """
        if not self._was_reset:
            raise InputError("a reset before the first step", "none")
        ended = self.players.state.ended.copy()
        events = self.players.step(actions)
        ended_now = self.players.state.ended & ~ended
        if ended.any():
            self._reset(ended)
        return (
            self._observation(),
            events.correct.astype(float),
            ended_now & events.by_agent,
            ended_now & events.timed_out,
            events._asdict(),
        )

    def render(self) -> tuple[Bytes, ...] | None:
        """Return for every player the view ahead beside a map; in the mode "top" the map alone."""
        if self.render_mode is None or not self._walks[0] or self.pictures.source is None:
            return None
        maps = [self._map(k) for k in range(self.num_envs)]
        if self.render_mode == "top":
            return tuple(maps)
        ahead = self.pictures.source.render(self._viewpoints(), view(VIEW_WIDTH, VIEW_HEIGHT)).rgb
        return tuple(np.concatenate(pair, axis=1) for pair in zip(ahead, maps, strict=True))

    def _map(self, k: int) -> Bytes:
        """Return a map of a player's section or room."""
        state = self.players.state
        episode, leg = self.episodes.all[state.episode[k]], int(state.leg[k])
        goal = episode.legs[leg].goal
        if isinstance(goal, Collect):
            items, section = TaskState.from_episode(episode).city_items, TaskSetup.from_episode(episode).section
            city_items = [items[j] for j in np.flatnonzero(state.in_city[k])]
            heading = float(state.heading[k])
            return section_map(episode.world, section, city_items, [self._walks[k]], heading, goal.at[:2], VIEW_HEIGHT)
        assert isinstance(goal, Assemble)
        room_items = [
            RoomItem(ITEMS[state.room_items[k, column, row, high]].name, (int(column), int(high) + 1, int(row)))
            for column, row, high in np.argwhere(state.room_items[k] >= 0)
        ]
        column, row = (int(index) for index in state.cell[k])
        carried = ITEMS[state.carried[k]].name if state.carried[k] != NOTHING else None
        return room_map(
            room_items, (column, FLOOR, row), float(state.rotations[k]) * TURN_DEGREES, carried, goal.cell, VIEW_HEIGHT
        )


def _check_per_player(values: Any, field: str, count: int) -> list[Any]:
    """Return the values of an option as a list with one for each player."""
    if not isinstance(values, list | tuple | np.ndarray) or len(values) != count:
        raise InputError(f"a list of {count}, one for each player", format_value(values), field)
    return list(values)


class CollectVectorEnv(ArraMonVectorEnv):
    """Many CollectEnv; `options={"episode": [id, ...], "turn_number": [1, ...]}` chooses episodes and turns."""

    phase = "collect"
    single = CollectEnv


class AssembleVectorEnv(ArraMonVectorEnv):
    """Many AssembleEnv; `options={"episode": [id, ...], "turn_number": [1, ...]}` chooses episodes and turns."""

    phase = "assemble"
    single = AssembleEnv
