"""Thousands of walkers at once: the rules of `envs/reach.py` as look-ups in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.envs.game import at_least_one
from bearleft.envs.reach import HORIZON
from bearleft.errors import InputError, shown
from bearleft.geometry import Floats, turn
from bearleft.records import Episode, Reach
from bearleft.world.graphs.graph import Graph, Ints
from bearleft.world.graphs.transitions import STOP, transitions

SIDES = ("ahead", "right", "back", "left")
NO_LINK = len(SIDES)


@dataclass(frozen=True)
class Seen:
    """What every walker sees; `links` are turns clockwise from the heading, 0 where `sides` says NO_LINK."""

    episode: Ints
    place: Ints
    heading: Floats
    links: Floats
    sides: npt.NDArray[np.int8]
    progress: Floats


class ReachMany:
    """Walkers over the episodes of one world, each at its own.

    `begin(episodes)` sets them down; `step(actions)` moves them (0 forward, 1 left, 2 right, 3 stop) and says who
    stopped and who ran out of time. Who has ended stays where he is until he is begun again.
    """

    def __init__(
        self, episodes: Sequence[Episode], graph: Graph, walkers: int, horizon: int = HORIZON, border: bool = False
    ) -> None:
        if walkers < 1:
            raise InputError("at least one walker", str(walkers))
        at_least_one(horizon)
        self.episodes, self.graph, self.horizon = list(episodes), graph, horizon
        starts, goals = [], []
        for episode in self.episodes:
            goal = episode.legs[0].goal
            if episode.world != graph.name or not isinstance(goal, Reach) or episode.start.place is None:
                raise InputError(f"episodes that walk in {graph.name}", f"{episode.id} in {episode.world}")
            starts.append((graph.number(episode.start.place), episode.start.look.heading))
            goals.append(graph.number(goal.route[-1]))
        if not starts:
            raise InputError("at least one episode", "none")
        self.table = transitions(graph, starts, border)
        self.goals = np.array(goals, np.int32)
        self.episode = np.zeros(walkers, np.int32)
        self.state = np.zeros(walkers, np.int32)
        self.steps = np.zeros(walkers, np.int32)
        self.ended = np.ones(walkers, bool)
        self._slots = np.arange(max(int(graph.degree.max()), 1))

    def begin(self, episodes: npt.ArrayLike, who: npt.NDArray[np.bool_] | None = None) -> None:
        """Sets walkers (all, or those of a mask) down at the starts of the episodes with these numbers."""
        chosen = np.asarray(episodes, np.int32)
        if chosen.size and not (chosen.min() >= 0 and chosen.max() < len(self.episodes)):
            raise InputError(f"episodes 0 to {len(self.episodes) - 1}", f"{int(chosen.min())} to {int(chosen.max())}")
        mask = np.ones(len(self.state), bool) if who is None else who
        self.episode[mask] = chosen
        self.state[mask] = self.table.starts[chosen]
        self.steps[mask] = 0
        self.ended[mask] = False

    def step(self, actions: npt.ArrayLike) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Moves everyone who has not ended; who stopped now, and whose time ran out now."""
        chosen = np.asarray(actions)
        if chosen.shape != self.state.shape or not np.isin(chosen, (0, 1, 2, 3)).all():
            raise InputError(f"{len(self.state)} actions from 0 to 3", shown(chosen.tolist()))
        running = ~self.ended
        chosen = np.where(running, chosen, STOP)
        self.table.step(self.state, chosen, out=self.state)
        self.steps += running
        stopped = running & (chosen == STOP)
        late = running & ~stopped & (self.steps >= self.horizon)
        self.ended |= stopped | late
        return stopped, late

    def success(self) -> npt.NDArray[np.bool_]:
        """Whether each walker stands at his goal or next to it."""
        place, goal = self.table.place[self.state], self.goals[self.episode]
        first, near = self.graph.neighbours
        found: npt.NDArray[np.bool_] = place == goal
        for k in range(int(np.diff(first).max())):
            there = first[goal] + k < first[goal + 1]
            found |= there & (near[np.where(there, first[goal] + k, 0)] == place)
        return found

    def see(self) -> Seen:
        """What every walker sees now."""
        place, heading = self.table.place[self.state], self.table.heading[self.state]
        there = self._slots < self.graph.degree[place][:, None]
        link = np.where(there, self.graph.first[place][:, None] + self._slots, 0)
        turns = np.where(there, turn(heading[:, None], self.graph.heading[link]), 0.0)
        sides = np.select([np.abs(turns) <= 45, np.abs(turns) >= 135, turns > 0], [0, 2, 1], 3)
        sides = np.where(there, sides, NO_LINK).astype(np.int8)
        return Seen(self.episode.copy(), place, heading, turns, sides, self.steps / self.horizon)
