"""Visibility: which objects are visible from each place, and single rays. Names are imported on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bearleft.world.visibility.rays import RayHits as RayHits
    from bearleft.world.visibility.rays import cast as cast
    from bearleft.world.visibility.rays import points_visible as points_visible
    from bearleft.world.visibility.table import VisibilityTable as VisibilityTable
    from bearleft.world.visibility.table import class_statistics as class_statistics
    from bearleft.world.visibility.table import count_visible as count_visible
    from bearleft.world.visibility.table import visibility_table as visibility_table

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "RayHits": "bearleft.world.visibility.rays",
    "VisibilityTable": "bearleft.world.visibility.table",
    "cast": "bearleft.world.visibility.rays",
    "class_statistics": "bearleft.world.visibility.table",
    "count_visible": "bearleft.world.visibility.table",
    "points_visible": "bearleft.world.visibility.rays",
    "visibility_table": "bearleft.world.visibility.table",
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
