"""Kinds of the units of ArraMon's data collection, and what the server tells a browser of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import DIGITS, CollectGame
from bearleft.envs.arramon.pictures import CAMERA_PITCH, EYE_HEIGHT
from bearleft.records import Position
from bearleft.world.arramon.items.names import COLOURS, item_by_name
from bearleft.world.arramon.moves import TURN_DEGREES, TURNS_PER_CIRCLE, cell_ahead
from bearleft.world.arramon.room import CAMERA_PITCH as ROOM_PITCH
from bearleft.world.arramon.room import EYE_HEIGHT as ROOM_EYE
from bearleft.world.arramon.task_setup import CityItem, RoomItem
from bearleft.world.arramon.walkable import step_forward

WRITING_QUIZ, WRITING = "arramon/writing-quiz", "arramon/writing"
FOLLOWING_QUIZ, PLACEMENT_TEST, FOLLOWING = "arramon/following-quiz", "arramon/placement-test", "arramon/following"
CHECK = "arramon/check"  # an attention check
CITY, ROOM = "city", "room"
PHASES = ("navigation", "assembly")  # of leg k: PHASES[k % 2]
LEGS = 4
CAMERAS = {CITY: [EYE_HEIGHT, CAMERA_PITCH], ROOM: [ROOM_EYE, ROOM_PITCH]}  # metres and degrees

View = dict[str, Any]


def city_pose(position: Position, heading: float, free: list[bool]) -> View:
    """Return a pose in the city as browsers get it.

    Args:
        position: East, north and up in metres.
        heading: Degrees clockwise from north.
        free: Whether a step is possible after 0, 1, ... turns to the right.
    """
    return {"place": CITY, "position": _rounded(position), "heading": heading, "free": free}


def collect_pose(game: CollectGame) -> View:
    """Return the pose of a walk."""
    east, north, _ = game.position
    headings = [game.heading + TURN_DEGREES * k for k in range(TURNS_PER_CIRCLE)]
    free = step_forward(game.ground, east, north, headings)[2]
    return city_pose(game.position, game.heading, [bool(flag) for flag in free])


def room_pose(game: AssembleGame) -> View:
    """Return the pose in the room: the cell, the heading, and the cell that "place" would put the item on."""
    state = game.task_state

    def can_step(turns: int) -> bool:
        ahead = cell_ahead(*game.floor_cell, game.rotations + turns)
        return ahead is not None and not state.blocked(ahead)

    return {
        "place": ROOM,
        "cell": list(game.cell),
        "heading": game.heading,
        "free": [can_step(turns) for turns in range(TURNS_PER_CIRCLE)],
        "ahead": None if game.ahead is None else list(game.ahead),
    }


def city_scene(world: str, section: int, city_items: Sequence[CityItem]) -> View:
    """Return what stands in the city: the section's model and the items, in an order that tells nothing."""
    shown = [{"item": item.item, "at": _rounded(item.at), "facing": item.facing} for item in city_items]
    return {"place": CITY, "world": world, "section": section, "items": shown, "camera": CAMERAS[CITY]}


def room_scene(room_items: Sequence[RoomItem], carried: str | None) -> View:
    """Return what stands in the room, and what the person carries."""
    shown = [{"item": item.item, "cell": list(item.cell)} for item in room_items]
    colours = {item.item: "#{:02x}{:02x}{:02x}".format(*COLOURS[item_by_name(item.item).colour]) for item in room_items}
    return {"place": ROOM, "items": shown, "carried": carried, "colours": colours, "camera": CAMERAS[ROOM]}


def _rounded(position: Position) -> list[float]:
    """Return a position in whole millimetres, as in the environments' observations."""
    return [round(value, DIGITS) for value in position]
