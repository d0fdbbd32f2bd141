"""The games as Gymnasium environments: bearleft/Reach-v0, bearleft/Point-v0, bearleft/Look-v0, and a vector Reach.

`import bearleft.envs.gym` registers them. An environment draws an episode at each reset, or takes the one that
`options={"episode": id}` asks for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from bearleft.data import load
from bearleft.envs.game import Observation, at_least_one
from bearleft.envs.look import HORIZON as LOOK_HORIZON
from bearleft.envs.look import STEP, LookGame, ceiling
from bearleft.envs.point import PointGame
from bearleft.envs.reach import HORIZON, ReachGame
from bearleft.envs.vector import NO_LINK, SIDES, ReachMany
from bearleft.errors import InputError, shown
from bearleft.geometry import angle_between
from bearleft.metrics.pointing import a_80px, acc_11deg, pixel_distance
from bearleft.records import Direction, Episode, Point, Pose, Reach
from bearleft.world.graph import Graph
from bearleft.world.worlds import open_world

Data = str | os.PathLike[str] | None
Seeds = dict[str, npt.NDArray[Any] | str | int]


def text_space(texts: Sequence[str]) -> spaces.Text:
    """The texts of some episodes as a space: as long as the longest, with just their letters."""
    letters = frozenset("".join(texts)) or frozenset("a")
    return spaces.Text(min_length=0, max_length=max(1, *map(len, texts)), charset=letters)


def check_action(env: gym.Env[Any, Any], action: Any) -> None:
    """An error for what is no action: Python would else take -1 for the last one."""
    try:
        given = np.asarray(action, env.action_space.dtype)
    except (TypeError, ValueError):
        given = np.array([np.nan])
    # A number for what is a number, an array for what is one: anything else Gymnasium converts with a warning.
    fits = given.shape == env.action_space.shape and bool(np.all(given == action))
    if not fits or not env.action_space.contains(given[()] if given.shape == () else given):
        raise InputError(f"an action of {env.action_space}", shown(repr(action)))


class Episodes:
    """The episodes an environment draws from."""

    def __init__(self, dataset: str | Sequence[Episode], data: Data, goal: type) -> None:
        found = load(dataset, data) if isinstance(dataset, str) else list(dataset)
        self.all = [episode for episode in found if isinstance(episode.legs[0].goal, goal)]
        if not self.all:
            raise InputError(f"episodes whose first leg is to {goal.__name__.lower()}", f"{len(found)} others")
        self.number = {episode.id: k for k, episode in enumerate(self.all)}

    def choose(self, rng: np.random.Generator, options: dict[str, Any] | None) -> int:
        wanted = (options or {}).get("episode")
        if wanted is None:
            return int(rng.integers(len(self.all)))
        if wanted not in self.number:
            raise InputError("the id of an episode", shown(wanted))
        return self.number[wanted]


def reach_space(episodes: Sequence[Episode], graphs: Sequence[Graph]) -> spaces.Dict:
    """What a walker sees: see ReachEnv."""
    most = max(int(graph.degree.max()) for graph in graphs)
    return spaces.Dict(
        {
            "text": text_space([episode.legs[0].text for episode in episodes]),
            "place": spaces.Discrete(max(map(len, graphs))),
            "heading": spaces.Box(0, 360, (1,), np.float64),
            "links": spaces.Box(-180, 180, (most,), np.float64),
            "sides": spaces.MultiDiscrete([NO_LINK + 1] * most, np.int8),
            "progress": spaces.Box(0, 1, (1,), np.float64),
        }
    )


class ReachEnv(gym.Env[Observation, np.int64]):
    """Walk as the text says, and stop at its end.

    Asked: the text of an episode's first leg.
    Actions: 0 forward, 1 left, 2 right, 3 stop.
    Observation: text, place (its number), heading, links (turns clockwise, 0 where there are fewer), sides (0 ahead,
        1 right, 2 back, 3 left, 4 no link), progress (share of the horizon).
    Reward: 1 for a stop at the goal or next to it, else 0.
    End: terminated at stop, truncated after `horizon` actions.
    Ids: bearleft/Reach-v0.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  (Gymnasium's own form)

    def __init__(
        self,
        dataset: str | Sequence[Episode] = "town/dev",
        data: Data = None,
        horizon: int = HORIZON,
        border: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.episodes = Episodes(dataset, data, Reach)
        self.graphs = {name: open_world(name, data) for name in {episode.world for episode in self.episodes.all}}
        self.horizon, self.border, self.render_mode = at_least_one(horizon), border, render_mode
        self.observation_space = reach_space(self.episodes.all, list(self.graphs.values()))
        self.action_space = spaces.Discrete(4)
        self.game: ReachGame | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Seeds]:
        super().reset(seed=seed)
        episode = self.episodes.all[self.episodes.choose(self.np_random, options)]
        graph = self.graphs[episode.world]
        self.game = ReachGame(episode.legs[0], episode.start, graph, self.horizon, self.border)
        self.goal = graph.number(episode.legs[0].goal.route[-1])  # type: ignore[union-attr]
        return self._seen(), {"episode": episode.id, "world": episode.world}

    def _seen(self) -> Observation:
        assert self.game is not None
        seen = self.game.observe()
        most = self.observation_space["links"].shape[0]  # type: ignore[index]
        links, sides = np.zeros(most), np.full(most, NO_LINK, np.int8)
        for k, link in enumerate(seen["links"]):
            links[k], sides[k] = link["turn"], SIDES.index(link["side"])
        return {
            "text": seen["text"],
            "place": np.int64(self.game.place),
            "heading": np.array([self.game.heading]),
            "links": links,
            "sides": sides,
            "progress": np.array([len(self.game.actions) / self.horizon]),
        }

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, Seeds]:
        if self.game is None:
            raise InputError("a reset before the first step", "none")
        check_action(self, action)
        self.game.step(("forward", "left", "right", "stop")[int(action)])
        stopped = int(action) == 3
        near = self.game.place == self.goal or self.game.graph.are_neighbours(self.game.place, self.goal)
        return self._seen(), float(stopped and near), stopped, self.game.done and not stopped, {}


class PointEnv(gym.Env[Observation, npt.NDArray[np.float64]]):
    """Point where the text says, once.

    Asked: a text that describes one spot of the panorama.
    Actions: heading and pitch in degrees.
    Observation: text, heading and pitch one looks in, yaw (the heading in the picture's middle).
    Reward: 1 within 80 px of the papers' 3712 x 800 picture, else 0.
    End: terminated after the one action.
    Ids: bearleft/Point-v0.
    """

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self, dataset: str | Sequence[Episode] = "town/point", data: Data = None, render_mode: str | None = None
    ) -> None:
        self.episodes = Episodes(dataset, data, Point)
        self.render_mode = render_mode
        self.observation_space = spaces.Dict(
            {
                "text": text_space([episode.legs[0].text for episode in self.episodes.all]),
                "look": spaces.Box(np.array([0.0, -90.0]), np.array([360.0, 90.0]), dtype=np.float64),
                "yaw": spaces.Box(0, 360, (1,), np.float64),
            }
        )
        self.action_space = spaces.Box(np.array([0.0, -90.0]), np.array([360.0, 90.0]), dtype=np.float64)
        self.game: PointGame | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Seeds]:
        super().reset(seed=seed)
        episode = self.episodes.all[self.episodes.choose(self.np_random, options)]
        self.game = PointGame(episode.legs[0], episode.start)
        return self._seen(), {"episode": episode.id, "world": episode.world}

    def _seen(self) -> Observation:
        assert self.game is not None
        seen = self.game.observe()
        look = np.array([seen["heading"], seen["pitch"]])
        return {"text": seen["text"], "look": look, "yaw": np.array([seen["yaw"] % 360.0])}

    def step(self, action: npt.NDArray[np.float64]) -> tuple[Observation, float, bool, bool, Seeds]:
        if self.game is None:
            raise InputError("a reset before the first step", "none")
        check_action(self, action)
        answer = Direction(float(action[0]), float(action[1]))
        self.game.step(answer)
        goal = self.game.leg.goal
        assert isinstance(goal, Point)
        return self._seen(), float(pixel_distance(answer, goal) < a_80px.radius), True, False, {}


class LookEnv(gym.Env[Observation, np.int64]):
    """Turn the view as each sentence says; its middle after the last sentence is the answer.

    Asked: sentences, shown one after another.
    Actions: 0 left, 1 right, 2 up, 3 down, 4 next sentence; with `continuous=True` heading, pitch, next (above 0.5).
    Observation: text (of this sentence), sentence (its number), look (heading, pitch), progress (share of the horizon).
    Reward: 1 within 11 degrees of the target at the end, else 0.
    End: terminated after the last sentence, truncated after `horizon` actions.
    Ids: bearleft/Look-v0.

    A turn is `step` degrees; the view stops at `limit` degrees up and down.
    """

    metadata = {"render_modes": []}  # noqa: RUF012
    names = ("left", "right", "up", "down", "next")

    def __init__(
        self,
        dataset: str | Sequence[Episode] = "town/look",
        data: Data = None,
        step: float = STEP,
        horizon: int = LOOK_HORIZON,
        limit: float = 90.0,
        continuous: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.episodes = Episodes(dataset, data, Point)
        self.by, self.horizon, self.limit = step, at_least_one(horizon), limit
        self.continuous, self.render_mode = continuous, render_mode
        legs = [episode.legs[0] for episode in self.episodes.all]
        sentences = [sentence for leg in legs for sentence in leg.sentences or (leg.text,)]
        low, high = np.array([0.0, -90.0]), np.array([360.0, 90.0])
        self.observation_space = spaces.Dict(
            {
                "text": text_space(sentences),
                "sentence": spaces.Discrete(max(max(len(leg.sentences), 1) for leg in legs)),
                "look": spaces.Box(low, high, dtype=np.float64),
                "progress": spaces.Box(0, 1, (1,), np.float64),
            }
        )
        turned = spaces.Box(np.append(low, 0.0), np.append(high, 1.0), dtype=np.float64)
        self.action_space = turned if continuous else spaces.Discrete(5)  # type: ignore[assignment]
        self.game: LookGame | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Seeds]:
        super().reset(seed=seed)
        episode = self.episodes.all[self.episodes.choose(self.np_random, options)]
        start = Pose(ceiling(self.np_random), episode.start.place, episode.start.position)
        self.game = LookGame(episode.legs[0], start, self.by, self.horizon, limit=self.limit)
        return self._seen(), {"episode": episode.id, "world": episode.world}

    def _seen(self) -> Observation:
        assert self.game is not None
        seen = self.game.observe()
        return {
            "text": seen["text"],
            "sentence": np.int64(seen["sentence"]),
            "look": np.array([seen["heading"], seen["pitch"]]),
            "progress": np.array([seen["step"] / self.horizon]),
        }

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Seeds]:
        if self.game is None:
            raise InputError("a reset before the first step", "none")
        check_action(self, action)
        if not self.continuous:
            self.game.step(self.names[int(action)])
        else:
            self.game.step(Direction(float(action[0]), float(action[1])))
            if action[2] > 0.5 and not self.game.done:
                self.game.step("next")
        read = len(self.game.views) == len(self.game.sentences)
        goal = self.game.leg.goal
        assert isinstance(goal, Point)
        found = read and angle_between(self.game.look, goal.direction) < acc_11deg.radius
        return self._seen(), float(found), read, self.game.done and not read, {}


class ReachVectorEnv(VectorEnv[Observation, npt.NDArray[Any], npt.NDArray[np.int64]]):
    """Thousands of ReachEnv of one world in step; a walker who ended begins another episode at the next step."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        dataset: str | Sequence[Episode] = "town/dev",
        data: Data = None,
        horizon: int = HORIZON,
        border: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.episodes = Episodes(dataset, data, Reach)
        worlds = {episode.world for episode in self.episodes.all}
        if len(worlds) != 1:
            raise InputError("episodes of one world", f"{len(worlds)} worlds", hint="Choose those of one building.")
        graph = open_world(worlds.pop(), data)
        self.many = ReachMany(self.episodes.all, graph, num_envs, horizon, border)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.single_observation_space = reach_space(self.episodes.all, [graph])
        self.single_action_space = spaces.Discrete(4)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._texts = [episode.legs[0].text for episode in self.episodes.all]

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        wanted = (options or {}).get("episode")
        if wanted is None:
            numbers = self.np_random.integers(len(self.episodes.all), size=self.num_envs)
        else:
            numbers = np.array([self.episodes.choose(self.np_random, {"episode": one}) for one in wanted])
        self.many.begin(numbers)
        return self._seen(), {}

    def _seen(self) -> Observation:
        seen = self.many.see()
        return {
            "text": tuple(self._texts[k] for k in seen.episode),
            "place": seen.place.astype(np.int64),
            "heading": seen.heading[:, None],
            "links": seen.links,
            "sides": seen.sides,
            "progress": seen.progress[:, None],
        }

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Observation, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        ended = self.many.ended.copy()
        stopped, late = self.many.step(actions)
        reward = (stopped & self.many.success()).astype(float)
        if ended.any():
            self.many.begin(self.np_random.integers(len(self.episodes.all), size=int(ended.sum())), ended)
        return self._seen(), reward, stopped, late, {}


# By name, so that a registered environment can be pickled and made in another process.
gym.register("bearleft/Reach-v0", f"{__name__}:ReachEnv", vector_entry_point=f"{__name__}:ReachVectorEnv")
gym.register("bearleft/Point-v0", f"{__name__}:PointEnv")
gym.register("bearleft/Look-v0", f"{__name__}:LookEnv")
