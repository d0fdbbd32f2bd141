"""Pages of the admin part, and what their routes share."""

from __future__ import annotations

import math
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse

from bearleft.web.admin.charts import duration
from bearleft.web.admin.forms import TOKEN
from bearleft.web.admin.sessions import SignedIn, check_form_token, requires
from bearleft.web.database.engines import Database
from bearleft.web.forms import Form
from bearleft.web.templating import render

Viewer = Annotated[SignedIn, Depends(requires("viewer"))]
Reviewer = Annotated[SignedIn, Depends(requires("reviewer"))]
Owner = Annotated[SignedIn, Depends(requires("owner"))]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000)]


def database_of(request: Request) -> Database:
    """Return the database of the application."""
    database: Database = request.app.state.database
    return database


def admin_page(request: Request, admin: SignedIn, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page for an admin who is signed in."""
    return render(request, f"admin/{template}", status, admin=admin, duration=duration, **values)


def back(path: str, said: str = "") -> RedirectResponse:
    """Lead a browser from a form to a page, which says what has been done."""
    return RedirectResponse(f"{path}{'&' if '?' in path else '?'}{urlencode({'said': said})}" if said else path, 303)


def page_links(count: int, per_page: int, page: int, query: dict[str, str]) -> list[tuple[str, str]]:
    """Return labels and addresses of the pages before and after one."""
    last = max(math.ceil(count / per_page), 1)
    links = []
    if page > 1:
        links.append(("Newer", urlencode({**query, "page": min(page - 1, last)})))
    if page < last:
        links.append(("Older", urlencode({**query, "page": page + 1})))
    return links


def checked_viewer(admin: Viewer, form: Form) -> SignedIn:
    """Return the admin of a form, whose token is checked."""
    check_form_token(admin, form.get(TOKEN, ""))
    return admin


def checked_reviewer(admin: Reviewer, form: Form) -> SignedIn:
    """Return the reviewer of a form, whose token is checked."""
    check_form_token(admin, form.get(TOKEN, ""))
    return admin


def checked_owner(admin: Owner, form: Form) -> SignedIn:
    """Return the owner of a form, whose token is checked."""
    check_form_token(admin, form.get(TOKEN, ""))
    return admin


ViewerForm = Annotated[SignedIn, Depends(checked_viewer)]
ReviewerForm = Annotated[SignedIn, Depends(checked_reviewer)]
OwnerForm = Annotated[SignedIn, Depends(checked_owner)]
# What the page before says; a list of texts, so that an address cannot put words into a page's mouth.
SAID = {
    "added": "Added.",
    "saved": "Saved.",
    "password": "The password is changed. Sign in with the new one.",
    "out": "You are signed out.",
    "everywhere": "You are signed out everywhere.",
    "accepted": "Accepted.",
    "rejected": "Rejected. The worker is told why.",
    "rejected-requeued": "Rejected. Somebody else is asked for another answer.",
    "requeued": "Somebody else is asked for one more answer.",
    "closed": "Closed. Nobody gets new units; what was begun can be finished.",
    "opened": "Open again.",
    "more": "More answers are wanted now.",
    "imported": "Imported.",
}


def message_of(key: str) -> str:
    """Return what a page says about what has been done."""
    return SAID.get(key, "")
