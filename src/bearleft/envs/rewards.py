"""Rewards of walks by name: for success, and the two that the nDTW paper trains its agents with (section 4.2).

| name       | at each step                      | at the end                                                |
| ---------- | --------------------------------- | --------------------------------------------------------- |
| `success`  | 0                                 | 1 for a stop at the goal or next to it, else 0            |
| `goal`     | how much closer the goal is now   | 1 for a stop within the threshold of the goal, else -1    |
| `fidelity` | the gain in nDTW                  | 1 - distance / threshold for such a stop, else 0          |

Distances are those of the convention `paper`: hops with a threshold of 1 in streets, metres with a threshold of 3 in
buildings.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bearleft.errors import unknown_name
from bearleft.geometry import Floats
from bearleft.world.graphs.distances import Distances
from bearleft.world.graphs.graph import Graph
from bearleft.world.worlds import world_kind

REWARDS = ("success", "goal", "fidelity")
Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


def check_reward(name: str) -> str:
    """Return the name of a reward; raise InputError with the choices if there is none."""
    if name not in REWARDS:
        raise unknown_name("reward", name, REWARDS)
    return name


def goal_distances(graph: Graph) -> tuple[Distances, float]:
    """Return the distances of the convention `paper` in a world, and the threshold within which a goal is reached."""
    return (graph.metres, 3.0) if world_kind(graph.name).distance == "metres" else (graph.hops, 1.0)


class WalkRewards:
    """The rewards `goal` and `fidelity` of walkers in one world.

    Args:
        name: "goal" or "fidelity".
        graph: The graph of the world.
        walkers: The number of walkers.
    """

    def __init__(self, name: str, graph: Graph, walkers: int) -> None:
        distances, self.threshold = goal_distances(graph)
        self.name, self._distances = name, distances.matrix()
        self._place, self._goal = np.zeros(walkers, np.int64), np.zeros(walkers, np.int64)
        self._routes: Ints = np.zeros((walkers, 1), np.int64)
        self._sizes = np.ones(walkers, np.int64)
        self._dtw: Floats = np.zeros((walkers, 1))  # of the path so far and each beginning of the route

    def begin(self, walkers: npt.ArrayLike, places: npt.ArrayLike, routes: Sequence[Sequence[int]]) -> None:
        """Put walkers at the places where they begin to walk along routes."""
        chosen, longest = np.asarray(walkers), max(map(len, routes), default=1)
        if (missing := longest - self._routes.shape[1]) > 0:
            self._routes = np.pad(self._routes, ((0, 0), (0, missing)))
            self._dtw = np.pad(self._dtw, ((0, 0), (0, missing)))
        for k, route in zip(chosen.tolist(), routes, strict=True):
            self._routes[k, : len(route)], self._sizes[k], self._goal[k] = route, len(route), route[-1]
        self._place[chosen] = places
        self._dtw[chosen] = np.cumsum(self._costs(chosen), axis=1)

    def _costs(self, walkers: Ints) -> Floats:
        """Return the distances of walkers from the places of their routes."""
        costs: Floats = self._distances[self._place[walkers, None], self._routes[walkers]].astype(np.float64)
        return costs

    def _to_goal(self) -> Floats:
        distances: Floats = self._distances[self._place, self._goal].astype(np.float64)
        return distances

    def _ndtw(self) -> Floats:
        dtw = self._dtw[np.arange(len(self._sizes)), self._sizes - 1]
        scores: Floats = np.exp(-dtw / (self._sizes * self.threshold))
        return scores

    def step(self, places: npt.ArrayLike, stopped: Flags, timed_out: Flags) -> Floats:
        """Return the rewards of one action.

        Args:
            places: Where the walkers are now.
            stopped: Which walkers stopped with this action.
            timed_out: Which walks the horizon ended with it.
        """
        before = self._to_goal() if self.name == "goal" else self._ndtw()
        moved = np.flatnonzero(self._place != places)
        self._place[moved] = np.asarray(places)[moved]
        if self.name == "fidelity" and len(moved):
            self._extend(moved)
        distance = self._to_goal()
        success = stopped & (distance <= self.threshold)
        if self.name == "goal":
            return before - distance + np.where(success, 1.0, np.where(stopped | timed_out, -1.0, 0.0))
        return self._ndtw() - before + np.where(success, 1.0 - distance / self.threshold, 0.0)

    def _extend(self, walkers: Ints) -> None:
        """Add the places of walkers to their paths: the next row of dynamic time warping."""
        costs, above = self._costs(walkers), self._dtw[walkers]
        row = np.empty_like(above)
        row[:, 0] = above[:, 0] + costs[:, 0]
        for j in range(1, row.shape[1]):
            row[:, j] = costs[:, j] + np.minimum(np.minimum(above[:, j], above[:, j - 1]), row[:, j - 1])
        self._dtw[walkers] = row
