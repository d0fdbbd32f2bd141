"""What to say of a cell: relations that are true of it, drawn as often as people say them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import atan2, degrees
from random import Random
from typing import Literal, TypeAlias

from bearleft.language.arramon_assembly.semantics import (
    AT_DOOR,
    SIDES,
    Against,
    Between,
    By,
    Closer,
    Me,
    Meaning,
    Near,
    On,
    Ref,
    Relation,
    Room,
    Square,
    Stack,
    Thing,
    along,
    cells,
    shift,
    square,
)
from bearleft.records import Cell
from bearleft.world.arramon.items.names import Item
from bearleft.world.arramon.items.names import item_by_name as named
from bearleft.world.arramon.moves import FLOOR
from bearleft.world.arramon.task_setup import RoomItem

# How often one turns first: by how far the cell lies off the way one looks, as in the released texts.
TURNS = ((60.0, 0.9), (40.0, 0.22), (0.0, 0.015))
# How often a relation comes first, where it is true.
LEFT_RIGHT, DEPTH, NEXT, DIAGONAL, LINE = 12.0, 13.0, 0.5, 0.5, 0.3
TWO_THINGS, THING_AND_WALL, BOTH_WALLS, ONE_WALL = 1.0, 1.0, 10.0, 1.0
AHEAD_OF_ME, BESIDE_ME, AHEAD_ONLY, CLOSER = 28.0, 3.0, 0.5, 0.02
MOST = 2  # relations
STACK = 0.15  # how often a thing is named with what it stands on or under
Said: TypeAlias = tuple[Relation, ...]
Option: TypeAlias = tuple[float, Said]  # how often it is said, and what
WORTH: dict[Literal["next", "diagonal", "line"], float] = {"next": NEXT, "diagonal": DIAGONAL, "line": LINE}


@dataclass(frozen=True)
class Drawing:
    """A cell of a room, looked at while facing a wall."""

    room: Room
    cell: Cell
    random: Random
    carried: str  # the type of what is placed: another of its type needs a word more
    plain: bool = False  # everything by its full name

    def thing(self, spot: Square, top: bool = False) -> Thing:
        """A phrase for something on a square, for what stands on top where it matters."""
        here = [one for one in self.room.things if square(one[1]) == spot]
        chosen = here[-1] if top else self.random.choice(here)
        if len(here) > 1 and self.random.random() < STACK:
            first, second = self.random.sample(here, 2)
            return Stack(self._ref(first[0]), self._ref(second[0]))
        return self._placed(chosen)

    def short(self, spot: Square) -> Ref:
        """Something on a square without where it stands: "the ball by the brick wall and the mug" may be misread."""
        return self._ref(self.random.choice([kind for kind, cell in self.room.things if square(cell) == spot]))

    def _ref(self, one: Item) -> Ref:
        """A thing by some of its words."""
        chance = 1.0 if self.plain else self.random.random()
        if chance < 0.08 and one.type != self.carried:
            return Ref(one.type)
        if chance < 0.12:
            return Ref(one.type, pattern=one.pattern)
        return Ref(one.type, one.colour, None if chance < 0.22 else one.pattern)

    def _placed(self, chosen: tuple[Item, Cell]) -> Ref:
        """A thing by some of its words, perhaps with where it stands."""
        kind, cell = chosen
        ref = self._ref(kind)
        ways = [(12.0 if len(self.room.of(ref)) == 1 else 0.5, ref)]
        column, height, row = cell
        for other, at in self.room.things:
            if at == (column, height + 1, row):
                ways.append((4.0, replace(ref, under=self._ref(other))))
            elif at == (column, height - 1, row):
                ways.append((2.0, replace(ref, on=self._ref(other))))
        ways += [(0.7, replace(ref, wall=wall)) for wall in range(4) if square(cell) in along(wall)]
        ways.append((0.3, replace(ref, seen=self.room.seen(square(cell)))))
        return self.random.choices([way for _, way in ways], [worth for worth, _ in ways])[0]

    def on_top(self) -> Said:
        """On what it is placed."""
        return (On(self.thing(square(self.cell), top=True)),)

    def roughly(self) -> list[Option]:
        """What tells a cell from others like it."""
        found: list[Option] = [(AHEAD_ONLY, (Me("ahead"),)), *((ONE_WALL, (Against(wall),)) for wall in range(4))]
        others = sorted(self.room.taken - {square(self.cell)})
        found += [(CLOSER, (Closer(wall, self.thing(spot)),)) for spot in others for wall in range(4)]
        return self._true(found)

    def _true(self, found: list[Option]) -> list[Option]:
        at = square(self.cell)
        return [(worth, some) for worth, some in found if all(at in self.room.fits(one) for one in some)]

    def floor(self) -> list[Option]:
        """What is true of a cell on the floor, each with how often it is said."""
        at, found = square(self.cell), self._of_me()
        for spot in sorted(self.room.taken):
            for side in SIDES:
                east, north = shift(self.room.facing, side)
                if (spot[0] + east, spot[1] + north) == at:
                    worth = LEFT_RIGHT if side in ("left", "right") else DEPTH
                    found.append((worth, (By(side, self.thing(spot)),)))
            for how, worth in WORTH.items():
                found.append((worth, (Near(how, self.thing(spot)),)))
            found += [(THING_AND_WALL, (Between(self.short(spot), wall),)) for wall in range(4)]
            found += [
                (TWO_THINGS, (Between(self.short(spot), self.short(other)),))
                for other in sorted(self.room.taken)
                if spot < other and at not in (spot, other)
            ]
        found += [(TWO_THINGS, (Between(Ref(kind, two=True), None),)) for kind in self._twice()]
        walls = [Against(wall) for wall in range(4) if at in along(wall)]
        if len(walls) == 2:
            found.append((BOTH_WALLS, tuple(walls)))
        return self._true(found) + self.roughly()

    def _of_me(self) -> list[Option]:
        return [(AHEAD_OF_ME, (Me("front"),)), (BESIDE_ME, (Me("left"),)), (BESIDE_ME, (Me("right"),))]

    def _twice(self) -> list[str]:
        """The types of which there are two."""
        types = [one.type for one, _ in self.room.things]
        return [kind for kind in dict.fromkeys(types) if types.count(kind) == 2]


def facing(cell: Cell, random: Random) -> int:
    """The wall that one turns to before a thing is placed: mostly the brick wall, where one looks anyway."""
    across, ahead = cell[0] - AT_DOOR[0], cell[2] - AT_DOOR[1]
    off = abs(degrees(atan2(across, ahead)))
    chance = next(often for least, often in TURNS if off >= least)
    return (1 if across > 0 else 3) if across and random.random() < chance else 0


def draw(standing: Sequence[RoomItem], item: str, cell: Cell, random: Random, plain: bool = False) -> Meaning | None:
    """What to say to who carries an item, so that only one cell fits; None where this draw found nothing."""
    wall = facing(cell, random)
    drawing = Drawing(Room(standing, wall), cell, random, named(item).type, plain)
    said = drawing.on_top() if cell[1] > FLOOR else ()
    if cells(Meaning(wall, said), standing) == [cell]:
        return Meaning(wall, said)
    options = drawing.roughly() if said else drawing.floor()
    while options and len(said) < MOST:
        # What is enough comes first: people say no more than is needed.
        enough = [(often, more) for often, more in options if cells(Meaning(wall, said + more), standing) == [cell]]
        some = enough or options
        said += random.choices([more for _, more in some], [often for often, _ in some])[0]
        if enough:
            return Meaning(wall, said)
        options = [option for option in options if not _again(said, option[1])]
    return None


def _again(said: Said, more: Said) -> bool:
    """Whether it says again what was said, or speaks of me after all."""
    if (isinstance(more[0], Me) and more[0].side != "ahead") or any(one in said for one in more):
        return True
    things = [one.thing for one in said if isinstance(one, By | Near | Closer)]
    return any(isinstance(one, By | Near | Closer) and one.thing in things for one in more)
