"""Minimal pairs of a city by the name of their kind: those that point and those that walk, as episodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from bearleft.errors import unknown
from bearleft.language.minimal_pairs import pointing as point
from bearleft.language.minimal_pairs import walking as walk
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Episode
from bearleft.world.city.traffic_flow import may_drive
from bearleft.world.graphs.shortest_paths import Ways

Pair = TypeVar("Pair")
KINDS: tuple[str, ...] = (*point.KINDS, *walk.KINDS)


def pair_episodes(
    scene: SceneIndex, kind: str, count: int, seed: int = 0, tell: Callable[[int], None] = lambda _: None
) -> tuple[list[Episode], int]:
    """The episodes of up to `count` pairs of a kind, two and two, and at how many places pairs were looked for.

    `tell` hears how many pairs there are. Fewer pairs are the first of more.
    """
    name = f"city/pairs/{kind}"
    for asked in point.KINDS:
        if asked == kind:
            some, places = _some(point.tried(scene, asked, seed), count, tell)
            return list(point.episodes(scene, some, name)), places
    for walked in walk.KINDS:
        if walked == kind:
            ways = Ways.make(scene.city.graph, may_drive(scene.plan, scene.city.graph))
            found, places = _some(walk.walks_tried(scene, ways, walked, seed), count, tell)
            return list(walk.walk_episodes(scene, found, name)), places
    raise unknown("kind of minimal pair", kind, KINDS)


def _some(tried: Iterator[Pair | None], count: int, tell: Callable[[int], None]) -> tuple[list[Pair], int]:
    """The first pairs, and how many places it took."""
    found: list[Pair] = []
    places = 0
    for places, pair in enumerate(tried, 1):  # noqa: B007  (the last one is asked for)
        if pair is not None:
            found.append(pair)
            tell(len(found))
        if len(found) == count:
            break
    return found, places
