"""Gymnasium environments: bearleft/Reach-v0, bearleft/Point-v0, bearleft/Look-v0, and a vector Reach.

`import bearleft.envs.gym` registers them, and those of `envs/arramon/gym.py`: bearleft/ArraMon-v0, Collect-v0,
Assemble-v0. An environment draws an episode at each reset, or takes the one of `options={"episode": id}`. With
`see="view"` or `see="panorama"` the observation also has that picture, as bytes (height, width, 3) under that name;
`bearleft.world.pictures.PictureOptions` lists the other options.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from bearleft.envs.episode_env import EpisodeEnv, Info, QueuedEpisodes
from bearleft.envs.frames import look_frame, point_frame, walk_frame
from bearleft.envs.game import Observation, check_horizon
from bearleft.envs.legs import EnvOptions
from bearleft.envs.look import HORIZON as LOOK_HORIZON
from bearleft.envs.look import TURN_DEGREES, LookGame, initial_view
from bearleft.envs.point import PointGame
from bearleft.envs.reach import HORIZON, ReachGame
from bearleft.envs.rewards import Reward, find_reward, goal_distances
from bearleft.envs.rewards.tracking import VectorWalkTracker, WalkTracker
from bearleft.envs.spaces import (
    EpisodeSampler,
    check_action,
    check_options,
    picture_space,
    reach_space,
)
from bearleft.envs.text_space import TextSpace
from bearleft.envs.vector import NO_LINK, SIDES, VectorReach
from bearleft.errors import InputError
from bearleft.geometry import angle_between
from bearleft.metrics.completion import sr, tc
from bearleft.metrics.pointing import a_80px, acc_11deg, pixel_distance
from bearleft.records import Direction, Episode, LegTrace, Point, Pose, Reach
from bearleft.types import DataFolder
from bearleft.world.pictures import Bytes, EnvPictures, PictureOptions
from bearleft.world.worlds import open_world

METADATA: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 4}


class ReachEnv(EpisodeEnv[np.int64]):
    """Walk as the text says, and stop at its end.

    Task: the text of an episode's first leg.
    Actions: 0 forward, 1 left, 2 right, 3 stop.
    Observation: text, place (its number), heading, links (turns clockwise, 0 where there are fewer), sides (0 ahead,
        1 right, 2 back, 3 left, 4 no link), progress (share of the horizon).
    Reward: 1 for a stop at the goal or next to it, else 0; or `reward="fidelity"` and others (`envs/rewards`).
    End: terminated at stop, truncated after `horizon` actions. `info` then has `success` (TC; SR in
        buildings) and `measures`.
    Ids: bearleft/Reach-v0.
    """

    metadata = METADATA
    success_metrics = (sr.name, tc.name)  # SR in buildings

    def __init__(
        self,
        dataset: str | Sequence[Episode] = "town/dev",
        data: DataFolder = None,
        horizon: int = HORIZON,
        border: bool = False,
        render_mode: str | None = None,
        reward: str | Reward = "success",
        auto_turn: bool = True,
        **picture_options: Unpack[PictureOptions],
    ) -> None:
        self.episodes = EpisodeSampler(dataset, data, Reach)
        self.auto_turn = auto_turn
        self.pictures = EnvPictures(self.episodes.worlds, render_mode, data, **picture_options)
        self.graphs = {name: open_world(name, data) for name in self.episodes.worlds}
        self.horizon, self.border, self.render_mode = check_horizon(horizon), border, render_mode
        shaped = find_reward(reward)
        self._tracker = None if shaped is None else WalkTracker(shaped)
        self.observation_space = reach_space(self.episodes.all, list(self.graphs.values()), self.pictures)
        self.action_space = spaces.Discrete(4)
        self.game: ReachGame | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Start an episode and return the first observation and `info`.

        Args:
            seed: Seeds the generator that draws episodes.
            options: `{"episode": id}` chooses the episode.
        """
        reset_options = self.episodes.next_options(check_options(options, "episode"))
        super().reset(seed=seed)
        self.episode = episode = self.episodes.all[self.episodes.sample(self.np_random, reset_options)]
        graph = self.graphs[episode.world]
        self.world = episode.world
        self.game = ReachGame(episode.legs[0], episode.start, graph, self.horizon, self.border, self.auto_turn)
        self.goal = graph.place_index(episode.legs[0].goal.route[-1])  # type: ignore[union-attr]
        if self._tracker is not None:
            self._tracker.begin(episode, graph, self.game.place)
        return self._observation(), {"episode": episode.id, "world": episode.world}

    def _observation(self) -> Observation:
        assert self.game is not None
        observation = self.game.observe()
        max_links = self.observation_space["links"].shape[0]  # type: ignore[index]
        links, sides = np.zeros(max_links), np.full(max_links, NO_LINK, np.int8)
        for k, link in enumerate(observation["links"]):
            links[k], sides[k] = link["turn"], SIDES.index(link["side"])
        values = {
            "text": observation["text"],
            "place": np.int64(self.game.place),
            "heading": np.array([self.game.heading]),
            "links": links,
            "sides": sides,
            "progress": np.array([len(self.game.actions) / self.horizon]),
        }
        return self.pictures.add(values, self.world, observation)

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, Info]:
        """Take one action and return observation, reward, terminated, truncated and `info`."""
        if self.game is None:
            raise InputError("a reset before the first step", "none")
        check_action(self, action)
        self.game.step(("forward", "left", "right", "stop")[int(action)])
        stopped = int(action) == 3
        timed_out = self.game.done and not stopped
        info = self.final_info() if self.game.done else {}
        return self._observation(), self._reward(stopped, timed_out), stopped, timed_out, info

    def _reward(self, stopped: bool, timed_out: bool) -> float:
        assert self.game is not None
        if self._tracker is not None:
            return self._tracker.step(self.game.place, stopped, timed_out)
        at_goal = self.game.place == self.goal or self.game.graph.are_neighbours(self.game.place, self.goal)
        return float(stopped and at_goal)

    @property
    def rules(self) -> EnvOptions:
        """The rules of its games, as `bearleft eval` has them."""
        return EnvOptions(horizon=self.horizon, border=self.border, auto_turn=self.auto_turn)

    def played_legs(self) -> tuple[LegTrace, ...]:
        """Return the walk of the current episode so far."""
        return () if self.game is None else (self.game.trace(),)

    def render(self) -> Bytes | None:
        """Return the view ahead beside a map of the walk so far."""
        if self.render_mode is None or self.game is None:
            return None
        return walk_frame(self.pictures.sources[self.world], self.game.path, self.game.heading)


class PointEnv(EpisodeEnv[npt.NDArray[np.float64]]):
    """Point where the text says, once.

    Task: a text that describes one spot of the panorama.
    Actions: heading and pitch in degrees.
    Observation: text, look (heading and pitch), yaw (the heading in the middle of the picture).
    Reward: 1 within 80 px of the papers' 3712 x 800 picture, else 0.
    End: terminated after the one action. `info` then has `success` (A@80px) and `measures`.
    Ids: bearleft/Point-v0.
    """

    metadata = METADATA
    success_metrics = (a_80px.name,)

    def __init__(
        self,
        dataset: str | Sequence[Episode] = "town/point",
        data: DataFolder = None,
        render_mode: str | None = None,
        **picture_options: Unpack[PictureOptions],
    ) -> None:
        self.episodes = EpisodeSampler(dataset, data, Point)
        self.pictures = EnvPictures(self.episodes.worlds, render_mode, data, **picture_options)
        self.render_mode = render_mode
        self.observation_space = spaces.Dict(
            {
                "text": TextSpace([episode.legs[0].text for episode in self.episodes.all]),
                "look": spaces.Box(np.array([0.0, -90.0]), np.array([360.0, 90.0]), dtype=np.float64),
                "yaw": spaces.Box(0, 360, (1,), np.float64),
                **picture_space(self.pictures),
            }
        )
        self.action_space = spaces.Box(np.array([0.0, -90.0]), np.array([360.0, 90.0]), dtype=np.float64)
        self.game: PointGame | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Start an episode and return the first observation and `info`.

        Args:
            seed: Seeds the generator that draws episodes.
            options: `{"episode": id}` chooses the episode.
        """
        reset_options = self.episodes.next_options(check_options(options, "episode"))
        super().reset(seed=seed)
        self.episode = episode = self.episodes.all[self.episodes.sample(self.np_random, reset_options)]
        self.world = episode.world
        self.game = PointGame(episode.legs[0], episode.start)
        return self._observation(), {"episode": episode.id, "world": episode.world}

    def _observation(self) -> Observation:
        assert self.game is not None
        observation = self.game.observe()
        look = np.array([observation["heading"], observation["pitch"]])
        values = {"text": observation["text"], "look": look, "yaw": np.array([observation["yaw"] % 360.0])}
        return self.pictures.add(values, self.world, observation)

    def step(self, action: npt.NDArray[np.float64]) -> tuple[Observation, float, bool, bool, Info]:
        """Take one action and return observation, reward, terminated, truncated and `info`."""
        if self.game is None:
            raise InputError("a reset before the first step", "none")
        check_action(self, action)
        answer = Direction(float(action[0]), float(action[1]))
        self.game.step(answer)
        goal = self.game.leg.goal
        assert isinstance(goal, Point)
        reward = float(pixel_distance(answer, goal) < a_80px.radius)
        return self._observation(), reward, True, False, self.final_info()

    @property
    def rules(self) -> EnvOptions:
        """The rules of its games, as `bearleft eval` has them."""
        return EnvOptions()

    def played_legs(self) -> tuple[LegTrace, ...]:
        """Return the answer of the current episode, if it was given."""
        return () if self.game is None else (self.game.trace(),)

    def render(self) -> Bytes | None:
        """Return the panorama, with the answer (orange) and the goal (blue) once there is an answer."""
        if self.render_mode is None or self.game is None:
            return None
        goal, observation = self.game.leg.goal, self.game.observe()
        assert isinstance(goal, Point)
        source, place, yaw = self.pictures.sources[self.world], observation["place"], observation["yaw"]
        return point_frame(source, place, yaw, self.game.answer, goal.direction)


class LookEnv(EpisodeEnv[np.int64]):
    """Turn the view as each sentence says; the view direction after the last sentence is the answer.

    Task: sentences, shown one after another.
    Actions: 0 left, 1 right, 2 up, 3 down, 4 next sentence; with `continuous=True` heading, pitch, next (above 0.5).
    Observation: text (of this sentence), sentence (its number), look (heading, pitch), progress (share of the horizon);
        if `interactive`, refused (1 if the last action was a "next" that came too early).
    Reward: 1 within 11 degrees of the target at the end, else 0.
    End: terminated after the last sentence, truncated after `horizon` actions. `info` then has `success` (Acc@11deg)
        and `measures`.
    Ids: bearleft/Look-v0.

    A turn is `turn_degrees`; the pitch is limited to `max_pitch` degrees up and down. If `lattice` is given, heading
    and pitch of the view are multiples of `lattice` degrees: a turn moves the view by `lattice` degrees, a continuous
    action moves it to the nearest such view. If `interactive`, the next sentence is given only at the milestone of the
    current one: see LookGame.
    """

    metadata = METADATA
    names = ("left", "right", "up", "down", "next")
    success_metrics = (acc_11deg.name,)

    def __init__(
        self,
        dataset: str | Sequence[Episode] = "town/look",
        data: DataFolder = None,
        turn_degrees: float = TURN_DEGREES,
        horizon: int = LOOK_HORIZON,
        max_pitch: float = 90.0,
        continuous: bool = False,
        render_mode: str | None = None,
        lattice: float | None = None,
        interactive: bool = False,
        **picture_options: Unpack[PictureOptions],
    ) -> None:
        options = EnvOptions(
            look_step=turn_degrees, look_horizon=horizon, look_lattice=lattice, interactive=interactive
        )
        self.episodes = EpisodeSampler(dataset, data, Point)
        self.pictures = EnvPictures(self.episodes.worlds, render_mode, data, **picture_options)
        self.options, self.horizon, self.max_pitch = options, horizon, max_pitch
        self.continuous, self.render_mode = continuous, render_mode
        legs = [episode.legs[0] for episode in self.episodes.all]
        sentences = [sentence for leg in legs for sentence in leg.sentences or (leg.text,)]
        low, high = np.array([0.0, -90.0]), np.array([360.0, 90.0])
        self.observation_space = spaces.Dict(
            {
                "text": TextSpace(sentences),
                "sentence": spaces.Discrete(max(max(len(leg.sentences), 1) for leg in legs)),
                "look": spaces.Box(low, high, dtype=np.float64),
                "progress": spaces.Box(0, 1, (1,), np.float64),
                **({"refused": spaces.Discrete(2)} if interactive else {}),
                **picture_space(self.pictures),
            }
        )
        directions = spaces.Box(np.append(low, 0.0), np.append(high, 1.0), dtype=np.float64)
        self.action_space = directions if continuous else spaces.Discrete(5)  # type: ignore[assignment]
        self.game: LookGame | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Start an episode and return the first observation and `info`.

        Args:
            seed: Seeds the generator that draws episodes and initial headings.
            options: `{"episode": id}` chooses the episode.
        """
        reset_options = self.episodes.next_options(check_options(options, "episode"))
        super().reset(seed=seed)
        self.episode = episode = self.episodes.all[self.episodes.sample(self.np_random, reset_options)]
        start = Pose(initial_view(self._start_rng(reset_options)), episode.start.place, episode.start.position)
        self.world = episode.world
        self.game = LookGame(
            episode.legs[0],
            start,
            self.options.look_step,
            self.horizon,
            self.pictures.fov,
            self.max_pitch,
            self.options.look_lattice,
            self.options.interactive,
        )
        return self._observation(), {"episode": episode.id, "world": episode.world}

    def _observation(self) -> Observation:
        assert self.game is not None
        observation = self.game.observe()
        values = {
            "text": observation["text"],
            "sentence": np.int64(observation["sentence"]),
            "look": np.array([observation["heading"], observation["pitch"]]),
            "progress": np.array([observation["step"] / self.horizon]),
        }
        if self.options.interactive:
            values["refused"] = np.int64(observation["refused"])
        return self.pictures.add(values, self.world, observation)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        """Take one action and return observation, reward, terminated, truncated and `info`."""
        if self.game is None:
            raise InputError("a reset before the first step", "none")
        check_action(self, action)
        if not self.continuous:
            self.game.step(self.names[int(action)])
        else:
            self.game.step(Direction(float(action[0]), float(action[1])))
            if action[2] > 0.5 and not self.game.done:
                self.game.step("next")
        finished = len(self.game.views) == len(self.game.sentences)
        goal = self.game.leg.goal
        assert isinstance(goal, Point)
        success = finished and angle_between(self.game.look, goal.direction) < acc_11deg.radius
        info = self.final_info() if self.game.done else {}
        return self._observation(), float(success), finished, self.game.done and not finished, info

    @property
    def rules(self) -> EnvOptions:
        """The rules of its games, as `bearleft eval` has them."""
        return self.options

    def played_legs(self) -> tuple[LegTrace, ...]:
        """Return the views of the current episode so far."""
        return () if self.game is None else (self.game.trace(),)

    def render(self) -> Bytes | None:
        """Return the view with a cross in its middle."""
        if self.render_mode is None or self.game is None:
            return None
        place = self.game.observe()["place"]
        return look_frame(self.pictures.sources[self.world], place, self.game.look, self.game.fov)


class ReachVectorEnv(QueuedEpisodes, VectorEnv[Observation, npt.NDArray[Any], npt.NDArray[np.int64]]):
    """Many ReachEnv of one world as a vector environment; ended walkers are reset at the next step.

    `info` has `success` of the walkers that end. RecordVectorTraces adds their `measures`.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, **METADATA}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        dataset: str | Sequence[Episode] = "town/dev",
        data: DataFolder = None,
        horizon: int = HORIZON,
        border: bool = False,
        render_mode: str | None = None,
        reward: str | Reward = "success",
        auto_turn: bool = True,
        **picture_options: Unpack[PictureOptions],
    ) -> None:
        self.episodes = EpisodeSampler(dataset, data, Reach)
        self.auto_turn = auto_turn
        self.border, shaped = border, find_reward(reward)
        worlds = self.episodes.worlds
        if len(worlds) != 1:
            raise InputError("episodes of one world", f"{len(worlds)} worlds", hint="Choose those of one building.")
        self.pictures = EnvPictures(worlds, render_mode, data, **picture_options)
        graph = open_world(min(worlds), data)
        self.walkers = VectorReach(self.episodes.all, graph, num_envs, horizon, border, auto_turn)
        self.num_envs, self.render_mode = num_envs, render_mode
        self._tracker = None if shaped is None else VectorWalkTracker(shaped, self.walkers)
        self.single_observation_space = reach_space(self.episodes.all, [graph], self.pictures)
        self.single_action_space = spaces.Discrete(4)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._texts = [episode.legs[0].text for episode in self.episodes.all]
        self._paths: list[list[str]] = [[] for _ in range(num_envs)]  # kept for `render` alone

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Start an episode for every walker and return the first observations and `info`.

        Args:
            seed: Seeds the generator that draws episodes.
            options: `{"episode": [id, ...]}` chooses an episode for each walker.
        """
        ids = check_options(options, "episode").get("episode")
        super().reset(seed=seed)
        if ids is not None and len(ids) != self.num_envs:
            raise InputError(f"{self.num_envs} episodes, one for each walker", str(len(ids)), "episode")
        self._begin(np.ones(self.num_envs, np.bool_), ids)
        self._paths = [[] for _ in self._paths]
        return self._observation(), {}

    def _begin(self, walkers: npt.NDArray[np.bool_], ids: Sequence[str] | None = None) -> None:
        """Start episodes for some walkers: those with these ids, those of the queue, or random ones."""
        if ids is None:
            numbers = self.episodes.sample_many(self.np_random, int(walkers.sum()))
        else:
            numbers = np.array([self.episodes.sample(self.np_random, {"episode": episode}) for episode in ids])
        self.walkers.reset(numbers, walkers)
        if self._tracker is not None:
            self._tracker.begin(walkers)

    def _observation(self) -> Observation:
        batch = self.walkers.observe()
        if self.render_mode is not None:
            for path, place in zip(self._paths, batch.place, strict=True):
                path.append(self.walkers.graph.ids[place])
        values = {
            "text": tuple(self._texts[k] for k in batch.episode),
            "place": batch.place.astype(np.int64),
            "heading": batch.heading[:, None],
            "links": batch.links,
            "sides": batch.sides,
            "progress": batch.progress[:, None],
        }
        return self.pictures.add_batch(values, self.walkers.graph.name, batch.place, batch.heading)

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Observation, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Take one action for every walker; return observations, rewards, terminated, truncated and `info`.

        Those that ended at the previous step ignore their action and begin another episode.
        """
        ended = self.walkers.ended.copy()
        stopped, timed_out = self.walkers.step(actions)
        at_goal, ended_now = self.walkers.success(), stopped | timed_out
        if self._tracker is None:
            reward = (stopped & at_goal).astype(float)
        else:
            reward = np.where(ended, 0.0, self._tracker.step(stopped, timed_out))
        info = {}
        if ended_now.any():
            distances, threshold = goal_distances(self.walkers.graph)
            if threshold != 1.0:  # one hop is what at_goal is
                goals = self.walkers.goals[self.walkers.episode]
                at_goal = distances.matrix()[self.walkers.places, goals] <= threshold
            info = {"success": at_goal & ended_now, "_success": ended_now}
        if ended.any():
            self._begin(ended)
            self._paths = [[] if has_ended else path for path, has_ended in zip(self._paths, ended, strict=True)]
        return self._observation(), reward, stopped, timed_out, info

    def current_options(self) -> list[dict[str, Any]]:
        """Return the options of a reset of a single environment that plays the episode of each walker."""
        return [{"episode": self.episodes.all[k].id} for k in self.walkers.episode]

    def single_env(self) -> ReachEnv:
        """Return a single environment with the same episodes and rules, without pictures."""
        env = ReachEnv(
            self.episodes.all, self.episodes.data, self.walkers.horizon, self.border, auto_turn=self.auto_turn
        )
        env.episodes = self.episodes
        return env

    def render(self) -> tuple[Bytes, ...] | None:
        """Return for every walker the view ahead beside a map of the walk so far."""
        if self.render_mode is None or not self._paths[0]:
            return None
        source, headings = self.pictures.sources[self.walkers.graph.name], self.walkers.observe().heading
        return tuple(walk_frame(source, path, float(h)) for path, h in zip(self._paths, headings, strict=True))


# By name, so that a registered environment can be pickled and made in another process.
gym.register("bearleft/Reach-v0", f"{__name__}:ReachEnv", vector_entry_point=f"{__name__}:ReachVectorEnv")
gym.register("bearleft/Point-v0", f"{__name__}:PointEnv")
gym.register("bearleft/Look-v0", f"{__name__}:LookEnv")
for _name in ("ArraMon", "Collect", "Assemble"):
    _single, _many = (f"bearleft.envs.arramon.gym{part}:{_name}" for part in ("", "_vector"))
    gym.register(f"bearleft/{_name}-v0", f"{_single}Env", vector_entry_point=f"{_many}VectorEnv")
