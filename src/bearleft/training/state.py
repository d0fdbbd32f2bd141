"""Where training stands, on disk: the last state and the one before it, each whole or not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bearleft.errors import InputError
from bearleft.models.checkpoint import read, write

NEXT, LAST, PREVIOUS = "next.pt", "last.pt", "previous.pt"
KIND = "training"


def keep(folder: Path, content: dict[str, Any]) -> None:
    """Writes a state beside the last one, which then becomes the previous one."""
    write(folder / NEXT, {"kind": KIND, **content})
    _turn(folder)


def _turn(folder: Path) -> None:
    """A state that is wholly written becomes the last one; a kill in between leaves this to the next start."""
    if (folder / NEXT).exists():
        if (folder / LAST).exists():
            (folder / LAST).replace(folder / PREVIOUS)
        (folder / NEXT).replace(folder / LAST)


def found(folder: Path, warn: Callable[[str], None]) -> dict[str, Any] | None:
    """The newest state that can be read, on the CPU; none where there is nothing yet."""
    _turn(folder)
    errors = []
    for name in (LAST, PREVIOUS):
        if not (folder / name).exists():
            continue
        try:
            content = read(folder / name, "cpu", KIND)
        except InputError as error:
            errors.append(error)
            continue
        if errors:
            warn(f"{errors[0]}. Going on from {folder / name} instead.")
        return content
    if errors:
        hint = f"Nothing good is left to go on from: remove {folder} and train again."
        raise InputError(errors[0].expected, errors[0].got, file=errors[0].file, hint=hint)
    return None


def last_good(folder: Path) -> str:
    """Words for an error: from which file one may go on."""
    for name in (LAST, PREVIOUS):
        if (folder / name).exists():
            return f"The last good state is {folder / name}"
    return "No state was written yet"
