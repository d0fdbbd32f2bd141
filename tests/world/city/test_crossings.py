"""Pedestrians on the carriageway are on crosswalks."""

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


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("seed", [0, 7])
def test_people_on_the_carriageway_are_on_crosswalks(seed: int) -> None:
    plan = build_plan(city_graph(seed, 4, 4), seed)
    people = plan.things[plan.things["kind"] == class_index("person")]
    # Look straight down at the ground, without any solids.
    scene = build_scene(plan)
    bare = replace(scene, arrays=scene.arrays._replace(top=np.full_like(scene.arrays.top, -1)))
    positions = np.column_stack([people["x"], people["y"], np.full(len(people), 100)]) / 1000.0
    camera_poses = poses(positions, 0.0, -90.0)
    ground = render(bare, camera_poses, view(1, 1, 5.0), shadows=False).kind[:, 0, 0]
    on_road = np.isin(ground, (Ground.ROAD, Ground.MARKING))
    on_crosswalk = ground == Ground.CROSSWALK
    assert on_crosswalk.sum() > 5
    assert on_road.sum() <= 0.1 * on_crosswalk.sum()
