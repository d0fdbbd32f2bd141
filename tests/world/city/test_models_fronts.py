"""Models of fronts, walls and landmarks."""

from __future__ import annotations

import pytest

from bearleft.world.city.models import fronts, landmarks, walls
from bearleft.world.city.shapes import FIRST
from bearleft.world.render.codes import Material
from tests.world.city.test_models_vehicles import Make, Size, bounds, check_model, model_functions

SIZES: dict[str, Size] = {
    "panel_door": ((1.2, 1.8), (0.2, 0.7), (2.7, 3.3)),
    "stoop_door": ((1.9, 2.6), (2.0, 2.8), (4.0, 4.8)),
    "glass_doors": ((2.0, 2.6), (0.1, 0.4), (2.7, 3.2)),
    "arched_door": ((2.3, 3.0), (0.2, 0.8), (3.2, 3.8)),
    "garage_door": ((3.5, 4.2), (0.2, 0.6), (3.2, 3.8)),
    "storefront": ((4.9, 5.3), (0.2, 0.6), (3.4, 3.9)),
    "wooden_storefront": ((4.9, 5.4), (0.4, 0.9), (3.5, 4.1)),
    "closed_storefront": ((4.9, 5.3), (0.2, 0.6), (3.4, 3.9)),
    "awning": ((3.4, 3.8), (1.0, 1.5), (0.6, 0.9)),
    "striped_awning": ((3.4, 3.8), (1.0, 1.5), (0.6, 0.9)),
    "round_awning": ((3.2, 3.8), (0.8, 1.4), (0.7, 1.0)),
    "canopy": ((1.9, 2.4), (3.5, 4.2), (3.1, 3.7)),
    "portico": ((6.5, 8.0), (2.0, 3.0), (7.0, 8.5)),
    "marquee": ((5.5, 6.5), (2.4, 3.0), (5.0, 6.0)),
    "american_flag": ((0.05, 0.3), (2.0, 2.9), (2.0, 2.7)),
    "plain_flag": ((0.05, 0.3), (2.0, 2.9), (2.0, 2.7)),
    "fire_escape": ((3.4, 4.0), (1.0, 1.3), (8.5, 10.0)),
    "wall_lamp": ((0.2, 0.5), (0.3, 0.7), (0.4, 0.8)),
    "air_conditioner": ((0.5, 0.8), (0.4, 0.7), (0.4, 0.6)),
    "window_box": ((0.9, 1.4), (0.3, 0.6), (0.4, 0.8)),
    "balcony": ((2.5, 3.2), (1.0, 1.5), (2.0, 2.6)),
    "bay_window": ((2.0, 2.6), (0.7, 1.1), (2.5, 3.1)),
    "mural": ((5.0, 7.0), (0.0, 0.1), (4.0, 6.0)),
    "painted_portrait": ((4.0, 6.0), (0.0, 0.2), (4.0, 6.0)),
    "graffiti": ((2.0, 3.5), (0.0, 0.1), (1.0, 2.0)),
    "bubble_graffiti": ((2.0, 3.5), (0.0, 0.1), (1.0, 2.0)),
    "bracket_clock": ((0.2, 0.5), (1.1, 1.5), (1.0, 1.4)),
    "barber_pole": ((0.2, 0.4), (0.2, 0.5), (0.9, 1.3)),
    "clock_tower": ((6.0, 8.0), (6.0, 8.0), (26.0, 30.0)),
    "church": ((8.0, 9.5), (11.0, 12.6), (19.0, 23.0)),
    "obelisk": ((5.0, 7.0), (5.0, 7.0), (18.0, 22.0)),
    "triumphal_arch": ((10.0, 12.0), (4.0, 6.0), (11.0, 14.0)),
    "globe": ((9.0, 11.0), (9.0, 11.0), (8.0, 10.5)),
    "street_clock": ((1.5, 2.5), (0.5, 1.2), (6.0, 8.0)),
    "water_tower": ((3.0, 4.2), (3.0, 4.2), (6.5, 8.5)),
    "glass_pyramid": ((9.0, 12.0), (9.0, 12.0), (6.0, 8.0)),
    "red_cube": ((4.5, 7.0), (4.5, 7.0), (5.5, 7.5)),
    "bandstand": ((7.0, 8.5), (7.0, 8.7), (5.5, 7.5)),
    "equestrian_monument": ((3.5, 5.0), (5.0, 7.0), (7.5, 10.0)),
    "chimney_stack": ((4.0, 6.0), (4.0, 6.0), (24.0, 30.0)),
    "carousel": ((9.0, 10.0), (9.0, 10.0), (6.5, 8.0)),
    "lighthouse": ((6.5, 8.0), (6.5, 8.0), (17.0, 20.0)),
    "dinosaur": ((2.0, 3.0), (9.0, 11.5), (6.0, 7.5)),
}
FRONT_MODELS = model_functions(fronts, walls)
LETTERED = {
    "storefront",
    "storefront_with_side_door",
    "wooden_storefront",
    "closed_storefront",
    "awning",
    "round_awning",
    "canopy",
    "glass_doors",
    "marquee",
    "portico",
    "graffiti",
}


@pytest.mark.parametrize("make", [*FRONT_MODELS, *model_functions(landmarks)], ids=lambda make: make.__name__)
def test_models_have_plausible_sizes_and_parts(make: Make) -> None:
    check_model(make, SIZES, -1.5 if make is walls.fire_escape else -0.05)


@pytest.mark.parametrize("make", FRONT_MODELS, ids=lambda make: make.__name__)
def test_fronts_touch_their_wall(make: Make) -> None:
    low, high = bounds(make())
    assert -0.35 <= low[1] <= 0.04
    assert high[1] > 0.02
    assert abs(low[0] + high[0]) < 0.15


def test_lettered_models_show_the_things_text() -> None:
    for make in FRONT_MODELS:
        own_texts = [solid for solid in make() if solid.material == Material.TEXT and solid.text is None]
        assert bool(own_texts) == (make.__name__ in LETTERED), make.__name__


def test_fire_escape_has_three_platforms() -> None:
    heights = [solid.at[2] for solid in walls.fire_escape() if solid.part == "platform"]
    assert heights == sorted(heights)
    assert len(heights) == 3
    assert heights[0] == 0


def test_models_are_distinct() -> None:
    models = [make() for make in (*FRONT_MODELS, *model_functions(landmarks))]
    assert all(model != other for k, model in enumerate(models) for other in models[:k])


def test_landmarks_have_fixed_colours() -> None:
    # A landmark looks the same in every city.
    assert all(isinstance(solid.colour, str) for make in model_functions(landmarks) for solid in make())
    assert any(solid.colour == FIRST for make in FRONT_MODELS for solid in make())
