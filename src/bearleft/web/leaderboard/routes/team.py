"""Sign in as a team, use an invitation, and the team's own page: submissions, quota, tokens."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from bearleft.errors import InputError, format_value
from bearleft.web.admin.pages import back
from bearleft.web.database.leaderboard import Submission, Team, TeamSession, Token, Track
from bearleft.web.database.values import MAX_INTEGER
from bearleft.web.forms import Form
from bearleft.web.leaderboard import sessions, submissions, teams
from bearleft.web.leaderboard.routes.common import SAID, Short, database_of, own_submission, page
from bearleft.web.leaderboard.sessions import COOKIE, SIGN_IN, Checked, Signed, SignedTeam

router = APIRouter(prefix="/team", include_in_schema=False)
JOIN_FIELDS = ("code", "name", "affiliation")
ACTIONS = {
    "publish": submissions.publish,
    "unpublish": submissions.unpublish,
    "withdraw": submissions.withdraw,
}


@router.get("/sign-in")
def sign_in_page(request: Request, said: Short = "") -> Response:
    """Show the form to sign in with a token."""
    if sessions.current_team(request) is not None:
        return RedirectResponse("/team", 303)
    return page(request, "sign-in.html", team=None, said=SAID.get(said, ""))


@router.post("/sign-in")
def sign_in(request: Request, form: Form) -> Response:
    """Sign a browser in with a token of a team."""
    token = form.get("token", "").strip()
    sessions.begin_attempt(request, token)
    value = sessions.begin_session(database_of(request), token)
    if value is None:
        return page(request, "sign-in.html", 403, team=None, problem="No team has this token, or it was revoked.")
    sessions.forgive_attempt(request, token)
    return _signed_in(request, back("/team", "in"), value)


def _signed_in(request: Request, response: Response, value: str) -> Response:
    """Let the browser have a new session, and end the one that it had."""
    if old := request.cookies.get(COOKIE):
        sessions.end_session(database_of(request), old)
    sessions.set_cookie(response, request.app.state.settings, value)
    return response


@router.post("/sign-out")
def sign_out(request: Request, team: Checked) -> Response:
    """End the session of this browser."""
    sessions.end_session(database_of(request), request.cookies[COOKIE])
    response = back(SIGN_IN, "out")
    response.delete_cookie(COOKIE)
    return response


@router.get("/join")
def join_page(request: Request) -> HTMLResponse:
    """Show the form for a code; a link of an invitation has it after the #, which no server sees."""
    return page(request, "join.html", values=dict.fromkeys(JOIN_FIELDS, ""), problems={})


@router.post("/join")
def join(request: Request, form: Form) -> Response:
    """Found or join a team with the code of an invitation, and show the token once."""
    database = database_of(request)
    values = {name: form.get(name, "").strip() for name in JOIN_FIELDS}
    code = values["code"]
    sessions.begin_attempt(request, code)
    try:
        if not sessions.is_secret(code):
            raise InputError("a code of an invitation", "another text", "code")

        def redeem(session: Session) -> tuple[str, str]:
            team, token = teams.redeem(session, code, name=values["name"] or None, affiliation=values["affiliation"])
            return team.name, token

        name, token = database.transact(redeem)
    except InputError as error:
        if error.field not in ("", "code"):  # the code is good
            sessions.forgive_attempt(request, code)
        problems = {error.field if error.field in JOIN_FIELDS else "code": str(error)}
        return page(request, "join.html", 422, values=values, problems=problems)
    sessions.forgive_attempt(request, code)
    value = sessions.begin_session(database, token)
    response = _token_page(request, token, name, welcome=True)
    return response if value is None else _signed_in(request, response, value)


def _token_page(request: Request, token: str, name: str, welcome: bool = False) -> HTMLResponse:
    address = str(request.base_url).rstrip("/")
    return page(request, "token.html", new_token=token, name=name, welcome=welcome, address=address)


@router.get("")
def team_page(request: Request, team: Signed, said: Short = "") -> HTMLResponse:
    """Show a team its submissions, what is left of its quotas, and its tokens."""
    return _team_page(request, team, said=said)


def _team_page(
    request: Request, team: SignedTeam, status: int = 200, problems: dict[str, str] | None = None, said: str = ""
) -> HTMLResponse:
    with database_of(request).read() as session:
        own = session.get_one(Team, team.id)
        stored = session.execute(
            select(Submission, Track)
            .join(Track, Track.id == Submission.track_id)
            .where(Submission.team_id == team.id)
            .order_by(Submission.id.desc())
        ).all()
        open_tracks = session.scalars(select(Track).where(Track.state == "open").order_by(Track.id)).all()
        tokens = session.scalars(
            select(Token).where(Token.team_id == team.id, Token.revoked_at.is_(None)).order_by(Token.id)
        ).all()
        current = session.scalars(select(TeamSession.token_id).where(TeamSession.form_token == team.form_token)).first()
        return page(
            request,
            "team.html",
            status,
            team=team,
            own=own,
            rows=[
                {"submission": row, "track": track, "result": main_result(session, row, track)} for row, track in stored
            ],
            tracks=[{"track": one, "quota": submissions.quota(session, one, own)} for one in open_tracks],
            tokens=tokens,
            current_token=current,
            problems=problems or {},
            said=SAID.get(said, ""),
        )


@router.post("/submissions/{submission}")
def change_submission(request: Request, team: Checked, submission: str, form: Form) -> Response:
    """Publish, unpublish or withdraw a submission of the team."""
    action = form.get("action", "")
    if action not in ACTIONS:
        raise InputError(", ".join(ACTIONS), format_value(action), "action")

    def change(session: Session) -> None:
        found, _ = own_submission(session, submission, team)
        ACTIONS[action](session, found, actor=f"team:{team.public_id}")

    database_of(request).transact(change)
    return back("/team", action)


@router.post("/tokens")
def make_token(request: Request, team: Checked, form: Form) -> Response:
    """Make another token of the team, and show it once."""

    def make(session: Session) -> str:
        return teams.new_token(session, session.get_one(Team, team.id), label=form.get("label", "").strip())

    try:
        token = database_of(request).transact(make)
    except InputError as error:
        return _team_page(request, team, 422, {"label": str(error)})
    return _token_page(request, token, team.name)


@router.post("/tokens/{number}/revoke")
def revoke_token(request: Request, team: Checked, number: int) -> Response:
    """Revoke a token of the team."""

    def revoke(session: Session) -> None:
        token = session.get(Token, number) if 0 < number <= MAX_INTEGER else None
        if token is None or token.team_id != team.id:
            raise HTTPException(404, "There is no such token.")
        teams.revoke_token(session, token, actor=f"team:{team.public_id}")

    database_of(request).transact(revoke)
    return back("/team", "revoked")
