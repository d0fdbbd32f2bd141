"""What rooms look like: nothing is taken for another, pictures are in view, floors and ceilings are not bare."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.shapes import Model
from bearleft.world.render.codes import Material, Outline
from bearleft.world.rooms.walls import PLAIN_CEILINGS, PLAIN_FLOORS
from tests.world.rooms.test_categories import World, before

SCREENS = ("television", "computer monitor", "display screen")
SHADING = ("person", "seated person", "floor lamp")


@pytest.fixture(scope="module", params=((0, 48), (2, 60)), ids=lambda one: f"rooms/{one[0]}/{one[1]}")
def world(request: pytest.FixtureRequest) -> World:
    return World(*request.param)


def models(name: str) -> tuple[Model, ...]:
    return tuple(CLASSES[class_index(name)].models)


def shown(model: Model, *parts: str) -> set[tuple[str, float]]:
    """Colours and outlines of the plates of a picture."""
    return {(str(one.colour), one.shape[0]) for one in model if one.part in parts and one.shape}


def test_no_screen_shows_what_a_painting_shows() -> None:
    landscape = {("purple", Outline.TRIANGLE), ("yellow", Outline.DISC)}
    assert landscape <= shown(models("painting")[0], "picture")
    for name in SCREENS:
        for model in models(name):
            assert not landscape & shown(model, "screen")
    assert any(
        not any(one.material == Material.GLOW and one.part == "screen" for one in m) for m in models("television")
    )


def test_mirrors_are_silver_in_a_frame_and_no_windows() -> None:
    outside = {one.colour for model in models("room window") for one in model if one.part == "glass"}
    for model in models("mirror"):
        panes = [one for one in model if one.part == "glass"]
        assert {one.colour for one in panes} <= {"silver", "grey", "steel"} and "silver" not in outside
        assert any(one.part == "frame" for one in model)
    for name in ("dresser", "wardrobe", "fitting room"):
        panes = [one for model in models(name) for one in model if one.part == "mirror"]
        assert panes and {one.colour for one in panes} <= {"silver", "grey", "steel"}


def test_nobody_and_no_lamp_stands_before_a_picture(world: World) -> None:
    b, pictures = world.built, 0
    for room in range(world.count):
        for one in world.having(room, "painting", "poster"):
            pictures += 1
            low, high = before(world, one, 1.5)
            for k in world.having(room, *SHADING):
                inside = np.minimum(high, b.high[k]) - np.maximum(low, b.low[k])
                assert not (inside > 0.01).all(), (room, world.names[one], world.names[k])
    assert pictures > world.count


def test_at_most_two_menus_on_a_table(world: World) -> None:
    owners = world.built.plan.things["owner"]
    menus = [k for k, name in enumerate(world.names) if name == "menu"]
    counts = Counter(int(owners[k]) for k in menus)
    assert menus and max(counts.values()) <= 2


def test_guests_have_faces() -> None:
    for model in models("seated person"):
        parts = Counter(one.part for one in model)
        assert parts["eye"] == 2 and parts["mouth"] == 1
        head = next(one for one in model if one.part == "head" and one.half[2] > 0.1)
        for one in model:
            if one.part in ("eye", "mouth"):
                off = (np.array(one.at) - head.at) / head.half
                assert off[1] > 0 and 0.7 < np.linalg.norm(off) < 1.05  # on the front of the head


def test_at_most_a_third_of_rooms_are_bare_above_and_below(world: World) -> None:
    variants = world.built.plan.things["variant"]
    bare = [
        variants[world.having(room, "floor")[0]] in PLAIN_FLOORS
        and variants[world.having(room, "ceiling")[0]] in PLAIN_CEILINGS
        for room in range(world.count)
    ]
    assert np.mean(bare) <= 1 / 3
    above = variants[[world.having(room, "ceiling")[0] for room in range(world.count)]]
    assert np.mean(np.isin(above, PLAIN_CEILINGS)) <= 0.4
    for name, plain in (("floor", PLAIN_FLOORS), ("ceiling", PLAIN_CEILINGS)):
        for variant, model in enumerate(models(name)):
            assert (variant in plain) == (len(model) == 1 and model[0].material in (Material.PLAIN, Material.GLOW))


def test_windows_look_out_on_different_things(world: World) -> None:
    variants = world.built.plan.things["variant"]
    seen = Counter(int(variants[k]) // 3 for k, name in enumerate(world.names) if name == "room window")
    assert set(seen) == {0, 1, 2}
    outsides = [
        frozenset((one.colour, one.shape) for one in model if one.part == "glass") for model in models("room window")
    ]
    assert len({outsides[0], outsides[3], outsides[6]}) == 3
    doors = [frozenset(one.colour for one in m if one.part == "glass") for m in models("room door")]
    assert len(set(filter(None, doors))) == 3
