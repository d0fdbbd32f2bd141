"""The first page, and the pages of projects."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from bearleft.web.checks import CHECKS, shown_kind
from bearleft.web.database.admins import ClosedProject
from bearleft.web.database.models import Project
from bearleft.web.decisions import rejected_of
from bearleft.web.payments.offers import is_paid_by_platform, project_offer, task_offer
from bearleft.web.people import add_worker, current_worker, set_cookie
from bearleft.web.people.consent import has_withdrawn
from bearleft.web.people.cookie import Visitor, current_visitor
from bearleft.web.projects import FAMILIES, PLAY, allowed_kinds, progress_rows, standing_message
from bearleft.web.tasks.registry import get_task
from bearleft.web.templating import render
from bearleft.web.work import open_project, open_tools

router = APIRouter(include_in_schema=False)


@router.get("/")
def first_page(request: Request) -> HTMLResponse:
    """Show what can be played and worked on."""
    database, _, settings = open_tools(request)
    with database.read() as session:
        projects = session.scalars(
            select(Project).where(Project.id.not_in(select(ClosedProject.project_id))).order_by(Project.id)
        ).all()
        games = [project for project in projects if project.family == PLAY]
        studies = [project for project in projects if project.family != PLAY]
        page = render(request, "first.html", games=_games(games), studies=_studies(studies))
    if current_worker(request) is None:
        set_cookie(page, settings, add_worker(database))
    return page


def _games(projects: list[Project]) -> list[dict[str, object]]:
    return [{"project": project, "task": get_task(project.settings["kind"])} for project in projects]


def _studies(projects: list[Project]) -> list[dict[str, object]]:
    return [
        {"project": project, "summary": FAMILIES[project.family].summary, "pay": project_offer(project)}
        for project in projects
    ]


@router.get("/projects/{name}")
def project_page(request: Request, name: str, nothing: bool = False, returned: bool = False) -> Response:
    """Show what a project asks for, and what the worker may do in it now."""
    database, _, settings = open_tools(request)
    present = current_visitor(request)
    visitor = present or Visitor(add_worker(database))
    worker_id = visitor.worker_id
    with database.read() as session:
        project = open_project(session, name)
        if project.family == PLAY:
            return RedirectResponse(f"/play/{name}", 303)
        withdrawn = has_withdrawn(session, project, worker_id)
        kinds = [] if withdrawn else allowed_kinds(session, project, worker_id)
        message = standing_message(session, project, worker_id) if visitor.is_owner else ""
        page = render(
            request,
            "project.html",
            project=project,
            tasks=[(get_task(shown_kind(kind)), task_offer(project, shown_kind(kind))) for kind in kinds],
            paid_by_platform=is_paid_by_platform(project),
            message="You have left this project." if withdrawn else message,
            nothing=nothing and not withdrawn,
            returned=returned,
            progress=_progress(session, project),
            rejected=[
                (get_task(shown_kind(unit.kind)), answer, reason)
                for answer, unit, reason in (rejected_of(session, project.id, worker_id) if visitor.is_owner else ())
            ],
        )
    if present is None:
        set_cookie(page, settings, worker_id)
    return page


def _progress(session: Session, project: Project) -> list[dict[str, Any]]:
    """Return how far the project is, in the words of its pages."""
    return [
        {"task": get_task(row["kind"]).title, "answers": row["answers"], "wanted": row["answers wanted"]}
        for row in progress_rows(session, project)
        if row["kind"] not in CHECKS.values()
    ]
