"""city/arramon: tasks in our own sections, told in our own words, in the format of the released files.

Sections 1 to 5 are the pool of train and val_seen, of every five tasks one at random for the latter; section 6 is
val_unseen and section 7 test_unseen. A task follows from its number, the seed and the world alone.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Protocol, TypeVar

import numpy as np

from bearleft.data.arramon_replay import SECTIONS
from bearleft.data.loaders import arramon
from bearleft.generate.arramon.tasks import (
    DISTINCT,
    TURNS,
    Bounds,
    Field,
    Indoors,
    Outdoors,
    Passed,
    Slot,
    Spots,
    draw_indoors,
    draw_outdoors,
    wanted_moves,
)
from bearleft.generate.examples import Tried
from bearleft.language import arramon_assembly as assembling
from bearleft.language.analysis.quality import Phase, problems, turns_first
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation import write as collecting
from bearleft.language.arramon_navigation.scene import Scene, open_scene
from bearleft.records import Assemble, Cell, Collect, Direction, Episode, Leg, Pose, Position
from bearleft.world.arramon.grounds import Ground
from bearleft.world.arramon.moves import replay_room
from bearleft.world.arramon.task_setup import CityItem, RoomItem, TaskSetup

OFFSET = {"val_unseen": 1_000_000, "test_unseen": 2_000_000, "small": 3_000_000, "sample": 4_000_000}
ROUND = 5  # of so many tasks of the pool one is val_seen's
DRAWS = 60  # of walks or rooms for one task, then it is passed over
UNTOLD_WALK, UNTOLD_CELL = "walks untold", "cells untold"
T = TypeVar("T")


def slots(split: str, seed: int) -> Iterator[Slot]:
    """The tasks of a split, without end."""
    sections, offset = SECTIONS[split], OFFSET.get(split, 0)
    for k in count():
        if split in ("train", "val_seen"):
            seen = random.Random(f"{seed} val_seen {k // ROUND}").randrange(ROUND) == k % ROUND
            if seen != (split == "val_seen"):
                continue
        yield Slot(offset + k, sections[k % len(sections)])


class Teller(Protocol):
    """Says in words where a walk and a placing lead; None where it cannot."""

    def walk(
        self, start: Position, heading: float, actions: Sequence[str], lying: Sequence[CityItem], draw: random.Random
    ) -> Text | None:
        """To the first of what lies around."""

    def room(self, standing: Sequence[RoomItem], item: str, cell: Cell, draw: random.Random) -> Text | None:
        """Onto a cell."""


class Drawer:
    """A world of sections, a seed, a teller and how decoys are drawn: all that a task follows from.

    `things` are the middles of what has a name.
    """

    def __init__(
        self,
        world: str,
        ground: Ground,
        bounds: Sequence[Bounds],
        things: Spots,
        seed: int,
        teller: Teller,
        decoys: str = DISTINCT,
    ) -> None:
        self.world, self.ground, self.bounds, self.things = world, ground, bounds, things
        self.seed, self.teller, self.decoys = seed, teller, decoys
        self._fields: dict[int, Field] = {}

    def task(self, slot: Slot, dataset: str) -> Tried:
        """A task as an item of the released files, and what was passed over before it."""
        passed: Counter[str] = Counter()
        draw = self._random(slot, "lengths")
        lengths = [wanted_moves(draw) for _ in range(TURNS)]
        walks = self._first(slot, "walks", partial(self._walks, slot, lengths), passed)
        if walks is None:
            return Tried(None, 0, dict(passed))
        around, told = walks
        rooms = self._first(slot, "room", partial(self._room, [one.item for one in around.lying[:TURNS]]), passed)
        if rooms is None:
            return Tried(None, 0, dict(passed))
        episode = episode_of(slot, dataset, self.world, around, rooms[0], _in_turn(told, rooms[1]))
        return Tried(next(arramon.rows([episode], named=True)), 1, dict(passed))

    def _random(self, slot: Slot, what: str) -> random.Random:
        return random.Random(f"{self.seed} {slot.number} {what}")

    def _first(self, slot: Slot, what: str, make: Callable[[random.Random], T], passed: Counter[str]) -> T | None:
        """The first of some draws that comes to something."""
        for k in range(DRAWS):
            try:
                return make(self._random(slot, f"{what} {k}"))
            except Passed as reason:
                passed[str(reason)] += 1
        return None

    def _walks(self, slot: Slot, lengths: Sequence[float], draw: random.Random) -> tuple[Outdoors, list[Text]]:
        around = draw_outdoors(self.field(slot.section), lengths, draw)
        told = []
        for turn in range(TURNS):
            actions = around.actions[turn]
            said = self.teller.walk(around.paths[turn][0], around.headings[turn], actions, around.lying[turn:], draw)
            told.append(_good(said, "navigation", UNTOLD_WALK, turns_first(actions)))
        return around, told

    def _room(self, items: Sequence[str], draw: random.Random) -> tuple[Indoors, list[Text]]:
        room = draw_indoors(items, draw, self.decoys)
        standing, told = list(room.standing), []
        for item, cell in zip(items, room.cells, strict=True):
            said = self.teller.room(standing, item, cell, draw)
            told.append(_good(said, "assembly", UNTOLD_CELL))
            standing.append(RoomItem(item, cell))
        return room, told

    def field(self, section: int) -> Field:
        """Where one walks in a section."""
        if section not in self._fields:
            self._fields[section] = Field.of(self.ground, section, self.bounds[section - 1], self.things)
        return self._fields[section]


def _good(said: Text | None, phase: Phase, untold: str, turns: bool = False) -> Text:
    if said is None:
        raise Passed(untold)
    wrong = problems(said.string, phase, turns)
    if wrong:
        raise Passed(f"{phase} texts with a fault: {wrong[0].rule}")
    return said


def _in_turn(walks: Sequence[Text], rooms: Sequence[Text]) -> list[Text]:
    return [text for both in zip(walks, rooms, strict=True) for text in both]


def episode_of(slot: Slot, dataset: str, world: str, around: Outdoors, room: Indoors, told: Sequence[Text]) -> Episode:
    """A task as an episode; `told` are its texts in the order of the legs."""
    legs = []
    for turn in range(TURNS):
        target, actions = around.lying[turn], room.actions[turn]
        collect = Collect(around.paths[turn], target.item, target.at, around.actions[turn])
        assemble = Assemble(room.cells[turn], tuple(replay_room(actions)[0]), actions)
        legs += [Leg(told[2 * turn].string, collect), Leg(told[2 * turn + 1].string, assemble)]
    # As a reader infers it: the same to the last bit.
    heading = arramon.task_heading([leg.goal for leg in legs if isinstance(leg.goal, Collect)])
    assert heading is not None  # every walk has a move
    start = Pose(Direction(heading), position=around.paths[0][0])
    marks = [text.to_json() for text in told]
    extra = {
        "setting": TaskSetup(around.lying, room.standing, slot.section).to_json(),
        arramon.OWN: {
            "phenomena": [text["marks"] for text in marks],
            "landmarks": [text["mentions"] for text in marks],
        },
    }
    return Episode(str(slot.number), dataset, world, start, tuple(legs), extra)


class OwnWords:
    """The teller of our datasets."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def walk(
        self, start: Position, heading: float, actions: Sequence[str], lying: Sequence[CityItem], draw: random.Random
    ) -> Text | None:
        """An instruction that leads to the first of what lies around."""
        return collecting.write(self.scene, start, heading, actions, lying[0], lying[1:], draw)

    def room(self, standing: Sequence[RoomItem], item: str, cell: Cell, draw: random.Random) -> Text | None:
        """An instruction for one cell."""
        return assembling.write(standing, item, cell, draw)


def open_drawer(world: str, seed: int, decoys: str = DISTINCT) -> Drawer:
    """The drawer of a world by its name."""
    # Not at the top: sections are made when they are opened.
    from bearleft.world.arramon.sections.world import open_sections

    sections = open_sections(world)
    things = np.array([thing.at for thing in sections.things], np.float64).reshape(-1, 2)
    return Drawer(world, sections.ground, sections.bounds, things, seed, OwnWords(open_scene(world)), decoys)
