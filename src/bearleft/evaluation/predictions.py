"""Files of what was done, ours and others': every form becomes traces of a dataset's episodes.

traces: lines of bearleft's own, {"format": 1, "episode": ...}
places: lines or a list of {"id": ..., "path": [place, ...]}, or one object {id: [place, ...]}
points: lines or a list of {"id": ..., "heading": ..., "pitch": ...}, or "x" and "y" as shares of the panorama
R2R: a list of {"instr_id": ..., "trajectory": [[viewpoint, heading, elevation], ...]}
VELMA, map2seq_vln: {"instances": {...: {"gold_pano_path": [...], "agent_pano_path": [...], "agent_actions": [...]}}}
ArraMon: {map: {"path_gen": [turn, turn], "placement": [cell, cell], "ctc0": [0 or 1, 0 or 1]}}
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from bearleft.data.json_stream import Reader
from bearleft.errors import InputError, shown
from bearleft.geometry import from_equirectangular
from bearleft.records import Collect, Direction, Episode, LegTrace, Point, Position, Reach, Trace
from bearleft.runtime.json_fields import Fields, Json, each, items, number, numbers, some_text
from bearleft.runtime.store import existing_file


def _fail(error: InputError) -> None:
    raise error


def read_predictions(path: str | os.PathLike[str], dataset: str, episodes: Sequence[Episode]) -> Iterator[Trace]:
    """The traces that a file of any of these forms holds, for episodes of this dataset."""
    path = existing_file(path, "a file of predictions")
    known = {episode.id: episode for episode in episodes}
    name = path.stem
    try:
        for row in _rows(path):
            yield from _traces(row, dataset, name, known)
    except InputError as error:
        raise error.at(file=str(path)) from None


def _rows(path: Path) -> Iterator[Fields]:
    """Lines, items of a list, or the one object that a file is, each with its place named in errors."""
    with open(path, "rb") as stream:
        head = stream.read(4096).lstrip()
    if not head:
        raise InputError("predictions", "an empty file", file=str(path))
    reader = Reader(path, _fail)
    if head.startswith(b"["):
        placed: Iterator[tuple[int, int, Json]] = reader.items()
    elif _is_one_object(path):
        placed = iter([(0, 0, _whole(path))])
    else:
        placed = ((line, 0, value) for line, value in reader.lines())
    for line, item, value in placed:
        try:
            yield Fields(value)
        except InputError as error:
            raise error.at(file=str(path), line=line, item=item) from None


def _is_one_object(path: Path) -> bool:
    """Whether the file is a single JSON object, not one a line."""
    with open(path, "rb") as stream:
        first = stream.readline()
        more = stream.read(1)
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return True
    return not more and not any(key in first[:4096] for key in (b'"format"', b'"id"'))


def _whole(path: Path) -> Json:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError("predictions in JSON", shown(str(error)), file=str(path)) from None


def _traces(row: Fields, dataset: str, agent: str, known: Mapping[str, Episode]) -> Iterator[Trace]:
    def trace(episode: str, *legs: LegTrace) -> Trace:
        return Trace(episode, dataset, agent, legs)

    if "format" in row:
        yield Trace.from_json(row.value)
    elif "instr_id" in row:
        steps = each(_viewpoint, row["trajectory"], row.name("trajectory"), some=True)
        yield trace(_id(row["instr_id"], "instr_id"), LegTrace(("stop",), steps))
    elif "instances" in row:
        yield from _velma(row, trace, known)
    elif "path" in row:
        walked = each(some_text, row["path"], row.name("path"), some=True)
        yield trace(_id(row["id"], "id"), LegTrace(("stop",), walked))
    elif "id" in row:
        name = _id(row["id"], "id")
        yield trace(name, LegTrace(("point",), (), (), _direction(row, known.get(name))))
    else:
        for key, value in row.value.items():
            if isinstance(value, dict) and "path_gen" in value:
                yield trace(key, *_arramon(Fields(value, key), known.get(key)))
            else:
                yield trace(key, LegTrace(("stop",), each(some_text, value, key, some=True)))


def _velma(row: Fields, trace: Callable[..., Trace], known: Mapping[str, Episode]) -> Iterator[Trace]:
    """An instance is the episode of its own id, or else the next one with its route: several may share one."""
    by_route: dict[tuple[str, ...], list[str]] = {}
    for episode in known.values():
        goal = episode.legs[0].goal
        if isinstance(goal, Reach):
            by_route.setdefault(goal.route, []).append(episode.id)
    for key, value in row.object("instances").value.items():
        inner = Fields(value, f"instances.{key}")
        route = each(some_text, inner["gold_pano_path"], inner.name("gold_pano_path"), some=True)
        walked = each(some_text, inner["agent_pano_path"], inner.name("agent_pano_path"), some=True)
        actions = each(some_text, inner["agent_actions"], inner.name("agent_actions"))
        left = by_route.get(route, [])
        name = key if key in left else left[0] if left else f"{key} (of another route)"
        if name in left:
            left.remove(name)
        yield trace(name, LegTrace(actions, walked))


def _id(value: Json, field: str) -> str:
    """An id may be written as a number."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else some_text(value, field)


def _viewpoint(value: Json, field: str) -> str:
    """R2R's steps are a viewpoint, or a list that begins with one."""
    if isinstance(value, list):
        return some_text(items(value, field, some=True)[0], f"{field}[0]")
    return some_text(value, field)


def _direction(row: Fields, episode: Episode | None) -> Direction:
    if "heading" in row:
        return Direction(row.number("heading"), row.number("pitch", -90, 90))
    # The right edge itself belongs to the picture, not to its left edge.
    x, y = min(row.number("x", 0, 1), 1 - 1e-9), row.number("y", 0, 1)
    goal = episode.legs[-1].goal if episode else None
    heading, pitch = from_equirectangular(x, y, 1.0, 1.0, goal.yaw if isinstance(goal, Point) else 0.0)
    return Direction(float(heading), float(pitch))


def _arramon(row: Fields, episode: Episode | None) -> Iterator[LegTrace]:
    """Turn by turn what was walked and where it was placed; the released program writes x, up, z."""
    walks = items(row["path_gen"], row.name("path_gen"), 2)
    cells = items(row["placement"], row.name("placement"), 2)
    picked = items(row["ctc0"], row.name("ctc0"), 2)
    for turn, (walk, cell) in enumerate(zip(walks, cells, strict=True)):
        goal = episode.legs[2 * turn].goal if episode else None
        right = isinstance(goal, Collect) and number(picked[turn], row.name("ctc0")) == 1
        path = each(_unity, walk, f"{row.name('path_gen')}[{turn}]", some=True)
        yield LegTrace(("pick",), path, (), goal.item if isinstance(goal, Collect) and right else None)
        x, up, z = (round(v) for v in numbers(cell, f"{row.name('placement')}[{turn}]", 3))
        # 100 is what the released program writes for "nothing was placed".
        yield LegTrace(("place",), (), (), (x, up, z) if 100 not in (x, up, z) else None)


def _unity(value: Json, field: str) -> Position:
    east, up, north = numbers(value, field, 3)
    return east, north, up
