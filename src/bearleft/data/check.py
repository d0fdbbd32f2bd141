"""Reads every dataset of a data folder to its end and counts: what is there, what is left out, what is wrong."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bearleft.data import catalog
from bearleft.data.catalog import open_dataset
from bearleft.data.dataset import MANIFEST, Dataset, Remark
from bearleft.data.manifest import read_manifest
from bearleft.errors import InputError
from bearleft.records import Episode
from bearleft.runtime.store import DATA_HINT, data_folder, sha256

Progress = Callable[[str, int, int], None]
NAMED = 40
OFTEN = 256  # episodes between two calls of a progress function


@dataclass
class Checked:
    """The rows of `bearleft data check`, and sentences for people: errors, and notes on what was left out or is odd."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check(
    data: str | os.PathLike[str] | None = None,
    names: Sequence[str] = (),
    progress: Progress | None = None,
) -> Checked:
    """Checks the named datasets, or every one that is there; `progress` is told the name, bytes read, and bytes in all.

    `episodes` counts those left out too; a line or item that is an error is counted in `errors` only. The files of a
    city are compared with the hashes of its manifest, where there is one, and tasks of sections are played.
    """
    checked = Checked()
    for name in names or every(data):
        opened = open_dataset(name, data, strict=False)
        read = legs = 0
        changed: list[InputError] = []
        for read, episode in enumerate(opened, 1):
            legs += len(episode.legs)
            changed += _played(opened, episode)
            if progress is not None and read % OFTEN == 0:
                progress(name, *opened.progress)
        if progress is not None:
            progress(name, *opened.progress)
        changed += _changed(opened)
        checked.rows.append(
            {
                "dataset": name,
                "episodes": read + len(opened.left_out),
                "legs": legs,
                "left_out": len(opened.left_out),
                "errors": len(opened.errors) + len(changed),
            }
        )
        checked.errors += [str(error) for error in opened.errors]
        # A file may be read as several datasets.
        checked.errors += [str(error) for error in changed if str(error) not in checked.errors]
        checked.notes += _notes(opened)
    if not names:
        _worlds(checked, data_folder(data))
    return checked


def every(data: str | os.PathLike[str] | None) -> list[str]:
    """The datasets of a folder that holds some."""
    found = catalog.names(data)
    if not found:
        folders = sorted({family.places[0].folder for family in catalog.DATASETS.values()})
        got = f"none in {data_folder(data)}"
        raise InputError(f"datasets in folders {', '.join(folders)}", got, hint=DATA_HINT)
    return found


def _played(dataset: Dataset, episode: Episode) -> list[InputError]:
    """What is wrong with a task of sections when it is played."""
    if not dataset.name.startswith("city/arramon/"):
        return []
    # Not at the top: sections are compiled code.
    from bearleft.data.arramon_replay import faults

    return [error.at(file=str(dataset.path)) for error in faults(episode)]


def _changed(dataset: Dataset) -> list[InputError]:
    """An error for each file of a city's split that is not what the manifest beside it says."""
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
    found = []
    for name, hashed in files.items():
        got = sha256(folder / name) if (folder / name).is_file() else "no file"
        if got != hashed:
            expected = f"the file that {MANIFEST} names, with the sha256 {hashed}"
            found.append(InputError(expected, got, file=str(folder / name)))
    return found


def _notes(dataset: Dataset) -> Iterable[str]:
    for fact in dataset.facts:
        yield f"{dataset.name}: {fact}"
    for kind, remarks in (("left out", dataset.left_out), ("noted", dataset.notes)):
        by_reason: dict[str, list[Remark]] = {}
        for remark in remarks:
            by_reason.setdefault(remark.reason, []).append(remark)
        for reason, found in by_reason.items():
            ids = ", ".join(remark.episode for remark in found[:NAMED])
            more = f" and {len(found) - NAMED:,} more" if len(found) > NAMED else ""
            yield f"{dataset.name}: {len(found):,} {kind}: {reason}: {ids}{more}"


def _worlds(checked: Checked, folder: Path) -> None:
    """The graphs that are there, in numbers; one that cannot be read is an error."""
    # Not at the top: graphs are compiled code, and datasets without one should be checked without it.
    from bearleft.world.graphs.matterport import read_matterport, scans
    from bearleft.world.graphs.touchdown import LINKS, read_street

    try:
        if (folder / "touchdown" / LINKS).exists():
            street = read_street(folder / "touchdown")
            links = set(zip(street.source.tolist(), street.target.tolist(), strict=True))
            one_way = sum((b, a) not in links for a, b in links)
            reached = int((street.hops(0) >= 0).sum())
            checked.notes.append(
                f"world touchdown: {len(street):,} places, {len(links):,} links, {one_way} without a reverse;"
                f" {reached:,} places can be reached from the first"
            )
        connectivity = folder / "r2r" / "connectivity"
        buildings = [read_matterport(connectivity, scan) for scan in scans(connectivity)]
        if buildings:
            places, links_in_all = sum(map(len, buildings)), sum(len(graph.source) for graph in buildings)
            checked.notes.append(
                f"worlds matterport: {len(buildings)} buildings, {places:,} places, {links_in_all:,} links"
            )
    except InputError as error:
        if str(error) not in checked.errors:  # a dataset of that world has said so
            checked.errors.append(str(error))
