"""Files of traces as columns: a million walks become a few arrays, read on all cores without a million objects.

A walk is a row of place numbers. Worlds of one dataset (R2R's buildings) are numbered one behind the other, so that a
number says world and place at once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.metrics.milestones import sentence_ends
from bearleft.metrics.paths import Ragged
from bearleft.records import FORMAT, Collect, Direction, Episode, LegTrace, Point, Reach, Trace
from bearleft.runtime.compiled import cores
from bearleft.runtime.json_fields import whole
from bearleft.runtime.processes import process_pool
from bearleft.runtime.store import existing_file
from bearleft.world.graphs.graph import Graph

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
PIECE = 8 * 2**20  # bytes of a file that one process takes at a time
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Asked:
    """What traces are read against: the episodes by id, and the number of every place of every world."""

    dataset: str
    sha256: str
    episodes: Mapping[str, int]
    worlds: Sequence[str]  # of each episode
    legs: Sequence[tuple[type, ...]]  # of each episode: the kinds of its goals
    places: Mapping[str, Mapping[str, int]]  # by world

    @classmethod
    def of(cls, dataset: str, sha256: str, episodes: Sequence[Episode], graphs: Mapping[str, Graph]) -> Asked:
        """Worlds are numbered in the order of `graphs`."""
        places, before = {}, 0
        for name, graph in graphs.items():
            places[name] = {place: before + number for number, place in enumerate(graph.ids)}
            before += len(graph)
        return cls(
            dataset,
            sha256,
            {episode.id: number for number, episode in enumerate(episodes)},
            [episode.world for episode in episodes],
            [tuple(type(leg.goal) for leg in episode.legs) for episode in episodes],
            places,
        )


@dataclass(frozen=True)
class Columns:
    """What was done in many traces: `walks` of Reach legs, `points` of Point legs, `others` as they are."""

    episode: Ints  # of each trace: the number of its episode
    seed: Ints
    walk_trace: Ints  # of each walk: the trace and the leg it belongs to
    walk_leg: Ints
    walks: Ragged
    stopped: npt.NDArray[np.bool_]  # of each walk: whether it was ended by a stop
    heading: Floats  # of each walk: where it looks in the end; NaN where it is not said
    point_trace: Ints
    point_leg: Ints
    points: Floats  # heading and pitch; NaN where no answer was given
    point_place: tuple[str, ...]  # where one stood, "" where it is not said
    point_ends: tuple[tuple[Direction, ...] | None, ...]  # the view at the end of each sentence; None: not said
    others: tuple[tuple[int, int, LegTrace], ...]  # trace, leg, what was done
    unknown: tuple[str, ...]  # ids that the dataset does not have
    agents: tuple[str, ...]
    horizons: tuple[int | None, ...] = ()  # those that traces of walks say; None where one says none

    @classmethod
    def join(cls, parts: Sequence[Columns]) -> Columns:
        """The traces of several parts, one behind the other."""
        before = np.concatenate([[0], np.cumsum([len(part.episode) for part in parts])])
        points = [part.walks.points for part in parts]
        starts = np.concatenate([[0], np.cumsum(np.concatenate([part.walks.lengths for part in parts]))])
        return cls(
            np.concatenate([part.episode for part in parts]),
            np.concatenate([part.seed for part in parts]),
            np.concatenate([part.walk_trace + b for part, b in zip(parts, before, strict=False)]),
            np.concatenate([part.walk_leg for part in parts]),
            Ragged(np.concatenate(points), starts),
            np.concatenate([part.stopped for part in parts]),
            np.concatenate([part.heading for part in parts]),
            np.concatenate([part.point_trace + b for part, b in zip(parts, before, strict=False)]),
            np.concatenate([part.point_leg for part in parts]),
            np.concatenate([part.points for part in parts]),
            tuple(place for part in parts for place in part.point_place),
            tuple(ends for part in parts for ends in part.point_ends),
            tuple((t + int(b), leg, d) for part, b in zip(parts, before, strict=False) for t, leg, d in part.others),
            tuple(name for part in parts for name in part.unknown),
            tuple(dict.fromkeys(name for part in parts for name in part.agents)),
            tuple(dict.fromkeys(horizon for part in parts for horizon in part.horizons)),
        )


class Builder:
    """Collects traces row by row."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
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
        """A trace as it stands in a file; an odd one raises whatever it likes, and `_mended` finds the words for it."""
        if type(row["seed"]) is not int or abs(row["seed"]) >= 2**63:
            raise InputError("a whole number", shown(row["seed"]), "seed")
        number = self.asked.episodes.get(row["episode"])
        self.agents[row["agent"]] = None
        if row["dataset"] != self.asked.dataset:
            raise InputError(f"traces of {self.asked.dataset}", shown(row["dataset"]), "dataset")
        if row["sha256"] and row["sha256"] != self.asked.sha256:
            hint = f"The file of {self.asked.dataset} has changed since the traces were made."
            raise InputError(f"traces of a dataset whose sha256 is {self.asked.sha256}", row["sha256"], hint=hint)
        if number is None:
            self.unknown.append(row["episode"])
            return
        trace, goals = len(self.episode), self.asked.legs[number]
        if len(row["legs"]) > len(goals):
            raise InputError(f"at most {len(goals)} legs", str(len(row["legs"])), "legs")
        self.episode.append(number)
        self.seed.append(row["seed"])
        if Reach in goals:
            self._horizon(row.get("horizon"))
        for leg, done in enumerate(row["legs"]):
            if goals[leg] is Reach:
                self._walk(trace, leg, done, self.asked.places[self.asked.worlds[number]])
            elif goals[leg] is Point:
                self._point(trace, leg, LegTrace.from_json(done, f"legs[{leg}]"))
            else:
                self._other(trace, leg, LegTrace.from_json(done, f"legs[{leg}]"), goals[leg] is Collect)

    def _horizon(self, horizon: Any) -> None:
        if horizon not in self.horizons or type(horizon) is not int:
            self.horizons[None if horizon is None else whole(horizon, "horizon", 1)] = None

    def _walk(self, trace: int, leg: int, done: dict[str, Any], places: Mapping[str, int]) -> None:
        path, actions = done["path"], done["actions"]
        if not path:
            raise InputError("a path of at least one place", "an empty path", f"legs[{leg}].path")
        try:
            self.nodes.extend([places[place] for place in path])
        except (KeyError, TypeError):
            odd = next(place for place in path if not isinstance(place, str) or place not in places)
            raise InputError("a place of the episode's world", shown(odd), f"legs[{leg}].path") from None
        self.walk.append((trace, leg, len(path), bool(actions) and actions[-1] == "stop"))
        looks = done.get("looks")
        self.heading.append(Direction.from_json(looks[-1], f"legs[{leg}].looks").heading if looks else np.nan)

    def _point(self, trace: int, leg: int, done: LegTrace) -> None:
        if isinstance(done.answer, Direction):
            self.point.append((trace, leg, done.answer.heading, done.answer.pitch))
        elif done.answer is None:
            self.point.append((trace, leg, np.nan, np.nan))
        else:
            raise InputError("a direction", shown(done.answer), f"legs[{leg}].answer")
        self.place.append(str(done.path[-1]) if done.path and isinstance(done.path[-1], str) else "")
        self.ends.append(sentence_ends(done))

    def _other(self, trace: int, leg: int, done: LegTrace, collects: bool) -> None:
        if collects and not (done.path and isinstance(done.path[-1], tuple)):
            raise InputError("a path of at least one position", shown(list(done.path)), f"legs[{leg}].path")
        if done.answer is not None and not isinstance(done.answer, str if collects else tuple):
            raise InputError("an item" if collects else "a cell", shown(done.answer), f"legs[{leg}].answer")
        self.others.append((trace, leg, done))

    def pack(self) -> Columns:
        walk = np.array(self.walk, np.int64).reshape(-1, 4)
        point = np.array(self.point, float).reshape(-1, 4)
        return Columns(
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


def read_traces(path: str | os.PathLike[str], asked: Asked, progress: Progress | None = None) -> Columns:
    """A file of bearleft's own traces, on all cores where it is large."""
    path = existing_file(path, "a file of traces")
    size = path.stat().st_size
    pieces = [(path, begin, min(begin + PIECE, size)) for begin in range(0, size, PIECE)]
    parts: list[Columns] = []
    if len(pieces) <= 1 or cores() == 1:
        _begin_process(asked)
        found = map(_read_piece, pieces)
        parts = _collect(found, len(pieces), path, progress)
    else:
        with process_pool(min(cores(), len(pieces)), _begin_process, asked) as pool:
            parts = _collect(pool.map(_read_piece, pieces), len(pieces), path, progress)
    return Columns.join(parts or [Builder(asked).pack()])


def _collect(found: Iterable[Columns], count: int, path: Path, progress: Progress | None) -> list[Columns]:
    parts = []
    for part in found:
        parts.append(part)
        if progress is not None:
            progress(f"reading {path.name}", len(parts), count)
    return parts


_asked: Asked


def _begin_process(asked: Asked) -> None:
    global _asked
    _asked = asked


def _read_piece(piece: tuple[Path, int, int]) -> Columns:
    """The traces of the lines that begin within a piece of the file."""
    path, begin, end = piece
    builder = Builder(_asked)
    with open(path, "rb") as stream:
        if begin:
            # The line that this piece begins in the middle of belongs to the piece before.
            stream.seek(begin - 1)
            stream.readline()
        while stream.tell() < end and (line := stream.readline()):
            try:
                row = json.loads(line)
                if not (type(row) is dict and row.get("format") == FORMAT):
                    Trace.from_json(row)
                builder.add(row)
            except (InputError, KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
                raise _mended(error, line, path, stream.tell() - len(line)) from None
    return builder.pack()


def _mended(error: Exception, line: bytes, path: Path, at: int) -> InputError:
    """What is wrong with a line, said by the record's own reader, with the line's number."""
    with open(path, "rb") as stream:
        number = 1 + sum(stream.read(min(PIECE, at - k)).count(b"\n") for k in range(0, at, PIECE))
    if isinstance(error, InputError):
        return error.at(file=str(path), line=number)
    try:
        Trace.from_json(json.loads(line))
    except InputError as found:
        return found.at(file=str(path), line=number)
    except (ValueError, RecursionError):
        pass
    half = "" if line.endswith(b"\n") else "The file ends in the middle of a line; run the same eval again to mend it."
    got = shown(line.decode(errors="replace"))
    return InputError("a trace in JSON", got, file=str(path), line=number, hint=half)
