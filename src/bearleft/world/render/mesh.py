"""Triangle meshes of solids: for export, and for checking and benchmarking against other renderers.

Boxes, tapers and plates with straight edges are exact. Round solids are inscribed: `sides` is the number of chords of
a full circle, so a cylinder's faces lie inside it by at most 1 - cos(pi / sides) of its radius (2 mm per metre at 48).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.runtime.store import atomic_write
from bearleft.world.render.codes import Outline, SolidShape

if TYPE_CHECKING:
    from bearleft.types import Floats


Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.void]
DEFAULT_SIDES = 48
GROUND = -1  # solid index of the ground


@dataclass(frozen=True)
class Mesh:
    """Triangles, anticlockwise seen from outside (plates: from +y), each with its solid's row and its instance.

    Vertices are shared within a face only, so every vertex has the normal of its surface.
    """

    vertices: npt.NDArray[np.float32]
    normals: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    solid: npt.NDArray[np.int32]
    instance: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.triangles)


@dataclass(frozen=True)
class _Unit:
    """A solid before its affine map, or many alike: vertices and normals (..., v, 3), triangles (t, 3)."""

    vertices: Floats
    normals: Floats
    triangles: Integers


def mesh(solids: Rows, sides: int = DEFAULT_SIDES, ground: float = 0.0) -> Mesh:
    """Return the triangles of `solids` (rows of SOLID); with `ground`, a level rectangle with that margin in metres."""
    if sides < 3:
        raise InputError("at least 3 sides of round solids", str(sides), "sides")
    parts = [_place_units(solids, rows, unit) for rows, unit in _units(solids, sides)]
    if ground > 0:
        parts.append(_ground(solids, ground))
    starts = np.cumsum([0, *(len(part[0]) for part in parts)])
    solid = _concatenate([part[3] for part in parts], (0,), np.int32)
    instance = np.append(solids["instance"], 0)[solid] if len(solid) else solid
    return Mesh(
        _concatenate([part[0] for part in parts], (0, 3), np.float32),
        _concatenate([part[1] for part in parts], (0, 3), np.float32),
        _concatenate([part[2] + start for part, start in zip(parts, starts, strict=False)], (0, 3), np.int32),
        solid,
        instance.astype(np.int32),
    )


def _concatenate(parts: list[Any], empty: tuple[int, ...], kind: Any) -> Any:
    return np.concatenate(parts).astype(kind) if parts else np.zeros(empty, kind)


MeshPart: TypeAlias = "tuple[Floats, Floats, Integers, Integers]"


def _place_units(solids: Rows, rows: Integers, unit: _Unit) -> MeshPart:
    """Apply the maps of `rows` to unit solids: vertices, normals, triangles, and each triangle's row."""
    matrix = solids["matrix"][rows].astype(np.float64)
    vertices = solids["centre"][rows].astype(np.float64)[:, None] + unit.vertices @ matrix.transpose(0, 2, 1)
    # Normals are transformed by the cofactors: the inverse transpose up to scale, valid for flat plates too.
    x, y, z = matrix[:, :, 0], matrix[:, :, 1], matrix[:, :, 2]
    cofactors = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=2)
    mirrored = np.einsum("ni,ni->n", x, cofactors[:, :, 0]) < 0
    cofactors[mirrored] *= -1
    normals = unit.normals @ cofactors.transpose(0, 2, 1)
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-30)
    count, width = len(rows), vertices.shape[1]
    triangles = np.where(mirrored[:, None, None], unit.triangles[:, ::-1], unit.triangles)
    triangles = triangles + (np.arange(count) * width)[:, None, None]
    kept = _has_area(unit) if unit.vertices.ndim == 3 else np.ones((1, len(unit.triangles)), bool)
    kept = np.broadcast_to(kept, (count, len(unit.triangles)))
    owner = np.broadcast_to(rows[:, None], kept.shape)
    return vertices.reshape(-1, 3), normals.reshape(-1, 3), triangles[kept], owner[kept]


def _has_area(unit: _Unit) -> npt.NDArray[np.bool_]:
    """Return which triangles have an area: a cone's upper cap and a gable's ridge may have none."""
    a, b, c = (unit.vertices[:, unit.triangles[:, k]] for k in range(3))
    has_area: npt.NDArray[np.bool_] = np.linalg.norm(np.cross(b - a, c - a), axis=2) > 1e-9
    return has_area


def _ground(solids: Rows, margin: float) -> MeshPart:
    middle = solids["centre"][:, :2].astype(np.float64) if len(solids) else np.zeros((1, 2))
    (west, south), (east, north) = middle.min(0) - margin, middle.max(0) + margin
    corners = np.array([[west, south, 0], [east, south, 0], [east, north, 0], [west, north, 0]])
    up = np.tile([0.0, 0.0, 1.0], (4, 1))
    return corners, up, np.array([[0, 1, 2], [0, 2, 3]]), np.full(2, GROUND)


def _units(solids: Rows, sides: int) -> Iterator[tuple[Integers, _Unit]]:
    """Yield rows that share a triangulation, with their unit solids."""
    kinds = solids["kind"]
    shapes = solids["shape"].astype(np.float64)
    for kind, make in _UNIT_MESHES.items():
        rows = np.flatnonzero(kinds == kind)
        if len(rows):
            yield rows, make(shapes[rows], sides)
    rows = np.flatnonzero(kinds == SolidShape.PLATE)
    distinct_shapes, shape_index = np.unique(shapes[rows], axis=0, return_inverse=True)
    order = np.argsort(shape_index, kind="stable")
    groups = np.split(rows[order], np.cumsum(np.bincount(shape_index.ravel(), minlength=len(distinct_shapes)))[:-1])
    for shape, group in zip(distinct_shapes, groups, strict=False):
        yield group, _plate(shape, sides)


# The corners of a box's six faces, each anticlockwise seen from outside; x, y, z as bits 0, 1, 2.
_FACES = np.array([[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]])
_CORNERS = np.stack([np.arange(8) >> k & 1 for k in range(3)], axis=1) * 2.0 - 1.0


def _taper(shapes: Floats) -> _Unit:
    """Return a box whose sides lean inwards; it ends where they meet."""
    x, front, back = shapes[:, 0], shapes[:, 1], shapes[:, 2]
    top = 1 / np.maximum(1, np.maximum(x, (front + back) / 2))
    up = np.stack([np.zeros_like(top), top], axis=1)[:, _CORNERS[:, 2].astype(int) + 1 >> 1]
    corners = np.empty((len(shapes), 8, 3))
    corners[:, :, 0] = _CORNERS[:, 0] * (1 - up * x[:, None])
    corners[:, :, 1] = _CORNERS[:, 1] * (1 - up * np.where(_CORNERS[:, 1] > 0, front[:, None], back[:, None]))
    corners[:, :, 2] = up * 2 - 1
    flat = np.zeros((len(shapes), 6, 3))
    flat[:, 0, 0], flat[:, 1, 0], flat[:, 4, 2], flat[:, 5, 2] = -1, 1, -1, 1
    flat[:, 2, 1], flat[:, 3, 1] = -1, 1
    flat[:, :2, 2], flat[:, 2, 2], flat[:, 3, 2] = x[:, None] / 2, back / 2, front / 2
    triangles = (np.arange(6) * 4)[:, None, None] + np.array([[0, 1, 2], [0, 2, 3]])
    return _Unit(corners[:, _FACES.ravel()], np.repeat(flat, 4, axis=1), triangles.reshape(-1, 3))


def _circle(sides: int) -> Floats:
    turn = np.arange(sides) * (2 * np.pi / sides)
    return np.stack([np.cos(turn), np.sin(turn)], axis=1)


def _cone(shapes: Floats, sides: int) -> _Unit:
    """Return the mantle and caps of a cylinder or cone."""
    top = shapes[:, 0]
    circle = _circle(sides)
    rim = np.concatenate([np.column_stack([circle, np.full(sides, z)]) for z in (-1.0, 1.0)])
    rims = np.repeat(rim[None], len(shapes), axis=0)
    rims[:, sides:, :2] *= top[:, None, None]
    out = np.empty((len(shapes), 2 * sides, 3))
    out[:, :, :2] = rim[:, :2]
    out[:, :, 2] = ((1 - top) / 2)[:, None]
    caps = np.repeat([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]], sides, axis=0)
    here, following = np.arange(sides), (np.arange(sides) + 1) % sides
    fan = np.column_stack([np.zeros(sides - 2, int), np.arange(1, sides - 1), np.arange(2, sides)])
    triangles = [
        np.column_stack([here, following, following + sides]),
        np.column_stack([here, following + sides, here + sides]),
        fan[:, ::-1] + 2 * sides,
        fan + 3 * sides,
    ]
    normals = np.concatenate([out, np.broadcast_to(caps, (len(shapes), 2 * sides, 3))], axis=1)
    return _Unit(np.concatenate([rims, rims], axis=1), normals, np.concatenate(triangles))


def _icosphere(sides: int) -> _Unit:
    """Return a subdivided icosahedron with about `sides` edges around: 20 f^2 triangles, f = sides / 5.7."""
    cuts = max(1, round(sides * np.arctan(2) / (2 * np.pi)))
    golden = (1 + 5**0.5) / 2
    corners = np.array([[0, a, b * golden] for a in (-1, 1) for b in (-1, 1)])
    corners = np.concatenate([np.roll(corners, k, axis=1) for k in range(3)])
    near = np.linalg.norm(corners[:, None] - corners, axis=2) < 2.1
    faces = np.array(
        [f for f in combinations(range(12), 3) if near[f[0], f[1]] and near[f[0], f[2]] and near[f[1], f[2]]]
    )
    a, b, c = corners[faces[:, 0]], corners[faces[:, 1]], corners[faces[:, 2]]
    turned = np.einsum("ni,ni->n", np.cross(b - a, c - a), a) < 0
    b[turned], c[turned] = c[turned], b[turned].copy()
    places = [(i, j) for i in range(cuts + 1) for j in range(cuts + 1 - i)]
    number = {place: k for k, place in enumerate(places)}
    share = np.array(places)[None, :, :, None] / cuts
    points = a[:, None] + share[:, :, 0] * (b - a)[:, None] + share[:, :, 1] * (c - a)[:, None]
    points /= np.linalg.norm(points, axis=2, keepdims=True)
    cells = [(number[i, j], number[i + 1, j], number[i, j + 1]) for i, j in places if i + j < cuts]
    cells += [(number[i, j], number[i - 1, j], number[i, j - 1]) for i, j in places if i and j]
    triangles = (np.array(cells) + (np.arange(20) * len(places))[:, None, None]).reshape(-1, 3)
    _, first, where = np.unique(np.round(points.reshape(-1, 3), 9), axis=0, return_index=True, return_inverse=True)
    shared = points.reshape(-1, 3)[first]
    return _Unit(shared, shared, where.ravel()[triangles])


_UNIT_MESHES: dict[SolidShape, Callable[[Floats, int], _Unit]] = {
    SolidShape.BOX: lambda _, __: _taper(np.zeros((1, 4))),
    SolidShape.CYLINDER: lambda _, sides: _cone(np.ones((1, 4)), sides),
    SolidShape.ELLIPSOID: lambda _, sides: _icosphere(sides),
    SolidShape.CONE: _cone,
    SolidShape.TAPER: lambda shapes, _: _taper(shapes),
}


def _plate(shape: Floats, sides: int) -> _Unit:
    """Return a plate in the plane y = 0."""
    outline = Outline(int(shape[0]))
    if outline in (Outline.BARS, Outline.LATTICE):
        flat, triangles = _rectangles(_bars(shape) if outline == Outline.BARS else _lattice(shape))
    elif outline == Outline.RING:
        circle, here, following = _circle(sides), np.arange(sides), (np.arange(sides) + 1) % sides
        flat = np.concatenate([circle * shape[1], circle])
        pairs = ([here, here + sides, following + sides], [here, following + sides, following])
        triangles = np.concatenate([np.column_stack(pair) for pair in pairs])
    else:
        flat = _outline_corners(outline, sides)
        count = len(flat)
        triangles = np.column_stack([np.zeros(count - 2, int), np.arange(1, count - 1), np.arange(2, count)])
    vertices = np.column_stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1]])
    # Anticlockwise in (x, z) faces -y; reversed, it faces +y.
    return _Unit(vertices, np.tile([0.0, 1.0, 0.0], (len(flat), 1)), triangles[:, ::-1])


def _outline_corners(outline: Outline, sides: int) -> Floats:
    """Return a convex plate's corners, anticlockwise in (x, z)."""
    if outline == Outline.DISC:
        return _circle(sides)
    if outline == Outline.ARCH:
        turn = np.linspace(0, np.pi, sides // 2 + 1)
        return np.concatenate([[[-1, -1], [1, -1]], np.column_stack([np.cos(turn), np.sin(turn)])])
    cut = 2**0.5 - 1
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float64)
    eight = [[-cut, -1], [cut, -1], [1, -cut], [1, cut], [cut, 1], [-cut, 1], [-1, cut], [-1, -cut]]
    return {
        Outline.RECTANGLE: square,
        Outline.OCTAGON: np.array(eight),
        Outline.TRIANGLE: np.array([[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]]),
        Outline.YIELD: np.array([[-1.0, 1.0], [0.0, -1.0], [1.0, 1.0]]),
        Outline.DIAMOND: np.array([[-1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0]]),
    }[outline]


def _bar_intervals(count: float, share: float) -> Floats:
    """Return the bars between -1 and 1, each in the middle of its own interval."""
    middle = (np.arange(np.ceil(count)) + 0.5) * (2 / count) - 1
    bars = np.column_stack([middle - share / count, middle + share / count]).clip(-1, 1)
    return bars[bars[:, 0] < bars[:, 1]]


def _bars(shape: Floats) -> Floats:
    across = _bar_intervals(shape[1], shape[2])
    return np.column_stack([across[:, 0], np.full(len(across), -1.0), across[:, 1], np.full(len(across), 1.0)])


def _lattice(shape: Floats) -> Floats:
    """Return upright bars, and level ones that cross them in the same plane.

    Cutting the level bars at the upright ones would avoid the overlap with ten times the triangles of a wire fence.
    """
    up = _bar_intervals(shape[2], shape[3])
    level = np.column_stack([np.full(len(up), -1.0), up[:, 0], np.full(len(up), 1.0), up[:, 1]])
    return np.concatenate([_bars(shape[[0, 1, 3]]), level])


def _rectangles(sides: Floats) -> tuple[Floats, Integers]:
    """Return rectangles (x0, z0, x1, z1) as vertices (x, z) and triangles."""
    flat = sides[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2)
    triangles = (np.arange(len(sides)) * 4)[:, None, None] + np.array([[0, 1, 2], [0, 2, 3]])
    return flat, triangles.reshape(-1, 3)


def write_ply(triangle_mesh: Mesh, path: str | os.PathLike[str]) -> None:
    """Write a binary PLY file: vertices with normals, faces with `instance` and `solid` (-1 for the ground)."""
    points = np.empty(len(triangle_mesh.vertices), [("place", "<f4", 3), ("normal", "<f4", 3)])
    points["place"], points["normal"] = triangle_mesh.vertices, triangle_mesh.normals
    faces = np.empty(
        len(triangle_mesh), [("count", "u1"), ("corners", "<i4", 3), ("instance", "<i4"), ("solid", "<i4")]
    )
    faces["count"], faces["corners"], faces["instance"], faces["solid"] = (
        3,
        triangle_mesh.triangles,
        triangle_mesh.instance,
        triangle_mesh.solid,
    )
    header = [
        "ply",
        "format binary_little_endian 1.0",
        f"element vertex {len(points)}",
        *(f"property float {name}" for name in ("x", "y", "z", "nx", "ny", "nz")),
        f"element face {len(faces)}",
        "property list uchar int vertex_indices",
        "property int instance",
        "property int solid",
        "end_header\n",
    ]
    with atomic_write(path, "wb") as stream:
        stream.write("\n".join(header).encode() + points.tobytes() + faces.tobytes())
