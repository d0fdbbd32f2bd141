"""The nDTW study's units and sessions: settings, sets of both studies, and one set of each session a second time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain, islice, zip_longest
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.experiments.ndtw.study import SETS_PER_STUDY, PathSet, path_sets
from bearleft.runtime.json_fields import integer
from bearleft.web.database.models import Answer, Attempt, Project, Unit
from bearleft.web.queue.slots import NewUnit, assign_unit
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.studies import task_settings
from bearleft.web.tasks.base import TaskContext
from bearleft.web.tasks.ndtw_study.sets import RANKING, set_payload

MIN_SESSION, MAX_SESSION = 2, 100


@dataclass(frozen=True)
class RankingSettings:
    """Settings of a project.

    Attributes:
        studies: Of the paper's two studies, those whose sets are ranked.
        limit: Sets of each study; all of the paper's by default.
        seed: Seed of the sets, and of the orders in which their paths are shown.
        session: Sets of a session.
        repeat: Whether the last set of a session is its first one again, mirrored.
    """

    studies: Sequence[str] = tuple(SETS_PER_STUDY)
    limit: int | None = None
    seed: int = 0
    session: int = 10
    repeat: bool = True

    def __post_init__(self) -> None:
        chosen: Any = self.studies
        if isinstance(chosen, str) or not isinstance(chosen, Sequence) or not chosen:
            raise InputError(f"a list of studies: {', '.join(SETS_PER_STUDY)}", format_value(chosen), "studies")
        for study in chosen:
            if not isinstance(study, str) or study not in SETS_PER_STUDY:
                raise unknown_name("study", str(study), SETS_PER_STUDY)
        if len(set(chosen)) < len(chosen):
            raise InputError("each study once", format_value(list(chosen)), "studies")
        if self.limit is not None:
            integer(self.limit, "limit", 1, max(SETS_PER_STUDY.values()))
        integer(self.seed, "seed", 0, 2**31 - 1)
        integer(self.session, "session", MIN_SESSION, MAX_SESSION)
        if not isinstance(self.repeat, bool):
            raise InputError("true or false", format_value(self.repeat), "repeat")

    @property
    def new_sets(self) -> int:
        """How many sets of a session are new."""
        return self.session - 1 if self.repeat else self.session


def parse_settings(settings: Mapping[str, Any]) -> RankingSettings:
    """Return the settings of a project; raise InputError for one that is unknown or wrong."""
    known = [field.name for field in fields(RankingSettings)]
    chosen = task_settings(settings)
    for name in chosen:
        if name not in known:
            raise unknown_name("setting of the nDTW study", name, known)
    return RankingSettings(**chosen)


def create_units(_worlds: SceneWorlds, settings: Mapping[str, Any]) -> list[NewUnit]:
    """Return the units of a project: the sets of the studies in turn, so that people rank sets of both.

    Raises:
        InputError: A setting is wrong.
    """
    chosen = parse_settings(settings)
    of_studies: list[Iterator[PathSet]] = [
        islice(path_sets(study, chosen.seed), chosen.limit) for study in chosen.studies
    ]
    in_turn = chain.from_iterable(zip_longest(*of_studies))
    return [
        NewUnit(RANKING, {**set_payload(path_set), "seed": chosen.seed}) for path_set in in_turn if path_set is not None
    ]


def allowed_kinds(_session: Session, _project: Project, _worker_id: int) -> list[str]:
    """Return the kind of units that everybody may do."""
    return [RANKING]


@dataclass(frozen=True)
class Standing:
    """How far a worker is in a project.

    Attributes:
        new: Sets ranked for the first time.
        again: Whether the worker is to rank a set again now.
        settings: Settings of the project.
    """

    new: int
    again: bool
    settings: RankingSettings

    @property
    def message(self) -> str:
        """What the worker is told."""
        complete, ranked = divmod(self.new, self.settings.new_sets)
        if self.again:
            complete, ranked = complete - 1, self.settings.new_sets
        if complete and not ranked:
            return f"Session {complete} is complete. Thank you! You may go on with another one."
        return f"Session {complete + 1}: {ranked} of {self.settings.session} sets ranked."


def standing(session: Session, project: Project, worker_id: int) -> Standing:
    """Return how far a worker is in a project."""
    answers = _answers(session, project.id, worker_id)
    active = (
        select(Unit.payload)
        .join(Attempt, Attempt.unit_id == Unit.id)
        .where(Unit.project_id == project.id, Attempt.worker_id == worker_id, Attempt.state == "active")
    )
    again = any("repeats" in payload for payload in session.scalars(active))
    return Standing(len(_new(answers)), again, parse_settings(project.settings))


def follow(session: Session, context: TaskContext, answer: Answer) -> str:
    """Assign the repeated set of a session if it is due, and return what the worker is told.

    Args:
        session: The session in which the answer is stored.
        context: The project and the worker.
        answer: The answer.
    """
    unit = session.get_one(Unit, answer.unit_id)
    project = session.get_one(Project, unit.project_id)
    settings = parse_settings(context.settings)
    of_worker = _answers(session, project.id, answer.worker_id)
    new = _new(of_worker)
    is_last = bool(new) and len(new) % settings.new_sets == 0
    if settings.repeat and is_last and answer.data["repeats"] is None:
        first = session.get_one(Unit, new[-settings.new_sets].unit_id)
        payload = {**first.payload, "repeats": first.id, "mirrored": True}
        assign_unit(
            session, project.id, NewUnit(RANKING, payload, parent_id=first.id), answer.worker_id, answer.created
        )
        session.flush()
    return standing(session, project, answer.worker_id).message


def _answers(session: Session, project_id: int, worker_id: int) -> list[Answer]:
    query = (
        select(Answer)
        .join(Unit, Unit.id == Answer.unit_id)
        .where(Unit.project_id == project_id, Unit.kind == RANKING, Answer.worker_id == worker_id)
        .order_by(Answer.id)
    )
    return list(session.scalars(query))


def _new(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers to sets that the worker ranked for the first time."""
    return [answer for answer in answers if answer.data["repeats"] is None]
