"""The task of tests/training/walking/turn_task.py in links: at a crossing, the text says left or right."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch

from bearleft.models.panoramic.examples import build_panoramic_walks
from bearleft.models.panoramic.links import LinkTable
from bearleft.models.walking.examples import open_graphs
from bearleft.training.reinforcement.config import ReinforceConfig
from bearleft.training.reinforcement.train import ReinforceInputs
from tests.training.walking.turn_task import turn_episodes

SMALL: dict[str, Any] = {
    "word_dim": 8,
    "text_dim": 12,
    "hidden_dim": 24,
    "link_dim": 16,
    "text_attention_dim": 12,
}


@cache
def turns(training: int = 80, validation: int = 40) -> ReinforceInputs:
    """Return walks to train on, and walks of other approaches to validate on."""
    episodes = turn_episodes()
    order = np.random.default_rng(0).permutation(len(episodes) // 2)
    chosen = np.stack([2 * order, 2 * order + 1], 1).ravel()
    walks = build_panoramic_walks([episodes[k] for k in chosen[: training + validation]])
    links = LinkTable.build(open_graphs(walks.worlds), torch.device("cpu"))
    held_out = np.arange(training, training + validation)
    return ReinforceInputs(walks.subset(np.arange(training)), walks.subset(held_out), links)


def turns_config(**options: Any) -> ReinforceConfig:
    """Return a configuration of a small network for this task."""
    own = {"epochs": 3, "examples_per_epoch": 1000, "batch_size": 50, "learning_rate": 0.01, "horizon": 5}
    return ReinforceConfig(**{**own, "overrides": SMALL, **options})
