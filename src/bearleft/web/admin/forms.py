"""Forms of the admin pages: their fields, their token, and numbers in addresses."""

from __future__ import annotations

from fastapi import HTTPException
from sqlalchemy.orm import Session

from bearleft.errors import InputError
from bearleft.web.database.models import Answer, Project, Unit
from bearleft.web.database.values import MAX_INTEGER
from bearleft.web.projects import find_project

TOKEN = "form_token"


def integer_field(form: dict[str, str], name: str, low: int, high: int, default: int | None = None) -> int:
    """Return a whole number of a form; raise InputError if it is none from `low` to `high`."""
    text = form.get(name, "").strip()
    if not text and default is not None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 12 and low <= int(text) <= high):
        raise InputError(f"a whole number from {low} to {high:,}", f'"{text[:40]}"', name)
    return int(text)


def project_of(session: Session, name: str) -> Project:
    """Return a project by its name; answer 404 if there is none."""
    project = find_project(session, name) if len(name) <= 100 and "\0" not in name else None
    if project is None:
        raise HTTPException(404, "There is no such project.")
    return project


def answer_of(session: Session, number: int) -> Answer:
    """Return an answer by its number; answer 404 if there is none."""
    answer = session.get(Answer, number) if 0 < number <= MAX_INTEGER else None
    if answer is None:
        raise HTTPException(404, "There is no such answer.")
    return answer


def unit_of(session: Session, number: int) -> Unit:
    """Return a unit by its number; answer 404 if there is none."""
    unit = session.get(Unit, number) if 0 < number <= MAX_INTEGER else None
    if unit is None:
        raise HTTPException(404, "There is no such unit.")
    return unit
