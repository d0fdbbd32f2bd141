"""A synthetic pointing task: maps of noise, in which one cell has the pattern of each word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bearleft.models.examples import Examples, Panorama
from bearleft.models.features.base import IndexedPanoramas
from bearleft.training.history import TIMED, Row
from bearleft.training.pointing.train import TrainConfig
from bearleft.world.slices import Slicing

SLICING = Slicing(32, 64)  # 8 x 32 cells
CHANNELS = 8
WORDS = ("red", "blue", "green", "black")
FILLERS = ("the", "that", "only")  # they make texts unique, since examples of one text are held out together
SMALL: dict[str, Any] = {"m": 1, "width": 8, "embedding_dim": 12, "lstm_dim": 8}  # of LingUNet's Config
CONFIG = TrainConfig(
    "lingunet", epochs=3, batch_size=10, learning_rate=0.03, sigma=0.5, validation_share=0.2, overrides=SMALL
)
# Without dropout and with small steps: Adam makes a full step even if a gradient consists of rounding errors only.
PLAIN = replace(CONFIG, learning_rate=1e-4, overrides={**SMALL, "dropout": 0.0})
# Of 59 examples, the last batch and the validation split have one each.
SHARED = replace(PLAIN, batch_size=19, validation_share=0.02)


class SyntheticFeatures(IndexedPanoramas):
    """Features in memory."""

    def __init__(self, panoramas: tuple[Panorama, ...], maps: Tensor) -> None:
        self.panoramas, self.maps = panoramas, maps
        self.slicing, self.channels, self.device = SLICING, maps.shape[1], torch.device("cpu")

    def __call__(self, indices: Tensor) -> Tensor:
        return self.maps[indices]


def make_task(count: int = 60, seed: int = 0) -> tuple[Examples, SyntheticFeatures]:
    """Return examples, one per panorama, and their features."""
    rng = np.random.default_rng(seed)
    maps = rng.normal(0.0, 0.3, (count, CHANNELS, SLICING.rows, SLICING.columns)).astype(np.float32)
    patterns = 3.0 * np.eye(CHANNELS, dtype=np.float32)
    texts, targets = [], []
    for k in range(count):
        cells = rng.choice(SLICING.rows * SLICING.columns, len(WORDS), replace=False)
        rows, columns = cells // SLICING.columns, cells % SLICING.columns
        for word in range(len(WORDS)):
            maps[k, :, rows[word], columns[word]] += patterns[word]
        target = int(rng.integers(len(WORDS)))
        texts.append(" ".join([*(FILLERS[int(digit)] for digit in np.base_repr(k, 3)), WORDS[target], "one"]))
        targets.append([float(angle) for angle in SLICING.to_directions(rows[target] + 0.5, columns[target] + 0.5)])
    panoramas = tuple(Panorama("synthetic", str(k), 0.0) for k in range(count))
    ids = tuple(f"example-{k}" for k in range(count))
    examples = Examples(ids, tuple(texts), panoramas, np.arange(count), np.array(targets))
    return examples, SyntheticFeatures(panoramas, torch.from_numpy(maps).contiguous(memory_format=torch.channels_last))


def without_times(rows: list[Row]) -> list[Row]:
    """Return a history without the values that depend on the clock."""
    return [{name: value for name, value in row.items() if name not in TIMED} for row in rows]
