"""What lies around in an ArraMon task: collectibles in the city, and what stands in the room before anything is placed.

A task of ours says it in its episode's `extra["setting"]`. Released files hold no distracters and no decoys: there are
their two targets, and the room is empty.
"""

from __future__ import annotations

from dataclasses import dataclass

from bearleft.errors import InputError, shown
from bearleft.records import Cell, Collect, Episode, Position
from bearleft.runtime.json_fields import Fields, Json, each, items, number, whole
from bearleft.world.arramon.items.names import item_by_name
from bearleft.world.arramon.moves import COLUMNS, FLOOR, ROWS
from bearleft.world.arramon.sections.layout import SECTIONS
from bearleft.world.worlds import world_kind

MAX_COORDINATE = 1e6  # metres; worlds are some hundred across
FACINGS = 4  # ways a thing may look: 0 along GRID's heading, then clockwise by 90 degrees
MAX_STACK_HEIGHT = 4


@dataclass(frozen=True, slots=True)
class CityItem:
    """A collectible in the city."""

    item: str
    at: Position
    facing: int = 0


@dataclass(frozen=True, slots=True)
class RoomItem:
    """A collectible in the room."""

    item: str
    cell: Cell


@dataclass(frozen=True)
class TaskSetup:
    """`lying`: the targets of both turns first, then the distracters. `section` is 0 where there are none."""

    lying: tuple[CityItem, ...]
    standing: tuple[RoomItem, ...] = ()
    section: int = 0

    def to_json(self) -> Json:
        return {
            "section": self.section,
            "lying": [[one.item, list(one.at), one.facing] for one in self.lying],
            "standing": [[one.item, list(one.cell)] for one in self.standing],
        }

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> TaskSetup:
        row = Fields(value, field)
        standing = each(_standing, row["standing"], row.name("standing"))
        taken = [one.cell for one in standing]
        for k, (column, height, line) in enumerate(taken):
            if taken.count(taken[k]) > 1 or (height > FLOOR and (column, height - 1, line) not in taken):
                expected = "things on the floor or on one another, one a cell"
                raise InputError(expected, shown(list(taken[k])), f"{row.name('standing')}[{k}]")
        lying = each(_lying, row["lying"], row.name("lying"), some=True)
        return cls(lying, standing, row.whole("section", 0, SECTIONS))

    @classmethod
    def of(cls, episode: Episode) -> TaskSetup:
        """What lies around in an episode."""
        if "setting" in episode.extra:
            return cls.from_json(episode.extra["setting"], "setting")
        if not world_kind(episode.world).recorded:
            hint = "Only tasks of released files, in worlds arramon/MAPID, go without."
            raise InputError("a setting that says what lies around", "none", "setting", hint=hint)
        goals = [leg.goal for leg in episode.legs if isinstance(leg.goal, Collect)]
        return cls(tuple(CityItem(goal.item, goal.at) for goal in goals))


def _lying(value: Json, field: str) -> CityItem:
    name, at, facing = items(value, field, 3)
    spots = enumerate(items(at, f"{field}[1]", 3))
    east, north, up = (number(v, f"{field}[1][{k}]", -MAX_COORDINATE, MAX_COORDINATE) for k, v in spots)
    return CityItem(_name(name, field), (east, north, up), whole(facing, f"{field}[2]", 0, FACINGS - 1))


def _standing(value: Json, field: str) -> RoomItem:
    name, cell = items(value, field, 2)
    column, height, row = items(cell, f"{field}[1]", 3)
    where = (
        whole(column, f"{field}[1][0]", 0, COLUMNS - 1),
        whole(height, f"{field}[1][1]", FLOOR, MAX_STACK_HEIGHT),
        whole(row, f"{field}[1][2]", 0, ROWS - 1),
    )
    return RoomItem(_name(name, field), where)


def _name(value: Json, field: str) -> str:
    try:
        return item_by_name(value if isinstance(value, str) else str(value)).name
    except InputError as error:
        raise error.at(field=f"{field}[0]") from None
