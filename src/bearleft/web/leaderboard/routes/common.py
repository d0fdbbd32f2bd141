"""What the routes of the leaderboard share: pages, tracks and submissions by their names, and who may see them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import HTTPException, Query, Request
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse

from bearleft.web.database.leaderboard import Submission, Team, Track
from bearleft.web.leaderboard import tracks
from bearleft.web.leaderboard.sessions import SignedTeam, current_team
from bearleft.web.leaderboard.submissions import TAGS, find_submission, is_public
from bearleft.web.templating import render

Short = Annotated[str, Query(max_length=200)]
TAG_WORDS = {tag: words.removeprefix("Uses ") for tag, words in TAGS.items()}
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


def submission_of(session: Session, public_id: str, team: SignedTeam | None) -> tuple[Submission, Track, Team]:
    """Return a submission that is public or the team's own, with its track and team; answer 404 for others."""
    submission = find_submission(session, public_id)
    if submission is not None:
        track, owner = session.get_one(Track, submission.track_id), session.get_one(Team, submission.team_id)
        is_own = team is not None and owner.id == team.id
        if is_own or (is_public(submission) and track.state != "draft" and owner.disabled_at is None):
            return submission, track, owner
    raise HTTPException(404, "There is no such submission.")


def own_submission(session: Session, public_id: str, team: SignedTeam) -> tuple[Submission, Track]:
    """Return a submission of a team; answer 404 for those of others, as for those that do not exist."""
    submission, track, owner = submission_of(session, public_id, team)
    if owner.id != team.id:
        raise HTTPException(404, "There is no such submission.")
    return submission, track
