from __future__ import annotations

import pytest

from bearleft.errors import InputError
from bearleft.metrics.minimal_pairs import both_correct, changed_correct


def test_a_pair_is_right_when_both_of_its_texts_are() -> None:
    original, changed = [1, 1, 0, 0], [1, 0, 1, 0]
    assert both_correct(original, changed).tolist() == [1, 0, 0, 0]
    assert changed_correct(original, changed).tolist() == [1, 0, 1, 0]
    assert both_correct.mean(both_correct(original, changed)) == 25


def test_there_are_two_of_each() -> None:
    with pytest.raises(InputError, match="2 changed episodes, one for each original"):
        both_correct([1, 0], [1])
