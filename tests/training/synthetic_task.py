"""A small world to learn pointing in: maps of noise in which every word's own pattern stands at one cell."""

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
FILLERS = ("the", "that", "only")  # no text is another's: those of one text are held back together
SMALL: dict[str, Any] = {"m": 1, "width": 8, "embedding_dim": 12, "lstm_dim": 8}  # of LingUNet's Config
RECIPE = TrainConfig(
    "lingunet", epochs=3, batch_size=10, learning_rate=0.03, sigma=0.5, tuning_share=0.2, overrides=SMALL
)
# Nothing is drawn, and steps are small: Adam makes a full step of a gradient that is nothing but rounding.
PLAIN = replace(RECIPE, learning_rate=1e-4, overrides={**SMALL, "dropout": 0.0})
SHARED = replace(
    PLAIN, batch_size=19, tuning_share=0.02
)  # of 59 examples: the last batch and the tuning split have one each


class Planted(IndexedPanoramas):
    """Features in memory."""

    def __init__(self, panoramas: tuple[Panorama, ...], maps: Tensor) -> None:
        self.panoramas, self.maps = panoramas, maps
        self.slicing, self.channels, self.device = SLICING, maps.shape[1], torch.device("cpu")

    def __call__(self, indices: Tensor) -> Tensor:
        return self.maps[indices]


def planted(count: int = 60, seed: int = 0) -> tuple[Examples, Planted]:
    """Examples, one for each panorama, and their features."""
    rng = np.random.default_rng(seed)
    maps = rng.normal(0.0, 0.3, (count, CHANNELS, SLICING.rows, SLICING.columns)).astype(np.float32)
    patterns = 3.0 * np.eye(CHANNELS, dtype=np.float32)
    texts, targets = [], []
    for k in range(count):
        cells = rng.choice(SLICING.rows * SLICING.columns, len(WORDS), replace=False)
        rows, columns = cells // SLICING.columns, cells % SLICING.columns
        for word in range(len(WORDS)):
            maps[k, :, rows[word], columns[word]] += patterns[word]
        asked = int(rng.integers(len(WORDS)))
        texts.append(" ".join([*(FILLERS[int(one)] for one in np.base_repr(k, 3)), WORDS[asked], "one"]))
        targets.append([float(one) for one in SLICING.directions(rows[asked] + 0.5, columns[asked] + 0.5)])
    panoramas = tuple(Panorama("made", str(k), 0.0) for k in range(count))
    ids = tuple(f"example-{k}" for k in range(count))
    examples = Examples(ids, tuple(texts), panoramas, np.arange(count), np.array(targets))
    return examples, Planted(panoramas, torch.from_numpy(maps).contiguous(memory_format=torch.channels_last))


def untimed(rows: list[Row]) -> list[Row]:
    """A curve without what the clock said."""
    return [{name: value for name, value in row.items() if name not in TIMED} for row in rows]
