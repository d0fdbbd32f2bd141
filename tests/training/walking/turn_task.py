"""A task in which one word decides: walks to a crossing of a town, where the text says left or right.

Every walk to a crossing is there twice, once to the left and once to the right, so that a walker who ignores the text
reaches at most half of the goals.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch

from bearleft.envs.reach import ReachGame
from bearleft.models.walking.examples import build_walks, open_graphs
from bearleft.models.walking.states import StateTable
from bearleft.records import Direction, Episode, Leg, Pose, Reach
from bearleft.training.history import TIMED, Row
from bearleft.training.walking.batches import shuffle_texts
from bearleft.training.walking.config import WalkTrainConfig
from bearleft.training.walking.train import WalkInputs
from bearleft.world.slices import Slicing
from bearleft.world.worlds import open_world

WORLD = "town/0"
HORIZON = 8
TEXTS = ("turn {side}", "go {side}", "now {side}", "{side}")
SMALL: dict[str, dict[str, Any]] = {
    "rconcat": {"image": False, "word_dim": 8, "text_dim": 24, "hidden_dim": 32},
    "ga": {"image": False, "word_dim": 8, "text_dim": 24, "hidden_dim": 32, "gate_dim": 16},
    "orar": {"image": False, "word_dim": 8, "hidden_dim": 24, "dropout": 0.1},
    "compass": {"image": False, "word_dim": 12, "dim": 24, "layers": 1, "heads": 2, "dropout": 0.0},
}


@cache
def turn_episodes() -> tuple[Episode, ...]:
    """Return the walks, those of an approach one after the other."""
    graph = open_world(WORLD)
    episodes: list[Episode] = []
    for crossing in np.flatnonzero(graph.degree == 4):
        for link in graph.links(int(crossing)):
            near = int(graph.target[link])
            into = graph.find_link(near, int(crossing))
            if into is None or graph.degree[near] != 2:
                continue
            start = Pose(Direction(float(graph.heading[into])), graph.ids[near])
            for side in ("left", "right"):
                game = ReachGame(Leg("", Reach((graph.ids[near],))), start, graph)
                for action in ("forward", side, "forward", "forward"):
                    game.step(action)
                route = tuple(place for k, place in enumerate(game.path) if k == 0 or place != game.path[k - 1])
                text = TEXTS[len(episodes) // 2 % len(TEXTS)].format(side=side)
                episodes.append(Episode(str(len(episodes)), "turns", WORLD, start, (Leg(text, Reach(route)),)))
    return tuple(episodes)


@cache
def turn_task(training: int = 80, validation: int = 40) -> WalkInputs:
    """Return walks to train on, and walks of other approaches to validate on."""
    episodes = turn_episodes()
    order = np.random.default_rng(0).permutation(len(episodes) // 2)
    chosen = np.stack([2 * order, 2 * order + 1], 1).ravel()
    walks = build_walks([episodes[k] for k in chosen[: training + validation]], HORIZON)
    table = StateTable.build(open_graphs(walks.worlds), walks.starts, torch.device("cpu"))
    held_out = np.arange(training, training + validation)
    return WalkInputs(walks.subset(np.arange(training)), walks.subset(held_out), table, None, None, Slicing())


@cache
def misleading_seed() -> int:
    """Return a seed: shuffled texts name the side of their walks in less than half of the cases, in any wording.

    In others, what texts of one wording say of walks by chance would be enough to find goals.
    """
    walks = turn_task().walks

    def agreement(seed: int, wording: str) -> float:
        pairs = zip(walks.texts, shuffle_texts(walks, seed).texts, strict=True)
        shown = [(own, other) for own, other in pairs if other in {wording.format(side=s) for s in ("left", "right")}]
        return float(np.mean([("left" in own) == ("left" in other) for own, other in shown]))

    return next(seed for seed in range(1000) if max(agreement(seed, wording) for wording in TEXTS) <= 0.42)


def turn_config(network: str, **options: Any) -> WalkTrainConfig:
    """Return a configuration of a small network for this task."""
    own = {"epochs": 2, "examples_per_epoch": 400, "batch_size": 20, "learning_rate": 0.02, "horizon": HORIZON}
    return WalkTrainConfig(network, **{**own, "overrides": SMALL[network], **options})


def without_times(rows: list[Row]) -> list[Row]:
    """Return a history without the values that depend on the clock."""
    return [{name: value for name, value in row.items() if name not in TIMED} for row in rows]
