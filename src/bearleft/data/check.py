"""Validation of datasets: read each file to its end and count episodes, omissions and errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bearleft.data import catalog
from bearleft.data.catalog import open_dataset
from bearleft.data.dataset import MANIFEST, PICTURES, Dataset, DatasetNote
from bearleft.data.manifest import read_manifest
from bearleft.errors import InputError, format_value
from bearleft.records import Episode
from bearleft.runtime.store import DATA_HINT, data_folder, sha256
from bearleft.types import DataFolder, Progress
from bearleft.version import TEXT_GENERATOR

MAX_LISTED_IDS = 40  # per note
PROGRESS_INTERVAL = 256  # episodes between two calls of a progress callback


@dataclass
class CheckResult:
    """The rows of `bearleft data check`, with errors and notes as sentences."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check(
    data: DataFolder = None,
    names: Sequence[str] = (),
    progress: Progress | None = None,
) -> CheckResult:
    """Check the named datasets, or all datasets of the data folder.

    The files of a generated dataset are compared with the hashes of its manifest, and ArraMon tasks in generated
    sections are replayed.

    Args:
        data: The data folder.
        names: Names DATASET/SPLIT; all available ones if empty.
        progress: Called with the name, the bytes read and the size of the file.

    Returns:
        The result. In its rows `episodes` includes skipped ones; an invalid line or item counts in `errors` only.
    """
    result = CheckResult()
    for name in names or all_dataset_names(data):
        dataset = open_dataset(name, data, strict=False)
        episodes = legs = 0
        errors: list[InputError] = []
        pictures: dict[str, None] = {}
        for episodes, episode in enumerate(dataset, 1):
            legs += len(episode.legs)
            errors += _replay_errors(dataset, episode)
            pictures |= dict.fromkeys(_named_pictures(dataset, episode))
            if progress is not None and episodes % PROGRESS_INTERVAL == 0:
                progress(name, *dataset.progress)
        if progress is not None:
            progress(name, *dataset.progress)
        errors += _hash_errors(dataset) + _missing_pictures(dataset, list(pictures))
        result.rows.append(
            {
                "dataset": name,
                "episodes": episodes + len(dataset.skipped),
                "legs": legs,
                "skipped": len(dataset.skipped),
                "errors": len(dataset.errors) + len(errors),
            }
        )
        result.errors += [str(error) for error in dataset.errors]
        # Several datasets may read the same file.
        result.errors += [str(error) for error in errors if str(error) not in result.errors]
        result.notes += [*_notes(dataset), *_generator_notes(dataset)]
    if not names:
        _check_graphs(result, data_folder(data))
    return result


def all_dataset_names(data: DataFolder) -> list[str]:
    """Return the datasets of a folder.

    Raises:
        InputError: There are none.
    """
    names = catalog.dataset_names(data)
    if not names:
        folders = sorted({family.files[0].folder for family in catalog.DATASETS.values()})
        got = f"none in {data_folder(data)}"
        raise InputError(f"datasets in folders {', '.join(folders)}", got, hint=DATA_HINT)
    return names


def _replay_errors(dataset: Dataset, episode: Episode) -> list[InputError]:
    """Return the errors found by replaying a task in its generated section."""
    if not dataset.name.startswith("city/arramon/"):
        return []
    # Imported late: sections are compiled code.
    from bearleft.data.arramon_replay import replay_errors

    return [error.at(file=str(dataset.path)) for error in replay_errors(episode)]


def _named_pictures(dataset: Dataset, episode: Episode) -> list[str]:
    """Return the picture files that an episode of a generated dataset names."""
    names = episode.extra.get(PICTURES) if dataset.name.startswith("city/") else None
    return [str(name) for name in names.values()] if isinstance(names, Mapping) else []


def _missing_pictures(dataset: Dataset, names: list[str]) -> list[InputError]:
    """Return an error if pictures that episodes name do not exist."""
    if dataset.path is None:
        return []
    folder = dataset.path.parent
    missing = [name for name in names if not (folder / name).is_file()]
    if not missing:
        return []
    got = f"{len(missing):,} missing, the first being {format_value(missing[0])}"
    hint = "The command that made the dataset writes missing pictures."
    return [InputError(f"the {len(names):,} pictures that {dataset.path.name} names", got, file=str(folder), hint=hint)]


def _hash_errors(dataset: Dataset) -> list[InputError]:
    """Return an error for each file whose hash differs from that in the manifest beside it."""
    if not dataset.name.startswith("city/") or dataset.path is None:
        return []
    folder = dataset.path.parent
    if not (folder / MANIFEST).exists():
        return []
    try:
        manifest = read_manifest(folder / MANIFEST)
    except InputError as error:
        return [error]
    files = {}
    for split in manifest["splits"].values():
        if dataset.path.name in split["files"]:
            files = manifest["files"] | split["files"]
    errors = []
    for name, expected_hash in files.items():
        got = sha256(folder / name) if (folder / name).is_file() else "no file"
        if got != expected_hash:
            expected = f"the file that {MANIFEST} names, with the sha256 {expected_hash}"
            errors.append(InputError(expected, got, file=str(folder / name)))
    return errors


def _generator_notes(dataset: Dataset) -> Iterable[str]:
    """Yield a note where the texts were made by an earlier version of the generators."""
    if not dataset.name.startswith("city/") or dataset.path is None:
        return
    try:
        version = read_manifest(dataset.path.parent / MANIFEST)["text_generator"]
    except InputError:
        return  # no manifest, or a broken one, which is an error of its own
    if version != TEXT_GENERATOR:
        yield f"{dataset.name}: texts of version {version} of the text generators; this bearleft has {TEXT_GENERATOR}"


def _notes(dataset: Dataset) -> Iterable[str]:
    for fact in dataset.facts:
        yield f"{dataset.name}: {fact}"
    for kind, notes in (("skipped", dataset.skipped), ("noted", dataset.notes)):
        by_reason: dict[str, list[DatasetNote]] = {}
        for note in notes:
            by_reason.setdefault(note.reason, []).append(note)
        for reason, of_reason in by_reason.items():
            ids = ", ".join(note.episode for note in of_reason[:MAX_LISTED_IDS])
            more = f" and {len(of_reason) - MAX_LISTED_IDS:,} more" if len(of_reason) > MAX_LISTED_IDS else ""
            yield f"{dataset.name}: {len(of_reason):,} {kind}: {reason}: {ids}{more}"


def _check_graphs(result: CheckResult, folder: Path) -> None:
    """Append notes on the size of the graphs; a graph that cannot be read is an error."""
    # Imported late: graphs are compiled code that other datasets do not need.
    from bearleft.world.graphs.matterport import list_scans, read_matterport
    from bearleft.world.graphs.touchdown import LINKS_FILE, read_street_graph

    try:
        if (folder / "touchdown" / LINKS_FILE).exists():
            street = read_street_graph(folder / "touchdown")
            links = set(zip(street.source.tolist(), street.target.tolist(), strict=True))
            one_way = sum((b, a) not in links for a, b in links)
            reachable = int((street.hops(0) >= 0).sum())
            result.notes.append(
                f"world touchdown: {len(street):,} places, {len(links):,} links, {one_way} without a reverse;"
                f" {reachable:,} places can be reached from the first"
            )
        connectivity = folder / "r2r" / "connectivity"
        buildings = [read_matterport(connectivity, scan) for scan in list_scans(connectivity)]
        if buildings:
            places, total_links = sum(map(len, buildings)), sum(len(graph.source) for graph in buildings)
            result.notes.append(
                f"worlds matterport: {len(buildings)} buildings, {places:,} places, {total_links:,} links"
            )
    except InputError as error:
        if str(error) not in result.errors:  # else reported by a dataset of that world
            result.errors.append(str(error))
