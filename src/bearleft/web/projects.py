"""Projects: a family of tasks over the episodes of a dataset."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.web.checks import check_units, checks_of, due_check
from bearleft.web.database.admins import ClosedProject
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Answer, Project, Unit
from bearleft.web.payments.rates import parse_rates
from bearleft.web.people.texts import DEFAULT_TEXT, add_version
from bearleft.web.queue.copies import ask_for_more, has_one_answer
from bearleft.web.queue.slots import MAX_SLOTS, NewUnit, add_units
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings
from bearleft.web.studies import study_settings, task_settings
from bearleft.web.tasks import arramon, ndtw_study, refer360, touchdown
from bearleft.web.tasks.base import REGISTERED, TaskContext
from bearleft.web.tasks.play import play_kind, play_units

PLAY = "play"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")
UnitMaker: TypeAlias = Callable[[SceneWorlds, Mapping[str, Any]], list[NewUnit]]
KindsOf: TypeAlias = Callable[[Session, Project, int], Sequence[str]]


def _play_units(worlds: SceneWorlds, settings: Mapping[str, Any]) -> list[NewUnit]:
    episodes = list(worlds.episodes(settings["dataset"]).values())[: settings.get("limit")]
    return play_units(settings["dataset"], play_kind(episodes), episodes)


def _nothing(_session: Session, _project: Project, _worker_id: int) -> Sequence[str]:
    return ()  # episodes are chosen, not claimed


@dataclass(frozen=True)
class Family:
    """A family of tasks.

    Attributes:
        create_units: Returns the first units of a project.
        allowed_kinds: Returns the kinds of units that a worker may do now.
        summary: What its work is, in one sentence.
        message: Returns what the worker is told about what there is to do, or an empty text.
    """

    create_units: UnitMaker
    allowed_kinds: KindsOf
    summary: str = ""
    message: Callable[[Session, Project, int], str] = lambda _session, _project, _worker_id: ""


FAMILIES = {
    PLAY: Family(_play_units, _nothing),
    "touchdown": Family(
        touchdown.create_units,
        touchdown.allowed_kinds,
        "Walk through streets, hide bears, and find those of others.",
        touchdown.qualification_message,
    ),
    "refer360": Family(
        refer360.create_units,
        refer360.allowed_kinds,
        "Tell where a bear is in a panorama, and find those of others.",
        lambda session, project, worker_id: refer360.standing(session, project, worker_id).message,
    ),
    "arramon": Family(
        arramon.create_units,
        arramon.allowed_kinds,
        "Collect things in a city and put them in their places, as others say; or write how.",
        arramon.standing_message,
    ),
    "ndtw-study": Family(
        ndtw_study.create_units,
        ndtw_study.allowed_kinds,
        "Look at paths on a map, and put the best first.",
        lambda session, project, worker_id: ndtw_study.standing(session, project, worker_id).message,
    ),
}


def create_project(
    database: Database,
    worlds: SceneWorlds,
    name: str,
    family: str,
    settings: Mapping[str, Any],
    consent_text: str = DEFAULT_TEXT,
    answers: int = 1,
) -> int:
    """Create a project with its units, and return its number; one that exists with the same settings is kept.

    Args:
        database: The database.
        worlds: The worlds.
        name: The name.
        family: The family of tasks.
        settings: The settings of its tasks and those of `studies`.
        consent_text: What people agree to first, if the settings ask for that.
        answers: Answers wanted of each unit, of different workers.

    Raises:
        InputError: The name, the family or a setting is invalid, or a project of this name has other settings.
    """
    if not NAME.fullmatch(name):
        raise InputError("a name of a project: a-z, 0-9 and -, at most 41 characters", format_value(name), "name")
    if family not in FAMILIES:
        raise unknown_name("task family", family, FAMILIES)
    if not 1 <= answers <= MAX_SLOTS:
        raise InputError(f"1 to {MAX_SLOTS} answers", format_value(answers), "answers")
    if family == PLAY and answers > 1:
        raise InputError("1 answer: everybody may play every episode", format_value(answers), "answers")
    study = study_settings(family, settings)
    parse_rates(family, study.rates)
    with database.read() as session:
        present = find_project(session, name)
        if present is not None:
            if (present.family, present.settings) != (family, dict(settings)):
                hint = "Choose another name."
                raise InputError(f"the settings of the project {name}", "others", "settings", hint=hint)
            return present.id
    units = [*FAMILIES[family].create_units(worlds, task_settings(settings))]
    if study.check_every:
        units += check_units(worlds, family, settings)
    if not units:
        raise InputError("a project with units", "none", "settings")

    def create(session: Session) -> int:
        raced = find_project(session, name)
        if raced is not None:  # created by another process in the meantime
            return raced.id
        project = Project(name=name, family=family, settings=dict(settings), open=family == PLAY)
        session.add(project)
        session.flush()
        for unit in add_units(session, project.id, units):
            # Units that ask many workers already, such as a qualification, stay as they are.
            if answers > 1 and (unit.slots == 1 or has_one_answer(unit.kind)):
                ask_for_more(session, unit, answers - 1)
        if study.consent:
            add_version(session, project, consent_text)
        return project.id

    return database.transact(create)


def add_project(
    settings: Settings,
    name: str,
    family: str,
    values: Mapping[str, Any],
    consent_text: str = DEFAULT_TEXT,
    answers: int = 1,
) -> list[dict[str, Any]]:
    """Create a project, and return a row for each kind of its units."""
    worlds = SceneWorlds(settings.data, settings.pictures, settings.city, settings.device)
    database = open_database(settings.database)
    try:
        create_project(database, worlds, name, family, with_kind(worlds, family, values), consent_text, answers)
        with database.read() as session:
            return progress_rows(session, get_project(session, name))
    finally:
        database.close()


def with_kind(worlds: SceneWorlds, family: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a project; those of a game name the kind of its units."""
    if family != PLAY:
        return dict(values)
    return {**values, "kind": play_kind(list(worlds.episodes(values["dataset"]).values()))}


def is_closed(session: Session, project: Project) -> bool:
    """Return whether a project is closed: nobody gets units of it, but what was begun can be finished."""
    return session.get(ClosedProject, project.id) is not None


def project_rows(url: str) -> list[dict[str, Any]]:
    """Return the progress of all projects of a database: a row for each kind of unit."""
    database = open_database(url)
    try:
        with database.read() as session:
            projects = session.scalars(select(Project).order_by(Project.id)).all()
            return [{"project": one.name, **row} for one in projects for row in progress_rows(session, one)]
    finally:
        database.close()


def check_rows(url: str, name: str) -> list[dict[str, Any]]:
    """Return a row for each worker of a project with attention checks: how many, and how many were passed.

    Raises:
        InputError: There is no such project.
    """
    database = open_database(url)
    try:
        with database.read() as session:
            return checks_of(session, get_project(session, name))
    finally:
        database.close()


def served_worlds(session: Session, worlds: SceneWorlds) -> frozenset[str]:
    """Return the worlds that units of all projects are in."""
    played = session.scalars(select(Project.settings).where(Project.family == PLAY)).all()
    names = {one.world for settings in played for one in worlds.episodes(settings["dataset"]).values()}
    world = Unit.payload["world"].as_string()
    return frozenset(names | {name for name in session.scalars(select(world).distinct()) if name})


def find_project(session: Session, name: str) -> Project | None:
    """Return a project by its name; None if there is none."""
    return session.scalars(select(Project).where(Project.name == name)).one_or_none()


def get_project(session: Session, name: str) -> Project:
    """Return a project by its name; raise InputError with the known names if there is none."""
    project = find_project(session, name)
    if project is None:
        raise unknown_name("project", name, session.scalars(select(Project.name).order_by(Project.id)))
    return project


def allowed_kinds(session: Session, project: Project, worker_id: int) -> Sequence[str]:
    """Return the kinds of units that a worker may do in a project now; one with a known answer when it is due.

    In a closed project there are none.
    """
    if is_closed(session, project):
        return ()
    check = due_check(session, project, worker_id)
    if check is not None:
        return [check]
    return FAMILIES[project.family].allowed_kinds(session, project, worker_id)


def standing_message(session: Session, project: Project, worker_id: int) -> str:
    """Return what a worker is told about what there is to do in a project, or an empty text."""
    if is_closed(session, project):
        return "This project is closed. Thank you!"
    return FAMILIES[project.family].message(session, project, worker_id)


def task_context(worlds: SceneWorlds, project: Project, worker_id: int) -> TaskContext:
    """Return what the tasks of a project may use."""
    return TaskContext(worlds, project.settings, worker_id)


def progress_rows(session: Session, project: Project) -> list[dict[str, Any]]:
    """Return a row for each kind of unit: how many there are, how many answers are wanted, given, and accepted."""
    wanted = session.execute(
        select(Unit.kind, func.count(Unit.id), func.sum(Unit.slots))
        .where(Unit.project_id == project.id, Unit.kind.in_(REGISTERED))
        .group_by(Unit.kind)
        .order_by(Unit.kind)
    ).all()
    given = session.execute(
        select(Unit.kind, Answer.accepted, func.count(Answer.id))
        .join(Unit, Unit.id == Answer.unit_id)
        .where(Unit.project_id == project.id)
        .group_by(Unit.kind, Answer.accepted)
    ).all()
    counts = {(kind, accepted): number for kind, accepted, number in given}
    return [
        {
            "kind": kind,
            "units": units,
            "answers wanted": int(slots),
            "answers": counts.get((kind, True), 0) + counts.get((kind, False), 0),
            "accepted": counts.get((kind, True), 0),
        }
        for kind, units, slots in wanted
    ]
