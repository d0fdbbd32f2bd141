"""Pretrained agents: those that come with bearleft.

Each is a checkpoint with 8-bit weights, `weights/agents/NAME.pt`, with a model card, `NAME.json`. Cards need no torch.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from bearleft.errors import InputError, format_value, unknown_name

FOLDER = Path(__file__).parent / "weights" / "agents"
SUFFIX, CARD_SUFFIX = ".pt", ".json"


def pretrained_names() -> list[str]:
    """Return the names of the agents that come with bearleft."""
    return sorted(path.stem for path in FOLDER.glob(f"*{SUFFIX}"))


def is_pretrained(name: str | os.PathLike[str]) -> bool:
    """Return whether an agent of this name comes with bearleft."""
    return os.fspath(name) in pretrained_names()


def checkpoint_file(name: str | os.PathLike[str]) -> Path:
    """Return the file of a pretrained agent's name; any other name is that of a file."""
    return FOLDER / f"{os.fspath(name)}{SUFFIX}" if is_pretrained(name) else Path(name)


def checkpoint_name(file: str | os.PathLike[str]) -> str:
    """Return the name of a pretrained agent's file; any other file's name is its path, as it was given."""
    path = Path(file)
    return path.stem if path.parent == FOLDER and is_pretrained(path.stem) else os.fspath(file)


def agent_card(name: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the model card of a pretrained agent, or of a file that `bearleft models export` wrote.

    Args:
        name: The agent's name, or the file of the weights.

    Raises:
        InputError: There is no such agent, or it has no model card.
    """
    file = checkpoint_file(name)
    if file.suffix != SUFFIX:
        raise unknown_name("pretrained agent", os.fspath(name), pretrained_names())
    path = file.with_suffix(CARD_SUFFIX)
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        hint = f"bearleft models export {file} -o FILE{SUFFIX} writes the weights with a model card."
        raise InputError("a model card beside the weights", "none", file=str(path), hint=hint) from None
    except (OSError, ValueError) as error:
        raise InputError("a model card in JSON", format_value(str(error)), file=str(path)) from error
    if not isinstance(card, dict):
        raise InputError("a model card in JSON", f"a {type(card).__name__}", file=str(path))
    return card
