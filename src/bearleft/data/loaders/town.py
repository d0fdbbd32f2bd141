"""Datasets that need no files: routes and directions in a generated town, described in plain words.

"town/dev" navigates, "town/point" points, and "town/look" turns the view sentence by sentence. You can try agents
without vision on them, since the texts mention nothing that has to be seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from bearleft.geometry import turn
from bearleft.records import Direction, Episode, Leg, Point, Pose, Reach
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import shortest_route
from bearleft.world.worlds import town_graph

COMPASS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
SEED = 0
SIZE = 100
DESCRIPTIONS = {
    "dev": "a generated town: walk to the end of a route, described crossing by crossing",
    "point": "a generated town: point in a compass direction",
    "look": "a generated town: turn your view sentence by sentence",
}


def episodes(split: str) -> Iterator[Episode]:
    """Yield the episodes of a split of DESCRIPTIONS."""
    graph = town_graph(SEED)
    rng = np.random.default_rng([SEED, list(DESCRIPTIONS).index(split)])
    for number in range(SIZE):
        leg, start = {"dev": _walk, "point": _point, "look": _look}[split](graph, rng)
        yield Episode(str(number), f"town/{split}", graph.name, start, (leg,))


def _walk(graph: Graph, rng: np.random.Generator) -> tuple[Leg, Pose]:
    while True:
        begin, end = (int(place) for place in rng.integers(len(graph), size=2))
        if 10 <= graph.hops.between(begin, end) <= 40:
            route = shortest_route(graph, begin, end)
            return Leg(route_text(graph, route), Reach(tuple(route))), Pose(Direction(0), route[0])


def route_text(graph: Graph, route: Sequence[str]) -> str:
    """Return a route in words: the initial heading, the crossings to turn at, and the steps after the last turn."""
    places = [graph.place_index(place) for place in route]
    headings = [float(graph.heading[graph.find_link(a, b)]) for a, b in pairwise(places)]
    parts = [f"Face {_compass(headings[0])}."]
    crossings, steps = 0, 1
    for place, (before, after) in zip(places[1:], pairwise(headings), strict=False):
        angle = float(turn(before, after))
        crossings += int(graph.degree[place] > 2)
        steps += 1
        if graph.degree[place] > 2 and abs(angle) > 45:
            parts.append(f"At crossing {crossings} turn {'right' if angle > 0 else 'left'}.")
            crossings, steps = 0, 1
    parts.append(f"Then walk {steps} {'step' if steps == 1 else 'steps'} and stop.")
    return " ".join(parts)


def _compass(heading: float) -> str:
    return COMPASS[round(heading / 45) % len(COMPASS)]


def _point(graph: Graph, rng: np.random.Generator) -> tuple[Leg, Pose]:
    """Draw a direction in whole degrees, at any place, with any initial view."""
    place = int(rng.integers(len(graph)))
    target = Direction(float(rng.integers(8)) * 45, float(rng.integers(-8, 9)) * 5)
    text = f"Look {_compass(target.heading)}, {_height(target.pitch)}."
    start = Pose(Direction(float(rng.integers(360))), graph.ids[place])
    return Leg(text, Point(target, graph.ids[place], float(graph.yaw[place]))), start


def _look(graph: Graph, rng: np.random.Generator) -> tuple[Leg, Pose]:
    """Draw three sentences, and the view after each."""
    place = int(rng.integers(len(graph)))
    first = Direction(float(rng.integers(8)) * 45)
    angle = int(rng.integers(1, 12)) * 10 * int(rng.choice([-1, 1]))
    second = Direction(first.heading + angle)
    target = Direction(second.heading, float(rng.integers(-8, 9)) * 5)
    sentences = (
        f"Find the horizon in the {_compass(first.heading)}.",
        f"Turn {abs(angle)} degrees to the {'right' if angle > 0 else 'left'}.",
        f"The bear is {_height(target.pitch)}.",
    )
    goal = Point(target, graph.ids[place], 0.0, (first, second, target))
    return Leg(" ".join(sentences), goal, sentences), Pose(Direction(0), graph.ids[place])


def _height(pitch: float) -> str:
    if not pitch:
        return "on the horizon"
    return f"{abs(pitch):g} degrees {'above' if pitch > 0 else 'below'} the horizon"
