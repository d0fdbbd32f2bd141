"""Heat maps of several systems, one below the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bearleft.data import load, open_dataset
from bearleft.errors import InputError
from bearleft.records import Direction, Episode, Heatmap, Leg, LegTrace, Point, Pose, Trace, to_json_line
from bearleft.reports.pictures.heatmaps import SystemAnswer, answer_of, draw_answers, heatmaps, outcomes

SPLIT = "city/sdr/small"
GOAL = Point(Direction(100.0, 0.0), "p", 10.0)  # a quarter of the picture right of its middle
EPISODE = Episode("e", "x", "w", Pose(Direction(0.0), "p"), (Leg("on the lamp", GOAL),))


def make_heatmap(column: int, row: int) -> Heatmap:
    values = np.zeros((32, 64))
    values[row, column] = 1.0
    return Heatmap.from_array(values)


def red_pixels(strip: np.ndarray) -> np.ndarray:
    return np.argwhere((strip[..., 0] > 150) & (strip[..., 1] < 90) & (strip[..., 2] < 90))


def green_pixels(strip: np.ndarray) -> np.ndarray:
    return np.argwhere((strip[..., 1] > 200) & (strip[..., 0] < 120) & (strip[..., 2] < 130))


def test_target_is_red_and_heatmap_green() -> None:
    picture = np.asarray(draw_answers(EPISODE, [SystemAnswer("a", None, make_heatmap(16, 16))], None, 720))
    assert abs(np.median(red_pixels(picture)[:, 1]) - 540) < 8
    assert abs(np.median(green_pixels(picture)[:, 1]) - 16.5 / 64 * 720) < 8


def test_every_system_has_a_strip() -> None:
    single = draw_answers(EPISODE, [SystemAnswer("a", None, None)], None, 720)
    three = draw_answers(
        EPISODE, [SystemAnswer(name, Direction(100.0, 0.0), make_heatmap(40, 15)) for name in "abc"], None, 720
    )
    strip = (three.height - single.height) / 2
    assert strip == pytest.approx(76 / 360 * 720, rel=0.25) and single.width == three.width == 720


def test_hits_and_misses_look_different() -> None:
    pictures = [
        np.asarray(draw_answers(EPISODE, [SystemAnswer("a", answer, None)], None, 720))
        for answer in (GOAL.direction, Direction(0.0))
    ]
    hit_colour, miss_colour = (36, 140, 84), (196, 52, 60)
    assert (pictures[0] == hit_colour).all(axis=2).any() and not (pictures[0] == miss_colour).all(axis=2).any()
    assert (pictures[1] == miss_colour).all(axis=2).any() and not (pictures[1] == hit_colour).all(axis=2).any()


def test_high_target_is_in_the_picture() -> None:
    goal = Point(Direction(100.0, 60.0), "p", 10.0)
    high = Episode("e", "x", "w", Pose(Direction(0.0), "p"), (Leg("on the roof", goal),))
    assert len(red_pixels(np.asarray(draw_answers(high, [SystemAnswer("a", None, None)], None, 720))))


def test_trace_files_become_one_picture(tmp_path: Path) -> None:
    episode = load(SPLIT)[1]
    goal = episode.legs[0].goal
    assert isinstance(goal, Point)
    leg = LegTrace(("point",), (str(goal.place),), (), goal.direction, make_heatmap(3, 16))
    files = [tmp_path / f"{name}.jsonl" for name in ("one", "two")]
    for file in files:
        trace = Trace(episode.id, SPLIT, file.stem, (leg,), 0, open_dataset(SPLIT).sha256)
        file.write_text(to_json_line(trace) + "\n")
    out = tmp_path / "heat.png"
    picture = heatmaps(*files, episode=episode.id, output=out, width=360)
    assert out.read_bytes()[:4] == b"\x89PNG" and picture.width == 360
    assert answer_of("x", leg).heat == leg.heat
    empty: dict[tuple[bool, ...], list[str]] = {key: [] for key in ((False, False), (False, True), (True, False))}
    assert outcomes(*files) == {**empty, (True, True): [episode.id]}
    with pytest.raises(InputError, match="a trace of episode"):
        heatmaps(*files, episode="0/none")
    with pytest.raises(InputError, match="2 names"):
        heatmaps(*files, episode=episode.id, names=["one"])
    with pytest.raises(InputError, match="at least one file"):
        heatmaps(episode=episode.id)
