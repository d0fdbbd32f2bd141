"""From leg to leg of an ArraMon task: what still lies in the city, what stands in the room, and what is carried.

The released files name two targets and no more. Their rooms are empty then, but for what must stand below a target that
is not on the floor: such things have no name, and count for the height only. Walks in those files lead through cells
with something on them (128 of the 1,155 second assemblies do), so nothing is in the way there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import hypot
from typing import Any, TypeAlias

from bearleft.errors import InputError, shown
from bearleft.records import Assemble, Cell, Collect, Episode, Position
from bearleft.world.moves import FLOOR, inside
from bearleft.world.setting import HIGHEST, Lying, Setting, Standing

Spot: TypeAlias = tuple[int, int]  # column and row


@dataclass
class Gathering:
    """The games of a task change it: `take` when something is picked up, `put` when it is placed.

    `recorded`: the task comes from a released file, with no obstacle; `below` are its things without a name.
    """

    lying: list[Lying]
    standing: list[Standing]
    recorded: bool = False
    below: dict[Spot, int] = field(default_factory=dict)
    carried: str | None = None
    turn: int = 1

    @classmethod
    def of(cls, episode: Episode) -> Gathering:
        """As a task begins."""
        setting = Setting.of(episode)
        collects = sum(isinstance(leg.goal, Collect) for leg in episode.legs)
        if len(setting.lying) < collects:
            raise InputError(f"at least {collects} things to collect, one a turn", str(len(setting.lying)), "setting")
        if "setting" in episode.extra:
            return cls(list(setting.lying), list(setting.standing))
        below: dict[Spot, int] = {}
        for leg in episode.legs:
            if isinstance(leg.goal, Assemble):
                column, height, row = leg.goal.cell
                below[column, row] = min(height - FLOOR, below.get((column, row), height))
        return cls(list(setting.lying), [], True, {spot: count for spot, count in below.items() if count})

    @classmethod
    def before(cls, episode: Episode, leg: int) -> Gathering:
        """As a leg begins after the reference's way through the legs before it."""
        made = cls.of(episode)
        for one in episode.legs[:leg]:
            if isinstance(one.goal, Collect):
                made.take(made.asked_for(one.goal))
            elif isinstance(one.goal, Assemble):
                made.put(one.goal.cell)
        return made

    def asked_for(self, goal: Collect) -> Lying:
        """What a leg asks for; an error where it does not lie there."""
        for one in self.lying:
            if (one.item, one.at) == (goal.item, goal.at):
                return one
        raise InputError(f"the {goal.item} at {shown(list(goal.at))} among what lies around", "none", "setting")

    def nearest(self, position: Position, among: Sequence[Lying] | None = None) -> Lying:
        """What lies nearest on the ground, the first of equals."""
        return min(self.lying if among is None else among, key=lambda one: apart(position, one.at))

    def seen_lying(self) -> list[list[Any]]:
        """What lies around as plain values, by name: a setting's own order would tell the targets, which come first."""
        return sorted([one.item, list(one.at), one.facing] for one in self.lying)

    def take(self, one: Lying) -> None:
        self.lying.remove(one)
        self.carried = one.item

    def put(self, cell: Cell) -> None:
        """Puts down what is carried; the next turn begins."""
        if self.carried is None:
            raise InputError("something that is carried", "nothing", hint="A turn collects before it assembles.")
        self.standing.append(Standing(self.carried, cell))
        self.carried = None
        self.turn += 1

    def height(self, spot: Spot) -> int:
        """How many things stand there, those without a name too."""
        return self.below.get(spot, 0) + sum((one.cell[0], one.cell[2]) == spot for one in self.standing)

    def blocked(self, spot: Spot) -> bool:
        """Whether a wall or a thing is in the way there."""
        return not inside((spot[0], FLOOR, spot[1])) or (not self.recorded and self.height(spot) > 0)

    def top(self, spot: Spot | None) -> Cell | None:
        """The cell that a thing put there comes to stand on; None behind a wall, or on top of a full stack."""
        if spot is None or not inside((spot[0], FLOOR, spot[1])) or self.height(spot) >= HIGHEST:
            return None
        return spot[0], FLOOR + self.height(spot), spot[1]


def apart(one: Position, other: Position) -> float:
    """Metres on the ground."""
    return hypot(one[0] - other[0], one[1] - other[1])
