from __future__ import annotations

from dataclasses import replace

import pytest

from bearleft.data import load, write
from bearleft.errors import InputError
from bearleft.experiments.follower_accuracy import _with_other_texts, follower_accuracy


def test_follower_depends_on_the_text(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("few")
    for name in ("touchdown", "sdr"):
        write("jsonl", load(f"city/{name}/small")[:20], folder / f"{name}.jsonl")
    rows = follower_accuracy([str(folder / "touchdown.jsonl"), str(folder / "sdr.jsonl")])
    assert [(row["metric"], row["text"], row["n"]) for row in rows] == [
        ("TC", "its own", 20),
        ("TC", "another's", 20),
        ("A@40px", "its own", 20),
        ("A@40px", "another's", 20),
    ]
    own_walk, other_walk, own_point, other_point = (row["value"] for row in rows)
    assert own_walk >= 90 and own_point >= 80
    assert other_walk <= 15 and other_point <= 25


def test_swapped_texts_differ() -> None:
    episodes = load("city/sdr/small")
    for episode, other in zip(episodes, _with_other_texts(episodes, 3), strict=True):
        assert other.legs[0].text != episode.legs[0].text and other.legs[0].goal == episode.legs[0].goal
    same = [replace(episode, legs=(replace(episode.legs[0], text="here"),)) for episode in episodes]
    with pytest.raises(InputError, match="different texts"):
        _with_other_texts(same, 3)


def test_two_legs_are_rejected() -> None:
    with pytest.raises(InputError, match="one leg"):
        follower_accuracy(["city/touchdown-complete/small"])
