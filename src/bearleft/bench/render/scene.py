"""Scene of the render benchmark: a city of a fixed seed, fixed cameras in it, and its mesh for the peer."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bearleft.bench.harness import Inputs
from bearleft.world.city.city import City, build_plan
from bearleft.world.city.randomness import Stage, integers
from bearleft.world.city.streets import city_graph
from bearleft.world.render.codes import Material, SolidShape
from bearleft.world.render.mesh import mesh
from bearleft.world.render.scene import Scene
from bearleft.world.render.shading import MAX_DISTANCE

SEED = 1
Size = tuple[int, int]  # avenues and streets
SMALL, LARGE = (5, 8), (25, 49)  # about 500 and 25,000 buildings
CAMERAS = 32
PEER_SIDES = 12  # of the peer's cylinders; its spheres have 80 triangles
ASPHALT = (120, 120, 120)
HEADINGS = 1_000  # a random stream that no stage uses


@lru_cache(maxsize=1)
def city(size: Size) -> City:
    """Return the benchmark's city of a size."""
    return City(build_plan(city_graph(SEED, *size), SEED))


def cameras(world: City, count: int = CAMERAS, within: int | None = None) -> npt.NDArray[np.float32]:
    """Return poses at every n-th place, or at every n-th of the `within` most central places, with random headings."""
    ground = world.graph.positions[:, :2]
    distances = np.linalg.norm(ground - (ground.min(axis=0) + ground.max(axis=0)) / 2, axis=1)
    central = np.sort(np.argsort(distances, kind="stable")[:within])
    places = central[np.arange(count) * len(central) // count]
    return world.poses(places, integers(SEED, Stage.STREETS, places, 0, 359, salt=HEADINGS))


def peer_inputs(scene: Scene, poses: npt.NDArray[np.float32], sides: int = PEER_SIDES) -> Inputs:
    """Return the rasteriser's inputs: the mesh with ground up to the draw distance, colours, and windows."""
    triangles = mesh(scene.solids, sides, float(MAX_DISTANCE) + 100)
    solids = scene.solids
    facade = np.append(solids["material"] == Material.FACADE, False)
    window = np.append(solids["pattern"][:, :2], [[0, 0]], axis=0) * facade[:, None]
    return {
        "vertices": triangles.vertices,
        "normals": triangles.normals,
        "triangles": triangles.triangles,
        "instance": triangles.instance,
        "colour": np.append(solids["colour"], [ASPHALT], axis=0).astype(np.uint8)[triangles.solid],
        "window": window.astype(np.float32)[triangles.solid],
        "flat": np.append(solids["kind"] == SolidShape.PLATE, False)[triangles.solid],
        "far": np.array(MAX_DISTANCE),
        "poses": poses,
    }
