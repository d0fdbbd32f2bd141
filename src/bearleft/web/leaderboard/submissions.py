"""Submissions: accepted within the quota of a team, private until published, and withdrawn without a refund.

The quota is counted in the transaction that stores a submission, while the team is locked: of any number of requests
at once, no more are accepted than are left. A file that is refused does not count; one that is accepted does, also if
its scoring fails or it is withdrawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from bearleft.web.database.engines import Database
from bearleft.web.database.leaderboard import (
    DESCRIPTION_LENGTH,
    TITLE_LENGTH,
    URL_LENGTH,
    Submission,
    SubmissionFile,
    Team,
    Track,
)
from bearleft.web.database.values import utc_now
from bearleft.web.leaderboard.errors import QuotaError, SubmissionError, UploadError
from bearleft.web.leaderboard.log import record, team_actor
from bearleft.web.leaderboard.names import clean_line, clean_name, clean_text, clean_url
from bearleft.web.leaderboard.uploads import CheckedUpload, StoredUpload, clean, discard, relative_path

# What a system may use, as tables show it.
TAGS = {
    "pictures": "Uses pictures",
    "ground_truth": "Uses ground truth of the scene",
    "language_model": "Uses a language model",
    "generator_grammar": "Uses the grammar of the text generator",
}
MAX_SEED = 2**31 - 1
_KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_PUBLIC_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class EntryDetails:
    """What a team tells of its system.

    Attributes:
        title: Its name.
        tags: What it uses, of `TAGS`.
        cost: What a run costs, such as "3 USD".
        code_url: Address of the code.
        paper_url: Address of the paper.
        note: More about it.
    """

    title: str
    tags: Sequence[str] = ()
    cost: str = ""
    code_url: str = ""
    paper_url: str = ""
    note: str = ""

    def cleaned(self) -> EntryDetails:
        """Return the details as they are stored.

        Raises:
            LeaderboardError: A text is invalid, or a tag unknown.
        """
        unknown = [tag for tag in self.tags if tag not in TAGS]
        if unknown:
            raise SubmissionError("tags", f"The tags have to be some of {', '.join(TAGS)}.")
        return EntryDetails(
            clean_name(self.title, "name of the system", TITLE_LENGTH),
            [tag for tag in TAGS if tag in self.tags],
            clean_line(self.cost, "cost", TITLE_LENGTH),
            clean_url(self.code_url, "address of the code", URL_LENGTH),
            clean_url(self.paper_url, "address of the paper", URL_LENGTH),
            clean_text(self.note, "note", DESCRIPTION_LENGTH),
        )


@dataclass(frozen=True)
class Quota:
    """What a team may still submit to a track.

    Attributes:
        left_today: Submissions until midnight in UTC.
        left_total: Submissions altogether.
    """

    left_today: int
    left_total: int

    @property
    def left(self) -> int:
        """The number of submissions that would be accepted now."""
        return min(self.left_today, self.left_total)


def quota(session: Session, track: Track, team: Team, *, now: datetime | None = None) -> Quota:
    """Return what a team may still submit to a track; there is no limit for the baselines of bearleft."""
    if team.builtin:
        return Quota(track.total_limit, track.total_limit)
    mine = select(func.count()).where(Submission.track_id == track.id, Submission.team_id == team.id)
    total = session.scalar(mine) or 0
    today = session.scalar(mine.where(Submission.day == _day(now or utc_now()))) or 0
    return Quota(max(0, track.daily_limit - today), max(0, track.total_limit - total))


def _day(now: datetime) -> str:
    return now.strftime("%Y-%m-%d")


def submit(
    database: Database,
    track: Track,
    team: Team,
    files: Mapping[int, StoredUpload],
    entry: EntryDetails,
    *,
    key: str,
    folder: Path,
) -> Submission:
    """Accept a submission: check its files, and store it in the queue of the scorers.

    The files belong to the submission afterwards; those of a request that is refused or repeated are removed.

    Args:
        database: The database.
        track: The track.
        team: The team.
        files: The uploaded files by the seeds of the system.
        entry: What the team tells of the system.
        key: Chosen by the sender; another request with the same key returns the same submission.
        folder: The private folder.

    Returns:
        The submission: a new one, or the one that was stored with this key before.

    Raises:
        LeaderboardError: A file or a text is refused, the key was used for something else, or none is left today.
    """
    stored: list[StoredUpload] = list(files.values())
    try:
        if not _KEY.fullmatch(key):
            raise SubmissionError("key", "The key has to be of 1 to 64 letters, digits, dots, hyphens and underscores.")
        details = entry.cleaned()
        _check_seeds(track, files)
        checked: dict[int, CheckedUpload] = {}
        for seed in sorted(files):
            try:
                checked[seed] = clean(files[seed], track, folder=folder)
            except UploadError as error:
                message = error.message if len(files) == 1 else f"Seed {seed}: {error.message}"
                raise UploadError(error.code, message) from None
        hashes = {seed: upload.stored.sha256 for seed, upload in checked.items()}
        if len(set(hashes.values())) < len(hashes):
            raise SubmissionError("files", "Two files are the same. Upload one file for each seed.")
        paths = {seed: relative_path(folder, upload.stored) for seed, upload in checked.items()}

        def insert(session: Session) -> tuple[Submission, bool]:
            locked = session.get_one(Team, team.id, with_for_update=True, populate_existing=True)
            before = session.scalars(
                select(Submission).where(Submission.team_id == team.id, Submission.key == key)
            ).one_or_none()
            if before is not None:
                _check_same(session, before, track, hashes)
                return before, False
            now = database.now()
            current = session.get_one(Track, track.id, populate_existing=True)
            _check_open(session, current, locked, now)
            submission = Submission(
                track_id=track.id,
                team_id=team.id,
                created_at=now,
                day=_day(now),
                key=key,
                title=details.title,
                tags=list(details.tags),
                cost=details.cost,
                code_url=details.code_url,
                paper_url=details.paper_url,
                note=details.note,
            )
            session.add(submission)
            session.flush()
            for seed, upload in checked.items():
                session.add(
                    SubmissionFile(
                        submission_id=submission.id,
                        seed=seed,
                        path=paths[seed],
                        bytes=upload.stored.bytes,
                        sha256=upload.stored.sha256,
                        traces=upload.traces,
                    )
                )
            record(session, team_actor(locked), "submit", submission=submission, files=len(checked))
            return submission, True

        submission, is_new = database.transact(insert)
    except BaseException:
        discard(stored)
        raise
    if not is_new:
        discard(stored)
    return submission


def _check_seeds(track: Track, files: Mapping[int, StoredUpload]) -> None:
    if not 1 <= len(files) <= track.max_files:
        raise SubmissionError("files", f"Upload 1 to {track.max_files} files, one for each seed.")
    if not all(0 <= seed <= MAX_SEED for seed in files):
        raise SubmissionError("seeds", f"The seeds have to be whole numbers from 0 to {MAX_SEED:,}.")
    if len({upload.path for upload in files.values()}) < len(files):
        raise SubmissionError("files", "Two files are the same. Upload one file for each seed.")


def _check_same(session: Session, before: Submission, track: Track, hashes: Mapping[int, str]) -> None:
    query = select(SubmissionFile.seed, SubmissionFile.sha256).where(SubmissionFile.submission_id == before.id)
    stored = {row[0]: row[1] for row in session.execute(query)}
    if before.track_id != track.id or stored != dict(hashes):
        raise SubmissionError("key", "This key was used for another submission. Send a new key with each submission.")


def _check_open(session: Session, track: Track, team: Team, now: datetime) -> None:
    if team.disabled_at is not None:
        raise SubmissionError("disabled", "This team is disabled. Ask the organiser.")
    if track.state != "open":
        raise SubmissionError("closed", "This track takes no submissions.")
    left = quota(session, track, team, now=now)
    if not left.left_total:
        raise QuotaError("total_limit", f"Your team has used all its {track.total_limit:,} submissions to this track.")
    if not left.left_today:
        raise QuotaError(
            "daily_limit",
            f"Your team has used its {track.daily_limit:,} submissions of today. The next day begins at 0:00 UTC.",
        )


def find_submission(session: Session, public_id: str, *, team: Team | None = None) -> Submission | None:
    """Return a submission by its id in addresses; None if there is none, or if it is of another team than `team`."""
    if not _PUBLIC_ID.fullmatch(public_id):
        return None
    found = session.scalars(select(Submission).where(Submission.public_id == public_id)).one_or_none()
    return None if found is None or (team is not None and found.team_id != team.id) else found


def is_public(submission: Submission) -> bool:
    """Return whether everybody may see an entry."""
    hidden = submission.withdrawn_at or submission.hidden_at
    return submission.state == "scored" and submission.published_at is not None and not hidden


def publish(session: Session, submission: Submission, *, actor: str, now: datetime | None = None) -> None:
    """Let everybody see an entry.

    Raises:
        SubmissionError: It is not scored, or was withdrawn.
    """
    _lock(session, submission)
    if submission.withdrawn_at is not None:
        raise SubmissionError("withdrawn", "This submission was withdrawn.")
    if submission.state != "scored":
        raise SubmissionError("not_scored", "Only a submission that is scored can be published.")
    if submission.published_at is None:
        submission.published_at = now or utc_now()
        record(session, actor, "publish", submission=submission)


def unpublish(session: Session, submission: Submission, *, actor: str) -> None:
    """Make an entry private again."""
    _lock(session, submission)
    if submission.published_at is not None:
        submission.published_at = None
        record(session, actor, "unpublish", submission=submission)


def withdraw(session: Session, submission: Submission, *, actor: str, now: datetime | None = None) -> None:
    """Withdraw a submission for good: it leaves the table and is scored no more, and still counts in the quota."""
    _lock(session, submission)
    if submission.withdrawn_at is None:
        submission.withdrawn_at = now or utc_now()
        record(session, actor, "withdraw", submission=submission)


def hide(
    session: Session, submission: Submission, *, actor: str, hidden: bool = True, now: datetime | None = None
) -> None:
    """Hide an entry from everybody but its team, or show it again; for organisers."""
    _lock(session, submission)
    if hidden != (submission.hidden_at is not None):
        submission.hidden_at = (now or utc_now()) if hidden else None
        record(session, actor, "hide" if hidden else "show", submission=submission)


def _lock(session: Session, submission: Submission) -> None:
    session.refresh(submission, with_for_update=True)


def submission_rows(session: Session, *, track: Track | None = None, team: Team | None = None) -> list[dict[str, Any]]:
    """Return a row for each submission, the newest first; of one track or team if given."""
    query = (
        select(Submission, Track.name, Team.name)
        .join(Track, Track.id == Submission.track_id)
        .join(Team, Team.id == Submission.team_id)
        .order_by(Submission.id.desc())
    )
    if track is not None:
        query = query.where(Submission.track_id == track.id)
    if team is not None:
        query = query.where(Submission.team_id == team.id)
    return [
        {
            "submission": submission.public_id,
            "track": track_name,
            "team": team_name,
            "title": submission.title,
            "created": submission.created_at.isoformat(timespec="seconds"),
            "state": submission.state,
            "attempts": submission.attempts,
            "shown": _shown(submission),
            "error": submission.error_text,
        }
        for submission, track_name, team_name in session.execute(query)
    ]


def _shown(submission: Submission) -> str:
    if submission.withdrawn_at is not None:
        return "withdrawn"
    if submission.hidden_at is not None:
        return "hidden"
    return "public" if is_public(submission) else "private"


def oldest_waiting(session: Session) -> datetime | None:
    """Return when the oldest submission was made that still waits for its score; None if none does."""
    waiting = Submission.state.in_(("queued", "scoring")) & Submission.withdrawn_at.is_(None)
    return session.scalar(select(Submission.created_at).where(waiting).order_by(Submission.id).limit(1))


def queue_counts(session: Session) -> dict[str, int]:
    """Return the number of submissions in each state, without those that were withdrawn before they were scored."""
    counts = session.execute(
        select(Submission.state, func.count())
        .where(Submission.withdrawn_at.is_(None) | Submission.state.in_(("scored", "failed")))
        .group_by(Submission.state)
    )
    found: dict[str, int] = {row[0]: row[1] for row in counts}
    return {state: found.get(state, 0) for state in ("queued", "scoring", "scored", "failed")}
