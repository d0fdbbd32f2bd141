"""Removal of hidden walls: faces wholly inside, or close against, one other box."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.world.render.codes import SolidShape
from bearleft.world.tiles.surface import Surface

if TYPE_CHECKING:
    from bearleft.types import Floats


Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.void]

MIN_HALF_SIZE = 1.0  # metres: half size of walls that may hide or be hidden
MAX_GAP = 0.05  # metres


def remove_hidden_faces(solids: Rows, mesh_surface: Surface) -> Surface:
    """Return a surface without the faces of large boxes that another box covers."""
    hidden = _hidden_faces(solids, np.unique(mesh_surface.solid))
    keep = ~np.isin(mesh_surface.solid * 16 + mesh_surface.face, hidden)[mesh_surface.triangles].all(axis=1)
    used, triangles = np.unique(mesh_surface.triangles[keep], return_inverse=True)
    return Surface(
        mesh_surface.vertices[used],
        mesh_surface.normals[used],
        triangles.reshape(-1, 3),
        mesh_surface.solid[used],
        mesh_surface.face[used],
        mesh_surface.at[used],
    )


def _hidden_faces(solids: Rows, chosen: Integers) -> Integers:
    """Return the numbers (16 times the solid's plus the face's) of hidden faces."""
    boxes = np.flatnonzero((solids["kind"] == SolidShape.BOX) & (solids["size"].min(axis=1) > MIN_HALF_SIZE))
    reach = np.abs(solids["matrix"][boxes]).sum(axis=2) + MAX_GAP
    low, high = solids["centre"][boxes] - reach, solids["centre"][boxes] + reach
    inverse = np.linalg.inv(solids["matrix"][boxes].astype(np.float64))
    hidden = []
    for solid in np.intersect1d(boxes, chosen):
        for face in range(6):
            corners = _corners(solids[solid], face)
            near = np.flatnonzero((low <= corners.min(axis=0)).all(axis=1) & (high >= corners.max(axis=0)).all(axis=1))
            near = near[boxes[near] != solid]
            offsets = corners - solids["centre"][boxes[near]].astype(np.float64)[:, None]
            local = np.abs(np.einsum("nij,nkj->nki", inverse[near], offsets))
            if (local <= 1 + MAX_GAP / solids["size"][boxes[near]][:, None]).all(axis=(1, 2)).any():
                hidden.append(16 * int(solid) + face)
    return np.array(hidden, np.int64)


def _corners(row: np.void, face: int) -> Floats:
    """Return the corners of a face, slightly outside it."""
    axis, others = face // 2, [k for k in range(3) if k != face // 2]
    corners = np.zeros((4, 3))
    corners[:, axis] = (1 if face % 2 else -1) * (1 + MAX_GAP / row["size"][axis])
    corners[:, others] = list(product((-1, 1), repeat=2))
    return np.asarray(row["centre"] + corners @ row["matrix"].T.astype(np.float64))
