"""Tasks of the ArraMon benchmarks: drawn like those of city/arramon, with a fixed text."""

from __future__ import annotations

import random
from functools import lru_cache

from bearleft.generate.arramon.dataset import build_episode, open_task_generator
from bearleft.generate.arramon.tasks import (
    TURNS,
    DrawRejected,
    SectionPositions,
    TaskSpec,
    draw_navigation,
    draw_room,
    draw_walk_length,
)
from bearleft.language.annotated_text import Text
from bearleft.records import Episode

WORLD = "sections/0"
TEXT = Text("Walk on and pick it up. Put it where it belongs.")


@lru_cache(maxsize=4)
def draw_tasks(count: int, world: str = WORLD) -> tuple[Episode, ...]:
    """Return `count` tasks, spread over all sections."""
    generator = open_task_generator(world, 0)
    rng, episodes = random.Random(0), list[Episode]()
    while len(episodes) < count:
        positions = generator.section_positions(len(episodes) % len(generator.bounds) + 1)
        try:
            episodes.append(_task(positions, len(episodes), world, rng))
        except DrawRejected:
            continue
    return tuple(episodes)


def _task(positions: SectionPositions, number: int, world: str, rng: random.Random) -> Episode:
    navigation = draw_navigation(positions, [draw_walk_length(rng) for _ in range(TURNS)], rng)
    room = draw_room([placed.item for placed in navigation.city_items[:TURNS]], rng)
    return build_episode(TaskSpec(number, positions.section), "drawn", world, navigation, room, [TEXT] * (2 * TURNS))
