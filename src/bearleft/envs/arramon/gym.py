"""ArraMon as Gymnasium environments: bearleft/ArraMon-v0, and its parts bearleft/Collect-v0 and bearleft/Assemble-v0.

`import bearleft.envs.gym` registers them. With `see="view"` observations have a picture, with `depth=True` and
`instances=True` its depth and instance numbers; `observations.ArraMonPictureOptions` lists the other options.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

import numpy as np
from gymnasium import spaces

from bearleft.envs.arramon.assemble import HORIZON as ASSEMBLE_HORIZON
from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import DIGITS, CollectGame
from bearleft.envs.arramon.collect import HORIZON as COLLECT_HORIZON
from bearleft.envs.arramon.frames import room_map, section_map
from bearleft.envs.arramon.observations import RENDER_MODES, ArraMonEnvPictures, ArraMonPictureOptions
from bearleft.envs.arramon.pictures import Viewpoints, city_viewpoint, room_viewpoint
from bearleft.envs.arramon.state import TaskState
from bearleft.envs.arramon.tasks import LEGS, check_task, common_world
from bearleft.envs.arramon.vector import PHASES
from bearleft.envs.episode_env import EpisodeEnv, Info
from bearleft.envs.frames import VIEW_HEIGHT, VIEW_WIDTH
from bearleft.envs.game import Observation, check_horizon
from bearleft.envs.legs import EnvOptions
from bearleft.envs.spaces import EpisodeSampler, check_action, check_options
from bearleft.envs.text_space import TextSpace
from bearleft.errors import InputError, format_value
from bearleft.metrics.assembly import ctc_0, ptc
from bearleft.records import REFUSED, Assemble, Collect, Direction, Episode, LegTrace, Pose, Position
from bearleft.types import DataFolder
from bearleft.world.arramon.moves import COLUMNS, DOOR, ROWS, total_rotation
from bearleft.world.arramon.task_setup import MAX_COORDINATE, TaskSetup
from bearleft.world.arramon.walkable_grids import load_walkable_grid
from bearleft.world.pictures import Bytes
from bearleft.world.render.camera import view
from bearleft.world.worlds import world_kind

DEFAULT_DATASET = "city/arramon/small"
METADATA: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}
ACTION_NAMES = (("forward", "left", "right", "pick"), ("forward", "left", "right", "place"))


def arramon_space(episodes: Sequence[Episode], phase: str, pictures: ArraMonEnvPictures) -> spaces.Dict:
    """Return the observation space of ArraMonEnv, CollectEnv or AssembleEnv."""
    first, count = PHASES[phase]
    texts = [leg.text for episode in episodes for leg in (episode.legs if count > 1 else episode.legs[first::2])]
    space: dict[str, spaces.Space[Any]] = {"text": TextSpace(texts), "turn_index": spaces.Discrete(2)}
    if phase == "all":
        space["phase"] = spaces.Discrete(2)
    if phase != "assemble":
        space["position"] = spaces.Box(-MAX_COORDINATE, MAX_COORDINATE, (2,), np.float64)
    if phase != "collect":
        space["cell"] = spaces.Box(np.zeros(2, np.int64), np.array([COLUMNS - 1, ROWS - 1]), dtype=np.int64)
    space["heading"] = spaces.Box(0, 360, (1,), np.float64)
    space["progress"] = spaces.Box(0, 1, (1,), np.float64)
    height, width = pictures.lens.height, pictures.lens.width
    layers: dict[str, spaces.Space[Any]] = {
        "view": spaces.Box(0, 255, (height, width, 3), np.uint8),
        "depth": spaces.Box(0, np.inf, (height, width), np.float32),
        "instances": spaces.Box(-1, 2**31 - 1, (height, width), np.int32),
    }
    return spaces.Dict({**space, **{name: layers[name] for name in pictures.layers}})


class ArraMonEnv(EpisodeEnv[np.int64]):
    """Walk as the text says and pick up the item that it names, then put it where the next text says; twice.

    Task: the texts of an episode's legs, one after another.
    Actions: 0 forward, 1 left, 2 right, 3 pick (in the city) or place (in the room).
    Observation: text, turn_index (0, 1), phase (0 collect, 1 assemble), position (east, north), cell (column, row),
        heading (of the city or the room), progress (share of the leg's horizon).
    Reward: 1 for picking up the target item, and 1 for putting it on its target cell, else 0.
    End: terminated at the last "place", truncated if the horizon of the last leg puts the item down.
    Ids: bearleft/ArraMon-v0.

    CollectGame and AssembleGame describe the horizon, and a "pick" with no item within reach. If a "place" is
    impossible, then InputError is raised and the leg continues; if `raise_on_invalid` is False, then it is an action
    that changes nothing. If `retry_pick` is True, then a "pick" with no item within reach changes nothing either, as in
    ArraMon's released decoder. `options={"episode": id}` chooses the episode.

    `info` has `action_mask` (for `action_space.sample`), and at the end of a leg:
        leg: "collect" or "assemble".
        correct: Whether the leg is rewarded.
        by_agent: False if the horizon ended the leg.
        picked: The item that the agent picked up, None if it picked up none.
        taken: The carried item; if the agent picked up none, the nearest item, given to it.
        placed: The cell, after "assemble".
    At the end of the episode it also has `success` (whether PTC is 1 in both turns) and `measures`, means over turns.
    """

    metadata = METADATA
    phase: ClassVar[str] = "all"
    success_metrics = (ptc.name,)

    def __init__(
        self,
        dataset: str | Sequence[Episode] = DEFAULT_DATASET,
        data: DataFolder = None,
        collect_horizon: int = COLLECT_HORIZON,
        assemble_horizon: int = ASSEMBLE_HORIZON,
        raise_on_invalid: bool = True,
        retry_pick: bool = False,
        render_mode: str | None = None,
        **picture_options: Unpack[ArraMonPictureOptions],
    ) -> None:
        self.episodes = EpisodeSampler(dataset, data, Collect)
        world = common_world(self.episodes.worlds)
        for episode in self.episodes.all:
            check_task(episode)
        self.ground, self.pictures = (
            load_walkable_grid(world),
            ArraMonEnvPictures(world, render_mode, **picture_options),
        )
        self.horizons = check_horizon(collect_horizon), check_horizon(assemble_horizon)
        self.raise_on_invalid, self.retry_pick, self.render_mode = raise_on_invalid, retry_pick, render_mode
        self.observation_space = arramon_space(self.episodes.all, self.phase, self.pictures)
        self.action_space = spaces.Discrete(4)
        self.game: CollectGame | AssembleGame | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Start an episode and return the first observation and `info`.

        Args:
            seed: Seeds the generator that draws episodes and turns.
            options: `{"episode": id, "turn_number": 1}` chooses episode and turn. Turns are numbered
                1 and 2 here; observations hold `turn_index`, 0 or 1. A whole task begins with turn 1.
        """
        reset_options = self.episodes.next_options(check_options(options, "episode", "turn_number"))
        super().reset(seed=seed)
        number = self.episodes.sample(self.np_random, reset_options)
        turn_index = choose_turn_index(self.phase, self.np_random, reset_options)
        self.episode = self.episodes.all[number]
        first, count = PHASES[self.phase]
        self.leg = first + 2 * turn_index
        self.end_leg = min(self.leg + count, LEGS)
        self.task_state = TaskState.at_leg(self.episode, self.leg)
        self.walks: list[list[Position]] = []
        self._finished = self._earlier_legs()
        self._begin(start_of_turn(self.episode, turn_index))
        return self._observation(), {"episode": self.episode.id, "world": self.episode.world, **self._mask()}

    def _earlier_legs(self) -> list[LegTrace]:
        """Return the traces of the legs before the first one that is played; only the walk of this turn has one."""
        legs = [LegTrace() for _ in range(self.leg)]
        if self.phase == "assemble":
            goal = self.episode.legs[self.leg - 1].goal
            assert isinstance(goal, Collect)
            heading = start_of_turn(self.episode, self.leg // 2).look.heading + total_rotation(goal.actions)
            legs[-1] = LegTrace(goal.actions, goal.path, (Direction(heading),), goal.item)
        return legs

    @property
    def rules(self) -> EnvOptions:
        """The rules of its games, as `bearleft eval` has them."""
        return EnvOptions(
            collect_horizon=self.horizons[0],
            assemble_horizon=self.horizons[1],
            perfect_navigation=self.phase == "assemble",
            retry_pick=self.retry_pick,
        )

    def played_legs(self) -> tuple[LegTrace, ...]:
        """Return what was done in each leg of the current episode so far; legs that are not played are empty."""
        if self.game is None:
            return ()
        return (*self._finished, *(() if self.game.done else (self.game.trace(),)))

    def _resets(self) -> dict[tuple[str, int], dict[str, Any]]:
        first, count = PHASES[self.phase]
        if self.phase == "all":
            return {(episode.id, count): {"episode": episode.id} for episode in self.episodes.all}
        return {
            (episode.id, first + 2 * turn_index + count): {"episode": episode.id, "turn_number": turn_index + 1}
            for episode in self.episodes.all
            for turn_index in (0, 1)
        }

    def _begin(self, start: Pose) -> None:
        leg = self.episode.legs[self.leg]
        if isinstance(leg.goal, Collect):
            self.game = CollectGame(leg, start, self.task_state, self.ground, self.horizons[0], self.retry_pick)
            self.walks.append(self.game.path)
        else:
            self.game = AssembleGame(leg, start, self.task_state, self.horizons[1])

    def _observation(self) -> Observation:
        game = self.game
        assert game is not None
        place: Position = game.position if isinstance(game, CollectGame) else game.start.position or (0.0, 0.0, 0.0)
        inside = isinstance(game, AssembleGame)
        values = {
            "text": game.leg.text,
            "turn_index": np.int64(game.turn_number - 1),
            "phase": np.int64(inside),
            "position": np.round(place[:2], DIGITS),
            "cell": np.array(game.floor_cell if isinstance(game, AssembleGame) else (DOOR[0], DOOR[2])),
            "heading": np.array([game.heading]),
            "progress": np.array([len(game.actions) / game.horizon]),
        }
        values = {name: values[name] for name in values if name in self.observation_space.spaces}  # type: ignore[attr-defined]
        return self.pictures.add(values, self._viewpoints, single=True)

    def _viewpoints(self) -> Viewpoints:
        game = self.game
        assert game is not None
        if isinstance(game, AssembleGame):
            return room_viewpoint(game.cell, game.heading, self.task_state.room_items)
        start = self.episode.start.position if world_kind(self.episode.world).from_release else None
        origin = start[:2] if start else (0.0, 0.0)
        return city_viewpoint(game.position[:2], game.heading, self.task_state.city_items, origin)

    def _mask(self) -> Info:
        can_place = not isinstance(self.game, AssembleGame) or self.game.can_place()
        return {"action_mask": np.array([1, 1, 1, can_place], np.int8)}

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, Info]:
        """Take one action and return observation, reward, terminated, truncated and `info`.

        Raises:
            InputError: The action is unknown, or an impossible "place" with `raise_on_invalid=True`.
        """
        game = self.game
        if game is None:
            raise InputError("a reset before the first step", "none")
        check_action(self, action)
        placing = int(action) == 3 and isinstance(game, AssembleGame)
        ignored = placing and not self.raise_on_invalid and not game.done and not game.can_place()  # type: ignore[union-attr]
        if ignored:
            game.record_noop()
        else:
            game.step(ACTION_NAMES[self.leg % 2][int(action)])
        if not game.done:
            return self._observation(), 0.0, False, False, self._mask()
        by_agent = int(action) == 3 and game.actions[-1] != REFUSED
        result = self._result(game, by_agent)
        self._finished.append(game.trace())
        episode_ended = self.leg + 1 >= self.end_leg
        if episode_ended:
            result |= self.final_info()
        else:
            self.leg += 1
            self._begin(game.end)
        return (
            self._observation(),
            float(result["correct"]),
            episode_ended and by_agent,
            episode_ended and not by_agent,
            {**result, **self._mask()},
        )

    def _result(self, game: CollectGame | AssembleGame, by_agent: bool) -> Info:
        """Return the `info` of a leg that has ended."""
        target, goal = self.episode.legs[self.leg // 2 * 2].goal, game.leg.goal
        assert isinstance(target, Collect)
        is_target = self.task_state.took_target(target)
        if isinstance(game, CollectGame):
            correct = game.picked is not None and is_target
            return {
                "leg": "collect",
                "correct": correct,
                "by_agent": by_agent,
                "picked": game.picked,
                "taken": self.task_state.carried,
            }
        assert isinstance(goal, Assemble)
        correct = by_agent and game.placed == goal.cell and is_target
        return {"leg": "assemble", "correct": correct, "by_agent": by_agent, "placed": game.placed}

    def render(self) -> Bytes | None:
        """Return the view ahead beside a map of the section or the room; in the mode "top" the map alone."""
        if self.render_mode is None or self.game is None:
            return None
        overhead = self._map()
        if self.render_mode == "top" or self.pictures.source is None:
            return overhead
        ahead = self.pictures.source.render(self._viewpoints(), view(VIEW_WIDTH, VIEW_HEIGHT)).rgb[0]
        return np.concatenate([ahead, overhead], axis=1)

    def _map(self) -> Bytes:
        game = self.game
        assert game is not None
        goal = game.leg.goal
        if isinstance(game, AssembleGame):
            assert isinstance(goal, Assemble)
            return room_map(
                self.task_state.room_items, game.cell, game.heading, self.task_state.carried, goal.cell, VIEW_HEIGHT
            )
        assert isinstance(goal, Collect)
        section = TaskSetup.from_episode(self.episode).section
        return section_map(
            self.episode.world, section, self.task_state.city_items, self.walks, game.heading, goal.at[:2], VIEW_HEIGHT
        )


class CollectEnv(ArraMonEnv):
    """Walk as the text says, and pick up the item that it names: the first half of a turn.

    Task: the text of one walk. If it is the walk of the second turn, then the first turn has followed its reference.
    Actions: 0 forward, 1 left, 2 right, 3 pick.
    Observation: text, turn_index (0, 1), position (east, north), heading, progress (share of the horizon).
    Reward: 1 for picking up the target item, else 0.
    End: terminated at "pick", truncated after `collect_horizon` actions.
    Ids: bearleft/Collect-v0.

    `options={"episode": id, "turn_number": 1}` chooses the episode and the turn, 1 or 2. `info` as of ArraMonEnv;
    `success` is CTC-0, and `measures` are those of the walk.
    """

    phase = "collect"
    success_metrics = (ctc_0.name,)


class AssembleEnv(ArraMonEnv):
    """Put the carried item where the text says: the second half of a turn, after the reference has collected.

    Task: the text of one assembly; the target item is carried.
    Actions: 0 forward, 1 left, 2 right, 3 place.
    Observation: text, turn_index (0, 1), cell (column, row), heading (0 faces higher rows), progress (share of the
        horizon).
    Reward: 1 for putting it on its target cell, else 0.
    End: terminated at "place", truncated after `assemble_horizon` actions.
    Ids: bearleft/Assemble-v0.

    `options={"episode": id, "turn_number": 1}` chooses the episode and the turn, 1 or 2. `info` and
    `raise_on_invalid` as of ArraMonEnv.
    """

    phase = "assemble"


def choose_turn_index(phase: str, rng: np.random.Generator, options: dict[str, Any] | None) -> int:
    """Return the index (0 or 1) of the turn whose number (1 or 2) the options choose, else a random one.

    A whole task begins with the first turn.
    """
    number = (options or {}).get("turn_number")
    numbers = (1,) if phase == "all" else (1, 2)
    if number is not None and number not in numbers:
        expected = "turn_number 1" if phase == "all" else "a turn_number, 1 or 2"
        raise InputError(expected, format_value(number), "turn_number")
    if number is not None:
        return int(number) - 1
    return int(rng.integers(2)) if phase != "all" else 0


def start_of_turn(episode: Episode, turn_index: int) -> Pose:
    """Return the start pose of a turn (index 0 or 1); the second begins where the reference of the first ends."""
    if not turn_index:
        return episode.start
    first, second = episode.legs[0].goal, episode.legs[2].goal
    assert isinstance(first, Collect) and isinstance(second, Collect)
    return Pose(Direction(episode.start.look.heading + total_rotation(first.actions)), position=second.path[0])
