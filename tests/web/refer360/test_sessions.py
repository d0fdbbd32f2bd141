"""Stages and sessions: hiring with a review by hand, four findings and four descriptions, another round, ablations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from bearleft.errors import InputError
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Project, Unit
from bearleft.web.queue.slots import add_units
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks import refer360
from tests.web.refer360.conftest import NewPerson
from tests.web.refer360.people import Person, sentences

DESCRIPTION, FINDING, ABLATION = "refer360/description", "refer360/finding", "refer360/ablation"
HIRING = ("refer360/hiring-finding", "refer360/hiring-description")


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """Open a database of each kind."""
    opened = open_database(database_url)
    yield opened
    opened.close()


def write_texts(person: Person, count: int) -> None:
    """Write texts, all different."""
    for k in range(count):
        lease = person.claim(DESCRIPTION)
        assert lease
        person.describe(lease, sentences(1000 * person.id + k))


def hire(person: Person) -> None:
    """Do all of stage I."""
    for _ in range(4):
        lease = person.claim()
        assert lease and lease.kind == HIRING[0]
        person.find(lease)
    for k in range(4):
        lease = person.claim()
        assert lease and lease.kind == HIRING[1]
        person.describe(lease, sentences(k))


def decide(database: Database, person: Person, accepted: bool, reason: str = "") -> None:
    with database.write() as session:
        refer360.review(session, session.get_one(Project, person.project.id), person.id, accepted, reason)


def test_stage_one_is_four_findings_four_descriptions_and_a_review(new_person: NewPerson, database: Database) -> None:
    person = new_person(limit=8)
    assert person.standing() == refer360.Standing("hiring", 0, 0)
    assert "0 of 4 texts followed" in person.standing().message and "reads your texts" in person.standing().message
    with pytest.raises(InputError, match="completed stage I"):
        decide(database, person, True)
    hire(person)
    assert person.standing().stage == "review"
    assert "reads your texts" in person.standing().message
    assert person.kinds() == []
    with database.read() as session:
        [row] = refer360.to_review(session, session.get_one(Project, person.project.id))
    assert (row["worker"], row["found"], len(row["texts"])) == (person.id, 4, 4)
    assert row["texts"][0]["text"] == " ".join(sentences(0))
    decide(database, person, False, "Too short.")
    assert person.kinds() == []
    assert person.standing().message.endswith("Too short.")
    decide(database, person, True)
    assert person.standing() == refer360.Standing("collection", 0, 0)
    assert person.kinds() == [DESCRIPTION]
    with database.read() as session:
        assert refer360.to_review(session, session.get_one(Project, person.project.id)) == []


def test_texts_of_stage_one_are_not_given_to_others(new_person: NewPerson, database: Database) -> None:
    hire(new_person(limit=8))
    with database.read() as session:
        assert session.query(Unit).filter(Unit.kind == FINDING).count() == 0


@pytest.mark.slow
def test_every_candidate_gets_the_units_of_stage_one(new_person: NewPerson) -> None:
    people = [new_person(limit=8) for _ in range(3)]
    for person in people:
        hire(person)
    assert {person.standing().stage for person in people} == {"review"}


@pytest.mark.slow
def test_a_session_is_four_findings_then_four_descriptions(new_person: NewPerson) -> None:
    write_texts(new_person(limit=40, hiring=False), 12)
    person = new_person()
    done: list[str] = []
    for k in range(16):
        lease = person.claim()
        assert lease
        done.append(lease.kind)
        if lease.kind == FINDING:
            person.find(lease)
        else:
            person.describe(lease, sentences(100 + k))
    assert done == [*[FINDING] * 4, *[DESCRIPTION] * 4] * 2
    assert person.standing().message == "Session 3: 0 of 4 texts followed, 0 of 4 written."


@pytest.mark.slow
def test_descriptions_come_while_there_is_nothing_to_find_and_the_other_way_round(new_person: NewPerson) -> None:
    first, second = new_person(limit=5, hiring=False), new_person()
    assert first.kinds() == [DESCRIPTION]
    write_texts(first, 5)
    assert first.kinds() == [FINDING]
    assert first.claim() is None  # its own texts
    found = 0
    while lease := second.claim():
        assert lease.kind == FINDING
        second.find(lease)
        found += 1
    assert found == 5


def test_a_unit_that_was_begun_comes_first(new_person: NewPerson) -> None:
    writer, person = new_person(limit=8, hiring=False), new_person()
    begun = person.claim()
    assert begun and begun.kind == DESCRIPTION
    write_texts(writer, 2)
    assert person.kinds() == [DESCRIPTION]
    again = person.claim()
    assert again and again.attempt_id == begun.attempt_id


def test_a_text_that_was_not_found_is_given_to_one_more_person(new_person: NewPerson) -> None:
    writer = new_person(limit=1, hiring=False)
    write_texts(writer, 1)
    units = []
    for _ in range(2):
        finder = new_person()
        lease = finder.claim()
        assert lease
        units.append(lease.unit_id)
        finder.find(lease, off=30)
        assert finder.claim() is None
    assert len(set(units)) == 1
    assert new_person().claim() is None
    assert writer.claim() is None


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("rounds", [1, 3])
def test_the_number_of_rounds_is_a_setting(new_person: NewPerson, rounds: int) -> None:
    write_texts(new_person(limit=1, hiring=False, rounds=rounds), 1)
    tries = 0
    while lease := (finder := new_person()).claim():
        finder.find(lease, off=30)
        tries += 1
    assert tries == rounds


def test_a_text_that_was_found_is_not_given_out_again(new_person: NewPerson) -> None:
    write_texts(new_person(limit=1, hiring=False), 1)
    finder = new_person()
    lease = finder.claim()
    assert lease
    finder.find(lease)
    assert new_person().claim() is None


def test_ablations_of_verified_texts_can_be_added(new_person: NewPerson, database: Database) -> None:
    writer, finder = new_person(limit=2, hiring=False), new_person()
    write_texts(writer, 2)
    for off in (0, 30):
        lease = finder.claim()
        assert lease
        finder.find(lease, off)
    with database.write() as session:
        project = session.get_one(Project, writer.project.id)
        units = refer360.ablation_units(session, project, 10)
        assert [unit.payload["last"] for unit in units] == [1, 2]
        add_units(session, project.id, units)
    reader = new_person()
    lease = reader.claim()
    assert lease and lease.kind == FINDING  # what was not found comes first
    reader.find(lease)
    assert reader.kinds() == [ABLATION]
    assert writer.kinds() == [FINDING]  # nothing for the writer
    assert writer.claim() is None


def test_an_ablation_of_a_dataset_has_neither_stages_nor_a_review(new_person: NewPerson, database: Database) -> None:
    person = new_person(study="ablation", limit=2)
    assert person.kinds() == [ABLATION] and person.standing().message == ""
    lease = person.claim()
    assert lease and lease.kind == ABLATION
    with pytest.raises(InputError, match="with hiring"):
        decide(database, person, True)


def test_units_are_of_scenes_in_turn_and_the_same_for_a_seed(worlds: SceneWorlds) -> None:
    units = refer360.create_units(worlds, {"limit": 20, "seed": 3})
    assert Counter(unit.kind for unit in units) == {HIRING[0]: 8, HIRING[1]: 8, DESCRIPTION: 20}
    assert all(unit.slots == (1 if unit.kind == DESCRIPTION else 100) for unit in units)
    described = [unit.payload for unit in units if unit.kind == DESCRIPTION]
    assert [payload["world"] for payload in described[:4]] == ["rooms/0/42", "city/3/4x5"] * 2
    assert len({(payload["world"], payload["place"]) for payload in described}) == 8  # all scenes of the dataset
    assert all(abs(payload["target"][1]) <= 45 and payload["start"][1] == 90 for payload in described)
    assert refer360.create_units(worlds, {"limit": 20, "seed": 3}) == units
    assert refer360.create_units(worlds, {"limit": 20, "seed": 4}) != units


def test_scenes_can_be_chosen(worlds: SceneWorlds) -> None:
    chosen: dict[str, Any] = {"worlds": ["rooms/0/42"], "places": ["0000003", "0000005"], "hiring": False, "limit": 3}
    units = refer360.create_units(worlds, chosen)
    assert [unit.payload["place"] for unit in units] == ["0000003", "0000005", "0000003"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"limt": 3}, "Did you mean limit"),
        ({"limit": 0}, "field limit"),
        ({"limit": True}, "field limit"),
        ({"seed": "a"}, "field seed"),
        ({"rounds": 0}, "field rounds"),
        ({"worlds": "rooms/0/42"}, "a list of worlds"),
        ({"places": ["nowhere"]}, "nowhere"),
        ({"study": "other"}, "collection"),
        ({"hiring": 1}, "true or false"),
        ({"dataset": "city/sdr/small"}, "a dataset of Refer360"),
        ({"dataset": "nothing"}, "nothing"),
    ],
)
def test_wrong_settings_are_refused(worlds: SceneWorlds, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        refer360.create_units(worlds, settings)


def test_reviews_are_of_candidates_only(new_person: NewPerson, database: Database) -> None:
    person, other = new_person(limit=8), new_person("open", limit=4, hiring=False)
    hire(person)
    with database.write() as session:
        project = session.get_one(Project, person.project.id)
        with pytest.raises(InputError, match="a worker"):
            refer360.review(session, project, 10**6, True)
        with pytest.raises(InputError, match="at most 1,000 characters"):
            refer360.review(session, project, person.id, True, "x" * 1001)
        with pytest.raises(InputError, match="with hiring"):
            refer360.review(session, session.get_one(Project, other.project.id), other.id, True)
