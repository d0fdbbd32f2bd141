"""Main colours of objects: their own, or none where no single colour is visible."""

from __future__ import annotations

import numpy as np
import pytest

from bearleft.language.lexicon.lexicon import colour_words
from bearleft.language.lexicon.object_colours import (
    KINDS_WITHOUT_COLOUR,
    PALE_COLOURS,
    colour_shares,
    main_colour,
    main_colours,
)
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.city import open_city
from bearleft.world.city.facades import STYLES
from bearleft.world.city.scene_builder import model_scene
from bearleft.world.render.camera import poses, view
from bearleft.world.render.cpu import render

FIRST, SECOND = palette.colour_index("purple"), palette.colour_index("pink")


def colour_of(kind: str, variant: int = 0) -> str | None:
    colour = main_colour(class_index(kind), variant, FIRST, SECOND)
    return palette.COLOUR_NAMES[colour] if colour >= 0 else None


@pytest.mark.parametrize(
    ("kind", "variant", "colour"),
    [
        ("mailbox", 0, "purple"),
        ("car", 0, "purple"),
        ("statue", 0, "purple"),
        ("tree", 0, "purple"),
        ("tree", 3, "bark"),
        ("tree", 5, "purple"),
        ("flag", 0, None),
        ("dog", 1, "purple"),
        ("sofa", 0, "purple"),
        ("stool", 0, "purple"),  # the seat's, not that of its legs
        ("dining table", 1, "purple"),
        ("floor lamp", 0, "purple"),
        ("painting", 0, None),
        ("bed", 0, None),
        ("graffiti", 1, None),
        ("barrier", 2, "concrete"),
        ("barrier", 4, "silver"),
        ("construction fence", 1, "steel"),
        ("stop sign", 0, "red"),
        ("no parking sign", 1, "red"),
        ("steam stack", 0, "orange"),
        ("road work sign", 0, "orange"),
        ("taxi", 1, "yellow"),
        ("awning", 1, None),
        ("mural", 0, None),
        ("person", 0, None),
        ("traffic light", 0, None),
    ],
)
def test_main_colour_of_models(kind: str, variant: int, colour: str | None) -> None:
    assert colour_of(kind, variant) == colour


def test_colour_shares_sum_to_at_most_one() -> None:
    for kind, class_ in enumerate(CLASSES):
        for variant in range(len(class_.variants)):
            assert 0 <= sum(colour_shares(kind, variant).values()) <= 1 + 1e-9


def test_main_colours_of_a_city_have_words() -> None:
    plan = open_city("city/3/4x5").plan
    colours = main_colours(plan)
    assert colours.shape == plan.things.shape
    assert 0.3 < (colours >= 0).mean() < 0.9
    assert all(colour_words(palette.COLOUR_NAMES[class_]) for class_ in np.unique(colours[colours >= 0]))
    nameless = [class_index(name) for name in KINDS_WITHOUT_COLOUR]
    assert (colours[np.isin(plan.things["kind"], nameless)] == -1).all()


def test_glass_and_pale_walls_have_no_colour() -> None:
    plan = open_city("city/3/4x5").plan
    colours = main_colours(plan)[plan.buildings["thing"]]
    wall = plan.things["first"][plan.buildings["thing"]]
    glass = np.array([style.name == "glass office tower" for style in STYLES])[plan.buildings["style"]]
    colourless = glass | np.isin(wall, [palette.colour_index(name) for name in PALE_COLOURS])
    assert 0 < colourless.sum() < len(colourless)
    assert (colours[colourless] == -1).all()
    assert (colours[~colourless] == wall[~colourless]).all()


@pytest.mark.parametrize("kind", ["mailbox", "awning", "hedge", "taxi"])
def test_pictures_show_the_colour(kind: str) -> None:
    class_ = CLASSES[class_index(kind)]
    first, second = class_.colours[0], class_.second_colours[0]
    expected = main_colour(class_index(kind), 0, palette.colour_index(first), palette.colour_index(second))
    size = max(abs(a) + h for solid in class_.models[0] for a, h in zip(solid.at, solid.half, strict=True))
    camera = poses([[1.2 * size, 2.2 * size, 1.0 * size]], 208.0, -10.0)
    pictures = render(model_scene(class_.models[0], class_, first, second), camera, view(128, 128, 60.0), shadows=False)
    pixels = pictures.rgb[0][pictures.instance[0] == 1].astype(float)
    assert len(pixels) > 100
    median_colour = np.median(pixels, axis=0)
    hues = palette.RGB_TABLE.astype(float)
    named_colours = [k for k in range(len(hues)) if colour_words(palette.COLOUR_NAMES[k])]
    angle = [
        float(median_colour @ hues[k] / np.linalg.norm(median_colour) / np.linalg.norm(hues[k])) for k in named_colours
    ]
    closest = named_colours[int(np.argmax(angle))]  # of the same hue, however bright
    assert set(colour_words(palette.COLOUR_NAMES[closest])) & set(colour_words(palette.COLOUR_NAMES[expected]))
