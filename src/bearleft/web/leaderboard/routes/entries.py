"""The page of an entry: its figures and what is known of its system; and a report, where the answers are public."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from fastapi import APIRouter, HTTPException, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse

from bearleft.reports.html.quality import Limits
from bearleft.reports.html.report import report
from bearleft.web.database.leaderboard import Submission, SubmissionFile, Track
from bearleft.web.leaderboard import tracks, uploads
from bearleft.web.leaderboard.routes.common import SAID, Short, folder_of, own_submission, page, submission_of
from bearleft.web.leaderboard.routes.views import figure_tables, figures_of
from bearleft.web.leaderboard.sessions import Signed, current_team, database_of

router = APIRouter(prefix="/leaderboard", include_in_schema=False)
REPORT_EXAMPLES = 200
REPORT_LIMITS = Limits(seconds=20.0, bytes=20e6)
# The report holds scripts of its own. In a sandbox it has no origin: it can use neither the session nor the API.
REPORT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "sandbox allow-scripts allow-downloads"
)
_making_report = threading.Lock()  # a report takes a core for seconds


@router.get("/{track}/entries/{submission}")
def entry_page(request: Request, track: str, submission: str, said: Short = "") -> HTMLResponse:
    """Show an entry that is public, or the team's own."""
    team = current_team(request)
    with database_of(request).read() as session:
        found, of_track, owner = submission_of(session, submission, team)
        _check_track(of_track, track)
        is_own = team is not None and owner.id == team.id
        rows = figures_of(session, found, of_track) if found.state == "scored" else []
        figures, seeds = figure_tables(rows, of_track)
        files = _files(session, found)
        return page(
            request,
            "entry.html",
            team=team,
            submission=found,
            track=of_track,
            owner=owner,
            is_own=is_own,
            waiting=is_own and found.state in ("queued", "scoring") and found.withdrawn_at is None,
            figures=figures,
            seeds=seeds,
            files=files,
            dataset=of_track.dataset,
            has_report=is_own and not of_track.hidden and bool(files) and found.state == "scored",
            said=SAID.get(said, ""),
        )


def _check_track(track: Track, name: str) -> None:
    if track.name != name:
        raise HTTPException(404, "There is no such submission.")


def _files(session: Session, submission: Submission) -> list[SubmissionFile]:
    query = select(SubmissionFile).where(SubmissionFile.submission_id == submission.id)
    return list(session.scalars(query.order_by(SubmissionFile.seed)))


@router.get("/{track}/entries/{submission}/state")
def entry_state(request: Request, team: Signed, track: str, submission: str) -> dict[str, str]:
    """Return the state of a submission of the team."""
    with database_of(request).read() as session:
        found, of_track = own_submission(session, submission, team)
        _check_track(of_track, track)
        return {"state": found.state}


@router.get("/{track}/entries/{submission}/report.html")
def entry_report(request: Request, team: Signed, track: str, submission: str) -> HTMLResponse:
    """Return a report of every episode of the team's own submission; never where the answers are hidden."""
    folder = folder_of(request)
    settings = request.app.state.settings
    with database_of(request).read() as session:
        found, of_track = own_submission(session, submission, team)
        _check_track(of_track, track)
        files = _files(session, found)
    if of_track.hidden or not files or found.state != "scored":
        raise HTTPException(404, "There is a report of scored submissions where the answers are public.")
    if not _making_report.acquire(blocking=False):
        raise HTTPException(503, "The server is making another report. Try again in a moment.", {"Retry-After": "10"})
    try:
        with tempfile.TemporaryDirectory() as place:
            target = Path(place) / "report.html"
            report(
                *[uploads.file_path(folder, file) for file in files],
                output=target,
                title=found.title,
                examples=REPORT_EXAMPLES,
                pictures=list(settings.pictures) or None,
                city=settings.city,
                device=settings.device,
                data=tracks.answers_source(folder, of_track, settings.data).data,
                convention=of_track.convention,
                limits=REPORT_LIMITS,
            )
            content = target.read_bytes()
    finally:
        _making_report.release()
    return HTMLResponse(content, headers={"Content-Security-Policy": REPORT_POLICY, "Cache-Control": "no-store"})
