"""Traces as columns: a few arrays instead of an object for each trace.

A walk is a sequence of place indices. The worlds of a dataset (R2R's buildings) are indexed one after the other, so
that an index identifies world and place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.metrics.milestones import sentence_ends
from bearleft.metrics.ragged_paths import Ragged
from bearleft.records import Collect, Direction, Episode, LegTrace, Point, Reach
from bearleft.runtime.json_fields import integer
from bearleft.world.graphs.graph import Graph

if TYPE_CHECKING:
    from bearleft.types import Floats

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class EpisodeIndex:
    """The episodes of a dataset and the places of its worlds, by which traces are read.

    Attributes:
        dataset: The name of the dataset and split.
        sha256: The hash of its file.
        episodes: The index of each episode by id.
        worlds: The world of each episode.
        legs: The types of the goals of each episode.
        places: The index of each place by world and id.
    """

    dataset: str
    sha256: str
    episodes: Mapping[str, int]
    worlds: Sequence[str]
    legs: Sequence[tuple[type, ...]]
    places: Mapping[str, Mapping[str, int]]

    @classmethod
    def build(cls, dataset: str, sha256: str, episodes: Sequence[Episode], graphs: Mapping[str, Graph]) -> EpisodeIndex:
        """Return the index of a dataset; worlds are indexed in the order of `graphs`."""
        places, offset = {}, 0
        for name, graph in graphs.items():
            places[name] = {place: offset + k for k, place in enumerate(graph.ids)}
            offset += len(graph)
        return cls(
            dataset,
            sha256,
            {episode.id: k for k, episode in enumerate(episodes)},
            [episode.world for episode in episodes],
            [tuple(type(leg.goal) for leg in episode.legs) for episode in episodes],
            places,
        )


@dataclass(frozen=True)
class TraceColumns:
    """Many traces as columns.

    Attributes:
        episode: The index of the episode of each trace.
        seed: The seed of each trace.
        walk_trace: The trace of each walk (a Reach leg).
        walk_leg: The leg of each walk in its trace.
        walks: The places of each walk.
        stopped: Whether each walk ended with a stop.
        heading: The heading at the end of each walk; NaN if unknown.
        point_trace: The trace of each answer of a Point leg.
        point_leg: The leg of each answer in its trace.
        points: The heading and pitch of each answer; NaN if there was none.
        point_place: The place that each answer was given from; empty if unknown.
        point_ends: The view at the end of each sentence; None if unknown.
        others: Trace, leg and leg trace of the remaining legs.
        unknown: The ids that the dataset does not have.
        agents: The names of the agents.
        horizons: The horizons of walks; None if a trace has none.
    """

    episode: Ints
    seed: Ints
    walk_trace: Ints
    walk_leg: Ints
    walks: Ragged
    stopped: npt.NDArray[np.bool_]
    heading: Floats
    point_trace: Ints
    point_leg: Ints
    points: Floats
    point_place: tuple[str, ...]
    point_ends: tuple[tuple[Direction, ...] | None, ...]
    others: tuple[tuple[int, int, LegTrace], ...]
    unknown: tuple[str, ...]
    agents: tuple[str, ...]
    horizons: tuple[int | None, ...] = ()

    @classmethod
    def join(cls, parts: Sequence[TraceColumns]) -> TraceColumns:
        """Concatenate the traces of several parts."""
        offsets = np.concatenate([[0], np.cumsum([len(part.episode) for part in parts])])
        points = [part.walks.points for part in parts]
        starts = np.concatenate([[0], np.cumsum(np.concatenate([part.walks.lengths for part in parts]))])
        return cls(
            np.concatenate([part.episode for part in parts]),
            np.concatenate([part.seed for part in parts]),
            np.concatenate([part.walk_trace + b for part, b in zip(parts, offsets, strict=False)]),
            np.concatenate([part.walk_leg for part in parts]),
            Ragged(np.concatenate(points), starts),
            np.concatenate([part.stopped for part in parts]),
            np.concatenate([part.heading for part in parts]),
            np.concatenate([part.point_trace + b for part, b in zip(parts, offsets, strict=False)]),
            np.concatenate([part.point_leg for part in parts]),
            np.concatenate([part.points for part in parts]),
            tuple(place for part in parts for place in part.point_place),
            tuple(ends for part in parts for ends in part.point_ends),
            tuple((t + int(b), leg, d) for part, b in zip(parts, offsets, strict=False) for t, leg, d in part.others),
            tuple(name for part in parts for name in part.unknown),
            tuple(dict.fromkeys(name for part in parts for name in part.agents)),
            tuple(dict.fromkeys(horizon for part in parts for horizon in part.horizons)),
        )


_EMPTY = LegTrace().to_json()


def is_unplayed(legs: Sequence[LegTrace], leg: int) -> bool:
    """Return whether a leg belongs to a turn of ArraMon that was not played: its legs are empty, others are not."""
    turn = legs[leg // 2 * 2 :][:2]
    return all(played == LegTrace() for played in turn) and any(played != LegTrace() for played in legs)


class ColumnBuilder:
    """Collects traces row by row.

    Args:
        index: The episodes and places by which the traces are read.
    """

    def __init__(self, index: EpisodeIndex) -> None:
        self.index = index
        self.episode: list[int] = []
        self.seed: list[int] = []
        self.walk: list[tuple[int, int, int, bool]] = []  # trace, leg, points, stopped
        self.nodes: list[int] = []
        self.heading: list[float] = []
        self.point: list[tuple[int, int, float, float]] = []
        self.place: list[str] = []
        self.ends: list[tuple[Direction, ...] | None] = []
        self.others: list[tuple[int, int, LegTrace]] = []
        self.unknown: list[str] = []
        self.agents: dict[str, None] = {}
        self.horizons: dict[int | None, None] = {}

    def add(self, row: dict[str, Any]) -> None:
        """Add a trace in the form of a file; an invalid one may raise any error, which `_as_input_error` explains."""
        if type(row["seed"]) is not int or abs(row["seed"]) >= 2**63:
            raise InputError("a whole number", format_value(row["seed"]), "seed")
        episode = self.index.episodes.get(row["episode"])
        self.agents[row["agent"]] = None
        if row["dataset"] != self.index.dataset:
            raise InputError(f"traces of {self.index.dataset}", format_value(row["dataset"]), "dataset")
        if row["sha256"] and row["sha256"] != self.index.sha256:
            hint = f"The file of {self.index.dataset} has changed since the traces were made."
            raise InputError(f"traces of a dataset whose sha256 is {self.index.sha256}", row["sha256"], hint=hint)
        if episode is None:
            self.unknown.append(row["episode"])
            return
        trace, goals = len(self.episode), self.index.legs[episode]
        if len(row["legs"]) > len(goals):
            raise InputError(f"at most {len(goals)} legs", str(len(row["legs"])), "legs")
        self.episode.append(episode)
        self.seed.append(row["seed"])
        if Reach in goals:
            self._horizon(row.get("horizon"))
        for leg, leg_trace in enumerate(row["legs"]):
            if goals[leg] is Reach:
                self._walk(trace, leg, leg_trace, self.index.places[self.index.worlds[episode]])
            elif goals[leg] is Point:
                self._point(trace, leg, LegTrace.from_json(leg_trace, f"legs[{leg}]"))
            elif leg_trace == _EMPTY and is_unplayed([LegTrace.from_json(other) for other in row["legs"]], leg):
                continue
            else:
                self._other(trace, leg, LegTrace.from_json(leg_trace, f"legs[{leg}]"), goals[leg] is Collect)

    def _horizon(self, horizon: Any) -> None:
        if horizon not in self.horizons or type(horizon) is not int:
            self.horizons[None if horizon is None else integer(horizon, "horizon", 1)] = None

    def _walk(self, trace: int, leg: int, leg_trace: dict[str, Any], places: Mapping[str, int]) -> None:
        path, actions = leg_trace["path"], leg_trace["actions"]
        if not path:
            raise InputError("a path of at least one place", "an empty path", f"legs[{leg}].path")
        try:
            self.nodes.extend([places[place] for place in path])
        except (KeyError, TypeError):
            invalid = next(place for place in path if not isinstance(place, str) or place not in places)
            raise InputError("a place of the episode's world", format_value(invalid), f"legs[{leg}].path") from None
        self.walk.append((trace, leg, len(path), bool(actions) and actions[-1] == "stop"))
        looks = leg_trace.get("looks")
        self.heading.append(Direction.from_json(looks[-1], f"legs[{leg}].looks").heading if looks else np.nan)

    def _point(self, trace: int, leg: int, leg_trace: LegTrace) -> None:
        if isinstance(leg_trace.answer, Direction):
            self.point.append((trace, leg, leg_trace.answer.heading, leg_trace.answer.pitch))
        elif leg_trace.answer is None:
            self.point.append((trace, leg, np.nan, np.nan))
        else:
            raise InputError("a direction", format_value(leg_trace.answer), f"legs[{leg}].answer")
        self.place.append(str(leg_trace.path[-1]) if leg_trace.path and isinstance(leg_trace.path[-1], str) else "")
        self.ends.append(sentence_ends(leg_trace))

    def _other(self, trace: int, leg: int, leg_trace: LegTrace, collects: bool) -> None:
        if collects and not (leg_trace.path and isinstance(leg_trace.path[-1], tuple)):
            raise InputError("a path of at least one position", format_value(list(leg_trace.path)), f"legs[{leg}].path")
        if leg_trace.answer is not None and not isinstance(leg_trace.answer, str if collects else tuple):
            raise InputError("an item" if collects else "a cell", format_value(leg_trace.answer), f"legs[{leg}].answer")
        self.others.append((trace, leg, leg_trace))

    def build(self) -> TraceColumns:
        """Return the traces as columns."""
        walk = np.array(self.walk, np.int64).reshape(-1, 4)
        point = np.array(self.point, float).reshape(-1, 4)
        return TraceColumns(
            np.array(self.episode, np.int64),
            np.array(self.seed, np.int64),
            walk[:, 0],
            walk[:, 1],
            Ragged(np.array(self.nodes, np.int32), np.concatenate([[0], np.cumsum(walk[:, 2])])),
            walk[:, 3].astype(bool),
            np.array(self.heading, float),
            point[:, 0].astype(np.int64),
            point[:, 1].astype(np.int64),
            point[:, 2:],
            tuple(self.place),
            tuple(self.ends),
            tuple(self.others),
            tuple(self.unknown),
            tuple(self.agents),
            tuple(self.horizons),
        )
