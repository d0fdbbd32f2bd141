"""Generation of city/arramon: tasks in generated sections with generated texts, in the format of the released files.

Sections 1 to 5 are the pool of train and val_seen, with one of five tasks at random for the latter; section 6 is
val_unseen and section 7 test_unseen. A task depends on its number, the seed and the world alone.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Protocol, TypeVar

import numpy as np

from bearleft.data.arramon_replay import SECTIONS_OF_SPLIT
from bearleft.data.loaders import arramon
from bearleft.generate.arramon.decoys import DISTINCT
from bearleft.generate.arramon.tasks import (
    TURNS,
    Bounds,
    DrawRejected,
    NavigationDraw,
    Positions,
    RoomDraw,
    SectionPositions,
    TaskSpec,
    draw_navigation,
    draw_room,
    draw_walk_length,
)
from bearleft.generate.examples import ExampleResult
from bearleft.language.analysis.quality import Phase, begins_with_turn, find_problems
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_assembly.write import placement_writer, write_placement
from bearleft.language.arramon_navigation.scene import SectionScene, open_scene
from bearleft.language.arramon_navigation.write import walk_writer, write_instruction
from bearleft.language.writer_random import WriterRandom
from bearleft.records import Assemble, Cell, Collect, Direction, Episode, Leg, Pose, Position
from bearleft.world.arramon.moves import replay_room
from bearleft.world.arramon.task_setup import CityItem, RoomItem, TaskSetup
from bearleft.world.arramon.walkable import WalkableGrid

SPLIT_OFFSET = {"val_unseen": 1_000_000, "test_unseen": 2_000_000, "small": 3_000_000, "sample": 4_000_000}
POOL_ROUND = 5  # tasks of the pool, one of which is val_seen's
MAX_DRAWS = 60  # of walks or rooms for one task before it is skipped
NO_WALK_TEXT, NO_CELL_TEXT = "walks without a text", "cells without a text"
T = TypeVar("T")


def task_specs(split: str, seed: int) -> Iterator[TaskSpec]:
    """Yield the specs of a split, without end."""
    sections, offset = SECTIONS_OF_SPLIT[split], SPLIT_OFFSET.get(split, 0)
    for k in count():
        if split in ("train", "val_seen"):
            seen = random.Random(f"{seed} val_seen {k // POOL_ROUND}").randrange(POOL_ROUND) == k % POOL_ROUND
            if seen != (split == "val_seen"):
                continue
        yield TaskSpec(offset + k, sections[k % len(sections)])


class InstructionWriter(Protocol):
    """A writer of instructions for walks and placements; None where it cannot describe them."""

    def walk(
        self,
        start: Position,
        heading: float,
        actions: Sequence[str],
        city_items: Sequence[CityItem],
        rng: WriterRandom,
    ) -> Text | None:
        """Describe a walk to the first of the items."""

    def room(self, room_items: Sequence[RoomItem], item: str, cell: Cell, rng: WriterRandom) -> Text | None:
        """Describe a cell."""


class TaskGenerator:
    """Generator of tasks, determined by a world of sections, a seed, a writer and the mode of decoys.

    `landmarks` are the centres of things with a name.
    """

    def __init__(
        self,
        world: str,
        ground: WalkableGrid,
        bounds: Sequence[Bounds],
        landmarks: Positions,
        seed: int,
        writer: InstructionWriter,
        decoys: str = DISTINCT,
    ) -> None:
        self.world, self.ground, self.bounds, self.landmarks = world, ground, bounds, landmarks
        self.seed, self.writer, self.decoys = seed, writer, decoys
        self._section_positions: dict[int, SectionPositions] = {}

    def task(self, spec: TaskSpec, dataset: str) -> ExampleResult:
        """Return a task as an item of the released files, and counts of rejected draws."""
        skipped: Counter[str] = Counter()
        rng = self._random(spec, "lengths")
        lengths = [draw_walk_length(rng) for _ in range(TURNS)]
        walks_and_texts = self._first(spec, "walks", partial(self._walks, spec, lengths), skipped)
        if walks_and_texts is None:
            return ExampleResult(None, 0, dict(skipped))
        navigation, texts = walks_and_texts
        room_and_texts = self._first(
            spec, "room", partial(self._room, [item.item for item in navigation.city_items[:TURNS]]), skipped
        )
        if room_and_texts is None:
            return ExampleResult(None, 0, dict(skipped))
        episode = build_episode(
            spec, dataset, self.world, navigation, room_and_texts[0], _interleave(texts, room_and_texts[1])
        )
        return ExampleResult(next(arramon.rows([episode], generated=True)), 1, dict(skipped))

    def _random(self, spec: TaskSpec, purpose: str) -> random.Random:
        return random.Random(f"{self.seed} {spec.number} {purpose}")

    def _first(
        self, spec: TaskSpec, purpose: str, draw: Callable[[random.Random], T], skipped: Counter[str]
    ) -> T | None:
        """Return the first draw that is not rejected."""
        for k in range(MAX_DRAWS):
            try:
                return draw(self._random(spec, f"{purpose} {k}"))
            except DrawRejected as reason:
                skipped[str(reason)] += 1
        return None

    def _walks(self, spec: TaskSpec, lengths: Sequence[float], rng: random.Random) -> tuple[NavigationDraw, list[Text]]:
        navigation = draw_navigation(self.section_positions(spec.section), lengths, rng)
        writer = walk_writer(str(rng.random()))  # one person writes both texts
        texts = []
        for turn in range(TURNS):
            actions = navigation.actions[turn]
            text = self.writer.walk(
                navigation.paths[turn][0], navigation.headings[turn], actions, navigation.city_items[turn:], writer
            )
            texts.append(_checked_text(text, "navigation", NO_WALK_TEXT, begins_with_turn(actions)))
        return navigation, texts

    def _room(self, items: Sequence[str], rng: random.Random) -> tuple[RoomDraw, list[Text]]:
        room = draw_room(items, rng, self.decoys)
        writer = placement_writer(str(rng.random()))
        room_items, texts = list(room.room_items), []
        for item, cell in zip(items, room.cells, strict=True):
            text = self.writer.room(room_items, item, cell, writer)
            texts.append(_checked_text(text, "assembly", NO_CELL_TEXT))
            room_items.append(RoomItem(item, cell))
        return room, texts

    def section_positions(self, section: int) -> SectionPositions:
        """Return the positions of a section."""
        if section not in self._section_positions:
            self._section_positions[section] = SectionPositions.of(
                self.ground, section, self.bounds[section - 1], self.landmarks
            )
        return self._section_positions[section]


def _checked_text(text: Text | None, phase: Phase, no_text: str, begins_with_turn: bool = False) -> Text:
    """Return a text that passes the quality checks; raise DrawRejected otherwise."""
    if text is None:
        raise DrawRejected(no_text)
    found_problems = find_problems(text.string, phase, begins_with_turn)
    if found_problems:
        raise DrawRejected(f"{phase} texts with a problem: {found_problems[0].rule}")
    return text


def _interleave(walk_texts: Sequence[Text], room_texts: Sequence[Text]) -> list[Text]:
    return [text for pair in zip(walk_texts, room_texts, strict=True) for text in pair]


def build_episode(
    spec: TaskSpec, dataset: str, world: str, navigation: NavigationDraw, room: RoomDraw, texts: Sequence[Text]
) -> Episode:
    """Return a task as an episode; `texts` are in the order of the legs."""
    legs = []
    for turn in range(TURNS):
        target, actions = navigation.city_items[turn], room.actions[turn]
        collect = Collect(navigation.paths[turn], target.item, target.at, navigation.actions[turn])
        assemble = Assemble(room.cells[turn], tuple(replay_room(actions)[0]), actions)
        legs += [Leg(texts[2 * turn].string, collect), Leg(texts[2 * turn + 1].string, assemble)]
    # Exactly as the loader infers it.
    heading = arramon.task_heading([leg.goal for leg in legs if isinstance(leg.goal, Collect)])
    assert heading is not None  # each walk has a move
    start = Pose(Direction(heading), position=navigation.paths[0][0])
    annotations = [text.to_json() for text in texts]
    extra = {
        "setting": TaskSetup(navigation.city_items, room.room_items, spec.section).to_json(),
        arramon.OWN_FIELD: {
            "phenomena": [text["annotations"] for text in annotations],
            "landmarks": [text["mentions"] for text in annotations],
        },
    }
    return Episode(str(spec.number), dataset, world, start, tuple(legs), extra)


class TemplateWriter:
    """The writer of the generated datasets."""

    def __init__(self, scene: SectionScene) -> None:
        self.scene = scene

    def walk(
        self,
        start: Position,
        heading: float,
        actions: Sequence[str],
        city_items: Sequence[CityItem],
        rng: WriterRandom,
    ) -> Text | None:
        """Describe a walk to the first of the items."""
        return write_instruction(self.scene, start, heading, actions, city_items[0], city_items[1:], rng)

    def room(self, room_items: Sequence[RoomItem], item: str, cell: Cell, rng: WriterRandom) -> Text | None:
        """Describe a cell."""
        return write_placement(room_items, item, cell, rng)


def open_task_generator(world: str, seed: int, decoys: str = DISTINCT) -> TaskGenerator:
    """Return the generator of a world by its name."""
    # Imported late: sections are generated when opened.
    from bearleft.world.arramon.sections.world import open_sections

    sections = open_sections(world)
    landmarks = np.array([landmark.at for landmark in sections.street_objects], np.float64).reshape(-1, 2)
    return TaskGenerator(
        world, sections.walkable, sections.bounds, landmarks, seed, TemplateWriter(open_scene(world)), decoys
    )
