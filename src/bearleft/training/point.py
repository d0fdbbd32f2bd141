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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from bearleft.errors import InputError, shown
from bearleft.models.checkpoint import Pointer, save
from bearleft.models.examples import Examples
from bearleft.models.levels import REGION, check_level
from bearleft.models.target import SIGMA
from bearleft.store import only_writer
from bearleft.training.curve import Row, Tell, Told, silent, write_curve
from bearleft.training.loop import Run, Stop
from bearleft.training.parallel import Ranks, own_device, ranks
from bearleft.training.state import BEST, found, keep, last_good

if TYPE_CHECKING:
    from bearleft.models.cells import Features
    from bearleft.models.trunk import Trunk

PRECISIONS = ("bfloat16", "float32")
SAVE_EVERY = 300.0  # seconds: what a kill may cost where epochs are long


@dataclass(frozen=True)
class Recipe:
    """All that a result depends on beside examples and features."""

    network: str
    seed: int = 0
    epochs: int = 30  # at most
    epoch: int | None = None  # examples between two looks at the tuning accuracy; all of them where none is given
    batch: int = 10
    rate: float | None = None  # the network's own where none is given
    patience: int = 4  # epochs without a new best accuracy, after which training ends
    tuning: float = 0.07  # share of examples that are held back
    sigma: float = SIGMA  # cells: how wide a region is
    precision: str | None = None  # bfloat16 on a GPU and float32 elsewhere where none is given
    compile: bool = False  # by torch.compile, on a GPU; updates that lie there whole are recorded as graphs anyway
    clip: float | None = None  # largest length of a gradient
    released: bool = False  # the network and the tuning split as in the released code
    shuffled: bool = False  # texts are dealt out anew among examples
    level: str = REGION  # what is aimed at: a region around the target, its pixel (one cell), or the object next to it
    changes: dict[str, Any] = field(default_factory=dict)  # of the network's Config

    def __post_init__(self) -> None:
        for name in ("epochs", "epoch", "batch", "patience"):
            if (many := getattr(self, name)) is not None and many < 1:
                raise InputError("at least 1", str(many), name)
        for name in ("rate", "clip", "sigma"):
            if (value := getattr(self, name)) is not None and not 0.0 < value < 1e6:
                raise InputError("a number above 0 and below a million", str(value), name)
        for name in {"name", "shape", "seed"} & self.changes.keys():
            raise InputError("a setting of the network", f"{shown(name)}, which is none", "changes")
        if not 0.0 < self.tuning < 1.0:
            raise InputError("a share between 0 and 1", str(self.tuning), "tuning")
        if self.precision not in (None, *PRECISIONS):
            raise InputError(" or ".join(PRECISIONS), shown(self.precision), "precision")
        check_level(self.level)


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
