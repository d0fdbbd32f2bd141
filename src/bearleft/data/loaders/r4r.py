"""Room-for-Room, built from R2R: two paths of a building are joined where the second starts near the first's end.

Near is at most 3 metres along the graph (`NEAR`): that gives 5,026 paths for val-unseen, against 5,018 in the published
figures; by straight lines it would be 7,812. Between the two lies the shortest path. Every instruction of the first is
joined with every one of the second. A released R4R file is read instead, where one is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from bearleft.data.dataset import Dataset, in_order, whole_id
from bearleft.data.loaders.r2r import Path, by_path, path_fields, path_of
from bearleft.errors import InputError, shown
from bearleft.records import Episode, Reach
from bearleft.runtime.json_fields import Fields, Json

if TYPE_CHECKING:
    from bearleft.world.graphs.graph import Graph

NEAR = 3.0  # metres along the graph
# The order of the released files: their program sorts.
FIELDS = (
    *("distance", "first_path_id", "heading", "instructions", "path", "path_id", "scan", "second_path_id"),
    *("shortest_path", "shortest_path_distance"),
)


def read(dataset: Dataset) -> Iterator[Episode]:
    """The episodes of an R4R file; a path is called by the two it was joined from."""

    def episodes(row: Fields) -> Iterator[Episode]:
        path = path_of(row, dataset)
        name = f"{row.whole('first_path_id')}+{row.whole('second_path_id')}"
        extra = path.extra | {"path_id": row["path_id"]}
        extra = {field: value for field, value in extra.items() if field not in ("first_path_id", "second_path_id")}
        return Path(name, path.scan, path.start, path.goal, path.instructions, extra).episodes(dataset.name)

    return dataset.by_item(episodes)


def build(dataset: Dataset) -> Iterator[Episode]:
    """The episodes joined from an R2R file."""
    found: dict[str, list[Path]] = {}
    seen: set[str] = set()

    def gather(row: Fields) -> Iterator[Episode]:
        path = path_of(row, dataset)
        if path.id in seen:
            raise InputError("each path_id once", f"{path.id} again", "path_id")
        seen.add(path.id)
        found.setdefault(path.scan, []).append(path)
        return iter(())

    yield from dataset.by_item(gather)
    joined = 0
    for scan, paths in found.items():
        for path in join(dataset.building(scan), paths, joined):
            joined += 1
            yield from path.episodes(dataset.name)
    dataset.facts.append(f"{joined:,} paths joined from {len(seen):,}")


def join(graph: Graph, paths: list[Path], number: int = 0) -> Iterator[Path]:
    """Every pair of paths of one building that can be joined, the second after the first; numbered from `number`."""
    metres = graph.metres.matrix()
    starts = np.array([graph.number(path.goal.route[0]) for path in paths])
    between = cache(lambda one, other: shortest(graph, one, other))
    for first in paths:
        end = graph.number(first.goal.route[-1])
        for k in np.flatnonzero(metres[end, starts] <= NEAR):
            second = paths[k]
            route = first.goal.route[:-1] + between(end, int(starts[k])) + second.goal.route[1:]
            way = graph.number(route[0]), graph.number(route[-1])
            extra = {
                "distance": length(graph, route),
                "heading": first.extra["heading"],
                "path_id": number,
                "shortest_path": list(between(*way)),
                "shortest_path_distance": float(metres[way]),
            }
            told = tuple(joined_text(a, b) for a in first.instructions for b in second.instructions)
            yield Path(f"{first.id}+{second.id}", first.scan, first.start, Reach(route), told, extra)
            number += 1


def joined_text(first: str, second: str) -> str:
    """Two instructions after each other, with a space where the first does not end in one."""
    return first + second if first[-1:].isspace() else f"{first} {second}"


def shortest(graph: Graph, one: int, other: int) -> tuple[str, ...]:
    """The places of the shortest path by metres."""
    metres = graph.metres.matrix()
    route = [other]
    while route[-1] != one:
        here = route[-1]
        begin, end = graph.neighbours[0][here : here + 2]
        near = graph.neighbours[1][begin:end]
        steps = np.linalg.norm(graph.positions[near] - graph.positions[here], axis=1)
        route.append(int(near[np.argmin(metres[one, near] + steps)]))
    return tuple(graph.ids[place] for place in reversed(route))


def length(graph: Graph, route: tuple[str, ...]) -> float:
    """Metres along a route."""
    steps = np.diff(graph.positions[[graph.index[place] for place in route]], axis=0)
    return float(np.linalg.norm(steps, axis=1).sum())


def rows(episodes: Iterable[Episode]) -> Iterator[Json]:
    """Items of one joined path each, with all its instructions."""
    for name, group in by_path(episodes):
        first, plus, second = name.partition("+")
        if not plus:
            raise InputError("an id FIRST+SECOND_NUMBER", shown(group[0].id), "id")
        row = {
            "first_path_id": whole_id(first, "R4R's first_path_id"),
            "second_path_id": whole_id(second, "R4R's second_path_id"),
        }
        yield in_order(path_fields(group) | row, FIELDS)
