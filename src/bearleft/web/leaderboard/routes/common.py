"""What the routes of the leaderboard share: pages, tracks and submissions by their names, and who may see them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import HTTPException, Query, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse

from bearleft.web.database.leaderboard import Submission, Team, Track
from bearleft.web.leaderboard import tracks
from bearleft.web.leaderboard.sessions import SignedTeam, current_team
from bearleft.web.templating import render

Short = Annotated[str, Query(max_length=200)]
ID_LENGTH = 32
TAG_WORDS = {
    "pictures": "pictures",
    "ground_truth": "ground truth of the scene",
    "language_model": "a language model",
    "generator_grammar": "the grammar of the generator",
}
# What the page before says; a list of texts, so that an address cannot put words into a page's mouth.
SAID = {
    "in": "You are signed in.",
    "out": "You are signed out.",
    "revoked": "The token is revoked, and the browsers that signed in with it are signed out.",
    "submitted": "Submitted.",
    "publish": "Published: everybody sees it in the table.",
    "unpublish": "No longer published.",
    "withdraw": "Withdrawn.",
}


def folder_of(request: Request) -> Path:
    """Return the private folder of uploads and answers."""
    return Path(request.app.state.settings.leaderboard)


def address_of(request: Request) -> str:
    """Return the address of the server, as the browser sees it."""
    return str(request.base_url).rstrip("/")


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page; `team` is the team that is signed in, unless it is given."""
    if "team" not in values:
        values["team"] = current_team(request)
    return render(request, f"leaderboard/{template}", status, **values)


def track_of(session: Session, name: str) -> Track:
    """Return a track that everybody may see; answer 404 for others."""
    track = tracks.find_track(session, name)
    if track is None or track.state == "draft":
        raise HTTPException(404, "There is no such track.")
    return track


def is_public(submission: Submission) -> bool:
    """Return whether everybody may see a submission."""
    shown = submission.state == "scored" and submission.published_at is not None
    return shown and submission.withdrawn_at is None and submission.hidden_at is None


def submission_of(session: Session, public_id: str, team: SignedTeam | None) -> tuple[Submission, Track, Team]:
    """Return a submission that is public or the team's own, with its track and team; answer 404 for others."""
    row = None
    if len(public_id) <= ID_LENGTH and public_id.isascii() and public_id.isprintable():
        row = session.execute(
            select(Submission, Track, Team)
            .join(Track, Track.id == Submission.track_id)
            .join(Team, Team.id == Submission.team_id)
            .where(Submission.public_id == public_id)
        ).first()
    if row is not None:
        submission, track, owner = row
        is_own = team is not None and owner.id == team.id
        if is_own or (is_public(submission) and track.state != "draft"):
            return submission, track, owner
    raise HTTPException(404, "There is no such submission.")


def own_submission(session: Session, public_id: str, team: SignedTeam) -> tuple[Submission, Track]:
    """Return a submission of a team; answer 404 for those of others, as for those that do not exist."""
    submission, track, owner = submission_of(session, public_id, team)
    if owner.id != team.id:
        raise HTTPException(404, "There is no such submission.")
    return submission, track
