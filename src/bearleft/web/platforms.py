"""How people come from Prolific and Amazon Mechanical Turk, and go back there.

Prolific opens `/start/NAME` with its ids, and gets its completion code when the server has stored what was asked for.
MTurk shows `/start/NAME` in a frame of its own page. Browsers keep cookies of a framed page apart or refuse them, so
the work is done in a window of its own; the framed page knows by its address alone how far the assignment is, and has
the form that submits it. It is the only page that another site may frame, and it neither shows what a person did nor
changes anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Request
from sqlalchemy import select
from starlette.responses import HTMLResponse, RedirectResponse, Response

from bearleft.errors import InputError, format_value
from bearleft.web.checks import shown_kind
from bearleft.web.database.models import Project, Unit
from bearleft.web.people.cookie import current_visitor, set_cookie
from bearleft.web.people.identities import Entry, done_units, enter, find_session, finish_session, open_session
from bearleft.web.security import POLICY
from bearleft.web.studies import StudySettings, study_settings
from bearleft.web.tasks.registry import get_task, task_kinds
from bearleft.web.templating import render
from bearleft.web.work import open_project, open_tools, require_visitor

router = APIRouter(include_in_schema=False)
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
SUBMIT_HOSTS = ("https://www.mturk.com", "https://workersandbox.mturk.com")
FRAMES = (
    *SUBMIT_HOSTS,
    "https://worker.mturk.com",
    "https://requester.mturk.com",
    "https://requestersandbox.mturk.com",
)
FRAME_POLICY = POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {' '.join(FRAMES)}").replace(
    "form-action 'self'",
    f"form-action {' '.join(FRAMES)}",  # MTurk answers with a redirect to another of its hosts
)
PROLIFIC_END = "https://app.prolific.com/submissions/complete"
PROLIFIC_NAMES = {"participant": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"}
MTURK_NAMES = {"participant": "workerId", "study": "hitId", "session": "assignmentId"}


@router.get("/start/{name}")
def start(request: Request, name: str, window: bool = False) -> Response:
    """Let a person in who comes from a platform."""
    database, _, settings = open_tools(request)
    with database.read() as session:
        project = open_project(session, name)
        study = study_settings(project.family, project.settings)
    if study.platform == "mturk" and not window:
        return _frame(request, project, study)
    if not study.platform:
        raise HTTPException(404, "People do not come to this project from a platform.")
    query = request.query_params
    entry = _prolific_entry(query) if study.platform == "prolific" else _mturk_entry(query)
    visitor = enter(database, name, entry, current_visitor(request))
    response = RedirectResponse(f"/projects/{name}", 303)
    set_cookie(response, settings, visitor.worker_id, visitor.session_id)
    return response


def _prolific_entry(query: Mapping[str, str]) -> Entry:
    return _entry("prolific", PROLIFIC_NAMES, query)


def _mturk_entry(query: Mapping[str, str]) -> Entry:
    if query.get("assignmentId") == PREVIEW:
        raise InputError("an assignment that was accepted", "a preview", "assignmentId", hint="Accept the HIT first.")
    return _entry("mturk", MTURK_NAMES, query)


def _entry(platform: str, names: Mapping[str, str], query: Mapping[str, str]) -> Entry:
    """Return the ids of an address; errors call them by the platform's names."""
    try:
        return Entry(platform, *(query.get(names[field], "") for field in ("participant", "study", "session")))
    except InputError as error:
        hint = "Please open the study from the platform again."
        raise InputError(error.expected, error.got, names[error.field], hint=hint) from None


def submit_address(query: Mapping[str, str]) -> str:
    """Return where MTurk wants the assignment submitted.

    Raises:
        InputError: It is none of MTurk's two hosts.
    """
    host = query.get("turkSubmitTo", "").removesuffix("/")
    if host not in SUBMIT_HOSTS:
        raise InputError(" or ".join(SUBMIT_HOSTS), format_value(host), "turkSubmitTo")
    return f"{host}/mturk/externalSubmit"


def _frame(request: Request, project: Project, study: StudySettings) -> HTMLResponse:
    """Show MTurk's frame: a preview, the way to the work, or the form that submits the assignment."""
    database = open_tools(request)[0]
    query = request.query_params
    preview = query.get("assignmentId", PREVIEW) == PREVIEW
    with database.read() as session:
        kinds = session.scalars(select(Unit.kind).where(Unit.project_id == project.id).distinct().order_by(Unit.kind))
        tasks = [get_task(kind) for kind in kinds if kind in task_kinds() and kind == shown_kind(kind)]
    done, row, address = 0, None, ""
    if not preview:
        entry, address = _mturk_entry(query), submit_address(query)
        with database.read() as session:
            row = find_session(session, project, entry)
            done = done_units(session, project, row) if row else 0
        if row is not None and row.finished is None and finish_session(database, project.name, row.id):
            with database.read() as session:
                row = find_session(session, project, entry)
    names = ("workerId", "hitId", "assignmentId", "turkSubmitTo")
    page = render(
        request,
        "people/mturk.html",
        project=project,
        study=study,
        tasks=tasks,
        preview=preview,
        submission=row,
        done=done,
        address=address,
        link=f"/start/{project.name}?{urlencode({name: query.get(name, '') for name in names} | {'window': 1})}",
    )
    page.headers["Content-Security-Policy"] = FRAME_POLICY
    return page


@router.get("/finish/{name}")
def finish(request: Request, name: str) -> Response:
    """Show how to complete the submission on the platform, once the server has stored what was asked for."""
    visitor = require_visitor(request)
    database = open_tools(request)[0]
    with database.read() as session:
        project = open_project(session, name)
        study = study_settings(project.family, project.settings)
        row = open_session(session, project, visitor)
        if row is None or not study.platform:
            return RedirectResponse(f"/projects/{name}", 303)
        done = done_units(session, project, row)
    finished = finish_session(database, name, row.id)
    code = study.completion_code if finished else ""
    return render(
        request,
        "people/finish.html",
        project=project,
        study=study,
        finished=finished,
        done=done,
        code=code,
        link=f"{PROLIFIC_END}?{urlencode({'cc': code})}",
    )
