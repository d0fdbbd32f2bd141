"""Training history: a row per epoch, as JSON lines and for TensorBoard, and progress reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bearleft.runtime.store import write_text
from bearleft.training.tensorboard import write_events

HISTORY_FILE = "history.jsonl"
OLD_HISTORY_FILE = "curve.jsonl"  # of earlier versions
ACCURACY = "A@80px"
TIMED = ("examples/s", "seconds", "time")  # keys that differ between two runs of the same configuration
Row = dict[str, Any]


@dataclass(frozen=True)
class TrainProgress:
    """Progress of a training, for a progress bar; or, with `message`, a sentence for people."""

    epoch: int = 0
    epochs: int = 0
    update: int = 0  # of this epoch
    updates: int = 0  # per epoch
    loss: float = 0.0
    examples_per_second: float = 0.0
    message: str = ""


ProgressCallback = Callable[[TrainProgress], None]


def no_report(progress: TrainProgress) -> None:
    """Ignore a progress report."""


def format_row(row: Row) -> str:
    """Return an epoch's row as a line for people."""
    return (
        f"epoch {row['epoch']}: loss {row['loss']:.4f}, validation {ACCURACY} {row[ACCURACY]:.2f} %, "
        f"{row['examples/s']:,.0f} examples/s, {row['seconds']:.0f} s"
    )


def write_history(folder: Path, rows: Sequence[Row], scores: Sequence[str] = (ACCURACY,)) -> None:
    """Rewrite the history files, so that a resumed run has the history of an uninterrupted one.

    Args:
        folder: The folder.
        rows: The rows.
        scores: The keys of the validation scores.
    """
    write_text(folder / HISTORY_FILE, "".join(json.dumps(row) + "\n" for row in rows))
    (folder / OLD_HISTORY_FILE).unlink(missing_ok=True)
    tags = {"loss": "loss", **{f"validation/{score}": score for score in scores}}
    tags |= {"rate": "rate", "examples_per_second": "examples/s"}
    points = [(row["time"], row["update"], {tag: row[name] for tag, name in tags.items()}) for row in rows]
    write_events(folder, points)


def read_history(folder: Path) -> list[Row]:
    """Return the rows of a folder's history."""
    path = folder / HISTORY_FILE
    if not path.exists() and (folder / OLD_HISTORY_FILE).exists():
        path = folder / OLD_HISTORY_FILE
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
