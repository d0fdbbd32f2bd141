"""Loader, builder and writer for Room-for-Room: pairs of R2R paths, the second starting near the end of the first.

Near means at most 3 metres along the graph (`MAX_JOIN_DISTANCE`): that gives 5,026 paths for val-unseen, against 5,018
in the published figures; by straight lines it would be 7,812. The shortest path connects the two. Each instruction of
the first is joined with each of the second. A released R4R file takes precedence over building.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from bearleft.data.dataset import Dataset, integer_id, order_fields
from bearleft.data.loaders.r2r import Path, group_by_path, path_fields, read_path
from bearleft.errors import InputError, format_value
from bearleft.records import Episode, Reach
from bearleft.runtime.json_fields import Fields, Json

if TYPE_CHECKING:
    from bearleft.world.graphs.graph import Graph

MAX_JOIN_DISTANCE = 3.0  # metres along the graph
# In the order of the released files, which are sorted.
FIELDS = (
    *("distance", "first_path_id", "heading", "instructions", "path", "path_id", "scan", "second_path_id"),
    *("shortest_path", "shortest_path_distance"),
)


def read(dataset: Dataset) -> Iterator[Episode]:
    """Yield the episodes of an R4R file; ids combine those of the two joined paths."""

    def episodes(row: Fields) -> Iterator[Episode]:
        path = read_path(row, dataset)
        name = f"{row.integer('first_path_id')}+{row.integer('second_path_id')}"
        extra = path.extra | {"path_id": row["path_id"]}
        extra = {field: value for field, value in extra.items() if field not in ("first_path_id", "second_path_id")}
        return Path(name, path.scan, path.start, path.goal, path.instructions, extra).episodes(dataset.name)

    return dataset.read_items(episodes)


def build(dataset: Dataset) -> Iterator[Episode]:
    """Yield the episodes joined from an R2R file."""
    paths_of_scan: dict[str, list[Path]] = {}
    seen: set[str] = set()

    def collect(row: Fields) -> Iterator[Episode]:
        path = read_path(row, dataset)
        if path.id in seen:
            raise InputError("each path_id once", f"{path.id} again", "path_id")
        seen.add(path.id)
        paths_of_scan.setdefault(path.scan, []).append(path)
        return iter(())

    yield from dataset.read_items(collect)
    joined = 0
    for scan, paths in paths_of_scan.items():
        for path in join_paths(dataset.matterport_graph(scan), paths, joined):
            joined += 1
            yield from path.episodes(dataset.name)
    dataset.facts.append(f"{joined:,} paths joined from {len(seen):,}")


def join_paths(graph: Graph, paths: list[Path], number: int = 0) -> Iterator[Path]:
    """Yield each pair of paths of a building that can be joined, numbered from `number`."""
    metres = graph.metres.matrix()
    starts = np.array([graph.place_index(path.goal.route[0]) for path in paths])
    between = cache(lambda start, goal: shortest_path(graph, start, goal))
    for first in paths:
        end = graph.place_index(first.goal.route[-1])
        for k in np.flatnonzero(metres[end, starts] <= MAX_JOIN_DISTANCE):
            second = paths[k]
            route = first.goal.route[:-1] + between(end, int(starts[k])) + second.goal.route[1:]
            ends = graph.place_index(route[0]), graph.place_index(route[-1])
            extra = {
                "distance": route_length(graph, route),
                "heading": first.extra["heading"],
                "path_id": number,
                "shortest_path": list(between(*ends)),
                "shortest_path_distance": float(metres[ends]),
            }
            instructions = tuple(join_texts(a, b) for a in first.instructions for b in second.instructions)
            yield Path(f"{first.id}+{second.id}", first.scan, first.start, Reach(route), instructions, extra)
            number += 1


def join_texts(first: str, second: str) -> str:
    """Return two instructions as one, with a space where the first does not end in one."""
    return first + second if first[-1:].isspace() else f"{first} {second}"


def shortest_path(graph: Graph, start: int, goal: int) -> tuple[str, ...]:
    """Return the places of the shortest path by metres."""
    metres = graph.metres.matrix()
    route = [goal]
    while route[-1] != start:
        place = route[-1]
        begin, end = graph.neighbours[0][place : place + 2]
        neighbours = graph.neighbours[1][begin:end]
        steps = np.linalg.norm(graph.positions[neighbours] - graph.positions[place], axis=1)
        route.append(int(neighbours[np.argmin(metres[start, neighbours] + steps)]))
    return tuple(graph.ids[place] for place in reversed(route))


def route_length(graph: Graph, route: tuple[str, ...]) -> float:
    """Return the metres along a route."""
    steps = np.diff(graph.positions[[graph.index_by_id[place] for place in route]], axis=0)
    return float(np.linalg.norm(steps, axis=1).sum())


def rows(episodes: Iterable[Episode]) -> Iterator[Json]:
    """Yield items of one joined path each, with all its instructions."""
    for name, group in group_by_path(episodes):
        first, plus, second = name.partition("+")
        if not plus:
            raise InputError("an id FIRST+SECOND_NUMBER", format_value(group[0].id), "id")
        row = {
            "first_path_id": integer_id(first, "R4R's first_path_id"),
            "second_path_id": integer_id(second, "R4R's second_path_id"),
        }
        yield order_fields(path_fields(group) | row, FIELDS)
