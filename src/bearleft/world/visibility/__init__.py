"""Visibility: which objects are visible from each place, and single rays. Names are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

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

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
