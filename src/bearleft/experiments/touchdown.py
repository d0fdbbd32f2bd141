"""Touchdown's tables that need no picture: data statistics (2), SDR baselines (4), navigation baselines (5)."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from bearleft.agents.pointers import Average, Center, Pointer, Uniform
from bearleft.data import load, stats
from bearleft.data.tokens import tokens
from bearleft.evaluate.run import run
from bearleft.experiments.rows import Progress, Row, beside, statistics
from bearleft.metrics.pointing import point_scores
from bearleft.metrics.table import METRICS, path_scores
from bearleft.records import Episode, Leg, Point, Reach
from bearleft.world.worlds import open_world

Data = str | os.PathLike[str] | None
SPLIT = "unseen_dev"
REPEATS, POINT_REPEATS = 10, 50  # seeds that RANDOM's rows are averaged over, walking and pointing
# Development results.
TABLE_4 = {
    "RANDOM": (0.18, 0.00, 0.59, 0.00, 1.28, 0.00, 1185),
    "CENTER": (0.55, 0.07, 1.62, 0.07, 3.26, 0.36, 777),
    "AVERAGE": (1.88, 0.07, 4.22, 0.29, 7.14, 0.79, 762),
}
COLUMNS_4 = ("A@40px", "C@40px", "A@80px", "C@80px", "A@120px", "C@120px", "Dist")
TABLE_5 = {"STOP": (0.0, 26.7, 0.0), "FREQUENT": (0.1, 52.3, 0.001), "RANDOM": (0.2, 26.8, 0.001)}
COLUMNS_5 = ("TC", "SPD", "SED")
TABLE_5_REMARK = "36 of these 800 routes end within three hops of their start, where who stays near it succeeds"
REMARKS = [
    "The paper's rows are of its own development split; ours are of the map2seq authors' 'unseen' development split.",
    "AVERAGE is fitted here on the split it is scored on, in the paper on the training set.",
    f"RANDOM is the mean over {REPEATS} seeds in Table 5 and over {POINT_REPEATS} in Table 4.",
    "Misprints: Table 8's TC and SPD columns are swapped; 27,575 SDR examples in the text should be 25,575.",
]


def tables(data: Data = None, progress: Progress | None = None) -> list[Row]:
    """All of them."""
    return [*data_table(data), *sdr_table(data, progress), *navigation_table(data, progress)]


def data_table(data: Data = None) -> list[Row]:
    """Table 2."""
    names = [f"{name}/{SPLIT}" for name in ("touchdown-complete", "touchdown", "sdr")] + ["r2r/val_unseen"]
    return statistics("2", stats(data, names), "of another split than the paper's")


def sdr_table(data: Data = None, progress: Progress | None = None) -> list[Row]:
    """Table 4: the three pointers that do not learn."""
    episodes = load(f"sdr/{SPLIT}", data)
    rows = []
    agents: dict[str, Pointer] = {"RANDOM": Uniform(), "CENTER": Center(), "AVERAGE": Average(episodes)}
    for done, (name, agent) in enumerate(agents.items()):
        scores = mean_point_scores(agent, episodes, POINT_REPEATS if name == "RANDOM" else 1)
        paper = dict(zip(COLUMNS_4, TABLE_4[name], strict=True))
        rows += beside("4", name, paper, {column: scores[column] for column in COLUMNS_4})
        if progress is not None:
            progress("Table 4", done + 1, 3)
    return rows


def mean_point_scores(agent: Pointer, episodes: Sequence[Episode], repeats: int) -> dict[str, float]:
    """Every measure of pointing, as the papers print it, averaged over seeds."""
    goals = [episode.legs[-1].goal for episode in episodes]
    points = [goal for goal in goals if isinstance(goal, Point)]
    sentences = [episode.legs[-1].text for episode in episodes]
    found: dict[str, list[float]] = {}
    for seed in range(repeats):
        agent.begin(episodes[0], np.random.default_rng(seed))
        answers = [agent.direction(goal.yaw) for goal in points]
        for name, values in point_scores(answers, points, sentences).items():
            found.setdefault(name, []).append(METRICS[name].mean(values))
    return {name: float(np.mean(values)) for name, values in found.items()}


def navigation_table(data: Data = None, progress: Progress | None = None) -> list[Row]:
    """Table 5: the three walkers that do not learn, to horizon 50."""
    graph = open_world("touchdown", data)
    episodes = load(f"touchdown/{SPLIT}", data)
    routes = [_route(episode.legs[0]) for episode in episodes]
    references = [[graph.number(place) for place in route] for route in routes]
    rows = []
    for name in TABLE_5:
        seeds = range(REPEATS if name == "RANDOM" else 1)
        sums = np.zeros(len(COLUMNS_5))
        for seed in seeds:
            traces = run(name.lower(), f"touchdown/{SPLIT}", seed=seed, data=data)
            paths = [[graph.number(str(place)) for place in trace.legs[0].path] for trace in traces]
            scores = path_scores(COLUMNS_5, paths, references, graph.hops.matrix(), 1)
            sums += [METRICS[column].mean(scores[column]) for column in COLUMNS_5]
            if progress is not None:
                progress(f"Table 5 {name}", seed + 1, len(seeds))
        ours = dict(zip(COLUMNS_5, (sums / len(seeds)).tolist(), strict=True))
        rows += beside("5", name, dict(zip(COLUMNS_5, TABLE_5[name], strict=True)), ours, TABLE_5_REMARK)
    return rows


def _route(leg: Leg) -> tuple[str, ...]:
    assert isinstance(leg.goal, Reach)
    return leg.goal.route


def text_lengths(data: Data = None) -> dict[str, list[int]]:
    """Figure 5: how many tokens each text has."""
    names = {
        "R2R": "r2r/val_unseen",
        "Touchdown (SDR)": f"sdr/{SPLIT}",
        "Touchdown (navigation)": f"touchdown/{SPLIT}",
    }
    return {
        label: [len(tokens(text)) for text in dict.fromkeys(episode.legs[0].text for episode in load(name, data))]
        for label, name in names.items()
    }
