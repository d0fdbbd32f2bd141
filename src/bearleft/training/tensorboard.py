"""TensorBoard event files, written if the `tensorboard` package is installed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

from bearleft.runtime.extras import install_command

EVENT_FILE = "events.out.tfevents.0.bearleft"
TEMPORARY_PREFIX = ".events-"  # of folders in which event files are written
Scalars = tuple[float, int, Mapping[str, float]]  # wall time, step, values by tag


def tensorboard_hint() -> str:
    """Return what to install for event files; empty if it is installed."""
    if find_spec("tensorboard") is not None:
        return ""
    return f"No TensorBoard event files are written; type: {install_command('tensorboard')}"


def write_events(folder: Path, points: Iterable[Scalars]) -> None:
    """Replace a folder's event file atomically; does nothing without the `tensorboard` package.

    What a killed run left of an event file is removed.
    """
    if tensorboard_hint():
        return
    from torch.utils.tensorboard import SummaryWriter

    for left in folder.glob(f"{TEMPORARY_PREFIX}*"):
        shutil.rmtree(left)
    with tempfile.TemporaryDirectory(dir=folder, prefix=TEMPORARY_PREFIX) as temporary:
        with SummaryWriter(temporary) as writer:
            for wall_time, step, values in points:
                for tag, value in values.items():
                    writer.add_scalar(tag, value, step, wall_time)
        (events,) = Path(temporary).iterdir()
        events.replace(folder / EVENT_FILE)
