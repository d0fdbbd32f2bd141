"""Dynamic objects: a picture with them equals the picture of a scene that contains the same objects, with shadows."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as trials
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.world.render.camera import Lens, panorama, poses, view
from bearleft.world.render.codes import Material, SolidShape
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.dynamic_objects import DynamicObjects
from bearleft.world.render.light import Light
from bearleft.world.render.scene import SOLID, Scene
from bearleft.world.visibility.table import count_visible
from tests.world.render.test_cpu import assert_identical, four_poses
from tests.world.render.test_light import garden
from tests.world.render.test_mesh import ALL, scattered, solids

CLASSES = [70, 71, 72]
LENSES = [view(64, 40), panorama(80)]
# Materials that do not depend on the instance number, which differs between the two scenes.
PAINTS = [Material.PLAIN, Material.STRIPES, Material.CHECKS, Material.TEXT, Material.BRICK, Material.GLASS]


@cache
def templates() -> tuple[Any, ...]:
    """Return templates of several solids each, around the origin."""
    result = []
    for k in range(len(CLASSES)):
        rows = scattered(solids(*ALL[k :: len(CLASSES)]), 40 + k)
        rows["matrix"] *= 0.22
        rows["size"] *= 0.22
        rows["centre"] = np.random.default_rng(k).uniform((-0.4, -0.4, 0.1), (0.4, 0.4, 0.9), (len(rows), 3))
        rows["material"] = [PAINTS[j % len(PAINTS)] for j in range(len(rows))]
        rows["colour"], rows["second"], rows["text"], rows["part"] = (190, 60, 30), (20, 40, 160), 0, 5
        rows["pattern"][:, :2] = 0.1, 0.1
        result.append(rows)
    return tuple(result)


@cache
def static_solids(indoors: bool) -> Any:
    """Return the static solids."""
    rows = garden(3).solids
    if indoors:
        rows = np.concatenate([rows, solids((SolidShape.BOX, ()))])
        rows[-1]["matrix"], rows[-1]["centre"], rows[-1]["instance"] = np.diag([9.0, 9, 0.05]), (0, 0, 0.05), 40
    return rows


@cache
def scene(indoors: bool = False) -> Scene:
    """Return the scene of the static solids, with templates."""
    return Scene.make(
        static_solids(indoors),
        np.full(41, 20),
        texts=["BEAR"],
        lamps=[[0, 0, 4]],
        indoors=indoors,
        templates=templates(),
        template_classes=CLASSES,
    )


def scene_with_static_copies(objects: Any, indoors: bool = False) -> Scene:
    """Return the scene with one camera's dynamic objects as static ones, with the same instance numbers."""
    copies = []
    for k, (x, y, z, template) in enumerate(objects):
        copies.append(templates()[int(template)].copy())
        copies[-1]["centre"] += np.array([x, y, z], np.float32)
        copies[-1]["instance"] = 41 + k
    classes = [*[20] * 41, *(CLASSES[int(row[3])] for row in objects)]
    return Scene.make(
        np.concatenate([static_solids(indoors), *copies]), classes, texts=["BEAR"], lamps=[[0, 0, 4]], indoors=indoors
    )


def assert_nearly_equal(first: Pictures, second: Pictures) -> None:
    """Compare all but one pixel in a thousand, which an edge of an object or a shadow may cross."""
    for name in ("instance", "part", "kind"):
        assert (getattr(first, name) == getattr(second, name)).mean() >= 0.999, name
    equal = (first.instance == second.instance) & (first.part == second.part) & np.isfinite(first.depth)
    depth_error = np.abs(first.depth[equal] - second.depth[equal])
    assert (depth_error <= 1e-4 * np.maximum(first.depth[equal], 1)).mean() >= 0.999
    colour_error = np.abs(first.rgb.astype(int) - second.rgb.astype(int)).max(axis=-1)
    assert (colour_error <= 2).mean() >= 0.998


@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(LENSES), st.sampled_from([0.0, 8.5, 16.0]), st.booleans())
@trials(max_examples=12, deadline=None)
def test_dynamic_objects_render_as_static_ones(seed: int, indoors: bool, lens: Lens, hour: float, smooth: bool) -> None:
    rng = np.random.default_rng(seed)
    count = rng.integers(1, 9)
    # Within the bounds of the static solids: the texture of the ground ends at a distance from the scene's bounds.
    places = rng.uniform((-6.5, -8), (8, 8), (count, 2))
    objects = np.column_stack([places, rng.choice([0, 0, 0.9, 1.8], count), rng.integers(0, 3, count)])
    camera_poses = poses([[*rng.uniform(-9, 9, 2), rng.uniform(0.5, 3)]], rng.uniform(0, 360), rng.uniform(-30, 5))
    expected, result = (
        render(a_scene, camera_poses, lens, Light(hour), 1 + smooth, dynamic_objects=dynamic_objects)
        for a_scene, dynamic_objects in (
            (scene_with_static_copies(objects, indoors), None),
            (scene(indoors), DynamicObjects.of([objects.tolist()])),
        )
    )
    assert_nearly_equal(result, expected)


def test_dynamic_objects_cast_and_receive_shadows() -> None:
    # Low sun from the west: one object stands in another's shadow, one in a wall's, and one shades the wall.
    rows = solids((SolidShape.BOX, ()))
    rows["matrix"], rows["centre"], rows["size"] = np.diag([0.2, 3.0, 3.0]), (0, 4, 3), (0.2, 3, 3)
    block = solids((SolidShape.BOX, ()))
    block["matrix"], block["centre"], block["instance"] = np.eye(3) * 0.5, (0, 0, 0.5), 0
    wall = Scene.make(rows, [8, 20], templates=[block], template_classes=[70])
    places = {"shading": (-1.5, 3.5, 0), "before": (-4, -1, 0), "behind": (-2.6, -0.4, 0), "in the wall's": (1.2, 4, 0)}
    light, camera_pose = Light(17.0, clouds=0.0), poses([[-2, -9, 5.0]], 10, -25)
    lens = view(120, 90)

    def render_with(*names: str) -> Pictures:
        dynamic_objects = DynamicObjects.of([[(*places[name], 0) for name in names]])
        return render(wall, camera_pose, lens, light, dynamic_objects=dynamic_objects)

    bare, shaded = render_with(), render_with("shading")
    darkened = (bare.instance == shaded.instance) & (shaded.rgb.sum(axis=-1) < 0.8 * bare.rgb.sum(axis=-1))
    assert (darkened & (bare.instance == 0)).any(), "a shadow on the ground"
    assert (
        (render_with("behind").rgb != render_with("behind", "before").rgb)
        .any(axis=-1)[render_with("behind").instance == 2]
        .any()
    )
    dark, lit = (render_with(name) for name in ("in the wall's", "behind"))
    assert dark.rgb[dark.instance == 2].max() < lit.rgb[lit.instance == 2].max()
    flat = render(
        wall, camera_pose, lens, light, shadows=False, dynamic_objects=DynamicObjects.of([[(*places["shading"], 0)]])
    )
    assert (
        flat.rgb[flat.instance == 0] == render(wall, camera_pose, lens, light, shadows=False).rgb[flat.instance == 0]
    ).all()


def test_dynamic_objects_render_above_the_scene_and_beyond_its_edge() -> None:
    high, lens = [(0.0, 3.0, 8.0, 0)], view(48, 48)
    for camera_poses in (poses([[0.0, 0.0, 8.4]]), poses([[0.0, 0.0, 9.0]], 0.0, -60.0)):
        result, expected = (
            render(a_scene, camera_poses, lens, Light(12.0), dynamic_objects=dynamic_objects)
            for a_scene, dynamic_objects in (
                (scene(), DynamicObjects.of([high])),
                (scene_with_static_copies(high), None),
            )
        )
        assert_nearly_equal(result, expected)
    assert scene().arrays.grid[5] < 7
    for camera_poses, objects in (
        (poses([[0.0, 0.0, 8.4]]), high),
        (poses([[70.0, 0, 2.0]], 90), [(74.0, 0.0, 1.4, 1)]),
    ):
        assert (
            render(scene(), camera_poses, lens, dynamic_objects=DynamicObjects.of([objects])).instance
            == scene().dynamic_base
        ).sum() > 20
    assert 70 < scene().extent[2] < 73


def test_each_camera_has_its_own_dynamic_objects() -> None:
    camera_poses = poses([[0.0, -14.0, 1.5]] * 3)
    objects = [[(0.0, -11.0, 0.4, 2), (0.6, -10.0, 0.8, 0)], [], [(-0.5, -11.0, 0.5, 1)]]
    batch = render(scene(), camera_poses, LENSES[0], dynamic_objects=DynamicObjects.of(objects))
    assert [sorted(set(batch.instance[k].ravel().tolist()) & {41, 42, 43}) for k in range(3)] == [[41, 42], [], [41]]
    for k, instance, template in ((0, 41, 2), (0, 42, 0), (2, 41, 1)):
        mask = batch.instance[k] == instance
        assert (batch.kind[k][mask] == CLASSES[template]).all() and (batch.part[k][mask] == 5).all()
    for k, own_objects in enumerate(objects):
        single = render(scene(), camera_poses[:1], LENSES[0], dynamic_objects=DynamicObjects.of([own_objects]))
        assert_identical(single, Pictures(*(getattr(batch, field.name)[k : k + 1] for field in fields(Pictures)[:5])))


@pytest.mark.parametrize("lens", LENSES)
def test_templates_are_invisible_without_dynamic_objects(lens: Lens) -> None:
    plain = Scene.make(static_solids(False), np.full(41, 20), texts=["BEAR"], lamps=[[0, 0, 4]])
    expected = render(plain, four_poses(), lens, Light(9.0), 2)
    for dynamic_objects in (None, DynamicObjects.none(4), DynamicObjects(np.full((4, 3, 4), np.nan), np.zeros(4, int))):
        assert_identical(render(scene(), four_poses(), lens, Light(9.0), 2, dynamic_objects=dynamic_objects), expected)
    assert scene().extent == plain.extent and scene().dynamic_base == plain.dynamic_base == 41
    assert (scene().templates, plain.templates) == (3, 0)
    typeof: Any = numba.typeof
    assert typeof(scene().arrays) == typeof(plain.arrays)


def test_templates_do_not_change_visibility() -> None:
    camera_poses, lens = four_poses() * [1, 1, 1, 1, 0, 0], panorama(128)
    plain = Scene.make(static_solids(False), np.full(41, 20))
    result, expected = (
        count_visible(render(a_scene, camera_poses, lens), a_scene, camera_poses) for a_scene in (scene(), plain)
    )
    for name in result.dtype.names or ():
        np.testing.assert_array_equal(result[name], expected[name], name)


@pytest.mark.parametrize(
    ("rows", "count", "field"),
    [
        (np.zeros((2, 4)), [1, 1], "rows"),
        (np.zeros((2, 0, 4)), [0, 0], "rows"),
        (np.zeros((2, 1, 3)), [1, 1], "rows"),
        (np.zeros((2, 1, 4)), [1], "count"),
        (np.zeros((2, 1, 4)), [1, 2], "count"),
        (np.zeros((2, 1, 4)), [1, -1], "count"),
        (np.zeros((2, 1, 4)), [1, 0.5], "count"),
        (np.full((1, 1, 4), np.nan), [1], "rows"),
        ([[[0, 0, 0, -1]]], [1], "rows"),
        ([[[0, 0, 0, 0.5]]], [1], "rows"),
        ([[["a", 0, 0, 0]]], [1], "rows"),
    ],
)
def test_invalid_dynamic_objects_are_refused(rows: Any, count: Any, field: str) -> None:
    with pytest.raises(InputError) as error:
        DynamicObjects(rows, count)
    assert error.value.field == field


def test_dynamic_objects_must_match_cameras_and_templates() -> None:
    camera_poses, lens = four_poses(), view(4, 4)
    for wrong in (DynamicObjects.none(3), DynamicObjects.of([[(0, 0, 0, 3)], [], [], []])):
        with pytest.raises(InputError) as error:
            render(scene(), camera_poses, lens, dynamic_objects=wrong)
        assert error.value.field == "dynamic_objects"
    with pytest.raises(InputError, match="template"):
        DynamicObjects.of([[(0, 0, 0)]])  # type: ignore[list-item]


def test_invalid_templates_are_refused() -> None:
    for result, classes, field in (
        (templates(), CLASSES[:2], "template_classes"),
        (templates(), [70, 71, 256], "template_classes"),
        ((np.zeros(0, SOLID),), [70], "templates[0]"),
    ):
        with pytest.raises(InputError) as error:
            Scene.make(static_solids(False), np.full(41, 20), templates=result, template_classes=classes)
        assert error.value.field == field
