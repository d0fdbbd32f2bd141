"""Maps of worlds from above, painted as PNG or written as SVG. Names are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.world.maps.frame import MapExtent as MapExtent
    from bearleft.world.maps.map import graph_map as graph_map
    from bearleft.world.maps.map import overhead_map as overhead_map
    from bearleft.world.maps.map import save_map as save_map
    from bearleft.world.maps.map import walk_map as walk_map
    from bearleft.world.maps.overlay import Cone as Cone
    from bearleft.world.maps.overlay import RouteLine as RouteLine
    from bearleft.world.maps.shapes import Drawing as Drawing

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Cone": "bearleft.world.maps.overlay",
    "Drawing": "bearleft.world.maps.shapes",
    "MapExtent": "bearleft.world.maps.frame",
    "RouteLine": "bearleft.world.maps.overlay",
    "graph_map": "bearleft.world.maps.map",
    "overhead_map": "bearleft.world.maps.map",
    "save_map": "bearleft.world.maps.map",
    "walk_map": "bearleft.world.maps.map",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
