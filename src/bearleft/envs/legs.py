"""Episodes leg by leg: which game a leg is, and where it begins."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from bearleft.envs.arramon.assemble import HORIZON as ASSEMBLE_HORIZON
from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import HORIZON as COLLECT_HORIZON
from bearleft.envs.arramon.collect import CollectGame
from bearleft.envs.arramon.state import TaskState
from bearleft.envs.game import at_least_one
from bearleft.envs.look import HORIZON as LOOK_HORIZON
from bearleft.envs.look import STEP, LookGame, ceiling, check_lattice, check_step
from bearleft.envs.point import PointGame
from bearleft.envs.reach import ReachGame, default_horizon
from bearleft.errors import InputError
from bearleft.records import Collect, Episode, Leg, Point, Pose, Reach
from bearleft.world.arramon.grounds import open_ground
from bearleft.world.worlds import open_world


@dataclass(frozen=True)
class Options:
    """The rules one may change. `horizon` None is that of the dataset (`default_horizon`)."""

    horizon: int | None = None
    border: bool = False
    look_step: float = STEP
    look_horizon: int = LOOK_HORIZON
    look_lattice: float | None = None  # degrees between fixed views, instead of `look_step`
    interactive: bool = False  # the next sentence is given only at the milestone of the present one
    collect_horizon: int = COLLECT_HORIZON
    assemble_horizon: int = ASSEMBLE_HORIZON
    perfect_navigation: bool = False  # the reference collects, and the player only assembles
    retry_pick: bool = False  # a pick with nothing within reach does not end a leg

    def __post_init__(self) -> None:
        if self.horizon is not None:
            at_least_one(self.horizon)
        for horizon in (self.look_horizon, self.collect_horizon, self.assemble_horizon):
            at_least_one(horizon)
        check_step(self.look_step)
        if self.look_lattice is not None:
            check_lattice(self.look_lattice)
            if self.look_step != STEP:
                raise InputError("a step of the view or a lattice of views", "both", "look_lattice")


RELEASED_HORIZON = 150  # of ArraMon's released decoder, in the city and in the room
RELEASED = Options(collect_horizon=RELEASED_HORIZON, assemble_horizon=RELEASED_HORIZON, retry_pick=True)


def begin(
    leg: Leg,
    start: Pose,
    episode: Episode,
    rng: np.random.Generator,
    data: str | os.PathLike[str] | None = None,
    options: Options | None = None,
    gathering: TaskState | None = None,
) -> ReachGame | PointGame | LookGame | CollectGame | AssembleGame:
    """The game of one leg, begun at `start`. A text in sentences is found by turning one's view, from the ceiling.

    `gathering` is what collecting and assembling hand on from leg to leg; without it, the legs before went as their
    reference did.
    """
    options = options or Options()
    if isinstance(leg.goal, Reach):
        horizon = options.horizon or default_horizon(episode.dataset)
        return ReachGame(leg, start, open_world(episode.world, data), horizon, options.border)
    if isinstance(leg.goal, Point):
        if leg.sentences:
            above = Pose(ceiling(rng), start.place, start.position)
            return LookGame(
                leg,
                above,
                options.look_step,
                options.look_horizon,
                lattice=options.look_lattice,
                interactive=options.interactive,
            )
        return PointGame(leg, start, _yaw(leg.goal, start, episode, data))
    if gathering is None:
        gathering = TaskState.before(episode, _number(leg, episode))
    if isinstance(leg.goal, Collect):
        ground = open_ground(episode.world)
        return CollectGame(leg, start, gathering, ground, options.collect_horizon, options.retry_pick)
    return AssembleGame(leg, start, gathering, options.assemble_horizon)


def _yaw(goal: Point, start: Pose, episode: Episode, data: str | os.PathLike[str] | None) -> float:
    """The heading in the middle of the picture of the place one stands at, which need not be the goal's."""
    seen = goal.seen_from(start.place)
    if seen is not None:
        return seen.yaw
    graph = open_world(episode.world, data)
    return float(graph.yaw[graph.number(start.place or "")])


def _number(leg: Leg, episode: Episode) -> int:
    """Which leg of an episode it is."""
    for k, one in enumerate(episode.legs):
        if one is leg:
            return k
    raise InputError(f"a leg of the episode {episode.id}", "another")


def gathering_of(episode: Episode) -> TaskState | None:
    """What the legs of a task hand on, where it has legs that collect."""
    return TaskState.of(episode) if any(isinstance(leg.goal, Collect) for leg in episode.legs) else None
