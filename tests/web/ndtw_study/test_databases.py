"""A session of the nDTW study on each kind of database: what comes again, what is stored, what is exported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from bearleft.experiments.ndtw.study import read_rankings
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Answer
from bearleft.web.exports import export_project, project_statistics
from bearleft.web.settings import Settings
from tests.web.ndtw_study.conftest import NewRater
from tests.web.ndtw_study.people import by_metric


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """Open a database of each kind."""
    opened = open_database(database_url)
    yield opened
    opened.close()


def test_the_last_set_of_a_session_is_its_first_one_mirrored(
    new_rater: NewRater, database: Database, database_url: str, tmp_path: Path
) -> None:
    rater = new_rater(studies=["unconstrained"], limit=6, session=4)
    units, messages = [], [rater.message()]
    while lease := rater.claim():
        units.append((lease.unit_id, rater.unit(lease).payload))
        messages.append(rater.rank(lease, by_metric("nDTW")).feedback["message"])
    assert len(units) == 8
    for begin in (0, 4):
        new, (_, again) = units[begin : begin + 3], units[begin + 3]
        assert len({payload["set"] for _, payload in new}) == 3
        assert (again["set"], again["repeats"], again["mirrored"]) == (new[0][1]["set"], new[0][0], True)
    assert messages[:5] == [
        "Session 1: 0 of 4 sets ranked.",
        "Session 1: 1 of 4 sets ranked.",
        "Session 1: 2 of 4 sets ranked.",
        "Session 1: 3 of 4 sets ranked.",
        "Session 1 is complete. Thank you! You may go on with another one.",
    ]
    assert messages[5] == "Session 2: 1 of 4 sets ranked."
    assert messages[-1].startswith("Session 2 is complete.")
    with database.read() as session:
        assert session.scalars(select(Answer.accepted)).all() == [True] * 8  # nobody is rejected
    export_project(Settings(database=database_url), "ranks", tmp_path)
    assert len(read_rankings(tmp_path / "ranks-rankings.jsonl")) == 6
    assert len(read_rankings(tmp_path / "ranks-repeated.jsonl")) == 2
    table = project_statistics(database_url, "ranks", "ndtw-study")
    assert [row["+"] + row["ties"] for row in table[:6]] == [6] * 6
