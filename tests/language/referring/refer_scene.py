"""A small city with its table, and sequences told in it, made once for all tests of Refer360-like texts."""

from __future__ import annotations

import tempfile
from functools import cache

from bearleft.language.referring.write import Sentence, write_sequence
from bearleft.language.scene_index import SceneIndex
from bearleft.world.city.city import City, build_plan
from bearleft.world.city.streets import city_graph
from bearleft.world.targets import Target, anywhere
from bearleft.world.visibility.table import visibility_table


@cache
def scene() -> SceneIndex:
    """The city; its table lies in memory once it was asked for."""
    city = City(build_plan(city_graph(0, 2, 2)))
    with tempfile.TemporaryDirectory() as folder:
        table = visibility_table(city, folder, 256)
        here = SceneIndex(city, table)
        for place in range(len(city.graph)):
            here.at(place)
    return here


@cache
def told() -> tuple[tuple[Target, tuple[Sentence, ...] | None], ...]:
    """Sequences for three targets at every place, None for those that cannot be told."""
    here = scene()
    found = []
    for number, target in enumerate(anywhere(here.city, [*range(len(here.city.graph))] * 3, 5)):
        sentences = write_sequence(here, target, 5, number)
        found.append((target, None if sentences is None else tuple(sentences)))
    return tuple(found)
