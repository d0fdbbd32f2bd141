"""The nDTW paper's human study (section 3.1): environments, path sets, questionnaires, and the analysis of rankings.

A set is one reference path and five query paths in a seeded environment. A person ranks the five; each ranking is
compared with the order that each metric gives, and metrics are compared by a sign test over all rankings.

The paper leaves some details open. Here, a path joins its start and three to five stops by shortest paths in metres.
Queries begin where the reference begins, since people compare ways of following one instruction. In the
success-constrained study, each query is redrawn until it ends within the threshold of the reference's end, or beyond,
with even chances. The path length nearest to the reference's is best. A metric with equal values for all five queries
has correlation 0.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.geometry import Floats, vector_angles
from bearleft.metrics.cls import cls
from bearleft.metrics.completion import osr, sr
from bearleft.metrics.deviation import ad, md
from bearleft.metrics.dtw import ndtw, sdtw
from bearleft.metrics.metric import PathMetric, compute_metrics
from bearleft.metrics.navigation_error import ne, one, pl
from bearleft.metrics.sed import sed_moves
from bearleft.metrics.spl import spl
from bearleft.metrics.statistics import binomial_tail
from bearleft.runtime.json_fields import Fields, integer, items
from bearleft.runtime.store import existing_file
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import PathFinder

GRID_SIZE, JITTER, MAX_EDGE = 15, 0.3, 1.4  # nodes a side; the paper's zeta; the longest link
THRESHOLD_EDGES = 1.33  # in mean link lengths
QUERIES_PER_SET = 5
SETS_PER_STUDY = {"unconstrained": 265, "success-constrained": 240}
COMPARISONS = {
    "unconstrained": ("nDTW", ("PL", "NE", "ONE", "CLS", "AD", "MD")),
    "success-constrained": ("SDTW", ("SR", "OSR", "SPL", "SED")),
}
METRICS: dict[str, PathMetric] = {
    metric.name: metric for metric in (pl, ne, one, sr, osr, ad, md, spl, sed_moves, cls, ndtw, sdtw)
}
SMALLER_IS_BETTER = ("NE", "ONE", "AD", "MD")
# Table 1: positives, negatives, and the p-value it prints.
TABLE_1 = {
    "PL": (242, 17, 4.1e-52),
    "NE": (254, 9, 2.0e-63),
    "ONE": (255, 9, 1.0e-63),
    "CLS": (162, 46, 2.4e-16),
    "AD": (254, 12, 6.9e-60),
    "MD": (253, 12, 6.9e-60),
    "SR": (219, 16, 9.6e-47),
    "OSR": (220, 14, 8.8e-49),
    "SPL": (219, 17, 6.7e-46),
    "SED": (213, 26, 1.1e-37),
}


@dataclass(frozen=True)
class PathSet:
    """One question: which of these query paths comes closest to the reference?"""

    id: str
    study: str
    graph: Graph
    reference: tuple[str, ...]
    queries: tuple[tuple[str, ...], ...]

    @property
    def threshold(self) -> float:
        """Return the success distance: 1.33 times the environment's mean link length."""
        return THRESHOLD_EDGES * float(edge_lengths(self.graph).mean())

    def to_json(self) -> dict[str, Any]:
        """Return the line of sets.jsonl."""
        queries = [list(query) for query in self.queries]
        return {"id": self.id, "study": self.study, "reference": list(self.reference), "queries": queries}

    def scores(self) -> dict[str, Floats]:
        """Return each metric of the study for all queries, with the sign that makes more better."""
        return dict(self._scores)

    @cached_property
    def _scores(self) -> dict[str, Floats]:
        first, rivals = COMPARISONS[self.study]
        metrics = [METRICS[name] for name in (first, *rivals)]
        paths = [[self.graph.place_index(place) for place in query] for query in self.queries]
        reference = [self.graph.place_index(place) for place in self.reference]
        metres = self.graph.metres.matrix()
        columns = compute_metrics(metrics, paths, [reference] * len(paths), metres, self.threshold)
        values = dict(zip((metric.name for metric in metrics), columns, strict=True))
        if "PL" in values:
            values["PL"] = -np.abs(values["PL"] - pl(reference, reference, metres))
        return {name: -value if name in SMALLER_IS_BETTER else value for name, value in values.items()}


def edge_lengths(graph: Graph) -> Floats:
    """Return the lengths of a graph's links."""
    length: Floats = np.linalg.norm(graph.positions[graph.source] - graph.positions[graph.target], axis=1)
    return length


def environment(rng: np.random.Generator, name: str = "study") -> Graph:
    """Return a graph of 15 x 15 nodes, jittered around a grid and linked within a distance of 1.4."""
    cells = np.stack(np.meshgrid(np.arange(GRID_SIZE), np.arange(GRID_SIZE), indexing="ij"), axis=-1).reshape(-1, 2)
    return linked_graph(cells + rng.uniform(-JITTER, JITTER, cells.shape), name)


def linked_graph(ground: npt.ArrayLike, name: str = "study") -> Graph:
    """Return the graph of nodes at given places [x, y], row by row, linked within a distance of 1.4."""
    points = np.array(ground, float).reshape(-1, 2)
    distances = np.linalg.norm(points[:, None] - points[None], axis=-1)
    source, target = np.nonzero((distances <= MAX_EDGE) & (distances > 0))
    positions = np.column_stack([points, np.zeros(len(points))])
    heading, _ = vector_angles(positions[target] - positions[source])
    ids = [f"{k // GRID_SIZE}.{k % GRID_SIZE}" for k in range(len(points))]
    return Graph.make(name, ids, positions, source, target, heading)


def _next_stops(graph: Graph, node: int) -> npt.NDArray[np.intp]:
    """Return the nodes two or three links away."""
    hops = graph.hops(node)
    return np.flatnonzero((hops == 2) | (hops == 3))


def random_path(
    graph: Graph, rng: np.random.Generator, start: int | None = None, finder: PathFinder | None = None
) -> tuple[str, ...]:
    """Return shortest paths in metres, end to end, between random stops two or three links apart.

    Args:
        graph: The environment.
        rng: Source of the stops.
        start: The first node; a random one by default.
        finder: The graph's path finder, for those who want many paths.
    """
    node = int(rng.integers(len(graph))) if start is None else start
    while start is None and not len(_next_stops(graph, node)):  # an isolated node
        node = int(rng.integers(len(graph)))
    stops = [node]
    for _ in range(int(rng.integers(3, 6))):
        node = int(rng.choice(_next_stops(graph, node)))
        stops.append(node)
    segments = (finder or PathFinder.make(graph)).shortest(stops[:-1], stops[1:])
    return tuple(graph.ids[node] for node in (stops[0], *(node for segment in segments for node in segment[1:])))


def path_sets(study: str, seed: int = 0) -> Iterator[PathSet]:
    """Yield the sets of one of the two studies."""
    if study not in SETS_PER_STUDY:
        raise InputError(f"a study: {' or '.join(SETS_PER_STUDY)}", format_value(study))
    for number in range(SETS_PER_STUDY[study]):
        rng = np.random.default_rng([seed, list(SETS_PER_STUDY).index(study), number])
        graph = environment(rng, f"study/{number}")
        finder = PathFinder.make(graph)
        reference = random_path(graph, rng, None, finder)
        start, goal = graph.place_index(reference[0]), graph.place_index(reference[-1])
        near = graph.metres(goal) <= THRESHOLD_EDGES * float(edge_lengths(graph).mean())
        queries: list[tuple[str, ...]] = []
        while len(queries) < QUERIES_PER_SET:
            succeeds = bool(rng.integers(2))
            query = random_path(graph, rng, start, finder)
            if study == "success-constrained":
                while near[graph.place_index(query[-1])] != succeeds:
                    query = random_path(graph, rng, start, finder)
            if query not in queries:
                queries.append(query)
        yield PathSet(f"{study}-{number:03d}", study, graph, reference, tuple(queries))


@dataclass(frozen=True)
class Ranking:
    """One person's ranking of a set: `places[k]` is the rank of query k, 1 the best; equal ranks are ties."""

    set: str
    rater: str
    places: tuple[int, ...]


def read_rankings(path: str | os.PathLike[str]) -> list[Ranking]:
    """Read lines like {"set": "unconstrained-007", "rater": "r3", "places": [2, 1, 5, 3, 4]}."""
    rankings = []
    with open(existing_file(path, "a file of rankings"), encoding="utf-8", errors="replace") as stream:
        for number, line in enumerate(stream, 1):
            try:
                row = Fields(json.loads(line))
                ranked = enumerate(items(row["places"], "places", QUERIES_PER_SET))
                places = tuple(integer(place, f"places[{k}]", 1, QUERIES_PER_SET) for k, place in ranked)
                rankings.append(Ranking(row.nonempty_text("set"), row.nonempty_text("rater"), places))
            except InputError as error:
                raise error.at(file=str(path), line=number) from None
            except (ValueError, RecursionError) as error:
                raise InputError("a ranking in JSON", format_value(str(error)), file=str(path), line=number) from None
    if not rankings:
        raise InputError("at least one ranking", "an empty file", file=str(path))
    return rankings


def ranks(values: npt.ArrayLike) -> Floats:
    """Return the rank of each value, 1 the least; equal values share the mean of their ranks."""
    array = np.asarray(values, float)
    below = (array[:, None] > array[None]).sum(axis=1)
    same = (array[:, None] == array[None]).sum(axis=1)
    mean: Floats = below + (same + 1) / 2
    return mean


def spearman(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Return the rank correlation of two sequences; 0 where all values of one are equal."""
    a, b = ranks(first), ranks(second)
    a, b = a - a.mean(), b - b.mean()
    spread = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float(a @ b) / spread if spread else 0.0


def sign_test_p(positives: int, negatives: int) -> float:
    """Return the p-value of the two-sided sign test."""
    return min(1.0, 2 * binomial_tail(max(positives, negatives), positives + negatives))


def correlations(path_set: PathSet, ranking: Ranking) -> dict[str, float]:
    """Return the rank correlation of each metric of a set's study with a person's ranking of the set."""
    preference = -np.array(ranking.places)
    return {name: spearman(preference, values) for name, values in path_set.scores().items()}


def _ranked(sets: Iterable[PathSet], rankings: Sequence[Ranking]) -> Iterator[tuple[PathSet, dict[str, float]]]:
    """Yield the set and the correlations of each ranking; raise InputError for rankings of other sets at the end."""
    by_set: dict[str, list[Ranking]] = {}
    for ranking in rankings:
        by_set.setdefault(ranking.set, []).append(ranking)
    for path_set in sets:
        for ranking in by_set.pop(path_set.id, []):
            yield path_set, correlations(path_set, ranking)
    if by_set:
        raise InputError("rankings of sets of this seed", format_value(next(iter(by_set))))


def sign_test_rows(sets: Iterable[PathSet], rankings: Sequence[Ranking]) -> list[dict[str, Any]]:
    """Return Table 1 from rankings: how often nDTW (SDTW) agrees better with people than a rival, and p."""
    counts: dict[tuple[str, str], list[int]] = {}
    for path_set, agreement in _ranked(sets, rankings):
        first, rivals = COMPARISONS[path_set.study]
        for rival in rivals:
            ours, theirs = agreement[first], agreement[rival]
            count = counts.setdefault((first, rival), [0, 0, 0])
            # Correlations of five ranks are fractions of small numbers, so a difference of rounding is a tie.
            count[2 if abs(ours - theirs) < 1e-9 else 0 if ours > theirs else 1] += 1
    return [
        {
            "metric": first,
            "against": rival,
            "positive": positive,
            "negative": negative,
            "ties": ties,
            "p": sign_test_p(positive, negative),
        }
        for (first, rival), (positive, negative, ties) in counts.items()
    ]


def agreement_rows(sets: Iterable[PathSet], rankings: Sequence[Ranking]) -> list[dict[str, Any]]:
    """Return the mean rank correlation of each metric with people's rankings, study by study."""
    values: dict[tuple[str, str], list[float]] = {}
    for path_set, agreement in _ranked(sets, rankings):
        for metric, value in agreement.items():
            values.setdefault((path_set.study, metric), []).append(value)
    return [
        {"study": study, "metric": metric, "correlation": sum(of_metric) / len(of_metric), "rankings": len(of_metric)}
        for (study, metric), of_metric in values.items()
    ]


def published_rows() -> list[dict[str, Any]]:
    """Return Table 1 as printed, with the p-values that follow from its own counts."""
    first = {rival: metric for metric, rivals in COMPARISONS.values() for rival in rivals}
    rows = []
    for rival, (positive, negative, printed) in TABLE_1.items():
        p = sign_test_p(positive, negative)
        agrees = abs(p / printed - 1) < 0.05
        remark = "" if agrees else f"The counts give {p:.1e}: a misprint."
        rows.append(
            {
                "table": "1",
                "row": f"{first[rival]} against {rival}, {positive}/{negative}",
                "metric": "p",
                "paper": printed,
                "ours": p,
                "remark": remark,
            }
        )
    return rows
