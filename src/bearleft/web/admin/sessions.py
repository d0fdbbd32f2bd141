"""Who is signed in: sessions of admins in a cookie, what each role may do, and the tokens of forms."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

from fastapi import HTTPException, Request
from sqlalchemy import delete, select
from sqlalchemy.orm import Session
from starlette.responses import Response

from bearleft.web.admin import delays
from bearleft.web.admin.accounts import Role, allows, find_admin
from bearleft.web.admin.audit import record
from bearleft.web.admin.passwords import hash_password, needs_new_hash, verify_password
from bearleft.web.database.admins import Admin, AdminSession
from bearleft.web.database.engines import Database
from bearleft.web.settings import Settings

COOKIE = "bearleft_admin"
LIFETIME = timedelta(hours=12)
SIGN_IN = "/admin/sign-in"
WRONG = "The name or the password is wrong."
TOKEN_LENGTH = 43  # characters of a token


@dataclass(frozen=True)
class SignedIn:
    """An admin whose browser sends a request.

    Attributes:
        id: The account.
        name: Its name.
        role: Its role.
        session_id: The session.
        form_token: What the forms of this session carry.
    """

    id: int
    name: str
    role: str
    session_id: int
    form_token: str

    def may(self, role: Role) -> bool:
        """Return whether the admin may do what a role may."""
        return allows(self.role, role)


class RefusedSignInError(Exception):
    """Nobody was signed in.

    Attributes:
        wait: How long to wait until another attempt.
    """

    def __init__(self, wait: timedelta = timedelta(0)) -> None:
        super().__init__(WRONG)
        self.wait = wait


def sign_in(database: Database, name: str, password: str, address: str) -> str:
    """Check a password, begin a session, and return its token.

    The answer and the work are the same for names that do not exist and for disabled accounts.

    Raises:
        RefusedSignInError: The name or the password is wrong, or there were too many failures.
    """
    wait = database.transact(lambda session: delays.begin_attempt(session, name, address, database.now()))
    if wait > timedelta(0):
        raise RefusedSignInError(wait)
    with database.read() as session:
        found = find_admin(session, name) if name.isprintable() and len(name) <= 80 else None
    stored = found.password if found is not None and not found.disabled else None
    if not verify_password(stored, password) or found is None or stored is None:
        typed = "".join(letter if letter.isprintable() else "?" for letter in name[:80])
        database.transact(lambda session: record(session, "nobody", "failed sign-in", address=address, name=typed))
        raise RefusedSignInError
    admin_id, fresh = found.id, hash_password(password) if needs_new_hash(stored) else stored
    token = secrets.token_urlsafe(32)

    def begin(session: Session) -> None:
        admin = session.get_one(Admin, admin_id, with_for_update=True)
        if admin.disabled or admin.password != stored:
            raise RefusedSignInError  # changed in the meantime
        admin.password = fresh
        delays.forgive(session, name, address)
        now = database.now()
        session.execute(delete(AdminSession).where(AdminSession.expires <= now))
        session.add(
            AdminSession(
                admin_id=admin_id,
                token_hash=_hash(token),
                form_token=secrets.token_urlsafe(32),
                created=now,
                expires=now + LIFETIME,
            )
        )
        record(session, admin.name, "sign in", address=address)

    database.transact(begin)
    return token


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def current_admin(request: Request) -> SignedIn | None:
    """Return the admin whose browser sends a request; None if nobody is signed in."""
    token = request.cookies.get(COOKIE, "")
    if len(token) != TOKEN_LENGTH or not token.isascii():
        return None
    database: Database = request.app.state.database
    with database.read() as session:
        row = session.execute(
            select(AdminSession, Admin)
            .join(Admin, Admin.id == AdminSession.admin_id)
            .where(AdminSession.token_hash == _hash(token), AdminSession.expires > database.now(), ~Admin.disabled)
        ).first()
    if row is None:
        return None
    signed, admin = row
    return SignedIn(admin.id, admin.name, admin.role, signed.id, signed.form_token)


def end_session(session: Session, token: str) -> None:
    """End the session of a token, if there is one."""
    session.execute(delete(AdminSession).where(AdminSession.token_hash == _hash(token)))


def requires(role: Role) -> Callable[[Request], SignedIn]:
    """Return a dependency that returns the admin of a request and refuses everybody below a role.

    Who is not signed in is led to the sign-in page by a page, and gets 401 from everything else.
    """

    def signed_in(request: Request) -> SignedIn:
        admin = current_admin(request)
        if admin is None:
            if request.method == "GET":
                raise HTTPException(303, "Sign in first.", {"Location": SIGN_IN})
            raise HTTPException(401, "You are signed out. Sign in, and try again.")
        if not admin.may(role):
            raise HTTPException(403, f"This needs the role {role}; yours is {admin.role}.")
        return admin

    signed_in.role = role  # type: ignore[attr-defined]
    return signed_in


def check_form_token(admin: SignedIn, token: str) -> None:
    """Refuse a form that does not come from a page of the session."""
    if not secrets.compare_digest(token.encode("utf-8", "replace"), admin.form_token.encode()):
        raise HTTPException(403, "This form is out of date. Load the page again.")


def set_cookie(response: Response, settings: Settings, token: str) -> None:
    """Let a browser stay signed in until the session ends."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=int(LIFETIME.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=settings.secure_cookies,
    )
