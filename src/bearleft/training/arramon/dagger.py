"""DAgger: tasks that a network plays itself, with what an A* oracle would do at each of their steps."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from bearleft.envs.arramon.oracle import assemble_labels, collect_labels
from bearleft.envs.arramon.tasks import Tasks
from bearleft.envs.arramon.vector import VectorArraMon
from bearleft.models.arramon.legs import Codes, Legs, replay
from bearleft.models.arramon.network import COLLECT
from bearleft.world.arramon.walkable import WalkableGrid


def oracle_labels(legs: Legs, tasks: Tasks, ground: WalkableGrid) -> Codes:
    """Return the best action at each step of legs; -1 where none leads to the goal."""

    def label(k: int) -> Codes:
        span = slice(int(legs.offsets[k]), int(legs.offsets[k + 1]))
        task, turn, phase = int(legs.tasks[k]), int(legs.legs[k]) // 2, int(legs.legs[k]) % 2
        if phase != COLLECT:
            cell = tasks.target_cells[task, turn]
            return assemble_labels(legs.cells[span], legs.stack_heights[k], (int(cell[0]), int(cell[2])))
        target = int(tasks.target_indices[task, turn])
        if not legs.in_city[k, target]:  # somebody took it in the first turn
            return np.full(span.stop - span.start, -1, np.int8)
        places = tasks.item_positions[task]
        others = [(x, y) for j, (x, y) in enumerate(places.tolist()) if j != target and legs.in_city[k, j]]
        x, y = places[target].tolist()
        taken = legs.actions[span].tolist()
        return collect_labels(ground, legs.positions[span], legs.headings[span], taken, (x, y), others)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # the search is compiled and lets other threads work
        return np.concatenate(list(pool.map(label, range(len(legs)))))


def labelled_legs(
    players: VectorArraMon, numbers: npt.NDArray[np.int32], actions: Codes, labels: Codes | None = None
) -> Legs:
    """Return the legs of tasks that were played, with the oracle's actions to learn.

    Args:
        players: The environment in which they were played.
        numbers: The episode of each player.
        actions: Codes of the actions (n, legs, t).
        labels: The oracle's actions, if they are known already.
    """
    legs = replay(players, numbers, actions)
    return legs.with_labels(oracle_labels(legs, players.tasks, players.ground) if labels is None else labels)
