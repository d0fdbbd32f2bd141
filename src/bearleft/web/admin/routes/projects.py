"""Projects: list, create, watch, close and open, and ask for more answers; and their units."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, Response

from bearleft.errors import InputError, format_value
from bearleft.web.admin import progress
from bearleft.web.admin.agreement import agreement_rows
from bearleft.web.admin.answers import Filters, answer_page
from bearleft.web.admin.audit import record
from bearleft.web.admin.charts import progress_chart, time_chart
from bearleft.web.admin.forms import integer_field, project_of, unit_of
from bearleft.web.admin.pages import (
    Owner,
    OwnerForm,
    PageNumber,
    ReviewerForm,
    Viewer,
    admin_page,
    back,
    database_of,
    message_of,
    page_links,
)
from bearleft.web.admin.sessions import SignedIn
from bearleft.web.database.admins import ClosedProject
from bearleft.web.database.models import Answer, Project, Slot, Unit
from bearleft.web.database.values import check_json, check_text
from bearleft.web.exports import STATISTICS
from bearleft.web.forms import Form
from bearleft.web.projects import FAMILIES, PLAY, create_project, find_project, is_closed, with_kind
from bearleft.web.queue.copies import ask_for_more
from bearleft.web.queue.slots import MAX_SLOTS
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.registry import get_task

router = APIRouter(prefix="/admin", include_in_schema=False)
Short = Annotated[str, Query(max_length=200)]
UNITS_PER_PAGE = 100
MAX_LIMIT = 1_000_000
DATASETS = {"play": "city/touchdown/small", "touchdown": "city/touchdown/small", "refer360": "city/refer360/small"}
WITHOUT_DATASET = ("ndtw-study",)
FIELDS = ("name", "family", "dataset", "limit", "answers", "settings")


@router.get("")
def projects_page(request: Request, admin: Viewer, said: Short = "") -> HTMLResponse:
    """List the projects with their progress."""
    with database_of(request).read() as session:
        rows = progress.project_list(session)
    return admin_page(request, admin, "projects.html", rows=rows, said=message_of(said))


@router.get("/new")
def new_project_page(request: Request, admin: Owner) -> HTMLResponse:
    """Show the form of a new project."""
    return _form_page(request, admin, {})


def _form_page(
    request: Request, admin: SignedIn, form: dict[str, str], problems: dict[str, str] | None = None
) -> HTMLResponse:
    values = {name: form.get(name, "") for name in FIELDS}
    return admin_page(
        request,
        admin,
        "new-project.html",
        422 if problems else 200,
        values=values,
        problems=problems or {},
        families=list(FAMILIES),
        datasets=DATASETS,
    )


@router.post("/new")
def add_project(request: Request, admin: OwnerForm, form: Form) -> Response:
    """Create a project with its units."""
    database = database_of(request)
    worlds: SceneWorlds = request.app.state.worlds
    name, family = form.get("name", "").strip(), form.get("family", "")
    try:
        if len(name) <= 100 and name.isprintable():
            with database.read() as session:
                if find_project(session, name) is not None:
                    raise InputError("a name that no project has", format_value(name), "name")
        settings = _settings(form, family)
        answers = integer_field(form, "answers", 1, MAX_SLOTS, 1)
        if family != PLAY:  # as on the command line: people agree to a text first, unless the settings say otherwise
            settings = {"consent": True, **settings}
        if family not in FAMILIES:
            raise InputError(f"a family: {', '.join(FAMILIES)}", format_value(family), "family")
        create_project(database, worlds, name, family, with_kind(worlds, family, settings), answers=answers)
    except InputError as error:
        field = error.field.partition(".")[0]
        return _form_page(request, admin, form, {field if field in FIELDS else "settings": str(error)})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # A setting of another type than its task expects.
        message = f"expected settings of this family, got {format_value(str(error))}"
        return _form_page(request, admin, form, {"settings": message})
    database.transact(
        lambda session: record(
            session, admin.name, "create project", f"project {name}", family=family, settings=settings
        )
    )
    return back(f"/admin/projects/{name}", "added")


def _settings(form: dict[str, str], family: str) -> dict[str, Any]:
    """Return the settings of a form: dataset, limit, and an object of JSON."""
    settings: dict[str, Any] = {}
    text = form.get("settings", "").strip()
    if text:
        try:
            settings = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError('an object of JSON, such as {"seed": 3}', format_value(text), "settings") from error
        if not isinstance(settings, dict):
            raise InputError('an object of JSON, such as {"seed": 3}', format_value(settings), "settings")
        check_json(settings, "settings", 20_000)
    dataset = check_text(form.get("dataset", "").strip(), "dataset", 200)
    if dataset and family not in WITHOUT_DATASET:
        settings["dataset"] = dataset
    elif family not in WITHOUT_DATASET:
        raise InputError("a dataset, such as city/touchdown/small", "none", "dataset")
    if form.get("limit", "").strip():
        settings["limit"] = integer_field(form, "limit", 1, MAX_LIMIT)
    return settings


@router.get("/projects/{name}")
def project_page(request: Request, admin: Viewer, name: str, said: Short = "") -> HTMLResponse:
    """Show how far a project is."""
    database = database_of(request)
    with database.read() as session:
        project = project_of(session, name)
        rows = progress.kind_rows(session, project, database)
        return admin_page(
            request,
            admin,
            "project.html",
            project=project,
            closed=is_closed(session, project),
            rows=rows,
            chart=progress_chart(rows) if rows and not project.open else "",
            times=time_chart(rows) if any(row["times"] for row in rows) else "",
            agreement=agreement_rows(session, project),
            has_statistics=project.family in STATISTICS,
            said=message_of(said),
            most=MAX_SLOTS - 1,
        )


@router.get("/projects/{name}/statistics")
def statistics_page(request: Request, admin: Viewer, name: str) -> HTMLResponse:
    """Show the statistics that the paper of a project prints, published and ours, as they are now."""
    with database_of(request).read() as session:
        project = project_of(session, name)
        problem = ""
        try:
            worlds = request.app.state.worlds
            rows = STATISTICS[project.family](session, project, worlds) if project.family in STATISTICS else []
        except InputError as error:  # such as nothing collected yet
            rows, problem = [], str(error)
    tables: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        tables.setdefault(str(row.get("table", "")), []).append(row)
    return admin_page(request, admin, "statistics.html", project=project, tables=tables, problem=problem)


@router.post("/projects/{name}/state")
def close_or_open(request: Request, admin: OwnerForm, name: str, form: Form) -> Response:
    """Close a project, or open it again."""
    closing = form.get("action") == "close"

    def change(session: Session) -> None:
        project = project_of(session, name)
        row = session.get(ClosedProject, project.id)
        if closing and row is None:
            session.add(ClosedProject(project_id=project.id))
        elif not closing and row is not None:
            session.delete(row)
        record(session, admin.name, "close project" if closing else "open project", f"project {name}")

    database_of(request).transact(change)
    return back(f"/admin/projects/{name}", "closed" if closing else "opened")


@router.post("/projects/{name}/more")
def want_more(request: Request, admin: OwnerForm, name: str, form: Form) -> Response:
    """Ask for more answers of each unit of a kind."""
    kind, count = form.get("kind", ""), integer_field(form, "count", 1, MAX_SLOTS - 1)

    def change(session: Session) -> None:
        project = project_of(session, name)
        check_text(kind, "kind", 200)
        units = session.scalars(select(Unit).where(Unit.project_id == project.id, Unit.kind == kind)).all()
        if not units:
            raise InputError(f"a kind of units of {name}", format_value(kind), "kind")
        # Of a unit with copies, the first one stands for all.
        for unit in [one for one in units if one.parent_id not in {other.id for other in units}]:
            ask_for_more(session, unit, count)
        record(session, admin.name, "want more answers", f"project {name}", kind=kind, count=count)

    database_of(request).transact(change)
    return back(f"/admin/projects/{name}", "more")


@router.get("/projects/{name}/units")
def units_page(
    request: Request, admin: Viewer, name: str, page: PageNumber = 1, kind: Short = "", state: Short = ""
) -> HTMLResponse:
    """List the units of a project."""
    with database_of(request).read() as session:
        project = project_of(session, name)
        conditions = [Unit.project_id == project.id]
        if kind:
            conditions.append(Unit.kind == kind)
        if state in ("open", "closed"):
            conditions.append(Unit.closed.is_(state == "closed"))
        count = session.scalar(select(func.count(Unit.id)).where(*conditions)) or 0
        given = select(func.count(Answer.id)).where(Answer.unit_id == Unit.id).scalar_subquery()
        query = select(Unit, given).where(*conditions).order_by(Unit.id)
        rows = session.execute(query.offset((page - 1) * UNITS_PER_PAGE).limit(UNITS_PER_PAGE)).all()
        kinds = session.scalars(select(Unit.kind).where(Unit.project_id == project.id).distinct()).all()
        return admin_page(
            request,
            admin,
            "units.html",
            project=project,
            rows=rows,
            count=count,
            kinds=sorted(kinds),
            filters={"kind": kind, "state": state},
            links=page_links(count, UNITS_PER_PAGE, page, {"kind": kind, "state": state}),
        )


@router.get("/units/{number}")
def unit_page(request: Request, admin: Viewer, number: int, said: Short = "") -> HTMLResponse:
    """Show a unit: its content, and who did what."""
    with database_of(request).read() as session:
        unit = unit_of(session, number)
        project = session.get_one(Project, unit.project_id)
        attempts, _ = answer_page(session, project, Filters(unit=str(unit.id)), 1)
        return admin_page(
            request,
            admin,
            "unit.html",
            unit=unit,
            project=project,
            task=get_task(unit.kind),
            payload=json.dumps(unit.payload, indent=1, ensure_ascii=False),
            rows=attempts,
            said=message_of(said),
            most=MAX_SLOTS - 1,
        )


@router.post("/units/{number}")
def change_unit(request: Request, admin: ReviewerForm, number: int, form: Form) -> Response:
    """Close a unit, open it again, or ask for more answers of it."""
    action = form.get("action", "")

    def change(session: Session) -> str:
        unit = unit_of(session, number)
        if action == "close":
            unit.closed, done = True, "closed"
        elif action == "open":
            _open(session, unit)
            done = "opened"
        elif action == "more":
            ask_for_more(session, unit, integer_field(form, "count", 1, MAX_SLOTS - 1, 1))
            done = "more"
        else:
            raise InputError("close, open or more", format_value(action), "action")
        record(session, admin.name, f"{action} unit", f"unit {number}")
        return done

    return back(f"/admin/units/{number}", database_of(request).transact(change))


def _open(session: Session, unit: Unit) -> None:
    """Open a closed unit; raise InputError if all its answers are there."""
    project = session.get_one(Project, unit.project_id)
    free = select(func.count(Slot.id)).where(Slot.unit_id == unit.id, ~Slot.done)
    if project.family != PLAY and not session.scalar(free):
        raise InputError("a unit that wants an answer", "one that has all of them", "unit", hint="Ask for one more.")
    unit.closed = False
