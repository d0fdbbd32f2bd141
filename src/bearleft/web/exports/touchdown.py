"""Collected texts of Touchdown: the paper's file, our episodes and traces, and the paper's statistics.

`export` writes a folder of data: `city/touchdown/PROJECT.jsonl` in the paper's format (`touchdown/PROJECT.jsonl` for
texts on Touchdown's own graph), `PROJECT.jsonl` with the same episodes in ours, and `PROJECT-traces-1.jsonl` and `-2`
with the traces of the first and the second person who followed each text. Only texts whose bear was found, and which
were segmented, are exported. `bearleft score FOLDER/PROJECT-traces-1.jsonl --data FOLDER` scores the traces.

The paper's format holds a target in three panoramas: the goal, the one before it, and the one ahead. Our episodes hold
it in all panoramas in which somebody has seen it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import distinct, func, select
from sqlalchemy.orm import Session

from bearleft.data import write
from bearleft.data.dataset import Dataset, order_fields
from bearleft.data.json_stream import write_lines
from bearleft.data.loaders.touchdown import FIELDS, HIDDEN, WORLD, ratio_of, read_complete
from bearleft.errors import InputError, format_value
from bearleft.experiments.rows import Row, comparison_rows
from bearleft.experiments.touchdown.published import PANORAMAS, SDR_LENGTH, SECTION_5, TABLE_1, TABLE_2
from bearleft.language.analysis.statistics import OVERLAP
from bearleft.language.analysis.tokens import tokens
from bearleft.records import Direction, Episode, Leg, Point, Reach, Trace, to_json_line
from bearleft.runtime.json_fields import Json
from bearleft.runtime.store import atomic_write, write_text
from bearleft.web.database.models import Answer, Attempt, Event, Project, Unit, Worker
from bearleft.web.decisions import is_rejected
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.touchdown.clicks import Click, parse_click
from bearleft.web.tasks.touchdown.pipeline import (
    PROPAGATION,
    QUALIFICATION,
    SEGMENTATION,
    VALIDATION,
    VALIDATORS,
    WRITING,
)
from bearleft.web.tasks.touchdown.validation import ATTEMPTS
from bearleft.world.graphs.graph import Graph
from bearleft.world.targets import viewing_places

FAMILY = "touchdown"
TASKS = {
    "Instruction Writing": WRITING,
    "Target Propagation": PROPAGATION,
    "Validation": VALIDATION,
    "Instruction Segmentation": SEGMENTATION,
    "Qualification": QUALIFICATION,
}
# Section 5 of the paper.
FIRST, SECOND, EITHER = "found by the first worker, %", "found by the second worker, %", "validated, %"
ONE_CLICK, LAST_CLICK = "searches that took one click, %", "searches that took the fifth click, %"
PAPER_VALIDATION = {FIRST: 80.1, SECOND: 9.0, EITHER: 89.1}
PAPER_CLICKS = {ONE_CLICK: 64.0, LAST_CLICK: 1.4}
MEAN, VOCABULARY = "tokens per text, mean", "vocabulary"
PAPER_TEXTS = {
    "TOUCHDOWN": {MEAN: TABLE_2["TOUCHDOWN"][2]},
    "Navigation": {MEAN: TABLE_2["Navigation"][2]},
    "SDR": {MEAN: SECTION_5[SDR_LENGTH]},
}


@dataclass(frozen=True)
class Search:
    """One person's search for the bear of a text.

    Attributes:
        worker: The person's pseudonym.
        found: Whether the bear was found.
        attempts: How many clicks were made.
        seconds: How long it took.
        trace: The stored trace.
    """

    worker: str
    found: bool
    attempts: int
    seconds: float
    trace: Trace


@dataclass(frozen=True)
class CollectedText:
    """A text, with what became of it.

    Attributes:
        id: Number of the writing unit, which is the route_id.
        writer: The writer's pseudonym.
        world: The world.
        route: The prescribed route.
        start_heading: Where the writer looked at first.
        text: The text.
        bear: Where the bear was placed.
        seconds: How long the writing took.
        failures: How often the writer gave up placing the bear before it was placed.
        propagated: Of each neighbouring panorama, where the bear is seen; None where it is hidden.
        searches: The searches, in order.
        parts: The words that tell the way, and those that tell where the bear is; None before the segmentation.
    """

    id: int
    writer: str
    world: str
    route: tuple[str, ...]
    start_heading: float
    text: str
    bear: Click
    seconds: float
    failures: int
    propagated: Mapping[str, Direction | None]
    searches: tuple[Search, ...]
    parts: tuple[str, str] | None

    @property
    def validated(self) -> bool:
        """Return whether somebody has found the bear."""
        return any(search.found for search in self.searches)

    @property
    def discarded(self) -> bool:
        """Return whether nobody has found the bear, and nobody else will try."""
        return len(self.searches) >= VALIDATORS and not self.validated


def collected_texts(session: Session, project: Project) -> list[CollectedText]:
    """Return the texts of a project in the order of their units, finished or not, but none that was given up."""
    if project.family != FAMILY:
        raise InputError("a project of Touchdown", f"{format_value(project.name)}, one of {project.family}", "project")
    by_parent = {kind: _by_parent(_answers(session, project, kind)) for kind in (PROPAGATION, VALIDATION, SEGMENTATION)}
    failures = _failures(session, project)
    texts = []
    for answer, unit, attempt, pseudonym in sorted(_answers(session, project, WRITING), key=lambda row: row[1].id):
        if not answer.accepted:
            continue
        data = answer.data
        texts.append(
            CollectedText(
                unit.id,
                pseudonym,
                data["world"],
                tuple(data["route"]),
                data["start_heading"],
                data["text"],
                parse_click(data["bear"]),
                _seconds(answer, attempt),
                failures.get(attempt.id, 0),
                {row[0].data["place"]: _direction(row[0].data["bear"]) for row in by_parent[PROPAGATION](unit.id)},
                tuple(_search(*row) for row in by_parent[VALIDATION](unit.id)),
                next((_parts(row[0]) for row in by_parent[SEGMENTATION](unit.id)), None),
            )
        )
    return texts


AnswerRow = tuple[Answer, Unit, Attempt, str]


def _answers(session: Session, project: Project, kind: str) -> Iterator[AnswerRow]:
    """Yield the answers of a kind of units with their units, attempts and pseudonyms, in the order of submission."""
    query = (
        select(Answer, Unit, Attempt, Worker.pseudonym)
        .join(Unit, Unit.id == Answer.unit_id)
        .join(Attempt, Attempt.id == Answer.attempt_id)
        .join(Worker, Worker.id == Answer.worker_id)
        .where(Unit.project_id == project.id, Unit.kind == kind, ~is_rejected())
        .order_by(Answer.id)
    )
    yield from session.execute(query)


def _by_parent(rows: Iterator[AnswerRow]) -> Callable[[int], list[AnswerRow]]:
    table: dict[int | None, list[AnswerRow]] = {}
    for row in rows:
        table.setdefault(row[1].parent_id, []).append(row)
    return lambda parent: table.get(parent, [])


def _failures(session: Session, project: Project) -> dict[str, int]:
    """Return by attempt how often a writer said that the bear cannot be placed."""
    query = (
        select(Event.attempt_id, func.count(Event.id))
        .join(Attempt, Attempt.id == Event.attempt_id)
        .join(Unit, Unit.id == Attempt.unit_id)
        .where(Unit.project_id == project.id, Unit.kind == WRITING, Event.kind == "cannot-place")
        .group_by(Event.attempt_id)
    )
    return dict(session.execute(query).all())


def _search(answer: Answer, _unit: Unit, attempt: Attempt, pseudonym: str) -> Search:
    trace = Trace.from_json(answer.data["trace"])
    return Search(pseudonym, answer.data["found"], answer.data["attempts"], _seconds(answer, attempt), trace)


def _seconds(answer: Answer, attempt: Attempt) -> float:
    return max((answer.created - attempt.started).total_seconds(), 0.0)


def _direction(bear: Mapping[str, Any] | None) -> Direction | None:
    return None if bear is None else Direction(bear["heading"], bear["pitch"])


def _parts(answer: Answer) -> tuple[str, str]:
    return answer.data["navigation_text"], answer.data["td_location_text"]


def row_of(text: CollectedText, graph: Graph) -> Json:
    """Return the line of a text in the paper's format; texts on generated streets have the field `city`."""
    way, description = text.parts or ("", "")
    route = [graph.place_index(place) for place in text.route]
    before, goal, ahead = viewing_places(graph, route)
    link = graph.find_link(before, goal)
    assert link is not None
    row: dict[str, Json] = {
        "route_id": text.id,
        "navigation_text": way,
        "td_location_text": description,
        "full_text": text.text,
        "elapsed": _elapsed(text.seconds),
        "failure_stats": text.failures,
        "num_finished": len(text.searches),
        "route_panoids": list(text.route),
        "start_heading": text.start_heading,
        "end_heading": float(graph.heading[link]),
        "follower_stats": [
            {
                "follower_elapsed": _elapsed(search.seconds),
                "num_attempts": str(search.attempts),
                "follower_success": "yes" if search.found else "no",
                "worker": search.worker,
            }
            for search in text.searches
        ],
        "writer": text.writer,
        **_main_view(text.bear),
    }
    if text.world != WORLD:
        row["city"] = text.world
    seen = {**text.propagated, text.route[-1]: text.bear.direction}
    for view, index in (("main", goal), ("pre", before), ("post", ahead)):
        if index >= 0:
            place = graph.ids[index]
            row[f"{view}_pano"] = place
            row[f"{view}_static_center"] = _center(seen.get(place), float(graph.yaw[index]))
    return order_fields(row, FIELDS)


def _main_view(bear: Click) -> dict[str, Json]:
    """Return the view in which the bear was placed, and where it is in that view."""
    view = bear.view
    x, y = (float(value) for value in view.pixel(bear.direction.heading, bear.direction.pitch))
    return {
        "main_heading": str(view.look.heading),
        "main_pitch": str(view.look.pitch),
        "main_center": json.dumps({"x": x / view.width, "y": y / view.height}, separators=(",", ":")),
        "main_original_width": str(view.width),
        "main_original_height": str(view.height),
    }


def _center(direction: Direction | None, yaw: float) -> str:
    if direction is None:
        return HIDDEN
    x, y = ratio_of(direction, yaw)
    return json.dumps({"x": x, "y": y}, separators=(",", ":"))


def _elapsed(seconds: float) -> str:
    minute, second = divmod(round(seconds), 60)
    return json.dumps({"minute": minute, "second": second}, separators=(",", ":"))


def export(session: Session, project: Project, worlds: SceneWorlds, folder: Path) -> list[dict[str, Any]]:
    """Write what a project has collected; `folder` can then be given as --data.

    Args:
        session: A session of the database.
        project: The project.
        worlds: The worlds of the server.
        folder: The folder to write.

    Returns:
        A row for each file: its path and the number of records.

    Raises:
        InputError: The project is of another family, or no text has gone through all tasks yet.
    """
    finished = [text for text in collected_texts(session, project) if text.validated and text.parts]
    if not finished:
        raise InputError("a project with texts that were validated and segmented", f"none in {project.name}", "project")
    written: list[dict[str, Any]] = []
    episodes: list[Episode] = []
    traces: list[list[Trace]] = [[] for _ in range(VALIDATORS)]
    for family in (FAMILY, f"city/{FAMILY}"):
        texts = [text for text in finished if (text.world != WORLD) == (family != FAMILY)]
        if not texts:
            continue
        path = folder / family / f"{project.name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as stream:
            write_lines(stream, (row_of(text, worlds.graph(text.world)) for text in texts))
        written.append({"file": str(path), "records": len(texts)})
        read = partial(read_complete, has_city_field=family != FAMILY)
        dataset = Dataset(f"{family}-complete/{project.name}", read, path, worlds.data)  # type: ignore[arg-type]
        for episode, text in zip(dataset, texts, strict=True):
            episodes.append(_with_all_views(episode, text, worlds.graph(text.world)))
            for number, search in enumerate(text.searches[:VALIDATORS]):
                trace = replace(search.trace, episode=episode.id, dataset=dataset.name, sha256=dataset.sha256)
                traces[number].append(trace)
    path = folder / f"{project.name}.jsonl"
    write("jsonl", episodes, path)
    written.append({"file": str(path), "records": len(episodes)})
    for number, rows in enumerate(traces, 1):
        if rows:
            path = folder / f"{project.name}-traces-{number}.jsonl"
            write_text(path, "".join(f"{to_json_line(trace)}\n" for trace in rows))
            written.append({"file": str(path), "records": len(rows)})
    return written


def _with_all_views(episode: Episode, text: CollectedText, graph: Graph) -> Episode:
    """Return an episode with the target as annotated in further panoramas than the paper's format holds."""
    walk, find = episode.legs
    assert isinstance(walk.goal, Reach)
    assert isinstance(find.goal, Point)
    known = {find.goal.place, *(point.place for point in find.goal.propagated)}
    further = tuple(
        Point(direction, place, float(graph.yaw[graph.place_index(place)]))
        for place, direction in text.propagated.items()
        if direction is not None and place not in known
    )
    goal = replace(find.goal, propagated=(*find.goal.propagated, *further))
    return replace(episode, legs=(walk, Leg(find.text, goal)))


def statistics(session: Session, project: Project) -> list[Row]:
    """Return the statistics of a collection that the paper prints: Tables 1 and 2, and section 5."""
    texts = collected_texts(session, project)
    name = project.name
    rows = []
    for task, kind in TASKS.items():
        paper = {"workers": TABLE_1.get(task)}
        rows += comparison_rows("Table 1", f"{name}, {task}", paper, _workers(session, project, kind))
    finished = [text for text in texts if text.validated or text.discarded]
    counts = {
        "texts": len(texts),
        "validated texts": sum(text.validated for text in texts),
        "discarded texts": sum(text.discarded for text in texts),
        "segmented texts": sum(text.parts is not None for text in texts),
        "texts under way": len(texts) - len(finished),
    }
    rows += comparison_rows("section 5", name, {}, counts)
    if finished:
        shares = {
            FIRST: _percent([text.searches[0].found for text in finished]),
            SECOND: _percent([not text.searches[0].found and text.validated for text in finished]),
            EITHER: _percent([text.validated for text in finished]),
        }
        rows += comparison_rows("section 5", name, PAPER_VALIDATION, shares, "of texts whose validation has ended")
    searches = [search for text in texts for search in text.searches]
    if searches:
        clicks = {
            ONE_CLICK: _percent([search.found and search.attempts == 1 for search in searches]),
            LAST_CLICK: _percent([search.found and search.attempts == ATTEMPTS for search in searches]),
            "clicks per search, mean": _mean([search.attempts for search in searches]),
        }
        rows += comparison_rows("section 5", name, PAPER_CLICKS, clicks, "of all searches")
    return rows + _text_rows(name, [text for text in texts if text.validated and text.parts])


def _workers(session: Session, project: Project, kind: str) -> dict[str, float]:
    """Return how many workers have answered units of a kind, and how many answers there are."""
    query = (
        select(func.count(distinct(Answer.worker_id)), func.count(Answer.id))
        .join(Unit, Unit.id == Answer.unit_id)
        .where(Unit.project_id == project.id, Unit.kind == kind)
    )
    workers, answers = session.execute(query).one()
    return {"workers": workers, "answers": answers}


def _text_rows(name: str, texts: Sequence[CollectedText]) -> list[Row]:
    """Return lengths, vocabulary and overlap of the texts that went through all tasks."""
    if not texts:
        return []
    parts: dict[str, list[list[str]]] = {
        "TOUCHDOWN": [tokens(text.text) for text in texts],
        "Navigation": [tokens(text.parts[0]) for text in texts if text.parts],
        "SDR": [tokens(text.parts[1]) for text in texts if text.parts],
    }
    rows = []
    for part, lists in parts.items():
        measured = {MEAN: _mean([len(words) for words in lists]), VOCABULARY: len(set().union(*lists))}
        rows += comparison_rows("Table 2", f"{name}, {part}", PAPER_TEXTS[part], measured)
    overlaps = [
        len(way) + len(bear) - len(full)
        for full, way, bear in zip(parts["TOUCHDOWN"], parts["Navigation"], parts["SDR"], strict=True)
    ]
    measured = {
        OVERLAP: _mean([max(overlap, 0) for overlap in overlaps]),
        PANORAMAS: _mean([len(text.route) for text in texts]),
        "neighbouring panoramas that show the bear, mean": _mean(
            [sum(direction is not None for direction in text.propagated.values()) for text in texts]
        ),
    }
    return [*rows, *comparison_rows("section 5", name, SECTION_5, measured)]


def _percent(flags: Sequence[bool]) -> float:
    return 100.0 * sum(flags) / len(flags)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
