"""Worlds of seven small city sections for ArraMon's walks. Names are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.world.arramon.sections.layout import SECTIONS as SECTIONS
    from bearleft.world.arramon.sections.layout import Layout as Layout
    from bearleft.world.arramon.sections.layout import section_layouts as section_layouts
    from bearleft.world.arramon.sections.object_kinds import OBJECT_KINDS as OBJECT_KINDS
    from bearleft.world.arramon.sections.object_kinds import ObjectKind as ObjectKind
    from bearleft.world.arramon.sections.object_kinds import object_kind as object_kind
    from bearleft.world.arramon.sections.plan import sections_plan as sections_plan
    from bearleft.world.arramon.sections.streets import sections_graph as sections_graph
    from bearleft.world.arramon.sections.walkable_cells import build_walkable_grid as build_walkable_grid
    from bearleft.world.arramon.sections.world import Crossing as Crossing
    from bearleft.world.arramon.sections.world import House as House
    from bearleft.world.arramon.sections.world import Sections as Sections
    from bearleft.world.arramon.sections.world import StreetObject as StreetObject
    from bearleft.world.arramon.sections.world import is_visible as is_visible
    from bearleft.world.arramon.sections.world import open_sections as open_sections

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Crossing": "bearleft.world.arramon.sections.world",
    "House": "bearleft.world.arramon.sections.world",
    "Layout": "bearleft.world.arramon.sections.layout",
    "OBJECT_KINDS": "bearleft.world.arramon.sections.object_kinds",
    "ObjectKind": "bearleft.world.arramon.sections.object_kinds",
    "SECTIONS": "bearleft.world.arramon.sections.layout",
    "Sections": "bearleft.world.arramon.sections.world",
    "StreetObject": "bearleft.world.arramon.sections.world",
    "build_walkable_grid": "bearleft.world.arramon.sections.walkable_cells",
    "is_visible": "bearleft.world.arramon.sections.world",
    "object_kind": "bearleft.world.arramon.sections.object_kinds",
    "open_sections": "bearleft.world.arramon.sections.world",
    "section_layouts": "bearleft.world.arramon.sections.layout",
    "sections_graph": "bearleft.world.arramon.sections.streets",
    "sections_plan": "bearleft.world.arramon.sections.plan",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
