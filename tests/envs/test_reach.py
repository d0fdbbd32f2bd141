from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.bench.dict_navigator import DictionaryNavigator
from bearleft.envs.reach import ReachGame, actions_along, link_side
from bearleft.errors import InputError
from bearleft.records import Direction, Leg, Pose, Reach
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.grid import street_grid
from bearleft.world.graphs.shortest_paths import shortest_route
from tests.sizes import sized
from tests.strategies import graphs

TOWN = street_grid(np.random.default_rng(5), 3, 3)


def game(graph: Graph = TOWN, place: int = 0, heading: float = 0.0, horizon: int = 200) -> ReachGame:
    leg = Leg("go", Reach((graph.ids[place],)))
    return ReachGame(leg, Pose(Direction(heading), graph.ids[place]), graph, horizon)


@settings(deadline=None, max_examples=sized(25, 100))
@given(graphs(), st.integers(0, 11), st.integers(0, 359), st.integers(0, 10**6))
def test_game_equals_dictionary_navigator(graph: Graph, place: int, heading: int, seed: int) -> None:
    reach_game = game(graph, place % len(graph), heading)
    navigator = DictionaryNavigator(graph)
    walker = (graph.ids[place % len(graph)], float(heading))
    rng = random.Random(seed)
    for _ in range(12):
        action = rng.choice(["forward", "left", "right"])
        reach_game.step(action)
        walker = navigator.step(*walker, action)
        observation = reach_game.observe()
        assert (observation["place"], observation["heading"]) == walker
    assert len(reach_game.trace().path) == 13


@settings(deadline=None, max_examples=sized(15, 60))
@given(st.integers(0, len(TOWN) - 1), st.integers(0, len(TOWN) - 1), st.floats(0, 359))
def test_actions_along_a_route_walk_it(begin: int, end: int, heading: float) -> None:
    route = shortest_route(TOWN, begin, end)
    reach_game = game(TOWN, begin, heading)
    for action in actions_along(TOWN, Pose(Direction(heading), TOWN.ids[begin]), route):
        reach_game.step(action)
    walked = [place for k, place in enumerate(reach_game.path) if k == 0 or place != reach_game.path[k - 1]]
    assert walked == route
    assert reach_game.done and reach_game.actions[-1] == "stop"


def test_link_with_the_heading_of_another_is_walked_by_name() -> None:
    stairs = Graph.make("g", ["a", "up", "down"], np.zeros((3, 3)), [0, 0, 1, 2], [1, 2, 0, 0], [90, 90, 270, 270])
    assert actions_along(stairs, Pose(Direction(90), "a"), ["a", "down"]) == ["down", "stop"]
    assert actions_along(stairs, Pose(Direction(0), "a"), ["a", "up"]) == ["right", "forward", "stop"]


def test_linked_place_as_action() -> None:
    reach_game = game()
    neighbour = TOWN.ids[TOWN.target[TOWN.links(0)[0]]]
    reach_game.step(neighbour)
    assert reach_game.path == [TOWN.ids[0], neighbour] and reach_game.actions == [neighbour]
    with pytest.raises(InputError, match="a place linked to"):
        reach_game.step(TOWN.ids[-1])


def test_game_ends_at_the_horizon() -> None:
    reach_game = game(horizon=2)
    reach_game.step("left")
    assert not reach_game.done
    reach_game.step("left")
    assert reach_game.done and reach_game.trace().actions == ("left", "left")
    with pytest.raises(InputError, match="after the end"):
        reach_game.step("forward")


def test_observation() -> None:
    observation = game(heading=29.0).observe()
    assert observation["text"] == "go" and observation["step"] == 0 and observation["horizon"] == 200
    assert sorted(link["side"] for link in observation["links"]) == ["ahead", "right"]
    assert [link_side(d) for d in (0, 45, 46, 134, 135, -180, -90)] == [
        "ahead",
        "ahead",
        "right",
        "right",
        "back",
        "back",
        "left",
    ]


@pytest.mark.parametrize("action", ["jump", Direction(0), 3])
def test_invalid_actions(action: object) -> None:
    with pytest.raises(InputError, match="an action: forward, left, right, stop or a linked place"):
        game().step(action)  # type: ignore[arg-type]


def test_invalid_starts() -> None:
    with pytest.raises(InputError, match="horizon"):
        game(horizon=0)
    with pytest.raises(InputError, match="a place of the world grid"):
        ReachGame(Leg("go", Reach(("x",))), Pose(Direction(0), "x"), TOWN)
    with pytest.raises(InputError, match="a start at a place"):
        ReachGame(Leg("go", Reach(("x",))), Pose(Direction(0), None, (0, 0, 0)), TOWN)
