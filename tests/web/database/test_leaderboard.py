"""Tables of the leaderboard: what the database itself refuses."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from bearleft.web.database.engines import Database
from bearleft.web.database.leaderboard import (
    Figure,
    Invitation,
    LeaderboardEvent,
    Submission,
    SubmissionFile,
    Team,
    Track,
)

LIMITS = {"daily_limit": 1, "total_limit": 1, "max_bytes": 1, "max_files": 1, "time_limit_s": 1, "memory_limit_mb": 1}


def new_track(name: str = "walks", **fields: Any) -> Track:
    return Track(
        **{
            "name": name,
            "title": name,
            "dataset": "town/test",
            "measures": ["TC"],
            "primary_measure": "TC",
            "package_version": "0",
            **LIMITS,
            **fields,
        }
    )


def new_submission(track: Track, team: Team, key: str = "k", **fields: Any) -> Submission:
    return Submission(
        **{"track_id": track.id, "team_id": team.id, "day": "2031-01-01", "key": key, "title": "a"} | fields
    )


@pytest.fixture
def pair(database: Database) -> tuple[Track, Team]:
    """A track and a team."""
    track, team = new_track(), Team(name="a", name_key="a")
    with database.write() as session:
        session.add_all([track, team])
    return track, team


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("statement", ["UPDATE leaderboard_events SET action = 'b'", "DELETE FROM leaderboard_events"])
def test_the_log_is_only_added_to(database: Database, statement: str) -> None:
    with database.write() as session:
        session.add(LeaderboardEvent(actor="cli", action="a"))
    with pytest.raises(DBAPIError, match="only added to"), database.write() as session:
        session.execute(text(statement))
    with database.read() as session:
        assert session.scalars(select(LeaderboardEvent.action)).all() == ["a"]


def test_unknown_states_are_refused(database: Database, pair: tuple[Track, Team]) -> None:
    for row in (new_track("b", state="gone"), new_submission(*pair, state="gone")):
        with pytest.raises(IntegrityError), database.write() as session:
            session.add(row)
    with pytest.raises(IntegrityError), database.write() as session:
        session.add(Invitation(code_sha256="0", uses_left=-1, expires_at=database.now()))


def test_names_keys_seeds_and_means_are_unique(database: Database, pair: tuple[Track, Team]) -> None:
    track, team = pair
    with database.write() as session:
        entry, other = new_submission(track, team), new_submission(track, team, "other")
        session.add_all([entry, other])
    assert entry.public_id != other.public_id

    def rows() -> list[Any]:
        figure = {"submission_id": entry.id, "convention": "paper", "metric": "TC", "value": 0.5, "count": 2}
        return [
            SubmissionFile(submission_id=entry.id, seed=0, path="a", bytes=1, sha256="0", traces=2),
            Figure(**figure),
            Figure(**figure, seed=0),
        ]

    with database.write() as session:
        session.add_all(rows())
    for row in (new_track(), Team(name="b", name_key="a"), new_submission(track, team), *rows()):
        with pytest.raises(IntegrityError), database.write() as session:
            session.add(row)
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Figure)) == 2
