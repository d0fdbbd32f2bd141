"""Navigation graphs: arrays, transitions, distances, shortest paths, and readers. Names are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.world.graphs.distances import Distances as Distances
    from bearleft.world.graphs.graph import Graph as Graph
    from bearleft.world.graphs.grid import street_grid as street_grid
    from bearleft.world.graphs.matterport import list_scans as list_scans
    from bearleft.world.graphs.matterport import read_matterport as read_matterport
    from bearleft.world.graphs.shortest_paths import PathFinder as PathFinder
    from bearleft.world.graphs.shortest_paths import shortest_route as shortest_route
    from bearleft.world.graphs.touchdown import read_street_graph as read_street_graph
    from bearleft.world.graphs.touchdown import write_street_graph as write_street_graph
    from bearleft.world.graphs.transitions import Transitions as Transitions

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Distances": "bearleft.world.graphs.distances",
    "Graph": "bearleft.world.graphs.graph",
    "PathFinder": "bearleft.world.graphs.shortest_paths",
    "Transitions": "bearleft.world.graphs.transitions",
    "list_scans": "bearleft.world.graphs.matterport",
    "read_matterport": "bearleft.world.graphs.matterport",
    "read_street_graph": "bearleft.world.graphs.touchdown",
    "shortest_route": "bearleft.world.graphs.shortest_paths",
    "street_grid": "bearleft.world.graphs.grid",
    "write_street_graph": "bearleft.world.graphs.touchdown",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
