"""A scorer that is killed at any step loses nothing: the submission is scored exactly once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from sqlalchemy import func, select, update

from bearleft.web.database.engines import Database
from bearleft.web.database.leaderboard import LeaderboardEvent, Submission
from bearleft.web.leaderboard.scoring import claims
from bearleft.web.leaderboard.scoring.client import ScoringProcess
from bearleft.web.leaderboard.scoring.scorer import Scorer
from tests.sizes import FULL
from tests.web.leaderboard.scoring.entries import (
    add_hidden_track,
    add_teams,
    count_values,
    figures_of,
    mixed,
    scores_of,
    submission_of,
    submit,
    write_traces,
)

ROOT = Path(__file__).parents[4]
NAME = "city-touchdown-test.jsonl"
# Of a part of the points: those after these, which are the first and last of each transaction.
CHOSEN = ("claimed", "scored", "commit", "begin")


@contextmanager
def killing(url: str, folder: Path, answers: Path) -> Iterator[Callable[[int], list[str]]]:
    """Yield a function that runs a scorer and kills it at a point."""
    command = [sys.executable, "-m", "tests.web.leaderboard.scoring.killed", url, str(folder), str(answers)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=ROOT
    ) as program:
        commands, replies = program.stdin, program.stdout
        assert commands is not None and replies is not None

        def kill(point: int) -> list[str]:
            commands.write(f"{point}\n")
            return list(json.loads(replies.readline()))

        yield kill
        commands.close()


def expire(database: Database) -> None:
    """Let a minute pass for all leases."""
    with database.write() as session:
        past = database.now() - timedelta(seconds=claims.LEASE_SECONDS)
        leased = update(Submission).where(Submission.lease_until.is_not(None))
        session.execute(leased.values(lease_until=past))


def test_a_submission_is_scored_once_whichever_step_its_scorer_is_killed_at(
    database_url: str, database: Database, folder: Path, hidden_data: Path, tmp_path: Path, process: ScoringProcess
) -> None:
    track = add_hidden_track(database, folder, hidden_data)
    (team,) = add_teams(database, 1)
    entrants, answers = hidden_data / "entrants" / NAME, folder / track.answers_folder / NAME
    with killing(database_url, folder, answers) as kill:
        submit(database, folder, track, team, {0: mixed(entrants, 0)}, "key0")
        steps = kill(0)  # nowhere
        assert steps.count("commit") == 2
        for point in range(1, len(steps) + 1):
            if not (FULL or steps[point - 1] in CHOSEN or (["", *steps])[point - 1] in CHOSEN):
                continue
            rows = mixed(entrants, point)
            submission = submit(database, folder, track, team, {0: rows}, f"key{point}")
            assert kill(point) == steps[:point]
            before = submission_of(database, submission)
            assert (before.state == "scored") == bool(figures_of(database, submission))
            expire(database)
            scorer = Scorer(database, folder, process=process)
            while scorer.score_next():
                pass
            after = submission_of(database, submission)
            assert (after.state, after.error_text) == ("scored", "")
            assert after.attempts == (1 if before.state in ("queued", "scored") else 2)
            assert figures_of(database, submission) == scores_of(write_traces(tmp_path / "t.jsonl", rows), str(answers))
            assert count_values(database, submission) == len(figures_of(database, submission))
            assert scored_events(database, submission) == 1


def scored_events(database: Database, submission: Submission) -> int:
    with database.read() as session:
        query = select(func.count()).where(
            LeaderboardEvent.submission_id == submission.id, LeaderboardEvent.action == "scored"
        )
        return session.scalar(query) or 0
