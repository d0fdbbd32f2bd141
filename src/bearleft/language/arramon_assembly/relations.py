"""Sampling of relations that hold for a cell, with the frequencies of human texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import atan2, degrees
from typing import Literal, TypeAlias

from bearleft.language.arramon_assembly.semantics import (
    DOOR_SQUARE,
    SIDES,
    Against,
    Between,
    CloserToWall,
    ItemPhrase,
    Meaning,
    Near,
    OnSide,
    OnTop,
    ReferentPhrase,
    Relation,
    RelativeToAgent,
    Room,
    Square,
    StackPhrase,
    matching_cells,
    side_offset,
    square_of,
    squares_along_wall,
)
from bearleft.language.writer_random import WriterRandom
from bearleft.records import Cell
from bearleft.world.arramon.items.names import Item
from bearleft.world.arramon.items.names import item_by_name as named
from bearleft.world.arramon.moves import FLOOR
from bearleft.world.arramon.task_setup import RoomItem

# How often a text begins with a turn, by the angle of the cell from the view, as in the released texts.
TURN_RATES = ((60.0, 0.9), (40.0, 0.22), (0.0, 0.015))
# Weights of the kinds of relations, where one holds.
KIND_WEIGHTS = {
    "left": 12.0, "right": 12.0, "front": 12.0, "behind": 14.0, "next": 0.5, "diagonal": 1.0, "line": 0.5,
    "two items": 3.0, "item and wall": 2.0, "two walls": 8.0, "wall": 2.0, "in front of me": 20.0, "beside me": 3.0,
    "ahead": 0.5, "closer": 0.1,
}  # fmt: skip
MAX_RELATIONS = 2  # per text
MORE_RATE = 0.06  # how often a text says more than needed
STACK_RATE = 0.15  # how often an item is named together with its stack
ATTRIBUTES = {"full": 0.78, "colour": 0.1, "type": 0.08, "pattern": 0.04}  # that the name of an item mentions
PLACE_WEIGHTS = {"plain": 12.0, "under": 4.0, "on": 2.0, "wall": 1.0, "seen": 0.5}  # that locate an item
Relations: TypeAlias = tuple[Relation, ...]
Option: TypeAlias = tuple[str, Relations]  # kind of KIND_WEIGHTS, and relations
NEAR_KINDS: tuple[Literal["next", "diagonal", "line"], ...] = ("next", "diagonal", "line")


@dataclass(frozen=True)
class RelationSampler:
    """Sampler of relations for a cell of a room."""

    room: Room
    cell: Cell
    random: WriterRandom
    carried: str  # the type of the carried item: others of its type need an attribute
    full_names: bool = False  # use full names only

    def thing(self, position: Square, top: bool = False) -> ReferentPhrase:
        """Return a phrase for an item on a square, for the topmost if `top`."""
        stack = [item_and_cell for item_and_cell in self.room.things if square_of(item_and_cell[1]) == position]
        chosen = stack[-1] if top else self.random.choice(stack)
        if len(stack) > 1 and self.random.chance("stack", STACK_RATE):
            first, second = self.random.sample(stack, 2)
            return StackPhrase(self._ref(first[0]), self._ref(second[0]))
        return self._placed(chosen)

    def short(self, position: Square) -> ItemPhrase:
        """Return a phrase for an item without its position: "the ball by the brick wall and the mug" is ambiguous."""
        return self._ref(self.random.choice([item for item, cell in self.room.things if square_of(cell) == position]))

    def _ref(self, item: Item) -> ItemPhrase:
        """Return a phrase with some of an item's attributes."""
        options = ATTRIBUTES if item.type != self.carried else ATTRIBUTES | {"type": 0.0}
        said = "full" if self.full_names else self.random.pick("attributes", options)
        return ItemPhrase(
            item.type,
            item.colour if said in ("full", "colour") else None,
            item.pattern if said in ("full", "pattern") else None,
        )

    def _placed(self, chosen: tuple[Item, Cell]) -> ItemPhrase:
        """Return a phrase with some of an item's attributes, perhaps with its position."""
        item, cell = chosen
        plain_phrase = self._ref(item)
        column, height, row = cell
        options: dict[str, list[ItemPhrase]] = {place: [] for place in PLACE_WEIGHTS}
        options["plain"].append(plain_phrase)
        for other, other_cell in self.room.things:
            if other_cell == (column, height + 1, row):
                options["under"].append(replace(plain_phrase, under=self._ref(other)))
            elif other_cell == (column, height - 1, row):
                options["on"].append(replace(plain_phrase, on=self._ref(other)))
        options["wall"] += [
            replace(plain_phrase, wall=wall) for wall in range(4) if square_of(cell) in squares_along_wall(wall)
        ]
        options["seen"].append(replace(plain_phrase, seen=self.room.seen(square_of(cell))))
        weights = {place: weight * bool(options[place]) for place, weight in PLACE_WEIGHTS.items()}
        if len(self.room.of(plain_phrase)) > 1:
            weights["plain"] = 0.5
        return self.random.choice(options[self.random.pick("place of an item", weights)])

    def on_top(self) -> Relations:
        """Return the relation to the item under the cell."""
        return (OnTop(self.thing(square_of(self.cell), top=True)),)

    def roughly(self) -> list[Option]:
        """Return relations that hold for many cells."""
        options: list[Option] = [
            ("ahead", (RelativeToAgent("ahead"),)),
            *(("wall", (Against(wall),)) for wall in range(4)),
        ]
        others = sorted(self.room.taken - {square_of(self.cell)})
        options += [("closer", (CloserToWall(wall, self.thing(position)),)) for position in others for wall in range(4)]
        return self._true(options)

    def _true(self, options: list[Option]) -> list[Option]:
        position = square_of(self.cell)
        return [
            (kind, relations)
            for kind, relations in options
            if all(position in self.room.matching_squares(relation) for relation in relations)
        ]

    def floor(self) -> list[Option]:
        """Return the relations that hold for a cell on the floor, with their weights."""
        position, options = square_of(self.cell), self._of_me()
        for item_position in sorted(self.room.taken):
            for side in SIDES:
                east, north = side_offset(self.room.facing, side)
                if (item_position[0] + east, item_position[1] + north) == position:
                    options.append((side, (OnSide(side, self.thing(item_position)),)))
            options += [(how, (Near(how, self.thing(item_position)),)) for how in NEAR_KINDS]
            options += [("item and wall", (Between(self.short(item_position), wall),)) for wall in range(4)]
            options += [
                ("two items", (Between(self.short(item_position), self.short(other)),))
                for other in sorted(self.room.taken)
                if item_position < other and position not in (item_position, other)
            ]
        options += [("two items", (Between(ItemPhrase(item_type, two=True), None),)) for item_type in self._twice()]
        walls = [Against(wall) for wall in range(4) if position in squares_along_wall(wall)]
        if len(walls) == 2:
            options.append(("two walls", tuple(walls)))
        return self._true(options) + self.roughly()

    def _of_me(self) -> list[Option]:
        return [
            ("in front of me", (RelativeToAgent("front"),)),
            ("beside me", (RelativeToAgent("left"),)),
            ("beside me", (RelativeToAgent("right"),)),
        ]

    def _twice(self) -> list[str]:
        """Return the types with exactly two items."""
        types = [item.type for item, _ in self.room.things]
        return [item_type for item_type in dict.fromkeys(types) if types.count(item_type) == 2]


def draw_facing(cell: Cell, random: WriterRandom) -> int:
    """Draw the wall to turn to before placing: mostly the brick wall, which the agent faces already."""
    across, ahead = cell[0] - DOOR_SQUARE[0], cell[2] - DOOR_SQUARE[1]
    angle = abs(degrees(atan2(across, ahead)))
    min_angle, rate = next(row for row in TURN_RATES if angle >= row[0])
    if not across:
        return 0
    wall = 1 if across > 0 else 3
    return wall if random.chance(f"turn {'right' if across > 0 else 'left'} {min_angle:.0f}", rate) else 0


def draw_meaning(
    room_items: Sequence[RoomItem], item: str, cell: Cell, random: WriterRandom, full_names: bool = False
) -> Meaning | None:
    """Draw a meaning that only the cell matches; None if this draw found none."""
    wall = draw_facing(cell, random)
    sampler = RelationSampler(Room(room_items, wall), cell, random, named(item).type, full_names)
    relations = sampler.on_top() if cell[1] > FLOOR else ()
    more = random.chance("more relations", MORE_RATE)
    if not more and matching_cells(Meaning(wall, relations), room_items) == [cell]:
        return Meaning(wall, relations)
    pending = random.take_recorded()
    options = sampler.roughly() if relations else sampler.floor()
    random.take_recorded()  # choices of options that are not used
    random.recorded = pending
    while options and len(relations) < MAX_RELATIONS:
        # Prefer sufficient relations: people seldom say more than needed.
        sufficient = [
            option for option in options if matching_cells(Meaning(wall, relations + option[1]), room_items) == [cell]
        ]
        choices = options if more and not relations else sufficient or options
        kinds = {kind for kind, _ in choices}
        weights = {name: weight * (name in kinds) for name, weight in KIND_WEIGHTS.items()}
        kind = random.pick("second relation" if relations else "kind of relation", weights)
        relations += random.choice([added for name, added in choices if name == kind])
        if matching_cells(Meaning(wall, relations), room_items) == [cell] and not (more and len(relations) == 1):
            return Meaning(wall, relations)
        options = [option for option in options if not _is_redundant(relations, option[1])]
    return Meaning(wall, relations) if matching_cells(Meaning(wall, relations), room_items) == [cell] else None


def _is_redundant(relations: Relations, added: Relations) -> bool:
    """Return whether relations repeat earlier ones, or refer to the agent after other relations."""
    if (isinstance(added[0], RelativeToAgent) and added[0].side != "ahead") or any(
        relation in relations for relation in added
    ):
        return True
    things = [relation.thing for relation in relations if isinstance(relation, OnSide | Near | CloserToWall)]
    return any(isinstance(relation, OnSide | Near | CloserToWall) and relation.thing in things for relation in added)
