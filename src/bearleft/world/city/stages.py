"""Stages of a city in the order in which they run; later stages avoid what earlier ones placed."""

from __future__ import annotations

from bearleft.world.city.bridges import place_bridges
from bearleft.world.city.construction import place_building_sites, place_road_works
from bearleft.world.city.corners import fill_corners
from bearleft.world.city.facade_objects import place_facade_objects
from bearleft.world.city.furniture import place_furniture
from bearleft.world.city.greenery import fill_parks, plant_street_trees
from bearleft.world.city.grounds import lay_grounds, place_medians, place_park_courts
from bearleft.world.city.landmarks import place_landmarks
from bearleft.world.city.lots import build_lots
from bearleft.world.city.parks import lay_parks
from bearleft.world.city.pedestrians import place_pedestrians
from bearleft.world.city.plan import StageFunction
from bearleft.world.city.roads import lay_roads
from bearleft.world.city.skyline import fill_skyline
from bearleft.world.city.traffic import place_traffic
from bearleft.world.city.wall_objects import place_wall_objects
from bearleft.world.city.yards import fill_yards

STAGES: tuple[StageFunction, ...] = (
    lay_roads,
    lay_parks,
    place_landmarks,
    build_lots,
    fill_skyline,
    place_bridges,
    fill_corners,
    place_building_sites,
    place_road_works,
    place_medians,
    place_facade_objects,
    place_wall_objects,
    place_park_courts,
    fill_parks,
    fill_yards,
    plant_street_trees,
    place_furniture,
    place_traffic,
    place_pedestrians,
    lay_grounds,
)
