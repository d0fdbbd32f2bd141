"""The game of each leg of an episode, and the options that change its rules."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from bearleft.envs.arramon.assemble import HORIZON as ASSEMBLE_HORIZON
from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import HORIZON as COLLECT_HORIZON
from bearleft.envs.arramon.collect import CollectGame
from bearleft.envs.arramon.state import TaskState
from bearleft.envs.game import check_horizon
from bearleft.envs.look import HORIZON as LOOK_HORIZON
from bearleft.envs.look import TURN_DEGREES, LookGame, check_lattice, check_turn_degrees, initial_view
from bearleft.envs.point import PointGame
from bearleft.envs.reach import ReachGame, default_horizon
from bearleft.errors import InputError
from bearleft.records import Collect, Episode, Leg, Point, Pose, Reach
from bearleft.types import DataFolder
from bearleft.world.arramon.walkable_grids import load_walkable_grid
from bearleft.world.worlds import open_world, world_kind


@dataclass(frozen=True)
class EnvOptions:
    """Rules of the games. If `horizon` is None, the dataset's default is used (`default_horizon`)."""

    horizon: int | None = None
    border: bool = False  # walkers keep off places with fewer than two links, as in Touchdown's program
    auto_turn: bool = True  # walkers turn to the nearest link when they enter a junction, as in Touchdown
    look_step: float = TURN_DEGREES
    look_horizon: int = LOOK_HORIZON
    look_lattice: float | None = None  # degrees between fixed views, instead of `look_step`
    interactive: bool = False  # the next sentence is given only at the milestone of the current one
    collect_horizon: int = COLLECT_HORIZON
    assemble_horizon: int = ASSEMBLE_HORIZON
    perfect_navigation: bool = False  # Collect legs follow the reference, the agent only assembles
    retry_pick: bool = False  # a pick with nothing within reach does not end a leg

    def __post_init__(self) -> None:
        if self.horizon is not None:
            check_horizon(self.horizon)
        for horizon in (self.look_horizon, self.collect_horizon, self.assemble_horizon):
            check_horizon(horizon)
        check_turn_degrees(self.look_step)
        if self.look_lattice is not None:
            check_lattice(self.look_lattice)
            if self.look_step != TURN_DEGREES:
                raise InputError("a step of the view or a lattice of views", "both", "look_lattice")


RELEASED_HORIZON = 150  # of ArraMon's released decoder, in the city and in the room
RELEASED_OPTIONS = EnvOptions(collect_horizon=RELEASED_HORIZON, assemble_horizon=RELEASED_HORIZON, retry_pick=True)


def episode_generators(seed: int, episode: str) -> tuple[np.random.Generator, np.random.Generator]:
    """Return the random generators of the game and of the agent; they depend on the seed and the episode id only."""
    digest = hashlib.sha256(episode.encode()).digest()
    game, agent = np.random.SeedSequence([seed, int.from_bytes(digest[:8], "little")]).spawn(2)
    return np.random.default_rng(game), np.random.default_rng(agent)


def make_game(
    leg: Leg,
    start: Pose,
    episode: Episode,
    rng: np.random.Generator,
    data: DataFolder = None,
    options: EnvOptions | None = None,
    task_state: TaskState | None = None,
) -> ReachGame | PointGame | LookGame | CollectGame | AssembleGame:
    """Return the game of one leg, at its beginning.

    Args:
        leg: A leg of `episode`.
        start: Where the leg begins. A leg whose text has sentences begins with a view of the ceiling.
        episode: The episode, which names the world.
        rng: Draws the heading of the first view.
        data: The folder of real datasets.
        options: Rules; the default ones if None.
        task_state: State of an ArraMon task, shared by its legs; if None, the reference of earlier legs is assumed.
    """
    options = options or EnvOptions()
    if isinstance(leg.goal, Reach):
        horizon = options.horizon or default_horizon(episode.dataset)
        return ReachGame(leg, start, open_world(episode.world, data), horizon, options.border, options.auto_turn)
    if isinstance(leg.goal, Point):
        if leg.sentences:
            start = Pose(initial_view(rng), start.place, start.position)
            return LookGame(
                leg,
                start,
                options.look_step,
                options.look_horizon,
                lattice=options.look_lattice,
                interactive=options.interactive,
            )
        return PointGame(leg, start, _yaw(leg.goal, start, episode, data))
    if task_state is None:
        task_state = TaskState.at_leg(episode, _leg_index(leg, episode))
    if isinstance(leg.goal, Collect):
        ground = load_walkable_grid(episode.world)
        return CollectGame(leg, start, task_state, ground, options.collect_horizon, options.retry_pick)
    return AssembleGame(leg, start, task_state, options.assemble_horizon)


def _yaw(goal: Point, start: Pose, episode: Episode, data: DataFolder) -> float:
    """Return the heading in the middle of the panorama at the start, which need not be the goal's place."""
    # A hidden target without a place is pointed at from the end of a walk.
    target = None if goal.hidden and goal.place is None else goal.seen_from(start.place)
    if target is not None:
        return target.yaw
    if not world_kind(episode.world).has_graph:
        return 0.0  # of photographs at places without links
    graph = open_world(episode.world, data)
    return float(graph.yaw[graph.place_index(start.place or "")])


def _leg_index(leg: Leg, episode: Episode) -> int:
    """Return the index of a leg in its episode."""
    for k, other in enumerate(episode.legs):
        if other is leg:
            return k
    raise InputError(f"a leg of the episode {episode.id}", "another")


def initial_task_state(episode: Episode) -> TaskState | None:
    """Return the state of an ArraMon task at its beginning; None for other episodes."""
    return TaskState.from_episode(episode) if any(isinstance(leg.goal, Collect) for leg in episode.legs) else None
