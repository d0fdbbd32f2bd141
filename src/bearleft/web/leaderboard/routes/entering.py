"""What the form and the API share: receive a file, accept a submission, and show one as JSON."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import InputError
from bearleft.web.database.leaderboard import Submission, Team, Track
from bearleft.web.leaderboard import staging, submissions
from bearleft.web.leaderboard.errors import UploadError
from bearleft.web.leaderboard.routes.common import folder_of, track_of
from bearleft.web.leaderboard.sessions import SignedTeam, database_of
from bearleft.web.leaderboard.staging import StagedFile, Upload
from bearleft.web.leaderboard.submissions import EntryDetails
from bearleft.web.security import BodyTooLargeError

MAX_NAME = 4000


class SentFile(BaseModel):
    """A file of a submission, which was uploaded before."""

    model_config = ConfigDict(extra="forbid")
    seed: int = Field(0, ge=0, le=submissions.MAX_SEED)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class SentSubmission(BaseModel):
    """A submission as the form and programs send it."""

    model_config = ConfigDict(extra="forbid")
    title: str = Field(max_length=MAX_NAME)
    files: list[SentFile] = Field(min_length=1, max_length=100)
    key: str = Field(max_length=64)
    tags: list[str] = Field([], max_length=20)
    cost: str = Field("", max_length=MAX_NAME)
    code_url: str = Field("", max_length=MAX_NAME)
    paper_url: str = Field("", max_length=MAX_NAME)
    note: str = Field("", max_length=MAX_NAME)


async def receive_file(request: Request, track_name: str, team: SignedTeam, digest: str = "") -> dict[str, Any]:
    """Receive a file that is the body of a request, and return what is known of it.

    A file that is announced as too large is refused before it is read; one that turns out to be, when it does.
    """
    database, folder = database_of(request), folder_of(request)

    def find() -> Track:
        with database.read() as session:
            track = track_of(session, track_name)
            if track.state != "open":
                raise HTTPException(409, "This track takes no submissions.")
            return track

    track = await asyncio.to_thread(find)
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced[:20]) > track.max_bytes:
        raise BodyTooLargeError(track.max_bytes)
    with Upload(folder, track, team.id) as upload:
        async for piece in request.stream():
            upload.write(piece)
        return file_json(await asyncio.to_thread(upload.finish, digest))


def file_json(staged: StagedFile) -> dict[str, Any]:
    """Return what a team is told of a file."""
    return {"sha256": staged.sha256, "bytes": staged.stored.bytes}


def accept(request: Request, track_name: str, team: SignedTeam, sent: SentSubmission) -> Submission:
    """Accept a submission of files that were uploaded before; the same key returns the same submission."""
    database, folder = database_of(request), folder_of(request)
    digests = {file.seed: file.sha256 for file in sent.files}
    if len(digests) < len(sent.files):
        raise InputError("one file for each seed", "a seed twice", "files")
    with database.read() as session:
        track, owner = track_of(session, track_name), session.get_one(Team, team.id)
        before = _before(session, team, sent.key)
    details = EntryDetails(sent.title, tuple(sent.tags), sent.cost, sent.code_url, sent.paper_url, sent.note)
    try:
        files = staging.take_staged(folder, track, team.id, digests)
    except UploadError:
        # After a submission its staged files are gone: whoever did not get the answer gets it now.
        if before is not None and before.track_id == track.id:
            return before
        raise
    stored = submissions.submit(database, track, owner, files, details, key=sent.key, folder=folder)
    staging.remove_staged(folder, track, team.id, digests.values())
    return stored


def _before(session: Session, team: SignedTeam, key: str) -> Submission | None:
    query = select(Submission).where(Submission.team_id == team.id, Submission.key == key)
    return session.scalars(query).one_or_none() if key.isprintable() else None
