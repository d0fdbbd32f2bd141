"""Consent: versions of a project's text, and who has agreed to which."""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from bearleft.errors import InputError
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Project
from bearleft.web.database.people import Consent, ConsentText, Withdrawal
from bearleft.web.people.texts import DEFAULT_TEXT, add_version, current_text, read_text
from bearleft.web.projects import PLAY, add_project, find_project, get_project
from bearleft.web.settings import Settings
from bearleft.web.studies import study_settings


def add_study(
    settings: Settings, name: str, family: str, values: Mapping[str, Any], answers: int = 1
) -> list[dict[str, Any]]:
    """Create a project whose people agree to a text first, and return a row for each kind of its units.

    Args:
        settings: The database and the worlds.
        name: The project.
        family: The family of its tasks.
        values: Its settings. "consent" is the file of the text, or false; without it, the text is `DEFAULT_TEXT`.
            Games have none unless it is given.
        answers: Answers wanted of each unit, of different workers.

    Raises:
        InputError: A setting is wrong, or the project exists with another text.
    """
    given = values.get("consent", family != PLAY)
    chosen = {key: value for key, value in values.items() if key != "consent"}
    if given is False:
        return add_project(settings, name, family, chosen, answers=answers)
    text = DEFAULT_TEXT if given is True else read_text(str(given))
    rows = add_project(settings, name, family, chosen | {"consent": True}, text, answers)
    _check_same_text(settings.database, name, text)
    return rows


def _check_same_text(url: str, name: str, text: str) -> None:
    database = open_database(url)
    try:
        with database.read() as session:
            present = current_text(session, get_project(session, name))
    finally:
        database.close()
    if present is not None and present.sha256 != sha256(text.encode()).hexdigest():
        hint = f"Type: bearleft serve consent {name} FILE"
        raise InputError("the consent text that the project has", "another one", "consent", hint=hint)


def needs_consent(session: Session, project: Project, worker_id: int) -> bool:
    """Return whether a worker has to agree before getting a unit."""
    if not study_settings(project.family, project.settings).consent:
        return False
    text = current_text(session, project)
    query = select(Consent.id).where(Consent.worker_id == worker_id)
    return text is None or session.scalar(query.where(Consent.text_id == text.id)) is None


def agree(database: Database, name: str, worker_id: int, text_id: int) -> bool:
    """Store that a worker agrees to a version; once more changes nothing.

    Returns:
        Whether it is the current version; otherwise nothing is stored.
    """

    def store(session: Session) -> bool:
        project = get_project(session, name)
        text = current_text(session, project)
        if text is None or text.id != text_id:
            return False
        if needs_consent(session, project, worker_id):
            session.add(Consent(worker_id=worker_id, text_id=text.id, created=database.now()))
        return True

    try:
        return database.transact(store)
    except IntegrityError:  # sent twice at the same time
        return database.transact(store)


def has_withdrawn(session: Session, project: Project, worker_id: int) -> bool:
    """Return whether a worker has left a project."""
    query = select(Withdrawal.id).where(Withdrawal.worker_id == worker_id, Withdrawal.project_id == project.id)
    return session.scalar(query) is not None


def consents_of(session: Session, project: Project, worker_id: int) -> list[tuple[ConsentText, Consent]]:
    """Return the versions of a project that a worker has agreed to, in order."""
    query = (
        select(ConsentText, Consent)
        .join(Consent, Consent.text_id == ConsentText.id)
        .where(Consent.worker_id == worker_id, ConsentText.project_id == project.id)
        .order_by(ConsentText.number)
    )
    return [(text, consent) for text, consent in session.execute(query)]


def consent_rows(url: str, name: str, path: str | os.PathLike[str] | None = None) -> list[dict[str, Any]]:
    """Add a version of a project's text, if a file is given, and return a row for each version.

    Raises:
        InputError: The project is unknown or asks for no consent, or the file cannot be read.
    """
    text = None if path is None else read_text(path)
    database = open_database(url)

    def add(session: Session) -> None:
        project = get_project(session, name)
        if not study_settings(project.family, project.settings).consent:
            hint = "Add a project without --set consent=false."
            raise InputError("a project that asks for consent", name, "project", hint=hint)
        if text is not None:
            add_version(session, project, text)

    try:
        database.transact(add)
        with database.read() as session:
            project = find_project(session, name)
            agreed = (
                select(ConsentText.number, ConsentText.created, ConsentText.sha256, func.count(Consent.id))
                .outerjoin(Consent, Consent.text_id == ConsentText.id)
                .where(ConsentText.project_id == (project.id if project else 0))
                .group_by(ConsentText.id)
                .order_by(ConsentText.number)
            )
            return [
                {"version": number, "since": created.isoformat(timespec="seconds"), "sha256": sha, "agreed": count}
                for number, created, sha, count in session.execute(agreed)
            ]
    finally:
        database.close()
