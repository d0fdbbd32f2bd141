"""The nDTW paper's human study (section 3.1): environments, path sets, questionnaires, and the analysis of rankings.

A set is one reference path and five query paths in a seeded environment. A person ranks the five; each ranking is
compared with the order that each metric gives, and metrics are compared by a sign test over all rankings.

Where the paper is silent, we chose: a path joins three to five random stops; queries begin where the reference begins, since
people compare ways of following one instruction; in the success-constrained study each query is drawn until it ends within
the threshold of the reference's end, or not, with even chances, so that success itself cannot be constant by accident.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.errors import InputError, shown
from bearleft.fields import Fields, each, items, some_text, whole
from bearleft.geometry import angles
from bearleft.store import existing_file
from bearleft.world.graph import Graph
from bearleft.world.grid import shortest_route

SIZE, STRAY, REACH = 15, 0.3, 1.4  # nodes a side; the paper's zeta; the longest edge
THRESHOLD = 1.33  # of the mean edge
QUERIES = 5
SETS = {"unconstrained": 265, "success-constrained": 240}
RIVALS = {
    "unconstrained": ("nDTW", ("PL", "NE", "ONE", "CLS", "AD", "MD")),
    "success-constrained": ("SDTW", ("SR", "OSR", "SPL", "SED")),
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
        """The success distance: 1.33 times the environment's mean edge."""
        return THRESHOLD * float(edges(self.graph).mean())

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "study": self.study, "reference": list(self.reference), "queries": [*map(list, self.queries)]}


def edges(graph: Graph) -> Any:
    """The lengths of a graph's edges."""
    return np.linalg.norm(graph.positions[graph.source] - graph.positions[graph.target], axis=1)


def environment(rng: np.random.Generator, name: str = "study") -> Graph:
    """15 x 15 nodes that stray from a grid, joined where they lie within 1.4 of each other."""
    corner = np.stack(np.meshgrid(np.arange(SIZE), np.arange(SIZE), indexing="ij"), axis=-1).reshape(-1, 2)
    where = corner + rng.uniform(-STRAY, STRAY, corner.shape)
    apart = np.linalg.norm(where[:, None] - where[None], axis=-1)
    source, target = np.nonzero((apart <= REACH) & (apart > 0))
    positions = np.column_stack([where, np.zeros(len(where))])
    heading, _ = angles(positions[target] - positions[source])
    return Graph.make(name, [f"{i}.{j}" for i, j in corner], positions, source, target, heading)


def random_path(graph: Graph, rng: np.random.Generator, start: int | None = None) -> tuple[str, ...]:
    """Shortest ways between stops that lie two or three edges apart."""
    here = int(rng.integers(len(graph))) if start is None else start
    path = [graph.ids[here]]
    for _ in range(int(rng.integers(3, 6))):
        there = int(rng.choice(np.flatnonzero(np.isin(graph.hops(here), (2, 3)))))
        path += shortest_route(graph, here, there)[1:]
        here = there
    return tuple(path)


def path_sets(study: str, seed: int = 0) -> Iterator[PathSet]:
    """The sets of one of the two studies."""
    if study not in SETS:
        raise InputError(f"a study: {' or '.join(SETS)}", shown(study))
    for number in range(SETS[study]):
        rng = np.random.default_rng([seed, list(SETS).index(study), number])
        graph = environment(rng, f"study/{number}")
        reference = random_path(graph, rng)
        goal, limit = graph.number(reference[-1]), THRESHOLD * float(edges(graph).mean())
        queries: list[tuple[str, ...]] = []
        while len(queries) < QUERIES:
            succeeds = bool(rng.integers(2))
            query = random_path(graph, rng, graph.number(reference[0]))
            if study == "success-constrained":
                while (graph.metres(goal)[graph.number(query[-1])] <= limit) != succeeds:
                    query = random_path(graph, rng, graph.number(reference[0]))
            if query not in queries:
                queries.append(query)
        yield PathSet(f"{study}-{number:03d}", study, graph, reference, tuple(queries))


@dataclass(frozen=True)
class Ranking:
    """One person's order of a set: `places[k]` is the place of query k, 1 the best; equal places are ties."""

    set: str
    rater: str
    places: tuple[int, ...]


def read_rankings(path: str | os.PathLike[str]) -> list[Ranking]:
    """Lines like {"set": "unconstrained-007", "rater": "r3", "places": [2, 1, 5, 3, 4]}."""
    rankings = []
    with open(existing_file(path, "a file of rankings"), encoding="utf-8", errors="replace") as stream:
        for number, line in enumerate(stream, 1):
            try:
                row = Fields(json.loads(line))
                places = tuple(whole(p, f"places[{k}]", 1, QUERIES) for k, p in enumerate(items(row["places"], "places", QUERIES)))
                rankings.append(Ranking(row.some_text("set"), row.some_text("rater"), places))
            except InputError as error:
                raise error.at(file=str(path), line=number) from None
            except (ValueError, RecursionError) as error:
                raise InputError("a ranking in JSON", shown(str(error)), file=str(path), line=number) from None
    if not rankings:
        raise InputError("at least one ranking", "an empty file", file=str(path))
    return rankings
