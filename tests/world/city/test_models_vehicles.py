"""Models of vehicles, people and greenery: sizes, parts, colours."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType

import numpy as np
import numpy.typing as npt
import pytest

from bearleft.world.city.models import people, plants, trucks, vehicles
from bearleft.world.city.palette import COLOURS
from bearleft.world.city.scene_builder import rotation
from bearleft.world.city.shapes import FIRST, SECOND, Model, Solid
from bearleft.world.render.codes import Material, SolidShape

Make = Callable[[], Model]
Span = tuple[float, float]
Size = tuple[Span, Span, Span]
MAX_SOLIDS = 24  # per model: each one costs rendering time

# Minimum and maximum of width, depth and height, in metres.
SIZES: dict[str, Size] = {
    "sedan": ((1.8, 2.2), (4.4, 5.0), (1.35, 1.6)),
    "hatchback": ((1.7, 2.1), (3.8, 4.4), (1.4, 1.65)),
    "suv": ((1.9, 2.3), (4.5, 5.1), (1.7, 2.0)),
    "taxi_sedan": ((1.8, 2.2), (4.4, 5.0), (1.55, 1.8)),
    "taxi_van": ((1.9, 2.3), (4.4, 5.0), (1.9, 2.2)),
    "police_car": ((1.8, 2.2), (4.4, 5.0), (1.5, 1.8)),
    "delivery_van": ((2.0, 2.5), (5.2, 6.0), (2.3, 2.8)),
    "step_van": ((2.0, 2.5), (5.5, 6.5), (2.7, 3.2)),
    "pickup": ((1.9, 2.4), (5.2, 6.0), (1.7, 2.0)),
    "motorcycle": ((0.6, 1.0), (1.9, 2.4), (1.0, 1.3)),
    "scooter": ((0.5, 0.9), (1.6, 2.1), (1.0, 1.3)),
    "box_truck": ((2.3, 2.8), (6.8, 8.0), (3.2, 3.8)),
    "flatbed_truck": ((2.3, 2.8), (6.8, 8.0), (2.3, 2.8)),
    "garbage_truck": ((2.3, 2.8), (7.5, 9.0), (3.0, 3.6)),
    "ambulance": ((2.2, 2.6), (6.0, 6.8), (2.6, 3.0)),
    "city_bus": ((2.5, 3.1), (11.8, 12.8), (3.0, 3.3)),
    "school_bus": ((2.3, 2.8), (9.5, 10.6), (2.9, 3.3)),
    "cyclist": ((0.4, 0.8), (1.6, 1.9), (1.7, 2.0)),
    "dog": ((0.2, 0.4), (1.0, 1.4), (0.7, 0.95)),
    "small_dog": ((0.2, 0.4), (0.5, 0.8), (0.4, 0.6)),
    "child": ((0.3, 0.7), (0.4, 0.8), (1.1, 1.9)),
    "person_with_umbrella": ((1.0, 1.4), (0.9, 1.4), (2.0, 2.4)),
    "person": ((0.4, 0.9), (0.4, 1.2), (1.6, 1.95)),
    "man": ((0.4, 0.9), (0.2, 1.1), (1.6, 1.95)),
    "woman": ((0.4, 0.9), (0.4, 1.0), (1.6, 1.95)),
    "round_tree": ((4.0, 6.0), (3.5, 6.0), (6.0, 8.0)),
    "tall_tree": ((5.0, 7.0), (4.5, 7.0), (9.0, 12.0)),
    "narrow_tree": ((1.5, 2.5), (1.5, 2.5), (6.0, 8.0)),
    "bare_tree": ((3.5, 7.0), (2.5, 7.0), (5.5, 7.5)),
    "young_tree": ((1.2, 1.8), (1.2, 1.8), (3.0, 4.2)),
    "conifer": ((3.0, 4.0), (3.0, 4.0), (5.0, 7.0)),
    "bush": ((1.2, 2.0), (1.0, 1.6), (0.8, 1.3)),
    "hedge": ((1.8, 2.2), (0.4, 0.9), (0.8, 1.3)),
    "flowering_bush": ((1.0, 1.5), (1.0, 1.5), (0.7, 1.1)),
    "potted_plant": ((0.5, 0.9), (0.5, 0.9), (0.9, 1.4)),
    "potted_tree": ((0.6, 1.0), (0.6, 1.0), (1.5, 2.1)),
}
LETTERED = {"delivery_van", "step_van", "box_truck", "city_bus"}


def model_functions(*modules: ModuleType) -> list[Make]:
    """Return the public functions of modules; they return models."""
    return [
        make
        for module in modules
        for name, make in inspect.getmembers(module, inspect.isfunction)
        if make.__module__ == module.__name__ and not name.startswith("_")
    ]


def reach(solid: Solid) -> npt.NDArray[np.float64]:
    """Return the half extents of a solid along x, y and z."""
    axes = rotation(solid) * np.array(solid.half)
    if solid.kind == SolidShape.PLATE:
        axes = axes * (1.0, 0.0, 1.0)
    if solid.kind == SolidShape.ELLIPSOID:
        return np.asarray(np.linalg.norm(axes, axis=1))
    if solid.kind in (SolidShape.CYLINDER, SolidShape.CONE):
        return np.asarray(np.linalg.norm(axes[:, :2], axis=1) + np.abs(axes[:, 2]))
    return np.asarray(np.abs(axes).sum(axis=1))


def bounds(model: Model) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the lowest and the highest corner of a model."""
    at, extents = np.array([solid.at for solid in model]), np.array([reach(solid) for solid in model])
    return (at - extents).min(axis=0), (at + extents).max(axis=0)


def check_model(make: Make, sizes: dict[str, Size], min_z: float = -0.05) -> None:
    """Check the number of solids, parts, colours and size of a model."""
    model, name = make(), make.__name__
    assert 1 <= len(model) <= MAX_SOLIDS
    assert all(solid.part and solid.part == solid.part.strip().lower() for solid in model)
    for solid in model:
        assert {solid.colour, solid.second} <= {FIRST, SECOND, *COLOURS}
        assert min(solid.half) > 0
        if solid.kind == SolidShape.TAPER:
            across, front, back = solid.shape
            assert 0 <= across <= 1 and min(front, back) >= -1e-9 and front + back <= 2 + 1e-9, (
                f"{solid.part} leans outwards"
            )
    low, high = bounds(model)
    assert low[2] >= min_z
    key = next(key for key in sorted(sizes, key=len, reverse=True) if name.startswith(key))
    for size, (minimum, maximum) in zip(high - low, sizes[key], strict=True):
        assert minimum <= size <= maximum, f"{name} is {high - low}"


MODEL_FUNCTIONS = model_functions(vehicles, trucks, people, plants)


@pytest.mark.parametrize("make", MODEL_FUNCTIONS, ids=lambda make: make.__name__)
def test_models_have_plausible_sizes_and_parts(make: Make) -> None:
    check_model(make, SIZES)


def test_models_are_distinct() -> None:
    models = [make() for make in MODEL_FUNCTIONS]
    assert all(model != other for k, model in enumerate(models) for other in models[:k])


@pytest.mark.parametrize("make", model_functions(vehicles, trucks), ids=lambda make: make.__name__)
def test_vehicles_stand_on_their_wheels_and_face_ahead(make: Make) -> None:
    model = make()
    by_part = {
        part: [solid for solid in model if solid.part == part] for part in ("front wheel", "back wheel", "headlight")
    }
    assert all(by_part.values())
    for part in ("front wheel", "back wheel"):
        wheel = by_part[part][0]
        assert abs(wheel.at[2] - wheel.half[0]) < 1e-6
    assert by_part["headlight"][0].at[1] > 0 > by_part["back wheel"][0].at[1]


@pytest.mark.parametrize("make", model_functions(vehicles, trucks), ids=lambda make: make.__name__)
def test_vehicles_are_symmetric(make: Make) -> None:
    low, high = bounds([solid for solid in make() if solid.part not in ("stop sign", "exhaust", "kickstand")])
    assert abs(low[0] + high[0]) < 0.02


def test_lettered_models_show_the_things_text() -> None:
    for make in model_functions(vehicles, trucks):
        own_texts = [solid for solid in make() if solid.material == Material.TEXT and solid.text is None]
        assert bool(own_texts) == (make.__name__ in LETTERED)


def test_people_have_heads_and_random_colours() -> None:
    for make in model_functions(people):
        model = make()
        assert any(solid.part == "head" for solid in model)
        if "dog" not in make.__name__:
            assert any(solid.colour == FIRST for solid in model)


def test_trees_have_trunks_below_their_crowns() -> None:
    for make in (plants.round_tree, plants.tall_tree, plants.narrow_tree, plants.young_tree):
        model = make()
        trunk = next(solid for solid in model if solid.part == "trunk")
        assert all(solid.at[2] > trunk.at[2] for solid in model if solid.part == "crown")
