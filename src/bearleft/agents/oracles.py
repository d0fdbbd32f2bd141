"""Oracles, which read the goal: an upper bound of every score, and a check that a dataset can be played."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist

import numpy as np

from bearleft.envs.arramon.collect import POSITION_TOLERANCE
from bearleft.envs.game import Action, Observation
from bearleft.envs.reach import actions_along
from bearleft.errors import InputError
from bearleft.records import (
    Assemble,
    Cell,
    Collect,
    Direction,
    Episode,
    Leg,
    Point,
    Pose,
    Position,
    Reach,
    check_goals,
)
from bearleft.types import DataFolder
from bearleft.world.arramon.astar import shortest_actions
from bearleft.world.arramon.moves import replay
from bearleft.world.arramon.room_search import room_actions
from bearleft.world.arramon.task_setup import RoomItem
from bearleft.world.arramon.walkable_grids import load_walkable_grid
from bearleft.world.graphs.shortest_paths import shortest_route
from bearleft.world.worlds import open_world


class Gold:
    """Replay the reference: walk the route, look where the annotator looked, point at the target, pick and place."""

    def __init__(self, data: DataFolder = None) -> None:
        self.data = data

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Begin an episode and plan all its legs; raise InputError if its goals are hidden."""
        check_goals([episode], "which the agents gold and shortest repeat")
        self.episode = episode
        self.plans: list[list[Action]] = []
        start = episode.start
        for leg in episode.legs:
            self.plans.append(self.plan(leg, start))
            if isinstance(leg.goal, Reach):
                start = Pose(start.look, leg.goal.route[-1])

    def plan(self, leg: Leg, start: Pose) -> list[Action]:
        """Return all actions of a leg.

        Args:
            leg: The leg.
            start: The pose at its beginning.

        Raises:
            InputError: The leg is to collect or assemble, and has no demonstration.
        """
        if isinstance(leg.goal, Reach):
            return list(self.walk(leg.goal.route, start))
        if isinstance(leg.goal, Point):
            return look_actions(leg, leg.goal) if leg.sentences else [leg.goal.direction]
        if not leg.goal.actions:
            raise InputError("a leg with the actions of a demonstration", "none")
        return list(leg.goal.actions)

    def walk(self, route: Sequence[str], start: Pose) -> list[str]:
        """Return the actions along the reference route."""
        return actions_along(open_world(self.episode.world, self.data), start, route)

    def act(self, observation: Observation) -> Action:
        """Return the next action of the leg's plan."""
        plan = self.plans[observation["leg"]]
        if not plan:
            raise InputError("a demonstration that ends its leg", "one that does not", f"legs[{observation['leg']}]")
        return plan.pop(0)


class Shortest(Gold):
    """Walk a shortest path to the goal instead of the reference; point as `Gold` does.

    It collects by A* search from its position, and places with the fewest actions. Tasks of released files do not list
    obstacles, so that no shortest path can be computed: there the recorded actions are replayed.
    """

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Begin an episode."""
        super().begin(episode, rng)
        self.last_position: Position | None = None  # at the end of the last walk

    def walk(self, route: Sequence[str], start: Pose) -> list[str]:
        """Return the actions along a shortest path between the route's ends."""
        graph = open_world(self.episode.world, self.data)
        return actions_along(
            graph, start, shortest_route(graph, graph.place_index(route[0]), graph.place_index(route[-1]))
        )

    def act(self, observation: Observation) -> Action:
        """Return the next action; at the first step of an ArraMon leg, plan it anew."""
        if observation.get("step") == 0 and "setting" in self.episode.extra:
            goal = self.episode.legs[observation["leg"]].goal
            plan: list[str] | None = None
            if isinstance(goal, Collect):
                plan = self.collect(goal, observation)
            elif isinstance(goal, Assemble):
                room_items = [RoomItem(item, _cell(cell)) for item, cell in observation["room_items"]]
                plan = room_actions(room_items, goal.cell)
            # Without any path, because of earlier mistakes, the demonstration is as good as any other plan.
            self.plans[observation["leg"]] = list(plan or self.plans[observation["leg"]])
        return super().act(observation)

    def collect(self, goal: Collect, observation: Observation) -> list[str] | None:
        """Return the actions from the current position to one where "pick" takes the target; None if there are none."""
        exact = goal.path[0] if self.last_position is None else self.last_position
        # Observed positions are rounded; a path that only just reaches its target needs every digit.
        start = exact if dist(exact, observation["position"]) < POSITION_TOLERANCE else observation["position"]
        others = [(at[0], at[1]) for _, at, _ in observation["city_items"] if tuple(at) != goal.at]
        ground = load_walkable_grid(self.episode.world)
        actions = shortest_actions(ground, start[:2], observation["heading"], goal.at[:2], others)
        self.last_position = replay(start, observation["heading"], actions)[0][-1] if actions else None
        return actions


def _cell(value: Sequence[int]) -> Cell:
    column, height, row = value
    return column, height, row


def look_actions(leg: Leg, goal: Point) -> list[Action]:
    """Return actions that look where the annotator looked after each sentence, and at the target after the last."""
    views: list[Direction] = [*goal.views[: len(leg.sentences) - 1]]
    plan: list[Action] = []
    for view in views:
        plan += [view, "next"]
    plan += ["next"] * (len(leg.sentences) - 1 - len(views))
    return [*plan, goal.direction, "next"]
