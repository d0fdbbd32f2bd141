"""How walks end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft.experiments.touchdown.navigation.endings import (
    COMPLETED,
    EARLY,
    ENDINGS,
    PAST,
    WRONG_START,
    WRONG_TURN,
    ending_of,
    ending_values,
    without_repetitions,
)

ROUTE = np.array([4, 5, 6, 7, 8])
paths = st.lists(st.integers(0, 3), min_size=1, max_size=8).map(np.array)


@pytest.mark.parametrize(
    ("path", "ending"),
    [
        ([4], EARLY),
        ([4, 4, 5, 6], EARLY),
        ([4, 5, 6, 7, 8, 9, 9, 10], PAST),
        ([4, 4, 3, 2], WRONG_START),
        ([4, 5, 6, 6, 12, 7, 8], WRONG_TURN),
        ([4, 5, 4], WRONG_TURN),
        ([4, 5, 6, 7, 8, 7, 6], PAST),
    ],
)
def test_the_first_mistake_names_the_ending(path: list[int], ending: str) -> None:
    assert ending_of(np.array(path), ROUTE, False) == ending
    assert ending_of(np.array(path), ROUTE, True) == COMPLETED


@given(paths)
def test_turns_in_place_do_not_count(path: np.ndarray) -> None:
    expected = [place for k, place in enumerate(path.tolist()) if k == 0 or path[k - 1] != place]
    assert without_repetitions(path).tolist() == expected


@given(st.lists(st.tuples(paths, paths, st.booleans()), min_size=1, max_size=6))
def test_every_walk_has_one_ending(walks: list[tuple[np.ndarray, np.ndarray, bool]]) -> None:
    given_paths, routes, completed = zip(*walks, strict=True)
    values = ending_values(given_paths, routes, np.array(completed))
    assert tuple(values) == ENDINGS and (np.sum(list(values.values()), 0) == 1).all()
    assert (values[COMPLETED] == completed).all()
