"""Touchdown's three pointers that do not learn: RANDOM (uniform), CENTER and AVERAGE."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bearleft.agents.agent import cannot
from bearleft.envs.game import Action, Guess, Observation
from bearleft.errors import InputError
from bearleft.geometry import from_equirectangular, to_equirectangular
from bearleft.heatmap import smooth
from bearleft.records import Direction, Episode, Heat, Point

WIDTH, HEIGHT = 64, 32  # of a heat map


class Pointer:
    """Answers a point leg with `answer()`, and a look leg by looking there at the last sentence."""

    name = "pointer"
    heat: Heat | None = None

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.rng = rng
        self.looked = False
        self.tried: set[int] = set()

    def act(self, observation: Observation) -> Action:
        if observation["kind"] not in ("point", "look"):
            raise cannot(self.name, observation["kind"])
        if observation["kind"] == "point":
            return self.answer(observation["yaw"])
        if observation.get("refused") and observation["sentence"] not in self.tried:
            # Interactive: the next sentence comes only where this one leads.
            self.tried.add(observation["sentence"])
            return self.answer(0.0)
        if observation["sentence"] + 1 < observation["sentences"] or self.looked:
            self.looked = False
            return "next"
        self.looked = True
        return self.answer(0.0)

    def answer(self, yaw: float) -> Action:
        """A direction, with a heat map where there is one."""
        direction = self.direction(yaw)
        return direction if self.heat is None else Guess(direction, self.heat)

    def direction(self, yaw: float) -> Direction:
        """A direction, given the heading in the middle of the picture."""
        x, y = self.pixel()
        heading, pitch = from_equirectangular(x, y, 1.0, 1.0, yaw)
        return Direction(float(heading), float(pitch))

    def pixel(self) -> tuple[float, float]:
        """A spot of the equirectangular picture, as shares of its width and height."""
        raise cannot(self.name, "point")


class Uniform(Pointer):
    """Any pixel of the picture, each with the same chance."""

    name = "uniform"

    def pixel(self) -> tuple[float, float]:
        return float(self.rng.uniform()), float(self.rng.uniform())


class Center(Pointer):
    """The middle of the picture."""

    name = "center"

    def pixel(self) -> tuple[float, float]:
        return 0.5, 0.5


class Average(Pointer):
    """The mean pixel of other episodes' targets (the paper takes the training set's), with a heat map of them."""

    name = "average"

    def __init__(self, episodes: Iterable[Episode]) -> None:
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
        self.heat = Heat.of(smooth(counts))

    def pixel(self) -> tuple[float, float]:
        return self.mean
