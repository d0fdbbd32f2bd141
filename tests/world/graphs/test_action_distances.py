"""Numbers of actions between states and places against a slow breadth-first search."""

from __future__ import annotations

from collections import deque

from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.world.graphs.action_distances import MAX_ACTIONS, action_distances
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.transitions import FORWARD, LEFT, RIGHT, Transitions, transitions
from tests.sizes import sized
from tests.strategies import graphs


def slow_distance(table: Transitions, state: int, place: int) -> int:
    """Return the least number of actions from a state to a place, by search from the state."""
    found, queue = {state: 0}, deque([state])
    while queue:
        here = queue.popleft()
        if table.place[here] == place:
            return found[here]
        for action in (FORWARD, LEFT, RIGHT):
            after = int(table.next_state[here, action])
            if after not in found:
                found[after] = found[here] + 1
                queue.append(after)
    return MAX_ACTIONS


@settings(deadline=None, max_examples=sized(12, 40))
@given(graphs(8), st.lists(st.tuples(st.integers(0, 7), st.integers(0, 359)), max_size=3), st.booleans(), st.booleans())
def test_distances_equal_slow_search(
    graph: Graph, starts: list[tuple[int, int]], border: bool, auto_turn: bool
) -> None:
    table = transitions(graph, [(place % len(graph), float(h)) for place, h in starts], border, auto_turn)
    distances = action_distances(table.next_state, table.place, len(graph))
    assert distances.shape == (len(graph), len(table.place))
    for place in range(len(graph)):
        slow = [slow_distance(table, state, place) for state in range(len(table.place))]
        assert distances[place].tolist() == slow


def test_distances_are_at_most_255() -> None:
    count = 300
    line = Graph.make(
        "line",
        [str(k) for k in range(count)],
        [(10.0 * k, 0.0, 0.0) for k in range(count)],
        [*range(count - 1), *range(1, count)],
        [*range(1, count), *range(count - 1)],
        [90.0] * (count - 1) + [270.0] * (count - 1),
    )
    table = transitions(line)
    distances = action_distances(table.next_state, table.place, count)
    east = int(line.links(0)[0])
    assert [int(distances[place, east]) for place in (0, 1, 254, 255, 299)] == [0, 1, 254, 255, 255]
