"""Units of work over HTTP: claim one, record its actions, submit its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from bearleft.web.checks import shown_kind
from bearleft.web.database.engines import Database
from bearleft.web.database.models import Answer, Attempt, Event, Project, Unit
from bearleft.web.people.consent import has_withdrawn, needs_consent
from bearleft.web.people.cookie import Visitor, current_visitor
from bearleft.web.people.identities import finish_session, open_session, set_aside
from bearleft.web.projects import allowed_kinds, find_project, standing_message, task_context
from bearleft.web.queue import events as event_log
from bearleft.web.queue import slots
from bearleft.web.queue.copies import bar_from_copies
from bearleft.web.queue.slots import Judgement
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.security import page_json
from bearleft.web.settings import Settings
from bearleft.web.studies import study_settings
from bearleft.web.tasks.base import EventData, TaskContext, UnitData
from bearleft.web.tasks.registry import get_task
from bearleft.web.templating import render

router = APIRouter()
Token = Annotated[str, Field(min_length=1, max_length=100)]
Name = Annotated[str, Field(min_length=1, max_length=100)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ClaimBody(_Body):
    """Which kinds of units are wanted; all that the worker may do by default."""

    kinds: list[Name] | None = Field(None, max_length=20)


class TokenBody(_Body):
    """The token of a lease."""

    token: Token


class EventBody(TokenBody):
    """An action: its number in the attempt, its kind, and its content."""

    number: Annotated[int, Field(ge=0, le=10_000)]
    kind: Name
    data: dict[str, Any] = {}


class SubmitBody(TokenBody):
    """An answer, with a key by which the server knows it again if it is sent twice."""

    key: Token
    data: dict[str, Any] = {}


class Claimed(BaseModel):
    """The unit that a worker got, or why there is none."""

    attempt: str | None
    url: str | None = None
    reason: str | None = None


class Recorded(BaseModel):
    """A recorded action and what it changed."""

    number: int
    result: dict[str, Any]


class Expires(BaseModel):
    """When a lease ends, as an ISO time, unless the browser is heard of before."""

    expires: str


class Submitted(BaseModel):
    """A stored answer: its number, the completion code, and what the worker may know of the judgement."""

    answer: int
    code: str
    accepted: bool
    feedback: dict[str, Any]


def require_visitor(request: Request) -> Visitor:
    """Return whose browser sends a request; answer 401 if it is nobody's."""
    visitor = current_visitor(request)
    if visitor is None:
        raise HTTPException(401, "expected a worker's cookie, got none. Open the first page and type a start again.")
    return visitor


def require_worker(request: Request) -> int:
    """Return the worker of a request; answer 401 if there is none."""
    return require_visitor(request).worker_id


def require_owner(request: Request) -> int:
    """Return the worker whose own browser sends a request; answer 403 if it came by the link of a platform only."""
    visitor = require_visitor(request)
    if not visitor.is_owner:
        raise HTTPException(403, "This is shown in the browser where you began, or by your private link, only.")
    return visitor.worker_id


def open_tools(request: Request) -> tuple[Database, SceneWorlds, Settings]:
    """Return the database, the worlds and the settings of the application."""
    state = request.app.state
    return state.database, state.worlds, state.settings


def open_project(session: Session, name: str) -> Project:
    """Return a project by its name; answer 404 if there is none."""
    project = find_project(session, name)
    if project is None:
        raise HTTPException(404, "There is no such project.")
    return project


@router.post("/api/projects/{name}/claim", tags=["work"])
def claim(request: Request, name: Name, body: ClaimBody) -> Claimed:
    """Give the worker a unit: the one that is already theirs, or the next that is free."""
    visitor = require_visitor(request)
    worker_id = visitor.worker_id
    database, _, settings = open_tools(request)
    with database.read() as session:
        project = open_project(session, name)
        if has_withdrawn(session, project, worker_id):
            return Claimed(attempt=None, reason="You have left this project.")
        if needs_consent(session, project, worker_id):
            raise HTTPException(403, f"Please read what the study is about, and agree, at /consent/{name} first.")
        kinds = allowed_kinds(session, project, worker_id)
        project_id = project.id
    set_aside(database, project_id, visitor)
    wanted = [kind for kind in kinds if body.kinds is None or kind in body.kinds]
    if not wanted:
        return Claimed(attempt=None, reason="There is no task here that you may do now.")
    lease = slots.claim(database, project_id, worker_id, wanted, settings.lease_seconds)
    if lease is None:
        return Claimed(attempt=None, reason="There is nothing to do for you at the moment. Thank you!")
    return Claimed(attempt=lease.attempt_id, url=f"/work/{lease.attempt_id}")


@router.get("/next/{name}", include_in_schema=False)
def next_unit(request: Request, name: Name) -> Response:
    """Go to the next unit of a project, or to the page that says why there is none.

    Whoever has not agreed to the consent text goes there; whoever has done what a platform asks for, to the end.
    """
    visitor = require_visitor(request)
    database = open_tools(request)[0]
    with database.read() as session:
        project = open_project(session, name)
        left = has_withdrawn(session, project, visitor.worker_id)
        if not left and needs_consent(session, project, visitor.worker_id):
            return RedirectResponse(f"/consent/{name}", 303)
        submission = open_session(session, project, visitor)
    if submission is not None and finish_session(database, name, submission.id):
        return RedirectResponse(f"/finish/{name}", 303)
    claimed = claim(request, name, ClaimBody(kinds=None))
    if claimed.url is None and submission is not None and finish_session(database, name, submission.id, True):
        return RedirectResponse(f"/finish/{name}", 303)
    return RedirectResponse(claimed.url or f"/projects/{name}?nothing=1", 303)


@router.get("/work/{attempt}", include_in_schema=False)
def work_page(request: Request, attempt: Name) -> HTMLResponse:
    """Show a unit in its current state; a page that is loaded again goes on where it was."""
    worker_id = require_worker(request)
    database, worlds, _ = open_tools(request)
    with database.read() as session:
        row = own_attempt(session, attempt, worker_id)
        unit = session.get_one(Unit, row.unit_id)
        project = session.get_one(Project, unit.project_id)
        platform = study_settings(project.family, project.settings).platform
        if row.state == "submitted":
            code = session.scalars(select(Answer.code).where(Answer.attempt_id == row.id)).one()
            shown_code = None if project.open or platform else code
            return render(request, "finished.html", project=project, attempt=row, code=shown_code)
        task = get_task(unit.kind)
        recorded = event_data(event_log.events_of(session, row.id))
        context = task_context(worlds, project, worker_id)
        view = task.view(context, unit_data(unit), recorded)
        content = {
            "attempt": row.id,
            "token": row.token,
            "kind": shown_kind(unit.kind),
            "project": project.name,
            "platform": platform,
            "events": len(recorded),
            "view": view,
        }
        shown = get_task(shown_kind(unit.kind))
        standing = standing_message(session, project, worker_id)
        return render(
            request, task.template, task=shown, project=project, standing=standing, unit_json=page_json(content)
        )


@router.post("/api/attempts/{attempt}/events", tags=["work"])
def add_event(request: Request, attempt: Name, body: EventBody) -> Recorded:
    """Record an action. The same action sent again gets the same answer; another under its number is a conflict."""
    worker_id = require_worker(request)
    database, worlds, _ = open_tools(request)
    context = _context_of(database, worlds, attempt, worker_id)

    def act(unit: Unit, events: Sequence[Event]) -> dict[str, Any]:
        return get_task(unit.kind).act(context, unit_data(unit), event_data(events), body.kind, body.data)

    result = event_log.append(database, attempt, worker_id, body.token, body.number, body.kind, body.data, act)
    return Recorded(number=body.number, result=result)


@router.post("/api/attempts/{attempt}/heartbeat", tags=["work"])
def heartbeat(request: Request, attempt: Name, body: TokenBody) -> Expires:
    """Keep a unit for its worker."""
    worker_id = require_worker(request)
    database, _, _ = open_tools(request)
    expires = slots.heartbeat(database, attempt, worker_id, body.token)
    return Expires(expires=expires.isoformat())


@router.post("/api/attempts/{attempt}/submit", tags=["work"])
def submit(request: Request, attempt: Name, body: SubmitBody) -> Submitted:
    """Judge and store an answer; the completion code is sent when the answer is stored."""
    worker_id = require_worker(request)
    database, worlds, _ = open_tools(request)
    context = _context_of(database, worlds, attempt, worker_id)

    def judge(_session: Session, _attempt: Attempt, unit: Unit, events: Sequence[Event]) -> Judgement:
        task = get_task(unit.kind)
        outcome = task.submit(context, unit_data(unit), event_data(events), body.data)

        def after(session: Session, answer: Answer) -> None:
            bar_from_copies(session, answer)
            if outcome.after is not None:
                outcome.after(session, answer)

        return Judgement(outcome.answer, outcome.feedback, outcome.accepted, list(outcome.follow_ups), after=after)

    stored = slots.submit(database, attempt, worker_id, body.token, body.key, judge)
    return Submitted(answer=stored.id, code=stored.code, accepted=stored.accepted, feedback=stored.feedback)


@router.post("/api/attempts/{attempt}/return", tags=["work"], status_code=204)
def give_back(request: Request, attempt: Name, body: TokenBody) -> None:
    """Give a unit back; somebody else gets it."""
    worker_id = require_worker(request)
    slots.give_back(open_tools(request)[0], attempt, worker_id, body.token)


def own_attempt(session: Session, attempt: str, worker_id: int) -> Attempt:
    """Return an attempt of a worker; answer 404 for those of others, as for those that do not exist."""
    row = session.get(Attempt, attempt)
    if row is None or row.worker_id != worker_id:
        raise HTTPException(404, "There is no such unit of yours.")
    return row


def unit_data(unit: Unit) -> UnitData:
    """Return what tasks may know of a unit."""
    return UnitData(unit.id, unit.kind, unit.payload)


def event_data(events: Sequence[Event]) -> list[EventData]:
    """Return what tasks may know of events."""
    return [EventData(event.kind, event.data, event.result) for event in events]


def _context_of(database: Database, worlds: SceneWorlds, attempt: str, worker_id: int) -> TaskContext:
    with database.read() as session:
        row = own_attempt(session, attempt, worker_id)
        query = select(Project).join(Unit, Unit.project_id == Project.id).where(Unit.id == row.unit_id)
        return task_context(worlds, session.scalars(query).one(), worker_id)
