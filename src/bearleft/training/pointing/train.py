"""Training of networks that point, as Touchdown's appendix D.2 has it, on a CPU, a GPU, or several.

A folder holds `best.pt` (the result: the epoch with the best tuning accuracy), `last.pt` and `previous.pt` (where
training stands), and the curve. The same call goes on where a stopped or killed one was, to the same result: what is
drawn in an update depends on the seed and the update's number alone.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from bearleft.errors import InputError
from bearleft.models import BEST
from bearleft.models.checkpoint import Pointer, save
from bearleft.models.examples import Examples
from bearleft.runtime.store import only_writer
from bearleft.training.distributed import Ranks, own_device, ranks
from bearleft.training.history import Row, Tell, Told, silent, write_curve
from bearleft.training.pointing.config import Recipe as Recipe
from bearleft.training.pointing.loop import Run, Stop
from bearleft.training.state import found, keep, last_good

if TYPE_CHECKING:
    from bearleft.models.backbones.registry import Trunk
    from bearleft.models.features.base import Features

SAVE_EVERY = 300.0  # seconds: what a kill may cost where epochs are long


@dataclass(frozen=True, eq=False)
class Trained:
    """What came of it: the best epoch's network (the present one where no epoch is done), and the curve."""

    pointer: Pointer
    rows: list[Row]
    remarks: list[str]
    stopped: str  # "minutes" or "signal" where there is more to do, else ""

    @property
    def finished(self) -> bool:
        return not self.stopped


def train(
    recipe: Recipe,
    examples: Examples,
    features: Features,
    folder: str | os.PathLike[str],
    device: str | torch.device = "cpu",
    minutes: float | None = None,
    tell: Tell = silent,
    trunk: Trunk | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Trained:
    """Trains, or goes on, until early stopping, the last epoch, or so many minutes.

    With `trunk` the result says what made its features. SIGTERM and Ctrl-C end cleanly too: the state is written first.
    """
    begin, where, device = clock(), Path(folder), own_device(str(device))
    with ranks(device) as among, _alone(where, among), _asked() as asked, _own_randomness(device):
        told = tell if among.first else silent
        run = Run(recipe, examples, features, device, among, trunk, where, told)
        for remark in run.remarks:
            told(Told(line=remark))
        state = among.from_first(lambda: found(where, lambda line: told(Told(line=line))))
        if state is not None:
            run.go_on(state, where)
            if run.ended:  # perhaps killed between its last state and its curve
                among.from_first(lambda: write_curve(where, run.rows))

        saved, why = clock(), Stop.NO

        def stop() -> Stop:
            now = clock()
            if asked.is_set():
                return Stop.SIGNAL
            if minutes is not None and now - begin >= 60.0 * minutes:
                return Stop.MINUTES
            return Stop.SAVE if now - saved >= SAVE_EVERY else Stop.NO

        while not run.ended and why <= Stop.SAVE:
            why = run.epoch(stop)
            run.check_weights()
            _keep(run, where, among)
            saved = clock()
        return Trained(run.pointer(), run.rows, run.remarks, why.name.lower() if why > Stop.SAVE else "")


def _keep(run: Run, folder: Path, among: Ranks) -> None:
    """Everything on disk: the best network before the state, the state before the curve."""
    state = run.state()  # here, since all processes take part in it

    def write() -> None:
        try:
            if run.fresh:
                save(folder / BEST, run.pointer())
            keep(folder, state)
            write_curve(folder, run.rows)
        except InputError as error:  # a full disk, say
            raise replace(error, hint=f"{last_good(folder)}; make room and repeat the command.") from error

    among.from_first(write)


@contextlib.contextmanager
def _alone(folder: Path, among: Ranks) -> Iterator[None]:
    """The first process is the only one that writes."""
    if not among.first:
        yield
        return
    with only_writer(folder, "a training"):
        yield


@contextlib.contextmanager
def _asked() -> Iterator[threading.Event]:
    """Set when somebody asks us to end; a second Ctrl-C ends at once."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def note(number: int, _frame: object) -> None:
        if asked.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        asked.set()

    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _own_randomness(device: torch.device) -> Iterator[None]:
    """What others draw from torch is not changed by us."""
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        yield
