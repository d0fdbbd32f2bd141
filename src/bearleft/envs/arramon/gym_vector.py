"""Thousands of ArraMon's players as vector environments of Gymnasium, whole tasks or one part of them."""

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
from bearleft.envs.arramon.frames import section_map, room_map
from bearleft.envs.arramon.gym import METADATA, SMALL, arramon_space, choose_turn
from bearleft.envs.arramon.observations import ArraMonEnvPictures, ArraMonPictureOptions
from bearleft.envs.arramon.pictures import Viewpoints, stands
from bearleft.envs.arramon.state import TaskState
from bearleft.envs.arramon.tasks import NOTHING
from bearleft.envs.arramon.vector import VectorArraMon
from bearleft.envs.frames import VIEW_HEIGHT, VIEW_WIDTH
from bearleft.envs.game import Observation
from bearleft.envs.spaces import DataFolder, EpisodeSampler, check_options
from bearleft.errors import InputError, shown
from bearleft.records import Assemble, Collect, Episode, Position
from bearleft.world.arramon.items.names import ITEMS
from bearleft.world.arramon.moves import FLOOR, TURN_DEGREES
from bearleft.world.arramon.task_setup import RoomItem, TaskSetup
from bearleft.world.pictures import Bytes
from bearleft.world.render.camera import view

Flags = npt.NDArray[np.bool_]


class ArraMonVectorEnv(VectorEnv[Observation, npt.NDArray[Any], npt.NDArray[np.int64]]):
    """Thousands of ArraMonEnv of one world in step; a player who ended begins another episode at the next step.

    `info` has what happened to each: `own`, `late`, `picked` and `taken` (an item's number or -1), `placed`, `right`,
    `refused`; see `arramon_many.Events`. A placing that is not possible changes nothing and counts as an action, and so
    does, with `retry_pick=True`, a pick with nothing in reach.
    `options={"episode": [id, ...]}` asks for episodes, one for each player.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, **METADATA}  # noqa: RUF012
    part: ClassVar[str] = "all"

    def __init__(
        self,
        num_envs: int = 1,
        dataset: str | Sequence[Episode] = SMALL,
        data: DataFolder = None,
        collect_horizon: int = COLLECT_HORIZON,
        assemble_horizon: int = ASSEMBLE_HORIZON,
        retry_pick: bool = False,
        render_mode: str | None = None,
        **picture_options: Unpack[ArraMonPictureOptions],
    ) -> None:
        self.episodes = EpisodeSampler(dataset, data, Collect)
        horizons = collect_horizon, assemble_horizon
        self.players = VectorArraMon(self.episodes.episodes, num_envs, self.part, *horizons, retry_pick)
        self.pictures = ArraMonEnvPictures(self.players.world, render_mode, **picture_options)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.single_observation_space = arramon_space(self.episodes.episodes, self.part, self.pictures)
        self.single_action_space = spaces.Discrete(4)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._texts = np.array([[leg.text for leg in episode.legs] for episode in self.episodes.episodes], object)
        self._begun = False
        self._walks: list[list[Position]] = [[] for _ in range(num_envs)]  # kept for `render` alone

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        asked = check_options(options, "episode", "turn")
        super().reset(seed=seed)
        everyone = np.ones(self.num_envs, np.bool_)
        self._begin(everyone, asked.get("episode"), asked.get("turn"))
        return self._observation(), {}

    def _begin(self, who: Flags, episodes: Any = None, turns: Any = None) -> None:
        count, rng = int(who.sum()), self.np_random
        if episodes is None:
            numbers = rng.integers(len(self.episodes.episodes), size=count)
        else:
            asked = _one_each(episodes, "episode", count)
            numbers = np.array([self.episodes.sample(rng, {"episode": one}) for one in asked])
        if turns is not None:
            asked = _one_each(turns, "turn", count)
            chosen = np.array([choose_turn(self.part, rng, {"turn": one}) for one in asked])
        else:
            chosen = np.zeros(count, int) if self.part == "all" else rng.integers(2, size=count)
        self.players.begin(numbers, who, chosen)
        self._begun = True
        for k in np.flatnonzero(who) if self.render_mode else ():
            self._walks[k] = []

    def _stands(self) -> Viewpoints:
        return stands(self.players.tasks, self.players.state, self.players.world)

    def _observation(self) -> Observation:
        seen = self.players.observe()
        for walk, (east, north) in zip(self._walks, seen.position, strict=True) if self.render_mode else ():
            walk.append((float(east), float(north), 0.0))
        shown = {
            "text": tuple(self._texts[seen.episode, seen.leg].tolist()),
            "turn": seen.turn.astype(np.int64),
            "phase": seen.phase.astype(np.int64),
            "position": seen.position,
            "cell": seen.cell.astype(np.int64),
            "heading": seen.heading[:, None],
            "progress": seen.progress[:, None],
        }
        expected = self.single_observation_space.spaces  # type: ignore[attr-defined]
        return self.pictures.add({name: shown[name] for name in shown if name in expected}, self._stands, one=False)

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Observation, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        if not self._begun:
            raise InputError("a reset before the first step", "none")
        ended = self.players.state.ended.copy()
        events = self.players.step(actions)
        over = self.players.state.ended & ~ended
        if ended.any():
            self._begin(ended)
        return self._observation(), events.right.astype(float), over & events.own, over & events.late, events._asdict()

    def render(self) -> tuple[Bytes, ...] | None:
        """For every player, what is seen ahead beside the section or the room from above, or that alone ("top")."""
        if self.render_mode is None or not self._walks[0] or self.pictures.eyes is None:
            return None
        above = [self._top(k) for k in range(self.num_envs)]
        if self.render_mode == "top":
            return tuple(above)
        ahead = self.pictures.eyes.look(self._stands(), view(VIEW_WIDTH, VIEW_HEIGHT)).rgb
        return tuple(np.concatenate([one, other], axis=1) for one, other in zip(ahead, above, strict=True))

    def _top(self, k: int) -> Bytes:
        """A player's world from above."""
        state = self.players.state
        episode, leg = self.episodes.episodes[state.episode[k]], int(state.leg[k])
        goal = episode.legs[leg].goal
        if isinstance(goal, Collect):
            every, section = TaskState.from_episode(episode).lying, TaskSetup.of(episode).section
            lying = [every[j] for j in np.flatnonzero(state.lying[k])]
            heading = float(state.heading[k])
            return section_map(episode.world, section, lying, [self._walks[k]], heading, goal.at[:2], VIEW_HEIGHT)
        assert isinstance(goal, Assemble)
        standing = [
            RoomItem(ITEMS[state.room[k, column, row, high]].name, (int(column), int(high) + 1, int(row)))
            for column, row, high in np.argwhere(state.room[k] >= 0)
        ]
        column, row = (int(at) for at in state.cell[k])
        carried = ITEMS[state.carried[k]].name if state.carried[k] != NOTHING else None
        return room_map(
            standing, (column, FLOOR, row), float(state.turns[k]) * TURN_DEGREES, carried, goal.cell, VIEW_HEIGHT
        )


def _one_each(given: Any, field: str, count: int) -> list[Any]:
    """What `options` ask for, one for each player."""
    if not isinstance(given, list | tuple | np.ndarray) or len(given) != count:
        raise InputError(f"a list of {count}, one for each player", shown(given), field)
    return list(given)


class CollectVectorEnv(ArraMonVectorEnv):
    """Thousands of CollectEnv; `options={"episode": [id, ...], "turn": [1, ...]}` asks for episodes and turns."""

    part = "collect"


class AssembleVectorEnv(ArraMonVectorEnv):
    """Thousands of AssembleEnv; `options={"episode": [id, ...], "turn": [1, ...]}` asks for episodes and turns."""

    part = "assemble"
