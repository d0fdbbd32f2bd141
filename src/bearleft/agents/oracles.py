"""Agents that know the answer: the ceiling of every score, and the check that a dataset can be played."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import dist

import numpy as np

from bearleft.envs.arramon.collect import POSITION_TOLERANCE
from bearleft.envs.game import Action, Observation
from bearleft.envs.reach import actions_along
from bearleft.errors import InputError
from bearleft.records import Assemble, Cell, Collect, Direction, Episode, Leg, Point, Pose, Position, Reach
from bearleft.world.arramon.astar import shortest_actions
from bearleft.world.arramon.walkable_grids import load_walkable_grid
from bearleft.world.arramon.moves import replay
from bearleft.world.arramon.room_search import room_actions
from bearleft.world.arramon.task_setup import RoomItem
from bearleft.world.graphs.shortest_paths import shortest_route
from bearleft.world.worlds import open_world


class Gold:
    """Replays the reference: walks the route, looks where the person looked, points at the target, picks and places."""

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
        if not leg.goal.actions:
            raise InputError("a leg with the actions of a demonstration", "none")
        return list(leg.goal.actions)

    def walk(self, route: Sequence[str], start: Pose) -> list[str]:
        """The actions along the reference route."""
        return actions_along(open_world(self.episode.world, self.data), start, route)

    def act(self, observation: Observation) -> Action:
        plan = self.plans[observation["leg"]]
        if not plan:
            raise InputError("a demonstration that ends its leg", "one that does not", f"legs[{observation['leg']}]")
        return plan.pop(0)


class Shortest(Gold):
    """Walks a shortest way to the goal, whatever the reference does; points as Gold does.

    It collects by A* from where it stands, and places with the fewest actions. Tasks of released files hold nothing
    that stands in the way, so no shortest way can be found there: it takes the recorded ones.
    """

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        super().begin(episode, rng)
        self.ended: Position | None = None  # where the last walk led

    def walk(self, route: Sequence[str], start: Pose) -> list[str]:
        graph = open_world(self.episode.world, self.data)
        return actions_along(graph, start, shortest_route(graph, graph.number(route[0]), graph.number(route[-1])))

    def act(self, observation: Observation) -> Action:
        if observation.get("step") == 0 and "setting" in self.episode.extra:
            goal = self.episode.legs[observation["leg"]].goal
            found: list[str] | None = None
            if isinstance(goal, Collect):
                found = self.collect(goal, observation)
            elif isinstance(goal, Assemble):
                standing = [RoomItem(item, _cell(cell)) for item, cell in observation["standing"]]
                found = room_actions(standing, goal.cell)
            # Where an earlier mistake has left no way, the demonstration is as good as any.
            self.plans[observation["leg"]] = list(found or self.plans[observation["leg"]])
        return super().act(observation)

    def collect(self, goal: Collect, seen: Observation) -> list[str] | None:
        """The way from where one stands to where the target is what one picks up."""
        known = goal.path[0] if self.ended is None else self.ended
        # What is shown is rounded; a way that only just reaches its target needs every digit.
        here = known if dist(known, seen["position"]) < POSITION_TOLERANCE else seen["position"]
        others = [(at[0], at[1]) for _, at, _ in seen["lying"] if tuple(at) != goal.at]
        ground = load_walkable_grid(self.episode.world)
        found = shortest_actions(ground, here[:2], seen["heading"], goal.at[:2], others)
        self.ended = replay(here, seen["heading"], found)[0][-1] if found else None
        return found


def _cell(value: Sequence[int]) -> Cell:
    column, height, row = value
    return column, height, row


def look_along(leg: Leg, goal: Point) -> list[Action]:
    """Looks where the person looked after each sentence, and at the target after the last."""
    views: list[Direction] = [*goal.views[: len(leg.sentences) - 1]]
    plan: list[Action] = []
    for view in views:
        plan += [view, "next"]
    plan += ["next"] * (len(leg.sentences) - 1 - len(views))
    return [*plan, goal.direction, "next"]
