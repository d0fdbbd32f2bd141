"""A small city with routes and instructions, created once for all tests of navigation."""

from __future__ import annotations

import tempfile
from functools import cache

from bearleft.generate.routes import touchdown_routes
from bearleft.language.annotated_text import Text
from bearleft.language.instructions.write import instruct
from bearleft.language.scene_index import SceneIndex
from bearleft.world.city.city import open_city
from bearleft.world.city.traffic_flow import drivable_links
from bearleft.world.graphs.shortest_paths import PathFinder
from bearleft.world.visibility.table import visibility_table

ROUTES = 40


@cache
def scene_and_paths() -> tuple[SceneIndex, PathFinder]:
    """Return the scene of the city, with all places cached, and its path finder."""
    city = open_city("city/3/3x3")
    with tempfile.TemporaryDirectory() as folder:
        scene = SceneIndex(city, visibility_table(city, folder, 192))
        for place in range(len(city.graph)):
            scene.at(place)
    return scene, PathFinder.make(city.graph, drivable_links(city.plan))


@cache
def instructed_routes() -> tuple[tuple[tuple[int, ...], Text | None], ...]:
    """Return routes with their instructions."""
    scene, paths = scene_and_paths()
    routes = []
    for number, route in enumerate(touchdown_routes(paths, ROUTES, seed=4)):
        places = tuple(paths.graph.index_by_id[place] for place in route.places)
        routes.append((places, instruct(scene, paths, places, 0.0, 4, number)))
    return tuple(routes)
