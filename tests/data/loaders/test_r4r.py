from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bearleft.data import load, open_dataset, write
from bearleft.data.loaders.r4r import join_texts, shortest_path
from bearleft.errors import InputError
from bearleft.records import Direction, Pose, Reach
from bearleft.world.graphs.matterport import read_matterport
from tests.data.sample_files import r2r_items


def test_paths_are_joined(sample_data: Path) -> None:
    """Neighbours are two metres apart, so paths are joined at the same place or at neighbours."""
    dataset = open_dataset("r4r/made", sample_data)
    episodes = list(dataset)
    routes = {episode.id.partition("_")[0]: episode.legs[0].goal for episode in episodes}
    assert routes == {
        "5+6": Reach(("a", "b", "c", "d")),
        "5+9": Reach(("a", "b", "c", "d", "e", "f")),
        "6+6": Reach(("c", "d", "c", "d")),
        "6+9": Reach(("c", "d", "e", "f")),
        "9+12": Reach(("d", "e", "f", "e")),
        "12+9": Reach(("f", "e", "d", "e", "f")),
        "12+12": Reach(("f", "e", "f", "e")),
    }
    assert dataset.facts == ["7 paths joined from 4"]


def test_every_pair_of_instructions_is_joined(sample_data: Path) -> None:
    pairs = [episode for episode in load("r4r/made", sample_data) if episode.id.startswith("5+6_")]
    assert [episode.id for episode in pairs] == [f"5+6_{k}" for k in range(6)]
    assert pairs[1].legs[0].text == "Leave the room. Go out and stop by the stairs. "
    assert pairs[4].legs[0].text == "Walk out. Leave the room. "
    assert pairs[0].start == Pose(Direction(pairs[0].start.look.heading), "a")
    assert pairs[0].extra["shortest_path"] == ["a", "b", "c", "d"]
    assert pairs[0].extra["distance"] == pytest.approx(pairs[0].extra["shortest_path_distance"])


def test_joined_texts_are_separated_by_a_space() -> None:
    assert join_texts("Stop. ", "Go.") == join_texts("Stop.", "Go.") == "Stop. Go."


def test_released_file_takes_precedence(sample_data: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(sample_data, data)
    built = load("r4r/made", data)
    write("r4r", [episode for episode in built if episode.id.startswith("6+9_")], data / "r4r" / "R4R_made.json")
    dataset = open_dataset("r4r/made", data)
    assert dataset.path == data / "r4r" / "R4R_made.json"
    assert list(dataset) == [episode for episode in built if episode.id.startswith("6+9_")]


def test_invalid_r2r_file(sample_data: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(sample_data, data)
    items = r2r_items()
    items[2]["path_id"] = 5
    (data / "r2r" / "R2R_made.json").write_text(json.dumps(items))
    with pytest.raises(InputError, match=r"R2R_made\.json:1 \(item 3\), field path_id"):
        load("r4r/made", data)


def test_shortest_paths(sample_data: Path) -> None:
    graph = read_matterport(sample_data / "r2r" / "connectivity", "house1")
    assert shortest_path(graph, 4, 1) == ("e", "d", "c", "b")
    assert shortest_path(graph, 2, 2) == ("c",)


def test_writing_needs_ids_of_two_paths(sample_data: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="FIRST"):
        write("r4r", load("r2r/made", sample_data), tmp_path / "wrong.json")
