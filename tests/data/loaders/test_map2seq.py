from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bearleft.data import load, read, write
from bearleft.errors import InputError
from bearleft.records import Direction, Pose, Reach
from tests.data.sample_files import lines, map2seq_lines


def test_one_episode_per_instruction(sample_data: Path) -> None:
    first, second = load("map2seq/made", sample_data)
    assert (first.id, second.id) == ("200", "201")
    assert second.start == Pose(Direction(180), "p12")
    assert first.legs[0].goal == Reach(("p0", "p1", "p2"))
    assert first.legs[0].text == "Walk past 0 lights, then stop."
    assert first.extra == {"id": 100, "start_heading": 90}


def test_invalid_lines(sample_data: Path, tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    for change, message in (
        ({"route_panoids": ["p0", "p9"]}, r"route_panoids\[1\]"),
        ({"instructions_id": 2.0}, "instructions_id"),
        ({"navigation_text": ["Walk"]}, "navigation_text"),
        ({"start_heading": None}, "start_heading"),
    ):
        first, second = map2seq_lines()
        path.write_text(lines([first, second | change]))
        with pytest.raises(InputError, match=rf"broken\.jsonl:2, field {message}"):
            list(read("map2seq", path, sample_data))


def test_new_episode_round_trip(sample_data: Path, tmp_path: Path) -> None:
    episode = load("map2seq/made", sample_data)[0]
    write("map2seq", [replace(episode, extra={})], tmp_path / "new.jsonl")
    (back,) = read("map2seq/made", tmp_path / "new.jsonl", sample_data)
    assert replace(back, extra={}) == replace(episode, extra={})
    assert back.extra["id"] == 200
