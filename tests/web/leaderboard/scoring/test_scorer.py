"""Scorers share a queue: leases, renewals, attempts; and what teams are told when scoring fails."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bearleft.errors import InputError
from bearleft.records import Reach
from bearleft.version import VERSION
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.leaderboard import LeaderboardEvent, Submission, Track
from bearleft.web.leaderboard import submissions
from bearleft.web.leaderboard.folders import UPLOADS
from bearleft.web.leaderboard.scoring import claims
from bearleft.web.leaderboard.scoring import scorer as module
from bearleft.web.leaderboard.scoring.claims import LEASE_SECONDS, MAX_ATTEMPTS
from bearleft.web.leaderboard.scoring.client import AbandonedError, ProcessEndedError, ScoringProcess
from bearleft.web.leaderboard.scoring.compute import ScoredFigure, ScoredSubmission
from bearleft.web.leaderboard.scoring.failures import ScoringFailure
from bearleft.web.leaderboard.scoring.scorer import Scorer, score_next
from tests.sizes import sized
from tests.web.leaderboard.scoring.entries import (
    add_hidden_track,
    add_public_track,
    add_teams,
    figures_of,
    mixed,
    scores_of,
    submission_of,
    submit,
    traces,
    write_traces,
)

NAME = "city-touchdown-test.jsonl"
RESULT = ScoredSubmission([ScoredFigure("paper", "TC", None, 50.0, 40.0, 60.0, 8)], {("paper", "TC"): b"x"})


class Fake(ScoringProcess):
    """Returns or raises something instead of scoring."""

    def __init__(self, outcome: Callable[[], ScoredSubmission]) -> None:
        super().__init__()
        self.outcome, self.calls = outcome, 0

    def score(self, *_: Any, **__: Any) -> ScoredSubmission:
        self.calls += 1
        return self.outcome()


def raising(error: Exception) -> Callable[[], ScoredSubmission]:
    def work() -> ScoredSubmission:
        raise error

    return work


@pytest.fixture
def track(database: Database, folder: Path, hidden_data: Path) -> Track:
    return add_hidden_track(database, folder, hidden_data)


@pytest.fixture
def queued(database: Database, folder: Path, track: Track, hidden_data: Path) -> Submission:
    (team,) = add_teams(database, 1)
    return submit(database, folder, track, team, {0: traces(hidden_data / "entrants" / NAME)})


def later(database: Database, seconds: float) -> None:
    """Let time pass."""
    clock = database.clock
    database.clock = lambda: clock() + timedelta(seconds=seconds)


def claim(database: Database) -> claims.Claim | None:
    return database.transact(lambda session: claims.claim(session, database.now(), "test"))


def events(database: Database, submission: Submission) -> list[tuple[str, str]]:
    with database.read() as session:
        query = select(LeaderboardEvent).where(LeaderboardEvent.submission_id == submission.id)
        return [(event.actor, event.action) for event in session.scalars(query.order_by(LeaderboardEvent.id))]


def test_seeds_of_a_submission_are_scored_and_stored(
    database: Database, folder: Path, track: Track, hidden_data: Path, tmp_path: Path, process: ScoringProcess
) -> None:
    (team,) = add_teams(database, 1)
    runs = {seed: traces(hidden_data / "entrants" / NAME, seed=seed) for seed in (1, 2)}
    submission = submit(database, folder, track, team, dict(runs))
    scorer = Scorer(database, folder, process=process)
    assert scorer.score_next()
    assert not scorer.score_next()
    row = submission_of(database, submission)
    assert (row.state, row.attempts, row.package_version) == ("scored", 1, VERSION)
    assert (row.lease_owner, row.lease_token, row.lease_until, row.error_text) == (None, None, None, "")
    assert row.scored_at is not None and row.published_at is None
    for seed, rows in runs.items():
        expected = scores_of(write_traces(tmp_path / "t.jsonl", rows), str(folder / track.answers_folder / NAME))
        assert figures_of(database, submission, seed) == expected
    assert events(database, submission)[1:] == [("scorer", "scored")]


sqlite_only = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # a process is started for it


def test_scoring_goes_on_while_the_lease_is_renewed(
    database: Database, folder: Path, queued: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer, claimed = Scorer(database, folder), claim(database)
    assert claimed is not None
    keep = scorer._keeping(claimed)
    assert keep()
    monkeypatch.setattr(module, "RENEWALS", 10**12)  # it is always time
    later(database, LEASE_SECONDS / 2)
    before = submission_of(database, queued).lease_until
    assert keep()
    after = submission_of(database, queued).lease_until
    assert before is not None and after is not None and after > before
    with database.write() as session:
        session.get_one(Submission, queued.id).lease_token = "another"
    assert not keep()
    monkeypatch.undo()
    scorer.ending.set()
    assert not keep()


@pytest.mark.slow
@sqlite_only
def test_a_track_of_a_dataset_that_everybody_has(database: Database, folder: Path, tmp_path: Path) -> None:
    (team,) = add_teams(database, 1)
    rows = traces("town/dev")
    submission = submit(database, folder, add_public_track(database, folder, "town/dev"), team, {0: rows})
    assert score_next(database, folder)
    assert figures_of(database, submission) == scores_of(write_traces(tmp_path / "t.jsonl", rows))


def test_a_failure_says_why_and_tells_no_label(
    database: Database,
    folder: Path,
    track: Track,
    hidden_data: Path,
    process: ScoringProcess,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A walk that jumps to the goal is impossible; neither the team nor the log learns where the goal is."""
    caplog.set_level(logging.DEBUG)
    (team,) = add_teams(database, 1)
    rows = traces(hidden_data / "entrants" / NAME)
    submission = submit(database, folder, track, team, {0: rows})
    answers = (folder / track.answers_folder / NAME).read_text()
    path = folder / submission_files(database, submission)[0]
    goal = process_goal(str(folder / track.answers_folder / NAME))
    path.write_text(path.read_text().replace(f'"path":["{rows[0].legs[0].path[0]}"', f'"path":["{goal}"', 1))
    assert Scorer(database, folder, process=process).score_next()
    row = submission_of(database, submission)
    assert (row.state, row.error_code) == ("failed", "impossible")
    assert row.error_text.startswith("Line 1 of the file of seed 0 is not possible in the environment")
    assert figures_of(database, submission) == {}
    assert goal in answers
    assert goal not in row.error_text.split() and rows[0].episode not in row.error_text
    shown = " ".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records if "bearleft" in record.name)
    assert f"'{goal}'" not in shown and rows[0].episode not in shown


def process_goal(answers: str) -> str:
    from bearleft.data import load

    (goal, *_) = [leg.goal for episode in load(answers)[1:] for leg in episode.legs]
    assert isinstance(goal, Reach)
    return goal.route[-1]


def submission_files(database: Database, submission: Submission) -> list[str]:
    from bearleft.web.database.leaderboard import SubmissionFile

    with database.read() as session:
        return list(session.scalars(select(SubmissionFile.path).where(SubmissionFile.submission_id == submission.id)))


def test_a_lease_that_lapsed_is_taken_again_and_the_first_scorer_stores_nothing(
    database: Database, queued: Submission
) -> None:
    first = claim(database)
    assert first is not None and claim(database) is None
    later(database, LEASE_SECONDS + 1)
    second = claim(database)
    assert second is not None and (second.submission_id, second.token == first.token) == (queued.id, False)
    now = database.now()
    for write in (
        lambda session: claims.store(session, first, RESULT, now),
        lambda session: claims.fail(session, first, ScoringFailure("time"), now),
        lambda session: claims.postpone(session, first, ScoringFailure("time"), now),
        lambda session: claims.release(session, first),
        lambda session: claims.renew(session, first, now),
    ):
        assert database.transact(write) is False
    assert database.transact(lambda session: claims.store(session, second, RESULT, now))
    assert not database.transact(lambda session: claims.store(session, second, RESULT, now))
    assert figures_of(database, queued) == {("paper", "TC"): (50.0, 40.0, 60.0, 8)}


@pytest.mark.usefixtures("queued")
def test_a_renewed_lease_is_not_taken(database: Database) -> None:
    first = claim(database)
    assert first is not None
    for _ in range(3):
        later(database, LEASE_SECONDS - 1)
        assert database.transact(lambda session: claims.renew(session, first, database.now()))
        assert claim(database) is None
    later(database, LEASE_SECONDS + 1)
    assert claim(database) is not None


def test_a_submission_fails_after_three_scorers_that_did_not_end(database: Database, queued: Submission) -> None:
    for number in range(MAX_ATTEMPTS):
        assert claim(database) is not None
        assert submission_of(database, queued).attempts == number + 1
        later(database, LEASE_SECONDS + 1)
    assert claim(database) is None
    row = submission_of(database, queued)
    assert (row.state, row.error_code, row.lease_token) == ("failed", "attempts", None)
    assert row.error_text == "Scoring did not end in 3 attempts. Please tell the organisers of the track."


@pytest.mark.parametrize("code", ["attempts", "answers"])
def test_crashes_are_tried_again_later_and_become_a_failure(
    database: Database, folder: Path, queued: Submission, code: str
) -> None:
    process = Fake(raising(ProcessEndedError("the child ended by signal 11", code)))
    scorer = Scorer(database, folder, process=process)
    for number in range(1, MAX_ATTEMPTS + 1):
        assert scorer.score_next()
        assert not scorer.score_next()  # not at once
        later(database, number * claims.RETRY_SECONDS + 1)
    assert not scorer.score_next()
    assert process.calls == MAX_ATTEMPTS
    row = submission_of(database, queued)
    assert (row.state, row.error_code) == ("failed", code)
    assert "signal" not in row.error_text


def test_an_organiser_lets_a_submission_be_scored_again(database: Database, folder: Path, queued: Submission) -> None:
    scorer = Scorer(database, folder, process=Fake(raising(ScoringFailure("time", {"count": 60}))))
    scorer.score_next()
    text = "Scoring took longer than the 60 seconds that the track allows."
    assert submission_of(database, queued).error_text == text

    def again(actor: str) -> None:
        with database.write() as session:
            claims.requeue(session, session.get_one(Submission, queued.id), actor=actor)

    again("admin:Ada")
    with pytest.raises(InputError):
        again("admin:Ada")
    row = submission_of(database, queued)
    assert (row.state, row.attempts, row.error_text) == ("queued", 0, "")
    Scorer(database, folder, process=Fake(lambda: RESULT)).score_next()
    assert submission_of(database, queued).state == "scored"
    again("cli")
    Scorer(database, folder, process=Fake(lambda: RESULT)).score_next()  # replaces the figures
    assert len(figures_of(database, queued)) == 1
    actions = [("admin:Ada", "score again"), ("scorer", "scored"), ("cli", "score again"), ("scorer", "scored")]
    assert events(database, queued)[2:] == actions


def test_a_withdrawn_submission_is_not_scored(database: Database, folder: Path, queued: Submission) -> None:
    claimed = claim(database)
    assert claimed is not None
    with database.write() as session:
        submissions.withdraw(session, session.get_one(Submission, queued.id), actor="team:1")
    assert not database.transact(lambda session: claims.renew(session, claimed, database.now()))
    assert database.transact(lambda session: claims.release(session, claimed))
    scorer = Scorer(database, folder, process=Fake(lambda: RESULT))
    assert not scorer.score_next()


def test_a_scorer_that_ends_gives_its_submission_back(database: Database, folder: Path, queued: Submission) -> None:
    assert Scorer(database, folder, process=Fake(raising(AbandonedError()))).score_next()
    row = submission_of(database, queued)
    assert (row.state, row.attempts, row.lease_token) == ("queued", 0, None)


def test_scorers_run_until_they_are_told_to_end(database: Database, folder: Path, queued: Submission) -> None:
    scorer = Scorer(database, folder, process=Fake(lambda: RESULT))
    scorer.on_step = lambda step: scorer.ending.set() if step == "stored" else None
    scorer.run()
    assert submission_of(database, queued).state == "scored"


@pytest.mark.usefixtures("queued")
def test_scorers_without_work_remove_abandoned_uploads(database: Database, folder: Path) -> None:
    """A file that no submission names and that is older than a day; those of submissions stay."""
    uploads = folder / UPLOADS
    kept = [path for path in uploads.glob("*/*") if path.is_file()]
    abandoned, fresh = uploads / "zz" / "old.jsonl", uploads / "zz" / "new.jsonl"
    abandoned.parent.mkdir()
    for path in (abandoned, fresh):
        path.write_text("{}")
    for path in (*kept, abandoned):
        os.utime(path, (0, 0))
    scorer = Scorer(database, folder, process=Fake(lambda: RESULT))
    done = threading.Thread(target=scorer.run)
    done.start()
    while abandoned.exists() and done.is_alive():
        scorer.ending.wait(0.05)
    scorer.ending.set()
    done.join()
    assert not abandoned.exists()
    assert fresh.exists() and kept and all(path.exists() for path in kept)


def test_the_oldest_submission_is_scored_first(
    database: Database, folder: Path, track: Track, hidden_data: Path
) -> None:
    entrants = hidden_data / "entrants" / NAME
    teams = add_teams(database, 2)
    made = [submit(database, folder, track, teams[k % 2], {0: mixed(entrants, k)}, f"key{k}") for k in range(3)]
    taken = [claim(database) for _ in made]
    assert [one.submission_id for one in taken if one] == [submission.id for submission in made]


def test_many_scorers_take_each_submission_once(
    database_url: str, database: Database, folder: Path, track: Track, hidden_data: Path
) -> None:
    entrants, count = hidden_data / "entrants" / NAME, sized(12, 100)
    (team,) = add_teams(database, 1)
    for k in range(count):
        submit(database, folder, track, team, {0: mixed(entrants, k)}, f"key{k}")
    taken: list[int] = []
    errors: list[BaseException] = []

    def work() -> None:
        own = open_database(database_url, migrate=False)
        try:
            while (claimed := claim(own)) is not None:
                taken.append(claimed.submission_id)
                own.transact(partial(claims.store, claimed=claimed, result=RESULT, now=own.now()))
        except BaseException as error:
            errors.append(error)
        finally:
            own.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(taken) == count == len(set(taken))


@pytest.mark.slow
@sqlite_only
def test_sigterm_ends_a_scoring_process_in_order(
    database: Database, database_url: str, folder: Path, queued: Submission
) -> None:
    from bearleft.web.leaderboard.scoring.scorer import serve_submissions
    from bearleft.web.settings import Settings

    with pytest.raises(InputError):
        serve_submissions(Settings(database=database_url))
    child = os.fork()
    if not child:
        os.environ["PYTHONWARNINGS"] = "ignore"
        serve_submissions(Settings(database=database_url, leaderboard=folder))
        os._exit(0)
    end = datetime.now() + timedelta(seconds=60)
    while submission_of(database, queued).state == "queued":
        assert datetime.now() < end
    os.kill(child, signal.SIGTERM)
    assert os.waitpid(child, 0)[1] == 0
    row = submission_of(database, queued)
    assert (row.state, row.attempts) in (("queued", 0), ("scored", 1))
