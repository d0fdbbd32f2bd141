"""ArraMon's collection: its units, and what a worker may do next.

Sets of texts that wait for followers come first, then maps that have no texts yet; the quiz of a stage, and the
placement test of the second, come before its first unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.records import Collect, Episode
from bearleft.runtime.json_fields import integer
from bearleft.web.database.models import Answer, Project, Unit
from bearleft.web.queue.availability import active_kind, is_available
from bearleft.web.queue.slots import NewUnit
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.studies import task_settings
from bearleft.web.tasks.arramon.kinds import FOLLOWING, FOLLOWING_QUIZ, PLACEMENT_TEST, WRITING, WRITING_QUIZ
from bearleft.web.tasks.arramon.room_keeping import SLOTS
from bearleft.world.worlds import is_world_of

DATASET = "city/arramon/small"
SETTINGS = ("dataset", "limit")
BEFORE = {WRITING: (WRITING_QUIZ,), FOLLOWING: (FOLLOWING_QUIZ, PLACEMENT_TEST)}  # what comes before a stage


def create_units(worlds: SceneWorlds, settings: Mapping[str, Any]) -> list[NewUnit]:
    """Return the units of a new project: quizzes, the placement test, and a set of texts to write for each map.

    Args:
        worlds: The worlds.
        settings: "dataset" (default: city/arramon/small) and "limit", the number of maps.

    Raises:
        InputError: The dataset has no tasks of ArraMon in generated sections, or a setting is invalid.
    """
    dataset, maps = find_maps(worlds, settings)
    once = [NewUnit(kind, {}, SLOTS) for kinds in BEFORE.values() for kind in kinds]
    texts = [
        NewUnit(WRITING, {"world": episode.world, "dataset": dataset, "episode": episode.id})
        for episode in maps[: settings.get("limit")]
    ]
    return [*once, *texts]


def find_maps(worlds: SceneWorlds, settings: Mapping[str, Any]) -> tuple[str, list[Episode]]:
    """Return the dataset of a project and all its maps.

    Raises:
        InputError: The dataset has no tasks of ArraMon in generated sections, or a setting is invalid.
    """
    settings = task_settings(settings)
    for name in settings:
        if name not in SETTINGS:
            raise unknown_name("setting of ArraMon", name, SETTINGS)
    dataset, limit = settings.get("dataset", DATASET), settings.get("limit")
    if limit is not None:
        integer(limit, "limit", 1)
    maps = [episode for episode in worlds.episodes(dataset).values() if is_map(episode)]
    if not maps:
        expected = "tasks of ArraMon in generated sections, as city/arramon/small"
        raise InputError(expected, format_value(dataset), "dataset")
    return dataset, maps


def is_map(episode: Episode) -> bool:
    """Return whether an episode is a task of ArraMon in generated sections, which have 3-D models."""
    return isinstance(episode.legs[0].goal, Collect) and is_world_of("sections", episode.world)


def allowed_kinds(session: Session, project: Project, worker_id: int) -> list[str]:
    """Return the kind of the unit that a worker is to do next: what was begun, then following, then writing."""
    active = active_kind(session, project, worker_id)
    if active is not None:
        return [active]
    done = _done_kinds(session, project, worker_id)
    for stage in (FOLLOWING, WRITING):
        if is_available(session, project, worker_id, stage):
            return [next((kind for kind in BEFORE[stage] if kind not in done), stage)]
    # A map may come back before the worker asks for one; who has not passed the quiz does not get it.
    return [WRITING] if all(kind in done for kind in BEFORE[WRITING]) else []


def standing_message(session: Session, project: Project, worker_id: int) -> str:
    """Return how much a worker has done."""
    counts = _answer_counts(session, project, worker_id)
    written, followed = counts.get(WRITING, 0), counts.get(FOLLOWING, 0)
    return f"Sets of texts: {written} written, {followed} followed." if written or followed else ""


def _answer_counts(session: Session, project: Project, worker_id: int) -> dict[str, int]:
    query = (
        select(Unit.kind, func.count(Answer.id))
        .join(Answer, Answer.unit_id == Unit.id)
        .where(Unit.project_id == project.id, Answer.worker_id == worker_id)
        .group_by(Unit.kind)
    )
    return dict(session.execute(query).all())


def _done_kinds(session: Session, project: Project, worker_id: int) -> Sequence[str]:
    return list(_answer_counts(session, project, worker_id))
