"""ArraMon's tables that need no picture: lengths (1), random walk and shortest path on the real paths (2).

The released files hold no obstacles, distracters or decoys, so walks are free and nothing but the target can be picked
up. A random walk draws the number of its actions from the reference lengths of the split, independently of the task,
and each action uniformly from forward, left and right; turn 2 starts where turn 1 ended. In the room it places what it
carries where it ends.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

import numpy as np

from bearleft.data import load, stats
from bearleft.data.tokens import words
from bearleft.experiments.rows import Progress, Row, beside, statistics
from bearleft.metrics.assembly import NDTW_THRESHOLD, assembly_scores, ground
from bearleft.metrics.distances import EUCLIDEAN
from bearleft.metrics.dtw import ndtw
from bearleft.records import Assemble, Cell, Collect, Episode, Position
from bearleft.world.moves import inside, replay, replay_room

Data = str | os.PathLike[str] | None
SPLIT = "arramon/val_unseen"
SEEDS = 5
NAMES = ("nDTW", "CTC-0", "CTC-3", "CTC-5", "CTC-7", "rPOD", "PTC")
RANDOM_WALK = dict(zip(NAMES, (0.045, 0.000, 0.024, 0.043, 0.075, 0.005, 0.001), strict=True))
SHORTEST_PATH = {"nDTW": 1.0, "CTC-3": 1.0, "CTC-5": 1.0, "CTC-7": 1.0}
ACTIONS = ("forward", "left", "right")
# The words that Figure 5 leaves out beside target objects: those that carry no meaning of their own.
STOP_WORDS = (
    "a an and are as at be by for from has have in into is it its of off on onto or so that the then there this to will"
    " with you your"
)
OBJECTS = "book hourglass mug bucket ball tv bowl dotted striped"
REMARKS = [
    "Random walk: its length is drawn from the split's reference lengths; the paper does not say how it was chosen.",
    "The paper walked among buildings; the released file has none, so a walk here is never stopped by one.",
    "R/W's CTC-0 is 0 by construction: the random walk never picks anything up.",
    "rPOD and PTC count CTC-3 as collected, as the paper's Table 2 does.",
]


def tables(data: Data = None, progress: Progress | None = None) -> list[Row]:
    """All of them."""
    return [*length_table(data), *baseline_table(data, progress)]


def length_table(data: Data = None) -> list[Row]:
    """Table 1."""
    return statistics("1", stats(data, [SPLIT]), "sums over both turns; the paper's are of the whole dataset")


def baseline_table(data: Data = None, progress: Progress | None = None) -> list[Row]:
    """Table 2: R/W and S/P on validation unseen."""
    episodes = load(SPLIT, data)
    sums: dict[str, list[float]] = {}
    for seed in range(SEEDS):
        for name, value in random_walk(episodes, np.random.default_rng(seed)).items():
            sums.setdefault(name, []).append(value)
        if progress is not None:
            progress("random walks", seed + 1, SEEDS)
    ours = {name: float(np.mean(values)) for name, values in sums.items()}
    gold = follow(episodes)
    return [
        *beside("2", "R/W, val unseen", RANDOM_WALK, ours, f"mean of {SEEDS} seeds"),
        *beside(
            "2",
            "S/P, val unseen",
            SHORTEST_PATH,
            {name: gold[name] for name in SHORTEST_PATH},
            "the recorded paths; two of them end 3 units or more from their target",
        ),
    ]


def random_walk(episodes: Sequence[Episode], rng: np.random.Generator) -> dict[str, float]:
    """One random walk for each task, scored over both turns."""
    walked = [len(goal.actions) for goal in collects(episodes)]
    built = [len(goal.actions) for goal in assembles(episodes)]

    def wander(lengths: list[int]) -> list[str]:
        return [ACTIONS[k] for k in rng.integers(3, size=int(rng.choice(lengths)) - 1)]

    paths: list[list[Position]] = []
    cells: list[Cell] = []
    for episode in episodes:
        here, heading = episode.start.position, episode.start.look.heading
        assert here is not None
        for _ in range(2):
            path, heading = replay(here, heading, wander(walked))
            paths.append(path)
            here = path[-1]
            cells.append(put(wander(built)))
    return scores(episodes, paths, cells, [None] * len(paths))


def put(actions: Sequence[str]) -> Cell:
    """Where what one carries comes to lie after a walk in the room: one cell ahead, or at one's feet out of bounds.

    The walls stop a walk; who stands askew at the end, looking at no cell, drops it at his feet.
    """
    taken: list[str] = []
    for action in actions:
        path, _ = replay_room([*taken, action])
        if inside(path[-1]):
            taken.append(action)
    path, ahead = replay_room(taken)
    return ahead if ahead is not None and inside(ahead) else path[-1]


def follow(episodes: Sequence[Episode]) -> dict[str, float]:
    """The reference itself, scored."""
    goals = collects(episodes)
    cells = [goal.cell for goal in assembles(episodes)]
    return scores(episodes, [list(goal.path) for goal in goals], cells, [goal.item for goal in goals])


def scores(
    episodes: Sequence[Episode],
    paths: Sequence[Sequence[Position]],
    cells: Sequence[Cell],
    picked: Sequence[str | None],
) -> dict[str, float]:
    """Means over all turns, as Table 2 prints them."""
    goals = collects(episodes)
    found = {
        "nDTW": ndtw.batch(
            [ground(path) for path in paths], [ground(goal.path) for goal in goals], EUCLIDEAN, NDTW_THRESHOLD
        ),
        **assembly_scores(
            picked,
            [goal.item for goal in goals],
            [path[-1] for path in paths],
            [goal.at for goal in goals],
            cells,
            [goal.cell for goal in assembles(episodes)],
        ),
    }
    return {name: float(np.mean(found[name])) for name in NAMES}


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
