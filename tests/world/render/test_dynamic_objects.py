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
from tests.world.render.test_cpu import assert_same, several
from tests.world.render.test_light import garden
from tests.world.render.test_mesh import ALL, scattered, solids

CLASSES = [70, 71, 72]
LENSES = [view(64, 40), panorama(80)]
# Paints that do not go by a thing's number, so that it may have another one.
PAINTS = [Material.PLAIN, Material.STRIPES, Material.CHECKS, Material.TEXT, Material.BRICK, Material.GLASS]


@cache
def templates() -> tuple[Any, ...]:
    """Things of some solids each, about the origin."""
    made = []
    for k in range(len(CLASSES)):
        rows = scattered(solids(*ALL[k :: len(CLASSES)]), 40 + k)
        rows["matrix"] *= 0.22
        rows["size"] *= 0.22
        rows["centre"] = np.random.default_rng(k).uniform((-0.4, -0.4, 0.1), (0.4, 0.4, 0.9), (len(rows), 3))
        rows["material"] = [PAINTS[j % len(PAINTS)] for j in range(len(rows))]
        rows["colour"], rows["second"], rows["text"], rows["part"] = (190, 60, 30), (20, 40, 160), 0, 5
        rows["pattern"][:, :2] = 0.1, 0.1
        made.append(rows)
    return tuple(made)


@cache
def ground(indoors: bool) -> Any:
    """What stands there always."""
    rows = garden(3).solids
    if indoors:
        rows = np.concatenate([rows, solids((SolidShape.BOX, ()))])
        rows[-1]["matrix"], rows[-1]["centre"], rows[-1]["instance"] = np.diag([9.0, 9, 0.05]), (0, 0, 0.05), 40
    return rows


@cache
def scene(indoors: bool = False) -> Scene:
    """It, with templates."""
    return Scene.make(
        ground(indoors),
        np.full(41, 20),
        texts=["BEAR"],
        lamps=[[0, 0, 4]],
        indoors=indoors,
        templates=templates(),
        template_classes=CLASSES,
    )


def static(around: Any, indoors: bool = False) -> Scene:
    """Return the scene with one camera's dynamic objects as static ones, with the same instance numbers."""
    moved = []
    for k, (x, y, z, template) in enumerate(around):
        moved.append(templates()[int(template)].copy())
        moved[-1]["centre"] += np.array([x, y, z], np.float32)
        moved[-1]["instance"] = 41 + k
    classes = [*[20] * 41, *(CLASSES[int(row[3])] for row in around)]
    return Scene.make(
        np.concatenate([ground(indoors), *moved]), classes, texts=["BEAR"], lamps=[[0, 0, 4]], indoors=indoors
    )


def assert_equal(one: Pictures, other: Pictures) -> None:
    """But for a pixel in a thousand, where an edge or a shadow's edge runs just through its middle."""
    for name in ("instance", "part", "kind"):
        assert (getattr(one, name) == getattr(other, name)).mean() >= 0.999, name
    same = (one.instance == other.instance) & (one.part == other.part) & np.isfinite(one.depth)
    off = np.abs(one.depth[same] - other.depth[same])
    assert (off <= 1e-4 * np.maximum(one.depth[same], 1)).mean() >= 0.999
    apart = np.abs(one.rgb.astype(int) - other.rgb.astype(int)).max(axis=-1)
    assert (apart <= 2).mean() >= 0.998


@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(LENSES), st.sampled_from([0.0, 8.5, 16.0]), st.booleans())
@trials(max_examples=12, deadline=None)
def test_dynamic_objects_render_as_static_ones(seed: int, indoors: bool, lens: Lens, hour: float, smooth: bool) -> None:
    rng = np.random.default_rng(seed)
    count = rng.integers(1, 9)
    around = np.column_stack(
        [rng.uniform(-8, 8, (count, 2)), rng.choice([0, 0, 0.9, 1.8], count), rng.integers(0, 3, count)]
    )
    stood = poses([[*rng.uniform(-9, 9, 2), rng.uniform(0.5, 3)]], rng.uniform(0, 360), rng.uniform(-30, 5))
    expected, made = (
        render(one, stood, lens, Light(hour), 1 + smooth, dynamic_objects=dynamic_objects)
        for one, dynamic_objects in (
            (static(around, indoors), None),
            (scene(indoors), DynamicObjects.of([around.tolist()])),
        )
    )
    assert_equal(made, expected)


def test_dynamic_objects_cast_and_receive_shadows() -> None:
    # Low sun from the west: one object stands in another's shadow, one in a wall's, and one shades the wall.
    rows = solids((SolidShape.BOX, ()))
    rows["matrix"], rows["centre"], rows["size"] = np.diag([0.2, 3.0, 3.0]), (0, 4, 3), (0.2, 3, 3)
    block = solids((SolidShape.BOX, ()))
    block["matrix"], block["centre"], block["instance"] = np.eye(3) * 0.5, (0, 0, 0.5), 0
    wall = Scene.make(rows, [8, 20], templates=[block], template_classes=[70])
    places = {"shading": (-1.5, 3.5, 0), "before": (-4, -1, 0), "behind": (-2.6, -0.4, 0), "in the wall's": (1.2, 4, 0)}
    light, eye = Light(17.0, clouds=0.0), poses([[-2, -9, 5.0]], 10, -25)
    lens = view(120, 90)

    def seen(*names: str) -> Pictures:
        dynamic_objects = DynamicObjects.of([[(*places[name], 0) for name in names]])
        return render(wall, eye, lens, light, dynamic_objects=dynamic_objects)

    bare, shaded = seen(), seen("shading")
    unmoved = (bare.instance == shaded.instance) & (shaded.rgb.sum(axis=-1) < 0.8 * bare.rgb.sum(axis=-1))
    assert (unmoved & (bare.instance == 0)).any(), "a shadow on the ground"
    assert (seen("behind").rgb != seen("behind", "before").rgb).any(axis=-1)[seen("behind").instance == 2].any()
    dark, lit = (seen(name) for name in ("in the wall's", "behind"))
    assert dark.rgb[dark.instance == 2].max() < lit.rgb[lit.instance == 2].max()
    flat = render(wall, eye, lens, light, shadows=False, dynamic_objects=DynamicObjects.of([[(*places["shading"], 0)]]))
    assert (flat.rgb[flat.instance == 0] == render(wall, eye, lens, light, shadows=False).rgb[flat.instance == 0]).all()


def test_dynamic_object_above_everything_and_beyond_the_edge() -> None:
    high, lens = [(0.0, 3.0, 8.0, 0)], view(48, 48)
    for stood in (poses([[0.0, 0.0, 8.4]]), poses([[0.0, 0.0, 9.0]], 0.0, -60.0)):
        made, expected = (
            render(one, stood, lens, Light(12.0), dynamic_objects=dynamic_objects)
            for one, dynamic_objects in ((scene(), DynamicObjects.of([high])), (static(high), None))
        )
        assert_equal(made, expected)
    assert scene().arrays.grid[5] < 7
    for stood, around in ((poses([[0.0, 0.0, 8.4]]), high), (poses([[70.0, 0, 2.0]], 90), [(74.0, 0.0, 1.4, 1)])):
        assert (
            render(scene(), stood, lens, dynamic_objects=DynamicObjects.of([around])).instance == scene().dynamic_base
        ).sum() > 20
    assert 70 < scene().extent[2] < 73


def test_each_camera_has_its_own() -> None:
    stood = poses([[0.0, -14.0, 1.5]] * 3)
    around = [[(0.0, -11.0, 0.4, 2), (0.6, -10.0, 0.8, 0)], [], [(-0.5, -11.0, 0.5, 1)]]
    batch = render(scene(), stood, LENSES[0], dynamic_objects=DynamicObjects.of(around))
    assert [sorted(set(batch.instance[k].ravel().tolist()) & {41, 42, 43}) for k in range(3)] == [[41, 42], [], [41]]
    for k, instance, template in ((0, 41, 2), (0, 42, 0), (2, 41, 1)):
        there = batch.instance[k] == instance
        assert (batch.kind[k][there] == CLASSES[template]).all() and (batch.part[k][there] == 5).all()
    for k, some in enumerate(around):
        one = render(scene(), stood[:1], LENSES[0], dynamic_objects=DynamicObjects.of([some]))
        assert_same(one, Pictures(*(getattr(batch, field.name)[k : k + 1] for field in fields(Pictures)[:5])))


@pytest.mark.parametrize("lens", LENSES)
def test_templates_are_invisible_without_dynamic_objects(lens: Lens) -> None:
    plain = Scene.make(ground(False), np.full(41, 20), texts=["BEAR"], lamps=[[0, 0, 4]])
    expected = render(plain, several(), lens, Light(9.0), 2)
    for dynamic_objects in (None, DynamicObjects.none(4), DynamicObjects(np.full((4, 3, 4), np.nan), np.zeros(4, int))):
        assert_same(render(scene(), several(), lens, Light(9.0), 2, dynamic_objects=dynamic_objects), expected)
    assert scene().extent == plain.extent and scene().dynamic_base == plain.dynamic_base == 41
    assert (scene().templates, plain.templates) == (3, 0)
    typeof: Any = numba.typeof
    assert typeof(scene().arrays) == typeof(plain.arrays)


def test_what_is_visible_goes_by_the_scene_alone() -> None:
    stood, lens = several() * [1, 1, 1, 1, 0, 0], panorama(128)
    plain = Scene.make(ground(False), np.full(41, 20))
    made, expected = (count_visible(render(one, stood, lens), one, stood) for one in (scene(), plain))
    for name in made.dtype.names or ():
        np.testing.assert_array_equal(made[name], expected[name], name)


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
def test_invalid_dynamic_objects(rows: Any, count: Any, field: str) -> None:
    with pytest.raises(InputError) as error:
        DynamicObjects(rows, count)
    assert error.value.field == field


def test_dynamic_objects_of_other_cameras() -> None:
    stood, lens = several(), view(4, 4)
    for wrong in (DynamicObjects.none(3), DynamicObjects.of([[(0, 0, 0, 3)], [], [], []])):
        with pytest.raises(InputError) as error:
            render(scene(), stood, lens, dynamic_objects=wrong)
        assert error.value.field == "dynamic_objects"
    with pytest.raises(InputError, match="template"):
        DynamicObjects.of([[(0, 0, 0)]])  # type: ignore[list-item]


def test_templates_that_cannot_be() -> None:
    for made, classes, field in (
        (templates(), CLASSES[:2], "template_classes"),
        (templates(), [70, 71, 256], "template_classes"),
        ((np.zeros(0, SOLID),), [70], "templates[0]"),
    ):
        with pytest.raises(InputError) as error:
            Scene.make(ground(False), np.full(41, 20), templates=made, template_classes=classes)
        assert error.value.field == field
