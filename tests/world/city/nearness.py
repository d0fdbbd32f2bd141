"""How near cameras stand to the solids of a scene, exactly: in each solid's own space, and to its triangles."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import trimesh
from scipy.spatial import cKDTree

from bearleft.world.city.plan import EYE_HEIGHT
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.codes import Kind
from bearleft.world.render.mesh import mesh

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


def eyes(graph: Graph) -> Floats:
    """Where the cameras of a graph are."""
    return np.asarray(graph.positions + np.array([0.0, 0.0, EYE_HEIGHT / 1000]), float)


def pairs(solids: Any, points: Floats, margin: float) -> tuple[Numbers, Numbers]:
    """Solids and points whose distance along each axis is at most `margin`, each pair once."""
    reach = np.abs(solids["matrix"]).sum(axis=2).astype(float)
    centre = solids["centre"].astype(float)
    low, high = points[:, 2].min() - margin, points[:, 2].max() + margin
    found = np.flatnonzero((centre[:, 2] - reach[:, 2] <= high) & (centre[:, 2] + reach[:, 2] >= low))
    radius = np.hypot(reach[found, 0] + margin, reach[found, 1] + margin)
    tree = cKDTree(points[:, :2])
    nearest, _ = tree.query(centre[found, :2])
    found, radius = found[nearest <= radius], radius[nearest <= radius]
    lists = tree.query_ball_point(centre[found, :2], radius)
    which = np.repeat(found, [len(one) for one in lists])
    point = np.array([k for one in lists for k in one], np.intp)
    close = (np.abs(points[point] - centre[which]) <= reach[which] + margin).all(axis=1)
    return which[close], point[close]


def within(solids: Any, points: Floats) -> Flags:
    """Whether each point lies inside its solid; a plate counts as thick as its matrix says."""
    away = points - solids["centre"]
    x, y, z = np.linalg.solve(solids["matrix"].astype(float), away[:, :, None])[:, :, 0].T
    up, kind, shape = z + 1, solids["kind"], solids["shape"].astype(float)
    cube = np.maximum(np.maximum(abs(x), abs(y)), abs(z)) < 1
    side, front, back = (shape[:, k] / 2 * up for k in range(3))
    round_of = {Kind.CYLINDER: 1.0, Kind.CONE: 1 + (shape[:, 0] - 1) / 2 * up}
    inside = cube.copy()
    for one, radius in round_of.items():
        inside &= (kind != one) | (np.hypot(x, y) < radius)
    inside &= (kind != Kind.ELLIPSOID) | (x * x + y * y + z * z < 1)
    inside &= (kind != Kind.TAPER) | ((abs(x) < 1 - side) & (y < 1 - front) & (-y < 1 - back))
    return np.asarray(inside, np.bool_)


def distances(solids: Any, points: Floats) -> Floats:
    """How far each point lies from the surface of its solid."""
    made = mesh(solids)
    corners = made.vertices[made.triangles].astype(float)
    at = points[made.solid]
    closest_point: Any = trimesh.triangles.closest_point
    nearest = closest_point(corners, at)
    found = np.full(len(solids), np.inf)
    np.minimum.at(found, made.solid, np.linalg.norm(nearest - at, axis=1))
    return found


def inside_and_nearest(solids: Any, points: Floats, margin: float) -> tuple[Numbers, Floats]:
    """Which points lie inside any solid; and of each point the distance of the nearest solid, at most `margin`."""
    which, point = pairs(solids, points, margin)
    inside = within(solids[which], points[point])
    nearest = np.full(len(points), margin)
    np.minimum.at(nearest, point, distances(solids[which], points[point]))
    return np.unique(point[inside]), nearest
