"""The leaderboard for its organisers: tracks, invitations, teams, entries, and its log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, Response

from bearleft.data.dataset import MANIFEST
from bearleft.errors import InputError, format_value
from bearleft.generate.hidden import ANSWERS
from bearleft.web.admin.forms import integer_field
from bearleft.web.admin.pages import (
    Owner,
    OwnerForm,
    PageNumber,
    ReviewerForm,
    Viewer,
    admin_page,
    back,
    database_of,
    page_links,
)
from bearleft.web.admin.sessions import SignedIn
from bearleft.web.database.leaderboard import Invitation, LeaderboardEvent, Submission, Team, Track
from bearleft.web.forms import Form
from bearleft.web.leaderboard import submissions, teams, tracks
from bearleft.web.leaderboard.errors import LeaderboardError
from bearleft.web.leaderboard.log import admin_actor, log_rows
from bearleft.web.leaderboard.routes.views import main_result
from bearleft.web.leaderboard.scoring.claims import requeue
from bearleft.web.leaderboard.tracks import TrackSettings

router = APIRouter(prefix="/admin/leaderboard", include_in_schema=False)
Short = Annotated[str, Query(max_length=200)]
DATASETS = "datasets"  # the folder of hidden datasets in the folder of the leaderboard
PER_PAGE = 100
MAX_FOLDERS = 200
FIELDS = ("name", "title", "description", "source", "dataset", "measures", "primary_measure", "convention")
DEFAULTS = TrackSettings("name")
LIMITS = {  # the smallest and the largest value
    "daily_limit": (1, 1000),
    "total_limit": (1, 100_000),
    "max_files": (1, 100),
    "time_limit_s": (1, 86_400),
    "memory_limit_mb": (256, 2**20),
}
SAID = {
    "added": "Added as a draft, which only organisers see. Open it when it is ready.",
    "open": "The track is open.",
    "closed": "The track is closed. Its table stays.",
    "draft": "The track is a draft again.",
    "hide": "The entry is hidden.",
    "show": "The entry is shown again.",
    "retry": "The submission waits for its scoring again.",
    "disable": "The team is disabled: its tokens are refused.",
    "enable": "The team is enabled.",
}


@router.get("")
def leaderboard_page(request: Request, admin: Viewer, said: Short = "") -> HTMLResponse:
    """List tracks, teams and invitations."""
    return _leaderboard_page(request, admin, said=said)


def _leaderboard_page(
    request: Request,
    admin: SignedIn,
    status: int = 200,
    problems: dict[str, str] | None = None,
    said: str = "",
    link: str = "",
) -> HTMLResponse:
    database = database_of(request)
    with database.read() as session:
        counts: dict[tuple[int, str], int] = {
            (track, state): number
            for track, state, number in session.execute(
                select(Submission.track_id, Submission.state, func.count()).group_by(
                    Submission.track_id, Submission.state
                )
            )
        }
        rows = [
            {
                "track": track,
                "waiting": counts.get((track.id, "queued"), 0) + counts.get((track.id, "scoring"), 0),
                "scored": counts.get((track.id, "scored"), 0),
                "failed": counts.get((track.id, "failed"), 0),
            }
            for track in tracks.list_tracks(session, drafts=True)
        ]
        invitations = session.execute(
            select(Invitation, Team.name)
            .outerjoin(Team, Team.id == Invitation.team_id)
            .where(Invitation.uses_left > 0, Invitation.expires_at > database.now())
            .order_by(Invitation.id.desc())
            .limit(PER_PAGE)
        ).all()
        return admin_page(
            request,
            admin,
            "leaderboard.html",
            status,
            rows=rows,
            teams=teams.team_rows(session),
            invitations=invitations,
            problems=problems or {},
            said=SAID.get(said, ""),
            link=link,
        )


@router.get("/new")
def new_track_page(request: Request, admin: Owner) -> HTMLResponse:
    """Show the form of a new track."""
    return _form_page(request, admin, {})


def _form_page(
    request: Request, admin: SignedIn, form: dict[str, str], problem: tuple[str, str] | None = None
) -> HTMLResponse:
    values = {name: form.get(name, "") for name in FIELDS}
    values["convention"] = values["convention"] or DEFAULTS.convention
    return admin_page(
        request,
        admin,
        "new-track.html",
        422 if problem else 200,
        values=values,
        limits={name: form.get(name) or getattr(DEFAULTS, name) for name in LIMITS},
        problems=dict([problem]) if problem else {},
        folders=hidden_folders(_folder(request)),
        place=_folder(request) / DATASETS,
    )


def _folder(request: Request) -> Path:
    return Path(request.app.state.settings.leaderboard)


def hidden_folders(folder: Path) -> list[str]:
    """Return the names of the hidden datasets in the folder of a leaderboard, from which tracks can be made."""
    found = (path.parents[1].name for path in (folder / DATASETS).glob(f"*/{ANSWERS}/{MANIFEST}"))
    return sorted(found)[:MAX_FOLDERS]


@router.post("/new")
def add_track(request: Request, admin: OwnerForm, form: Form) -> Response:
    """Add a track with its data, as a draft."""
    folder, text = _folder(request), {name: form.get(name, "").strip() for name in FIELDS}
    try:
        limits: dict[str, Any] = {name: integer_field(form, name, low, high) for name, (low, high) in LIMITS.items()}
        hidden = None
        if text["source"]:
            if text["source"] not in hidden_folders(folder):  # a name of the list, never a path
                raise InputError("a folder of the list", format_value(text["source"]), "source")
            hidden = folder / DATASETS / text["source"]
        elif not text["dataset"]:
            raise InputError("a dataset, or a folder with a hidden one", "neither", "dataset")
        settings = TrackSettings(
            text["name"],
            title=text["title"],
            description=text["description"],
            convention=text["convention"] or DEFAULTS.convention,
            measures=tuple(text["measures"].replace(",", " ").split()),
            primary_measure=text["primary_measure"],
            **limits,
        )
        tracks.add_track(
            database_of(request),
            folder,
            settings,
            hidden=hidden,
            dataset=text["dataset"],
            data=request.app.state.settings.data,
            actor=admin_actor(admin.name),
        )
    except (InputError, LeaderboardError) as error:
        field = getattr(error, "field", "")
        shown = str(error).replace(str(folder), "the folder of the leaderboard")
        return _form_page(request, admin, form, (field if field in (*FIELDS, *LIMITS) else "name", shown))
    return back(f"/admin/leaderboard/tracks/{settings.name}", "added")


def _track(session: Session, name: str) -> Track:
    track = tracks.find_track(session, name)
    if track is None:
        raise HTTPException(404, "There is no such track.")
    return track


@router.get("/tracks/{name}")
def track_page(request: Request, admin: Viewer, name: str, page: PageNumber = 1, said: Short = "") -> HTMLResponse:
    """Show a track with all its submissions, also private ones."""
    with database_of(request).read() as session:
        track = _track(session, name)
        count = session.scalar(select(func.count()).where(Submission.track_id == track.id)) or 0
        rows = session.execute(
            select(Submission, Team)
            .join(Team, Team.id == Submission.team_id)
            .where(Submission.track_id == track.id)
            .order_by(Submission.id.desc())
            .offset((page - 1) * PER_PAGE)
            .limit(PER_PAGE)
        ).all()
        return admin_page(
            request,
            admin,
            "leaderboard-track.html",
            track=track,
            rows=[(one, team, main_result(session, one, track)) for one, team in rows],
            count=count,
            links=page_links(count, PER_PAGE, page, {}),
            said=SAID.get(said, ""),
        )


@router.post("/tracks/{name}")
def change_track(request: Request, admin: OwnerForm, name: str, form: Form) -> Response:
    """Open or close a track, or make it a draft again."""
    state = form.get("state", "")
    database_of(request).transact(
        lambda session: tracks.set_state(session, _track(session, name), state, actor=admin_actor(admin.name))
    )
    return back(f"/admin/leaderboard/tracks/{name}", state)


@router.post("/submissions/{public_id}")
def change_submission(request: Request, admin: ReviewerForm, public_id: str, form: Form) -> Response:
    """Hide an entry, show it again, or have a failed one scored again."""
    action, actor = form.get("action", ""), admin_actor(admin.name)

    def change(session: Session) -> str:
        submission = _submission(session, public_id)
        if action == "hide":
            submissions.hide(session, submission, actor=actor)
        elif action == "show":
            submissions.hide(session, submission, actor=actor, hidden=False)
        elif action == "retry":
            requeue(session, submission, actor=actor)
        else:
            raise InputError("hide, show or retry", format_value(action), "action")
        return session.get_one(Track, submission.track_id).name

    return back(f"/admin/leaderboard/tracks/{database_of(request).transact(change)}", action)


def _submission(session: Session, public_id: str) -> Submission:
    query = select(Submission).where(Submission.public_id == public_id)
    found = session.scalars(query).one_or_none() if public_id.isprintable() and len(public_id) <= 32 else None
    if found is None:
        raise HTTPException(404, "There is no such submission.")
    return found


@router.post("/invitations")
def invite(request: Request, admin: OwnerForm, form: Form) -> HTMLResponse:
    """Make an invitation, and show its link once."""
    try:
        uses, days = integer_field(form, "uses", 1, 1000, 1), integer_field(form, "days", 1, 3650, 30)

        def make(session: Session) -> str:
            name = form.get("team", "").strip()
            team = teams.team_named(session, name) if name else None
            note, actor = form.get("note", ""), admin_actor(admin.name)
            now = database_of(request).now()
            return teams.invite(session, team=team, uses=uses, days=days, note=note, actor=actor, now=now)

        code = database_of(request).transact(make)
    except (InputError, LeaderboardError) as error:
        return _leaderboard_page(request, admin, 422, {"invitation": str(error)})
    return _leaderboard_page(request, admin, link=f"{str(request.base_url).rstrip('/')}/team/join#code={code}")


@router.post("/teams/{public_id}")
def change_team(request: Request, admin: OwnerForm, public_id: str, form: Form) -> Response:
    """Disable a team, or enable it again."""
    action = form.get("action", "")
    if action not in ("disable", "enable"):
        raise InputError("disable or enable", format_value(action), "action")

    def change(session: Session) -> None:
        query = select(Team).where(Team.public_id == public_id, ~Team.builtin)
        team = session.scalars(query).one_or_none() if public_id.isprintable() and len(public_id) <= 32 else None
        if team is None:
            raise HTTPException(404, "There is no such team.")
        now = database_of(request).now()
        teams.set_disabled(session, team, action == "disable", actor=admin_actor(admin.name), now=now)

    database_of(request).transact(change)
    return back("/admin/leaderboard", action)


@router.get("/log")
def log_page(request: Request, admin: Owner, page: PageNumber = 1, track: Short = "") -> HTMLResponse:
    """Show the log of the leaderboard, the newest line first."""
    with database_of(request).read() as session:
        of_track = _track(session, track) if track else None
        condition = [LeaderboardEvent.track_id == of_track.id] if of_track else []
        count = session.scalar(select(func.count(LeaderboardEvent.id)).where(*condition)) or 0
        rows = log_rows(session, track=of_track, limit=PER_PAGE, offset=(page - 1) * PER_PAGE)
        names = [one.name for one in tracks.list_tracks(session, drafts=True)]
    return admin_page(
        request,
        admin,
        "leaderboard-log.html",
        rows=rows,
        count=count,
        tracks=names,
        chosen=track,
        links=page_links(count, PER_PAGE, page, {"track": track} if track else {}),
    )
