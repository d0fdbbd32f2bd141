"""Saved predictions of pointing systems, one small file per system, seed and split; and predictions of baselines."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bearleft.agents.pointing_baselines import Average, Center, PointingBaseline, Uniform
from bearleft.errors import InputError, format_value
from bearleft.geometry import turn
from bearleft.models.examples import point_leg
from bearleft.models.legacy import upgrade_keys
from bearleft.records import Episode
from bearleft.runtime.store import atomic_write, existing_file

if TYPE_CHECKING:
    from bearleft.types import Floats

Folder = str | os.PathLike[str]
OWN_TEXTS = "own"  # each example keeps its own text, in training and in evaluation
RANDOM_SEEDS = 50
UNREADABLE = AttributeError, MemoryError, RecursionError, zipfile.BadZipFile, zlib.error, NotImplementedError
MAX_BYTES = 2**28  # of a file of answers, uncompressed
HINT = "`bearleft paper touchdown --train RUNS` writes RUNS/answers."


@dataclass(frozen=True, eq=False)
class SavedPredictions:
    """Predicted directions of one system, trained with one seed, on one split.

    Attributes:
        system: Name of the system as in Table 4.
        dataset: DATASET/SPLIT.
        seed: Seed that the system was trained with.
        ids: Ids of the episodes.
        directions: (n, 2) headings relative to the panorama's yaw, and pitches, in degrees.
        seconds: Wall-clock time of the prediction.
        texts: Texts that the system was trained or evaluated with: "own", or a word such as "shuffled".
        metadata: Plain values, such as the number of updates and the hash of the backbone.
    """

    system: str
    dataset: str
    seed: int
    ids: tuple[str, ...]
    directions: Floats
    seconds: float = 0.0
    texts: str = OWN_TEXTS
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.directions.shape != (len(self.ids), 2) or not np.isfinite(self.directions).all():
            expected = f"({len(self.ids)}, 2) finite angles, a heading and a pitch for each id"
            raise InputError(expected, f"an array of shape {self.directions.shape}", "directions")

    @property
    def file_name(self) -> str:
        """Return the name of the file that `save_predictions` writes."""
        suffix = () if self.texts == OWN_TEXTS else (self.texts,)
        return f"{'_'.join((self.system, self.dataset.replace('/', '-'), str(self.seed), *suffix))}.npz"


def save_predictions(folder: Folder, predictions: SavedPredictions) -> Path:
    """Write predictions into a folder, under their own file name, and return the path."""
    path = Path(folder) / predictions.file_name
    head = {name: getattr(predictions, name) for name in ("system", "dataset", "seed", "seconds", "texts")}
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path, "wb") as stream:
        np.savez_compressed(
            stream,
            head=np.array(json.dumps({**head, "about": dict(predictions.metadata)})),
            ids=np.array(predictions.ids, str),
            answers=predictions.directions.astype(np.float32),
        )
    return path


def read_predictions(path: Folder) -> SavedPredictions:
    """Read one file that `save_predictions` wrote."""
    file = existing_file(path, "a file of answers")
    try:
        with open(file, "rb") as stream, np.load(stream, allow_pickle=False) as archive:
            size = sum(part.file_size for part in archive.zip.infolist())
            if size > MAX_BYTES:
                raise InputError(f"answers of at most {MAX_BYTES:,} bytes", f"{size:,} bytes")
            head = json.loads(str(archive["head"]))
            ids, directions = tuple(archive["ids"].tolist()), archive["answers"].astype(np.float64)
        return SavedPredictions(
            str(head["system"]),
            str(head["dataset"]),
            int(head["seed"]),
            ids,
            directions,
            float(head["seconds"]),
            str(head["texts"]),
            upgrade_keys(head["about"]),
        )
    except InputError as error:
        raise error.at(file=str(file)) from None
    except (OSError, EOFError, ValueError, KeyError, TypeError, *UNREADABLE) as error:
        hint = "bearleft.experiments.touchdown.predictions.save_predictions writes them."
        raise InputError("a file of answers", format_value(f"{error}"), file=str(file), hint=hint) from error


def read_folder(folder: Folder) -> list[SavedPredictions]:
    """Read all files of predictions in a folder, sorted by file name."""
    paths = sorted(Path(folder).glob("*.npz"))
    if not paths:
        raise InputError("a folder with files of answers (.npz)", "none there", file=str(folder), hint=HINT)
    return [read_predictions(path) for path in paths]


def baselines(
    dataset: str, episodes: Sequence[Episode], training: Sequence[Episode], random_seeds: int = RANDOM_SEEDS
) -> list[SavedPredictions]:
    """Return predictions of RANDOM (several seeds), CENTER, and AVERAGE of the training episodes on a split."""
    systems: list[tuple[str, PointingBaseline, int]] = [
        ("RANDOM", Uniform(), random_seeds),
        ("CENTER", Center(), 1),
        ("AVERAGE", Average(training), 1),
    ]
    ids, yaws = tuple(episode.id for episode in episodes), [point_leg(episode)[1].yaw for episode in episodes]
    predictions = []
    for name, pointer, seeds in systems:
        for seed in range(seeds):
            pointer.begin(episodes[0], np.random.default_rng(seed))
            directions = [pointer.direction(yaw) for yaw in yaws]
            headings = turn(yaws, [direction.heading for direction in directions])
            pitches = [direction.pitch for direction in directions]
            predictions.append(SavedPredictions(name, dataset, seed, ids, np.column_stack([headings, pitches])))
    return predictions
