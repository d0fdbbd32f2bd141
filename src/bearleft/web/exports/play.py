"""Traces of people who played, one file for each dataset; `bearleft score` and `bearleft report` read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.records import to_json_line
from bearleft.runtime.store import write_text
from bearleft.web.database.models import Answer, Attempt, Project, Unit, Worker
from bearleft.web.decisions import is_rejected
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.play import named, trace_from


def export(session: Session, project: Project, _worlds: SceneWorlds, folder: Path) -> list[dict[str, Any]]:
    """Write a file of traces for each person: the first trace of each episode.

    Args:
        session: A session of the database.
        project: The project.
        _worlds: The worlds of the server, which traces do not need.
        folder: The folder to write.

    Returns:
        A row for each file: its path, the pseudonym, and the number of traces.
    """
    rows = session.execute(
        select(Answer, Worker.pseudonym)
        .join(Unit, Unit.id == Answer.unit_id)
        .join(Attempt, Attempt.id == Answer.attempt_id)
        .join(Worker, Worker.id == Answer.worker_id)
        .where(Unit.project_id == project.id, Attempt.round == 0, ~is_rejected())
        .order_by(Answer.id)
    ).all()
    lines: dict[str, list[str]] = {}
    for answer, pseudonym in rows:
        lines.setdefault(pseudonym, []).append(to_json_line(named(trace_from(answer.data), pseudonym)))
    written = []
    for pseudonym, traces in lines.items():
        path = folder / f"{project.name}-{pseudonym}.jsonl"
        write_text(path, "\n".join(traces) + "\n")
        written.append({"file": str(path), "person": pseudonym, "traces": len(traces)})
    return written
