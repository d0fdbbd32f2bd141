"""Who walks over a crossing keeps to the crosswalk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bearleft.world.city.catalog import class_index
from bearleft.world.city.city import build_plan
from bearleft.world.city.scene_builder import build_scene
from bearleft.world.city.streets import city_graph
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import Ground
from bearleft.world.render.cpu import render


@pytest.mark.parametrize("seed", [0, 7])
def test_people_on_the_carriageway_are_on_crosswalks(seed: int) -> None:
    city = build_plan(city_graph(seed, 4, 4), seed)
    people = city.things[city.things["kind"] == class_index("person")]
    # The ground below their feet, without anybody on it.
    scene = build_scene(city)
    bare = replace(scene, arrays=scene.arrays._replace(top=np.full_like(scene.arrays.top, -1)))
    at = np.column_stack([people["x"], people["y"], np.full(len(people), 100)]) / 1000.0
    spots = poses(at, 0.0, -90.0)
    seen = render(bare, spots, view(1, 1, 5.0), shadows=False).kind[:, 0, 0]
    on_road = np.isin(seen, (Ground.ROAD, Ground.MARKING))
    on_zebra = seen == Ground.CROSSWALK
    assert on_zebra.sum() > 5
    assert on_road.sum() <= 0.1 * on_zebra.sum()
