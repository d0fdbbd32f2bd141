from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.bench.dict_navigator import DictionaryNavigator
from bearleft.errors import InputError
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.grid import street_grid
from bearleft.world.graphs.transitions import ACTIONS, FORWARD, LEFT, RIGHT, STOP, transitions
from tests.sizes import sized
from tests.strategies import graphs

CROSSING = Graph.make(
    "crossing",
    ["middle", "north", "east", "south", "alone"],
    [(0, 0, 0), (0, 10, 0), (10, 0, 0), (0, -10, 0), (99, 99, 0)],
    source=[0, 0, 0, 1, 2, 3],
    target=[1, 2, 3, 0, 0, 0],
    heading=[0, 90, 180, 180, 270, 0],
)


@settings(deadline=None, max_examples=sized(50, 200))
@given(graphs(), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 359)), min_size=1, max_size=5), st.randoms())
def test_walks_equal_those_of_the_dictionary_navigator(graph: Graph, starts: list[tuple[int, int]], random) -> None:  # type: ignore[no-untyped-def]
    begin = [(p % len(graph), float(h)) for p, h in starts]
    table = transitions(graph, begin)
    plain = DictionaryNavigator(graph)
    states = table.start_states
    walkers = [(graph.ids[p], h) for p, h in begin]
    for _ in range(12):
        actions = [random.randrange(4) for _ in walkers]
        states = table.step(states, np.array(actions))
        walkers = [plain.step(*walker, ACTIONS[action]) for walker, action in zip(walkers, actions, strict=True)]
        assert [graph.ids[p] for p in table.place[states]] == [place for place, _ in walkers]
        assert table.heading[states].tolist() == [heading for _, heading in walkers]


def test_a_crossing() -> None:
    table = transitions(CROSSING, [(0, 0.0)])
    north, east, south = 0, 1, 2
    assert table.next_state[north].tolist() == [3, south, east, north]
    assert table.next_state[south, LEFT] == east
    assert table.next_state[east, RIGHT] == south
    assert table.start_states.tolist() == [north]
    # Arriving from the north one goes on looking south; at a dead end one turns about.
    assert table.heading[table.next_state[3, FORWARD]] == 180
    assert table.heading[table.next_state[north, FORWARD]] == 180


def test_a_start_off_every_link_first_turns() -> None:
    table = transitions(CROSSING, [(0, 80.0), (0, 80.0), (1, 0.0)])
    start = table.start_states[0]
    assert start == table.start_states[1] >= len(CROSSING.source)
    assert table.place[start] == 0 and table.heading[start] == 80
    assert table.next_state[start].tolist() == [1, 0, 1, start]
    assert table.next_state[table.start_states[2], FORWARD] == 3
    assert table.next_state[start, STOP] == start


def test_the_border_option_keeps_one_off_dead_ends() -> None:
    table = transitions(CROSSING, border=True)
    assert table.next_state[0, FORWARD] == 0
    assert table.next_state[0, RIGHT] == 1


def test_a_step_may_be_made_in_place() -> None:
    table = transitions(street_grid(np.random.default_rng(0), 2, 2))
    states = np.arange(8, dtype=np.int32)
    fresh = table.step(states, np.zeros(8, np.int64))
    assert table.step(states, np.zeros(8, np.int64), out=states) is states
    np.testing.assert_array_equal(states, fresh)


def test_a_place_that_no_link_leaves_can_be_reached() -> None:
    one_way = Graph.make("g", ["a", "b"], [(0, 0, 0), (9, 0, 0)], [0], [1], [90])
    table = transitions(one_way, [(1, 5.0)])
    there = table.next_state[0, FORWARD]
    assert table.place[there] == 1 and table.heading[there] == 90
    assert table.next_state[there].tolist() == [there] * 4
    assert table.next_state[table.start_states[0]].tolist() == [table.start_states[0]] * 4


def test_starts_that_cannot_be() -> None:
    with pytest.raises(InputError, match="from 0 to 4"):
        transitions(CROSSING, [(5, 0.0)])
    with pytest.raises(InputError, match="links to walk along"):
        transitions(Graph.make("one", ["a"], [(0, 0, 0)], [], [], []))
