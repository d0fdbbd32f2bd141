"""Picture files: rendered views, maps, contact sheets, examples and heat maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.reports.pictures.classes import contact_sheet as contact_sheet
    from bearleft.reports.pictures.maps import MapConfig as MapConfig
    from bearleft.reports.pictures.maps import draw_map as draw_map
    from bearleft.reports.pictures.output import Written as Written
    from bearleft.reports.pictures.render import RenderConfig as RenderConfig
    from bearleft.reports.pictures.render import RenderResult as RenderResult

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "MapConfig": "bearleft.reports.pictures.maps",
    "RenderConfig": "bearleft.reports.pictures.render",
    "RenderResult": "bearleft.reports.pictures.render",
    "Written": "bearleft.reports.pictures.output",
    "contact_sheet": "bearleft.reports.pictures.classes",
    "draw_map": "bearleft.reports.pictures.maps",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
