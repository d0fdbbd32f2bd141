"""Tests of bearleft.generate.scenes: scenes of seven categories, and spots in them."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from bearleft.data.stats import INDOORS, OUTDOORS
from bearleft.errors import InputError
from bearleft.generate.scenes import CATEGORY_ORDER, MIN_ROOMS, SEQUENCES_PER_SCENE, Scene, SceneSampler
from bearleft.language.scene_index import open_visibility_table
from bearleft.world.city.city import City, open_city
from bearleft.world.rooms.shell import category, rooms_graph

WORLD = "city/3/4x5"

pytestmark = pytest.mark.usefixtures("city_cache")


@pytest.fixture
def city() -> City:
    return open_city(WORLD)


def spots(city: City, rooms: int = 420, seed: int = 0) -> SceneSampler:
    return SceneSampler(city.graph, open_visibility_table(city), rooms_graph(0, rooms), seed)


def test_shares_are_the_papers(city: City) -> None:
    scenes = spots(city).scenes(0, 200)
    found = Counter(scene.category for scene in scenes)
    assert found == {"restaurant": 50, **dict.fromkeys((*OUTDOORS, *INDOORS[1:]), 25)}
    assert len(set(scenes)) == 200
    for scene in scenes:
        indoors = scene.category in INDOORS
        assert scene.world == ("rooms/0/420" if indoors else WORLD)
        assert not indoors or category(scene.place) == scene.category
    # However few there are.
    assert sorted(scene.category for scene in scenes[:8]) == sorted(CATEGORY_ORDER)
    assert spots(city).scenes(0, 8) == scenes[:8]


def test_bands_share_no_scene_and_have_all_categories(city: City) -> None:
    some = spots(city, MIN_ROOMS)
    bands = [some.scenes(band, 24) for band in (0, 1, 2)]
    for k, one in enumerate(bands):
        assert {scene.category for scene in one} == set(CATEGORY_ORDER)
        assert all(not set(one) & set(other) for other in bands[k + 1 :])
    # Six rooms of each unseen band: then there are streets and plazas only.
    assert sum(scene.category in INDOORS for scene in bands[1]) == 6


def test_a_city_without_plazas_has_streets(city: City) -> None:
    some = spots(city)
    some.has_open_ground[:] = False
    found = Counter(scene.category for scene in some.scenes(0, 80))
    assert found["street"] == 20 and found["plaza_courtyard"] == 0


def test_spots_go_round_the_scenes(city: City) -> None:
    some = spots(city)
    scenes = some.scenes(0, 8)
    asked = list(islice(some.sequences("train", round(8 * SEQUENCES_PER_SCENE)), 20))
    assert [Scene(spot.world, spot.place, spot.category) for spot in asked] == (scenes * 3)[:20]
    assert [spot.number for spot in asked] == list(range(20))
    last = next(iter(some.sequences("test.seen", round(8 * SEQUENCES_PER_SCENE))))
    assert (last.place, last.category) == (scenes[-1].place, scenes[-1].category)
    unseen = next(iter(some.sequences("test.unseen", 60)))
    assert unseen.number == 4_000_000 and unseen.place not in {scene.place for scene in scenes}


def test_too_few_rooms_are_named(city: City) -> None:
    with pytest.raises(InputError, match=f"a world of at least {MIN_ROOMS} rooms, got 12 in rooms/0/12"):
        spots(city, 12)
