"""Object classes of restaurants, shops and showrooms: names, sizes, origins and colours of their models."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from bearleft.world.city.object_class import ObjectClass
from bearleft.world.city.palette import COLOURS
from bearleft.world.city.scene_builder import model_scene, rotation
from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, Solid, transformed
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import Material, SolidShape
from bearleft.world.render.cpu import render
from bearleft.world.render.font import GLYPHS, MAX_LETTERS
from bearleft.world.render.scene import Scene
from bearleft.world.rooms.public_classes import PUBLIC_CLASSES

Floats = npt.NDArray[np.float64]
Size = tuple[float, float]

# Minimum and maximum of width, depth and height of each class's models, in metres.
SIZES: dict[str, tuple[Size, Size, Size]] = {
    "tablecloth table": ((0.8, 1.3), (0.8, 1.3), (0.74, 0.76)),
    "booth seat": ((1.2, 1.5), (0.6, 0.8), (1.0, 1.3)),
    "bar counter": ((3.0, 3.3), (0.6, 0.9), (1.05, 1.75)),
    "bar stool": ((0.35, 0.5), (0.35, 0.5), (0.75, 1.15)),
    "store shelf": ((1.1, 1.3), (0.4, 0.6), (1.7, 2.0)),
    "clothes rack": ((1.0, 2.1), (0.4, 1.4), (1.4, 1.75)),
    "display case": ((0.8, 1.5), (0.4, 0.9), (0.95, 2.0)),
    "checkout counter": ((1.4, 2.6), (0.6, 0.8), (1.4, 2.2)),
    "exhibit panel": ((1.1, 3.0), (0.3, 0.7), (2.0, 2.6)),
    "reception desk": ((2.0, 2.6), (0.7, 1.2), (1.05, 1.7)),
    "pedestal": ((0.4, 0.6), (0.4, 0.6), (0.98, 1.05)),
    "pendant lamp": ((0.2, 1.3), (0.2, 0.6), (0.8, 1.2)),
    "column": ((0.4, 0.7), (0.4, 0.7), (2.99, 3.01)),
    "display table": ((1.2, 1.6), (0.8, 1.4), (1.1, 1.3)),
    "high chair": ((0.4, 0.7), (0.5, 0.8), (0.9, 1.15)),
    "plate": ((0.3, 0.55), (0.3, 0.4), (0.02, 0.1)),
    "bowl": ((0.2, 0.4), (0.2, 0.4), (0.1, 0.25)),
    "cup": ((0.1, 0.25), (0.1, 0.25), (0.1, 0.2)),
    "wine glass": ((0.09, 0.22), (0.09, 0.2), (0.2, 0.32)),
    "bottle": ((0.08, 0.12), (0.08, 0.12), (0.28, 0.4)),
    "teapot": ((0.25, 0.46), (0.2, 0.27), (0.2, 0.33)),
    "menu": ((0.15, 0.3), (0.1, 0.25), (0.25, 0.36)),
    "napkin holder": ((0.15, 0.25), (0.1, 0.25), (0.15, 0.25)),
    "fruit bowl": ((0.35, 0.5), (0.35, 0.5), (0.25, 0.4)),
    "cake stand": ((0.4, 0.5), (0.4, 0.5), (0.28, 0.52)),
    "serving tray": ((0.4, 0.6), (0.35, 0.5), (0.1, 0.25)),
    "coffee machine": ((0.28, 0.8), (0.3, 0.65), (0.45, 0.62)),
    "beer tap": ((0.2, 0.65), (0.25, 0.4), (0.5, 0.65)),
    "wine rack": ((0.9, 1.4), (0.35, 0.55), (0.7, 1.35)),
    "refrigerator": ((0.65, 1.0), (0.6, 0.8), (1.7, 1.95)),
    "oven": ((0.6, 1.45), (0.6, 1.25), (1.0, 2.0)),
    "sink": ((0.5, 1.0), (0.5, 0.7), (1.0, 1.25)),
    "microwave": ((0.5, 0.6), (0.38, 0.48), (0.3, 0.36)),
    "cash register": ((0.4, 0.8), (0.4, 0.52), (0.48, 0.66)),
    "mannequin": ((0.4, 0.85), (0.3, 0.8), (1.5, 1.8)),
    "fitting room": ((1.1, 1.3), (1.1, 1.3), (2.1, 2.35)),
    "shoe rack": ((0.8, 1.0), (0.35, 0.5), (0.8, 1.05)),
    "hat stand": ((0.7, 1.1), (0.35, 0.8), (1.5, 1.8)),
    "shopping cart": ((0.5, 0.65), (0.9, 1.15), (0.98, 1.1)),
    "shopping basket": ((0.5, 0.65), (0.35, 0.5), (0.4, 0.95)),
    "price sign": ((0.25, 0.35), (0.08, 0.2), (0.3, 0.5)),
    "cardboard box": ((0.8, 1.2), (0.4, 0.9), (0.45, 0.75)),
    "fruit crate": ((0.55, 1.55), (0.4, 0.75), (0.4, 0.95)),
    "freezer": ((1.3, 1.5), (0.65, 0.8), (0.85, 2.05)),
    "vending machine": ((0.9, 1.0), (0.7, 0.9), (1.8, 1.9)),
    "magazine rack": ((0.5, 1.1), (0.4, 0.6), (1.2, 1.8)),
    "chalkboard": ((0.7, 1.3), (0.03, 0.12), (0.9, 1.15)),
    "whiteboard": ((1.7, 1.9), (0.05, 0.12), (1.0, 1.2)),
    "poster": ((0.6, 0.9), (0.01, 0.03), (0.9, 1.1)),
    "banner stand": ((0.6, 1.0), (0.1, 0.5), (1.9, 2.6)),
    "brochure stand": ((0.4, 0.9), (0.3, 0.6), (1.1, 1.9)),
    "display screen": ((1.2, 1.6), (0.1, 0.8), (0.85, 1.95)),
    "spotlight": ((0.4, 1.4), (0.2, 0.7), (0.25, 0.75)),
    "robot": ((0.6, 0.95), (0.3, 1.0), (1.4, 1.85)),
    "sculpture": ((0.5, 1.05), (0.3, 1.05), (1.6, 2.0)),
    "rope barrier": ((1.6, 2.0), (0.28, 0.36), (0.9, 1.1)),
    "balloons": ((0.5, 0.85), (0.45, 0.7), (1.7, 2.2)),
    "loudspeaker": ((0.38, 0.8), (0.38, 0.75), (1.05, 1.95)),
    "fire extinguisher": ((0.2, 0.3), (0.15, 0.3), (0.55, 0.65)),
    "exit sign": ((0.55, 0.75), (0.05, 0.25), (0.2, 0.35)),
    "security camera": ((0.15, 0.3), (0.25, 0.55), (0.2, 0.35)),
    "air vent": ((0.7, 1.2), (0.03, 0.07), (0.2, 0.5)),
    "seated person": ((0.45, 0.7), (0.5, 0.9), (0.9, 1.5)),
}
ON_WALL = {"poster", "exit sign", "chalkboard", "whiteboard", "security camera", "air vent", "fire extinguisher"}
ON_CEILING = {"pendant lamp", "spotlight"}
WITH_TOP = {
    "tablecloth table",
    "bar counter",
    "high chair",
    "display table",
    "checkout counter",
    "reception desk",
    "pedestal",
}
DANGLING = ("seated person", 2)  # a child whose feet do not reach the floor
VARIANTS = [(object_class, variant) for object_class in PUBLIC_CLASSES for variant in range(len(object_class.variants))]
every_variant = pytest.mark.parametrize(
    ("object_class", "variant"), VARIANTS, ids=[f"{object_class.name} {variant}" for object_class, variant in VARIANTS]
)


def reach(solid: Solid) -> Floats:
    """Return the half extents of a solid along x, y and z."""
    half_axes = rotation(solid) * (np.array(solid.half) * (1, 0 if solid.kind == SolidShape.PLATE else 1, 1))
    if solid.kind == SolidShape.ELLIPSOID:
        return np.asarray(np.sqrt((half_axes**2).sum(axis=1)))
    if solid.kind in (SolidShape.CYLINDER, SolidShape.CONE):
        return np.asarray(np.hypot(half_axes[:, 0], half_axes[:, 1]) + np.abs(half_axes[:, 2]))
    return np.asarray(np.abs(half_axes).sum(axis=1))


def bounds(model: Model) -> tuple[Floats, Floats]:
    """Return the lowest and highest corner of a model."""
    middles = np.array([solid.at for solid in model])
    reaches = np.array([reach(solid) for solid in model])
    return (middles - reaches).min(axis=0), (middles + reaches).max(axis=0)


def is_on_wall(object_class: ObjectClass, variant: int) -> bool:
    return object_class.name in ON_WALL or (object_class.name, variant) == ("display screen", 1)


def picture(
    model: Model, object_class: ObjectClass, first: str, second: str, pixels: int = 48
) -> npt.NDArray[np.uint8]:
    """Render a thing from its front and slightly above, filling the picture."""
    scene: Scene = model_scene(model, object_class, first, second)
    low, high = bounds(model)
    distance = float(np.linalg.norm(high - low)) / 2 / np.tan(np.radians(20)) * 1.05
    heading, pitch = 208.0, -18.0
    up, turn = np.radians(pitch), np.radians(heading)
    ahead = np.array([np.sin(turn) * np.cos(up), np.cos(turn) * np.cos(up), np.sin(up)])
    position = (low + high) / 2 - ahead * distance
    return np.asarray(render(scene, poses(position, heading, pitch), view(pixels, pixels, 40), samples=1).rgb[0])


@cache
def raised_model(name: str, variant: int) -> Model:
    """Return a model raised above the ground."""
    object_class = next(candidate for candidate in PUBLIC_CLASSES if candidate.name == name)
    return transformed(
        object_class.models[variant], (0, 0, max(0.0, -float(bounds(object_class.models[variant])[0][2])))
    )


def test_class_names() -> None:
    assert {object_class.name for object_class in PUBLIC_CLASSES} == set(SIZES)
    assert len(PUBLIC_CLASSES) == len(SIZES) == 63
    assert all(1 <= len(object_class.variants) <= 4 for object_class in PUBLIC_CLASSES)
    assert (
        len(next(object_class for object_class in PUBLIC_CLASSES if object_class.name == "seated person").variants) == 4
    )


@every_variant
def test_models_have_plausible_sizes(object_class: ObjectClass, variant: int) -> None:
    low, high = bounds(object_class.models[variant])
    for size, (minimum, maximum) in zip(high - low, SIZES[object_class.name], strict=True):
        assert minimum <= size <= maximum
    assert abs(low[0] + high[0]) < 0.5 * (high[0] - low[0])


@every_variant
def test_model_origins(object_class: ObjectClass, variant: int) -> None:
    low, high = bounds(object_class.models[variant])
    if is_on_wall(object_class, variant):
        assert -0.001 <= low[1] <= 0.02
        assert abs(low[2] + high[2]) < 0.15 * (high[2] - low[2])
    elif object_class.name in ON_CEILING:
        assert -0.001 <= high[2] <= 0.001
    else:
        assert low[2] >= -0.001
        assert (low[2] <= 0.02) == ((object_class.name, variant) != DANGLING)


@every_variant
def test_models_are_valid(object_class: ObjectClass, variant: int) -> None:
    model = object_class.models[variant]
    assert 4 <= len(model) <= 25
    assert all(solid.part and solid.part == solid.part.strip().lower() for solid in model)
    assert 2 <= len({solid.part for solid in model}) <= 12
    for solid in model:
        assert min(solid.half) > 0 and np.isfinite([*solid.at, *solid.half]).all()
        for colour_name in (solid.colour, solid.second):
            assert colour_name in (FIRST, SECOND) or colour_name in COLOURS


@every_variant
def test_letters_are_readable_in_every_colour(object_class: ObjectClass, variant: int) -> None:
    def possible_colours(colour: Colour) -> set[str]:
        return (
            set(object_class.colours)
            if colour == FIRST
            else set(object_class.second_colours)
            if colour == SECOND
            else {str(colour)}
        )

    for solid in object_class.models[variant]:
        if solid.material == Material.TEXT:
            assert solid.kind in (SolidShape.BOX, SolidShape.PLATE)
            assert not possible_colours(solid.colour) & possible_colours(solid.second)
            assert solid.text is None or (len(solid.text) <= MAX_LETTERS and set(solid.text) <= set(GLYPHS))
        else:
            assert solid.text is None


def test_tables_have_flat_tops_and_shelves_have_boards() -> None:
    for object_class in PUBLIC_CLASSES:
        for model in object_class.models:
            if object_class.name in WITH_TOP:
                tops = [solid for solid in model if solid.part == "top"]
                assert tops and all(
                    solid.kind in (SolidShape.BOX, SolidShape.CYLINDER) and not solid.tilt for solid in tops
                ), object_class.name
            if object_class.name == "store shelf":
                assert sum(solid.part == "shelf" for solid in model) >= 3


def test_seat_heights_match_seated_people() -> None:
    for name, minimum, maximum in (("booth seat", 0.44, 0.5), ("bar stool", 0.74, 0.82)):
        object_class = next(candidate for candidate in PUBLIC_CLASSES if candidate.name == name)
        for model in object_class.models:
            top = max(solid.at[2] + reach(solid)[2] for solid in model if solid.part == "seat")
            assert minimum <= top <= maximum, name
    seated_person = next(object_class for object_class in PUBLIC_CLASSES if object_class.name == "seated person")
    for model in seated_person.models:
        thighs = [solid for solid in model if solid.part == "leg" and abs(solid.tilt - 90) < 5]
        assert thighs and all(0.44 <= solid.at[2] - reach(solid)[2] <= 0.48 for solid in thighs)


@pytest.mark.parametrize("object_class", PUBLIC_CLASSES, ids=[object_class.name for object_class in PUBLIC_CLASSES])
def test_colours_and_variants_change_the_picture(object_class: ObjectClass) -> None:
    second = object_class.second_colours[0]
    pictures = [
        picture(raised_model(object_class.name, k), object_class, object_class.colours[0], second)
        for k in range(len(object_class.variants))
    ]
    for k, picture_of_variant in enumerate(pictures):
        for other in pictures[:k]:
            assert (picture_of_variant != other).any(axis=2).mean() > 0.05
        if len(object_class.colours) > 1:
            farthest_colour = max(
                object_class.colours,
                key=lambda name: abs(np.subtract(COLOURS[name], COLOURS[object_class.colours[0]])).sum(),
            )
            changed = (
                (
                    picture(raised_model(object_class.name, k), object_class, farthest_colour, second)
                    != picture_of_variant
                )
                .any(axis=2)
                .mean()
            )
            assert changed > 0.002, f"variant {k}"


def test_second_colours_are_used() -> None:
    for object_class in PUBLIC_CLASSES:
        painted = {
            colour_name
            for model in object_class.models
            for solid in model
            for colour_name in (solid.colour, solid.second)
        }
        assert (SECOND in painted) == (len(object_class.second_colours) > 1), object_class.name
        assert set(object_class.colours) | set(object_class.second_colours) <= set(COLOURS)
