"""Appearance of rooms: objects are distinguishable, pictures are visible, floors and ceilings have patterns."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.shapes import Model
from bearleft.world.render.codes import Material, Outline
from bearleft.world.rooms.walls import PLAIN_CEILINGS, PLAIN_FLOORS
from tests.world.rooms.test_categories import World, box_with_front

SCREENS = ("television", "computer monitor", "display screen")
BLOCKERS = ("person", "seated person", "floor lamp")


@pytest.fixture(scope="module", params=((0, 48), (2, 60)), ids=lambda world: f"rooms/{world[0]}/{world[1]}")
def world(request: pytest.FixtureRequest) -> World:
    return World(*request.param)


def models(name: str) -> tuple[Model, ...]:
    return tuple(CLASSES[class_index(name)].models)


def plates(model: Model, *parts: str) -> set[tuple[str, float]]:
    """Return colours and outlines of the plates of these parts."""
    return {(str(solid.colour), solid.shape[0]) for solid in model if solid.part in parts and solid.shape}


def test_screens_differ_from_paintings() -> None:
    landscape = {("purple", Outline.TRIANGLE), ("yellow", Outline.DISC)}
    assert landscape <= plates(models("painting")[0], "picture")
    for name in SCREENS:
        for model in models(name):
            assert not landscape & plates(model, "screen")
    assert any(
        not any(solid.material == Material.GLOW and solid.part == "screen" for solid in model)
        for model in models("television")
    )


def test_mirrors_differ_from_windows() -> None:
    outside = {solid.colour for model in models("room window") for solid in model if solid.part == "glass"}
    for model in models("mirror"):
        panes = [solid for solid in model if solid.part == "glass"]
        assert {solid.colour for solid in panes} <= {"silver", "grey", "steel"} and "silver" not in outside
        assert any(solid.part == "frame" for solid in model)
    for name in ("dresser", "wardrobe", "fitting room"):
        panes = [solid for model in models(name) for solid in model if solid.part == "mirror"]
        assert panes and {solid.colour for solid in panes} <= {"silver", "grey", "steel"}


@pytest.mark.slow(keep=1)
def test_pictures_are_not_blocked(world: World) -> None:
    boxes, pictures = world.boxes, 0
    for room in range(world.count):
        for picture in world.things_of(room, "painting", "poster"):
            pictures += 1
            low, high = box_with_front(world, picture, 1.5)
            for k in world.things_of(room, *BLOCKERS):
                overlap = np.minimum(high, boxes.high[k]) - np.maximum(low, boxes.low[k])
                assert not (overlap > 0.01).all(), (room, world.names[picture], world.names[k])
    assert pictures > world.count


def test_at_most_two_menus_on_a_table(world: World) -> None:
    owners = world.boxes.plan.things["owner"]
    menus = [k for k, name in enumerate(world.names) if name == "menu"]
    counts = Counter(int(owners[k]) for k in menus)
    assert menus and max(counts.values()) <= 2


def test_seated_people_have_faces() -> None:
    for model in models("seated person"):
        parts = Counter(solid.part for solid in model)
        assert parts["eye"] == 2 and parts["mouth"] == 1
        head = next(solid for solid in model if solid.part == "head" and solid.half[2] > 0.1)
        for solid in model:
            if solid.part in ("eye", "mouth"):
                offset = (np.array(solid.at) - head.at) / head.half
                assert offset[1] > 0 and 0.7 < np.linalg.norm(offset) < 1.05  # on the front of the head


def test_few_rooms_have_plain_floor_and_ceiling(world: World) -> None:
    variants = world.boxes.plan.things["variant"]
    bare = [
        variants[world.things_of(room, "floor")[0]] in PLAIN_FLOORS
        and variants[world.things_of(room, "ceiling")[0]] in PLAIN_CEILINGS
        for room in range(world.count)
    ]
    assert np.mean(bare) <= 1 / 3
    ceilings = variants[[world.things_of(room, "ceiling")[0] for room in range(world.count)]]
    assert np.mean(np.isin(ceilings, PLAIN_CEILINGS)) <= 0.4
    for name, plain in (("floor", PLAIN_FLOORS), ("ceiling", PLAIN_CEILINGS)):
        for variant, model in enumerate(models(name)):
            assert (variant in plain) == (len(model) == 1 and model[0].material in (Material.PLAIN, Material.GLOW))


def test_windows_have_different_views(world: World) -> None:
    variants = world.boxes.plan.things["variant"]
    view_counts = Counter(int(variants[k]) // 3 for k, name in enumerate(world.names) if name == "room window")
    assert set(view_counts) == {0, 1, 2}
    outsides = [
        frozenset((solid.colour, solid.shape) for solid in model if solid.part == "glass")
        for model in models("room window")
    ]
    assert len({outsides[0], outsides[3], outsides[6]}) == 3
    doors = [frozenset(solid.colour for solid in model if solid.part == "glass") for model in models("room door")]
    assert len(set(filter(None, doors))) == 3
