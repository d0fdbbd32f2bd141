"""Rendered pictures agree with those of an independent ray tracer, embree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bearleft.world.city.city import City, build_plan
from bearleft.world.city.streets import city_graph
from bearleft.world.render.camera import Lens, panorama, poses, view
from bearleft.world.render.codes import SolidShape
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.mesh import mesh
from bearleft.world.render.scene import Scene
from bearleft.world.render.shading import MAX_DISTANCE
from tests.world.render.test_mesh import ALL, rays, scattered, solids

pytest.importorskip("embreex")
trimesh = pytest.importorskip("trimesh")
ray_pyembree = pytest.importorskip("trimesh.ray.ray_pyembree")

SIDES, CITY_SIDES = 256, 32
MARGIN = 1500.0  # metres of ground around everything, beyond the draw distance
LENSES = [view(160, 160), view(200, 120, 50.0), panorama(320)]


class Embree:
    """Embree as a renderer of a scene's solids, given to it as a mesh."""

    def __init__(self, scene: Scene, sides: int) -> None:
        self.mesh = mesh(scene.solids, sides, MARGIN)
        body = trimesh.Trimesh(self.mesh.vertices, self.mesh.triangles, process=False)
        self.tracer = ray_pyembree.RayMeshIntersector(body, scale_to_box=False)

    def picture(self, pose: Any, lens: Lens) -> tuple[Any, Any]:
        """Return instance numbers (-1: sky) and depths in metres; beyond our draw distance all is sky."""
        directions = rays(pose, lens).reshape(-1, 3)
        origins = np.tile(pose[:3].astype(float), (len(directions), 1))
        hit = self.tracer.intersects_first(origins, directions)
        a, b, c = np.moveaxis(self.mesh.vertices.astype(float)[self.mesh.triangles[hit]], 1, 0)
        normal = np.cross(b - a, c - a)
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = np.einsum("ni,ni->n", a - origins, normal) / np.einsum("ni,ni->n", directions, normal)
        visible = (hit >= 0) & (depth < MAX_DISTANCE)
        shape = lens.height, lens.width
        instance = np.where(visible, self.mesh.instance[hit], -1)
        return instance.reshape(shape), np.where(visible, depth, np.inf).reshape(shape)


def off_edges(instance: Any) -> Any:
    """Pixels whose eight neighbours show the same instance."""
    inner = instance[1:-1, 1:-1]
    equal = np.ones(inner.shape, bool)
    height, width = instance.shape
    for down in range(3):
        for right in range(3):
            equal &= instance[down : height - 2 + down, right : width - 2 + right] == inner
    return np.pad(equal, 1)


def compare(scene: Scene, embree: Embree, camera_poses: Any, lens: Lens) -> tuple[float, float, int]:
    """Return the share of pixels off the edges that agree, the median depth error and the number of instances seen."""
    pictures: Pictures = render(scene, camera_poses, lens)
    agreements: list[Any] = []
    depth_errors: list[Any] = []
    instances: set[int] = set()
    for k, pose in enumerate(camera_poses):
        instance, depth = embree.picture(pose, lens)
        interior = off_edges(instance)
        agreements.append((pictures.instance[k] == instance)[interior])
        comparable = (pictures.instance[k] == instance) & (instance > 0)  # without the ground, which is too easy
        depth_errors.append(np.abs(pictures.depth[k][comparable] - depth[comparable]))
        assert np.isinf(pictures.depth[k][pictures.instance[k] == -1]).all()
        instances |= set(instance[interior].tolist())
    return float(np.concatenate(agreements).mean()), float(np.median(np.concatenate(depth_errors))), len(instances)


def scattered_scene(seed: int) -> Scene:
    """Return a scene of every solid shape and outline, randomly transformed and scattered around the origin."""
    rows = scattered(solids(*ALL * 6), seed, 14.0)
    rows["centre"][:, 2] = np.abs(rows["centre"][:, 2]) + 1.5
    distance = np.hypot(*rows["centre"][:, :2].T)
    rows["centre"][:, :2] *= np.maximum(1, 4 / np.maximum(distance, 0.1))[:, None]  # none around the camera
    return Scene.make(rows, np.full(len(rows) + 1, 20))


@pytest.fixture(scope="module")
def city_and_embree() -> tuple[City, Embree]:
    city = City(build_plan(city_graph(2, 2, 3), 2))
    return city, Embree(city.scene, CITY_SIDES)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("lens", LENSES)
def test_scene_of_all_solids_agrees_with_embree(lens: Lens) -> None:
    headings = [0.0, 100.0, 200.0, 290.0]
    camera_poses = poses(np.tile([0.0, 0.0, 2.4], (4, 1)), headings, [0.0, 20.0, -10.0, 5.0], [0.0, 0.0, 15.0, -30.0])
    scene = scattered_scene(1)
    agreement, depth_error, count = compare(scene, Embree(scene, SIDES), camera_poses, lens)
    assert count > 20
    assert agreement >= 0.995
    assert depth_error < 0.01


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("lens", [view(224, 224), panorama(512)])
def test_small_city_agrees_with_embree(city_and_embree: tuple[City, Embree], lens: Lens) -> None:
    city, embree = city_and_embree
    places = np.arange(3) * len(city.graph) // 3
    agreement, depth_error, count = compare(city.scene, embree, city.poses(places, [20.0, 140.0, 260.0]), lens)
    assert count > 60
    assert agreement >= 0.995
    assert depth_error < 0.01


@pytest.mark.parametrize(("solid", "parameters"), ALL)
def test_each_solid_agrees_with_embree(solid: SolidShape, parameters: tuple[float, ...]) -> None:
    for seed in (11, 12):
        rows = scattered(solids((solid, parameters)), seed)
        camera_poses = poses([[3.0, -4.5, 4.0], [-4.0, 3.0, 2.0]], [-33.7, 127.0], [-5.0, 15.0])
        scene = Scene.make(rows, [1, 20])
        agreement, depth_error, count = compare(scene, Embree(scene, SIDES), camera_poses, view(96, 96))
        assert count >= (2 if solid == SolidShape.PLATE else 3)
        assert agreement >= 0.995
        assert depth_error < 0.01
