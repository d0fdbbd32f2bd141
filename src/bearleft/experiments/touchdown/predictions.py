"""Saved predictions of pointing systems, one small file per system, seed and split; and predictions of baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bearleft.agents.pointing_baselines import Average, Center, PointingBaseline, Uniform
from bearleft.errors import InputError
from bearleft.experiments.systems.saved_results import (
    OWN_TEXTS,
    Arrays,
    Folder,
    common_fields,
    read_result,
    read_results,
    result_file,
    save_result,
)
from bearleft.geometry import turn
from bearleft.models.examples import point_leg
from bearleft.models.legacy import upgrade_keys
from bearleft.records import Episode

if TYPE_CHECKING:
    from bearleft.types import Floats

RANDOM_SEEDS = 50
NAME = "answers"  # what the predictions are called in messages
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
        return result_file(self.system, self.dataset, self.seed, self.texts)


def save_predictions(folder: Folder, predictions: SavedPredictions) -> Path:
    """Write predictions into a folder, under their own file name, and return the path."""
    arrays = {"answers": predictions.directions.astype(np.float32)}
    return save_result(Path(folder) / predictions.file_name, predictions, arrays)


def read_predictions(path: Folder) -> SavedPredictions:
    """Read one file that `save_predictions` wrote.

    Raises:
        InputError: There is no such file, or it is damaged.
    """

    def parse(head: dict[str, Any], arrays: Arrays) -> SavedPredictions:
        directions, metadata = arrays["answers"].astype(np.float64), upgrade_keys(head["about"])
        return SavedPredictions(**common_fields(head, arrays), directions=directions, metadata=metadata)

    return read_result(path, NAME, HINT, parse)


def read_folder(folder: Folder) -> list[SavedPredictions]:
    """Read all files of predictions in a folder, sorted by file name."""
    return read_results(folder, NAME, HINT, read_predictions)


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
