"""Qualification: who finds the bear of three in four given texts may write texts (task I)."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from typing import Any, ClassVar

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value
from bearleft.records import Episode, Point, Reach
from bearleft.web.database.models import Answer, Project, Unit
from bearleft.web.queue.slots import MAX_SLOTS, NewUnit, add_slots
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.base import Outcome, UnitData, register
from bearleft.web.tasks.touchdown.pipeline import QUALIFICATION, target
from bearleft.web.tasks.touchdown.validation import FollowingTask, found_message

DATASET = "city/touchdown-complete/small"
TEXTS, SHARE = 4, 0.75  # three of four
SLOTS = 20  # workers who can be at one text at the same time


def qualification_units(
    worlds: SceneWorlds, settings: Mapping[str, Any], written: Container[tuple[str, tuple[str, ...]]] = ()
) -> list[NewUnit]:
    """Return the units of a project's qualification.

    Args:
        worlds: The worlds.
        settings: "qualification" (default: true), "qualification_dataset", and "qualification_episodes", a list of ids
            (default: the first four whose routes nobody will write for, then others).
        written: Worlds and routes for which people will write texts.
    """
    if not settings.get("qualification", True):
        return []
    dataset = settings.get("qualification_dataset", DATASET)
    episodes = worlds.episodes(dataset)
    names = settings.get("qualification_episodes")
    if not names:
        # Whoever has followed a text of a route would write it again. The sort is stable.
        names = sorted(episodes, key=lambda name: _route(episodes[name]) in written)[:TEXTS]
    return [
        NewUnit(QUALIFICATION, following_payload(dataset, worlds.episode(dataset, str(name))), slots=SLOTS)
        for name in names
    ]


def _route(episode: Episode) -> tuple[str, tuple[str, ...]] | None:
    """Return the world and the route that an episode begins with."""
    goal = episode.legs[0].goal
    return (episode.world, goal.route) if isinstance(goal, Reach) else None


def following_payload(dataset: str, episode: Episode) -> dict[str, Any]:
    """Return the payload of following an episode's text."""
    goals = [leg.goal for leg in episode.legs]
    if len(goals) != 2 or not isinstance(goals[0], Reach) or not isinstance(goals[1], Point) or not goals[1].place:
        expected = "a dataset of the complete task, such as city/touchdown-complete/small"
        raise InputError(expected, f"episode {format_value(episode.id)} of other legs", "qualification_dataset")
    point = goals[1]
    return {
        "dataset": dataset,
        "episode": episode.id,
        "world": episode.world,
        "text": episode.extra.get("full_text") or " ".join(leg.text for leg in episode.legs),
        "start": episode.start.place,
        "heading": episode.start.look.heading,
        "targets": [target(seen.place or "", seen.direction) for seen in (point, *point.propagated)],
    }


def correct_answers(session: Session, project: Project, worker_id: int) -> int:
    """Return how many qualification texts a worker has followed to the bear."""
    query = (
        select(func.count(Answer.id))
        .join(Unit, Unit.id == Answer.unit_id)
        .where(
            Unit.project_id == project.id, Unit.kind == QUALIFICATION, Answer.worker_id == worker_id, Answer.accepted
        )
    )
    return session.scalar(query) or 0


def qualification_message(session: Session, project: Project, worker_id: int) -> str:
    """Return how far a worker is in the qualification; empty where there is none."""
    texts = _number_of_texts(session, project)
    if not project.settings.get("qualification", True) or not texts:
        return ""
    found = correct_answers(session, project, worker_id)
    if found >= math.ceil(SHARE * texts):
        return "You are qualified: you may hide bears."
    query = select(func.count(Answer.id)).join(Unit, Unit.id == Answer.unit_id)
    own = (Unit.project_id == project.id, Unit.kind == QUALIFICATION, Answer.worker_id == worker_id)
    searched = session.scalar(query.where(*own)) or 0
    needed = math.ceil(SHARE * texts)
    if found + texts - searched < needed:
        return f"You found {found} of {texts} bears in the qualification; {needed} were needed to hide bears yourself."
    return f"Qualification: {searched} of {texts} searches done, {found} bears found; with {needed} you may hide bears."


def _number_of_texts(session: Session, project: Project) -> int:
    query = select(func.count(Unit.id)).where(Unit.project_id == project.id, Unit.kind == QUALIFICATION)
    return session.scalar(query) or 0


def is_qualified(session: Session, project: Project, worker_id: int) -> bool:
    """Return whether a worker may write: who found three bears of four, or all where there is no qualification."""
    if not project.settings.get("qualification", True):
        return True
    return correct_answers(session, project, worker_id) >= math.ceil(SHARE * _number_of_texts(session, project))


@register
class QualificationTask(FollowingTask):
    """Follow a given text, to be allowed to write."""

    kind: ClassVar[str] = QUALIFICATION
    title: ClassVar[str] = "Qualification: find the bear"
    summary: ClassVar[str] = "Find the bear in three of four searches, and you may hide bears yourself."

    def episode(self, unit: UnitData) -> str:
        """Return the id of the episode in its dataset."""
        return str(unit.payload["episode"])

    def outcome(self, answer: dict[str, Any], feedback: dict[str, Any], found: bool) -> Outcome:
        """Keep room for the next worker."""
        message = found_message(feedback) if found else "The bear was somewhere else."
        return Outcome(answer, feedback | {"message": message}, found, after=_keep_room)


def _keep_room(session: Session, answer: Answer) -> None:
    """Replace the slot that an answer has taken."""
    unit = session.get_one(Unit, answer.unit_id)
    if unit.slots < MAX_SLOTS:
        add_slots(session, unit.id)
