"""Attention checks of the ranking study: one of the paths is the given one; they reject nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from bearleft.web.checks import ALL_FOUND, MISSED
from bearleft.web.database.engines import open_database
from bearleft.web.exports.ndtw_study import collected
from bearleft.web.projects import check_rows, create_project
from bearleft.web.scenes.worlds import SceneWorlds
from tests.web.ndtw_study.people import Rater, by_metric


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("passes", [True, False])
def test_a_ranking_check_has_the_reference_among_the_paths(tmp_path: Path, passes: bool) -> None:
    database, worlds = open_database(tmp_path / "web.sqlite"), SceneWorlds()
    create_project(database, worlds, "study", "ndtw-study", {"limit": 2, "session": 2, "check_every": 1})
    rater = Rater(database, worlds)
    first = rater.claim()
    assert first is not None
    assert first.kind == "ndtw-study/ranking"
    message = rater.rank(first, by_metric("nDTW")).feedback["message"]
    check = rater.claim("ndtw-study/check")
    assert check is not None
    assert set(rater.view(check)) == set(rater.view(first)), "the page is the same"
    stored = rater.rank(check, by_metric("nDTW", 1.0 if passes else -1.0))
    assert (stored.accepted, stored.feedback["message"]) == (passes, message), "it counts for no session"
    (row,) = check_rows(f"sqlite:///{tmp_path / 'web.sqlite'}", "study")
    assert (row["checks"], row["passed"], row["message"]) == (1, int(passes), ALL_FOUND if passes else MISSED)
    with database.read() as session:
        (ranking,) = collected(session, rater.project).first
    assert ranking.unit == first.unit_id, "a check is no ranking of the study"
    assert rater.claim() is not None, "whoever missed goes on"
    database.close()
