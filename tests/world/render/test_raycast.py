"""Ray casting agrees with slow versions in double precision; the grid agrees with testing all solids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bearleft.runtime.compiled import jit
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import Outline, SolidShape
from bearleft.world.render.cpu import render
from bearleft.world.render.light import Light
from bearleft.world.render.raycast import (
    ALL,
    LARGE,
    MIN_DISTANCE,
    SMALL,
    hit_solid,
    local_normal,
    to_local,
    trace,
    world_normal,
)
from bearleft.world.render.scene import LARGE_HALF, Scene
from bearleft.world.render.shading import MAX_SHADOW
from bearleft.world.render.shadow_bounds import sunlit_heights
from tests.world.render.test_mesh import ALL as SHAPES
from tests.world.render.test_mesh import BODIES, scattered, solids

f4 = np.float32
FAR = f4(400)
HOURS = [6.2, 8.0, 12.0, 16.5, 17.9, 23.0]


@jit
def _hit_distances(m: Any, kind: Any, origins: Any, directions: Any, out: Any) -> None:
    for r in range(len(origins)):
        o, d = origins[r], directions[r]
        for i in range(len(kind)):
            out[r, i] = hit_solid(m, kind[i], i, o[0], o[1], o[2], d[0], d[1], d[2])


@jit
def _first_hits(s: Any, origins: Any, directions: Any, far: Any, among: int, above: Any, length: Any, hit: Any) -> None:
    for r in range(len(origins)):
        o, d = origins[r], directions[r]
        length[r], hit[r] = trace(s, o[0], o[1], o[2], d[0], d[1], d[2], far, among, above, -1)


@jit
def _normals(m: Any, kind: Any, i: int, origins: Any, directions: Any, length: Any, own: Any, world: Any) -> None:
    """Compute normals as the renderer does."""
    for r in range(len(origins)):
        o, d, t = origins[r], directions[r], length[r]
        x, y, z = to_local(m, i, o[0] - m[i, 9], o[1] - m[i, 10], o[2] - m[i, 11])
        u, v, w = to_local(m, i, d[0], d[1], d[2])
        a, b, c = local_normal(m, kind[i], i, x + t * u, y + t * v, z + t * w)
        own[r, 0], own[r, 1], own[r, 2] = a, b, c
        world[r, 0], world[r, 1], world[r, 2] = world_normal(m, i, a, b, c)


def hit_distances(scene: Scene, origins: Any, directions: Any) -> Any:
    """Return the (rays, solids) distances at which rays hit solids, infinite where they miss."""
    out = np.empty((len(origins), len(scene.solids)), f4)
    _hit_distances(scene.arrays.solid, scene.arrays.kind, origins, directions, out)
    return np.where(out > MIN_DISTANCE, out, np.inf)


def first_hits(scene: Scene, origins: Any, directions: Any, far: Any = FAR, among: int = ALL, above: Any = None) -> Any:
    """Return the distance and the row of the first solid that the grid finds for each ray."""
    length, hit = np.empty(len(origins), f4), np.empty(len(origins), np.int64)
    if above is None:
        above = np.full((len(scene.arrays.top), 2), 1e30, f4)
    _first_hits(scene.arrays, origins, directions, far, among, above, length, hit)
    return length, hit


def normals(scene: Scene, i: int, origins: Any, directions: Any, length: Any) -> Any:
    """Return normals in the solid's local space and in the world."""
    own, world = np.empty((2, len(origins), 3), f4)
    _normals(scene.arrays.solid, scene.arrays.kind, i, origins, directions, length.astype(f4), own, world)
    return own, world


def unit(vectors: Any) -> Any:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


# The slow versions: the roots of every surface in double precision; those that lie on the solid count.
def within(polygon: Any, x: Any, z: Any) -> Any:
    """Return whether points lie inside a convex anticlockwise polygon."""
    inside = np.ones(x.shape, bool)
    for (ax, az), (bx, bz) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        inside &= (bx - ax) * (z - az) - (bz - az) * (x - ax) >= 0
    return inside


def bars(x: Any, count: float, share: float) -> Any:
    """Return whether points of [-1, 1] lie on one of the bars in the middle of `count` slots."""
    slot = 2 / count
    middles = -1 + slot * (np.arange(np.ceil(count)) + 0.5)
    return (np.abs(x[..., None] - middles) <= slot * share / 2).any(axis=-1)


def on_plate(shape: Any, x: Any, z: Any) -> Any:
    outline, more = Outline(int(shape[0])), shape[1:]
    square = (np.abs(x) <= 1) & (np.abs(z) <= 1)
    round_ = np.hypot(x, z)
    turn = np.radians(22.5 + 45 * np.arange(8))
    corners = {
        Outline.OCTAGON: np.column_stack([np.cos(turn), np.sin(turn)]) / np.cos(np.radians(22.5)),
        Outline.TRIANGLE: np.array([[-1, -1], [1, -1], [0, 1]]),
        Outline.YIELD: np.array([[0, -1], [1, 1], [-1, 1]]),
        Outline.DIAMOND: np.array([[0, -1], [1, 0], [0, 1], [-1, 0]]),
    }
    if outline in corners:
        return square & within(corners[outline], x, z)
    if outline == Outline.BARS:
        return square & bars(x, more[0], more[1])
    if outline == Outline.LATTICE:
        return square & (bars(x, more[0], more[2]) | bars(z, more[1], more[2]))
    if outline == Outline.ARCH:
        return square & ((z <= 0) | (round_ <= 1))
    if outline == Outline.RECTANGLE:
        return square
    return (round_ <= 1) & (round_ >= (more[0] if outline == Outline.RING else 0))


def depth_below(kind: int, shape: Any, p: Any) -> Any:
    """Return signed (..., surfaces) distances to the surfaces of a body, negative inside."""
    x, y, z = np.moveaxis(p, -1, 0)
    up, round_ = (z + 1) / 2, np.hypot(x, y)
    caps = [z - 1, -z - 1]
    if kind == SolidShape.BOX:
        return np.stack([x - 1, -x - 1, y - 1, -y - 1, *caps], axis=-1)
    if kind == SolidShape.TAPER:
        sides = [x - 1 + shape[0] * up, -x - 1 + shape[0] * up, y - 1 + shape[1] * up, -y - 1 + shape[2] * up]
        return np.stack([*sides, *caps], axis=-1)
    if kind == SolidShape.ELLIPSOID:
        return (x * x + y * y + z * z - 1)[..., None]
    top = 1 if kind == SolidShape.CYLINDER else shape[0]
    return np.stack([round_ - (1 + (top - 1) * up), *caps], axis=-1)


def roots(a: Any, b: Any, c: Any) -> list[Any]:
    """Return the roots of a t^2 + 2 b t + c."""
    with np.errstate(divide="ignore", invalid="ignore"):
        q = -(b + np.where(b >= 0, 1, -1) * np.sqrt(b * b - a * c))
        return [q / a, c / q]


def slow_hit_distances(row: Any, origins: Any, directions: Any, grow: float = 1.0) -> Any:
    """Return the distances at which rays hit one solid, scaled by `grow`."""
    back = np.linalg.inv(row["matrix"].astype(float) * grow)
    p, q = (origins.astype(float) - row["centre"]) @ back.T, directions.astype(float) @ back.T
    kind, shape = int(row["kind"]), row["shape"].astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        if kind == SolidShape.PLATE:
            t = -p[:, 1] / q[:, 1]
            x, _, z = (p + t[:, None] * q).T
            return np.where((t > MIN_DISTANCE) & on_plate(shape, x, z), t, np.inf)
        if kind in (SolidShape.BOX, SolidShape.TAPER):
            begin, end = depth_below(kind, shape, p), depth_below(kind, shape, p + q)
            candidates = list((begin / (begin - end)).T)  # each is a plane, so it changes evenly
        elif kind == SolidShape.ELLIPSOID:
            candidates = roots((q * q).sum(axis=1), (p * q).sum(axis=1), (p * p).sum(axis=1) - 1)
        else:
            lean = ((1 if kind == SolidShape.CYLINDER else shape[0]) - 1) / 2
            radius, change = 1 + lean * (p[:, 2] + 1), lean * q[:, 2]
            flat, step = p[:, :2], q[:, :2]
            candidates = roots(
                (step * step).sum(axis=1) - change**2,
                (flat * step).sum(axis=1) - radius * change,
                (flat * flat).sum(axis=1) - radius**2,
            )
            candidates += [(-1 - p[:, 2]) / q[:, 2], (1 - p[:, 2]) / q[:, 2]]
        best = np.full(len(p), np.inf)
        for t in candidates:
            distance = depth_below(kind, shape, p + t[:, None] * q).max(axis=1)
            best = np.where((t > MIN_DISTANCE) & (distance < 1e-7) & (t < best), t, best)
    return best


def rays_at(rows: Any, count: int, seed: int) -> tuple[Any, Any]:
    """Return rays that start around or in solids and mostly point at them; some are parallel to an axis."""
    rng = np.random.default_rng(seed)
    chosen = rows[rng.integers(0, len(rows), count)]
    near = chosen["centre"] + np.einsum("nij,nj->ni", chosen["matrix"], rng.uniform(-1.1, 1.1, (count, 3)))
    offset = unit(rng.normal(size=(count, 3))) * rng.choice([0.05, 1.0, 8.0, 30.0], (count, 1))
    origins = near + offset
    origins[:, 2] = np.abs(origins[:, 2])
    directions = unit(near - origins + rng.normal(size=(count, 3)) * 1e-3)
    axis = rng.random(count) < 0.3
    straight = np.eye(3)[rng.integers(0, 3, count)] * rng.choice([-1.0, 1.0], (count, 1))
    directions[axis] = straight[axis]
    along = near - straight * rng.choice([0.5, 8.0], (count, 1))  # so that they meet something
    along[:, 2] = np.abs(along[:, 2])
    origins[axis] = along[axis]
    return np.ascontiguousarray(origins, f4), np.ascontiguousarray(directions, f4)


def zoo(seed: int, spread: float = 18.0, at: tuple[float, float] = (0.0, 0.0)) -> Scene:
    """Return all solids and outlines under random maps: small ones share an instance, large ones span cells."""
    rng = np.random.default_rng(seed)
    rows = scattered(solids(*SHAPES * 4), seed, spread)
    rows["matrix"] *= rng.choice([0.1, 0.5, 1.0, 5.0], (len(rows), 1, 1))
    rows["centre"][:, 2] = np.abs(rows["centre"][:, 2]) + 0.2
    rows["centre"][:, :2] += at
    # Small parts of one thing lie beside each other, as an item.
    group = rng.integers(0, 12, len(rows))
    rows["instance"] = group + 1
    around = rng.uniform(-spread, spread, (12, 2)) + at
    gathered = rng.random(len(rows)) < 0.6
    rows["centre"][gathered, :2] = around[group[gathered]] + rng.normal(size=(int(gathered.sum()), 2))
    return Scene.make(rows, np.full(13, 20))


@pytest.mark.parametrize(("kind", "shape"), SHAPES)
def test_hits_of_each_solid_agree_with_algebra(kind: SolidShape, shape: tuple[float, ...]) -> None:
    for seed in range(4):
        rows = scattered(solids((kind, shape)), seed)
        if kind == SolidShape.PLATE and seed == 0:
            rows["matrix"] = np.eye(3)  # upright, so that rays along an axis meet it squarely
        origins, directions = rays_at(rows, 1500, seed)
        expected = slow_hit_distances(rows[0], origins, directions)
        outer, inner = (slow_hit_distances(rows[0], origins, directions, grow) for grow in (1.0005, 0.9995))
        with np.errstate(invalid="ignore"):
            certain = ((outer == inner) & (outer == expected)) | (np.abs(outer - inner) < 0.02)  # not a graze
        assert certain.mean() > (0.8 if kind == SolidShape.PLATE else 0.9)
        assert np.isfinite(expected).mean() > 0.2 or kind == SolidShape.PLATE
        assert np.isfinite(expected[certain]).sum() > 100 and np.isinf(expected[certain]).sum() > 20
        ours = hit_distances(Scene.make(rows, [1, 20]), origins, directions)[:, 0]
        np.testing.assert_array_equal(np.isfinite(ours[certain]), np.isfinite(expected[certain]))
        hit = certain & np.isfinite(expected)
        np.testing.assert_allclose(ours[hit], expected[hit], rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(("kind", "shape"), BODIES)
def test_normals_point_outwards_and_have_length_one(kind: SolidShape, shape: tuple[float, ...]) -> None:
    for seed in range(3):
        rows = scattered(solids((kind, shape)), 20 + seed)
        scene = Scene.make(rows, [1, 20])
        origins, directions = rays_at(rows, 1500, seed)
        distances = hit_distances(scene, origins, directions)[:, 0]
        hit = np.isfinite(distances)
        origins, directions, length = origins[hit], directions[hit], distances[hit]
        _, world = normals(scene, 0, origins, directions, length)
        np.testing.assert_allclose(np.linalg.norm(world, axis=1), 1, atol=1e-5)
        # The gradient of how deep a point lies below the surface, by differences.
        back = np.linalg.inv(rows["matrix"][0].astype(float))
        p = (origins.astype(float) + length[:, None] * directions - rows["centre"][0]) @ back.T
        depths = np.sort(depth_below(kind, rows["shape"][0], p), axis=1)
        inner = depths[:, -1] - depths[:, -2] > 0.01 if depths.shape[1] > 1 else np.ones(len(p), bool)
        steps = 1e-6 * np.eye(3)
        grown = [depth_below(kind, rows["shape"][0], p + s).max(axis=1) for s in (*steps, *-steps)]
        outwards = unit((np.array(grown[:3]) - np.array(grown[3:])).T @ back)
        assert inner.sum() > 300
        np.testing.assert_allclose(world[inner], outwards[inner], atol=2e-3)
        start_depth = depth_below(kind, rows["shape"][0], (origins - rows["centre"][0]) @ back.T).max(axis=1)
        facing = np.einsum("ni,ni->n", world, directions)
        assert (facing[inner & (start_depth > 1e-2)] < 1e-3).all()
        assert (facing[inner & (start_depth < -1e-2)] > -1e-3).all()


@pytest.mark.parametrize("outline", list(Outline))
def test_normals_of_plates_are_their_local_y_axis(outline: Outline) -> None:
    rows = scattered(solids((SolidShape.PLATE, (float(outline), 3.0, 0.5, 0.3))), int(outline))
    origins, directions = rays_at(rows, 20, 1)
    _, world = normals(Scene.make(rows, [1, 20]), 0, origins, directions, np.ones(20))
    # Perpendicular to both directions of its plane.
    in_plane = rows["matrix"][0].astype(float)[:, [0, 2]]
    np.testing.assert_allclose(world @ in_plane, 0, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(world, axis=1), 1, atol=1e-5)
    assert (world @ rows["matrix"][0][:, 1] > 0).all()


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("seed", range(8))
def test_grid_finds_the_same_hits_as_testing_all_solids(seed: int) -> None:
    at = (3000.0, -2900.0) if seed % 4 == 3 else (0.0, 0.0)
    scene = zoo(seed, 25.0 if seed % 2 else 8.0, at)
    assert {int(k) for k in scene.arrays.kind} == {int(k) for k in SolidShape}
    first_item = np.diff(scene.arrays.item_first.astype(int))
    assert first_item.max() > 1 and (np.diff(scene.arrays.cell_first.astype(int)) > 1).any()
    origins, directions = rays_at(scene.solids, 4000, seed)
    all_distances = hit_distances(scene, origins, directions)
    expected, nearest = all_distances.min(axis=1), all_distances.argmin(axis=1)
    expected, nearest = np.where(expected < FAR, expected, FAR), np.where(expected < FAR, nearest, -1)
    length, hit = first_hits(scene, origins, directions)
    tolerance = 1e-3 if at == (0.0, 0.0) else 5e-3
    np.testing.assert_allclose(length, expected, rtol=1e-5, atol=tolerance)
    # Where two solids are hit at the same distance, either is right.
    differing = hit != nearest
    assert (hit[differing] >= 0).all() and (nearest[differing] >= 0).all()
    np.testing.assert_allclose(all_distances[differing, hit[differing]], expected[differing], atol=tolerance)
    assert differing.mean() < 0.01 and (nearest >= 0).mean() > 0.5


def test_maximum_distance_hides_farther_solids() -> None:
    scene = zoo(40)
    origins, directions = rays_at(scene.solids, 2000, 40)
    full, _ = first_hits(scene, origins, directions)
    near, hit = first_hits(scene, origins, directions, f4(5))
    np.testing.assert_array_equal(hit >= 0, full < 5)
    np.testing.assert_allclose(near, np.minimum(full, 5), rtol=1e-6)


def is_large(scene: Scene) -> Any:
    """Return which solids are separate grid items: those whose box exceeds the limit on some side."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    reach = np.einsum("nij,kj->nki", scene.solids["matrix"], corners).max(axis=(1, 2))
    return reach > LARGE_HALF


def surface_points(scene: Scene, seed: int) -> Any:
    """Return points on the ground and just off the surfaces of solids, as starts of shadow rays."""
    rng = np.random.default_rng(seed)
    west, south, east, north = scene.extent
    ground = np.column_stack([rng.uniform(west, east, 3000), rng.uniform(south, north, 3000), np.full(3000, 0.01)])
    origins, directions = rays_at(scene.solids, 3000, seed)
    length, hit = first_hits(scene, origins, directions)
    surface = (origins + (length[:, None] - 0.02) * directions)[hit >= 0]
    return np.ascontiguousarray(np.concatenate([ground, surface[surface[:, 2] > 0]]), f4)


@pytest.mark.parametrize("hour", HOURS)
@pytest.mark.parametrize("seed", [50, 51])
def test_early_exits_of_shadow_rays_change_nothing(hour: float, seed: int) -> None:
    scene = zoo(seed, 25.0)
    large, light = is_large(scene), Light(hour)
    assert 10 < large.sum() < len(large) - 10
    origins = surface_points(scene, seed)
    directions = np.tile(np.array(light.sun, f4), (len(origins), 1))
    all_distances = hit_distances(scene, origins, directions)
    max_heights = sunlit_heights(scene, light)
    early_exits = 0
    for among, chosen in ((LARGE, large), (SMALL, ~large)):
        expected = (all_distances[:, chosen] < MAX_SHADOW).any(axis=1)
        assert expected.any() and not expected.all()
        length, hit = first_hits(scene, origins, directions, MAX_SHADOW, among, max_heights)
        differing = expected != (hit >= 0)
        # Only a ray that grazes an edge may give another answer.
        nudged = [
            hit_distances(scene, origins[differing] + f4(d), directions[differing])[:, chosen] < MAX_SHADOW
            for d in (-0.01, 0.01)
        ]
        assert (nudged[0].any(axis=1) != nudged[1].any(axis=1)).all()
        assert differing.mean() < 1e-3
        rays_with_hit = np.flatnonzero(hit >= 0)
        assert chosen[hit[rays_with_hit]].all()
        np.testing.assert_allclose(
            all_distances[rays_with_hit, hit[rays_with_hit]], length[rays_with_hit], rtol=1e-4, atol=2e-3
        )
        early_exits += int((origins[:, 2].max() > max_heights[:, among - 1]).sum())
    assert early_exits > 0  # or there were no early exits to be tested


def test_caps_of_thin_cylinders_far_from_the_origin_have_exact_normals() -> None:
    rows = solids((SolidShape.CYLINDER, ()), (SolidShape.CONE, (0.5,)))
    rows["centre"] = [[3000.0, 3000.0, 3.0], [3000.5, -3000.0, 3.0]]
    rows["matrix"] = np.diag([0.05, 0.05, 3.0])
    scene = Scene.make(rows, [1, 20, 21])
    rng = np.random.default_rng(1)
    for i, top in ((0, 1.0), (1, 0.5)):
        turn, out = rng.uniform(0, 2 * np.pi, 500), 0.05 * top * np.sqrt(rng.uniform(0, 0.8, 500))
        caps = rows["centre"][i] + np.column_stack([out * np.cos(turn), out * np.sin(turn), np.full(500, 3.0)])
        origins = (caps + unit(rng.normal((0, 0, 2), size=(500, 3))) * rng.uniform(1, 30, (500, 1))).astype(f4)
        higher = origins[:, 2] > 6.5
        origins, directions = origins[higher], unit(caps[higher].astype(float) - origins[higher]).astype(f4)
        length = hit_distances(scene, origins, directions)[:, i]
        hit = np.isfinite(length) & (np.abs(origins[:, 2] + length * directions[:, 2] - 6) < 1e-3)
        assert hit.mean() > 0.9
        own, world = normals(scene, i, origins[hit], directions[hit], length[hit])
        np.testing.assert_array_equal(own, np.tile(np.eye(3, dtype=f4)[2], (int(hit.sum()), 1)))
        np.testing.assert_allclose(world, own, atol=1e-6)


def test_a_cap_far_from_the_origin_has_one_colour() -> None:
    rows = solids((SolidShape.CYLINDER, ()))
    rows["centre"], rows["matrix"] = (3000.0, 3000.0, 3.0), np.diag([0.05, 0.05, 3.0])
    pictures = render(
        Scene.make(rows, [1, 20]), poses([[3000.0, 3000.0, 6.3]], 0, -90), view(64, 64, 12.0), shadows=False
    )
    cap = pictures.instance[0] == 1
    assert cap.all()
    assert len(np.unique(pictures.rgb[0][cap], axis=0)) == 1
