"""ArraMon's networks by name, with the settings that they are trained with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from bearleft.errors import unknown_name
from bearleft.models.arramon import baseline, memory
from bearleft.models.arramon.network import ArraMonNetwork, PhaseModule
from bearleft.models.pointing.spec import check_setting, make_dataclass

TEACHER, DAGGER = "teacher", "dagger"
FORCING = {
    TEACHER: "the network learns along the reference actions",
    DAGGER: "later, it also learns along its own actions, what an A* oracle would do at each of their steps",
}


@dataclass(frozen=True)
class ArraMonSpec:
    """A network, its Config, and its default training settings.

    Attributes:
        config: A frozen dataclass with a field `shape` and default values for all other fields.
        module: The module of a phase, which is called with the Config.
        description: What the network is, in a few words.
        settings: Settings of the Config that belong to the name.
        learning_rate: The learning rate of Adam, or of AdamW with a weight decay.
        epochs: The largest number of epochs.
        batch_size: Turns of an update.
        rows: Rows of a feature map.
        weight_decay: The weight decay.
        max_grad_norm: The norm to which gradients are clipped.
        cosine_decay: Whether the learning rate falls to zero over the run, after a warm-up.
        half: Whether training on a GPU is in bfloat16.
        forcing: A key of FORCING.
    """

    config: Callable[..., Any]
    module: Callable[[Any], PhaseModule]
    description: str
    settings: dict[str, Any] = field(default_factory=dict)
    learning_rate: float = 1e-3
    epochs: int = 30
    batch_size: int = 16
    rows: int = 7
    weight_decay: float = 0.0
    max_grad_norm: float = 5.0  # as in the released code
    cosine_decay: bool = False
    half: bool = False
    forcing: str = TEACHER

    def make_config(self, values: dict[str, Any]) -> Any:
        """Return the network's Config; names and types of values are checked."""
        return make_dataclass(self.config, {**self.settings, **values}, "config", check_setting)

    def build(self, config: Any, seed: int | None) -> ArraMonNetwork:
        """Return a new network on the CPU; without a seed its weights are arbitrary, since others will be loaded."""
        with torch.random.fork_rng(devices=[]):
            if seed is not None:
                torch.manual_seed(seed)
            navigation = self.module(config)
            assembly = navigation if getattr(config, "shared", False) else self.module(config)
            return ArraMonNetwork(navigation, assembly, config.image)


ARRAMON_NETWORKS: dict[str, ArraMonSpec] = {
    "arramon-vl": ArraMonSpec(baseline.Config, baseline.Baseline, "V/L of the paper: vision and language"),
    "arramon-vo": ArraMonSpec(baseline.Config, baseline.Baseline, "V/O of the paper: vision only", {"text": False}),
    "arramon-lo": ArraMonSpec(baseline.Config, baseline.Baseline, "L/O of the paper: language only", {"image": False}),
    "arramon-memory": ArraMonSpec(
        memory.Config,
        memory.Memory,
        "ours: a transformer over steps that attends to its past, words and the view",
        learning_rate=5e-4,
        epochs=20,
        batch_size=32,
        rows=14,
        weight_decay=0.02,
        max_grad_norm=1.0,
        cosine_decay=True,
        half=True,
        forcing=DAGGER,
    ),
}


def arramon_spec(name: str) -> ArraMonSpec:
    """Return the settings of a network; raise InputError if there is none of this name."""
    if name not in ARRAMON_NETWORKS:
        raise unknown_name("network of ArraMon", name, ARRAMON_NETWORKS)
    return ARRAMON_NETWORKS[name]
