"""Files of results: what one system, trained with one seed, did on one split, compressed with numpy."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from bearleft.errors import InputError, format_value
from bearleft.records import Episode
from bearleft.runtime.store import atomic_write, existing_file

T = TypeVar("T")
Folder = str | os.PathLike[str]
Arrays = Mapping[str, Any]  # of numpy, by name
OWN_TEXTS, SHUFFLED_TEXTS = "own", "shuffled"  # each example keeps its own text, or gets that of another
UNREADABLE = (
    *(OSError, EOFError, ValueError, KeyError, TypeError, IndexError, AttributeError, MemoryError, RecursionError),
    *(zipfile.BadZipFile, zlib.error, NotImplementedError),
)
MAX_BYTES = 2**28  # of a file, uncompressed


class SavedResult(Protocol):
    """Results of one system, trained with one seed, on one split."""

    @property
    def system(self) -> str:
        """Return the name of the system in tables."""

    @property
    def dataset(self) -> str:
        """Return DATASET/SPLIT."""

    @property
    def seed(self) -> int:
        """Return the seed that the system was trained with."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the episodes."""

    @property
    def seconds(self) -> float:
        """Return the wall-clock time."""

    @property
    def texts(self) -> str:
        """Return what texts the system had: OWN_TEXTS, or another word."""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Return plain values, such as the number of updates and the hash of the backbone."""


def result_file(system: str, dataset: str, seed: int, texts: str = OWN_TEXTS) -> str:
    """Return the name of a file of results."""
    suffix = () if texts == OWN_TEXTS else (texts,)
    return f"{'_'.join((system, dataset.replace('/', '-'), str(seed), *suffix))}.npz"


def save_result(path: Path, result: SavedResult, arrays: Arrays, head: Mapping[str, Any] | None = None) -> Path:
    """Write results atomically, and return the path.

    Args:
        path: The file.
        result: The results.
        arrays: Their arrays by name.
        head: Plain values that are written beside those that all results have.
    """
    values = {name: getattr(result, name) for name in ("system", "dataset", "seed", "seconds", "texts")}
    values |= {**(head or {}), "about": dict(result.metadata)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path, "wb") as stream:
        np.savez_compressed(stream, head=np.array(json.dumps(values)), ids=np.array(result.ids, str), **arrays)
    return path


def read_result(path: Folder, name: str, hint: str, parse: Callable[[dict[str, Any], Arrays], T]) -> T:
    """Read one file that `save_result` wrote.

    Args:
        path: The file.
        name: What the results are called.
        hint: What writes such files.
        parse: Returns the results of the plain values and the arrays.

    Raises:
        InputError: There is no such file, or it is damaged or too large.
    """
    file = existing_file(path, f"a file of {name}")
    try:
        with open(file, "rb") as stream, np.load(stream, allow_pickle=False) as archive:
            size = sum(part.file_size for part in archive.zip.infolist())
            if size > MAX_BYTES:
                raise InputError(f"{name} of at most {MAX_BYTES:,} bytes", f"{size:,} bytes")
            return parse(json.loads(str(archive["head"])), archive)
    except InputError as error:
        raise error.at(file=str(file)) from None
    except UNREADABLE as error:
        raise InputError(f"a file of {name}", format_value(f"{error}"), file=str(file), hint=hint) from error


def common_fields(head: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    """Return the fields that all results have but the metadata."""
    return {
        "system": str(head["system"]),
        "dataset": str(head["dataset"]),
        "seed": int(head["seed"]),
        "ids": tuple(arrays["ids"].tolist()),
        "seconds": float(head["seconds"]),
        "texts": str(head["texts"]),
    }


def read_results(folder: Folder, name: str, hint: str, read: Callable[[Path], T]) -> list[T]:
    """Read all files of results in a folder, sorted by file name.

    Raises:
        InputError: There are none, or one is damaged.
    """
    paths = sorted(Path(folder).glob("*.npz"))
    if not paths:
        raise InputError(f"a folder with files of {name} (.npz)", "none there", file=str(folder), hint=hint)
    return [read(path) for path in paths]


def episodes_with_results(
    dataset: str, episodes: Sequence[Episode], saved: Sequence[SavedResult], name: str
) -> list[Episode]:
    """Return the episodes with results: a run may cover a part of a dataset, such as pairs at unseen places.

    Args:
        dataset: The name of the dataset.
        episodes: Its episodes.
        saved: Results, of this dataset and perhaps of others.
        name: What the results are called.

    Raises:
        InputError: There are results for other episodes.
    """
    ids = {episode_id for result in saved if result.dataset == dataset for episode_id in result.ids}
    if unknown := ids - {episode.id for episode in episodes}:
        hint = "Name the data folder that these episodes are in: --data DIR"
        expected = f"{name} of {dataset}'s own {len(episodes)} episodes"
        raise InputError(expected, format_value(min(unknown)), "ids", hint=hint)
    return [episode for episode in episodes if episode.id in ids]
