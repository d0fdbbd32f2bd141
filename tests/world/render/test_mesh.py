"""Meshes of solids are closed, of the right size, with normals outwards, and agree with the renderer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.world.render.camera import Lens, cameras, poses, view
from bearleft.world.render.codes import Outline, SolidShape
from bearleft.world.render.cpu import render
from bearleft.world.render.mesh import Mesh, mesh, write_ply
from bearleft.world.render.scene import SOLID, Scene

BODIES = [
    (SolidShape.BOX, ()),
    (SolidShape.CYLINDER, ()),
    (SolidShape.ELLIPSOID, ()),
    (SolidShape.CONE, (0.0,)),
    (SolidShape.CONE, (0.6,)),
    (SolidShape.TAPER, (0.3, 0.5, 0.2)),
    (SolidShape.TAPER, (0.0, 1.0, 1.0)),
    (SolidShape.TAPER, (1.0, 1.0, 1.0)),
    (SolidShape.TAPER, (0.0, 2.0, 0.0)),
    (SolidShape.TAPER, (0.5, 2.0, 1.0)),
]
PLATES = [
    (Outline.RECTANGLE, (), 4.0),
    (Outline.DISC, (), np.pi),
    (Outline.RING, (0.6,), np.pi * (1 - 0.36)),
    (Outline.OCTAGON, (), 8 * (2**0.5 - 1)),
    (Outline.TRIANGLE, (), 2.0),
    (Outline.YIELD, (), 2.0),
    (Outline.DIAMOND, (), 2.0),
    (Outline.BARS, (5.0, 0.3), 4 * 0.3),
    (Outline.BARS, (2.5, 0.4), 4 * 0.4),
    (Outline.LATTICE, (4.0, 3.0, 0.25), 4 * (0.25 + 0.25)),  # bars cross each other in the plane
    (Outline.ARCH, (), 2 + np.pi / 2),
]
ALL = [*BODIES, *((SolidShape.PLATE, (float(outline), *more)) for outline, more, _ in PLATES)]


def solids(*shapes: tuple[SolidShape, tuple[float, ...]]) -> Any:
    """Unit solids, the k-th of them instance k + 1."""
    rows = np.zeros(len(shapes), SOLID)
    for k, (kind, shape) in enumerate(shapes):
        rows[k]["kind"], rows[k]["instance"], rows[k]["text"] = kind, k + 1, -1
        rows[k]["shape"][: len(shape)] = shape
        rows[k]["matrix"], rows[k]["size"], rows[k]["colour"] = np.eye(3), 1, 128
    return rows


def scattered(rows: Any, seed: int, spread: float = 0.0) -> Any:
    """Return solids under random linear maps: rotated, stretched, sheared and, half of them, mirrored."""
    rng = np.random.default_rng(seed)
    rows = rows.copy()
    turn, _ = np.linalg.qr(rng.normal(size=(len(rows), 3, 3)))
    stretch = np.eye(3) * rng.uniform(0.6, 1.8, (len(rows), 1, 3)) + rng.uniform(-0.2, 0.2, (len(rows), 3, 3))
    rows["matrix"] = turn @ stretch
    rows["size"] = np.linalg.norm(rows["matrix"], axis=1)
    rows["centre"] = rng.uniform(-spread, spread, (len(rows), 3)) + np.array([0, 0, 4])
    return rows


def corners(triangle_mesh: Mesh) -> Any:
    return triangle_mesh.vertices.astype(float)[triangle_mesh.triangles]


def volume(triangle_mesh: Mesh) -> float:
    a, b, c = np.moveaxis(corners(triangle_mesh), 1, 0)
    return float(np.einsum("ni,ni->", a, np.cross(b, c)) / 6)


def area(triangle_mesh: Mesh) -> float:
    a, b, c = np.moveaxis(corners(triangle_mesh), 1, 0)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def rays(pose: Any, lens: Lens) -> Any:
    """Return the ray direction of every pixel, computed independently of the renderer."""
    _, axes = np.split(cameras(pose[None], lens)[0].astype(float), [3])
    right, down, ahead = axes.reshape(3, 3)
    x, y = np.meshgrid(np.arange(lens.width) + 0.5, np.arange(lens.height) + 0.5)
    if lens.fov is None:
        turn, up = (x / lens.width * 2 - 1) * np.pi, (0.5 - y / lens.height) * np.pi
        parts = np.cos(up) * np.sin(turn), -np.sin(up), np.cos(up) * np.cos(turn)
    else:
        parts = x - lens.width / 2, y - lens.height / 2, np.ones_like(x)
    directions = sum(part[..., None] * axis for part, axis in zip(parts, (right, down, ahead), strict=True))
    return directions / np.linalg.norm(directions, axis=-1, keepdims=True)


def first_hit(triangle_mesh: Mesh, origins: Any, directions: Any) -> tuple[Any, Any]:
    """Test every ray against every triangle; return the instance hit first (-1: none) and its depth."""
    a, b, c = np.moveaxis(corners(triangle_mesh), 1, 0)
    instance, depth = np.full(len(origins), -1), np.full(len(origins), np.inf)
    for k, (origin, direction) in enumerate(zip(origins, directions, strict=True)):
        sideways = np.cross(direction, c - a)
        determinant = np.einsum("ni,ni->n", b - a, sideways)
        with np.errstate(divide="ignore", invalid="ignore"):
            u = (origin - a) * sideways
            u = u.sum(axis=1) / determinant
            q = np.cross(origin - a, b - a)
            v = q @ direction / determinant
            t = np.einsum("ni,ni->n", c - a, q) / determinant
        hit = (determinant != 0) & (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (t > 1e-6)
        if hit.any():
            nearest = np.flatnonzero(hit)[t[hit].argmin()]
            instance[k], depth[k] = triangle_mesh.instance[nearest], t[nearest]
    return instance, depth


@pytest.mark.parametrize(("kind", "shape"), BODIES)
def test_bodies_are_closed(kind: SolidShape, shape: tuple[float, ...]) -> None:
    triangle_mesh = mesh(scattered(solids((kind, shape)), 1), sides=12)
    _, vertex_ids = np.unique(np.round(triangle_mesh.vertices, 4), axis=0, return_inverse=True)
    triangles = vertex_ids.ravel()[triangle_mesh.triangles]
    edges = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])

    directed = {(a, b) for a, b in edges.tolist()}
    assert directed == {(b, a) for a, b in directed}


@pytest.mark.parametrize(("kind", "shape"), BODIES)
@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_normals_and_windings_point_outwards(kind: SolidShape, shape: tuple[float, ...], seed: int) -> None:
    triangle_mesh = mesh(scattered(solids((kind, shape)), seed), sides=24)
    assert volume(triangle_mesh) > 0
    a, b, c = np.moveaxis(corners(triangle_mesh), 1, 0)
    face_normals = np.cross(b - a, c - a)
    nonempty = np.linalg.norm(face_normals, axis=1) > 1e-7
    face_normals = face_normals[nonempty] / np.linalg.norm(face_normals[nonempty], axis=1, keepdims=True)
    np.testing.assert_allclose(np.linalg.norm(triangle_mesh.normals, axis=1), 1, atol=1e-5)
    agreement = np.einsum(
        "nki,ni->nk", triangle_mesh.normals[triangle_mesh.triangles[nonempty]].astype(float), face_normals
    )
    assert agreement.min() > (0.8 if kind in (SolidShape.CYLINDER, SolidShape.CONE, SolidShape.ELLIPSOID) else 0.9999)


@pytest.mark.parametrize(
    ("kind", "shape", "expected"),
    [
        (SolidShape.BOX, (), 8.0),
        (SolidShape.CYLINDER, (), 2 * np.pi),
        (SolidShape.ELLIPSOID, (), 4 / 3 * np.pi),
        (SolidShape.CONE, (0.0,), 2 / 3 * np.pi),
        (SolidShape.CONE, (0.5,), 2 / 3 * np.pi * 1.75),
        (SolidShape.TAPER, (0.0, 1.0, 1.0), 4.0),
        (SolidShape.TAPER, (1.0, 1.0, 1.0), 8 / 3),
        (SolidShape.TAPER, (0.0, 2.0, 0.0), 4.0),
        (SolidShape.TAPER, (0.0, 2.0, 2.0), 2.0),  # its sides meet half-way up
    ],
)
def test_bodies_have_the_right_volume(kind: SolidShape, shape: tuple[float, ...], expected: float) -> None:
    rows = scattered(solids((kind, shape)), 6)
    expected *= abs(float(np.linalg.det(rows["matrix"][0].astype(float))))
    fine, coarse = volume(mesh(rows, sides=96)), volume(mesh(rows, sides=12))
    assert fine == pytest.approx(expected, rel=3e-3)
    assert coarse <= fine + 1e-6  # inscribed
    if kind in (SolidShape.BOX, SolidShape.TAPER):
        assert coarse == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("outline", "more", "expected"), PLATES)
def test_plates_have_the_right_area(outline: Outline, more: tuple[float, ...], expected: float) -> None:
    triangle_mesh = mesh(solids((SolidShape.PLATE, (float(outline), *more))), sides=96)
    assert area(triangle_mesh) == pytest.approx(expected, rel=2e-3)
    a, b, c = np.moveaxis(corners(triangle_mesh), 1, 0)
    assert (np.cross(b - a, c - a)[:, 1] > 0).all() and (triangle_mesh.normals == (0, 1, 0)).all()
    assert not triangle_mesh.vertices[:, 1].any()


def test_number_of_sides_bounds_the_error_of_round_solids() -> None:
    for sides in (5, 12, 48):
        triangle_mesh = mesh(solids((SolidShape.CYLINDER, ())), sides=sides)
        distances = np.linalg.norm(corners(triangle_mesh)[: 2 * sides, :, :2].mean(axis=1), axis=1)
        assert 1 - distances.min() <= 1 - np.cos(np.pi / sides) + 1e-6
        np.testing.assert_allclose(np.linalg.norm(triangle_mesh.vertices[:, :2], axis=1), 1, atol=1e-6)
    assert len(mesh(solids((SolidShape.ELLIPSOID, ())), sides=12)) == 80


def test_triangles_keep_the_index_and_instance_of_their_solid() -> None:
    rows = scattered(solids(*ALL), 7, 10.0)
    rows["instance"] = 100 + np.arange(len(rows))
    triangle_mesh = mesh(rows, sides=8, ground=50.0)
    assert set(triangle_mesh.solid.tolist()) == {-1, *range(len(rows))}
    np.testing.assert_array_equal(
        triangle_mesh.instance[triangle_mesh.solid >= 0], 100 + triangle_mesh.solid[triangle_mesh.solid >= 0]
    )
    assert (triangle_mesh.instance[triangle_mesh.solid == -1] == 0).all()
    for k in range(len(rows)):
        alone = mesh(rows[k : k + 1], sides=8)
        np.testing.assert_allclose(corners(triangle_mesh)[triangle_mesh.solid == k], corners(alone), atol=1e-6)
    floor = corners(triangle_mesh)[triangle_mesh.solid == -1]
    assert not floor[:, :, 2].any()
    assert floor[:, :, 0].min() == pytest.approx(rows["centre"][:, 0].min() - 50, abs=1e-4)


def test_no_solids_give_an_empty_mesh_and_two_sides_are_refused() -> None:
    empty = mesh(solids())
    assert len(empty) == 0 and empty.vertices.shape == (0, 3)
    assert len(mesh(solids(), ground=10.0)) == 2
    with pytest.raises(InputError, match="at least 3 sides"):
        mesh(solids((SolidShape.BOX, ())), sides=2)


def test_ply_file_holds_the_mesh(tmp_path: Path) -> None:
    triangle_mesh = mesh(scattered(solids(*ALL), 8, 5.0), sides=8, ground=20.0)
    write_ply(triangle_mesh, tmp_path / "zoo.ply")
    header, _, body = (tmp_path / "zoo.ply").read_bytes().partition(b"end_header\n")
    assert (
        f"element vertex {len(triangle_mesh.vertices)}" in header.decode()
        and f"element face {len(triangle_mesh)}" in header.decode()
    )
    split = len(triangle_mesh.vertices) * 24
    points = np.frombuffer(body[:split], "<f4").reshape(-1, 6)
    faces = np.frombuffer(body[split:], [("n", "u1"), ("corners", "<i4", 3), ("instance", "<i4"), ("solid", "<i4")])
    np.testing.assert_array_equal(points[:, :3], triangle_mesh.vertices)
    np.testing.assert_array_equal(faces["corners"], triangle_mesh.triangles)
    np.testing.assert_array_equal(faces["instance"], triangle_mesh.instance)
    trimesh = pytest.importorskip("trimesh")
    loaded = trimesh.load(tmp_path / "zoo.ply", process=False)
    np.testing.assert_allclose(loaded.vertices, triangle_mesh.vertices)
    np.testing.assert_array_equal(loaded.faces, triangle_mesh.triangles)


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize(("kind", "shape"), ALL)
def test_renderer_hits_solids_where_their_triangles_are(kind: SolidShape, shape: tuple[float, ...]) -> None:
    rows = scattered(solids((kind, shape)), 13)
    lens = view(20, 20, 60.0)
    camera_poses = poses([[3.0, -4.5, 4.0], [-4.0, 3.0, 2.0]], [-33.7, 127.0], [-5.0, 15.0])
    pictures = render(Scene.make(rows, [1, 20]), camera_poses, lens)
    triangle_mesh = mesh(rows, sides=64, ground=1000.0)
    assert (pictures.instance == 1).sum() > 20
    for pose, rendered_instance, rendered_depth in zip(camera_poses, pictures.instance, pictures.depth, strict=True):
        directions = rays(pose, lens).reshape(-1, 3)
        instance, depth = first_hit(triangle_mesh, np.tile(pose[:3].astype(float), (len(directions), 1)), directions)
        equal = rendered_instance.ravel() == instance
        assert equal.mean() > 0.97  # meshes of round solids are inscribed, so pixels at the edge may differ
        solid = equal & (instance == 1)
        assert not solid.any() or np.median(np.abs(rendered_depth.ravel()[solid] - depth[solid])) < 0.01
        floor = equal & (instance == 0)
        np.testing.assert_allclose(rendered_depth.ravel()[floor], depth[floor], rtol=1e-4)
