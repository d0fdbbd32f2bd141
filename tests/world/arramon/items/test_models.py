"""The collectibles' models: their sizes, and whether their pictures say what they are."""

from __future__ import annotations

import colorsys
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from bearleft.errors import InputError
from bearleft.world.arramon.items.models import (
    ITEM_CLASSES,
    MAX_HEIGHT,
    MAX_RADIUS,
    STACK_HEIGHT,
    template_classes,
    template_index,
    templates,
)
from bearleft.world.arramon.items.names import COLOURS, ITEMS, PATTERNS, TYPES, Item
from bearleft.world.arramon.moves import GRID_HEADING
from bearleft.world.arramon.task_setup import FACINGS
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import SolidShape
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.dynamic_objects import DynamicObjects
from bearleft.world.render.light import Light
from bearleft.world.render.mesh import mesh
from bearleft.world.render.scene import SOLID, Scene

AWAY, SIDE = 4.0, 40
Floats = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def scene() -> Scene:
    """Nothing but ground (and a stone far away), and all templates; facing 0 looks north."""
    stone = np.zeros(1, SOLID)
    stone["kind"], stone["centre"], stone["matrix"], stone["size"] = (
        SolidShape.BOX,
        (0, 50, 0.1),
        np.diag([0.1] * 3),
        0.1,
    )
    return Scene.make(stone, [0], templates=templates(0.0), template_classes=template_classes())


def seen(scene: Scene, numbers: list[int], heading: float) -> Pictures:
    """Templates, each alone, by one who looks at a heading; white light that comes from above and from behind."""
    way = np.radians(heading)
    at = np.tile([-AWAY * np.sin(way), -AWAY * np.cos(way), 1.6], (len(numbers), 1))
    dynamic_objects = DynamicObjects.of([[(0.0, 0.0, 0.0, number)] for number in numbers])
    pitch = -np.degrees(np.arctan2(1.6 - STACK_HEIGHT / 2, AWAY))
    return render(
        scene, poses(at, heading, pitch), view(SIDE, SIDE, 20.0), Light(12.0, 0.0, 1.0), 1, False, dynamic_objects
    )


@pytest.fixture(scope="module")
def pictures(scene: Scene) -> Pictures:
    """All 98, three-quarter from the front."""
    return seen(scene, [template_index(one.name) for one in ITEMS], 200.0)


def test_there_is_a_template_for_each_item_and_facing() -> None:
    rows = templates()
    assert len(rows) == 98 * FACINGS == len(template_classes())
    numbers = [template_index(one.name, facing) for one in ITEMS for facing in range(FACINGS)]
    assert numbers == list(range(len(rows)))
    assert all(len(some) for some in rows)


def test_types_have_classes_of_their_own() -> None:
    for one, number in zip(ITEMS, template_classes()[::FACINGS], strict=True):
        assert number == CLASS_BASE + len(CLASSES) + TYPES.index(one.type)
    assert max(template_classes()) < 256  # bytes in pictures


def test_an_unknown_item_has_no_template() -> None:
    with pytest.raises(InputError, match="Striped White Book"):
        template_index("Chequered White Book")


def test_they_stand_on_the_ground_carry_the_next_one_and_keep_to_themselves() -> None:
    for kind in range(len(TYPES)):
        for pattern in range(len(PATTERNS)):
            number = (kind * len(COLOURS) * len(PATTERNS) + pattern) * FACINGS
            corners = mesh(templates()[number], sides=24).vertices
            low, high = corners.min(axis=0), corners.max(axis=0)
            assert low[2] == pytest.approx(0.0, abs=0.002), TYPES[kind]
            assert STACK_HEIGHT - 0.002 <= high[2] <= MAX_HEIGHT
            assert np.hypot(corners[:, 0], corners[:, 1]).max() <= MAX_RADIUS
            # Something flat or round ends where the next one stands.
            assert np.abs(corners[:, 2] - STACK_HEIGHT).min() < 0.012, TYPES[kind]


def test_parts_have_names() -> None:
    for kind in ITEM_CLASSES:
        for model in kind.models:
            assert all(solid.part for solid in model), kind.name


def test_facings_are_quarter_turns_clockwise_from_the_citys_grid() -> None:
    rows = templates()
    first = template_index("Dotted Red Tv")
    screens = [rows[first + k][2]["centre"] for k in range(FACINGS)]  # the frame before the case
    headings = [np.degrees(np.arctan2(x, y)) for x, y, _ in screens]
    lean = headings[0] - GRID_HEADING
    for k in range(FACINGS):
        assert np.cos(np.radians(headings[k] - (GRID_HEADING + 90.0 * k + lean))) == pytest.approx(1.0, abs=1e-4)
    assert abs(lean) < 25.0


def test_who_changes_a_template_changes_nobody_elses() -> None:
    templates()[0]["centre"] += 5.0
    assert np.abs(templates()[0]["centre"]).max() < 2.0


def of_item(pictures: Pictures, k: int, scene: Scene) -> Floats:
    """The colours of the pixels that show it."""
    return np.asarray(pictures.rgb[k][pictures.instance[k] == scene.dynamic_base], float)


def named(colour: Floats) -> str:
    """The name of a colour: the one with the nearest hue, whatever the light; white without any."""
    light, dark = colour.max() / 255.0, colour.min() / 255.0
    if light - dark < 0.25 * light:
        return "white"

    def hue(some: npt.ArrayLike) -> float:
        red, green, blue = (np.asarray(some, float) / 255.0).tolist()
        return colorsys.rgb_to_hsv(red, green, blue)[0]

    coloured = [name for name in COLOURS if name != "white"]
    return min(coloured, key=lambda name: abs((hue(COLOURS[name]) - hue(colour) + 0.5) % 1.0 - 0.5))


@pytest.mark.parametrize("heading", [200.0, 20.0, 290.0])
def test_the_colour_one_sees_is_the_colour_of_the_name(scene: Scene, heading: float) -> None:
    some = [one for one in ITEMS if heading == 200.0 or one.type in ("mug", "ball", "bowl")]
    found = seen(scene, [template_index(one.name) for one in some], heading)
    for k, one in enumerate(some):
        colours = of_item(found, k, scene)
        assert len(colours) > 100, one.name
        assert named(colours.mean(axis=0)) == one.colour, (one.name, colours.mean(axis=0))


def test_no_two_items_look_alike(pictures: Pictures) -> None:
    flat = pictures.rgb.reshape(len(ITEMS), -1).astype(np.int16)
    for a, b in combinations(range(len(ITEMS)), 2):
        assert (np.abs(flat[a] - flat[b]) > 40).sum() > 60, (ITEMS[a].name, ITEMS[b].name)


@pytest.mark.parametrize("kind", TYPES)
def test_dots_are_no_stripes_from_any_side(scene: Scene, kind: str) -> None:
    for facing in range(FACINGS):
        pair = [template_index(Item(pattern, "blue", kind).name, facing) for pattern in PATTERNS]
        both = seen(scene, pair, 180.0)
        np.testing.assert_array_equal(both.depth[0], both.depth[1])  # the same thing
        differs = np.abs(both.rgb[0].astype(int) - both.rgb[1]).max(axis=2) > 40
        shown = (both.instance[0] == scene.dynamic_base).sum()
        # A book that one looks into shows pages.
        assert differs.sum() > (0.08 if kind != "book" else 0.01) * shown, (kind, facing)


def test_pictures_know_the_type(pictures: Pictures, scene: Scene) -> None:
    for k, one in enumerate(ITEMS):
        kinds = pictures.kind[k][pictures.instance[k] == scene.dynamic_base]
        assert set(kinds.tolist()) == {CLASS_BASE + len(CLASSES) + TYPES.index(one.type)}
