"""Training that begins with a checkpoint: its weights, tokenizer and Config, instead of new ones."""

from __future__ import annotations

from typing import Any

from bearleft.errors import InputError, format_value
from bearleft.models.backbones.registry import Backbone
from bearleft.models.walking.cells import encoder_hash
from bearleft.models.walking.checkpoint import WalkCheckpoint
from bearleft.models.walking.network import CELLS, WalkNetwork
from bearleft.training.walking.config import WalkTrainConfig
from bearleft.world.slices import Slicing


def load_init(config: WalkTrainConfig) -> WalkCheckpoint | None:
    """Return the checkpoint that training begins with, on the CPU; None if there is none.

    Raises:
        InputError: It is missing, damaged, of another network, or of other rules of turning.
    """
    if config.init is None:
        return None
    init = WalkCheckpoint.load(config.init_file)
    if init.name != config.network:
        hint = f"Type bearleft train {init.name}, or name another file."
        raise InputError(
            f"a checkpoint of {config.network}", f"one of {init.name}", "init", str(config.init), hint=hint
        )
    if init.auto_turn != config.auto_turn:
        hint = f"{'Leave out' if init.auto_turn else 'Add'} --no-auto-turn."
        expected = f"walkers that {'turn' if init.auto_turn else 'keep their heading'} at junctions, as it was trained"
        raise InputError(expected, "others", "auto_turn", str(config.init), hint=hint)
    return init


def network_settings(config: WalkTrainConfig, init: WalkCheckpoint | None) -> dict[str, Any]:
    """Return the fields of the network's Config but its shape: those that are given, else those of the checkpoint."""
    own = {} if init is None else {name: value for name, value in vars(init.config).items() if name != "shape"}
    return {**own, **config.overrides}


def feature_hashes(backbone: Backbone | None, kind: str) -> tuple[str, str]:
    """Return the hashes of the backbone, and of the cell encoder, that views of a kind are made with; "" for none."""
    if backbone is None:
        return "", ""
    return backbone.hash, encoder_hash(backbone) if kind == CELLS else ""


def check_features(config: WalkTrainConfig, init: WalkCheckpoint, backbone: Backbone, slicing: Slicing) -> None:
    """Raise InputError if the network would read other features than the checkpoint was trained with."""
    if backbone.hash != init.backbone_hash:
        expected = f"the backbone that it was trained with, {init.backbone} ({init.backbone_hash[:8]})"
        hint = "Name its file with --backbone FILE."
        raise InputError(expected, f"{backbone.name} ({backbone.hash[:8]})", "backbone", str(config.init), hint=hint)
    if init.network.views == CELLS and encoder_hash(backbone) != init.cells_hash:
        expected = f"the cell encoder that it was trained with ({init.cells_hash[:8] or 'none'})"
        hint = "It was trained with another version of bearleft; train it again."
        raise InputError(expected, encoder_hash(backbone)[:8] or "none", "cells", str(config.init), hint=hint)
    if slicing != init.slicing:
        hint = f"Add --size {init.slicing.width}x{init.slicing.height}."
        expected = f"slices of {init.slicing.width} x {init.slicing.height} pixels, as it was trained with"
        raise InputError(expected, f"{slicing.width} x {slicing.height}", "slices", str(config.init), hint=hint)


def load_weights(config: WalkTrainConfig, init: WalkCheckpoint, network: WalkNetwork) -> None:
    """Load the weights of a checkpoint; raise InputError if settings give the network other ones."""
    own, given = network.state_dict(), init.network.state_dict()
    for name in sorted(own.keys() | given.keys()):
        shapes = [tuple(weights[name].shape) if name in weights else None for weights in (given, own)]
        if shapes[0] != shapes[1]:
            expected = f"settings that keep the weights of {config.init}"
            got = f"{format_value(config.overrides)}: {name} would be {shapes[1] or 'missing'}, and is {shapes[0]}"
            hint = "Only settings such as dropout can change. For others, leave out --init."
            raise InputError(expected, got, "overrides", hint=hint)
    network.load_state_dict(given)
