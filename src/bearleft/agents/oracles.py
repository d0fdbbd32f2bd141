"""Agents that know the answer: the ceiling of every score, and the check that a dataset can be played."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from bearleft.envs.game import Action, Observation
from bearleft.envs.reach import actions_along
from bearleft.errors import InputError
from bearleft.records import Direction, Episode, Leg, Point, Pose, Reach
from bearleft.world.routes import shortest_route
from bearleft.world.worlds import open_world


class Gold:
    """Replays the reference: walks the route, looks where the person looked, points at the target."""

    def __init__(self, data: str | os.PathLike[str] | None = None) -> None:
        self.data = data

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.episode = episode
        self.plans: list[list[Action]] = []
        start = episode.start
        for leg in episode.legs:
            self.plans.append(self.plan(leg, start))
            if isinstance(leg.goal, Reach):
                start = Pose(start.look, leg.goal.route[-1])

    def plan(self, leg: Leg, start: Pose) -> list[Action]:
        """All actions of a leg."""
        if isinstance(leg.goal, Reach):
            return list(self.walk(leg.goal.route, start))
        if isinstance(leg.goal, Point):
            return look_along(leg, leg.goal) if leg.sentences else [leg.goal.direction]
        kind = type(leg.goal).__name__
        raise InputError("a leg to walk or to point (Reach, Point)", f"{kind}, which cannot be played yet")

    def walk(self, route: Sequence[str], start: Pose) -> list[str]:
        """The actions along the reference route."""
        return actions_along(open_world(self.episode.world, self.data), start, route)

    def act(self, observation: Observation) -> Action:
        return self.plans[observation["leg"]].pop(0)


class Shortest(Gold):
    """Walks a shortest way to the goal, whatever the reference does; points as Gold does."""

    def walk(self, route: Sequence[str], start: Pose) -> list[str]:
        graph = open_world(self.episode.world, self.data)
        return actions_along(graph, start, shortest_route(graph, graph.number(route[0]), graph.number(route[-1])))


def look_along(leg: Leg, goal: Point) -> list[Action]:
    """Looks where the person looked after each sentence, and at the target after the last."""
    views: list[Direction] = [*goal.views[: len(leg.sentences) - 1]]
    plan: list[Action] = []
    for view in views:
        plan += [view, "next"]
    plan += ["next"] * (len(leg.sentences) - 1 - len(views))
    return [*plan, goal.direction, "next"]
