"""Units and sessions of the nDTW study: settings, sets of both studies, and the set that comes again."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.experiments.ndtw.study import path_sets
from bearleft.web.database.engines import Database
from bearleft.web.database.models import Unit
from bearleft.web.queue import slots
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks import ndtw_study
from bearleft.web.tasks.ndtw_study import path_set_of
from tests.web.ndtw_study.conftest import NewRater
from tests.web.ndtw_study.people import by_metric

UNCONSTRAINED = ["unconstrained"]
PREFER = by_metric("nDTW")


def test_units_are_the_generators_sets_of_both_studies_in_turn(worlds: SceneWorlds) -> None:
    units = ndtw_study.create_units(worlds, {"limit": 3, "seed": 7})
    assert [unit.payload["study"] for unit in units] == ["unconstrained", "success-constrained"] * 3
    for study in ("unconstrained", "success-constrained"):
        made = path_sets(study, 7)
        for unit in (unit for unit in units if unit.payload["study"] == study):
            expected, stored = next(made), path_set_of(unit.payload)
            assert stored.to_json() == expected.to_json()
            assert np.array_equal(stored.graph.positions, expected.graph.positions)
            assert np.array_equal(stored.graph.target, expected.graph.target)
            assert {k: v.tolist() for k, v in stored.scores().items()} == {
                k: v.tolist() for k, v in expected.scores().items()
            }
    assert ndtw_study.create_units(worlds, {"limit": 3, "seed": 7}) == units
    assert ndtw_study.create_units(worlds, {"limit": 3, "seed": 8}) != units


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"limt": 3}, "Did you mean limit"),
        ({"limit": 0}, "field limit"),
        ({"limit": 266}, "field limit"),
        ({"limit": True}, "field limit"),
        ({"seed": -1}, "field seed"),
        ({"session": 1}, "field session"),
        ({"repeat": 1}, "true or false"),
        ({"studies": "unconstrained"}, "a list of studies"),
        ({"studies": []}, "a list of studies"),
        ({"studies": ["constrained"]}, "Did you mean"),
        ({"studies": [["unconstrained"]]}, "study"),
        ({"studies": [*UNCONSTRAINED, *UNCONSTRAINED]}, "each study once"),
        ({"dataset": "city/refer360/small"}, "setting of the nDTW study"),
    ],
)
def test_wrong_settings_are_refused(worlds: SceneWorlds, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ndtw_study.create_units(worlds, settings)


def test_a_person_who_ranks_otherwise_the_second_time_is_not_rejected(new_rater: NewRater) -> None:
    rater = new_rater(studies=UNCONSTRAINED, limit=2, session=2)
    for prefer in (PREFER, by_metric("nDTW", -1.0)):
        lease = rater.claim()
        assert lease
        assert rater.rank(lease, prefer).accepted
    lease = rater.claim()
    assert lease


def test_the_set_that_comes_again_is_for_its_person_only(new_rater: NewRater, database: Database) -> None:
    first, second = new_rater(studies=UNCONSTRAINED, limit=4, session=3), new_rater()
    first.rank_all(PREFER, 2)
    seen = []
    while lease := second.claim():
        seen.append(second.unit(lease).payload)
        second.rank(lease, PREFER)
    assert [payload.get("mirrored", False) for payload in seen] == [False, False, True]
    lease = first.claim()
    assert lease
    payload = first.unit(lease).payload
    assert payload["mirrored"]
    with database.read() as session:
        assert session.get_one(Unit, lease.unit_id).parent_id == payload["repeats"]
    again = first.claim()  # also later
    assert again and again.attempt_id == lease.attempt_id


def test_who_returns_the_set_that_comes_again_goes_on(new_rater: NewRater, database: Database) -> None:
    rater = new_rater(studies=UNCONSTRAINED, limit=3, session=2)
    rater.rank_all(PREFER, 1)
    lease = rater.claim()
    assert lease
    assert "repeats" in rater.unit(lease).payload
    slots.give_back(database, lease.attempt_id, rater.id, lease.token)
    assert rater.message().startswith("Session 1 is complete")
    lease = rater.claim()
    assert lease
    assert "repeats" not in rater.unit(lease).payload


def test_sessions_without_a_set_that_comes_again(new_rater: NewRater) -> None:
    rater = new_rater(limit=2, session=3, repeat=False)
    answers = rater.rank_all(lambda _: [5, 4, 3, 2, 1])
    assert Counter(answer["study"] for answer in answers) == {"unconstrained": 2, "success-constrained": 2}
    assert all(answer["repeats"] is None for answer in answers)
    assert rater.message() == "Session 2: 1 of 3 sets ranked."


def test_each_set_is_ranked_by_as_many_people_as_wanted(new_rater: NewRater) -> None:
    raters = [new_rater(studies=UNCONSTRAINED, limit=2, answers=2, repeat=False), new_rater(), new_rater()]
    assert [len(rater.rank_all(PREFER)) for rater in raters] == [2, 2, 0]
