"""The JSON API: tracks and tables for everybody; uploads and submissions for the programs of a team."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import FileResponse, JSONResponse, Response

from bearleft.errors import InputError, format_value
from bearleft.web.database.leaderboard import Submission, Team, Track
from bearleft.web.leaderboard import staging, submissions, tracks
from bearleft.web.leaderboard.routes.common import Short, folder_of, own_submission, track_of
from bearleft.web.leaderboard.routes.entering import SentSubmission, accept, file_json, receive_file
from bearleft.web.leaderboard.routes.views import submission_json, track_json
from bearleft.web.leaderboard.sessions import Bearer, SignedTeam, bearer_team, database_of
from bearleft.web.leaderboard.tables import track_table

router = APIRouter(prefix="/api/leaderboard", tags=["leaderboard"])


@router.get("/tracks")
def list_tracks(request: Request) -> list[dict[str, Any]]:
    """List the tracks."""
    with database_of(request).read() as session:
        return [track_json(track) for track in tracks.list_tracks(session)]


@router.get("/tracks/{track}")
def get_track(request: Request, track: str) -> dict[str, Any]:
    """Return a track; with a token also what is left of the team's quota."""
    team = bearer_team(request) if "authorization" in request.headers else None
    database = database_of(request)
    with database.read() as session:
        found = track_of(session, track)
        row = track_json(found)
        if team is not None:
            left = submissions.quota(session, found, session.get_one(Team, team.id), now=database.now())
            row |= {"team": team.name, "left_today": left.left_today, "left_total": left.left_total}
        return row


@router.get("/tracks/{track}/table")
def get_table(request: Request, track: str, convention: Short = "") -> list[dict[str, Any]]:
    """Return the published entries of a track as flat objects, the best first."""
    with database_of(request).read() as session:
        return track_table(session, track_of(session, track), convention=convention or None).to_rows()


@router.get("/tracks/{track}/entrants.zip")
def get_entrants(request: Request, track: str) -> Response:
    """Return the archive that entrants download: the episodes of a hidden dataset without their answers."""
    return entrants_archive(request, track)


def entrants_archive(request: Request, name: str) -> Response:
    """Return the archive of a track that everybody may see; answer 404 if there is none."""
    with database_of(request).read() as session:
        track = track_of(session, name)
    path = tracks.archive_path(folder_of(request), track)
    if path is None or not path.is_file():
        raise HTTPException(404, "This track has no archive: everybody can load its dataset.")
    return FileResponse(path, media_type="application/zip", filename=f"{track.name}.zip")


@router.get("/tracks/{track}/files/{sha256}")
def get_file(request: Request, team: Bearer, track: str, sha256: str) -> dict[str, Any]:
    """Return whether the team has uploaded a file that it has not submitted yet; 404 if it has not."""
    with database_of(request).read() as session:
        found = track_of(session, track)
    staged = staging.find_staged(folder_of(request), found, team.id, sha256)
    if staged is None:
        raise HTTPException(404, "This file was not uploaded, or was submitted.")
    return file_json(staged)


@router.put("/tracks/{track}/files/{sha256}")
async def put_file(request: Request, team: Bearer, track: str, sha256: str) -> dict[str, Any]:
    """Upload a file of traces, which is the body; its address ends with its SHA-256."""
    if not staging.DIGEST.fullmatch(sha256):
        raise InputError("the SHA-256 of the file, in hexadecimal", format_value(sha256), "sha256")
    return await receive_file(request, track, team, sha256)


@router.post("/tracks/{track}/submissions")
def submit(request: Request, team: Bearer, track: str, sent: SentSubmission) -> JSONResponse:
    """Submit uploaded files; the same key returns the same submission."""
    stored = accept(request, track, team, sent)
    return JSONResponse(_own(request, stored.public_id, team), 201)


def _own(request: Request, public_id: str, team: SignedTeam) -> dict[str, Any]:
    with database_of(request).read() as session:
        submission, track = own_submission(session, public_id, team)
        return submission_json(session, submission, track)


@router.get("/submissions")
def list_submissions(request: Request, team: Bearer) -> list[dict[str, Any]]:
    """List the submissions of the team, the newest first, without their figures."""
    with database_of(request).read() as session:
        query = select(Submission, Track).join(Track, Track.id == Submission.track_id)
        rows = session.execute(query.where(Submission.team_id == team.id).order_by(Submission.id.desc())).all()
        return [
            {
                "id": submission.public_id,
                "track": track.name,
                "title": submission.title,
                "state": submission.state,
                "published": submission.published_at is not None,
                "withdrawn": submission.withdrawn_at is not None,
                "created": submission.created_at.isoformat(timespec="seconds"),
            }
            for submission, track in rows
        ]


@router.get("/submissions/{submission}")
def get_submission(request: Request, team: Bearer, submission: str) -> dict[str, Any]:
    """Return a submission of the team: its state and, once it is scored, its figures."""
    return _own(request, submission, team)


@router.post("/submissions/{submission}/publish")
def publish(request: Request, team: Bearer, submission: str) -> dict[str, Any]:
    """Let everybody see a scored submission."""

    def change(session: Session) -> None:
        found, _ = own_submission(session, submission, team)
        submissions.publish(session, found, actor=team.actor, now=database_of(request).now())

    database_of(request).transact(change)
    return _own(request, submission, team)


@router.post("/submissions/{submission}/unpublish")
def unpublish(request: Request, team: Bearer, submission: str) -> dict[str, Any]:
    """Make a submission private again."""

    def change(session: Session) -> None:
        found, _ = own_submission(session, submission, team)
        submissions.unpublish(session, found, actor=team.actor)

    database_of(request).transact(change)
    return _own(request, submission, team)


@router.post("/submissions/{submission}/withdraw")
def withdraw(request: Request, team: Bearer, submission: str) -> dict[str, Any]:
    """Withdraw a submission for good; it still counts in the quota."""

    def change(session: Session) -> None:
        found, _ = own_submission(session, submission, team)
        submissions.withdraw(session, found, actor=team.actor, now=database_of(request).now())

    database_of(request).transact(change)
    return _own(request, submission, team)
