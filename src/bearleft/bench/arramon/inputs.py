"""Tasks of ArraMon to time environments on: drawn as those of city/arramon are, without words."""

from __future__ import annotations

import random
from functools import lru_cache

from bearleft.generate.arramon.dataset import build_episode, open_task_generator
from bearleft.generate.arramon.tasks import TURNS, SectionPositions, DrawRejected, TaskSpec, draw_room, draw_navigation, draw_walk_length
from bearleft.language.annotated_text import Text
from bearleft.records import Episode

WORLD = "sections/0"
TEXT = Text("Walk on and pick it up. Put it where it belongs.")


@lru_cache(maxsize=4)
def drawn(count: int, world: str = WORLD) -> tuple[Episode, ...]:
    """So many tasks, spread over all sections."""
    drawer = open_task_generator(world, 0)
    dice, found = random.Random(0), list[Episode]()
    while len(found) < count:
        field = drawer.section_positions(len(found) % len(drawer.bounds) + 1)
        try:
            found.append(_task(field, len(found), world, dice))
        except DrawRejected:
            continue
    return tuple(found)


def _task(field: SectionPositions, number: int, world: str, dice: random.Random) -> Episode:
    around = draw_navigation(field, [draw_walk_length(dice) for _ in range(TURNS)], dice)
    room = draw_room([one.item for one in around.city_items[:TURNS]], dice)
    return build_episode(TaskSpec(number, field.section), "drawn", world, around, room, [TEXT] * (2 * TURNS))
