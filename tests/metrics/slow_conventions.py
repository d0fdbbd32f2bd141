"""The named conventions again, one walk at a time, as their programs compute them."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from itertools import pairwise

from bearleft.bench.dict_navigator import DictionaryNavigator
from bearleft.metrics.walks import Walks
from bearleft.world.graphs.graph import Graph
from tests.metrics import slow_reference as slow

Row = dict[str, float]


class One:
    """One walk: `path` with turns, `places` without, in place ids."""

    def __init__(self, walks: Walks, k: int, start_heading: float) -> None:
        graph = walks.graph
        self.graph = graph
        self.path = [graph.ids[p] for p in walks.paths[k]]
        self.places = [str(p) for p in slow.places(self.path)]
        self.route = [graph.ids[p] for p in walks.routes[k]]
        self.reference_states = drive(graph, self.route, start_heading)
        self.end_headings = float(walks.end_headings[k])
        self.stopped = bool(walks.stopped[k])
        self.alternative_goals = {graph.ids[p] for p in walks.alternative_goals[k]}

    def hops(self, a: str, b: str) -> float:
        return float(self.graph.hops.between(self.graph.place_index(a), self.graph.place_index(b)))

    def metres(self, a: str, b: str) -> float:
        return float(self.graph.metres.between(self.graph.place_index(a), self.graph.place_index(b)))

    def straight(self, a: str, b: str) -> float:
        where = self.graph.positions
        return math.dist(where[self.graph.place_index(a)], where[self.graph.place_index(b)])

    def near(self) -> bool:
        goal, last = self.route[-1], self.path[-1]
        return last == goal or self.graph.are_neighbours(self.graph.place_index(last), self.graph.place_index(goal))


def drive(graph: Graph, route: list[str], heading: float) -> list[str]:
    """VALAN's search for the demonstration: forward, else up to three turns to either side first."""
    navigator = DictionaryNavigator(graph)
    place, path = route[0], [route[0]]
    for there in route[1:]:
        for turns in ([], ["left"], ["right"], ["left"] * 2, ["right"] * 2, ["left"] * 3, ["right"] * 3):
            here, looking = place, heading
            for turn in turns:
                here, looking = navigator.step(here, looking, turn)
            arrived, onwards = navigator.step(here, looking, "forward")
            if arrived == there:
                path += [place] * len(turns) + [there]
                place, heading = arrived, onwards
                break
        else:
            raise AssertionError("the route cannot be driven")
    return path


def actions(graph: Graph, place: str, heading: float, goal: str) -> float:
    navigator = DictionaryNavigator(graph)
    queue, seen = deque([(place, heading, 0)]), {(place, heading)}
    while queue:
        here, looking, steps = queue.popleft()
        if here == goal:
            return steps
        for action in ("forward", "left", "right"):
            after = navigator.step(here, looking, action)
            if after not in seen:
                seen.add(after)
                queue.append((*after, steps + 1))
    return math.inf


def paper(walk: One) -> Row:
    q, r, d = walk.places, walk.route, walk.hops
    success = float(walk.near())
    junction = {place: graph_degree > 2 for place, graph_degree in zip(walk.graph.ids, walk.graph.degree, strict=True)}
    return {
        "TC": success,
        "SPD": d(q[-1], r[-1]),
        "SED": success * (1 - slow.levenshtein(tuple(r), tuple(q)) / max(len(r), len(q))),
        "nDTW": math.exp(-slow.dtw(q, r, d) / len(r)),
        "SDTW": success * math.exp(-slow.dtw(q, r, d) / len(r)),
        "CLS": slow.cls(q, r, d, 1.0),
        "KPA": slow.kpa(q, r, d, junction),
    }


def ndtw_paper(walk: One) -> Row:
    q, r, d = walk.places, walk.route, walk.metres
    names = ["PL", "NE", "ONE", "SR", "OSR", "AD", "MD", "SPL", "CLS", "nDTW", "SDTW"]
    return {**{name: slow.SLOW[name](q, r, d, 3.0) for name in names}, "SED": slow.sed_moves(q, r, d, 3.0)}


def ciff(walk: One) -> Row:
    return {
        "TC": float(walk.path[-1] == walk.route[-1] or walk.path[-1] in walk.alternative_goals),
        "SPD": walk.hops(walk.path[-1], walk.route[-1]),
        "NE": actions(walk.graph, walk.path[-1], walk.end_headings, walk.route[-1]),
        "SED": slow.levenshtein(tuple(walk.places), tuple(walk.route)),
    }


def valan(walk: One) -> Row:
    q = walk.path + walk.path[-1:] * walk.stopped
    r = walk.reference_states + walk.reference_states[-1:]
    success = float(walk.hops(q[-1], r[-1]) < 2)
    ndtw = math.exp(-slow.dtw(q, r, walk.hops) / (2 * len(r)))
    return {
        "TC": success,
        "SPD": walk.hops(q[-1], r[-1]),
        "SED": success * (1 - slow.levenshtein(tuple(r), tuple(q)) / (len(r) * len(q))),
        "nDTW": ndtw,
        "SDTW": success * ndtw,
    }


def vln_transformer(walk: One) -> Row:
    q, r, d = walk.places, walk.route, walk.hops
    success = float(walk.near())
    ndtw = math.exp(-slow.dtw(q, r, d) / (2 * math.sqrt(len(r))))
    coverage = sum(math.exp(-min(d(a, b) for a in q)) for b in r) / len(r)
    expected = coverage * len(r)
    return {
        "TC": success,
        "SPD": d(q[-1], r[-1]),
        "SED": success * (1 - slow.levenshtein(tuple(q), tuple(r), transpositions=True) / max(len(q), len(r))),
        "nDTW": ndtw,
        "SDTW": success * ndtw,
        "CLS": coverage * expected / (expected + abs(expected - len(q))),
    }


def velma(walk: One) -> Row:
    def key_points(places: list[str]) -> list[object]:
        if len(places) <= 1:
            return []
        points: list[object] = [places[0], places[1]]
        points += [(a, b) for a, b in pairwise(places) if walk.graph.degree[walk.graph.place_index(a)] > 2]
        return points

    gold, done = key_points(walk.route), key_points(walk.places)
    right = len(set(gold) & set(done)) + walk.near()
    return {
        "TC": float(walk.near()),
        "SPD": walk.hops(walk.path[-1], walk.route[-1]),
        "KPA": right / (len(gold) + 1),
    }


def r4r(walk: One) -> Row:
    names = ["PL", "NE", "ONE", "SR", "OSR", "SPL", "CLS", "nDTW", "SDTW"]
    return {name: slow.SLOW[name](walk.places, walk.route, walk.metres, 3.0) for name in names}


def vln_ce(walk: One) -> Row:
    left = walk.metres(walk.path[-1], walk.route[-1])
    success = float(walk.stopped and left < 3.0)
    ndtw = math.exp(-slow.dtw(walk.places, walk.route, walk.straight) / (3 * len(walk.route)))
    return {"SR": success, "NE": left, "nDTW": ndtw, "SDTW": success * ndtw}


SLOW: dict[str, Callable[[One], Row]] = {
    "paper": paper,
    "ndtw-paper": ndtw_paper,
    "ciff": ciff,
    "valan": valan,
    "vln-transformer": vln_transformer,
    "velma": velma,
    "r4r": r4r,
    "vln-ce": vln_ce,
}
