"""Which team sends a request: sessions of browsers in a cookie, tokens of programs in a header."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from sqlalchemy import delete, select
from sqlalchemy.orm import Session
from starlette.responses import Response

from bearleft.web.admin import delays
from bearleft.web.database.engines import Database
from bearleft.web.database.leaderboard import Team, TeamSession, Token
from bearleft.web.forms import Form
from bearleft.web.leaderboard import teams
from bearleft.web.operations.limits import address_key, retry_after
from bearleft.web.settings import Settings

COOKIE = "bearleft_team"
LIFETIME = timedelta(days=30)
SIGN_IN = "/team/sign-in"
FORM_TOKEN = "form_token"
FORM_TOKEN_HEADER = "X-Form-Token"
TOKEN_LENGTH = 43  # characters of the token of a session
MAX_SECRET = 200  # characters of a token or a code that is looked up


@dataclass(frozen=True)
class SignedTeam:
    """A team whose browser or program sends a request.

    Attributes:
        id: The team.
        public_id: Its id in addresses.
        name: Its name.
        form_token: What the forms of this browser carry; empty for programs.
    """

    id: int
    public_id: str
    name: str
    form_token: str = ""


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def is_secret(text: str) -> bool:
    """Return whether a text may be a token or a code: nothing else is looked up."""
    return 0 < len(text) <= MAX_SECRET and text.isascii() and text.isprintable() and " " not in text


def begin_session(database: Database, token: str) -> str | None:
    """Begin a session of the team that has a token, and return what its cookie holds; None if nobody has it."""
    if not is_secret(token):
        return None
    value = secrets.token_urlsafe(32)

    def begin(session: Session) -> str | None:
        if teams.team_of_token(session, token) is None:
            return None
        now = database.now()
        token_id = session.scalars(select(Token.id).where(Token.sha256 == _hash(token))).one()
        session.execute(delete(TeamSession).where(TeamSession.expires_at <= now))
        form_token = secrets.token_urlsafe(32)
        row = TeamSession(token_id=token_id, token_hash=_hash(value), form_token=form_token, created_at=now)
        row.expires_at = now + LIFETIME
        session.add(row)
        return value

    return database.transact(begin)


def end_session(database: Database, value: str) -> None:
    """End the session of a cookie, if there is one."""
    statement = delete(TeamSession).where(TeamSession.token_hash == _hash(value[:MAX_SECRET]))
    database.transact(lambda session: session.execute(statement))


def current_team(request: Request) -> SignedTeam | None:
    """Return the team whose browser sends a request; None if nobody is signed in."""
    value = request.cookies.get(COOKIE, "")
    if len(value) != TOKEN_LENGTH or not value.isascii():
        return None
    database: Database = request.app.state.database
    with database.read() as session:
        row = session.execute(
            select(Team, TeamSession.form_token)
            .join(Token, Token.team_id == Team.id)
            .join(TeamSession, TeamSession.token_id == Token.id)
            .where(
                TeamSession.token_hash == _hash(value),
                TeamSession.expires_at > database.now(),
                Token.revoked_at.is_(None),
                Team.disabled_at.is_(None),
            )
        ).first()
    if row is None:
        return None
    team, form_token = row
    return SignedTeam(team.id, team.public_id, team.name, form_token)


def signed_team(request: Request) -> SignedTeam:
    """Return the team whose browser sends a request; lead pages of nobody to the sign-in page."""
    team = current_team(request)
    if team is None:
        if request.method == "GET":
            raise HTTPException(303, "Sign in first.", {"Location": SIGN_IN})
        raise HTTPException(401, "You are signed out. Sign in, and try again.")
    return team


def check_form_token(team: SignedTeam, token: str) -> None:
    """Refuse a form that does not come from a page of the session."""
    if not hmac.compare_digest(token.encode("utf-8", "replace"), team.form_token.encode()):
        raise HTTPException(403, "This form is out of date. Load the page again.")


def checked_team(request: Request, form: Form) -> SignedTeam:
    """Return the team of a form, whose token is checked."""
    team = signed_team(request)
    check_form_token(team, form.get(FORM_TOKEN, ""))
    return team


def sending_team(request: Request) -> SignedTeam:
    """Return the team of a request of a browser without a form, such as an upload."""
    team = signed_team(request)
    check_form_token(team, request.headers.get(FORM_TOKEN_HEADER, ""))
    return team


def bearer_team(request: Request) -> SignedTeam:
    """Return the team whose program sends a request: `Authorization: Bearer TOKEN`, nothing else.

    Wrong tokens of an address are answered more and more slowly, as wrong passwords are.
    """
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    database: Database = request.app.state.database
    team = None
    if kind.lower() == "bearer" and is_secret(token := token.strip()):
        team = database.transact(lambda session: _identified(teams.team_of_token(session, token)))
        if team is None:
            begin_attempt(request, token)
    if team is None:
        raise HTTPException(401, "This needs the token of a team: Authorization: Bearer TOKEN.", _CHALLENGE)
    return team


_CHALLENGE = {"WWW-Authenticate": "Bearer"}


def _identified(team: Team | None) -> SignedTeam | None:
    return None if team is None else SignedTeam(team.id, team.public_id, team.name)


def begin_attempt(request: Request, secret: str) -> None:
    """Count an attempt with a token or a code as a failure, until `forgive_attempt`; answer 429 if there were many."""
    database: Database = request.app.state.database
    name, address = _attempt(request, secret)
    wait = database.transact(lambda session: delays.begin_attempt(session, name, address, database.now()))
    if wait > timedelta(0):
        headers = {"Retry-After": retry_after(wait.total_seconds())}
        raise HTTPException(429, "Too many failures. Try again later.", headers)


def forgive_attempt(request: Request, secret: str) -> None:
    """Forget the failures of an address that has signed in."""
    database: Database = request.app.state.database
    name, address = _attempt(request, secret)
    database.transact(lambda session: delays.forgive(session, name, address))


def _attempt(request: Request, secret: str) -> tuple[str, str]:
    """Return names of the delays: they are hashed before they are stored, and are no admin's."""
    address = address_key(request.client.host) if request.client else "unknown"
    return f"leaderboard secret {_hash(secret[:MAX_SECRET])}", f"leaderboard {address}"


def set_cookie(response: Response, settings: Settings, value: str) -> None:
    """Let a browser stay signed in until the session ends."""
    response.set_cookie(
        COOKIE,
        value,
        max_age=int(LIFETIME.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=settings.secure_cookies,
    )


Signed = Annotated[SignedTeam, Depends(signed_team)]
Checked = Annotated[SignedTeam, Depends(checked_team)]
Sending = Annotated[SignedTeam, Depends(sending_team)]
Bearer = Annotated[SignedTeam, Depends(bearer_team)]
