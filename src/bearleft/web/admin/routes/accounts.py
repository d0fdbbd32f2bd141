"""Sign in and out, one's own account, the accounts of others, and the audit log."""

from __future__ import annotations

import math
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from bearleft.errors import InputError
from bearleft.web.admin import accounts, audit, delays, sessions
from bearleft.web.admin.pages import (
    Owner,
    OwnerForm,
    PageNumber,
    Viewer,
    ViewerForm,
    admin_page,
    back,
    database_of,
    message_of,
    page_links,
)
from bearleft.web.admin.passwords import MIN_LENGTH, check_password, hash_password, verify_password
from bearleft.web.admin.sessions import COOKIE, SIGN_IN, RefusedSignInError, SignedIn
from bearleft.web.database.admins import Admin
from bearleft.web.forms import Form
from bearleft.web.operations.limits import address_key
from bearleft.web.templating import render

router = APIRouter(prefix="/admin", include_in_schema=False)
Short = Annotated[str, Query(max_length=200)]


@router.get("/sign-in")
def sign_in_page(request: Request, said: Short = "") -> Response:
    """Show the form to sign in."""
    if sessions.current_admin(request) is not None:
        return RedirectResponse("/admin", 303)
    return _sign_in_page(request, said=said)


def _sign_in_page(request: Request, status: int = 200, problem: str = "", name: str = "", said: str = "") -> Response:
    return render(request, "admin/sign-in.html", status, problem=problem, name=name, said=message_of(said))


@router.post("/sign-in")
def sign_in(request: Request, form: Form) -> Response:
    """Sign in: the browser gets a new token, whatever it had."""
    database = database_of(request)
    name, password = form.get("name", "").strip().lower(), form.get("password", "")
    address = address_key(request.client.host) if request.client else "unknown"
    try:
        token = sessions.sign_in(database, name, password, address)
    except RefusedSignInError as refusal:
        if seconds := math.ceil(refusal.wait.total_seconds()):
            problem = f"Too many failures. Try again in {_in_words(seconds)}."
            page = _sign_in_page(request, 429, problem, name)
            page.headers["Retry-After"] = str(seconds)
            return page
        return _sign_in_page(request, 403, sessions.WRONG, name)
    if old := request.cookies.get(COOKIE):
        database.transact(lambda session: sessions.end_session(session, old))
    response = RedirectResponse("/admin", 303)
    sessions.set_cookie(response, request.app.state.settings, token)
    return response


def _in_words(seconds: int) -> str:
    """Return a time to wait, for people."""
    return f"{seconds} s" if seconds < 60 else f"{math.ceil(seconds / 60)} min"


@router.post("/sign-out")
def sign_out(request: Request, admin: ViewerForm, form: Form) -> Response:
    """End this session, or all sessions of the account."""
    everywhere = form.get("everywhere") == "yes"

    def end(session: Session) -> None:
        if everywhere:
            accounts.sign_out_everywhere(session, admin.id)
        else:
            sessions.end_session(session, request.cookies[COOKIE])
        audit.record(session, admin.name, "sign out everywhere" if everywhere else "sign out")

    database_of(request).transact(end)
    response = back(SIGN_IN, "everywhere" if everywhere else "out")
    response.delete_cookie(COOKIE)
    return response


@router.get("/account")
def account_page(request: Request, admin: Viewer) -> HTMLResponse:
    """Show one's own account."""
    return admin_page(request, admin, "account.html", problems={}, least=MIN_LENGTH)


@router.post("/account/password")
def change_password(request: Request, admin: ViewerForm, form: Form) -> Response:
    """Change one's own password; all browsers are signed out."""
    database = database_of(request)
    problems: dict[str, str] = {}
    try:
        check_password(form.get("password", ""))
    except InputError as error:
        problems["password"] = str(error)
    if form.get("password") != form.get("repeated"):
        problems["repeated"] = "Both must be the same."
    if not problems:
        wait = database.transact(
            lambda session: delays.begin_attempt(session, admin.name, "account page", database.now())
        )
        if wait:
            problems["current"] = "Too many failures. Try again later."
    if not problems:
        with database.read() as session:
            stored = session.get_one(Admin, admin.id).password
        if not verify_password(stored, form.get("current", "")):
            problems["current"] = "This is not your password."
    if problems:
        return admin_page(request, admin, "account.html", 422, problems=problems, least=MIN_LENGTH)
    hashed = hash_password(form["password"])

    def change(session: Session) -> None:
        delays.forgive(session, admin.name, "account page")
        accounts.set_password(session, session.get_one(Admin, admin.id), hashed, admin.name)

    database.transact(change)
    response = back(SIGN_IN, "password")
    response.delete_cookie(COOKIE)
    return response


@router.get("/accounts")
def accounts_page(request: Request, admin: Owner, said: Short = "") -> HTMLResponse:
    """List the accounts, with forms to add and change them."""
    return _accounts_page(request, admin, said=said)


def _accounts_page(
    request: Request,
    admin: SignedIn,
    status: int = 200,
    problems: dict[str, str] | None = None,
    form: dict[str, str] | None = None,
    said: str = "",
) -> HTMLResponse:
    with database_of(request).read() as session:
        rows = accounts.admin_rows(session)
    values = {name: (form or {}).get(name, "") for name in ("name", "role")}
    return admin_page(
        request,
        admin,
        "accounts.html",
        status,
        rows=rows,
        roles=accounts.ROLES,
        problems=problems or {},
        values=values,
        least=MIN_LENGTH,
        said=message_of(said),
    )


@router.post("/accounts")
def add_account(request: Request, admin: OwnerForm, form: Form) -> Response:
    """Add an account."""
    try:
        change = accounts.new_account(
            form.get("name", "").strip().lower(), form.get("role", ""), form.get("password", ""), admin.name
        )
        database_of(request).transact(change)
    except InputError as error:
        return _accounts_page(request, admin, 422, {error.field or "name": str(error)}, form)
    return back("/admin/accounts", "added")


@router.post("/accounts/{name}")
def change_account(request: Request, admin: OwnerForm, name: str, form: Form) -> Response:
    """Change the role of an account, disable or enable it, or sign it out everywhere."""
    action = form.get("action", "")

    def change(session: Session) -> None:
        found = accounts.find_admin(session, name) if accounts.NAME.fullmatch(name) else None
        if found is None:
            raise HTTPException(404, "There is no such account.")
        if action == "role":
            accounts.set_role(session, found, form.get("role", ""), admin.name)
        elif action in ("disable", "enable"):
            accounts.set_disabled(session, found, action == "disable", admin.name)
        elif action == "sign-out":
            accounts.sign_out_everywhere(session, found.id)
            audit.record(session, admin.name, "sign out everywhere", f"account {found.name}")
        else:
            raise InputError("role, disable, enable or sign-out", f'"{action[:40]}"', "action")

    try:
        database_of(request).transact(change)
    except InputError as error:
        return _accounts_page(request, admin, 422, {"account": str(error)})
    return back("/admin/accounts", "saved")


@router.get("/audit")
def audit_page(
    request: Request, admin: Owner, page: PageNumber = 1, who: Short = "", action: Short = ""
) -> HTMLResponse:
    """Show the audit log."""
    with database_of(request).read() as session:
        entries, count = audit.audit_page(session, page, who, action)
        known = audit.actions(session)
    query = {name: value for name, value in (("who", who), ("action", action)) if value}
    return admin_page(
        request,
        admin,
        "audit.html",
        entries=entries,
        count=count,
        actions=known,
        filters={"who": who, "action": action},
        links=page_links(count, audit.PER_PAGE, page, query),
    )
