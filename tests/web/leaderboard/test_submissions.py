"""Submissions: never more than the quota, one for each key, and nothing left of what is refused."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from bearleft.web.database.leaderboard import Submission, SubmissionFile, Team, Track
from bearleft.web.leaderboard import submissions, tracks
from bearleft.web.leaderboard.errors import LeaderboardError, QuotaError, SubmissionError, UploadError
from bearleft.web.leaderboard.log import log_rows
from bearleft.web.leaderboard.submissions import TAGS, EntryDetails, quota
from tests.web.leaderboard.board import Board, actions, lines
from tests.web.queue.desk import Clock


def left(board: Board, name: str = "Bären") -> tuple[int, int]:
    with board.database.read() as session:
        found = quota(session, board.track, board.team(name), now=board.database.now())
    assert found.left == min(found.left_today, found.left_total)
    return found.left_today, found.left_total


def clock_of(board: Board) -> Clock:
    clock = board.database.clock
    assert isinstance(clock, Clock)
    return clock


def finish(board: Board, submission: Submission, state: str = "scored") -> None:
    with board.database.write() as session:
        session.get_one(Submission, submission.id).state = state  # type: ignore[assignment]


def test_a_submission_waits_for_a_scorer_and_is_private(board: Board) -> None:
    tags = ["language_model", "pictures", "pictures"]
    entry: dict[str, Any] = {"tags": tags, "cost": "3 USD", "code_url": "https://example.org", "note": "a\r\nb"}
    submission = board.submit("k", title=" My   system ", **entry)
    assert (submission.state, submission.attempts, submission.lease_owner) == ("queued", 0, None)
    assert (submission.title, submission.tags, submission.note) == ("My system", ["pictures", "language_model"], "a\nb")
    assert submission.day == "2031-01-01" and not submissions.is_public(submission)
    with board.database.read() as session:
        (file,) = session.query(SubmissionFile)
        assert file.submission_id == submission.id and (file.seed, file.traces) == (0, 4)
        assert board.files() == {file.path}
        assert submissions.find_submission(session, submission.public_id) is not None
        (row,) = submissions.submission_rows(session, track=board.track, team=board.team())
        assert (row["team"], row["track"], row["shown"], row["state"]) == ("Bären", "walks", "private", "queued")
        assert submissions.queue_counts(session) == {"queued": 1, "scoring": 0, "scored": 0, "failed": 0}
        (event, *_) = log_rows(session, track=board.track, team=board.team(), limit=5)
        assert (event["action"], event["actor"]) == ("submit", f"team:{board.team().id}")
        assert event["submission"] == submission.public_id


def test_days_are_those_of_utc_and_both_limits_hold(small: Board) -> None:
    clock = clock_of(small)
    clock.time = datetime(2031, 1, 1, 23, 59, 59, tzinfo=UTC)
    for number in range(3):
        small.submit(f"day 1 {number}".replace(" ", "-"))
    with pytest.raises(QuotaError, match="0:00 UTC") as error:
        small.submit("more")
    assert error.value.code == "daily_limit" and left(small) == (0, 2)
    assert left(small, "other") == (3, 5)
    clock.advance(1)
    assert left(small) == (3, 2)
    for number in range(2):
        assert small.submit(f"day-2-{number}").day == "2031-01-02"
    with pytest.raises(QuotaError, match="all its 5") as error:
        small.submit("more")
    assert error.value.code == "total_limit"
    clock.advance(timedelta(days=300).total_seconds())
    with pytest.raises(QuotaError, match="all its 5"):
        small.submit("more")
    assert len(small.stored()) == 5 == len(small.files())
    small.submit("k", "other")


def test_what_is_refused_does_not_count_and_leaves_nothing(small: Board) -> None:
    for content in (lines(small.traces()[:2]), lines(small.traces() * 2)):
        with pytest.raises(UploadError):
            small.submit("k", content=content)
    for entry in (
        {"title": ""},
        {"title": "<b>"},
        {"title": "x" * 81},
        {"tags": ["gpt"]},
        {"cost": "\u202e3"},
        {"code_url": "javascript:alert(1)"},
        {"paper_url": "https://a@b.org"},
        {"note": "\0"},
    ):
        with pytest.raises(LeaderboardError):
            small.submit("k", **entry)
    for key in ("", "a b", "é", "x" * 65, "../x"):
        with pytest.raises(SubmissionError, match="key"):
            small.submit(key)
    assert left(small) == (3, 5) and small.stored() == [] and small.files() == set()


def test_scored_failed_and_withdrawn_submissions_count(small: Board) -> None:
    for number, state in enumerate(("scored", "failed", "queued")):
        submission = small.submit(str(number))
        finish(small, submission, state)
        small.change(submissions.withdraw, submission, actor="team:1")
    assert left(small) == (0, 2)


def test_several_seeds_are_one_submission(small: Board) -> None:
    team = small.team()

    def submit(files: dict[int, Any], key: str = "k") -> Submission:
        entry = EntryDetails("System")
        return submissions.submit(small.database, small.track, team, files, entry, key=key, folder=small.folder)

    submission = submit({seed: small.store(seed=seed) for seed in (7, 0, 3)})
    with small.database.read() as session:
        files = session.query(SubmissionFile).order_by(SubmissionFile.seed).all()
    assert [file.seed for file in files] == [0, 3, 7] and {file.submission_id for file in files} == {submission.id}
    assert left(small) == (2, 4)
    before = small.files()
    seeds: list[tuple[Callable[[], dict[int, Any]], str]] = [
        (dict, "1 to 5 files"),
        (lambda: {seed: small.store(seed=seed) for seed in range(6)}, "1 to 5 files"),
        (lambda: {-1: small.store()}, "whole numbers"),
        (lambda: {2**31: small.store()}, "whole numbers"),
        (lambda: dict.fromkeys((0, 1), small.store()), "the same"),
        (lambda: {0: small.store(), 1: small.store()}, "the same"),
        (lambda: {0: small.store(), 4: small.store(lines(small.traces(4)[:3]))}, "Seed 4: The file lacks 1 of 4"),
    ]
    for make, message in seeds:
        with pytest.raises(LeaderboardError, match=message):
            submit(make(), "other")
        assert small.files() == before


def test_a_key_returns_the_same_submission(small: Board) -> None:
    first = small.submit("k")
    assert [small.submit("k", title="Another title").id for _ in range(5)] == [first.id] * 5
    assert left(small) == (2, 4) and len(small.files()) == 1
    assert small.stored()[0].title == "System"
    with pytest.raises(SubmissionError, match="another submission"):
        small.submit("k", content=lines(small.traces(1)))
    assert small.submit("k", "other").id != first.id  # keys are those of a team
    other = tracks.add_track(small.database, small.folder, tracks.TrackSettings("b"), hidden=small.made, actor="cli")
    small.change(tracks.set_state, other, "open", actor="cli")
    small.track, before = other, small.track
    with pytest.raises(SubmissionError, match="another submission"):
        small.submit("k")
    small.track = before
    for number in range(2):
        small.submit(str(number))
    assert small.submit("k").id == first.id  # also when none is left
    small.change(tracks.set_state, before, "closed", actor="cli")
    assert small.submit("k").id == first.id
    assert len(small.files()) == 4


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_other_tracks_take_nothing(small: Board, state: str) -> None:
    small.change(tracks.set_state, small.track, state, actor="cli")
    with pytest.raises(SubmissionError, match="takes no submissions"):
        small.submit("k")
    assert small.files() == set()


def test_a_quota_that_changed_meanwhile_holds(small: Board) -> None:
    """The track is read again in the transaction, not as the page saw it."""
    with small.database.write() as session:
        session.get_one(Track, small.track.id).daily_limit = 1
    small.submit("a")
    with pytest.raises(QuotaError, match="its 1 submissions"):
        small.submit("b")


def run_at_once(number: int, function: Callable[[int], Any]) -> list[Any]:
    """Call a function in threads that begin together, and return what it returned or raised."""
    results: list[Any] = [None] * number
    ready = threading.Barrier(number, timeout=60)

    def run(k: int) -> None:
        ready.wait()
        try:
            results[k] = function(k)
        except Exception as error:
            results[k] = error

    threads = [threading.Thread(target=run, args=(k,)) for k in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_threads_that_submit_at_once_get_no_more_than_the_limit(board: Board) -> None:
    """Two teams race for three submissions a day; then for the last two of five."""
    names = ("a", "b")
    for name in names:
        board.team(name)
    for day, expected in enumerate((3, 2)):
        results = run_at_once(12, lambda k, day=day: board.submit(f"{day}-{k}", names[k % 2]))  # type: ignore[misc]
        assert {type(one) for one in results} == {Submission, QuotaError}
        for team, name in enumerate(names):
            assert sum(isinstance(one, Submission) for one in results[team::2]) == expected, name
        clock_of(board).advance(86_400)
    assert len(board.stored()) == 10 == len(board.files())
    assert actions(board.database).count("submit") == 10


def test_threads_with_one_key_get_one_submission(board: Board) -> None:
    board.team()
    results = run_at_once(8, lambda k: board.submit(f"key-{k % 2}"))
    assert len({one.id for one in results}) == 2 == len(board.stored()) == len(board.files())


class Model:
    """The same rules in a few slow lines."""

    def __init__(self, daily: int, total: int) -> None:
        self.daily, self.total = daily, total
        self.accepted: list[tuple[str, str, int]] = []  # team, key, day

    def submit(self, team: str, key: str, day: int) -> bool:
        mine = [one for one in self.accepted if one[0] == team]
        if any(one[1] == key for one in mine):
            return True
        if len(mine) >= self.total or sum(one[2] == day for one in mine) >= self.daily:
            return False
        self.accepted.append((team, key, day))
        return True


STEPS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("klmnop"), st.integers(0, 1)), max_size=12)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS, st.integers(1, 3), st.integers(1, 4))
def test_quotas_and_keys_are_those_of_a_model(small: Board, steps: list[Any], daily: int, total: int) -> None:
    clock, prefix = clock_of(small), str(len(actions(small.database)))
    with small.database.write() as session:
        track = session.get_one(Track, small.track.id)
        track.daily_limit, track.total_limit = daily, total
    model, day = Model(daily, total), 0
    for team, key, days in steps:
        clock.advance(86_400 * days)
        day += days
        accepted = model.submit(team, key, day)
        try:
            small.submit(key, f"{team} {prefix}")
        except QuotaError:
            assert not accepted
        else:
            assert accepted
    with small.database.read() as session:
        query = session.query(Submission).join(Team, Team.id == Submission.team_id)
        stored = query.filter(Team.name.endswith(f" {prefix}")).count()
    assert stored == len(model.accepted)


@pytest.mark.slow(keep=1)
def test_entries_are_published_hidden_and_withdrawn(board: Board) -> None:
    submission = board.submit("k")
    with pytest.raises(SubmissionError, match="scored"):
        board.change(submissions.publish, submission, actor="team:1")
    finish(board, submission)

    def is_public() -> bool:
        with board.database.read() as session:
            return submissions.is_public(session.get_one(Submission, submission.id))

    steps: list[tuple[Any, dict[str, Any], bool]] = [
        (submissions.publish, {}, True),
        (submissions.publish, {}, True),
        (submissions.hide, {}, False),
        (submissions.publish, {}, False),
        (submissions.hide, {"hidden": False}, True),
        (submissions.unpublish, {}, False),
        (submissions.unpublish, {}, False),
        (submissions.publish, {}, True),
        (submissions.withdraw, {}, False),
        (submissions.withdraw, {}, False),
        (submissions.hide, {"hidden": False}, False),
    ]
    for function, options, expected in steps:
        board.change(function, submission, actor="admin:x", **options)
        assert is_public() == expected, function
    with pytest.raises(SubmissionError, match="withdrawn"):
        board.change(submissions.publish, submission, actor="team:1")
    said = actions(board.database)
    assert said[said.index("submit") + 1 :] == ["publish", "hide", "show", "unpublish", "publish", "withdraw"]


def test_submissions_of_others_are_not_found(small: Board) -> None:
    mine, other = small.submit("a"), small.submit("b", "other")

    def find(session: Session, public_id: str, team: Team | None = None) -> int | None:
        found = submissions.find_submission(session, public_id, team=team)
        return found.id if found else None

    with small.database.read() as session:
        assert find(session, mine.public_id, small.team()) == mine.id
        assert find(session, other.public_id) == other.id
        for public_id in (
            other.public_id,
            str(mine.id),
            "",
            mine.public_id[:-1],
            mine.public_id.upper(),
            "%",
            "' OR 1=1",
        ):
            expected = mine.id if public_id == mine.public_id else None
            assert find(session, public_id, small.team()) == expected, public_id


def test_tags_are_shown_in_words() -> None:
    assert set(TAGS) == {"pictures", "ground_truth", "language_model", "generator_grammar"}
    assert EntryDetails("a", list(TAGS)[::-1]).cleaned().tags == list(TAGS)
