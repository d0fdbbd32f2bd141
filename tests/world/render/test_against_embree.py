"""Our pictures beside those of an independent ray tracer, embree, of the same solids as a mesh."""

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
MARGIN = 1500.0  # metres of ground around everything: more than one sees
LENSES = [view(160, 160), view(200, 120, 50.0), panorama(320)]


class Embree:
    """The solids of a scene as embree sees them."""

    def __init__(self, scene: Scene, sides: int) -> None:
        self.mesh = mesh(scene.solids, sides, MARGIN)
        body = trimesh.Trimesh(self.mesh.vertices, self.mesh.triangles, process=False)
        self.tracer = ray_pyembree.RayMeshIntersector(body, scale_to_box=False)

    def picture(self, pose: Any, lens: Lens) -> tuple[Any, Any]:
        """Instance (-1: sky) and metres; beyond our draw distance there is only sky."""
        directions = rays(pose, lens).reshape(-1, 3)
        origins = np.tile(pose[:3].astype(float), (len(directions), 1))
        hit = self.tracer.intersects_first(origins, directions)
        a, b, c = np.moveaxis(self.mesh.vertices.astype(float)[self.mesh.triangles[hit]], 1, 0)
        across = np.cross(b - a, c - a)
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = np.einsum("ni,ni->n", a - origins, across) / np.einsum("ni,ni->n", directions, across)
        seen = (hit >= 0) & (depth < MAX_DISTANCE)
        shape = lens.height, lens.width
        instance = np.where(seen, self.mesh.instance[hit], -1)
        return instance.reshape(shape), np.where(seen, depth, np.inf).reshape(shape)


def off_edges(instance: Any) -> Any:
    """Pixels whose eight neighbours show the same instance."""
    inner = instance[1:-1, 1:-1]
    same = np.ones(inner.shape, bool)
    height, width = instance.shape
    for down in range(3):
        for right in range(3):
            same &= instance[down : height - 2 + down, right : width - 2 + right] == inner
    return np.pad(same, 1)


def compare(scene: Scene, embree: Embree, given: Any, lens: Lens) -> tuple[float, float, int]:
    """The share of pixels off the edges that agree, the median difference of depths, and how many instances show."""
    ours: Pictures = render(scene, given, lens)
    agreed: list[Any] = []
    apart: list[Any] = []
    seen: set[int] = set()
    for k, pose in enumerate(given):
        instance, depth = embree.picture(pose, lens)
        clear = off_edges(instance)
        agreed.append((ours.instance[k] == instance)[clear])
        both = (ours.instance[k] == instance) & (instance > 0)  # the ground would be too easy
        apart.append(np.abs(ours.depth[k][both] - depth[both]))
        assert np.isinf(ours.depth[k][ours.instance[k] == -1]).all()
        seen |= set(instance[clear].tolist())
    return float(np.concatenate(agreed).mean()), float(np.median(np.concatenate(apart))), len(seen)


def zoo(seed: int) -> Scene:
    """Every kind and outline several times under random maps, scattered around the origin."""
    rows = scattered(solids(*ALL * 6), seed, 14.0)
    rows["centre"][:, 2] = np.abs(rows["centre"][:, 2]) + 1.5
    away = np.hypot(*rows["centre"][:, :2].T)
    rows["centre"][:, :2] *= np.maximum(1, 4 / np.maximum(away, 0.1))[:, None]  # none around the camera
    return Scene.make(rows, np.full(len(rows) + 1, 20))


@pytest.fixture(scope="module")
def town() -> tuple[City, Embree]:
    city = City(build_plan(city_graph(2, 2, 3), 2))
    return city, Embree(city.scene, CITY_SIDES)


@pytest.mark.parametrize("lens", LENSES)
def test_a_zoo_of_all_kinds(lens: Lens) -> None:
    headings = [0.0, 100.0, 200.0, 290.0]
    given = poses(np.tile([0.0, 0.0, 2.4], (4, 1)), headings, [0.0, 20.0, -10.0, 5.0], [0.0, 0.0, 15.0, -30.0])
    scene = zoo(1)
    share, apart, count = compare(scene, Embree(scene, SIDES), given, lens)
    assert count > 20
    assert share >= 0.995
    assert apart < 0.01


@pytest.mark.parametrize("lens", [view(224, 224), panorama(512)])
def test_a_small_city(town: tuple[City, Embree], lens: Lens) -> None:
    city, embree = town
    places = np.arange(3) * len(city.graph) // 3
    share, apart, count = compare(city.scene, embree, city.poses(places, [20.0, 140.0, 260.0]), lens)
    assert count > 60
    assert share >= 0.995
    assert apart < 0.01


@pytest.mark.parametrize(("kind", "shape"), ALL)
def test_each_kind_alone(kind: SolidShape, shape: tuple[float, ...]) -> None:
    for seed in (11, 12):
        rows = scattered(solids((kind, shape)), seed)
        given = poses([[3.0, -4.5, 4.0], [-4.0, 3.0, 2.0]], [-33.7, 127.0], [-5.0, 15.0])
        scene = Scene.make(rows, [1, 20])
        share, apart, count = compare(scene, Embree(scene, SIDES), given, view(96, 96))
        assert count >= (2 if kind == SolidShape.PLATE else 3)
        assert share >= 0.995
        assert apart < 0.01
