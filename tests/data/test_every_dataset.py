"""What holds for every row of DATASETS: a new one is tested for nothing."""

from __future__ import annotations

import filecmp
import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bearleft.data import DATASETS, dataset_names, load, open_dataset, read, write
from bearleft.errors import InputError
from bearleft.records import Direction, Episode, to_line
from tests.data.sample_files import NAMES as MADE

KINDS = sorted(DATASETS)
OWN = "city/arramon"  # one of our own, which needs no world to be read
EVERY = [*KINDS, OWN]
NAMES = MADE | {OWN: f"{OWN}/small"}


def test_every_format_is_made_up() -> None:
    assert sorted(MADE) == KINDS


@pytest.mark.parametrize("kind", EVERY)
def test_loading_twice_gives_the_same(made: Path, kind: str) -> None:
    dataset = open_dataset(NAMES[kind], made)
    first = list(dataset)
    left_out, notes = dataset.left_out, dataset.notes
    assert list(dataset) == first and first
    assert (dataset.left_out, dataset.notes) == (left_out, notes)
    assert len({episode.id for episode in first}) == len(first)
    assert {episode.dataset for episode in first} == {NAMES[kind]}


@pytest.mark.parametrize("kind", EVERY)
def test_episodes_survive_json_and_pickle(made: Path, kind: str) -> None:
    for episode in load(NAMES[kind], made):
        assert Episode.from_json(json.loads(to_line(episode))) == episode
        assert pickle.loads(pickle.dumps(episode)) == episode


@pytest.mark.parametrize("kind", EVERY)
def test_written_and_read_back(made: Path, tmp_path: Path, kind: str) -> None:
    """Equal episodes; and the same bytes when written again."""
    episodes = load(NAMES[kind], made)
    for name in ("one", "two"):
        write(kind, episodes, tmp_path / name)
        episodes = list(read(NAMES[kind], tmp_path / name, made))
        assert episodes == load(NAMES[kind], made)
    assert filecmp.cmp(tmp_path / "one", tmp_path / "two", shallow=False)


@pytest.mark.parametrize("kind", ["touchdown", "map2seq", "refer360", "arramon", "r2r", OWN])
def test_a_whole_file_is_written_as_it_was(made: Path, tmp_path: Path, kind: str) -> None:
    dataset = open_dataset(NAMES[kind], made)
    write(kind, dataset, tmp_path / "copy")
    assert dataset.path is not None
    assert filecmp.cmp(tmp_path / "copy", dataset.path, shallow=False)


@pytest.mark.parametrize("kind", EVERY)
def test_our_own_format_holds_every_dataset(made: Path, tmp_path: Path, kind: str) -> None:
    episodes = load(NAMES[kind], made)
    write("jsonl", episodes, tmp_path / "own.jsonl")
    assert load(str(tmp_path / "own.jsonl")) == episodes


def test_splits_are_the_files_that_are_there(made: Path) -> None:
    assert sorted(dataset_names(made)) == sorted(MADE.values())


@pytest.mark.parametrize("kind", EVERY)
def test_nothing_is_lost_in_writing(made: Path, tmp_path: Path, kind: str) -> None:
    """What a format has no field for is refused."""
    episodes = load(NAMES[kind], made)
    look = episodes[0].start.look
    elsewhere = replace(episodes[0].start, place="elsewhere")
    tilted = replace(episodes[0].start, look=Direction(look.heading, 12.5))
    placed = replace(episodes[0].start, position=(1.0, 2.0, 3.0))
    legs = tuple(replace(leg, sentences=tuple(leg.text.split(" "))) for leg in episodes[0].legs)
    changes: list[dict[str, Any]] = [{"world": "mars"}, {"start": elsewhere}, {"start": tilted}, {"start": placed}]
    changes.append({"legs": legs})
    for change in changes:
        path_only = [
            replace(e, **change) for e in episodes if e.id.partition("_")[0] == episodes[0].id.partition("_")[0]
        ]
        # Sentences are Refer360's own.
        if (kind, change) == ("refer360", {"legs": legs}):
            continue
        with pytest.raises(InputError):
            write(kind, path_only, tmp_path / "lost")
