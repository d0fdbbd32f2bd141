"""Touchdown's three pointing baselines: RANDOM (here "uniform"), CENTER and AVERAGE."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bearleft.agents.agent import unsupported_leg
from bearleft.envs.game import Action, Observation, Prediction
from bearleft.errors import InputError
from bearleft.geometry import from_equirectangular, to_equirectangular
from bearleft.heatmap import smooth
from bearleft.records import Direction, Episode, Heatmap, Point, check_goals

WIDTH, HEIGHT = 64, 32  # of a heat map


class PointingBaseline:
    """Base class: answers a point leg with `answer`; in a look leg, reads all sentences and then looks there once."""

    name = "pointing baseline"
    heat: Heatmap | None = None

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Begin an episode."""
        self.rng = rng
        self.has_looked = False
        self.tried: set[int] = set()

    def act(self, observation: Observation) -> Action:
        """Return a direction, or "next" in a look leg."""
        if observation["kind"] not in ("point", "look"):
            raise unsupported_leg(self.name, observation["kind"])
        if observation["kind"] == "point":
            return self.answer(observation["yaw"])
        if observation.get("refused") and observation["sentence"] not in self.tried:
            # In interactive play the next sentence is given only if this one's direction was found.
            self.tried.add(observation["sentence"])
            return self.answer(0.0)
        if observation["sentence"] + 1 < observation["sentences"] or self.has_looked:
            self.has_looked = False
            return "next"
        self.has_looked = True
        return self.answer(0.0)

    def answer(self, yaw: float) -> Action:
        """Return a direction, with the heat map if the baseline has one."""
        direction = self.direction(yaw)
        return direction if self.heat is None else Prediction(direction, self.heat)

    def direction(self, yaw: float) -> Direction:
        """Return a direction, given the heading in the middle of the picture."""
        x, y = self.pixel()
        heading, pitch = from_equirectangular(x, y, 1.0, 1.0, yaw)
        return Direction(float(heading), float(pitch))

    def pixel(self) -> tuple[float, float]:
        """Return a pixel of the equirectangular picture: x and y as shares of its width and height."""
        raise unsupported_leg(self.name, "point")


class Uniform(PointingBaseline):
    """Point at a uniformly random pixel."""

    name = "uniform"

    def pixel(self) -> tuple[float, float]:
        """Return a random pixel."""
        return float(self.rng.uniform()), float(self.rng.uniform())


class Center(PointingBaseline):
    """Point at the middle of the picture."""

    name = "center"

    def pixel(self) -> tuple[float, float]:
        """Return the middle of the picture."""
        return 0.5, 0.5


class Average(PointingBaseline):
    """Point at the mean pixel of the targets of other episodes, with a heat map of these targets.

    The paper uses the training set.

    Args:
        episodes: The episodes whose targets are averaged.

    Raises:
        InputError: No episode has a point leg, or the goals are hidden.
    """

    name = "average"

    def __init__(self, episodes: Iterable[Episode]) -> None:
        episodes = list(episodes)
        check_goals(episodes, "whose points the agent average needs (average:DATASET takes those of another one)")
        goals = [leg.goal for episode in episodes for leg in episode.legs if isinstance(leg.goal, Point)]
        if not goals:
            raise InputError("episodes with a point to average", "none")
        x, y = to_equirectangular(
            [goal.direction.heading for goal in goals],
            [goal.direction.pitch for goal in goals],
            1.0,
            1.0,
            [goal.yaw for goal in goals],
        )
        self.mean = float(x.mean()), float(y.mean())
        counts, _, _ = np.histogram2d(y, x, (HEIGHT, WIDTH), ((0.0, 1.0), (0.0, 1.0)))
        self.heat = Heatmap.from_array(smooth(counts))

    def pixel(self) -> tuple[float, float]:
        """Return the mean pixel."""
        return self.mean
