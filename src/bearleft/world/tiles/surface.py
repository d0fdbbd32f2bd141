"""The triangles of a tile's solids, and where on which face of its solid each corner lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bearleft.world.render.codes import Kind, Material
from bearleft.world.render.mesh import mesh
from bearleft.world.tiles.bake import BOTTOM, MANTLE, TOP

if TYPE_CHECKING:
    from bearleft.types import Floats


Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.void]

# How many sides what is round has, by its largest half size in metres.
SIZES, SIDES = np.array([0.05, 0.25, 1.0]), (6, 10, 12, 17)
LOW = 0.02  # metres above the ground below which what looks down is left out


@dataclass(frozen=True)
class Surface:
    """Corners and triangles. A corner has its solid's number in the scene, a face (see `bake`), and `at`: where on it.

    `at` are two numbers from -1 to 1; on a mantle the first counts half turns and may reach beyond.
    """

    vertices: Floats
    normals: Floats
    triangles: Integers
    solid: Integers
    face: Integers
    at: Floats


def surface(solids: Rows, chosen: Integers) -> Surface:
    """The surface of some of a scene's solids. Plates have two sides; what lies flat on the ground has no underside."""
    rows = solids[chosen]
    flat = np.isin(rows["kind"], (Kind.BOX, Kind.TAPER))
    grade = np.where(flat, -1, np.searchsorted(SIZES, rows["size"].max(axis=1)))
    parts = [
        _part(solids, chosen[grade == g], sides) for g, sides in zip(range(-1, 4), (SIDES[0], *SIDES), strict=True)
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


def _part(solids: Rows, chosen: Integers, sides: int) -> Surface:
    """The surface of solids whose round parts all have so many sides."""
    rows = solids[chosen]
    made = mesh(rows, sides)
    vertices, normals = made.vertices.astype(np.float64), made.normals.astype(np.float64)
    triangles, owner = made.triangles.astype(np.int64), made.solid.astype(np.int64)
    seen = ~((vertices[triangles][:, :, 2] < LOW).all(axis=1) & (normals[triangles[:, 0], 2] < -0.99))
    triangles, owner = triangles[seen], owner[seen]
    # The backs of plates: the same corners, looking the other way.
    back = rows["kind"][owner] == Kind.PLATE
    triangles = np.concatenate([triangles, triangles[back][:, ::-1] + len(vertices)])
    owner = np.concatenate([owner, owner[back]])
    vertices, normals = np.concatenate([vertices, vertices]), np.concatenate([normals, -normals])
    used, triangles = np.unique(triangles, return_inverse=True)
    triangles = triangles.reshape(-1, 3)
    vertices, normals = vertices[used], normals[used]
    row = np.zeros(len(vertices), np.int64)
    row[triangles] = owner[:, None]
    local, facing = _own_space(rows[row], vertices, normals)
    kind = rows["kind"][row]
    face = np.full(len(row), MANTLE)
    straight = np.isin(kind, (Kind.BOX, Kind.TAPER, Kind.PLATE))
    axis = _axis(facing)
    sign = np.take_along_axis(facing, axis[:, None], axis=1)[:, 0] > 0
    face[straight] = (axis * 2 + sign)[straight]
    cap = np.isin(kind, (Kind.CYLINDER, Kind.CONE)) & (np.abs(facing[:, :2]).max(axis=1, initial=0) < 1e-3)
    face[cap] = np.where(sign, TOP, BOTTOM)[cap]
    at = local[:, [0, 2]]
    at[face < 2] = local[face < 2][:, [1, 2]]
    at[(face == 4) | (face == 5)] = local[(face == 4) | (face == 5)][:, :2]
    at[cap] = 0.0
    mantle = face == MANTLE
    at[mantle, 0] = np.arctan2(local[mantle, 1], local[mantle, 0]) / np.pi
    made_of = Surface(vertices, normals, triangles, chosen[row], face, at)
    patterned = mantle & (rows["material"][row] != Material.PLAIN)
    return _unwound(made_of, local, patterned) if patterned.any() else made_of


def _own_space(rows: Rows, vertices: Floats, normals: Floats) -> tuple[Floats, Floats]:
    """Corners and normals in the spaces of their solids."""
    matrix = rows["matrix"].astype(np.float64)
    off = vertices - rows["centre"].astype(np.float64)
    local = np.asarray(np.linalg.solve(matrix, off[:, :, None])[:, :, 0], np.float64)
    facing = np.einsum("nij,ni->nj", matrix, normals)
    return local, facing / np.maximum(np.abs(facing).max(axis=1, keepdims=True, initial=0), 1e-30)


def _axis(facing: Floats) -> Integers:
    """Along which axis a face of a box or taper looks: its sides may lean, its caps never do."""
    upright = np.abs(facing[:, :2]).max(axis=1, initial=0) > 1e-3
    return np.where(upright, np.argmax(np.abs(facing[:, :2]), axis=1), 2)


def _unwound(made: Surface, local: Floats, patterned: npt.NDArray[np.bool_]) -> Surface:
    """Corners on the seam of a patterned mantle doubled, so that no triangle runs backwards around it."""
    corners = made.triangles
    turn = made.at[corners, 0]
    middle = local[corners][:, :, :2].mean(axis=1)
    towards = np.arctan2(middle[:, 1], middle[:, 0]) / np.pi
    turns = np.rint((towards[:, None] - turn) / 2).astype(np.int64)
    pole = np.linalg.norm(local[corners][:, :, :2], axis=2) < 1e-6
    theirs = patterned[corners]
    turns[~theirs] = 0
    pole &= theirs
    # One corner for each turn it is needed at; a pole lies at the middle of each of its triangles.
    key = corners * 3 + turns + 1
    key[pole] = 3 * len(made.vertices) + np.arange(int(pole.sum()))
    _, first, triangles = np.unique(key, return_index=True, return_inverse=True)
    source = corners.ravel()[first]
    at = made.at[source]
    at[:, 0] += 2 * turns.ravel()[first]
    poles = pole.ravel()[first]
    at[poles, 0] = np.repeat(towards, 3)[first][poles]
    return Surface(
        made.vertices[source], made.normals[source], triangles.reshape(-1, 3), made.solid[source], made.face[source], at
    )
