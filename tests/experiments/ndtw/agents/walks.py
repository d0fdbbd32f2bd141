"""Synthetic walks of the table's agents: along the reference, astray and back, by the shortest way, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from bearleft.data import load
from bearleft.experiments.ndtw.agents.saved_walks import AgentWalks
from bearleft.experiments.systems.saved_walks import ragged
from bearleft.records import Episode, Reach
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import shortest_route
from bearleft.world.worlds import open_world

TOWN = "town/dev"
ALONG, ASTRAY, STAY, SHORT = "along", "astray", "stay", "short"


def route_of(episode: Episode, graph: Graph) -> list[int]:
    """Return the reference as indices of places."""
    goal = episode.legs[0].goal
    assert isinstance(goal, Reach)
    return [graph.place_index(place) for place in goal.route]


def far_and_back(graph: Graph, place: int, steps: int) -> list[int]:
    """Return the places of a walk away from a place by new ones, and back to it."""
    first, near = graph.neighbours
    path = [place]
    for _ in range(steps):
        others = [int(other) for other in near[first[path[-1]] : first[path[-1] + 1]] if other not in path]
        if not others:
            break
        path.append(others[0])
    return [*path[1:], *path[-2::-1]]


def detours(count: int) -> list[Episode]:
    """Return episodes whose references go beyond the goal and come back to it, as those of R4R may."""
    episodes = []
    for episode in load(TOWN)[:count]:
        graph = open_world(episode.world)
        route = route_of(episode, graph)
        places = [graph.ids[place] for place in [*route, *far_and_back(graph, route[-1], 20)]]
        episodes.append(replace(episode, legs=(replace(episode.legs[0], goal=Reach(tuple(places))),)))
    return episodes


def walks_of(
    system: str,
    ways: Sequence[str],
    seed: int = 0,
    name: str = TOWN,
    episodes: Sequence[Episode] | None = None,
    data: Path | None = None,
) -> AgentWalks:
    """Return walks of all episodes, in `ways` that repeat; the epochs of their curve get better with the seed."""
    episodes = load(name, data) if episodes is None else episodes
    worlds = {episode.world: open_world(episode.world, data) for episode in episodes}
    numbers = {world: k for k, world in enumerate(worlds)}
    paths = []
    for episode, way in zip(episodes, np.resize(np.array(ways), len(episodes)).tolist(), strict=True):
        graph = worlds[episode.world]
        route = route_of(episode, graph)
        paths.append(np.array(route[:1] if way == STAY else route))
        if way == SHORT:
            paths[-1] = np.array([graph.place_index(place) for place in shortest_route(graph, route[0], route[-1])])
        if way == ASTRAY:
            paths[-1] = np.array([*route, *far_and_back(graph, route[-1], 40)])
    history = [
        {"epoch": k + 1, "update": 5, "return": 0.1 * k, "nDTW": 0.2 + 0.1 * seed, "SDTW": 0.1, "SR": 10.0 * k}
        for k in range(3)
    ]
    return AgentWalks(
        system,
        name,
        seed,
        tuple(episode.id for episode in episodes),
        {world: len(graph) for world, graph in worlds.items()},
        np.array([numbers[episode.world] for episode in episodes], np.int64),
        ragged(paths, np.int32),
        np.array([way != ASTRAY for way in np.resize(np.array(ways), len(episodes)).tolist()]),
        1.5,
        metadata={"horizon": 120, "history": history},
    )
