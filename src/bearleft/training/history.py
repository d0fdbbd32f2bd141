"""How training went: a row for each epoch, as JSON lines and for TensorBoard, and what is told meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bearleft.runtime.store import atomic_write, write_text
from bearleft.training.tensorboard import events

CURVE = "curve.jsonl"
EVENTS = "events.out.tfevents.0.bearleft"
ACCURACY = "A@80px"
TIMED = ("examples/s", "seconds", "time")  # what differs between two runs of the same recipe
Row = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """Where training stands, for a progress bar; or, with `line`, a sentence for people."""

    epoch: int = 0
    epochs: int = 0
    done: int = 0  # updates of this epoch
    updates: int = 0
    loss: float = 0.0
    speed: float = 0.0  # examples per second
    line: str = ""


Tell = Callable[[Told], None]


def silent(told: Told) -> None:
    """Says nothing."""


def told_row(row: Row) -> str:
    """An epoch as a line for people."""
    return (
        f"epoch {row['epoch']}: loss {row['loss']:.4f}, tuning {ACCURACY} {row[ACCURACY]:.2f} %, "
        f"{row['examples/s']:,.0f} examples/s, {row['seconds']:.0f} s"
    )


def write_curve(folder: Path, rows: Sequence[Row]) -> None:
    """Writes both files anew, so that a resumed run has the curve of one that was never stopped."""
    write_text(folder / CURVE, "".join(json.dumps(row) + "\n" for row in rows))
    named = {"loss": "loss", f"tuning/{ACCURACY}": ACCURACY, "rate": "rate", "examples_per_second": "examples/s"}
    points = [(row["time"], row["update"], {tag: row[name] for tag, name in named.items()}) for row in rows]
    with atomic_write(folder / EVENTS, "wb") as stream:
        stream.write(events(points))


def read_curve(folder: Path) -> list[Row]:
    """The rows of a folder's curve."""
    return [json.loads(line) for line in (folder / CURVE).read_text(encoding="utf-8").splitlines()]
