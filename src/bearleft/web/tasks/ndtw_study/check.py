"""Attention check of the ranking study: one of the five paths is the given one. The page is that of a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar

from sqlalchemy.orm import Session

from bearleft.experiments.ndtw.study import QUERIES_PER_SET, PathSet, path_sets
from bearleft.web.database.models import Answer, Project, Unit
from bearleft.web.queue.slots import MAX_SLOTS, NewUnit
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.base import Data, EventData, Outcome, TaskContext, UnitData, register
from bearleft.web.tasks.ndtw_study.ranking import RankingTask, ranking_answer
from bearleft.web.tasks.ndtw_study.sessions import parse_settings, standing
from bearleft.web.tasks.ndtw_study.sets import CHECK, path_set_of, set_payload

SETS = 4
SEED_SHIFT = 1  # the sets of a check are of another seed than those of the study


def check_units(_worlds: SceneWorlds, settings: Mapping[str, Any]) -> list[NewUnit]:
    """Return the units of a project: sets of its first study, each with the reference among the five paths."""
    chosen = parse_settings(settings)
    seed = chosen.seed + SEED_SHIFT
    sets = islice(path_sets(chosen.studies[0], seed), SETS)
    return [
        NewUnit(CHECK, {**set_payload(_with_reference(one, k % QUERIES_PER_SET)), "seed": seed}, MAX_SLOTS)
        for k, one in enumerate(sets)
    ]


def _with_reference(path_set: PathSet, place: int) -> PathSet:
    queries = list(path_set.queries)
    queries[place] = path_set.reference
    return replace(path_set, queries=tuple(queries))


@register
class CheckTask(RankingTask):
    """Rank paths of which one is the given one.

    Whether it comes first has no consequence but to be shown to those who run the study.
    """

    kind: ClassVar[str] = CHECK

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Store the ranking; it is none of the study."""
        answer = ranking_answer(context, unit, events, data)
        path_set = path_set_of(unit.payload)
        first = path_set.queries[answer["places"].index(1)]

        def after(session: Session, stored: Answer) -> None:
            project = session.get_one(Project, session.get_one(Unit, stored.unit_id).project_id)
            stored.feedback = {"message": standing(session, project, stored.worker_id).message}

        return Outcome(answer, accepted=first == path_set.reference, after=after)
