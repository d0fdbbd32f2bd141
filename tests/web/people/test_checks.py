"""Attention checks: units with a known answer, which reject nobody and are paid whatever their outcome."""

from __future__ import annotations

from pathlib import Path

import pytest

from bearleft.errors import InputError
from bearleft.records import Direction
from bearleft.web.checks import ALL_FOUND, MISSED, outcome_message
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Answer, Attempt, Unit
from bearleft.web.payments.batches import payment_rows
from bearleft.web.projects import allowed_kinds, check_rows, create_project
from bearleft.web.scenes.worlds import SceneWorlds
from tests.web.people.conftest import NewStudy
from tests.web.people.study import Study, propagate_all, write
from tests.web.refer360.people import Person
from tests.web.touchdown.driver import NAME, Worker


def test_a_check_comes_after_every_few_units_and_looks_like_others(new_study: NewStudy) -> None:
    study = new_study(check_every=2, limit=2)
    writer, worker = study.hire(), study.hire()
    write(writer)
    assert propagate_all(worker) >= 2
    assert worker.claim()
    assert worker.unit["kind"] == "touchdown/validation"
    page = worker.client.get(f"/work/{worker.unit['attempt']}").text
    assert "check" not in page.lower().replace("checked", "")
    assert "touchdown/check" not in worker.client.get(f"/projects/{NAME}").text
    unit = _unit_of(study, worker)
    assert unit.kind == "touchdown/check"
    # Loaded again, it is the same.
    first = worker.unit["attempt"]
    assert worker.claim()
    assert worker.unit["attempt"] == first


def _unit_of(study: Study, worker: Worker) -> Unit:
    with study.database.read() as session:
        return session.get_one(Unit, session.get_one(Attempt, worker.unit["attempt"]).unit_id)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("passes", [True, False])
def test_the_outcome_is_shown_to_those_who_run_the_study_and_costs_nothing(new_study: NewStudy, passes: bool) -> None:
    study = new_study(check_every=1, limit=3)
    worker = study.hire()
    write(worker)
    assert worker.claim()
    unit = _unit_of(study, worker)
    assert unit.kind == "touchdown/check"
    target = unit.payload["targets"][0]
    links = study.app.state.worlds
    route = links.episode(unit.payload["dataset"], unit.payload["episode"]).legs[0].goal.route
    answer = worker.search(list(route), Direction(target["heading"], target["pitch"]), 0 if passes else 5)
    assert answer["accepted"] == passes
    (row,) = check_rows(study.url, NAME)
    assert row == {
        "worker": study.pseudonym(worker.client),
        "checks": 1,
        "passed": int(passes),
        "message": ALL_FOUND if passes else MISSED,
    }
    (paid,) = payment_rows(study.url, NAME)
    assert paid["base"] == "0.85"  # a text and a search
    # The worker goes on, and the slot is there for the next one.
    assert worker.claim()
    assert len(study.rows(Answer)) == 2
    assert not any(unit.closed for unit in study.rows(Unit) if unit.kind == "touchdown/check")


def test_each_outcome_has_its_message() -> None:
    assert outcome_message(3, 3) == "gave every known answer"
    assert outcome_message(3, 2) == "missed known answers: read them before you decide anything"


def test_refer360_checks_with_texts_of_its_dataset(new_study: NewStudy) -> None:
    study = new_study()
    study.add("rooms", "refer360", worlds=["rooms/0/42"], hiring=False, limit=9, check_every=1)
    person = Person(study.database, study.app.state.worlds, "rooms")
    with study.database.read() as session:
        before = allowed_kinds(session, person.project, person.id)
    assert before != ["refer360/check"]
    lease = person.claim("refer360/description")
    assert lease is not None
    person.describe(lease, ["turn to the wide wooden door.", "go down to the small rug.", "the bear sits on its edge."])
    with study.database.read() as session:
        assert allowed_kinds(session, person.project, person.id) == ["refer360/check"]
    check = person.claim("refer360/check")
    assert check is not None
    assert not person.find(check, off=40.0).accepted
    (row,) = check_rows(study.url, "rooms")
    assert (row["checks"], row["passed"], row["message"]) == (1, 0, MISSED)
    with study.database.read() as session:
        assert allowed_kinds(session, person.project, person.id) != ["refer360/check"]


def test_checks_need_tasks_that_have_them(tmp_path: Path) -> None:
    database = open_database(tmp_path / "web.sqlite")
    values = {"dataset": "city/refer360/small", "study": "ablation", "check_every": 3}
    with pytest.raises(InputError, match="ablation"):
        create_project(database, SceneWorlds(), "ablation", "refer360", values)
    values = {"dataset": "city/touchdown/small", "kind": "play/walk", "check_every": 3}
    with pytest.raises(InputError, match="check_every"):
        create_project(database, SceneWorlds(), "game", "play", values)
    database.close()
