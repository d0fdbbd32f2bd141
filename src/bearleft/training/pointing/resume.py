"""Checks that a training in a folder is resumed with the settings and data that it began with."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from bearleft.errors import InputError, format_value
from bearleft.models import NETWORK_FILE
from bearleft.models.pointing.spec import NetworkSpec
from bearleft.training.pointing.config import TrainConfig
from bearleft.world.slices import PAPER, SLICINGS, TALL, Slicing

HINT = "Name another folder, or repeat the first command as it was."


def resume_key(config: TrainConfig, spec: NetworkSpec) -> dict[str, Any]:
    """Return the settings that must be the same when training resumes."""
    # A rate that decays to zero at the end depends on the number of epochs.
    ignored = {"compile"} if spec.cosine_decay else {"compile", "epochs"}
    settings = {name: value for name, value in asdict(config).items() if name not in ignored}
    return {**settings, "network": spec.label or config.network}


def check_resumable(
    state: dict[str, Any], folder: Path, key: dict[str, Any], examples_hash: str, backbone_hash: str, slicing: Slicing
) -> None:
    """Check a training state against the settings and data of the present call.

    Args:
        state: The state.
        folder: Its folder, for error messages.
        key: The output of `resume_key`.
        examples_hash: The fingerprint of the examples.
        backbone_hash: The hash of the backbone's weights.
        slicing: How panoramas are cut into slices.

    Raises:
        InputError: The state is of another configuration, other examples, slices or another backbone.
    """
    old = state["train_config"]
    for name in {**old, **key}:
        if old.get(name) != key.get(name):
            got, hint = format_value(key.get(name)), HINT
            if name == "network" and (folder / NETWORK_FILE).is_file():
                hint += f" The file that training began with: {folder / NETWORK_FILE}"
            expected = f"{name} {format_value(old.get(name))}, as in this folder's training"
            raise InputError(expected, got, name, file=str(folder), hint=hint)
    for name, value in (("examples", examples_hash), ("backbone", backbone_hash)):
        if state[f"{name}_hash"] != value:
            expected = f"the {name} that training in this folder began with"
            raise InputError(expected, "others", file=str(folder), hint=HINT)
    new = asdict(slicing)
    # States of older versions have none, and tall slices came later.
    old = state.get("slicing") or (asdict(PAPER) if slicing == TALL else new)
    if old != new:
        before = Slicing(**old)
        name = before.name if before.name in SLICINGS else "released" if before.released else "paper"
        size = "" if before.name in SLICINGS else f" --size {before.width}x{before.height}"
        hint = f"Add --slices {name}{size}, or name another folder."
        expected = f"{before.name} slices, as in this folder's training"
        raise InputError(expected, slicing.name, "slices", file=str(folder), hint=hint)
