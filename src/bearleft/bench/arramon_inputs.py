"""Tasks of ArraMon to time environments on: drawn as those of city/arramon are, without words."""

from __future__ import annotations

import random
from functools import lru_cache

import numpy as np

from bearleft.data.tasks import Field, Passed, draw_indoors, draw_outdoors, wanted_moves
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, Pose
from bearleft.world.moves import replay_room
from bearleft.world.sections.world import open_sections
from bearleft.world.setting import Setting

WORLD = "sections/0"
TEXT = "Walk on and pick it up. Put it where it belongs."


@lru_cache(maxsize=4)
def drawn(count: int, world: str = WORLD) -> tuple[Episode, ...]:
    """So many tasks, spread over all sections."""
    sections = open_sections(world)
    things = np.array([thing.at for thing in sections.things], float).reshape(-1, 2)
    fields = {k: Field.of(sections.ground, k, box, things) for k, box in enumerate(sections.bounds, 1)}
    dice, found = random.Random(0), list[Episode]()
    while len(found) < count:
        try:
            found.append(_task(fields[len(found) % len(fields) + 1], len(found), world, dice))
        except Passed:
            continue
    return tuple(found)


def _task(field: Field, number: int, world: str, dice: random.Random) -> Episode:
    around = draw_outdoors(field, [wanted_moves(dice) for _ in range(2)], dice)
    room = draw_indoors([one.item for one in around.lying[:2]], dice)
    legs = []
    for turn in range(2):
        target, actions = around.lying[turn], room.actions[turn]
        legs.append(Leg(TEXT, Collect(around.paths[turn], target.item, target.at, around.actions[turn])))
        legs.append(Leg(TEXT, Assemble(room.cells[turn], tuple(replay_room(actions)[0]), actions)))
    start = Pose(Direction(around.headings[0]), position=around.paths[0][0])
    extra = {"setting": Setting(around.lying, room.standing, field.section).to_json()}
    return Episode(str(number), "drawn", world, start, tuple(legs), extra)
