"""Triangles of a tile's solids, and the position of each corner on its face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.world.render.codes import Material, SolidShape
from bearleft.world.render.mesh import mesh
from bearleft.world.tiles.bake import BOTTOM, MANTLE, TOP

if TYPE_CHECKING:
    from bearleft.types import Floats


Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.void]

# The number of sides of round solids, by their largest half size in metres.
SIDES_UP_TO, SIDES = np.array([0.05, 0.25, 1.0]), (6, 10, 12, 17)
MIN_HEIGHT = 0.02  # metres above the ground, below which undersides are left out


@dataclass(frozen=True)
class Surface:
    """Corners and triangles. A corner has its solid's index in the scene, a face (see `bake`), and `at`: where on it.

    `at` are two numbers from -1 to 1; on a mantle the first counts half turns and may exceed that.
    """

    vertices: Floats
    normals: Floats
    triangles: Integers
    solid: Integers
    face: Integers
    at: Floats


def make_surface(solids: Rows, chosen: Integers) -> Surface:
    """Return the surface of some solids of a scene. Plates have two sides; undersides on the ground are left out."""
    rows = solids[chosen]
    flat = np.isin(rows["kind"], (SolidShape.BOX, SolidShape.TAPER))
    grade = np.where(flat, -1, np.searchsorted(SIDES_UP_TO, rows["size"].max(axis=1)))
    parts = [
        _make_part(solids, chosen[grade == g], sides) for g, sides in zip(range(-1, 4), (SIDES[0], *SIDES), strict=True)
    ]
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    return Surface(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.triangles + start for part, start in zip(parts, starts, strict=False)]),
        np.concatenate([part.solid for part in parts]),
        np.concatenate([part.face for part in parts]),
        np.concatenate([part.at for part in parts]),
    )


def _make_part(solids: Rows, chosen: Integers, sides: int) -> Surface:
    """Return the surface of solids whose round parts are approximated by `sides` sides."""
    rows = solids[chosen]
    solid_mesh = mesh(rows, sides)
    vertices, normals = solid_mesh.vertices.astype(np.float64), solid_mesh.normals.astype(np.float64)
    triangles, owner = solid_mesh.triangles.astype(np.int64), solid_mesh.solid.astype(np.int64)
    visible = ~((vertices[triangles][:, :, 2] < MIN_HEIGHT).all(axis=1) & (normals[triangles[:, 0], 2] < -0.99))
    triangles, owner = triangles[visible], owner[visible]
    # Backs of plates: the same corners, facing the other way.
    back = rows["kind"][owner] == SolidShape.PLATE
    triangles = np.concatenate([triangles, triangles[back][:, ::-1] + len(vertices)])
    owner = np.concatenate([owner, owner[back]])
    vertices, normals = np.concatenate([vertices, vertices]), np.concatenate([normals, -normals])
    used, triangles = np.unique(triangles, return_inverse=True)
    triangles = triangles.reshape(-1, 3)
    vertices, normals = vertices[used], normals[used]
    row = np.zeros(len(vertices), np.int64)
    row[triangles] = owner[:, None]
    local, facing = _to_local(rows[row], vertices, normals)
    kind = rows["kind"][row]
    face = np.full(len(row), MANTLE)
    straight = np.isin(kind, (SolidShape.BOX, SolidShape.TAPER, SolidShape.PLATE))
    axis = _facing_axis(facing)
    sign = np.take_along_axis(facing, axis[:, None], axis=1)[:, 0] > 0
    face[straight] = (axis * 2 + sign)[straight]
    cap = np.isin(kind, (SolidShape.CYLINDER, SolidShape.CONE)) & (np.abs(facing[:, :2]).max(axis=1, initial=0) < 1e-3)
    face[cap] = np.where(sign, TOP, BOTTOM)[cap]
    at = local[:, [0, 2]]
    at[face < 2] = local[face < 2][:, [1, 2]]
    at[(face == 4) | (face == 5)] = local[(face == 4) | (face == 5)][:, :2]
    at[cap] = 0.0
    mantle = face == MANTLE
    at[mantle, 0] = np.arctan2(local[mantle, 1], local[mantle, 0]) / np.pi
    part = Surface(vertices, normals, triangles, chosen[row], face, at)
    patterned = mantle & (rows["material"][row] != Material.PLAIN)
    return _split_seams(part, local, patterned) if patterned.any() else part


def _to_local(rows: Rows, vertices: Floats, normals: Floats) -> tuple[Floats, Floats]:
    """Return corners and normals in the local spaces of their solids."""
    matrix = rows["matrix"].astype(np.float64)
    offsets = vertices - rows["centre"].astype(np.float64)
    local = np.asarray(np.linalg.solve(matrix, offsets[:, :, None])[:, :, 0], np.float64)
    facing = np.einsum("nij,ni->nj", matrix, normals)
    return local, facing / np.maximum(np.abs(facing).max(axis=1, keepdims=True, initial=0), 1e-30)


def _facing_axis(facing: Floats) -> Integers:
    """Return the axis that a face of a box or taper faces: its sides may lean, its caps never do."""
    upright = np.abs(facing[:, :2]).max(axis=1, initial=0) > 1e-3
    return np.where(upright, np.argmax(np.abs(facing[:, :2]), axis=1), 2)


def _split_seams(part: Surface, local: Floats, patterned: npt.NDArray[np.bool_]) -> Surface:
    """Duplicate corners on the seam of a patterned mantle, so that no triangle runs backwards around it."""
    corners = part.triangles
    turn = part.at[corners, 0]
    middle = local[corners][:, :, :2].mean(axis=1)
    towards = np.arctan2(middle[:, 1], middle[:, 0]) / np.pi
    turns = np.rint((towards[:, None] - turn) / 2).astype(np.int64)
    pole = np.linalg.norm(local[corners][:, :, :2], axis=2) < 1e-6
    is_patterned = patterned[corners]
    turns[~is_patterned] = 0
    pole &= is_patterned
    # One corner for each turn it is needed at; a pole lies at the middle of each of its triangles.
    key = corners * 3 + turns + 1
    key[pole] = 3 * len(part.vertices) + np.arange(int(pole.sum()))
    _, first, triangles = np.unique(key, return_index=True, return_inverse=True)
    source = corners.ravel()[first]
    at = part.at[source]
    at[:, 0] += 2 * turns.ravel()[first]
    poles = pole.ravel()[first]
    at[poles, 0] = np.repeat(towards, 3)[first][poles]
    return Surface(
        part.vertices[source], part.normals[source], triangles.reshape(-1, 3), part.solid[source], part.face[source], at
    )
