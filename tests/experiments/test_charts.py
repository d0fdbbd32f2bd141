from __future__ import annotations

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.experiments.charts import COLOURS, draw_bars, draw_lines, round_steps, shares


@pytest.mark.parametrize(
    ("high", "steps"),
    [(10, [0, 2, 4, 6, 8, 10]), (47, [0, 10, 20, 30, 40, 50]), (0.3, [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3])],
)
def test_steps_are_round(high: float, steps: list[float]) -> None:
    assert round_steps(0, high) == pytest.approx(steps)


def test_shares_count_everything_below_the_last() -> None:
    assert shares([0, 9, 10, 35, 99], 10, 40) == ([5, 15, 25, 35], [40, 20, 0, 20])
    with pytest.raises(InputError):
        shares([], 10, 40)


def test_every_line_and_bar_is_there() -> None:
    picture = np.asarray(draw_lines({"a": ([0, 1], [0, 1]), "b": ([0, 1], [1, 0])}, "t", "x", "y"))
    for colour in COLOURS[:2]:
        assert (np.abs(picture.astype(int) - colour).sum(axis=2) < 60).sum() > 200
    bars = np.asarray(draw_bars({"long": 100, "short": 10}, "t", "x"))
    blue = np.abs(bars.astype(int) - COLOURS[0]).sum(axis=2) < 12
    half = len(bars) // 2
    assert blue[:half].sum() > 5 * blue[half:].sum() > 0


def test_nothing_to_draw() -> None:
    with pytest.raises(InputError):
        draw_lines({}, "t", "x", "y")
    with pytest.raises(InputError):
        draw_lines({"a": ([1], [])}, "t", "x", "y")
    with pytest.raises(InputError):
        draw_bars({}, "t", "x")
