"""Metrics of the intermediate steps of a sequence: Milestone@11deg and Milestone-deg of Refer360.

The milestone of a sentence is the recorded view of a person after it. An agent ends a sentence with the action "next"
or with its answer; its view at that moment is compared with the milestone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bearleft.geometry import angular_distance
from bearleft.metrics.metric import REFER360_PAPER
from bearleft.metrics.pointing import Accuracy, MeanDistance
from bearleft.metrics.ragged_paths import Floats
from bearleft.records import REFUSED, Direction, LegTrace

NEXT = "next"
RADIUS = 11.0  # degrees

milestone_11deg = Accuracy(
    "Milestone@11deg",
    higher_is_better=True,
    unit="%",
    paper=REFER360_PAPER,
    definition="Share of a sequence's sentences that end with a view strictly within 11 degrees of the recorded one.",
    percent=True,
    radius=RADIUS,
)
milestone_degrees = MeanDistance(
    "Milestone-deg",
    higher_is_better=False,
    unit="degrees",
    paper=REFER360_PAPER,
    definition="Mean angle between the view at the end of each sentence and the recorded one along the great circle.",
)


def sentence_ends(leg_trace: LegTrace) -> tuple[Direction, ...] | None:
    """Return the view at each "next" of a trace, or None if the trace does not contain it.

    `looks` holds a view for each "next", as games write it, or for each turn, as Refer360's followers are recorded.
    """
    next_count = leg_trace.actions.count(NEXT)
    if not leg_trace.actions:
        return None
    if next_count == len(leg_trace.looks):
        return leg_trace.looks
    turns = len(leg_trace.actions) - next_count - leg_trace.actions.count(REFUSED)
    if turns != len(leg_trace.looks) or leg_trace.actions[0] == NEXT:
        return None
    views, seen = [], 0
    for action in leg_trace.actions:
        if action == NEXT:
            views.append(leg_trace.looks[seen - 1])
        elif action != REFUSED:
            seen += 1
    return tuple(views)


def milestone_distances(ends: Sequence[Direction], views: Sequence[Direction]) -> Floats:
    """Return the degrees from each milestone to the view at its sentence's end; infinite if it was not reached.

    Args:
        ends: The view at the end of each sentence that was ended.
        views: The milestone of each sentence.
    """
    distances = np.full(len(views), np.inf)
    pairs = list(zip(ends, views, strict=False))
    if pairs:
        reached, recorded = ([(view.heading, view.pitch) for view in side] for side in zip(*pairs, strict=True))
        distances[: len(pairs)] = angular_distance(*np.array(reached).T, *np.array(recorded).T)
    return distances
