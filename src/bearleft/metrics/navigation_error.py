"""Length of a path and its distance to the goal: PL, NE, ONE, SPD."""

from __future__ import annotations

from bearleft.metrics.kernels import NEEDS_GOAL
from bearleft.metrics.metric import NDTW_PAPER, TOUCHDOWN_PAPER, PathMetric

pl = PathMetric(
    "PL",
    higher_is_better=None,
    unit="distance",
    paper=NDTW_PAPER,
    definition="Path length: the sum of the distances between neighbouring points of the path.",
    formula=lambda measurements: measurements.path_length,
)
ne = PathMetric(
    "NE",
    higher_is_better=False,
    unit="distance",
    paper=NDTW_PAPER,
    definition="Navigation error: from the path's last point to the reference's last.",
    formula=lambda measurements: measurements.end,
    needs=NEEDS_GOAL,
)
one = PathMetric(
    "ONE",
    higher_is_better=False,
    unit="distance",
    paper=NDTW_PAPER,
    definition="Oracle navigation error: from the path's nearest point to the reference's last.",
    formula=lambda measurements: measurements.nearest,
    needs=NEEDS_GOAL,
)
spd = PathMetric(
    "SPD",
    higher_is_better=False,
    unit="hops",
    paper=TOUCHDOWN_PAPER,
    definition="Shortest-path distance: hops along the graph from the walk's end to the goal; wants hop distances.",
    formula=lambda measurements: measurements.end,
    needs=NEEDS_GOAL,
)
