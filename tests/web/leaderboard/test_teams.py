"""Teams: invitations are used as often as they say, tokens are stored nowhere, and sessions end with their token."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, text

from bearleft.errors import InputError
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.leaderboard import Team, Token
from bearleft.web.leaderboard import teams
from bearleft.web.leaderboard.errors import LeaderboardError, TeamError
from tests.web.leaderboard.board import Board, actions
from tests.web.queue.desk import Clock


@pytest.fixture
def timed(tmp_path: Path) -> Iterator[Database]:
    """A database on a clock that stands still."""
    database = open_database(tmp_path / "teams.sqlite", clock=Clock())
    yield database
    database.close()


def found(database: Database, name: str, code: str | None = None) -> tuple[Team, str]:
    with database.write() as session:
        code = code or teams.invite(session, actor="cli", now=database.now())
        return teams.redeem(session, code, name=name, now=database.now())


def test_an_invitation_founds_a_team_whose_token_signs_in(timed: Database) -> None:
    team, token = found(timed, " Bären  und Co ")
    assert team.name == "Bären und Co"
    with timed.read() as session:
        same = teams.team_of_token(session, token)
        assert same is not None and same.id == team.id
        for wrong in ("", token[:-1], token[:-1] + "é", f"{token}=", token.swapcase(), "x" * 43):
            assert teams.team_of_token(session, wrong) is None
        stored = str(session.execute(text("SELECT * FROM leaderboard_tokens")).all())
        stored += str(session.execute(text("SELECT * FROM leaderboard_invitations")).all())
        stored += str(session.execute(text("SELECT * FROM leaderboard_events")).all())
    assert token not in stored
    assert actions(timed) == ["invite", "found team", "add token"]


def test_invitations_end(timed: Database) -> None:
    clock = timed.clock
    assert isinstance(clock, Clock)
    with timed.write() as session:
        code = teams.invite(session, uses=2, days=1, actor="cli", now=timed.now())
    team, _ = found(timed, "a", code)
    with timed.write() as session:
        join = teams.invite(session, team=session.get_one(Team, team.id), uses=2, actor="cli", now=timed.now())
    same, _ = found(timed, "another name", join)
    assert (same.id, same.name) == (team.id, "a")
    with pytest.raises(TeamError, match="expired"):
        found(timed, "b", "x" * 43)
    with pytest.raises(LeaderboardError), timed.write() as session:
        teams.redeem(session, code, name="<b>", now=timed.now())  # the use is taken back
    clock.advance(timedelta(days=1).total_seconds() - 1)
    found(timed, "b", code)
    with pytest.raises(TeamError, match="used"):
        found(timed, "c", code)
    clock.advance(timedelta(days=30).total_seconds())
    with pytest.raises(TeamError, match="expired"):
        found(timed, "c", join)
    for uses, days in ((0, 1), (1, 0), (10**6, 1), (1, 10**6)):
        with pytest.raises(InputError), timed.write() as session:
            teams.invite(session, uses=uses, days=days, actor="cli")


def test_names_are_taken_once(timed: Database) -> None:
    found(timed, "Bären")
    with timed.write() as session:
        builtin = teams.builtin_team(session)
        assert teams.builtin_team(session).id == builtin.id
    for name in ("BA\u0308REN", "bearleft", "Bear Left", "Ｂｅａｒｌｅｆｔ"):
        with pytest.raises(TeamError, match="Choose another name"):
            found(timed, name)


def test_the_last_use_and_a_name_are_given_once(database: Database) -> None:
    """Threads use one invitation, some with one name: as many teams as uses, and no name twice."""
    with database.write() as session:
        code = teams.invite(session, uses=5, actor="cli")
    results: list[str] = []
    ready = threading.Barrier(12, timeout=30)

    def redeem(number: int) -> None:
        ready.wait()
        try:
            database.transact(lambda session: teams.redeem(session, code, name=f"team {number % 8}"))
            results.append("founded")
        except TeamError as error:
            results.append(error.code)

    threads = [threading.Thread(target=redeem, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results.count("founded") == 5 and len(results) == 12
    with database.read() as session:
        names = session.scalars(select(Team.name)).all()
    assert len(set(names)) == len(names) == 5


def test_sessions_end_with_their_token_and_after_a_time(timed: Database) -> None:
    clock = timed.clock
    assert isinstance(clock, Clock)
    team, token = found(timed, "a")
    with timed.write() as session:
        cookies = [teams.sign_in(session, token, now=timed.now()) for _ in range(3)]
        assert teams.sign_in(session, "x" * 43) is None
    first, second, third = cookies
    assert first and second and third and len({first, second, third, token}) == 4
    with timed.read() as session:
        signed = [teams.signed_in_team(session, cookie, now=timed.now()) for cookie in (first, second)]
        assert signed[0] and signed[1] and signed[0].team.id == team.id
        assert signed[0].form_token != signed[1].form_token
        assert teams.signed_in_team(session, token, now=timed.now()) is None
        used = session.scalars(select(Token.last_used_at)).one()
        assert used is not None and (used.hour, used.minute) == (0, 0)
    with timed.write() as session:
        teams.sign_out(session, first)
    with timed.read() as session:
        assert teams.signed_in_team(session, first, now=timed.now()) is None
        assert teams.signed_in_team(session, second, now=timed.now()) is not None
        late = timed.now() + teams.LIFETIME
        assert teams.signed_in_team(session, second, now=late) is None
    with timed.write() as session:
        (one,) = teams.tokens_of(session, team)
        teams.revoke_token(session, session.get_one(Team, team.id), one.id)
    with timed.read() as session:
        assert teams.signed_in_team(session, second, now=timed.now()) is None
        assert teams.team_of_token(session, token) is None


def test_a_team_manages_its_own_tokens_only(timed: Database) -> None:
    (mine, _), (other, token) = found(timed, "a"), found(timed, "b")
    with timed.write() as session:
        mine, other = session.get_one(Team, mine.id), session.get_one(Team, other.id)
        (theirs,) = teams.tokens_of(session, other)
        for number in (theirs.id, 10**9):
            with pytest.raises(TeamError, match="no such token"):
                teams.revoke_token(session, mine, number)
        for _ in range(teams.MAX_TOKENS - 1):
            teams.new_token(session, mine)
        with pytest.raises(TeamError, match="Revoke one"):
            teams.new_token(session, mine)
        assert teams.team_of_token(session, token) is not None


def test_a_disabled_team_is_refused_until_it_is_enabled(small: Board) -> None:
    team = small.team("a")
    token = small.teams["a"][1]
    with small.database.write() as session:
        team = session.get_one(Team, team.id)
        cookie = teams.sign_in(session, token, now=small.database.now())
        assert cookie
        join = teams.invite(session, team=team, actor="cli", now=small.database.now())
        teams.set_disabled(session, team, True, actor="admin:x")
    with small.database.write() as session:
        assert teams.team_of_token(session, token) is None
        assert teams.signed_in_team(session, cookie, now=small.database.now()) is None
        assert teams.sign_in(session, token) is None
        with pytest.raises(TeamError):
            teams.redeem(session, join, now=small.database.now())
    with pytest.raises(LeaderboardError, match="disabled"):
        small.submit("k", "a")
    with small.database.write() as session:
        teams.set_disabled(session, teams.team_named(session, "A"), False, actor="admin:x")
        assert teams.team_of_token(session, token) is not None
        with pytest.raises(InputError, match="Did you mean"):
            teams.team_named(session, "ab")
        (row,) = teams.team_rows(session)
        assert (row["team"], row["state"], row["tokens"], row["submissions"]) == ("a", "active", 1, 0)
