"""Episodes leg by leg: which game a leg is, and where it begins."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from bearleft.envs.game import at_least_one
from bearleft.envs.look import HORIZON as LOOK_HORIZON
from bearleft.envs.look import STEP, LookGame, ceiling, check_step
from bearleft.envs.point import PointGame
from bearleft.envs.reach import HORIZON, ReachGame
from bearleft.errors import InputError
from bearleft.records import Episode, Leg, Point, Pose, Reach
from bearleft.world.worlds import open_world


@dataclass(frozen=True)
class Options:
    """The rules one may change; the defaults let every demonstration through."""

    horizon: int = HORIZON
    border: bool = False
    look_step: float = STEP
    look_horizon: int = LOOK_HORIZON

    def __post_init__(self) -> None:
        at_least_one(self.horizon)
        at_least_one(self.look_horizon)
        check_step(self.look_step)


def begin(
    leg: Leg,
    start: Pose,
    episode: Episode,
    rng: np.random.Generator,
    data: str | os.PathLike[str] | None = None,
    options: Options | None = None,
) -> ReachGame | PointGame | LookGame:
    """The game of one leg, begun at `start`. A text in sentences is found by turning one's view, from the ceiling."""
    options = options or Options()
    if isinstance(leg.goal, Reach):
        return ReachGame(leg, start, open_world(episode.world, data), options.horizon, options.border)
    if isinstance(leg.goal, Point):
        if leg.sentences:
            above = Pose(ceiling(rng), start.place, start.position)
            return LookGame(leg, above, options.look_step, options.look_horizon)
        return PointGame(leg, start)
    kind = type(leg.goal).__name__
    raise InputError("a leg to walk or to point (Reach, Point)", f"{kind}, which cannot be played yet")
