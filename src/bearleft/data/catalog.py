"""Catalogue of datasets by name, and functions to open, load, read and write them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from bearleft.data import json_stream
from bearleft.data.dataset import Dataset, DatasetFamily, SplitFiles
from bearleft.data.loaders import arramon, jsonl, map2seq, r2r, r4r, refer360, touchdown
from bearleft.data.subsets import parse_subset, subset_of
from bearleft.errors import InputError, format_value, suggest_name, unknown_name
from bearleft.records import Episode, check_goals
from bearleft.runtime.store import atomic_write, cache_folder, data_folder
from bearleft.types import DataFolder

DATASETS = {
    "touchdown": DatasetFamily(
        "Touchdown, navigation only: walk to the end of a route",
        (SplitFiles("touchdown", "", ".jsonl", touchdown.read_navigation),),
        touchdown.navigation_rows,
        json_stream.write_lines,
    ),
    "touchdown-complete": DatasetFamily(
        "Touchdown, the whole task: walk, then point at the bear",
        (SplitFiles("touchdown", "", ".jsonl", touchdown.read_complete),),
        touchdown.complete_rows,
        json_stream.write_lines,
    ),
    "sdr": DatasetFamily(
        "Touchdown, pointing only: the bear in up to three panoramas of a route",
        (SplitFiles("touchdown", "", ".jsonl", touchdown.read_sdr),),
        touchdown.sdr_rows,
        json_stream.write_lines,
    ),
    "map2seq": DatasetFamily(
        "map2seq: walk to the end of a route, on Touchdown's graph",
        (SplitFiles("map2seq", "", ".jsonl", map2seq.read),),
        map2seq.rows,
        json_stream.write_lines,
    ),
    "refer360": DatasetFamily(
        "Refer360: point at a spot of a picture, told sentence by sentence",
        (SplitFiles("refer360", "", ".json", refer360.read),),
        refer360.rows,
        json_stream.write_array,
    ),
    "arramon": DatasetFamily(
        "ArraMon: collect an item and assemble it, twice",
        (SplitFiles("arramon", "", ".json", arramon.read),),
        arramon.rows,
        json_stream.write_array,
    ),
    "r2r": DatasetFamily(
        "Room-to-Room: walk to the end of a path through a building",
        (SplitFiles("r2r", "R2R_", ".json", r2r.read),),
        r2r.rows,
        json_stream.write_indented,
    ),
    "r4r": DatasetFamily(
        "Room-for-Room: R2R's paths joined in pairs",
        (SplitFiles("r4r", "R4R_", ".json", r4r.read), SplitFiles("r2r", "R2R_", ".json", r4r.build)),
        r4r.rows,
        partial(json_stream.write_indented, comma=","),
    ),
}
# Datasets of generated worlds, written by `make_dataset` in the papers' formats (pairs as episodes). They are stored in
# the folder city of the data folder or of the cache; a small split of each is part of the package.
CITY_DATASETS = {
    "city/touchdown": DatasetFamily(
        "Generated cities: walk to the end of a route, as in Touchdown",
        (SplitFiles("city/touchdown", "", ".jsonl", partial(touchdown.read_navigation, has_city_field=True)),),
        partial(touchdown.navigation_rows, has_city_field=True),
        json_stream.write_lines,
    ),
    "city/touchdown-complete": DatasetFamily(
        "Generated cities: walk, then point at the bear",
        (SplitFiles("city/touchdown", "", ".jsonl", partial(touchdown.read_complete, has_city_field=True)),),
        partial(touchdown.complete_rows, has_city_field=True),
        json_stream.write_lines,
    ),
    "city/sdr": DatasetFamily(
        "Generated cities: point at the bear in up to three panoramas of a route",
        (
            SplitFiles("city/sdr", "", ".jsonl", partial(touchdown.read_sdr, has_city_field=True)),
            SplitFiles("city/touchdown", "", ".jsonl", partial(touchdown.read_sdr, has_city_field=True)),
        ),
        partial(touchdown.sdr_rows, has_city_field=True),
        json_stream.write_lines,
    ),
    "city/refer360": DatasetFamily(
        "Generated cities: point at a spot, told sentence by sentence, as in Refer360",
        (SplitFiles("city/refer360", "", ".json", partial(refer360.read, generated=True)),),
        partial(refer360.rows, generated=True),
        json_stream.write_array,
    ),
    "city/arramon": DatasetFamily(
        "Generated sections: collect an item and assemble it, twice, as in ArraMon",
        (SplitFiles("city/arramon", "", ".json", partial(arramon.read, generated=True)),),
        partial(arramon.rows, generated=True),
        json_stream.write_array,
    ),
    "city/pairs": DatasetFamily(
        "Generated cities: minimal pairs, one word changed and another answer",
        (SplitFiles("city/pairs", "", ".jsonl", jsonl.read),),
        jsonl.rows,
        json_stream.write_lines,
    ),
}
ALL_DATASETS = DATASETS | CITY_DATASETS
EMBEDDED = Path(__file__).parent / "embedded"
# Files of episodes are named by their path instead of a dataset and a split.
JSONL = DatasetFamily(
    "bearleft's own episode files", (SplitFiles("", "", ".jsonl", jsonl.read),), jsonl.rows, json_stream.write_lines
)


def dataset_names(data: DataFolder = None) -> list[str]:
    """Return the names DATASET/SPLIT of the files in the data folder."""
    folder = data_folder(data)
    return [f"{name}/{split}" for name, family in ALL_DATASETS.items() for split in family.splits(folder)]


def split_name(name: str) -> tuple[str, str]:
    """Split a name into dataset and split; datasets of generated worlds have two words."""
    parts = name.split("/")
    words = 2 if parts[0] == "city" else 1
    return "/".join(parts[:words]), "/".join(parts[words:])


def city_splits(dataset: str, data: DataFolder = None, embedded: bool = True) -> dict[str, tuple[SplitFiles, Path]]:
    """Return the files of a generated dataset by split: from the data folder, else the cache, else the package.

    Args:
        dataset: A key of CITY_DATASETS.
        data: The data folder.
        embedded: Whether to include samples and the small splits of the package.
    """
    folder = _optional_data_folder(data)
    folders = [*([folder] if folder else []), cache_folder(), *([samples_folder(), EMBEDDED] if embedded else [])]
    splits: dict[str, tuple[SplitFiles, Path]] = {}
    for folder in reversed(folders):
        splits |= CITY_DATASETS[dataset].splits(folder)
    return dict(sorted(splits.items()))


def _optional_data_folder(data: DataFolder) -> Path | None:
    """Return the data folder, or None where none is named and the default one does not exist."""
    try:
        return data_folder(data)
    except InputError:
        if data or os.environ.get("BEARLEFT_DATA"):
            raise
        return None


def samples_folder() -> Path:
    """Return the folder of samples that are generated for statistics only."""
    return cache_folder() / "samples"


def generated_datasets() -> dict[str, str]:
    """Return the datasets that need no files, with their descriptions."""
    # Imported late: graphs are compiled code.
    from bearleft.data.loaders import town

    return {f"town/{split}": description for split, description in town.DESCRIPTIONS.items()}


def list_datasets(data: DataFolder = None) -> list[dict[str, Any]]:
    """Return one row per dataset that can be loaded: name, file, bytes and description."""
    files: list[tuple[str, Path, str]] = []
    if folder := _optional_data_folder(data):
        for name, family in DATASETS.items():
            files += [
                (f"{name}/{split}", path, family.description) for split, (_, path) in family.splits(folder).items()
            ]
    for name, family in CITY_DATASETS.items():
        files += [(f"{name}/{split}", path, family.description) for split, (_, path) in city_splits(name, data).items()]
    rows = [
        {"dataset": dataset, "file": str(path), "bytes": path.stat().st_size, "description": description}
        for dataset, path, description in files
    ]
    return rows + [
        {"dataset": dataset, "file": "", "bytes": 0, "description": description}
        for dataset, description in generated_datasets().items()
    ]


def open_dataset(name: str | os.PathLike[str], data: DataFolder = None, strict: bool = True) -> Dataset:
    """Open a dataset for iteration.

    Args:
        name: DATASET/SPLIT, town/SPLIT, or the path of a .jsonl file of episodes; each with @COUNT or @COUNT:SEED for a
            fixed subset.
        data: The data folder.
        strict: Whether to raise the first error in the file instead of collecting errors.

    Raises:
        InputError: There is no such dataset.
    """
    name = os.fspath(name)
    if (subset := parse_subset(name)) is not None:
        return subset_of(open_dataset(subset.dataset, data, strict), subset)
    if name.endswith(".jsonl"):
        return Dataset(name, JSONL.files[0].read, Path(name), strict=strict)
    family, split = split_name(name)
    if family == "town" and name in generated_datasets():
        from bearleft.data.loaders import town

        return Dataset(name, lambda _: town.episodes(split), strict=strict)
    if family in CITY_DATASETS:
        return _open_city(name, family, split, data, strict)
    if family not in DATASETS:
        raise unknown_name("dataset", name, [*_available_names(data), *_embedded_names(), *generated_datasets()])
    folder = data_folder(data)
    splits = DATASETS[family].splits(folder)
    if split not in splits:
        raise _missing_dataset(name, family, folder)
    files, path = splits[split]
    return Dataset(name, files.read, path, folder, strict)


def _open_city(name: str, family: str, split: str, data: DataFolder, strict: bool) -> Dataset:
    splits = city_splits(family, data)
    if split not in splits:
        dataset = family.replace("-complete", "")
        hint = (
            f"{suggest_name(name, [f'{family}/{other}' for other in splits])} Make more: bearleft data make {dataset}"
        )
        hint += " --help. One that lies elsewhere: --data DIR"
        raise InputError("the name of an available dataset", format_value(name), hint=hint)
    files, path = splits[split]
    return Dataset(name, files.read, path, _optional_data_folder(data), strict)


def _embedded_names() -> list[str]:
    return [f"{name}/{split}" for name in CITY_DATASETS for split in CITY_DATASETS[name].splits(EMBEDDED)]


def _available_names(data: DataFolder) -> list[str]:
    """Return the names to suggest for a mistyped one: those of the families where there is no data folder."""
    try:
        return dataset_names(data)
    except InputError:
        return list(DATASETS)


def _missing_dataset(name: str, family: str, folder: Path) -> InputError:
    available = dataset_names(folder)
    if family in DATASETS and not any(other.startswith(f"{family}/") for other in available):
        files = DATASETS[family].files[0]
        expected = f"a file {folder / files.folder / f'{files.prefix}SPLIT{files.suffix}'} for {format_value(name)}"
        return InputError(expected, "none", hint="docs/data.md says how the data folder is laid out.")
    return unknown_name("dataset", name, available)


def load(name: str | os.PathLike[str], data: DataFolder = None) -> list[Episode]:
    """Return all episodes of a dataset.

    Iterate over `open_dataset` instead for large files, or to see which episodes were skipped.
    """
    return list(open_dataset(name, data))


def read(name: str, path: str | os.PathLike[str], data: DataFolder = None) -> Dataset:
    """Open a file anywhere, in the format of a dataset.

    Args:
        name: A dataset of DATASETS or CITY_DATASETS, or "jsonl".
        path: The file.
        data: The folder with the graphs, where the format needs one.
    """
    kind, files = split_name(name)[0], _family(name).files[0]
    split = Path(path).name.removeprefix(files.prefix).removesuffix(files.suffix)
    dataset = os.fspath(path) if kind == "jsonl" else f"{name}/{split}" if name in ALL_DATASETS else name
    without_graph = kind in ("jsonl", "refer360", "arramon", *CITY_DATASETS) and data is None
    return Dataset(dataset, files.read, Path(path), None if without_graph else data_folder(data))


def write(name: str, episodes: Iterable[Episode], path: str | os.PathLike[str]) -> None:
    """Write episodes to a file in the format of a dataset; the file appears only when it is complete.

    Args:
        name: A dataset of DATASETS or CITY_DATASETS, or "jsonl".
        episodes: The episodes.
        path: The file.
    """
    family = _family(name)
    if family is not JSONL:
        episodes = list(episodes)
        check_goals(episodes, f"to write them in the format of {name}")
    with atomic_write(path) as stream:
        family.write_rows(stream, family.to_rows(episodes))


def _family(name: str) -> DatasetFamily:
    kind = split_name(name)[0]
    if kind == "jsonl":
        return JSONL
    if kind not in ALL_DATASETS:
        raise unknown_name("format", name, [*ALL_DATASETS, "jsonl"])
    return ALL_DATASETS[kind]
