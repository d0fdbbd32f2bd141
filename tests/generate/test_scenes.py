"""Tests of bearleft.generate.scenes: scenes of seven categories, and sequences in them."""

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


def make_sampler(city: City, rooms: int = 420, seed: int = 0) -> SceneSampler:
    return SceneSampler(city.graph, open_visibility_table(city), rooms_graph(0, rooms), seed)


def test_categories_have_the_shares_of_the_paper(city: City) -> None:
    scenes = make_sampler(city).scenes(0, 200)
    counts = Counter(scene.category for scene in scenes)
    assert counts == {"restaurant": 50, **dict.fromkeys((*OUTDOORS, *INDOORS[1:]), 25)}
    assert len(set(scenes)) == 200
    for scene in scenes:
        indoors = scene.category in INDOORS
        assert scene.world == ("rooms/0/420" if indoors else WORLD)
        assert not indoors or category(scene.place) == scene.category
    # Few scenes cover all categories, too.
    assert sorted(scene.category for scene in scenes[:8]) == sorted(CATEGORY_ORDER)
    assert make_sampler(city).scenes(0, 8) == scenes[:8]


def test_bands_share_no_scene_and_have_all_categories(city: City) -> None:
    sampler = make_sampler(city, MIN_ROOMS)
    bands = [sampler.scenes(band, 24) for band in (0, 1, 2)]
    for k, band_scenes in enumerate(bands):
        assert {scene.category for scene in band_scenes} == set(CATEGORY_ORDER)
        assert all(not set(band_scenes) & set(other) for other in bands[k + 1 :])
    # Each unseen band has six rooms; the other scenes are streets and plazas.
    assert sum(scene.category in INDOORS for scene in bands[1]) == 6


def test_city_without_plazas_uses_streets(city: City) -> None:
    sampler = make_sampler(city)
    sampler.has_open_ground[:] = False
    counts = Counter(scene.category for scene in sampler.scenes(0, 80))
    assert counts["street"] == 20 and counts["plaza_courtyard"] == 0


def test_sequences_cycle_through_the_scenes(city: City) -> None:
    sampler = make_sampler(city)
    scenes = sampler.scenes(0, 8)
    specs = list(islice(sampler.sequences("train", round(8 * SEQUENCES_PER_SCENE)), 20))
    assert [Scene(spec.world, spec.place, spec.category) for spec in specs] == (scenes * 3)[:20]
    assert [spec.number for spec in specs] == list(range(20))
    last = next(iter(sampler.sequences("test.seen", round(8 * SEQUENCES_PER_SCENE))))
    assert (last.place, last.category) == (scenes[-1].place, scenes[-1].category)
    unseen = next(iter(sampler.sequences("test.unseen", 60)))
    assert unseen.number == 4_000_000 and unseen.place not in {scene.place for scene in scenes}


def test_too_few_rooms(city: City) -> None:
    with pytest.raises(InputError, match=f"a world of at least {MIN_ROOMS} rooms, got 12 in rooms/0/12"):
        make_sampler(city, 12)
