"""A small city and sequences in it, created once for all tests of referring sentences."""

from __future__ import annotations

import tempfile
from functools import cache

from bearleft.language.referring.write import Sentence, write_sequence
from bearleft.language.scene_index import SceneIndex
from bearleft.world.city.city import City, build_plan
from bearleft.world.city.streets import city_graph
from bearleft.world.targets import Target, random_targets
from bearleft.world.visibility.table import visibility_table
from tests.sizes import sized


@cache
def scene() -> SceneIndex:
    """Return the scene index of the city, with the visible objects of all places in memory."""
    city = City(build_plan(city_graph(0, 2, 2)))
    with tempfile.TemporaryDirectory() as folder:
        table = visibility_table(city, folder, 256)
        scene_index = SceneIndex(city, table)
        for place in range(len(city.graph)):
            scene_index.at(place)
    return scene_index


@cache
def targets_and_sequences() -> tuple[tuple[Target, tuple[Sentence, ...] | None], ...]:
    """Return sequences for two targets at every place, or three, None for those that cannot be described."""
    scene_index = scene()
    sequences = []
    places = [*range(len(scene_index.city.graph))] * sized(2, 3)
    for number, target in enumerate(random_targets(scene_index.city, places, 5)):
        sentences = write_sequence(scene_index, target, 5, number)
        sequences.append((target, None if sentences is None else tuple(sentences)))
    return tuple(sequences)
