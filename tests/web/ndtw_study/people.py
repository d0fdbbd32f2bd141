"""People who rank sets of the nDTW study, without a browser: they use the queue as the server does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bearleft.experiments.ndtw.study import PathSet
from bearleft.web.queue.slots import Lease, StoredAnswer
from bearleft.web.tasks.ndtw_study import path_set_of
from bearleft.web.tasks.ndtw_study.rules import NAMES
from bearleft.web.tasks.ndtw_study.sets import shown_order
from tests.web.person import Person

Preference = Callable[[PathSet], Sequence[float]]  # of the five queries; more is better


def by_metric(name: str, sign: float = 1.0) -> Preference:
    """Return the preference for what a metric says, or for its opposite."""
    return lambda path_set: [sign * float(value) for value in path_set.scores()[name]]


class Rater(Person):
    """A worker of a study."""

    def shown(self, lease: Lease) -> list[int]:
        """Return the numbers of the queries that the worker sees as A to E."""
        unit = self.unit(lease)
        return shown_order(unit.payload["seed"], unit.id, self.id)

    def put(self, lease: Lease, path: str, rank: int, by: str = "drag") -> list[str]:
        """Move a path, and return the order after it."""
        order: list[str] = self.act(lease, "move", path=path, rank=rank, by=by)["order"]
        return order

    def rank(self, lease: Lease, prefer: Preference) -> StoredAnswer:
        """Bring all paths into an order, the best first, and submit it; equal ones stay as they are numbered."""
        values = prefer(path_set_of(self.unit(lease).payload))
        shown = self.shown(lease)
        order = [NAMES[shown.index(k)] for k in np.argsort(-np.asarray(values), kind="stable").tolist()]
        for k, name in enumerate(order):
            self.put(lease, name, k + 1)
        return self.submit(lease, ranking=order)

    def rank_all(self, prefer: Preference, most: int = 10**6) -> list[dict[str, Any]]:
        """Rank sets until there are no more, or `most`, and return the answers."""
        answers: list[dict[str, Any]] = []
        while len(answers) < most and (lease := self.claim()):
            answers.append(self.rank(lease, prefer).data)
        return answers
