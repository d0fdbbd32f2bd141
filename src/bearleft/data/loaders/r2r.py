"""Room-to-Room: one Reach leg for each instruction of a path; headings are radians in the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import degrees, radians

from bearleft.data.dataset import Dataset, in_order, kept, must_fit, route_of, whole_id, writing
from bearleft.errors import InputError, shown
from bearleft.records import Direction, Episode, Leg, Pose, Reach
from bearleft.runtime.json_fields import Fields, Json, each, some_text

# The order of the released files.
FIELDS = ("distance", "scan", "path_id", "path", "heading", "instructions")
TURNS = 100.0  # radians; the files stay within one turn
_SCAN = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class Path:
    """One item of the file: a path and what was said of it."""

    id: str
    scan: str
    start: Pose
    goal: Reach
    instructions: tuple[str, ...]
    extra: dict[str, Json]

    def episodes(self, dataset: str) -> Iterator[Episode]:
        """One for each instruction, with the ids that R2R's programs use."""
        world = f"matterport/{self.scan}"
        for k, instruction in enumerate(self.instructions):
            legs = (Leg(instruction, self.goal),)
            yield Episode(f"{self.id}_{k}", dataset, world, self.start, legs, self.extra)


def path_of(row: Fields, dataset: Dataset) -> Path:
    """The path of an item, checked against its building."""
    scan = row.text("scan")
    if not _SCAN.fullmatch(scan):
        raise InputError("the name of a building", shown(scan), row.name("scan"))
    route = route_of(row, "path", dataset.building(scan))
    name = str(row.whole("path_id"))
    instructions = each(some_text, row["instructions"], row.name("instructions"), some=True)
    start = Pose(Direction(degrees(row.number("heading", -TURNS, TURNS))), route[0])
    return Path(name, scan, start, Reach(route), instructions, kept(row, "heading"))


def read(dataset: Dataset) -> Iterator[Episode]:
    """One episode for each instruction."""
    return dataset.by_item(lambda row: path_of(row, dataset).episodes(dataset.name))


def rows(episodes: Iterable[Episode]) -> Iterator[Json]:
    """Items of one path each, with all its instructions."""
    for name, group in by_path(episodes):
        yield in_order(path_fields(group) | {"path_id": whole_id(name, "R2R's path_id")}, FIELDS)


def by_path(episodes: Iterable[Episode]) -> Iterator[tuple[str, list[Episode]]]:
    """Episodes gathered by path: they lie beside each other and are numbered from 0."""
    written = set()
    for name, found in groupby(episodes, lambda episode: episode.id.rpartition("_")[0]):
        group = list(found)
        numbers = [episode.id.rpartition("_")[2] for episode in group]
        if name in written or numbers != [str(k) for k in range(len(group))]:
            expected = "all instructions of a path beside each other: PATH_0, PATH_1, ..."
            raise InputError(expected, shown([episode.id for episode in group]), "id")
        written.add(name)
        yield name, group


def path_fields(group: list[Episode]) -> dict[str, Json]:
    """What R2R and R4R write of a path."""
    first = group[0]
    goal = first.legs[0].goal
    for episode in group:
        if len(episode.legs) != 1 or not isinstance(episode.legs[0].goal, Reach):
            raise writing(episode, "episodes of one Reach leg")
        if (episode.legs[0].goal, episode.start, episode.world) != (goal, first.start, first.world):
            raise InputError("one route and start for a path's instructions", f"another for {episode.id}", "legs")
    assert isinstance(goal, Reach)
    world, _, scan = first.world.partition("/")
    if world != "matterport" or not scan:
        raise InputError("a world matterport/BUILDING", shown(first.world), "world")
    for episode in group:
        must_fit(episode, first.world, Pose(Direction(first.start.look.heading), goal.route[0]))
    heading: Json = first.extra.get("heading")
    if not isinstance(heading, int | float) or Direction(degrees(heading)) != first.start.look:
        heading = radians(first.start.look.heading)
    return dict(first.extra) | {
        "scan": scan,
        "path": list(goal.route),
        "heading": heading,
        "instructions": [episode.legs[0].text for episode in group],
    }
