"""Training states on disk: the last one and the one before it, each written atomically.

This module only writes and reads states. Training resumes in `training.pointing.train.train` (by `Trainer.resume`) and
in `training.looking.train`, which load the last state before their first update.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bearleft.errors import InputError
from bearleft.models.checkpoint import TRAINING, read_checkpoint, write_checkpoint

NEXT, LAST, PREVIOUS = "next.pt", "last.pt", "previous.pt"


def save_state(folder: Path, state: dict[str, Any]) -> None:
    """Write a state; the last one becomes the previous one."""
    write_checkpoint(folder / NEXT, {"kind": TRAINING, **state})
    _rotate(folder)


def _rotate(folder: Path) -> None:
    """Make a completely written state the last one; after an interruption the next start does it."""
    if (folder / NEXT).exists():
        if (folder / LAST).exists():
            (folder / LAST).replace(folder / PREVIOUS)
        (folder / NEXT).replace(folder / LAST)


def load_state(folder: Path, warn: Callable[[str], None]) -> dict[str, Any] | None:
    """Return the newest readable state, on the CPU; None if there is none yet.

    Raises:
        InputError: States exist, but none can be read.
    """
    _rotate(folder)
    errors = []
    for name in (LAST, PREVIOUS):
        if not (folder / name).exists():
            continue
        try:
            state = read_checkpoint(folder / name, "cpu", TRAINING)
        except InputError as error:
            errors.append(error)
            continue
        if errors:
            warn(f"{errors[0]}. Resuming from {folder / name} instead.")
        return state
    if errors:
        hint = f"No readable state is left to resume from: remove {folder} and train again."
        raise InputError(errors[0].expected, errors[0].got, file=errors[0].file, hint=hint)
    return None


def peek_state(folder: Path) -> dict[str, Any] | None:
    """Return the last state without changing the folder; None if there is none that can be read."""
    try:
        return read_checkpoint(folder / LAST, "cpu", TRAINING) if (folder / LAST).exists() else None
    except InputError:  # `load_state` reports it, or takes the previous one
        return None


def describe_last_state(folder: Path) -> str:
    """Return words for an error message that name the state to resume from."""
    for name in (LAST, PREVIOUS):
        if (folder / name).exists():
            return f"The last good state is {folder / name}"
    return "No state was written yet"
