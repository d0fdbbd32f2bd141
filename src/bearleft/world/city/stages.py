"""The stages of a city, in the order in which they are laid: what comes later makes room for what was there before."""

from __future__ import annotations

from bearleft.world.city.bridges import span_streets
from bearleft.world.city.construction import build_sites, road_works
from bearleft.world.city.corners import fill_corners
from bearleft.world.city.fronts import fill_fronts
from bearleft.world.city.furniture import furnish
from bearleft.world.city.greenery import fill_parks, street_trees
from bearleft.world.city.landmarks import raise_landmarks
from bearleft.world.city.lots import build_lots
from bearleft.world.city.parks import lay_parks
from bearleft.world.city.pedestrians import people
from bearleft.world.city.plan import StageFunction
from bearleft.world.city.roads import lay_roads
from bearleft.world.city.skyline import close_views
from bearleft.world.city.traffic import traffic
from bearleft.world.city.wall_objects import fill_wallsides
from bearleft.world.city.yards import fill_yards

STAGES: tuple[StageFunction, ...] = (
    lay_roads,
    lay_parks,
    raise_landmarks,
    build_lots,
    close_views,
    span_streets,
    fill_corners,
    build_sites,
    road_works,
    fill_fronts,
    fill_wallsides,
    fill_parks,
    fill_yards,
    street_trees,
    furnish,
    traffic,
    people,
)
