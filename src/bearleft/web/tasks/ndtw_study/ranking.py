"""The ranking task: five paths on one graph, each beside the same reference, are brought into an order.

The five paths come in another order for each person, under the names A to E. The browser gets their shapes only:
neither their numbers in the set, nor any metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sqlalchemy.orm import Session

from bearleft.experiments.ndtw.study import QUERIES_PER_SET
from bearleft.experiments.ndtw.study_figures import QUESTION as QUESTION
from bearleft.runtime.json_fields import Fields
from bearleft.web.database.models import Answer
from bearleft.web.tasks.base import (
    Data,
    EventData,
    Outcome,
    Task,
    TaskContext,
    UnitData,
    register,
    unknown_action,
)
from bearleft.web.tasks.ndtw_study.rules import MOVE, NAMES, check_ranking, moved, order_after, parse_move
from bearleft.web.tasks.ndtw_study.sessions import follow
from bearleft.web.tasks.ndtw_study.sets import RANKING, drawing, path_set_of, shown_order


@register
class RankingTask(Task):
    """Rank five paths by how well they follow a reference path.

    Payload: a set (see `set_payload`), seed; of a set that a person ranks a second time also repeats, the unit of the
    first time, and mirrored.
    Actions: "move" with a path, its new rank and how it was moved; the result is the order from best to worst.
    Answer: the set and its study, the places of its queries from 1, the best, to 5, the order in which they were shown,
    the number of moves, and repeats.
    """

    kind: ClassVar[str] = RANKING
    title: ClassVar[str] = "Rank five paths"
    template: ClassVar[str] = "ndtw_study/ranking.html"
    summary: ClassVar[str] = "Look at five paths beside a given one, and put the best first."
    minutes: ClassVar[int] = 1

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the drawing of the set, the question, and the order so far."""
        drawn = drawing(path_set_of(unit.payload), bool(unit.payload.get("mirrored")))
        queries = drawn.pop("queries")
        shown = shown_order(unit.payload["seed"], unit.id, context.worker_id)
        return {
            **drawn,
            "paths": [{"name": name, "points": queries[k]} for name, k in zip(NAMES, shown, strict=True)],
            "question": QUESTION,
            "order": list(order_after(events)),
            "moves": len(events),
        }

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Put a path at a rank."""
        if kind != MOVE:
            raise unknown_action(kind, (MOVE,))
        return {"order": list(moved(order_after(events), parse_move(data)))}

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Store the ranking; every person now and then gets a set a second time, mirrored."""
        answer = ranking_answer(context, unit, events, data)

        def after(session: Session, stored: Answer) -> None:
            stored.feedback = {"message": follow(session, context, stored)}

        return Outcome(answer, after=after)


def ranking_answer(context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> dict[str, Any]:
    """Return a ranking as it is stored.

    Raises:
        InputError: It is not the order that is stored, or the order of the cards was not changed.
    """
    order = check_ranking(Fields(dict(data))["ranking"], events, data.get("confirmed") is True)
    shown = shown_order(unit.payload["seed"], unit.id, context.worker_id)
    return {
        "set": unit.payload["set"],
        "study": unit.payload["study"],
        "places": [order.index(NAMES[shown.index(k)]) + 1 for k in range(QUERIES_PER_SET)],
        "shown": shown,
        "moves": len(events),
        "repeats": unit.payload.get("repeats"),
    }
