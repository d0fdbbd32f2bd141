"""Tasks of ArraMon to time environments on: drawn as those of city/arramon are, without words."""

from __future__ import annotations

import random
from functools import lru_cache

from bearleft.generate.arramon.dataset import episode_of, open_drawer
from bearleft.generate.arramon.tasks import TURNS, Field, Passed, Slot, draw_indoors, draw_outdoors, wanted_moves
from bearleft.language.annotated_text import Text
from bearleft.records import Episode

WORLD = "sections/0"
TEXT = Text("Walk on and pick it up. Put it where it belongs.")


@lru_cache(maxsize=4)
def drawn(count: int, world: str = WORLD) -> tuple[Episode, ...]:
    """So many tasks, spread over all sections."""
    drawer = open_drawer(world, 0)
    dice, found = random.Random(0), list[Episode]()
    while len(found) < count:
        field = drawer.field(len(found) % len(drawer.bounds) + 1)
        try:
            found.append(_task(field, len(found), world, dice))
        except Passed:
            continue
    return tuple(found)


def _task(field: Field, number: int, world: str, dice: random.Random) -> Episode:
    around = draw_outdoors(field, [wanted_moves(dice) for _ in range(TURNS)], dice)
    room = draw_indoors([one.item for one in around.lying[:TURNS]], dice)
    return episode_of(Slot(number, field.section), "drawn", world, around, room, [TEXT] * (2 * TURNS))
