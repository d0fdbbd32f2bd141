"""Nobody works before agreeing to the current version of a project's text; what was agreed to is stored."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bearleft.errors import InputError
from bearleft.web.database.models import Attempt
from bearleft.web.database.people import Consent, ConsentText
from bearleft.web.database.values import utc_now
from bearleft.web.people.consent import add_study, consent_rows
from bearleft.web.people.texts import DEFAULT_TEXT, paragraphs
from bearleft.web.settings import Settings
from tests.web.people.conftest import NewStudy
from tests.web.touchdown.driver import NAME


def test_nobody_gets_a_unit_before_agreeing(new_study: NewStudy) -> None:
    study = new_study(consent=True)
    worker = study.hire()
    refused = worker.client.post(f"/api/projects/{NAME}/claim", json={})
    assert refused.status_code == 403
    assert f"/consent/{NAME}" in refused.json()["detail"]
    page = worker.client.get(f"/next/{NAME}")
    assert page.url.path == f"/consent/{NAME}"
    assert not study.rows(Attempt)
    study.agree(worker.client)
    assert worker.claim()
    assert len(study.rows(Attempt)) == 1


def test_version_and_time_are_stored_once(new_study: NewStudy) -> None:
    study = new_study(consent=True)
    worker = study.hire(agree=True)
    (text,) = study.rows(ConsentText)
    again = worker.client.post(f"/consent/{NAME}", data={"text": str(text.id)})
    assert again.url.path.startswith("/work/")
    (consent,) = study.rows(Consent)
    assert (consent.worker_id, consent.text_id) == (study.worker_id(worker.client), text.id)
    assert abs(utc_now() - consent.created) < timedelta(minutes=5)
    assert (text.number, text.text, len(text.sha256)) == (1, DEFAULT_TEXT, 64)
    assert "You have agreed" in worker.client.get(f"/consent/{NAME}").text


def test_a_new_version_asks_again(new_study: NewStudy, tmp_path: Path) -> None:
    study = new_study(consent=True)
    worker = study.hire(agree=True)
    assert worker.claim()
    file = tmp_path / "consent.txt"
    file.write_text("# Changed\nWe now record <b>more</b>.\n")
    rows = consent_rows(study.url, NAME, file)
    assert [(row["version"], row["agreed"]) for row in rows] == [(1, 1), (2, 0)]
    assert worker.client.post(f"/api/projects/{NAME}/claim", json={}).status_code == 403
    page = worker.client.get(f"/consent/{NAME}").text
    assert "We now record &lt;b&gt;more&lt;/b&gt;." in page
    old = study.rows(ConsentText)[0].id
    kept = worker.client.post(f"/consent/{NAME}", data={"text": str(old)})
    assert "The text has changed" in kept.text
    assert worker.client.post(f"/api/projects/{NAME}/claim", json={}).status_code == 403
    # What was begun under the old version is still stored.
    worker.act("draft", text="Go on.")
    study.agree(worker.client)
    assert worker.claim()
    assert [row["agreed"] for row in consent_rows(study.url, NAME)] == [1, 1]


def test_the_same_text_again_is_no_new_version(new_study: NewStudy, tmp_path: Path) -> None:
    study = new_study(consent=True)
    file = tmp_path / "consent.txt"
    file.write_text(DEFAULT_TEXT)
    assert len(consent_rows(study.url, NAME, file)) == 1


def test_other_projects_ask_for_nothing(new_study: NewStudy) -> None:
    study = new_study()
    worker = study.hire()
    assert worker.client.get(f"/consent/{NAME}").url.path == f"/projects/{NAME}"
    assert worker.claim()
    with pytest.raises(InputError, match="a project that asks for consent"):
        consent_rows(study.url, NAME)


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("number", ["", "0", "x", "-1", "9" * 30, "1.5"])
def test_only_a_version_can_be_agreed_to(new_study: NewStudy, number: str) -> None:
    study = new_study(consent=True)
    worker = study.hire()
    assert worker.client.post(f"/consent/{NAME}", data={"text": number}).url.path == f"/consent/{NAME}"
    assert not study.rows(Consent)


def test_another_site_cannot_agree(new_study: NewStudy) -> None:
    study = new_study(consent=True)
    worker = study.hire()
    (text,) = study.rows(ConsentText)
    headers = {"Origin": "https://elsewhere.example"}
    answer = worker.client.post(f"/consent/{NAME}", data={"text": str(text.id)}, headers=headers)
    assert answer.status_code == 403
    assert not study.rows(Consent)


def test_studies_ask_for_consent_unless_told_otherwise(tmp_path: Path) -> None:
    settings = Settings(database=str(tmp_path / "web.sqlite"))
    values = {"dataset": "city/touchdown/small", "limit": 1, "qualification": False}
    add_study(settings, "plain", "touchdown", values)
    assert len(consent_rows(settings.database, "plain")) == 1
    add_study(settings, "none", "touchdown", values | {"consent": False})
    with pytest.raises(InputError, match="asks for consent"):
        consent_rows(settings.database, "none")
    own = tmp_path / "own.txt"
    own.write_text("Our text")
    add_study(settings, "own", "touchdown", values | {"consent": str(own)})
    own.write_text("Our other text")
    with pytest.raises(InputError, match="bearleft serve consent own"):
        add_study(settings, "own", "touchdown", values | {"consent": str(own)})


@pytest.mark.parametrize(("content", "message"), [(b"", "an empty file"), (b"\xff", "UTF-8"), (b"a\0", "NUL")])
def test_texts_that_cannot_be_shown_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    settings = Settings(database=str(tmp_path / "web.sqlite"))
    file = tmp_path / "consent.txt"
    file.write_bytes(content)
    values = {"dataset": "city/touchdown/small", "limit": 1, "consent": str(file)}
    with pytest.raises(InputError, match=message):
        add_study(settings, "study", "touchdown", values)


def test_a_text_has_titles_and_paragraphs() -> None:
    text = "# Title\nfirst\nline\n\nsecond\r\n\r\n## Other\n"
    assert paragraphs(text) == [("h2", "Title"), ("p", "first line"), ("p", "second"), ("h2", "Other")]
