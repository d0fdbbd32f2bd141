"""What is owed, and batches of payments: each amount is in one batch at most, so it is paid once.

A batch is recorded first, in the transaction that takes its amounts, and its file is written afterwards. If the program
is killed in between, the amounts are in a batch without a file: `unwritten` finds it, and the file is written again
from the same amounts. Nothing can be in two files of different numbers.
"""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.runtime.store import write_text
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Project, Worker
from bearleft.web.database.payments import LedgerEntry, PaymentBatch
from bearleft.web.database.people import Identity, PlatformSession
from bearleft.web.payments.amounts import BASE
from bearleft.web.payments.ledger import book
from bearleft.web.projects import get_project
from bearleft.web.studies import study_settings
from bearleft.web.templating import format_cents

DIRECT = "direct"
WAYS = ("prolific", "mturk", DIRECT)
MTURK_COLUMNS = ("WorkerId", "AssignmentId", "BonusAmount", "Reason", "UniqueRequestToken")
DIRECT_COLUMNS = ("worker", "amount", "currency")


@dataclass(frozen=True)
class Payee:
    """Who is paid by which way.

    Attributes:
        pseudonym: The worker.
        way: "prolific", "mturk" or "direct".
        participant: The id on the platform; empty for "direct".
        study: The study of the newest session there.
        session: The newest session there.
    """

    pseudonym: str
    way: str
    participant: str = ""
    study: str = ""
    session: str = ""


def payees(session: Session, project: Project) -> dict[int, Payee]:
    """Return how the workers with entries in a project's ledger are paid, by their numbers.

    Whoever came to this project from a platform is paid there.
    """
    of_ledger = select(LedgerEntry.worker_id).where(LedgerEntry.project_id == project.id)
    workers = session.execute(select(Worker.id, Worker.pseudonym).where(Worker.id.in_(of_ledger)).order_by(Worker.id))
    found = {number: Payee(pseudonym, DIRECT) for number, pseudonym in workers}
    came = (
        select(Identity, PlatformSession)
        .join(PlatformSession, PlatformSession.identity_id == Identity.id)
        .where(PlatformSession.project_id == project.id)
        .order_by(PlatformSession.started, PlatformSession.id)
    )
    for identity, row in session.execute(came):  # the newest one counts
        if identity.worker_id in found:
            pseudonym = found[identity.worker_id].pseudonym
            payee = Payee(pseudonym, identity.platform, identity.participant, row.study, row.session)
            found[identity.worker_id] = payee
    return found


def _is_paid_here(project: Project, entry: LedgerEntry, payee: Payee) -> bool:
    """Return whether an amount is paid by a batch, and not by a platform that approves a submission."""
    return (
        entry.reason != BASE
        or payee.way == DIRECT
        or study_settings(project.family, project.settings).base_pay == "bonus"
    )


def payment_rows(url: str, name: str) -> list[dict[str, Any]]:
    """Book what was earned, and return a row for each worker: earned, owed and paid, by pseudonym.

    Raises:
        InputError: There is no such project.
    """
    database = open_database(url)
    try:
        database.transact(lambda session: book(session, get_project(session, name)))
        with database.read() as session:
            return _rows(session, get_project(session, name))
    finally:
        database.close()


def _rows(session: Session, project: Project) -> list[dict[str, Any]]:
    currency = study_settings(project.family, project.settings).currency
    known = payees(session, project)
    sums: dict[int | None, Counter[str]] = {}
    for entry in _entries(session, project):
        of_worker = sums.setdefault(entry.worker_id, Counter())
        of_worker["base" if entry.reason == BASE else "bonus"] += entry.cents
        if entry.batch_id is not None:
            of_worker["paid"] += entry.cents
        elif entry.worker_id is not None and _is_paid_here(project, entry, known[entry.worker_id]):
            of_worker["owed"] += entry.cents
    return [
        {
            "worker": known[worker].pseudonym if worker is not None else "deleted",
            "by": known[worker].way if worker is not None else "",
            **{column: format_cents(cents[column]) for column in ("base", "bonus", "owed", "paid")},
            "currency": currency,
        }
        for worker, cents in sorted(sums.items(), key=lambda row: (row[0] is None, row[0] or 0))
    ]


def _entries(session: Session, project: Project) -> Sequence[LedgerEntry]:
    query = select(LedgerEntry).where(LedgerEntry.project_id == project.id).order_by(LedgerEntry.id)
    return session.scalars(query).all()


def export_batch(
    url: str, name: str, way: str, path: str | os.PathLike[str], study: str | None = None
) -> list[dict[str, Any]]:
    """Put everything that is owed into a new batch, and write its file.

    Args:
        url: The database.
        name: The project.
        way: "prolific", "mturk" or "direct".
        path: The file to write.
        study: The study on Prolific, if people came from several: bonuses are paid within one.

    Returns:
        A row for the batch; no row if nothing is owed.

    Raises:
        InputError: The project or the way is unknown, people came from several studies, an earlier batch has no file
            yet, or the file cannot be written.
    """
    if way not in WAYS:
        raise unknown_name("way of payment", way, WAYS)
    database = open_database(url)
    try:
        number = database.transact(lambda session: record_batch(session, get_project(session, name), way, study))
        return [] if number is None else [write_batch(database, number, path)]
    finally:
        database.close()


def rewrite_batch(url: str, name: str, number: int, path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Write the file of a batch again; whoever was deleted since is not in it.

    Raises:
        InputError: The project has no such batch, or the file cannot be written.
    """
    database = open_database(url)
    try:
        with database.read() as session:
            project = get_project(session, name)
            known = session.scalars(select(PaymentBatch.id).where(PaymentBatch.project_id == project.id)).all()
        if number not in known:
            raise unknown_name("batch", str(number), map(str, known))
        return [write_batch(database, number, path)]
    finally:
        database.close()


def unwritten(session: Session, project: Project, way: str) -> int | None:
    """Return the first batch whose file was not completed."""
    query = select(func.min(PaymentBatch.id)).where(
        PaymentBatch.project_id == project.id, PaymentBatch.platform == way, PaymentBatch.state == "recorded"
    )
    return session.scalar(query)


def record_batch(session: Session, project: Project, way: str, study: str | None = None) -> int | None:
    """Take all amounts that are owed into a new batch, and return its number; None if there are none."""
    book(session, project)  # and let others that record a batch wait
    if (earlier := unwritten(session, project, way)) is not None:
        hint = f"Type: bearleft serve payments {project.name} --batch {earlier} -o FILE"
        raise InputError("all earlier batches in files", f"batch {earlier} without one", hint=hint)
    known = payees(session, project)
    owed = [
        entry
        for entry in _entries(session, project)
        if entry.batch_id is None
        and entry.worker_id is not None
        and known[entry.worker_id].way == way
        and _is_paid_here(project, entry, known[entry.worker_id])
    ]
    chosen = ""
    if way == "prolific":
        studies = sorted({known[entry.worker_id].study for entry in owed if entry.worker_id is not None})
        if study is None and len(studies) > 1:
            hint = f"Type: --study {studies[0]}, then the others."
            raise InputError("one study on Prolific", f"{len(studies)}: {', '.join(studies)[:200]}", hint=hint)
        if study is not None and study not in studies:
            raise InputError(f"a study with amounts to pay: {', '.join(studies) or 'none'}", format_value(study))
        chosen = study or (studies[0] if studies else "")
        owed = [entry for entry in owed if entry.worker_id is not None and known[entry.worker_id].study == chosen]
    elif study is not None:
        raise InputError("--study with --for prolific", f"--for {way}")
    if not owed:
        return None
    batch = PaymentBatch(project_id=project.id, platform=way, study=chosen)
    session.add(batch)
    session.flush()
    for entry in owed:
        entry.batch_id = batch.id
    session.flush()
    return batch.id


def write_batch(database: Database, number: int, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Write the file of a recorded batch, note that it is complete, and return a row about it."""
    with database.read() as session:
        batch = session.get_one(PaymentBatch, number)
        project = session.get_one(Project, batch.project_id)
        known = payees(session, project)
        cents: Counter[int] = Counter()
        for entry in _entries(session, project):
            if entry.batch_id == number and entry.worker_id is not None:
                cents[entry.worker_id] += entry.cents
        currency = study_settings(project.family, project.settings).currency
        rows = [(known[worker], amount) for worker, amount in cents.items()]
        rows.sort(key=lambda row: (row[0].participant, row[0].pseudonym))
    write_text(path, _FORMATS[batch.platform](rows, project.name, number, currency))

    def note(session: Session) -> None:
        session.execute(update(PaymentBatch).where(PaymentBatch.id == number).values(state="written"))

    database.transact(note)
    return {
        "batch": number,
        "for": batch.platform,
        "study": batch.study,
        "people": len(rows),
        "total": format_cents(sum(cents.values())),
        "currency": currency,
        "file": str(path),
    }


def prolific_lines(rows: Sequence[tuple[Payee, int]], _name: str, _number: int, _currency: str) -> str:
    """Return lines of Prolific's bulk bonus payments: participant, amount in the currency of the study."""
    return "".join(f"{payee.participant},{format_cents(cents)}\n" for payee, cents in rows)


def mturk_csv(rows: Sequence[tuple[Payee, int]], name: str, number: int, _currency: str) -> str:
    """Return a table with the parameters of MTurk's SendBonus.

    MTurk refuses a second bonus with the same UniqueRequestToken.
    """
    return _csv(
        MTURK_COLUMNS,
        [
            (
                payee.participant,
                payee.session,
                format_cents(cents),
                f"Bonus for your work in {name}. Thank you!",
                f"bearleft-{number}-{payee.pseudonym}",
            )
            for payee, cents in rows
        ],
    )


def direct_csv(rows: Sequence[tuple[Payee, int]], _name: str, _number: int, currency: str) -> str:
    """Return a table by pseudonyms, for people who did not come from a platform."""
    return _csv(DIRECT_COLUMNS, [(payee.pseudonym, format_cents(cents), currency) for payee, cents in rows])


_FORMATS = {"prolific": prolific_lines, "mturk": mturk_csv, DIRECT: direct_csv}


def _csv(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()
