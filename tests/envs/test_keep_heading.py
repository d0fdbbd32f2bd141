"""Transitions without the automatic turn at junctions against a plain navigator, in games and in tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.envs.reach import ReachGame, actions_along
from bearleft.envs.vector import VectorReach
from bearleft.records import Direction, Episode, Leg, Pose, Reach
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.grid import street_grid
from bearleft.world.graphs.shortest_paths import shortest_route
from bearleft.world.graphs.transitions import ACTIONS, transitions
from tests.sizes import sized
from tests.strategies import graphs

TOWN = street_grid(np.random.default_rng(5), 3, 3)
Walker = tuple[str, float, bool]  # place, heading, whether it has just entered a junction


class KeepingNavigator:
    """A walker over `{place: {heading: place}}` that keeps its heading on entering a place with more than two links."""

    def __init__(self, graph: Graph) -> None:
        self.links: dict[str, dict[float, str]] = {place: {} for place in graph.ids}
        for source, target, heading in zip(graph.source, graph.target, graph.heading, strict=True):
            self.links[graph.ids[source]][float(heading)] = graph.ids[target]

    def nearest(self, place: str, heading: float) -> float:
        gaps = {h: 180 - abs((h - heading) % 360 - 180) for h in self.links[place]}
        return min(gaps, key=lambda h: gaps[h]) if gaps else heading

    def step(self, place: str, heading: float, entered: bool, action: str) -> Walker:
        """Return the walker after one action."""
        links = self.links[place]
        if action == "stop":
            return place, heading, entered
        if action == "forward":
            if entered:
                heading = self.nearest(place, heading)
            if heading not in links:  # only at a start: turn to the street
                return place, self.nearest(place, heading), False
            target = links[heading]
            if len(self.links[target]) > 2:
                return target, heading, True
            return target, self.nearest(target, heading), False
        sign = 1 if action == "right" else -1
        turns = {h: sign * (h - heading) % 360 for h in links if h != heading}
        return (place, min(turns, key=lambda h: turns[h]), False) if turns else (place, heading, entered)


@settings(deadline=None, max_examples=sized(37, 150))
@given(graphs(), st.integers(0, 11), st.integers(0, 359), st.lists(st.sampled_from(ACTIONS[:3]), max_size=15))
def test_games_and_tables_equal_the_plain_navigator(graph: Graph, place: int, heading: int, actions: list[str]) -> None:
    begin = place % len(graph)
    navigator = KeepingNavigator(graph)
    walker: Walker = (graph.ids[begin], float(heading), False)
    game = ReachGame(Leg("", Reach((graph.ids[begin],))), Pose(Direction(heading), graph.ids[begin]), graph,
                     auto_turn=False)  # fmt: skip
    table = transitions(graph, [(begin, float(heading))], auto_turn=False)
    state = table.start_states
    for action in actions:
        walker = navigator.step(*walker, action)
        game.step(action)
        state = table.step(state, np.array([ACTIONS.index(action)]))
        assert (game.path[-1], game.heading) == walker[:2]
        assert (graph.ids[table.place[state[0]]], float(table.heading[state[0]])) == walker[:2]
    assert game.end == Pose(Direction(walker[1]), walker[0])


@settings(deadline=None, max_examples=sized(12, 40))
@given(st.integers(0, len(TOWN) - 1), st.integers(0, len(TOWN) - 1), st.floats(0, 359))
def test_actions_along_a_route_walk_it(begin: int, end: int, heading: float) -> None:
    route = shortest_route(TOWN, begin, end)
    start = Pose(Direction(heading), TOWN.ids[begin])
    game = ReachGame(Leg("", Reach(tuple(route))), start, TOWN, 500, auto_turn=False)
    for action in actions_along(TOWN, start, route, auto_turn=False):
        assert action in ACTIONS
        game.step(action)
    assert [place for k, place in enumerate(game.path) if k == 0 or place != game.path[k - 1]] == route
    assert game.done


def test_vector_walkers_still_turn_at_junctions() -> None:
    episodes = [
        Episode(str(k), "test", TOWN.name, Pose(Direction(30.0 * k), TOWN.ids[k]), (Leg("", Reach((TOWN.ids[0],))),))
        for k in range(12)
    ]
    walkers = VectorReach(episodes, TOWN, 12)
    walkers.reset(np.arange(12))
    games: list[Any] = [ReachGame(episode.legs[0], episode.start, TOWN) for episode in episodes]
    keeping = [ReachGame(episode.legs[0], episode.start, TOWN, auto_turn=False) for episode in episodes]
    rng = np.random.default_rng(1)
    differs = 0
    for _ in range(60):
        actions = rng.choice(3, 12, p=[0.7, 0.15, 0.15])
        walkers.step(actions)
        observed = walkers.observe()
        for k, action in enumerate(actions):
            games[k].step(ACTIONS[action])
            keeping[k].step(ACTIONS[action])
            assert TOWN.ids[observed.place[k]] == games[k].path[-1] and observed.heading[k] == games[k].heading
            differs += games[k].heading != keeping[k].heading
    assert differs > 0
