"""The list of trained agents: those that come with bearleft, and the trainings in the user's folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bearleft.errors import InputError
from bearleft.models import BEST
from bearleft.models.pretrained import agent_card, checkpoint_file, pretrained_names

SKIPPED = ("node_modules", "__pycache__", "site-packages")  # folders without trainings


def model_rows(folder: str | os.PathLike[str] = ".") -> list[dict[str, Any]]:
    """Return a row for each pretrained agent, and for each training below a folder.

    Columns are `model` (a name for `bearleft eval`), `kind`, `network`, `seed`, `epoch`, `bytes` and `source`. Of
    trainings, `kind`, `network`, `seed` and `epoch` are empty without torch, and where a file cannot be read.

    Args:
        folder: Where trainings are looked for; hidden folders are skipped, and links are not followed.

    Raises:
        InputError: There is no such folder.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError("a folder with trainings", "no folder", "folder", str(root))
    rows = []
    for name in pretrained_names():
        card = agent_card(name)
        size = checkpoint_file(name).stat().st_size
        rows.append(_row(name, card, size, "comes with bearleft"))
    for path in _trainings(root):
        size = (path / BEST).stat().st_size
        rows.append(_row(str(path), _read_description(path / BEST), size, "training"))
    return rows


def _row(model: str, about: dict[str, Any], size: int, source: str) -> dict[str, Any]:
    known = {name: about.get(name, "") for name in ("kind", "network", "seed", "epoch")}
    return {"model": model, **known, "bytes": size, "source": source}


def _trainings(root: Path) -> Iterator[Path]:
    """Yield the folders below a root that hold a training's result, in order."""
    for parent, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in SKIPPED)
        if BEST in files:
            yield Path(parent)


def _read_description(file: Path) -> dict[str, Any]:
    """Return what a checkpoint says of itself; nothing if it cannot be read."""
    if find_spec("torch") is None:
        return {}
    from bearleft.models.export import describe_checkpoint, read_any_checkpoint

    try:
        return describe_checkpoint(read_any_checkpoint(file))
    except InputError:
        return {}
