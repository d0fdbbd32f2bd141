"""The datasets of bearleft's own cities: city/touchdown, city/sdr, city/refer360, city/arramon, of any size.

`make` writes them in the papers' formats and as episodes of ours; city/pairs, the minimal pairs, as episodes only.
Everything follows from the seed, the world and the style: the same command gives the same bytes, with however many
processes and after however many kills.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bearleft.data.catalog import CITY_DATASETS, city_splits, samples_folder, write
from bearleft.data.dataset import MANIFEST, Dataset
from bearleft.data.manifest import claim, no_fewer, save, whole
from bearleft.data.manifest import read_manifest as read_manifest
from bearleft.errors import InputError, shown, unknown
from bearleft.runtime.json_fields import Json
from bearleft.runtime.store import atomic_write, cache_folder, lock, sha256
from bearleft.version import VERSION
from bearleft.world.worlds import is_world_of

if TYPE_CHECKING:
    from bearleft.generate.shards import Asked, Workshop
    from bearleft.world.city.city import City
    from bearleft.world.graphs.graph import Graph

Progress = Callable[[str, int, int], None]
PAIRS, REFER, ARRAMON = "city/pairs", "city/refer360", "city/arramon"
# Routes of Touchdown, panoramas of SDR, sequences of Refer360, tasks of ArraMon, pairs of each kind.
SIZES: dict[str, dict[str, int]] = {
    "city/touchdown": {"train": 6526, "dev": 1391, "test": 1409, "dev_unseen": 1391, "test_unseen": 1409},
    "city/sdr": {"train": 17880, "dev": 3836, "test": 3859, "dev_unseen": 3836, "test_unseen": 3859},
    REFER: {
        "train": 13287,
        "validation.seen": 900,
        "validation.unseen": 1009,
        "test.seen": 900,
        "test.unseen": 1041,
    },
    ARRAMON: {"train": 4267, "val_seen": 1065, "val_unseen": 1155, "test_unseen": 1205},
    PAIRS: {
        "left-right": 200,
        "first-second": 200,
        "colour": 200,
        "above-below": 200,
        "count": 200,
        "turn-left-right": 200,
        "first-second-crossing": 200,
    },
}
OWN = ("small", "sample")  # what comes with bearleft, and what is made to be counted: in the papers' formats only
SAMPLE = 1000
LARGE, SMALL, SECTIONS = "city/0/8x40", "city/0", "sections/0"
FEW = 1000  # examples of a split: so many are asked of the smaller city
# Rooms that have a scene for every so many sequences of a split of up to this size, as the paper's splits have.
ROOMS = {60: "rooms/0/42", FEW: "rooms/0/630"}
MANY_ROOMS = "rooms/0/1848"
# What texts follow from, beside the world: other sources, other texts.
SOURCES = ("generate/*.py", "world/targets.py", "language/**/*.py")
DECOYS = ("distinct", "random")  # how decoys in ArraMon's rooms may be drawn
OF_ARRAMON = (
    "generate/arramon/*.py",
    "language/analysis/quality.py",
    "language/arramon_assembly/*.py",
    "language/arramon_navigation/*.py",
)


@dataclass
class Made:
    """Where a dataset lies, a row for each split that was asked for, and sentences for people."""

    folder: Path
    rows: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def make(
    dataset: str,
    splits: Sequence[str] = (),
    size: int | None = None,
    seed: int = 0,
    world: str | None = None,
    style: str = "plain",
    out: str | os.PathLike[str] | None = None,
    processes: int | None = None,
    progress: Progress | None = None,
    rooms: str | None = None,
    decoys: str | None = None,
) -> Made:
    """Makes some splits of a dataset of cities, or all of them, `size` examples each instead of the paper's number.

    `world` is the city, and `rooms` the world that city/refer360's indoor scenes lie in. `decoys` says how those in the
    rooms of city/arramon are drawn: "distinct" (default), or "random" as in the paper, where several may look alike.
    `out` is a data folder, else they go to bearleft's cache folder; either way they are found by their names. What is
    there already is not made again, and what was begun goes on. A folder with another seed, world, style or version of
    bearleft is refused, and so is a size smaller than that of a split that is there. Where a world has fewer examples
    than asked for, those it has are written, and the first remarks say so.
    """
    sizes = _sizes(dataset, splits, size)
    chosen = world or (SECTIONS if dataset == ARRAMON else LARGE if max(sizes.values()) > FEW else SMALL)
    if dataset == ARRAMON and not is_world_of("sections", chosen):
        raise InputError("a world of sections: sections/SEED", shown(chosen), "world")
    if dataset != ARRAMON and not is_world_of("city", chosen):
        raise InputError("a city of bearleft's own: city/SEED or city/SEED/6x9", shown(chosen), "world")
    if rooms is not None and dataset != REFER:
        raise InputError(f"rooms for {REFER} only", shown(dataset), "rooms")
    indoors = rooms or next((name for most, name in ROOMS.items() if max(sizes.values()) <= most), MANY_ROOMS)
    if not is_world_of("rooms", indoors):
        raise InputError("a world of rooms: rooms/SEED or rooms/SEED/COUNT", shown(indoors), "rooms")
    if decoys is not None and (dataset != ARRAMON or decoys not in DECOYS):
        got = dataset if dataset != ARRAMON else decoys
        raise InputError(f"decoys of {ARRAMON}: {' or '.join(DECOYS)}", shown(got), "decoys")
    if processes is not None and processes < 1:
        raise InputError("at least one process", str(processes), "processes")
    # Not at the top: cities are compiled code.
    from bearleft.generate.examples import STYLES
    from bearleft.world.city.city import open_city
    from bearleft.world.city.plan import check_seed

    if style not in STYLES:
        raise InputError(f"a style: {' or '.join(STYLES)}", shown(style), "style")
    if dataset in (PAIRS, ARRAMON) and style != "plain":
        why = "for texts that differ in one word" if dataset == PAIRS else "for texts that pass the checks of quality"
        raise InputError(f"the style plain, {why}", shown(style), "style")
    check_seed(seed)
    folder = Path(out or cache_folder()) / dataset
    city = open_city(chosen, progress=progress)
    about = {"dataset": dataset, "seed": seed, "bearleft": VERSION, "words": _words(dataset), "world": chosen}
    about |= {"plan": city.plan.hash, "style": style}
    about |= {"decoys": decoys or DECOYS[0]} if dataset == ARRAMON else {}
    worlds = {chosen: city}
    if dataset == REFER:
        worlds[indoors] = open_city(indoors, progress=progress)
        about |= {"rooms": indoors, "rooms_plan": worlds[indoors].plan.hash}
    made = Made(folder)
    with lock(folder / ".making"):
        manifest = claim(folder, about)
        for split, count in sizes.items():
            no_fewer(folder, manifest, split, count)
        todo = {split: count for split, count in sizes.items() if not whole(folder, manifest, split, count)}
        if todo and dataset == PAIRS:
            _make_pairs(city, folder, manifest, todo, progress)
        elif todo and dataset == ARRAMON:
            _make_tasks(folder, manifest, todo, processes, progress)
        elif todo:
            _make(worlds, folder, manifest, todo, size, processes, progress)
        for split in sizes:
            made.rows.append(_row(dataset, folder, manifest, split))
            made.remarks += _fewer(f"{dataset}/{split}", manifest["splits"][split], chosen)
    made.remarks.append(f"{folder} holds it; {MANIFEST} says how it was made.")
    return made


def _sizes(dataset: str, splits: Sequence[str], size: int | None) -> dict[str, int]:
    if dataset not in SIZES:
        raise unknown("dataset to make", dataset, SIZES)
    if size is not None and size < 1:
        raise InputError("a size of at least one example", str(size), "size")
    known = [*SIZES[dataset], *(OWN if dataset != PAIRS else ())]
    for split in splits:
        if split not in known:
            raise unknown(f"split of {dataset}", split, known)
    asked = splits or list(SIZES[dataset])
    return {split: size or SIZES[dataset].get(split, SAMPLE) for split in asked}


def _make(
    worlds: dict[str, City],
    folder: Path,
    manifest: dict[str, Any],
    sizes: dict[str, int],
    size: int | None,
    processes: int | None,
    progress: Progress | None,
) -> None:
    """Splits of routes in a city, the first of the worlds, or of spots in it and the second, which are rooms."""
    from bearleft.generate import shards as making
    from bearleft.generate.scenes import Spots
    from bearleft.generate.splits import Scenes
    from bearleft.language.scene_index import table_of
    from bearleft.runtime.compiled import cores

    dataset, seed, world = manifest["dataset"], manifest["seed"], manifest["world"]
    city, *indoors = worlds.values()
    tables = {name: table_of(one, progress) for name, one in worlds.items()}
    if dataset != REFER:
        _street(city.graph, folder, manifest)
    scenes = Scenes(city, seed)
    spots = Spots(city.graph, tables[world], indoors[0].graph, seed) if indoors else None
    job = making.Job(
        dataset, tuple((name, str(table.folder)) for name, table in tables.items()), seed, manifest["style"]
    )
    with making.Workshop(job, processes or cores()) as workshop:
        for split, count in sizes.items():
            asked: Iterable[making.Asked] = scenes.walks(split)
            if spots is not None:
                of = count if split.endswith("unseen") or split in OWN else size or SIZES[dataset]["train"]
                asked = spots.spots(split, of)
            _fill(workshop, folder, manifest, split, asked, count, progress)
    shutil.rmtree(folder / ".parts", ignore_errors=True)


def _make_tasks(
    folder: Path, manifest: dict[str, Any], sizes: dict[str, int], processes: int | None, progress: Progress | None
) -> None:
    """Splits of tasks in sections."""
    from bearleft.generate import shards as making
    from bearleft.generate.arramon.dataset import slots
    from bearleft.runtime.compiled import cores

    job = making.Job(ARRAMON, ((manifest["world"], ""),), manifest["seed"], manifest["style"], manifest["decoys"])
    with making.Workshop(job, processes or cores()) as workshop:
        for split, count in sizes.items():
            # Numbers do not end, but a world in which hardly a task can be told should not be tried for ever.
            asked = islice(slots(split, manifest["seed"]), 2 * count + 100)
            _fill(workshop, folder, manifest, split, asked, count, progress)
    shutil.rmtree(folder / ".parts", ignore_errors=True)


def _fill(
    workshop: Workshop,
    folder: Path,
    manifest: dict[str, Any],
    split: str,
    asked: Iterable[Asked],
    count: int,
    progress: Progress | None,
) -> None:
    """Makes one split of what is asked, and enters it into the manifest."""
    from bearleft.generate.shards import units

    dataset = manifest["dataset"]

    def tell(done: int) -> None:
        if progress:
            progress(f"{dataset}/{split}", done, count)

    tell(0)
    tried, found = workshop.fill(units(folder / ".parts", split, asked), count, tell)
    size = _found(split, count, found, manifest["world"])
    passed: Counter[str] = Counter()
    for one in tried:
        passed.update(one.passed)
    lines = [one.line for one in tried if one.line is not None]
    manifest["splits"][split] = {
        **size,
        "lines": len(lines),
        "tried": len(tried),
        "passed_over": dict(sorted(passed.items())),
        "files": _write(dataset, folder, split, lines),
    }
    save(folder, manifest)


def _make_pairs(
    city: City, folder: Path, manifest: dict[str, Any], sizes: dict[str, int], progress: Progress | None
) -> None:
    """Each kind is one piece of work: 200 pairs take half a minute at most."""
    from bearleft.generate.minimal_pairs import pair_episodes
    from bearleft.language.scene_index import SceneIndex, table_of

    scene = SceneIndex(city, table_of(city, progress))
    for split, count in sizes.items():

        def tell(done: int, split: str = split, count: int = count) -> None:
            if progress:
                progress(f"{PAIRS}/{split}", done, count)

        tell(0)
        episodes, tried = pair_episodes(scene, split, count, manifest["seed"], tell)
        found = len(episodes) // 2
        size = _found(split, count, found, manifest["world"])
        lines = [episode.to_json() for episode in episodes]
        manifest["splits"][split] = {
            **size,
            "lines": len(lines),
            "tried": tried,
            "passed_over": {"places without such a pair": tried - found},
            "files": _write(PAIRS, folder, split, lines),
        }
        save(folder, manifest)


def _found(split: str, count: int, found: int, world: str) -> dict[str, int]:
    """A split's size for the manifest, with what was asked for where that is more; an error where nothing was found."""
    if not found:
        hint = "Name a larger one with --world."
        raise InputError(f"a city with {count:,} examples for {split}", f"0 in {world}", hint=hint)
    return {"examples": found} | ({"asked": count} if found < count else {})


def _fewer(name: str, known: dict[str, Any], world: str) -> list[str]:
    """A warning where a split has fewer examples than asked for."""
    if "asked" not in known:
        return []
    found = f"expected {known['asked']:,} examples, found {known['examples']:,} in {world}"
    return [f"Warning: {name}: {found}, which are written. Another --world may have more."]


def _street(graph: Graph, folder: Path, manifest: dict[str, Any]) -> None:
    """The graph as Touchdown's programs read it."""
    from bearleft.world.graphs.touchdown import LINKS, NODES, write_street

    write_street(graph, folder)
    manifest["files"] = {name: sha256(folder / name) for name in (NODES, LINKS)}


def _write(dataset: str, folder: Path, split: str, lines: list[Json]) -> dict[str, str]:
    """The paper's format, and the episodes that are read from it in ours; pairs are such episodes already."""
    family = CITY_DATASETS[dataset]
    place = family.places[0]
    path = folder / f"{split}{place.suffix}"
    with atomic_write(path) as stream:
        family.layout(stream, lines)
    files = [path]
    if split not in OWN and dataset != PAIRS:
        files.append(folder / "episodes" / f"{split}.jsonl")
        write("jsonl", Dataset(f"{dataset}/{split}", place.read, path), files[1])
    return {str(file.relative_to(folder)): sha256(file) for file in files}


@cache
def words() -> str:
    """A hash of the sources that the texts follow from; ArraMon's have their own."""
    return _hash_of(SOURCES, without=OF_ARRAMON)


def _words(dataset: str) -> str:
    return _hash_of(("language/*.py", "language/lexicon/*.py", *OF_ARRAMON)) if dataset == ARRAMON else words()


def _hash_of(patterns: Sequence[str], without: Sequence[str] = ()) -> str:
    home = Path(__file__).parents[1]
    found = hashlib.sha256()
    left_out = {path for pattern in without for path in home.glob(pattern)}
    for path in sorted({path for pattern in patterns for path in home.glob(pattern)} - left_out):
        found.update(f"{path.relative_to(home).as_posix()} {sha256(path)}\n".encode())
    return found.hexdigest()


def _row(dataset: str, folder: Path, manifest: dict[str, Any], split: str) -> dict[str, Any]:
    known = manifest["splits"][split]
    return {
        "dataset": f"{dataset}/{split}",
        "examples": known["examples"],
        "lines": known["lines"],
        "tried": known["tried"],
        "file": str(folder / next(iter(known["files"]))),
        "sha256": next(iter(known["files"].values())),
    }


def sampled(
    names: Sequence[str], data: str | os.PathLike[str] | None = None, progress: Progress | None = None
) -> list[str]:
    """The names; where one is a family of cities, what is made of it, or a sample that is made now.

    A data folder that holds only our own small split of a family is counted as it is.
    """
    found: list[str] = []
    folder = data or os.environ.get("BEARLEFT_DATA")
    for name in names:
        there = list(CITY_DATASETS[name].splits(Path(folder))) if name in CITY_DATASETS and folder else []
        if there and all(split in OWN for split in there):
            found += [f"{name}/{split}" for split in there]
        else:
            found += some_splits(name, data, progress) if name in CITY_DATASETS else [name]
    return found


def some_splits(family: str, data: str | os.PathLike[str] | None = None, progress: Progress | None = None) -> list[str]:
    """The names of what is made of a family of CITY; where nothing is, a sample of SAMPLE examples is made first.

    Of pairs, which have no sample, the small ones are taken.
    """
    found = [split for split in city_splits(family, data, embedded=False) if split not in OWN]
    if not found and family == PAIRS:
        found = list(city_splits(family, data))
    elif not found:
        dataset = family.replace("-complete", "")
        _clear_sample(samples_folder() / dataset)
        make(dataset, ["sample"], SAMPLE, out=samples_folder(), progress=progress)
        found = ["sample"]
    return [f"{family}/{split}" for split in found]


def _clear_sample(folder: Path) -> None:
    """Deletes a sample of another bearleft: it was made to be counted, and is made again."""
    path = folder / MANIFEST
    if path.exists():
        found = read_manifest(path)
        if (found["bearleft"], found.get("words")) != (VERSION, _words(found["dataset"])):
            shutil.rmtree(folder)
