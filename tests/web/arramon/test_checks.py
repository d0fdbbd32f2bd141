"""Attention checks of ArraMon: given texts to follow, which reject nobody and are paid."""

from __future__ import annotations

from pathlib import Path

import pytest

from bearleft.errors import InputError
from bearleft.web.checks import ALL_FOUND, MISSED, shown_kind
from bearleft.web.database.engines import open_database
from bearleft.web.payments.batches import payment_rows
from bearleft.web.projects import check_rows, create_project
from bearleft.web.scenes.worlds import SceneWorlds
from tests.web.arramon.conftest import DATASET
from tests.web.arramon.people import Person


@pytest.mark.slow
def test_arramon_checks_with_texts_of_maps_that_nobody_writes_for(tmp_path: Path, worlds: SceneWorlds) -> None:
    database = open_database(tmp_path / "web.sqlite")
    settings = {"dataset": DATASET, "check_every": 1}
    with pytest.raises(InputError, match="maps of city/arramon/short that nobody writes for") as refused:
        create_project(database, worlds, "study", "arramon", settings)
    assert "--limit 1" in str(refused.value)
    create_project(database, worlds, "study", "arramon", settings | {"limit": 2})
    writer = Person(database, worlds)
    writer.write(writer.prepare())
    # Before the check come the quiz and the test of following, which are no units of work.
    for kind in ("arramon/following-quiz", "arramon/placement-test", "arramon/check"):
        assert writer.kinds() == [kind]
        lease = writer.claim()
        assert lease is not None
        if kind != "arramon/check":
            writer.pass_test(lease)
    assert lease is not None
    assert shown_kind(lease.kind) == "arramon/following"
    texts = [leg.text for leg in writer.episode(lease).legs]
    assert writer.view(lease)["text"] == texts[0]
    assert not writer.follow(lease, well=False).accepted
    assert writer.kinds() == ["arramon/writing"]
    url = f"sqlite:///{tmp_path / 'web.sqlite'}"
    assert [(row["checks"], row["passed"], row["message"]) for row in check_rows(url, "study")] == [(1, 0, MISSED)]
    (paid,) = payment_rows(url, "study")
    assert paid["base"] == "1.00"  # a writing, and a following that was not good
    follower = Person(database, worlds)
    lease = follower.prepare()
    assert follower.follow(lease).accepted
    lease = follower.claim()
    assert lease is not None
    assert lease.kind == "arramon/check"
    assert follower.follow(lease).accepted
    assert check_rows(url, "study")[1]["message"] == ALL_FOUND
    database.close()
