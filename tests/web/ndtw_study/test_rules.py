"""Every rule of rankings, with its own message."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.web.tasks.base import EventData
from bearleft.web.tasks.ndtw_study.rules import NAMES, WAYS, check_ranking, moved, order_after, parse_move

MOVES = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(1, 5)), max_size=12)


def event(path: str, rank: int, by: str = "drag") -> EventData:
    return EventData("move", {"path": path, "rank": rank, "by": by}, {})


def test_a_move_puts_a_path_at_a_rank() -> None:
    assert order_after([]) == NAMES
    assert order_after([event("D", 1)]) == ("D", "A", "B", "C", "E")
    assert order_after([event("D", 1), event("A", 5), event("A", 5)]) == ("D", "B", "C", "E", "A")


@given(MOVES)
def test_any_moves_leave_an_order_of_all_paths(moves: list[tuple[str, int]]) -> None:
    events = [event(path, rank) for path, rank in moves]
    order = order_after(events)
    assert sorted(order) == list(NAMES)
    if moves:
        path, rank = moves[-1]
        assert order[rank - 1] == path
        before = [name for name in order_after(events[:-1]) if name != path]
        assert [name for name in order if name != path] == before
        assert moved(order, parse_move(events[-1].data)) == order


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"path": "F"}, 'field path: expected a path: A, B, C, D, E, got "F"'),
        ({"path": 1}, "field path: expected a text, got 1"),
        ({"rank": 0}, "field rank: expected a number from 1 to 5, got 0"),
        ({"rank": 6}, "field rank: expected a number from 1 to 5, got 6"),
        ({"rank": 1.5}, "field rank: expected a whole number"),
        ({"rank": True}, "field rank: expected a whole number"),
        ({"by": "magic"}, f"field by: expected a way of moving: {', '.join(WAYS)}"),
    ],
)
def test_wrong_moves_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_move({"path": "A", "rank": 1, "by": "drag"} | change)
    assert message in str(error.value)


@pytest.mark.parametrize("missing", ["path", "rank", "by"])
def test_moves_are_complete(missing: str) -> None:
    data = {"path": "A", "rank": 1, "by": "drag"}
    del data[missing]
    with pytest.raises(InputError, match=f"a field {missing}"):
        parse_move(data)


EVENTS = [event("C", 1)]
ORDER = ["C", "A", "B", "D", "E"]


@pytest.mark.parametrize(
    ("ranking", "message"),
    [
        (["C", "A", "B", "D"], "a rank for each of the five paths, got none for E"),
        ([], "a rank for each of the five paths, got none for A, B, C, D, E"),
        (["C", "A", "B", "D", "D"], "D more than once. Two paths cannot share a rank: decide which is better."),
        (["C", "A", "B", "D", "E", "E"], "E more than once"),
        (["C", "A", "B", "D", "X"], 'expected a path: A, B, C, D, E, got "X"'),
        (["A", "C", "B", "D", "E"], "the order that is stored, C A B D E, got A C B D E. Load the page again"),
        ("CABDE", "expected a list"),
        (None, "expected a list"),
        ({"A": 1}, "expected a list"),
        ([["C"]], "expected a text"),
    ],
)
def test_wrong_rankings_are_refused(ranking: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        check_ranking(ranking, EVENTS, confirmed=True)
    assert message in str(error.value)


def test_an_order_that_nobody_touched_must_be_confirmed() -> None:
    with pytest.raises(InputError, match=r"the order in which the paths came. Move a path, or confirm"):
        check_ranking(list(NAMES), [], confirmed=False)
    assert check_ranking(list(NAMES), [], confirmed=True) == NAMES
    assert check_ranking(ORDER, EVENTS, confirmed=False) == tuple(ORDER)
    # Moved and moved back is a decision.
    assert check_ranking(list(NAMES), [event("B", 1), event("B", 2)], confirmed=False) == NAMES
