"""How close an agent follows the intermediate steps of a sequence: Milestone@11deg and Milestone-deg of Refer360.

A sentence's milestone is the view that a person had after it. An agent ends a sentence when it asks for the next one,
or with its answer; its view at that moment is compared with the milestone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bearleft.geometry import angle
from bearleft.metrics.metric import REFER360_PAPER
from bearleft.metrics.paths import Floats
from bearleft.metrics.pointing import Accuracy, MeanDistance
from bearleft.records import REFUSED, Direction, LegTrace

NEXT = "next"
RADIUS = 11.0  # degrees

milestone_11deg = Accuracy(
    "Milestone@11deg",
    up=True,
    unit="%",
    paper=REFER360_PAPER,
    definition="Share of a sequence's sentences that end with a view strictly within 11 degrees of the recorded one.",
    percent=True,
    radius=RADIUS,
)
milestone_degrees = MeanDistance(
    "Milestone-deg",
    up=False,
    unit="degrees",
    paper=REFER360_PAPER,
    definition="Mean angle between the view at the end of each sentence and the recorded one along the great circle.",
)


def sentence_ends(done: LegTrace) -> tuple[Direction, ...] | None:
    """Return the view at each "next" of a trace, or None where the trace does not say.

    `looks` holds a view for each "next", as games write it, or for each turn, as Refer360's followers are recorded.
    """
    ended = done.actions.count(NEXT)
    if not done.actions:
        return None
    if ended == len(done.looks):
        return done.looks
    turns = len(done.actions) - ended - done.actions.count(REFUSED)
    if turns != len(done.looks) or done.actions[0] == NEXT:
        return None
    views, seen = [], 0
    for action in done.actions:
        if action == NEXT:
            views.append(done.looks[seen - 1])
        elif action != REFUSED:
            seen += 1
    return tuple(views)


def milestone_distances(ends: Sequence[Direction], views: Sequence[Direction]) -> Floats:
    """Return the degrees from each milestone to the view at its sentence's end; infinite where it was not ended."""
    apart = np.full(len(views), np.inf)
    pairs = list(zip(ends, views, strict=False))
    if pairs:
        one, other = ([(view.heading, view.pitch) for view in side] for side in zip(*pairs, strict=True))
        apart[: len(pairs)] = angle(*np.array(one).T, *np.array(other).T)
    return apart
