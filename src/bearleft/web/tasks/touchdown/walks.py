"""Walking along the links of a world, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import Fields
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.base import Data, EventData

MAX_MOVES = 2000
START_HEADING = 0.0  # writers and followers begin facing north


@dataclass(frozen=True)
class Walk:
    """Where a walker is, and the places so far, the start first."""

    world: str
    path: tuple[str, ...]
    heading: float

    @property
    def place(self) -> str:
        """Return the current place."""
        return self.path[-1]

    def to_json(self, worlds: SceneWorlds) -> dict[str, Any]:
        """Return what the browser shows of the walker."""
        return worlds.walk(self.world, self.place, self.heading)


def walk_of(world: str, start: str, heading: float, events: Sequence[EventData]) -> Walk:
    """Return the walk after the events of an attempt."""
    moves = [event for event in events if event.kind == "move"]
    path = (start, *(event.data["place"] for event in moves))
    return Walk(world, path, moves[-1].result["walk"]["heading"] if moves else heading)


def move(worlds: SceneWorlds, walk: Walk, data: Data) -> dict[str, Any]:
    """Walk along a link and return what the browser shows then; the walker faces the way it went.

    Raises:
        InputError: The place is not linked to the current one, or there have been too many moves.
    """
    place = Fields(dict(data)).nonempty_text("place")
    link = next((link for link in worlds.links(walk.world, walk.place) if link["place"] == place), None)
    if link is None:
        raise InputError(f"a place linked to {walk.place}", format_value(place), "place")
    if len(walk.path) > MAX_MOVES:
        raise InputError(f"at most {MAX_MOVES} moves", "one more", "place")
    return {"walk": worlds.walk(walk.world, place, link["heading"])}


def count_reached(path: Sequence[str], route: Sequence[str]) -> int:
    """Return how many places of a route a path has passed in order; detours between them do not matter."""
    reached = 0
    for place in path:
        if reached < len(route) and place == route[reached]:
            reached += 1
    return reached
