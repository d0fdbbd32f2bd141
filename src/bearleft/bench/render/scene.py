"""The scene that renderers are timed on: a city of a fixed seed, fixed cameras in it, and its mesh for the peer."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bearleft.bench.harness import Inputs
from bearleft.world.city.city import City, build_plan
from bearleft.world.city.randomness import Stage, integers
from bearleft.world.city.streets import city_graph
from bearleft.world.render.codes import Kind, Material
from bearleft.world.render.mesh import mesh
from bearleft.world.render.scene import Scene
from bearleft.world.render.shading import FAR

SEED = 1
Size = tuple[int, int]  # avenues and streets
SMALL, LARGE = (5, 8), (25, 49)  # about 500 and 25,000 buildings
CAMERAS = 32
PEER_SIDES = 12  # of the peer's cylinders; its balls have 80 triangles
ASPHALT = (120, 120, 120)
HEADINGS = 1_000  # a question that no stage asks


@lru_cache(maxsize=1)
def city(size: Size) -> City:
    """The benchmark's city of a size."""
    return City(build_plan(city_graph(SEED, *size), SEED))


def cameras(of: City, count: int = CAMERAS, within: int | None = None) -> npt.NDArray[np.float32]:
    """Every n-th place, or every n-th of so many around the middle, with a drawn heading."""
    where = of.graph.positions[:, :2]
    away = np.linalg.norm(where - (where.min(axis=0) + where.max(axis=0)) / 2, axis=1)
    near = np.sort(np.argsort(away, kind="stable")[:within])
    places = near[np.arange(count) * len(near) // count]
    return of.poses(places, integers(SEED, Stage.STREETS, places, 0, 359, HEADINGS))


def peer_inputs(scene: Scene, poses: npt.NDArray[np.float32], sides: int = PEER_SIDES) -> Inputs:
    """What the rasteriser draws: the mesh with ground as far as one sees, colours, and where there are windows."""
    made = mesh(scene.solids, sides, float(FAR) + 100)
    solids = scene.solids
    facade = np.append(solids["material"] == Material.FACADE, False)
    window = np.append(solids["pattern"][:, :2], [[0, 0]], axis=0) * facade[:, None]
    return {
        "vertices": made.vertices,
        "normals": made.normals,
        "triangles": made.triangles,
        "instance": made.instance,
        "colour": np.append(solids["colour"], [ASPHALT], axis=0).astype(np.uint8)[made.solid],
        "window": window.astype(np.float32)[made.solid],
        "flat": np.append(solids["kind"] == Kind.PLATE, False)[made.solid],
        "far": np.array(FAR),
        "poses": poses,
    }
