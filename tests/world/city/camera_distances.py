"""Exact distances between cameras and the solids of a scene."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import trimesh
from scipy.spatial import cKDTree

from bearleft.world.city.plan import EYE_HEIGHT
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.codes import SolidShape
from bearleft.world.render.mesh import mesh

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


def camera_positions(graph: Graph) -> Floats:
    """Return the positions of the cameras of a graph."""
    return np.asarray(graph.positions + np.array([0.0, 0.0, EYE_HEIGHT / 1000]), float)


def close_pairs(solids: Any, points: Floats, margin: float) -> tuple[Indices, Indices]:
    """Return pairs of solids and points whose distance along each axis is at most `margin`."""
    reach = np.abs(solids["matrix"]).sum(axis=2).astype(float)
    centre = solids["centre"].astype(float)
    low, high = points[:, 2].min() - margin, points[:, 2].max() + margin
    candidates = np.flatnonzero((centre[:, 2] - reach[:, 2] <= high) & (centre[:, 2] + reach[:, 2] >= low))
    radius = np.hypot(reach[candidates, 0] + margin, reach[candidates, 1] + margin)
    tree = cKDTree(points[:, :2])
    nearest, _ = tree.query(centre[candidates, :2])
    candidates, radius = candidates[nearest <= radius], radius[nearest <= radius]
    lists = tree.query_ball_point(centre[candidates, :2], radius)
    solid = np.repeat(candidates, [len(indices) for indices in lists])
    point = np.array([k for indices in lists for k in indices], np.intp)
    close = (np.abs(points[point] - centre[solid]) <= reach[solid] + margin).all(axis=1)
    return solid[close], point[close]


def is_inside(solids: Any, points: Floats) -> Flags:
    """Return whether each point is inside its solid; the thickness of a plate is that of its matrix."""
    away = points - solids["centre"]
    x, y, z = np.linalg.solve(solids["matrix"].astype(float), away[:, :, None])[:, :, 0].T
    up, kind, shape = z + 1, solids["kind"], solids["shape"].astype(float)
    cube = np.maximum(np.maximum(abs(x), abs(y)), abs(z)) < 1
    side, front, back = (shape[:, k] / 2 * up for k in range(3))
    radii = {SolidShape.CYLINDER: 1.0, SolidShape.CONE: 1 + (shape[:, 0] - 1) / 2 * up}
    inside = cube.copy()
    for round_kind, radius in radii.items():
        inside &= (kind != round_kind) | (np.hypot(x, y) < radius)
    inside &= (kind != SolidShape.ELLIPSOID) | (x * x + y * y + z * z < 1)
    inside &= (kind != SolidShape.TAPER) | ((abs(x) < 1 - side) & (y < 1 - front) & (-y < 1 - back))
    return np.asarray(inside, np.bool_)


def distances(solids: Any, points: Floats) -> Floats:
    """Return the distance of each point from the surface of its solid."""
    solid_mesh = mesh(solids)
    corners = solid_mesh.vertices[solid_mesh.triangles].astype(float)
    at = points[solid_mesh.solid]
    closest_point: Any = trimesh.triangles.closest_point
    nearest = closest_point(corners, at)
    minimum = np.full(len(solids), np.inf)
    np.minimum.at(minimum, solid_mesh.solid, np.linalg.norm(nearest - at, axis=1))
    return minimum


def inside_and_nearest(solids: Any, points: Floats, margin: float) -> tuple[Indices, Floats]:
    """Return which points are inside a solid, and the distance of each from the nearest solid, at most `margin`."""
    solid, point = close_pairs(solids, points, margin)
    inside = is_inside(solids[solid], points[point])
    nearest = np.full(len(points), margin)
    np.minimum.at(nearest, point, distances(solids[solid], points[point]))
    return np.unique(point[inside]), nearest
