"""Minimal pairs of a city by kind, as episodes: pairs of descriptions and pairs of instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from bearleft.errors import unknown_name
from bearleft.language.minimal_pairs import descriptions, instructions
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Episode
from bearleft.world.city.traffic_flow import drivable_links
from bearleft.world.graphs.shortest_paths import PathFinder

Pair = TypeVar("Pair")
KINDS: tuple[str, ...] = (*descriptions.DESCRIPTION_KINDS, *instructions.INSTRUCTION_KINDS)


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
    for description_kind in descriptions.DESCRIPTION_KINDS:
        if description_kind == kind:
            description_pairs, places = _first_pairs(
                descriptions.iterate_description_pairs(scene, description_kind, seed), count, progress
            )
            return list(descriptions.description_pair_episodes(scene, description_pairs, name)), places
    for instruction_kind in instructions.INSTRUCTION_KINDS:
        if instruction_kind == kind:
            paths = PathFinder.make(scene.city.graph, drivable_links(scene.plan, scene.city.graph))
            instruction_pairs, places = _first_pairs(
                instructions.iterate_instruction_pairs(scene, paths, instruction_kind, seed), count, progress
            )
            return list(instructions.instruction_pair_episodes(scene, instruction_pairs, name)), places
    raise unknown_name("kind of minimal pair", kind, KINDS)


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
