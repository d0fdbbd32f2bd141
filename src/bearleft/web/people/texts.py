"""Texts of the consent page and their versions."""

from __future__ import annotations

import os
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import InputError
from bearleft.runtime.store import existing_file
from bearleft.web.database.models import Project
from bearleft.web.database.people import ConsentText
from bearleft.web.database.values import check_text
from bearleft.web.studies import study_settings

MAX_LENGTH = 50_000  # characters
DEFAULT_TEXT = """\
# What this study is about
We study how people follow and write instructions in panoramas of streets and rooms. You look around in such
panoramas, read texts, write texts, or mark spots.

# What is recorded
Everything you do in a task: where you look and walk, what you click and write, and when. We also keep which version
of this text you agreed to and when, and what you earn. If you came from a platform such as Prolific or Mechanical
Turk, we keep your id there, so that you can be paid; it is kept apart from your answers.

We do not ask for your name.

# What becomes of it
Your answers are published for research under a random name that does not tell who you are. Do not write anything
about yourself into texts. Your id on a platform is never published.

Some tasks have an answer that we know already, to see whether the study works. They alone never cost you your pay.

# Your choice
Taking part is voluntary. You can give a task back, stop at any time, leave the study, download what is recorded of
you, or delete all of it, on the page "Your data". What was published before cannot be called back.
"""


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file.

    Raises:
        InputError: The file cannot be read, is empty, or is too long.
    """
    file = existing_file(path, "a file with the text of the consent page")
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("a text in UTF-8", str(error)[:80], file=str(file)) from error
    if not text.strip():
        raise InputError("a text of the consent page", "an empty file", file=str(file))
    try:
        return check_text(text, "consent", MAX_LENGTH)
    except InputError as error:
        raise error.at(file=str(file)) from None


def add_version(session: Session, project: Project, text: str) -> ConsentText:
    """Add a version of a project's text; the same text again is the version that there is."""
    present = current_text(session, project)
    digest = sha256(text.encode()).hexdigest()
    if present is not None and present.sha256 == digest:
        return present
    version = ConsentText(
        project_id=project.id, number=1 if present is None else present.number + 1, sha256=digest, text=text
    )
    session.add(version)
    session.flush()
    return version


def current_text(session: Session, project: Project) -> ConsentText | None:
    """Return the version that people agree to now; None if the project asks for no consent."""
    if not study_settings(project.family, project.settings).consent:
        return None
    query = select(ConsentText).where(ConsentText.project_id == project.id).order_by(ConsentText.number.desc())
    return session.scalars(query.limit(1)).first()


def paragraphs(text: str) -> list[tuple[str, str]]:
    """Return the parts of a text as ("h2" or "p", text): parts are divided by empty lines, titles begin with #."""
    rows = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        lines = block.strip().splitlines()
        while lines and lines[0].startswith("#"):
            rows.append(("h2", lines.pop(0).lstrip("# ").strip()))
        if lines:
            rows.append(("p", " ".join(line.strip() for line in lines)))
    return rows
