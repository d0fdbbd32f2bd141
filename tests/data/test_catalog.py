from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import bearleft
from bearleft.data import DATASETS, check, dataset_names, list_datasets, load, open_dataset, read, write
from bearleft.errors import InputError
from bearleft.records import to_json_line
from tests.data.sample_files import NAMES, lines, make, touchdown_line


def test_rows_of_list_datasets(sample_data: Path) -> None:
    rows = {row["dataset"]: row for row in list_datasets(sample_data)}
    assert set(NAMES.values()) <= set(rows) and {"town/dev", "town/point", "town/look"} <= set(rows)
    row = rows["sdr/made"]
    assert row["bytes"] == (sample_data / "touchdown" / "made.jsonl").stat().st_size
    assert row["file"].endswith("made.jsonl") and row["description"] == DATASETS["sdr"].description


def test_generated_datasets_need_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BEARLEFT_DATA", raising=False)
    monkeypatch.setenv("BEARLEFT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("platformdirs.user_data_dir", lambda _: str(tmp_path / "none"))
    assert {row["dataset"].partition("/")[0] for row in list_datasets()} == {"town", "city"}
    assert len(load("town/dev")) == 100
    with pytest.raises(InputError, match="a folder of datasets"):
        load("touchdown/dev")
    with pytest.raises(InputError, match="a folder of datasets"):
        list_datasets(tmp_path / "none")


def test_data_folder_from_the_environment(sample_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEARLEFT_DATA", str(sample_data))
    assert bearleft.load("map2seq/made") == load("map2seq/made", sample_data)


def test_hash_of_files_and_of_generated_datasets(sample_data: Path) -> None:
    path = sample_data / "map2seq" / "made.jsonl"
    assert open_dataset("map2seq/made", sample_data).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    town = open_dataset("town/point")
    assert town.sha256 == hashlib.sha256("\n".join(map(to_json_line, town)).encode()).hexdigest()
    assert town.path is None and repr(town) == "Dataset('town/point')"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("touchdwn/made", "Did you mean touchdown/made?"),
        ("touchdown/maed", "Did you mean touchdown/made?"),
        ("touchdown", "Did you mean touchdown/made?"),
        ("town/dve", "Did you mean town/dev?"),
        ("", "the name of a dataset"),
        ("r2r/train/extra", "the name of a dataset"),
    ],
)
def test_unknown_names_suggest_the_nearest(sample_data: Path, name: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load(name, sample_data)
    assert message in str(caught.value)


def test_missing_dataset_names_its_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"r2r/R2R_SPLIT\.json"):
        load("r2r/train", tmp_path)


def test_missing_graphs(tmp_path: Path) -> None:
    data = make(tmp_path / "data")
    (data / "touchdown" / "links.txt").unlink()
    (data / "r2r" / "connectivity" / "house1_connectivity.json").unlink()
    with pytest.raises(InputError, match=r"links\.txt"):
        load("sdr/made", data)
    with pytest.raises(InputError, match="house1") as caught:
        load("r2r/made", data)
    assert caught.value.line == 0  # the error names the missing file, not a line of the dataset
    with pytest.raises(InputError, match="a data folder that holds the graph"):
        list(bearleft.data.Dataset("map2seq/made", DATASETS["map2seq"].files[0].read, data / "map2seq" / "made.jsonl"))


def test_missing_files(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    for name in ("none.jsonl", "folder.jsonl"):
        with pytest.raises(InputError, match=name):
            load(str(tmp_path / name))
        with pytest.raises(InputError, match=name):
            _ = open_dataset(str(tmp_path / name)).sha256


def test_unknown_formats(tmp_path: Path) -> None:
    for call in (lambda: read("touchdow", tmp_path), lambda: write("touchdow", [], tmp_path / "x")):
        with pytest.raises(InputError, match="Did you mean touchdown"):
            call()


def test_hidden_and_other_files_are_not_splits(tmp_path: Path) -> None:
    data = make(tmp_path / "data")
    (data / "touchdown" / ".made.jsonl.part").write_text("")
    (data / "touchdown" / ".hidden.jsonl").write_text("")
    (data / "touchdown" / "folder.jsonl").mkdir()
    (data / "r2r" / "other.json").write_text("")
    assert sorted(dataset_names(data)) == sorted(NAMES.values())


def test_own_splits(tmp_path: Path) -> None:
    data = make(tmp_path / "data")
    (data / "touchdown" / "train.jsonl").write_text(lines([touchdown_line(3, ["p1", "p2"])]))
    assert [episode.id for episode in load("touchdown/train", data)] == ["3"]
    assert len(load("sdr/train", data)) == 3
    assert {"touchdown/train", "sdr/train", "touchdown-complete/train"} <= set(dataset_names(data))


def test_reading_continues_after_an_invalid_line(tmp_path: Path) -> None:
    data = make(tmp_path / "data")
    path = data / "touchdown" / "made.jsonl"
    valid_line = touchdown_line(1, ["p0", "p1"])
    path.write_text(
        lines([valid_line])
        + "{\n"
        + lines([valid_line | {"route_id": 3, "route_panoids": ["p0", "p9"]}, valid_line | {"route_id": 2}, valid_line])
    )
    dataset = open_dataset("touchdown/made", data, strict=False)
    assert [episode.id for episode in dataset] == ["1", "2"]
    assert [error.line for error in dataset.errors] == [2, 3, 5]
    dataset = open_dataset("sdr/made", data, strict=False)
    assert len(list(dataset)) == 9  # where a route leads does not matter for pointing
    assert [error.line for error in dataset.errors] == [2, 5]
    assert len(check(data, ["touchdown/made"]).errors) == 3
