"""Teams: invitations that found or extend them, tokens of their members, and the browsers in which those signed in."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from bearleft.errors import InputError, unknown_name
from bearleft.web.database.leaderboard import TITLE_LENGTH, Invitation, Submission, Team, TeamSession, Token
from bearleft.web.database.models import NAME_LENGTH
from bearleft.web.database.values import utc_now
from bearleft.web.leaderboard.errors import TeamError
from bearleft.web.leaderboard.log import record, team_actor
from bearleft.web.leaderboard.names import clean_line, clean_name, name_key

LIFETIME = timedelta(days=7)  # of a browser that is signed in
MAX_TOKENS = 20  # of a team, that are not revoked
MAX_USES, MAX_DAYS = 1000, 3650
BUILTIN = "bearleft"  # the team of the baselines
SECRET_LENGTH = 43  # characters of codes and tokens: 256 bits
_REFUSED = "This code is unknown, was used, or has expired. Ask the organiser for another one."
_TAKEN = "Another team has this name, or one that looks the same. Choose another name."


def invite(
    session: Session,
    *,
    team: Team | None = None,
    uses: int = 1,
    days: int = 30,
    note: str = "",
    actor: str,
    now: datetime | None = None,
) -> str:
    """Make an invitation, and return its code; the code itself is stored nowhere.

    Args:
        session: A session that writes.
        team: The team that is joined; None founds a new one.
        uses: How often the code can be used.
        days: After how many days it expires.
        note: For whom it is, for organisers.
        actor: Who invites, for the log.
        now: The present time.

    Raises:
        InputError: A number is out of range.
    """
    for field, value, high in (("uses", uses, MAX_USES), ("days", days, MAX_DAYS)):
        if not 1 <= value <= high:
            raise InputError(f"a number from 1 to {high:,}", str(value), field)
    now = now or utc_now()
    code = _secret()
    session.add(
        Invitation(
            code_sha256=_hash(code),
            team_id=team.id if team else None,
            note=clean_line(note, "note", NAME_LENGTH),
            uses_left=uses,
            expires_at=now + timedelta(days=days),
            created_at=now,
        )
    )
    record(session, actor, "invite", team=team, uses=uses, days=days, note=note)
    return code


def redeem(
    session: Session, code: str, *, name: str | None = None, affiliation: str = "", now: datetime | None = None
) -> tuple[Team, str]:
    """Use an invitation: found a team or join one. Return the team and a new token, which is stored nowhere.

    Args:
        session: A session that writes; what it stored is taken back after an error.
        code: The code.
        name: The name of a new team; a team that is joined keeps its own.
        affiliation: Where the members of a new team work.
        now: The present time.

    Raises:
        LeaderboardError: The code cannot be used, or the name is invalid or taken.
    """
    now = now or utc_now()
    # One statement counts and checks, so that two requests cannot share the last use.
    used = session.execute(
        update(Invitation)
        .where(Invitation.code_sha256 == _hash(code), Invitation.uses_left > 0, Invitation.expires_at > now)
        .values(uses_left=Invitation.uses_left - 1)
        .returning(Invitation.team_id)
    ).one_or_none()
    if used is None:
        raise TeamError("code", _REFUSED)
    if used.team_id is not None:
        team = session.get_one(Team, used.team_id)
        if team.disabled_at is not None:
            raise TeamError("code", _REFUSED)
        record(session, team_actor(team), "join team", team=team)
    else:
        team = _found(session, name or "", affiliation, now)
    return team, new_token(session, team, label="invitation", now=now)


def _found(session: Session, name: str, affiliation: str, now: datetime) -> Team:
    name = clean_name(name, "name of the team", TITLE_LENGTH)
    affiliation = clean_line(affiliation, "affiliation", NAME_LENGTH)
    key = name_key(name)
    if key == name_key(BUILTIN):
        raise TeamError("name_taken", _TAKEN)
    if len(key) > NAME_LENGTH:
        raise TeamError("too_long", "The name of the team is too long. Choose another name.")
    team = Team(name=name, name_key=key, affiliation=affiliation, created_at=now)
    try:
        with session.begin_nested():
            session.add(team)
    except IntegrityError:
        raise TeamError("name_taken", _TAKEN) from None
    record(session, team_actor(team), "found team", team=team, name=name)
    return team


def builtin_team(session: Session, *, now: datetime | None = None) -> Team:
    """Return the team of the baselines; it is added if it does not exist."""
    builtin = select(Team).where(Team.builtin)
    team = session.scalars(builtin).one_or_none()
    if team is not None:
        return team
    team = Team(name=BUILTIN, name_key=name_key(BUILTIN), builtin=True, created_at=now or utc_now())
    try:
        with session.begin_nested():
            session.add(team)
    except IntegrityError:  # another process added it in the meantime
        return session.scalars(builtin).one()
    return team


def new_token(session: Session, team: Team, *, label: str = "", now: datetime | None = None) -> str:
    """Return a new token of a team; the token itself is stored nowhere.

    Raises:
        TeamError: The team has too many tokens, or is disabled.
    """
    session.refresh(team, with_for_update=True)  # or two requests would add the last one
    if team.disabled_at is not None:
        raise TeamError("disabled", "This team is disabled. Ask the organiser.")
    if len(tokens_of(session, team)) >= MAX_TOKENS:
        raise TeamError("tokens", f"A team can have {MAX_TOKENS} tokens. Revoke one first.")
    token = _secret()
    label = clean_line(label, "label", NAME_LENGTH)
    session.add(Token(team_id=team.id, sha256=_hash(token), label=label, created_at=now or utc_now()))
    record(session, team_actor(team), "add token", team=team, label=label)
    return token


def tokens_of(session: Session, team: Team) -> list[Token]:
    """Return the tokens of a team that are not revoked, the oldest first."""
    query = select(Token).where(Token.team_id == team.id, Token.revoked_at.is_(None)).order_by(Token.id)
    return list(session.scalars(query))


def revoke_token(
    session: Session, team: Team, token_id: int, *, actor: str | None = None, now: datetime | None = None
) -> None:
    """Revoke a token by its number, and sign out the browsers that used it.

    Args:
        session: A session that writes.
        team: The team whose token it is.
        token_id: Its number.
        actor: Who revokes it, for the log; the team itself by default.
        now: The present time.

    Raises:
        TeamError: The team has no such token.
    """
    token = session.get(Token, token_id)
    if token is None or token.team_id != team.id or token.revoked_at is not None:
        raise TeamError("token", "The team has no such token.")
    token.revoked_at = now or utc_now()
    session.execute(delete(TeamSession).where(TeamSession.token_id == token.id))
    record(session, actor or team_actor(team), "revoke token", team=team, label=token.label)


def team_of_token(session: Session, token: str) -> Team | None:
    """Return the team of a token; None if it is unknown or revoked, or the team is disabled."""
    found = _find_token(session, token)
    return None if found is None else found[1]


def _find_token(session: Session, token: str) -> tuple[Token, Team] | None:
    if len(token) != SECRET_LENGTH or not token.isascii():
        return None
    row = session.execute(
        select(Token, Team)
        .join(Team, Team.id == Token.team_id)
        .where(Token.sha256 == _hash(token), Token.revoked_at.is_(None), Team.disabled_at.is_(None))
    ).one_or_none()
    return None if row is None else (row[0], row[1])


def mark_used(session: Session, token: str, *, now: datetime | None = None) -> None:
    """Note that a token is used, to the day; in a session that writes."""
    found = _find_token(session, token)
    today = (now or utc_now()).replace(hour=0, minute=0, second=0, microsecond=0)
    if found is not None and found[0].last_used_at != today:
        found[0].last_used_at = today


@dataclass(frozen=True)
class SignedInTeam:
    """A team whose browser sends a request.

    Attributes:
        team: The team.
        token_id: The token with which the browser signed in.
        form_token: What each form of the session carries.
    """

    team: Team
    token_id: int
    form_token: str


def sign_in(session: Session, token: str, *, now: datetime | None = None) -> str | None:
    """Begin a session of a browser, and return what its cookie holds; None if the token is refused.

    Args:
        session: A session that writes.
        token: The token of a team.
        now: The present time.
    """
    found = _find_token(session, token)
    if found is None:
        return None
    now = now or utc_now()
    mark_used(session, token, now=now)
    session.execute(delete(TeamSession).where(TeamSession.expires_at <= now))
    cookie = _secret()
    session.add(
        TeamSession(
            token_id=found[0].id,
            token_hash=_hash(cookie),
            form_token=_secret(),
            created_at=now,
            expires_at=now + LIFETIME,
        )
    )
    return cookie


def signed_in_team(session: Session, cookie: str, *, now: datetime | None = None) -> SignedInTeam | None:
    """Return the team of a cookie; None if nobody is signed in with it."""
    if len(cookie) != SECRET_LENGTH or not cookie.isascii():
        return None
    row = session.execute(
        select(TeamSession, Team)
        .join(Token, Token.id == TeamSession.token_id)
        .join(Team, Team.id == Token.team_id)
        .where(
            TeamSession.token_hash == _hash(cookie),
            TeamSession.expires_at > (now or utc_now()),
            Token.revoked_at.is_(None),
            Team.disabled_at.is_(None),
        )
    ).one_or_none()
    return None if row is None else SignedInTeam(row[1], row[0].token_id, row[0].form_token)


def sign_out(session: Session, cookie: str) -> None:
    """End the session of a cookie, if there is one."""
    session.execute(delete(TeamSession).where(TeamSession.token_hash == _hash(cookie)))


def set_disabled(session: Session, team: Team, disabled: bool, *, actor: str, now: datetime | None = None) -> None:
    """Disable a team, whose tokens are refused then, or enable it again; its entries stay where they are."""
    if disabled != (team.disabled_at is not None):
        team.disabled_at = (now or utc_now()) if disabled else None
        record(session, actor, "disable team" if disabled else "enable team", team=team)


def team_named(session: Session, name: str) -> Team:
    """Return a team by its name or its id in addresses; raise InputError with the known names if there is none."""
    found = session.scalars(select(Team).where((Team.name_key == name_key(name)) | (Team.public_id == name)))
    team = found.one_or_none()
    if team is None:
        raise unknown_name("team", name, session.scalars(select(Team.name).order_by(Team.id)))
    return team


def team_rows(session: Session) -> list[dict[str, Any]]:
    """Return a row for each team: its name, submissions, tokens and state."""
    counted = session.execute(select(Submission.team_id, func.count()).group_by(Submission.team_id))
    submissions: dict[int, int] = {row[0]: row[1] for row in counted}
    active = select(Token.team_id, func.count()).where(Token.revoked_at.is_(None)).group_by(Token.team_id)
    tokens: dict[int, int] = {row[0]: row[1] for row in session.execute(active)}
    return [
        {
            "team": team.name,
            "id": team.public_id,
            "affiliation": team.affiliation,
            "created": team.created_at.isoformat(timespec="seconds"),
            "submissions": submissions.get(team.id, 0),
            "tokens": tokens.get(team.id, 0),
            "state": "disabled" if team.disabled_at else "active",
        }
        for team in session.scalars(select(Team).order_by(Team.id))
    ]


def _secret() -> str:
    return secrets.token_urlsafe(32)


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()
