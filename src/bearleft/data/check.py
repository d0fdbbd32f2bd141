"""Reads every dataset of a data folder to its end and counts: what is there, what is left out, what is wrong."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bearleft.data import catalog
from bearleft.data.catalog import open_dataset
from bearleft.data.dataset import Dataset, Remark
from bearleft.errors import InputError
from bearleft.store import DATA_HINT, data_folder

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

    `episodes` counts those left out too; a line or item that is an error is counted in `errors` only.
    """
    checked = Checked()
    for name in names or every(data):
        opened = open_dataset(name, data, strict=False)
        read = legs = 0
        for read, episode in enumerate(opened, 1):
            legs += len(episode.legs)
            if progress is not None and read % OFTEN == 0:
                progress(name, *opened.progress)
        if progress is not None:
            progress(name, *opened.progress)
        checked.rows.append(
            {
                "dataset": name,
                "episodes": read + len(opened.left_out),
                "legs": legs,
                "left_out": len(opened.left_out),
                "errors": len(opened.errors),
            }
        )
        checked.errors += [str(error) for error in opened.errors]
        checked.notes += _notes(opened)
    return checked


def every(data: str | os.PathLike[str] | None) -> list[str]:
    """The datasets of a folder that holds some."""
    found = catalog.names(data)
    if not found:
        folders = sorted({family.places[0].folder for family in catalog.DATASETS.values()})
        came = f"none in {data_folder(data)}"
        raise InputError(f"datasets in folders {', '.join(folders)}", came, hint=DATA_HINT)
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
