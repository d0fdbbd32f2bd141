"""ArraMon's tasks as the report's page reads them: what lies and stands around, and what each agent did with it."""

from __future__ import annotations

from typing import Any

from bearleft.errors import InputError
from bearleft.records import Collect, Episode, LegTrace
from bearleft.report.arramon_replay import Played
from bearleft.report.html.maps import colour
from bearleft.report.html.places import Places
from bearleft.runtime.json_fields import Json
from bearleft.world.arramon.items.names import COLOURS, item
from bearleft.world.arramon.moves import COLUMNS, DOOR, PICK, PLACE, ROWS
from bearleft.world.arramon.room import LOOKS, WALLS
from bearleft.world.arramon.task_setup import TaskSetup

Look = list[str]  # an item's name, type, colour and pattern


def room() -> Json:
    """The room without anything in it: its walls at headings 0, 90, 180 and 270, with their two colours."""
    walls = [[name, colour(LOOKS[name][1]), colour(LOOKS[name][2])] for name in WALLS]
    return {"columns": COLUMNS, "rows": ROWS, "door": cell_number(DOOR[0], DOOR[2]), "walls": walls}


def cell_number(column: float, row: float) -> int:
    """Cells are counted row by row."""
    return round(column) + COLUMNS * round(row)


def look(name: str) -> Look:
    """What an item looks like; one that bearleft does not know has a name only."""
    try:
        known = item(name)
    except InputError:
        return [name, "", "", ""]
    return [name, known.type, colour(COLOURS[known.colour]), known.pattern]


def around(episode: Episode, places: Places) -> dict[str, Any]:
    """What lies in the city, each with its place, and what stands in the room, each with its cell and height."""
    if not any(isinstance(leg.goal, Collect) for leg in episode.legs):
        return {}
    setting = TaskSetup.of(episode)
    return {
        "things": [[*look(one.item), places.position(one.at[0], one.at[1])] for one in setting.lying],
        "decoys": [[*look(one.item), cell_number(one.cell[0], one.cell[2]), one.cell[1]] for one in setting.standing],
    }


def collected(episode: Episode, one: Played, did: LegTrace, places: Places) -> dict[str, Any]:
    """Where one was at every step, what was picked up, whether one tried to, and what was taken of what lay there."""
    lying = list(TaskSetup.of(episode).lying)
    return {
        "at": [places.position(*spot) for spot, _ in one.states],
        "to": [round(heading) % 360 for _, heading in one.states],
        "item": did.answer if isinstance(did.answer, str) else None,
        "tried": did.actions[-1:] == (PICK,),
        "took": lying.index(one.took) if one.took is not None else None,
    }


def assembled(one: Played, did: LegTrace) -> dict[str, Any]:
    """The cells one was on at every step, what was carried, and where it was put: by oneself or for want of that."""
    return {
        "cells": [cell_number(*spot) for spot, _ in one.states],
        "to": [round(heading) % 360 for _, heading in one.states],
        "carried": look(one.carried) if one.carried is not None else None,
        "cell": list(one.cell) if one.cell is not None else None,
        "own": did.actions[-1:] == (PLACE,),
    }
