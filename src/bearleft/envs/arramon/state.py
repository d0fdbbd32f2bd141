"""State of an ArraMon task: the items in the city and in the room, and the one that is carried.

The released files name the two targets alone. Their rooms are empty, except for the items that must support a target
above the floor: such items have no name and count for the height only. Walks in those files lead through cells with
items (128 of the 1,155 second assemblies do), so these tasks have no obstacles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import hypot
from typing import TypeAlias

from bearleft.errors import InputError, format_value
from bearleft.records import Assemble, Cell, Collect, Episode, Leg, Position
from bearleft.world.arramon.moves import COLUMNS, FLOOR, ROWS, is_inside_room
from bearleft.world.arramon.task_setup import MAX_STACK_HEIGHT, CityItem, RoomItem, TaskSetup

FloorCell: TypeAlias = tuple[int, int]  # column and row, without a height


@dataclass
class TaskState:
    """State of a task, which its games change: `take` picks an item up, `put` places it.

    `city_items` are the items in the city, sorted by name: the order of the setup would reveal the targets, which come
    first. `room_items` are those in the room. `from_release` is True for a task of a released file, without obstacles;
    `support_heights` counts its items without a name on each floor cell. `carried` is the name of the carried item, or
    None; `taken` is the item carried last, with its position: another item may have the same name.
    `turn_number` is 1 or 2.
    """

    city_items: list[CityItem]
    room_items: list[RoomItem]
    from_release: bool = False
    support_heights: dict[FloorCell, int] = field(default_factory=dict)
    carried: str | None = None
    turn_number: int = 1
    taken: CityItem | None = None

    @classmethod
    def from_episode(cls, episode: Episode) -> TaskState:
        """Return the state at the beginning of a task; raise InputError if its references cannot be followed."""
        state = cls._initial(episode)
        replace(state, city_items=list(state.city_items), room_items=list(state.room_items)).follow(episode.legs)
        return state

    @classmethod
    def _initial(cls, episode: Episode) -> TaskState:
        setup = TaskSetup.from_episode(episode)
        city_items = sorted(setup.city_items, key=lambda item: (item.item, item.at, item.facing))
        if "setting" in episode.extra:
            return cls(city_items, list(setup.room_items))
        heights: dict[FloorCell, int] = {}
        for leg in episode.legs:
            if isinstance(leg.goal, Assemble):
                column, height, row = leg.goal.cell
                heights[column, row] = min(height - FLOOR, heights.get((column, row), height))
        return cls(city_items, [], True, {floor_cell: count for floor_cell, count in heights.items() if count})

    @classmethod
    def at_leg(cls, episode: Episode, leg: int) -> TaskState:
        """Return the state at the beginning of a leg, after the references of the legs before it."""
        state = cls.from_episode(episode)
        state.follow(episode.legs[:leg])
        return state

    def follow(self, legs: Sequence[Leg]) -> None:
        """Take and put the items as the references of legs do."""
        for k, leg in enumerate(legs):
            if isinstance(leg.goal, Collect):
                self.take(self.target_of(leg.goal))
            elif isinstance(leg.goal, Assemble):
                self.put(self._check_cell(leg.goal.cell, f"legs[{k}].assemble"))

    def _check_cell(self, cell: Cell, field: str) -> Cell:
        """Return a cell that an item can be put on, which in generated tasks is on top of the items there."""
        column, height, row = cell
        if not is_inside_room(cell) or not FLOOR <= height <= MAX_STACK_HEIGHT:
            expected = (
                f"a cell of columns 0 to {COLUMNS - 1}, heights {FLOOR} to {MAX_STACK_HEIGHT}, rows 0 to {ROWS - 1}"
            )
            raise InputError(expected, format_value(list(cell)), field)
        if not self.from_release and cell != self.top((column, row)):
            expected = f"a cell on top of the {self.height((column, row))} items that stand there"
            raise InputError(expected, format_value(list(cell)), field)
        return cell

    def target_of(self, goal: Collect) -> CityItem:
        """Return the target item of a leg; raise InputError if it is not in the city."""
        for item in self.city_items:
            if (item.item, item.at) == (goal.item, goal.at):
                return item
        raise InputError(f"the {goal.item} at {format_value(list(goal.at))} among the items", "none", "setting")

    def nearest(self, position: Position, among: Sequence[CityItem] | None = None) -> CityItem:
        """Return the item nearest on the ground, the first of equals."""
        return min(self.city_items if among is None else among, key=lambda item: ground_distance(position, item.at))

    def take(self, item: CityItem) -> None:
        """Pick up an item."""
        self.city_items.remove(item)
        self.carried, self.taken = item.item, item

    def took_target(self, goal: Collect) -> bool:
        """Return whether the item taken last is the target of a leg."""
        return self.taken is not None and (self.taken.item, self.taken.at) == (goal.item, goal.at)

    def put(self, cell: Cell) -> None:
        """Put the carried item down; the next turn begins."""
        if self.carried is None:
            raise InputError("an item to place", "none", hint="A turn collects before it assembles.")
        self.room_items.append(RoomItem(self.carried, cell))
        self.carried = None
        self.turn_number += 1

    def height(self, floor_cell: FloorCell) -> int:
        """Return the number of items on a floor cell, those without a name included."""
        return self.support_heights.get(floor_cell, 0) + sum(
            (item.cell[0], item.cell[2]) == floor_cell for item in self.room_items
        )

    def blocked(self, floor_cell: FloorCell) -> bool:
        """Return whether a wall or an item is in the way."""
        return not is_inside_room((floor_cell[0], FLOOR, floor_cell[1])) or (
            not self.from_release and self.height(floor_cell) > 0
        )

    def top(self, floor_cell: FloorCell | None) -> Cell | None:
        """Return the cell of an item that is put on a floor cell; None outside the room or on a full stack."""
        if (
            floor_cell is None
            or not is_inside_room((floor_cell[0], FLOOR, floor_cell[1]))
            or self.height(floor_cell) >= MAX_STACK_HEIGHT
        ):
            return None
        return floor_cell[0], FLOOR + self.height(floor_cell), floor_cell[1]


def ground_distance(a: Position, b: Position) -> float:
    """Return the distance on the ground in metres."""
    return hypot(a[0] - b[0], a[1] - b[1])
