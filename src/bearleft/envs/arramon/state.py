"""From leg to leg of an ArraMon task: what still lies in the city, what stands in the room, and what is carried.

The released files name two targets and no more. Their rooms are empty then, but for what must stand below a target that
is not on the floor: such things have no name, and count for the height only. Walks in those files lead through cells
with something on them (128 of the 1,155 second assemblies do), so nothing is in the way there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import hypot
from typing import TypeAlias

from bearleft.errors import InputError, shown
from bearleft.records import Assemble, Cell, Collect, Episode, Leg, Position
from bearleft.world.arramon.moves import COLUMNS, FLOOR, ROWS, is_inside_room
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT, CityItem, RoomItem, TaskSetup

Spot: TypeAlias = tuple[int, int]  # column and row


@dataclass
class TaskState:
    """The games of a task change it: `take` when something is picked up, `put` when it is placed.

    `lying` is in the order of names: a setting's own order would tell the targets, which come first. `recorded`: the
    task comes from a released file, with no obstacle; `below` are its things without a name. `taken` is what was taken
    last: another thing may have the same name.
    """

    lying: list[CityItem]
    standing: list[RoomItem]
    recorded: bool = False
    below: dict[Spot, int] = field(default_factory=dict)
    carried: str | None = None
    turn: int = 1
    taken: CityItem | None = None

    @classmethod
    def of(cls, episode: Episode) -> TaskState:
        """As a task begins; an error where its references cannot be followed."""
        made = cls._begun(episode)
        replace(made, lying=list(made.lying), standing=list(made.standing)).follow(episode.legs)
        return made

    @classmethod
    def _begun(cls, episode: Episode) -> TaskState:
        setting = TaskSetup.of(episode)
        lying = sorted(setting.lying, key=lambda one: (one.item, one.at, one.facing))
        if "setting" in episode.extra:
            return cls(lying, list(setting.standing))
        below: dict[Spot, int] = {}
        for leg in episode.legs:
            if isinstance(leg.goal, Assemble):
                column, height, row = leg.goal.cell
                below[column, row] = min(height - FLOOR, below.get((column, row), height))
        return cls(lying, [], True, {spot: count for spot, count in below.items() if count})

    @classmethod
    def before(cls, episode: Episode, leg: int) -> TaskState:
        """As a leg begins after the reference's way through the legs before it."""
        made = cls.of(episode)
        made.follow(episode.legs[:leg])
        return made

    def follow(self, legs: Sequence[Leg]) -> None:
        """Takes and puts what the references of legs do."""
        for k, leg in enumerate(legs):
            if isinstance(leg.goal, Collect):
                self.take(self.target_of(leg.goal))
            elif isinstance(leg.goal, Assemble):
                self.put(self._possible(leg.goal.cell, f"legs[{k}].assemble"))

    def _possible(self, cell: Cell, field: str) -> Cell:
        """A cell that something can be put onto: in the room, and in tasks of ours on top of what stands there."""
        column, height, row = cell
        if not is_inside_room(cell) or not FLOOR <= height <= MAX_STACK_HEIGHT:
            expected = f"a cell of columns 0 to {COLUMNS - 1}, heights {FLOOR} to {HIGHEST}, rows 0 to {ROWS - 1}"
            raise InputError(expected, shown(list(cell)), field)
        if not self.recorded and cell != self.top((column, row)):
            expected = f"a cell on top of the {self.height((column, row))} things that stand there"
            raise InputError(expected, shown(list(cell)), field)
        return cell

    def target_of(self, goal: Collect) -> CityItem:
        """What a leg asks for; an error where it does not lie there."""
        for one in self.lying:
            if (one.item, one.at) == (goal.item, goal.at):
                return one
        raise InputError(f"the {goal.item} at {shown(list(goal.at))} among what lies around", "none", "setting")

    def nearest(self, position: Position, among: Sequence[CityItem] | None = None) -> CityItem:
        """What lies nearest on the ground, the first of equals."""
        return min(self.lying if among is None else among, key=lambda one: apart(position, one.at))

    def take(self, one: CityItem) -> None:
        self.lying.remove(one)
        self.carried, self.taken = one.item, one

    def meant(self, goal: Collect) -> bool:
        """Whether what was taken last is what a leg asks for."""
        return self.taken is not None and (self.taken.item, self.taken.at) == (goal.item, goal.at)

    def put(self, cell: Cell) -> None:
        """Puts down what is carried; the next turn begins."""
        if self.carried is None:
            raise InputError("something that is carried", "nothing", hint="A turn collects before it assembles.")
        self.standing.append(RoomItem(self.carried, cell))
        self.carried = None
        self.turn += 1

    def height(self, spot: Spot) -> int:
        """How many things stand there, those without a name too."""
        return self.below.get(spot, 0) + sum((one.cell[0], one.cell[2]) == spot for one in self.standing)

    def blocked(self, spot: Spot) -> bool:
        """Whether a wall or a thing is in the way there."""
        return not is_inside_room((spot[0], FLOOR, spot[1])) or (not self.recorded and self.height(spot) > 0)

    def top(self, spot: Spot | None) -> Cell | None:
        """The cell that a thing put there comes to stand on; None behind a wall, or on top of a full stack."""
        if spot is None or not is_inside_room((spot[0], FLOOR, spot[1])) or self.height(spot) >= MAX_STACK_HEIGHT:
            return None
        return spot[0], FLOOR + self.height(spot), spot[1]


def apart(one: Position, other: Position) -> float:
    """Metres on the ground."""
    return hypot(one[0] - other[0], one[1] - other[1])
