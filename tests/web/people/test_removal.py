"""A deleted worker is in no table, no export and no file of the database; the units get other answers."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from sqlalchemy import select

from bearleft.errors import InputError
from bearleft.web.database.models import Answer, Attempt, Base, Event, Slot, Unit
from bearleft.web.database.models import Worker as WorkerRow
from bearleft.web.database.payments import LedgerEntry, PaymentBatch
from bearleft.web.database.people import Identity, Withdrawal
from bearleft.web.exports import export_project
from bearleft.web.exports.archive import archive_project
from bearleft.web.operations.backup import write_backup
from bearleft.web.payments.batches import export_batch, payment_rows, rewrite_batch
from bearleft.web.people.removal import delete_worker, withdraw
from tests.web.people.conftest import NewStudy
from tests.web.people.study import SPOT, Study, miss_all, propagate_all, segment, validate, write
from tests.web.touchdown.driver import NAME, OTHER_TEXT, TEXT, Worker

PID = "5f3a9c1b2d4e6f7a8b9c0d1e"
START = f"/start/{NAME}?PROLIFIC_PID={PID}&STUDY_ID=study0001&SESSION_ID=session0001"
PROLIFIC = {"platform": "prolific", "completion_code": "C0DE1234", "consent": True}


def collect(writer: Worker, others: list[Worker]) -> list[str]:
    """Let a text go through all tasks, and return its route."""
    route = write(writer)
    propagate_all(others[0])
    validate(others[1], route)
    segment(others[0])
    return route


def export_text(study: Study, folder: Path) -> str:
    """Return everything that an export writes; nothing if there is nothing to export."""
    try:
        rows = export_project(study.app.state.settings, NAME, folder)
    except InputError:
        return ""
    return "".join(Path(row["file"]).read_text(encoding="utf-8") for row in rows)


def backup_text(study: Study, file: Path) -> str:
    """Return everything that a backup of the database holds."""
    write_backup(study.url, file)
    return gzip.decompress(file.read_bytes()).decode()


def archive_text(study: Study, file: Path) -> str:
    """Return everything that an archive of the project holds."""
    archive_project(study.url, NAME, file)
    return gzip.decompress(file.read_bytes()).decode()


def check_slots(study: Study) -> None:
    """Check what holds between units, slots, attempts and answers at any time."""
    attempts = {row.id: row for row in study.rows(Attempt)}
    answers = {row.attempt_id for row in study.rows(Answer)}
    slots = study.rows(Slot)
    assert {slot.attempt_id for slot in slots if slot.done} == answers
    assert {row.attempt_id for row in study.rows(Event)} <= set(attempts)
    for unit in study.rows(Unit):
        own = [slot for slot in slots if slot.unit_id == unit.id]
        assert len(own) == unit.slots
        assert unit.closed == all(slot.done for slot in own)


@pytest.mark.slow
def test_a_deleted_writer_is_nowhere(new_study: NewStudy, tmp_path: Path) -> None:
    study = new_study(**PROLIFIC)
    writer, *others = [study.hire(agree=True) for _ in range(3)]
    writer.client.get(START)
    study.agree(writer.client)
    pseudonym = study.pseudonym(writer.client)
    collect(writer, others)
    assert pseudonym in export_text(study, tmp_path / "before")
    assert TEXT[:40] in writer.client.get("/me/data.json").text
    words = (pseudonym, PID, TEXT[:40])
    assert all(word in backup_text(study, tmp_path / "backup-before") for word in words)
    before = study.holding(pseudonym, PID, TEXT[:40])
    assert set(before[pseudonym]) == {"workers"} and set(before[PID]) == {"identities"}
    assert {"units", "answers", "events"} <= set(before[TEXT[:40]])
    payment_rows(study.url, NAME)
    export_batch(study.url, NAME, "prolific", tmp_path / "batch.csv")
    assert PID in (tmp_path / "batch.csv").read_text()

    page = writer.client.post("/me/delete", data={"word": "Delete "})
    assert "Everything is deleted" in page.text
    assert "bearleft_worker" not in writer.client.cookies

    assert study.holding(pseudonym, PID, TEXT[:40]) == {pseudonym: [], PID: [], TEXT[:40]: []}
    assert pseudonym not in export_text(study, tmp_path / "after")
    assert not any(word in backup_text(study, tmp_path / "backup-after") for word in words)
    assert not any(word in archive_text(study, tmp_path / "archive") for word in words)
    rewrite_batch(study.url, NAME, 1, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == ""
    if study.url.startswith("sqlite"):
        stored = study.file_bytes()
        for word in (pseudonym, PID, TEXT[:40], TEXT[-40:]):
            assert word.encode() not in stored
    check_slots(study)


def test_money_stays_without_the_person_and_with_the_others(new_study: NewStudy, tmp_path: Path) -> None:
    study = new_study(**PROLIFIC)
    writer, *others = [study.hire(agree=True) for _ in range(3)]
    writer.client.get(START)
    study.agree(writer.client)
    collect(writer, others)
    export_batch(study.url, NAME, "prolific", tmp_path / "batch.csv")
    rows = {row["worker"]: row for row in payment_rows(study.url, NAME)}
    mine, theirs = study.pseudonym(writer.client), [study.pseudonym(other.client) for other in others]
    assert (rows[mine]["base"], rows[mine]["bonus"], rows[mine]["paid"]) == ("0.60", "0.25", "0.25")
    delete_worker(study.database, study.worker_id(writer.client))
    after = {row["worker"]: row for row in payment_rows(study.url, NAME)}
    assert {name: rows[name] for name in theirs} == {name: after[name] for name in theirs}
    # The base pay is Prolific's, and was not paid here; the bonus was.
    deleted = after["deleted"]
    assert (deleted["base"], deleted["bonus"], deleted["owed"], deleted["paid"]) == ("0.00", "0.25", "0.00", "0.25")
    (entry,) = [row for row in study.rows(LedgerEntry) if row.worker_id is None]
    assert entry.unit_id is None and entry.key.startswith("deleted ")
    assert [batch.state for batch in study.rows(PaymentBatch)] == ["written"]


@pytest.mark.slow
def test_the_units_get_other_answers(new_study: NewStudy, tmp_path: Path) -> None:
    study = new_study(consent=True)
    writer, *others = [study.hire(agree=True) for _ in range(3)]
    collect(writer, others)
    delete_worker(study.database, study.worker_id(writer.client))
    # The route is to be written again, and the tasks of the deleted text are gone.
    assert [unit.kind for unit in study.rows(Unit)] == ["touchdown/writing"]
    assert not study.rows(Answer)
    second = study.hire(agree=True)
    route = write(second, TEXT)
    propagate_all(others[0])
    validate(others[1], route)
    segment(others[0])
    assert study.pseudonym(second.client) in export_text(study, tmp_path)
    check_slots(study)


@pytest.mark.slow
def test_a_deleted_follower_leaves_the_text(new_study: NewStudy, tmp_path: Path) -> None:
    study = new_study(consent=True)
    writer, first, second, third = [study.hire(agree=True) for _ in range(4)]
    route = write(writer)
    propagate_all(first)
    miss_all(second, route)
    validate(third, route)
    segment(first)
    gone = [study.pseudonym(worker.client) for worker in (first, second, third)]
    for worker in (first, second, third):
        delete_worker(study.database, study.worker_id(worker.client))
        check_slots(study)
    assert all(not tables for tables in study.holding(*gone).values())
    kinds = [unit.kind for unit in study.rows(Unit)]
    assert kinds.count("touchdown/segmentation") == 1
    # Others do it all again; the text is divided once.
    fourth, fifth = (study.hire(agree=True) for _ in range(2))
    propagate_all(fourth)
    validate(fifth, route)
    validate(study.hire(agree=True), route)
    segment(fourth)
    assert [unit.kind for unit in study.rows(Unit)] == kinds
    text = export_text(study, tmp_path)
    assert study.pseudonym(fifth.client) in text
    assert not any(name in text for name in gone)
    check_slots(study)


def test_whoever_works_on_a_deleted_text_is_told_so(new_study: NewStudy) -> None:
    study = new_study(consent=True)
    writer, other = (study.hire(agree=True) for _ in range(2))
    write(writer)
    assert other.claim("propagation")
    delete_worker(study.database, study.worker_id(writer.client))
    answer = other.try_act("occluded", {})
    assert answer.status_code == 404
    assert "no such unit of yours" in answer.json()["detail"]
    assert other.client.get(f"/work/{other.unit['attempt']}").status_code == 404


def test_an_old_cookie_opens_nobody(new_study: NewStudy) -> None:
    study = new_study(consent=True)
    worker = study.hire(agree=True)
    cookie, number = worker.client.cookies["bearleft_worker"], study.worker_id(worker.client)
    delete_worker(study.database, number)
    study.hire()
    assert number not in [row.id for row in study.rows(WorkerRow)]
    stranger = study.browser()
    stranger.cookies.set("bearleft_worker", cookie)
    assert stranger.post(f"/api/projects/{NAME}/claim", json={}).status_code == 401
    assert stranger.get("/me/data.json").status_code == 401


def test_deletion_needs_the_word(new_study: NewStudy) -> None:
    study = new_study()
    worker = study.hire()
    for word in ("", "no", "deleted"):
        page = worker.client.post("/me/delete", data={"word": word})
        assert "Nothing is deleted yet" in page.text
    assert study.worker_id(worker.client) in [row.id for row in study.rows(WorkerRow)]


def test_leaving_gives_back_what_was_begun(new_study: NewStudy) -> None:
    study = new_study(consent=True, limit=2)
    worker = study.hire(agree=True)
    write(worker)
    assert worker.claim("writing")
    assert worker.client.post(f"/me/withdraw/{NAME}", data={"answers": "keep"}).status_code == 200
    assert [(row.kept, row.worker_id) for row in study.rows(Withdrawal)] == [(True, study.worker_id(worker.client))]
    assert len(study.rows(Answer)) == 1
    refused = worker.client.post(f"/api/projects/{NAME}/claim", json={}).json()
    assert (refused["attempt"], refused["reason"]) == (None, "You have left this project.")
    assert worker.try_act("draft", {"text": "x"}).status_code == 409
    study.agree(study.hire().client)
    other = study.hire(agree=True)
    assert other.claim("writing")
    assert "You have left this project" in worker.client.get("/me").text
    check_slots(study)


def test_leaving_with_the_answers_keeps_the_pay(new_study: NewStudy) -> None:
    study = new_study(consent=True)
    worker = study.hire(agree=True)
    write(worker)
    leave = worker.client.post(f"/me/withdraw/{NAME}", data={"answers": "delete"})
    assert "0.60 USD" in leave.text
    assert not study.rows(Answer)
    assert study.holding(TEXT[:40]) == {TEXT[:40]: []}
    (row,) = payment_rows(study.url, NAME)
    assert (row["base"], row["owed"]) == ("0.60", "0.60")
    # Somebody else may write, and is paid as well.
    other = study.hire(agree=True)
    write(other)
    assert [row["owed"] for row in payment_rows(study.url, NAME)] == ["0.60", "0.60"]
    with pytest.raises(InputError, match="project"):
        withdraw(study.database, "unknown", study.worker_id(worker.client), True)


def test_everything_that_refers_to_a_worker_is_handled() -> None:
    """A new table that refers to workers or their attempts has to be deleted from, too."""
    handled = {"units", "attempts", "slots", "events", "answers", "consents", "withdrawals", "identities", "ledger"}
    refer = {
        table.name
        for table in Base.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table.name in ("workers", "attempts", "answers", "identities") and key.ondelete != "CASCADE"
    }
    assert refer == handled | {"platform_sessions"}


def test_the_download_holds_everything_of_the_worker(new_study: NewStudy) -> None:
    study = new_study(**PROLIFIC)
    worker = study.hire()
    worker.client.get(START)
    study.agree(worker.client)
    write(worker, OTHER_TEXT)
    payment_rows(study.url, NAME)
    answer = worker.client.get("/me/data.json")
    assert "attachment" in answer.headers["content-disposition"]
    data = json.loads(answer.text)
    assert data["pseudonym"] == study.pseudonym(worker.client)
    (platform,) = data["platforms"]
    assert (platform["participant"], platform["sessions"][0]["session"]) == (PID, "session0001")
    assert [consent["version"] for consent in data["consents"]] == [1]
    (work,) = data["work"]
    assert work["task"] == "touchdown/writing"
    assert [action["kind"] for action in work["actions"]].count("place") == 1
    assert work["answer"]["content"]["text"] == OTHER_TEXT
    assert work["answer"]["content"]["bear"]["heading"] == SPOT.heading
    assert data["earned"] == [{"project": NAME, "reason": "base", "cents": 60, "paid": False}]
    with study.database.read() as session:
        assert session.scalar(select(Identity.participant)) == PID
