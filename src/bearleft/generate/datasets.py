"""Generation of datasets in generated worlds: city/touchdown, city/sdr, city/refer360, city/arramon, of any size.

`make_dataset` writes them in the papers' formats and as bearleft's own episodes; city/pairs, the minimal pairs, as
episodes only. The output depends on the seed, the world and the style alone: the same command gives the same bytes,
with any number of processes and after any interruption.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bearleft.data.catalog import CITY_DATASETS, city_splits, samples_folder, write
from bearleft.data.dataset import MANIFEST, Dataset
from bearleft.data.manifest import check_not_smaller, is_complete, open_manifest, write_manifest
from bearleft.data.manifest import read_manifest as read_manifest
from bearleft.errors import InputError, format_value, unknown_name
from bearleft.generate.arramon.decoys import DECOY_MODES
from bearleft.runtime.json_fields import Json
from bearleft.runtime.store import atomic_write, cache_folder, file_lock, sha256
from bearleft.types import DataFolder, Progress
from bearleft.version import VERSION
from bearleft.world.worlds import is_world_of

if TYPE_CHECKING:
    from bearleft.generate.shards import ExampleSpec, ShardWorkers
    from bearleft.world.city.city import City
    from bearleft.world.graphs.graph import Graph

PAIRS, REFER360, ARRAMON = "city/pairs", "city/refer360", "city/arramon"
# Routes of Touchdown, panoramas of SDR, sequences of Refer360, tasks of ArraMon, pairs of each kind.
SIZES: dict[str, dict[str, int]] = {
    "city/touchdown": {"train": 6526, "dev": 1391, "test": 1409, "dev_unseen": 1391, "test_unseen": 1409},
    "city/sdr": {"train": 17880, "dev": 3836, "test": 3859, "dev_unseen": 3836, "test_unseen": 3859},
    REFER360: {
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
EXTRA_SPLITS = ("small", "sample")  # part of the package; for statistics: in the papers' formats only
SAMPLE_SIZE = 1000
LARGE_CITY, SMALL_CITY, SECTIONS_WORLD = "city/0/8x40", "city/0", "sections/0"
SMALL_CITY_MAX_EXAMPLES = 1000  # in a split
# Worlds by the largest split they serve: as many sequences per scene as in the paper's splits.
ROOMS_BY_SIZE = {60: "rooms/0/42", SMALL_CITY_MAX_EXAMPLES: "rooms/0/630"}
LARGEST_ROOMS = "rooms/0/1848"
# Sources that the texts depend on beside the world.
TEXT_SOURCES = ("generate/*.py", "world/targets.py", "language/**/*.py")
ARRAMON_SOURCES = (
    "generate/arramon/*.py",
    "language/analysis/quality.py",
    "language/arramon_assembly/*.py",
    "language/arramon_navigation/*.py",
)


@dataclass
class GeneratedDataset:
    """Result of `make_dataset`.

    Args:
        folder: The folder of the dataset.
        rows: One row per requested split: dataset, examples, lines, attempts, file and sha256.
        notes: Warnings and the output folder, as sentences.
    """

    folder: Path
    rows: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class _Run:
    """The output folder of one run with its manifest, and how to generate."""

    folder: Path
    manifest: dict[str, Any]
    processes: int | None
    progress: Progress | None

    def report(self, split: str, count: int) -> Callable[[int], None]:
        """Return a callback that reports the number of examples of a split."""

        def report(done: int) -> None:
            if self.progress:
                self.progress(f"{self.manifest['dataset']}/{split}", done, count)

        return report


def make_dataset(
    dataset: str,
    splits: Sequence[str] = (),
    size: int | None = None,
    *,
    seed: int = 0,
    world: str | None = None,
    rooms: str | None = None,
    style: str = "plain",
    decoys: str | None = None,
    out: DataFolder = None,
    processes: int | None = None,
    progress: Progress | None = None,
) -> GeneratedDataset:
    """Generate splits of a dataset in a generated world.

    Existing splits are not generated again, and an interrupted run continues:

        bearleft.make_dataset("city/touchdown", ["dev"], 100, out="data")
        episodes = bearleft.load("city/touchdown/dev", "data")

    Args:
        dataset: "city/touchdown", "city/sdr", "city/refer360", "city/arramon" or "city/pairs".
        splits: The splits; all of the paper's if empty.
        size: Examples per split; the paper's number by default.
        seed: The seed of routes, targets and texts.
        world: The city, such as "city/0/8x40", or for city/arramon the sections, such as "sections/0". By default a
            large city, "city/0" for splits of up to 1,000 examples, or "sections/0".
        rooms: The world of city/refer360's indoor scenes, such as "rooms/0/42"; chosen by `size` by default.
        style: "plain", or "loose" with typos and careless punctuation.
        decoys: How decoys in the rooms of city/arramon are drawn: "distinct" (default), or "random" as in the paper,
            where several may look alike.
        out: A data folder; bearleft's cache folder by default. Datasets in the cache folder are found by name alone.
        processes: The number of processes; all cores by default.
        progress: Called with a label, the work done and the total.

    Returns:
        The folder, a row per split, and notes. Where the world has fewer examples than requested, all of them are
        written, and the first notes say so.

    Raises:
        InputError: An argument is invalid, the folder holds a dataset with other settings, or `size` is smaller than an
            existing split.
    """
    sizes = _split_sizes(dataset, splits, size)
    world = _check_world(dataset, world, sizes)
    rooms = _check_rooms(dataset, rooms, sizes)
    decoys = _check_decoys(dataset, decoys)
    if processes is not None and processes < 1:
        raise InputError("at least one process", str(processes), "processes")
    _check_style(dataset, style)
    # Imported late: cities are compiled code.
    from bearleft.world.city.city import open_city
    from bearleft.world.city.plan import check_seed

    check_seed(seed)
    folder = Path(out or cache_folder()) / dataset
    city = open_city(world, progress=progress)
    settings = {
        "dataset": dataset,
        "seed": seed,
        "bearleft": VERSION,
        "text_source_hash": _source_hash(dataset),
        "world": world,
        "plan": city.plan.hash,
        "style": style,
    }
    settings |= {"decoys": decoys} if dataset == ARRAMON else {}
    worlds = {world: city}
    if dataset == REFER360:
        worlds[rooms] = open_city(rooms, progress=progress)
        settings |= {"rooms": rooms, "rooms_plan": worlds[rooms].plan.hash}
    result = GeneratedDataset(folder)
    with file_lock(folder / ".making"):
        run = _Run(folder, open_manifest(folder, settings), processes, progress)
        for split, count in sizes.items():
            check_not_smaller(folder, run.manifest, split, count)
        missing = {
            split: count for split, count in sizes.items() if not is_complete(folder, run.manifest, split, count)
        }
        if missing and dataset == PAIRS:
            _make_pairs(run, city, missing)
        elif missing and dataset == ARRAMON:
            _make_task_splits(run, missing)
        elif missing:
            _make_city_splits(run, worlds, missing, size)
        for split in sizes:
            result.rows.append(_row(run, split))
            result.notes += _shortfall_warning(run, split)
    result.notes.append(f"Written to {folder}; {MANIFEST} holds its settings.")
    return result


def _split_sizes(dataset: str, splits: Sequence[str], size: int | None) -> dict[str, int]:
    """Return the number of examples of each requested split, after checking the names."""
    if dataset not in SIZES:
        raise unknown_name("dataset to make", dataset, SIZES)
    if size is not None and size < 1:
        raise InputError("a size of at least one example", str(size), "size")
    valid = [*SIZES[dataset], *(EXTRA_SPLITS if dataset != PAIRS else ())]
    for split in splits:
        if split not in valid:
            raise unknown_name(f"split of {dataset}", split, valid)
    requested = splits or list(SIZES[dataset])
    return {split: size or SIZES[dataset].get(split, SAMPLE_SIZE) for split in requested}


def _check_world(dataset: str, world: str | None, sizes: Mapping[str, int]) -> str:
    """Return the world of a dataset, by default one that suits the largest split."""
    if dataset == ARRAMON:
        world = world or SECTIONS_WORLD
        if not is_world_of("sections", world):
            raise InputError("generated sections: sections/SEED", format_value(world), "world")
        return world
    world = world or (LARGE_CITY if max(sizes.values()) > SMALL_CITY_MAX_EXAMPLES else SMALL_CITY)
    if not is_world_of("city", world):
        raise InputError("a generated city: city/SEED or city/SEED/6x9", format_value(world), "world")
    return world


def _check_rooms(dataset: str, rooms: str | None, sizes: Mapping[str, int]) -> str:
    """Return the world of rooms, by default one that suits the largest split."""
    if rooms is not None and dataset != REFER360:
        raise InputError(f"rooms for {REFER360} only", format_value(dataset), "rooms")
    rooms = rooms or next(
        (name for max_size, name in ROOMS_BY_SIZE.items() if max(sizes.values()) <= max_size), LARGEST_ROOMS
    )
    if not is_world_of("rooms", rooms):
        raise InputError("generated rooms: rooms/SEED or rooms/SEED/COUNT", format_value(rooms), "rooms")
    return rooms


def _check_decoys(dataset: str, decoys: str | None) -> str:
    """Return the mode of drawing decoys."""
    if decoys is not None and (dataset != ARRAMON or decoys not in DECOY_MODES):
        got = dataset if dataset != ARRAMON else decoys
        raise InputError(f"decoys for {ARRAMON}: {' or '.join(DECOY_MODES)}", format_value(got), "decoys")
    return decoys or DECOY_MODES[0]


def _check_style(dataset: str, style: str) -> None:
    """Raise InputError for an unknown style, and for one that a dataset does not have."""
    # Imported late: cities are compiled code.
    from bearleft.generate.examples import STYLES

    if style not in STYLES:
        raise InputError(f"a style: {' or '.join(STYLES)}", format_value(style), "style")
    if dataset in (PAIRS, ARRAMON) and style != "plain":
        reason = "for texts that differ in one word" if dataset == PAIRS else "for texts that pass the quality checks"
        raise InputError(f"the style plain, {reason}", format_value(style), "style")


def _make_city_splits(run: _Run, worlds: dict[str, City], sizes: Mapping[str, int], size: int | None) -> None:
    """Generate splits of routes in the first world, or of Refer360's sequences in it and in the second, rooms."""
    from bearleft.generate import shards
    from bearleft.generate.scenes import SceneSampler
    from bearleft.generate.splits import RouteSampler
    from bearleft.language.scene_index import open_visibility_table
    from bearleft.runtime.compiled import num_threads

    dataset, seed, world = run.manifest["dataset"], run.manifest["seed"], run.manifest["world"]
    city, *room_worlds = worlds.values()
    tables = {name: open_visibility_table(world_plan, run.progress) for name, world_plan in worlds.items()}
    if dataset != REFER360:
        _write_graph(run, city.graph)
    route_sampler = RouteSampler(city, seed)
    scene_sampler = SceneSampler(city.graph, tables[world], room_worlds[0].graph, seed) if room_worlds else None
    job = shards.Job(
        dataset, tuple((name, str(table.folder)) for name, table in tables.items()), seed, run.manifest["style"]
    )
    with shards.ShardWorkers(job, run.processes or num_threads()) as workers:
        for split, count in sizes.items():
            specs: Iterable[shards.ExampleSpec] = route_sampler.routes(split)
            if scene_sampler is not None:
                scene_size = (
                    count if split.endswith("unseen") or split in EXTRA_SPLITS else size or SIZES[dataset]["train"]
                )
                specs = scene_sampler.sequences(split, scene_size)
            _make_split(run, workers, split, specs, count)
    shutil.rmtree(run.folder / ".parts", ignore_errors=True)


def _make_task_splits(run: _Run, sizes: Mapping[str, int]) -> None:
    """Generate splits of ArraMon tasks in sections."""
    from bearleft.generate import shards
    from bearleft.generate.arramon.dataset import task_specs
    from bearleft.runtime.compiled import num_threads

    world, seed = run.manifest["world"], run.manifest["seed"]
    job = shards.Job(ARRAMON, ((world, ""),), seed, run.manifest["style"], run.manifest["decoys"])
    with shards.ShardWorkers(job, run.processes or num_threads()) as workers:
        for split, count in sizes.items():
            # Specs are endless: give up in a world where hardly any task can be described.
            specs = islice(task_specs(split, seed), 2 * count + 100)
            _make_split(run, workers, split, specs, count)
    shutil.rmtree(run.folder / ".parts", ignore_errors=True)


def _make_split(run: _Run, workers: ShardWorkers, split: str, specs: Iterable[ExampleSpec], count: int) -> None:
    """Generate a split from specs and enter it into the manifest."""
    from bearleft.generate.shards import make_shards

    report = run.report(split, count)
    report(0)
    results, examples = workers.run(make_shards(run.folder / ".parts", split, specs), count, report)
    size = _size_entry(run, split, count, examples)
    skipped: Counter[str] = Counter()
    for result in results:
        skipped.update(result.skipped)
    lines = [result.line for result in results if result.line is not None]
    run.manifest["splits"][split] = {
        **size,
        "lines": len(lines),
        "attempts": len(results),
        "skipped": dict(sorted(skipped.items())),
        "files": _write_split(run, split, lines),
    }
    write_manifest(run.folder, run.manifest)


def _make_pairs(run: _Run, city: City, sizes: Mapping[str, int]) -> None:
    """Generate each kind at once: 200 pairs take half a minute at most."""
    from bearleft.generate.minimal_pairs import pair_episodes
    from bearleft.language.scene_index import SceneIndex, open_visibility_table

    scene = SceneIndex(city, open_visibility_table(city, run.progress))
    for split, count in sizes.items():
        report = run.report(split, count)
        report(0)
        episodes, places = pair_episodes(scene, split, count, run.manifest["seed"], report)
        pairs = len(episodes) // 2
        size = _size_entry(run, split, count, pairs)
        lines = [episode.to_json() for episode in episodes]
        run.manifest["splits"][split] = {
            **size,
            "lines": len(lines),
            "attempts": places,
            "skipped": {"places without such a pair": places - pairs},
            "files": _write_split(run, split, lines),
        }
        write_manifest(run.folder, run.manifest)


def _size_entry(run: _Run, split: str, count: int, examples: int) -> dict[str, int]:
    """Return a split's size for the manifest, with the requested size where that is larger.

    Raises:
        InputError: There are no examples.
    """
    if not examples:
        hint = "Name a larger one with --world."
        raise InputError(f"a city with {count:,} examples for {split}", f"0 in {run.manifest['world']}", hint=hint)
    return {"examples": examples} | ({"requested": count} if examples < count else {})


def _shortfall_warning(run: _Run, split: str) -> list[str]:
    """Return a warning where a split has fewer examples than requested."""
    entry, name = run.manifest["splits"][split], f"{run.manifest['dataset']}/{split}"
    if "requested" not in entry:
        return []
    shortfall = f"expected {entry['requested']:,} examples, found {entry['examples']:,} in {run.manifest['world']}"
    return [f"Warning: {name}: {shortfall}, which are written. Another --world may have more."]


def _write_graph(run: _Run, graph: Graph) -> None:
    """Write the graph as Touchdown's programs read it."""
    from bearleft.world.graphs.touchdown import LINKS_FILE, NODES_FILE, write_street_graph

    write_street_graph(graph, run.folder)
    run.manifest["files"] = {name: sha256(run.folder / name) for name in (NODES_FILE, LINKS_FILE)}


def _write_split(run: _Run, split: str, lines: list[Json]) -> dict[str, str]:
    """Write the paper's format, and the same as bearleft's episodes; pairs are episodes already."""
    dataset, folder = run.manifest["dataset"], run.folder
    family = CITY_DATASETS[dataset]
    split_format = family.files[0]
    path = folder / f"{split}{split_format.suffix}"
    with atomic_write(path) as stream:
        family.write_rows(stream, lines)
    files = [path]
    if split not in EXTRA_SPLITS and dataset != PAIRS:
        files.append(folder / "episodes" / f"{split}.jsonl")
        write("jsonl", Dataset(f"{dataset}/{split}", split_format.read, path), files[1])
    return {str(file.relative_to(folder)): sha256(file) for file in files}


@cache
def text_source_hash() -> str:
    """Return the hash of the sources that texts depend on; ArraMon's texts have their own."""
    return _hash_sources(TEXT_SOURCES, excluded_patterns=ARRAMON_SOURCES)


def _source_hash(dataset: str) -> str:
    return (
        _hash_sources(("language/*.py", "language/lexicon/*.py", *ARRAMON_SOURCES))
        if dataset == ARRAMON
        else text_source_hash()
    )


def _hash_sources(patterns: Sequence[str], excluded_patterns: Sequence[str] = ()) -> str:
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    excluded = {path for pattern in excluded_patterns for path in package.glob(pattern)}
    for path in sorted({path for pattern in patterns for path in package.glob(pattern)} - excluded):
        digest.update(f"{path.relative_to(package).as_posix()} {sha256(path)}\n".encode())
    return digest.hexdigest()


def _row(run: _Run, split: str) -> dict[str, Any]:
    entry = run.manifest["splits"][split]
    return {
        "dataset": f"{run.manifest['dataset']}/{split}",
        "examples": entry["examples"],
        "lines": entry["lines"],
        "attempts": entry["attempts"],
        "file": str(run.folder / next(iter(entry["files"]))),
        "sha256": next(iter(entry["files"].values())),
    }


def ensure_samples(names: Sequence[str], data: DataFolder = None, progress: Progress | None = None) -> list[str]:
    """Return names of splits: a dataset of generated worlds is replaced by its splits, or by a new sample.

    A data folder that holds only extra splits of a dataset is used as it is.
    """
    splits: list[str] = []
    folder = data or os.environ.get("BEARLEFT_DATA")
    for name in names:
        extra = list(CITY_DATASETS[name].splits(Path(folder))) if name in CITY_DATASETS and folder else []
        if extra and all(split in EXTRA_SPLITS for split in extra):
            splits += [f"{name}/{split}" for split in extra]
        else:
            splits += available_splits(name, data, progress) if name in CITY_DATASETS else [name]
    return splits


def available_splits(dataset: str, data: DataFolder = None, progress: Progress | None = None) -> list[str]:
    """Return the names of the generated splits of a dataset; if there are none, generate a sample first.

    city/pairs has no sample: its small splits are returned.
    """
    splits = [split for split in city_splits(dataset, data, embedded=False) if split not in EXTRA_SPLITS]
    if not splits and dataset == PAIRS:
        splits = list(city_splits(dataset, data))
    elif not splits:
        base = dataset.replace("-complete", "")
        _clear_sample(samples_folder() / base)
        make_dataset(base, ["sample"], SAMPLE_SIZE, out=samples_folder(), progress=progress)
        splits = ["sample"]
    return [f"{dataset}/{split}" for split in splits]


def _clear_sample(folder: Path) -> None:
    """Delete a sample of another version of bearleft."""
    path = folder / MANIFEST
    if path.exists():
        manifest = read_manifest(path)
        if (manifest["bearleft"], manifest.get("text_source_hash")) != (VERSION, _source_hash(manifest["dataset"])):
            shutil.rmtree(folder)
