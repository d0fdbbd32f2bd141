"""Loader and writer for Room-to-Room: one Reach leg per instruction of a path; headings are radians in the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import degrees, radians

from bearleft.data.dataset import (
    Dataset,
    check_writable,
    integer_id,
    order_fields,
    read_route,
    remaining_fields,
    unsupported_episode,
)
from bearleft.errors import InputError, format_value
from bearleft.records import Direction, Episode, Leg, Pose, Reach
from bearleft.runtime.json_fields import Fields, Json, nonempty_text, parse_list

# In the order of the released files.
FIELDS = ("distance", "scan", "path_id", "path", "heading", "instructions")
MAX_HEADING = 100.0  # radians; the files stay within one turn
_SCAN = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class Path:
    """One item of the file: a path with its instructions."""

    id: str
    scan: str
    start: Pose
    goal: Reach
    instructions: tuple[str, ...]
    extra: dict[str, Json]

    def episodes(self, dataset: str) -> Iterator[Episode]:
        """Yield one episode per instruction, with the ids that R2R's programs use."""
        world = f"matterport/{self.scan}"
        for k, instruction in enumerate(self.instructions):
            legs = (Leg(instruction, self.goal),)
            yield Episode(f"{self.id}_{k}", dataset, world, self.start, legs, self.extra)


def read_path(row: Fields, dataset: Dataset) -> Path:
    """Return the path of an item after checking it against its building."""
    scan = row.text("scan")
    if not _SCAN.fullmatch(scan):
        raise InputError("the name of a building", format_value(scan), row.name("scan"))
    route = read_route(row, "path", dataset.matterport_graph(scan))
    name = str(row.integer("path_id"))
    instructions = parse_list(nonempty_text, row["instructions"], row.name("instructions"), nonempty=True)
    start = Pose(Direction(degrees(row.number("heading", -MAX_HEADING, MAX_HEADING))), route[0])
    return Path(name, scan, start, Reach(route), instructions, remaining_fields(row, "heading"))


def read(dataset: Dataset) -> Iterator[Episode]:
    """Yield one episode per instruction."""
    return dataset.read_items(lambda row: read_path(row, dataset).episodes(dataset.name))


def rows(episodes: Iterable[Episode]) -> Iterator[Json]:
    """Yield items of one path each, with all its instructions."""
    for name, group in group_by_path(episodes):
        yield order_fields(path_fields(group) | {"path_id": integer_id(name, "R2R's path_id")}, FIELDS)


def group_by_path(episodes: Iterable[Episode]) -> Iterator[tuple[str, list[Episode]]]:
    """Yield path ids and their episodes, which must be consecutive and numbered from 0."""
    seen = set()
    for name, episodes_of_path in groupby(episodes, lambda episode: episode.id.rpartition("_")[0]):
        group = list(episodes_of_path)
        numbers = [episode.id.rpartition("_")[2] for episode in group]
        if name in seen or numbers != [str(k) for k in range(len(group))]:
            expected = "consecutive instructions of a path: PATH_0, PATH_1, ..."
            raise InputError(expected, format_value([episode.id for episode in group]), "id")
        seen.add(name)
        yield name, group


def path_fields(group: list[Episode]) -> dict[str, Json]:
    """Return the fields of a path that R2R and R4R share."""
    first = group[0]
    goal = first.legs[0].goal
    for episode in group:
        if len(episode.legs) != 1 or not isinstance(episode.legs[0].goal, Reach):
            raise unsupported_episode(episode, "episodes of one Reach leg")
        if (episode.legs[0].goal, episode.start, episode.world) != (goal, first.start, first.world):
            raise InputError("one route and start for a path's instructions", f"another for {episode.id}", "legs")
    assert isinstance(goal, Reach)
    world, _, scan = first.world.partition("/")
    if world != "matterport" or not scan:
        raise InputError("a world matterport/BUILDING", format_value(first.world), "world")
    for episode in group:
        check_writable(episode, first.world, Pose(Direction(first.start.look.heading), goal.route[0]))
    heading: Json = first.extra.get("heading")
    if not isinstance(heading, int | float) or Direction(degrees(heading)) != first.start.look:
        heading = radians(first.start.look.heading)
    return dict(first.extra) | {
        "scan": scan,
        "path": list(goal.route),
        "heading": heading,
        "instructions": [episode.legs[0].text for episode in group],
    }
