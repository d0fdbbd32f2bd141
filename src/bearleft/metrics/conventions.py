"""Scoring conventions: released programs disagree with the papers and with each other, so each has a name.

`paper` is the default everywhere. Every score names its convention.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from bearleft.errors import unknown_name
from bearleft.metrics.cls import coverage_weighted
from bearleft.metrics.completion import MAX_GOAL_HOPS
from bearleft.metrics.distances import EUCLIDEAN, NodeDistances
from bearleft.metrics.edits import edit_distances
from bearleft.metrics.fastdtw import FAST_METRICS, fastdtw_distances
from bearleft.metrics.kernels import NEEDS_COVERAGE, NEEDS_DTW, NEEDS_GOAL
from bearleft.metrics.metric import PathMeasurements, PathMetric
from bearleft.metrics.path_pairs import pair_paths
from bearleft.metrics.ragged_paths import Array, Floats, Ragged
from bearleft.metrics.registry import METRICS, path_scores
from bearleft.metrics.sed import edit_similarity, success_weighted_similarity
from bearleft.metrics.walks import Walks, actions_to_goal
from bearleft.world.graphs.distances import MAX_PLACES_IN_MEMORY, Distances

CHUNK = 32  # walks whose distances are looked up together in a large graph
Scores = dict[str, Floats]
# The metrics that conventions define, each in its own way.
CONVENTION_METRICS = ("TC", "SPD", "SED", "nDTW", "SDTW", "CLS", "KPA", "SR", "NE", "SPL")
PAPER_METRICS = ("TC", "SPD", "SED", "nDTW", "SDTW", "CLS", "KPA")
R4R_METRICS = ("PL", "NE", "ONE", "SR", "OSR", "SPL", "CLS", "nDTW", "SDTW")
NDTW_PAPER_METRICS = (*R4R_METRICS, "AD", "MD", "SED")


@dataclass(frozen=True)
class Convention:
    """A definition of the metrics of walks.

    Attributes:
        name: The name of the convention.
        used_by: The papers or programs that use it.
        distance: The unit of distances and the threshold.
        description: What distinguishes it.
        score: Function (walks, names of other path metrics) that returns the values by metric: those of the convention,
            and those of the named metrics that it can compute.
        metrics: The metrics that it reports.
        needs_headings: Whether it needs headings and states, not only places.
        units: The units in which it differs from the metrics' own.
    """

    name: str
    used_by: str
    distance: str
    description: str
    score: Callable[[Walks, tuple[str, ...]], Scores]
    metrics: tuple[str, ...]
    needs_headings: bool = False
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def in_hops(self) -> bool:
        """Return whether all its distances are in hops."""
        return self.distance.startswith("hops")

    def unit(self, metric: str) -> str:
        """Return the unit of a metric, such as %, hops or m."""
        unit = self.units.get(metric, METRICS[metric].unit)
        return unit if unit != "distance" else "hops" if self.in_hops else "m"


def _node_distances(distances: Distances, *batches: Ragged) -> NodeDistances:
    """Return distances between all places of the paths: the whole matrix, or some rows for a large graph.

    Hops of a large graph are cached on disk once many walks need them; metres would take four times the space.
    """
    if len(distances) <= MAX_PLACES_IN_MEMORY or (distances.unit == "hops" and len(batches[0]) > CHUNK):
        return NodeDistances(distances.matrix())
    places = np.unique(np.concatenate([batch.points for batch in batches]))
    return NodeDistances(distances.rows(places), places)


def _ends(walks: Walks) -> tuple[Array, Array]:
    return walks.paths.points[walks.paths.starts[1:] - 1], walks.routes.points[walks.routes.starts[1:] - 1]


def _with_stop(states: Ragged, stopped: Array) -> Ragged:
    """Add a state at the same place for each stop."""
    index = np.arange(len(states.points))
    return Ragged(
        states.points[np.insert(index, states.starts[1:][stopped], states.starts[1:][stopped] - 1)],
        states.starts + np.concatenate([[0], np.cumsum(stopped)]),
    )


def _fast(extra: tuple[str, ...], measurements: PathMeasurements, success: Array, scale: Floats) -> Scores:
    """Return nDTW and SDTW by FastDTW, exp(-DTW / scale), if they are requested."""
    if not set(FAST_METRICS) & set(extra):
        return {}
    ndtw = np.exp(-fastdtw_distances(measurements.pairs) / scale)
    return dict(zip(FAST_METRICS, (ndtw, success * ndtw), strict=True))


def _paper(walks: Walks, extra: tuple[str, ...]) -> Scores:
    paths = walks.paths.without_repeats()
    hops = _node_distances(walks.graph.hops, paths, walks.routes)
    return path_scores((*PAPER_METRICS, *extra), paths, walks.routes, hops, 1.0, walks.graph.degree > 2)


def _ndtw_paper(walks: Walks, extra: tuple[str, ...]) -> Scores:
    paths = walks.paths.without_repeats()
    metres = _node_distances(walks.graph.metres, paths, walks.routes)
    names = [name for name in NDTW_PAPER_METRICS if name != "SED"]
    scores = path_scores([*names, *extra], paths, walks.routes, metres, 3.0)
    return {**scores, "SED": success_weighted_similarity(scores["SR"] > 0, paths, walks.routes, moves=True)}


def _ciff(walks: Walks, _: tuple[str, ...]) -> Scores:
    last, goal = _ends(walks)
    paths = walks.paths.without_repeats()
    hops = _node_distances(walks.graph.hops, paths, walks.routes)
    reached = [
        int(a) == int(b) or int(a) in others for a, b, others in zip(last, goal, walks.alternative_goals, strict=True)
    ]
    return {
        "TC": np.array(reached, np.float64),
        "SPD": path_scores(["SPD"], paths, walks.routes, hops)["SPD"],
        "NE": actions_to_goal(walks),
        "SED": edit_distances(paths, walks.routes).astype(np.float64),
    }


def _valan(walks: Walks, extra: tuple[str, ...]) -> Scores:
    paths = _with_stop(walks.paths, walks.stopped)
    routes = _with_stop(walks.reference_states, np.ones(len(walks), np.bool_))
    measurements = PathMeasurements(
        pair_paths(paths, routes, _node_distances(walks.graph.hops, paths, routes)), NEEDS_DTW | NEEDS_GOAL, None
    )
    success = measurements.end < 2
    ndtw = np.exp(-measurements.dtw / (2 * measurements.reference_size))
    fraction = edit_distances(paths, routes) / (paths.lengths * routes.lengths)
    return {
        "TC": success.astype(np.float64),
        "SPD": measurements.end.copy(),
        "SED": success * (1.0 - fraction),
        "nDTW": ndtw,
        "SDTW": success * ndtw,
        **_fast(extra, measurements, success, 2 * measurements.reference_size),
    }


def _vln_transformer(walks: Walks, extra: tuple[str, ...]) -> Scores:
    paths, routes = walks.paths.without_repeats(), walks.routes
    measurements = PathMeasurements(
        pair_paths(paths, routes, _node_distances(walks.graph.hops, paths, routes)),
        NEEDS_DTW | NEEDS_GOAL | NEEDS_COVERAGE,
        1.0,
    )
    success = measurements.end <= MAX_GOAL_HOPS
    ndtw = np.exp(-measurements.dtw / (2 * np.sqrt(measurements.reference_size)))
    return {
        "TC": success.astype(np.float64),
        "SPD": measurements.end.copy(),
        "SED": success * edit_similarity(paths, routes, transpositions=True),
        "nDTW": ndtw,
        "SDTW": success * ndtw,
        "CLS": coverage_weighted(measurements.coverage, measurements.reference_size, paths.lengths.astype(np.float64)),
        **_fast(extra, measurements, success, 2 * np.sqrt(measurements.reference_size)),
    }


def _velma(walks: Walks, _: tuple[str, ...]) -> Scores:
    paths, routes = walks.paths.without_repeats(), walks.routes
    scores = path_scores(["TC", "SPD"], paths, routes, _node_distances(walks.graph.hops, paths, routes))
    junction = walks.graph.degree > 2

    def key_points(places: list[int]) -> list[object]:
        """Return key points as the program counts them: the first two places, not the move between them."""
        moves = [(a, b) for a, b in pairwise(places) if junction[a]]
        return [*places[:2], *moves] if len(places) > 1 else []

    accuracies = []
    for path, route, stopped in zip(paths, routes, scores["TC"], strict=True):
        expected, visited = key_points(route.tolist()), key_points(path.tolist())
        accuracies.append((len(set(expected) & set(visited)) + int(stopped)) / (len(expected) + 1))
    return {**scores, "KPA": np.array(accuracies, np.float64)}


def _r4r(walks: Walks, extra: tuple[str, ...]) -> Scores:
    paths = walks.paths.without_repeats()
    metres = _node_distances(walks.graph.metres, paths, walks.routes)
    return path_scores((*R4R_METRICS, *extra), paths, walks.routes, metres, 3.0)


def _vln_ce(walks: Walks, extra: tuple[str, ...]) -> Scores:
    paths, routes = walks.paths.without_repeats(), walks.routes.without_repeats()
    metres = _node_distances(walks.graph.metres, paths, routes)
    errors = path_scores(["NE"], paths, routes, metres)["NE"]
    success = (errors < 3.0) & walks.stopped
    coordinates = walks.graph.positions
    places, targets = (Ragged(coordinates[batch.points], batch.starts) for batch in (paths, routes))
    names = ["nDTW", *(["nDTW-fast"] if set(FAST_METRICS) & set(extra) else [])]
    scores = path_scores(names, places, targets, EUCLIDEAN, 3.0)
    scores |= {name.replace("nDTW", "SDTW"): success * values for name, values in scores.items()}
    return {"SR": success.astype(np.float64), "NE": errors, **scores}


CONVENTIONS: dict[str, Convention] = {
    "paper": Convention(
        "paper",
        "the papers' own definitions (default)",
        "hops, d_th = 1",
        "TC is the goal or a neighbour; places without turns; exp(-DTW / (|R| d_th))",
        _paper,
        PAPER_METRICS,
    ),
    "ndtw-paper": Convention(
        "ndtw-paper",
        "Table 3 of the nDTW paper",
        "metres along the graph, d_th = 3",
        "SED edits moves (pairs of places); SR is at most 3 m",
        _ndtw_paper,
        NDTW_PAPER_METRICS,
    ),
    "ciff": Convention(
        "ciff",
        "Touchdown's first program",
        "hops; NE in actions",
        "TC is the goal, or a panorama beside it that shows the bear; SED is the bare edit distance; NE counts turns",
        _ciff,
        ("TC", "SPD", "NE", "SED"),
        needs_headings=True,
        units={"NE": "actions", "SED": "edits"},
    ),
    "valan": Convention(
        "valan",
        "VALAN",
        "hops",
        "places repeat on turns and on stopping; SED divides by both lengths multiplied; exp(-DTW / (2 |R|))",
        _valan,
        ("TC", "SPD", "SED", "nDTW", "SDTW"),
        needs_headings=True,
    ),
    "vln-transformer": Convention(
        "vln-transformer",
        "VLN-Transformer, map2seq_vln, FLAME",
        "hops",
        "SED may swap neighbours; exp(-DTW / (2 sqrt(|R|))); CLS without threshold, its lengths in places",
        _vln_transformer,
        ("TC", "SPD", "SED", "nDTW", "SDTW", "CLS"),
    ),
    "velma": Convention(
        "velma",
        "VELMA",
        "hops",
        "no path measure but KPA, which counts the first two places themselves instead of the first move",
        _velma,
        ("TC", "SPD", "KPA"),
    ),
    "r4r": Convention(
        "r4r",
        "R4R and later R2R programs",
        "metres along the graph, d_th = 3",
        "SR is at most 3 m; no SED; the convention of R2R's leaderboard",
        _r4r,
        R4R_METRICS,
    ),
    "vln-ce": Convention(
        "vln-ce",
        "VLN-CE",
        "metres, straight for nDTW, d_th = 3",
        "SR is below 3 m, and stopped; nDTW is Euclidean, repeated positions dropped",
        _vln_ce,
        ("SR", "NE", "nDTW", "SDTW"),
    ),
}


def is_other_path_metric(name: str) -> bool:
    """Return whether a metric is a PathMetric that no convention defines, such as DTW or a newly registered one."""
    return isinstance(METRICS[name], PathMetric) and name not in (*CONVENTION_METRICS, *FAST_METRICS)


def score_walks(
    walks: Walks, convention: str = "paper", fastdtw: bool = False, other_path_metrics: Sequence[str] = ()
) -> Scores:
    """Score walks under a convention.

    Args:
        walks: The walks.
        convention: The name of the convention, a key of CONVENTIONS.
        fastdtw: Whether to add nDTW-fast and SDTW-fast, which are approximate and take linear time.
        other_path_metrics: Names of metrics that no convention defines (see `is_other_path_metric`). The conventions
            paper, ndtw-paper and r4r add them, with their own distance and threshold; others ignore them.

    Returns:
        The values of each metric that the convention defines, and of the other path metrics, by name.

    Raises:
        InputError: The convention is unknown.
    """
    if convention not in CONVENTIONS:
        raise unknown_name("convention", convention, CONVENTIONS)
    definition = CONVENTIONS[convention]
    names = (*(FAST_METRICS if fastdtw else ()), *other_path_metrics)
    if len(walks.graph) <= MAX_PLACES_IN_MEMORY or len(walks) <= CHUNK or definition.in_hops:
        return definition.score(walks, names)
    chunks = [np.arange(k, min(k + CHUNK, len(walks))) for k in range(0, len(walks), CHUNK)]
    parts = [definition.score(walks.take(chunk), names) for chunk in chunks]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def compare_conventions(walks: Walks, names: Iterable[str] = CONVENTIONS) -> list[dict[str, str | float | None]]:
    """Return a row of mean scores of the same walks for each convention; None if it does not define a metric.

    Metrics that are the same under every convention, such as PL, are left out.

    Args:
        walks: The walks.
        names: The names of the conventions; all by default.
    """
    table = {
        name: {
            metric: METRICS[metric].mean(values)
            for metric, values in score_walks(walks, name).items()
            if metric in CONVENTION_METRICS
        }
        for name in names
    }
    columns = [name for name in METRICS if any(name in scores for scores in table.values())]
    return [
        {"convention": name, "distance": CONVENTIONS[name].distance, **{column: row.get(column) for column in columns}}
        for name, row in table.items()
    ]


def format_table(rows: list[dict[str, str | float | None]]) -> str:
    """Return the rows of `compare_conventions` as a plain text table."""
    cells = [list(rows[0])] + [
        [f"{v:.3f}" if isinstance(v, float) else "-" if v is None else str(v) for v in row.values()] for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )
