"""How long a path is and how near it comes to the goal: PL, NE, ONE, SPD."""

from __future__ import annotations

from bearleft.metrics.kernels import GOAL
from bearleft.metrics.metric import NDTW_PAPER, TOUCHDOWN_PAPER, PathMetric

pl = PathMetric(
    "PL",
    up=None,
    unit="distance",
    paper=NDTW_PAPER,
    definition="Path length: the sum of the distances between neighbouring points of the path.",
    formula=lambda measured: measured.path_length,
)
ne = PathMetric(
    "NE",
    up=False,
    unit="distance",
    paper=NDTW_PAPER,
    definition="Navigation error: from the path's last point to the reference's last.",
    formula=lambda measured: measured.end,
    needs=GOAL,
)
one = PathMetric(
    "ONE",
    up=False,
    unit="distance",
    paper=NDTW_PAPER,
    definition="Oracle navigation error: from the path's nearest point to the reference's last.",
    formula=lambda measured: measured.nearest,
    needs=GOAL,
)
spd = PathMetric(
    "SPD",
    up=False,
    unit="hops",
    paper=TOUCHDOWN_PAPER,
    definition="Shortest-path distance: hops along the graph from the walk's end to the goal; wants hop distances.",
    formula=lambda measured: measured.end,
    needs=GOAL,
)
