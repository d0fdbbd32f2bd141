"""Tests that hold for every row of DATASETS, so that a new one is tested without further code."""

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
from bearleft.records import Direction, Episode, to_json_line
from tests.data.sample_files import NAMES as SAMPLE_NAMES

KINDS = sorted(DATASETS)
GENERATED = "city/arramon"  # a generated dataset that is read without its world
ALL_KINDS = [*KINDS, GENERATED]
NAMES = SAMPLE_NAMES | {GENERATED: f"{GENERATED}/small"}


def test_every_format_has_a_sample() -> None:
    assert sorted(SAMPLE_NAMES) == KINDS


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_loading_twice_gives_equal_episodes(sample_data: Path, kind: str) -> None:
    dataset = open_dataset(NAMES[kind], sample_data)
    first = list(dataset)
    skipped, notes = dataset.skipped, dataset.notes
    assert list(dataset) == first and first
    assert (dataset.skipped, dataset.notes) == (skipped, notes)
    assert len({episode.id for episode in first}) == len(first)
    assert {episode.dataset for episode in first} == {NAMES[kind]}


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_episodes_survive_json_and_pickle(sample_data: Path, kind: str) -> None:
    for episode in load(NAMES[kind], sample_data):
        assert Episode.from_json(json.loads(to_json_line(episode))) == episode
        assert pickle.loads(pickle.dumps(episode)) == episode


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_write_and_read_round_trip(sample_data: Path, tmp_path: Path, kind: str) -> None:
    """Episodes are equal, and so are the bytes when written again."""
    episodes = load(NAMES[kind], sample_data)
    for name in ("one", "two"):
        write(kind, episodes, tmp_path / name)
        episodes = list(read(NAMES[kind], tmp_path / name, sample_data))
        assert episodes == load(NAMES[kind], sample_data)
    assert filecmp.cmp(tmp_path / "one", tmp_path / "two", shallow=False)


@pytest.mark.parametrize("kind", ["touchdown", "map2seq", "refer360", "arramon", "r2r", GENERATED])
def test_written_file_equals_the_original(sample_data: Path, tmp_path: Path, kind: str) -> None:
    dataset = open_dataset(NAMES[kind], sample_data)
    write(kind, dataset, tmp_path / "copy")
    assert dataset.path is not None
    assert filecmp.cmp(tmp_path / "copy", dataset.path, shallow=False)


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_jsonl_holds_every_dataset(sample_data: Path, tmp_path: Path, kind: str) -> None:
    episodes = load(NAMES[kind], sample_data)
    write("jsonl", episodes, tmp_path / "own.jsonl")
    assert load(str(tmp_path / "own.jsonl")) == episodes


def test_names_are_those_of_existing_files(sample_data: Path) -> None:
    assert sorted(dataset_names(sample_data)) == sorted(SAMPLE_NAMES.values())


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_writing_refuses_to_lose_information(sample_data: Path, tmp_path: Path, kind: str) -> None:
    """Values that a format has no field for are refused."""
    episodes = load(NAMES[kind], sample_data)
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
        # Refer360 has a field for sentences.
        if (kind, change) == ("refer360", {"legs": legs}):
            continue
        with pytest.raises(InputError):
            write(kind, path_only, tmp_path / "lost")
