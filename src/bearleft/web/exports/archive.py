"""Archives of projects: one file from which another server makes the same project, and which programs can read.

An archive is JSON lines, compressed by gzip. The first line names the format and its version, the last one the number
of lines and their hash, so that a damaged file is noticed. In between, each line is an object with one key:

    {"project": {...}}  name, family, settings, whether it is open to all, the text to agree to, when it was created
    {"worker": {...}}   pseudonym, when the person came first
    {"unit": {...}}     kind, payload, answers wanted, writer, parent, closed, priority
    {"attempt": {...}}  unit, worker, round, state, times, slot, events, and the answer with the decisions on it

Units and workers are named by their position in the file, from 1; so are units in payloads and traces. An archive holds
pseudonyms, and neither completion codes nor tokens nor who decided. An attempt that goes on is archived as expired.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import Fields, Json, items
from bearleft.runtime.store import atomic_write
from bearleft.web.database.admins import Decision
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Answer, Attempt, Event, Project, Slot, Unit, Worker, random_id
from bearleft.web.database.values import check_json, check_text
from bearleft.web.exports import STATISTICS
from bearleft.web.people.texts import MAX_LENGTH, add_version, current_text
from bearleft.web.projects import FAMILIES, NAME, PLAY, find_project, get_project
from bearleft.web.queue.events import MAX_EVENTS
from bearleft.web.queue.slots import MAX_PRIORITY, MAX_SLOTS
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.studies import study_settings
from bearleft.web.tasks.base import REGISTERED

FORMAT, VERSION = "bearleft project", 1
SUFFIX = ".bearleft.gz"
MAX_FILE_BYTES, MAX_BYTES = 32 * 2**20, 256 * 2**20  # compressed, and in all
MAX_LINE_BYTES, MAX_LINES = 16 * 2**20, 1_000_000
STATES = ("submitted", "expired", "returned")
_CHUNK = 500  # attempts that are read at a time
NOT_AN_ARCHIVE = "Name a file that bearleft serve export --archive, or the export page of a project, has written."
# Texts that were collected have no dataset yet: their episodes are numbers of units. So are these fields of payloads.
COLLECTED = ("collected", "city/refer360/collected")
UNIT_FIELDS = ("writing",)


def write_archive(session: Session, project: Project, path: str | os.PathLike[str]) -> int:
    """Write the archive of a project, and return the number of its lines."""
    digest, count = hashlib.sha256(), 0
    # Without a time in the file, equal projects make equal files.
    with atomic_write(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as stream:
        for row in _rows(session, project):
            line = _encode(row)
            digest.update(line)
            stream.write(line)
            count += 1
        stream.write(_encode({"end": {"lines": count, "sha256": digest.hexdigest()}}))
    return count + 1


def _encode(row: dict[str, Any]) -> bytes:
    return (json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def _rows(session: Session, project: Project) -> Iterator[dict[str, Any]]:
    text = current_text(session, project)
    yield {"format": FORMAT, "version": VERSION}
    yield {
        "project": {
            "name": project.name,
            "family": project.family,
            "settings": project.settings,
            "open": project.open,
            "consent": text.text if text is not None else None,
            "created": project.created.isoformat(),
        }
    }
    units = list(session.scalars(select(Unit).where(Unit.project_id == project.id).order_by(Unit.id)))
    attempts = list(
        session.scalars(
            select(Attempt)
            .join(Unit, Unit.id == Attempt.unit_id)
            .join(Worker, Worker.id == Attempt.worker_id)
            .outerjoin(Answer, Answer.attempt_id == Attempt.id)
            .where(Unit.project_id == project.id)
            # In the order of answers, on which the exports depend; then the attempts without one.
            .order_by(Answer.id.is_(None), Answer.id, Attempt.started, Attempt.unit_id, Worker.pseudonym)
        )
    )
    ids = {one.worker_id for one in attempts} | {one.writer_id for one in units if one.writer_id is not None}
    every = session.scalars(select(Worker).order_by(Worker.created, Worker.pseudonym))
    workers = [worker for worker in every if worker.id in ids]
    for worker in workers:
        yield {"worker": {"pseudonym": worker.pseudonym, "created": worker.created.isoformat()}}
    worker_number: dict[int | None, int | None] = {None: None}
    worker_number |= {worker.id: k for k, worker in enumerate(workers, 1)}
    number: dict[int, int] = {unit.id: k for k, unit in enumerate(units, 1)}
    for unit in units:
        yield {
            "unit": {
                "kind": unit.kind,
                "payload": _renumbered(unit.payload, number),
                "answers": unit.slots,
                "writer": worker_number[unit.writer_id],
                "parent": number.get(unit.parent_id) if unit.parent_id is not None else None,
                "closed": unit.closed,
                "priority": unit.priority,
                "created": unit.created.isoformat(),
            }
        }
    slots = dict(session.execute(select(Slot.attempt_id, Slot.number).where(Slot.attempt_id.is_not(None))).all())
    for begin in range(0, len(attempts), _CHUNK):
        chunk = attempts[begin : begin + _CHUNK]
        for attempt, row in zip(chunk, _attempt_rows(session, chunk, number), strict=True):
            row["worker"], row["unit"] = worker_number[attempt.worker_id], number[attempt.unit_id]
            row["slot"] = slots.get(attempt.id) if attempt.state == "submitted" else None
            yield {"attempt": row}


def _attempt_rows(session: Session, attempts: Sequence[Attempt], number: dict[int, int]) -> Iterator[dict[str, Any]]:
    ids = [attempt.id for attempt in attempts]
    answers = {one.attempt_id: one for one in session.scalars(select(Answer).where(Answer.attempt_id.in_(ids)))}
    events: dict[str, list[Event]] = {}
    for event in session.scalars(select(Event).where(Event.attempt_id.in_(ids)).order_by(Event.number)):
        events.setdefault(event.attempt_id, []).append(event)
    decisions: dict[int, list[Decision]] = {}
    numbers = [answer.id for answer in answers.values()]
    for decision in session.scalars(select(Decision).where(Decision.answer_id.in_(numbers)).order_by(Decision.id)):
        decisions.setdefault(decision.answer_id, []).append(decision)
    for attempt in attempts:
        answer = answers.get(attempt.id)
        yield {
            "unit": 0,
            "worker": 0,
            "round": attempt.round,
            "state": "expired" if attempt.state == "active" else attempt.state,
            "started": attempt.started.isoformat(),
            "finished": attempt.finished.isoformat() if attempt.finished else None,
            "slot": None,
            "events": [
                {"kind": one.kind, "data": one.data, "result": one.result, "time": one.time.isoformat()}
                for one in events.get(attempt.id, ())
            ],
            "answer": None if answer is None else _answer_row(answer, decisions.get(answer.id, ()), number),
        }


def _answer_row(answer: Answer, decisions: Sequence[Decision], number: dict[int, int]) -> dict[str, Any]:
    return {
        "data": _renumbered(answer.data, number),
        "feedback": answer.feedback,
        "accepted": answer.accepted,
        "created": answer.created.isoformat(),
        "decisions": [
            {"accepted": one.accepted, "reason": one.reason, "created": one.created.isoformat()} for one in decisions
        ],
    }


def _renumbered(value: dict[str, Any], number: dict[int, int]) -> dict[str, Any]:
    """Return a payload or an answer with other numbers of units."""
    changed = dict(value)
    for name in UNIT_FIELDS:
        if isinstance(value.get(name), int):
            changed[name] = number.get(value[name], 0)
    for name in ("trace", ""):
        inner = value.get(name) if name else value
        if isinstance(inner, dict) and inner.get("dataset") in COLLECTED and str(inner.get("episode")).isdecimal():
            episode = {"episode": str(number.get(int(inner["episode"]), 0))}
            if name:
                changed[name] = {**inner, **episode}
            else:
                changed |= episode
    return changed


@dataclass
class _Parsed:
    """What the lines of an archive hold so far."""

    project: dict[str, Any] = field(default_factory=dict)
    consent: str | None = None
    workers: list[tuple[str, datetime]] = field(default_factory=list)
    units: list[dict[str, Any]] = field(default_factory=list)
    attempts: list[dict[str, Any]] = field(default_factory=list)


def read_archive(database: Database, path: str | os.PathLike[str], name: str = "") -> str:
    """Make a project from an archive, all of it or nothing, and return its name.

    Args:
        database: The database.
        path: The archive.
        name: A name for the project; the archive's own by default.

    Raises:
        InputError: The file is no archive, is damaged or too large, is of a newer version, or the name is taken.
    """
    try:
        parsed = _parse(Path(path))
    except InputError as error:
        raise error.at(file=Path(path).name) from error
    name = name or parsed.project["name"]
    if not NAME.fullmatch(name):
        raise InputError("a name of a project: a-z, 0-9 and -, at most 41 characters", format_value(name), "name")

    def store(session: Session) -> None:
        if find_project(session, name) is not None:
            hint = "Import it under another name."
            raise InputError("a name that no project has", format_value(name), "name", hint=hint)
        _store(session, parsed, name)

    database.transact(store)
    return name


def _parse(path: Path) -> _Parsed:
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise InputError(f"an archive of at most {MAX_FILE_BYTES // 2**20} MB", f"{size / 2**20:.1f} MB")
        with gzip.open(path, "rb") as stream:
            return _parse_lines(stream)
    except (OSError, EOFError, zlib.error) as error:
        reason = format_value(str(error))
        raise InputError(
            "an archive of a project", f"a file that cannot be read: {reason}", hint=NOT_AN_ARCHIVE
        ) from error


def _parse_lines(stream: gzip.GzipFile) -> _Parsed:
    parsed, digest, number, total = _Parsed(), hashlib.sha256(), 0, 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number, total = number + 1, total + len(line)
        if len(line) > MAX_LINE_BYTES or total > MAX_BYTES or number > MAX_LINES:
            raise InputError("an archive within the limits of size", "a larger one", line=number)
        try:
            row = _line(line)
            if number == 1:
                _check_version(row)
            elif "end" in row:
                _check_end(Fields(row).object("end"), number - 1, digest.hexdigest())
                if stream.read(1):
                    raise InputError("nothing after the last line", "more")
                return _complete(parsed)
            else:
                _parse_row(row, parsed)
        except InputError as error:
            raise error.at(line=number) from error
        digest.update(line)
    raise InputError("an archive with its last line", f"one that ends after {number} lines", hint="Copy it again.")


def _line(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InputError("a line of JSON", format_value(line[:40]), hint=NOT_AN_ARCHIVE) from error
    if not isinstance(row, dict):
        raise InputError("an object", format_value(row), hint=NOT_AN_ARCHIVE)
    return row


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _check_version(row: dict[str, Any]) -> None:
    if row.get("format") != FORMAT:
        raise InputError("an archive of a project", format_value(row), hint=NOT_AN_ARCHIVE)
    version = Fields(row).integer("version", 1)
    if version > VERSION:
        hint = "Install the version of bearleft that wrote it."
        raise InputError(f"version {VERSION} or older", str(version), "version", hint=hint)


def _check_end(fields: Fields, lines: int, sha256: str) -> None:
    if (fields["lines"], fields["sha256"]) != (lines, sha256):
        raise InputError("the lines as they were written", "others: the file is damaged", hint="Copy it again.")


def _complete(parsed: _Parsed) -> _Parsed:
    if not parsed.project:
        raise InputError("an archive with a project", "none")
    return parsed


def _parse_row(row: dict[str, Any], parsed: _Parsed) -> None:
    if len(row) != 1:
        raise InputError("an object with one key", format_value(sorted(row)))
    ((kind, _),) = row.items()
    if kind not in _PARSERS:
        raise InputError(f"one of {', '.join(_PARSERS)}", format_value(kind))
    _PARSERS[kind](Fields(row).object(kind), parsed)


def _parse_project(fields: Fields, parsed: _Parsed) -> None:
    if parsed.project:
        raise InputError("one project", "a second one")
    family = fields.text("family")
    if family not in FAMILIES:
        raise InputError(f"a family: {', '.join(FAMILIES)}", format_value(family), "family")
    if _flag(fields, "open") != (family == PLAY):
        raise InputError(f"a project of {family}", "one that is open or not, as none of these is", "open")
    settings = _object(fields, "settings")
    has_text = study_settings(family, settings).consent
    if has_text != (fields["consent"] is not None):
        raise InputError("a text to agree to, where the settings ask for that", "another", "consent")
    parsed.consent = check_text(fields.nonempty_text("consent"), "consent", MAX_LENGTH) if has_text else None
    parsed.project = {
        "name": fields.text("name"),
        "family": family,
        "settings": settings,
        "open": fields["open"],
        "created": _time(fields, "created"),
    }


def _parse_worker(fields: Fields, parsed: _Parsed) -> None:
    pseudonym = fields.text("pseudonym")
    if len(pseudonym) != 16 or not set(pseudonym) <= set("0123456789abcdef"):
        raise InputError("a pseudonym of 16 letters and digits", format_value(pseudonym), "pseudonym")
    if any(pseudonym == other for other, _ in parsed.workers[-1:]):
        raise InputError("each worker once", format_value(pseudonym), "pseudonym")
    parsed.workers.append((pseudonym, _time(fields, "created")))


def _parse_unit(fields: Fields, parsed: _Parsed) -> None:
    kind = fields.text("kind")
    if kind not in REGISTERED:
        raise InputError("a task of this version", format_value(kind), "kind")
    parsed.units.append(
        {
            "kind": kind,
            "payload": _object(fields, "payload"),
            "slots": fields.integer("answers", 1, MAX_SLOTS),
            "writer": None if fields["writer"] is None else fields.integer("writer", 1, len(parsed.workers)),
            "parent": None if fields["parent"] is None else fields.integer("parent", 1),
            "closed": _flag(fields, "closed"),
            "priority": fields.integer("priority", -MAX_PRIORITY, MAX_PRIORITY),
            "created": _time(fields, "created"),
        }
    )


def _parse_attempt(fields: Fields, parsed: _Parsed) -> None:
    state = fields.text("state")
    if state not in STATES:
        raise InputError(f"a state: {', '.join(STATES)}", format_value(state), "state")
    events = fields.items("events")
    if len(events) > MAX_EVENTS:
        raise InputError(f"at most {MAX_EVENTS:,} events", f"{len(events):,}", "events")
    answer = None if fields["answer"] is None else _parse_answer(fields.object("answer"))
    if (answer is not None) != (state == "submitted"):
        raise InputError("an answer of each attempt that was submitted, and of no other", state, "answer")
    unit = fields.integer("unit", 1, len(parsed.units))
    slot = fields["slot"]
    parsed.attempts.append(
        {
            "unit": unit,
            "worker": fields.integer("worker", 1, len(parsed.workers)),
            "round": fields.integer("round", 0, 10**6),
            "state": state,
            "started": _time(fields, "started"),
            "finished": None if fields["finished"] is None else _time(fields, "finished"),
            "slot": None if slot is None else fields.integer("slot", 0, parsed.units[unit - 1]["slots"] - 1),
            "events": [_parse_event(Fields(one, f"events[{k}]")) for k, one in enumerate(events)],
            "answer": answer,
        }
    )


def _parse_event(fields: Fields) -> dict[str, Any]:
    kind = check_text(fields.nonempty_text("kind"), "kind", 200)
    data, result = (_object(fields, name) for name in ("data", "result"))
    return {"kind": kind, "data": data, "result": result, "time": _time(fields, "time")}


def _parse_answer(fields: Fields) -> dict[str, Any]:
    decisions = [Fields(one, "decisions") for one in items(fields["decisions"], "decisions")]
    return {
        "data": _object(fields, "data"),
        "feedback": _object(fields, "feedback"),
        "accepted": _flag(fields, "accepted"),
        "created": _time(fields, "created"),
        "decisions": [
            {
                "accepted": _flag(one, "accepted"),
                "reason": check_text(one.text("reason"), "reason", 1000),
                "created": _time(one, "created"),
            }
            for one in decisions
        ],
    }


def _object(fields: Fields, name: str) -> dict[str, Any]:
    value: dict[str, Any] = check_json(fields.object(name).value, fields.name(name))
    return value


def _flag(fields: Fields, name: str) -> bool:
    if not isinstance(fields[name], bool):
        raise InputError("true or false", format_value(fields[name]), fields.name(name))
    return bool(fields[name])


def _time(fields: Fields, name: str) -> datetime:
    try:
        time = datetime.fromisoformat(fields.text(name))
    except ValueError:
        time = None
    if time is None or time.tzinfo is None or not 1970 < time.year < 9000:
        raise InputError("a time with its zone, such as 2026-05-04T10:00:00+00:00", format_value(fields[name]), name)
    return time


_PARSERS: dict[str, Callable[[Fields, _Parsed], None]] = {
    "project": _parse_project,
    "worker": _parse_worker,
    "unit": _parse_unit,
    "attempt": _parse_attempt,
}


def _store(session: Session, parsed: _Parsed, name: str) -> None:
    project = Project(**{**parsed.project, "name": name})
    session.add(project)
    session.flush()
    if parsed.consent is not None:
        add_version(session, project, parsed.consent)
    workers = [_worker(session, pseudonym, created) for pseudonym, created in parsed.workers]
    if len(set(workers)) < len(workers):
        raise InputError("each worker once", "one of them twice", "pseudonym")
    units = []
    for row in parsed.units:
        writer = None if row["writer"] is None else workers[row["writer"] - 1]
        fields = {key: row[key] for key in ("kind", "payload", "slots", "closed", "priority", "created")}
        units.append(Unit(project_id=project.id, writer_id=writer, **fields))
    for unit in units:  # one by one, so that their numbers are in the order of the file
        session.add(unit)
        session.flush()
    number = {k: unit.id for k, unit in enumerate(units, 1)}
    for k, (unit, row) in enumerate(zip(units, parsed.units, strict=True), 1):
        if row["parent"] is not None:
            if row["parent"] not in number or row["parent"] == k:
                raise InputError("a parent in the file", str(row["parent"]), "parent")
            unit.parent_id = number[row["parent"]]
        unit.payload = _renumbered(row["payload"], number)
    session.flush()
    held = _store_attempts(session, parsed, units, workers, number)
    if not project.open:
        rows = [
            {"unit_id": unit.id, "number": k, "attempt_id": held.get((unit.id, k)), "done": (unit.id, k) in held}
            for unit in units
            for k in range(unit.slots)
        ]
        session.execute(insert(Slot), rows)
    session.flush()
    try:
        if project.family in STATISTICS:
            STATISTICS[project.family](session, project, SceneWorlds())
    except InputError:
        pass  # such as a project that has collected nothing yet
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise InputError("answers as the tasks of this version store them", "others", "answer") from error


def _worker(session: Session, pseudonym: str, created: datetime) -> int:
    """Return a worker by the pseudonym; one that is known here is the same person."""
    worker = session.scalars(select(Worker).where(Worker.pseudonym == pseudonym)).one_or_none()
    if worker is None:
        worker = Worker(pseudonym=pseudonym, created=created)
        session.add(worker)
        session.flush()
    return worker.id


def _store_attempts(
    session: Session, parsed: _Parsed, units: list[Unit], workers: list[int], number: dict[int, int]
) -> dict[tuple[int, int], str]:
    """Store attempts with their events and answers, and return which attempt holds which slot of a unit."""
    held: dict[tuple[int, int], str] = {}
    seen: set[tuple[int, int, int]] = set()
    for row in parsed.attempts:
        unit, worker = units[row["unit"] - 1], workers[row["worker"] - 1]
        if (unit.id, worker, row["round"]) in seen:
            raise InputError("one attempt of a worker at a unit in each round", "two", "attempt")
        seen.add((unit.id, worker, row["round"]))
        fields = {key: row[key] for key in ("round", "state", "started", "finished")}
        attempt = Attempt(
            unit_id=unit.id, worker_id=worker, id=random_id(), expires=row["finished"] or row["started"], **fields
        )
        session.add(attempt)
        session.flush()
        if row["slot"] is not None:
            if (unit.id, row["slot"]) in held or row["state"] != "submitted":
                raise InputError("one answer in each slot", "another", "slot")
            held[unit.id, row["slot"]] = attempt.id
        events = [{"attempt_id": attempt.id, "number": k, **event} for k, event in enumerate(row["events"])]
        if events:
            session.execute(insert(Event), events)
        if row["answer"] is not None:
            _store_answer(session, attempt, row["answer"], number)
    return held


def _store_answer(session: Session, attempt: Attempt, row: dict[str, Any], number: dict[int, int]) -> None:
    answer = Answer(
        attempt_id=attempt.id,
        unit_id=attempt.unit_id,
        worker_id=attempt.worker_id,
        key=random_id(),
        data=_renumbered(row["data"], number),
        feedback=row["feedback"],
        accepted=row["accepted"],
        created=row["created"],
    )
    session.add(answer)
    session.flush()
    for decision in row["decisions"]:
        session.add(Decision(answer_id=answer.id, who="import", **decision))
        session.flush()


def archive_project(url: str, name: str, path: str | os.PathLike[str]) -> list[dict[str, Json]]:
    """Write the archive of a project of a database, and return a row for the file.

    Raises:
        InputError: There is no such project, or the file cannot be written.
    """
    database = open_database(url)
    try:
        with database.read() as session:
            count = write_archive(session, get_project(session, name), path)
    finally:
        database.close()
    return [{"file": str(path), "lines": count}]


def import_project(url: str, path: str | os.PathLike[str], name: str = "") -> list[dict[str, Json]]:
    """Make a project from an archive in a database, and return a row for it.

    Raises:
        InputError: The file is no archive, is damaged or too large, is of a newer version, or the name is taken.
    """
    database = open_database(url)
    try:
        made = read_archive(database, path, name)
        with database.read() as session:
            project = get_project(session, made)
            units = len(list(session.scalars(select(Unit.id).where(Unit.project_id == project.id))))
    finally:
        database.close()
    return [{"project": made, "units": units}]
