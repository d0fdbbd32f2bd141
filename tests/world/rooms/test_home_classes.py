"""Object classes of homes: names, sizes and origins of their models."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from bearleft.world.city.object_class import ObjectClass
from bearleft.world.city.palette import COLOURS
from bearleft.world.city.scene_builder import model_scene, rotation
from bearleft.world.city.shapes import FIRST, SECOND, Model, Solid, transformed
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import SolidShape
from bearleft.world.render.cpu import render
from bearleft.world.rooms.home_classes import HOME_CLASSES

# Minimum and maximum of width, depth and height of each class's models, in metres.
SIZES: dict[str, tuple[tuple[float, float], tuple[float, float], tuple[float, float]]] = {
    "wall": ((1, 1), (0.1, 0.13), (1, 1)),
    "floor": ((1, 1), (1, 1), (0.009, 0.011)),
    "ceiling": ((1, 1), (1, 1), (0.1, 0.25)),
    "room door": ((1.0, 1.8), (0.04, 0.15), (2.0, 2.2)),
    "room window": ((1.0, 1.7), (0.05, 0.25), (1.2, 1.7)),
    "curtain": ((1.8, 2.4), (0.1, 0.25), (2.2, 2.5)),
    "rug": ((1.5, 2.5), (1.1, 2.0), (0.012, 0.03)),
    "sofa": ((1.4, 2.6), (0.7, 1.6), (0.7, 1.0)),
    "armchair": ((0.7, 1.1), (0.7, 1.0), (0.7, 1.3)),
    "chair": ((0.4, 0.6), (0.4, 0.6), (0.8, 1.05)),
    "stool": ((0.3, 0.5), (0.3, 0.5), (0.4, 0.6)),
    "ottoman": ((0.5, 0.8), (0.5, 0.7), (0.38, 0.5)),
    "coffee table": ((0.8, 1.2), (0.5, 0.9), (0.35, 0.5)),
    "dining table": ((1.1, 2.0), (0.8, 1.2), (0.7, 0.8)),
    "side table": ((0.4, 0.6), (0.35, 0.6), (0.5, 0.65)),
    "desk": ((1.1, 1.7), (0.55, 0.9), (0.7, 1.0)),
    "office chair": ((0.5, 0.8), (0.5, 0.8), (0.95, 1.35)),
    "bed": ((0.9, 1.9), (2.0, 2.3), (0.9, 2.2)),
    "bunk bed": ((0.9, 1.2), (1.9, 2.2), (1.5, 1.9)),
    "crib": ((1.1, 1.4), (0.6, 0.8), (0.9, 1.6)),
    "nightstand": ((0.4, 0.6), (0.35, 0.5), (0.45, 0.65)),
    "dresser": ((0.5, 1.4), (0.4, 0.6), (0.8, 1.8)),
    "wardrobe": ((1.0, 1.8), (0.5, 0.8), (1.8, 2.2)),
    "bookshelf": ((0.6, 1.4), (0.25, 0.5), (0.8, 2.0)),
    "book stack": ((0.2, 0.4), (0.12, 0.3), (0.03, 0.3)),
    "cabinet": ((0.4, 1.6), (0.4, 0.7), (0.7, 2.0)),
    "television": ((0.6, 1.5), (0.05, 0.5), (0.6, 0.9)),
    "tv stand": ((1.0, 1.6), (0.35, 0.5), (0.4, 0.6)),
    "fireplace": ((0.6, 1.7), (0.4, 0.8), (1.0, 2.1)),
    "painting": ((0.5, 1.1), (0.02, 0.08), (0.6, 0.9)),
    "mirror": ((0.6, 0.9), (0.02, 0.08), (0.7, 1.3)),
    "wall clock": ((0.25, 0.4), (0.03, 0.15), (0.25, 0.8)),
    "floor lamp": ((0.28, 0.6), (0.28, 1.4), (1.5, 2.0)),
    "table lamp": ((0.15, 0.4), (0.15, 0.5), (0.3, 0.6)),
    "ceiling lamp": ((0.3, 0.7), (0.3, 0.7), (0.03, 0.9)),
    "chandelier": ((0.6, 1.0), (0.6, 1.0), (0.6, 1.0)),
    "ceiling fan": ((1.0, 1.5), (1.0, 1.5), (0.3, 0.5)),
    "vase": ((0.1, 0.35), (0.1, 0.35), (0.3, 0.7)),
    "pillow": ((0.4, 0.7), (0.18, 0.5), (0.12, 0.5)),
    "blanket": ((0.5, 0.7), (0.2, 0.6), (0.1, 0.3)),
    "teddy bear": ((0.3, 0.6), (0.2, 0.5), (0.4, 0.65)),
    "laptop": ((0.3, 0.4), (0.2, 0.35), (0.02, 0.3)),
    "computer monitor": ((0.5, 0.9), (0.2, 0.4), (0.45, 0.6)),
    "guitar": ((0.3, 0.5), (0.3, 0.5), (1.0, 1.3)),
    "piano": ((1.4, 1.7), (0.5, 2.0), (1.1, 1.8)),
    "radiator": ((1.0, 1.3), (0.1, 0.25), (0.6, 0.8)),
    "wall shelf": ((0.7, 1.1), (0.15, 0.3), (0.15, 0.7)),
    "basket": ((0.4, 0.65), (0.35, 0.6), (0.3, 0.65)),
    "fish tank": ((0.4, 1.0), (0.35, 0.5), (0.8, 1.4)),
    "hanging plant": ((0.3, 0.9), (0.3, 0.9), (0.7, 1.2)),
    "candle": ((0.1, 0.3), (0.05, 0.2), (0.15, 0.5)),
    "light switch": ((0.07, 0.13), (0.01, 0.05), (0.1, 0.14)),
    "electrical outlet": ((0.07, 0.1), (0.01, 0.06), (0.1, 0.2)),
    "coat rack": ((0.3, 0.8), (0.3, 0.8), (1.5, 2.0)),
    "suitcase": ((0.4, 0.75), (0.18, 0.65), (0.4, 1.1)),
    "toy box": ((0.6, 0.9), (0.4, 0.7), (0.4, 0.9)),
}
SHELL_CLASSES = ("wall", "floor", "ceiling")
ON_WALL = ("painting", "mirror", "wall clock", "room window", "wall shelf", "light switch", "electrical outlet")
AT_WALL = ("room door", "curtain", "radiator")  # they project from the wall and stand on the floor
ON_CEILING = ("ceiling lamp", "chandelier", "ceiling fan", "hanging plant")
TABLES = ("coffee table", "dining table", "side table", "desk", "nightstand", "dresser", "tv stand", "fireplace")
MODELS = [(object_class, k) for object_class in HOME_CLASSES for k in range(len(object_class.variants))]
IDS = [f"{object_class.name} {k}" for object_class, k in MODELS]


def reach(solid: Solid) -> npt.NDArray[np.float64]:
    """Return the centre of a solid and its half extents along the thing's axes."""
    axes = rotation(solid) * np.array(solid.half)
    if solid.kind == SolidShape.ELLIPSOID:
        extent = np.linalg.norm(axes, axis=1)
    elif solid.kind in (SolidShape.CYLINDER, SolidShape.CONE):
        extent = np.linalg.norm(axes[:, :2], axis=1) + np.abs(axes[:, 2])
    elif solid.kind == SolidShape.PLATE:
        extent = np.abs(axes[:, [0, 2]]).sum(axis=1)
    else:
        extent = np.abs(axes).sum(axis=1)
    return np.array([solid.at, extent])


def span(model: Model) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the lowest and the highest x, y, z of a model."""
    parts = np.array([reach(solid) for solid in model])
    return (parts[:, 0] - parts[:, 1]).min(axis=0), (parts[:, 0] + parts[:, 1]).max(axis=0)


def is_on_wall(name: str, variant: int) -> bool:
    return name in ON_WALL or (name, variant) == ("television", 1)


@cache
def picture(object_class: ObjectClass, variant: int, first: str, second: str) -> npt.NDArray[np.uint8]:
    """Render a thing two metres above the ground, from its front right and above."""
    low, high = span(object_class.models[variant])
    model = transformed(object_class.models[variant], (0, 0, 2 - low[2]))
    distance = float(np.linalg.norm(high - low)) * 1.2
    eye = np.array([distance * 0.5, distance * 0.75, 2 + (high[2] - low[2]) / 2 + distance * 0.43])
    return np.asarray(
        render(model_scene(model, object_class, first, second), poses(eye, 213.7, -25.0), view(96, 96, 50)).rgb[0]
    )


def test_class_names() -> None:
    names = [object_class.name for object_class in HOME_CLASSES]
    assert len(names) == len(set(names)) == 56
    assert set(names) == set(SIZES)


@pytest.mark.parametrize(("object_class", "variant"), MODELS, ids=IDS)
def test_models_are_valid(object_class: ObjectClass, variant: int) -> None:
    model = object_class.models[variant]
    assert object_class.variants[variant].__doc__
    assert len(model) <= 25 and (len(model) >= 4 or object_class.name in SHELL_CLASSES)
    for solid in model:
        assert min(solid.half) > 0 and solid.part, solid
        for colour in (solid.colour, solid.second):
            assert colour in (FIRST, SECOND) or colour in COLOURS, solid


@pytest.mark.parametrize(("object_class", "variant"), MODELS, ids=IDS)
def test_models_have_plausible_sizes(object_class: ObjectClass, variant: int) -> None:
    low, high = span(object_class.models[variant])
    for axis, (minimum, maximum) in zip("xyz", SIZES[object_class.name], strict=True):
        size = (high - low)["xyz".index(axis)]
        assert minimum - 1e-6 <= size <= maximum + 1e-6, f"{axis}: {size:.3f}"


@pytest.mark.parametrize(("object_class", "variant"), MODELS, ids=IDS)
def test_model_origins(object_class: ObjectClass, variant: int) -> None:
    low, high = span(object_class.models[variant])
    if object_class.name == "wall":
        assert low[1] == pytest.approx(-0.1) and high[1] < 0.02 and low[2] == pytest.approx(0)
    elif object_class.name == "ceiling":
        boards = [solid for solid in object_class.models[variant] if solid.part == "ceiling"]
        assert span(boards)[0][2] == pytest.approx(0)
    elif is_on_wall(object_class.name, variant):
        assert low[1] >= -0.001 and abs(low[2] + high[2]) / 2 < 0.06
    elif object_class.name in AT_WALL:
        assert low[1] >= -0.001 and low[2] >= -0.001
    elif object_class.name in ON_CEILING:
        assert high[2] <= 0.001
    else:
        assert -0.001 <= low[2] <= 0.02
    if object_class.name == "floor":
        assert high[2] == pytest.approx(0.01)
    if object_class.name not in ("floor lamp", "radiator", "electrical outlet", "coat rack"):
        assert abs(low[0] + high[0]) / 2 < 0.07, "it is centred on x = 0"


@pytest.mark.parametrize("name", TABLES)
def test_tables_have_a_top(name: str) -> None:
    object_class = next(candidate for candidate in HOME_CLASSES if candidate.name == name)
    for model in object_class.models:
        tops = [solid for solid in model if solid.part == "top"]
        assert len(tops) == 1
        low, high = span(tops)
        assert high[2] - low[2] < 0.09 and high[0] - low[0] > 0.35


@pytest.mark.parametrize("object_class", HOME_CLASSES, ids=[object_class.name for object_class in HOME_CLASSES])
def test_colours_and_variants_change_the_picture(object_class: ObjectClass) -> None:
    first, second = object_class.colours[0], object_class.second_colours[-1]
    assert set(object_class.colours) | set(object_class.second_colours) <= set(COLOURS)
    pictures = [picture(object_class, k, first, second) for k in range(len(object_class.variants))]
    for a, b in combinations(pictures, 2):
        assert (np.abs(a.astype(int) - b).max(axis=2) > 12).mean() > 0.005
    if len(set(object_class.colours)) > 1:
        other = next(name for name in object_class.colours if name != first)
        changed = [
            (picture(object_class, k, other, second) != pictures[k]).any() for k in range(len(object_class.variants))
        ]
        assert any(changed)
    if len(set(object_class.second_colours)) > 1:
        changed = [
            (picture(object_class, k, first, object_class.second_colours[0]) != pictures[k]).any()
            for k in range(len(object_class.variants))
        ]
        assert any(changed)


def test_shell_solids_are_axis_aligned() -> None:
    """Patterns are in metres, so they keep their scale when axis-aligned solids are stretched."""
    for object_class in HOME_CLASSES:
        if object_class.name in SHELL_CLASSES:
            for solid in (solid for model in object_class.models for solid in model):
                axes = np.abs(rotation(solid))
                assert np.allclose(axes, np.rint(axes))


def test_teddy_bear_parts() -> None:
    bear = next(object_class for object_class in HOME_CLASSES if object_class.name == "teddy bear")
    assert bear.colours[0] == "brown"
    expected = {
        "head",
        "ear",
        "snout",
        "nose",
        "eye",
        "belly",
        "body",
        "left arm",
        "right arm",
        "left leg",
        "right leg",
    }
    for model in bear.models:
        assert expected <= {solid.part for solid in model}
        for part, minimum in (("ear", 2), ("eye", 2)):
            assert sum(solid.part == part for solid in model) >= minimum


def test_left_parts_have_negative_x() -> None:
    for object_class in HOME_CLASSES:
        for model in object_class.models:
            for solid in model:
                if solid.part.startswith(("left ", "right ")) and object_class.name != "room door":
                    assert (solid.at[0] < 0) == solid.part.startswith("left "), (object_class.name, solid)
