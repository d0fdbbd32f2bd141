"""The rewards of the walkers of an environment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bearleft.envs.rewards.definitions import Reward, WalkRewards
from bearleft.envs.rewards.progress import DistanceTable, Walks
from bearleft.envs.vector import VectorReach
from bearleft.geometry import Floats
from bearleft.records import Episode, Reach
from bearleft.world.graphs.graph import Graph

Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


def route_table(episodes: Sequence[Episode], graph: Graph) -> tuple[Ints, Ints]:
    """Return the references of episodes in one world as indices of places (n, k), and the size of each (n,)."""
    routes = [[graph.place_index(place) for place in _route(episode)] for episode in episodes]
    sizes = np.array([len(route) for route in routes], np.int64)
    table = np.zeros((len(routes), sizes.max()), np.int64)
    for row, route in zip(table, routes, strict=True):
        row[: len(route)] = route
    return table, sizes


def _route(episode: Episode) -> Sequence[str]:
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    return goal.route


class WalkTracker:
    """The rewards of a single walker, in one world after another.

    Args:
        reward: The reward.
    """

    def __init__(self, reward: Reward) -> None:
        self.reward = reward
        self._rewards: dict[str, WalkRewards] = {}  # of each world, once it is played
        self._current: WalkRewards
        self._walks: Walks

    def begin(self, episode: Episode, graph: Graph, place: int) -> None:
        """Begin an episode at a place."""
        if graph.name not in self._rewards:
            self._rewards[graph.name] = WalkRewards(self.reward, DistanceTable.build([graph]))
        self._current = self._rewards[graph.name]
        self._walks = self._current.start(np.zeros(1, np.int64), np.array([place]), *route_table([episode], graph))

    def step(self, place: int, stopped: bool, timed_out: bool) -> float:
        """Return the reward of an action that led to a place."""
        ended = np.array([stopped]), np.array([timed_out])
        self._walks, rewards = self._current.step(self._walks, np.array([place]), *ended)
        return float(rewards[0])


class VectorWalkTracker:
    """The rewards of many walkers in one world.

    Args:
        reward: The reward.
        walkers: The walkers.
    """

    def __init__(self, reward: Reward, walkers: VectorReach) -> None:
        self.walkers = walkers
        self._rewards = WalkRewards(reward, DistanceTable.build([walkers.graph]))
        self._routes, self._sizes = route_table(walkers.episodes, walkers.graph)
        self._walks = self._start()

    def _start(self) -> Walks:
        episode, places = self.walkers.episode, self.walkers.places.astype(np.int64)
        return self._rewards.start(np.zeros_like(places), places, self._routes[episode], self._sizes[episode])

    def begin(self, chosen: Flags) -> None:
        """Begin the present episodes of some walkers."""
        self._walks = self._walks.replace_where(chosen, self._start())

    def step(self, stopped: Flags, timed_out: Flags) -> Floats:
        """Return the rewards of the action that the walkers took."""
        places = self.walkers.places.astype(np.int64)
        self._walks, rewards = self._rewards.step(self._walks, places, stopped, timed_out)
        return np.asarray(rewards, np.float64)
