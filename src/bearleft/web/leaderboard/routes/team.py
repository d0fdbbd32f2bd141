"""Sign in as a team, use an invitation, and the team's own page: submissions, quota, tokens."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from bearleft.errors import InputError, format_value
from bearleft.web.admin.pages import back
from bearleft.web.database.leaderboard import Submission, Team, Track
from bearleft.web.database.values import MAX_INTEGER
from bearleft.web.forms import Form
from bearleft.web.leaderboard import sessions, submissions, teams
from bearleft.web.leaderboard.errors import LeaderboardError, TeamError
from bearleft.web.leaderboard.routes.common import SAID, Short, address_of, own_submission, page
from bearleft.web.leaderboard.routes.views import main_result
from bearleft.web.leaderboard.sessions import COOKIE, SIGN_IN, Checked, Signed, SignedTeam, database_of

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
    cookie = _begin_session(request, token)
    if cookie is None:
        return page(request, "sign-in.html", 403, team=None, problem="No team has this token, or it was revoked.")
    sessions.forgive_attempt(request, token)
    return _signed_in(request, back("/team", "in"), cookie)


def _begin_session(request: Request, token: str) -> str | None:
    """Begin a session, end the one that the browser had, and return the new cookie."""
    database = database_of(request)
    old = request.cookies.get(COOKIE, "")

    def begin(session: Session) -> str | None:
        cookie = teams.sign_in(session, token, now=database.now())
        if cookie is not None:
            teams.sign_out(session, old)
        return cookie

    return database.transact(begin)


def _signed_in(request: Request, response: Response, cookie: str) -> Response:
    sessions.set_cookie(response, request.app.state.settings, cookie)
    return response


@router.post("/sign-out")
def sign_out(request: Request, _: Checked) -> Response:
    """End the session of this browser."""
    database_of(request).transact(lambda session: teams.sign_out(session, request.cookies[COOKIE]))
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

    def redeem(session: Session) -> tuple[str, str]:
        team, token = teams.redeem(
            session, code, name=values["name"], affiliation=values["affiliation"], now=database.now()
        )
        return team.name, token

    try:
        name, token = database.transact(redeem)
    except LeaderboardError as error:
        if error.code != "code":  # the code is good, and can be used with another name
            sessions.forgive_attempt(request, code)
        problems = {"code" if error.code in ("code", "tokens") else "name": str(error)}
        return page(request, "join.html", 422, values=values, problems=problems)
    sessions.forgive_attempt(request, code)
    cookie = _begin_session(request, token)
    response = _token_page(request, token, SignedTeam(0, name), welcome=True)
    return response if cookie is None else _signed_in(request, response, cookie)


def _token_page(request: Request, token: str, team: SignedTeam, welcome: bool = False) -> HTMLResponse:
    return page(request, "token.html", team=team, new_token=token, welcome=welcome, address=address_of(request))


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
            tokens=teams.tokens_of(session, own),
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
        ACTIONS[action](session, found, actor=team.actor)

    database_of(request).transact(change)
    return back("/team", action)


@router.post("/tokens")
def make_token(request: Request, team: Checked, form: Form) -> Response:
    """Make another token of the team, and show it once."""

    def make(session: Session) -> str:
        return teams.new_token(session, session.get_one(Team, team.id), label=form.get("label", "").strip())

    try:
        token = database_of(request).transact(make)
    except LeaderboardError as error:
        return _team_page(request, team, 422, {"label": str(error)})
    return _token_page(request, token, team)


@router.post("/tokens/{number}/revoke")
def revoke_token(request: Request, team: Checked, number: int) -> Response:
    """Revoke a token of the team."""

    def revoke(session: Session) -> None:
        teams.revoke_token(session, session.get_one(Team, team.id), min(number, MAX_INTEGER))

    try:
        database_of(request).transact(revoke)
    except TeamError as error:
        raise HTTPException(404, str(error)) from None
    return back("/team", "revoked")
