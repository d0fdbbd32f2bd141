"""Sampling of relations that hold for a cell, with the frequencies of human texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import atan2, degrees
from random import Random
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
from bearleft.records import Cell
from bearleft.world.arramon.items.names import Item
from bearleft.world.arramon.items.names import item_by_name as named
from bearleft.world.arramon.moves import FLOOR
from bearleft.world.arramon.task_setup import RoomItem

# How often a text begins with a turn, by the angle of the cell from the view, as in the released texts.
TURN_RATES = ((60.0, 0.9), (40.0, 0.22), (0.0, 0.015))
# Weights of the relations, where they hold.
LEFT_RIGHT_WEIGHT, DEPTH_WEIGHT, NEXT_WEIGHT, DIAGONAL_WEIGHT, LINE_WEIGHT = 12.0, 13.0, 0.5, 0.5, 0.3
TWO_ITEMS_WEIGHT, ITEM_AND_WALL_WEIGHT, TWO_WALLS_WEIGHT, ONE_WALL_WEIGHT = 1.0, 1.0, 10.0, 1.0
FRONT_WEIGHT, BESIDE_WEIGHT, AHEAD_WEIGHT, CLOSER_WEIGHT = 28.0, 3.0, 0.5, 0.02
MAX_RELATIONS = 2  # per text
STACK_RATE = 0.15  # how often an item is named together with its stack
Relations: TypeAlias = tuple[Relation, ...]
Option: TypeAlias = tuple[float, Relations]  # weight and relations
NEAR_WEIGHTS: dict[Literal["next", "diagonal", "line"], float] = {
    "next": NEXT_WEIGHT,
    "diagonal": DIAGONAL_WEIGHT,
    "line": LINE_WEIGHT,
}


@dataclass(frozen=True)
class RelationSampler:
    """Sampler of relations for a cell of a room."""

    room: Room
    cell: Cell
    random: Random
    carried: str  # the type of the carried item: others of its type need an attribute
    full_names: bool = False  # use full names only

    def thing(self, position: Square, top: bool = False) -> ReferentPhrase:
        """Return a phrase for an item on a square, for the topmost if `top`."""
        stack = [item_and_cell for item_and_cell in self.room.things if square_of(item_and_cell[1]) == position]
        chosen = stack[-1] if top else self.random.choice(stack)
        if len(stack) > 1 and self.random.random() < STACK_RATE:
            first, second = self.random.sample(stack, 2)
            return StackPhrase(self._ref(first[0]), self._ref(second[0]))
        return self._placed(chosen)

    def short(self, position: Square) -> ItemPhrase:
        """Return a phrase for an item without its position: "the ball by the brick wall and the mug" is ambiguous."""
        return self._ref(self.random.choice([item for item, cell in self.room.things if square_of(cell) == position]))

    def _ref(self, item: Item) -> ItemPhrase:
        """Return a phrase with some of an item's attributes."""
        chance = 1.0 if self.full_names else self.random.random()
        if chance < 0.08 and item.type != self.carried:
            return ItemPhrase(item.type)
        if chance < 0.12:
            return ItemPhrase(item.type, pattern=item.pattern)
        return ItemPhrase(item.type, item.colour, None if chance < 0.22 else item.pattern)

    def _placed(self, chosen: tuple[Item, Cell]) -> ItemPhrase:
        """Return a phrase with some of an item's attributes, perhaps with its position."""
        item, cell = chosen
        plain_phrase = self._ref(item)
        options = [(12.0 if len(self.room.of(plain_phrase)) == 1 else 0.5, plain_phrase)]
        column, height, row = cell
        for other, other_cell in self.room.things:
            if other_cell == (column, height + 1, row):
                options.append((4.0, replace(plain_phrase, under=self._ref(other))))
            elif other_cell == (column, height - 1, row):
                options.append((2.0, replace(plain_phrase, on=self._ref(other))))
        options += [
            (0.7, replace(plain_phrase, wall=wall)) for wall in range(4) if square_of(cell) in squares_along_wall(wall)
        ]
        options.append((0.3, replace(plain_phrase, seen=self.room.seen(square_of(cell)))))
        return self.random.choices([phrase for _, phrase in options], [weight for weight, _ in options])[0]

    def on_top(self) -> Relations:
        """Return the relation to the item under the cell."""
        return (OnTop(self.thing(square_of(self.cell), top=True)),)

    def roughly(self) -> list[Option]:
        """Return relations that hold for many cells."""
        options: list[Option] = [
            (AHEAD_WEIGHT, (RelativeToAgent("ahead"),)),
            *((ONE_WALL_WEIGHT, (Against(wall),)) for wall in range(4)),
        ]
        others = sorted(self.room.taken - {square_of(self.cell)})
        options += [
            (CLOSER_WEIGHT, (CloserToWall(wall, self.thing(position)),)) for position in others for wall in range(4)
        ]
        return self._true(options)

    def _true(self, options: list[Option]) -> list[Option]:
        position = square_of(self.cell)
        return [
            (weight, relations)
            for weight, relations in options
            if all(position in self.room.matching_squares(relation) for relation in relations)
        ]

    def floor(self) -> list[Option]:
        """Return the relations that hold for a cell on the floor, with their weights."""
        position, options = square_of(self.cell), self._of_me()
        for item_position in sorted(self.room.taken):
            for side in SIDES:
                east, north = side_offset(self.room.facing, side)
                if (item_position[0] + east, item_position[1] + north) == position:
                    weight = LEFT_RIGHT_WEIGHT if side in ("left", "right") else DEPTH_WEIGHT
                    options.append((weight, (OnSide(side, self.thing(item_position)),)))
            for how, weight in NEAR_WEIGHTS.items():
                options.append((weight, (Near(how, self.thing(item_position)),)))
            options += [(ITEM_AND_WALL_WEIGHT, (Between(self.short(item_position), wall),)) for wall in range(4)]
            options += [
                (TWO_ITEMS_WEIGHT, (Between(self.short(item_position), self.short(other)),))
                for other in sorted(self.room.taken)
                if item_position < other and position not in (item_position, other)
            ]
        options += [
            (TWO_ITEMS_WEIGHT, (Between(ItemPhrase(item_type, two=True), None),)) for item_type in self._twice()
        ]
        walls = [Against(wall) for wall in range(4) if position in squares_along_wall(wall)]
        if len(walls) == 2:
            options.append((TWO_WALLS_WEIGHT, tuple(walls)))
        return self._true(options) + self.roughly()

    def _of_me(self) -> list[Option]:
        return [
            (FRONT_WEIGHT, (RelativeToAgent("front"),)),
            (BESIDE_WEIGHT, (RelativeToAgent("left"),)),
            (BESIDE_WEIGHT, (RelativeToAgent("right"),)),
        ]

    def _twice(self) -> list[str]:
        """Return the types with exactly two items."""
        types = [item.type for item, _ in self.room.things]
        return [item_type for item_type in dict.fromkeys(types) if types.count(item_type) == 2]


def draw_facing(cell: Cell, random: Random) -> int:
    """Draw the wall to turn to before placing: mostly the brick wall, which the agent faces already."""
    across, ahead = cell[0] - DOOR_SQUARE[0], cell[2] - DOOR_SQUARE[1]
    angle = abs(degrees(atan2(across, ahead)))
    chance = next(rate for min_angle, rate in TURN_RATES if angle >= min_angle)
    return (1 if across > 0 else 3) if across and random.random() < chance else 0


def draw_meaning(
    room_items: Sequence[RoomItem], item: str, cell: Cell, random: Random, full_names: bool = False
) -> Meaning | None:
    """Draw a meaning that only the cell matches; None if this draw found none."""
    wall = draw_facing(cell, random)
    sampler = RelationSampler(Room(room_items, wall), cell, random, named(item).type, full_names)
    relations = sampler.on_top() if cell[1] > FLOOR else ()
    if matching_cells(Meaning(wall, relations), room_items) == [cell]:
        return Meaning(wall, relations)
    options = sampler.roughly() if relations else sampler.floor()
    while options and len(relations) < MAX_RELATIONS:
        # Prefer sufficient relations: people say no more than needed.
        sufficient = [
            (weight, added)
            for weight, added in options
            if matching_cells(Meaning(wall, relations + added), room_items) == [cell]
        ]
        choices = sufficient or options
        relations += random.choices([added for _, added in choices], [weight for weight, _ in choices])[0]
        if sufficient:
            return Meaning(wall, relations)
        options = [option for option in options if not _is_redundant(relations, option[1])]
    return None


def _is_redundant(relations: Relations, added: Relations) -> bool:
    """Return whether relations repeat earlier ones, or refer to the agent after other relations."""
    if (isinstance(added[0], RelativeToAgent) and added[0].side != "ahead") or any(
        relation in relations for relation in added
    ):
        return True
    things = [relation.thing for relation in relations if isinstance(relation, OnSide | Near | CloserToWall)]
    return any(isinstance(relation, OnSide | Near | CloserToWall) and relation.thing in things for relation in added)
