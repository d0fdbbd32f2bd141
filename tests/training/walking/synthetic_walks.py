"""Walks of city/touchdown/small with views that are noise, fixed for each place and heading."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from bearleft.data import load
from bearleft.models.walking.examples import build_walks, open_graphs
from bearleft.models.walking.network import MEAN_MAP
from bearleft.models.walking.states import StateTable
from bearleft.training.walking.train import WalkInputs
from bearleft.world.slices import Slicing

SLICING = Slicing(115, 200)  # views of 25 x 25 values
SMALL: dict[str, Any] = {"word_dim": 8, "text_dim": 16, "view_dim": 16, "hidden_dim": 16}  # of RCONCAT's Config


class NoiseViews:
    """Views in memory; they are sent to other processes."""

    kind = MEAN_MAP

    def __init__(self, places: int) -> None:
        rows = SLICING.rows
        self.shape = (rows, rows)
        self.values = torch.from_numpy(np.random.default_rng(0).normal(0.0, 1.0, (places, rows, rows))).float()

    def prepare(self, places: Any, headings: Any, progress: Any = None) -> None:
        """Do nothing: all are there."""

    def __call__(self, places: Tensor, headings: Tensor) -> Tensor:
        return self.values[places] + headings[..., None, None] / 360.0


def make_task(count: int = 24, horizon: int = 12) -> WalkInputs:
    """Return some walks to train on, and others to validate on."""
    walks = build_walks(load("city/touchdown/small"), horizon)
    table = StateTable.build(open_graphs(walks.worlds), walks.starts, torch.device("cpu"))
    training, validation = walks.subset(np.arange(count)), walks.subset(np.arange(50, 60))
    return WalkInputs(training, validation, table, NoiseViews(len(table.places)), None, SLICING)
