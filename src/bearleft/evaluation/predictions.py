"""Files of traces and of predictions by other programs; every format becomes traces of a dataset's episodes.

traces: lines of bearleft, {"format": 1, "episode": ...}
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
from dataclasses import replace
from pathlib import Path

from bearleft.data.json_stream import MAX_ITEM_BYTES, Reader
from bearleft.errors import InputError, format_value
from bearleft.geometry import from_equirectangular
from bearleft.records import Collect, Direction, Episode, LegTrace, Point, Position, Reach, Trace
from bearleft.runtime.json_fields import Fields, Json, items, nonempty_text, number, numbers, parse_list
from bearleft.runtime.store import existing_file

ACCEPTED = (
    'Accepted: lines or a list of {"id": ..., "path": [place, ...]}; one object {id: [place, ...]}; '
    'lines or a list of {"id": ..., "heading": ..., "pitch": ...} or {"id": ..., "x": ..., "y": ...}; '
    'a list of {"instr_id": ..., "trajectory": [[viewpoint, heading, elevation], ...]} (R2R); '
    '{"instances": {...: {"gold_pano_path", "agent_pano_path", "agent_actions"}}} (VELMA); '
    '{map: {"path_gen", "placement", "ctc0"}} (ArraMon); traces of bearleft. See docs/score.md.'
)

# Fields of predictions: an object with one of them, but not with the others that it needs, is not {id: [place, ...]}.
KEYS = {"id", "heading", "pitch", "x", "y", "episode", "episode_id", "trajectory"}


def _fail(error: InputError) -> None:
    raise error


def read_predictions(path: str | os.PathLike[str], dataset: str, episodes: Sequence[Episode]) -> Iterator[Trace]:
    """Yield the traces of a file in any of these formats.

    Args:
        path: The file.
        dataset: The name of the dataset and split.
        episodes: The episodes of the dataset.

    Raises:
        InputError: The file is invalid.
    """
    path = existing_file(path, "a file of predictions")
    by_id = {episode.id: episode for episode in episodes}
    name = path.stem
    try:
        for row in _rows(path):
            yield from _traces(row, dataset, name, by_id)
    except InputError as error:
        raise replace(error, hint=error.hint or ACCEPTED).at(file=str(path)) from None


def _rows(path: Path) -> Iterator[Fields]:
    """Yield lines, items of a list, or the single object of a file; errors name the line or the item."""
    with open(path, "rb") as stream:
        head = stream.read(4096).lstrip()
    if not head:
        raise InputError("predictions", "an empty file", file=str(path))
    reader = Reader(path, _fail)
    if head.startswith(b"["):
        located: Iterator[tuple[int, int, Json]] = reader.items()
    elif _is_single_object(path):
        located = iter([(0, 0, _load(path))])
    else:
        located = ((line, 0, value) for line, value in reader.lines())
    for line, item, value in located:
        try:
            yield Fields(value)
        except InputError as error:
            raise error.at(file=str(path), line=line, item=item) from None


def _is_single_object(path: Path) -> bool:
    """Return whether the file is a single JSON object, not one per line."""
    with open(path, "rb") as stream:
        first = stream.readline(MAX_ITEM_BYTES + 1)
        more = stream.read(1)
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return True
    return not more and not any(key in first[:4096] for key in (b'"format"', b'"id"'))


def _load(path: Path) -> Json:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError("predictions in JSON", format_value(str(error)), file=str(path)) from None


def _traces(row: Fields, dataset: str, agent: str, by_id: Mapping[str, Episode]) -> Iterator[Trace]:
    def trace(episode: str, *legs: LegTrace) -> Trace:
        return Trace(episode, dataset, agent, legs)

    if "format" in row:
        yield Trace.from_json(row.value)
    elif "instr_id" in row:
        steps = parse_list(_viewpoint, row["trajectory"], row.name("trajectory"), nonempty=True)
        yield trace(_id(row["instr_id"], "instr_id"), LegTrace(("stop",), steps))
    elif "instances" in row:
        yield from _velma(row, trace, by_id)
    elif "path" in row:
        walked = parse_list(nonempty_text, row["path"], row.name("path"), nonempty=True)
        yield trace(_id(row["id"], "id"), LegTrace(("stop",), walked))
    elif "id" in row and ("heading" in row or "x" in row):
        name = _id(row["id"], "id")
        yield trace(name, LegTrace(("point",), (), (), _direction(row, by_id.get(name))))
    elif not row.value or set(row.value) & KEYS:
        got = f"an object with {', '.join(map(format_value, list(row.value)[:10])) or 'no fields'}"
        raise InputError('an object with "id" and "path", "heading" or "x"', got)
    else:
        for key, value in row.value.items():
            if isinstance(value, dict) and "path_gen" in value:
                yield trace(key, *_arramon(Fields(value, key), by_id.get(key)))
            else:
                yield trace(key, LegTrace(("stop",), parse_list(nonempty_text, value, key, nonempty=True)))


def _velma(row: Fields, trace: Callable[..., Trace], by_id: Mapping[str, Episode]) -> Iterator[Trace]:
    """Yield traces of VELMA's instances: the episode with the same id, or else the next with the same route."""
    by_route: dict[tuple[str, ...], list[str]] = {}
    for episode in by_id.values():
        goal = episode.legs[0].goal
        if isinstance(goal, Reach):
            by_route.setdefault(goal.route, []).append(episode.id)
    for key, value in row.object("instances").value.items():
        inner = Fields(value, f"instances.{key}")
        route = parse_list(nonempty_text, inner["gold_pano_path"], inner.name("gold_pano_path"), nonempty=True)
        walked = parse_list(nonempty_text, inner["agent_pano_path"], inner.name("agent_pano_path"), nonempty=True)
        actions = parse_list(nonempty_text, inner["agent_actions"], inner.name("agent_actions"))
        candidates = by_route.get(route, [])
        name = key if key in candidates else candidates[0] if candidates else f"{key} (of another route)"
        if name in candidates:
            candidates.remove(name)
        yield trace(name, LegTrace(actions, walked))


def _id(value: Json, field: str) -> str:
    """Return an id, which may be a number in the file."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else nonempty_text(value, field)


def _viewpoint(value: Json, field: str) -> str:
    """Return the viewpoint of a step of R2R: a viewpoint, or a list that begins with one."""
    if isinstance(value, list):
        return nonempty_text(items(value, field, nonempty=True)[0], f"{field}[0]")
    return nonempty_text(value, field)


def _direction(row: Fields, episode: Episode | None) -> Direction:
    if "heading" in row:
        return Direction(row.number("heading"), row.number("pitch", -90, 90))
    # The right edge must not wrap around to the left edge.
    x, y = min(row.number("x", 0, 1), 1 - 1e-9), row.number("y", 0, 1)
    goal = episode.legs[-1].goal if episode else None
    heading, pitch = from_equirectangular(x, y, 1.0, 1.0, goal.yaw if isinstance(goal, Point) else 0.0)
    return Direction(float(heading), float(pitch))


def _arramon(row: Fields, episode: Episode | None) -> Iterator[LegTrace]:
    """Yield the legs of each turn; the released program writes x, up, z."""
    walks = items(row["path_gen"], row.name("path_gen"), 2)
    cells = items(row["placement"], row.name("placement"), 2)
    picked = items(row["ctc0"], row.name("ctc0"), 2)
    for turn, (walk, cell) in enumerate(zip(walks, cells, strict=True)):
        goal = episode.legs[2 * turn].goal if episode else None
        correct = isinstance(goal, Collect) and number(picked[turn], row.name("ctc0")) == 1
        path = parse_list(_unity, walk, f"{row.name('path_gen')}[{turn}]", nonempty=True)
        yield LegTrace(("pick",), path, (), goal.item if isinstance(goal, Collect) and correct else None)
        x, up, z = (round(v) for v in numbers(cell, f"{row.name('placement')}[{turn}]", 3))
        # The released program writes 100 if nothing was placed.
        yield LegTrace(("place",), (), (), (x, up, z) if 100 not in (x, up, z) else None)


def _unity(value: Json, field: str) -> Position:
    east, up, north = numbers(value, field, 3)
    return east, north, up
