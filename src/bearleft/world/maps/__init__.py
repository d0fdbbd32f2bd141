"""Maps of worlds from above, painted as PNG or written as SVG. Names are imported on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

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


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
