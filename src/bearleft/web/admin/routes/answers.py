"""Answers: the list with filters, the page of one with its replay, and decisions on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, Response

from bearleft.errors import InputError, format_value
from bearleft.web.admin import answers
from bearleft.web.admin.answers import DECISIONS, PER_PAGE, STATES, Filters
from bearleft.web.admin.audit import record
from bearleft.web.admin.forms import answer_of, project_of
from bearleft.web.admin.pages import (
    PageNumber,
    ReviewerForm,
    Viewer,
    admin_page,
    back,
    database_of,
    message_of,
    page_links,
)
from bearleft.web.admin.replays import NO_REPLAY, replay
from bearleft.web.database.admins import REASON_LENGTH, Decision
from bearleft.web.database.models import Answer, Attempt, Project, Unit, Worker
from bearleft.web.decisions import decide
from bearleft.web.forms import Form
from bearleft.web.queue.copies import ask_for_more
from bearleft.web.queue.events import events_of
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.security import page_json
from bearleft.web.tasks.registry import get_task

router = APIRouter(prefix="/admin", include_in_schema=False)
Short = Annotated[str, Query(max_length=200)]


@router.get("/projects/{name}/answers")
def answers_page(
    request: Request,
    admin: Viewer,
    name: str,
    page: PageNumber = 1,
    kind: Short = "",
    state: Short = "",
    worker: Short = "",
    rules: Short = "",
    decision: Short = "",
    flagged: Short = "",
) -> HTMLResponse:
    """List the attempts and answers of a project."""
    filters = Filters(kind, state, worker.strip(), rules, decision, flagged)
    with database_of(request).read() as session:
        project = project_of(session, name)
        rows, count = answers.answer_page(session, project, filters, page)
        kinds = sorted(session.scalars(select(Unit.kind).where(Unit.project_id == project.id).distinct()))
        return admin_page(
            request,
            admin,
            "answers.html",
            project=project,
            rows=rows,
            count=count,
            filters=filters,
            kinds=kinds,
            states=STATES,
            decisions=DECISIONS,
            links=page_links(count, PER_PAGE, page, filters.to_query()),
        )


@router.get("/attempts/{attempt}")
def attempt_page(request: Request, admin: Viewer, attempt: str) -> HTMLResponse:
    """Show what a worker did in an attempt, submitted or not."""
    with database_of(request).read() as session:
        row = session.get(Attempt, attempt) if len(attempt) == 32 and attempt.isalnum() and attempt.isascii() else None
        if row is None:
            raise HTTPException(404, "There is no such attempt.")
        answer = session.scalars(select(Answer).where(Answer.attempt_id == row.id)).one_or_none()
        return _page(request, session, admin, row, answer)


@router.get("/answers/{number}")
def one_answer_page(request: Request, admin: Viewer, number: int, said: Short = "") -> HTMLResponse:
    """Show an answer: its text, the judgement, the times, the actions, and the decisions."""
    with database_of(request).read() as session:
        answer = answer_of(session, number)
        return _page(request, session, admin, session.get_one(Attempt, answer.attempt_id), answer, message_of(said))


def _page(
    request: Request,
    session: Session,
    admin: Viewer,
    attempt: Attempt,
    answer: Answer | None,
    said: str = "",
    problem: str = "",
    reason: str = "",
) -> HTMLResponse:
    unit = session.get_one(Unit, attempt.unit_id)
    project = session.get_one(Project, unit.project_id)
    events = events_of(session, attempt.id)
    worlds: SceneWorlds = request.app.state.worlds
    try:
        content = replay(worlds, project, unit, events, answer, attempt.worker_id)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        content = NO_REPLAY  # of an imported file
    decisions = []
    if answer is not None:
        query = select(Decision).where(Decision.answer_id == answer.id).order_by(Decision.id.desc())
        decisions = list(session.scalars(query))
    data = answer.data if answer is not None else {}
    return admin_page(
        request,
        admin,
        "answer.html",
        422 if problem else 200,
        project=project,
        unit=unit,
        task=get_task(unit.kind),
        attempt=attempt,
        answer=answer,
        worker=session.get_one(Worker, attempt.worker_id).pseudonym,
        texts=_texts(data) or _texts(unit.payload),
        written=bool(_texts(data)),
        data=json.dumps({name: value for name, value in data.items() if name != "trace"}, indent=1, ensure_ascii=False),
        seconds=answers.seconds_of(attempt, answer),
        flags=answers.flags_of(attempt, unit, answer, answers.time_limits(session, project)),
        decisions=decisions,
        content=content,
        replay_json=page_json(content),
        can_requeue=not project.open,
        said=said,
        problem=problem,
        reason=reason,
        longest=REASON_LENGTH,
    )


def _texts(source: Mapping[str, Any]) -> list[str]:
    """Return the texts that an answer or a unit holds: one, one of several sentences, or one of each leg."""
    if isinstance(source.get("text"), str):
        return [source["text"]]
    if isinstance(source.get("sentences"), list):
        return [" ".join(map(str, source["sentences"]))]
    return [str(text) for text in source["texts"]] if isinstance(source.get("texts"), list) else []


@router.post("/answers/{number}")
def decide_on_answer(request: Request, admin: ReviewerForm, number: int, form: Form) -> Response:
    """Accept an answer, reject it with a reason, or ask somebody else for one more."""
    action, reason = form.get("action", ""), form.get("reason", "")
    again = action == "requeue" or (action == "reject" and form.get("again") == "yes")

    def change(session: Session) -> str:
        answer = answer_of(session, number)
        if action in ("accept", "reject"):
            (made,) = decide(session, [answer], action == "accept", reason, admin.name)
            record(session, admin.name, action, f"answer {number}", reason=made.reason)
        elif action != "requeue":
            raise InputError("accept, reject or requeue", format_value(action), "action")
        if again:
            ask_for_more(session, session.get_one(Unit, answer.unit_id))
            record(session, admin.name, "requeue", f"answer {number}", unit=answer.unit_id)
        return {"accept": "accepted", "reject": "rejected-requeued" if again else "rejected"}.get(action, "requeued")

    database = database_of(request)
    try:
        done = database.transact(change)
    except InputError as error:
        with database.read() as session:
            answer = answer_of(session, number)
            attempt = session.get_one(Attempt, answer.attempt_id)
            return _page(request, session, admin, attempt, answer, problem=str(error), reason=reason)
    return back(f"/admin/answers/{number}", done)
