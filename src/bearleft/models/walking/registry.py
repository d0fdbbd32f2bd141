"""Walking networks by name, with the settings that they are trained with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from bearleft.errors import unknown_name
from bearleft.models.pointing.layers import init_uniform
from bearleft.models.pointing.spec import check_setting, make_dataclass
from bearleft.models.walking import compass, ga, orar, rconcat
from bearleft.models.walking.network import WalkNetwork

TEACHER, MIXED, DAGGER = "teacher", "mixed", "dagger"
FORCING = {
    TEACHER: "the network learns along the reference walks",
    MIXED: "in the last quarter of the epochs, it walks half of the examples itself, and an oracle gives the actions",
    DAGGER: "as mixed, from half of the epochs on, and walks of earlier epochs are kept",
}


@dataclass(frozen=True)
class WalkSpec:
    """A network, its Config, and its default training settings.

    Attributes:
        config: A frozen dataclass with a field `shape` and default values for all other fields.
        network: The network, which is called with the Config.
        learning_rate: The learning rate.
        description: What the network is, in a few words.
        epochs: The largest number of epochs.
        batch_size: Walks of an update.
        warmup_share: Share of all updates over which the learning rate rises from zero.
        cosine_decay: Whether the learning rate falls to zero over the run.
        weight_decay: The weight decay; with any, the optimizer is AdamW instead of Adam.
        max_grad_norm: The norm to which gradients are clipped; None for no clipping.
        uniform_init: Whether parameters are initialized as in Touchdown's paper.
        half: Whether training on a GPU is in bfloat16.
        subwords: Whether texts are encoded as byte pairs instead of words.
        forcing: A key of FORCING.
        start_weight: Weight of the first action of a walk in the loss.
    """

    config: Callable[..., Any]
    network: Callable[[Any], WalkNetwork]
    learning_rate: float
    description: str
    epochs: int
    batch_size: int
    warmup_share: float = 0.0
    cosine_decay: bool = False
    weight_decay: float = 0.0
    max_grad_norm: float | None = None
    uniform_init: bool = False
    half: bool = False
    subwords: bool = False
    forcing: str = TEACHER
    start_weight: float = 1.0

    def make_config(self, values: dict[str, Any]) -> Any:
        """Return the network's Config; names and types of values are checked."""
        return make_dataclass(self.config, values, "config", check_setting)

    def build(self, config: Any, seed: int | None) -> WalkNetwork:
        """Return a new network on the CPU; without a seed its weights are arbitrary, since others will be loaded."""
        with torch.random.fork_rng(devices=[]):
            if seed is not None:
                torch.manual_seed(seed)
            network = self.network(config)
        if seed is not None and self.uniform_init:
            init_uniform(network, seed)
        return network


WALK_NETWORKS: dict[str, WalkSpec] = {
    "rconcat": WalkSpec(
        rconcat.Config,
        rconcat.RConcat,
        0.00025,
        "Touchdown's best: text, view and action concatenated, an LSTM",
        epochs=40,
        batch_size=32,
        uniform_init=True,
    ),
    "ga": WalkSpec(
        ga.Config,
        ga.GatedAttention,
        0.00025,
        "Touchdown's gated attention: the text gates the view",
        epochs=40,
        batch_size=32,
        uniform_init=True,
    ),
    "orar": WalkSpec(
        orar.Config,
        orar.Orar,
        0.0005,
        "Schumann and Riezler's: attention over words and views between two LSTMs",
        epochs=60,
        batch_size=64,
        weight_decay=0.001,
        max_grad_norm=5.0,
        subwords=True,
    ),
    "compass": WalkSpec(
        compass.Config,
        compass.Compass,
        0.0005,
        "ours: a transformer over steps that attends to its past, words and views",
        epochs=20,
        batch_size=256,
        warmup_share=0.03,
        cosine_decay=True,
        weight_decay=0.02,
        max_grad_norm=1.0,
        half=True,
        forcing=MIXED,
        start_weight=4.0,
    ),
}


def walk_spec(name: str) -> WalkSpec:
    """Return the settings of a walking network.

    Raises:
        InputError: There is no such network.
    """
    if name not in WALK_NETWORKS:
        raise unknown_name("walking network", name, WALK_NETWORKS)
    return WALK_NETWORKS[name]
