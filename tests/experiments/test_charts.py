from __future__ import annotations

import sys

import numpy as np
import pytest
from PIL import ImageColor

from bearleft.errors import InputError
from bearleft.experiments import charts
from bearleft.experiments.charts import COLOURS, draw_bars, draw_lines, histogram


def test_histogram_counts_everything_below_the_last_bin() -> None:
    assert histogram([0, 9, 10, 35, 99], 10, 40) == ([5, 15, 25, 35], [40, 20, 0, 20])
    with pytest.raises(InputError):
        histogram([], 10, 40)


def test_all_lines_and_bars_are_drawn() -> None:
    pytest.importorskip("matplotlib")
    rgb = [np.array(ImageColor.getrgb(colour)) for colour in COLOURS]
    picture = draw_lines({"a": ([0, 1], [0, 1]), "b": ([0, 1], [1, 0])}, "t", "x", "y", size=(640, 400))
    assert picture.size == (640, 400)
    for colour in rgb[:2]:
        assert (np.abs(np.asarray(picture).astype(int) - colour).sum(axis=2) < 60).sum() > 200
    bars = np.asarray(draw_bars({"long": 100, "short": 10}, "t", "x"))
    blue = np.abs(bars.astype(int) - rgb[0]).sum(axis=2) < 12
    half = len(bars) // 2
    assert blue[:half].sum() > 5 * blue[half:].sum() > 0


def test_empty_charts_are_errors() -> None:
    with pytest.raises(InputError):
        draw_lines({}, "t", "x", "y")
    with pytest.raises(InputError):
        draw_lines({"a": ([1], [])}, "t", "x", "y")
    with pytest.raises(InputError):
        draw_bars({}, "t", "x")


def test_missing_matplotlib_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"matplotlib.*\.\[plots\]"):
        draw_bars({"a": 1}, "t", "x")
