"""ArraMon's tables that need no picture: lengths (1), random walk and shortest path on the real tasks (2); Figure 9.

The released files hold no obstacles, distracters or decoys, so walks are free and nothing but the targets can be picked
up. A random walk draws the number of its actions from the reference lengths of the split, independently of the task,
and each action uniformly from forward, left and right; then it picks, or places as soon as it can.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

import numpy as np

from bearleft.agents.agent import Agent
from bearleft.agents.oracles import Gold
from bearleft.agents.walkers import Random, reference_lengths
from bearleft.data import load, stats
from bearleft.data.tokens import words
from bearleft.envs.legs import Options
from bearleft.evaluate.columns import Asked, Builder
from bearleft.evaluate.play import play
from bearleft.evaluate.values import PAPER, Values, values_of
from bearleft.experiments.rows import Progress, Row, beside, statistics
from bearleft.experiments.texts import those_there
from bearleft.metrics.assembly import rpod
from bearleft.records import Assemble, Collect, Episode, Trace

Data = str | os.PathLike[str] | None
SPLIT = "arramon/val_unseen"
SEEDS = 5
NAMES = ("nDTW", "CTC-0", "CTC-3", "CTC-5", "CTC-7", "rPOD", "PTC")
RANDOM_WALK = dict(zip(NAMES, (0.045, 0.000, 0.024, 0.043, 0.075, 0.005, 0.001), strict=True))
RANDOM_WALK_SEEN = dict(zip(NAMES, (0.045, 0.000, 0.030, 0.054, 0.092, 0.005, 0.001), strict=True))
SHORTEST_PATH = {"nDTW": 1.0, "CTC-3": 1.0, "CTC-5": 1.0, "CTC-7": 1.0}
FARTHEST = 10  # cells; Figure 9's distances
# The words that Figure 5 leaves out beside target objects: those that carry no meaning of their own.
STOP_WORDS = (
    "a an and are as at be by for from has have in into is it its of off on onto or so that the then there this to will"
    " with you your"
)
OBJECTS = "book hourglass mug bucket ball tv bowl dotted striped"
REMARKS = [
    "Random walk: its length is drawn from the split's reference lengths; the paper does not say how it was chosen.",
    "The paper walked among buildings; the released file has none, so a walk there is never stopped by one.",
    "Rows of the real tasks (1, and 2 on val unseen) are there where arramon/val_unseen is.",
    "rPOD and PTC count as collected who picked the right object up or ended within 3 units of it, as Table 2 does.",
]


def tables(data: Data = None, progress: Progress | None = None) -> list[Row]:
    """Those of the real tasks, where they are there."""
    return [*length_table(data), *baseline_table(data, progress)] if those_there((SPLIT,), data) else []


def length_table(data: Data = None) -> list[Row]:
    """Table 1."""
    return statistics("1", stats(data, [SPLIT]), "sums over both turns; the paper's are of the whole dataset")


def baseline_table(data: Data = None, progress: Progress | None = None) -> list[Row]:
    """Table 2: R/W and S/P on validation unseen."""
    episodes = load(SPLIT, data)
    lengths = reference_lengths(episodes)
    sums: dict[str, list[float]] = {}
    for seed in range(SEEDS):
        for name, value in means(measured(Random(lengths=lambda: lengths), episodes, seed)).items():
            sums.setdefault(name, []).append(value)
        if progress is not None:
            progress("random walks", seed + 1, SEEDS)
    ours = {name: float(np.mean(values)) for name, values in sums.items()}
    gold = means(measured(Gold(), episodes))
    recorded = "the recorded paths; two of them end 3 units or more from their target"
    return [
        *beside("2", "R/W, val unseen", RANDOM_WALK, ours, f"mean of {SEEDS} seeds"),
        *beside("2", "S/P, val unseen", SHORTEST_PATH, gold, recorded),
    ]


def measured(
    agent: Agent,
    episodes: Sequence[Episode],
    seed: int = 0,
    options: Options | None = None,
    told: Sequence[Episode] | None = None,
) -> Values:
    """What an agent does in tasks, measured; `told` are the same tasks with the texts that it gets instead."""
    builder = Builder(Asked.of("tasks", "", episodes, {}))
    for episode in told or episodes:
        legs = play(agent, episode, seed, options=options)
        builder.add(Trace(episode.id, "tasks", "agent", legs, seed).to_json())
    return values_of(builder.pack(), episodes, {}, PAPER)


def means(values: Values) -> dict[str, float]:
    """Means over all turns, as Table 2 prints them."""
    return {name: float(values.by_metric[name][0].mean()) for name in NAMES}


def rpod_curve() -> tuple[list[float], list[float]]:
    """Figure 9: rPOD over the Manhattan distance between where something was put and where it should be."""
    away = [float(cells) for cells in range(FARTHEST + 1)]
    return away, rpod(away, [True] * len(away)).tolist()


def collects(episodes: Sequence[Episode]) -> list[Collect]:
    return [leg.goal for episode in episodes for leg in episode.legs if isinstance(leg.goal, Collect)]


def assembles(episodes: Sequence[Episode]) -> list[Assemble]:
    return [leg.goal for episode in episodes for leg in episode.legs if isinstance(leg.goal, Assemble)]


def lengths(data: Data = None) -> dict[str, dict[str, list[int]]]:
    """Figure 6: words of instructions and moves of paths, by phase."""
    episodes = load(SPLIT, data)
    kinds = {"navigation": Collect, "assembly": Assemble}
    texts = {
        phase: [len(words(leg.text)) for episode in episodes for leg in episode.legs if isinstance(leg.goal, kind)]
        for phase, kind in kinds.items()
    }
    moves = {
        "navigation": [len(goal.path) - 1 for goal in collects(episodes)],
        "assembly": [len(goal.path) - 1 for goal in assembles(episodes)],
    }
    return {"instructions": texts, "paths": moves}


def common_words(data: Data = None, count: int = 25) -> dict[str, int]:
    """Figure 5: the most common words, without stop words and the words of target objects."""
    left_out = {*STOP_WORDS.split(), *OBJECTS.split()}
    found: Counter[str] = Counter()
    for episode in load(SPLIT, data):
        for leg in episode.legs:
            found.update(word for word in words(leg.text) if word not in left_out)
    return dict(found.most_common(count))
