"""Picture files: rendered views, maps, contact sheets, examples and heat maps."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

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


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
