"""The form of a submission: files are sent one by one, with progress, and then the submission."""

from __future__ import annotations

import secrets
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, JSONResponse

from bearleft.web.database.leaderboard import Team
from bearleft.web.leaderboard import submissions
from bearleft.web.leaderboard.routes.common import TAG_WORDS, page, track_of
from bearleft.web.leaderboard.routes.entering import SentSubmission, accept, receive_file
from bearleft.web.leaderboard.sessions import Sending, Signed, database_of

router = APIRouter(prefix="/leaderboard", include_in_schema=False)


@router.get("/{track}/submit")
def submit_page(request: Request, team: Signed, track: str) -> HTMLResponse:
    """Show the form; its key lets a repeated request submit nothing twice."""
    database = database_of(request)
    with database.read() as session:
        found = track_of(session, track)
        if found.state != "open":
            raise HTTPException(409, "This track takes no submissions.")
        left = submissions.quota(session, found, session.get_one(Team, team.id), now=database.now())
    return page(
        request, "submit.html", team=team, track=found, quota=left, tag_words=TAG_WORDS, key=secrets.token_hex(16)
    )


@router.put("/{track}/files")
async def put_file(request: Request, team: Sending, track: str) -> dict[str, Any]:
    """Receive a file of traces, which is the body."""
    return await receive_file(request, track, team)


@router.post("/{track}/submissions")
def submit(request: Request, team: Sending, track: str, sent: SentSubmission) -> JSONResponse:
    """Accept a submission of files that were sent before."""
    return JSONResponse({"id": accept(request, track, team, sent).public_id}, 201)
