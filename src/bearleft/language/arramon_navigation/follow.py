"""Follower of instructions: objects are located in the scene, and the shortest path past all of them is taken."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from bearleft.language.arramon_navigation.parse import parse_frames
from bearleft.language.arramon_navigation.scene import Position2D, SectionScene
from bearleft.language.arramon_navigation.semantics import Stop, follow_frames
from bearleft.world.arramon.astar import shortest_actions
from bearleft.world.arramon.moves import AGENT_Z, PICK, replay
from bearleft.world.arramon.task_setup import CityItem
from bearleft.world.arramon.walkable import WalkableGrid


def follow_instruction(
    text: str,
    scene: SectionScene,
    ground: WalkableGrid,
    position: Sequence[float],
    heading: float,
    city_items: Sequence[CityItem],
) -> list[str]:
    """Return the actions that a text leads to, "pick" last."""
    start = position[0], position[1]
    passed_stops, chosen = follow_frames(parse_frames(text), scene, start, heading, city_items)
    other_items = [item.at[:2] for k, item in enumerate(city_items) if k != chosen]
    stops = [*passed_stops, *([(*city_items[chosen].at[:2], 0.0)] if chosen >= 0 else [])]
    actions: list[str] = []
    reached = 0
    while reached < len(stops):
        # The farthest stop whose shortest path passes all stops before it, or else the next one.
        for k in range(len(stops) - 1, reached - 1, -1):
            others = other_items if chosen >= 0 and k == len(stops) - 1 else []
            segment_actions = shortest_actions(ground, start, heading, stops[k][:2], others)
            if segment_actions is None:
                continue
            path, end_heading = replay((*start, AGENT_Z), heading, segment_actions)
            if k == reached or _passes_stops([spot[:2] for spot in path], stops[reached:k]):
                actions += segment_actions[:-1]
                start, heading, reached = path[-1][:2], end_heading, k
                break
        reached += 1
    return [*actions, PICK]


def _passes_stops(path: Sequence[Position2D], stops: Sequence[Stop]) -> bool:
    """Return whether a path passes all stops, in order."""
    k = 0
    for x, y in path:
        while k < len(stops) and hypot(x - stops[k][0], y - stops[k][1]) <= stops[k][2]:
            k += 1
    return k == len(stops)
