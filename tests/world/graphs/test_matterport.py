from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.world.graphs.matterport import list_scans, read_matterport


def _viewpoint(name: str, east: float, north: float, up: float, sees: list[bool], included: bool = True) -> Any:
    pose = [1, 0, 0, east, 0, 1, 0, north, 0, 0, 1, up, 0, 0, 0, 1]
    return {"image_id": name, "pose": pose, "included": included, "visible": sees, "unobstructed": sees, "height": 1.5}


HOUSE = [
    _viewpoint("hall", 0, 0, 0, [False, True, True]),
    _viewpoint("stairs", 3, 0, 4, [True, False, True]),
    _viewpoint("closed", 0, 9, 0, [True, True, False], included=False),
]


def _write(folder: Path, house: Any) -> Path:
    (folder / "house_connectivity.json").write_text(house if isinstance(house, str) else json.dumps(house))
    return folder


def test_only_included_viewpoints_are_linked(tmp_path: Path) -> None:
    graph = read_matterport(_write(tmp_path, HOUSE), "house")
    assert graph.ids == ("hall", "stairs") and graph.name == "matterport/house"
    assert graph.metres.between(0, 1) == pytest.approx(5)
    assert graph.heading.tolist() == [90, 270]
    assert list_scans(tmp_path) == ["house"]


@pytest.mark.parametrize(
    ("house", "message"),
    [
        ([], "not empty"),
        ("[", "a JSON list of viewpoints"),
        ([HOUSE[0]], r"field \[0\].unobstructed: expected a list of 1, got a list of 3"),
        ([{**HOUSE[0], "pose": [0] * 15}, *HOUSE[1:]], r"field \[0\].pose: expected a list of 16"),
        ([{**HOUSE[0], "included": 1}, *HOUSE[1:]], r"field \[0\].included: expected true or false, got 1"),
        ([{**HOUSE[0], "pose": [float("nan")] * 16}, *HOUSE[1:]], "a finite number"),
    ],
)
def test_broken_files_are_named(tmp_path: Path, house: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_matterport(_write(tmp_path, house), "house")
    assert caught.value.file.endswith("house_connectivity.json")


def test_a_missing_building(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the graph of building house, got nothing there"):
        read_matterport(tmp_path, "house")


def test_the_real_buildings(real_data: Path) -> None:
    folder = real_data / "r2r" / "connectivity"
    assert len(list_scans(folder)) == 90
    for scan in list_scans(folder)[::9]:
        graph = read_matterport(folder, scan)
        length = np.linalg.norm(graph.positions[graph.source] - graph.positions[graph.target], axis=1)
        assert length.min() > 0 and length.max() < 12
        assert all(graph.has_link(b, a) for a, b in zip(graph.source, graph.target, strict=True))
