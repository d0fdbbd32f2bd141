"""Report data of ArraMon's tasks: city items, room items, and the actions of each agent."""

from __future__ import annotations

from typing import Any

from bearleft.errors import InputError
from bearleft.records import Collect, Episode, LegTrace
from bearleft.reports.arramon_replay import ReplayedLeg
from bearleft.reports.html.maps import hex_colour
from bearleft.reports.html.places import Places
from bearleft.runtime.json_fields import Json
from bearleft.world.arramon.items.names import COLOURS, item_by_name
from bearleft.world.arramon.moves import COLUMNS, DOOR, PICK, PLACE, ROWS
from bearleft.world.arramon.room import WALL_STYLES, WALLS
from bearleft.world.arramon.task_setup import TaskSetup

ItemLook = list[str]  # name, type, colour and pattern of an item


def room_data() -> Json:
    """Return the empty room: its walls at headings 0, 90, 180 and 270, with their two colours."""
    walls = [[name, hex_colour(WALL_STYLES[name][1]), hex_colour(WALL_STYLES[name][2])] for name in WALLS]
    return {"columns": COLUMNS, "rows": ROWS, "door": cell_number(DOOR[0], DOOR[2]), "walls": walls}


def cell_number(column: float, row: float) -> int:
    """Return the number of a cell, counted row by row."""
    return round(column) + COLUMNS * round(row)


def item_look(name: str) -> ItemLook:
    """Return the look of an item; an unknown item has only a name."""
    try:
        known_item = item_by_name(name)
    except InputError:
        return [name, "", "", ""]
    return [name, known_item.type, hex_colour(COLOURS[known_item.colour]), known_item.pattern]


def task_items(episode: Episode, places: Places) -> dict[str, Any]:
    """Return the items in the city with their positions, and those in the room with their cells and heights."""
    if not any(isinstance(leg.goal, Collect) for leg in episode.legs):
        return {}
    setup = TaskSetup.from_episode(episode)
    return {
        "items": [
            [*item_look(placed.item), places.position(placed.at[0], placed.at[1])] for placed in setup.city_items
        ],
        "room_items": [
            [*item_look(placed.item), cell_number(placed.cell[0], placed.cell[2]), placed.cell[1]]
            for placed in setup.room_items
        ],
    }


def collected_data(episode: Episode, replayed: ReplayedLeg, leg_trace: LegTrace, places: Places) -> dict[str, Any]:
    """Return the states of a leg that collects, the answer, whether it tried to pick, and the picked item."""
    city_items = list(TaskSetup.from_episode(episode).city_items)
    return {
        "places": [places.position(*xy) for xy, _ in replayed.states],
        "headings": [round(heading) % 360 for _, heading in replayed.states],
        "item": leg_trace.answer if isinstance(leg_trace.answer, str) else None,
        "tried_to_pick": leg_trace.actions[-1:] == (PICK,),
        "picked": city_items.index(replayed.picked_item) if replayed.picked_item is not None else None,
    }


def assembled_data(replayed: ReplayedLeg, leg_trace: LegTrace) -> dict[str, Any]:
    """Return the states of a leg that assembles, the carried item, its cell, and whether the agent placed it."""
    return {
        "cells": [cell_number(*xy) for xy, _ in replayed.states],
        "headings": [round(heading) % 360 for _, heading in replayed.states],
        "carried": item_look(replayed.carried) if replayed.carried is not None else None,
        "cell": list(replayed.cell) if replayed.cell is not None else None,
        "placed": leg_trace.actions[-1:] == (PLACE,),
    }
