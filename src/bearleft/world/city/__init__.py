"""Generated cities: street graph, plan, scene and camera poses. Names are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.world.city.catalog import CLASSES as CLASSES
    from bearleft.world.city.catalog import class_index as class_index
    from bearleft.world.city.city import City as City
    from bearleft.world.city.city import build_plan as build_plan
    from bearleft.world.city.city import open_city as open_city
    from bearleft.world.city.object_class import ObjectClass as ObjectClass
    from bearleft.world.city.plan import Draft as Draft
    from bearleft.world.city.plan import Plan as Plan
    from bearleft.world.city.randomness import Stage as Stage
    from bearleft.world.city.scene_builder import build_scene as build_scene
    from bearleft.world.city.scene_builder import model_scene as model_scene
    from bearleft.world.city.stages import STAGES as STAGES
    from bearleft.world.city.streets import city_graph as city_graph
    from bearleft.world.city.traffic_flow import drivable_links as drivable_links
    from bearleft.world.city.traffic_flow import driving_headings as driving_headings

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "CLASSES": "bearleft.world.city.catalog",
    "City": "bearleft.world.city.city",
    "Draft": "bearleft.world.city.plan",
    "ObjectClass": "bearleft.world.city.object_class",
    "Plan": "bearleft.world.city.plan",
    "STAGES": "bearleft.world.city.stages",
    "Stage": "bearleft.world.city.randomness",
    "build_plan": "bearleft.world.city.city",
    "build_scene": "bearleft.world.city.scene_builder",
    "city_graph": "bearleft.world.city.streets",
    "class_index": "bearleft.world.city.catalog",
    "drivable_links": "bearleft.world.city.traffic_flow",
    "driving_headings": "bearleft.world.city.traffic_flow",
    "model_scene": "bearleft.world.city.scene_builder",
    "open_city": "bearleft.world.city.city",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)
