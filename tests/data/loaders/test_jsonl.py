from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bearleft.data import load, open_dataset, write
from bearleft.errors import InputError
from bearleft.records import Episode
from tests.strategies import episodes

quiet = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.mark.slow
@quiet
@given(st.lists(episodes, min_size=1, max_size=4, unique_by=lambda episode: episode.id))
def test_any_episodes_round_trip(tmp_path: Path, some_episodes: list[Episode]) -> None:
    path = tmp_path / "own.jsonl"
    write("jsonl", some_episodes, path)
    dataset = open_dataset(str(path))
    assert list(dataset) == some_episodes
    assert dataset.name == str(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format: expected format 1"),
        ({"legs": []}, "legs"),
        ({"leggs": 1}, "leggs"),
        ({"start": {"look": [0, 0], "place": "a", "positon": [1, 2, 3]}}, "positon"),
        ({"start": {"look": [0, 100], "place": "a"}}, "start.look"),
        ({"id": "twice"}, "each id once"),
    ],
)
def test_invalid_lines(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    line = {
        "format": 1,
        "id": "1",
        "dataset": "own",
        "world": "town/0",
        "start": {"look": [0, 0], "place": "a"},
        "legs": [{"text": "Go.", "goal": {"reach": ["a"]}}],
        "extra": {},
    }
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (line | {"id": "twice"}, line | change)))
    with pytest.raises(InputError, match=message) as caught:
        load(str(path))
    assert (caught.value.file, caught.value.line) == (str(path), 2)


def test_values_that_json_cannot_hold(tmp_path: Path) -> None:
    (episode, *_) = open_dataset("town/dev")
    inside_itself: list[Any] = []
    inside_itself.append(inside_itself)
    for value in ({1, 2}, float("nan"), inside_itself):
        odd = Episode(episode.id, episode.dataset, episode.world, episode.start, episode.legs, {"odd": value})
        with pytest.raises(InputError, match="JSON can hold"):
            write("jsonl", [odd], tmp_path / "odd.jsonl")
    assert list(tmp_path.iterdir()) == []
