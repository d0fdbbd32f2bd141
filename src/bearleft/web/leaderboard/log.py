"""The log of the leaderboard: who did what to which track, team or submission. It is only ever added to."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.web.database.leaderboard import LeaderboardEvent, Submission, Team, Track
from bearleft.web.database.models import NAME_LENGTH

COMMAND_LINE = "cli"
SCORER = "scorer"


def team_actor(team: Team) -> str:
    """Return the actor of what a team does."""
    return f"team:{team.id}"


def admin_actor(name: str) -> str:
    """Return the actor of what an organiser does on the pages."""
    return f"admin:{name}"


def record(
    session: Session,
    actor: str,
    action: str,
    *,
    track: Track | None = None,
    team: Team | None = None,
    submission: Submission | None = None,
    **details: Any,
) -> None:
    """Add a line, in the transaction of what it tells of.

    Args:
        session: The session.
        actor: "admin:NAME", "team:ID", "scorer" or "cli".
        action: What was done, such as "submit".
        track: The track; by default that of the submission.
        team: The team; by default that of the submission.
        submission: The submission.
        **details: More of it.
    """
    session.flush()  # what it tells of gets its number
    session.add(
        LeaderboardEvent(
            actor=actor[:NAME_LENGTH],
            action=action,
            track_id=track.id if track else submission.track_id if submission else None,
            team_id=team.id if team else submission.team_id if submission else None,
            submission_id=submission.id if submission else None,
            details=details,
        )
    )


def log_rows(
    session: Session,
    *,
    track: Track | None = None,
    team: Team | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> list[dict[str, Any]]:
    """Return the lines of the log as rows, the newest first; of one track or team if given."""
    query = (
        select(LeaderboardEvent, Track.name, Team.name, Submission.public_id)
        .outerjoin(Track, Track.id == LeaderboardEvent.track_id)
        .outerjoin(Team, Team.id == LeaderboardEvent.team_id)
        .outerjoin(Submission, Submission.id == LeaderboardEvent.submission_id)
        .order_by(LeaderboardEvent.id.desc())
        .offset(offset)
        .limit(limit)
    )
    if track is not None:
        query = query.where(LeaderboardEvent.track_id == track.id)
    if team is not None:
        query = query.where(LeaderboardEvent.team_id == team.id)
    return [
        {
            "time": event.at.isoformat(timespec="seconds"),
            "actor": event.actor,
            "action": event.action,
            "track": track_name or "",
            "team": team_name or "",
            "submission": public_id or "",
            "details": ", ".join(f"{name}: {value}" for name, value in event.details.items()),
        }
        for event, track_name, team_name, public_id in session.execute(query)
    ]
