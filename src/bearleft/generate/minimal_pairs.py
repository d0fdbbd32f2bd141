"""Minimal pairs of a city by kind, as episodes: pointing pairs and navigation pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from bearleft.errors import unknown
from bearleft.language.minimal_pairs import pointing, walking
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Episode
from bearleft.world.city.traffic_flow import drivable_links
from bearleft.world.graphs.shortest_paths import PathFinder

Pair = TypeVar("Pair")
KINDS: tuple[str, ...] = (*pointing.KINDS, *walking.WALK_KINDS)


def pair_episodes(
    scene: SceneIndex, kind: str, count: int, seed: int = 0, progress: Callable[[int], None] = lambda _: None
) -> tuple[list[Episode], int]:
    """Return the episodes of up to `count` pairs of a kind, and the number of places tried.

    The two episodes of a pair are consecutive. A smaller `count` gives the first pairs of a larger one.

    Args:
        scene: The city.
        kind: One of KINDS.
        count: The number of pairs.
        seed: The seed of the places.
        progress: Called with the number of pairs found.
    """
    name = f"city/pairs/{kind}"
    for pointing_kind in pointing.KINDS:
        if pointing_kind == kind:
            pointing_pairs, places = _first_pairs(pointing.iterate_pairs(scene, pointing_kind, seed), count, progress)
            return list(pointing.episodes_from_pairs(scene, pointing_pairs, name)), places
    for walking_kind in walking.WALK_KINDS:
        if walking_kind == kind:
            ways = PathFinder.make(scene.city.graph, drivable_links(scene.plan, scene.city.graph))
            walking_pairs, places = _first_pairs(
                walking.iterate_walk_pairs(scene, ways, walking_kind, seed), count, progress
            )
            return list(walking.episodes_from_walk_pairs(scene, walking_pairs, name)), places
    raise unknown("kind of minimal pair", kind, KINDS)


def _first_pairs(
    candidates: Iterator[Pair | None], count: int, progress: Callable[[int], None]
) -> tuple[list[Pair], int]:
    """Return the first `count` pairs, and the number of places tried."""
    pairs: list[Pair] = []
    places = 0
    for places, pair in enumerate(candidates, 1):  # noqa: B007  (used after the loop)
        if pair is not None:
            pairs.append(pair)
            progress(len(pairs))
        if len(pairs) == count:
            break
    return pairs, places
