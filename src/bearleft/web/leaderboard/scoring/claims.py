"""Which submission is scored next, by whom, and what was measured: every change depends on the token of a lease.

A scorer that was killed stops renewing its lease; another one takes the submission again. Figures are stored in one
transaction with the end of the lease, so that a submission has the figures of one scoring, all of them or none.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, delete, or_, select
from sqlalchemy.orm import Session

from bearleft.errors import InputError
from bearleft.version import VERSION
from bearleft.web.database.leaderboard import (
    EpisodeValues,
    Figure,
    Submission,
    SubmissionFile,
    Track,
)
from bearleft.web.database.models import random_id
from bearleft.web.leaderboard.log import SCORER, record
from bearleft.web.leaderboard.scoring.compute import ScoredSubmission
from bearleft.web.leaderboard.scoring.failures import ScoringFailure

LEASE_SECONDS = 60
MAX_ATTEMPTS = 3
RETRY_SECONDS = 10  # until a scoring that ended without a result is tried again; twice as long the next time


@dataclass(frozen=True)
class Claim:
    """A submission that a scorer has for the time of a lease.

    Attributes:
        submission_id: The submission.
        token: The token of the lease.
        track: The track.
        files: Seed of each file, and its place in the folder of uploads.
    """

    submission_id: int
    token: str
    track: Track
    files: tuple[tuple[int, str], ...]


def is_waiting(session: Session, now: datetime) -> bool:
    """Return whether a submission waits for a scorer."""
    return session.scalar(select(Submission.id).where(_waiting(now)).limit(1)) is not None


def _waiting(now: datetime) -> ColumnElement[bool]:
    lapsed = and_(Submission.state == "scoring", Submission.lease_until <= now)
    return and_(Submission.withdrawn_at.is_(None), or_(Submission.state == "queued", lapsed))


def claim(session: Session, now: datetime, owner: str) -> Claim | None:
    """Take the submission that has waited longest; those that were begun too often fail.

    Args:
        session: A session that writes.
        now: The present time.
        owner: The scorer, for the log.

    Returns:
        The submission, or None if none waits.
    """
    statement = select(Submission).where(_waiting(now)).order_by(Submission.id).limit(1)
    while (submission := session.scalar(statement.with_for_update(skip_locked=True))) is not None:
        if submission.attempts >= MAX_ATTEMPTS:
            _fail(session, submission, ScoringFailure("attempts", {"count": MAX_ATTEMPTS}), now)
            session.flush()
            continue
        submission.attempts += 1
        submission.state, submission.lease_owner, submission.lease_token = "scoring", owner, random_id()
        submission.lease_until = now + timedelta(seconds=LEASE_SECONDS)
        files = session.execute(
            select(SubmissionFile.seed, SubmissionFile.path)
            .where(SubmissionFile.submission_id == submission.id)
            .order_by(SubmissionFile.seed)
        ).all()
        track = session.get_one(Track, submission.track_id)
        return Claim(submission.id, submission.lease_token, track, tuple((seed, path) for seed, path in files))
    return None


def renew(session: Session, claimed: Claim, now: datetime) -> bool:
    """Keep a submission for longer; return whether the scorer still has it."""
    submission = _leased(session, claimed)
    if submission is None or submission.withdrawn_at is not None:
        return False
    submission.lease_until = now + timedelta(seconds=LEASE_SECONDS)
    return True


def _leased(session: Session, claimed: Claim) -> Submission | None:
    """Return the submission, locked, if the lease is still that of the claim."""
    statement = select(Submission).where(
        Submission.id == claimed.submission_id,
        Submission.state == "scoring",
        Submission.lease_token == claimed.token,
    )
    return session.scalar(statement.with_for_update())


def store(session: Session, claimed: Claim, result: ScoredSubmission, now: datetime) -> bool:
    """Store what was measured; return whether it was, which it is not after the lease went to another scorer."""
    submission = _leased(session, claimed)
    if submission is None:
        return False
    for table in (Figure, EpisodeValues):
        session.execute(delete(table).where(table.submission_id == submission.id))
    session.add_all(
        Figure(
            submission_id=submission.id,
            convention=figure.convention,
            metric=figure.metric,
            seed=figure.seed,
            value=figure.value,
            low=figure.low,
            high=figure.high,
            count=figure.count,
        )
        for figure in result.figures
    )
    session.add_all(
        EpisodeValues(submission_id=submission.id, convention=convention, metric=metric, values=values)
        for (convention, metric), values in result.values.items()
    )
    submission.state, submission.scored_at, submission.package_version = "scored", now, VERSION
    submission.error_code = submission.error_text = ""
    _end_lease(submission)
    record(session, SCORER, "scored", submission=submission, attempts=submission.attempts)
    return True


def fail(session: Session, claimed: Claim, failure: ScoringFailure, now: datetime) -> bool:
    """Store why a submission cannot be scored; return whether the scorer still had it."""
    submission = _leased(session, claimed)
    if submission is None:
        return False
    _fail(session, submission, failure, now)
    return True


def _fail(session: Session, submission: Submission, failure: ScoringFailure, now: datetime) -> None:
    submission.state, submission.error_code, submission.error_text = "failed", failure.code, failure.text
    submission.scored_at, submission.package_version = now, VERSION
    _end_lease(submission)
    record(session, SCORER, "failed", submission=submission, code=failure.code, attempts=submission.attempts)


def postpone(session: Session, claimed: Claim, failure: ScoringFailure, now: datetime) -> bool:
    """Let a submission be tried again some seconds later; after the last attempt it fails.

    Args:
        session: A session that writes.
        claimed: The claim.
        failure: Why it fails after the last attempt.
        now: The present time.

    Returns:
        Whether the scorer still had it.
    """
    submission = _leased(session, claimed)
    if submission is None:
        return False
    if submission.attempts >= MAX_ATTEMPTS:
        _fail(session, submission, failure, now)
        return True
    submission.lease_token = None
    submission.lease_until = now + timedelta(seconds=RETRY_SECONDS * submission.attempts)
    return True


def release(session: Session, claimed: Claim) -> bool:
    """Give a submission back to the queue, because its scorer ends; return whether the scorer still had it."""
    submission = _leased(session, claimed)
    if submission is None:
        return False
    submission.attempts -= 1
    submission.state = "queued"
    _end_lease(submission)
    return True


def requeue(session: Session, submission: Submission, *, actor: str) -> None:
    """Let a submission be scored again, whose scoring failed or has the figures of an older version.

    Its figures stay until the new ones are stored.

    Raises:
        InputError: It is in the queue already.
    """
    if submission.state not in ("scored", "failed"):
        raise InputError("a submission that was scored, or failed", submission.state)
    submission.state, submission.attempts = "queued", 0
    submission.error_code = submission.error_text = ""
    record(session, actor, "score again", submission=submission)


def _end_lease(submission: Submission) -> None:
    submission.lease_owner = submission.lease_token = submission.lease_until = None
