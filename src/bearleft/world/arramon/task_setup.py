"""Items of an ArraMon task: collectibles in the city, and items in the room at the start.

Generated episodes store them in `extra["setting"]`, with the keys "lying" (items in the city) and "standing" (items in
the room). "setting", "lying" and "standing" are older names; they stay because files contain them.

A distractor is an item in the city that resembles a target; a decoy is an item that is in the room from the start.
Released files hold neither: their tasks have two targets and an empty room.
"""

from __future__ import annotations

from dataclasses import dataclass

from bearleft.errors import InputError, format_value
from bearleft.records import Cell, Collect, Episode, Position
from bearleft.runtime.json_fields import Fields, Json, integer, items, number, parse_list
from bearleft.world.arramon.items.names import item_by_name
from bearleft.world.arramon.moves import COLUMNS, FLOOR, ROWS
from bearleft.world.arramon.sections.layout import SECTIONS
from bearleft.world.worlds import world_kind

MAX_COORDINATE = 1e6  # metres; worlds are a few hundred across
FACINGS = 4  # facing k is moves.GRID_HEADING plus 90 k degrees
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
    """The items of a task.

    `city_items` holds the targets of both turns first, then the distractors. `section` is the section's number, 0 in
    worlds without sections.
    """

    city_items: tuple[CityItem, ...]
    room_items: tuple[RoomItem, ...] = ()
    section: int = 0

    def to_json(self) -> Json:
        """Return the setup as JSON, in the form of `extra["setting"]`."""
        return {
            "section": self.section,
            "lying": [[item.item, list(item.at), item.facing] for item in self.city_items],
            "standing": [[item.item, list(item.cell)] for item in self.room_items],
        }

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> TaskSetup:
        """Return the setup that `to_json` wrote.

        Args:
            value: The JSON value.
            field: Name of the field it comes from, for error messages.

        Raises:
            InputError: A field is missing or wrong, or items share a cell or hang in the air.
        """
        row = Fields(value, field)
        room_items = parse_list(_room_item, row["standing"], row.name("standing"))
        cells = [item.cell for item in room_items]
        for k, (column, height, line) in enumerate(cells):
            if cells.count(cells[k]) > 1 or (height > FLOOR and (column, height - 1, line) not in cells):
                expected = "items on the floor or on another item, one per cell"
                raise InputError(expected, format_value(list(cells[k])), f"{row.name('standing')}[{k}]")
        city_items = parse_list(_city_item, row["lying"], row.name("lying"), nonempty=True)
        return cls(city_items, room_items, row.integer("section", 0, SECTIONS))

    @classmethod
    def from_episode(cls, episode: Episode) -> TaskSetup:
        """Return the setup of an episode; raise InputError for an episode of a generated world without one."""
        if "setting" in episode.extra:
            return cls.from_json(episode.extra["setting"], "setting")
        if not world_kind(episode.world).from_release:
            hint = "Only tasks of released files, in worlds arramon/MAPID, have none."
            raise InputError("a task setup with the items of the task", "none", "setting", hint=hint)
        goals = [leg.goal for leg in episode.legs if isinstance(leg.goal, Collect)]
        return cls(tuple(CityItem(goal.item, goal.at) for goal in goals))


def _city_item(value: Json, field: str) -> CityItem:
    name, at, facing = items(value, field, 3)
    coordinates = enumerate(items(at, f"{field}[1]", 3))
    east, north, up = (number(v, f"{field}[1][{k}]", -MAX_COORDINATE, MAX_COORDINATE) for k, v in coordinates)
    return CityItem(_item_name(name, field), (east, north, up), integer(facing, f"{field}[2]", 0, FACINGS - 1))


def _room_item(value: Json, field: str) -> RoomItem:
    name, cell = items(value, field, 2)
    column, height, row = items(cell, f"{field}[1]", 3)
    position = (
        integer(column, f"{field}[1][0]", 0, COLUMNS - 1),
        integer(height, f"{field}[1][1]", FLOOR, MAX_STACK_HEIGHT),
        integer(row, f"{field}[1][2]", 0, ROWS - 1),
    )
    return RoomItem(_item_name(name, field), position)


def _item_name(value: Json, field: str) -> str:
    try:
        return item_by_name(value if isinstance(value, str) else str(value)).name
    except InputError as error:
        raise error.at(field=f"{field}[0]") from None
