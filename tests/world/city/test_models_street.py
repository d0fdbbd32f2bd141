"""Models of objects in streets and parks: sizes, parts and colours."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from bearleft.world.city.models import construction, kiosks, park, signs, street
from bearleft.world.city.palette import COLOURS
from bearleft.world.city.shapes import FIRST, SECOND, Model, Solid, rod
from bearleft.world.render.codes import Material, SolidShape
from bearleft.world.render.font import GLYPHS, MAX_LETTERS

Make = Callable[[], Model]
MODULES = (kiosks, park, signs, street, construction)

# Minimum and maximum of width, depth and height in metres, by the prefix of the models' names.
SIZES: dict[str, tuple[tuple[float, float], tuple[float, float], tuple[float, float]]] = {
    "banner": ((0.5, 1.2), (0.02, 0.2), (1.5, 3.2)),
    "barrel": ((0.5, 0.8), (0.5, 0.8), (0.9, 1.4)),
    "barrier": ((1.8, 3.1), (0.5, 0.8), (0.8, 1.2)),
    "bench": ((1.5, 2.2), (0.4, 0.8), (0.4, 1.0)),
    "bicycle": ((0.4, 0.7), (1.5, 1.9), (0.9, 1.2)),
    "bike": ((1.5, 3.2), (0.6, 2.2), (0.8, 2.3)),
    "billboard": ((5.0, 8.0), (0.5, 1.5), (4.0, 6.0)),
    "blade_sign": ((0.1, 0.3), (0.9, 1.5), (0.6, 3.1)),
    "blank_sign": ((0.5, 2.6), (0.05, 0.2), (0.6, 2.7)),
    "bollard": ((0.15, 0.4), (0.15, 0.4), (0.7, 1.2)),
    "bus_stop": ((0.5, 4.5), (0.1, 1.8), (2.5, 3.4)),
    "cafe_table": ((1.5, 2.2), (0.7, 1.2), (0.8, 1.1)),
    "climbing_frame": ((2.0, 3.5), (2.0, 3.5), (1.3, 2.0)),
    "construction_fence": ((2.8, 3.7), (0.05, 0.8), (1.0, 2.6)),
    "drinking_fountain": ((0.4, 0.8), (0.4, 1.1), (0.9, 1.3)),
    "dumpster": ((1.8, 2.5), (1.1, 1.6), (1.2, 1.6)),
    "fence": ((2.9, 3.2), (0.05, 0.3), (1.1, 3.1)),
    "fire_alarm_box": ((0.3, 0.6), (0.3, 0.6), (1.5, 2.2)),
    "fire_hydrant": ((0.4, 1.4), (0.35, 0.6), (0.7, 0.95)),
    "flower_bed": ((2.0, 3.5), (1.2, 2.8), (0.4, 1.2)),
    "food": ((1.8, 3.6), (1.5, 2.7), (2.2, 3.0)),
    "fountain": ((4.0, 6.0), (4.0, 6.0), (2.0, 4.0)),
    "hedge": ((2.8, 3.3), (0.6, 1.0), (0.9, 1.3)),
    "lamp_post": ((0.3, 1.6), (0.4, 3.5), (3.5, 9.5)),
    "mailbox": ((0.5, 0.7), (0.45, 0.7), (1.0, 1.4)),
    "newspaper_box": ((0.4, 1.7), (0.35, 0.6), (1.0, 1.3)),
    "no_parking_sign": ((0.4, 0.7), (0.05, 0.25), (2.2, 2.9)),
    "one_way": ((0.9, 1.3), (0.05, 0.25), (2.5, 3.2)),
    "park_gate": ((4.0, 5.0), (0.6, 2.0), (3.0, 4.0)),
    "parking_meter": ((0.15, 0.6), (0.15, 0.4), (1.3, 2.3)),
    "pedestrian_signal": ((0.4, 0.6), (0.4, 0.7), (3.0, 3.5)),
    "phone": ((0.8, 1.1), (0.3, 1.1), (2.1, 3.0)),
    "picnic_table": ((1.5, 2.2), (1.4, 2.0), (0.7, 0.95)),
    "planter": ((0.9, 1.8), (0.4, 1.2), (0.7, 2.1)),
    "pole": ((0.1, 2.6), (0.1, 1.0), (3.0, 9.0)),
    "relay_box": ((0.5, 0.7), (0.45, 0.7), (1.2, 1.5)),
    "road_work_sign": ((1.0, 1.5), (0.5, 1.0), (1.2, 2.4)),
    "sandwich_board": ((0.5, 0.8), (0.4, 0.7), (0.9, 1.2)),
    "scaffolding": ((5.9, 6.1), (1.0, 2.8), (4.0, 8.0)),
    "sign_board": ((3.8, 4.2), (0.1, 0.7), (0.7, 1.2)),
    "slide": ((1.0, 1.6), (3.0, 4.5), (2.5, 3.3)),
    "speed_limit_sign": ((0.5, 0.8), (0.05, 0.25), (2.4, 2.9)),
    "statue": ((0.8, 1.8), (0.8, 3.3), (2.1, 4.6)),
    "steam_chimney": ((0.8, 1.2), (0.8, 1.2), (2.5, 3.2)),
    "stop_sign": ((0.7, 0.9), (0.05, 0.25), (2.4, 3.0)),
    "street_name": ((1.1, 1.5), (0.04, 0.2), (0.3, 3.4)),
    "subway_entrance": ((1.8, 2.6), (3.0, 4.0), (2.3, 3.0)),
    "swing_set": ((3.0, 4.0), (1.5, 2.2), (2.2, 2.7)),
    "traffic_cone": ((0.3, 0.6), (0.3, 0.6), (0.7, 1.2)),
    "traffic_light": ((0.3, 6.5), (0.4, 1.0), (4.0, 6.5)),
    "trash_bags": ((1.8, 2.6), (0.9, 1.5), (0.7, 1.4)),
    "trash_can": ((0.55, 2.2), (0.55, 1.4), (0.85, 1.3)),
    "umbrella_table": ((2.2, 3.0), (2.2, 3.0), (2.2, 2.9)),
    "utility_box": ((0.8, 1.3), (0.4, 0.8), (1.1, 1.6)),
    "yield_sign": ((0.7, 1.0), (0.05, 0.25), (2.4, 3.0)),
}


def model_functions(module: ModuleType) -> dict[str, Make]:
    """Return the model functions of a module by name."""
    functions = inspect.getmembers(module, inspect.isfunction)
    return {name: make for name, make in functions if make.__module__ == module.__name__ and not name.startswith("_")}


MODELS = {name: make for module in MODULES for name, make in model_functions(module).items()}
every_model = pytest.mark.parametrize("name", MODELS)


def axes(solid: Solid) -> np.ndarray:
    """Return the half axes of a solid in metres, as columns."""
    (cr, ct, cy), (sr, st, sy) = (f(np.radians([solid.roll, solid.tilt, solid.yaw])) for f in (np.cos, np.sin))
    roll = np.array([[cr, 0, sr], [0, 1, 0], [-sr, 0, cr]])
    tilt = np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]])
    yaw = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    half = np.array(solid.half) * (1, 0 if solid.kind == SolidShape.PLATE else 1, 1)
    return np.asarray(yaw @ tilt @ roll * half)


def reach(solid: Solid) -> np.ndarray:
    """Return the half extents of a solid along x, y and z."""
    half_axes = axes(solid)
    if solid.kind == SolidShape.ELLIPSOID:
        return np.asarray(np.sqrt((half_axes**2).sum(axis=1)))
    if solid.kind in (SolidShape.CYLINDER, SolidShape.CONE):
        return np.asarray(np.hypot(half_axes[:, 0], half_axes[:, 1]) + np.abs(half_axes[:, 2]))
    return np.asarray(np.abs(half_axes).sum(axis=1))


def bounds(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest corner of a model."""
    middles = np.array([solid.at for solid in model])
    reaches = np.array([reach(solid) for solid in model])
    return (middles - reaches).min(axis=0), (middles + reaches).max(axis=0)


@every_model
def test_models_have_plausible_sizes_and_stand_on_the_ground(name: str) -> None:
    low, high = bounds(MODELS[name]())
    (prefix,) = sorted((g for g in SIZES if name.startswith(g)), key=len)[-1:]
    for size, (minimum, maximum) in zip(high - low, SIZES[prefix], strict=True):
        assert minimum <= size <= maximum
    assert low[2] >= -0.05
    is_hung = name in ("banner", "street_name_blade")  # on the post of another thing
    assert is_hung == (low[2] > 0.06)


@every_model
def test_models_have_few_solids_and_named_parts(name: str) -> None:
    model = MODELS[name]()
    assert 1 <= len(model) <= 45
    assert all(solid.part and solid.part == solid.part.strip().lower() for solid in model)
    assert len({solid.part for solid in model}) <= 10
    assert all(min(solid.half) > 0 for solid in model)


@every_model
def test_colours_and_letters_are_valid(name: str) -> None:
    for solid in MODELS[name]():
        for colour in (solid.colour, solid.second):
            assert colour in (FIRST, SECOND) or colour in COLOURS
        if solid.material == Material.TEXT:
            assert solid.kind in (SolidShape.BOX, SolidShape.PLATE)
            assert solid.text is None or (len(solid.text) <= MAX_LETTERS and set(solid.text) <= set(GLYPHS))
        else:
            assert solid.text is None


@every_model
def test_models_have_docstrings_and_are_new_lists(name: str) -> None:
    assert inspect.getdoc(MODELS[name])
    assert MODELS[name]() == MODELS[name]()
    assert MODELS[name]() is not MODELS[name]()


def test_models_are_distinct() -> None:
    names = list(MODELS)
    models = [MODELS[name]() for name in names]
    for k, model in enumerate(models):
        assert model not in models[:k], names[k]


@pytest.mark.parametrize(
    ("name", "lit_colour"),
    [
        ("traffic_light_red", "red"),
        ("traffic_light_yellow", "yellow"),
        ("traffic_light_green", "green"),
        ("traffic_light_on_pole_red", "red"),
        ("traffic_light_on_pole_green", "green"),
    ],
)
def test_traffic_light_shows_one_colour(name: str, lit_colour: str) -> None:
    model = MODELS[name]()
    lit = {(solid.part, solid.colour) for solid in model if solid.material == Material.GLOW}
    assert lit == {(f"{lit_colour} light", lit_colour)}
    heights = {
        part: [s.at[2] for s in model if s.part == part] for part in ("red light", "yellow light", "green light")
    }
    for red, yellow, green in zip(*heights.values(), strict=True):
        assert red > yellow > green


def test_one_way_signs_point_the_right_way_for_the_reader() -> None:
    # The reader looks along -y, so +x is on the left.
    for make, left in ((signs.one_way_left, True), (signs.one_way_right, False)):
        head = next(solid for solid in make() if solid.part == "arrow" and solid.roll)
        tip = axes(head)[:, 2]
        assert (tip[0] > 0) == left and (head.at[0] > 0) == left


def test_mast_arm_extends_over_the_road() -> None:
    low, high = bounds(signs.traffic_light_red())
    assert high[0] > 5 and low[0] > -0.5
    arm = [solid for solid in signs.traffic_light_red() if solid.part == "arm"]
    assert min(solid.at[2] - reach(solid)[2] for solid in arm) > 4.5


def test_scaffolding_has_headroom() -> None:
    for solid in construction.scaffolding():
        low, high = np.array(solid.at) - reach(solid), np.array(solid.at) + reach(solid)
        assert low[2] > 2.2 or low[1] > 0.7 or high[1] < -0.7
    assert {solid.colour for solid in construction.scaffolding() if solid.part == "parapet"} == {FIRST}


def test_segments_join_without_gaps() -> None:
    for make, length in (
        (park.fence, 3.0),
        (construction.construction_fence, 3.6),
        (park.hedge, 3.0),
        (construction.scaffolding, 6.0),
    ):
        low, high = bounds(make())
        assert math.isclose(high[0], -low[0], abs_tol=1e-9)
        assert length <= high[0] - low[0] <= length + 0.1


@pytest.mark.parametrize(
    "end", [(1.0, 0.0, 0.0), (0.0, -2.0, 1.0), (0.3, 0.4, -1.2), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]
)
def test_rod_connects_two_points(end: tuple[float, float, float]) -> None:
    start = np.array((0.5, 0.25, 2.0))
    solid = rod((0.5, 0.25, 2.0), (start[0] + end[0], start[1] + end[1], start[2] + end[2]), 0.1, "red")
    along = axes(solid)[:, 2]
    np.testing.assert_allclose(np.array(solid.at) - along, start, atol=1e-12)
    np.testing.assert_allclose(np.array(solid.at) + along, start + end, atol=1e-12)
