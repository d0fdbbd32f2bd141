from __future__ import annotations

import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import ImageColor

from bearleft.errors import InputError
from bearleft.experiments import charts
from bearleft.experiments.charts import (
    COLOURS,
    Band,
    Interval,
    band_lines_svg,
    draw_bars,
    draw_lines,
    histogram,
    interval_bars_svg,
    interval_lines_svg,
)

GROUPS = {"few": {"a": Interval(40, 30, 50), "b": Interval(80, 70, 85)}, "many": {"b": Interval(60, 55, 65)}}


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
    with pytest.raises(InputError):
        interval_lines_svg({"few": {}}, {"a": "#112233"}, "t", "x", "y")
    with pytest.raises(InputError):
        interval_bars_svg({}, {"a": "#112233"}, "t", "x")
    with pytest.raises(InputError):
        band_lines_svg({}, {}, "t", "x", "y")


def test_charts_with_intervals_have_each_value_in_its_colour() -> None:
    pytest.importorskip("matplotlib")
    colours = {"a": "#112233", "b": "#445566", "c": "#778899"}
    lines = [interval_lines_svg(GROUPS, colours, "t & u", "x", "y") for _ in range(2)]
    bars = [interval_bars_svg(GROUPS, colours, "t & u", "x") for _ in range(2)]
    for texts, expected in ((lines, {"line a", "line b"}), (bars, {"bar a 0", "bar b 0", "bar b 1"})):
        ids = {element.get("id", "") for element in ElementTree.fromstring(texts[0]).iter()}
        assert {name for name in ids if name.startswith(("line ", "bar "))} == expected
        assert colours["a"] in texts[0] and colours["b"] in texts[0] and colours["c"] not in texts[0]
        assert texts[0] == texts[1]


def test_lines_with_a_band_have_their_colour() -> None:
    pytest.importorskip("matplotlib")
    bands = {"a": Band([1, 2], [3, 4], [2, 3], [4, 5]), "b": Band([1, 2], [1, 2], [1, 2], [1, 2])}
    texts = [band_lines_svg(bands, {"a": "#112233", "b": "#445566"}, "t & u", "x", "y") for _ in range(2)]
    ids = {element.get("id", "") for element in ElementTree.fromstring(texts[0]).iter()}
    assert {"line a", "line b"} <= ids and texts[0] == texts[1]
    assert "#112233" in texts[0] and "#445566" in texts[0]


def test_missing_matplotlib_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"matplotlib.*\.\[plots\]"):
        draw_bars({"a": 1}, "t", "x")
