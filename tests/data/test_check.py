from __future__ import annotations

import json
from pathlib import Path

import pytest

from bearleft.data import check
from bearleft.errors import InputError
from tests.data.sample_files import make, r2r_items

KEYS = {"dataset", "episodes", "legs", "skipped", "errors"}


def test_one_row_per_dataset(sample_data: Path) -> None:
    result = check(sample_data)
    assert not result.errors
    assert all(set(row) == KEYS for row in result.rows)
    assert {
        row["dataset"]: tuple(row[key] for key in ("episodes", "legs", "skipped", "errors")) for row in result.rows
    } == {
        "touchdown/made": (4, 4, 0, 0),
        "touchdown-complete/made": (4, 8, 0, 0),
        "sdr/made": (12, 10, 2, 0),
        "map2seq/made": (2, 2, 0, 0),
        "refer360/made": (4, 4, 0, 0),
        "arramon/made": (4, 16, 0, 0),
        "r2r/made": (10, 10, 0, 0),
        "r4r/made": (41, 41, 0, 0),
    }


def test_notes_name_episodes(sample_data: Path) -> None:
    notes = check(sample_data).notes
    assert "sdr/made: 2 skipped: the target is not visible: 8/pre, 11/main" in notes
    assert any(note.startswith("arramon/made: 4 of 4 walks") for note in notes)
    assert any(note.startswith("world touchdown: 16 places, 48 links, 0 without a reverse") for note in notes)
    assert any(note.startswith("worlds matterport: ") for note in notes)


def test_invalid_world_is_an_error(tmp_path: Path) -> None:
    data = make(tmp_path / "data")
    (data / "r2r" / "connectivity" / "unused_connectivity.json").write_text("[]")
    result = check(data)
    assert len(result.errors) == 1 and "unused_connectivity.json" in result.errors[0]


def test_errors_are_counted_and_checking_continues(tmp_path: Path) -> None:
    data = make(tmp_path / "data")
    (data / "touchdown" / "nodes.txt").unlink()
    with open(data / "map2seq" / "made.jsonl", "a") as out:
        out.write('{"half": ')
    (data / "refer360" / "made.json").write_text("[{}, {}")
    items = r2r_items()
    items[1]["path"] = ["a", "f"]
    (data / "r2r" / "R2R_made.json").write_text(json.dumps(items))
    (data / "r2r" / "R2R_empty.json").write_text("")
    result = check(data)
    errors = {row["dataset"]: row["errors"] for row in result.rows}
    assert errors == {
        "touchdown/made": 1,
        "touchdown-complete/made": 1,
        "sdr/made": 1,
        "map2seq/made": 1,
        "refer360/made": 3,
        "arramon/made": 0,
        "r2r/empty": 1,
        "r2r/made": 1,
        "r4r/empty": 1,
        "r4r/made": 1,
    }
    assert len(result.errors) == sum(errors.values())
    assert {row["dataset"]: row["episodes"] for row in result.rows}["r2r/made"] == 8
    # R4R is joined from the remaining paths.
    assert {row["dataset"]: row["legs"] for row in result.rows}["r4r/made"] > 0


def test_one_dataset_and_progress(sample_data: Path) -> None:
    calls: list[tuple[str, int, int]] = []
    result = check(sample_data, ["refer360/made"], lambda *args: calls.append(args))
    assert [row["dataset"] for row in result.rows] == ["refer360/made"]
    size = (sample_data / "refer360" / "made.json").stat().st_size
    assert calls[-1] == ("refer360/made", size, size)


def test_empty_folder_and_unknown_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="datasets in folders arramon"):
        check(tmp_path)
    with pytest.raises(InputError, match="Did you mean"):
        check(make(tmp_path / "data"), ["sdr/mad"])
