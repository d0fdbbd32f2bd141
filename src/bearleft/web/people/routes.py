"""Pages of people: consent, and the worker's own page with withdrawal, download and deletion."""

from __future__ import annotations

import json

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from bearleft.web.database.models import Worker
from bearleft.web.database.values import MAX_INTEGER
from bearleft.web.forms import Form
from bearleft.web.people.consent import agree, has_withdrawn, needs_consent
from bearleft.web.people.cookie import (
    Visitor,
    add_worker,
    current_visitor,
    private_key,
    read_private_key,
    remove_cookie,
    set_cookie,
)
from bearleft.web.people.own_data import OwnProject, own_data, own_projects
from bearleft.web.people.removal import delete_worker, withdraw
from bearleft.web.people.texts import current_text, paragraphs
from bearleft.web.templating import format_cents, render
from bearleft.web.work import open_project, open_tools, require_owner, require_visitor

router = APIRouter(include_in_schema=False)
DELETE_WORD = "delete"


@router.get("/consent/{name}")
def consent_page(request: Request, name: str, changed: bool = False) -> Response:
    """Show the current text of a project, and ask whether the person agrees."""
    database, _, settings = open_tools(request)
    present = current_visitor(request)
    visitor = present or Visitor(add_worker(database))
    with database.read() as session:
        project = open_project(session, name)
        text = current_text(session, project)
        if text is None:
            return RedirectResponse(f"/projects/{name}", 303)
        page = render(
            request,
            "people/consent.html",
            project=project,
            text=text,
            parts=paragraphs(text.text),
            agreed=not needs_consent(session, project, visitor.worker_id),
            changed=changed,
        )
    if present is None:
        set_cookie(page, settings, visitor.worker_id)
    return page


@router.post("/consent/{name}")
def give_consent(request: Request, name: str, form: Form) -> Response:
    """Store that the person agrees, and go on to the first unit."""
    visitor = require_visitor(request)
    database = open_tools(request)[0]
    with database.read() as session:
        project = open_project(session, name)
        left = has_withdrawn(session, project, visitor.worker_id)
    number = form.get("text", "")
    text_id = int(number) if number.isascii() and number.isdigit() and int(number) <= MAX_INTEGER else 0
    if not agree(database, name, visitor.worker_id, text_id):
        return RedirectResponse(f"/consent/{name}?changed=1", 303)
    return RedirectResponse(f"/projects/{name}" if left else f"/next/{name}", 303)


@router.get("/me")
def own_page(request: Request) -> HTMLResponse:
    """Show what the worker did and earned; nothing of it to a browser that is not the worker's own."""
    database, _, settings = open_tools(request)
    visitor = current_visitor(request)
    if visitor is None or not visitor.is_owner:
        return render(request, "people/not_yours.html", known=visitor is not None)
    with database.read() as session:
        worker = session.get_one(Worker, visitor.worker_id)
        projects = own_projects(session, visitor.worker_id)
    key = private_key(settings, visitor.worker_id)
    return render(
        request,
        "people/me.html",
        worker=worker,
        projects=projects,
        link=f"{request.base_url}me#key={key}",
        owed=_owed(projects),
    )


def _owed(projects: list[OwnProject]) -> str:
    """Return what is not paid yet, such as "1.20 USD"; an empty text if all is."""
    sums: dict[str, int] = {}
    for row in projects:
        owed = row.earned.base + row.earned.bonus - row.earned.paid
        if owed:
            sums[row.earned.currency] = sums.get(row.earned.currency, 0) + owed
    return ", ".join(f"{format_cents(cents)} {currency}" for currency, cents in sums.items())


@router.post("/me/key")
def use_private_link(request: Request, form: Form) -> Response:
    """Make the browser the worker's own, by the key of the private link."""
    database, _, settings = open_tools(request)
    worker_id = read_private_key(settings, form.get("key", ""))
    with database.read() as session:
        known = worker_id is not None and session.get(Worker, worker_id) is not None
    if worker_id is None or not known:
        raise HTTPException(404, "This link belongs to nobody here. It may be incomplete, or all was deleted.")
    response = RedirectResponse("/me", 303)
    set_cookie(response, settings, worker_id)
    return response


@router.get("/me/data.json")
def download(request: Request) -> Response:
    """Return all that is stored of the worker."""
    worker_id = require_owner(request)
    with open_tools(request)[0].read() as session:
        content = json.dumps(own_data(session, worker_id), ensure_ascii=False, indent=1)
    headers = {"Content-Disposition": 'attachment; filename="my-data.json"', "Cache-Control": "no-store"}
    return Response(content, media_type="application/json", headers=headers)


@router.get("/me/withdraw/{name}")
def withdraw_page(request: Request, name: str) -> HTMLResponse:
    """Ask what becomes of the answers when a worker leaves a project."""
    worker_id = require_owner(request)
    with open_tools(request)[0].read() as session:
        project = open_project(session, name)
        if project.open:
            raise HTTPException(404, "There is nothing to leave here.")
        return render(request, "people/withdraw.html", project=project, left=has_withdrawn(session, project, worker_id))


@router.post("/me/withdraw/{name}")
def leave_project(request: Request, name: str, form: Form) -> Response:
    """Leave a project."""
    worker_id = require_owner(request)
    database = open_tools(request)[0]
    if form.get("answers") not in ("keep", "delete"):
        raise HTTPException(422, "expected whether the answers stay: keep or delete, got neither.")
    with database.read() as session:
        open_project(session, name)
    withdraw(database, name, worker_id, form["answers"] == "keep")
    return RedirectResponse("/me", 303)


@router.get("/me/delete")
def delete_page(request: Request, wrong: bool = False) -> HTMLResponse:
    """Say what deletion means, and ask for a word to be typed."""
    worker_id = require_owner(request)
    with open_tools(request)[0].read() as session:
        owed = _owed(own_projects(session, worker_id))
    return render(request, "people/delete.html", word=DELETE_WORD, wrong=wrong, owed=owed)


@router.post("/me/delete")
def delete_everything(request: Request, form: Form) -> Response:
    """Delete everything of the worker, and forget the browser."""
    worker_id = require_owner(request)
    database, _, settings = open_tools(request)
    if form.get("word", "").strip().lower() != DELETE_WORD:
        return RedirectResponse("/me/delete?wrong=1", 303)
    delete_worker(database, worker_id)
    page = render(request, "people/deleted.html")
    remove_cookie(page, settings)
    return page
