"""Every dataset by name: DATASETS is the literal to read, `open_dataset` and `load` lead in, `write` leads out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from bearleft.data import json_stream as stream
from bearleft.data.dataset import Dataset, Family, Place
from bearleft.data.loaders import arramon, jsonl, map2seq, r2r, r4r, refer360, touchdown
from bearleft.errors import InputError, shown, unknown
from bearleft.records import Episode
from bearleft.runtime.store import atomic_write, cache_folder, data_folder

DATASETS = {
    "touchdown": Family(
        "Touchdown, navigation only: walk to the end of a route",
        (Place("touchdown", "", ".jsonl", touchdown.navigation),),
        touchdown.navigation_rows,
        stream.write_lines,
    ),
    "touchdown-complete": Family(
        "Touchdown, the whole task: walk, then point at the bear",
        (Place("touchdown", "", ".jsonl", touchdown.complete),),
        touchdown.complete_rows,
        stream.write_lines,
    ),
    "sdr": Family(
        "Touchdown, pointing only: the bear in up to three panoramas of a route",
        (Place("touchdown", "", ".jsonl", touchdown.sdr),),
        touchdown.sdr_rows,
        stream.write_lines,
    ),
    "map2seq": Family(
        "map2seq: walk to the end of a route, on Touchdown's graph",
        (Place("map2seq", "", ".jsonl", map2seq.read),),
        map2seq.rows,
        stream.write_lines,
    ),
    "refer360": Family(
        "Refer360: point at a spot of a picture, told sentence by sentence",
        (Place("refer360", "", ".json", refer360.read),),
        refer360.rows,
        stream.write_array,
    ),
    "arramon": Family(
        "ArraMon: collect an item and assemble it, twice",
        (Place("arramon", "", ".json", arramon.read),),
        arramon.rows,
        stream.write_array,
    ),
    "r2r": Family(
        "Room-to-Room: walk to the end of a path through a building",
        (Place("r2r", "R2R_", ".json", r2r.read),),
        r2r.rows,
        stream.write_indented,
    ),
    "r4r": Family(
        "Room-for-Room: R2R's paths joined in pairs",
        (Place("r4r", "R4R_", ".json", r4r.read), Place("r2r", "R2R_", ".json", r4r.build)),
        r4r.rows,
        partial(stream.write_indented, comma=","),
    ),
}
# bearleft's own cities, asked as the papers asked theirs: made by `make`, in the papers' formats (pairs in ours). They
# lie in the folder city of the data folder, or of the cache; a small one of each comes with bearleft.
CITY = {
    "city/touchdown": Family(
        "Our own cities: walk to the end of a route, as in Touchdown",
        (Place("city/touchdown", "", ".jsonl", partial(touchdown.navigation, named=True)),),
        partial(touchdown.navigation_rows, named=True),
        stream.write_lines,
    ),
    "city/touchdown-complete": Family(
        "Our own cities: walk, then point at the bear",
        (Place("city/touchdown", "", ".jsonl", partial(touchdown.complete, named=True)),),
        partial(touchdown.complete_rows, named=True),
        stream.write_lines,
    ),
    "city/sdr": Family(
        "Our own cities: point at the bear in up to three panoramas of a route",
        (
            Place("city/sdr", "", ".jsonl", partial(touchdown.sdr, named=True)),
            Place("city/touchdown", "", ".jsonl", partial(touchdown.sdr, named=True)),
        ),
        partial(touchdown.sdr_rows, named=True),
        stream.write_lines,
    ),
    "city/refer360": Family(
        "Our own cities: point at a spot, told sentence by sentence, as in Refer360",
        (Place("city/refer360", "", ".json", partial(refer360.read, named=True)),),
        partial(refer360.rows, named=True),
        stream.write_array,
    ),
    "city/arramon": Family(
        "Our own sections: collect an item and assemble it, twice, as in ArraMon",
        (Place("city/arramon", "", ".json", partial(arramon.read, named=True)),),
        partial(arramon.rows, named=True),
        stream.write_array,
    ),
    "city/pairs": Family(
        "Our own cities: minimal pairs, one word changed and another answer",
        (Place("city/pairs", "", ".jsonl", jsonl.read),),
        jsonl.rows,
        stream.write_lines,
    ),
}
FAMILIES = DATASETS | CITY
EMBEDDED = Path(__file__).parent / "embedded"
# Our own files are named by their path, not by a folder and a split.
JSONL = Family("episodes of bearleft's own", (Place("", "", ".jsonl", jsonl.read),), jsonl.rows, stream.write_lines)


def names(data: str | os.PathLike[str] | None = None) -> list[str]:
    """The datasets whose files are there, as DATASET/SPLIT; a split is its file's name without its ending."""
    folder = data_folder(data)
    return [f"{name}/{split}" for name, family in FAMILIES.items() for split in family.splits(folder)]


def split_name(name: str) -> tuple[str, str]:
    """The family and the split of a name; the families of cities have two words."""
    parts = name.split("/")
    words = 2 if parts[0] == "city" else 1
    return "/".join(parts[:words]), "/".join(parts[words:])


def city_splits(
    name: str, data: str | os.PathLike[str] | None = None, embedded: bool = True
) -> dict[str, tuple[Place, Path]]:
    """The files of one of CITY that are there, by split: in the data folder, else in the cache, else our small one."""
    folder = _folder(data)
    folders = [*([folder] if folder else []), cache_folder(), *([samples_folder(), EMBEDDED] if embedded else [])]
    found: dict[str, tuple[Place, Path]] = {}
    for folder in reversed(folders):
        found |= CITY[name].splits(folder)
    return dict(sorted(found.items()))


def _folder(data: str | os.PathLike[str] | None) -> Path | None:
    """The data folder; None for somebody who has none yet and names none: there is what needs no files."""
    try:
        return data_folder(data)
    except InputError:
        if data or os.environ.get("BEARLEFT_DATA"):
            raise
        return None


def samples_folder() -> Path:
    """Where what was made only to be counted lies."""
    return cache_folder() / "samples"


def generated() -> dict[str, str]:
    """The datasets that need no files, and what they are."""
    # Not at the top: towns are graphs, and graphs are compiled code.
    from bearleft.data.loaders import town

    return {f"town/{split}": about for split, about in town.ABOUT.items()}


def datasets(data: str | os.PathLike[str] | None = None) -> list[dict[str, Any]]:
    """One row for each dataset that can be loaded: its name, file and bytes, and what it is."""
    found: list[tuple[str, Path, str]] = []
    if folder := _folder(data):
        for name, family in DATASETS.items():
            found += [(f"{name}/{split}", path, family.about) for split, (_, path) in family.splits(folder).items()]
    for name, family in CITY.items():
        found += [(f"{name}/{split}", path, family.about) for split, (_, path) in city_splits(name, data).items()]
    rows = [{"dataset": n, "file": str(path), "bytes": path.stat().st_size, "about": about} for n, path, about in found]
    return rows + [{"dataset": n, "file": "", "bytes": 0, "about": about} for n, about in generated().items()]


def open_dataset(
    name: str | os.PathLike[str], data: str | os.PathLike[str] | None = None, strict: bool = True
) -> Dataset:
    """A dataset to loop over: DATASET/SPLIT of the data folder, town/SPLIT, or the path of a .jsonl file of ours."""
    name = os.fspath(name)
    if name.endswith(".jsonl"):
        return Dataset(name, JSONL.places[0].read, Path(name), strict=strict)
    family, split = split_name(name)
    if family == "town" and name in generated():
        from bearleft.data.loaders import town

        return Dataset(name, lambda _: town.episodes(split), strict=strict)
    if family in CITY:
        return _open_city(name, family, split, data, strict)
    if family not in DATASETS:
        raise unknown("dataset", name, [*_there(data), *_cities(), *generated()])
    folder = data_folder(data)
    found = DATASETS[family].splits(folder)
    if split not in found:
        raise _not_there(name, family, folder)
    place, path = found[split]
    return Dataset(name, place.read, path, folder, strict)


def _open_city(name: str, family: str, split: str, data: str | os.PathLike[str] | None, strict: bool) -> Dataset:
    found = city_splits(family, data)
    if split not in found:
        made = family.replace("-complete", "")
        hint = f"Known: {', '.join(f'{family}/{known}' for known in found)}. Make more: bearleft data make {made}"
        hint += " --help. One that lies elsewhere: --data DIR"
        raise InputError("the name of a dataset that is there", shown(name), hint=hint)
    place, path = found[split]
    return Dataset(name, place.read, path, strict=strict)


def _cities() -> list[str]:
    return [f"{name}/{split}" for name in CITY for split in CITY[name].splits(EMBEDDED)]


def _there(data: str | os.PathLike[str] | None) -> list[str]:
    """The names to offer for a mistyped one: with no folder at all, those of the families."""
    try:
        return names(data)
    except InputError:
        return list(DATASETS)


def _not_there(name: str, family: str, folder: Path) -> InputError:
    there = names(folder)
    if family in DATASETS and not any(known.startswith(f"{family}/") for known in there):
        place = DATASETS[family].places[0]
        expected = f"a file {folder / place.folder / f'{place.prefix}SPLIT{place.suffix}'} for {shown(name)}"
        return InputError(expected, "none", hint="docs/data.md says how the data folder is laid out.")
    return unknown("dataset", name, there)


def load(name: str | os.PathLike[str], data: str | os.PathLike[str] | None = None) -> list[Episode]:
    """All episodes of a dataset; loop over `open_dataset` instead to see what was left out, or for large files."""
    return list(open_dataset(name, data))


def read(name: str, path: str | os.PathLike[str], data: str | os.PathLike[str] | None = None) -> Dataset:
    """A file anywhere, in the format of one of DATASETS, CITY or "jsonl"; `data` is the folder with the graphs."""
    kind, place = split_name(name)[0], _family(name).places[0]
    split = Path(path).name.removeprefix(place.prefix).removesuffix(place.suffix)
    known_as = os.fspath(path) if kind == "jsonl" else f"{name}/{split}" if name in FAMILIES else name
    without_graph = kind in ("jsonl", "refer360", "arramon", *CITY) and data is None
    return Dataset(known_as, place.read, Path(path), None if without_graph else data_folder(data))


def write(name: str, episodes: Iterable[Episode], path: str | os.PathLike[str]) -> None:
    """Writes a file in the format of one of DATASETS, CITY or "jsonl"; it appears whole or not at all."""
    family = _family(name)
    with atomic_write(path) as out:
        family.layout(out, family.rows(episodes))


def _family(name: str) -> Family:
    kind = split_name(name)[0]
    if kind == "jsonl":
        return JSONL
    if kind not in FAMILIES:
        raise unknown("format", name, [*FAMILIES, "jsonl"])
    return FAMILIES[kind]
