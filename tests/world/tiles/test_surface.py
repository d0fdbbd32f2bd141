"""Surfaces of solids: every corner lies where it says, both sides of plates, no walls that nobody sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bearleft.world.city.city import open_city
from bearleft.world.render.codes import Material, Outline, SolidShape
from bearleft.world.render.scene import SOLID
from bearleft.world.tiles.bake import BOTTOM, MANTLE, MANTLE_REACH, TOP
from bearleft.world.tiles.hidden_faces import remove_hidden_faces
from bearleft.world.tiles.surface import Surface, make_surface


def solid(kind: SolidShape, at: Any = (0, 0, 0), half: Any = (1, 1, 1), **more: Any) -> Any:
    row = np.zeros(1, SOLID)
    row["kind"], row["centre"], row["size"], row["matrix"] = kind, at, half, np.diag(half)
    row["instance"] = 1
    for name, value in more.items():
        row[name] = value
    return row


def area(made: Surface) -> float:
    a, b, c = (made.vertices[made.triangles[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def test_every_corner_of_a_city_lies_at_its_place_on_its_face() -> None:
    solids = open_city("city/3/2x2").scene.solids
    chosen = np.flatnonzero(solids["instance"] % 7 == 1)
    made = make_surface(solids, chosen)
    assert set(np.unique(made.solid)) == set(chosen)
    p, q = made.at.T
    own = np.full((len(p), 3), np.nan)
    flat = made.face < 6
    axis, sign = made.face // 2, np.where(made.face % 2, 1.0, -1.0)
    for k, (across, up) in enumerate(((1, 2), (0, 2), (0, 1))):
        rows = flat & (axis == k)
        own[rows, across], own[rows, up], own[rows, k] = p[rows], q[rows], sign[rows]
    # What leans does not reach so far out; what is flat lies in its own middle.
    row = solids[made.solid]
    back = np.linalg.solve(row["matrix"].astype(float), (made.vertices - row["centre"])[:, :, None])[:, :, 0]
    boxes = flat & (row["kind"] == SolidShape.BOX)
    assert np.abs(own - back)[boxes].max() < 1e-3
    mantle = made.face == MANTLE
    turned = np.column_stack([np.cos(p * np.pi), np.sin(p * np.pi)])
    radius = np.linalg.norm(back[:, :2], axis=1)
    round_ = mantle & (radius > 1e-3)
    assert np.abs(turned * radius[:, None] - back[:, :2])[round_].max() < 1e-3
    assert np.abs(q - back[:, 2])[mantle].max() < 1e-3
    assert np.abs(p[mantle]).max() < MANTLE_REACH + 1e-3
    assert {MANTLE, BOTTOM, TOP} <= set(made.face.tolist())


@pytest.mark.parametrize("kind", [SolidShape.ELLIPSOID, SolidShape.CYLINDER, SolidShape.CONE])
def test_no_triangle_of_a_pattern_runs_backwards_around_the_seam(kind: SolidShape) -> None:
    made = make_surface(solid(kind, material=Material.FOLIAGE), np.arange(1))
    corners = made.at[made.triangles[made.face[made.triangles[:, 0]] == MANTLE], 0]
    assert np.ptp(corners, axis=1).max() < 0.75
    assert len(made.triangles) == len(make_surface(solid(kind), np.arange(1)).triangles)


def test_plates_are_seen_from_both_sides() -> None:
    made = make_surface(solid(SolidShape.PLATE, shape=(Outline.RECTANGLE, 0, 0, 0)), np.arange(1))
    assert area(made) == pytest.approx(8.0)
    assert set(made.face.tolist()) == {2, 3}
    assert made.normals[made.face == 3][:, 1].min() == 1 and made.normals[made.face == 2][:, 1].max() == -1


def test_what_is_small_has_fewer_sides() -> None:
    count = [
        len(make_surface(solid(SolidShape.CYLINDER, half=(r, r, r)), np.arange(1)).triangles)
        for r in (0.03, 0.2, 0.8, 3.0)
    ]
    assert count == sorted(set(count))


def test_what_lies_on_the_ground_has_no_underside() -> None:
    assert area(make_surface(solid(SolidShape.BOX, (0, 0, 1)), np.arange(1))) == pytest.approx(20.0)
    assert area(make_surface(solid(SolidShape.BOX, (0, 0, 3)), np.arange(1))) == pytest.approx(24.0)


def test_a_wall_against_a_larger_one_is_left_out() -> None:
    low, high = solid(SolidShape.BOX, (0, 0, 5), (4, 4, 5)), solid(SolidShape.BOX, (8, 0, 7), (4, 4, 7))
    both = np.concatenate([low, high])
    made = remove_hidden_faces(both, make_surface(both, np.arange(2)))
    # The lower wall is gone; the higher one is seen above it, and stays whole.
    assert area(made) == pytest.approx(3 * 80 + 64 + 4 * 112 + 64)
    apart = np.concatenate([low, solid(SolidShape.BOX, (8.5, 0, 7), (4, 4, 7))])
    assert area(remove_hidden_faces(apart, make_surface(apart, np.arange(2)))) == pytest.approx(
        4 * 80 + 64 + 4 * 112 + 64
    )
