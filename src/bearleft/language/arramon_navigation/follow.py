"""Walks by a text: what it tells of is looked for in the scene, and one takes the shortest way that comes by it all."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from bearleft.language.arramon_navigation.parse import scan
from bearleft.language.arramon_navigation.scene import Scene, Spot
from bearleft.language.arramon_navigation.semantics import Stop, meaning
from bearleft.world.arramon.astar import shortest_actions
from bearleft.world.arramon.grounds import WalkableGrid
from bearleft.world.arramon.moves import AGENT_Z, PICK, replay
from bearleft.world.arramon.task_setup import CityItem


def follow(
    text: str, scene: Scene, ground: WalkableGrid, position: Sequence[float], heading: float, lying: Sequence[CityItem]
) -> list[str]:
    """The actions that a text leads to, "pick" last."""
    at = position[0], position[1]
    way, found = meaning(scan(text), scene, at, heading, lying)
    rest = [one.at[:2] for k, one in enumerate(lying) if k != found]
    stops = [*way, *([(*lying[found].at[:2], 0.0)] if found >= 0 else [])]
    actions: list[str] = []
    done = 0
    while done < len(stops):
        # The farthest stop whose shortest way comes by all those before it; the next one in any case.
        for k in range(len(stops) - 1, done - 1, -1):
            others = rest if found >= 0 and k == len(stops) - 1 else []
            part = shortest_actions(ground, at, heading, stops[k][:2], others)
            if part is None:
                continue
            path, faced = replay((*at, AGENT_Z), heading, part)
            if k == done or _comes_by([spot[:2] for spot in path], stops[done:k]):
                actions += part[:-1]
                at, heading, done = path[-1][:2], faced, k
                break
        done += 1
    return [*actions, PICK]


def _comes_by(path: Sequence[Spot], stops: Sequence[Stop]) -> bool:
    """Whether a path comes by all stops, in their order."""
    k = 0
    for x, y in path:
        while k < len(stops) and hypot(x - stops[k][0], y - stops[k][1]) <= stops[k][2]:
            k += 1
    return k == len(stops)
