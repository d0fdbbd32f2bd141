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
from bearleft.envs.arramon.frames import city_top, room_top
from bearleft.envs.arramon.gym import METADATA, SMALL, arramon_space, chosen_turn
from bearleft.envs.arramon.observations import ArraMonSight, Asked
from bearleft.envs.arramon.pictures import Stands, stands
from bearleft.envs.arramon.state import TaskState
from bearleft.envs.arramon.tasks import NOTHING
from bearleft.envs.arramon.vector import ArraMonMany
from bearleft.envs.frames import HIGH, WIDE
from bearleft.envs.game import Observation
from bearleft.envs.spaces import Data, Episodes, check_options
from bearleft.errors import InputError, shown
from bearleft.records import Assemble, Collect, Episode, Position
from bearleft.world.arramon.items.names import ITEMS
from bearleft.world.arramon.moves import FLOOR, TURN
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
        data: Data = None,
        collect_horizon: int = COLLECT_HORIZON,
        assemble_horizon: int = ASSEMBLE_HORIZON,
        retry_pick: bool = False,
        render_mode: str | None = None,
        **sight: Unpack[Asked],
    ) -> None:
        self.episodes = Episodes(dataset, data, Collect)
        horizons = collect_horizon, assemble_horizon
        self.many = ArraMonMany(self.episodes.all, num_envs, self.part, *horizons, retry_pick)
        self.sight = ArraMonSight(self.many.world, render_mode, **sight)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.single_observation_space = arramon_space(self.episodes.all, self.part, self.sight)
        self.single_action_space = spaces.Discrete(4)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._texts = np.array([[leg.text for leg in episode.legs] for episode in self.episodes.all], object)
        self._begun = False
        self._walks: list[list[Position]] = [[] for _ in range(num_envs)]  # kept for `render` alone

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        asked = check_options(options, "episode", "turn")
        super().reset(seed=seed)
        everyone = np.ones(self.num_envs, np.bool_)
        self._begin(everyone, asked.get("episode"), asked.get("turn"))
        return self._seen(), {}

    def _begin(self, who: Flags, episodes: Any = None, turns: Any = None) -> None:
        count, rng = int(who.sum()), self.np_random
        if episodes is None:
            numbers = rng.integers(len(self.episodes.all), size=count)
        else:
            asked = _one_each(episodes, "episode", count)
            numbers = np.array([self.episodes.choose(rng, {"episode": one}) for one in asked])
        if turns is not None:
            asked = _one_each(turns, "turn", count)
            chosen = np.array([chosen_turn(self.part, rng, {"turn": one}) for one in asked])
        else:
            chosen = np.zeros(count, int) if self.part == "all" else rng.integers(2, size=count)
        self.many.begin(numbers, who, chosen)
        self._begun = True
        for k in np.flatnonzero(who) if self.render_mode else ():
            self._walks[k] = []

    def _stands(self) -> Stands:
        return stands(self.many.tasks, self.many.state, self.many.world)

    def _seen(self) -> Observation:
        seen = self.many.see()
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
        return self.sight.add({name: shown[name] for name in shown if name in expected}, self._stands, one=False)

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Observation, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        if not self._begun:
            raise InputError("a reset before the first step", "none")
        ended = self.many.state.ended.copy()
        events = self.many.step(actions)
        over = self.many.state.ended & ~ended
        if ended.any():
            self._begin(ended)
        return self._seen(), events.right.astype(float), over & events.own, over & events.late, events._asdict()

    def render(self) -> tuple[Bytes, ...] | None:
        """For every player, what is seen ahead beside the section or the room from above, or that alone ("top")."""
        if self.render_mode is None or not self._walks[0] or self.sight.eyes is None:
            return None
        above = [self._top(k) for k in range(self.num_envs)]
        if self.render_mode == "top":
            return tuple(above)
        ahead = self.sight.eyes.look(self._stands(), view(WIDE, HIGH)).rgb
        return tuple(np.concatenate([one, other], axis=1) for one, other in zip(ahead, above, strict=True))

    def _top(self, k: int) -> Bytes:
        """A player's world from above."""
        state = self.many.state
        episode, leg = self.episodes.all[state.episode[k]], int(state.leg[k])
        goal = episode.legs[leg].goal
        if isinstance(goal, Collect):
            every, section = TaskState.of(episode).lying, TaskSetup.of(episode).section
            lying = [every[j] for j in np.flatnonzero(state.lying[k])]
            heading = float(state.heading[k])
            return city_top(episode.world, section, lying, [self._walks[k]], heading, goal.at[:2], HIGH)
        assert isinstance(goal, Assemble)
        standing = [
            RoomItem(ITEMS[state.room[k, column, row, high]].name, (int(column), int(high) + 1, int(row)))
            for column, row, high in np.argwhere(state.room[k] >= 0)
        ]
        column, row = (int(at) for at in state.cell[k])
        carried = ITEMS[state.carried[k]].name if state.carried[k] != NOTHING else None
        return room_top(standing, (column, FLOOR, row), float(state.turns[k]) * TURN, carried, goal.cell, HIGH)


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
