"""Touchdown's three walkers that do not learn: STOP, RANDOM and FREQUENT."""

from __future__ import annotations

import numpy as np

from bearleft.agents.agent import cannot
from bearleft.agents.pointers import Uniform
from bearleft.envs.game import Action, Observation
from bearleft.records import Direction, Episode

HORIZON = 50  # the paper's number of actions at test time


class Stop:
    """Stops at once; points where it looks; never turns its view."""

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: Observation) -> Action:
        if observation["kind"] == "reach":
            return "stop"
        if observation["kind"] == "look":
            return "next"
        return Direction(observation["heading"], observation["pitch"])


class Random:
    """Walks forward, left or right with equal chance until `horizon` actions; points anywhere, as Uniform does."""

    def __init__(self, horizon: int = HORIZON) -> None:
        self.horizon = horizon
        self.pointer = Uniform()

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.rng = rng
        self.pointer.begin(episode, rng)

    def act(self, observation: Observation) -> Action:
        if observation["kind"] != "reach":
            return self.pointer.act(observation)
        if observation["step"] >= self.horizon:
            return "stop"
        return ("forward", "left", "right")[self.rng.integers(3)]


class Frequent:
    """Always takes the most frequent action of Touchdown's training set, forward, until `horizon` actions."""

    def __init__(self, horizon: int = HORIZON) -> None:
        self.horizon = horizon

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: Observation) -> Action:
        if observation["kind"] != "reach":
            raise cannot("frequent", observation["kind"])
        return "stop" if observation["step"] >= self.horizon else "forward"
