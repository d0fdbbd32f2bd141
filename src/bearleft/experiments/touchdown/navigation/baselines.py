"""Walks of Touchdown's STOP, FREQUENT and RANDOM, all episodes at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bearleft.experiments.systems.saved_walks import ragged
from bearleft.experiments.touchdown.navigation.saved_walks import HORIZON, SavedWalks, walks_from_states
from bearleft.records import Episode
from bearleft.types import DataFolder
from bearleft.world.graphs.transitions import FORWARD, LEFT, RIGHT, STOP, transitions
from bearleft.world.worlds import open_world

RANDOM_SEEDS = 10
BASELINES = ("STOP", "FREQUENT", "RANDOM")
Actions = npt.NDArray[np.int64]
MOVES = np.array([FORWARD, LEFT, RIGHT], np.int64)


def baseline_walks(
    dataset: str, episodes: Sequence[Episode], data: DataFolder = None, random_seeds: int = RANDOM_SEEDS
) -> list[SavedWalks]:
    """Return the walks of STOP, FREQUENT and RANDOM (several seeds) on a split, as the agents of these names walk."""
    count = len(episodes)
    drawn = [("STOP", 0, np.full((count, 1), STOP, np.int64))]
    drawn += [("FREQUENT", 0, np.full((count, HORIZON), FORWARD, np.int64))]
    for seed in range(random_seeds):
        rng = np.random.default_rng([seed, 5])
        drawn.append(("RANDOM", seed, MOVES[rng.integers(3, size=(count, HORIZON))]))
    return [_walk(dataset, episodes, data, *walk) for walk in drawn]


def _walk(
    dataset: str, episodes: Sequence[Episode], data: DataFolder, system: str, seed: int, actions: Actions
) -> SavedWalks:
    """Return the walks that take the actions (n, t)."""
    names = list(dict.fromkeys(episode.world for episode in episodes))
    indices = np.array([names.index(episode.world) for episode in episodes], np.int64)
    done: list[npt.NDArray[np.integer]] = [np.zeros(0, np.int8)] * len(episodes)
    places = list(done)
    counts = {}
    for number, world in enumerate(names):
        graph = open_world(world, data)
        counts[world] = len(graph)
        chosen = np.flatnonzero(indices == number).tolist()
        starts = [
            (graph.place_index(str(episodes[k].start.place)), float(episodes[k].start.look.heading)) for k in chosen
        ]
        table = transitions(graph, starts)
        state, states = table.start_states.astype(np.int64), []
        for step in range(actions.shape[1]):
            states.append(state)
            state = table.next_state[state, actions[chosen, step]].astype(np.int64)
        own = walks_from_states(table.place.astype(np.int64), np.stack(states, 1), state, actions[chosen])
        for k, own_actions, own_places in zip(chosen, *own, strict=True):
            done[k], places[k] = own_actions, own_places
    ids = tuple(episode.id for episode in episodes)
    return SavedWalks(system, dataset, seed, ids, counts, indices, ragged(done, np.int8), ragged(places, np.int32))
