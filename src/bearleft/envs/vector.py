"""Vectorized navigation: the rules of `envs/reach.py` for thousands of walkers, as look-ups in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.envs.game import check_horizon
from bearleft.envs.reach import HORIZON
from bearleft.errors import InputError, format_value
from bearleft.geometry import Floats, turn
from bearleft.records import Episode, Reach, check_goals
from bearleft.world.graphs.graph import Graph, Ints
from bearleft.world.graphs.transitions import STOP, transitions

SIDES = ("ahead", "right", "back", "left")
NO_LINK = len(SIDES)


@dataclass(frozen=True)
class ReachObservations:
    """Observations of all walkers; `links` are turns clockwise from the heading, 0 where `sides` is NO_LINK."""

    episode: Ints
    place: Ints
    heading: Floats
    links: Floats
    sides: npt.NDArray[np.int8]
    progress: Floats


class VectorReach:
    """Walkers in episodes of one world.

    `reset(episodes)` puts them at the starts; `step(actions)` moves them (0 forward, 1 left, 2 right, 3 stop) and
    returns which stopped and which ran out of time. A walker that has ended stays where it is until it is reset.
    """

    def __init__(
        self,
        episodes: Sequence[Episode],
        graph: Graph,
        walkers: int,
        horizon: int = HORIZON,
        border: bool = False,
        auto_turn: bool = True,
    ) -> None:
        if walkers < 1:
            raise InputError("at least one walker", str(walkers))
        check_horizon(horizon)
        self.episodes, self.graph, self.horizon = list(episodes), graph, horizon
        check_goals(self.episodes, "which rewards need")
        starts, goals = [], []
        for episode in self.episodes:
            goal = episode.legs[0].goal
            if episode.world != graph.name or not isinstance(goal, Reach) or episode.start.place is None:
                raise InputError(f"episodes that walk in {graph.name}", f"{episode.id} in {episode.world}")
            starts.append((graph.place_index(episode.start.place), episode.start.look.heading))
            goals.append(graph.place_index(goal.route[-1]))
        if not starts:
            raise InputError("at least one episode", "none")
        self.table = transitions(graph, starts, border, auto_turn)
        self.goals = np.array(goals, np.int32)
        self.episode = np.zeros(walkers, np.int32)
        self.state = np.zeros(walkers, np.int32)
        self.steps = np.zeros(walkers, np.int32)
        self.ended = np.ones(walkers, bool)
        self._slots = np.arange(max(int(graph.degree.max()), 1))

    def reset(self, episodes: npt.ArrayLike, walkers: npt.NDArray[np.bool_] | None = None) -> None:
        """Put walkers (all, or those of a mask) at the starts of the episodes with these numbers."""
        chosen = np.asarray(episodes, np.int32)
        if chosen.size and not (chosen.min() >= 0 and chosen.max() < len(self.episodes)):
            raise InputError(f"episodes 0 to {len(self.episodes) - 1}", f"{int(chosen.min())} to {int(chosen.max())}")
        mask = np.ones(len(self.state), bool) if walkers is None else walkers
        self.episode[mask] = chosen
        self.state[mask] = self.table.start_states[chosen]
        self.steps[mask] = 0
        self.ended[mask] = False

    def step(self, actions: npt.ArrayLike) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Move the walkers that have not ended; return which stopped now, and which ran out of time now."""
        chosen = np.asarray(actions)
        if chosen.shape != self.state.shape or not np.isin(chosen, (0, 1, 2, 3)).all():
            raise InputError(f"{len(self.state)} actions from 0 to 3", format_value(chosen.tolist()))
        running = ~self.ended
        chosen = np.where(running, chosen, STOP)
        self.table.step(self.state, chosen, out=self.state)
        self.steps += running
        stopped = running & (chosen == STOP)
        timed_out = running & ~stopped & (self.steps >= self.horizon)
        self.ended |= stopped | timed_out
        return stopped, timed_out

    @property
    def places(self) -> Ints:
        """The places of the walkers."""
        places: Ints = self.table.place[self.state]
        return places

    def success(self) -> npt.NDArray[np.bool_]:
        """Return whether each walker is at its goal or next to it."""
        place, goal = self.table.place[self.state], self.goals[self.episode]
        first, neighbour = self.graph.neighbours
        success: npt.NDArray[np.bool_] = place == goal
        for k in range(int(np.diff(first).max())):
            exists = first[goal] + k < first[goal + 1]
            success |= exists & (neighbour[np.where(exists, first[goal] + k, 0)] == place)
        return success

    def observe(self) -> ReachObservations:
        """Return the observations of all walkers."""
        place, heading = self.table.place[self.state], self.table.heading[self.state]
        exists = self._slots < self.graph.degree[place][:, None]
        link = np.where(exists, self.graph.link_offsets[place][:, None] + self._slots, 0)
        turns = np.where(exists, turn(heading[:, None], self.graph.heading[link]), 0.0)
        sides = np.select([np.abs(turns) <= 45, np.abs(turns) >= 135, turns > 0], [0, 2, 1], 3)
        sides = np.where(exists, sides, NO_LINK).astype(np.int8)
        return ReachObservations(self.episode.copy(), place, heading, turns, sides, self.steps / self.horizon)
