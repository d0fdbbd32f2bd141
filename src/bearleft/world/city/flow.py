"""Where traffic may drive: along every link, but not against a one-way street."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.world.city.plan import Plan, ground_plan
from bearleft.world.city.ways import course
from bearleft.world.graph import Graph

ROUNDING = 10  # millimetres


def may_drive(plan: Plan, graph: Graph | None = None) -> npt.NDArray[np.bool_]:
    """Of each link: whether traffic may take it. `graph` may be another on the same places, with other links.

    A piece has a direction where it bears markings. Within a crossing, and between places at one spot, cars go
    whichever way leads on.
    """
    graph = graph or plan.graph
    if len(graph) != len(plan.graph):
        raise InputError(f"a graph of the plan's {len(plan.graph)} places", f"one of {len(graph)}")
    offsets, near = plan.graph.neighbours
    one = np.repeat(np.arange(len(plan.graph)), np.diff(offsets))
    once = one < near
    a, b = one[once], near[once].astype(np.int64)
    x, y = ground_plan(plan.graph)
    apart = (x[a] != x[b]) | (y[a] != y[b])
    a, b = a[apart], b[apart]
    roads = plan.roads
    if len(a) != len(roads):
        raise InputError("a plan with its streets laid", f"{len(roads)} pieces of street for {len(a)} links")
    _, _, ux, uy, length = course(roads)
    free = roads["trim0"] + roads["trim1"] + ROUNDING >= length
    flow = np.where(free, 0, np.sign(ux * (x[b] - x[a]) + uy * (y[b] - y[a])) * roads["flow"])
    count = len(graph)
    against = np.concatenate([(b * count + a)[flow > 0], (a * count + b)[flow < 0]])
    return ~np.isin(graph.source.astype(np.int64) * count + graph.target, against)
