"""The nDTW paper's Table 2 on R2R and R4R validation unseen: random agents measured, trained agents as published.

A random walk starts where a reference path starts. Its number of steps is drawn from the lengths of all reference paths
of the split, and each step goes to a neighbour with equal chance. Distances are metres along the graph; the threshold
is 3 m.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bearleft.data import open_dataset
from bearleft.errors import InputError
from bearleft.metrics.cls import cls
from bearleft.metrics.completion import sr
from bearleft.metrics.distances import NodeDistances
from bearleft.metrics.dtw import ndtw, sdtw
from bearleft.metrics.metric import PathMetric, compute_metrics
from bearleft.metrics.ragged_paths import Floats, Ragged
from bearleft.metrics.sed import sed_moves
from bearleft.metrics.spl import spl
from bearleft.records import Reach
from bearleft.runtime.compiled import jit, parallel_map
from bearleft.types import DataFolder, Progress
from bearleft.world.worlds import open_world

THRESHOLD = 3.0
WALKS_PER_CHUNK = 20_000
METRICS: tuple[PathMetric, ...] = (sr, spl, sed_moves, cls, ndtw, sdtw)
COLUMNS = tuple(metric.name for metric in METRICS)
RANDOM = "random"
PUBLISHED: dict[str, tuple[str, dict[str, tuple[float, ...]]]] = {  # the dataset, and each agent's row
    "R2R": (
        "r2r/val_unseen",
        {
            RANDOM: (5.1, 3.3, 5.8, 29.0, 27.9, 3.6),
            "goal-oriented": (43.7, 38.4, 31.9, 53.5, 54.4, 36.1),
            "fidelity-oriented": (44.4, 41.4, 33.9, 57.5, 58.3, 38.3),
        },
    ),
    "R4R": (
        "r4r/val_unseen",
        {
            RANDOM: (13.7, 2.2, 16.5, 22.3, 18.5, 4.1),
            "goal-oriented": (28.7, 15.0, 9.6, 33.4, 26.9, 11.4),
            "fidelity-oriented": (28.5, 21.4, 9.4, 35.4, 30.4, 12.6),
        },
    ),
}
SED_REMARK = "The paper's SED exceeds its SR, which a score weighted by success cannot do."
SPL_REMARK = "The paper's R2R SPL is below what Table 3's definition gives for the same SR."
NOT_TRAINED = "a trained agent; ours: bearleft paper ndtw --results PATH"
REMARKS = [
    f"SED: {SED_REMARK} Ours edits moves and is weighted by success, as Table 3 defines it.",
    f"SPL: {SPL_REMARK} Ours follows Table 3.",
    "R4R is joined from R2R here: 5,026 paths against the 5,018 published.",
]


@jit
def random_walks(first: Any, neighbours: Any, start: Any, steps: Any, draws: Any, offsets: Any, out: Any) -> None:
    """Write random walks one after the other into `out`; `draws[k, s]` in [0, 1) chooses the neighbour of step s."""
    for k in range(len(start)):
        node = start[k]
        out[offsets[k]] = node
        for s in range(steps[k]):
            degree = first[node + 1] - first[node]
            node = neighbours[first[node] + int(draws[k, s] * degree)]
            out[offsets[k] + s + 1] = node


@dataclass(frozen=True)
class ReferencePaths:
    """The reference paths of a split, in one graph of all its buildings; neighbours in compressed rows."""

    paths: Ragged
    metres: Floats
    first: Any
    neighbours: Any


def reference_paths(dataset: str, data: DataFolder = None) -> ReferencePaths:
    """Return each path of a split once; buildings are not connected."""
    by_id: dict[str, tuple[str, tuple[str, ...]]] = {}
    for episode in open_dataset(dataset, data):
        goal = episode.legs[0].goal
        if not isinstance(goal, Reach):
            raise InputError("episodes to walk", f"{episode.id}, which is none")
        # The instructions of one path are PATH_0, PATH_1, ...
        by_id[episode.id.rpartition("_")[0] or episode.id] = episode.world, goal.route
    paths = list(by_id.values())
    graphs = {name: open_world(name, data) for name in sorted({world for world, _ in paths})}
    node_offset, count = {}, 0
    first, neighbours = [np.zeros(1, np.int64)], []
    for name, graph in graphs.items():
        node_offset[name] = count
        offsets, numbers = graph.neighbours
        first.append(offsets[1:] + first[-1][-1])
        neighbours.append(numbers + count)
        count += len(graph)
    metres = np.full((count, count), np.inf)
    for name, graph in graphs.items():
        block = slice(node_offset[name], node_offset[name] + len(graph))
        metres[block, block] = graph.metres.matrix()
    nodes = [np.array([graphs[world].place_index(p) for p in route]) + node_offset[world] for world, route in paths]
    starts = np.concatenate([[0], np.cumsum([len(route) for route in nodes])])
    return ReferencePaths(
        Ragged(np.concatenate(nodes), starts), metres, np.concatenate(first), np.concatenate(neighbours)
    )


def random_scores(
    split: ReferencePaths, walks: int, seed: int = 0, progress: Callable[[int], None] | None = None
) -> dict[str, float]:
    """Return the mean of every metric over random walks, as a share of 1; the number of threads does not matter."""
    lengths = split.paths.lengths
    distance = NodeDistances(split.metres)

    def score_chunk(begin: int) -> Floats:
        size = min(WALKS_PER_CHUNK, walks - begin)
        rng = np.random.default_rng([seed, begin])
        which = rng.integers(len(lengths), size=size)
        steps = lengths[rng.integers(len(lengths), size=size)] - 1
        starts = np.concatenate([[0], np.cumsum(steps + 1)])
        walks_of_chunk = np.empty(starts[-1], np.int64)
        begins = split.paths.points[split.paths.starts[which]]
        random_walks(
            split.first, split.neighbours, begins, steps, rng.random((size, lengths.max())), starts, walks_of_chunk
        )
        values = compute_metrics(METRICS, Ragged(walks_of_chunk, starts), split.paths.take(which), distance, THRESHOLD)
        if progress is not None:
            progress(size)
        return np.array([value.sum() for value in values])

    sums = parallel_map(score_chunk, range(0, walks, WALKS_PER_CHUNK))
    return dict(zip((metric.name for metric in METRICS), np.sum(sums, axis=0) / walks, strict=True))


def table_2(
    data: DataFolder = None,
    walks: int = 1_000_000,
    seed: int = 0,
    progress: Progress | None = None,
    names: Sequence[str] = tuple(PUBLISHED),
) -> list[dict[str, Any]]:
    """Return rows of table, row, metric, the paper's number and ours in percent, and a remark where they cannot agree.

    Ours are of the random agent; those of the trained agents are None.

    Args:
        data: Data folder of R2R.
        walks: Random walks for each row.
        seed: Seed of the walks.
        progress: Called with the walks done.
        names: "R2R", "R4R" or both.
    """
    if walks < 1:
        raise InputError("at least one walk", str(walks))
    rows = []
    for name in names:
        dataset, published = PUBLISHED[name]
        done = 0

        def report_progress(size: int, name: str = name) -> None:
            nonlocal done
            done += size
            if progress is not None:
                progress(f"{name} {RANDOM}", done, walks)

        scores = random_scores(reference_paths(dataset, data), walks, seed, report_progress)
        for agent, numbers in published.items():
            random = agent == RANDOM
            remarks = {"SED": SED_REMARK, "SPL": SPL_REMARK if name == "R2R" else ""} if random else {}
            rows += [
                {
                    "table": "2",
                    "row": f"{name} {agent}",
                    "metric": metric,
                    "paper": number,
                    "ours": round(100 * scores[metric], 3) if random else None,
                    "remark": remarks.get(metric, "" if random else NOT_TRAINED),
                }
                for metric, number in zip(COLUMNS, numbers, strict=True)
            ]
    return rows
