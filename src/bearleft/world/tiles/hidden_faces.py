"""Walls that nobody can see: those that lie wholly inside, or close against, one other box."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.world.render.codes import Kind
from bearleft.world.tiles.surface import Surface

if TYPE_CHECKING:
    from bearleft.types import Floats


Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.void]

LARGE = 1.0  # metres: half sizes of what may hide, or be hidden, as a wall
GAP = 0.05  # metres that nobody looks into


def without_hidden(solids: Rows, made: Surface) -> Surface:
    """A surface less the faces of large boxes that another box covers."""
    hidden = _hidden(solids, np.unique(made.solid))
    keep = ~np.isin(made.solid * 16 + made.face, hidden)[made.triangles].all(axis=1)
    used, triangles = np.unique(made.triangles[keep], return_inverse=True)
    return Surface(
        made.vertices[used],
        made.normals[used],
        triangles.reshape(-1, 3),
        made.solid[used],
        made.face[used],
        made.at[used],
    )


def _hidden(solids: Rows, chosen: Integers) -> Integers:
    """The numbers (16 times the solid's plus the face's) of hidden faces."""
    boxes = np.flatnonzero((solids["kind"] == Kind.BOX) & (solids["size"].min(axis=1) > LARGE))
    reach = np.abs(solids["matrix"][boxes]).sum(axis=2) + GAP
    low, high = solids["centre"][boxes] - reach, solids["centre"][boxes] + reach
    inverse = np.linalg.inv(solids["matrix"][boxes].astype(np.float64))
    found = []
    for solid in np.intersect1d(boxes, chosen):
        for face in range(6):
            corners = _corners(solids[solid], face)
            near = np.flatnonzero((low <= corners.min(axis=0)).all(axis=1) & (high >= corners.max(axis=0)).all(axis=1))
            near = near[boxes[near] != solid]
            off = corners - solids["centre"][boxes[near]].astype(np.float64)[:, None]
            own = np.abs(np.einsum("nij,nkj->nki", inverse[near], off))
            if (own <= 1 + GAP / solids["size"][boxes[near]][:, None]).all(axis=(1, 2)).any():
                found.append(16 * int(solid) + face)
    return np.array(found, np.int64)


def _corners(row: np.void, face: int) -> Floats:
    """The corners of a face, a little outside it."""
    axis, others = face // 2, [k for k in range(3) if k != face // 2]
    corners = np.zeros((4, 3))
    corners[:, axis] = (1 if face % 2 else -1) * (1 + GAP / row["size"][axis])
    corners[:, others] = list(product((-1, 1), repeat=2))
    return np.asarray(row["centre"] + corners @ row["matrix"].T.astype(np.float64))
