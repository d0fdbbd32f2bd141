"""Collected texts of Refer360: the paper's file, our episodes and traces, and the paper's statistics.

`export` writes a folder of data: `city/refer360/PROJECT.json` in the paper's format, `PROJECT.jsonl` with the same
episodes in ours, `PROJECT-unverified.jsonl` with texts whose target nobody has found, and `PROJECT-traces-1.jsonl`,
`-2`, ... with the traces of the first, second, ... person who looked for each target. `PROJECT-last-1.jsonl` and
`-2.jsonl` hold the traces of the ablation. `bearleft score FOLDER/PROJECT-traces-1.jsonl --data FOLDER` scores them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from bearleft.data import open_dataset, write
from bearleft.data.loaders.refer360 import UP, WORLD, to_radians
from bearleft.errors import InputError, format_value
from bearleft.experiments.refer360.tables import (
    ANNOTATORS,
    COLLECTED,
    COLUMNS_4,
    TABLE_4,
    TABLE_7,
    TABLE_10,
    VERIFIED,
    paper_rows,
)
from bearleft.experiments.rows import Row
from bearleft.metrics.milestones import NEXT
from bearleft.records import Direction, Episode, Leg, Point, Pose, Trace, to_json_line
from bearleft.runtime.store import write_text
from bearleft.web.database.models import Answer, Attempt, Event, Project, Unit, Worker
from bearleft.web.decisions import is_rejected
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.refer360.ablation import ABLATION, ROWS, table_7
from bearleft.web.tasks.refer360.description import COLLECTED as COLLECTED_DATASET
from bearleft.web.tasks.refer360.description import DESCRIPTION, FINDING, HIRING_DESCRIPTION
from bearleft.web.tasks.refer360.finding import PERSON
from bearleft.world.rooms.shell import category
from bearleft.world.worlds import is_world_of, open_world, world_kind

RANDOM_TARGET, NOT_RATED = "R", ""

LonLat = list[float]


@dataclass(frozen=True)
class Finding:
    """One person's search for a target.

    Attributes:
        id: Number of the answer.
        annotator: The person's pseudonym.
        trace: The stored trace.
        found: Whether it ended within 11 degrees of the target.
        degrees: The distance from the target.
        views: Longitude and latitude of the views of each sentence; the last one is the view at its end.
    """

    id: int
    annotator: str
    trace: Trace
    found: bool
    degrees: float
    views: tuple[tuple[LonLat, ...], ...]


@dataclass(frozen=True)
class CollectedText:
    """A text with the searches that followed it, in order.

    Attributes:
        id: Number of the description's unit, which is the episode's id.
        annotator: The writer's pseudonym.
        world: The world.
        place: The place.
        target: Where the bear was.
        sentences: The text.
        findings: The searches.
    """

    id: int
    annotator: str
    world: str
    place: str
    target: Direction
    sentences: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def verified(self) -> bool:
        """Whether at least one person has found the target."""
        return any(finding.found for finding in self.findings)


def collected_texts(session: Session, project: Project) -> list[CollectedText]:
    """Return the texts of stage II in order, with all searches for their targets."""
    _check_family(project)
    events: dict[str, list[Event]] = {}
    of_findings = select(Event).join(Attempt, Attempt.id == Event.attempt_id).join(Unit, Unit.id == Attempt.unit_id)
    of_findings = of_findings.where(Unit.project_id == project.id, Unit.kind == FINDING).order_by(Event.number)
    for event in session.scalars(of_findings):
        events.setdefault(event.attempt_id, []).append(event)
    findings: dict[int, list[Finding]] = {}
    for answer, unit, pseudonym in _answers(session, project, FINDING):
        if unit.parent_id is not None:
            finding = _finding(answer, events.get(answer.attempt_id, []), pseudonym)
            findings.setdefault(unit.parent_id, []).append(finding)
    return [
        CollectedText(
            unit.id,
            pseudonym,
            unit.payload["world"],
            unit.payload["place"],
            Direction(*unit.payload["target"]),
            tuple(answer.data["sentences"]),
            tuple(findings.get(unit.id, ())),
        )
        for answer, unit, pseudonym in _answers(session, project, DESCRIPTION)
    ]


def _check_family(project: Project) -> None:
    if project.family != "refer360":
        raise InputError("a project of Refer360", f"{format_value(project.name)}, one of {project.family}", "project")


def _answers(session: Session, project: Project, *kinds: str) -> Iterator[tuple[Answer, Unit, str]]:
    """Yield the answers of kinds of units with their units and pseudonyms, in the order of submission.

    Rejected ones are left out, but for those of stage I: they were collected, and their writers declined.
    """
    query = (
        select(Answer, Unit, Worker.pseudonym)
        .join(Unit, Unit.id == Answer.unit_id)
        .join(Worker, Worker.id == Answer.worker_id)
        .where(Unit.project_id == project.id, Unit.kind.in_(kinds))
        .where(~is_rejected() | (Unit.kind == HIRING_DESCRIPTION))
        .order_by(Answer.id)
    )
    yield from session.execute(query)


def _finding(answer: Answer, events: Sequence[Event], pseudonym: str) -> Finding:
    data = answer.data
    views: list[tuple[LonLat, ...]] = []
    looks: list[LonLat] = []
    for event in events:
        looks.append(_lon_lat(Direction(event.data["heading"], event.data["pitch"])))
        if event.kind == NEXT:
            views.append(tuple(looks))
            looks = []
    looks.append(_lon_lat(Direction(data["view"]["heading"], data["view"]["pitch"])))
    trace = Trace.from_json(data["trace"])
    return Finding(answer.id, pseudonym, trace, data["found"], data["degrees"], (*views, tuple(looks)))


def _lon_lat(direction: Direction) -> LonLat:
    """Return longitude from -180 to 180 and latitude."""
    return [direction.heading - 360.0 if direction.heading > 180.0 else direction.heading, direction.pitch]


def dataset_name(project: Project, texts: Sequence[CollectedText]) -> str:
    """Return the name under which the texts of a project are loaded."""
    family = "refer360" if {text.world for text in texts} == {WORLD} else "city/refer360"
    return f"{family}/{project.name}"


def episodes(session: Session, project: Project, verified: bool = True) -> list[Episode]:
    """Return the collected texts as episodes, as the loader reads them from the paper's file.

    Args:
        session: A session.
        project: A project of Refer360.
        verified: Whether to return texts whose target somebody has found, or the others.
    """
    return _episodes(collected_texts(session, project), project, verified)


def _episodes(texts: Sequence[CollectedText], project: Project, verified: bool) -> list[Episode]:
    name = dataset_name(project, texts)
    return [_episode(text, name) for text in texts if text.verified == verified]


def _episode(text: CollectedText, dataset: str) -> Episode:
    # Whoever found the target comes first: the first follower's views are the milestones.
    followers = sorted(text.findings, key=lambda finding: not finding.found)
    longitude, latitude = _lon_lat(text.target)
    radians = to_radians(longitude, latitude)
    extra: dict[str, Any] = {
        "actions": [_follower(finding, text.id) for finding in followers],
        "ann_cat": RANDOM_TARGET,
        "xlng_deg": longitude,
        "xlng_rad": radians[0],
        "ylat_deg": latitude,
        "ylat_rad": radians[1],
        **_scene_fields(text.world, text.place),
        "annotator": text.annotator,
        "verified": text.verified,
    }
    views = tuple(Direction(*sentence[-1]) for sentence in followers[0].views) if followers else ()
    leg = Leg(" ".join(text.sentences), Point(Direction(longitude, latitude), text.place, 0.0, views), text.sentences)
    return Episode(str(text.id), dataset, text.world, Pose(UP, text.place), (leg,), extra)


def _follower(finding: Finding, text_id: int) -> dict[str, Any]:
    answer = finding.trace.legs[0].answer
    assert isinstance(answer, Direction)
    longitude, latitude = _lon_lat(answer)
    radians = to_radians(longitude, latitude)
    return {
        "pred_xlng_rad": radians[0],
        "pred_xlng_deg": longitude,
        "pred_ylat_rad": radians[1],
        "pred_ylat_deg": latitude,
        "annotationid": text_id,
        "act_deg_list": [[list(view) for view in sentence] for sentence in finding.views],
        "act_rad_list": [[to_radians(*view) for view in sentence] for sentence in finding.views],
        "actionid": finding.id,
        "ann_clr": NOT_RATED,
        "ann_cat": NOT_RATED,
        "annotator": finding.annotator,
        "verified": finding.found,
    }


@cache
def _scene_fields(world: str, place: str) -> dict[str, str]:
    """Return the kind of a scene, as the paper's file has it, where it is known."""
    if world_kind(world).photographed:
        return {}
    if is_world_of("rooms", world):
        return {"img_cat": category(open_world(world).place_index(place)), "img_loc": "indoor"}
    return {"img_cat": "street", "img_loc": "outdoor"}


def traces(session: Session, project: Project, number: int = 0) -> list[Trace]:
    """Return the traces of the people who looked for each verified target as the `number`-th, counted from 0."""
    return _traces(collected_texts(session, project), project, number)


def _traces(texts: Sequence[CollectedText], project: Project, number: int) -> list[Trace]:
    name = dataset_name(project, texts)
    return [
        replace(text.findings[number].trace, episode=str(text.id), dataset=name)
        for text in texts
        if text.verified and number < len(text.findings)
    ]


def ablation_traces(session: Session, project: Project, last: int, name: str) -> list[Trace]:
    """Return the traces of people who read only the last sentences; the first one of each text.

    Args:
        session: A session.
        project: A project of Refer360.
        last: How many sentences they read.
        name: The dataset that the project's own texts are in.
    """
    by_text: dict[tuple[str, str], Trace] = {}
    for answer, unit, _ in _answers(session, project, ABLATION):
        if unit.payload["last"] == last:
            trace = replace(Trace.from_json(answer.data["trace"]), agent=f"{PERSON}[last={last}]")
            own = trace.dataset == COLLECTED_DATASET
            by_text.setdefault((trace.dataset, trace.episode), replace(trace, dataset=name) if own else trace)
    return list(by_text.values())


def export(session: Session, project: Project, _worlds: SceneWorlds, folder: Path) -> list[dict[str, Any]]:
    """Write what a project has collected; `folder` can then be given as --data.

    Args:
        session: A session of the database.
        project: The project.
        _worlds: The worlds of the server, which the files do not need.
        folder: The folder to write.

    Returns:
        A row for each file: its path and the number of records.

    Raises:
        InputError: The project is of another family, or has collected nothing yet.
    """
    written: list[dict[str, Any]] = []
    texts = collected_texts(session, project)
    name, sha256 = dataset_name(project, texts), ""
    verified = _episodes(texts, project, verified=True)
    if verified:
        path = folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(name.rpartition("/")[0], verified, path)
        written.append({"file": str(path), "records": len(verified)})
        sha256 = open_dataset(name, folder).sha256
    records: dict[str, Sequence[Episode | Trace]] = {
        "": verified,
        "-unverified": _episodes(texts, project, verified=False),
    }
    for number in range(max((len(episode.extra["actions"]) for episode in verified), default=0)):
        of_round = _traces(texts, project, number)
        records[f"-traces-{number + 1}"] = [replace(trace, sha256=sha256) for trace in of_round]
    for last in (last for last in ROWS if last):
        given = ablation_traces(session, project, last, name)
        records[f"-last-{last}"] = [replace(t, sha256=sha256) if t.dataset == name else t for t in given]
    for suffix, lines in records.items():
        if lines:
            path = folder / f"{project.name}{suffix}.jsonl"
            write_text(path, "".join(f"{to_json_line(line)}\n" for line in lines))
            written.append({"file": str(path), "records": len(lines)})
    if not written:
        raise InputError("a project that has collected texts", f"none in {project.name}", "project")
    return written


def statistics(session: Session, project: Project) -> list[Row]:
    """Return the paper's statistics of a collection: Tables 4, 7 and 10, and sentences per text."""
    texts = collected_texts(session, project)
    verified = [text for text in texts if text.verified]
    rows = _stage_rows(session, project, texts)
    for name, chosen in (("collected", texts), ("verified", verified)):
        if chosen:
            measured = dict(zip(COLUMNS_4, _language(chosen), strict=True))
            paper = dict(zip(COLUMNS_4, TABLE_4["Refer360, all splits"], strict=True)) if name == "verified" else {}
            rows += paper_rows("4", f"{project.name}, {name}", paper, measured, "tokens split at spaces")
            per_text = sum(len(text.sentences) for text in chosen) / len(chosen)
            rows += paper_rows("section 4.1", f"{project.name}, {name}", {}, {"sentences per text": per_text})
    return rows + _ablation_rows(session, project)


def _language(texts: Sequence[CollectedText]) -> tuple[float, int, int]:
    words = [" ".join(text.sentences).split(" ") for text in texts]
    return sum(map(len, words)) / len(words), len(set(chain.from_iterable(words))), len(words)


def _stage_rows(session: Session, project: Project, texts: Sequence[CollectedText]) -> list[Row]:
    """Return Table 10: people, texts and verified texts of each stage."""
    hiring = list(_answers(session, project, HIRING_DESCRIPTION))
    first = [text for text in texts if text.findings and text.findings[0].found]
    later = [finding.annotator for text in texts for finding in text.findings[1:]]
    people = {text.annotator for text in texts} | {text.findings[0].annotator for text in texts if text.findings}
    ours: list[dict[str, float]] = [
        {ANNOTATORS: len({pseudonym for _, _, pseudonym in hiring}), COLLECTED: len(hiring)},
        {ANNOTATORS: len(people), COLLECTED: len(texts), VERIFIED: len(first)},
        {ANNOTATORS: len(set(later)), VERIFIED: sum(text.verified for text in texts) - len(first)},
    ]
    stages = zip(TABLE_10.items(), ours, strict=True)
    return [row for (stage, paper), of_stage in stages for row in paper_rows("10", stage, paper, of_stage)]


def _ablation_rows(session: Session, project: Project) -> list[Row]:
    """Return Table 7: people who read the last sentence, the last two, or all, each of them the first time.

    Who has read a text before does not count.
    """
    seen: set[tuple[int, str, str]] = set()
    given: list[tuple[int | None, float, bool]] = []
    again = 0
    for answer, unit, _ in _answers(session, project, FINDING, ABLATION):
        text = (answer.worker_id, unit.payload["dataset"], unit.payload["episode"])
        earlier = select(func.count(Answer.id)).where(Answer.unit_id == unit.id, Answer.id < answer.id)
        if unit.kind == FINDING and session.scalar(earlier):
            seen.add(text)  # of stage III: these texts are harder than others
            continue
        if text in seen:
            again += 1
            continue
        seen.add(text)
        given.append((unit.payload.get("last"), answer.data["degrees"], answer.data["found"]))
    measured = {row["Instructions"]: row for row in table_7(given)}
    rows: list[Row] = []
    for name in ROWS.values():
        if name in measured:
            row = measured[name]
            remark = f"{row['answers']} answers" + (f"; {again} by people who knew the text not counted" * bool(again))
            rows += paper_rows("7", name, TABLE_7[name], {metric: row[metric] for metric in TABLE_7[name]}, remark)
    return rows
