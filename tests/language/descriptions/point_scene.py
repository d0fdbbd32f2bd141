"""A small city, created once for all tests of descriptions."""

from __future__ import annotations

import tempfile
from functools import cache

from bearleft.language.scene_index import SceneIndex
from bearleft.world.city.city import open_city
from bearleft.world.visibility.table import visibility_table


@cache
def small_scene() -> SceneIndex:
    """Return the scene of the city with all places cached."""
    city = open_city("city/3/3x3")
    with tempfile.TemporaryDirectory() as folder:
        scene = SceneIndex(city, visibility_table(city, folder, 256))
        for place in range(len(city.graph)):
            scene.at(place)
    return scene
