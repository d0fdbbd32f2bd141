"""People from Prolific and MTurk over HTTP: who they are, what a typed id shows, and when a submission is complete."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from bearleft.errors import InputError
from bearleft.web.database.models import Answer, Attempt, Unit, Worker
from bearleft.web.database.people import Identity, PlatformSession
from bearleft.web.people.identities import Entry, count_answers
from bearleft.web.studies import study_settings
from tests.web.people.conftest import NewStudy
from tests.web.people.study import Study, write
from tests.web.touchdown.driver import NAME
from tests.web.touchdown.driver import Worker as Person

PID, OTHER_PID = "5f3a9c1b2d4e6f7a8b9c0d1e", "60ffe5c8371090c7041d43f8"
PROLIFIC = {"platform": "prolific", "completion_code": "C0DE1234"}
MTURK = {"platform": "mturk"}
SUBMIT = "https://workersandbox.mturk.com"


def link(pid: str = PID, session: str = "session0001", study: str = "study0001") -> str:
    return f"/start/{NAME}?PROLIFIC_PID={pid}&STUDY_ID={study}&SESSION_ID={session}"


def enter(study: Study, address: str = "") -> Person:
    """Return a browser that opened the link of a platform."""
    client = study.browser()
    assert client.get(address or link()).url.path == f"/projects/{NAME}"
    return Person(client)


def test_a_person_is_the_same_worker_on_any_browser(new_study: NewStudy) -> None:
    study = new_study(**PROLIFIC)
    first, second = enter(study), enter(study)
    assert study.worker_id(first.client) == study.worker_id(second.client)
    assert len(study.rows(Identity)) == len(study.rows(PlatformSession)) == 1
    other = enter(study, link(OTHER_PID, "session0002"))
    assert study.worker_id(other.client) != study.worker_id(first.client)
    # A computer that two people share.
    first.client.get(link(OTHER_PID, "session0002"))
    assert study.worker_id(first.client) == study.worker_id(other.client)


@pytest.mark.parametrize(
    "address",
    [
        f"/start/{NAME}",
        f"/start/{NAME}?PROLIFIC_PID={PID}",
        link(pid="x" * 65),
        link(pid="%7B%7B%25PROLIFIC_PID%25%7D%7D"),
        link(pid="-1"),
        link(session="a%0Ab"),
        link(study="%F0%9F%90%BB"),
        link(study="'; DROP TABLE workers"),
    ],
)
def test_ids_that_no_platform_sends_are_refused(new_study: NewStudy, address: str) -> None:
    study = new_study(**PROLIFIC)
    answer = study.browser().get(address)
    assert answer.status_code == 422
    assert "PROLIFIC_PID" in answer.text or "_ID" in answer.text
    assert not study.rows(Worker)


def test_nobody_comes_from_a_platform_to_other_projects(new_study: NewStudy) -> None:
    study = new_study()
    assert study.browser().get(link()).status_code == 404
    assert not study.rows(Worker)


def test_the_code_is_shown_when_all_is_stored(new_study: NewStudy) -> None:
    study = new_study(**PROLIFIC, session_units=2, limit=2)
    person = enter(study)
    assert "0 of 2 tasks" in person.client.get(f"/finish/{NAME}").text
    write(person)
    page = person.client.get(f"/finish/{NAME}").text
    assert "1 of 2 tasks" in page
    assert "C0DE1234" not in page
    # A code of an answer could be taken for the one of the study.
    done = person.client.get(f"/work/{person.unit['attempt']}").text
    assert "Your answer is stored" in done and "Completion code" not in done
    write(person, "Go along the long wall to the corner. " * 3 + "The bear sits on the green bench by the stairs.")
    assert "C0DE1234" not in "".join(text for _, text in person.traffic)
    end = person.client.get(f"/next/{NAME}")
    assert end.url.path == f"/finish/{NAME}"
    assert "https://app.prolific.com/submissions/complete?cc=C0DE1234" in end.text
    (row,) = study.rows(PlatformSession)
    assert row.finished is not None
    assert len(study.rows(Answer)) == 2


def test_nobody_is_kept_for_a_lack_of_work(new_study: NewStudy) -> None:
    study = new_study(**PROLIFIC, session_units=5)
    person = enter(study)
    write(person)
    assert person.client.get(f"/next/{NAME}").url.path == f"/finish/{NAME}"
    assert "C0DE1234" in person.client.get(f"/finish/{NAME}").text
    # But who did nothing gets no code.
    idle = enter(study, link(OTHER_PID, "session0002"))
    with study.database.write() as session:
        for unit in session.query(Unit):
            unit.closed = True
    page = idle.client.get(f"/next/{NAME}")
    assert page.url.path == f"/projects/{NAME}"
    assert "C0DE1234" not in page.text + idle.client.get(f"/finish/{NAME}").text


def test_a_typed_id_shows_nothing_of_the_person(new_study: NewStudy) -> None:
    study = new_study(**PROLIFIC, session_units=3, limit=3)
    person = enter(study)
    write(person)
    pseudonym = study.pseudonym(person.client)
    thief = enter(study, link(session="guessed"))
    assert study.worker_id(thief.client) == study.worker_id(person.client)
    for path in ("/me", "/me/data.json", "/me/delete", f"/me/withdraw/{NAME}", "/played"):
        page = thief.client.get(path)
        assert pseudonym not in page.text
        assert page.status_code == (200 if path == "/me" else 403)
    assert "by the link of a platform" in thief.client.get("/me").text
    assert thief.client.post("/me/delete", data={"word": "delete"}).status_code == 403
    assert thief.client.post(f"/me/withdraw/{NAME}", data={"answers": "delete"}).status_code == 403
    assert len(study.rows(Answer)) == 1
    assert pseudonym in person.client.get("/me").text


def test_a_typed_id_does_not_open_what_was_begun(new_study: NewStudy) -> None:
    study = new_study(**PROLIFIC, session_units=3, limit=3)
    person = enter(study)
    assert person.claim("writing")
    person.act("draft", text="A secret draft.")
    thief = enter(study, link(session="guessed"))
    refused = thief.post(f"/api/projects/{NAME}/claim", {})
    assert refused.status_code == 409
    assert "another browser" in refused.json()["detail"]
    # The same submission in another browser goes on.
    moved = enter(study)
    assert moved.claim("writing")
    assert moved.view["text"] == "A secret draft."
    # When the lease is over, a new submission begins with something else.
    with study.database.write() as session:
        for attempt in session.query(Attempt):
            attempt.expires = datetime.now(UTC) - timedelta(seconds=1)
    later = enter(study, link(session="session0002"))
    assert later.claim("writing")
    assert later.view["text"] == ""
    assert sorted(row.state for row in study.rows(Attempt)) == ["active", "returned"]


def test_the_private_link_makes_a_browser_ones_own(new_study: NewStudy) -> None:
    study = new_study(**PROLIFIC)
    person = enter(study)
    found = re.search(r"#key=([0-9]+\.[0-9a-f]{64})", person.client.get("/me").text)
    assert found
    other = study.browser()
    assert other.post("/me/key", data={"key": found[1][:-1] + "0"}).status_code == 404 or found[1][-1] == "0"
    assert other.post("/me/key", data={"key": ""}).status_code == 404
    assert study.pseudonym(person.client) in other.post("/me/key", data={"key": found[1]}).text
    # A cookie is no key, and a key no cookie.
    assert other.post("/me/key", data={"key": person.client.cookies["bearleft_worker"]}).status_code == 404


def mturk(assignment: str = "ASSIGNMENT1", submit: str = SUBMIT, **more: str) -> str:
    query = {"assignmentId": assignment, "hitId": "HIT1", "turkSubmitTo": submit, "workerId": "A1WORKER"} | more
    return str(httpx.URL(f"/start/{NAME}", params=query))


def test_a_preview_leases_nothing_and_sets_no_cookie(new_study: NewStudy) -> None:
    study = new_study(**MTURK, check_every=5)
    client = study.browser()
    for address in (f"/start/{NAME}", f"/start/{NAME}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=HIT1"):
        page = client.get(address)
        assert page.status_code == 200
        assert "This is a preview" in page.text
        assert "Hide the bear" in page.text
        assert "set-cookie" not in page.headers
    assert client.get(mturk("ASSIGNMENT_ID_NOT_AVAILABLE", window="1")).status_code == 422
    assert not study.rows(Worker) and not study.rows(Attempt)


def test_only_the_frame_may_be_framed(new_study: NewStudy) -> None:
    study = new_study(**MTURK)
    client = study.browser()
    policy = client.get(mturk()).headers["content-security-policy"]
    assert "frame-ancestors https://www.mturk.com https://workersandbox.mturk.com https://worker.mturk.com" in policy
    assert "set-cookie" not in client.get(mturk()).headers
    for path in ("/", f"/projects/{NAME}", "/me", f"/consent/{NAME}"):
        assert "frame-ancestors 'none'" in client.get(path).headers["content-security-policy"]


@pytest.mark.parametrize(
    "host",
    ["", "https://evil.example", "https://www.mturk.com.evil.example", "javascript:alert(1)", "http://www.mturk.com"],
)
def test_assignments_are_submitted_to_mturk_only(new_study: NewStudy, host: str) -> None:
    study = new_study(**MTURK)
    page = study.browser().get(mturk(submit=host))
    assert page.status_code == 422
    assert "turkSubmitTo" in page.text


def test_an_assignment_is_submitted_when_all_is_stored(new_study: NewStudy) -> None:
    study = new_study(**MTURK)
    frame = study.browser()
    assert "0 of 1 task" in frame.get(mturk()).text
    person = enter(study, mturk(window="1"))
    assert f"{SUBMIT}/mturk/externalSubmit" not in frame.get(mturk()).text
    write(person)
    page = frame.get(mturk()).text
    assert f'action="{SUBMIT}/mturk/externalSubmit"' in page
    assert 'name="assignmentId" value="ASSIGNMENT1"' in page
    (row,) = study.rows(PlatformSession)
    assert f'name="code" value="{row.code}"' in page
    assert "Submit" in person.client.get(f"/finish/{NAME}").text
    assert not frame.cookies


def test_an_answer_counts_for_one_submission() -> None:
    hour = [datetime(2031, 1, 1, k, tzinfo=UTC) for k in range(10)]
    two = [(hour[0], None), (hour[2], None)]
    assert [count_answers(two, hour[3:4], 1, k) for k in (0, 1)] == [0, 1]
    assert [count_answers(two, hour[3:5], 1, k) for k in (0, 1)] == [1, 1]
    assert [count_answers(two, hour[1:2], 1, k) for k in (0, 1)] == [1, 0]
    # One that was left does not take what is done for the next one.
    assert [count_answers(two, [hour[3], hour[4], hour[5]], 4, k) for k in (0, 1)] == [0, 3]
    # What comes after the end counts for no earlier one.
    ended = [(hour[0], hour[2]), (hour[5], None)]
    assert [count_answers(ended, [hour[1], hour[3], hour[6]], 4, k) for k in (0, 1)] == [1, 1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"platform": "prolific"}, "completion code"),
        ({"platform": "fiverr"}, "prolific"),
        ({"completion_code": "a b"}, "completion_code"),
        ({"session_units": 0}, "session_units"),
        ({"base_pay": "never"}, "base_pay"),
        ({"currency": "dollars"}, "currency"),
        ({"check_every": -1}, "check_every"),
        ({"rates": 5}, "rates"),
        ({"consent": "yes"}, "consent"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        study_settings("touchdown", settings)


def test_a_session_of_refer360_has_eight_units() -> None:
    assert study_settings("refer360", {}).session_units == 8
    assert study_settings("touchdown", {}).session_units == 1
    assert study_settings("refer360", {"session_units": 2}).session_units == 2


def test_ids_have_a_form() -> None:
    with pytest.raises(InputError, match="participant"):
        Entry("prolific", "=1+1", "study", "session")
