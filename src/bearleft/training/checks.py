"""Checks that trainings share: a folder is resumed with the settings and data it began with; numbers stay finite."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from bearleft.errors import InputError, format_value
from bearleft.models import NETWORK_FILE
from bearleft.training.history import ProgressCallback, TrainProgress
from bearleft.training.state import describe_last_state, peek_state
from bearleft.world.slices import PAPER, SLICINGS, TALL, Slicing

HINT = "Name another folder, or repeat the first command as it was."


def check_settings(old: Mapping[str, Any], new: Mapping[str, Any], folder: Path) -> None:
    """Raise InputError if settings differ from those that training in a folder began with."""
    for name in {**old, **new}:
        if old.get(name) != new.get(name):
            hint = HINT
            if name == "network" and (folder / NETWORK_FILE).is_file():
                hint += f" The file that training began with: {folder / NETWORK_FILE}"
            expected = f"{name} {format_value(old.get(name))}, as in this folder's training"
            raise InputError(expected, format_value(new.get(name)), name, file=str(folder), hint=hint)


def check_resumable(
    state: Mapping[str, Any],
    folder: Path,
    settings: Mapping[str, Any],
    examples_hash: str,
    backbone_hash: str,
    slicing: Slicing,
) -> None:
    """Check a training state against the settings and data of the present call.

    Args:
        state: The state.
        folder: Its folder, for error messages.
        settings: The settings that must be the same when training resumes.
        examples_hash: The fingerprint of the examples.
        backbone_hash: The hash of the backbone's weights.
        slicing: How panoramas are cut into slices.

    Raises:
        InputError: The state is of other settings, examples, slices or another backbone.
    """
    check_settings(state["train_config"], settings, folder)
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


def check_folder(
    folder: Path,
    settings: Mapping[str, Any],
    examples_hash: str,
    backbone_hash: str,
    slicing: Slicing,
    report: ProgressCallback,
) -> None:
    """Check a folder before anything is computed, and report it if a training there will be resumed.

    The arguments are those of `check_resumable`; of several processes the main one reports.
    """
    if (state := peek_state(folder)) is None:
        return
    check_resumable(state, folder, settings, examples_hash, backbone_hash, slicing)
    if os.environ.get("RANK", "0") == "0":
        done = f"epoch {state['epochs_done']} and {state['updates_done']:,} updates of the next"
        report(TrainProgress(message=f"Resuming the training in {folder} after {done}."))


def mean_loss(losses: Tensor, diverged: Callable[[int, float], InputError]) -> float:
    """Return the mean of the losses of consecutive updates, 0 of none.

    Args:
        losses: The losses.
        diverged: Returns the error to raise for the index of the first loss that is not finite, and its value.
    """
    losses = losses.cpu()
    bad = (~torch.isfinite(losses)).nonzero()
    if len(bad):
        first = int(bad[0])
        raise diverged(first, float(losses[first]))
    return float(losses.mean()) if len(losses) else 0.0


def check_finite(network: nn.Module, diverged: Callable[[str], InputError]) -> None:
    """Raise the error that `diverged` returns if a weight is not finite: such a state is never written."""
    sums = [parameter.detach().abs().sum(dtype=torch.float32) for parameter in network.parameters()]
    if not torch.isfinite(torch.stack(sums)).all():
        raise diverged("weights that are not finite")


def divergence_error(
    got: str, update: int, learning_rate: float, folder: Path, options: str = "--learning-rate", saved: str = ""
) -> InputError:
    """Return the error for a loss or weights that are not finite.

    Args:
        got: What is not finite.
        update: The number of the update since the beginning.
        learning_rate: The learning rate.
        folder: The folder of the training.
        options: The options of which a lower value may help.
        saved: A sentence on what was written for a closer look.
    """
    hint = f"{saved} {describe_last_state(folder)}. Try a lower {options} in another folder.".lstrip()
    return InputError("a finite loss", f"{got} at update {update:,}, learning rate {learning_rate:g}", hint=hint)


def collapse_error(name: str, expected: str, got: float, update: int, learning_rate: float, folder: Path) -> InputError:
    """Return the error for a policy that has collapsed: one that learns by its own walks learns nothing more.

    Args:
        name: What is out of range: entropy, value or gradient.
        expected: The range.
        got: The mean of the last updates.
        update: The number of the update since the beginning.
        learning_rate: The learning rate.
        folder: The folder of the training.
    """
    hint = f"{describe_last_state(folder)}. Try a lower --learning-rate"
    hint += " or a higher --entropy-weight" if name == "entropy" else " or a lower --max-grad-norm"
    got_text = f"{got:.3g}: the policy collapsed before update {update:,}, learning rate {learning_rate:g}"
    return InputError(f"a mean {name} of {expected}", got_text, hint=f"{hint} in another folder.")
