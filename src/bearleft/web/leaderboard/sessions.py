"""Which team sends a request: the cookie of a browser, or the token that a program sends in a header."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from starlette.responses import Response

from bearleft.web.admin import delays
from bearleft.web.database.engines import Database
from bearleft.web.database.leaderboard import Team
from bearleft.web.forms import Form
from bearleft.web.leaderboard import teams
from bearleft.web.operations.limits import address_key, retry_after
from bearleft.web.settings import Settings

COOKIE = "bearleft_team"
SIGN_IN = "/team/sign-in"
FORM_TOKEN = "form_token"
FORM_TOKEN_HEADER = "X-Form-Token"


@dataclass(frozen=True)
class SignedTeam:
    """A team whose browser or program sends a request.

    Attributes:
        id: The team.
        name: Its name.
        token_id: The token with which the browser signed in; 0 for programs.
        form_token: What the forms of this browser carry; empty for programs.
    """

    id: int
    name: str
    token_id: int = 0
    form_token: str = ""

    @property
    def actor(self) -> str:
        """Who acts, for the log."""
        return f"team:{self.id}"


def database_of(request: Request) -> Database:
    """Return the database of the application."""
    database: Database = request.app.state.database
    return database


def current_team(request: Request) -> SignedTeam | None:
    """Return the team whose browser sends a request; None if nobody is signed in."""
    cookie = request.cookies.get(COOKIE)
    if not cookie:
        return None
    database = database_of(request)
    with database.read() as session:
        found = teams.signed_in_team(session, cookie, now=database.now())
        return None if found is None else SignedTeam(found.team.id, found.team.name, found.token_id, found.form_token)


def signed_team(request: Request) -> SignedTeam:
    """Return the team whose browser sends a request; lead pages of nobody to the sign-in page."""
    team = current_team(request)
    if team is None:
        if request.method == "GET":
            raise HTTPException(303, "Sign in first.", {"Location": SIGN_IN})
        raise HTTPException(401, "You are signed out. Sign in, and try again.")
    return team


def checked_team(request: Request, form: Form) -> SignedTeam:
    """Return the team of a form, whose token is checked."""
    return _checked(signed_team(request), form.get(FORM_TOKEN, ""))


def sending_team(request: Request) -> SignedTeam:
    """Return the team of a request that a script of a page sends, whose token is checked."""
    return _checked(signed_team(request), request.headers.get(FORM_TOKEN_HEADER, ""))


def _checked(team: SignedTeam, token: str) -> SignedTeam:
    if not hmac.compare_digest(token.encode("utf-8", "replace"), team.form_token.encode()):
        raise HTTPException(403, "This form is out of date. Load the page again.")
    return team


def bearer_team(request: Request) -> SignedTeam:
    """Return the team whose program sends a request: `Authorization: Bearer TOKEN`, nothing else.

    Who sends wrong tokens waits longer with each, as with wrong passwords; right tokens never wait.
    """
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    token = token.strip()
    database = database_of(request)
    team: Team | None = None
    if kind.lower() == "bearer" and token:
        with database.read() as session:
            team = teams.team_of_token(session, token)
        if team is None:
            begin_attempt(request, token)
    if team is None:
        headers = {"WWW-Authenticate": "Bearer"}
        raise HTTPException(401, "This needs the token of a team: Authorization: Bearer TOKEN.", headers)
    if request.method != "GET":
        database.transact(lambda session: teams.mark_used(session, token, now=database.now()))
    return SignedTeam(team.id, team.name)


def begin_attempt(request: Request, secret: str) -> None:
    """Count an attempt with a token or a code as a failure, until `forgive_attempt`; answer 429 after many."""
    database = database_of(request)
    name, address = _names(request, secret)
    wait = database.transact(lambda session: delays.begin_attempt(session, name, address, database.now()))
    if wait > timedelta(0):
        seconds = retry_after(wait.total_seconds())
        raise HTTPException(429, f"Too many failures. Try again in {seconds} s.", {"Retry-After": seconds})


def forgive_attempt(request: Request, secret: str) -> None:
    """Forget the failures of an address whose token or code was good."""
    name, address = _names(request, secret)
    database_of(request).transact(lambda session: delays.forgive(session, name, address))


def _names(request: Request, secret: str) -> tuple[str, str]:
    """Return names of the delays, which are no admin's; they are hashed before they are stored."""
    address = address_key(request.client.host) if request.client else "unknown"
    return f"leaderboard {sha256(secret.encode('utf-8', 'replace')).hexdigest()}", f"leaderboard {address}"


def set_cookie(response: Response, settings: Settings, cookie: str) -> None:
    """Let a browser stay signed in until the session ends."""
    response.set_cookie(
        COOKIE,
        cookie,
        max_age=int(teams.LIFETIME.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=settings.secure_cookies,
    )


Signed = Annotated[SignedTeam, Depends(signed_team)]
Checked = Annotated[SignedTeam, Depends(checked_team)]
Sending = Annotated[SignedTeam, Depends(sending_team)]
Bearer = Annotated[SignedTeam, Depends(bearer_team)]
