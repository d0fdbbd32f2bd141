"""The description task: the bear is found first, then texts are kept and checked."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.web.database.engines import Database
from bearleft.web.database.models import Unit
from bearleft.web.tasks.refer360 import draw_targets
from tests.web.refer360.conftest import NewPerson
from tests.web.refer360.people import SENTENCES, Person, answer_at, sentences, view

DESCRIPTION = "refer360/description"


@pytest.fixture
def writer(new_person: NewPerson) -> Person:
    return new_person(limit=8, hiring=False)


def test_targets_are_of_any_longitude_and_within_45_degrees_of_the_horizon() -> None:
    targets = draw_targets(3, 4000)
    headings, pitches = np.array([(target.heading, target.pitch) for target in targets]).T
    assert np.all(np.abs(pitches) <= 45)
    assert np.all(np.histogram(headings, 8, (0, 360))[0] > 400)
    assert np.all(np.histogram(np.sin(np.radians(pitches)), 8, (-np.sqrt(0.5), np.sqrt(0.5)))[0] > 400)
    assert draw_targets(3, 10) == targets[:10]
    assert draw_targets(4, 10) != targets[:10]


def test_the_first_view_is_of_the_ceiling_with_a_random_heading(new_person: NewPerson) -> None:
    people = [new_person(limit=8, hiring=False) for _ in range(4)]
    views = [person.view(person.claim(DESCRIPTION)) for person in people]  # type: ignore[arg-type]
    assert {shown["look"]["pitch"] for shown in views} == {90.0}
    assert len({shown["look"]["heading"] for shown in views}) == 4
    assert all(shown["look"]["heading"] == shown["start"][0] for shown in views)


def test_the_bear_is_found_within_11_degrees_only(writer: Person) -> None:
    lease = writer.claim(DESCRIPTION)
    assert lease
    heading, pitch = writer.unit(lease).payload["target"]
    towards = -1 if pitch > 0 else 1
    assert writer.act(lease, "found", **answer_at((heading, pitch + towards * 11.01), "click")) == {"found": False}
    assert not writer.view(lease)["found"]
    assert writer.act(lease, "found", **answer_at((heading, pitch + towards * 10.99))) == {"found": True}
    assert writer.view(lease)["found"]


def test_nothing_is_written_before_the_bear_is_found(writer: Person) -> None:
    lease = writer.claim(DESCRIPTION)
    assert lease
    for send in (
        lambda: writer.act(lease, "draft", sentences=list(SENTENCES)),
        lambda: writer.submit(lease, sentences=list(SENTENCES)),
    ):
        with pytest.raises(InputError, match="Find it in the panorama"):
            send()


def test_drafts_and_views_are_kept_and_a_reload_shows_them(writer: Person) -> None:
    lease = writer.claim(DESCRIPTION)
    assert lease
    writer.act(lease, "look", **view(30, 40, 70))
    assert writer.view(lease)["look"] == view(30, 40, 70)
    target = writer.unit(lease).payload["target"]
    writer.act(lease, "found", **answer_at(target))
    kept = writer.act(lease, "draft", sentences=["  look   at the door now. ", "there"])
    assert kept["sentences"] == ["look at the door now.", "there"]
    assert kept["problems"][0] == ""
    assert "4 words" in kept["problems"][1]
    shown = writer.view(lease)
    assert shown["sentences"] == kept["sentences"]
    assert shown["problems"] == kept["problems"]
    assert [shown["look"]["heading"], shown["look"]["pitch"]] == target


@pytest.mark.parametrize("bad", ["<script>alert(1)</script>", "'; DROP TABLE units; --", "{{ 7 * 7 }}", "🐻🐻"])
def test_markup_and_commands_are_text_as_any_other(writer: Person, bad: str) -> None:
    lease = writer.claim(DESCRIPTION)
    assert lease
    text = [f"{sentence} {bad}" for sentence in SENTENCES]
    answer = writer.describe(lease, text)
    assert answer.data["text"] == " ".join(" ".join(sentence.split()) for sentence in text)


def test_a_bad_text_can_be_mended(writer: Person) -> None:
    lease = writer.claim(DESCRIPTION)
    assert lease
    writer.act(lease, "found", **answer_at(writer.unit(lease).payload["target"]))
    with pytest.raises(InputError, match="sentence 3"):
        writer.submit(lease, sentences=[*SENTENCES[:2], "it is at heading 120"])
    with pytest.raises(InputError, match="at least 3 sentences"):
        writer.submit(lease, sentences=SENTENCES[:2])
    with pytest.raises(InputError, match="a list"):
        writer.submit(lease)
    assert writer.submit(lease, sentences=list(SENTENCES)).accepted


def test_a_text_is_not_written_twice(writer: Person, new_person: NewPerson) -> None:
    first, second = writer.claim(DESCRIPTION), None
    assert first
    writer.describe(first, SENTENCES)
    second = writer.claim(DESCRIPTION)
    assert second
    with pytest.raises(InputError, match="one that you wrote before"):
        writer.describe(second, [sentence.upper() for sentence in SENTENCES])
    writer.submit(second, sentences=sentences(2))
    other = new_person()
    lease = other.claim(DESCRIPTION)
    assert lease
    other.describe(lease, SENTENCES)


def test_a_text_is_verified_by_others_than_its_writer(
    writer: Person, new_person: NewPerson, database: Database
) -> None:
    lease = writer.claim(DESCRIPTION)
    assert lease
    writer.describe(lease, SENTENCES)
    assert writer.claim("refer360/finding") is None
    finder = new_person()
    finding = finder.claim("refer360/finding")
    assert finding
    payload = finder.unit(finding).payload
    assert payload["sentences"] == list(SENTENCES)
    assert payload["target"] == writer.unit(lease).payload["target"]
    with database.read() as session:
        unit = session.get_one(Unit, finding.unit_id)
        assert (unit.writer_id, unit.parent_id, unit.slots) == (writer.id, lease.unit_id, 1)


@pytest.mark.parametrize(("kind", "data"), [("jump", {}), ("look", {}), ("found", {}), ("draft", {"sentences": 3})])
def test_unknown_actions_are_refused(writer: Person, kind: str, data: dict[str, object]) -> None:
    lease = writer.claim(DESCRIPTION)
    assert lease
    writer.act(lease, "found", **answer_at(writer.unit(lease).payload["target"]))
    with pytest.raises(InputError):
        writer.act(lease, kind, **data)
    json.dumps(writer.view(lease))
