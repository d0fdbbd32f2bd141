"""ArraMon as Gymnasium environments: bearleft/ArraMon-v0, and its parts bearleft/Collect-v0 and bearleft/Assemble-v0.

`import bearleft.envs.gym` registers them. With `see="view"` observations have the picture that the player sees, with
`depth=True` and `instances=True` its distances and the numbers of things; `arramon_shown.Asked` says what else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from bearleft.envs.arramon.assemble import HORIZON as ASSEMBLE_HORIZON
from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import DIGITS, CollectGame
from bearleft.envs.arramon.collect import HORIZON as COLLECT_HORIZON
from bearleft.envs.arramon.frames import section_map, room_map
from bearleft.envs.arramon.observations import RENDER_MODES, ArraMonEnvPictures, ArraMonPictureOptions
from bearleft.envs.arramon.pictures import Viewpoints, city_viewpoint, room_viewpoint
from bearleft.envs.arramon.state import TaskState
from bearleft.envs.arramon.tasks import LEGS, check_task, common_world
from bearleft.envs.arramon.vector import PARTS
from bearleft.envs.frames import VIEW_HEIGHT, VIEW_WIDTH
from bearleft.envs.game import Observation, check_horizon
from bearleft.envs.spaces import DataFolder, EpisodeSampler, check_action, check_options, text_space
from bearleft.errors import InputError, shown
from bearleft.records import REFUSED, Assemble, Collect, Direction, Episode, Pose, Position
from bearleft.world.arramon.grounds import load_walkable_grid
from bearleft.world.arramon.moves import COLUMNS, DOOR, ROWS, total_turn
from bearleft.world.arramon.task_setup import MAX_COORDINATE, TaskSetup
from bearleft.world.pictures import Bytes
from bearleft.world.render.camera import view
from bearleft.world.worlds import world_kind

SMALL = "city/arramon/small"
METADATA: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}
NAMES = (("forward", "left", "right", "pick"), ("forward", "left", "right", "place"))
Info = dict[str, Any]


def arramon_space(episodes: Sequence[Episode], part: str, picture_options: ArraMonEnvPictures) -> spaces.Dict:
    """What a player of a part sees: see ArraMonEnv, CollectEnv and AssembleEnv."""
    first, count = PARTS[part]
    texts = [leg.text for episode in episodes for leg in (episode.legs if count > 1 else episode.legs[first::2])]
    space: dict[str, spaces.Space[Any]] = {"text": text_space(texts), "turn": spaces.Discrete(2)}
    if part == "all":
        space["phase"] = spaces.Discrete(2)
    if part != "assemble":
        space["position"] = spaces.Box(-MAX_COORDINATE, MAX_COORDINATE, (2,), np.float64)
    if part != "collect":
        space["cell"] = spaces.Box(np.zeros(2, np.int64), np.array([COLUMNS - 1, ROWS - 1]), dtype=np.int64)
    space["heading"] = spaces.Box(0, 360, (1,), np.float64)
    space["progress"] = spaces.Box(0, 1, (1,), np.float64)
    high, wide = picture_options.lens.height, picture_options.lens.width
    pictures: dict[str, spaces.Space[Any]] = {
        "view": spaces.Box(0, 255, (high, wide, 3), np.uint8),
        "depth": spaces.Box(0, np.inf, (high, wide), np.float32),
        "instances": spaces.Box(-1, 2**31 - 1, (high, wide), np.int32),
    }
    return spaces.Dict({**space, **{name: pictures[name] for name in picture_options.layers}})


class ArraMonEnv(gym.Env[Observation, np.int64]):
    """Walk as the text says and pick up what it names, then put it where the next text says; twice.

    ArraMonPictureOptions: the texts of an episode's legs, one after another.
    Actions: 0 forward, 1 left, 2 right, 3 pick (in the city) or place (in the room).
    Observation: text, turn (0, 1), phase (0 collect, 1 assemble), position (east, north), cell (column, row), heading
        (of the city or the room), progress (share of the leg's horizon).
    Reward: 1 for picking up what was asked for, and 1 for putting that onto its cell, else 0.
    End: terminated at the last "place", truncated where the last leg's horizon puts it down for the player.
    Ids: bearleft/ArraMon-v0.

    A leg whose time runs out, or who picks where nothing is in reach, goes on as `collect.py` and
    `assemble.py` say. `info` has `action_mask` (for `action_space.sample`), and where a leg ends `leg` ("collect",
    "assemble"), `right`, `own` (False where the horizon did it), `picked` (what the player picked up, None where
    nothing was in reach) and `taken` (what is carried now, picked or not), or `placed` (the cell). A placing that is
    not possible is an InputError, after which one plays on; with `refuse=False` it is an action that changes nothing.
    So is, with `retry_pick=True`, a pick with nothing in reach, as in ArraMon's released decoder.
    `options={"episode": id}` asks for an episode.
    """

    metadata = METADATA
    part: ClassVar[str] = "all"

    def __init__(
        self,
        dataset: str | Sequence[Episode] = SMALL,
        data: DataFolder = None,
        collect_horizon: int = COLLECT_HORIZON,
        assemble_horizon: int = ASSEMBLE_HORIZON,
        refuse: bool = True,
        retry_pick: bool = False,
        render_mode: str | None = None,
        **picture_options: Unpack[ArraMonPictureOptions],
    ) -> None:
        self.episodes = EpisodeSampler(dataset, data, Collect)
        world = common_world(self.episodes.worlds)
        for episode in self.episodes.episodes:
            check_task(episode)  # an error for one that cannot be played
        self.ground, self.pictures = (
            load_walkable_grid(world),
            ArraMonEnvPictures(world, render_mode, **picture_options),
        )
        self.horizons = check_horizon(collect_horizon), check_horizon(assemble_horizon)
        self.refuse, self.retry_pick, self.render_mode = refuse, retry_pick, render_mode
        self.observation_space = arramon_space(self.episodes.episodes, self.part, self.pictures)
        self.action_space = spaces.Discrete(4)
        self.game: CollectGame | AssembleGame | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        asked = check_options(options, "episode", "turn")
        super().reset(seed=seed)
        number, turn = self.episodes.sample(self.np_random, asked), choose_turn(self.part, self.np_random, asked)
        self.episode = self.episodes.episodes[number]
        first, count = PARTS[self.part]
        self.leg = first + 2 * turn
        self.until = min(self.leg + count, LEGS)
        self.task_state = TaskState.at_leg(self.episode, self.leg)
        self.walks: list[list[Position]] = []
        self._begin(turn_start(self.episode, turn))
        return self._observation(), {"episode": self.episode.id, "world": self.episode.world, **self._mask()}

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
        seen = {
            "text": game.leg.text,
            "turn": np.int64(game.turn - 1),
            "phase": np.int64(inside),
            "position": np.round(place[:2], DIGITS),
            "cell": np.array(game.spot if isinstance(game, AssembleGame) else (DOOR[0], DOOR[2])),
            "heading": np.array([game.heading]),
            "progress": np.array([len(game.actions) / game.horizon]),
        }
        shown_ = {name: seen[name] for name in seen if name in self.observation_space.spaces}  # type: ignore[attr-defined]
        return self.pictures.add(shown_, self._stands, one=True)

    def _stands(self) -> Viewpoints:
        game = self.game
        assert game is not None
        if isinstance(game, AssembleGame):
            return room_viewpoint(game.cell, game.heading, self.task_state.standing)
        start = self.episode.start.position if world_kind(self.episode.world).recorded else None
        origin = start[:2] if start else (0.0, 0.0)
        return city_viewpoint(game.position[:2], game.heading, self.task_state.lying, origin)

    def _mask(self) -> Info:
        can = not isinstance(self.game, AssembleGame) or self.game.can_place()
        return {"action_mask": np.array([1, 1, 1, can], np.int8)}

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, Info]:
        game = self.game
        if game is None:
            raise InputError("a reset before the first step", "none")
        check_action(self, action)
        placing = int(action) == 3 and isinstance(game, AssembleGame)
        refused = placing and not self.refuse and not game.done and not game.can_place()  # type: ignore[union-attr]
        if refused:
            game.refuse()
        else:
            game.step(NAMES[self.leg % 2][int(action)])
        if not game.done:
            return self._observation(), 0.0, False, False, self._mask()
        own = int(action) == 3 and game.actions[-1] != REFUSED
        about = self._ended(game, own)
        over = self.leg + 1 >= self.until
        if not over:
            self.leg += 1
            self._begin(game.end)
        return self._observation(), float(about["right"]), over and own, over and not own, {**about, **self._mask()}

    def _ended(self, game: CollectGame | AssembleGame, own: bool) -> Info:
        """What `info` says of a leg that is over."""
        target, goal = self.episode.legs[self.leg // 2 * 2].goal, game.leg.goal
        assert isinstance(target, Collect)
        meant = self.task_state.meant(target)
        if isinstance(game, CollectGame):
            right = game.picked is not None and meant
            return {
                "leg": "collect",
                "right": right,
                "own": own,
                "picked": game.picked,
                "taken": self.task_state.carried,
            }
        assert isinstance(goal, Assemble)
        right = own and game.placed == goal.cell and meant
        return {"leg": "assemble", "right": right, "own": own, "placed": game.placed}

    def render(self) -> Bytes | None:
        """What one sees ahead, beside the section or the room from above; with the mode "top" that alone."""
        if self.render_mode is None or self.game is None:
            return None
        above = self._top()
        if self.render_mode == "top" or self.pictures.eyes is None:
            return above
        ahead = self.pictures.eyes.look(self._stands(), view(VIEW_WIDTH, VIEW_HEIGHT)).rgb[0]
        return np.concatenate([ahead, above], axis=1)

    def _top(self) -> Bytes:
        game = self.game
        assert game is not None
        goal = game.leg.goal
        if isinstance(game, AssembleGame):
            assert isinstance(goal, Assemble)
            return room_map(
                self.task_state.standing, game.cell, game.heading, self.task_state.carried, goal.cell, VIEW_HEIGHT
            )
        assert isinstance(goal, Collect)
        section = TaskSetup.of(self.episode).section
        return section_map(
            self.episode.world, section, self.task_state.lying, self.walks, game.heading, goal.at[:2], VIEW_HEIGHT
        )


class CollectEnv(ArraMonEnv):
    """Walk as the text says, and pick up what it names: the first half of a turn alone.

    ArraMonPictureOptions: the text of one walk; before the second turn's, the first went as its reference did.
    Actions: 0 forward, 1 left, 2 right, 3 pick.
    Observation: text, turn (0, 1), position (east, north), heading, progress (share of the horizon).
    Reward: 1 for picking up what was asked for, else 0.
    End: terminated at "pick", truncated after `collect_horizon` actions.
    Ids: bearleft/Collect-v0.

    `options={"episode": id, "turn": 1}` asks for an episode and a turn, 1 or 2. `info` as of ArraMonEnv.
    """

    part = "collect"


class AssembleEnv(ArraMonEnv):
    """Put what is carried where the text says: the second half of a turn alone, after the reference has collected.

    ArraMonPictureOptions: the text of one assembly; the right thing is carried.
    Actions: 0 forward, 1 left, 2 right, 3 place.
    Observation: text, turn (0, 1), cell (column, row), heading (0 along the rows), progress (share of the horizon).
    Reward: 1 for putting it onto its cell, else 0.
    End: terminated at "place", truncated after `assemble_horizon` actions.
    Ids: bearleft/Assemble-v0.

    `options={"episode": id, "turn": 1}` asks for an episode and a turn, 1 or 2. `info` and `refuse` as of ArraMonEnv.
    """

    part = "assemble"


def choose_turn(part: str, rng: np.random.Generator, options: dict[str, Any] | None) -> int:
    """The turn that is asked for, from 0; else one is drawn. A whole task begins with the first."""
    expected = (options or {}).get("turn")
    turns = (1,) if part == "all" else (1, 2)
    if expected is not None and expected not in turns:
        raise InputError("the turn 1" if part == "all" else "a turn, 1 or 2", shown(expected), "turn")
    if expected is not None:
        return int(expected) - 1
    return int(rng.integers(2)) if part != "all" else 0


def turn_start(episode: Episode, turn: int) -> Pose:
    """Where a turn begins: the second where the reference of the first ends."""
    if not turn:
        return episode.start
    first, second = episode.legs[0].goal, episode.legs[2].goal
    assert isinstance(first, Collect) and isinstance(second, Collect)
    return Pose(Direction(episode.start.look.heading + total_turn(first.actions)), position=second.path[0])
