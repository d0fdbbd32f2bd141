from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bearleft.data import load, read, write
from bearleft.errors import InputError
from bearleft.records import Direction, Pose, Reach
from tests.data.sample_files import lines, map2seq_lines


def test_an_instruction_is_an_episode(made: Path) -> None:
    first, second = load("map2seq/made", made)
    assert (first.id, second.id) == ("200", "201")
    assert second.start == Pose(Direction(180), "p12")
    assert first.legs[0].goal == Reach(("p0", "p1", "p2"))
    assert first.legs[0].text == "Walk past 0 lights, then stop."
    assert first.extra == {"id": 100, "start_heading": 90}


def test_broken_lines(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    for change, said in (
        ({"route_panoids": ["p0", "p9"]}, r"route_panoids\[1\]"),
        ({"instructions_id": 2.0}, "instructions_id"),
        ({"navigation_text": ["Walk"]}, "navigation_text"),
        ({"start_heading": None}, "start_heading"),
    ):
        good, bad = map2seq_lines()
        path.write_text(lines([good, bad | change]))
        with pytest.raises(InputError, match=rf"broken\.jsonl:2, field {said}"):
            list(read("map2seq", path, made))


def test_a_new_episode_can_be_written(made: Path, tmp_path: Path) -> None:
    episode = load("map2seq/made", made)[0]
    write("map2seq", [replace(episode, extra={})], tmp_path / "new.jsonl")
    (back,) = read("map2seq/made", tmp_path / "new.jsonl", made)
    assert replace(back, extra={}) == replace(episode, extra={})
    assert back.extra["id"] == 200
