"""Sets of five paths as units: what is stored, what is drawn, and in which order a person sees the paths."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from bearleft.experiments.ndtw.study import QUERIES_PER_SET, PathSet, linked_graph

RANKING = "ndtw-study/ranking"
CHECK = "ndtw-study/check"  # an attention check
ORDER_STREAM = 1325  # distinguishes these random numbers from others of the same seed
MARGIN = 1.5  # around the paths, in units of the grid, within which the graph is sent
SET_FIELDS = ("set", "study", "nodes", "reference", "queries")


def set_payload(path_set: PathSet) -> dict[str, Any]:
    """Return a set as the payload of a unit; `path_set_of` reads it again without a loss."""
    return {
        "set": path_set.id,
        "study": path_set.study,
        "nodes": path_set.graph.positions[:, :2].tolist(),
        "reference": list(path_set.reference),
        "queries": [list(query) for query in path_set.queries],
    }


def path_set_of(payload: Mapping[str, Any]) -> PathSet:
    """Return the set that a unit shows; the same object for the same set, which keeps its scores."""
    return _path_set(json.dumps({name: payload[name] for name in SET_FIELDS}, sort_keys=True))


@lru_cache(maxsize=1024)
def _path_set(text: str) -> PathSet:
    payload = json.loads(text)
    graph = linked_graph(payload["nodes"])
    queries = tuple(tuple(query) for query in payload["queries"])
    return PathSet(payload["set"], payload["study"], graph, tuple(payload["reference"]), queries)


def shown_order(seed: int, unit_id: int, worker_id: int) -> list[int]:
    """Return the numbers of the queries that a worker sees as A to E."""
    rng = np.random.default_rng((seed, ORDER_STREAM, unit_id, worker_id))
    return [int(number) for number in rng.permutation(QUERIES_PER_SET)]


def drawing(path_set: PathSet, mirrored: bool) -> dict[str, Any]:
    """Return what is drawn of a set, as [x, y]: the graph around its paths, the reference, and the queries.

    Args:
        path_set: The set.
        mirrored: Whether left and right are exchanged.
    """
    ground = path_set.graph.positions[:, :2] * ((-1.0, 1.0) if mirrored else (1.0, 1.0))
    used = [path_set.graph.place_index(place) for path in (path_set.reference, *path_set.queries) for place in path]
    low, high = ground[used].min(axis=0), ground[used].max(axis=0)
    within = np.abs(ground - (low + high) / 2).max(axis=1) <= (high - low).max() / 2 + MARGIN  # of a square
    kept = np.flatnonzero(within)
    number = {int(node): k for k, node in enumerate(kept)}
    pairs = zip(path_set.graph.source.tolist(), path_set.graph.target.tolist(), strict=True)
    rounded = ground.round(3)

    def points(path: Sequence[str]) -> list[list[float]]:
        places: list[list[float]] = rounded[[path_set.graph.place_index(place) for place in path]].tolist()
        return places

    return {
        "nodes": rounded[kept].tolist(),
        "links": [[number[a], number[b]] for a, b in pairs if a < b and a in number and b in number],
        "reference": points(path_set.reference),
        "queries": [points(query) for query in path_set.queries],
    }
